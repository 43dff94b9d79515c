"""The commands as a whole: rows, exit statuses, messages, and what a terminal shows."""

import gzip
import io
import json
import os
import re
import shlex
import signal
import subprocess
from codecs import BOM_UTF8
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from tests.support import naive
from tests.support.command import (
    GZIP_MAGIC,
    LOG,
    URISECT,
    is_compressed,
    loaded,
    on_a_terminal,
    run_here,
    without_speed,
)
from urisect import split
from urisect.cli import main
from urisect.cli.messages import visible
from urisect.cli.options import RULE_NAMES, SPECIFICATION_NAMES, valid_list
from urisect.logs import COMBINED, LIST, tables
from urisect.specs import SPECIFICATIONS, Specification
from urisect.specs.specification import RULE_NAMES as SPECIFICATION_RULE_NAMES

# Valid under some specification, or under none.
REFERENCES = [
    *(b"http://fred@example.com:8042/over/there?name=ferret#nose", b"//host", b"//host?q", b"//host;p", b"//host/"),
    *(b"", b"a:", b"a:?", b"#", b"?", b"?#", b"a:b#", b"1a:b", b"a_b:c", b"//", b"///", b"a://", b"//?", b";p", b"/;"),
    *(b"http://[::1]/", b"http://[v1.a]", b"//a-.b/", b"//a?b@c", b"urn:a:b", b"%41", b"a b", b"%4", b"//[", b"\xff"),
]


def test_split_gives_one_row_per_line() -> None:
    status, output, messages = run_here("split", stdin=b"http://a/b?c\n\n//[::1]:80#\r\nmailto:x")
    assert output == b"http\ta\t/b\tc\t\n\t\t\t\t\n\t[::1]:80\t\t\t\nmailto\t\tx\t\t\n"
    assert (status, messages) == (0, "")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=naive.octets)
@example(data=b"\x1f")
def test_split_takes_any_bytes(data: bytes, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "list"
    path.write_bytes(data)
    assume(not is_compressed(data))
    assert main(["split", "--to", "ndjson", "--fields", "scheme,authority,path,query,fragment", str(path)]) == 0
    rows = [
        tuple(None if part is None else part.encode("utf-8", "surrogateescape") for part in json.loads(line).values())
        for line in capfdbinary.readouterr().out.splitlines()
    ]
    assert rows == [split(line) for line in naive.lines(data.removeprefix(BOM_UTF8))]


def test_fields_header_and_null(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"http://u@h:1/?,\n//h\n")
    arguments = ["split", str(path), "--header", "--null", "-", "--fields", "port, host,reference"]
    assert main(arguments) == 0
    assert capfdbinary.readouterr().out == b"port\thost\treference\n1\th\thttp://u@h:1/?,\n-\th\t//h\n"
    assert main([*arguments, "--to", "csv"]) == 0
    assert capfdbinary.readouterr().out == b'port,host,reference\r\n1,h,"http://u@h:1/?,"\r\n-,h,//h\r\n'


def test_an_unknown_field_is_a_usage_error_that_lists_the_fields(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["split", "--fields", "path,qery"]) == 2
    message = capfd.readouterr().err
    assert "no field is called 'qery'; there are scheme, authority, path, query, fragment, reference" in message
    assert 'did you mean "query"?' in message


def test_several_files_and_standard_input_in_order(tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(b"a:1")
    (tmp_path / "3").write_bytes(gzip.compress(b"a:3\n"))
    status, output, _ = run_here(
        "split", "--fields", "path", str(tmp_path / "1"), "-", str(tmp_path / "3"), stdin=b"a:2\n"
    )
    assert (status, output) == (0, b"1\n2\n3\n")


def test_unreadable_files_are_named_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"a:good\n")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(LOG)[:-100])
    (tmp_path / "bad.gz").write_bytes(GZIP_MAGIC + b"nothing of the kind")
    reasons = {  # those that cannot be opened come first
        "missing\x1b[31m": "No such file or directory",
        "": "Is a directory",
        "cut.gz": "Compressed file ended before the end-of-stream marker was reached",
        "bad.gz": "Unknown compression method",
    }
    paths = [f"{tmp_path}/{name}" for name in reasons]
    status, output, messages = run_here("split", "--fields", "reference", *paths, f"{tmp_path}/good")
    assert status == 2
    assert output.endswith(b"\na:good\n")
    assert messages.splitlines()[:-1] == [
        f"urisect: {visible(path)}: {reason}" for path, reason in zip(paths, reasons.values(), strict=True)
    ]
    assert LOG[:100_000] in output.replace(b"\\\\", b"\\")


