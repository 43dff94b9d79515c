"""Count the values of fields: exactly, and in constant memory, however many there are.

Whoever cuts a table also counts it, in plain dictionaries, and hands over *partial counts*: an entry for each different
value. DuckDB keeps them, in a database in a temporary file. Entries of the same value become one whenever there are
twice as many as were left the last time, so that the file grows with the different values, and not with the log. They
are added up in parts, each with a share of the values that fits in the memory that DuckDB may take. A value that is
very long is kept as its beginning and a digest of the whole, so that it stays apart from all others.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from hashlib import sha256
from importlib.util import find_spec
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, Self

from urisect.logs.errors import MissingExtraError
from urisect.logs.report.groups import Groups
from urisect.logs.temporary import TemporaryDirectory

__all__ = ["Count", "Counts", "Moment"]


# What DuckDB may take, beside some 40 MB that it always does. With less it is slower, and no process is smaller.
MEMORY = "64MB"

# How many entries are held here, and how many bytes of values, before they are handed over to DuckDB.
PENDING = 1 << 16
PENDING_BYTES = 1 << 23

# How long a value may be, in bytes, and what is kept of a longer one. With 4,000 DuckDB's memory does not suffice.
LONGEST = 1000
BEGINNING = 800

# How many entries there may be before they are added up for the first time.
FEW = 1 << 20

# About how many entries are added up at once, and how many bytes of values they have.
PART = 3 << 20
PART_BYTES = 1 << 28


class Count(NamedTuple):
    """What there is of one value.

    Attributes:
        value: None for the lines in which the field is undefined.
        lines: how many have it.
        bytes: how many bytes were sent with them; 0 if that was not counted.
        seconds: how long they took, in all.
        longest: how long the slowest took.

    >>> Count(b"/a", 2, seconds=3.0, longest=2.5).lines
    2
    """

    value: bytes | None
    lines: int
    bytes: int = 0
    seconds: float = 0.0
    longest: float = 0.0


class Moment(NamedTuple):
    """What there is of one value in a stretch of time.

    Attributes:
        stretch: the number of the stretch, from 0; None for lines without a time.
        value: None for the lines in which the field is undefined.
        lines: how many have it.
        bytes: how many bytes were sent with them.

    >>> Moment(0, b"200", 17, 4096).stretch
    0
    """

    stretch: int | None
    value: bytes | None
    lines: int
    bytes: int


class Counts:
    """Exact counts of any number of values, under any number of names, in constant memory.

    It is a context manager, and its temporary files are gone at the end. Of a value longer than 1,000 bytes there is
    the beginning, with a digest of the whole.

    >>> with Counts() as counts:
    ...     counts.add("path", Groups([b"/a", b"/b"], [1, 1]))
    ...     counts.add("path", Groups([b"/b", None], [2, 5]))
    ...     counts.top("path", 2), counts.distinct("path")
    ([Count(value=None, lines=5, bytes=0, seconds=0.0, longest=0.0), Count(value=b'/b', lines=3, bytes=0, \
seconds=0.0, longest=0.0)], 2)
    """

    def __init__(self) -> None:
        """Count nothing yet.

        Raises:
            MissingExtraError: DuckDB, or pyarrow, which hands columns over to it, is not installed.
        """
        for module in ("duckdb", "pyarrow"):
            if find_spec(module) is None:
                raise MissingExtraError("counting", module)
        self._stack = ExitStack()
        self._folder = ""
        self._connection: Any = None
        self._numbers: dict[str, int] = {}  # by the names
        self._pending: list[tuple[int, Groups]] = []
        self._pending_rows = self._pending_bytes = 0
        self._rows = self._bytes = 0  # in the database
        self._settled = 0  # rows that there were when they were added up

    def __enter__(self) -> Self:
        """Make a folder for the database in the folder for temporary files, which TMPDIR names.

        Raises:
            OSError: it cannot be made there. Later, there is no room for what is added.
        """
        self._folder = self._stack.enter_context(TemporaryDirectory())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, name: str, groups: Groups) -> None:
        """Add partial counts.

        Args:
            name: what is counted.
            groups: some values of it.
        """
        lengths = [len(value) for value in groups.values if value]
        if max(lengths, default=0) > LONGEST:
            groups = groups._replace(values=list(map(_kept, groups.values)))
        self._pending.append((self._number(name), groups))
        self._pending_rows += len(groups.values)
        self._pending_bytes += sum(lengths)
        if self._pending_rows >= PENDING or self._pending_bytes >= PENDING_BYTES:
            self._hand_over()
            if self._rows >= max(FEW, 2 * self._settled):
                self._settle()

    def top(self, name: str, most: int, *, by: str = "lines") -> list[Count]:
        """Give the values of which there is most, those of which there is the same in the order of their bytes.

        Args:
            name: what was counted.
            most: how many, at most.
            by: an attribute of `Count`, but the value.
        """
        order = {"lines": "lines", "bytes": "bytes", "seconds": "seconds", "longest": "longest"}[by]
        if not self._finish():
            return []
        rows = self._run(
            f"SELECT {COUNT} FROM counts WHERE name = ?"  # noqa: S608  both are written here
            f" ORDER BY {order} DESC NULLS LAST, value NULLS LAST LIMIT ?",
            [self._number(name), most],
        )
        return list(map(_count, rows))

    def distinct(self, name: str) -> int:
        """Tell how many different values there are; that there is none is no value.

        Args:
            name: what was counted, without minutes.
        """
        if not self._finish():
            return 0
        [(number,)] = self._run("SELECT count(value) FROM counts WHERE name = ?", [self._number(name)])
        return int(number)

    def total(self, name: str) -> Count:
        """Add up all there is under a name; the value is None.

        Args:
            name: what was counted.
        """
        if not self._finish():
            return Count(None, 0)
        [row] = self._run(
            "SELECT NULL, coalesce(sum(lines), 0)::BIGINT, sum(bytes), sum(seconds), max(longest)"
            " FROM counts WHERE name = ?",
            [self._number(name)],
        )
        return _count(row)

    def over_time(self, name: str, begin: int, step: int) -> list[Moment]:
        """Give what there is in each of equal stretches of time, and of what has no time.

        Args:
            name: what was counted, with its minutes.
            begin: the minute since 1970 in which the first begins; there is nothing before it.
            step: how long they are, in minutes.
        """
        if not self._finish():
            return []
        rows = self._run(
            "SELECT (minute - ?) // ? AS stretch, value, sum(lines)::BIGINT, sum(bytes) FROM counts WHERE name = ?"
            " GROUP BY stretch, value ORDER BY stretch NULLS LAST, value NULLS LAST",
            [begin, step, self._number(name)],
        )
        return [Moment(stretch, value, lines, int(size or 0)) for stretch, value, lines, size in rows]

    def _number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def _hand_over(self) -> None:
        """Move what is pending to the database."""
        import pyarrow as pa  # noqa: PLC0415  see `_database`

        pending, self._pending = self._pending, []
        self._rows += self._pending_rows
        self._bytes += self._pending_bytes
        self._pending_rows = self._pending_bytes = 0

        def column(type: Any, of: Callable[[Groups], Sequence[Any] | None]) -> Any:
            lists = (of(groups) or [None] * len(groups.values) for _, groups in pending)
            return pa.array(list(chain.from_iterable(lists)), type)

        columns = {
            "name": pa.array([number for number, groups in pending for _ in groups.values], pa.int16()),
            "value": column(pa.binary(), attrgetter("values")),
            "minute": column(pa.int64(), attrgetter("minutes")),
            "lines": column(pa.int64(), attrgetter("lines")),
            "bytes": column(pa.float64(), attrgetter("bytes")),
            "seconds": column(pa.float64(), attrgetter("seconds")),
            "longest": column(pa.float64(), attrgetter("longest")),
        }
        database = self._database()
        database.register("pending", pa.table(columns))
        self._run("INSERT INTO counts SELECT * FROM pending")
        database.unregister("pending")

    def _settle(self) -> None:
        """Add up the entries of the same value."""
        self._run("CREATE TABLE merged AS SELECT * FROM counts LIMIT 0")
        parts = max(self._rows // PART, self._bytes // PART_BYTES) + 1
        for part in range(parts):
            self._run(
                "INSERT INTO merged SELECT name, value, minute, sum(lines), sum(bytes), sum(seconds), max(longest)"
                " FROM counts WHERE hash(value, minute) % ? = ? GROUP BY name, value, minute",
                [parts, part],
            )
        self._run("DROP TABLE counts")
        self._run("ALTER TABLE merged RENAME TO counts")
        self._run("CHECKPOINT")  # the room of the old table can be used again
        [(self._settled, self._bytes)] = self._run(
            "SELECT count(*), coalesce(sum(octet_length(value)), 0)::BIGINT FROM counts"
        )
        self._rows = self._settled

    def _finish(self) -> bool:
        """Add up everything that was added, and tell whether there is anything."""
        if self._pending_rows:
            self._hand_over()
        if self._rows > self._settled:
            self._settle()
        return self._rows > 0

    def _database(self) -> Any:
        """Connect to the database when there is something to count: DuckDB and pyarrow take 70 MB."""
        if self._connection is None:
            import duckdb  # noqa: PLC0415  see above

            settings: dict[str, Any] = {
                "memory_limit": MEMORY,
                "threads": 1,
                "temp_directory": os.path.join(self._folder, "spilled"),
                "preserve_insertion_order": "false",
            }
            self._connection = duckdb.connect(os.path.join(self._folder, "counts.db"), config=settings)
            self._stack.callback(self._connection.close)
            self._run("SET enable_external_access = false")
            self._run(
                "CREATE TABLE counts (name SMALLINT, value BLOB, minute BIGINT,"
                " lines BIGINT, bytes DOUBLE, seconds DOUBLE, longest DOUBLE)"
            )
        return self._connection

    def _run(self, query: str, parameters: Sequence[object] = ()) -> list[Any]:
        database = self._database()
        import duckdb  # noqa: PLC0415  see above

        try:
            return list(database.execute(query, parameters).fetchall())
        except RuntimeError:  # this is what becomes of an interrupt, whatever its handler raises
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
        raise OSError(f"what is counted cannot be kept: {reason}")  # here, it keeps nothing of DuckDB alive


def _kept(value: bytes | None) -> bytes | None:
    """Give what is kept of a value."""
    if value is None or len(value) <= LONGEST:
        return value
    return b"%b... (%d bytes, SHA-256 %b)" % (value[:BEGINNING], len(value), sha256(value).hexdigest().encode())


COUNT = "value, lines, bytes, seconds, longest"


def _count(row: Any) -> Count:
    value, lines, size, seconds, longest = row
    return Count(value, lines, int(size or 0), seconds or 0.0, longest or 0.0)
