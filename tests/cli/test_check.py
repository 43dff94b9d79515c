"""`urisect check`: violations as text, as objects, and drawn on a terminal."""

import gzip
import json
import os
import re
from pathlib import Path

import click
import pytest

from tests.support import naive, sizes
from tests.support.command import on_a_terminal, run_here
from urisect.cli import main
from urisect.cli.annotations import MAX_KINDS, wrap_message
from urisect.specs import SPECIFICATIONS, Specification
from urisect.specs.specification import RULE_NAMES

PCHAR = "a letter, a digit or one of !$%&'()*+,-./:;=@_~ (RFC 3986, 3.3, path)"

# Invalid lines, each with its column and message.
BAD = {
    b"http://example.com:8O/": '21: port: "O" instead of a digit (RFC 3986, 3.2.3, port)',
    b"http://[::1/": '12: host: "/" instead of a hexadecimal digit, ".", ":" or "]" (RFC 3986, 3.2.2, IP-literal)',
    b"1a:b": '1: scheme: "1" instead of a letter (RFC 3986, 3.1, scheme)',
    b"a b": f"2: path: U+0020 (space) instead of {PCHAR}",
    b"a b c d": f"2: path: U+0020 (space) instead of {PCHAR} (and 2 more)",
    b"/caf\xc3\xa9": f'5: path: "é" U+00E9 (latin small letter e with acute) instead of {PCHAR}',
    b"/caf\xe9": f"5: path: U+DCE9 (the byte 0xE9, not UTF-8) instead of {PCHAR}",
    b"/\xe2\x82\xac\xf0\x9f\x98\x80/%zz": f'2: path: "€" U+20AC (euro sign) and 1 more instead of {PCHAR} (and 1 more)',
    b"/\xe2\x82\xac\xff": f'2: path: "€" U+20AC (euro sign) and 1 more instead of {PCHAR}',
    b"%": "2: path: the end instead of a hexadecimal digit (RFC 3986, 2.1, pct-encoded)",
    b"\xef\xbb\xbfa": f"1: path: U+FEFF (zero width no-break space) instead of {PCHAR}",
    b"\r": f"1: path: U+000D (control character) instead of {PCHAR}",
    b"\x00": f"1: path: U+0000 (control character) instead of {PCHAR}",
}


def test_a_line_for_each_bad_reference(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"".join(b"http://example.com/\n%b\r\n\n" % line for line in BAD))
    assert main(["check", str(path)]) == 1
    output, messages = capfd.readouterr()
    assert output == "".join(f"{path}:{3 * row + 2}:{said}\n" for row, said in enumerate(BAD.values()))
    assert messages == "39 lines read: 13 invalid (10 path, 1 port, 1 host, 1 scheme)\n"


def test_columns_count_characters_and_bytes_that_are_not_utf_8() -> None:
    for line, column in ((b"//h:8\xc3\xa9", 6), (b"//h\xc3\xa9:a", 4), (b"//\xff\xc3\xa9h", 3), (b"a\xff:", 2)):
        assert run_here("check", stdin=line)[1].startswith(b"<stdin>:1:%d: " % column)


def test_valid_references_give_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"http://example.com/\n\n#top")
    assert main(["check", str(path)]) == 0
    assert capfd.readouterr() == ("", "3 lines read: 0 invalid\n")
    assert main(["check", "--quiet", os.devnull]) == 0
    assert capfd.readouterr() == ("", "")


def test_files_standard_input_and_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "1.gz").write_bytes(gzip.compress(b"a:b\na b\n"))
    missing = str(tmp_path / "missing")
    said = f"path: U+0020 (space) instead of {PCHAR}\n"
    expected = f"{tmp_path}/1.gz:2:2: {said}<stdin>:1:3: {said}"
    assert run_here("check", f"{tmp_path}/1.gz", "-", stdin=b"ab \n") == (
        1,
        expected.encode(),
        "3 lines read: 2 invalid (2 path)\n",
    )
    assert run_here("check", "--quiet", stdin=b"ab \n") == (1, f"<stdin>:1:3: {said}".encode(), "")
    status, output, messages = run_here("check", missing, f"{tmp_path}/1.gz")
    assert (status, output.count(b"\n")) == (2, 1)
    assert messages.startswith(f"urisect: {missing}: No such file or directory\n2 lines read: 1 invalid (1 path)\n")


