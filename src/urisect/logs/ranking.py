"""Rank the values of a field by how many lines have them."""

from collections.abc import Callable, Iterable
from functools import partial
from os import PathLike
from typing import NamedTuple, Self

from urisect.logs.formats.format import Format
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.format_selection import AUTO, select_format
from urisect.logs.input.reader import Rejected, Skipped
from urisect.logs.report.counts import CountDatabase, ValueCount
from urisect.logs.report.partial_counts import PartialCounts, count_values
from urisect.logs.scan.run import ScanRun, filter_task, input_files
from urisect.logs.scan.task import PieceResult, Task

__all__ = ["FieldCounter", "Ranking", "top"]


class Ranking(NamedTuple):
    """The most frequent values of a field.

    Attributes:
        counts: the values and their counts, the most frequent first, ties in byte order. The value None stands for
            the lines in which the field is undefined.
        lines: how many lines were counted.
        distinct: how many different values there are; None is not counted.

    >>> counts = [ValueCount(b"200", 3174), ValueCount(b"304", 368)]
    >>> ranking = Ranking(counts, lines=3987, distinct=8)
    >>> [(count.value, f"{count.lines / ranking.lines:.0%}") for count in ranking.counts]
    [(b'200', '80%'), (b'304', '9%')]
    """

    counts: list[ValueCount]
    lines: int
    distinct: int


def top(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    field: str,
    most: int = 10,
    *,
    format: Format | str = AUTO,
    where: str | None = None,
    jobs: int = 1,
    limit: int = MAX_LINE_BYTES,
    reject: Callable[[Rejected], object] | None = None,
    skip: Callable[[Skipped], object] | None = None,
    fault: Callable[[str, OSError], object] | None = None,
) -> Ranking:
    """Count the values of a field of logs, exactly and in constant memory, and return the most frequent ones.

    Args:
        path: a file, a directory, a pattern, or several of them; "-" is standard input. A file may be compressed with
            gzip, bzip2, xz or Zstandard.
        field: one of `format.fields`. Times are counted as text in UTC.
        most: how many values to return at most.
        format: the log format: a `Format`, its name, or a format string, as for `format_of`; "auto" detects it from
            the first lines.
        where: a predicate in SQL over the fields, such as "status >= 500"; other lines are not counted.
        jobs: the number of processes. The program's main module has to be importable if it is more than one.
        limit: the longest line, in bytes; longer ones are skipped.
        reject: called with each line that does not match the format.
        skip: called with each line that is skipped.
        fault: called with the path and the error of each file that cannot be read to its end; the next file follows.
            Without it, the error is raised.

    Returns:
        The most frequent values with their counts, the number of lines, and the number of different values.

    Raises:
        MissingExtraError: DuckDB or pyarrow is not installed.
        ValueError: the log format is unknown or cannot be detected.
        KeyError: the format has no such field.
        WhereError: the predicate is invalid.
        OSError: a file cannot be read, or the counts do not fit into the directory for temporary files.
        WorkerError: a worker process was killed.

    >>> import tempfile
    >>> from urisect.logs import COMMON
    >>> with tempfile.NamedTemporaryFile() as log:
    ...     _ = log.write(COMMON.sample)
    ...     log.flush()
    ...     ranking = top(log.name, "status", format="common")
    >>> [(count.value, count.lines) for count in ranking.counts]
    [(b'200', 1), (b'304', 1)]
    >>> ranking.lines, ranking.distinct
    (2, 2)
    """
    files = input_files(path)
    selection = select_format(format, files)
    with FieldCounter(selection.format, field, where=where, limit=limit) as counter:
        run = ScanRun(
            files,
            counter.task,
            jobs=jobs,
            head=selection.head,
            passed_over=selection.passed_over,
            reject=reject,
            skip=skip,
            fault=fault,
        )
        for result in run:
            counter.add(result)
        run.raise_fault()
        return counter.ranking(most)


class FieldCounter:
    """Counts the values of one field over the results of a scan.

    It is a context manager, since it counts in a temporary file.

    Attributes:
        task: what to do with each table of lines.

    >>> from urisect.logs import LIST
    >>> with FieldCounter(LIST, "host") as counter:
    ...     for result in ScanRun(["/dev/null"], counter.task):
    ...         counter.add(result)
    ...     counter.ranking(10)
    Ranking(counts=[], lines=0, distinct=0)
    """

    def __init__(self, format: Format, field: str, *, where: str | None = None, limit: int = MAX_LINE_BYTES) -> None:
        """Prepare the task.

        Args:
            format: the log format.
            field: one of `format.fields`.
            where: a predicate in SQL over the fields; other lines are not counted.
            limit: the longest line, in bytes.

        Raises:
            KeyError: the format has no such field.
            WhereError: the predicate is invalid.
            MissingExtraError: DuckDB or pyarrow is not installed.
        """
        format.needed((field,))  # raises KeyError before a file is read
        task = Task(format, (field,), partial(count_values, field=field), limit)
        self.task: Task[PartialCounts] = filter_task(task, where)
        self._field = field
        self._counts = CountDatabase()

    def __enter__(self) -> Self:
        self._counts.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._counts.__exit__(*_)

    def add(self, result: PieceResult[PartialCounts]) -> None:
        """Add the partial counts of one piece."""
        for counts in result.outputs:
            self._counts.add(self._field, counts)

    def ranking(self, most: int) -> Ranking:
        """Return the most frequent values so far.

        Args:
            most: how many values to return at most.
        """
        name, counts = self._field, self._counts
        return Ranking(counts.top(name, most), counts.total(name).lines, counts.distinct(name))
