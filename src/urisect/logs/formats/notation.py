"""Parse the numbers and times that servers write: integers, seconds, and times in UTC.

A notation is a regular expression, so that a line with an invalid number is rejected, and a parser, which is called
once for each different text of a column.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple, TypeVar, cast

__all__ = [
    "ANY_MICROSECONDS",
    "ANY_MILLISECONDS",
    "ANY_NANOSECONDS",
    "ANY_NUMBER",
    "ANY_SECONDS",
    "ANY_STATUS",
    "ANY_TEXT_PATTERN",
    "ANY_TIME",
    "CLOCK_PATTERN",
    "DAY_PATTERN",
    "DECIMAL_PATTERN",
    "DIGITS_TIME",
    "EPOCH",
    "EPOCH_MICROSECONDS",
    "EPOCH_MILLISECONDS",
    "EPOCH_NANOSECONDS",
    "EPOCH_SECONDS",
    "HOUR_PATTERN",
    "ISO_TIME",
    "LOG_TIME",
    "MAX_TIME",
    "MICROSECOND",
    "MICROSECONDS",
    "MICROSECONDS_PER_SECOND",
    "MILLISECONDS",
    "MINUTE_PATTERN",
    "MIN_TIME",
    "MONTH_ABBREVIATIONS",
    "MONTH_NAMES",
    "MONTH_NUMBER_PATTERN",
    "MONTH_PATTERN",
    "NUMBER",
    "PORT",
    "SECONDS",
    "SECOND_PATTERN",
    "STATUS",
    "STATUS_OR_NONE",
    "ZONE_DIGITS_PATTERN",
    "Memo",
    "Notation",
    "Value",
    "ValueKind",
    "format_values",
    "month_number",
    "parse_datetimes",
    "parse_log_times",
    "parse_values",
]

K = TypeVar("K")
T = TypeVar("T")

Value = int | float | None


class ValueKind(Enum):
    """The kind of the values of a column.

    >>> ValueKind.TIME.value
    'UTC, in microseconds since 1970'
    """

    TEXT = "text, unchanged"
    NUMBER = "a number"
    SECONDS = "seconds, with a fraction"
    TIME = "UTC, in microseconds since 1970"


class Notation(NamedTuple):
    """A way to write the values of a column.

    Attributes:
        kind: the kind of the values.
        pattern: source of the regular expression of a value, without capturing groups.
        parse: returns the value of a text that matches; None for a time that does not exist, such as 31 April.
        parse_many: for times: parses many at once, faster than `parse`. It raises a ValueError or an OverflowError if
            one of them has to be parsed by `parse`, such as a leap second.
        to_datetimes: the same, but returns datetimes in UTC.
        is_iso: whether a time that Arrow can parse means what Arrow says, in UTC if it has no zone.
        divisor: for numbers and seconds: a text that is a decimal number means this number divided by the divisor; 0 if
            it may mean something else.

    >>> MILLISECONDS.parse(b"250"), MILLISECONDS.divisor
    (0.25, 1000)
    """

    kind: ValueKind
    pattern: str
    parse: Callable[[bytes], Value]
    parse_many: Callable[[list[bytes]], list[int]] | None = None
    to_datetimes: Callable[[list[bytes]], list[datetime]] | None = None
    is_iso: bool = False
    divisor: int = 0


# The pattern of a notation that rejects no text; its parser returns None for a text without a value.
ANY_TEXT_PATTERN = r"[\s\S]*"


def parse_values(column: Iterable[bytes | None], notation: Notation) -> list[Value]:
    """Parse the texts of a column; None stays None.

    Args:
        column: one text per line, as captured.
        notation: how the values are written.

    >>> parse_values([b"200", None, b"200"], NUMBER)
    [200, None, 200]
    """
    if notation.parse_many:
        with suppress(ValueError, OverflowError):
            return _parse_defined(column, notation.parse_many)
    if notation.divisor:
        return list(map(_number_memo(notation.parse).__getitem__, column))
    return list(map(Memo(notation.parse, null=None).__getitem__, column))


def parse_datetimes(column: Iterable[bytes | None], notation: Notation) -> list[datetime | None]:
    """Parse the times of a column as datetimes in UTC; None stays None.

    Args:
        column: one text per line, as captured.
        notation: how the times are written.

    >>> parse_datetimes([b"10/Nov/1996:13:55:36 -0700", None], LOG_TIME)
    [datetime.datetime(1996, 11, 10, 20, 55, 36, tzinfo=datetime.timezone.utc), None]
    """
    if notation.to_datetimes:
        with suppress(ValueError, OverflowError):
            return _parse_defined(column, notation.to_datetimes)

    def parse(text: bytes) -> datetime | None:
        time = notation.parse(text)
        return None if time is None else EPOCH + int(time) * MICROSECOND

    return list(map(Memo(parse, null=None).__getitem__, column))


def _parse_defined(column: Iterable[bytes | None], parse_many: Callable[[list[bytes]], Iterable[T]]) -> list[T | None]:
    """Parse the texts of a column at once; None stays None."""
    texts = list(column)
    if None not in texts:
        return [*parse_many(cast("list[bytes]", texts))]
    values = iter(parse_many([text for text in texts if text is not None]))
    return [None if text is None else next(values) for text in texts]


def format_values(column: Iterable[bytes | None], notation: Notation) -> list[bytes | None]:
    """Write the texts of a column in the standard form of their kind; None stays None.

    Args:
        column: one text per line, as captured.
        notation: how the values are written.

    Returns:
        Numbers and seconds in decimal digits; times in UTC in the form of RFC 3339, 5.6.

    >>> format_values([b"10/Nov/1996:13:55:36 -0700"], LOG_TIME), format_values([b"007"], NUMBER)
    ([b'1996-11-10T20:55:36Z'], [b'7'])
    """

    def format_value(text: bytes) -> bytes | None:
        value = notation.parse(text)
        if value is None:
            return None
        return _format_time(int(value)) if notation.kind is ValueKind.TIME else _format_number(value)

    return list(map(Memo(format_value, null=None).__getitem__, column))


def _format_number(value: float) -> bytes:
    """Write a number without the exponent that `repr` writes for very small and very large floats."""
    text = repr(value)
    if "e" not in text:
        return text.encode()
    from decimal import Decimal  # noqa: PLC0415  few numbers need it

    return f"{Decimal(text):f}".encode()


def _format_time(time: int) -> bytes:
    minute, rest = divmod(time, 60 * MICROSECONDS_PER_SECOND)
    second, fraction = divmod(rest, MICROSECONDS_PER_SECOND)
    return b"%b:%02d%bZ" % (_format_minute(minute), second, b".%06d" % fraction if fraction else b"")


@lru_cache(maxsize=1 << 12)
def _format_minute(minute: int) -> bytes:
    return (EPOCH + timedelta(minutes=minute)).isoformat()[:16].encode()


class Memo(dict[bytes | None, T]):
    """A cache of the values of texts: most texts occur more than once in a block of lines.

    >>> memo = Memo(int, null=0)
    >>> memo[b"200"], memo[None]
    (200, 0)
    """

    def __init__(self, compute: Callable[[bytes], T], null: T) -> None:
        """Create an empty cache.

        Args:
            compute: returns the value of a text.
            null: the value of None.
        """
        super().__init__({None: null})
        self._compute = compute

    def __missing__(self, text: bytes) -> T:
        value = self[text] = self._compute(text)
        return value


class _LastingMemo(dict[K, T]):
    """A cache of the values of short texts, which lasts for more than one block and so has a limit."""

    _LIMIT = 1 << 13

    def __init__(self, compute: Callable[[K], T]) -> None:
        """Create an empty cache."""
        super().__init__()
        self._compute = compute

    def __missing__(self, text: K) -> T:
        if len(self) >= self._LIMIT:
            self.clear()
        value = self[text] = self._compute(text)
        return value


@cache
def _number_memo(parse: Callable[[bytes], Value]) -> _LastingMemo[bytes | None, Value]:
    """Return the memo for numbers: most of the sizes in a block also occur in others."""
    return _LastingMemo(lambda text: None if text is None else parse(text))


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MICROSECONDS_PER_SECOND = 1_000_000
MICROSECONDS_PER_DAY = 86_400 * MICROSECONDS_PER_SECOND
# The range of `datetime`, in microseconds since 1970.
MIN_TIME = (datetime(1, 1, 1, tzinfo=UTC) - EPOCH) // MICROSECOND
MAX_TIME = (datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC) - EPOCH) // MICROSECOND


def _parse_seconds(text: bytes) -> float:
    return float(text)


def _parse_milliseconds(text: bytes) -> float:
    return float(text) / 1_000


def _parse_microseconds(text: bytes) -> float:
    return float(text) / 1_000_000


DECIMAL_PATTERN = r"[0-9]{1,18}(?>\.[0-9]{1,18}|)"

NUMBER = Notation(ValueKind.NUMBER, r"[0-9]{1,18}", int, divisor=1)  # 18 digits always fit in a signed 64-bit integer
STATUS = Notation(ValueKind.NUMBER, r"[0-9]{3}", int, divisor=1)  # status-code = 3DIGIT (RFC 9112, 4)
PORT = Notation(ValueKind.NUMBER, r"[0-9]{1,5}", int, divisor=1)
SECONDS = Notation(ValueKind.SECONDS, DECIMAL_PATTERN, _parse_seconds, divisor=1)
MILLISECONDS = Notation(ValueKind.SECONDS, DECIMAL_PATTERN, _parse_milliseconds, divisor=1_000)
MICROSECONDS = Notation(ValueKind.SECONDS, DECIMAL_PATTERN, _parse_microseconds, divisor=1_000_000)


def _parse_integer(text: bytes) -> int:
    return int(text.partition(b".")[0])


def _parse_status(text: bytes) -> int | None:
    return _parse_integer(text) or None


# A server writes 000 or 0 if it sent no response; nginx writes 009 for HTTP/0.9.
STATUS_OR_NONE = Notation(ValueKind.NUMBER, rf"(?>{STATUS.pattern}|0)", _parse_status)

# In JSON, -1 may stand for an unknown number, 200.0 for a number that was a float, and 0 for no status.
ANY_NUMBER = Notation(ValueKind.NUMBER, r"-?[0-9]{1,18}(?>\.0{1,18}|)", _parse_integer, divisor=1)
ANY_STATUS = Notation(ValueKind.NUMBER, r"[0-9]{1,3}(?>\.0{1,18}|)", _parse_status)

# Seconds per unit, as (factor, divisor): 3 ms are 3 / 1000 s, but 3 * 0.001 is slightly less.
DURATION_UNITS: dict[bytes, tuple[int, int]] = {
    b"h": (3_600, 1),
    b"m": (60, 1),
    b"s": (1, 1),
    b"ms": (1, 1_000),
    b"us": (1, 1_000_000),
    "µs".encode(): (1, 1_000_000),
    b"ns": (1, 1_000_000_000),
}

_QUANTITY = re.compile(rb"([0-9][0-9.]*(?:[eE][+\-]?[0-9]+)?)([^0-9]*)")


def _parse_duration(text: bytes, default_unit: bytes) -> float:
    """Add up quantities; one without a unit is in the default unit."""
    seconds = 0.0
    for number, unit in _QUANTITY.findall(text):
        factor, divisor = DURATION_UNITS[unit or default_unit]
        seconds += float(number) * factor / divisor
    return -seconds if text[:1] == b"-" else seconds


def _parse_any_seconds(text: bytes) -> float:
    return _parse_duration(text, b"s")


def _parse_any_milliseconds(text: bytes) -> float:
    return _parse_duration(text, b"ms")


def _parse_any_microseconds(text: bytes) -> float:
    return _parse_duration(text, b"us")


def _parse_any_nanoseconds(text: bytes) -> float:
    return _parse_duration(text, b"ns")


# A JSON number (RFC 8259, 6), or numbers with units as Go writes them: 0.0015, 1.5e-3, 1.5ms, 1m2.5s. It is negative if
# the clock was set back.
FRACTION_PATTERN = r"[0-9]{1,18}(?>\.[0-9]{1,30}|)"
_UNITS_PATTERN = "|".join(map(bytes.decode, DURATION_UNITS))
DURATION_PATTERN = (
    rf"-?(?:{FRACTION_PATTERN}(?>[eE][+\-]?[0-9]{{1,2}}|)|(?:{FRACTION_PATTERN}(?:{_UNITS_PATTERN})){{1,4}})"
)

ANY_SECONDS = Notation(ValueKind.SECONDS, DURATION_PATTERN, _parse_any_seconds, divisor=1)
ANY_MILLISECONDS = Notation(ValueKind.SECONDS, DURATION_PATTERN, _parse_any_milliseconds, divisor=1_000)
ANY_MICROSECONDS = Notation(ValueKind.SECONDS, DURATION_PATTERN, _parse_any_microseconds, divisor=1_000_000)
ANY_NANOSECONDS = Notation(ValueKind.SECONDS, DURATION_PATTERN, _parse_any_nanoseconds, divisor=1_000_000_000)

# In English: those of `calendar` depend on the locale.
MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
MONTH_ABBREVIATIONS = tuple(name[:3] for name in MONTH_NAMES)
_MONTH_NUMBERS = {name.encode(): number for number, name in enumerate(MONTH_ABBREVIATIONS, 1)}


def month_number(name: bytes) -> int:
    """Return the number of a month.

    Args:
        name: the English name of the month, or its first three letters.

    >>> month_number(b"Nov"), month_number(b"November")
    (11, 11)
    """
    return _MONTH_NUMBERS[name[:3]]


def _timestamp(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int | None:
    """Return a time in UTC in microseconds since 1970; None for a day that its month does not have.

    A leap second, :60, is the first second of the next minute, as in POSIX.
    """
    try:
        days = (datetime(year, month, day, tzinfo=UTC) - EPOCH).days
    except ValueError:
        return None
    return (days * 86_400 + hour * 3_600 + minute * 60 + second) * MICROSECONDS_PER_SECOND


def _in_range(time: int) -> int | None:
    """Return None for a time that an offset or a leap second moves out of the years 1 to 9999, `datetime`'s range."""
    return time if MIN_TIME <= time <= MAX_TIME else None


