"""How servers write numbers and times, and what is meant: integers, seconds, and instants in UTC.

A notation is an expression, so that a line in which a number is none is not matched, and a function, which is called
once for each different text of a column.
"""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple, TypeVar

__all__ = ["Memo", "Notation", "ValueKind", "read", "write"]

T = TypeVar("T")

Value = int | float | None


class ValueKind(Enum):
    """What the values of a column are.

    >>> ValueKind.TIME.value
    'UTC, in microseconds since 1970'
    """

    TEXT = "text, as written"
    NUMBER = "a number"
    SECONDS = "seconds, with a fraction"
    TIME = "UTC, in microseconds since 1970"


class Notation(NamedTuple):
    """One way to write the values of a column.

    Attributes:
        kind: what the values are.
        pattern: source of the expression of a value, without a group that captures.
        value: gives the value of a text that the expression matches; None for a time that never was, as 31 April.

    >>> MILLISECONDS.value(b"250")
    0.25
    """

    kind: ValueKind
    pattern: str
    value: Callable[[bytes], Value]


def read(column: Iterable[bytes | None], notation: Notation) -> list[Value]:
    """Read the texts of a column; None stays None.

    Args:
        column: what was captured, a text a line.
        notation: how the values are written.

    >>> read([b"200", None, b"200"], NUMBER)
    [200, None, 200]
    """
    return list(map(Memo(notation.value, null=None).__getitem__, column))


def write(column: Iterable[bytes | None], notation: Notation) -> list[bytes | None]:
    """Write the texts of a column in the one way that there is for their kind; None stays None.

    Args:
        column: what was captured, a text a line.
        notation: how the values are written.

    Returns:
        Numbers and seconds in decimal digits, times as RFC 3339, 5.6, has them, in UTC.

    >>> write([b"10/Nov/1996:13:55:36 -0700"], LOG_TIME), write([b"007"], NUMBER)
    ([b'1996-11-10T20:55:36Z'], [b'7'])
    """

    def written(text: bytes) -> bytes | None:
        value = notation.value(text)
        if value is None:
            return None
        return _timestamp(int(value)) if notation.kind is ValueKind.TIME else _decimal(value)

    return list(map(Memo(written, null=None).__getitem__, column))


def _decimal(value: float) -> bytes:
    """Write a number without the exponent that Python gives to what is very small or very large."""
    text = repr(value)
    if "e" not in text:
        return text.encode()
    from decimal import Decimal  # noqa: PLC0415  few numbers need it

    return f"{Decimal(text):f}".encode()


def _timestamp(time: int) -> bytes:
    minute, rest = divmod(time, 60 * SECOND)
    second, fraction = divmod(rest, SECOND)
    return b"%b:%02d%bZ" % (_minute_written(minute), second, b".%06d" % fraction if fraction else b"")


@lru_cache(maxsize=1 << 12)
def _minute_written(minute: int) -> bytes:
    return (EPOCH + timedelta(minutes=minute)).isoformat()[:16].encode()


class Memo(dict[bytes | None, T]):
    """What each text stands for: in a block of lines most are there more than once.

    >>> memory = Memo(int, null=0)
    >>> memory[b"200"], memory[None]
    (200, 0)
    """

    def __init__(self, value: Callable[[bytes], T], null: T) -> None:
        """Remember nothing yet.

        Args:
            value: what a text stands for.
            null: what stands for no text.
        """
        super().__init__({None: null})
        self._value = value

    def __missing__(self, text: bytes) -> T:
        value = self[text] = self._value(text)
        return value


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000  # microseconds
FIRST = (datetime(1, 1, 1, tzinfo=UTC) - EPOCH) // MICROSECOND
LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC) - EPOCH) // MICROSECOND


def _seconds(text: bytes) -> float:
    return float(text)


def _milliseconds(text: bytes) -> float:
    return float(text) / 1_000


def _microseconds(text: bytes) -> float:
    return float(text) / 1_000_000


DECIMAL = r"[0-9]{1,18}(?>\.[0-9]{1,18}|)"

NUMBER = Notation(ValueKind.NUMBER, r"[0-9]{1,18}", int)  # what a signed integer of 64 bits holds in any case
STATUS = Notation(ValueKind.NUMBER, r"[0-9]{3}", int)  # status-code = 3DIGIT (RFC 9112, 4)
PORT = Notation(ValueKind.NUMBER, r"[0-9]{1,5}", int)
SECONDS = Notation(ValueKind.SECONDS, DECIMAL, _seconds)
MILLISECONDS = Notation(ValueKind.SECONDS, DECIMAL, _milliseconds)
MICROSECONDS = Notation(ValueKind.SECONDS, DECIMAL, _microseconds)


def _whole(text: bytes) -> int:
    return int(text.partition(b".")[0])


def _status(text: bytes) -> int | None:
    return _whole(text) or None


# 000 is what a server writes that sent no response.
STATUS_OR_NONE = Notation(ValueKind.NUMBER, STATUS.pattern, _status)

