"""Parse many times at once: 10/Nov/1996:13:55:36 -0700 (mod_log_config, `%t`), 1996-11-10T13:55:36-07:00 (RFC 3339).

A time is read as four integers of eight characters. Neighbouring lines mostly share the hour, so it is parsed once for
each run of them.
"""

from collections.abc import Callable
from datetime import date
from typing import Final

from urisect.arrow_packages import np
from urisect.logs.columnar.buffer import Flags, LineBuffer, Places, Windows
from urisect.logs.columnar.digits import repeat_byte
from urisect.logs.formats.notation import MICROSECONDS_PER_SECOND, MONTH_ABBREVIATIONS

__all__ = ["ISO_TIME_BYTES", "LOG_TIME_BYTES", "parse_iso_times", "parse_log_times"]

# The lengths of times.
LOG_TIME_BYTES: Final = len("10/Nov/1996:13:55:36 -0700")
ISO_TIME_BYTES: Final = len("1996-11-10T13:55:36-07:00")

_HIGH_HALVES: Final = repeat_byte(0xF0)
_SIGN_BIT: Final = ord("+") ^ ord("-")

# With these years, a zone leads to a time that `datetime` has, too.
_FIRST_YEAR, _LAST_YEAR = 2, 9998
_DAYS_BEFORE_YEAR: Final = np.array(
    [0, *((date(year, 1, 1) - date(1970, 1, 1)).days for year in range(1, _LAST_YEAR + 1))], np.int64
)
_MONTH_LENGTHS: Final = np.array([[31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] for leap in (0, 1)])
_DAYS_BEFORE_MONTH: Final = np.cumsum(_MONTH_LENGTHS, axis=1) - _MONTH_LENGTHS
_MONTHS: Final = sorted(
    (int.from_bytes(name.encode(), "little"), number) for number, name in enumerate(MONTH_ABBREVIATIONS)
)
_MONTH_CODES: Final = np.array([code for code, _ in _MONTHS], np.uint64)
_MONTH_NUMBERS: Final = np.array([number for _, number in _MONTHS])


def parse_log_times(lines: LineBuffer, starts: Places) -> tuple[Places, Flags]:
    r"""Parse times, as `LOG_TIME` does.

    Args:
        lines: the block.
        starts: where each time begins.

    Returns:
        The times in microseconds since 1970, and whether each text is a time in the years 2 to 9998.

    >>> lines = LineBuffer(b"[10/Nov/1996:13:55:36 -0700]\n")
    >>> times, valid = parse_log_times(lines, np.array([0, 1]))
    >>> times[valid]
    array([847659336000000])
    """
    # The four parts are "10/Nov/1", "996:13:5", "5:36 -07" and "00".
    first, second, third, fourth = lines.windows(starts, 4)
    clock = (second >> np.uint64(56)) | ((third & _ones(4)) << np.uint64(8))
    hours = [first, second & _ones(7), (third >> np.uint64(32)) | ((fourth & _ones(2)) << np.uint64(32))]
    return _parse_times(hours, clock, _parse_log_hours)


def parse_iso_times(lines: LineBuffer, starts: Places) -> tuple[Places, Flags]:
    r"""Parse times in the form in which servers write them, without a fraction, as `ISO_TIME` does.

    Args:
        lines: the block.
        starts: where each time begins.

    Returns:
        The times in microseconds since 1970, and whether each text is such a time in the years 2 to 9998.

    >>> lines = LineBuffer(b"1996-11-10T13:55:36-07:00 1996-11-31T13:55:36-07:00\n")
    >>> times, valid = parse_iso_times(lines, np.array([0, 26]))
    >>> times[valid]
    array([847659336000000])
    """
    # The four parts are "1996-11-", "10T13:55", ":36-07:0" and "0".
    first, second, third, fourth = lines.windows(starts, 4)
    clock = (second >> np.uint64(48)) | ((third & _ones(3)) << np.uint64(16))
    hours = [first, second & _ones(6), (third >> np.uint64(24)) | ((fourth & _ones(1)) << np.uint64(40))]
    return _parse_times(hours, clock, _parse_iso_hours)


def _parse_times(
    parts: list[Windows], clock: Windows, parse_hours: Callable[[list[Windows]], tuple[Places, Flags]]
) -> tuple[Places, Flags]:
    """Parse times.

    Args:
        parts: the characters of the day, the hour and the zone.
        clock: those of minute and second: "55:36".
        parse_hours: returns the beginnings of hours, and whether they exist, given such parts.
    """
    is_new = np.ones(len(clock), np.bool_)
    if len(clock):
        is_new[1:] = parts[0][1:] != parts[0][:-1]
        for part in parts[1:]:
            is_new[1:] |= part[1:] != part[:-1]
    runs = np.flatnonzero(is_new)
    times, valid = parse_hours([part.take(runs) for part in parts])
    if len(runs) < len(clock):
        lengths = np.diff(runs, append=len(clock))
        times, valid = times.repeat(lengths), valid.repeat(lengths)
    digits = _digits(clock, b"00:00")
    # The first digit of minutes is at most 5, that of seconds 6.
    valid &= _has_form(digits, b"\x05\x09\0\x06\x09")
    pairs = _pairs(digits)
    minutes, seconds = pairs & np.uint64(0xFF), (pairs >> np.uint64(24)) & np.uint64(0xFF)
    valid &= seconds <= 60  # noqa: PLR2004  a leap second
    minutes *= np.uint64(60)
    minutes += seconds
    minutes *= np.uint64(MICROSECONDS_PER_SECOND)
    return times + minutes.view(np.int64), valid