def _parse_offset(zone: bytes) -> int:
    """Parse "Z", "+0100", "-07:30" or nothing as an offset from UTC in microseconds."""
    digits = zone[1:].replace(b":", b"")
    seconds = int(digits[:2]) * 3_600 + int(digits[2:] or 0) * 60 if digits else 0
    return (-seconds if zone[:1] == b"-" else seconds) * MICROSECONDS_PER_SECOND


def _parse_fraction(digits: bytes) -> int:
    """Parse the digits after a decimal point as microseconds; digits after the sixth are dropped."""
    return int(digits[:6].ljust(6, b"0"))


def _parse_log_time(text: bytes) -> int | None:
    minute = _parse_log_minute(text[:17], text[21:])
    return None if minute is None else _in_range(minute + int(text[18:20]) * MICROSECONDS_PER_SECOND)


@lru_cache(maxsize=1 << 12)  # neighbouring lines share a few minutes, and parsing a minute takes 1 us
def _parse_log_minute(text: bytes, zone: bytes) -> int | None:
    month = month_number(text[3:6])
    minute = _timestamp(int(text[7:11]), month, int(text[:2]), int(text[12:14]), int(text[15:17]), 0)
    return None if minute is None else minute - _parse_offset(zone)


_MINUTE_END = len("10/Nov/1996:13:55")

