"""Round response times to two digits, so that few different ones are counted, and find percentiles of them."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["MAX_MICROSECONDS", "PERCENTILES", "ROUNDING_LIMITS", "percentiles", "round_duration"]

PERCENTILES: Final = (50, 95, 99)

MAX_MICROSECONDS: Final = 10**15

# From each of these numbers on, one more digit becomes 0.
ROUNDING_LIMITS: Final = tuple(10**digits for digits in range(2, 16))


def round_duration(seconds: float) -> int:
    """Return a duration in microseconds, rounded to two digits.

    Args:
        seconds: the duration; a negative one counts as 0.

    >>> round_duration(0.126), round_duration(0.000007), round_duration(-1)
    (130000, 7, 0)
    """
    microseconds = int(min(max(seconds * 1_000_000 + 0.5, 0), MAX_MICROSECONDS))
    unit: int = 10 ** bisect_right(ROUNDING_LIMITS, microseconds)
    return (microseconds + unit // 2) // unit * unit


def percentiles(counts: Iterable[tuple[int, int]], of: Sequence[int] = PERCENTILES) -> list[int | None]:
    """Return the numbers at or below which some percentages of all numbers are (nearest rank).

    Args:
        counts: different numbers, and how often each occurs.
        of: the percentages, in order.

    >>> percentiles([(1, 50), (2, 45), (3, 5)])
    [1, 2, 3]
    >>> percentiles([])
    [None, None, None]
    """
    ordered = sorted(counts)
    total = sum(times for _, times in ordered)
    found: list[int | None] = []
    numbers = iter(ordered)
    number, reached = None, 0
    for percentage in of:
        while 100 * reached < percentage * total:
            number, times = next(numbers)
            reached += times
        found.append(number)
    return found
