"""The commands that transform references or find URIs: resolve, normalize, repair, find, hazards, compose."""

import gzip
import json
import os
import subprocess
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.command import URISECT, is_compressed, loaded, on_a_terminal, run_here
from urisect.cli import main
from urisect.cli.compose import PARTS
from urisect.cli.converted_lines import MAX_REASON_CHARACTERS, MAX_REASONS
from urisect.composition import compose
from urisect.normalization import normalize
from urisect.resolution import Base
from urisect.security import CODES, hazards
from urisect.specs import SPECIFICATIONS, Specification
from urisect.text import CHUNK_BYTES, find

COMMANDS = (["resolve", "http://a/"], ["normalize"], ["find"], ["hazards"], ["compose"], ["repair"])
BASE = "http://a/b/c/d;p?q"

any_bytes = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def output(capfdbinary: pytest.CaptureFixture[bytes], status: int, *arguments: str) -> bytes:
    """Run the command in this process, and return its output."""
    assert main([*arguments, "--quiet"]) == status
    out, err = capfdbinary.readouterr()
    assert err == b""
    return out


# All these commands


def test_help_fits_80_columns(capfd: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        assert main([*command, "--help"]) == 0
        assert max(map(len, capfd.readouterr().out.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_empty_file_gives_nothing(command: list[str], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert output(capfdbinary, 0, *command, os.devnull) == b""


@pytest.mark.parametrize(
    ("command", "line", "written"),
    [
        (["resolve", "http://a/"], b"x", b"http://a/x\n"),
        (["normalize"], b"HTTP://a/", b"http://a/\n"),
        (["find"], b"(http://a/)", b"http://a/\n"),
        (
            ["hazards"],
            b"%00",
            b"<stdin>:1:1: escaped-nul: Decoded, this is a NUL, which ends a file name on some",
        ),
        (["compose"], b'{"path":"a b"}', b"a%20b\n"),
        (["repair"], b"a b", b"a%20b\n"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_files_standard_input_gzip_and_a_missing_file(
    command: list[str], line: bytes, written: bytes, tmp_path: Path
) -> None:
    (tmp_path / "1.gz").write_bytes(gzip.compress(line + b"\r\n"))
    (tmp_path / "2").write_bytes(line)
    missing = str(tmp_path / "missing")
    status, out, messages = run_here(*command, f"{tmp_path}/1.gz", missing, "-", f"{tmp_path}/2", stdin=line + b"\n")
    assert (status, out.count(b"\n")) == (2, 3)
    assert written in out
    assert messages.startswith(f"urisect: {missing}: No such file or directory\n")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_closed_pipe_ends_quietly(command: list[str]) -> None:
    with subprocess.Popen(
        [*URISECT, *command, "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.close()
        _, messages = process.communicate(b'{"host":"a"}\nhttp://a/%00\n')
    assert (process.returncode, messages) == (int(command == ["hazards"]), b"")  # which has found something


@pytest.mark.unmeasured
def test_modules_are_loaded_only_if_needed() -> None:
    for arguments in (["resolve", "http://a/"], ["normalize", "--spec", "rfc3986"], ["hazards"], ["compose"]):
        assert loaded(*arguments) == []
    assert loaded("normalize", "--spec", "rfc2396") == ["urisect.specs"]
    assert loaded("find") == ["urisect.text"]


# resolve


def test_resolve_gives_one_target_per_line() -> None:
    lines = b"g\r\n\n../../../g\nhttp:g\ng\xff\xc3\xa9\r\r\n#s"
    targets = (
        b"http://a/b/c/g\nhttp://a/b/c/d;p?q\nhttp://a/g\nhttp:g\nhttp://a/b/c/g\xff\xc3\xa9\r\nhttp://a/b/c/d;p?q#s\n"
    )
    assert run_here("resolve", BASE, stdin=lines) == (0, targets, "")


@any_bytes
@given(data=naive.octets, base=st.sampled_from([BASE, "a:", "a:b/c", "file:///x#f", "\udcff:é"]))
@pytest.mark.parametrize("option", ["", "--relativize", "--loophole"])
def test_resolve_does_to_each_line_what_the_library_does(
    data: bytes, base: str, option: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assume(not is_compressed(data))
    path = tmp_path / "list"
    path.write_bytes(data)
    prepared = Base(os.fsencode(base))
    targets = [
        prepared.relativize(line) if option == "--relativize" else prepared.resolve(line, strict=not option)
        for line in naive.lines(data.removeprefix(BOM_UTF8))
    ]
    written = output(capfdbinary, 0, "resolve", base, str(path), *filter(None, [option]))
    assert written == b"".join(target + b"\n" for target in targets)


def test_relativize_and_loophole(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"http://a/b/c/x\nhttp://a/y#s\nhttps://a/\n")
    assert output(capfdbinary, 0, "resolve", "--relativize", BASE, str(path)) == b"x\n/y#s\nhttps://a/\n"
    path.write_bytes(b"HTTP:g\nhttps:g\n")
    assert output(capfdbinary, 0, "resolve", "--loophole", BASE, str(path)) == b"http://a/b/c/g\nhttps:g\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing argument 'BASE'"),
        (["//a/\x1b\udcff"], r"'//a/\x1b\udcff' has no scheme"),
        (["http://a/\nb"], r"'http://a/\nb' contains a line end"),
        (["http://a/\r"], r"'http://a/\r' contains a line end"),
        (["--relativize", "--loophole", BASE], "--loophole and --relativize exclude each other"),
    ],
)
def test_resolve_refuses_invalid_arguments(arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", *arguments]) == 2
    assert said in capfd.readouterr().err


# normalize


@pytest.mark.parametrize(
    ("level", "normal"),
    [
        ("string", b"HTTP://EXAMPLE.com:80\n%7e%2f\xff\xc3\xa9\n\na/./b\nx:/a/./%7Eb/../c\r\n"),
        ("syntax", b"http://example.com:80\n~%2F\xff\xc3\xa9\n\na/./b\nx:/a/c\r\n"),
        ("scheme", b"http://example.com/\n~%2F\xff\xc3\xa9\n\na/./b\nx:/a/c\r\n"),
    ],
)
def test_normalize_has_three_levels(level: str, normal: bytes) -> None:
    lines = b"HTTP://EXAMPLE.com:80\r\n%7e%2f\xff\xc3\xa9\n\na/./b\r\nx:/a/./%7Eb/../c\r\r\n"
    assert run_here("normalize", "--level", level, stdin=lines) == (0, normal, "")
    assert level != "syntax" or run_here("normalize", stdin=lines)[1] == normal


@pytest.mark.parametrize("specification", SPECIFICATIONS.values(), ids=lambda specification: specification.name)
def test_normalize_does_to_each_line_what_the_library_does(
    specification: Specification, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "list"

    @given(data=naive.octets)
    @example(b"HTTP://a/%7e/%21/%5F/../../x/../;/./g")
    def holds(data: bytes) -> None:
        assume(not is_compressed(data))
        path.write_bytes(data)
        written = output(capfdbinary, 0, "normalize", "--spec", specification.name, str(path))
        lines = naive.lines(data.removeprefix(BOM_UTF8))
        assert written == b"".join(normalize(line, spec=specification) + b"\n" for line in lines)

    holds()


# find

PROSE = (
    "See <URL: http://a.example/\n  b>, “http://b.example/é” and (http://c.example/_(d))…\n\n"
    "mailto:fred@example.com. www.example.com 'ftp://e.example/\udcff'"
).encode("utf-8", "surrogateescape")
FOUND = b"http://a.example/b\nhttp://b.example/\xc3\xa9\nhttp://c.example/_(d)\nmailto:fred@example.com\nftp://e.example/\xff\n"


def test_find_gives_one_line_per_uri(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(PROSE)
    assert run_here("find", str(path)) == (0, FOUND, "1 file read: 5 URIs found\n")
    assert run_here("find", "--quiet", stdin=PROSE) == (0, FOUND, "")
    assert run_here("find", stdin=b"nothing") == (0, b"", "1 file read: 0 URIs found\n")


def test_find_gives_offsets_in_bytes(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / 'te"xt'
    path.write_bytes(b"\xe2\x80\x9chttp://b.example/\xc3\xa9\xe2\x80\x9d <x:a\r\n b\xff>")
    assert list(map(json.loads, output(capfdbinary, 0, "find", "--to", "ndjson", str(path)).splitlines())) == [
        {"file": str(path), "offset": 3, "length": 19, "uri": "http://b.example/é", "delimiter": "“"},
        {"file": str(path), "offset": 27, "length": 8, "uri": "x:ab\udcff", "delimiter": "<"},
    ]


@any_bytes
@given(
    data=st.lists(
        naive.octets
        | st.sampled_from([b"http://h/", b"<a:b\n", b" ", b"\n\n", b">", b'"', "“é€".encode(), b"urn:x:y"]),
        max_size=20,
    ).map(b"".join)
)
@example(data=PROSE)
def test_find_finds_what_the_library_finds(
    data: bytes, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assume(not is_compressed(data))
    path = tmp_path / "text"
    path.write_bytes(data)
    text = data.decode("utf-8", "surrogateescape")
    expected = list(find(text))
    found = [json.loads(line) for line in output(capfdbinary, 0, "find", "--to", "ndjson", str(path)).splitlines()]
    assert [(uri["uri"], uri["delimiter"]) for uri in found] == [(uri.text, uri.delimiter) for uri in expected]
    for seen, uri in zip(found, expected, strict=True):
        octets = data[seen["offset"] : seen["offset"] + seen["length"]]
        assert octets.decode("utf-8", "surrogateescape") == text[uri.start : uri.end]
    lines = output(capfdbinary, 0, "find", str(path))
    assert lines == "".join(f"{uri.text}\n" for uri in expected).encode("utf-8", "surrogateescape")


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"<a:b ", b"http://a/", b"\n\n", b"(", b"\xe2\x82\xac", b"\xff"])
def test_find_takes_any_text_in_time(piece: bytes, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(piece * (sizes.LONG // len(piece)))
    assert run_here("find", "--quiet", str(path))[::2] == (0, "")


def test_find_writes_what_was_found_before_a_file_ends_damaged(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "text.gz"
    data = b"".join(b"http://example.com/%b\n" % os.urandom(20).hex().encode() for _ in range(60_000))
    path.write_bytes(gzip.compress(data)[:-1000])
    assert main(["find", "--quiet", str(path)]) == 2
    written = capfdbinary.readouterr().out
    assert written.count(b"\n") > 20_000
    assert data.startswith(written)


def test_find_finds_across_the_ends_of_chunks(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "text"
    line = b'<td class="x"><a href="http://example.com/index">http://example.com/</a>\r\n'
    for data in (line, line.strip(), line * 10 + b"\n"):
        count = 3 * CHUNK_BYTES // len(data)
        path.write_bytes(data * count)
        uris = output(capfdbinary, 0, "find", str(path)).splitlines()
        assert len(uris) == 2 * count * (len(data) // len(line) or 1)
        assert set(uris) == {b"http://example.com/index", b"http://example.com/"}


# hazards

HAZARDOUS = b"http://example.com/\nhttp://u@\xc3\xa9\xff/../%00\r\n\n/../\xc3\xa9%00"


def test_a_line_for_each_hazard(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list"
    path.write_bytes(HAZARDOUS)
    expected = []
    for number, line in enumerate(naive.lines(HAZARDOUS), 1):
        found = hazards(line.decode("utf-8", "surrogateescape"))
        expected += [f"{path}:{number}:{one.start + 1}: {one.code}: {one.message}" for one in found]
    assert main(["hazards", str(path)]) == 1
    out, err = capfd.readouterr()
    assert out.splitlines() == expected
    assert any(line.startswith(f"{path}:2:13: dot-segments: ") for line in expected)
    assert err == "4 lines read: 2 with hazards (2 dot-segments, 2 escaped-nul, 1 userinfo, 1 non-ascii-host)\n"


def test_no_hazard(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"http://example.com/\n")
    assert main(["hazards", str(path)]) == 0
    assert capfd.readouterr() == ("", "1 line read: 0 with hazards\n")


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (["--only", "userinfo"], ["userinfo"]),
        (["--only", "escaped-nul, userinfo"], ["userinfo", "escaped-nul", "escaped-nul"]),
        (["--ignore", "dot-segments,userinfo"], ["non-ascii-host", "escaped-nul", "escaped-nul"]),
        (["--only", "userinfo,escaped-nul", "--ignore", "escaped-nul"], ["userinfo"]),
        (["--only", "very-long"], []),
    ],
)
def test_only_and_ignore_select_hazards(
    options: list[str], codes: list[str], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "list"
    path.write_bytes(HAZARDOUS)
    written = output(capfdbinary, int(codes != []), "hazards", *options, str(path))
    assert [line.split(b": ")[1].decode() for line in written.splitlines()] == codes


@pytest.mark.parametrize(
    ("option", "codes", "wrong"), [("--only", "userinfo,User\x1b", "User\\x1b"), ("--ignore", "", "")]
)
def test_an_unknown_code_lists_all_codes(
    option: str, codes: str, wrong: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["hazards", option, codes]) == 2
    assert (
        f"Invalid value for '{option}': no hazard is called '{wrong}'; there are {', '.join(CODES)}"
        in capfd.readouterr().err
    )


def test_an_object_for_each_reference_with_hazards(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "list"
    path.write_bytes(HAZARDOUS)
    objects = [json.loads(line) for line in output(capfdbinary, 1, "hazards", "--to", "ndjson", str(path)).splitlines()]
    assert [(found["line"], found["offset"]) for found in objects] == [(2, 20), (4, 42)]
    for found in objects:
        octets = found["reference"].encode("utf-8", "surrogateescape")
        assert HAZARDOUS[found["offset"] :].startswith(octets)
        assert octets == naive.lines(HAZARDOUS)[found["line"] - 1]
        assert found["file"] == str(path)
        assert found["hazards"] == [hazard._asdict() for hazard in hazards(found["reference"])]
    assert list(objects[0]) == ["file", "line", "offset", "reference", "hazards"]


def test_hazards_on_a_terminal_do_not_act_there(tmp_path: Path) -> None:
    path = tmp_path / "list\x1b[m"
    path.write_bytes(b"/\x1b[31m\n")
    plain = {"NO_COLOR": "1"}
    sent = on_a_terminal("hazards", "--quiet", str(path), status=1, variables=plain)
    assert sent.startswith(os.fsencode(f"{tmp_path}/list\\x1b[m:1:2: raw-control: "))
    assert b"\x1b" not in sent + on_a_terminal("hazards", "--to", "ndjson", str(path), status=1)


def test_hazards_are_drawn_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"http://a/\nhttp://u@127.0.0.1/\\\n")
    sent = on_a_terminal("hazards", "--quiet", str(path), status=1, variables={"NO_COLOR": "1", "COLUMNS": "1000"})
    assert sent.decode() == (
        f"{path}:2:8: userinfo: The host is '127.0.0.1'; the text before the \"@\" is sent to it as a user name.\n"
        "  http://u@127.0.0.1/\\\n"
        "         ^\n"
        f"{path}:2:10: loopback-address: The host may be 127.0.0.1, the machine itself.\n"
        "  http://u@127.0.0.1/\\\n"
        "           ^~~~~~~~~\n"
        f'{path}:2:20: backslash: Browsers, and Windows, read "\\" as "/".\n'
        "  http://u@127.0.0.1/\\\n"
        "                     ^\n"
    ).replace("\n", "\r\n")


# compose


@pytest.mark.parametrize(
    ("line", "uri"),
    [
        ("{}", ""),
        ('{"scheme":"http","userinfo":"a:b","host":"::1","port":80,"path":"/x y","query":"a=b","fragment":"%"}',
         "http://a:b@[::1]:80/x%20y?a=b#%25"),
        ('{"scheme":null,"host":"","port":"","path":null,"query":"","fragment":null}', "//:?"),
        ('{"path":["a b","c/d"],"query":{"q":["1&2",null],"r":null}}', "a%20b/c%2Fd?q=1%262&q&r"),
        ('{"query":[["q","1"],["q","2"],["r",null]]}', "?q=1&q=2&r"),
        (' { "path" : "caf\u00e9\\u00e9\\udcff\udcfe" } ', "caf%C3%A9%C3%A9%FF%FE"),
        ('{"path":"\\ud800\\n"}', "%ED%A0%80%0A"),
    ],
)  # fmt: skip
def test_compose_gives_one_uri_per_line(
    line: str, uri: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "list"
    path.write_bytes(line.encode("utf-8", "surrogateescape"))
    assert output(capfdbinary, 0, "compose", "--strict-exit", str(path)) == f"{uri}\n".encode()


REFUSED = {
    "": "invalid JSON: Expecting value at character 1",
    '{"path":"a\tb"}': "invalid JSON: Invalid control character at at character 11",
    "[]": "this is not a JSON object",
    "null": "this is not a JSON object",
    '{"port":65536,"host":"a"}': "the port is a number from 0 to 65535",
    '{"port":1}': "the port needs a host, which may be empty",
    '{"port":1.5,"host":""}': "the port must be an int or text of digits, not float",
    '{"hots\\u001b\\ud800":1}': "no part is called 'hots\\x1b\\ud800'; there are " + ", ".join(PARTS)
    + '; did you mean "host"?',
    '{"query":{"a":"1","a":"2"}}': "an object repeats a name; write the query as an array of pairs",
    '{"query":{"a":true}}': "the query must be pairs whose values are text, numbers or None, not bool",
    '{"authority":null,"host":"a"}': "no component is called 'host'; there are "
    "scheme, authority, path, query, fragment.",
    '{"authority":null,"path":0}': "the path must be a string or null, not int",
    '{"authority":"a/b"}': "no reference has these components: the authority 'a/b' would end at its '/'",
    '{"authority":null,"path":"a\\nb"}': "a component contains a line end, which must be encoded as %0A",
    '{"authority":"\\ud800"}': "a component contains the lone surrogate '\\ud800', which is no text",
}  # fmt: skip


@pytest.mark.parametrize(("line", "reason"), REFUSED.items())
def test_a_rejected_line_is_reported_and_kept(line: str, reason: str, tmp_path: Path) -> None:
    path, kept = tmp_path / "list", tmp_path / "rejects"
    path.write_text(f'{{"path":"a"}}\r\n{line}\n{{"path":"b"}}\n')
    arguments = ["compose", str(path), "--rejects", str(kept)]
    messages = f"{path}:2: {reason}\n3 lines read: 2 composed, 1 rejected\n"
    assert run_here(*arguments) == (0, b"a\nb\n", messages)
    assert kept.read_text() == f"{path}\t2\t14\t{line}\n"


def test_compose_prints_the_first_reasons_and_may_be_strict(tmp_path: Path) -> None:
    data = b"x\n" * (MAX_REASONS + 2)
    status, _, messages = run_here("compose", "--strict-exit", stdin=data)
    assert status == 1
    assert messages.splitlines() == [
        *(f"<stdin>:{line}: invalid JSON: Expecting value at character 1" for line in range(1, MAX_REASONS + 1)),
        f"{MAX_REASONS + 2} lines read: 0 composed, {MAX_REASONS + 2} rejected",
    ]
    assert run_here("compose", "--strict-exit", "--quiet", stdin=data) == (1, b"", "")
    assert run_here("compose", "--strict-exit", str(tmp_path / "missing"))[0] == 2


def test_compose_does_not_overwrite_its_input(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"{}")
    assert main(["compose", str(path), "--rejects", str(path)]) == 2
    assert "is one of the files to read" in capfd.readouterr().err
    assert path.read_bytes() == b"{}"


parts = st.dictionaries(st.sampled_from(PARTS), st.none() | st.integers(-1, 70000) | st.text() | st.lists(st.text()))


@any_bytes
@given(objects=st.lists(parts))
def test_compose_does_to_each_line_what_the_library_does(
    objects: list[dict[str, Any]], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "list"
    path.write_text("".join(f"{json.dumps(parts)}\n" for parts in objects))
    composed = []
    for parts in objects:
        try:
            composed.append(compose(**{name: part for name, part in parts.items() if part is not None}))
        except (ValueError, TypeError):
            continue
    status = int(bool(objects) and not composed)
    assert output(capfdbinary, status, "compose", str(path)).decode() == "".join(f"{uri}\n" for uri in composed)


@any_bytes
@example(lines=[b"http://u@h:80/%20?#", b"//", b"m\xff\xe2\x82\xac:x", b"", b"a\rb", b"\xed\xa0\x80", b":", b"?#"])
@given(lines=st.lists(st.binary().map(lambda line: line.replace(b"\n", b"").rstrip(b"\r"))))
def test_compose_is_the_inverse_of_split_to_ndjson(
    lines: list[bytes], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    references, rows = tmp_path / "references", tmp_path / "rows.ndjson"
    data = b"".join(line + b"\n" for line in lines)
    references.write_bytes(BOM_UTF8 + data)
    assert output(capfdbinary, 0, "split", "-o", str(rows), str(references)) == b""
    assert output(capfdbinary, 0, "compose", str(rows)) == data


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        b"[" * sizes.LONG,
        b'{"path":' * (sizes.LONG // 8),
        b'{"scheme":"%b"}' % (b"1" * sizes.LONG),
        b'{"host":"a","port":%b}' % (b"1" * sizes.LONG),
        b'{"%b":1}' % (b"\xff" * sizes.LONG),
        b"{" + b'"path":"a",' * (sizes.LONG // 11) + b'"path":"a"}',
    ],
    ids=["arrays", "objects", "text", "digits", "octets", "names"],
)
def test_a_hostile_line_is_rejected_in_time_and_never_printed(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(line)
    status, out, messages = run_here("compose", "--strict-exit", "--limit", str(2 * sizes.LONG), str(path))
    assert (status, out) == (1, b"")
    assert messages.endswith(": 0 composed, 1 rejected\n")
    assert len(messages) < len(str(path)) + 4 * MAX_REASON_CHARACTERS


def test_deeply_nested_json_is_rejected(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"[" * 100_000)
    assert main(["compose", str(path)]) == 1
    assert "the JSON is nested too deeply" in capfd.readouterr().err


def test_reasons_on_a_terminal_do_not_act_there(tmp_path: Path) -> None:
    path = tmp_path / "list\x1b[m"
    path.write_bytes('{"host":":\x9b31m\u202e"}'.encode())
    sent = on_a_terminal("compose", str(path), fd=2, status=1, variables={"COLUMNS": "1000"}).decode()
    assert r"the host ':\x9b31m\u202e' has" in "".join(sent.split("\r\n"))
    assert not any(acting in sent for acting in ("\x1b[m", "\x9b", "\u202e"))


# Long lines


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"/..", b"%41", b"A", b"\xff", b"@:", b"a/"])
@pytest.mark.parametrize("command", [["resolve", BASE], ["resolve", "--relativize", BASE], ["normalize"], ["hazards"]])
def test_a_hostile_line_takes_linear_time(command: list[str], piece: bytes, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"http://" + piece * (sizes.LONG // len(piece)))
    status, out, _ = run_here(*command, "--limit", str(2 * sizes.LONG), str(path))
    assert status == int(command == ["hazards"])
    assert out.endswith(b"\n")
