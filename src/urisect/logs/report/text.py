"""How the report writes what it shows: hostile text, numbers, sizes, times."""

from datetime import UTC, datetime, timedelta

from urisect.logs.formats.notation import EPOCH

__all__ = ["many", "moment", "number", "seconds", "share", "shortened", "shown", "size", "span"]

UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
THOUSAND = 1000

FIRST = datetime.min.replace(tzinfo=UTC)
LAST = datetime.max.replace(tzinfo=UTC)


def shown(value: bytes | str) -> str:
    r"""Make a value fit to be seen: what is not printed, and what is no UTF-8, is written as an escape.

    >>> shown(b"/a\x1b[31m\xff"), shown("\u202egpj.exe")
    ('/a\\x1b[31m\\xff', '\\u202egpj.exe')
    """
    octets = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    text = octets.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shortened(text: str, length: int) -> str:
    """Cut what is too long in the middle: both ends tell more.

    >>> shortened("/a/long/path/to/a.html", 16)
    '/a/long/pa….html'
    """
    if len(text) <= length:
        return text
    tail = length // 3
    return f"{text[: length - tail - 1]}…{text[-tail:]}"


def number(value: float) -> str:
    """Write a number with its thousands apart.

    >>> number(1234567)
    '1,234,567'
    """
    return f"{value:,.0f}"


def size(value: float) -> str:
    """Write a number of bytes, in units of a thousand.

    >>> size(999), size(1234), size(123_456_789)
    ('999 B', '1.23 kB', '123 MB')
    """
    unit = 0
    while value >= THOUSAND - 0.5 and unit < len(UNITS) - 1:
        value /= THOUSAND
        unit += 1
    return f"{value:,.0f} {UNITS[unit]}" if unit == 0 or value >= THOUSAND / 10 else f"{value:.3g} {UNITS[unit]}"


def share(part: float, whole: float) -> str:
    """Write a part of a whole; what is not nothing does not look like nothing.

    >>> share(1, 3), share(1, 100_000), share(99_999, 100_000), share(0, 0)
    ('33.3 %', '< 0.1 %', '> 99.9 %', '0 %')
    """
    if not part:
        return "0 %"
    if part == whole:
        return "100 %"
    percent = 100 * part / whole
    return f"{percent:.1f} %" if 0.05 <= percent < 99.95 else "< 0.1 %" if percent < 1 else "> 99.9 %"  # noqa: PLR2004


def seconds(value: float) -> str:
    """Write how long something took.

    >>> seconds(0.0123), seconds(1.5), seconds(1234.5)
    ('12.3 ms', '1.5 s', '1,234 s')
    """
    if value < 1:
        return f"{value * THOUSAND:.3g} ms"
    return f"{value:,.0f} s" if value >= THOUSAND / 10 else f"{value:.3g} s"


def span(seconds: int) -> str:
    """Write how long a stretch of time is, in its two largest units.

    >>> span(0), span(3661), span(3 * 86_400 + 5)
    ('0 seconds', '1 hour 1 minute', '3 days')
    """
    rest = seconds
    counts: list[tuple[int, str]] = []
    for name, length in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, rest = divmod(rest, length)
        if count or counts or length == 1:
            counts.append((count, name))
    first, *others = counts[:2]
    return " ".join(many(count, f"{name}s") for count, name in (first, *others) if count or (count, name) == first)


def many(count: int, noun: str) -> str:
    """Count things.

    >>> many(1, "lines"), many(2000, "lines")
    ('1 line', '2,000 lines')
    """
    return f"{number(count)} {noun.removesuffix('s') if count == 1 else noun}"


def moment(microseconds: int) -> datetime:
    """Give an instant of UTC, or the first or the last that can be given.

    >>> moment(847630536_000_000).isoformat(" ", "seconds")
    '1996-11-10 12:55:36+00:00'
    """
    try:
        return EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return FIRST if microseconds < 0 else LAST
