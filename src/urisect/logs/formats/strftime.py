"""Times as `strftime` writes them."""

from typing import NamedTuple

from urisect.logs.formats.notation import (
    DAY,
    EPOCH_MICROSECONDS,
    EPOCH_MILLISECONDS,
    EPOCH_SECONDS,
    HOUR,
    MINUTE,
    MONTH,
    MONTH_NUMBER,
    SECOND_OF_MINUTE,
    ZONE_IN_DIGITS,
)

__all__ = []


class _Told(NamedTuple):
    """A directive of strftime: the source of what it writes, and which part of a time that is."""

    pattern: str
    part: str


# What strftime writes (POSIX, strftime, in the C locale), each as a part of a time.
_STRFTIME = {
    "a": _Told("(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)", "weekday"),
    "A": _Told("(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day", "weekday"),
    "b": _Told(MONTH, "month_name"),
    "B": _Told(
        "(?:January|February|March|April|May|June|July|August|September|October|November|December)", "month_name"
    ),
    "d": _Told(DAY, "day"),
    "e": _Told("(?:[ 0][1-9]|[12][0-9]|3[01])", "day"),
    "h": _Told(MONTH, "month_name"),
    "H": _Told(HOUR, "hour"),
    "I": _Told("(?:0[1-9]|1[0-2])", "half_hour"),
    "j": _Told("(?:[0-2][0-9][0-9]|3[0-6][0-9])", "day_of_year"),
    "k": _Told("(?:[ 01][0-9]|2[0-3])", "hour"),
    "l": _Told("(?:[ 0][1-9]|1[0-2])", "half_hour"),
    "m": _Told(MONTH_NUMBER, "month"),
    "M": _Told(MINUTE, "minute"),
    "p": _Told("(?:AM|PM)", "half"),
    "P": _Told("(?:am|pm)", "half"),
    "s": _Told(r"[0-9]{1,11}", "seconds"),
    "S": _Told(SECOND_OF_MINUTE, "second"),
    "u": _Told("[1-7]", "weekday"),
    "w": _Told("[0-6]", "weekday"),
    "y": _Told("[0-9]{2}", "short_year"),
    "Y": _Told("[0-9]{4}", "year"),
    "z": _Told(ZONE_IN_DIGITS, "zone"),
    "Z": _Told("[A-Za-z]{1,9}+", "zone_name"),
}

# What it writes as several others would.
_SHORTHANDS = {
    "c": "%a %b %e %H:%M:%S %Y",
    "D": "%m/%d/%y",
    "F": "%Y-%m-%d",
    "r": "%I:%M:%S %p",
    "R": "%H:%M",
    "T": "%H:%M:%S",
    "x": "%m/%d/%y",
    "X": "%H:%M:%S",
}

_CHARACTERS = {"%": "%", "t": "\t", "n": "\n"}

# What %t knows besides (mod_log_config).
_TOKENS = {
    "sec": _Told(r"[0-9]{1,11}", "seconds"),
    "msec": _Told(r"[0-9]{1,14}", "milliseconds"),
    "usec": _Told(r"[0-9]{1,17}", "microseconds"),
    "msec_frac": _Told(r"[0-9]{3}", "fraction"),
    "usec_frac": _Told(r"[0-9]{6}", "fraction"),
}

_EPOCHS = {"seconds": EPOCH_SECONDS, "milliseconds": EPOCH_MILLISECONDS, "microseconds": EPOCH_MICROSECONDS}

# What has no fixed length.
_VARIABLE = {*_EPOCHS, "zone_name"}

# No time has more parts than this, each told once, with a text between.
_LONGEST = 2 * len({told.part for told in (*_STRFTIME.values(), *_TOKENS.values())})
