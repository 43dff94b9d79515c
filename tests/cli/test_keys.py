"""The commands that compare references by keys: key, surt, site, dedupe."""

import gzip
import io
import subprocess
import sys
from codecs import BOM_UTF8
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.command import URISECT, is_compressed, run_here
from urisect import crawl
from urisect.cli import main, seen_keys
from urisect.cli.seen_keys import SeenKeys
from urisect.crawl import sites

COMMANDS = ("key", "surt", "site", "dedupe")

any_lines = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=sizes.choose(full=300, quick=40)
)


def output(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> bytes:
    """Run the command in this process, and return its output."""
    assert main([*arguments, "--quiet"]) == 0
    out, err = capfdbinary.readouterr()
    assert err == b""
    return out


# All these commands


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_pipe_ends_quietly(command: str) -> None:
    with subprocess.Popen(
        [*URISECT, command, "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.close()
        _, messages = process.communicate(b"http://example.com/\n")
    assert (process.returncode, messages) == (0, b"")


@pytest.mark.parametrize("command", COMMANDS)
def test_files_standard_input_gzip_and_a_missing_file(command: str, tmp_path: Path) -> None:
    (tmp_path / "1.gz").write_bytes(gzip.compress(b"http://1.example/\r\n"))
    (tmp_path / "2").write_bytes(BOM_UTF8 + b"http://2.example/")
    missing = str(tmp_path / "missing")
    files = (f"{tmp_path}/1.gz", missing, "-", f"{tmp_path}/2")
    status, out, messages = run_here(command, *files, stdin=b"http://3.example/\n")
    assert (status, out.count(b"\n")) == (2, 3)
    assert [line.count(number) for line, number in zip(out.splitlines(), (b"1", b"3", b"2"), strict=True)] == [1] * 3
    assert messages.startswith(f"urisect: {missing}: No such file or directory\n")


# key and surt


@any_lines
@given(data=naive.octets)
@example(data=b"HTTP://A.example:80/%7e/../%0A%0d?b&a#c\nhttp://www.h/%250a\r\r\n\nmailto:a@b\nhttp://[::1]/")
@pytest.mark.parametrize(
    "arguments", [("key",), *(("key", "--profile", name) for name in crawl.PROFILES), ("surt",), ("surt", "--keep-www")]
)
def test_each_line_gives_what_the_library_returns(
    arguments: tuple[str, ...], data: bytes, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assume(not is_compressed(data))
    path = tmp_path / "list"
    path.write_bytes(data)
    match arguments:
        case ("surt", *options):
            expected = [crawl.surt(line, keep_www=bool(options)) for line in naive.lines(data.removeprefix(BOM_UTF8))]
        case _:
            profile = arguments[-1] if len(arguments) > 1 else "request-1"
            expected = [crawl.key(line, profile) for line in naive.lines(data.removeprefix(BOM_UTF8))]
    assert b"\n" not in b"".join(expected)
    assert output(capfdbinary, *arguments, str(path)) == b"".join(line + b"\n" for line in expected)


def test_the_help_explains_every_profile(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "--help"]) == 0
    explanation = capfd.readouterr().out.partition("Profiles")[2].partition("Examples")[0]
    assert [line.split()[0] for line in explanation.splitlines() if "-1 " in line] == [*crawl.PROFILES]


# site


def test_site_gives_a_line_for_each_line() -> None:
    lines = b"http://www.Example.co.uk/a\n\nhttp://co.uk/\na/b\nhttp://a.b.example.com:80/\r\n"
    assert run_here("site", stdin=lines) == (0, b"example.co.uk\n\n\n\nexample.com\n", "")


def test_site_without_its_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "publicsuffixlist", None)
    monkeypatch.setattr(sites, "_default_suffixes", sites._default_suffixes.__wrapped__)  # nothing cached
    needs = "urisect: site needs publicsuffixlist, which is not installed; pip install 'urisect[psl]' brings it\n"
    assert run_here("site", "http://www.example.com/") == (2, b"", needs)


# dedupe


def test_dedupe_keeps_the_first_line_of_each_key() -> None:
    lines = b"HTTP://a.example/#1\r\nhttp://b.example/\nhttp://a.example\nb\xff\n\nb\xff\n\nhttp://b.example/#2"
    kept = b"HTTP://a.example/#1\nhttp://b.example/\nb\xff\n\n"
    assert run_here("dedupe", stdin=lines) == (0, kept, "8 lines read: 4 kept, 4 dropped\n")
    assert run_here("dedupe", "--quiet", stdin=lines) == (0, kept, "")
    counts = "3 lines read: 2 kept, 1 dropped\n"
    assert run_here("dedupe", "x:1", "-", "x:2", stdin=b"X:1\n") == (0, b"x:1\nx:2\n", counts)


@any_lines
@given(
    lines=st.lists(st.sampled_from([b"http://a", b"HTTP://A:80/", b"http://a/?", b"b#c", b"b", b"", b"\xff", b"\r\r"]))
)
@pytest.mark.parametrize("profile", crawl.PROFILES)
def test_dedupe_equals_a_set_of_keys(
    profile: str, lines: list[bytes], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"\n".join(lines))
    firsts: dict[bytes, bytes] = {}
    for line in naive.lines(b"\n".join(lines)):
        firsts.setdefault(crawl.key(line, profile), line)
    written = output(capfdbinary, "dedupe", "--profile", profile, str(path))
    assert written == b"".join(line + b"\n" for line in firsts.values())


def test_dedupe_writes_lines_as_they_arrive() -> None:
    with subprocess.Popen([*URISECT, "dedupe", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert isinstance(process.stdin, io.BufferedWriter)
        assert process.stdout
        for line in (b"http://a/\n", b"http://b/\n"):
            process.stdin.write(b"http://a/\n" + line)
            process.stdin.flush()
            assert process.stdout.readline() == line


def test_seen_keys_beyond_the_cache_equal_a_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_keys, "CACHE_KIBIBYTES", 64)
    keys = [b"%d" % (number * number % 10007) for number in range(15_000)]
    seen: set[bytes] = set()
    with SeenKeys() as stored:
        for key in keys:
            assert stored.add(key) == (key not in seen)
            seen.add(key)


def test_a_full_database_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(SeenKeys):
        def __init__(self) -> None:
            super().__init__()
            self._connection.execute("PRAGMA max_page_count = 3")

    monkeypatch.setattr(seen_keys, "SeenKeys", Full)
    status, _, messages = run_here("dedupe", stdin=b"".join(b"%d\n" % number for number in range(1000)))
    assert status == 2
    assert messages == (
        "urisect: keys cannot be stored in a temporary file: database or disk is full; "
        "set TMPDIR to a directory with enough space\n"
    )


def test_dedupe_without_sqlite_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "urisect.cli.seen_keys")
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    message = "Error: dedupe needs sqlite3, which this Python was built without.\n"
    assert run_here("dedupe", "http://a/") == (2, b"", message)
