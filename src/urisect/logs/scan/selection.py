"""Select the lines that a task gets."""

from datetime import date, datetime

from urisect.logs.scan.run import filter_task
from urisect.logs.scan.task import T, Task
from urisect.logs.scan.time_range import TIME_FIELD, parse_time_range

__all__ = ["select_lines"]


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
    task = filter_task(task, where)
    time_range = parse_time_range(since, until, task.format)
    if time_range is None:
        return task
    return task._replace(columns=(*task.columns, TIME_FIELD), time_range=time_range)
