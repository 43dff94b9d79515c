"""Partial counts of values, as columns: what workers hand over to be added up."""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple, TypeVar

from urisect.logs.formats.format import Column

__all__ = ["MICROSECONDS_PER_MINUTE", "MINUTES_PER_DAY", "SUMS", "PartialCounts", "as_list", "sum_by_key"]

K = TypeVar("K", bound=Hashable)
N = TypeVar("N", int, float)


class PartialCounts(NamedTuple):
    """Partial counts of values, in parallel lists, or in arrays of Arrow and numpy. A value may occur more than once.

    Attributes:
        values: the values; None stands for lines in which the field is undefined.
        lines: the number of lines with each value.
        bytes: the bytes sent with these lines.
        seconds: the total response time of these lines.
        longest: the longest response time of one of these lines, in seconds.
        minutes: the minute in which these lines were logged, counted from 1970; None if it is unknown. Or another
            number that values are counted by, too.
        bots: the number of these lines that are requests of bots.
        client_errors: the number of these lines with a status code of 400 to 499.
        server_errors: the number of these lines with one of 500 to 599.
    """

    values: Column | Any
    lines: list[int] | Any
    bytes: list[float] | Any = None
    seconds: list[float] | Any = None
    longest: list[float] | Any = None
    minutes: list[int | None] | Any = None
    bots: list[int] | Any = None
    client_errors: list[int] | Any = None
    server_errors: list[int] | Any = None


MICROSECONDS_PER_MINUTE = 60_000_000
MINUTES_PER_DAY = 24 * 60

# What is summed up for each value, besides its lines.
SUMS = ("bytes", "seconds", "bots", "client_errors", "server_errors")


def as_list(column: Any) -> list[Any]:
    """Return a column of partial counts as a list, whether it is one, or an array of Arrow or numpy.

    >>> as_list([1, 2])
    [1, 2]
    """
    found: list[Any] = column if isinstance(column, list) else column.tolist()
    return found


def sum_by_key(keys: Iterable[K], numbers: Iterable[N]) -> dict[K, N]:
    """Sum up numbers per key, with the keys in the order of their first occurrence.

    Args:
        keys: one key per number.
        numbers: the numbers.

    >>> sum_by_key("aba", [1, 2, 3])
    {'a': 4, 'b': 2}
    """
    sums: dict[K, N] = {}
    sum_of = sums.get
    for key, number in zip(keys, numbers, strict=True):
        sums[key] = sum_of(key, 0) + number
    return sums
