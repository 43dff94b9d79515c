"""CDX files: the orders of the fields, headers, odd and rejected lines."""

import io
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.entries import row
from urisect import split
from urisect.logs import Skipped, records, tables
from urisect.logs.formats.cdx import CDX, COLUMN_MEANINGS
from urisect.logs.formats.columns import COLUMNS

BEGINNING = b"com,example)/a 20050601174210 http://example.com/a?b text/html 200 B7TKBLSQ4SFZGKNTFWXJJZFXL2V2ZLVF"
SHARED = {
    "surt": b"com,example)/a",
    "time": 1117647730_000000,
    "target_scheme": b"http",
    "target_authority": b"example.com",
    "target_path": b"/a",
    "target_query": b"b",
    "media_type": b"text/html",
    "status": 200,
    "digest": b"B7TKBLSQ4SFZGKNTFWXJJZFXL2V2ZLVF",
}
WHERE = {"record_offset": 1024, "filename": b"a.warc.gz"}

# The end of a line, and the values in it.
ENDS: list[tuple[bytes, dict[str, Any]]] = [
    (b" - 1024 a.warc.gz", WHERE),
    (b" http://example.com/b 1024 a.warc.gz", WHERE | {"redirect": b"http://example.com/b"}),
    (b" - - 1024 a.warc.gz", WHERE),
    (b" - AIF 1024 a.warc.gz", WHERE | {"robot_flags": b"AIF"}),
    (b" - - 2326 1024 a.warc.gz", WHERE | {"record_length": 2326}),
    (b" /b A - 1024 a.warc.gz", WHERE | {"redirect": b"/b", "robot_flags": b"A"}),
    (b" /b 5 2326 1024 7", WHERE | {"redirect": b"/b", "robot_flags": b"5", "record_length": 2326, "filename": b"7"}),
    (b" 1024", {"record_length": 1024}),
    (b" -", {}),
]


@pytest.mark.parametrize(("end", "expected"), ENDS)
def test_orders_of_the_fields(end: bytes, expected: dict[str, Any]) -> None:
    assert row(CDX, BEGINNING + end) == SHARED | expected
    assert row(CDX.strict, BEGINNING + end) == SHARED | expected


@pytest.mark.parametrize("header", [b" CDX N b a m s k r M S V g", b" CDX N b a m s k r V g", b"\xef\xbb\xbf CDX A b"])
def test_headers_are_skipped(header: bytes) -> None:
    [table] = tables(io.BytesIO(header + b"\n" + BEGINNING + b" -\n"), CDX)
    assert (table.parsed, table.skipped) == (1, [Skipped(1, 0, len(header), "directive")])


# A part of the line, what is in its place, and the expected changes of the values; None if the line is rejected.
CHANGES: list[tuple[bytes, bytes, dict[str, Any] | None]] = [
    (b" 200 ", b" - ", {"status": None}),
    (b" 200 ", b" 0 ", {"status": None}),
    (b"text/html", b"-", {"media_type": None}),
    (b"text/html", b"warc/revisit", {"media_type": b"warc/revisit"}),
    (b"com,example)/a ", b"example.com/a ", {"surt": b"example.com/a"}),
    (b"http://example.com/a?b", b"dns:example.com", {"target_scheme": b"dns", "target_path": b"example.com"}),
    (b" 200 ", b" 2000 ", None),
    (b" 20050601174210", b" 200506011742", None),
    (b" 20050601174210", b" 20051301174210", None),
    (b" http://example.com/a?b", b" ", None),
    (b"com,example)/a ", b"", None),
    (b" 200 ", b" ", None),
]


@pytest.mark.parametrize(("part", "replacement", "changes"), CHANGES)
def test_odd_lines(part: bytes, replacement: bytes, changes: dict[str, Any] | None) -> None:
    found = row(CDX, BEGINNING.replace(part, replacement) + b" - - 2326 1024 a.warc.gz")
    if changes is None:
        assert found is None
    else:
        assert found is not None
        assert {name: found.get(name) for name in changes} == changes


@pytest.mark.parametrize(
    "end", [b"", b" - a.warc.gz", b" - 1 2 3 4 a", b" - - - - a", b" - - 1 x a", b" 5 7 x y", b" - 1024", b" x"]
)
def test_other_numbers_of_fields_are_rejected(end: bytes) -> None:
    assert row(CDX, BEGINNING + end) is None


@pytest.mark.parametrize(
    "line",
    [
        b'"' + BEGINNING + b" -",
        BEGINNING + b" 2326 1024 a.warc.gz",
        BEGINNING + b' - 1024 a.warc.gz"',
        BEGINNING + b" - 1024 a.warc.gz,",
    ],
)
def test_implausible_lines(line: bytes) -> None:
    assert len(list(records(io.BytesIO(line), CDX))) == 1
    assert list(records(io.BytesIO(line), CDX.strict)) == []


@given(st.text(st.characters(codec="ascii", exclude_characters=" \n\r"), min_size=1).map(str.encode))
@example(b"-")
def test_targets_are_split_like_split(target: bytes) -> None:
    [found] = records(io.BytesIO(BEGINNING.replace(b"http://example.com/a?b", target) + b" 1"), CDX)
    assert tuple(found[f"target_{name}"] for name in split(target)._fields) == split(target)


pieces = st.sampled_from([*BEGINNING.split(), *ENDS[4][0].split(), b"CDX", b"", b"\\"])


@given(st.lists(st.lists(pieces | naive.octets).map(b" ".join) | st.just(BEGINNING + b" 1")).map(b"\n".join))
def test_every_line_is_counted(data: bytes) -> None:
    assert sum(table.lines for table in tables(io.BytesIO(data), CDX)) == len(naive.lines(data))


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"a", b" ", b"- ", b"1 ", b"/"])
@pytest.mark.parametrize("before", [b"", BEGINNING[:31], BEGINNING + b" ", BEGINNING + b" - - 2326 "])
def test_hostile_lines_take_linear_time(before: bytes, piece: bytes) -> None:
    line = before + piece * (sizes.LONG // len(piece))
    [table] = tables(io.BytesIO(line), CDX, limit=len(line))
    assert table.lines == 1


def test_own_columns_have_a_meaning() -> None:
    assert {name for name in CDX.columns if name not in COLUMNS} == set(COLUMN_MEANINGS)
