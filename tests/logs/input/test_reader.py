"""Blocks and tables: every line is parsed, rejected or skipped; columns, values and records."""

import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain, cycle
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive
from urisect import split
from urisect.logs import COMBINED, COMMON, LIST, Rejected, Skipped, Table, records, tables
from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.notation import NUMBER
from urisect.logs.input.blocks import Block, line_offsets, read_blocks
from urisect.logs.input.reader import BlockParser

# Lines of digits; lines that begin with "#" are directives.
DIGITS = PatternFormat("digits", r"(?P<number>[0-9]{1,18})|(?P<directive>#[^\n]*+)", notations={"number": NUMBER})

contents = (
    st.binary() | st.text("ab\n\r\0", max_size=60).map(str.encode) | st.text("12#\n\r", max_size=60).map(str.encode)
)
sizes = st.lists(st.integers(1, 50), min_size=1, max_size=5)
limits = st.integers(1, 20)


class Reading:
    """A stream that returns chunks of these sizes, in turn, and raises an exception at the end, if there is one."""

    def __init__(self, data: bytes, sizes: list[int], failure: Exception | None = None) -> None:
        self._data = io.BytesIO(data)
        self._sizes = cycle(sizes)
        self._failure = failure

    def read1(self, size: int, /) -> bytes:
        data = self._data.read(min(size, next(self._sizes)))
        if self._failure and not data:
            raise self._failure
        return data


class Line(NamedTuple):
    """A line of the data: its number, from 1, its offset, and its text up to the next LF."""

    number: int
    offset: int
    text: bytes


def naive_lines(data: bytes) -> list[Line]:
    found: list[Line] = []
    offset = 0
    for text in data.split(b"\n"):
        if offset < len(data):
            found.append(Line(len(found) + 1, offset, text))
        offset += len(text) + 1
    return found


@given(contents, limits, sizes)
@example(b"", 1, [1])
@example(b"\n", 1, [1])
@example(b"aaaa", 3, [1])
@example(b"aaaa\n", 3, [5])
@example(b"aaaa\nb\naaaa\naaaa\nb", 3, [50])
@example(b"aaa\naaaa", 3, [6, 2])
@example(b"\xef\xbb\xbfa\r\n\rb\0\r\r\n", 3, [3])
def test_blocks_are_whole_lines_without_those_that_are_too_long(data: bytes, limit: int, sizes: list[int]) -> None:
    found = list(read_blocks(Reading(data, sizes), limit))
    lines = naive_lines(data)
    assert [(block.offset, block.length) for block in found if block.reason] == [
        (line.offset, len(line.text)) for line in lines if len(line.text) > limit
    ]
    assert {(block.data, block.reason) for block in found if block.length} <= {(b"", "too long")}
    kept = [block for block in found if not block.reason]
    assert b"".join(block.data for block in kept) == b"".join(
        data[line.offset : line.offset + len(line.text) + 1] for line in lines if len(line.text) <= limit
    )
    assert all(data.startswith(block.data, block.offset) and block.data for block in kept)
    assert all(block.data.endswith(b"\n") for block in kept[:-1])
    assert [block.offset for block in found] == sorted({block.offset for block in found})


@given(contents, st.integers(0, 1000))
def test_offsets_begin_at_the_given_offset(data: bytes, offset: int) -> None:
    found = read_blocks(io.BytesIO(data), 5, 7)
    moved = read_blocks(io.BytesIO(data), 5, 7, offset)
    assert [block._replace(offset=block.offset + offset) for block in found] == list(moved)


@given(contents, sizes)
def test_blocks_without_a_limit_are_the_whole_stream(data: bytes, sizes: list[int]) -> None:
    found = [block.data for block in read_blocks(Reading(data, sizes), sys.maxsize)]
    assert b"".join(found) == data
    assert all(block.endswith(b"\n") for block in found[:-1])


@given(contents, limits, sizes)
@example(b"#\r\n1\r\n\r\n1\r\r\n1", 5, [3])
@example(b"1\n" * 40 + b"#\n?", 20, [7])
def test_every_line_is_parsed_rejected_or_skipped_wherever_blocks_end(
    data: bytes, limit: int, sizes: list[int]
) -> None:
    found = list(tables(Reading(data, sizes), DIGITS, limit=limit))
    numbers: list[bytes] = []
    rejected: list[Rejected] = []
    skipped: list[Skipped] = []
    for number, offset, text in naive_lines(data):
        is_ended = offset + len(text) < len(data)
        line = text.removesuffix(b"\r") if is_ended else text
        if len(text) > limit:
            skipped.append(Skipped(number, offset, len(text), "too long"))
        elif line.startswith(b"#"):
            skipped.append(Skipped(number, offset, len(line), "directive"))
        elif line.isdigit() and len(line) <= 18:
            numbers.append(line)
        elif not line.removeprefix(b"\xef\xbb\xbf").strip():
            skipped.append(Skipped(number, offset, len(line), "blank"))
        else:
            rejected.append(Rejected(number, offset, line))
    assert list(chain.from_iterable(table.column("number") for table in found)) == numbers
    assert list(chain.from_iterable(table.rejected for table in found)) == rejected
    assert list(chain.from_iterable(table.skipped for table in found)) == skipped
    assert sum(table.parsed for table in found) == len(numbers)
    assert sum(table.lines for table in found) == len(naive_lines(data))
    assert list(chain.from_iterable(table.values("number") for table in found)) == list(map(int, numbers))


