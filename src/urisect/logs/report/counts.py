"""Count any number of different values exactly, in constant memory, with DuckDB.

The process that parses a table counts it, and passes on partial counts: one row per different value. They are collected
here in a DuckDB database in a temporary directory, in a temporary table for each name: DuckDB neither logs nor
compresses such a table, so that a row is inserted in a quarter of the time. Rows of the same value are merged whenever
a table has several times as many rows as after its last merge, so the disk space grows with the number of different
values, not with the log. A merge processes one hash partition of the values at a time, each small enough for DuckDB's
memory limit. A very long value is abbreviated to its beginning and a digest of all of it, which keeps it different
from all others.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from operator import attrgetter
from typing import Any, NamedTuple, Self

from urisect.extras import MissingExtraError
from urisect.logs.report.partial_counts import PartialCounts, as_list
from urisect.logs.temporary import TemporaryDirectory

__all__ = ["MAX_VALUE_BYTES", "BucketCount", "CountDatabase", "ValueCount", "ValueFilter", "abbreviate"]


# DuckDB's limit, in addition to about 40 MB that it always uses. A lower one is slower, and saves no memory.
MEMORY_LIMIT = "64MB"

# Partial counts are collected in lists up to these limits, then inserted into the database.
MAX_PENDING_ROWS = 1 << 18
MAX_PENDING_BYTES = 1 << 25  # of values

# Longer values are abbreviated. With values of 4,000 bytes, DuckDB exceeds its memory limit.
MAX_VALUE_BYTES = 1000
ABBREVIATED_BYTES = 800

# A table is not merged before it has this many rows, nor before it has this many times the rows after the last merge.
MIN_MERGE_ROWS = 1 << 20
GROWTH = 4

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
        bots: how many of them are requests of bots; 0 if not counted.
        client_errors: how many of them have a status code of 400 to 499; 0 if not counted.
        server_errors: how many of them have one of 500 to 599; 0 if not counted.

    >>> count = ValueCount(b"/index.html", lines=4, bytes=8192)
    >>> count.bytes / count.lines
    2048.0
    """

    value: bytes | None
    lines: int
    bytes: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    bots: int = 0
    client_errors: int = 0
    server_errors: int = 0


class ValueFilter(NamedTuple):
    r"""A condition for values.

    Attributes:
        pattern: an expression of RE2; bytes that are not printable ASCII are "\x" and two digits.
        is_match: whether it has to match a part of the value, or must not.

    >>> ValueFilter("^www[.]", is_match=False)
    ValueFilter(pattern='^www[.]', is_match=False)
    """

    pattern: str
    is_match: bool = True


class BucketCount(NamedTuple):
    """The lines that have one value, in one bucket of time.

    Attributes:
        bucket: the number of the bucket, from 0; None for lines without a time.
        value: the value; None stands for lines in which the field is undefined.
        lines: the number of lines.
        bytes: the bytes sent with them.
        bots: how many of them are requests of bots.
    """

    bucket: int | None
    value: bytes | None
    lines: int
    bytes: int
    bots: int = 0


@dataclass
class _CountTable:
    """A table of the database: the counts under one name.

    Attributes:
        name: its name in the database.
        columns: its columns; it has only those that were counted.
        rows: the number of its rows.
        bytes: the bytes of its values.
        merged_rows: the number of rows after the last merge.
    """

    name: str
    columns: set[str] = field(default_factory=lambda: {"value", "lines"})
    rows: int = 0
    bytes: int = 0
    merged_rows: int = 0

    @property
    def query(self) -> str:
        """A subquery with all columns; NULL for what was not counted."""
        columns = (column if column in self.columns else f"NULL::{type} AS {column}" for column, type in _TYPES.items())
        return f"(SELECT {', '.join(columns)} FROM {self.name})"  # noqa: S608  names of this module


