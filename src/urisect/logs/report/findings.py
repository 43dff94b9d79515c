"""Collect what a report shows from the results of a scan."""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import NamedTuple, Self

from urisect.extras import MissingExtraError
from urisect.logs.formats import Format
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.locations import shown_name
from urisect.logs.input.reader import Rejected
from urisect.logs.report.counts import CountDatabase
from urisect.logs.report.partial_counts import LIST_BYTES, has_arrays
from urisect.logs.report.suspicious import HazardCounts, merge_hazards
from urisect.logs.report.table_summary import (
    TableSummarizer,
    TableSummary,
    TopResponses,
    join_summaries,
)
from urisect.logs.scan.task import PieceResult, Task
from urisect.logs.scan.time_range import TimeRange

__all__ = ["MAX_FAULTY_FILES", "Findings", "RejectedSample"]

# How many rejected lines, and how many unreadable files, the report shows.
MAX_SAMPLES = 10
MAX_FAULTY_FILES = 20


class RejectedSample(NamedTuple):
    """A rejected line, with its file.

    Attributes:
        file: the path of the file.
        rejected: the line.
    """

    file: str
    rejected: Rejected


@dataclass
class Findings:
    """What a report shows: counts, extremes, hazards, and lines that were not parsed.

    It is a context manager, since it counts in a temporary file.

    Attributes:
        format: the format of the lines.
        files: the paths of the files.
        where: the predicate that selects lines; None if all lines are counted.
        time_range: the times of the lines that are counted; None for all.
        own_hosts: the hosts of the site, which are left out of the referring hosts with their subdomains; if there is
            none, they are those that requests are sent to, or that most referrers have.
        without_bots: whether requests of bots are not counted.
        before: the findings about the period before, to compare with; None without a comparison.
        summarizer: summarizes a table; a task calls it in each worker.
        counts: counts of values, by the name of a field or of another count of the summarizer.
        lines: the number of lines that were counted.
        parsed: the number of lines that match the format, selected or not.
        rejected: the number of lines that do not match.
        samples: the first rejected lines.
        skipped: the number of skipped lines, by reason.
        first: the time of the earliest line, in microseconds since 1970; None if no line has a time.
        last: the time of the latest line.
        largest: the largest responses.
        slowest: the slowest responses.
        hazards: the hazards in the URIs.
        fault_count: the number of files that cannot be read to their end.
        faults: the first of these files, with the reason.

    >>> import io
    >>> from urisect.logs import COMMON, tables
    >>> with Findings(COMMON, ["access.log"]) as findings:
    ...     for table in tables(io.BytesIO(COMMON.sample), COMMON):
    ...         outputs = [findings.summarizer(table)]
    ...         findings.add(PieceResult("access.log", outputs, table.parsed, table.rejected, table.skipped))
    ...     print(findings.lines, findings.counts.top("client", 1)[0].value)
    2 b'192.0.2.7'
    """

    format: Format
    files: Sequence[str]
    where: str | None = None
    time_range: TimeRange | None = None
    own_hosts: Sequence[str] = ()
    without_bots: bool = False
    before: "Findings | None" = None
    summarizer: TableSummarizer = field(init=False)
    counts: CountDatabase = field(init=False)
    lines: int = 0
    parsed: int = 0
    rejected: int = 0
    samples: list[RejectedSample] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    first: int | None = None
    last: int | None = None
    largest: TopResponses = field(default_factory=TopResponses)
    slowest: TopResponses = field(default_factory=TopResponses)
    hazards: HazardCounts = field(default_factory=dict)
    fault_count: int = 0
    faults: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Select the fields of the format, and check that the extras are installed.

        Raises:
            MissingExtraError: DuckDB, pyarrow, crawler-user-agents or ua-parser is not installed.
        """
        for module in ("crawleruseragents", "ua_parser"):
            if find_spec(module) is None:
                raise MissingExtraError("a report", module)
        self.summarizer = TableSummarizer(self.format, without_bots=self.without_bots)
        self.counts = CountDatabase()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self.counts)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def task(self, limit: int = MAX_LINE_BYTES) -> Task[TableSummary]:
        """Return the task that summarizes all lines.

        Args:
            limit: the longest line, in bytes.
        """
        return Task(
            self.format,
            self.summarizer.fields,
            self.summarizer,
            limit,
            join=join_summaries,
            is_columnar=has_arrays(),
            list_bytes=LIST_BYTES,
        )

    def add(self, result: PieceResult[TableSummary]) -> None:
        """Add the result of one piece.

        Args:
            result: the result; pieces have to come in line order.
        """
        self.parsed += result.parsed
        self.rejected += len(result.rejected)
        missing = MAX_SAMPLES - len(self.samples)
        self.samples += [RejectedSample(shown_name(result.file), rejected) for rejected in result.rejected[:missing]]
        self.skipped.update(skipped.reason for skipped in result.skipped)
        for summary in result.outputs:
            self._add_summary(summary)
        if result.error:
            self.fault_count += 1
            if len(self.faults) < MAX_FAULTY_FILES:
                self.faults.append((shown_name(result.file), result.error.strerror or str(result.error)))

    def _add_summary(self, summary: TableSummary) -> None:
        self.lines += summary.lines
        for name, counts in summary.counts.items():
            self.counts.add(name, counts)
        times = [time for time in (self.first, self.last, summary.first, summary.last) if time is not None]
        self.first, self.last = min(times, default=None), max(times, default=None)
        self.largest.add(summary.largest)
        self.slowest.add(summary.slowest)
        merge_hazards(self.hazards, summary.hazards)