def _parse_log_hours(parts: list[Windows]) -> tuple[Places, Flags]:
    """Parse hours, from "10/Nov/1", "996:13:" and " -0700"."""
    first, second, third = parts
    month_code = (first >> np.uint64(24)) & _ones(3)
    place = np.minimum(np.searchsorted(_MONTH_CODES, month_code), len(_MONTHS) - 1)
    day = _digits(first & ~(_ones(3) << np.uint64(24)), b"00/\0\0\0/0")
    hour, zone, is_west = _digits(second, b"000:00:"), *_zone(third, b" +0000")
    valid = _MONTH_CODES[place] == month_code
    valid &= _has_form(day, b"\x09\x09\0\0\0\0\0\x09")
    valid &= _has_form(hour, b"\x09\x09\x09\0\x09\x09\0") & _has_form(zone, b"\0\0\x09\x09\x09\x09")
    year = _byte(day, 7) * 1000 + _byte(hour, 0) * 100 + _pair(hour, 1)
    return _hours(
        (year, _MONTH_NUMBERS[place], _pair(day, 0), _pair(hour, 4), _pair(zone, 2), _pair(zone, 4)), is_west, valid
    )


def _parse_iso_hours(parts: list[Windows]) -> tuple[Places, Flags]:
    """Parse hours, from "1996-11-", "10T13:" and "-07:00"."""
    first, second, third = parts
    day, hour, zone, is_west = _digits(first, b"0000-00-"), _digits(second, b"00T00:"), *_zone(third, b"+00:00")
    valid = _has_form(day, b"\x09\x09\x09\x09\0\x09\x09\0")
    valid &= _has_form(hour, b"\x09\x09\0\x09\x09\0") & _has_form(zone, b"\0\x09\x09\0\x09\x09")
    month = _pair(day, 5) - 1
    valid &= (month >= 0) & (month < len(_MONTHS))
    return _hours(
        (
            _pair(day, 0) * 100 + _pair(day, 2),
            np.where(valid, month, 0),
            *(_pair(hour, 0), _pair(hour, 3)),
            *(_pair(zone, 1), _pair(zone, 4)),
        ),
        is_west,
        valid,
    )


def _hours(numbers: tuple[Places, ...], is_west: Flags, valid: Flags) -> tuple[Places, Flags]:
    """Return the beginnings of hours, and which of them exist, given their numbers, and which texts have the form."""
    year, month, day, hour, zone_hour, zone_minute = numbers
    valid = valid & (year >= _FIRST_YEAR) & (year <= _LAST_YEAR)
    year = np.where(valid, year, 1970)
    is_leap = ((year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))).astype(np.int64)
    valid &= (day >= 1) & (day <= _MONTH_LENGTHS[is_leap, month])
    valid &= (hour <= 23) & (zone_hour <= 23) & (zone_minute <= 59)  # noqa: PLR2004  the last of a day and of an hour
    days = _DAYS_BEFORE_YEAR[year] + _DAYS_BEFORE_MONTH[is_leap, month] + day - 1
    offset = np.where(is_west, -1, 1) * (zone_hour * 60 + zone_minute)
    return ((days * 24 + hour) * 60 - offset) * (60 * MICROSECONDS_PER_SECOND), valid


def _ones(count: int) -> np.uint64:
    """Return the mask of the first bytes of a window."""
    return np.uint64((1 << 8 * count) - 1)


def _digits(text: Windows, form: bytes) -> Windows:
    """Return each digit of a form as its number, each delimiter as 0, and anything else as more."""
    return text ^ np.uint64(int.from_bytes(form, "little"))


def _zone(text: Windows, form: bytes) -> tuple[Windows, Flags]:
    """Return the digits of a zone, whatever its sign is, and whether that is "-"."""
    zone = _digits(text, form)
    sign = form.index(b"+")
    is_west = _byte(zone, sign) == _SIGN_BIT
    return np.where(is_west, zone ^ np.uint64(_SIGN_BIT << 8 * sign), zone), is_west


def _has_form(digits: Windows, most: bytes) -> Flags:
    """Return whether each byte of some windows is at most a number; those behind the numbers have to be 0."""
    # Sums of at most 15 do not reach the upper half of a byte.
    rest = bytes(15 - number for number in most.ljust(8, b"\0"))
    sums = digits + np.uint64(int.from_bytes(rest, "little"))
    sums |= digits
    sums &= _HIGH_HALVES
    has_form: Flags = sums == 0
    return has_form


def _byte(digits: Windows, index: int) -> Places:
    return ((digits >> np.uint64(8 * index)) & np.uint64(0xFF)).view(np.int64)


def _pair(digits: Windows, index: int) -> Places:
    """Return the number of two digits."""
    return _byte(digits, index) * 10 + _byte(digits, index + 1)


def _pairs(digits: Windows) -> Windows:
    """Return windows with the number of each digit and the one behind it."""
    return digits * np.uint64(10) + (digits >> np.uint64(8))
