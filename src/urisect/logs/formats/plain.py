"""Parse a plain list: each line is a URI reference."""

from urisect.bulk import pattern
from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.layout import FieldKind, LayoutField, LineLayout, RegularForm
from urisect.reference import Reference

__all__ = ["LIST"]

LINE = pattern(stop="\n")

# Every line is a reference.
_REFERENCE = RegularForm(FieldKind.REFERENCE, is_optional=False, may_be_empty=True)
_LAYOUT = LineLayout("", (LayoutField(Reference._fields, _REFERENCE, is_quoted=False, after=""),), LINE, excluded="")

LIST = PatternFormat(
    "list",
    LINE,
    strict_line=rf"(?![^\n]*[ \t]){LINE}",
    layout=_LAYOUT,
    strict_layout=_LAYOUT._replace(excluded=" \t"),
    title="Plain list of URIs",
    notes="One URI per line. Any text is accepted; if the format is detected, a line with spaces is rejected.",
    uris=("",),
    sample=b"http://example.com/a?b#c\n//example.com\n",
)
