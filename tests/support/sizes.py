"""How much the slow tests take on: all of it with URISECT_TESTS=full in the environment, a tenth of it otherwise."""

import os
from typing import Final

__all__ = ["LONG", "PROFILE", "choose"]

# "quick" or "full". Hypothesis knows profiles of the same names, and refuses any other.
PROFILE: Final = os.environ.get("URISECT_TESTS", "quick")


def choose(*, full: int, quick: int) -> int:
    """Give the size of a slow test."""
    return full if PROFILE == "full" else quick


# How long hostile text is. Quadratic time shows at a tenth of it, too: it would take hours, not seconds.
LONG: Final = choose(full=10_000_000, quick=1_000_000)