# Whoever writes JSON writes -1 for what is not known, 200.0 for what was a float, and 0 for no status.
ANY_NUMBER = Notation(ValueKind.NUMBER, r"-?[0-9]{1,18}(?>\.0{1,18}|)", _whole)
ANY_STATUS = Notation(ValueKind.NUMBER, r"[0-9]{1,3}(?>\.0{1,18}|)", _status)

# How many seconds a unit has, as a factor and a divisor, for 3 ms are 0.003 s, but 3 * 0.001 is a little less.
UNITS: dict[bytes, tuple[int, int]] = {
    b"h": (3_600, 1),
    b"m": (60, 1),
    b"s": (1, 1),
    b"ms": (1, 1_000),
    b"us": (1, 1_000_000),
    "µs".encode(): (1, 1_000_000),
    b"ns": (1, 1_000_000_000),
}

_QUANTITY = re.compile(rb"([0-9][0-9.]*(?:[eE][+\-]?[0-9]+)?)([^0-9]*)")


def _duration(text: bytes, unit: bytes) -> float:
    """Add up quantities, each with a unit of its own or else in this one."""
    seconds = 0.0
    for number, own in _QUANTITY.findall(text):
        factor, divisor = UNITS[own or unit]
        seconds += float(number) * factor / divisor
    return -seconds if text[:1] == b"-" else seconds


def _any_seconds(text: bytes) -> float:
    return _duration(text, b"s")


def _any_milliseconds(text: bytes) -> float:
    return _duration(text, b"ms")


def _any_microseconds(text: bytes) -> float:
    return _duration(text, b"us")


def _any_nanoseconds(text: bytes) -> float:
    return _duration(text, b"ns")


# A number of JSON (RFC 8259, 6), or numbers that have their units with them, as Go writes them: 0.0015, 1.5e-3, 1.5ms,
# 1m2.5s. A clock that was set back makes less than nothing.
FRACTION = r"[0-9]{1,18}(?>\.[0-9]{1,30}|)"
DURATION = rf"-?(?:{FRACTION}(?>[eE][+\-]?[0-9]{{1,2}}|)|(?:{FRACTION}(?:{'|'.join(map(bytes.decode, UNITS))})){{1,4}})"

ANY_SECONDS = Notation(ValueKind.SECONDS, DURATION, _any_seconds)
ANY_MILLISECONDS = Notation(ValueKind.SECONDS, DURATION, _any_milliseconds)
ANY_MICROSECONDS = Notation(ValueKind.SECONDS, DURATION, _any_microseconds)
ANY_NANOSECONDS = Notation(ValueKind.SECONDS, DURATION, _any_nanoseconds)


@cache
def month_number(name: bytes) -> int:
    """Give the number of a month.

    >>> month_number(b"Nov")
    11
    """
    return b"JanFebMarAprMayJunJulAugSepOctNovDec".index(name) // 3 + 1