# Between these times no offset from UTC leads out of the range of `datetime`.
_FIRST_SAFE_TIME, _LAST_SAFE_TIME = MIN_TIME + 2 * MICROSECONDS_PER_DAY, MAX_TIME - 2 * MICROSECONDS_PER_DAY


def _log_minute(text: bytes) -> int:
    """Parse the first part of a time, up to the minute."""
    minute = _parse_log_minute(text, b"")
    if minute is None or not _FIRST_SAFE_TIME <= minute <= _LAST_SAFE_TIME:
        raise ValueError(text)
    return minute


def _log_second(text: bytes) -> int:
    """Parse the rest of a time, such as ":36 -0700"."""
    return int(text[1:3]) * MICROSECONDS_PER_SECOND - _parse_offset(text[4:])


# Both parts of a time recur, even if no line has the time of another one. So a time takes 260 ns, and not 700.
_log_minutes, _log_seconds = _LastingMemo(_log_minute), _LastingMemo(_log_second)
_minute_datetimes: _LastingMemo[bytes, datetime] = _LastingMemo(lambda text: EPOCH + _log_minute(text) * MICROSECOND)
_second_timedeltas: _LastingMemo[bytes, timedelta] = _LastingMemo(lambda text: _log_second(text) * MICROSECOND)