@pytest.mark.parametrize("rule", RULE_NAMES)
@pytest.mark.parametrize("specification", SPECIFICATIONS.values(), ids=lambda specification: specification.name)
def test_a_list_of_valid_references_rejects_all_others(specification: Specification, rule: str) -> None:
    format = valid_list(specification.name, rule)

    @given(st.lists(naive.octets | st.sampled_from(REFERENCES), max_size=20).map(b"\n".join))
    @example(b"\n".join(REFERENCES))
    @example(b"\r\n".join(REFERENCES) + b"\r\n")
    @example(b"\n\n\r\r\n\r")
    def holds(data: bytes) -> None:
        valid = [line for line in naive.lines(data) if specification.is_valid(line, rule)]
        found = list(tables(io.BytesIO(data), format))
        rows = [row for table in found for row in zip(*map(table.column, format.columns), strict=True)]
        assert rows == [specification.split(line, rule) for line in valid]
        assert [reference for table in found for reference in table.column("reference")] == valid
        rejected = [reject.text for table in found for reject in table.rejected]
        assert rejected == [line for line in naive.lines(data) if not specification.is_valid(line, rule)]

    holds()


def test_the_choices_are_those_of_the_specifications() -> None:
    assert tuple(SPECIFICATIONS) == SPECIFICATION_NAMES
    assert RULE_NAMES == SPECIFICATION_RULE_NAMES
    assert valid_list("url1996", "URI").fields == LIST.fields


def test_split_strict_gives_rows_and_keeps_rejects(tmp_path: Path) -> None:
    path, rejects = tmp_path / "list", tmp_path / "rejects"
    path.write_bytes(b"http://a/b?c\r\n\n/\xff\xc3\xa9\nhttp://[/\r\r\n//h\0\na%4")
    arguments = ["split", "--strict", str(path), "--rejects", str(rejects)]
    messages = "6 lines read: 2 parsed, 4 rejected\n"
    assert run_here(*arguments) == (0, b"http\ta\t/b\tc\t\n\t\t\t\t\n", messages)
    name = os.fsencode(path)
    kept = [(3, 15, b"/\xff\xc3\xa9"), (4, 20, b"http://[/\r"), (5, 32, b"//h\0"), (6, 37, b"a%4")]
    assert rejects.read_bytes() == b"".join(b"%b\t%d\t%d\t%b\n" % (name, *reject) for reject in kept)
    assert run_here(*arguments, "--strict-exit", "--quiet")[::2] == (1, "")
    assert run_here(*arguments, "--strict-exit", str(tmp_path / "missing"))[0] == 2
    assert run_here("split", "--strict", "--strict-exit", stdin=b"a:b") == (
        0,
        b"a\t\tb\t\t\n",
        "1 line read: 1 parsed, 0 rejected\n",
    )


