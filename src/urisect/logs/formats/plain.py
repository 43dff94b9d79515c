"""Parse a plain list: each line is a URI reference."""

from urisect.bulk import pattern
from urisect.logs.formats.format import PatternFormat

__all__ = ["LIST"]

LINE = pattern(stop="\n")

LIST = PatternFormat(
    "list",
    LINE,
    strict_line=rf"(?![^\n]*[ \t]){LINE}",
    title="Plain list of URIs",
    notes="One URI per line. Any text is accepted; if the format is detected, a line with spaces is rejected.",
    uris=("",),
    sample=b"http://example.com/a?b#c\n//example.com\n",
)
