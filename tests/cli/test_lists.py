"""Lists are worked on block by block, and on all cores: the same bytes as line by line."""

import json
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.command import run_here
from urisect import crawl, normalize, percent, query, resolve, security, split
from urisect.cli import list_scan
from urisect.cli.check import valid_lines
from urisect.cli.findings import LINE_END, has_long_line, other_lines
from urisect.cli.hazards import ORDINARY_LINES
from urisect.cli.key import make_keys
from urisect.cli.line_transforms import EachLine, LineMatcher, in_one_line
from urisect.cli.repair import TRANSFORM as REPAIR
from urisect.cli.resolve import URI_WITH_AUTHORITY
from urisect.cli.texts import keep_line_ends
from urisect.logs.scan import parallel, pieces
from urisect.normalization import Level
from urisect.security.codes import MAX_BYTES
from urisect.specs import SPECIFICATIONS
from urisect.specs.specification import RULE_NAMES

# Parts of lines, whose combinations are common URIs and nearly common ones.
PARTS = (
    *(b"http://", b"HTTP://", b"https:", b"a+1.b-://", b"1a://", b"//", b"/", b"x.example", b"X.example", b"a_b", b"."),
    *(b"..", b"/.", b"/../", b"/./", b"?", b"?b&a", b"utm_source=x", b"#", b"#f", b"%", b"%41", b"%2F", b"%2f", b":80"),
    *(b":443", b":", b"u@", b"@", b"[::1]", b"[", b" ", b"~", b"\\", b'"', b"\0", b"\t", b"\r", b"\xff", b"\xc3\xa9"),
    *(b"localhost", b"xn--a", b"&", b"+", b"=", b";", b"%00", b"%0A", b"index.html", b"www."),
)
LINE_ENDS = (b"\n", b"\n", b"\r\n", b"\r\r\n", b"\n\n", b"\r")
BLOCKS = st.lists(st.sampled_from(PARTS + LINE_ENDS), max_size=30).map(b"".join)
LEVELS: tuple[Level, ...] = ("string", "syntax", "scheme")

some = settings(max_examples=sizes.choose(full=500, quick=60), deadline=None)


def line_by_line(change: Callable[[bytes], bytes], block: bytes) -> bytes:
    return b"".join(change(line) + b"\n" for line in naive.lines(block))


@some
@given(block=BLOCKS.filter(bool))
def test_blocks_are_transformed_as_their_lines_are(block: bytes) -> None:
    for profile in crawl.PROFILES:
        assert make_keys(profile)(block) == line_by_line(partial(crawl.key, profile=profile), block)
    assert REPAIR(block) == line_by_line(percent.repair, block)
    base = "http://a.example/b/c"
    target = partial(resolve, base.encode())
    resolved = EachLine(target, usual=URI_WITH_AUTHORITY, has_no_dot_segments=True)
    assert resolved(block) == line_by_line(target, block)