def instant(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int | None:
    """Give an instant of UTC in microseconds since 1970; None for a day that its month has not.

    A leap second, :60, is the first second of the next minute, as POSIX has it.

    >>> instant(1996, 11, 10, 0, 0, 0), instant(2026, 4, 31, 0, 0, 0)
    (847584000000000, None)
    """
    try:
        days = (datetime(year, month, day, tzinfo=UTC) - EPOCH).days
    except ValueError:
        return None
    return (days * 86_400 + hour * 3_600 + minute * 60 + second) * SECOND


def _within_years(time: int) -> int | None:
    """Leave out what an offset or a leap second brings out of the years 1 to 9999, which is what `datetime` knows."""
    return time if FIRST <= time <= LAST else None


def _offset(zone: bytes) -> int:
    """Read "Z", "+0100", "-07:30" or nothing as an offset from UTC in microseconds."""
    digits = zone[1:].replace(b":", b"")
    seconds = int(digits[:2]) * 3_600 + int(digits[2:] or 0) * 60 if digits else 0
    return (-seconds if zone[:1] == b"-" else seconds) * SECOND


def _fraction(digits: bytes) -> int:
    """Read the digits behind a decimal point as microseconds; what is smaller is cut off."""
    return int(digits[:6].ljust(6, b"0"))


def _log_time(text: bytes) -> int | None:
    minute = _log_minute(text[:17], text[21:])
    return None if minute is None else _within_years(minute + int(text[18:20]) * SECOND)


@lru_cache(maxsize=1 << 12)  # the times of neighbours are of a few minutes, and a minute takes 1 us
def _log_minute(text: bytes, zone: bytes) -> int | None:
    minute = instant(int(text[7:11]), month_number(text[3:6]), int(text[:2]), int(text[12:14]), int(text[15:17]), 0)
    return None if minute is None else minute - _offset(zone)


DAY = r"(?:0[1-9]|[12][0-9]|3[01])"
HOUR, MINUTE, SECOND_OF_MINUTE = r"(?:[01][0-9]|2[0-3])", r"[0-5][0-9]", r"(?:[0-5][0-9]|60)"
CLOCK = f"{HOUR}:{MINUTE}:{SECOND_OF_MINUTE}"
ZONE = rf"[+\-]{HOUR}:?{MINUTE}"  # time-numoffset (RFC 3339, 5.6), or the same without its ":"
ZONE_IN_DIGITS = ZONE.replace(":?", "")  # what strftime writes for %z
MONTH_NUMBER = r"(?:0[1-9]|1[0-2])"
MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"

# 10/Nov/1996:13:55:36 -0700: Apache's %t without its brackets, nginx's $time_local
LOG_TIME = Notation(ValueKind.TIME, rf"{DAY}/{MONTH}/[0-9]{{4}}:{CLOCK}[ ]{ZONE_IN_DIGITS}", _log_time)


def _iso_time(text: bytes) -> int | None:
    seconds = text[17:].rstrip(b"Zz")
    zone = b""
    for sign in (b"+", b"-"):
        if sign in seconds:
            seconds, _, digits = seconds.partition(sign)
            zone = sign + digits
    minute = _iso_minute(text[:16], zone)
    return None if minute is None else _within_years(minute + int(seconds[:2]) * SECOND + _fraction(seconds[3:]))


@lru_cache(maxsize=1 << 12)
def _iso_minute(text: bytes, zone: bytes) -> int | None:
    minute = instant(int(text[:4]), int(text[5:7]), int(text[8:10]), int(text[11:13]), int(text[14:16]), 0)
    return None if minute is None else minute - _offset(zone)


# 1996-11-10T13:55:36.123-07:00 (RFC 3339, 5.6), and its likes: a space or a tab for the "T", no zone for UTC
ISO_TIME = Notation(
    ValueKind.TIME,
    rf"[0-9]{{4}}-{MONTH_NUMBER}-{DAY}[Tt \t]{CLOCK}(?>[.,][0-9]{{1,12}}|)(?>[Zz]|{ZONE}|)",
    _iso_time,
)


def _epoch(text: bytes, unit: int) -> int:
    """Read a count of units since 1970, of so many microseconds each, with or without a fraction."""
    whole, _, fraction = text.partition(b".")
    return int(whole) * unit + _fraction(fraction) * unit // SECOND


def _epoch_seconds(text: bytes) -> int:
    return _epoch(text, SECOND)


def _epoch_milliseconds(text: bytes) -> int:
    return _epoch(text, 1_000)


def _epoch_microseconds(text: bytes) -> int:
    return _epoch(text, 1)


# 847630536.123: seconds since 1970, and thousandths and millionths of one. So many digits last to the year 5138.
EPOCH_SECONDS = Notation(ValueKind.TIME, r"[0-9]{1,11}(?>\.[0-9]{1,18}|)", _epoch_seconds)
EPOCH_MILLISECONDS = Notation(ValueKind.TIME, r"[0-9]{1,14}(?>\.[0-9]{1,18}|)", _epoch_milliseconds)
EPOCH_MICROSECONDS = Notation(ValueKind.TIME, r"[0-9]{1,17}", _epoch_microseconds)


def _digits_time(text: bytes) -> int | None:
    time = instant(int(text[:4]), *(int(text[at : at + 2]) for at in range(4, 14, 2)))
    return None if time is None else _within_years(time)


# 19961110135536: the fourteen digits of web archives, in UTC
DIGITS_TIME = Notation(ValueKind.TIME, rf"[0-9]{{4}}{MONTH_NUMBER}{DAY}{HOUR}{MINUTE}{SECOND_OF_MINUTE}", _digits_time)

# 1996/11/10 13:55:36.123, in UTC
WALL_TIME = rf"[0-9]{{4}}/{MONTH_NUMBER}/{DAY}[ ]{CLOCK}(?>\.[0-9]{{1,12}}|)"

# Since 1970: seconds, which will have ten digits until 2286, milliseconds, microseconds, nanoseconds
ANY_EPOCH = r"(?:[0-9]{1,11}|[0-9]{12,13}|[0-9]{15,20})(?>\.[0-9]{1,18}|)"


def _any_time(text: bytes) -> int | None:
    whole = text.partition(b".")[0]
    if not whole.isdigit():
        return _log_time(text) if text[2:3] == b"/" else _iso_time(text)
    match len(whole):
        case 14:
            return _digits_time(text)
        case length if length <= 11:  # noqa: PLR2004  see ANY_EPOCH
            return _epoch_seconds(text)
        case length if length <= 13:  # noqa: PLR2004
            return _epoch_milliseconds(text)
        case length if length <= 17:  # noqa: PLR2004
            return int(whole)
    return int(whole) // 1_000


# Whatever tells an instant, for whoever writes JSON is free to choose. Fourteen digits are a date and a time, for as
# many milliseconds since 1970 begin in 2286.
ANY_TIME = Notation(
    ValueKind.TIME,
    rf"(?:{ANY_EPOCH}|{ISO_TIME.pattern}|{LOG_TIME.pattern}|{WALL_TIME}|{DIGITS_TIME.pattern})",
    _any_time,
)
