"""Select log lines by a range of times."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from math import inf
from operator import sub
from typing import TYPE_CHECKING, NamedTuple, Self, cast

from urisect.logs.errors import TimeRangeError
from urisect.logs.formats.format import Format
from urisect.logs.formats.notation import EPOCH, EPOCH_MICROSECONDS, MICROSECOND, ValueKind, format_values
from urisect.logs.input.reader import Table

if TYPE_CHECKING:
    from urisect.logs.columnar.table import ColumnarTable

__all__ = ["MAX_DISORDER", "TIME_FIELD", "TimeRange", "TimeSpan", "parse_time_range"]

TIME_FIELD = "time"

# How much earlier than the latest line before it a line may be, in microseconds, in a file whose times grow: a server
# writes a line when the response ends, and the time in it may be that of the request.
MAX_DISORDER = timedelta(hours=1) // MICROSECOND


SECOND, DAY = (time // MICROSECOND for time in (timedelta(seconds=1), timedelta(days=1)))
FIRST_TIME = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
LAST_TIME = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND


class TimeSpan(NamedTuple):
    """The times of consecutive lines.

    Attributes:
        earliest: the earliest time, in microseconds since 1970.
        latest: the latest time.
        grows: whether no time is more than `MAX_DISORDER` earlier than one before it.

    >>> TimeSpan.of([3, None, 7, 5])
    TimeSpan(earliest=3, latest=7, grows=True)
    """

    earliest: int
    latest: int
    grows: bool

    @classmethod
    def of(cls, times: Sequence[int | None]) -> Self | None:
        """Return the span of some times; None if all are undefined."""
        defined = [time for time in times if time is not None]
        if not defined:
            return None
        earliest, latest = min(defined), max(defined)
        grows = latest - earliest <= MAX_DISORDER or (min(map(sub, defined, accumulate(defined, max))) >= -MAX_DISORDER)
        return cls(earliest, latest, grows)

    def followed_by(self, later: "TimeSpan | None") -> "TimeSpan":
        """Return the span of these lines and of those that follow.

        >>> TimeSpan(3, 7, grows=True).followed_by(TimeSpan(5, 9, grows=True))
        TimeSpan(earliest=3, latest=9, grows=True)
        """
        if later is None:
            return self
        grows = self.grows and later.grows and self.latest - later.earliest <= MAX_DISORDER
        return TimeSpan(min(self.earliest, later.earliest), max(self.latest, later.latest), grows)


class TimeRange(NamedTuple):
    """A range of times, in microseconds since 1970.

    Attributes:
        since: the first time in the range; None if it has no beginning.
        until: the first time after it; None if it has no end.

    >>> print(TimeRange(847659336000000, None))
    since 1996-11-10T20:55:36Z
    """

    since: int | None = None
    until: int | None = None

    def __str__(self) -> str:
        return " ".join(f"{name} {text}" for name, text in self.limits())

    def limits(self) -> list[tuple[str, str]]:
        """Return the limits that the range has: "since" or "until", and the time.

        >>> TimeRange(847659336000000, None).limits()
        [('since', '1996-11-10T20:55:36Z')]
        """
        limits = [None if limit is None else b"%d" % limit for limit in self]
        texts = zip(self._fields, format_values(limits, EPOCH_MICROSECONDS), strict=True)
        return [(name, text.decode()) for name, text in texts if text is not None]

    def before(self, last: int | None) -> "TimeRange | None":
        """Return the range that ends where this one begins, and is as long; None if the length is unknown.

        Args:
            last: the time of the last line, a second after which a range without an end ends; None if there is no line.

        >>> print(TimeRange(847584000000000, 847670400000000).before(None))
        since 1996-11-09T00:00:00Z until 1996-11-10T00:00:00Z
        """
        until = last + SECOND if self.until is None and last is not None else self.until
        if self.since is None or until is None:
            return None
        return TimeRange(max(2 * self.since - until, FIRST_TIME), self.since)

    def select(self, table: "Table | ColumnarTable") -> "tuple[Table | ColumnarTable, TimeSpan | None]":
        """Return a table of the rows whose time is in the range, and the span of all times of the table.

        Args:
            table: lines, parsed with `TIME_FIELD`.

        >>> import io
        >>> from urisect.logs import COMMON, tables
        >>> table = next(tables(io.BytesIO(COMMON.sample), COMMON))
        >>> selected, span = TimeRange(until=847659337000000).select(table)
        >>> selected.column("target_path"), span
        ([b'/a/b'], TimeSpan(earliest=847659336000000, latest=847659337000000, grows=True))
        """
        if not isinstance(table, Table):
            return self._select_columnar(table)
        times = cast("list[int | None]", table.values(TIME_FIELD))  # see `parse_time_range`
        since = -inf if self.since is None else self.since
        until = inf if self.until is None else self.until
        return table.selected([time is not None and since <= time < until for time in times]), TimeSpan.of(times)

    def _select_columnar(self, table: "ColumnarTable") -> "tuple[ColumnarTable, TimeSpan | None]":
        from urisect.arrow_packages import np  # noqa: PLC0415  a columnar table has imported them

        array = table.value_array(TIME_FIELD)
        times = np.frombuffer(array.buffers()[1], np.int64, len(array))
        is_defined = array.is_valid().to_numpy(zero_copy_only=False) if array.null_count else None
        defined = times if is_defined is None else times[is_defined]
        if not len(defined):
            return table.selected(np.zeros(len(times), np.bool_)), None
        earliest, latest = int(defined.min()), int(defined.max())
        grows = latest - earliest <= MAX_DISORDER or bool(
            (defined - np.maximum.accumulate(defined)).min() >= -MAX_DISORDER
        )
        span = TimeSpan(earliest, latest, grows)
        since = earliest if self.since is None else self.since
        until = latest + 1 if self.until is None else self.until
        if is_defined is None and since <= earliest and latest < until:
            return table, span
        wanted = (times >= since) & (times < until)
        return table.selected(wanted if is_defined is None else wanted & is_defined), span


def parse_time_range(
    since: datetime | date | str | None, until: datetime | date | str | None, format: Format
) -> TimeRange | None:
    """Return a range of times; None if it has neither beginning nor end.

    Args:
        since: the first time in the range; a date means the beginning of the day. Text is parsed by `parse_time`; a
            time without a zone is in UTC.
        until: the first time after the range; a date means the end of the day.
        format: the format of the lines.

    Raises:
        TimeRangeError: a text is not a time, `since` is after `until`, or the format has no time.

    >>> from urisect.logs import COMMON
    >>> day = parse_time_range("1996-11-10", date(1996, 11, 10), COMMON)
    >>> print(day)
    since 1996-11-10T00:00:00Z until 1996-11-11T00:00:00Z
    """
    if since is None and until is None:
        return None
    if TIME_FIELD not in format.fields or format.kind(TIME_FIELD) is not ValueKind.TIME:
        raise TimeRangeError(
            f"the lines of the format {format.name} have no time: neither since nor until can select them"
        )
    from urisect.logs.scan.time_expressions import parse_time  # noqa: PLC0415  few runs have a range

    now = datetime.now(UTC)
    begin, end = (parse_time(limit, now) if isinstance(limit, str) else limit for limit in (since, until))
    range = TimeRange(
        None if begin is None else _microseconds(begin, days=0), None if end is None else _microseconds(end, days=1)
    )
    if range.since is not None and range.until is not None and range.since > range.until:
        raise TimeRangeError(f"no time is in the range {range}: its beginning is after its end")
    return range


def _microseconds(time: datetime | date, days: int) -> int:
    """Return a time in microseconds since 1970.

    Args:
        time: an instant, or a whole day; in UTC if it has no zone.
        days: what to add to a whole day.
    """
    if not isinstance(time, datetime):
        midnight = datetime(time.year, time.month, time.day, tzinfo=UTC)
        return min((midnight - EPOCH) // MICROSECOND + days * DAY, LAST_TIME)
    return ((time if time.tzinfo else time.replace(tzinfo=UTC)) - EPOCH) // MICROSECOND
