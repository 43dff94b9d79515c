"""`logs.convert`: a log becomes a file, atomically, as the command writes it."""

import gzip
import io
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.command import LOG, run_here
from tests.support.processes import on_linux
from urisect.logs import COMBINED, SQUID, Rejected, Skipped, WhereError, batches, convert, records
from urisect.logs.conversion import FILE_FORMATS, ConversionResult, file_format


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "access.log"
    path.write_bytes(LOG)
    return path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """The directory that a conversion writes to."""
    path = tmp_path / "rows"
    path.mkdir()
    return path


@pytest.mark.parametrize("options", [{}, {"where": "status >= 400", "header": True, "null": "-"}], ids=["all", "some"])
@pytest.mark.parametrize("to", FILE_FORMATS)
def test_a_log_is_converted_as_the_command_does_it(log: Path, rows: Path, to: str, options: dict[str, Any]) -> None:
    fields = ["time", "status", "target_path", "target_query"]
    result = convert(log, rows / f"library.{to}", columns=iter(fields), jobs=2, **options)
    arguments = [f"--{name}" if value is True else f"--{name}={value}" for name, value in options.items()]
    status, _, messages = run_here(
        "logs", str(log), "-o", str(rows / f"command.{to}"), f"--fields={','.join(fields)}", *arguments
    )
    assert status == 0
    assert (rows / f"library.{to}").read_bytes() == (rows / f"command.{to}").read_bytes() != b""
    assert f": {result.parsed:,} parsed" in messages
    assert f" {result.rejected} rejected, " in messages
    assert result.parsed + result.rejected + result.skipped == 2000
    assert (result.written == result.parsed) == (not options)


def test_the_result_counts_lines_and_callbacks_get_them(log: Path, rows: Path) -> None:
    rejected: list[Rejected] = []
    skipped: list[Skipped] = []
    result = convert(
        str(log), rows / "a.tsv", COMBINED, limit=300, reject=rejected.append, skip=skipped.append, columns=["status"]
    )
    expected: dict[str, list[Any]] = {"rejected": [], "skipped": []}
    found = list(
        records(
            io.BytesIO(LOG),
            COMBINED,
            limit=300,
            reject=expected["rejected"].append,
            skip=expected["skipped"].append,
        )
    )
    assert result == ConversionResult(len(found), len(rejected), len(skipped), len(found))
    assert (rejected, skipped) == (expected["rejected"], expected["skipped"])
    assert (rows / "a.tsv").read_bytes().split() == [b"%d" % record["status"] for record in found]


def test_names_give_formats_and_compression(log: Path, rows: Path) -> None:
    convert(log, rows / "a.tsv.gz", columns=["status"])
    convert(log, rows / "b", columns=["status"])
    assert gzip.decompress((rows / "a.tsv.gz").read_bytes()) == (rows / "b").read_bytes()
    convert([log, log], rows / "days", to="parquet", by_day=True)
    assert sum(pq.read_table(day).num_rows for day in (rows / "days").iterdir()) == 2 * convert(log, rows / "c").written
    convert(log, rows / "d.arrow")
    assert pa.ipc.open_file(rows / "d.arrow").read_all().num_rows == convert(log, rows / "c").written


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"output": "a.csv", "to": "tsv"}, ValueError, "means csv, but tsv is asked for"),
        ({"output": "a.parquet.gz"}, ValueError, "parquet is compressed already"),
        ({"output": "a.json"}, ValueError, "a.json' means no format; name the format, too; did you mean"),
        ({"output": "a", "to": "xml"}, ValueError, "cannot write 'xml'; the formats are tsv, csv, ndjson, parquet, "),
        ({"output": "a", "by_day": True}, ValueError, "files per day need the format parquet and the field time"),
        ({"output": "a", "by_day": True, "to": "parquet", "columns": ["status"]}, ValueError, "the field time"),
        ({"output": "a", "columns": ["nothing"]}, KeyError, "nothing"),
        ({"output": "a", "where": "status >"}, WhereError, "status >"),
        ({"output": "a", "format": "nothing"}, ValueError, "nothing"),
        ({"output": "no/a"}, OSError, "no/a: No such file or directory"),
        ({"output": "../access.log"}, ValueError, "is one of the files to read"),
    ],
)
def test_invalid_requests_are_refused_and_nothing_is_written(
    log: Path, rows: Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    output = rows / options.pop("output")
    with pytest.raises(error, match=message):
        convert(log, output, **options)
    assert list(rows.iterdir()) == []
    assert log.read_bytes() == LOG


@pytest.mark.parametrize(
    "options", [{}, {"to": "parquet"}, {"to": "parquet", "by_day": True}], ids=["text", "parquet", "days"]
)
def test_a_fault_is_raised_and_leaves_nothing_or_is_reported(log: Path, rows: Path, options: dict[str, Any]) -> None:
    missing, damaged = log.parent / "missing", log.parent / "damaged.gz"
    damaged.write_bytes(gzip.compress(LOG)[:-1000])
    with pytest.raises(FileNotFoundError) as raised:
        convert([missing, log], rows / "a", "combined", **options)
    assert raised.value.filename == str(missing)
    with pytest.raises(OSError, match="ended before"):
        convert([damaged, log], rows / "a", "combined", **options)
    assert list(rows.iterdir()) == []
    faults: list[str] = []
    result = convert(
        [missing, damaged, log], rows / "a", "combined", fault=lambda file, _: faults.append(file), **options
    )
    assert faults == [str(missing), str(damaged)]
    assert result.parsed > convert(log, rows / "b", **options).parsed
    assert (rows / "a").exists()


@on_linux
@pytest.mark.parametrize(
    "read", [partial(convert, output="/dev/null", format="list"), lambda paths: list(batches(paths, "list"))]
)
def test_after_a_file_that_cannot_be_read_no_other_is_opened(tmp_path: Path, read: Callable[[list[Path]], Any]) -> None:
    os.mkfifo(tmp_path / "nobody writes to this")  # to open it would wait for ever
    with pytest.raises(FileNotFoundError):
        read([tmp_path / "missing", tmp_path / "nobody writes to this"])


def test_if_nothing_can_be_read_the_old_file_stays(log: Path, rows: Path) -> None:
    old = rows / "a.csv"
    old.write_bytes(b"old")
    result = convert(log.parent / "missing", old, "combined", header=True, fault=lambda *_: None)
    assert result == (0, 0, 0, 0)
    assert old.read_bytes() == b"old"
    log.write_bytes(b"")
    convert(log, old, columns=["status"], header=True)
    assert old.read_bytes() == b"status\r\n"


def test_the_name_of_a_directory_says_nothing() -> None:
    assert file_format("rows.csv", "parquet", by_day=True) == "parquet"
    assert file_format(None) == "tsv"


def test_batches_of_one_piece_are_joined(tmp_path: Path) -> None:
    log, rows = tmp_path / "access.log", tmp_path / "rows.parquet"
    log.write_bytes(SQUID.sample * 3000)  # more than a table has, in a format without a layout
    assert convert(log, rows, SQUID).written == len(pq.read_table(rows)) == 3000 * SQUID.sample.count(b"\n")
