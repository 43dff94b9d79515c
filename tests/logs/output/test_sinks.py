"""Rows as text: TSV, CSV and NDJSON lead back to the values."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive
from urisect.logs import Rejected
from urisect.logs.output.sinks import TEXT_FORMATS, make_sink, serialize_rejects

FIELDS = ["a", "b%s", 'c"']

tables = st.lists(st.tuples(*(st.none() | naive.octets for _ in FIELDS)))
ESCAPES = {r"\t": "\t", r"\n": "\n", r"\r": "\r", r"\\": "\\"}


def write(to: str, rows: list[tuple[bytes | None, ...]], null: str = "") -> bytes:
    return make_sink(to, FIELDS, null=null).serialize([[row[column] for row in rows] for column in range(len(FIELDS))])


def unescaped(cell: bytes) -> bytes:
    text, result = iter(cell.decode("latin-1")), ""
    for character in text:
        result += ESCAPES[character + next(text)] if character == "\\" else character
    return result.encode("latin-1")


@given(tables)
def test_tsv_can_be_parsed_back(rows: list[tuple[bytes | None, ...]]) -> None:
    text = write("tsv", rows, null=r"\N")
    cells = [line.split(b"\t") for line in text.split(b"\n")]
    assert cells.pop() == [b""]
    assert [tuple(None if cell == rb"\N" else unescaped(cell) for cell in row) for row in cells] == rows


@given(tables)
def test_csv_can_be_parsed_back(rows: list[tuple[bytes | None, ...]]) -> None:
    text = write("csv", rows).decode("latin-1")
    cells = [tuple(cell.encode("latin-1") for cell in row) for row in csv.reader(io.StringIO(text, newline=""))]
    assert cells == [tuple(cell or b"" for cell in row) for row in rows]


@given(tables, st.sampled_from(["", "-", ",", '"']))
def test_csv_is_written_as_the_csv_module_does(rows: list[tuple[bytes | None, ...]], null: str) -> None:
    for count in range(1, len(FIELDS) + 1):
        expected = io.StringIO(newline="")
        cells = ([null if cell is None else cell.decode("latin-1") for cell in row[:count]] for row in rows)
        csv.writer(expected).writerows(cells)
        columns = [[row[column] for row in rows] for column in range(count)]
        found = make_sink("csv", FIELDS[:count], null=null).serialize(columns)
        assert found.decode("latin-1") == expected.getvalue()


@given(tables)
def test_ndjson_is_written_as_the_json_module_does(rows: list[tuple[bytes | None, ...]]) -> None:
    texts = ([None if cell is None else cell.decode("utf-8", "surrogateescape") for cell in row] for row in rows)
    lines = [json.dumps(dict(zip(FIELDS, row, strict=True)), separators=(",", ":")) for row in texts]
    assert write("ndjson", rows).decode() == "".join(f"{line}\n" for line in lines)


@given(tables)
def test_ndjson_can_be_parsed_back(rows: list[tuple[bytes | None, ...]]) -> None:
    lines = write("ndjson", rows).splitlines()
    cells = [
        tuple(cell and cell.encode("utf-8", "surrogateescape") for cell in map(json.loads(line).get, FIELDS))
        for line in lines
    ]
    assert [tuple(cell or None for cell in row) for row in cells] == [
        tuple(cell or None for cell in row) for row in rows
    ]
    assert [[cell is None for cell in json.loads(line).values()] for line in lines] == [
        [cell is None for cell in row] for row in rows
    ]


def test_undefined_and_empty() -> None:
    row: list[tuple[bytes | None, ...]] = [(None, b"", b"x")]
    assert write("tsv", row) == b"\t\tx\n"
    assert write("tsv", row, null="-") == b"-\t\tx\n"
    assert write("csv", row, null="-") == b"-,,x\r\n"
    assert write("ndjson", row) == b'{"a":null,"b%s":"","c\\"":"x"}\n'


def test_headers() -> None:
    assert [make_sink(to, FIELDS).header for to in TEXT_FORMATS] == [b'a\tb%s\tc"\n', b'a,b%s,"c"""\r\n', b""]


def test_only_json_has_numbers() -> None:
    assert (
        make_sink("ndjson", ["status"], numbers={"status"}).serialize([[b"7", None]])
        == b'{"status":7}\n{"status":null}\n'
    )
    assert make_sink("tsv", ["status"], numbers={"status"}).serialize([[b"7", None]]) == b"7\n\n"


def test_an_unknown_sink_is_named() -> None:
    with pytest.raises(ValueError, match="'xml'; the formats are tsv, csv, ndjson"):
        make_sink("xml", FIELDS)


def test_rejects_keep_the_line_unchanged() -> None:
    written = serialize_rejects("a\tb\udcff", [Rejected(3, 99, b"x\ty\\\r\xff"), Rejected(4, 110, b"")])
    assert written == b"a\\tb\xff\t3\t99\tx\ty\\\r\xff\na\\tb\xff\t4\t110\t\n"
