"""Where a line that was rejected leaves its format: the longest beginning that could still become an entry.

`re` tells only that a line does not match. The `regex` package, whose matches may be partial, tells of a beginning
whether it could go on well; it takes some ten of these to find the longest, for each of the few lines that are shown.
"""

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from urisect.logs.formats import Format, PatternFormat

if TYPE_CHECKING:
    import regex

__all__ = ["Rejection", "explain_rejection"]

# How far a line is looked at, in bytes.
WINDOW = 4000


class Rejection(NamedTuple):
    """How far a line is like its format.

    Attributes:
        length: of the beginning that could become an entry, in bytes.
        column: the last column in it; empty if there is none.

    >>> Rejection(11, "client").column
    'client'
    """

    length: int
    column: str


def explain_rejection(format: Format, line: bytes) -> Rejection | None:
    """Find how far a line is like its format.

    Args:
        format: which does not match it.
        line: without its end.

    Returns:
        None if the format is not one expression, and cannot tell.

    >>> from urisect.logs import COMMON
    >>> explain_rejection(COMMON, b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET /a HTTP/1.0" 2OO -')
    Rejection(length=62, column='protocol')
    """
    if not isinstance(format, PatternFormat):
        return None
    expression = _expression(format.line)
    text = line[:WINDOW]
    # The empty beginning of a line always could.
    length = bisect_left(
        range(1, len(text) + 1), x=True, key=lambda end: expression.fullmatch(text, 0, end, partial=True) is None
    )
    found = expression.fullmatch(text, 0, length, partial=True)
    ends = {name: found.end(name) for name in expression.groupindex if found.start(name) >= 0} if found else {}
    return Rejection(length, max(ends, key=ends.__getitem__, default=""))


@lru_cache(8)
def _expression(line: str) -> "regex.Pattern[bytes]":
    import regex  # noqa: PLC0415  it takes 10 ms to load, and many a log has no such line

    return regex.compile(line.encode())
