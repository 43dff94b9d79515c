"""CDXJ: the sample, odd and rejected lines, directives."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect.logs.formats.cdxj import CDXJ, COLUMN_MEANINGS
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.input.reader import Rejected, Skipped, Table, tables
from urisect.logs.input.records import records

LINE = b'com,example)/a 19961110205536 {"url": "http://example.com/a", "status": "200", "length": 12}'


def read(data: bytes) -> list[Table]:
    return list(tables(io.BytesIO(data), CDXJ, columns=CDXJ.fields, size=1 << 24))


def test_the_sample() -> None:
    skipped: list[Skipped] = []
    first, second = records(io.BytesIO(CDXJ.sample), CDXJ, skip=skipped.append)
    assert skipped == [Skipped(1, 0, 21, "directive")]
    assert [name for name, value in first.items() if value is None] == ["target_fragment", "redirect", "truncated"]
    assert first["time"].isoformat() == "1996-11-10T20:55:36+00:00"
    assert (first["surt"], first["target_authority"]) == (b"com,example)/a/b?c=d", b"example.com")
    assert (first["status"], first["record_length"], first["record_offset"]) == (200, 2326, 1024)
    assert (first["media_type"], first["mime_detected"], first["languages"]) == (b"text/html", b"text/html", b"eng")
    assert (second["status"], second["redirect"], second["charset"]) == (301, b"https://example.com/new", None)


@pytest.mark.parametrize(
    ("line", "field", "expected"),
    [
        (LINE, "record_length", b"12"),
        (LINE, "target_host", b"example.com"),
        (LINE, "target", b"http://example.com/a"),
        (LINE, "extra", None),
        (LINE.replace(b'"200"', b'"-"'), "status", None),
        (LINE.replace(b'"200"', b"200"), "status", b"200"),
        (LINE.replace(b", ", b', "source": 1.0, '), "extra", b'{"source":1.0}'),
        (b"\xef\xbb\xbf" + LINE, "surt", b"com,example)/a"),
        (LINE + b"\r\n", "surt", b"com,example)/a"),
        (LINE.replace(b"/a ", b"/\xff{} ", 1), "surt", b"com,example)/\xff{}"),
        (LINE.replace(b"1110", b"0431"), "time", b"19960431205536"),
    ],
)
def test_odd_lines(line: bytes, field: str, expected: bytes | None) -> None:
    [table] = read(line)
    assert table.column(field) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        b'{"url": "http://example.com/"}',
        b'com,example)/ {"url": "http://example.com/"}',
        b'com,example)/ 1996 {"url": "http://example.com/"}',
        b'com,example)/ 19961310205536 {"url": "http://example.com/"}',
        b'com,example)/  19961110205536 {"url": "http://example.com/"}',
        b'com,example)/ 19961110205536 {"status": "200"}',
        b'com,example)/ 19961110205536 {"url": "http://example.com/", "status": "OK"}',
        b'com,example)/ 19961110205536 {"url": "http://example.com/", "length": -1}',
        b'com,example)/ 19961110205536 {"url": "http://example.com/\xff"}',
        b'com,example)/ 19961110205536 {"url": "http://example.com/"',
        b"com,example)/ 19961110205536 http://example.com/ text/html 200 - - 12 0 a.warc.gz",
        b" CDX N b a m s k r M S V g",
    ],
)
def test_invalid_lines_are_rejected(line: bytes) -> None:
    [table] = read(b"\n".join((LINE, line, LINE, b"")))
    assert table.column("surt") == [b"com,example)/a"] * 2
    assert table.rejected == [Rejected(2, len(LINE) + 1, line)]


def test_directives_may_be_anywhere() -> None:
    [table] = read(LINE + b'\n!meta {"a": 1}\r\n\xef\xbb\xbf!OpenWayback-CDXJ 1.0\n' + LINE + b"\n")
    offset = len(LINE) + 1
    assert table.parsed == 2
    assert table.skipped == [Skipped(2, offset, 14, "directive"), Skipped(3, offset + 16, 24, "directive")]


pieces = st.sampled_from([b"!", b"com,example)/ ", b"19961110205536 ", b'{"url": "http://example.com/"}', b"{}", b"\r"])


@given(st.lists(st.lists(pieces | naive.octets).map(b"".join)).map(b"\n".join))
def test_every_line_is_counted(data: bytes) -> None:
    found = read(data)
    assert sum(table.lines for table in found) == len(naive.lines(data))


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", [b"a" * sizes.LONG, b" " * sizes.LONG, LINE[:-1] + b"," * sizes.LONG, b"!" * sizes.LONG]
)
def test_hostile_lines_take_linear_time(line: bytes) -> None:
    [table] = tables(io.BytesIO(line), CDXJ, columns=CDXJ.fields, limit=len(line))
    assert (table.lines, table.parsed) == (1, 0)


def test_own_columns_have_a_meaning() -> None:
    own = {name for name in CDXJ.columns if name not in COLUMNS}
    assert own == set(COLUMN_MEANINGS)
    assert {name for name in CDXJ.notations if name in own} == {"record_length", "record_offset"}
