"""The columnar parser gives exactly what the expression gives, whatever the lines are."""

import dataclasses
import pickle
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import sizes
from tests.support.altered_lines import altered_lines
from urisect.logs import COMBINED, COMMON, FORMATS, LIST, PatternFormat, apache, batches, nginx
from urisect.logs.columnar import fields, parser
from urisect.logs.columnar.parser import ColumnarParser
from urisect.logs.columnar.table import ColumnarTable
from urisect.logs.formats.format import Format
from urisect.logs.formats.layout import FieldKind, RegularForm, make_layout
from urisect.logs.input.blocks import Block
from urisect.logs.input.reader import BlockParser, Table
from urisect.logs.scan import parallel
from urisect.logs.scan.run import ScanRun
from urisect.logs.scan.selection import choose_rows
from urisect.logs.scan.task import Task

# Format strings, each with a line.
TEMPLATES = [
    (
        nginx('$remote_addr [$time_iso8601] "$request" $status $request_time "$http_x_forwarded_for" $host $msec'),
        (
            b'192.0.2.7 [1996-11-10T13:55:36-07:00] "GET /a HTTP/1.1" 200 0.250 "::1, -" h 847659336.123\n'
            b'192.0.2.7 [1996-11-31T13:55:36-07:00] "GET /a HTTP/1.1" 200 12 "-"  847659336.12\n'
        ),
    ),
    (
        nginx('$http_host|$upstream_addr|$upstream_response_time $upstream_status $request_uri $http_referer "$pid"'),
        b'h|192.0.2.8:80|0.1 200 /a?b#c //h/?q "7"\nh|-|- - - - "-"\nh|a, b|0.1 : 0.2 200, 404 /a /b "7"\n',
    ),
    (
        nginx('$http_x_forwarded_for $upstream_addr "$upstream_bytes_sent" $time_local'),
        b'::1 192.0.2.7 "5" 10/Nov/1996:13:55:36 -0700\na, b c : d "5, 6" 10/Nov/1996:13:55:36 -0700\n',
    ),
    (
        apache('%{Host}i %D %{ms}T %T %p "%f" %v <%{Referer}i> %{User-Agent}i'),
        b'h 1234 5 0.5 80 "/a b" a.example <http://a/b> an agent\n-  - - - "-" - <-> -\n',
    ),
    (apache("%B\t%m\t%f\t%H"), b"17\tGET\t/a b\tHTTP/1.1\n-\t-\t-\t-\n0\tPUT\t/\tx\n"),
    (apache("%h %f"), b"a /x y\n192.0.2.7 -\n"),
]
NAMED: list[Format] = [*FORMATS.values()]
WITH_LAYOUT = [
    (each, format.sample)
    for format in NAMED
    if isinstance(format, PatternFormat)
    for each in dict.fromkeys((format, format.strict))
    if each.layout
] + TEMPLATES


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "_MIN_BYTES", 1)


def parse(
    format: PatternFormat, data: bytes, columns: Sequence[str] | None = None
) -> tuple[Table | ColumnarTable, Table | ColumnarTable]:
    """Parse a block by the expression, and by the layout."""
    wanted = format.fields if columns is None else tuple(columns)
    [[expected], [found]] = (each.tables([Block(100, data)], line=7) for each in parsers(format, wanted))
    return expected, found


@cache
def parsers(format: PatternFormat, columns: Sequence[str]) -> tuple[BlockParser, ColumnarParser]:
    return (
        BlockParser(format, columns, counts_implausible=True),
        ColumnarParser(format, columns, counts_implausible=True),
    )


def assert_equal(expected: Table | ColumnarTable, found: Table | ColumnarTable, columns: Sequence[str]) -> None:
    for name in ("parsed", "lines", "rejected", "skipped", "implausible"):
        assert getattr(found, name) == getattr(expected, name), name
    for name in columns:
        assert found.column(name) == expected.column(name), name
        assert found.values(name) == expected.values(name), name
        assert found.texts(name) == expected.texts(name), name


