"""The sizes of slow tests: full with URISECT_TESTS=full in the environment, a tenth of that otherwise."""

import os
from collections.abc import Sequence
from typing import Final, TypeVar

__all__ = ["LONG", "LONG_OF_MANY", "PROFILE", "choose", "some"]

T = TypeVar("T")

# "quick" or "full"; Hypothesis has profiles of the same names, and rejects any other.
PROFILE: Final = os.environ.get("URISECT_TESTS", "quick")


def choose(*, full: int, quick: int) -> int:
    """Return the size of a slow test."""
    return full if PROFILE == "full" else quick


# The length of hostile text. Even of the shorter one, quadratic time would take a quarter of an hour, not seconds.
LONG: Final = choose(full=10_000_000, quick=300_000)

# The same for tests of hundreds of cases: quadratic time would take minutes.
LONG_OF_MANY: Final = choose(full=1_000_000, quick=100_000)


def some(items: Sequence[T]) -> Sequence[T]:
    """Return all of many similar items, or every fifth one.

    >>> len(some(range(50))) in (10, 50)
    True
    """
    return items[:: choose(full=1, quick=5)]
