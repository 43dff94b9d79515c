"""Write Arrow record batches to files: Parquet, one file or one per day, and Arrow IPC."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from typing import Protocol, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

__all__ = ["write_arrow", "write_days", "write_parquet"]


class Writable(Protocol):
    """A binary file that need not be seekable."""

    closed: bool

    def write(self, data: bytes, /) -> object:
        """Write bytes."""
        ...  # pragma: no cover


# Rows in a row group: the fewest that let readers of Parquet work in parallel, so that memory stays small.
ROW_GROUP_ROWS = 1 << 16

# Rows in which the values of a column are counted, to see whether they are repeated.
SAMPLE_ROWS = 1 << 14

# Files of days that are open at once: most logs are in order of time.
MAX_OPEN_FILES = 64

# Hive's partition name for NULL.
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


def write_parquet(file: Writable, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write one Parquet file, compressed with Zstandard, one row group at a time.

    Args:
        file: written from beginning to end, and left open.
        schema: the schema of the batches.
        batches: any number of them.

    >>> import io
    >>> batch = pa.record_batch({"status": [200, 404]})
    >>> file = io.BytesIO()
    >>> write_parquet(file, batch.schema, [batch])
    >>> pq.read_table(file)["status"].to_pylist()
    [200, 404]
    """
    row_groups = _row_groups(schema, batches)
    first = next(row_groups, None)
    with _open_writer(file, schema.empty_table() if first is None else first) as writer:
        for table in row_groups if first is None else chain((first,), row_groups):
            writer.write_table(table)


def _open_writer(file: Writable | str, first: pa.Table) -> pq.ParquetWriter:
    """Open a Parquet file for rows like the first ones.

    A column whose values mostly differ gets no dictionary: it takes twice the time, and half as much space again.
    Statistics of text, which rows in order of time do not cluster, take a fifth of the time; there are none.
    """
    sample = first.slice(0, SAMPLE_ROWS)
    repeated = [name for name in sample.column_names if 2 * pc.count_distinct(sample[name]).as_py() <= sample.num_rows]
    numbers = [field.name for field in first.schema if not pa.types.is_string(field.type)]
    return pq.ParquetWriter(
        file,
        first.schema,
        compression="zstd",
        use_dictionary=repeated,
        write_statistics=numbers,
    )


def _row_groups(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Collect small batches, so that every row group except the last is full."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= ROW_GROUP_ROWS:
            yield pa.Table.from_batches(held, schema)
            held, rows = [], 0
    if held:
        yield pa.Table.from_batches(held, schema)


def write_arrow(file: Writable, schema: pa.Schema, batches: Iterable[pa.RecordBatch], *, is_stream: bool) -> None:
    """Write batches in the Arrow IPC format.

    Args:
        file: written from beginning to end, and left open.
        schema: the schema of the batches.
        batches: any number of them.
        is_stream: whether to write the stream format, for readers that cannot seek, instead of the file format.

    >>> import io
    >>> batch = pa.record_batch({"status": [200, 404]})
    >>> file = io.BytesIO()
    >>> write_arrow(file, batch.schema, [batch], is_stream=True)
    >>> pa.ipc.open_stream(file.getvalue()).read_all()["status"].to_pylist()
    [200, 404]
    """
    with (pa.ipc.new_stream if is_stream else pa.ipc.new_file)(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def write_days(directory: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch], time: str = "time") -> None:
    """Write a directory of Parquet files per day, `day=2026-11-21/part-0.parquet`, partitioned as Hive does it.

    Args:
        directory: an empty directory, or a path where nothing is.
        schema: the schema of the batches.
        batches: any number of them.
        time: the column that gives the day, in UTC. Rows without a time go to `day=__HIVE_DEFAULT_PARTITION__`.

    >>> import os, tempfile
    >>> times = pa.array([0, 86_400_000_000], pa.timestamp("us", tz="UTC"))
    >>> batch = pa.record_batch({"time": times})
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     write_days(directory, batch.schema, [batch])
    ...     sorted(os.listdir(directory))
    ['day=1970-01-01', 'day=1970-01-02']
    """
    with _DayFiles(directory) as files:
        for table in _row_groups(schema, batches):
            days = pc.fill_null(pc.cast(pc.cast(table[time], pa.date32()), pa.string()), HIVE_NULL)
            for day in days.unique().to_pylist():
                files.write(day, table.filter(pc.equal(days, day)))


# pyarrow.dataset.write_dataset reads the batches in threads of its own, which no interrupt reaches.
class _DayFiles:
    """Parquet files per day. The most recently written ones are open; a day that is reopened gets another file."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._parts: Counter[str] = Counter()
        self._open: dict[str, pq.ParquetWriter] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as stack:
            for writer in self._open.values():
                stack.enter_context(writer)

    def write(self, day: str, table: pa.Table) -> None:
        """Write rows of one day."""
        writer = self._open.pop(day, None) or self._open_part(day, table)
        self._open[day] = writer  # now the most recent
        writer.write_table(table)

    def _open_part(self, day: str, table: pa.Table) -> pq.ParquetWriter:
        if len(self._open) == MAX_OPEN_FILES:
            self._open.pop(next(iter(self._open))).close()
        directory = os.path.join(self._directory, f"day={day}")
        os.makedirs(directory, exist_ok=True)
        path = os.path.join(directory, f"part-{self._parts[day]}.parquet")
        self._parts[day] += 1
        return _open_writer(path, table)
