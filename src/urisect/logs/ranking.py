"""Rank the values of one or several fields by how many lines have them."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from functools import partial
from os import PathLike
from typing import NamedTuple, Self, overload

from urisect.extras import MissingExtraError
from urisect.logs.formats.format import Format
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.format_selection import AUTO, select_format
from urisect.logs.input.reader import Rejected, Skipped
from urisect.logs.report.combinations import MAX_FIELDS, count_combinations, decode_combination
from urisect.logs.report.counts import CountDatabase, ValueCount
from urisect.logs.report.partial_counts import LIST_BYTES, PartialCounts, count_values, has_arrays, join_partial_counts
from urisect.logs.report.plain_counts import PlainCounts
from urisect.logs.scan.run import ScanRun, input_files
from urisect.logs.scan.selection import select_lines
from urisect.logs.scan.task import PieceResult, Task

__all__ = ["CombinationCount", "CombinationRanking", "FieldCounter", "Ranking", "top"]

# The name under which a counter counts.
COUNTED = "counted"


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


class CombinationCount(NamedTuple):
    """The lines that have one combination of values.

    Attributes:
        values: the value of each field; None stands for an undefined one.
        lines: the number of lines.

    >>> count = CombinationCount((b"192.0.2.7", b"404"), lines=3)
    >>> client, status = count.values
    >>> client, status, count.lines
    (b'192.0.2.7', b'404', 3)
    """

    values: tuple[bytes | None, ...]
    lines: int


class CombinationRanking(NamedTuple):
    """The most frequent combinations of the values of several fields.

    Attributes:
        counts: the combinations and their counts, the most frequent first. Ties are in the byte order of their first
            values, then of their second ones, and so on; None follows all other values.
        lines: how many lines were counted.
        distinct: how many different combinations there are; that of undefined values only is not counted.

    >>> counts = [CombinationCount((b"192.0.2.7", b"404"), 3), CombinationCount((b"192.0.2.7", None), 1)]
    >>> ranking = CombinationRanking(counts, lines=4, distinct=2)
    >>> ranking.counts[0].values
    (b'192.0.2.7', b'404')
    """

    counts: list[CombinationCount]
    lines: int
    distinct: int


@overload
def top(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    field: str,
    most: int = 10,
    *,
    format: Format | str = AUTO,
    where: str | None = None,
    since: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
    jobs: int = 1,
    limit: int = MAX_LINE_BYTES,
    reject: Callable[[Rejected], object] | None = None,
    skip: Callable[[Skipped], object] | None = None,
    fault: Callable[[str, OSError], object] | None = None,
) -> Ranking: ...


@overload
def top(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    field: list[str] | tuple[str, ...],
    most: int = 10,
    *,
    format: Format | str = AUTO,
    where: str | None = None,
    since: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
    jobs: int = 1,
    limit: int = MAX_LINE_BYTES,
    reject: Callable[[Rejected], object] | None = None,
    skip: Callable[[Skipped], object] | None = None,
    fault: Callable[[str, OSError], object] | None = None,
) -> CombinationRanking: ...


def top(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    field: str | list[str] | tuple[str, ...],
    most: int = 10,
    *,
    format: Format | str = AUTO,
    where: str | None = None,
    since: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
    jobs: int = 1,
    limit: int = MAX_LINE_BYTES,
    reject: Callable[[Rejected], object] | None = None,
    skip: Callable[[Skipped], object] | None = None,
    fault: Callable[[str, OSError], object] | None = None,
) -> Ranking | CombinationRanking:
    """Count the values of a field of logs, exactly and in constant memory, and return the most frequent ones.

    DuckDB counts them in a temporary file. Where it is not installed, plain Python counts up to 1,000,000 different
    values, or 128 MiB of them.

    Args:
        path: a file, a directory, a pattern, or several of them, here or in remote storage ("s3://bucket/logs/*.gz");
            "-" is standard input. A file may be compressed with gzip, bzip2, xz or Zstandard.
        field: one of `format.fields`. Times are counted as text in UTC. For a list of up to 8 fields, the combinations
            of their values are counted.
        most: how many values to return at most.
        format: the log format: a `Format`, its name, or a format string, as for `format_of`; "auto" detects it from
            the first lines.
        where: a predicate in SQL over the fields, such as "status >= 500"; other lines are not counted.
        since: the first time to keep: a datetime, a date, or text such as "1996-11-10 13:55", "2h" (two hours ago) or
            "yesterday". A time without a zone is in UTC.
        until: the first time to leave out; a date includes the whole day.
        jobs: the number of processes. The program's main module has to be importable if it is more than one.
        limit: the longest line, in bytes; longer ones are skipped.
        reject: called with each line that does not match the format.
        skip: called with each line that is skipped.
        fault: called with the path and the error of each file that cannot be read to its end; the next file follows.
            Without it, the error is raised.

    Returns:
        The most frequent values with their counts, the number of lines, and the number of different values, as a
        `Ranking`, or for a list of fields as a `CombinationRanking`.

    Raises:
        MissingExtraError: DuckDB or pyarrow is not installed, and there are too many values, or a predicate.
        ValueError: the log format is unknown or cannot be detected; the list names no field, or too many; or `since` or
            `until` is not a time, or the format has none.
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
    ...     pairs = top(log.name, ["method", "status"], format="common")
    >>> [(count.value, count.lines) for count in ranking.counts]
    [(b'200', 1), (b'304', 1)]
    >>> ranking.lines, ranking.distinct
    (2, 2)
    >>> [(count.values, count.lines) for count in pairs.counts]
    [((b'GET', b'200'), 1), ((b'HEAD', b'304'), 1)]
    """
    files = input_files(path)
    selection = select_format(format, files)
    fields = (field,) if isinstance(field, str) else tuple(field)
    with FieldCounter(selection.format, fields, where=where, since=since, until=until, limit=limit) as counter:
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
        ranking = counter.ranking(most)
    if not isinstance(field, str):
        return ranking
    counts = [ValueCount(value, lines) for (value,), lines in ranking.counts]
    return Ranking(counts, ranking.lines, ranking.distinct)


class FieldCounter:
    """Counts the values of a field, or combinations of values of several, over the results of a scan.

    It is a context manager, since it counts in a temporary file.

    Attributes:
        task: what to do with each table of lines.
        missing: the package without which plain Python counts, a limited number of values; None if it is installed.

    >>> from urisect.logs import LIST
    >>> with FieldCounter(LIST, ["host"]) as counter:
    ...     for result in ScanRun(["/dev/null"], counter.task):
    ...         counter.add(result)
    ...     counter.ranking(10)
    CombinationRanking(counts=[], lines=0, distinct=0)
    """

    def __init__(
        self,
        format: Format,
        fields: Sequence[str],
        *,
        where: str | None = None,
        since: datetime | date | str | None = None,
        until: datetime | date | str | None = None,
        limit: int = MAX_LINE_BYTES,
    ) -> None:
        """Prepare the task.

        Args:
            format: the log format.
            fields: one of `format.fields`, or up to `MAX_FIELDS` of them.
            where: a predicate in SQL over the fields; other lines are not counted.
            since: the first time to count, see `select_lines`.
            until: the first time not to count; a date includes the whole day.
            limit: the longest line, in bytes.

        Raises:
            KeyError: the format has no such field.
            ValueError: there is no field, or there are too many.
            WhereError: the predicate is invalid.
            TimeRangeError: `since` or `until` is not a time, or the format has none.
            MissingExtraError: there is a predicate, and DuckDB or pyarrow is not installed.
        """
        format.needed(fields)  # raises KeyError before a file is read
        if not 0 < len(fields) <= MAX_FIELDS:
            raise ValueError(f"name 1 to {MAX_FIELDS} fields to count, not {len(fields)}")
        count = (
            partial(count_values, field=fields[0]) if len(fields) == 1 else partial(count_combinations, fields=fields)
        )
        task = Task(
            format,
            fields,
            count,
            limit,
            join=join_partial_counts if has_arrays() else None,
            is_columnar=has_arrays(),
            list_bytes=LIST_BYTES,
        )
        self.task: Task[PartialCounts] = select_lines(task, where=where, since=since, until=until)
        self._fields = tuple(fields)
        self.missing: str | None = None
        self._counts: CountDatabase | PlainCounts
        try:
            self._counts = CountDatabase()
        except MissingExtraError as error:
            self.missing = error.name
            self._counts = PlainCounts(f"{error.name}")

    def __enter__(self) -> Self:
        self._counts.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._counts.__exit__(*_)

    def add(self, result: PieceResult[PartialCounts]) -> None:
        """Add the partial counts of one piece.

        Raises:
            MissingExtraError: DuckDB or pyarrow is not installed, and there are too many values for plain Python.
        """
        for counts in result.outputs:
            self._counts.add(COUNTED, counts)

    def ranking(self, most: int) -> CombinationRanking:
        """Return the most frequent combinations so far; those of one field have one value each.

        Args:
            most: how many of them to return at most.
        """
        counts, number = self._counts, len(self._fields)
        return CombinationRanking(
            [
                CombinationCount((value,) if number == 1 else decode_combination(value, number), lines)
                for value, lines, *_ in counts.top(COUNTED, most)
            ],
            counts.total(COUNTED).lines,
            counts.distinct(COUNTED),
        )
