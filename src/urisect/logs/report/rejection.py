"""Explain why a line was rejected: how much of it matches the format.

`re` only reports that a line does not match. The `regex` package can match partially, which answers whether a prefix of
the line could still become an entry; a binary search for the longest such prefix takes about ten of these matches. The
report does this for the few lines that it shows.
"""

from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from urisect.logs.formats import Format, PatternFormat

if TYPE_CHECKING:
    import regex

__all__ = ["MAX_EXPLAINED_BYTES", "PartialMatch", "explain_rejection"]

# Only this much of a line is matched, in bytes.
MAX_EXPLAINED_BYTES = 4000


class PartialMatch(NamedTuple):
    """How much of a line matches a format.

    Attributes:
        length: the length of the longest prefix that could become an entry, in bytes.
        column: the last column that the prefix contains; empty if it contains none.
    """

    length: int
    column: str


def explain_rejection(format: Format, line: bytes) -> PartialMatch | None:
    """Find how much of a line matches a format.

    Args:
        format: a format that does not match the line.
        line: the line, without its line end.

    Returns:
        None if the format is not a single regular expression.

    >>> from urisect.logs import COMMON
    >>> explain_rejection(COMMON, b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET /a HTTP/1.0" 2OO -')
    PartialMatch(length=62, column='protocol')
    """
    if not isinstance(format, PatternFormat):
        return None
    expression = _compile(format.line)
    text = line[:MAX_EXPLAINED_BYTES]
    # The search begins at 1: the empty prefix can always become an entry.
    length = bisect_left(
        range(1, len(text) + 1), x=True, key=lambda end: expression.fullmatch(text, 0, end, partial=True) is None
    )
    found = expression.fullmatch(text, 0, length, partial=True)
    ends = {name: found.end(name) for name in expression.groupindex if found.start(name) >= 0} if found else {}
    return PartialMatch(length, max(ends, key=ends.__getitem__, default=""))


@lru_cache(8)
def _compile(line: str) -> "regex.Pattern[bytes]":
    import regex  # noqa: PLC0415  importing it takes 10 ms, and many logs have no such line

    return regex.compile(line.encode())
