"""Read logs into Spark DataFrames, with a Python data source: the driver cuts files into ranges, executors parse them.

Only paths and offsets leave the driver; executors open the files themselves, wherever their paths lead. Reading has no
side effect, so a task that runs again yields the same rows.
"""

import warnings
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

from urisect.engines.log_ranges import LogRange, cut_logs, read_tables, row_offsets
from urisect.extras import MissingExtraError
from urisect.logs.formats import Format
from urisect.logs.formats.notation import ValueKind
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.format_selection import AUTO, select_format
from urisect.logs.input.locations import shown_name
from urisect.logs.output.arrow import record_batch, text_array
from urisect.logs.scan.run import PassedOverWarning, input_files

try:
    import pyarrow as pa
    from pyspark import cloudpickle
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
    from pyspark.sql.types import StructType
except ModuleNotFoundError:
    raise MissingExtraError("Spark", "pyspark", "spark") from None

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["PARTITION_BYTES", "LogDataSource", "LogPlan", "LogReader", "read_logs", "read_rejects"]

# Bytes of a plain file in one partition: some seconds of work.
PARTITION_BYTES = 1 << 26

# A field that has the name of a column of ours gets this prefix.
PLACE_COLUMNS = {"file": "string", "offset": "long"}
CLASH_PREFIX = "entry_"

SPARK_TYPES = {
    ValueKind.TEXT: "string",
    ValueKind.NUMBER: "long",
    ValueKind.SECONDS: "double",
    ValueKind.TIME: "timestamp",
}

# The option of the data source that holds the pickled plan.
PLAN = "plan"

# The sessions that know the data source: Spark warns about a name that is registered again.
_registered: "WeakSet[SparkSession]" = WeakSet()


class LogPlan(NamedTuple):
    """What to read: all that the driver decides.

    Attributes:
        formats: the formats of the files.
        fields: the fields of an entry; None to read the rejected lines.
        limit: longest line, in bytes; a longer one is skipped.
        ignore_faults: whether a file that cannot be read any further just ends there.
        ranges: the lines.
    """

    formats: Sequence[Format]
    fields: Sequence[str] | None
    limit: int
    ignore_faults: bool
    ranges: Sequence[LogRange] = ()

    @property
    def columns(self) -> dict[str, str]:
        """The columns of a row, with the names of their types in Spark."""
        if self.fields is None:
            return {**PLACE_COLUMNS, "text": "string"}
        names = {(CLASH_PREFIX if name in PLACE_COLUMNS else "") + name: name for name in self.fields}
        return {column: SPARK_TYPES[self.formats[0].kind(name)] for column, name in names.items()} | PLACE_COLUMNS

    def read(self, lines: LogRange) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a range, in batches.

        Args:
            lines: one of `ranges`.

        Raises:
            OSError: the file cannot be read any further, and faults are not ignored; raised after all rows before.
        """
        name = shown_name(lines.file)
        file = text_array([name.encode("utf-8", "surrogateescape")])[0]
        columns = [*self.columns]
        try:
            for table, block in read_tables(lines, self.formats[lines.format_number], self.fields or (), self.limit):
                if self.fields is None:
                    offsets = pa.array([line.offset for line in table.rejected], pa.int64())
                    arrays = [offsets, text_array([line.text for line in table.rejected])]
                else:
                    offsets = pa.array(row_offsets(table, block))
                    arrays = [*record_batch(table, self.fields).columns, offsets]
                if len(offsets):
                    arrays.insert(columns.index("file"), pa.repeat(file, len(offsets)))
                    yield pa.record_batch(arrays, columns)
        except OSError as error:
            if not self.ignore_faults:
                reason = error.strerror or error
                raise OSError(f"{name}: {reason}; ignore_faults=True keeps the lines before this") from error
            _warn_of_fault(lines.file, error)


def _warn_of_fault(file: str, error: OSError) -> None:
    warnings.warn(f"{shown_name(file)}: {error.strerror or error}; the rest is not read", RuntimeWarning, stacklevel=2)


class LogReader(DataSourceReader):  # type: ignore[misc]  # its types are not followed
    """Reads the ranges of a plan, each in a task of its own."""

    def __init__(self, plan: LogPlan) -> None:
        """Store the plan.

        Args:
            plan: what to read.
        """
        self._plan = plan

    def __reduce__(self) -> tuple[type["LogReader"], tuple[LogPlan]]:
        """Pickle the reader for the executors; each gets its range with the task."""
        return LogReader, (self._plan._replace(ranges=()),)

    def partitions(self) -> list[InputPartition]:
        """Return a partition for each range."""
        return [InputPartition(lines) for lines in self._plan.ranges]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a partition, in record batches.

        Args:
            partition: one of `partitions`, or Spark's partition without a value, if there are none.

        Raises:
            OSError: the file cannot be read any further, and faults are not ignored.
        """
        return iter(()) if partition.value is None else self._plan.read(partition.value)


class LogDataSource(DataSource):  # type: ignore[misc]  # its types are not followed
    """The data source of `read_logs` and `read_rejects`; its only option holds a `LogPlan`."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the data source."""
        return "urisect-logs"

    def schema(self) -> StructType:
        """Return the columns of the rows and their types."""
        schema = StructType()
        for name, type_name in self._plan().columns.items():
            schema.add(name, type_name)
        return schema

    def reader(self, schema: StructType) -> LogReader:  # noqa: ARG002  Spark passes what `schema` returned
        """Return a reader, once: the option is dropped, since Spark sends this object to every task.

        Args:
            schema: the columns of the rows.
        """
        plan = self._plan()
        self.options: dict[str, str] = {}
        return LogReader(plan)

    def _plan(self) -> LogPlan:
        plan: LogPlan = cloudpickle.loads(b64decode(self.options[PLAN]))
        return plan