def parse_log_times(texts: Iterable[bytes]) -> list[int]:
    """Parse many times, see `Notation.parse_many`.

    >>> parse_log_times([b"10/Nov/1996:13:55:36 -0700"])
    [847659336000000]
    """
    return [_log_minutes[text[:_MINUTE_END]] + _log_seconds[text[_MINUTE_END:]] for text in texts]


def _log_datetimes(texts: Iterable[bytes]) -> list[datetime]:
    return [_minute_datetimes[text[:_MINUTE_END]] + _second_timedeltas[text[_MINUTE_END:]] for text in texts]


DAY_PATTERN = r"(?:0[1-9]|[12][0-9]|3[01])"
HOUR_PATTERN, MINUTE_PATTERN, SECOND_PATTERN = r"(?:[01][0-9]|2[0-3])", r"[0-5][0-9]", r"(?:[0-5][0-9]|60)"
CLOCK_PATTERN = f"{HOUR_PATTERN}:{MINUTE_PATTERN}:{SECOND_PATTERN}"
ZONE_PATTERN = rf"[+\-]{HOUR_PATTERN}:?{MINUTE_PATTERN}"  # time-numoffset (RFC 3339, 5.6), with or without its ":"
ZONE_DIGITS_PATTERN = ZONE_PATTERN.replace(":?", "")  # strftime's %z
MONTH_NUMBER_PATTERN = r"(?:0[1-9]|1[0-2])"
MONTH_PATTERN = f"(?:{'|'.join(MONTH_ABBREVIATIONS)})"

