"""The summary of a run, in one line on standard error: what was read, what became of it, and how fast."""

import sys
from collections.abc import Mapping, Sequence
from time import monotonic
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["Outcome", "format_summary", "print_summary"]

# Smaller sizes say nothing.
MIN_SIZE_BYTES = 1000

# The time is shown if there was this much to read, and it took so long: the rest is the start of the process, or
# waiting for somebody who types. Scripts see it only for a long run.
MIN_TIMED_BYTES = 1_000_000
MIN_SECONDS = 1.0
MIN_SECONDS_ON_TERMINAL = 0.1


class Outcome(NamedTuple):
    """What became of a number of lines.

    Attributes:
        number: how many.
        name: what became of them.
        parts: numbers of some of them, by name.

    >>> str(Outcome(3987, "parsed", {"selected": 7}))
    '3,987 parsed (7 selected)'
    """

    number: int
    name: str
    parts: Mapping[str, int] = MappingProxyType({})

    def __str__(self) -> str:
        parts = sorted(self.parts.items(), key=lambda part: -part[1])
        return f"{self.number:,} {self.name}" + (
            f" ({', '.join(f'{number:,} {name}' for name, number in parts)})" if parts else ""
        )


def format_summary(
    read: int, outcomes: Sequence[Outcome], *, unit: str = "lines", size: int = 0, seconds: float | None = None
) -> str:
    """Write a summary.

    Args:
        read: how much was read, in units.
        outcomes: what became of it.
        unit: the noun, in the plural.
        size: how much was read, in bytes, decompressed.
        seconds: how long it took; None to leave out the time and the speed.

    >>> format_summary(4000, [Outcome(3987, "parsed"), Outcome(13, "rejected")], size=811_000)
    '4,000 lines read (811 kB): 3,987 parsed, 13 rejected'
    >>> format_summary(80_000_000, [], size=5_000_000_000, seconds=75)
    '80,000,000 lines read (5 GB) in 1 min 15 s, 66.7 MB/s'
    >>> format_summary(1, [Outcome(2, "links found")], unit="pages", size=999)
    '1 page read: 2 links found'
    """
    from urisect.logs.report.formatting import format_bytes, pluralize  # noqa: PLC0415  the help needs no summary

    summary = f"{pluralize(read, unit)} read"
    if size >= MIN_SIZE_BYTES:
        summary += f" ({format_bytes(size)})"
    if outcomes:
        summary += f": {', '.join(map(str, outcomes))}"
    if seconds is not None:
        comma = "," if outcomes else ""
        minutes, rest = divmod(round(seconds), 60)
        time = f"{minutes} min {rest} s" if minutes else f"{seconds:.{2 if seconds < 10 else 0}f} s"  # noqa: PLR2004
        summary += f"{comma} in {time}, {format_bytes(size / max(seconds, 0.001))}/s"
    return summary


def print_summary(
    read: int,
    outcomes: Sequence[Outcome] = (),
    *,
    skipped: int = 0,
    unit: str = "lines",
    size: int,
    began: float,
) -> None:
    """Print a summary on standard error; without an outcome, only on a terminal, and only if it shows the time.

    Args:
        read: how much was read, in units.
        outcomes: what became of it.
        skipped: how much was skipped, which is the last outcome; zero is left out.
        unit: the noun, in the plural.
        size: how much was read, in bytes, decompressed.
        began: when it began, in seconds of the monotonic clock.
    """
    seconds = monotonic() - began
    is_terminal = sys.stderr.isatty()
    is_timed = size >= MIN_TIMED_BYTES and seconds >= (MIN_SECONDS_ON_TERMINAL if is_terminal else MIN_SECONDS)
    if skipped:
        outcomes = (*outcomes, Outcome(skipped, "skipped"))
    if outcomes or (is_timed and is_terminal):
        summary = format_summary(read, outcomes, unit=unit, size=size, seconds=seconds if is_timed else None)
        print(summary, file=sys.stderr)