@given(contents, limits, sizes)
@example(b"a\nbbbb", 3, [1])
@example(b"a\nb", 3, [1])
def test_a_stream_that_fails_yields_its_lines_and_reports_an_incomplete_one(
    data: bytes, limit: int, sizes: list[int]
) -> None:
    found: list[Block] = []
    with pytest.raises(ZeroDivisionError):
        found.extend(read_blocks(Reading(data, sizes, ZeroDivisionError()), limit))
    whole = data[: data.rfind(b"\n") + 1]
    expected = list(read_blocks(io.BytesIO(whole), limit))
    assert b"".join(block.data for block in found) == b"".join(block.data for block in expected)
    skipped = [block for block in expected if block.reason]
    if len(data) > len(whole):
        skipped.append(Block(len(whole), b"", len(data) - len(whole), "cut off"))
    assert [block for block in found if block.reason] == skipped


def test_an_incomplete_line_is_skipped_when_its_stream_fails() -> None:
    found: list[Table] = []
    with pytest.raises(OSError, match="nothing more"):
        found.extend(tables(Reading(b"1\n?\n12", [4], OSError("nothing more")), DIGITS))
    assert [(table.parsed, table.rejected, table.skipped) for table in found] == [
        (1, [Rejected(2, 2, b"?")], []),
        (0, [], [Skipped(3, 4, 2, "cut off")]),
    ]


@given(contents, st.integers(0, 99))
def test_offsets_of_lines(data: bytes, offset: int) -> None:
    *begins, end = line_offsets(data, offset)
    lines = naive_lines(data)
    assert begins[: len(lines)] == [offset + line.offset for line in lines]
    assert (end if len(begins) == len(lines) else begins[-1]) >= offset + len(data)


@pytest.mark.parametrize("read", [tables, records])
def test_a_text_or_unbuffered_stream_is_a_type_error(read: object) -> None:
    assert callable(read)
    with pytest.raises(TypeError, match=r"buffered binary stream, as .* gives, not StringIO"):
        next(read(io.StringIO(), LIST))
    with pytest.raises(TypeError, match="not FileIO"), open("/dev/null", "rb", buffering=0) as file:
        next(read(file, LIST))


REQUESTS = (
    b'h - - [10/Nov/1996:00:00:00 +0000] "GET /a?b HTTP/1.0" 200 007\n'
    b'h - - [31/Nov/1996:00:00:00 +0000] "CONNECT h:443 HTTP/1.0" - -\n'
    b'h - - [10/Nov/1996:00:00:00 +0000] "CONNECT h:443/ HTTP/1.0" - -\n'
    b'h - - [10/Nov/1996:00:00:00 +0000] "-" - -\n'
)


def test_columns_as_parsed_as_values_and_as_texts() -> None:
    [table] = tables(io.BytesIO(REQUESTS), COMMON)
    assert table.column("bytes") == [b"007", None, None, None]
    assert table.values("bytes") == [7, None, None, None]
    assert table.texts("bytes") == [b"7", None, None, None]
    assert table.values("client") == table.texts("client") == table.column("client") == [b"h"] * 4
    assert table.texts("time")[:2] == [b"1996-11-10T00:00:00Z", None]  # there was no such day
    assert table.column("target") == [b"/a?b", b"h:443", b"h:443/", None]
    assert table.column("target_host") == [None, b"h", None, None]


def test_a_format_may_be_named_or_described() -> None:
    expected = next(tables(io.BytesIO(REQUESTS), COMMON)).columns
    for format in ("common", '%h %l %u %t "%r" %>s %b'):
        [table] = tables(io.BytesIO(REQUESTS), format)
        assert table.columns == expected
    with pytest.raises(ValueError, match="no log format is called 'commen'"):
        next(tables(io.BytesIO(REQUESTS), "commen"))


@pytest.mark.parametrize("wanted", [["target"], ["target_port"], ["target_query", "status"], []])
def test_only_requested_columns_are_parsed(wanted: list[str]) -> None:
    [whole] = tables(io.BytesIO(REQUESTS), COMMON)
    [table] = tables(io.BytesIO(REQUESTS), COMMON, columns=wanted)
    assert table.parsed == whole.parsed == 4
    assert [table.column(field) for field in wanted] == [whole.column(field) for field in wanted]
    assert "agent" not in table.columns
    assert "client" not in table.columns


