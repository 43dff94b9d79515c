"""What the report is about: all that the lines of some files tell, added up as it comes."""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from urisect.logs.formats import Format
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.reader import Rejected
from urisect.logs.report.counts import Counts
from urisect.logs.report.suspicious import Sightings, add
from urisect.logs.report.tally import Highest, Partial, Tally
from urisect.logs.scan.task import PieceResult, Task

__all__ = ["Findings", "Sample"]

# How many of the lines that were rejected are kept, and of the files that could not be read.
SAMPLES = 10
FAULTS = 20


class Sample(NamedTuple):
    """A line that was rejected.

    Attributes:
        file: the path of its file.
        rejected: the line.

    >>> Sample("access.log", Rejected(1, 0, b"no log line")).rejected.line
    1
    """

    file: str
    rejected: Rejected


@dataclass
class Findings:
    """All that the lines of some files tell.

    It is a context manager, for it counts in a temporary file.

    Attributes:
        format: what the lines were read as.
        files: the paths of the files.
        where: the expression that is true for the lines that are counted, if not all are.
        tally: counts tables; what it makes of them is to be added.
        counts: what it counted, by the name of a field, or one of its own.
        lines: how many lines are counted.
        parsed: how many matched; these are more, if there is such an expression.
        rejected: how many did not.
        samples: the first of these.
        skipped: how many were not read as entries, by the reason.
        first: the time of the earliest line, in microseconds since 1970; None if none has one.
        last: that of the latest.
        largest: the largest responses.
        slowest: the slowest.
        hazards: what to know of the URIs.
        faults: how many files could not be read to their end.
        faulty: the first of these, and why.

    >>> import io
    >>> from urisect.logs import COMMON, tables
    >>> with Findings(COMMON, ["access.log"]) as findings:
    ...     for table in tables(io.BytesIO(COMMON.sample), COMMON):
    ...         made = [findings.tally(table)]
    ...         findings.add(PieceResult("access.log", made, table.parsed, table.rejected, table.skipped))
    ...     print(findings.lines, findings.counts.top("client", 1)[0].value)
    2 b'192.0.2.7'
    """

    format: Format
    files: Sequence[str]
    where: str | None = None
    tally: Tally = field(init=False)
    counts: Counts = field(init=False)
    lines: int = 0
    parsed: int = 0
    rejected: int = 0
    samples: list[Sample] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    first: int | None = None
    last: int | None = None
    largest: Highest = field(default_factory=Highest)
    slowest: Highest = field(default_factory=Highest)
    hazards: Sightings = field(default_factory=dict)
    faults: int = 0
    faulty: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Look what the format has, and load what counts.

        Raises:
            MissingExtraError: something is not installed.
        """
        self.tally = Tally(self.format)
        self.counts = Counts()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self.counts)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def task(self, limit: int = MAX_LINE_BYTES) -> Task[Partial]:
        """Give what is to be done with the lines, if all are counted.

        Args:
            limit: how long a line may be, in bytes.
        """
        return Task(self.format, self.tally.fields, self.tally, limit)

    def add(self, done: PieceResult[Partial]) -> None:
        """Add what became of a piece of a file.

        Args:
            done: pieces come in the order of their lines.
        """
        self.parsed += done.parsed
        self.rejected += len(done.rejected)
        self.samples += [Sample(done.file, rejected) for rejected in done.rejected[: SAMPLES - len(self.samples)]]
        self.skipped.update(skipped.reason for skipped in done.skipped)
        for partial in done.outputs:
            self._add(partial)
        if done.error:
            self.faults += 1
            self.faulty += [(done.file, done.error.strerror or str(done.error))][: FAULTS - len(self.faulty)]

    def _add(self, partial: Partial) -> None:
        self.lines += partial.lines
        for name, groups in partial.groups.items():
            self.counts.add(name, groups)
        times = [time for time in (self.first, self.last, partial.first, partial.last) if time is not None]
        self.first, self.last = min(times, default=None), max(times, default=None)
        self.largest.add(partial.largest)
        self.slowest.add(partial.slowest)
        add(self.hazards, partial.hazards)
