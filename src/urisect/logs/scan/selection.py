"""Select the lines that a task gets: by time, by a predicate, the first ones, or a random sample."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from functools import partial
from itertools import chain
from typing import Any, Generic, NamedTuple

from urisect.logs.input.reader import Table
from urisect.logs.scan.run import filter_task
from urisect.logs.scan.task import PieceResult, T, Task
from urisect.logs.scan.time_range import TIME_FIELD, TimeRange, parse_time_range

__all__ = ["RowChoice", "choose_rows", "select_lines", "select_times"]


def select_lines(
    task: Task[T],
    *,
    where: str | None = None,
    since: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
) -> Task[T]:
    """Restrict a task to the lines in a range of times for which an expression is true.

    Args:
        task: what to do with the lines.
        where: a predicate in SQL over the fields; None for all lines.
        since: the first time of the range, see `parse_time_range`; None if it has no beginning.
        until: the first time after the range; a date includes its day. None if the range has no end.

    Raises:
        WhereError: the expression is invalid or not allowed.
        TimeRangeError: a text is not a time, `since` is after `until`, or the format has no time.
        MissingExtraError: DuckDB or pyarrow is not installed.

    >>> from urisect.logs import COMMON
    >>> task = select_lines(Task(COMMON, ["client"], len), since="1996-11-10", until="1996-11-10")
    >>> print(task.columns, task.time_range)
    ('client', 'time') since 1996-11-10T00:00:00Z until 1996-11-11T00:00:00Z
    """
    return select_times(filter_task(task, where), parse_time_range(since, until, task.format))


def select_times(task: Task[T], time_range: TimeRange | None) -> Task[T]:
    """Restrict a task to the lines in a range of times.

    Args:
        task: what to do with the lines, of a format with times.
        time_range: the range; None for all times.
    """
    if time_range is None:
        return task
    return task._replace(columns=(*task.columns, TIME_FIELD), time_range=time_range)


class RowChoice(NamedTuple, Generic[T]):
    """How rows are chosen: first by the workers, from each piece, and then by the parent, from all.

    Attributes:
        task: what the workers do with the lines.
        outputs: yields what the original task returns for the chosen rows, given the results of a scan of `task`.
    """

    task: Task[Any]
    outputs: Callable[[Iterable[PieceResult[Any]]], Iterator[T]]


def choose_rows(task: Task[T], *, first: int | None = None, sample: int | None = None) -> RowChoice[T]:
    """Restrict a task to some of its rows; to all by default.

    Args:
        task: what to do with the rows.
        first: how many rows, from the first one on; then the scan ends.
        sample: how many rows, at random. The same files give the same sample, with any number of workers.

    Raises:
        ValueError: both are given, or a number is not positive.

    >>> from urisect.logs import LIST
    >>> choice = choose_rows(Task(LIST, ["path"], lambda table: table.column("path")), sample=10)
    >>> choice.task.has_row_keys, list(choice.outputs([]))
    (True, [])
    """
    if first is not None and sample is not None:
        raise ValueError("the first rows, or a sample of all: give only one of first and sample")
    for name, number in (("first", first), ("sample", sample)):
        if number is not None and number < 1:
            raise ValueError(f"{name} is {number}: at least one row has to be chosen")
    if first is not None:
        return RowChoice(_restrict(task, partial(_first_rows, number=first)), partial(_first, task.make, first))
    if sample is not None:
        chosen = _restrict(task, partial(_sample_rows, number=sample))
        return RowChoice(chosen._replace(has_row_keys=True), partial(_sample, task.make, sample))
    return RowChoice(task, _all)


def _restrict(task: Task[Any], choose: Callable[[Iterable[Table]], list[Table]]) -> Task[list[Table]]:
    """Return a task of workers: choose from the tables of a piece."""
    return task._replace(make=partial(_choose_from_table, choose), join=partial(_choose_from_outputs, choose))


def _choose_from_table(choose: Callable[[Iterable[Table]], list[Table]], table: Table) -> list[Table]:
    return choose([table])


def _choose_from_outputs(
    choose: Callable[[Iterable[Table]], list[Table]], outputs: Sequence[list[Table]]
) -> list[Table]:
    return choose(chain.from_iterable(outputs))


def _all(results: Iterable[PieceResult[T]]) -> Iterator[T]:
    for result in results:
        yield from result.outputs


def _first(make: Callable[[Table], T], number: int, results: Iterable[PieceResult[list[Table]]]) -> Iterator[T]:
    for result in results:
        for table in _first_rows(chain.from_iterable(result.outputs), number):
            number -= table.parsed
            yield make(table)
        if not number:
            return


def _sample(make: Callable[[Table], T], number: int, results: Iterable[PieceResult[list[Table]]]) -> Iterator[T]:
    kept: list[Table] = []
    rows = 0
    for result in results:
        new = list(chain.from_iterable(result.outputs))
        kept += new
        rows += _count_rows(new)
        if rows > 2 * number:  # not for each piece, since it takes as long as there are tables
            kept = _sample_rows(kept, number)
            rows = number
    yield from map(make, _sample_rows(kept, number))


def _first_rows(tables: Iterable[Table], number: int) -> list[Table]:
    """Return the first rows of tables."""
    kept = []
    for table in tables:
        taken = table if table.parsed <= number else table.selected([row < number for row in range(table.parsed)])
        if taken.parsed:
            kept.append(taken)
        number -= taken.parsed
    return kept


def _sample_rows(tables: Iterable[Table], number: int) -> list[Table]:
    """Return the rows of tables with the smallest keys, in the order of the tables.

    Each row has an independent key, so that each set of rows has the same chance. The smallest keys of all are among
    the smallest keys of the parts.
    """
    kept = [table for table in tables if table.parsed]
    if _count_rows(kept) > number:
        from urisect.logs.scan.row_keys import row_keys  # noqa: PLC0415  few runs have a sample

        largest = sorted(chain.from_iterable(map(row_keys, kept)))[number - 1]
        chosen = (table.selected([key <= largest for key in row_keys(table)]) for table in kept)
        kept = [table for table in chosen if table.parsed]
    return kept


def _count_rows(tables: Iterable[Table]) -> int:
    return sum(table.parsed for table in tables)
