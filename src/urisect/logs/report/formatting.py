"""Format values for people: untrusted text, numbers, sizes, durations and times."""

from datetime import UTC, datetime, timedelta

from urisect.logs.formats.notation import EPOCH

__all__ = [
    "cut_middle",
    "escape_unprintable",
    "format_bytes",
    "format_duration",
    "format_number",
    "format_seconds",
    "format_share",
    "pluralize",
    "shorten_middle",
    "utc_datetime",
]

BYTE_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
THOUSAND = 1000

TIME_UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))  # in seconds

MIN_DATETIME = datetime.min.replace(tzinfo=UTC)
MAX_DATETIME = datetime.max.replace(tzinfo=UTC)


def escape_unprintable(value: bytes | str) -> str:
    r"""Decode a value and escape everything in it that is not printable or not UTF-8.

    >>> escape_unprintable(b"/a\x1b[31m\xff"), escape_unprintable("\u202egpj.exe")
    ('/a\\x1b[31m\\xff', '\\u202egpj.exe')
    """
    data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    text = data.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shorten_middle(text: str, length: int) -> str:
    """Replace the middle of a text by "…" if it is too long: both ends are informative.

    Args:
        text: the text.
        length: its maximum length, in characters.

    >>> shorten_middle("/a/long/path/to/a.html", 16)
    '/a/long/pa….html'
    """
    return text if len(text) <= length else cut_middle(text, length)


def cut_middle(text: str, length: int) -> str:
    """Replace a part of a text in its middle by "…", even if there is space for all of it.

    Args:
        text: the text.
        length: the length of the result, in characters: at least 3, at most that of the text.

    >>> cut_middle("/a/b", 4)
    '/a…b'
    """
    tail = length // 3
    return f"{text[: length - tail - 1]}…{text[-tail:]}"


def format_number(value: float) -> str:
    """Format a number as an integer with thousands separators.

    >>> format_number(1234567)
    '1,234,567'
    """
    return f"{value:,.0f}"


def format_bytes(value: float) -> str:
    """Format a number of bytes with three significant digits and a decimal unit.

    >>> format_bytes(999), format_bytes(1234), format_bytes(123_456_789)
    ('999 B', '1.23 kB', '123 MB')
    """
    unit = 0
    while value >= THOUSAND - 0.5 and unit < len(BYTE_UNITS) - 1:
        value /= THOUSAND
        unit += 1
    is_integer = unit == 0 or value >= THOUSAND / 10
    return f"{value:,.0f} {BYTE_UNITS[unit]}" if is_integer else f"{value:.3g} {BYTE_UNITS[unit]}"


def format_share(part: float, whole: float) -> str:
    """Format a ratio as a percentage; only 0 is "0 %", and only the whole is "100 %".

    >>> format_share(1, 3), format_share(1, 100_000), format_share(99_999, 100_000), format_share(0, 0)
    ('33.3 %', '< 0.1 %', '> 99.9 %', '0 %')
    """
    if not part:
        return "0 %"
    if part == whole:
        return "100 %"
    percent = 100 * part / whole
    return f"{percent:.1f} %" if 0.05 <= percent < 99.95 else "< 0.1 %" if percent < 1 else "> 99.9 %"  # noqa: PLR2004


def format_seconds(value: float) -> str:
    """Format a response time in milliseconds or seconds, with three significant digits.

    >>> format_seconds(0.0123), format_seconds(1.5), format_seconds(1234.5)
    ('12.3 ms', '1.5 s', '1,234 s')
    """
    if value < 1:
        return f"{value * THOUSAND:.3g} ms"
    return f"{value:,.0f} s" if value >= THOUSAND / 10 else f"{value:.3g} s"


def format_duration(seconds: int) -> str:
    """Format the length of a period in its two largest units.

    >>> format_duration(0), format_duration(3661), format_duration(3 * 86_400 + 5)
    ('0 seconds', '1 hour 1 minute', '3 days')
    """
    rest = seconds
    counts: list[tuple[int, str]] = []
    for unit, length in TIME_UNITS:
        count, rest = divmod(rest, length)
        if count or counts or length == 1:
            counts.append((count, unit))
    first, *others = counts[:2]
    return " ".join(pluralize(count, f"{unit}s") for count, unit in (first, *others) if count or (count, unit) == first)


def pluralize(count: int, nouns: str) -> str:
    """Format a count with its noun.

    Args:
        count: how many.
        nouns: the noun, in the plural.

    >>> pluralize(1, "lines"), pluralize(2000, "lines")
    ('1 line', '2,000 lines')
    """
    return f"{format_number(count)} {nouns.removesuffix('s') if count == 1 else nouns}"


def utc_datetime(microseconds: int) -> datetime:
    """Return a time as a datetime in UTC, or the nearest one in the years 1 to 9999.

    Args:
        microseconds: since 1970.

    >>> utc_datetime(847630536_000_000).isoformat(" ", "seconds")
    '1996-11-10 12:55:36+00:00'
    """
    try:
        return EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return MIN_DATETIME if microseconds < 0 else MAX_DATETIME
