"""Rows of columnar tables as text: byte for byte what the sinks make of the same columns as lists."""

import gzip
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.altered_lines import altered_lines
from tests.support.command import LOG
from urisect.logs import COMBINED, conversion, convert
from urisect.logs.columnar import parser
from urisect.logs.columnar.parser import ColumnarParser
from urisect.logs.conversion import Conversion
from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import EPOCH_MICROSECONDS, NUMBER, SECONDS, ValueKind, format_values
from urisect.logs.input.blocks import Block
from urisect.logs.output import columnar_text
from urisect.logs.output.columnar_text import serialize_table
from urisect.logs.output.sinks import TEXT_FORMATS, make_sink
from urisect.logs.scan.handover import read_result, result_directory, write_result
from urisect.logs.scan.pieces import Piece
from urisect.logs.scan.task import TaskRunner

NOTATIONS = {"number": NUMBER, "time": EPOCH_MICROSECONDS, "seconds": SECONDS}
ARROW_TYPES = {"number": pa.int64(), "time": pa.timestamp("us", "UTC"), "seconds": pa.float64()}
DAY = 86_400_000_000

SPECIAL = st.sampled_from(["", "-", "a,b", '"', "\\", "\t", "\r", "\n", "\0", "\x7f", "é", "null"])
TEXT = naive.octets | SPECIAL.map(str.encode)
VALUES = {
    "a": st.none() | TEXT,
    'b"%s': TEXT,
    "nothing": st.none(),
    "number": st.none() | st.integers(0, 10**18 - 1).map(b"%d".__mod__) | st.just(b"007"),
    "time": st.none() | st.integers(0, 60_000 * DAY).map(lambda time: b"%d" % (time // 1_000_000 * 1_000_000)),
    "seconds": st.sampled_from([None, b"0.25", b"1", b"0.00000001"]),
}


class Stub:
    """A columnar table with given columns."""

    def __init__(self, columns: dict[str, Column], rows: int) -> None:
        self.columns = columns
        self.parsed = rows
        self.format = self

    def kind(self, field: str) -> ValueKind:
        return NOTATIONS[field].kind if field in NOTATIONS else ValueKind.TEXT

    def array(self, field: str) -> pa.Array:
        return pa.array(self.columns[field], pa.binary())

    def value_array(self, field: str) -> pa.Array:
        values = [value and NOTATIONS[field].parse(value) for value in self.columns[field]]
        return pa.array(values, ARROW_TYPES[field])

    def texts(self, field: str) -> Column:
        column = self.columns[field]
        return format_values(column, NOTATIONS[field]) if field in NOTATIONS else column


def write_both(table: Any, fields: Sequence[str], to: str, null: str = "") -> list[bytes]:
    """Write a table from its arrays, and from its lists."""
    numbers = {"number", "seconds", "status", "bytes"} if to == "ndjson" else ()
    sink = make_sink(to, fields, null=null, numbers=numbers)
    return [bytes(serialize_table(table, fields, sink)), sink.serialize([table.texts(field) for field in fields])]


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(
    st.lists(st.fixed_dictionaries(VALUES), max_size=6),
    st.lists(st.sampled_from(sorted(VALUES)), max_size=5),
    st.sampled_from(TEXT_FORMATS),
    st.sampled_from(["", "-", ",", '"', "\udcff"]),
)
def test_arrays_are_written_as_lists_are(
    rows: list[dict[str, bytes | None]], fields: list[str], to: str, null: str
) -> None:
    columns = {name: [row[name] for row in rows] for name in VALUES}
    found, expected = write_both(Stub(columns, len(rows)), fields, to, null)
    assert found == expected


@pytest.mark.parametrize("to", TEXT_FORMATS)
@pytest.mark.parametrize("fields", [["a"], ["a", "a"], ["nothing", "a"]], ids=",".join)
def test_every_byte_is_written_as_in_lists(fields: list[str], to: str) -> None:
    values: Column = [bytes([byte]) for byte in range(256)]
    column = [*values, None, b"", *(b"x%by" % value for value in values if value)]
    columns: dict[str, Column] = {"a": column, "nothing": [None] * len(column)}
    found, expected = write_both(Stub(columns, len(column)), fields, to)
    assert found == expected


@pytest.mark.parametrize("fractions", [0, 1])
def test_times_are_written_as_in_lists(fractions: int) -> None:
    random = Random(7)  # noqa: S311  not for secrets
    times = [random.randrange(0, 90_000) * DAY + random.randrange(86_400) * 1_000_000 for _ in range(99)]
    columns: dict[str, Column] = {"time": [b"%d" % (time + fractions) for time in (0, DAY - 1_000_000, DAY, *times)]}
    found, expected = write_both(Stub(columns, 102), ["time"], "tsv")
    assert found == expected
    assert found.startswith(b"1970-01-01T00:00:00.000001Z\n" if fractions else b"1970-01-01T00:00:00Z\n")


def test_the_years_of_a_time_have_four_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    times = pa.array([-719_162 * DAY, 2_932_897 * DAY - 1_000_000], ARROW_TYPES["time"])
    monkeypatch.setattr(Stub, "value_array", lambda *_: times)
    table: Any = Stub({}, 2)
    text = serialize_table(table, ["time"], make_sink("tsv", ["time"]))
    assert bytes(text) == b"0001-01-01T00:00:00Z\n9999-12-31T23:59:59Z\n"


@pytest.mark.parametrize("to", TEXT_FORMATS)
def test_tables_of_logs_are_written_as_their_lists_are(to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "_MIN_BYTES", 1)
    lines = LOG.splitlines()
    for seed in range(sizes.choose(full=50, quick=3)):
        random = Random(seed)  # noqa: S311  not for secrets
        fields = COMBINED.fields if seed % 2 else random.sample(COMBINED.fields, 4)
        block = altered_lines(lines, random, 200).replace(b"\r", b"")
        [table] = ColumnarParser(COMBINED, fields).tables([Block(0, block)], line=1)
        for rows in (table, table.selected([random.random() < 0.5 for _ in range(table.parsed)])):
            found, expected = write_both(rows, fields, to)
            assert found == expected


def test_text_that_is_too_long_for_an_array_is_written_from_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Stub({"a": [b"1", None]}, 2)
    expected = write_both(table, ["a"], "csv")
    monkeypatch.setattr(columnar_text, "_MAX_BYTES", 1)
    assert write_both(table, ["a"], "csv") == expected == [b'1\r\n""\r\n'] * 2


@pytest.mark.parametrize("to", TEXT_FORMATS)
def test_a_log_is_converted_to_the_same_text_with_arrays(
    to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, expected, found = tmp_path / "access.log", tmp_path / f"lists.{to}", tmp_path / f"arrays.{to}.gz"
    log.write_bytes(LOG)
    result = convert(log, expected, null="-", header=True)
    monkeypatch.setattr(conversion, "LIST_BYTES", 0)
    monkeypatch.setattr(parser, "COLUMNAR_BLOCK_BYTES", 1 << 16)
    assert convert(log, found, null="-", header=True) == result
    assert gzip.decompress(found.read_bytes()) == expected.read_bytes()


def test_the_first_bytes_are_written_from_lists_and_workers_hand_over_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "LIST_BYTES", len(LOG))
    task = Conversion(COMBINED, to="csv").task
    runner = TaskRunner(pickle.loads(pickle.dumps(task)))  # noqa: S301  written here
    piece = Piece("-", Block(0, LOG), header=b"", is_first=True)
    first, second = runner.run(piece), runner.run(piece)
    with result_directory() as directory:
        handed_over = read_result(write_result(second, directory))
    assert handed_over.outputs[0].number == first.outputs[0].number == 1994
    lists, arrays = first.outputs[0].content, handed_over.outputs[0].content
    assert ({*map(type, lists)}, {*map(type, arrays)}) == ({bytes}, {pa.Buffer})
    assert b"".join(arrays) == b"".join(lists)


def test_text_is_written_from_lists_without_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, rows = tmp_path / "access.log", tmp_path / "rows.ndjson"
    log.write_bytes(LOG)
    convert(log, rows)
    expected = rows.read_bytes()
    for name in [name for name in sys.modules if name.startswith("urisect.logs.columnar")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "urisect.arrow_packages", None)
    monkeypatch.setattr(conversion, "LIST_BYTES", 0)
    convert(log, rows)
    assert rows.read_bytes() == expected