@settings(max_examples=sizes.choose(full=2_000, quick=100))
@given(st.data())
def test_altered_lines_are_parsed_as_by_the_expression(data: st.DataObject) -> None:
    format, sample = data.draw(st.sampled_from(WITH_LAYOUT))
    choice = data.draw(st.randoms(use_true_random=False))
    block = altered_lines(sample.splitlines(), choice, 4) or b"\n"
    expected, found = parse(format, block)
    assert_equal(expected, found, format.fields)
    rows = data.draw(st.lists(st.booleans(), min_size=found.parsed, max_size=found.parsed))
    assert_equal(expected.selected(rows), found.selected(rows), format.fields)


@pytest.mark.parametrize(("format", "sample"), WITH_LAYOUT, ids=lambda each: getattr(each, "name", ""))
def test_most_lines_are_regular(format: PatternFormat, sample: bytes) -> None:
    data = sample.splitlines(keepends=True)[0] * 20
    expected, found = parse(format, data)
    assert_equal(expected, found, format.fields)
    assert isinstance(found, ColumnarTable)
    assert found._others is None
    assert found.parsed == 20


@pytest.mark.parametrize(
    "template",
    [
        *("%h%{X}n", '"%m %f"', "%h %{hextid}P", "%fa%s", "%f-%s", "%h %r", "%h %U", "%u_%s", "%f%{c}a", "%f %h"),
        *("$remote_addr $args", '"$request', "$status$host"),
    ],
)
def test_formats_without_layout(template: str) -> None:
    """Nothing delimits a field, or what may be part of it; or it has no form; or lines have half a quote."""
    try:
        format = (nginx if "$" in template else apache)(template)
    except ValueError:
        return
    if template == "%f %h":
        assert format.layout
        return
    assert format.layout is None
    with pytest.raises(ValueError, match="is regular"):
        ColumnarParser(format, format.fields)


def test_columns_of_selected_rows() -> None:
    line = b'192.0.2.%d - - [10/Nov/1996:13:55:36 -0700] "GET /%d?%d HTTP/1.1" 200 %d "http://h%d:8/#%d" "-"\n'
    data = (
        b"".join(line % (6 * (number,)) for number in range(100)) + b"nonsense\n" + b"192.0.2.7 ?\n" + COMBINED.sample
    )
    data += COMBINED.sample.replace(b"Lynx", rb"\"Lynx")
    columns = COMBINED.fields
    expected, found = parse(COMBINED, data)
    for step in (1, 3, 7, 50, 1000):
        rows = [number % step == 0 for number in range(found.parsed)]
        expected, found = expected.selected(rows), found.selected(rows)
        assert_equal(expected, found, columns)
        copy = pickle.loads(pickle.dumps(found))  # noqa: S301  our own
        assert_equal(expected, copy, columns)


def test_only_requested_fields() -> None:
    _, found = parse(COMBINED, COMBINED.sample, ["status", "target_host"])
    assert found.column("status") == [b"200", b"304"]
    with pytest.raises(KeyError, match="was not parsed"):
        found.column("agent")
    with pytest.raises(KeyError, match="nothing"):
        found.column("nothing")


def test_blocks_that_the_expression_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    data = COMMON.sample.replace(b"\n", b"\r\n")
    blocks = [Block(0, data), Block(len(data), b"", 9, "too long"), Block(len(data) + 10, COMMON.sample)]
    expected = list(BlockParser(COMMON, COMMON.fields).tables(blocks, line=1))
    found = list(ColumnarParser(COMMON, COMMON.fields).tables(blocks, line=1))
    assert [type(table) for table in found] == [Table, Table, ColumnarTable]
    for each, other in zip(expected, found, strict=True):
        assert_equal(each, other, COMMON.fields)
    monkeypatch.undo()
    [small] = ColumnarParser(COMMON, COMMON.fields).tables([Block(0, COMMON.sample)], line=1)
    assert isinstance(small, Table)