def test_an_unknown_field_is_refused_before_anything_is_read() -> None:
    with pytest.raises(KeyError, match="no field is called 'nothing'; there are client, "):
        BlockParser(COMBINED, ["nothing"])
    [table] = tables(io.BytesIO(REQUESTS), COMMON)
    for give in (table.column, table.values, table.texts):
        with pytest.raises(KeyError, match="no field is called 'nothing'; there are client, "):
            give("nothing")


def test_a_field_that_was_not_parsed_is_a_key_error() -> None:
    [table] = tables(io.BytesIO(REQUESTS), COMMON, columns=["status"])
    for name in ("client", "bytes", "target_host"):
        with pytest.raises(KeyError, match="was not parsed"):
            table.column(name)


@given(st.lists(st.tuples(naive.octets.filter(lambda text: b"\n" not in text), st.booleans())))
def test_a_selection_keeps_rows_and_all_unparsed_lines(rows: list[tuple[bytes, bool]]) -> None:
    lines = [text.rstrip(b"\r") for text, _ in rows]
    for table in tables(io.BytesIO(b"".join(line + b"\n" for line in lines)), LIST):
        chosen = [is_wanted for _, is_wanted in rows]
        expected = [line for line, is_wanted in zip(lines, chosen, strict=True) if is_wanted]
        selected = table.selected(chosen)
        assert selected.column("reference") == expected
        assert selected.column("path") == [split(line).path for line in expected]
        assert selected.parsed == len(expected)
        assert (selected.rejected, selected.skipped) == (table.rejected, table.skipped)


def counted(found: Iterator[Table]) -> list[tuple[int, int]]:
    return [(table.parsed, len(table.rejected)) for table in found]


def test_memory_is_bounded_by_a_block() -> None:
    read: list[int] = []

    class Counting(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            read.append(size or 0)
            return super().read1(size)

    found = tables(Counting(b"1\n" * 100), DIGITS, size=20)
    assert next(found).parsed == 10
    assert read == [20]
    assert counted(found) == [(10, 0)] * 9


def test_records_have_python_values() -> None:
    lines = io.BytesIO(REQUESTS)
    found = list(records(lines, "common", columns=["time", "status", "bytes", "target_path", "target_host"]))
    noon = datetime(1996, 11, 10, tzinfo=UTC)
    assert found == [
        {"time": noon, "status": 200, "bytes": 7, "target_path": b"/a", "target_host": None},
        {"time": None, "status": None, "bytes": None, "target_path": b"", "target_host": b"h"},
        {"time": noon, "status": None, "bytes": None, "target_path": b"443/", "target_host": None},
        {"time": noon, "status": None, "bytes": None, "target_path": None, "target_host": None},
    ]


@given(contents, limits)
def test_records_rejected_and_skipped_are_the_lines(data: bytes, limit: int) -> None:
    rejected: list[Rejected] = []
    skipped: list[Skipped] = []
    found = list(records(io.BytesIO(data), DIGITS, reject=rejected.append, skip=skipped.append, limit=limit))
    expected = list(tables(io.BytesIO(data), DIGITS, limit=limit))
    assert found == [{"number": number} for table in expected for number in table.values("number")]
    assert rejected == [reject for table in expected for reject in table.rejected]
    assert skipped == [skip for table in expected for skip in table.skipped]
    assert list(records(io.BytesIO(data), DIGITS, limit=limit)) == found
    assert list(records(io.BytesIO(data), DIGITS, columns=[], limit=limit)) == [{}] * len(found)


def test_records_of_an_unknown_field_or_format_are_refused_at_once() -> None:
    with pytest.raises(KeyError, match="'nothing'"):
        records(io.BytesIO(), COMMON, columns=["nothing"])
    with pytest.raises(ValueError, match="nothing"):
        records(io.BytesIO(), "nothing")


def test_records_of_a_detected_format() -> None:
    assert [record["agent"] for record in records(io.BytesIO(COMBINED.sample))] == [
        record["agent"] for record in records(io.BytesIO(COMBINED.sample), "combined")
    ]
    assert list(records(io.BytesIO())) == []


@pytest.mark.parametrize("line", [b"", b" ", b"\t \x0b", b"\xef\xbb\xbf", b"\xef\xbb\xbf "])
def test_blank_lines_are_skipped(line: bytes) -> None:
    [table] = tables(io.BytesIO(b"1\n" + line + b"\n#\nx\n"), DIGITS)
    assert (table.parsed, table.rejected) == (1, [Rejected(4, len(line) + 5, b"x")])
    assert table.skipped == [Skipped(2, 2, len(line), "blank"), Skipped(3, len(line) + 3, 1, "directive")]


def test_an_empty_line_of_a_list_is_an_empty_reference() -> None:
    [table] = tables(io.BytesIO(b"\n/a\n"), LIST)
    assert (table.column("path"), table.skipped) == ([b"", b"/a"], [])
