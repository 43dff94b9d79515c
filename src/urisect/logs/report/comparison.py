"""Compare a report's period with the one before it, which a second scan of the files counts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import sqrt
from typing import NamedTuple

from urisect.logs.input.files import STDIN
from urisect.logs.input.locations import shown_name
from urisect.logs.output.atomic import is_special
from urisect.logs.report.counts import CountDatabase, ValueCount, ValueFilter
from urisect.logs.report.findings import Findings
from urisect.logs.report.table_summary import TableSummary
from urisect.logs.scan.run import filter_task
from urisect.logs.scan.selection import select_times
from urisect.logs.scan.task import PieceResult, Task

__all__ = ["Change", "changes_between", "changes_of", "check_comparable", "count_period_before"]

# How many values of each period are compared: the most frequent. The others differ by fewer lines.
MAX_VALUES = 10_000

# A count varies by chance by its square root, the difference of two by the root of their sum; this many times as much
# is hardly chance.
MIN_DEVIATIONS = 3


class Change(NamedTuple):
    """A value that occurs more or less often than in the period before.

    Attributes:
        value: the value; None for lines without one.
        lines: how many lines have it.
        before: how many lines had it in the period before.

    >>> Change(b"/a", 40, 10).difference
    30
    """

    value: bytes | None
    lines: int
    before: int

    @property
    def difference(self) -> int:
        """How many lines more than before."""
        return self.lines - self.before


def check_comparable(files: Sequence[str]) -> None:
    """Check that files can be read twice.

    Args:
        files: the paths of the log files.

    Raises:
        ValueError: one of them cannot.

    >>> check_comparable(["access.log"])
    """
    for file in files:
        if file == STDIN or is_special(file):
            name = "standard input" if file == STDIN else shown_name(file)
            raise ValueError(
                f"a comparison reads its files twice, and {name} can be read once: write it to a file first"
            )


@contextmanager
def count_period_before(
    findings: Findings,
    scan: Callable[[Task[TableSummary]], Iterable[PieceResult[TableSummary]]],
    limit: int,
) -> Iterator[None]:
    """Count the lines of the period before; `findings.before` has them inside the context, if there can be any.

    Args:
        findings: open findings of a period, which are complete.
        scan: scans the same files again.
        limit: the longest line, in bytes.
    """
    time_range = findings.time_range and findings.time_range.before(findings.last)
    if time_range is None:
        yield
        return
    before = Findings(
        findings.format, findings.files, findings.where, time_range, findings.own_hosts, findings.without_bots
    )
    with before:
        for result in scan(select_times(filter_task(before.task(limit), findings.where), time_range)):
            before.add(result)
        findings.before = before
        yield
    findings.before = None


def changes_of(
    name: str, counts: CountDatabase, before: CountDatabase, most: int, *, only: ValueFilter | None = None
) -> list[Change]:
    """Return the values whose counts differ by more than chance explains, the greatest difference first.

    Args:
        name: what was counted.
        counts: the counts of the period.
        before: those of the period before.
        most: the maximum number of values.
        only: the values that may be returned; all by default.

    >>> from urisect.logs.report.partial_counts import PartialCounts
    >>> with CountDatabase() as counts, CountDatabase() as before:
    ...     counts.add("path", PartialCounts([b"/a", b"/b"], [90, 101]))
    ...     before.add("path", PartialCounts([b"/b", b"/c"], [100, 20]))
    ...     changes_of("path", counts, before, 2)
    [Change(value=b'/a', lines=90, before=0), Change(value=b'/c', lines=0, before=20)]
    """
    tops = [each.top(name, MAX_VALUES, only=only) for each in (counts, before)]
    values = [*{count.value: None for top in tops for count in top}]
    now, then = (each.lines_of(name, values) for each in (counts, before))
    unseen = max((top[-1].lines for top in tops if len(top) == MAX_VALUES), default=0)
    changes = (Change(value, now[value], then[value]) for value in values)
    return _largest([change for change in changes if abs(change.difference) > unseen], most)


def changes_between(counts: Iterable[ValueCount], before: Iterable[ValueCount], most: int) -> list[Change]:
    """Return the values whose counts differ by more than chance explains, as `changes_of` does, of complete counts.

    Args:
        counts: the counts of the period.
        before: those of the period before.
        most: the maximum number of values.

    >>> changes_between([ValueCount(b"200", 90)], [ValueCount(b"200", 91), ValueCount(b"500", 10)], 5)
    [Change(value=b'500', lines=0, before=10)]
    """
    now, then = ({count.value: count.lines for count in each} for each in (counts, before))
    return _largest([Change(value, now.get(value, 0), then.get(value, 0)) for value in {**now, **then}], most)


def _largest(changes: Iterable[Change], most: int) -> list[Change]:
    beyond_chance = (
        change for change in changes if abs(change.difference) > MIN_DEVIATIONS * sqrt(change.lines + change.before)
    )
    return sorted(beyond_chance, key=lambda change: (-abs(change.difference), change.value or b""))[:most]