@pytest.mark.parametrize(("data", "is_utf8"), [(b"/a\n", True), (b"/\xc3\xa9\n", True), (b"/\xff\n", False)])
def test_whether_text_is_utf8(data: bytes, is_utf8: bool) -> None:  # noqa: FBT001
    _, found = parse(LIST, data)
    assert isinstance(found, ColumnarTable)
    assert found.is_utf8 is is_utf8


def test_a_last_line_without_newline() -> None:
    format = apache("%h %u")
    for data in (b"a ", b"a \n", b"a b\na ", b"a b"):
        assert_equal(*parse(format, data), format.fields)


def test_values_that_are_not_in_their_line(monkeypatch: pytest.MonkeyPatch) -> None:
    data = COMMON.sample + COMMON.sample.replace(b"/a/b", rb"/\"b")
    parse_others = BlockParser.tables

    def parse_other_lines(*arguments: Any, **options: Any) -> Any:
        for table in parse_others(*arguments, **options):
            yield table._replace(columns={**table.columns, "client": [b"another"] * table.parsed})

    monkeypatch.setattr(BlockParser, "tables", parse_other_lines)
    [table] = ColumnarParser(COMMON, ["client", "user"]).tables([Block(0, data)], line=1)
    assert table.column("client") == [b"192.0.2.7", b"192.0.2.8", b"another", b"192.0.2.8"]
    assert table.column("user") == [None, b"frank", None, b"frank"]


def test_memory_of_checked_texts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "_MAX_MEMO", 10)
    monkeypatch.setattr(fields, "_MAX_MEMO_BYTES", 20)
    assert COMMON.layout
    memo = fields._memo(COMMON.layout.fields[0].form.pattern)
    memo.clear()
    _, _, rest = COMMON.sample.partition(b"\n")[0].partition(b" ")
    for number in range(20):
        data = b"".join(b"%s %s\n" % (client, rest) for client in (b"h%d.example" % number, b"x" * (10 + number)))
        expected, found = parse(COMMON, data)
        assert_equal(expected, found, ["client"])
        assert len(memo) <= 12
        assert all(len(text) <= 20 for text in memo)


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "access.log"
    path.write_bytes(b"".join(COMBINED.sample.replace(b"/a/b", b"/%d" % number) for number in range(5_000)))
    return str(path)


def paths(table: Any) -> list[Any]:
    assert isinstance(table, ColumnarTable)
    return table.column("target_path")


@pytest.mark.parametrize("jobs", [1, 2])
def test_first_rows_of_workers(log: str, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", 0)
    choice = choose_rows(Task(COMBINED, ["target_path"], paths, is_columnar=True), first=5)
    [found] = choice.outputs(ScanRun([log], choice.task, jobs=jobs))
    assert found == [b"/0", b"/", b"/1", b"/", b"/2"]


def test_without_numpy_the_expression_parses(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("urisect.arrow_packages", "urisect.bitmaps", "urisect.boundaries", "urisect.logs.columnar")
    for name in [name for name in sys.modules if name.startswith(names)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert sum(batch.num_rows for batch in batches(log, "combined", ["status"])) == 10_000


def test_a_single_window_at_the_end_of_a_block() -> None:
    for length in range(1, 40):
        data = b"1" * length + b" 5 6\n"
        expected, found = parse(apache("%B %b %O"), data)
        assert_equal(expected, found, ["bytes"])
    assert np.array_equal(fields.Field(np.array([1]), np.array([2])).take(np.array([0])).starts, [1])


def test_a_layout_is_that_of_one_expression() -> None:
    assert COMBINED.layout
    assert dataclasses.replace(COMBINED, notes="other").layout is COMBINED.layout
    assert dataclasses.replace(COMBINED, line="(?P<path>[^\\n]*+)").layout is None


def test_without_a_closing_quote_there_is_no_layout() -> None:
    word = RegularForm(FieldKind.WORD)
    assert make_layout([(("client",), word), ' "', (("agent",), word), '" "'], "") is None