@pytest.mark.parametrize(
    ("options", "valid"),
    [
        (["--strict"], [b"a:", b"", b"b#c"]),
        (["--spec", "rfc3986"], [b"a:", b"", b"b#c"]),
        (["--spec", "rfc2396"], [b"", b"b#c"]),
        (["--rule", "URI"], [b"a:"]),
        (["--rule", "relative-ref", "--spec", "url1996"], [b"", b"b#c"]),
    ],
)
def test_spec_and_rule_imply_strict(options: list[str], valid: list[bytes]) -> None:
    status, output, messages = run_here("split", "--fields", "reference", *options, stdin=b"a:\n\nb#c\na b\n")
    assert (status, output) == (0, b"".join(b"%b\n" % line for line in valid))
    assert messages == f"4 lines read: {len(valid)} parsed, {4 - len(valid)} rejected\n"


@pytest.mark.parametrize("options", [["--rejects", "file"], ["--strict-exit"]])
def test_rejects_without_strict_are_a_usage_error(options: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["split", *options]) == 2
    assert "need --strict: without it no line is rejected" in capfd.readouterr().err
    assert not Path("file").exists()


def test_the_whole_reference_keeps_delimiters_that_components_lose() -> None:
    arguments = ["split", "--spec", "url1996", "--quiet", "--fields", "reference,authority,query,fragment"]
    references = b"http:///?#\n//\n//h\n/p;?#\n"
    _, output, _ = run_here(*arguments, "--null", "-", stdin=references)
    assert output == b"http:///?#\t-\t-\t-\n//\t-\t-\t-\n//h\th\t-\t-\n/p;?#\t-\t-\t-\n"


def test_specifications_are_loaded_only_if_needed() -> None:
    assert loaded("split") == []
    assert loaded("split", "--strict") == ["urisect.specs"]
    assert loaded("check") == []  # an empty file has no line to check


def test_logs_accounts_for_every_line(log: Path, tmp_path: Path) -> None:
    rejects = tmp_path / "rejects"
    status, output, messages = run_here("logs", str(log), "--to", "ndjson", "--rejects", str(rejects))
    assert status == 0
    kept = [line.split(b"\t", 3) for line in rejects.read_bytes().split(b"\n")[:-1]]
    parsed = [json.loads(line) for line in output.splitlines()]
    blank = sum(map(naive.is_blank, naive.lines(LOG)))
    assert messages == (
        "detected format: combined (100 of the first 100 lines)\n"
        f"{len(naive.lines(LOG)):,} lines read (408 kB): "
        f"{len(parsed):,} parsed, {len(kept)} rejected, {blank} skipped\n"
    )
    assert len(parsed) + len(kept) + blank == len(naive.lines(LOG))
    assert kept
    for name, number, offset, text in kept:
        assert name == os.fsencode(log)
        assert naive.lines(LOG)[int(number) - 1] == text
        assert LOG[int(offset) :].startswith(text + b"\n")
    assert tuple(parsed[0]) == COMBINED.columns


@pytest.mark.unmeasured
@pytest.mark.parametrize("to", ["tsv", "csv", "ndjson"])
def test_gzip_and_pipes_give_the_same_rows(log: Path, tmp_path: Path, to: str) -> None:
    packed = tmp_path / "access.log.gz"
    packed.write_bytes(gzip.compress(LOG))
    expected = run_here("logs", "--to", to, str(log))
    assert run_here("logs", "--to", to, str(packed)) == expected
    assert run_here("logs", "--to", to, "-", stdin=LOG) == expected
    assert run_here("logs", "--to", to, stdin=gzip.compress(LOG)) == expected


