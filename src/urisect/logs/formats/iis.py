"""Parse the native log format of IIS, whose fields are separated by commas.

The source is Microsoft's page "IIS Log File Formats", on the IIS format.
"""

import re

from urisect.logs.formats.format import IMPLAUSIBLE, PatternFormat
from urisect.logs.formats.notation import (
    ISO_TIME,
    MILLISECONDS,
    MINUTE_PATTERN,
    NUMBER,
    SECOND_PATTERN,
    STATUS_OR_NONE,
    Notation,
    ValueKind,
)
from urisect.logs.formats.plausibility import CLIENT
from urisect.logs.formats.request import OPTIONAL_BOM, optional_value
from urisect.logs.formats.w3c import W3C_FIELDS
from urisect.repetition import unrolled_loop

__all__ = ["COLUMN_MEANINGS", "IIS"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {field.column: field.meaning for field in (W3C_FIELDS["s-sitename"], W3C_FIELDS["sc-win32-status"])}

_NUMBER = re.compile(rb"[0-9]+")

# A year of two digits is in 1969 to 2068 (POSIX, strptime, %y).
_CENTURY_LIMIT = 69


def _parse_time(text: bytes) -> int | float | None:
    month, day, year, *clock = map(int, _NUMBER.findall(text))
    if text.index(b",") - text.rindex(b"/") <= len("/96"):
        year += 1900 if year >= _CENTURY_LIMIT else 2000
    return ISO_TIME.parse(b"%04d-%02d-%02d %02d:%02d:%02d" % (year, month, day, *clock))


# 11/10/96, 13:55:36 or 11/10/1996, 9:05:06
IIS_TIME = Notation(
    ValueKind.TIME,
    r"(?>1[0-2]|0?[1-9])/(?>3[01]|[12][0-9]|0?[1-9])/(?>[0-9]{4}|[0-9]{2}),[ ]"
    rf"(?>1[0-9]|2[0-3]|0?[0-9]):{MINUTE_PATTERN}:{SECOND_PATTERN}",
    _parse_time,
)

# A comma in a value has no space behind it.
_TEXT = unrolled_loop(r"[^,\n]", r",(?![ \n]|\Z)")


def _text(name: str) -> str:
    """Return the source of text; "-" means none."""
    return rf"(?>-(?=,)|(?P<{name}>{_TEXT}))"


# The path has no query, so a "?" in it is data. The last field is the query.
IIS_LINE = (
    rf"{OPTIONAL_BOM}(?>-(?=,)|(?P<client>(?>(?!\[){CLIENT}(?=,)|(?P<{IMPLAUSIBLE}_client>[^ ,\x00\n]++))))"
    + "".join(
        rf",[ ]{value}"
        for value in (
            _text("user"),
            rf"(?P<time>{IIS_TIME.pattern})",
            _text("site"),
            _text("server"),
            _text("server_address"),
            optional_value("duration", MILLISECONDS),
            optional_value("bytes_received", NUMBER),
            optional_value("bytes_sent", NUMBER),
            optional_value("status", Notation(ValueKind.NUMBER, NUMBER.pattern, STATUS_OR_NONE.parse)),
            optional_value("win32_status", NUMBER),
            _text("method"),
            _text("target_path"),
            _text("target_query"),
        )
    )
    + r",[ ]?+"
)

IIS_SAMPLE = b"""\
192.0.2.7, -, 11/10/96, 13:55:36, W3SVC2, WEB1, 198.51.100.1, 4502, 163, 3223, 200, 0, GET, /a/b, c=d,
2001:db8::7, frank, 11/10/1996, 13:55:37, W3SVC2, WEB1, 198.51.100.1, 15, 275, 0, 404, 2, GET, /a b.htm, -,
192.0.2.8, anonymous, 11/10/96, 9:05:06, MSFTPSVC1, WEB1, 198.51.100.1, 60, 275, 0, 0, 0, PASS, intro.htm, -,
"""

IIS = PatternFormat(
    "iis",
    IIS_LINE,
    title="IIS, native format",
    notes=(
        "Comma-separated. The date has the form of the United States, month/day/year. The time is the local time of "
        "the server, without a zone, and counts as UTC. A status of 0 is undefined."
    ),
    uris=("target_",),
    notations={
        "time": IIS_TIME,
        "duration": MILLISECONDS,
        "bytes_received": NUMBER,
        "bytes_sent": NUMBER,
        "status": STATUS_OR_NONE,
        "win32_status": NUMBER,
    },
    sample=IIS_SAMPLE,
    signature=r", [0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}, [0-9]{1,2}:",
)
