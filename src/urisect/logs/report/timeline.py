"""Divide a period into buckets of time: enough to see what happened, few enough to draw."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from urisect.logs.formats.notation import EPOCH, MONTH_ABBREVIATIONS
from urisect.logs.report.formatting import utc_datetime
from urisect.logs.report.value_columns import MICROSECONDS_PER_MINUTE

__all__ = ["CYCLES", "Cycle", "Tick", "Timeline", "make_timeline"]

# The lengths below are so near to each other that a timeline seldom has less than a third of these buckets.
MAX_BUCKETS = 120
MAX_LABELS = 8

HOUR, DAY = 60, 24 * 60  # minutes
BUCKET_MINUTES = (1, 2, 5, 10, 15, 30, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY)
FIRST_MONDAY = 4 * DAY  # after the epoch

YEAR = 12  # months
BUCKET_MONTHS = (1, 3, YEAR, 5 * YEAR, 10 * YEAR, 50 * YEAR, 100 * YEAR)
LABEL_MONTHS = (1, 2, 3, 6, *(years * YEAR for years in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)))


class Tick(NamedTuple):
    """A label below the time axis.

    Attributes:
        position: its place on the axis, in buckets from the left.
        text: the label.
    """

    position: float
    text: str


class Timeline(NamedTuple):
    """Consecutive buckets of time.

    Attributes:
        bucket_length: the length of a bucket, in words.
        begins: the minutes since 1970 at which the buckets begin, and the end of the last bucket.
        step: periods of this many minutes, counted from the first bucket, lie within one bucket each.

    >>> hours = Timeline("hour", [0, 60, 120], 60)
    >>> hours.bucket_count, hours.bucket_at(119), hours.bucket_name(1)
    (2, 1, '1970-01-01 01:00')
    """

    bucket_length: str
    begins: Sequence[int]
    step: int

    @property
    def bucket_count(self) -> int:
        """The number of buckets."""
        return len(self.begins) - 1

    def bucket_at(self, minute: int) -> int:
        """Return the index of the bucket that contains a minute."""
        return bisect_right(self.begins, minute) - 1

    def bucket_name(self, bucket: int) -> str:
        """Format the time at which a bucket begins."""
        return _datetime(self.begins[bucket]).isoformat(" ", "minutes")[: 10 if self.step >= DAY else 16]

    def ticks(self) -> list[Tick]:
        """Choose the labels of the axis.

        >>> [tick.text for tick in make_timeline(0, 20 * 3_600_000_000).ticks()]
        ['1 Jan', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00']
        """
        first, last = self.begins[0], self.begins[-1] - 1
        candidates = _label_candidates(first, last, self.step)
        numbers, label = next(found for found in candidates if len(found[0]) <= MAX_LABELS + 1)
        # A month may begin before the axis does, or after its end: no date is before the year 1.
        return [Tick(self._position(minute), text) for minute, text in map(label, numbers) if first <= minute <= last]

    def _position(self, minute: int) -> float:
        bucket = self.bucket_at(minute)
        begin, end = self.begins[bucket : bucket + 2]
        return bucket + (minute - begin) / (end - begin)


class Cycle(NamedTuple):
    """Slots of time that come again, such as the hours of a day.

    Attributes:
        title: the slots, in words.
        names: the name of each slot.
        labelled: every how many slots the axis has a label.
        origin: a minute since 1970 in which the first slot begins.
        step: the length of a slot, in minutes.
    """

    title: str
    names: Sequence[str]
    labelled: int
    origin: int
    step: int

    @property
    def bucket_count(self) -> int:
        """The number of slots."""
        return len(self.names)

    def bucket_name(self, bucket: int) -> str:
        """Return the name of a slot."""
        return self.names[bucket]

    def ticks(self) -> list[Tick]:
        """Return the labels of the axis, below the middle of their slots.

        >>> Cycle("half of the day", ["am", "pm"], 1, 0, 720).ticks()
        [Tick(position=0.5, text='am'), Tick(position=1.5, text='pm')]
        """
        numbered = [*enumerate(self.names)][:: self.labelled]
        return [Tick(number + 0.5, name) for number, name in numbered]


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CYCLES = (
    Cycle("hour of the day", [f"{hour:02}:00" for hour in range(24)], 3, 0, HOUR),
    Cycle("day of the week", WEEKDAYS, 1, FIRST_MONDAY, DAY),
)


def make_timeline(first: int, last: int, shortest: int = 1) -> Timeline:
    """Divide the period between two times into buckets.

    Args:
        first: the start, in microseconds since 1970.
        last: the end, not before the start.
        shortest: the length of the shortest bucket, in minutes.

    >>> timeline = make_timeline(847_630_536_000_000, 847_640_000_000_000)
    >>> timeline.bucket_length, timeline.bucket_count, timeline.bucket_name(0)
    ('2 minutes', 80, '1996-11-10 12:54')
    """
    begin, end = first // MICROSECONDS_PER_MINUTE, last // MICROSECONDS_PER_MINUTE
    for minutes in BUCKET_MINUTES:
        begins = _multiples(begin, end, minutes)
        if minutes >= shortest and len(begins) <= MAX_BUCKETS:
            return Timeline(_minutes_in_words(minutes), [*begins, begins[-1] + minutes], minutes)
    candidates = ((months, _multiples_of_months(begin, end, months)) for months in BUCKET_MONTHS)
    months, starts = next((months, starts) for months, starts in candidates if len(starts) <= MAX_BUCKETS)
    end = max(end, _first_minute(starts[-1])) + 1
    return Timeline(_months_in_words(months), [*map(_first_minute, starts), end], DAY)


def _multiples(begin: int, end: int, length: int) -> range:
    """Return the multiples of a length, from the last one before `begin` up to `end`; weeks begin on Monday."""
    offset = FIRST_MONDAY if length % (7 * DAY) == 0 else 0
    return range((begin - offset) // length * length + offset, end + 1, length)


def _multiples_of_months(begin: int, end: int, months: int) -> range:
    """Return the numbers of the months that are multiples of `months`, likewise."""
    first, last = (time.year * YEAR + time.month - 1 for time in map(_datetime, (begin, end)))
    return range(max(first // months * months, YEAR), last + 1, months)


def _first_minute(month: int) -> int:
    """Return the first minute of a month, counted from 1970."""
    return (datetime(month // YEAR, month % YEAR + 1, 1, tzinfo=UTC) - EPOCH) // timedelta(minutes=1)


def _datetime(minute: int) -> datetime:
    return utc_datetime(minute * MICROSECONDS_PER_MINUTE)


def _label_candidates(first: int, last: int, step: int) -> Iterator[tuple[range, Callable[[int], tuple[int, str]]]]:
    """Yield possible labels, from many to few: numbers of minutes or months, and a function that labels a number.

    Labels are not closer to each other than a step, in minutes.
    """
    yield from (
        (_multiples(first, last, minutes), _label_hour if minutes < DAY else _label_day)
        for minutes in BUCKET_MINUTES
        if minutes >= step
    )
    yield from ((_multiples_of_months(first, last, months), _label_month) for months in LABEL_MONTHS)


def _label_hour(minute: int) -> tuple[int, str]:
    return (minute, f"{_datetime(minute):%H:%M}") if minute % DAY else _label_day(minute)


def _label_day(minute: int) -> tuple[int, str]:
    time = _datetime(minute)
    return minute, f"{time.day} {MONTH_ABBREVIATIONS[time.month - 1]}"


def _label_month(month: int) -> tuple[int, str]:
    return _first_minute(month), MONTH_ABBREVIATIONS[month % YEAR] if month % YEAR else str(month // YEAR)


def _minutes_in_words(minutes: int) -> str:
    """Name the length of a bucket.

    >>> _minutes_in_words(1), _minutes_in_words(10), _minutes_in_words(180)
    ('minute', '10 minutes', '3 hours')
    """
    for unit, length in (("week", 7 * DAY), ("day", DAY), ("hour", HOUR)):
        if minutes % length == 0:
            return _count_units(minutes // length, unit)
    return _count_units(minutes, "minute")


def _months_in_words(months: int) -> str:
    return _count_units(months // YEAR, "year") if months % YEAR == 0 else _count_units(months, "month")


def _count_units(count: int, unit: str) -> str:
    return unit if count == 1 else f"{count} {unit}s"