def test_a_common_log_parsed_as_common_and_as_combined(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "common.log"
    path.write_bytes(b'h - - [10/Nov/1996:13:55:36 -0700] "GET /a?b HTTP/1.0" 200 5\n')
    assert main(["logs", "--format", "common", "--fields", "target,bytes", str(path)]) == 0
    output, messages = capfd.readouterr()
    assert (output, without_speed(messages)) == ("/a?b\t5\n", "1 line read: 1 parsed, 0 rejected\n")
    assert main(["logs", "--format", "combined", str(path)]) == 1
    output, messages = capfd.readouterr()
    assert (output, without_speed(messages)) == (
        "",
        "1 line read: 0 parsed, 1 rejected\nno line matches the format combined; choose another one with --format\n",
    )
    assert main(["logs", "--format", "combined", "--strict-exit", "--quiet", str(path)]) == 1
    assert capfd.readouterr() == ("", "")
    assert main(["logs", "--format", "combined", "--strict-exit", "--quiet", str(path), str(path) + "2"]) == 2


def test_rejects_do_not_overwrite_the_input(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["logs", str(log), "--rejects", str(log.parent / "." / "access.log")]) == 2
    assert "is one of the files to read" in capfd.readouterr().err
    assert log.read_bytes() == LOG


def test_an_output_that_cannot_be_written_is_named(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["logs", str(log), "--rejects", str(log.parent / "no" / "file")]) == 2
    assert "no/file: No such file or directory" in capfd.readouterr().err
    for command in ("split", "check"):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run([*URISECT, command, str(log)], stdout=full, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (2, b"urisect: standard output: No space left on device\n")


@pytest.mark.parametrize(
    "command",
    [["split"], ["check"], ["logs"], ["demo"], ["get", "{reference}"], ["set", "--fragment", "a"], ["decode"]],
)
def test_a_closed_pipe_ends_quietly(command: list[str]) -> None:
    with subprocess.Popen(
        [*URISECT, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        try:
            process.stdin.write(LOG * 10)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert process.stderr.read() == b""
    assert process.returncode == int(command == ["check"])  # which has found something, and has not looked at it all


def test_an_interrupt_ends_with_130() -> None:
    process = subprocess.Popen([*URISECT, "split"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"a:b\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"a\t\tb\t\t\n"  # rows do not wait for the end
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130


def test_nothing_acts_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"a:\x1b[31m\x9b\x07\xc2\x9b\x7f\r\xe2\x80\xae\xffb\n")
    sent = on_a_terminal("split", "--to", "csv", "--fields", "path", str(path))
    assert sent == b'"' + rb"\x1b[31m\x9b\x07\x9b\x7f\r\u202e\xffb" + b'"\r\r\n'  # the terminal adds a "\r"


def test_progress_is_shown_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "li[red]st"
    path.write_bytes(b"http://example.com/\n" * 200_000)
    assert b"li[red]st" in on_a_terminal("split", str(path), fd=2)
    assert on_a_terminal("split", "--quiet", str(path), fd=2) == b""
    assert on_a_terminal("split", "--quiet", os.devnull, fd=2) == b""


def test_demo_explains_a_url_and_shows_statistics_of_the_sample(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["demo"]) == 0
    assert "report" not in capfd.readouterr().out
    path = tmp_path / "report.html"
    assert main(["demo", "--report", str(path)]) == 0
    explanation, statistics = capfd.readouterr().out.split("\nA log in the combined format: ")
    command, *drawn = explanation.splitlines(keepends=True)
    assert ["$", "urisect", *shlex.split(command)[2:]] == shlex.split(command)
    assert run_here(*shlex.split(command)[2:])[1].decode() == "".join(drawn)
    assert re.match(r"4,000 lines, 3,\d+ parsed, \d+ rejected\n[\d,]+ lines per second", statistics)
    for title in ("Status codes", "Paths", "Referrers", "Clients"):
        assert title in statistics
    assert statistics.endswith(f": {path}\n")
    assert b"<h1>Sample log</h1>" in path.read_bytes()


def test_demo_writes_the_sample_to_a_file(tmp_path: Path) -> None:
    plain, compressed = tmp_path / "access.log", tmp_path / "access.log.gz"
    assert main(["demo", "-o", str(plain)]) == main(["demo", "-o", str(compressed)]) == 0
    assert plain.read_bytes() == gzip.decompress(compressed.read_bytes())
    assert plain.read_bytes().count(b"\n") == 4000