# 10/Nov/1996:13:55:36 -0700: Apache's %t without its brackets, nginx's $time_local
LOG_TIME = Notation(
    ValueKind.TIME,
    rf"{DAY_PATTERN}/{MONTH_PATTERN}/[0-9]{{4}}:{CLOCK_PATTERN}[ ]{ZONE_DIGITS_PATTERN}",
    _parse_log_time,
    parse_log_times,
    _log_datetimes,
)


def _parse_iso_time(text: bytes) -> int | None:
    seconds = text[17:].rstrip(b"Zz")
    zone = b""
    for sign in (b"+", b"-"):
        if sign in seconds:
            seconds, _, digits = seconds.partition(sign)
            zone = sign + digits
    minute = _parse_iso_minute(text[:16], zone)
    if minute is None:
        return None
    return _in_range(minute + int(seconds[:2]) * MICROSECONDS_PER_SECOND + _parse_fraction(seconds[3:]))


@lru_cache(maxsize=1 << 12)
def _parse_iso_minute(text: bytes, zone: bytes) -> int | None:
    minute = _timestamp(int(text[:4]), int(text[5:7]), int(text[8:10]), int(text[11:13]), int(text[14:16]), 0)
    return None if minute is None else minute - _parse_offset(zone)


# The parser in C takes 200 ns for a datetime where `_parse_iso_time` takes 1,600 for a number.
def _iso_datetimes(texts: list[bytes]) -> list[datetime]:
    if texts and not _ENDS_WITH_ZONE.search(texts[0]):  # if others have one, "Z" behind it is an error
        texts = [text + b"Z" for text in texts]
    times = map(datetime.fromisoformat, map(bytes.decode, texts))
    return [
        time if time.tzinfo is UTC else time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
        for time in times
    ]


_ENDS_WITH_ZONE = re.compile(rb"[Zz]\Z|:[^\-+]*+[\-+]")


