"""Write messages: errors, locations and summaries, safe to show on a terminal."""

import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from urisect.logs.input.files import STDIN
from urisect.logs.input.locations import shown_name

if TYPE_CHECKING:
    from collections import Counter

__all__ = [
    "file_name",
    "format_counts",
    "format_location",
    "format_speed",
    "print_error",
    "print_file_error",
    "print_speed",
    "print_waiting",
    "visible",
]

# From how many bytes on the speed of a list is printed: the time for less is that of the start.
MIN_SPEED_BYTES = 1_000_000

# What acts on a terminal: control characters, except tab and line ends, and changes of the direction of text.
ACTING = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)"


def visible(data: bytes | str) -> str:
    r"""Escape what would act on a terminal, and what is not UTF-8.

    >>> visible(b"\x1b[31m\xff")
    '\\x1b[31m\\xff'
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    text = data.decode("utf-8", "backslashreplace")
    return re.sub(ACTING, lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def print_error(message: str) -> None:
    """Print an error on standard error."""
    print(f"urisect: {visible(message)}", file=sys.stderr)


def print_file_error(file: str, error: OSError) -> None:
    """Print that a file cannot be read, or not to its end."""
    print_error(f"{'standard input' if file == STDIN else shown_name(file)}: {error.strerror or error}")


def print_waiting() -> None:
    """Say on standard error that a command waits for input, if standard input is a terminal."""
    if sys.stdin is not None and sys.stdin.isatty():
        print("reading standard input; end it with Ctrl-D", file=sys.stderr)


def print_speed(lines: int, size: int, seconds: float) -> None:
    """Print how fast a list was read, if standard error is a terminal and the list is long enough to tell.

    Args:
        lines: the number of lines.
        size: their length, in bytes.
        seconds: the time.
    """
    if size >= MIN_SPEED_BYTES and sys.stderr.isatty():
        print(format_speed(size, seconds, f"read {lines} lines,"), file=sys.stderr)


def format_speed(size: int, seconds: float, what: str = "parsed") -> str:
    """Write how long it took to read lines.

    Args:
        size: the length of the lines, in bytes.
        seconds: the time.
        what: what was done with them.

    >>> format_speed(1_160_000, 0.04), format_speed(5_000_000_000, 75, "read 80000000 lines,")
    ('parsed 1.16 MB in 0.04 s (29 MB/s)', 'read 80000000 lines, 5 GB in 1 min 15 s (66.7 MB/s)')
    """
    from urisect.logs.report.formatting import format_bytes  # noqa: PLC0415  not for every command

    minutes, rest = divmod(round(seconds), 60)
    time = f"{minutes} min {rest} s" if minutes else f"{seconds:.{2 if seconds < 10 else 0}f} s"  # noqa: PLR2004
    return f"{what} {format_bytes(size)} in {time} ({format_bytes(size / max(seconds, 0.001))}/s)"


def file_name(file: str) -> str:
    """Return the name of an input file as it is shown.

    >>> file_name("-"), file_name("list")
    ('<stdin>', 'list')
    """
    return "<stdin>" if file == STDIN else file


def format_location(file: str, *numbers: int) -> str:
    """Write a location as compilers do: the file, the line and, optionally, the column.

    >>> format_location("list", 3, 14), format_location("-", 3)
    ('list:3:14:', '<stdin>:3:')
    """
    return f"{file_name(file)}:{':'.join(map(str, numbers))}:"


def format_counts(counts: Mapping[str, int], skipped: int, details: "Counter[str] | None" = None) -> str:
    """Write the summary of a run.

    Args:
        counts: numbers of lines, by outcome.
        skipped: how many lines were skipped; zero is left out.
        details: further counts, the most frequent first.

    >>> from collections import Counter
    >>> format_counts({"read": 10, "bad": 3}, 0, Counter(path=1, host=2)), format_counts({"read": 10}, 1)
    ('read 10, bad 3: host 2, path 1', 'read 10, skipped 1')
    """
    counts = {**counts, "skipped": skipped} if skipped else counts
    headline = ", ".join(f"{name} {number}" for name, number in counts.items())
    if not details:
        return headline
    return f"{headline}: {', '.join(f'{name} {number}' for name, number in details.most_common())}"
