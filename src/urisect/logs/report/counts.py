"""Count any number of different values exactly, in constant memory, with DuckDB.

The process that parses a table counts it in dictionaries, and passes on partial counts: one row per different value.
They are collected here in a DuckDB database in a temporary directory. Rows of the same value are merged whenever there
are twice as many rows as after the last merge, so the file grows with the number of different values, not with the
log. A merge processes one hash partition of the values at a time, each small enough for DuckDB's memory limit. A very
long value is abbreviated to its beginning and a digest of all of it, which keeps it different from all others.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from hashlib import sha256
from importlib.util import find_spec
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, Self

from urisect.extras import MissingExtraError
from urisect.logs.report.partial_counts import PartialCounts
from urisect.logs.temporary import TemporaryDirectory

__all__ = ["MAX_VALUE_BYTES", "BucketCount", "CountDatabase", "ValueCount", "abbreviate"]


# DuckDB's limit, in addition to about 40 MB that it always uses. A lower one is slower, and saves no memory.
MEMORY_LIMIT = "64MB"

# Partial counts are collected in lists up to these limits, then inserted into the database.
MAX_PENDING_ROWS = 1 << 16
MAX_PENDING_BYTES = 1 << 23  # of values

# Longer values are abbreviated. With values of 4,000 bytes, DuckDB exceeds its memory limit.
MAX_VALUE_BYTES = 1000
ABBREVIATED_BYTES = 800

# The database is not merged before it has this many rows.
MIN_MERGE_ROWS = 1 << 20

# The approximate size of a partition in a merge.
PARTITION_ROWS = 3 << 20
PARTITION_BYTES = 1 << 28  # of values


class ValueCount(NamedTuple):
    """The lines that have one value of a field.

    Attributes:
        value: the value; None stands for lines in which the field is undefined.
        lines: the number of lines.
        bytes: the bytes sent with them; 0 if not counted.
        seconds: their total response time; 0 if not counted.
        longest: the longest response time of one of them, in seconds; 0 if not counted.

    >>> count = ValueCount(b"/index.html", lines=4, bytes=8192)
    >>> count.bytes / count.lines
    2048.0
    """

    value: bytes | None
    lines: int
    bytes: int = 0
    seconds: float = 0.0
    longest: float = 0.0


class BucketCount(NamedTuple):
    """The lines that have one value, in one bucket of time.

    Attributes:
        bucket: the number of the bucket, from 0; None for lines without a time.
        value: the value; None stands for lines in which the field is undefined.
        lines: the number of lines.
        bytes: the bytes sent with them.
    """

    bucket: int | None
    value: bytes | None
    lines: int
    bytes: int


class CountDatabase:
    """Exact counts of any number of values, under any number of names, in constant memory.

    It is a context manager; its temporary files are removed at the end. A value longer than 1,000 bytes is abbreviated
    to its beginning and a digest.

    >>> with CountDatabase() as counts:
    ...     counts.add("path", PartialCounts([b"/a", b"/b"], [1, 1]))
    ...     counts.add("path", PartialCounts([b"/b", None], [2, 5]))
    ...     [(count.value, count.lines) for count in counts.top("path", 2)], counts.distinct("path")
    ([(None, 5), (b'/b', 3)], 2)
    """

    def __init__(self) -> None:
        """Check that the packages are installed; the database is created when the first rows are inserted.

        Raises:
            MissingExtraError: DuckDB or pyarrow, which passes columns to DuckDB, is not installed.
        """
        for module in ("duckdb", "pyarrow"):
            if find_spec(module) is None:
                raise MissingExtraError("counting", module)
        self._stack = ExitStack()
        self._directory = ""
        self._connection: Any = None
        self._name_ids: dict[str, int] = {}
        self._pending: list[tuple[int, PartialCounts]] = []
        self._pending_rows = self._pending_bytes = 0
        self._rows = self._bytes = 0  # in the database
        self._merged_rows = 0  # in the database after the last merge

    def __enter__(self) -> Self:
        """Create the temporary directory, where TMPDIR says.

        Raises:
            OSError: the directory cannot be created. Other methods raise it when the file system is full.
        """
        self._directory = self._stack.enter_context(TemporaryDirectory())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, name: str, counts: PartialCounts) -> None:
        """Add partial counts.

        Args:
            name: what is counted.
            counts: the partial counts.
        """
        lengths = [len(value) for value in counts.values if value]
        if max(lengths, default=0) > MAX_VALUE_BYTES:
            counts = counts._replace(values=list(map(abbreviate, counts.values)))
        self._pending.append((self._name_id(name), counts))
        self._pending_rows += len(counts.values)
        self._pending_bytes += sum(lengths)
        if self._pending_rows >= MAX_PENDING_ROWS or self._pending_bytes >= MAX_PENDING_BYTES:
            self._insert_pending()
            if self._rows >= max(MIN_MERGE_ROWS, 2 * self._merged_rows):
                self._merge()

    def top(self, name: str, most: int, *, by: str = "lines") -> list[ValueCount]:
        """Return the values with the highest counts, ties in byte order.

        Args:
            name: what was counted.
            most: the maximum number of values.
            by: what to order by: "lines", "bytes", "seconds" or "longest".
        """
        order = {"lines": "lines", "bytes": "bytes", "seconds": "seconds", "longest": "longest"}[by]
        if not self._merge_all():
            return []
        rows = self._execute(
            "SELECT value, lines, bytes, seconds, longest FROM counts WHERE name = ?"  # noqa: S608  checked above
            f" ORDER BY {order} DESC NULLS LAST, value NULLS LAST LIMIT ?",
            [self._name_id(name), most],
        )
        return list(map(_value_count, rows))

    def distinct(self, name: str) -> int:
        """Return the number of different values; None is not counted.

        Args:
            name: what was counted, without minutes.
        """
        if not self._merge_all():
            return 0
        [(number,)] = self._execute("SELECT count(value) FROM counts WHERE name = ?", [self._name_id(name)])
        return int(number)

    def total(self, name: str) -> ValueCount:
        """Return the sum of all counts under a name, as the count of the value None.

        Args:
            name: what was counted.
        """
        if not self._merge_all():
            return ValueCount(None, 0)
        [row] = self._execute(
            "SELECT NULL, coalesce(sum(lines), 0)::BIGINT, sum(bytes), sum(seconds), max(longest)"
            " FROM counts WHERE name = ?",
            [self._name_id(name)],
        )
        return _value_count(row)

    def per_bucket(self, name: str, begin: int, step: int) -> list[BucketCount]:
        """Return the counts per bucket of time and value, and those without a time.

        Args:
            name: what was counted, with minutes.
            begin: the minute since 1970 in which the first bucket begins; nothing was counted before it.
            step: the length of a bucket, in minutes.
        """
        if not self._merge_all():
            return []
        rows = self._execute(
            "SELECT (minute - ?) // ? AS bucket, value, sum(lines)::BIGINT, sum(bytes) FROM counts WHERE name = ?"
            " GROUP BY bucket, value ORDER BY bucket NULLS LAST, value NULLS LAST",
            [begin, step, self._name_id(name)],
        )
        return [BucketCount(bucket, value, lines, int(size or 0)) for bucket, value, lines, size in rows]

    def _name_id(self, name: str) -> int:
        return self._name_ids.setdefault(name, len(self._name_ids))

    def _insert_pending(self) -> None:
        """Insert the pending partial counts into the database."""
        import pyarrow as pa  # noqa: PLC0415  see `_database`

        pending, self._pending = self._pending, []
        self._rows += self._pending_rows
        self._bytes += self._pending_bytes
        self._pending_rows = self._pending_bytes = 0

        def column(type: Any, values_of: Callable[[PartialCounts], Sequence[Any] | None]) -> Any:
            lists = (values_of(counts) or [None] * len(counts.values) for _, counts in pending)
            return pa.array(list(chain.from_iterable(lists)), type)

        columns = {
            "name": pa.array([name_id for name_id, counts in pending for _ in counts.values], pa.int16()),
            "value": column(pa.binary(), attrgetter("values")),
            "minute": column(pa.int64(), attrgetter("minutes")),
            "lines": column(pa.int64(), attrgetter("lines")),
            "bytes": column(pa.float64(), attrgetter("bytes")),
            "seconds": column(pa.float64(), attrgetter("seconds")),
            "longest": column(pa.float64(), attrgetter("longest")),
        }
        database = self._database()
        database.register("pending", pa.table(columns))
        self._execute("INSERT INTO counts SELECT * FROM pending")
        database.unregister("pending")

    def _merge(self) -> None:
        """Merge the rows of the same value, partition by partition."""
        self._execute("CREATE TABLE merged AS SELECT * FROM counts LIMIT 0")
        partitions = max(self._rows // PARTITION_ROWS, self._bytes // PARTITION_BYTES) + 1
        for partition in range(partitions):
            self._execute(
                "INSERT INTO merged SELECT name, value, minute, sum(lines), sum(bytes), sum(seconds), max(longest)"
                " FROM counts WHERE hash(value, minute) % ? = ? GROUP BY name, value, minute",
                [partitions, partition],
            )
        self._execute("DROP TABLE counts")
        self._execute("ALTER TABLE merged RENAME TO counts")
        self._execute("CHECKPOINT")  # so that the space of the old table is reused
        [(self._merged_rows, self._bytes)] = self._execute(
            "SELECT count(*), coalesce(sum(octet_length(value)), 0)::BIGINT FROM counts"
        )
        self._rows = self._merged_rows

    def _merge_all(self) -> bool:
        """Insert and merge everything added so far, and return whether there is anything."""
        if self._pending_rows:
            self._insert_pending()
        if self._rows > self._merged_rows:
            self._merge()
        return self._rows > 0

    def _database(self) -> Any:
        """Return the connection, and connect on the first call: DuckDB and pyarrow take 70 MB."""
        if self._connection is None:
            import duckdb  # noqa: PLC0415  see above

            settings: dict[str, Any] = {
                "memory_limit": MEMORY_LIMIT,
                "threads": 1,
                "temp_directory": os.path.join(self._directory, "spilled"),
                "preserve_insertion_order": "false",
            }
            self._connection = duckdb.connect(os.path.join(self._directory, "counts.db"), config=settings)
            self._stack.callback(self._connection.close)
            self._execute("SET enable_external_access = false")
            self._execute(
                "CREATE TABLE counts (name SMALLINT, value BLOB, minute BIGINT,"
                " lines BIGINT, bytes DOUBLE, seconds DOUBLE, longest DOUBLE)"
            )
        return self._connection

    def _execute(self, query: str, parameters: Sequence[object] = ()) -> list[Any]:
        database = self._database()
        import duckdb  # noqa: PLC0415  see above

        try:
            return list(database.execute(query, parameters).fetchall())
        except RuntimeError:  # DuckDB's error for an interrupt, whatever the signal handler raises
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
        raise OSError(f"cannot store counts in the temporary directory: {reason}")  # keeps no reference to DuckDB


def abbreviate(value: bytes | None, longest: int = MAX_VALUE_BYTES, kept: int = ABBREVIATED_BYTES) -> bytes | None:
    """Replace the end of a long value by a digest of the whole value.

    Args:
        value: the value; None is returned as it is.
        longest: how many bytes a value may have without being abbreviated.
        kept: how many bytes of the beginning are kept.

    >>> abbreviate(b"/a"), abbreviate(b"/long", longest=4, kept=2)[:12]
    (b'/a', b'/l... (5 byt')
    """
    if value is None or len(value) <= longest:
        return value
    digest = sha256(value).hexdigest().encode()
    return b"%b... (%d bytes, SHA-256 %b)" % (value[:kept], len(value), digest)


def _value_count(row: Any) -> ValueCount:
    value, lines, size, seconds, longest = row
    return ValueCount(value, lines, int(size or 0), seconds or 0.0, longest or 0.0)