# The columns of a table: in partial counts, their types, and how their values are merged.
_COLUMNS: dict[str, Callable[[PartialCounts], Any]] = {
    "value": attrgetter("values"),
    "minute": attrgetter("minutes"),
    "lines": attrgetter("lines"),
    **{name: attrgetter(name) for name in ("bytes", "seconds", "longest", "bots", "client_errors", "server_errors")},
}
_TYPES = {
    "value": "BLOB",
    "minute": "BIGINT",
    "lines": "BIGINT",
    "bytes": "DOUBLE",
    "seconds": "DOUBLE",
    "longest": "DOUBLE",
    "bots": "DOUBLE",
    "client_errors": "DOUBLE",
    "server_errors": "DOUBLE",
}
_MERGED = {
    "lines": "sum_no_overflow(lines) AS lines",
    "bytes": "sum(bytes) AS bytes",
    "seconds": "sum(seconds) AS seconds",
    "longest": "max(longest) AS longest",
    "bots": "sum(bots) AS bots",
    "client_errors": "sum(client_errors) AS client_errors",
    "server_errors": "sum(server_errors) AS server_errors",
}
_ORDERS = {"lines": "lines", "bytes": "bytes", "seconds": "seconds", "longest": "longest", "bots": "bots"}


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
        self._tables: dict[str, _CountTable] = {}  # by name
        self._pending: dict[str, list[PartialCounts]] = {}  # by name
        self._pending_rows = self._pending_bytes = 0

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
        values = counts.values
        if isinstance(values, list):
            lengths = [len(value) for value in values if value]
            longest, size = max(lengths, default=0), sum(lengths)
        else:
            import pyarrow.compute as pc  # noqa: PLC0415  see `_database`

            longest, size = pc.max(pc.binary_length(values)).as_py() or 0, values.nbytes
        if longest > MAX_VALUE_BYTES:
            counts = counts._replace(values=list(map(abbreviate, as_list(values))))
        self._pending.setdefault(name, []).append(counts)
        self._pending_rows += len(values)
        self._pending_bytes += size
        if self._pending_rows >= MAX_PENDING_ROWS or self._pending_bytes >= MAX_PENDING_BYTES:
            self._insert_pending()
            for table in self._tables.values():
                if table.rows >= max(MIN_MERGE_ROWS, GROWTH * table.merged_rows):
                    self._merge(table)

    def top(self, name: str, most: int, *, by: str = "lines", only: ValueFilter | None = None) -> list[ValueCount]:
        """Return the values with the highest counts, ties in byte order.

        Args:
            name: what was counted.
            most: the maximum number of values.
            by: what to order by: "lines", "bytes", "seconds", "longest" or "bots".
            only: the values that may be returned; all by default.
        """
        table = self._merged(name)
        if table is None:
            return []
        condition, arguments = _condition(only)
        rows = self._execute(
            "SELECT value, lines, bytes, seconds, longest, bots, client_errors, server_errors"  # noqa: S608  names of this module
            f" FROM {table.query} WHERE {condition} ORDER BY {_ORDERS[by]} DESC NULLS LAST, value NULLS LAST LIMIT ?",
            [*arguments, most],
        )
        return list(map(_value_count, rows))

    def distinct(self, name: str, *, only: ValueFilter | None = None) -> int:
        """Return the number of different values; None is not counted.

        Args:
            name: what was counted, without minutes.
            only: the values that are counted; all by default.
        """
        table = self._merged(name)
        if table is None:
            return 0
        condition, arguments = _condition(only)
        [(number,)] = self._execute(f"SELECT count(value) FROM {table.query} WHERE {condition}", arguments)  # noqa: S608  see `top`
        return int(number)

    def total(self, name: str, *, only: ValueFilter | None = None) -> ValueCount:
        """Return the sum of all counts under a name, as the count of the value None.

        Args:
            name: what was counted.
            only: the values that are counted; all by default.
        """
        table = self._merged(name)
        if table is None:
            return ValueCount(None, 0)
        condition, arguments = _condition(only)
        [row] = self._execute(
            "SELECT NULL, coalesce(sum(lines), 0)::BIGINT, sum(bytes), sum(seconds), max(longest), sum(bots),"  # noqa: S608  see `top`
            f" sum(client_errors), sum(server_errors) FROM {table.query} WHERE {condition}",
            arguments,
        )
        return _value_count(row)

    def values_per_minute(self, name: str) -> list[tuple[int, int, int]]:
        """Return for each minute how many different values occur in it, and how many of them only for bots.

        Args:
            name: what was counted, with minutes and bots.
        """
        table = self._merged(name)
        if table is None:
            return []
        return self._execute(
            "SELECT minute, count(value), count_if(coalesce(bots, 0) = lines)"  # noqa: S608  see `top`
            f" FROM {table.query} WHERE minute IS NOT NULL AND value IS NOT NULL GROUP BY minute ORDER BY minute"
        )

    def lines_of(self, name: str, values: Sequence[bytes | None]) -> dict[bytes | None, int]:
        """Return the lines of some values; 0 for those that were not counted.

        Args:
            name: what was counted, without minutes.
            values: the values.
        """
        lines = dict.fromkeys(values, 0)
        if table := self._merged(name):
            rows = self._execute(
                f"SELECT value, lines FROM {table.query}"  # noqa: S608  see `top`
                " WHERE value IN (SELECT unnest(?::BLOB[])) OR ? AND value IS NULL",
                [[value for value in values if value is not None], None in lines],
            )
            lines.update(rows)
        return lines

    def numbers_of(self, name: str, values: Sequence[bytes | None]) -> list[tuple[bytes | None, int, int]]:
        """Return some values with the numbers in the place of minutes and their lines, in the order of the numbers.

        Args:
            name: what was counted, with numbers in the place of minutes.
            values: the values.
        """
        table = self._merged(name)
        if table is None:
            return []
        return self._execute(
            f"SELECT value, minute, lines FROM {table.query}"  # noqa: S608  see `top`
            " WHERE minute IS NOT NULL AND (value IN (SELECT unnest(?::BLOB[])) OR ? AND value IS NULL)"
            " ORDER BY minute",
            [[value for value in values if value is not None], None in values],
        )

    def per_bucket(self, name: str, begin: int, step: int) -> list[BucketCount]:
        """Return the counts per bucket of time and value, and those without a time.

        Args:
            name: what was counted, with minutes.
            begin: the minute since 1970 in which the first bucket begins; nothing was counted before it.
            step: the length of a bucket, in minutes.
        """
        table = self._merged(name)
        if table is None:
            return []
        rows = self._execute(
            "SELECT (minute - ?) // ? AS bucket, value, sum(lines)::BIGINT, sum(bytes), sum(bots)"  # noqa: S608  see `top`
            f" FROM {table.query} GROUP BY bucket, value ORDER BY bucket NULLS LAST, value NULLS LAST",
            [begin, step],
        )
        return [
            BucketCount(bucket, value, lines, int(size or 0), int(bots or 0))
            for bucket, value, lines, size, bots in rows
        ]

    def per_slot(self, name: str, origin: int, step: int, slots: int) -> list[int]:
        """Return the lines in each slot of a cycle, such as the hours of a day.

        Args:
            name: what was counted, with minutes.
            origin: a minute since 1970 in which the first slot of a cycle begins.
            step: the length of a slot, in minutes.
            slots: the number of slots in a cycle.
        """
        lines = [0] * slots
        if table := self._merged(name):
            rows = self._execute(
                "SELECT floor((minute - ?) / ?)::BIGINT AS number, sum(lines)::BIGINT"  # noqa: S608  see `top`
                f" FROM {table.query} WHERE minute IS NOT NULL GROUP BY number",
                [origin, step],
            )
            for number, count in rows:
                lines[number % slots] += count
        return lines

    def _insert_pending(self) -> None:
        """Insert the pending partial counts into the database."""
        import pyarrow as pa  # noqa: PLC0415  see `_database`

        pending, self._pending = self._pending, {}
        self._pending_rows = self._pending_bytes = 0
        types = {"value": pa.binary(), "minute": pa.int64(), "lines": pa.int64()}
        database = self._database()
        for name, parts in pending.items():
            table = self._table(name)
            columns = {}
            for column, values_of in _COLUMNS.items():
                chunks = [values_of(counts) for counts in parts]
                if any(chunk is not None for chunk in chunks):
                    type = types.get(column, pa.float64())
                    columns[column] = pa.chunked_array(
                        [
                            pa.nulls(len(counts.values), type) if chunk is None else pa.array(chunk, type)
                            for chunk, counts in zip(chunks, parts, strict=True)
                        ],
                        type,
                    )
            rows = pa.table(columns)
            for column in columns.keys() - table.columns:
                self._execute(f"ALTER TABLE {table.name} ADD COLUMN {column} {_TYPES[column]}")
                table.columns.add(column)
            database.register("pending", rows)
            self._execute(f"INSERT INTO {table.name} BY NAME SELECT * FROM pending")  # noqa: S608  see `top`
            database.unregister("pending")
            table.rows += rows.num_rows
            table.bytes += columns["value"].nbytes

    def _table(self, name: str) -> "_CountTable":
        """Return the table of a name, and create it on the first call."""
        if name not in self._tables:
            table = self._tables[name] = _CountTable(f"counts_{len(self._tables)}")
            self._execute(f"CREATE TEMP TABLE {table.name} (value BLOB, lines BIGINT)")
        return self._tables[name]

    def _merge(self, table: "_CountTable") -> None:
        """Merge the rows of the same value, partition by partition."""
        keys = [column for column in ("value", "minute") if column in table.columns]
        sums = [function for column, function in _MERGED.items() if column in table.columns]
        self._execute(f"CREATE TEMP TABLE merged AS SELECT * FROM {table.name} LIMIT 0")  # noqa: S608  see `top`
        partitions = max(table.rows // PARTITION_ROWS, table.bytes // PARTITION_BYTES) + 1
        for partition in range(partitions):
            self._execute(
                f"INSERT INTO merged BY NAME SELECT {', '.join(keys + sums)} FROM {table.name}"  # noqa: S608  see `top`
                f" WHERE {partitions} = 1 OR hash({', '.join(keys)}) % {partitions} = {partition}"
                f" GROUP BY {', '.join(keys)}"
            )
        self._execute(f"DROP TABLE {table.name}")
        self._execute(f"ALTER TABLE merged RENAME TO {table.name}")
        [(table.rows, table.bytes)] = self._execute(
            f"SELECT count(*), coalesce(sum(octet_length(value)), 0)::BIGINT FROM {table.name}"  # noqa: S608  see `top`
        )
        table.merged_rows = table.rows

    def _merged(self, name: str) -> "_CountTable | None":
        """Insert everything added so far; return the merged table of a name, or None if nothing was counted."""
        if self._pending_rows:
            self._insert_pending()
        table = self._tables.get(name)
        if table and table.rows > table.merged_rows:
            self._merge(table)
        return table if table and table.rows else None

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
    value, lines, size, seconds, longest, bots, client_errors, server_errors = row
    return ValueCount(
        value,
        lines,
        int(size or 0),
        seconds or 0.0,
        longest or 0.0,
        int(bots or 0),
        int(client_errors or 0),
        int(server_errors or 0),
    )


def _condition(only: ValueFilter | None) -> tuple[str, list[object]]:
    """Return a filter as a condition in SQL, and its arguments."""
    if only is None:
        return "true", []
    return "coalesce(regexp_matches(value::VARCHAR, ?), false) = ?", [only.pattern, only.is_match]
