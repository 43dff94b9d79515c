"""Ratios of times: measured in one process, in turns, and compared with their limits.

Both sides of a ratio run again and again, and the shortest time of each counts, so that a noisy machine does not
decide. A row fails if it exceeds its limit by more than a tenth, in each of several attempts.
"""

import gc
from collections.abc import Callable, Sequence
from math import inf
from operator import attrgetter
from time import perf_counter
from typing import Any, NamedTuple

__all__ = ["EXCEEDED", "NOISE", "PASSES", "ROUNDS", "Prepare", "Result", "Row", "Side", "judge", "measure", "timed"]

PASSES = 10  # over all rows
ROUNDS = 8  # of a row in each pass, at most
SECONDS = 0.3  # of a row in each pass, after which no further round begins
ATTEMPTS = 5  # at a row that fails: noise of other programs comes in bursts
NOISE = 1.1  # by which a figure may exceed its limit
EXCEEDED = "EXCEEDED"

# Runs one side and returns its time in seconds.
Side = Callable[[], float]

# Returns two sides, whose ratio is the figure, or one, whose time is the figure. Raises ImportError if a peer is not
# installed.
Prepare = Callable[[], Sequence[Side]]


class Row(NamedTuple):
    """A ratio or a time, and its limit.

    Attributes:
        name: what is measured.
        prepare: returns the sides.
        limit: the highest allowed figure; None if it is only shown.
        unit: the unit of the figure and the limit.
    """

    name: str
    prepare: Prepare
    limit: float | None
    unit: str


class Result(NamedTuple):
    """A row and its figure, None if a peer is not installed."""

    row: Row
    figure: float | None

    @property
    def verdict(self) -> str:
        """The judgment shown in the table."""
        if self.figure is None:
            return "not installed"
        if self.row.limit is None:
            return "shown"
        if self.figure <= self.row.limit:
            return "ok"
        return "over, within noise" if self.figure <= self.row.limit * NOISE else EXCEEDED


def timed(function: Callable[..., object], *arguments: Any) -> Side:
    """Return a side that times a call. Freeing the result does not count."""

    def side() -> float:
        start = perf_counter()
        returned = function(*arguments)
        seconds = perf_counter() - start
        del returned
        return seconds

    return side


def judge(rows: Sequence[Row], passes: int = PASSES, rounds: int = ROUNDS) -> list[Result]:
    """Measure all rows, and measure those that fail again. The best figure of each row counts."""
    results = measure(rows, passes, rounds)
    for _ in range(ATTEMPTS - 1):
        failed = [index for index, result in enumerate(results) if result.verdict == EXCEEDED]
        for index, again in zip(failed, measure([rows[index] for index in failed], passes, rounds), strict=True):
            results[index] = min(results[index], again, key=attrgetter("figure"))
    return results


def measure(rows: Sequence[Row], passes: int, rounds: int) -> list[Result]:
    """Measure all rows.

    A slow row gets fewer rounds, but at least one in each pass.

    The garbage collector runs as in any program, since keeping objects has its cost. Objects that all the peers loaded
    are frozen: a program that uses one of them does not have them.
    """
    prepared = [_sides(row) for row in rows]
    shortest = [[inf] * len(sides) for sides in prepared]
    gc.freeze()
    gc.collect()
    for _ in range(passes):
        for sides, times in zip(prepared, shortest, strict=True):
            end = perf_counter() + SECONDS
            for _ in range(rounds):
                times[:] = [min(time, side()) for time, side in zip(times, sides, strict=True)]
                if perf_counter() > end:
                    break
    gc.unfreeze()
    return [Result(row, _figure(times)) for row, times in zip(rows, shortest, strict=True)]


def _sides(row: Row) -> Sequence[Side]:
    try:
        return row.prepare()
    except ImportError:
        return ()


def _figure(times: list[float]) -> float | None:
    match times:
        case [ours, theirs]:
            return ours / theirs
        case [ours]:
            return ours
        case _:
            return None