def test_a_file_name_that_is_not_utf_8_is_written_unchanged(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/l\xff"
    with open(path, "wb") as file:
        file.write(b" ")
    assert run_here("check", os.fsdecode(path))[1].startswith(path + b":1:1: path: ")
    assert json.loads(run_here("check", "--to", "ndjson", os.fsdecode(path))[1])["file"] == os.fsdecode(path)


@pytest.mark.parametrize("rule", RULE_NAMES)
@pytest.mark.parametrize("specification", SPECIFICATIONS.values(), ids=lambda specification: specification.name)
def test_every_specification_and_rule(
    specification: Specification, rule: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = ["http://a_b:c?d#e", "http://a-b/", "//h", "//h?%", "", "?", "a:", "#f", "a b"]
    path = tmp_path / "list"
    path.write_text("\n".join(lines))
    main(["check", "--quiet", "--spec", specification.name, "--rule", rule, str(path)])
    expected = []
    for number, line in enumerate(lines, 1):
        if violations := specification.violations(line, rule):
            first, more = violations[0], len(violations) - 1
            said = f"{path}:{number}:{first.offset + 1}: {first.component}: {first.message}"
            expected.append(said + (f" (and {more} more)" if more else ""))
    assert capfd.readouterr().out.splitlines() == expected


def test_an_object_for_each_bad_reference(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"/\r\n/\xc3\xa9\xff/%4\n")
    assert main(["check", "--to", "ndjson", str(path), "--quiet"]) == 1
    output, _ = capfd.readouterr()
    assert output.startswith('{"file":')
    assert output.endswith("}\n")
    assert json.loads(output) == {
        "file": str(path),
        "line": 2,
        "offset": 3,
        "reference": "/é\udcff/%4",
        "violations": [
            {
                "component": "path",
                "rule": "path",
                "offset": 1,
                "length": 2,
                "expected": "a letter, a digit or one of !$%&'()*+,-./:;=@_~",
                "section": "3.3",
                "incomplete": False,
                "message": f'"é" U+00E9 (latin small letter e with acute) and 1 more instead of {PCHAR}',
            },
            {
                "component": "path",
                "rule": "pct-encoded",
                "offset": 6,
                "length": 0,
                "expected": "a hexadecimal digit",
                "section": "2.1",
                "incomplete": True,
                "message": "the end instead of a hexadecimal digit (RFC 3986, 2.1, pct-encoded)",
            },
        ],
    }


@pytest.mark.parametrize("specification", SPECIFICATIONS.values(), ids=lambda specification: specification.name)
def test_offsets_in_objects_locate_lines_and_violations(specification: Specification, tmp_path: Path) -> None:
    data = b"//a-\xc3\xa9/\xff\n\n/\xed\xa0\x80 \xff\xc3\r\n\0\nhttp://[::1\r\n" + bytes(range(256))
    path = tmp_path / "list"
    path.write_bytes(data)
    status, output, _ = run_here("check", "--to", "ndjson", "--spec", specification.name, str(path))
    assert status == 1
    for bad in map(json.loads, output.splitlines()):
        octets = bad["reference"].encode("utf-8", "surrogateescape")
        assert data[bad["offset"] :].startswith(octets)
        assert octets == naive.lines(data)[bad["line"] - 1]
        for found, violation in zip(bad["violations"], specification.violations(bad["reference"]), strict=True):
            assert {name: getattr(violation, name) for name in found} == found


def test_violations_are_drawn_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "list\x1b[m"
    path.write_bytes(b"/\nhttp://[::1\x1b]:8O/?a b c\n/\xff%\n%\n")
    place = f"<bold>{tmp_path}/list\\x1b[m"
    query = "a letter, a digit or one of !$%&'()*+,-./:;=?@_~ (RFC 3986, 3.4, query)"
    expected = (
        f'{place}:2:12:<end> <red>host<end>: U+001B (control character) instead of a hexadecimal digit, ".", ":" or "]"'
        " (RFC 3986, 3.2.2, IP-literal)\n"
        "  http://[::1<red>\\x1b<end>]:8O/?a b c\n"
        "             <red>^~~~<end>\n"
        f'{place}:2:16:<end> <red>port<end>: "O" instead of a digit (RFC 3986, 3.2.3, port)\n'
        "  http://[::1\\x1b]:8<red>O<end>/?a b c\n"
        "                    <red>^<end>\n"
        f"{place}:2:20:<end> <red>query<end>: U+0020 (space) instead of {query} (2 times)\n"
        "  http://[::1\\x1b]:8O/?a<red> <end>b c\n"
        "                        <red>^<end>\n"
        f"{place}:3:2:<end> <red>path<end>: U+DCFF (the byte 0xFF, not UTF-8) and 1 more instead of {PCHAR}\n"
        "  /<red>\\udcff%<end>\n"
        "   <red>^~~~~~~<end>\n"
        f"{place}:4:2:<end> <red>path<end>: the end instead of a hexadecimal digit (RFC 3986, 2.1, pct-encoded)\n"
        "  %<red><end>\n"
        "   <red>^<end>\n"
    ).replace("\n", "\r\n")
    coloured = {"<bold>": "\x1b[1m", "<red>": "\x1b[31m\x1b[1m", "<end>": "\x1b[0m"}
    plain = dict.fromkeys(coloured, "")
    for variables, styles in (({}, coloured), ({"NO_COLOR": "1"}, plain), ({"TERM": "dumb"}, plain)):
        sent = on_a_terminal(
            "check", "--quiet", str(path), status=1, variables={"COLUMNS": "1000", **variables}
        ).decode()
        assert sent == "".join(styles.get(piece, piece) for piece in re.split("(<[a-z]+>)", expected))
    assert json.loads(on_a_terminal("check", "--to", "ndjson", str(path), status=1).splitlines()[-1])["line"] == 4


def test_only_the_first_kinds_of_violations_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b' a b"c<d>e^f`g^h{')
    sent = on_a_terminal("check", str(path), status=1, variables={"NO_COLOR": "1", "COLUMNS": "1000"}).decode()
    heads = [line for line in sent.splitlines() if line.startswith(str(path))]
    assert len(heads) == MAX_KINDS + 1
    assert heads[0].endswith("(2 times)")
    assert heads[-1] == f"{path}:1:13: and 2 more"


def test_messages_are_wrapped_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (1, 30, 79):
        monkeypatch.setenv("COLUMNS", str(columns))
        first, *others = map(click.unstyle, wrap_message("list:1:1:", "path", "the end instead of a-very-long, word"))
        assert first.startswith("list:1:1: path: the")
        assert " ".join((first, *map(str.strip, others))) == "list:1:1: path: the end instead of a-very-long, word"
        assert all(line.startswith("    ") and len(line) <= max(columns, 20) for line in others)


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b" ", b"a ", b"%", b"//[", b"\xff", b"/\xc3\xa9\xffa", b"@:"])
def test_a_hostile_line_is_diagnosed_in_time_and_never_printed(piece: bytes, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"//" + piece * (sizes.LONG // len(piece)))
    arguments = ("check", "--limit", str(2 * sizes.LONG), str(path))
    status, output, messages = run_here(*arguments)
    assert (status, output.count(b"\n")) == (1, 1)
    assert len(output) < 1000
    assert re.fullmatch(r"1 line read \([0-9.]+ [kM]B\): 1 invalid \(1 (host|path|userinfo)\)\n", messages)
    assert len(on_a_terminal(*arguments, status=1)) < 5000
