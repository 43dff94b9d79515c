"""Parse times as `strftime` writes them, in one `%{…}t` directive of Apache or in several adjacent ones."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import partial
from typing import NamedTuple

from urisect.logs.formats.directives import DirectiveField
from urisect.logs.formats.field_patterns import TEXT_FIELD, FieldPattern, fixed_form, typed_field
from urisect.logs.formats.literals import literal_pattern
from urisect.logs.formats.notation import (
    DAY_PATTERN,
    EPOCH_MICROSECONDS,
    EPOCH_MILLISECONDS,
    EPOCH_SECONDS,
    HOUR_PATTERN,
    ISO_TIME,
    LOG_TIME,
    MINUTE_PATTERN,
    MONTH_NAMES,
    MONTH_NUMBER_PATTERN,
    MONTH_PATTERN,
    SECOND_PATTERN,
    ZONE_DIGITS_PATTERN,
    Notation,
    ValueKind,
    month_number,
)
from urisect.logs.formats.terminators import Terminator

__all__ = ["TimeDirective", "merge_time_directives", "parse_time_directive", "strftime_notation"]


class TimePart(NamedTuple):
    """A part of a time, such as the year.

    Attributes:
        pattern: source of its expression.
        name: the name of the part; empty if it cannot be parsed.
    """

    pattern: str
    name: str


class TimeDirective(NamedTuple):
    """A `%t` directive in a format string: a time, or some parts of one.

    Attributes:
        text: the directive as it is in the format string.
        pieces: the parts of the time, and the text between them.
        is_end: whether it is the time at the end of the request, not at its beginning.
        is_conditional: whether it is written for some status codes only.
    """

    text: str
    pieces: tuple[str | TimePart, ...]
    is_end: bool
    is_conditional: bool

    @property
    def part_names(self) -> list[str]:
        """The names of the parts of the time."""
        return [piece.name for piece in self.pieces if isinstance(piece, TimePart)]


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# What the conversions of strftime write (POSIX, strftime, in the C locale).
_CONVERSIONS = {
    "a": TimePart(f"(?:{'|'.join(name[:3] for name in _WEEKDAYS)})", "weekday"),
    "A": TimePart(f"(?:{'|'.join(_WEEKDAYS)})", "weekday"),
    "b": TimePart(MONTH_PATTERN, "month_name"),
    "B": TimePart(f"(?:{'|'.join(MONTH_NAMES)})", "month_name"),
    "d": TimePart(DAY_PATTERN, "day"),
    "e": TimePart("(?:[ 0][1-9]|[12][0-9]|3[01])", "day"),
    "h": TimePart(MONTH_PATTERN, "month_name"),
    "H": TimePart(HOUR_PATTERN, "hour"),
    "I": TimePart("(?:0[1-9]|1[0-2])", "half_hour"),
    "j": TimePart("(?:[0-2][0-9][0-9]|3[0-6][0-9])", "day_of_year"),
    "k": TimePart("(?:[ 01][0-9]|2[0-3])", "hour"),
    "l": TimePart("(?:[ 0][1-9]|1[0-2])", "half_hour"),
    "m": TimePart(MONTH_NUMBER_PATTERN, "month"),
    "M": TimePart(MINUTE_PATTERN, "minute"),
    "p": TimePart("(?:AM|PM)", "half"),
    "P": TimePart("(?:am|pm)", "half"),
    "s": TimePart(r"[0-9]{1,11}", "seconds"),
    "S": TimePart(SECOND_PATTERN, "second"),
    "u": TimePart("[1-7]", "weekday"),
    "w": TimePart("[0-6]", "weekday"),
    "y": TimePart("[0-9]{2}", "short_year"),
    "Y": TimePart("[0-9]{4}", "year"),
    "z": TimePart(ZONE_DIGITS_PATTERN, "zone"),
    "Z": TimePart("[A-Za-z]{1,9}+", "zone_name"),
}

# Conversions that stand for several others.
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

_LITERALS = {"%": "%", "t": "\t", "n": "\n"}

# Other arguments of %t (mod_log_config).
_TOKENS = {
    "sec": TimePart(r"[0-9]{1,11}", "seconds"),
    "msec": TimePart(r"[0-9]{1,14}", "milliseconds"),
    "usec": TimePart(r"[0-9]{1,17}", "microseconds"),
    "msec_frac": TimePart(r"[0-9]{3}", "fraction"),
    "usec_frac": TimePart(r"[0-9]{6}", "fraction"),
}

# The notations of the parts that are a time since 1970.
_EPOCH_NOTATIONS = {
    "seconds": EPOCH_SECONDS,
    "milliseconds": EPOCH_MILLISECONDS,
    "microseconds": EPOCH_MICROSECONDS,
}

# The names of the parts of variable length.
_VARIABLE_LENGTH = {*_EPOCH_NOTATIONS, "zone_name"}

# The maximum number of directives and texts that make up one time: each part occurs once, with a text between two.
_MAX_RUN = 2 * len({part.name for part in (*_CONVERSIONS.values(), *_TOKENS.values())})

_LOG_TIME_FORMAT = "%d/%b/%Y:%H:%M:%S %z"


def parse_time_directive(text: str, argument: str, *, is_conditional: bool) -> TimeDirective:
    """Parse a `%t` directive of Apache.

    Args:
        text: the directive as it is in the format string.
        argument: the text in its braces, with `begin:` or `end:` before it or not; empty if there is none.
        is_conditional: whether it is written for some status codes only.

    >>> parse_time_directive("%{end:%Y %B}t", "end:%Y %B", is_conditional=False).part_names
    ['year', 'month_name']
    """
    found = re.fullmatch(r"(begin|end)(?::(.*))?", argument, re.DOTALL)
    format = (found[2] or "") if found else argument
    pieces = (_TOKENS[format],) if format in _TOKENS else tuple(_parse_strftime(format or f"[{_LOG_TIME_FORMAT}]"))
    return TimeDirective(text, pieces, bool(found and found[1] == "end"), is_conditional)


def _parse_strftime(format: str) -> Iterator[str | TimePart]:
    """Yield the conversions of a format of strftime, and the text between them."""
    for conversion, text in re.findall(r"%(.?)|([^%]+)", format, re.DOTALL):
        if text or conversion in _LITERALS:
            yield text or _LITERALS[conversion]
        elif conversion in _SHORTHANDS:
            yield from _parse_strftime(_SHORTHANDS[conversion])
        else:
            yield _CONVERSIONS.get(conversion, TimePart("", ""))


def merge_time_directives(parts: Sequence[str | DirectiveField | TimeDirective]) -> Iterator[str | DirectiveField]:
    """Replace time directives by fields: adjacent ones that are one time by one field, others by text.

    Args:
        parts: the parts of a format string, none of them empty.

    >>> day, hour = (parse_time_directive(text, text, is_conditional=False) for text in ("%F", "%H:%M"))
    >>> [field] = merge_time_directives([day, " ", hour])
    >>> field.columns, field.field_pattern.notation.parse(b"1970-01-02 00:00")
    (('time',), 86400000000)
    """
    index = 0
    while index < len(parts):
        part = parts[index]
        if not isinstance(part, TimeDirective):
            yield part
            index += 1
        elif run := _longest_time(parts[index : index + _MAX_RUN], part):
            yield from _time_fields(run)
            index += len(run)
        else:
            yield DirectiveField(part.text, ("time_text",), _text_pattern(part))
            index += 1


def strftime_notation(format: str) -> Notation:
    """Return the notation of a time in a format of strftime; it is in UTC if there is no zone.

    Args:
        format: the format, with at least a date, an hour and a minute.

    >>> strftime_notation("%d/%m/%Y %H:%M").parse(b"02/01/1970 00:00")
    86400000000
    """
    [field] = merge_time_directives([parse_time_directive(format, format, is_conditional=False)])
    assert isinstance(field, DirectiveField)  # noqa: S101  such a format is one time
    assert field.field_pattern.notation  # noqa: S101
    return field.field_pattern.notation


def _longest_time(
    parts: Sequence[str | DirectiveField | TimeDirective], first: TimeDirective
) -> list[str | TimeDirective]:
    """Return the longest run of parts, beginning with the first one, that is one time; empty if there is none."""
    run: list[str | TimeDirective] = []
    names: list[str] = []
    length = 0
    for part in parts:
        if isinstance(part, DirectiveField):
            break
        run.append(part)
        if isinstance(part, TimeDirective):
            names += part.part_names
            is_other = part.is_end != first.is_end or (len(run) > 1 and part.is_conditional)
            if len(names) > len(set(names)) or is_other:
                break
            if part.part_names and _is_time(set(names)):
                length = len(run)
        if first.is_conditional:
            break
    return run[:length]


def _is_time(names: set[str]) -> bool:
    """Whether parts with these names are a time, at least to the minute, without contradictions."""
    if "" in names:
        return False
    if not names.isdisjoint(_EPOCH_NOTATIONS):
        return len(names - {"fraction"}) == 1 and ("fraction" not in names or "seconds" in names)
    return (
        len(names & {"year", "short_year"}) == 1
        and ("day_of_year" in names or ("day" in names and len(names & {"month", "month_name"}) == 1))
        and ("hour" in names or {"half_hour", "half"} <= names)
        and "minute" in names
        and ("second" in names or "fraction" not in names)
        and ("zone" in names or "zone_name" not in names)
    )


def _time_fields(run: Sequence[str | TimeDirective]) -> list[str | DirectiveField]:
    """Return the field of one time, and the text before and after it; conditional text is part of the field."""
    directives = [part for part in run if isinstance(part, TimeDirective)]
    text = " ".join(directive.text for directive in directives)
    pieces = [piece for part in run for piece in (part.pieces if isinstance(part, TimeDirective) else (part,))]
    places = [index for index, piece in enumerate(pieces) if isinstance(piece, TimePart)]
    before, time, after = pieces[: places[0]], pieces[places[0] : places[-1] + 1], pieces[places[-1] + 1 :]
    if time == list(_parse_strftime(_LOG_TIME_FORMAT)):
        notation = LOG_TIME
    else:
        expression = re.compile("".join(_source(piece, "(?P<{1}>{0})") for piece in time).encode())
        notation = Notation(ValueKind.TIME, "".join(map(_source, time)), partial(_parse_time, expression))
    if directives[0].is_conditional:
        return [DirectiveField(text, ("time",), _conditional_pattern(notation, before, after))]
    has_fixed_length = _VARIABLE_LENGTH.isdisjoint(name for directive in directives for name in directive.part_names)
    pattern = typed_field(notation, is_self_delimiting=has_fixed_length, is_required=True)
    return [*map(str, before), DirectiveField(text, ("time",), pattern), *map(str, after)]


def _text_pattern(directive: TimeDirective) -> FieldPattern:
    """Return the pattern of a directive that is not a time, at least not alone."""
    names = set(directive.part_names)
    has_form = (
        names
        and names.isdisjoint(_EPOCH_NOTATIONS.keys() | {""})
        and len(names) == len(directive.part_names)
        and not directive.is_conditional
    )
    if not has_form:
        return TEXT_FIELD
    return fixed_form("".join(map(_source, directive.pieces)), is_self_delimiting="zone_name" not in names)


def _source(piece: str | TimePart, form: str = "{0}") -> str:
    """Return the source of a piece of a time."""
    return literal_pattern(piece) if isinstance(piece, str) else form.format(*piece)


def _conditional_pattern(notation: Notation, *around: Sequence[str | TimePart]) -> FieldPattern:
    """Return the pattern of a time that is "-", without the text around it, in some lines."""
    before, after = ("".join(map(_source, pieces)) for pieces in around)

    def source(names: tuple[str, ...], end: Terminator) -> str:
        return rf"(?:-|{before}(?P<{names[0]}>{notation.pattern}){after}){end.pattern}"

    return FieldPattern(source, notation=notation)


def _parse_time(expression: re.Pattern[bytes], text: bytes) -> int | float | None:
    """Parse a time, whose parts the expression captures; None for a time that does not exist."""
    found = expression.fullmatch(text)
    assert found  # noqa: S101  the notation's pattern has matched
    parts = found.groupdict()
    fraction = parts.get("fraction", b"0")
    for name, notation in _EPOCH_NOTATIONS.items():
        if name in parts:
            return notation.parse(parts[name] if name == "microseconds" else b"%b.%b" % (parts[name], fraction))
    day = _iso_date(parts)
    second, zone = parts.get("second", b"00"), parts.get("zone", b"")
    clock = b"%02d:%b:%b.%b" % (_hour(parts), parts["minute"], second, fraction)
    return ISO_TIME.parse(b"%bT%b%b" % (day, clock, zone)) if day else None


def _hour(parts: dict[str, bytes]) -> int:
    if "hour" in parts:
        return int(parts["hour"])
    return int(parts["half_hour"]) % 12 + (12 if parts["half"] in {b"PM", b"pm"} else 0)


def _iso_date(parts: dict[str, bytes]) -> bytes | None:
    """Return the date in the form YYYY-MM-DD; None for a date that does not exist."""
    short = parts.get("short_year", b"")
    year = parts.get("year") or (b"19" if short >= b"69" else b"20") + short  # POSIX, strptime, %y
    if "day_of_year" in parts:
        return _date_of_day(int(year), int(parts["day_of_year"]))
    month = int(parts["month"]) if "month" in parts else month_number(parts["month_name"])
    return b"%b-%02d-%02d" % (year, month, int(parts["day"]))


def _date_of_day(year: int, day: int) -> bytes | None:
    try:
        found = date(year, 1, 1) + timedelta(days=day - 1)
    except (ValueError, OverflowError):  # year 0, or a day after the last one
        return None
    return found.isoformat().encode() if found.year == year else None
