"""Write Arrow's record batches to files: Parquet, one or one a day, and Arrow's own formats."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Protocol, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

__all__ = ["write_arrow", "write_days", "write_parquet"]


class Writable(Protocol):
    """What is written to: a binary file that need not be seekable."""

    closed: bool

    def write(self, data: bytes, /) -> object:
        """Write bytes."""
        ...  # pragma: no cover


# Rows of a row group: the least that readers of Parquet can share out well, and not more memory than need be.
ROW_GROUP = 1 << 16

# Files of days that are open at once: most logs have one day after the other.
OPEN = 64

# What Hive calls the folder of rows in which that is undefined by which it parts them.
UNDEFINED = "__HIVE_DEFAULT_PARTITION__"


def write_parquet(file: Writable, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write one Parquet file, a row group at a time.

    Args:
        file: written from its beginning to its end, and left open.
        schema: of the batches.
        batches: any number of them.

    >>> import io
    >>> batch = pa.record_batch({"status": [200, 404]})
    >>> file = io.BytesIO()
    >>> write_parquet(file, batch.schema, [batch])
    >>> pq.read_table(file)["status"].to_pylist()
    [200, 404]
    """
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for table in _row_groups(schema, batches):
            writer.write_table(table)


def _row_groups(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Gather small batches, so that every row group but the last has as many rows as it should."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= ROW_GROUP:
            yield pa.Table.from_batches(held, schema)
            held, rows = [], 0
    if held:
        yield pa.Table.from_batches(held, schema)


def write_arrow(file: Writable, schema: pa.Schema, batches: Iterable[pa.RecordBatch], *, is_stream: bool) -> None:
    """Write batches in Arrow's IPC format.

    Args:
        file: written from its beginning to its end, and left open.
        schema: of the batches.
        batches: any number of them.
        is_stream: whether whoever reads it cannot seek in it, as in a pipe.

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


def write_days(folder: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch], time: str = "time") -> None:
    """Write Parquet files in a folder a day, `day=2026-11-21/part-0.parquet`, as Hive has it.

    Args:
        folder: empty, or not there.
        schema: of the batches.
        batches: any number of them.
        time: the column that says the day, in UTC. Where it is undefined, the folder is
            `day=__HIVE_DEFAULT_PARTITION__`.

    >>> import os, tempfile
    >>> times = pa.array([0, 86_400_000_000], pa.timestamp("us", tz="UTC"))
    >>> batch = pa.record_batch({"time": times})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_days(folder, batch.schema, [batch])
    ...     sorted(os.listdir(folder))
    ['day=1970-01-01', 'day=1970-01-02']
    """
    with _Days(folder, schema) as files:
        for table in _row_groups(schema, batches):
            days = pc.fill_null(pc.cast(pc.cast(table[time], pa.date32()), pa.string()), UNDEFINED)
            for day in days.unique().to_pylist():
                files.write(day, table.filter(pc.equal(days, day)))


# Arrow has a writer of such folders, but one that reads the batches from threads of its own: no interrupt reaches it.
class _Days:
    """Files of days. Only those that were written to last are open; what comes later for another has its own file."""

    def __init__(self, folder: str, schema: pa.Schema) -> None:
        self._folder = folder
        self._schema = schema
        self._parts: Counter[str] = Counter()
        self._open: dict[str, pq.ParquetWriter] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as stack:
            for writer in self._open.values():
                stack.enter_context(writer)

    def write(self, day: str, table: pa.Table) -> None:
        """Write rows of a day."""
        writer = self._open.pop(day, None) or self._opened(day)
        self._open[day] = writer  # behind all others
        writer.write_table(table)

    def _opened(self, day: str) -> pq.ParquetWriter:
        if len(self._open) == OPEN:
            self._open.pop(next(iter(self._open))).close()
        folder = os.path.join(self._folder, f"day={day}")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"part-{self._parts[day]}.parquet")
        self._parts[day] += 1
        return pq.ParquetWriter(path, self._schema, compression="zstd")
