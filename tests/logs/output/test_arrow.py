"""Rows as Arrow: record batches, Parquet files, and files per day."""

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive
from tests.support.command import LOG, run_here
from urisect.logs import (
    COMBINED,
    COMMON,
    FORMATS,
    LIST,
    W3C,
    Format,
    Rejected,
    Skipped,
    batches,
    records,
    schema,
    tables,
)
from urisect.logs.formats.notation import ValueKind
from urisect.logs.output import arrow as arrow_module
from urisect.logs.output import arrow_files
from urisect.logs.output.arrow import record_batch
from urisect.logs.output.arrow_files import write_arrow, write_days, write_parquet

TYPES = {
    ValueKind.TEXT: pa.string(),
    ValueKind.NUMBER: pa.int64(),
    ValueKind.SECONDS: pa.float64(),
    ValueKind.TIME: pa.timestamp("us", tz="UTC"),
}
LINE = b'192.0.2.7 - - [%b:13:55:36 -0700] "GET /%b HTTP/1.0" %b 5\n'

every_format = pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)


def as_text(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record as Arrow has it: bytes that are not UTF-8 are escaped."""
    return {
        name: value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
        for name, value in record.items()
    }


def rows(found: Iterator[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [row for batch in found for row in batch.to_pylist()]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "access.log"
    path.write_bytes(LOG)
    return path


@every_format
def test_batches_are_the_records_of_every_format(format: Format, tmp_path: Path) -> None:
    path = tmp_path / "sample"
    path.write_bytes(format.sample)
    for fields in (format.columns, format.fields):
        expected = [as_text(record) for record in records(io.BytesIO(format.sample), format, columns=fields)]
        assert expected
        assert rows(batches(path, format, fields)) == expected
        assert {batch.schema for batch in batches(path, format, fields)} == {schema(format, fields)}
    assert rows(batches(path, format)) == [as_text(record) for record in records(io.BytesIO(format.sample), format)]


@every_format
def test_types_are_those_of_the_kinds(format: Format) -> None:
    found = schema(format, format.fields)
    assert tuple(found.names) == format.fields
    assert [field.type for field in found] == [TYPES[format.kind(name)] for name in format.fields]


@pytest.mark.parametrize("jobs", [1, 2])
def test_batches_are_the_records_of_a_log(log: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisect.logs.scan.parallel.PARENT_ONLY_BYTES", 0)
    calls: dict[str, list[Any]] = {"reject": [], "skip": [], "rejected": [], "skipped": []}
    found = batches(log, reject=calls["reject"].append, skip=calls["skip"].append, jobs=jobs, limit=300)
    expected = records(io.BytesIO(LOG), reject=calls["rejected"].append, skip=calls["skipped"].append, limit=300)
    assert rows(found) == list(map(as_text, expected))
    assert calls["reject"] == calls["rejected"] != []
    assert calls["skip"] == calls["skipped"] != []


@given(naive.octets)
def test_any_bytes_become_text(data: bytes) -> None:
    for table in tables(io.BytesIO(data), LIST):
        batch = record_batch(table, LIST.fields)
        batch.validate(full=True)
        expected = [
            {name: value if value is None else value.decode("utf-8", "backslashreplace") for name, value in row.items()}
            for row in (
                dict(zip(LIST.fields, row, strict=True)) for row in zip(*map(table.column, LIST.fields), strict=True)
            )
        ]
        assert batch.to_pylist() == expected


def test_only_the_columns_asked_for_are_built(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []

    def watched(table: Any, name: str) -> pa.Array:
        built.append(name)
        assert set(getattr(table, "columns", ())) <= {"status", "target_authority", "target_text", "method"}
        return array(table, name)

    array = arrow_module._array
    monkeypatch.setattr(arrow_module, "_array", watched)
    [batch] = batches(log, "combined", ["target_host", "status"])
    assert batch.column_names == ["target_host", "status"]
    assert set(built) == {"target_host", "status"}


def test_batches_are_never_empty(log: Path) -> None:
    log.write_bytes(b"nonsense\n" * 100_000 + LOG)
    assert list(batches(log, "s3")) == []
    assert all(batch.num_rows for batch in batches(log, "combined"))


def test_without_columns_rows_are_counted(log: Path) -> None:
    number = len(list(records(io.BytesIO(LOG))))
    found = list(batches(log, columns=[]))
    assert sum(batch.num_rows for batch in found) == number
    assert {batch.num_columns for batch in found} == {0}
    assert pa.Table.from_batches(found).num_rows == number


def test_several_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, content in {
        "2": b"/2\n",
        "1": gzip.compress(b"/1\n"),
        "0": b"",
        "3/a": b"/3a\n",
        "3/b": b"/3b\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)

    def paths(*names: Any) -> list[str]:
        found = batches([tmp_path / name for name in names] if len(names) > 1 else tmp_path / names[0], LIST, ["path"])
        return [row["path"] for row in rows(found)]

    assert paths("2", "1", "2") == ["/2", "/1", "/2"]
    assert paths("") == ["/1", "/2", "/3a", "/3b"]
    assert paths("[12]") == ["/1", "/2"]
    assert paths("**/[ab]") == ["/3a", "/3b"]
    assert [row["path"] for row in rows(batches(os.fspath(tmp_path / "1"), "list", iter(["path"])))] == ["/1"]


def test_a_fault_is_reported_or_raised_after_the_good_lines(tmp_path: Path) -> None:
    damaged, good = tmp_path / "damaged", tmp_path / "good"
    damaged.write_bytes(gzip.compress(LOG)[:-100])
    good.write_bytes(LINE % (b"10/Nov/1996", b"", b"200"))
    faults: list[str] = []
    skipped: list[Skipped] = []
    names = [tmp_path / "missing", damaged, good]
    found = rows(batches(names, "common", fault=lambda name, _: faults.append(name), skip=skipped.append, reject=print))
    assert faults == [str(tmp_path / "missing"), str(damaged)]
    assert [skip.reason for skip in skipped if skip.reason != "blank"] == ["cut off"]
    assert found[-1]["target_path"] == "/"
    with pytest.raises(FileNotFoundError):
        list(batches(names, "common"))
    whole: list[dict[str, Any]] = []
    with pytest.raises(OSError, match="ended before the end-of-stream marker"):
        whole.extend(row for batch in batches(damaged, COMBINED) for row in batch.to_pylist())
    expected = list(map(as_text, records(io.BytesIO(LOG), COMBINED)))
    assert len(whole) > len(expected) // 2
    assert whole == expected[: len(whole)]


def test_unknown_fields_and_formats_are_refused_at_once() -> None:
    with pytest.raises(KeyError, match="no field is called 'nothing'"):
        batches("/dev/null", "common", ["nothing"])
    with pytest.raises(ValueError, match="nothing"):
        batches("/dev/null", "nothing")
    with pytest.raises(KeyError, match="no field is called 'nothing'"):
        schema_of_nothing()


def schema_of_nothing() -> None:
    [table] = tables(io.BytesIO(LIST.sample), LIST)
    record_batch(table, ["nothing"])


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import urisect.logs; urisect.logs.batches", "Arrow output needs pyarrow"),
        ("from urisect.logs import schema", "Arrow output needs pyarrow"),
        ("from urisect.cli import main; sys.exit(main(['logs', '--to', 'parquet', '/dev/null']))", "needs pyarrow"),
        ("from urisect.cli import main; sys.exit(main(['logs', '--where', 'true', '/dev/null']))", "needs pyarrow"),
    ],
)
def test_columns_need_an_extra(program: str, message: str) -> None:
    program = f"import sys; sys.modules['pyarrow'] = sys.modules['pyarrow.parquet'] = None\n{program}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode > 0
    assert f"{message}, which is not installed; pip install 'urisect[logs]' brings it\n" in done.stderr


def test_logs_are_parsed_without_the_extra(log: Path) -> None:
    program = (
        "import sys\n"
        "for name in ('pyarrow', 'duckdb', 'backports.zstd', 'jinja2'): sys.modules[name] = None\n"
        "from urisect.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = ["logs", "--jobs", "1", "--quiet", str(log)]
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, check=True)
    assert done.stdout == run_here(*arguments)[1]


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    import urisect.logs  # noqa: PLC0415

    with pytest.raises(AttributeError, match=r"module 'urisect\.logs' has no attribute 'nothing'"):
        urisect.logs.nothing  # type: ignore[attr-defined]  # noqa: B018


NUMBERS = pa.schema([("number", pa.int64())])


def numbered(lengths: list[int]) -> Iterator[pa.RecordBatch]:
    number = 0
    for length in lengths:
        yield pa.record_batch([pa.array(range(number, number + length), pa.int64())], schema=NUMBERS)
        number += length


class Written:
    """A file with the attributes that are needed, and no others."""

    closed = False

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes, /) -> None:
        self.data += data


@given(st.lists(st.integers(0, 30), max_size=20))
def test_row_groups_are_full_but_for_the_last(lengths: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_files, "ROW_GROUP_ROWS", 20)
        pipe = Written()
        write_parquet(pipe, NUMBERS, numbered(lengths))
    found = pq.ParquetFile(io.BytesIO(pipe.data))
    assert found.schema_arrow == NUMBERS
    assert found.read()["number"].to_pylist() == list(range(sum(lengths)))
    groups = [found.metadata.row_group(group).num_rows for group in range(found.num_row_groups)]
    assert all(20 <= rows < 20 + 30 for rows in groups[:-1])
    assert all(found.metadata.row_group(group).column(0).compression == "ZSTD" for group in range(found.num_row_groups))


@given(st.lists(st.integers(0, 30), max_size=20), st.booleans())
def test_arrow_can_be_read_as_a_stream_or_a_file(lengths: list[int], is_stream: bool) -> None:  # noqa: FBT001
    pipe = Written()
    write_arrow(pipe, NUMBERS, numbered(lengths), is_stream=is_stream)
    reader = (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(pipe.data)
    assert reader.schema == NUMBERS
    assert reader.read_all()["number"].to_pylist() == list(range(sum(lengths)))


TIMES = pa.schema([("time", pa.timestamp("us", tz="UTC")), ("number", pa.int64())])


def days_of(directory: Path) -> dict[str, list[int]]:
    """Return the numbers in each directory, in the order of its parts."""
    return {
        day.name.removeprefix("day="): [
            number for part in sorted(day.iterdir()) for number in pq.ParquetFile(part).read()["number"].to_pylist()
        ]
        for day in sorted(directory.iterdir())
    }


moments = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)) | st.datetimes(  # noqa: DTZ001
    datetime(1996, 11, 9),  # noqa: DTZ001
    datetime(1996, 11, 11),  # noqa: DTZ001
)


@given(st.lists(st.none() | moments.map(lambda moment: moment.replace(tzinfo=UTC)), max_size=20), st.integers(1, 20))
def test_each_directory_holds_the_rows_of_its_day_in_order(
    tmp_path_factory: pytest.TempPathFactory, moments: list[datetime | None], size: int
) -> None:
    directory = tmp_path_factory.mktemp("days")
    numbers = range(len(moments))
    table = pa.table([pa.array(moments, TIMES.field(0).type), pa.array(numbers, pa.int64())], schema=TIMES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_files, "ROW_GROUP_ROWS", 3)
        patch.setattr(arrow_files, "MAX_OPEN_FILES", 2)
        write_days(str(directory), TIMES, table.to_batches(max_chunksize=size))
    expected: dict[str, list[int]] = {}
    for number, moment in enumerate(moments):
        day = "__HIVE_DEFAULT_PARTITION__" if moment is None else moment.date().isoformat()
        expected.setdefault(day, []).append(number)
    assert days_of(directory) == expected


def test_files_per_day_are_read_back_as_hive_partitions(tmp_path: Path) -> None:
    path = tmp_path / "log"
    wanted = {b"10/Nov/1996": b"a", b"11/Nov/1996": b"b", b"31/Nov/1996": b"c", b"01/Jan/1970": b"d"}
    path.write_bytes(b"".join(LINE % (day, name, b"200") for day, name in wanted.items()))
    status, output, messages = run_here("logs", str(path), "--to", "parquet", "--by-day", "-o", str(tmp_path / "days"))
    assert (status, output) == (0, b"")
    assert messages.endswith("4 lines read: 4 parsed, 0 rejected\n")
    found = ds.dataset(tmp_path / "days", partitioning="hive")
    assert found.schema.names == [*COMMON.columns, "day"]
    assert sorted(found.to_table(columns=["target_path", "day"]).to_pydict()["target_path"]) == ["/a", "/b", "/c", "/d"]
    names = sorted(path.name for path in (tmp_path / "days").iterdir())
    assert names == ["day=1970-01-01", "day=1996-11-10", "day=1996-11-11", "day=__HIVE_DEFAULT_PARTITION__"]


@pytest.mark.unmeasured
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("to", ["parquet", "arrow"])
def test_the_command_writes_the_records(log: Path, tmp_path: Path, to: str, jobs: str) -> None:
    expected = [as_text(record) for record in records(io.BytesIO(LOG), "combined")]
    path = tmp_path / "rows"
    arguments = ["logs", str(log), "--to", to, "--jobs", jobs, "--quiet"]
    assert run_here(*arguments, "-o", str(path)) == (0, b"", "")
    found = pq.read_table(path) if to == "parquet" else pa.ipc.open_file(path).read_all()
    assert found.to_pylist() == expected
    status, output, _ = run_here(*arguments)
    found = pq.read_table(io.BytesIO(output)) if to == "parquet" else pa.ipc.open_stream(output).read_all()
    assert (status, found.to_pylist()) == (0, expected)
    assert run_here(*arguments, "-o", str(path), "--where", "false") == (0, b"", "")
    found = pq.read_table(path) if to == "parquet" else pa.ipc.open_file(path).read_all()
    assert (found.num_rows, found.schema) == (0, schema(COMBINED, COMBINED.columns))


def test_rejected_lines_come_in_order(log: Path) -> None:
    rejected: list[Rejected] = []
    list(batches(log, reject=rejected.append))
    assert rejected
    assert all(before.offset < after.offset and before.line < after.line for before, after in pairwise(rejected))


@pytest.mark.parametrize("path", [b"/a", b"/\xc3\xa9", b"/\xff"], ids=["ascii", "utf-8", "other"])
@pytest.mark.parametrize("log", [LINE % (b"10/Nov/1996", b"%b", b"200"), b"#Fields: cs-uri-stem x-a\n%b 1\n"])
def test_text_is_valid_whether_or_not_the_block_was(path: bytes, log: bytes) -> None:
    """A block of ASCII saves the check of its columns; any other text is still checked."""
    log = log.replace(b"/%b", path).replace(b"%b", path)
    [table] = tables(io.BytesIO(log), W3C if log.startswith(b"#") else COMMON)
    assert table.is_utf8 == path.isascii()
    batch = record_batch(table, ["target_path"])
    batch.validate(full=True)
    assert batch.column(0).to_pylist() == [path.decode(errors="backslashreplace")]
