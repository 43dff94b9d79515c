"""Write messages: errors and locations, safe to show on a terminal."""

import re
import sys

from urisect.logs.input.files import STDIN
from urisect.logs.input.locations import shown_name

__all__ = [
    "file_name",
    "format_location",
    "print_error",
    "print_file_error",
    "print_waiting",
    "visible",
]

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
    """Print that a file cannot be read, or not to its end; for a missing one, suggest one with a similar name."""
    name = "standard input" if file == STDIN else shown_name(file) or "''"
    suggestion = ""
    if isinstance(error, FileNotFoundError):
        from urisect.cli.unreadable import similar_file  # noqa: PLC0415  few runs need it

        similar = similar_file(file)
        suggestion = f'; did you mean "{similar}"?' if similar else ""
    print_error(f"{name}: {error.strerror or error}{suggestion}")


def print_waiting() -> None:
    """Say on standard error that a command waits for input, if standard input is a terminal."""
    if sys.stdin is not None and sys.stdin.isatty():
        print("reading standard input; end it with Ctrl-D", file=sys.stderr)


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