def _parse_iso_times(texts: list[bytes]) -> list[int]:
    different = list(dict.fromkeys(texts))
    times = [(time - EPOCH) // MICROSECOND for time in _iso_datetimes(different)]
    return list(map(dict(zip(different, times, strict=True)).__getitem__, texts))


# 1996-11-10T13:55:36.123-07:00 (RFC 3339, 5.6), also with a space or a tab for the "T", or without a zone for UTC
ISO_TIME = Notation(
    ValueKind.TIME,
    rf"[0-9]{{4}}-{MONTH_NUMBER_PATTERN}-{DAY_PATTERN}[Tt \t]{CLOCK_PATTERN}"
    rf"(?>[.,][0-9]{{1,12}}|)(?>[Zz]|{ZONE_PATTERN}|)",
    _parse_iso_time,
    _parse_iso_times,
    _iso_datetimes,
    is_iso=True,
)


def _parse_epoch(text: bytes, unit: int) -> int:
    """Parse the time since 1970 in units of that many microseconds, with or without a fraction."""
    whole, _, fraction = text.partition(b".")
    return int(whole) * unit + _parse_fraction(fraction) * unit // MICROSECONDS_PER_SECOND


def _parse_epoch_seconds(text: bytes) -> int:
    return _parse_epoch(text, MICROSECONDS_PER_SECOND)


def _parse_epoch_milliseconds(text: bytes) -> int:
    return _parse_epoch(text, 1_000)


def _parse_epoch_microseconds(text: bytes) -> int:
    return _parse_epoch(text, 1)


def _parse_epoch_nanoseconds(text: bytes) -> int:
    return int(text) // 1_000


# 847630536.123: seconds since 1970, or a smaller unit. These digits last until the year 5138.
EPOCH_SECONDS = Notation(ValueKind.TIME, r"[0-9]{1,11}(?>\.[0-9]{1,18}|)", _parse_epoch_seconds)
EPOCH_MILLISECONDS = Notation(ValueKind.TIME, r"[0-9]{1,14}(?>\.[0-9]{1,18}|)", _parse_epoch_milliseconds)
EPOCH_MICROSECONDS = Notation(ValueKind.TIME, r"[0-9]{1,17}", _parse_epoch_microseconds)
EPOCH_NANOSECONDS = Notation(ValueKind.TIME, r"[0-9]{1,20}", _parse_epoch_nanoseconds)


def _parse_digits_time(text: bytes) -> int | None:
    time = _timestamp(int(text[:4]), *(int(text[at : at + 2]) for at in range(4, 14, 2)))
    return None if time is None else _in_range(time)


# 19961110135536: the fourteen digits of web archives, in UTC
DIGITS_TIME = Notation(
    ValueKind.TIME,
    rf"[0-9]{{4}}{MONTH_NUMBER_PATTERN}{DAY_PATTERN}{HOUR_PATTERN}{MINUTE_PATTERN}{SECOND_PATTERN}",
    _parse_digits_time,
)

# 1996/11/10 13:55:36.123, in UTC
SLASHED_TIME_PATTERN = rf"[0-9]{{4}}/{MONTH_NUMBER_PATTERN}/{DAY_PATTERN}[ ]{CLOCK_PATTERN}(?>\.[0-9]{{1,12}}|)"

# Since 1970: seconds, which have ten digits until 2286, milliseconds, microseconds or nanoseconds
ANY_EPOCH_PATTERN = r"(?:[0-9]{1,11}|[0-9]{12,13}|[0-9]{15,20})(?>\.[0-9]{1,18}|)"


def _parse_any_time(text: bytes) -> int | None:
    whole = text.partition(b".")[0]
    if not whole.isdigit():
        return _parse_log_time(text) if text[2:3] == b"/" else _parse_iso_time(text)
    match len(whole):
        case 14:
            return _parse_digits_time(text)
        case length if length <= 11:  # noqa: PLR2004  see ANY_EPOCH_PATTERN
            return _parse_epoch_seconds(text)
        case length if length <= 13:  # noqa: PLR2004
            return _parse_epoch_milliseconds(text)
        case length if length <= 17:  # noqa: PLR2004
            return int(whole)
    return _parse_epoch_nanoseconds(whole)


def _only_iso(texts: list[bytes]) -> list[bytes]:
    """Return times that are all in the form of RFC 3339, which alone has a "T"."""
    if b"".join(texts).count(b"T") != len(texts):
        raise ValueError("other forms")
    return texts


def _parse_any_times(texts: list[bytes]) -> list[int]:
    return _parse_iso_times(_only_iso(texts))


def _any_datetimes(texts: list[bytes]) -> list[datetime]:
    return _iso_datetimes(_only_iso(texts))


# Any of these forms, as JSON logs use them all. Fourteen digits are a date and a time: a count of milliseconds since
# 1970 has thirteen digits until 2286.
ANY_TIME = Notation(
    ValueKind.TIME,
    rf"(?:{ANY_EPOCH_PATTERN}|{ISO_TIME.pattern}|{LOG_TIME.pattern}|{SLASHED_TIME_PATTERN}|{DIGITS_TIME.pattern})",
    _parse_any_time,
    _parse_any_times,
    _any_datetimes,
    is_iso=True,
)
