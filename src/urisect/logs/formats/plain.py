"""A plain list: a reference a line, whatever the line holds."""

from urisect.bulk import pattern
from urisect.logs.formats.format import PatternFormat

__all__ = ["LIST"]

LIST = PatternFormat(
    "list",
    pattern(stop="\n"),
    title="Plain list of URIs",
    uris=("",),
    sample=b"http://example.com/a?b#c\n//example.com\n",
)
