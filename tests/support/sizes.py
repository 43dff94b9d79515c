"""The sizes of slow tests: full with URISECT_TESTS=full in the environment, a tenth of that otherwise."""

import os
from typing import Final

__all__ = ["LONG", "PROFILE", "choose"]

# "quick" or "full"; Hypothesis has profiles of the same names, and rejects any other.
PROFILE: Final = os.environ.get("URISECT_TESTS", "quick")


def choose(*, full: int, quick: int) -> int:
    """Return the size of a slow test."""
    return full if PROFILE == "full" else quick


# The length of hostile text. At a tenth of it, quadratic time would still take hours instead of seconds.
LONG: Final = choose(full=10_000_000, quick=1_000_000)