def read_logs(
    spark: "SparkSession",
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    format: Format | str = AUTO,
    *,
    fields: Iterable[str] | None = None,
    partition_bytes: int = PARTITION_BYTES,
    limit: int = MAX_LINE_BYTES,
    ignore_faults: bool = False,
) -> "DataFrame":
    r"""Read logs into a DataFrame: a row for each line that matches the format.

    The columns are the fields of the format, then `file`, the path of the file, and `offset`, where the line begins in
    the (decompressed) file, in bytes. Text is a string, in which a byte that is not UTF-8 becomes four characters, such
    as "\xff"; times are timestamps, numbers bigint, seconds double. A field that is itself called `file` or `offset`
    is in `entry_file` or `entry_offset`.

    A plain file is cut at line ends; the parts are read in parallel. A compressed file is one partition, and so is a
    file whose lines depend on earlier ones, as in W3C logs. The files are listed, and their format is detected, when
    this function is called; the executors open them under the same paths.

    Args:
        spark: the session.
        path: a file, a directory, a pattern, or several of them, on a file system that all executors share, or in
            remote storage ("s3://bucket/logs/*.gz"). A file may be compressed with gzip, bzip2, xz or Zstandard.
        format: a `Format`, its name, or a format string, see `urisect.logs.format_of`; "auto" detects it from the first
            lines of each file.
        fields: the fields to parse; all of `format.columns` by default. Spark does not tell which ones a query needs,
            so naming them makes it faster.
        partition_bytes: a partition of a plain file ends at the first line end after so many bytes.
        limit: longest line, in bytes; a longer one is skipped.
        ignore_faults: whether to go on if a file cannot be read any further, with the lines before that. If not, the
            task fails.

    Returns:
        The rows. Lines that do not match the format are left out; `read_rejects` returns them.

    Raises:
        ValueError: the format is unknown, or none matches the first lines; `partition_bytes` is not positive; or a file
            can be read only once, such as a pipe.
        KeyError: the format has no such field.
        OSError: a file cannot be opened.
        MissingExtraError: a package that decompresses a file or reads remote storage is not installed.

    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> spark = SparkSession.builder.getOrCreate()  # doctest: +SKIP
    >>> rows = read_logs(spark, "logs/", fields=["status", "target_path"])  # doctest: +SKIP
    >>> rows.where("status >= 500").groupBy("target_path").count().show()  # doctest: +SKIP
    """
    formats, ranges = _plan_ranges(path, format, partition_bytes, ignore_faults=ignore_faults)
    names = formats[0].columns if fields is None else tuple(dict.fromkeys(fields))
    formats[0].needed(names)  # raise KeyError now, not in the executors
    return _load(spark, LogPlan(formats, names, limit, ignore_faults, ranges))


def read_rejects(
    spark: "SparkSession",
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    format: Format | str = AUTO,
    *,
    partition_bytes: int = PARTITION_BYTES,
    limit: int = MAX_LINE_BYTES,
    ignore_faults: bool = False,
) -> "DataFrame":
    r"""Read the lines of logs that do not match their format, which `read_logs` leaves out.

    The columns are `file`, `offset`, where the line begins in the (decompressed) file, in bytes, and `text`, the line
    without its end: a string, in which a byte that is not UTF-8 becomes four characters, such as "\xff". Blank lines,
    directives and lines that are too long are skipped, not rejected.

    Args:
        spark: the session.
        path: as for `read_logs`.
        format: as for `read_logs`; the same format rejects the same lines.
        partition_bytes: as for `read_logs`.
        limit: longest line, in bytes; a longer one is skipped.
        ignore_faults: as for `read_logs`.

    Raises:
        ValueError: as for `read_logs`.
        OSError: a file cannot be opened.
        MissingExtraError: a package that decompresses a file or reads remote storage is not installed.

    >>> read_rejects(spark, "logs/", "combined").show(truncate=False)  # doctest: +SKIP
    """
    formats, ranges = _plan_ranges(path, format, partition_bytes, ignore_faults=ignore_faults)
    return _load(spark, LogPlan(formats, None, limit, ignore_faults, ranges))


def _plan_ranges(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    format: Format | str,
    partition_bytes: int,
    *,
    ignore_faults: bool,
) -> tuple[list[Format], list[LogRange]]:
    """List the files, select their formats, and cut them."""
    if partition_bytes < 1:
        raise ValueError(f"partition_bytes is {partition_bytes}: a partition has at least one byte")
    files = input_files(path)
    selection = select_format(format, files)
    for file, reason in selection.passed_over.items():
        warnings.warn(f"{shown_name(file)} is passed over: {reason}", PassedOverWarning, stacklevel=3)

    def fault(file: str, error: OSError) -> None:
        if not ignore_faults:
            raise error
        _warn_of_fault(file, error)

    return cut_logs(selection.readable(files), selection.format, partition_bytes, fault)


def _load(spark: "SparkSession", plan: LogPlan) -> "DataFrame":
    if spark not in _registered:
        spark.dataSource.register(LogDataSource)
        _registered.add(spark)
    text = b64encode(cloudpickle.dumps(plan)).decode()
    return spark.read.format(LogDataSource.name()).option(PLAN, text).load()
