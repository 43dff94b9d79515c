"""Logs in Spark: the same rows, rejected lines and offsets as `urisect logs`, however files are cut and compressed.

Most tests read partitions in this process, as executors do; some run Spark.
"""

import gzip
import importlib
import json
import os
import pickle
import sys
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="pyspark is not installed")

from benchmarks.corpora import access_log
from tests.support.command import run
from tests.support.compressed import PACKED
from urisect import logs
from urisect.engines import log_ranges
from urisect.engines.spark import read_logs, read_rejects
from urisect.engines.spark_logs import LogDataSource
from urisect.logs import FORMATS, Format
from urisect.logs.scan import pieces

pytestmark = pytest.mark.unmeasured  # Spark starts many processes

GARBAGE = b"garbage \xff \xc3\xa9\n"
SAMPLE = access_log(300)
ROWS = len([*logs.records(BytesIO(SAMPLE), "combined")])

W3C_LINES = FORMATS["w3c"].sample.splitlines(keepends=True)

# A folder of logs in several formats, plain and compressed.
FILES = {
    "access.log": SAMPLE + GARBAGE + b"\n" + SAMPLE[: len(SAMPLE) // 2] + b"no line end",
    "access.log.1.gz": PACKED["gzip"](SAMPLE + GARBAGE),
    "access.log.2.zst": PACKED["zstd"](GARBAGE + SAMPLE),
    "vhosts/access.log.xz": PACKED["xz"](FORMATS["vhost-combined"].sample * 20 + GARBAGE),
    "vhosts/access.log.bz2": PACKED["bzip2"](FORMATS["vhost-combined"].sample * 20),
    "iis/u_ex.log": (FORMATS["w3c"].sample * 3 + GARBAGE + b"#Fields: time cs-uri sc-status\n13:55:38 /late 404\n") * 5,
    "caddy.json": FORMATS["caddy"].sample * 20 + GARBAGE,
    "empty.log": b"",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("logs")
    for name, data in FILES.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return directory


class Driver:
    """Stands for a session: plans and reads in this process, as Spark does."""

    def __init__(self) -> None:
        self.options: dict[str, str] = {}
        self.registered = 0
        self.read = self.dataSource = self

    def register(self, source: type[LogDataSource]) -> None:
        self.registered += 1
        assert source is LogDataSource

    def format(self, name: str) -> "Driver":
        assert name == "urisect-logs"
        return self

    def option(self, name: str, value: str) -> "Driver":
        self.options = {name: value}
        return self

    def load(self) -> pa.Table:
        source = LogDataSource(self.options)
        schema = source.schema()
        reader = source.reader(schema)
        partitions = reader.partitions()
        function, arguments = reader.__reduce__()
        batches = [batch for part in partitions for batch in function(*arguments).read(part)]
        types = {"string": pa.string(), "bigint": pa.int64(), "double": pa.float64()}
        expected = pa.schema(
            (field.name, types.get(field.dataType.simpleString(), pa.timestamp("us", tz="UTC"))) for field in schema
        )
        self.partitions = len(partitions)
        return pa.Table.from_batches(batches, expected)


def sort_rows(table: pa.Table) -> pa.Table:
    return table.sort_by([("file", "ascending"), ("offset", "ascending")])


def own_fields(table: pa.Table) -> pa.Table:
    """The fields of the format, under their names, without the columns that every row has."""
    fields = table.drop_columns(["file", "offset"])
    return fields.rename_columns([name.removeprefix("entry_") for name in fields.schema.names])


def expected_rows(path: str | Path | list[str], format: Format | str = "auto", **options: Any) -> pa.Table:
    return pa.Table.from_batches(logs.batches(path, format, **options))


def parse_reject_file(content: bytes) -> list[tuple[str, int, str]]:
    """File, offset and text of each line that `urisect logs --rejects` wrote."""
    lines = [line.split(b"\t", 3) for line in content.splitlines()]
    return [(file.decode(), int(offset), text.decode("utf-8", "backslashreplace")) for file, _, offset, text in lines]


def reject_rows(table: pa.Table) -> list[tuple[str, int, str]]:
    assert table.schema.names == ["file", "offset", "text"]
    return [(row["file"], row["offset"], row["text"]) for row in sort_rows(table).to_pylist()]


def decompress(path: Path) -> bytes:
    with path.open("rb") as file:
        stream = logs.decompressed(file)
        return b"".join(iter(lambda: stream.read1(1 << 16), b""))


@pytest.mark.filterwarnings("ignore")  # pyspark's own
@pytest.mark.timeout(120)
class TestInSpark:
    def test_a_folder(self, spark: Any, folder: Path, tmp_path: Path) -> None:
        """Rows and rejected lines are those of the library and of the command."""
        rows = read_logs(spark, folder, partition_bytes=10_000)
        assert rows.rdd.getNumPartitions() > len(FILES) + 5
        found = sort_rows(rows.toArrow())
        expected = expected_rows(folder)
        assert own_fields(found).to_pylist() == expected.to_pylist()
        rejects = tmp_path / "rejects"
        fields = ["status", "target_path", "agent", "server"]
        command = ["logs", str(folder), "--to", "ndjson", "--fields", ",".join(fields), "--rejects", str(rejects)]
        status, output, _ = run(*command)
        assert status == 0
        assert found.select(fields).to_pylist() == [json.loads(line) for line in output.splitlines()]
        found = read_rejects(spark, folder, partition_bytes=10_000).toArrow()
        assert reject_rows(found) == parse_reject_file(rejects.read_bytes())

    def test_a_query(self, spark: Any, folder: Path) -> None:
        rows = read_logs(spark, folder / "access.log", logs.COMBINED, fields=["status", "time", "url"])
        expected = expected_rows(folder / "access.log", "combined", columns=["status", "time", "url"])
        assert rows.dtypes == [
            ("status", "bigint"),
            ("time", "timestamp"),
            ("url", "string"),
            ("file", "string"),
            ("offset", "bigint"),
        ]
        counted = rows.groupBy("status").count().collect()
        found = expected["status"].value_counts().to_pylist()
        assert {row["status"]: row["count"] for row in counted} == {each["values"]: each["counts"] for each in found}

    def test_nothing(self, spark: Any, tmp_path: Path) -> None:
        """A directory without files has no rows and no partitions, for which Spark invents one."""
        assert read_logs(spark, tmp_path).collect() == []

    def test_a_damaged_file(self, spark: Any, tmp_path: Path) -> None:
        """It fails the job, unless faults are ignored."""
        damaged = tmp_path / "access.log.gz"
        damaged.write_bytes(gzip.compress(SAMPLE)[:-2000])
        with pytest.raises(Exception, match=rf"{damaged}: .*ended.*; ignore_faults=True keeps"):
            read_logs(spark, tmp_path).count()
        kept: list[dict[str, Any]] = []
        before = pa.Table.from_batches(logs.batches(damaged, fault=lambda *_: kept.append({})))
        assert len(kept) == 1
        assert read_logs(spark, tmp_path, ignore_faults=True).count() == before.num_rows > 100


# In this process.


def test_offsets_lead_to_the_lines(folder: Path) -> None:
    """The line at the offset of a row has its values; rows, rejected and skipped lines are all lines."""
    driver = Driver()
    rows = read_logs(driver, folder, partition_bytes=3000)
    rejects = read_rejects(driver, folder, partition_bytes=3000)
    for name in FILES:
        path = folder / name
        data = decompress(path)
        found = rows.filter(pa.compute.equal(rows["file"], str(path)))
        rejected = rejects.filter(pa.compute.equal(rejects["file"], str(path)))
        skipped: list[logs.Skipped] = []
        assert found.num_rows == sum(batch.num_rows for batch in logs.batches(path, skip=skipped.append))
        offsets = {*found["offset"].to_pylist(), *rejected["offset"].to_pylist(), *(line.offset for line in skipped)}
        lines, start = {}, 0
        for line in data.removesuffix(b"\n").split(b"\n") if data else ():
            lines[start] = line
            start += len(line) + 1
        assert offsets == {*lines}
        for row in rejected.to_pylist():
            assert row["text"] == lines[row["offset"]].decode("utf-8", "backslashreplace")
        for row in found.to_pylist():
            values = [str(row[name]).encode() for name in ("target_path", "status", "agent") if row[name] is not None]
            assert [value for value in values if value not in lines[row["offset"]]] == []


LINES = {
    "combined": [*logs.COMBINED.sample.splitlines(keepends=True), GARBAGE, b"\n", b"long" * 100 + b"\n"],
    "w3c": [*W3C_LINES, b"#Fields: time cs-uri sc-status\n", b"13:55:38 /late 404\n", GARBAGE],
}


@st.composite
def log_data(draw: st.DrawFn) -> tuple[str, bytes]:
    name = draw(st.sampled_from([*LINES]))
    lines = draw(st.lists(st.sampled_from(LINES[name]), max_size=12))
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return name, mark + b"".join(lines)[: draw(st.sampled_from([None, -1, -9]))]


@given(log_data(), st.integers(1, 500), st.integers(1, 500))
@example(("combined", SAMPLE), 1, 100)  # a partition for each line
@example(("combined", logs.COMBINED.sample), logs.COMBINED.sample.index(b"\n"), 99)  # ends before a line end
@example(("combined", logs.COMBINED.sample), logs.COMBINED.sample.index(b"\n") + 1, 99)  # ends after it
@example(("combined", logs.COMBINED.sample), logs.COMBINED.sample.index(b"\n") + 9, 99)  # ends in a line
@example(("w3c", FORMATS["w3c"].sample), FORMATS["w3c"].sample.index(b"Fields") + 20, 99)  # ends in the header
def test_ranges_change_nothing(log: tuple[str, bytes], range_bytes: int, table_bytes: int) -> None:
    name, data = log
    with pytest.MonkeyPatch.context() as patch, NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        rejected: list[logs.Rejected] = []
        expected = pa.Table.from_batches(
            logs.batches(file.name, name, limit=300, reject=rejected.append),
            logs.schema(FORMATS[name], FORMATS[name].columns),
        )
        patch.setattr(pieces, "TABLE_BYTES", table_bytes)
        driver = Driver()
        rows = read_logs(driver, file.name, name, partition_bytes=range_bytes, limit=300)
        assert own_fields(rows).to_pylist() == expected.to_pylist()
        rejects = read_rejects(driver, file.name, name, partition_bytes=range_bytes, limit=300)
        assert [(row["offset"], row["text"]) for row in rejects.to_pylist()] == [
            (line.offset, line.text.decode("utf-8", "backslashreplace")) for line in rejected
        ]


def test_plain_files_are_cut(folder: Path) -> None:
    driver = Driver()
    read_logs(driver, folder / "access.log", partition_bytes=10_000)
    assert driver.partitions == -(-len(FILES["access.log"]) // 10_000)
    read_logs(driver, folder / "access.log")
    assert driver.partitions == 1


@pytest.mark.parametrize("name", ["access.log.1.gz", "access.log.2.zst", "vhosts/access.log.xz", "iis/u_ex.log"])
def test_compressed_and_stateful_files_are_not_cut(folder: Path, name: str) -> None:
    driver = Driver()
    read_logs(driver, folder / name, partition_bytes=100)
    assert driver.partitions == 1


def test_one_registration_for_each_session(folder: Path) -> None:
    driver, other = Driver(), Driver()
    for session in (driver, other, driver):
        read_logs(session, folder / "access.log")
    assert (driver.registered, other.registered) == (1, 1)


def test_only_its_own_range_goes_to_a_task(folder: Path) -> None:
    """The reader and the data source, which each task gets, do not know the ranges."""
    sizes = []
    for partition_bytes in (100, 1 << 20):
        driver = Driver()
        read_logs(driver, folder, partition_bytes=partition_bytes)
        source = LogDataSource(driver.options)
        reader = source.reader(source.schema())
        sizes.append((len(reader.partitions()), len(pickle.dumps((reader, source)))))
    [(many, small), (few, same)] = sizes
    assert many > 10 * few
    assert small == same


def test_columns_of_the_same_name(folder: Path) -> None:
    """A field "file" makes room for the path of the file; a field that is asked for twice is one column."""
    rows = read_logs(Driver(), folder / "iis/u_ex.log", fields=["file", "status", "status"])
    assert rows.schema.names == ["entry_file", "status", "file", "offset"]
    assert {*rows["file"].to_pylist()} == {str(folder / "iis/u_ex.log")}


def test_no_fields(folder: Path) -> None:
    rows = read_logs(Driver(), folder / "access.log", fields=[])
    assert rows.schema.names == ["file", "offset"]
    assert rows.num_rows == expected_rows(folder / "access.log").num_rows


def test_a_relative_path_is_absolute_for_executors(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    rows = read_logs(Driver(), ["access.log", "iis"], fields=[])
    assert {*rows["file"].to_pylist()} == {str(folder / "access.log"), str(folder / "iis" / "u_ex.log")}


@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are UTF-8")
def test_a_file_name_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.log")).write_bytes(logs.COMBINED.sample)
    assert {*read_logs(Driver(), tmp_path)["file"].to_pylist()} == {f"{tmp_path}/\\xff.log"}


def test_empty_files(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    (tmp_path / "none").mkdir()
    assert read_logs(Driver(), tmp_path).num_rows == 0
    assert read_logs(Driver(), tmp_path / "none", "common").schema.names[:3] == ["client", "identity", "user"]
    assert read_rejects(Driver(), tmp_path / "empty.log").num_rows == 0


def test_a_file_in_no_known_format_is_passed_over(folder: Path, tmp_path: Path) -> None:
    unknown = tmp_path / "error.log"
    unknown.write_bytes(b"what is this\n" * 9)
    with pytest.warns(logs.PassedOverWarning, match=f"{unknown} is passed over: "):
        rows = read_logs(Driver(), [unknown, folder / "access.log"], fields=[])
    assert {*rows["file"].to_pylist()} == {str(folder / "access.log")}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"format": "combine"}, ValueError, 'did you mean "combined"'),
        ({"fields": ["stats"]}, KeyError, "stats"),
        ({"partition_bytes": 0}, ValueError, "partition_bytes is 0: a partition has at least one byte"),
        ({"path": "/no/such/access.log"}, FileNotFoundError, "No such file"),
        ({"path": "/dev/null"}, ValueError, "'/dev/null' is no file that can be read twice"),
        ({"path": "-", "format": "combined"}, ValueError, "'-' is no file that can be read twice"),
    ],
)
def test_errors_of_the_driver(folder: Path, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_logs(Driver(), **{"path": folder / "access.log", **options})


def test_an_unknown_format(tmp_path: Path) -> None:
    (tmp_path / "error.log").write_bytes(b"what is this\n" * 9)
    with pytest.raises(ValueError, match="no format matches half of the first lines"):
        read_logs(Driver(), tmp_path)


def test_a_missing_file_is_ignored(folder: Path) -> None:
    with pytest.warns(RuntimeWarning, match=r"/no/such: No such file or directory; the rest is not read"):
        rows = read_logs(Driver(), ["/no/such", folder / "access.log"], ignore_faults=True)
    assert rows.num_rows == expected_rows(folder / "access.log").num_rows


class Planned:
    """A log that changes after the driver planned how to read it."""

    def __init__(self, path: Path, **options: Any) -> None:
        driver = Driver()
        path.write_bytes(SAMPLE)
        read_logs(driver, path, "combined", partition_bytes=20_000, **options)
        source = LogDataSource(driver.options)
        self.reader = source.reader(source.schema())

    def read(self) -> list[int]:
        """The number of rows of each partition."""
        return [sum(batch.num_rows for batch in self.reader.read(part)) for part in self.reader.partitions()]


def test_a_task_reads_the_same_again(tmp_path: Path) -> None:
    log = Planned(tmp_path / "access.log")
    assert log.read() == log.read()
    assert sum(log.read()) == ROWS


def test_a_log_that_grows(tmp_path: Path) -> None:
    """What is written after the plan is not read."""
    log = Planned(tmp_path / "access.log")
    with (tmp_path / "access.log").open("ab") as file:
        file.write(SAMPLE)
    assert sum(log.read()) == ROWS


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (SAMPLE[: len(SAMPLE) // 2], "the file became shorter while it was read"),
        (b"x" + SAMPLE, "the file was replaced while it was read"),
        (None, "No such file or directory"),
    ],
)
def test_a_log_that_is_rotated(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "access.log"
    log, patient = Planned(path), Planned(path, ignore_faults=True)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(OSError, match=f"^{path}: {reason}; ignore_faults=True keeps the lines before this$"):
        log.read()
    with pytest.warns(RuntimeWarning, match=f"{path}: {reason}; the rest is not read"):
        assert sum(patient.read()) < ROWS


@pytest.mark.parametrize(("package", "module"), [("pyspark", "spark_logs"), ("numpy", "log_ranges")])
def test_without_a_package(package: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"urisect.engines.{module}")
    with pytest.raises(logs.MissingExtraError, match=rf"Spark needs {package}.*'urisect\[spark\]'"):
        importlib.import_module(f"urisect.engines.{module}")


def test_a_log_in_remote_storage_keeps_its_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only a local file is recognized by its first bytes."""
    (tmp_path / "access.log").write_bytes(SAMPLE)
    monkeypatch.setattr(log_ranges, "is_remote", lambda _: True)
    _, [lines] = log_ranges.cut_logs([str(tmp_path / "access.log")], logs.COMBINED, 1 << 20, print)
    assert lines.head == b""
    assert lines.content is not None
    assert lines.content.identity
    tables = log_ranges.read_tables(lines, logs.COMBINED, ["status"], 1000)
    assert sum(table.parsed for table, _ in tables) == ROWS
