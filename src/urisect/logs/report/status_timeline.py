"""Add up lines and bytes per status code and bucket of time."""

from collections import Counter
from collections.abc import Callable
from operator import attrgetter

from urisect.logs.report.counts import ValueCount
from urisect.logs.report.findings import Findings
from urisect.logs.report.table_summary import STATUS_PER_MINUTE
from urisect.logs.report.timeline import Timeline, make_timeline

__all__ = ["STATUS_CLASSES", "StatusTimeline", "status_class"]

# Classes of status codes (RFC 9110, 15) by their first digit, from the bottom of a bar to its top: errors are on top.
STATUS_CLASSES = {
    "2": "2xx success",
    "3": "3xx redirection",
    "": "other",
    "4": "4xx client error",
    "5": "5xx server error",
}


def status_class(status: bytes | None) -> str:
    """Return the first digit of a status code if it is a key of `STATUS_CLASSES`, and "" otherwise.

    >>> status_class(b"404"), status_class(b"101"), status_class(None)
    ('4', '', '')
    """
    digit = (status or b"")[:1].decode("latin-1")
    return digit if digit in STATUS_CLASSES else ""


def _make_timeline(findings: Findings) -> Timeline | None:
    """Return buckets for all lines, or for the whole period if it is compared with the one before."""
    first, last = findings.first, findings.last
    if first is None or last is None:
        return None
    period = findings.time_range
    if findings.before and period and period.since is not None:
        first, last = period.since, last if period.until is None else period.until - 1
    return make_timeline(first, last)


class StatusTimeline:
    """The lines and bytes per status code, in all and per bucket of time.

    Attributes:
        timeline: the buckets; None if no line has a time.
        statuses: the status codes with their counts, the most frequent first.
        lines_without_status: the number of lines without a status code.
        before: those of the period before; None without a comparison.
    """

    def __init__(self, findings: Findings) -> None:
        """Query the counts.

        Args:
            findings: open findings, whose counts can be queried.
        """
        self.timeline = _make_timeline(findings)
        begin, step = (self.timeline.begins[0], self.timeline.step) if self.timeline else (0, 1)
        self._counts = findings.counts.per_bucket(STATUS_PER_MINUTE, begin, step)
        lines: Counter[bytes | None] = Counter()
        sizes: Counter[bytes | None] = Counter()
        bots: Counter[bytes | None] = Counter()
        for count in self._counts:
            lines[count.value] += count.lines
            sizes[count.value] += count.bytes
            bots[count.value] += count.bots
        self.statuses = [
            ValueCount(status, number, sizes[status], bots=bots[status]) for status, number in lines.most_common()
        ]
        self.lines_without_status = lines[None]
        self.before = StatusTimeline(findings.before) if findings.before else None

    def per_bucket(
        self, timeline: Timeline, measure: str, group: Callable[[bytes | None], str]
    ) -> dict[str, list[int]]:
        """Return the sums per group of status codes, one sum for each bucket.

        Args:
            timeline: the buckets.
            measure: "lines" or "bytes".
            group: returns the group of a status code.
        """
        sums: dict[str, list[int]] = {}
        for count in self._counts:
            if count.bucket is not None:
                bucket = timeline.bucket_at(timeline.begins[0] + count.bucket * timeline.step)
                sums.setdefault(group(count.value), [0] * timeline.bucket_count)[bucket] += attrgetter(measure)(count)
        return sums