@some
@given(block=BLOCKS)
def test_commands_on_lines(block: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "block"
    path.write_bytes(block)
    lines = naive.lines(block)
    for level in LEVELS:
        written = run_here("normalize", "--level", level, str(path))[1]
        assert written == line_by_line(partial(normalize, level=level), block)
    template = "{scheme}|{user}|{password}|{host}|{port}|{path}|{query:b}|{reference}"
    written = run_here("get", template, str(path))[1]
    assert written.count(b"\n") == len(lines)
    assert written == b"".join(naive_fields(line) + b"\n" for line in lines)
    for component in ("path", "query value"):
        encoded = run_here("encode", "--component", component.replace(" ", "-"), stdin=block)[1]
        assert encoded == line_by_line(partial(percent.encode, component=component), block)
    assert run_here("decode", "--all", stdin=block)[1] == line_by_line(percent.decode, block)


def naive_fields(line: bytes) -> bytes:
    components = split(line)
    user, colon, password = (components.userinfo or b"").partition(b":")
    values = (
        *(components.scheme, user, password if colon else None, components.host, components.port, components.path),
        *(query.get(keep_line_ends(line)[0], b"b"), line),
    )
    return b"|".join(value or b"" for value in values)


@pytest.mark.parametrize("rule", RULE_NAMES)
@pytest.mark.parametrize("spec", SPECIFICATIONS)
def test_valid_lines_are_found_in_bulk(spec: str, rule: str) -> None:
    specification = SPECIFICATIONS[spec]
    matcher = valid_lines(spec, rule)
    assert matcher.line_end == LINE_END

    @settings(some, max_examples=sizes.choose(full=200, quick=30))
    @given(block=BLOCKS)
    def holds(block: bytes) -> None:
        lines = naive.lines(block)
        found = [(row, data) for row, _, data in other_lines(block, matcher) if not specification.is_valid(data, rule)]
        assert found == [(row, line) for row, line in enumerate(lines) if not specification.is_valid(line, rule)]
        assert all(block.startswith(data, offset) for _, offset, data in other_lines(block, matcher))

    holds()


@some
@given(block=BLOCKS)
def test_ordinary_lines_are_found_in_bulk(block: bytes) -> None:
    lines = naive.lines(block)
    others = {row: data for row, _, data in other_lines(block, ORDINARY_LINES)}
    for row, line in enumerate(lines):
        assert others.get(row, line) == line
        assert row in others or not security.hazards(line)


def test_a_long_line_has_hazards_beside_ordinary_ones(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"http://a.example/\nhttp://a.example/" + b"a" * MAX_BYTES + b"\n/b\n")
    assert run_here("hazards", str(path))[1].startswith(b"%b:2:1: very-long: " % str(path).encode())
    assert has_long_line(b"a\nbbb", 2)
    assert not has_long_line(b"a\nbb\nbb", 2)


def test_expressions_in_one_line() -> None:
    assert in_one_line(r"[a.]\.[^\]x].\Z") == r"[a.]\.[^\n\]x][^\n](?![^\n])"
    assert [*LineMatcher("", "b").others(b"a\nb\n")] == [(0, 2)]


# Jobs

LIST = b"HTTP://a.example/%7Eb\nhttp://b.example/c d\r\n\nhttp://c.example/\xff\xc3\xa9\n//u@h/../%00?b=1\n" * 40
COMMANDS = (
    ["normalize"],
    ["key", "--profile", "page-1"],
    ["surt"],
    ["site"],
    ["repair"],
    ["resolve", "http://a/b"],
    ["resolve", "--relativize", "http://a/b"],
    ["resolve", "--loophole", "http://a/b"],
    ["get", "{host}\\t{query:b}{query-all:b}{user}{password}"],
    ["set", "--port", "80", "--query", "b=2", "--remove", "c", "--sort-query"],
    ["compose"],
    ["check"],
    ["check", "--to", "ndjson"],
    ["hazards"],
    ["hazards", "--to", "ndjson"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_pieces_of_files_give_the_same(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [str(tmp_path / name) for name in ("1", "2", "missing")]
    Path(files[0]).write_bytes(LIST)
    Path(files[1]).write_bytes(b"\xef\xbb\xbf" + b"a" * 99 + b"\n" + LIST[:-1])
    arguments = [*command, "--limit", "90", *files, files[0]]
    expected = run_here(*arguments)
    monkeypatch.setattr(list_scan, "MIN_PARALLEL_BYTES", 1)
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", 500)
    assert run_here(*arguments) == expected
    assert run_here(*arguments, "--jobs", "1") == expected


def test_workers_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "list"
    path.write_bytes(LIST)
    expected = run_here("check", "--to", "ndjson", "--jobs", "1", str(path), str(path))
    assert expected[0] == 1
    assert json.loads(expected[1].splitlines()[-1])["line"] == LIST.count(b"\n") - 1
    monkeypatch.setattr(list_scan, "MIN_PARALLEL_BYTES", 1)
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", 1)
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", 4000)
    assert run_here("check", "--to", "ndjson", "--jobs", "2", str(path), str(path)) == expected


def test_a_transform_reaches_workers_even_after_it_was_used() -> None:
    assert REPAIR(b"a b\n") == b"a%20b\n"
    received = pickle.loads(pickle.dumps(REPAIR))  # noqa: S301  the test wrote it
    assert received(b"/./ \n") == b"/./%20\n"


def test_pipes_are_read_as_they_arrive(tmp_path: Path) -> None:
    scan = list_scan.ListScan(["-"], len, limit=9, jobs=2, quiet=True)
    assert not scan._is_large
    assert not list_scan.ListScan(["/dev/null"], len, limit=9, jobs=2, quiet=True)._is_large
    assert not list_scan.ListScan([str(tmp_path)], len, limit=9, jobs=2, quiet=True)._is_large


# The summary


@pytest.mark.parametrize("command", ["normalize", "split", "dedupe", "find", "check"])
def test_the_summary_has_the_size_of_what_was_read(command: str, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"http://a.example/a/long/path/to/make/the/list/long\n" * 100 + b"http://a.example/long" * 9)
    options = ["--limit", "99"] if command != "find" else []
    _, _, messages = run_here(command, *options, str(path))
    wanted = "1 file read (5.29 kB): " if command == "find" else "101 lines read (5.29 kB): "
    assert messages.startswith(wanted)
    assert run_here(command, "--quiet", *options, str(path))[2] == ""
