"""Stretches of time: enough of them to see what happened, and not too many."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import NamedTuple

from urisect.logs.formats.notation import EPOCH, MONTH_ABBREVIATIONS
from urisect.logs.report.counts import Count
from urisect.logs.report.findings import Findings
from urisect.logs.report.tally import MINUTE, TRAFFIC
from urisect.logs.report.text import moment

__all__ = ["Tick", "Timeline", "timeline"]

# How many stretches there are, at most, and how many labels below them. The lengths are so near to each other that
# there are seldom less than a third of that.
MOST = 120
LABELS = 8

HOUR, DAY = 60, 24 * 60  # minutes
LENGTHS = (1, 2, 5, 10, 15, 30, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY)
MONDAY = 4 * DAY  # the first after the epoch

YEAR = 12  # months
MONTHS = (1, 3, YEAR, 5 * YEAR, 10 * YEAR, 50 * YEAR, 100 * YEAR)
LABEL_MONTHS = (1, 2, 3, 6, *(years * YEAR for years in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)))


class Tick(NamedTuple):
    """A label below the time.

    Attributes:
        place: where it stands, in stretches.
        text: what it says.

    >>> Tick(0.5, "10 Nov").text
    '10 Nov'
    """

    place: float
    text: str


class Timeline(NamedTuple):
    """Stretches of time, one after the other.

    Attributes:
        length: how long each is, in words.
        begins: the minutes since 1970 in which they begin, and the one in which the last ends.
        step: a stretch of so many minutes, counted from the first one, belongs to one of these.

    >>> hours = Timeline("hour", [0, 60, 120], 60)
    >>> hours.stretches, hours.at(119), hours.name(1)
    (2, 1, '1970-01-01 01:00')
    """

    length: str
    begins: Sequence[int]
    step: int

    @property
    def stretches(self) -> int:
        """How many there are."""
        return len(self.begins) - 1

    def at(self, minute: int) -> int:
        """Tell in which stretch a minute is, by its number."""
        return bisect_right(self.begins, minute) - 1

    def name(self, stretch: int) -> str:
        """Say when a stretch begins."""
        return _time(self.begins[stretch]).isoformat(" ", "minutes")[: 10 if self.step >= DAY else 16]

    def ticks(self) -> list[Tick]:
        """Choose the labels.

        >>> [tick.text for tick in timeline(0, 20 * 3_600_000_000).ticks()]
        ['1 Jan', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00']
        """
        first, last = self.begins[0], self.begins[-1] - 1
        numbers, label = next(found for found in _labels(first, last) if len(found[0]) <= LABELS + 1)
        return [Tick(self._place(minute), text) for minute, text in map(label, numbers) if minute >= first]

    def _place(self, minute: int) -> float:
        stretch = self.at(minute)
        begin, end = self.begins[stretch : stretch + 2]
        return stretch + (minute - begin) / (end - begin)


def timeline(first: int, last: int) -> Timeline:
    """Cut the time between two instants into stretches.

    Args:
        first: in microseconds since 1970.
        last: not before it.

    >>> times = timeline(847_630_536_000_000, 847_640_000_000_000)
    >>> times.length, times.stretches, times.name(0)
    ('2 minutes', 80, '1996-11-10 12:54')
    """
    begin, end = first // MINUTE, last // MINUTE
    for length in LENGTHS:
        begins = _multiples(begin, end, length)
        if len(begins) <= MOST:
            return Timeline(_words(length), [*begins, begins[-1] + length], length)
    cut = ((months, _months(begin, end, months)) for months in MONTHS)
    months, starts = next((months, starts) for months, starts in cut if len(starts) <= MOST)
    return Timeline(_words_of_months(months), [*map(_minute, starts), max(end, _minute(starts[-1])) + 1], DAY)


def _multiples(begin: int, end: int, length: int) -> range:
    """Give the multiples of a length up to an end, the first of them not after the beginning; weeks begin on Monday."""
    offset = MONDAY if length % (7 * DAY) == 0 else 0
    return range((begin - offset) // length * length + offset, end + 1, length)


def _months(begin: int, end: int, months: int) -> range:
    """Give the numbers of every so many months, the same way."""
    first, last = (time.year * YEAR + time.month - 1 for time in map(_time, (begin, end)))
    return range(max(first // months * months, YEAR), last + 1, months)


def _minute(month: int) -> int:
    return (datetime(month // YEAR, month % YEAR + 1, 1, tzinfo=UTC) - EPOCH) // timedelta(minutes=1)


def _time(minute: int) -> datetime:
    return moment(minute * MINUTE)


def _labels(first: int, last: int) -> Iterator[tuple[range, Callable[[int], tuple[int, str]]]]:
    """Give numbers of minutes or of months, and what makes of each a minute and a label; from many to few of them."""
    yield from ((_multiples(first, last, length), _hour_label if length < DAY else _day_label) for length in LENGTHS)
    yield from ((_months(first, last, months), _month_label) for months in LABEL_MONTHS)


def _hour_label(minute: int) -> tuple[int, str]:
    return (minute, f"{_time(minute):%H:%M}") if minute % DAY else _day_label(minute)


def _day_label(minute: int) -> tuple[int, str]:
    time = _time(minute)
    return minute, f"{time.day} {MONTH_ABBREVIATIONS[time.month - 1]}"


def _month_label(month: int) -> tuple[int, str]:
    return _minute(month), MONTH_ABBREVIATIONS[month % YEAR] if month % YEAR else str(month // YEAR)


def _words(minutes: int) -> str:
    """Say how long a stretch is.

    >>> _words(1), _words(10), _words(180)
    ('minute', '10 minutes', '3 hours')
    """
    for name, length in (("week", 7 * DAY), ("day", DAY), ("hour", HOUR)):
        if minutes % length == 0:
            return _many(minutes // length, name)
    return _many(minutes, "minute")


def _words_of_months(months: int) -> str:
    return _many(months // YEAR, "year") if months % YEAR == 0 else _many(months, "month")


def _many(number: int, name: str) -> str:
    return name if number == 1 else f"{number} {name}s"


# The classes of status codes (RFC 9110, 15), in the order in which they are piled up: errors are on top.
CLASSES = {"2": "2xx success", "3": "3xx redirection", "": "other", "4": "4xx client error", "5": "5xx server error"}


def status_class(status: bytes | None) -> str:
    """Give the first digit of a status code, or nothing if that says nothing of success.

    >>> status_class(b"404"), status_class(b"101"), status_class(None)
    ('4', '', '')
    """
    digit = (status or b"")[:1].decode("latin-1")
    return digit if digit in CLASSES else ""


class Traffic:
    """What was counted by the minute.

    Attributes:
        times: stretches of time; None if no line has a time.
        statuses: what there is of each status, that of which there is most first.
        unknown: how many lines have none.
    """

    def __init__(self, findings: Findings) -> None:
        """Add it up.

        Args:
            findings: while its counts can be asked.
        """
        first, last = findings.first, findings.last
        self.times = None if first is None or last is None else timeline(first, last)
        begin, step = (self.times.begins[0], self.times.step) if self.times else (0, 1)
        self._moments = findings.counts.over_time(TRAFFIC, begin, step)
        lines: Counter[bytes | None] = Counter()
        sizes: Counter[bytes | None] = Counter()
        for each in self._moments:
            lines[each.value] += each.lines
            sizes[each.value] += each.bytes
        self.statuses = [Count(status, times, sizes[status]) for status, times in lines.most_common()]
        self.unknown = lines[None]

    def over_time(self, times: Timeline, measure: str, part: Callable[[bytes | None], str]) -> dict[str, list[int]]:
        """Give what there is in each stretch of time, by what it belongs to.

        Args:
            times: the stretches.
            measure: "lines" or "bytes".
            part: tells of a status what it belongs to.
        """
        values: dict[str, list[int]] = {}
        for each in self._moments:
            if each.stretch is not None:
                stretch = times.at(times.begins[0] + each.stretch * times.step)
                of_part = values.setdefault(part(each.value), [0] * times.stretches)
                of_part[stretch] += attrgetter(measure)(each)
        return values
