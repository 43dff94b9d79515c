"""How many lines there are of which status, and when."""

from collections import Counter
from collections.abc import Callable
from operator import attrgetter

from urisect.logs.report.findings import Findings
from urisect.logs.report.tally import TRAFFIC
from urisect.logs.report.timeline import Timeline, timeline
from urisect.logs.summary import Count

__all__ = ["CLASSES", "Traffic", "status_class"]

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
        for moment in self._moments:
            lines[moment.value] += moment.lines
            sizes[moment.value] += moment.bytes
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
        for moment in self._moments:
            if moment.stretch is not None:
                stretch = times.at(times.begins[0] + moment.stretch * times.step)
                of_part = values.setdefault(part(moment.value), [0] * times.stretches)
                of_part[stretch] += attrgetter(measure)(moment)
        return values
