"""Explain why no format matches a line: which one comes nearest, and where it stops matching."""

from collections.abc import Iterable
from string import digits

from urisect.character_ranges import LAST_BYTE, positive_classes
from urisect.excerpt import excerpt
from urisect.logs.formats.format import Format, PatternFormat
from urisect.logs.formats.plain import LIST

__all__ = ["explain_mismatch"]

# How much of a line is compared with formats, and shown.
MAX_BYTES = 2000

# A format is near if it matches this much, and a digit in it: any few words may be the beginning of a line.
MIN_MATCHED_BYTES = 16

HOW_TO_NAME_IT = (
    "Name the format; `urisect formats` lists them. Or give the server's own: Apache's LogFormat, such as "
    """'%h %l %u %t "%r" %>s %b'; nginx's log_format, such as '$remote_addr [$time_local] "$request" $status'; or """
    "json:url for objects whose member url is a URI."
)


def explain_mismatch(line: bytes, formats: Iterable[Format]) -> str:
    r"""Explain that no format matches the first lines of a log.

    Args:
        line: the first line.
        formats: the formats that were tried.

    >>> from urisect.logs import COMMON
    >>> print(explain_mismatch(COMMON.sample.splitlines()[0].replace(b"200", b"OK"), [COMMON]).partition("Name")[0])
    no format matches half of the first lines. The first line is:
      192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" OK 2326
    The nearest format is common; it stops matching at the mark:
      …ov/1996:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" OK 2326
                                                       ^
    <BLANKLINE>
    """
    shown = line[:MAX_BYTES]
    near = [
        (_matched_bytes(format, shown), format)
        for format in formats
        if isinstance(format, PatternFormat) and not format.strict_line
    ]
    matched, nearest = max(near, key=lambda each: each[0], default=(0, LIST))
    text = shown.decode("utf-8", "backslashreplace")
    explanation = ["no format matches half of the first lines. The first line is:", f"  {text}"]
    if matched >= MIN_MATCHED_BYTES and any(digit in shown[:matched] for digit in digits.encode()):
        part, start, _ = excerpt(shown, matched, 1)
        explanation += [
            f"The nearest format is {nearest.name}; it stops matching at the mark:",
            f"  {part}",
            f"  {' ' * start}^",
        ]
    return "\n".join((*explanation, HOW_TO_NAME_IT))


def _matched_bytes(format: PatternFormat, line: bytes) -> int:
    """Return the length of the longest beginning of a line that a line of the format could begin with."""
    try:
        import regex  # noqa: PLC0415  only a failed detection needs it
    except ImportError:  # in a subinterpreter, and in a browser
        return 0
    expression = regex.compile(positive_classes(format.strict.line, LAST_BYTE).encode())
    low, high = 0, len(line)
    while low < high:  # a beginning of a possible beginning is a possible beginning, too
        middle = (low + high + 1) // 2
        if expression.fullmatch(line[:middle], partial=True):
            low = middle
        else:
            high = middle - 1
    return low
