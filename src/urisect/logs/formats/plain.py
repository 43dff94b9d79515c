"""Parse a plain list: each line is a URI reference."""

from urisect.bulk import pattern
from urisect.logs.formats.format import PatternFormat

__all__ = ["LIST"]

LIST = PatternFormat(
    "list",
    pattern(stop="\n"),
    title="Plain list of URIs",
    notes="One URI per line; any text is accepted.",
    uris=("",),
    sample=b"http://example.com/a?b#c\n//example.com\n",
)
