"""Parse the times that users write: dates, times of a log line, clock times, and amounts of time ago."""

import re
from datetime import UTC, date, datetime, timedelta

from urisect.logs.errors import TimeRangeError
from urisect.logs.formats.notation import EPOCH, ISO_TIME, LOG_TIME, MICROSECOND

__all__ = ["TIME_FORMS", "parse_time"]

# What a message shows.
TIME_FORMS = (
    "a date (1996-11-10), a date and a time (1996-11-10T13:55, 1996-11-10T13:55:36-07:00, 10/Nov/1996:13:55:36 -0700), "
    "a time of today (13:55), an amount of time ago (90s, 30m, 1h30m, 7d, 2w), now, today or yesterday"
)

DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
CLOCK_TIME = re.compile(r"[0-9]{2}:[0-9]{2}")
WITHOUT_SECONDS = re.compile(rf"{DATE.pattern}[Tt ]{CLOCK_TIME.pattern}(?!:)")

AMOUNT = re.compile(
    r"(?:(?P<weeks>[0-9]+)w)?(?:(?P<days>[0-9]+)d)?(?:(?P<hours>[0-9]+)h)?(?:(?P<minutes>[0-9]+)m)?"
    r"(?:(?P<seconds>[0-9]+)s)?"
)

# Days after today.
DAYS = {"today": 0, "yesterday": -1}


def parse_time(text: str, now: datetime | None = None) -> datetime | date:
    """Parse a time as users write it; without a zone it is in UTC.

    Args:
        text: see `TIME_FORMS`; spaces around it, and the brackets of a log line, are ignored.
        now: the current time; that of the clock by default.

    Returns:
        A date for a whole day, or a time in UTC.

    Raises:
        TimeRangeError: the text is in none of the forms, or there is no such time.

    >>> now = datetime(1996, 11, 10, 20, 55, tzinfo=UTC)
    >>> [f"{parse_time(text, now)}" for text in ("1996-11-09", "[09/Nov/1996:13:55:36 -0700]", "1h30m", "yesterday")]
    ['1996-11-09', '1996-11-09 20:55:36+00:00', '1996-11-10 19:25:00+00:00', '1996-11-09']
    """
    now = now or datetime.now(UTC)
    try:
        found = _parse(text.strip().removeprefix("[").removesuffix("]"), now)
    except (ValueError, OverflowError) as error:
        raise TimeRangeError(f"there is no time {text!r}: {error}") from None
    if found is None:
        raise TimeRangeError(f"{text!r} is not a time; write {TIME_FORMS}; a time without a zone is in UTC")
    return found


def _parse(text: str, now: datetime) -> datetime | date | None:
    """Parse a text in one of the forms; return None if it has another form."""
    if text == "now":
        return now
    if text in DAYS:
        return now.date() + timedelta(DAYS[text])
    if DATE.fullmatch(text):
        return date.fromisoformat(text)
    if text and (amount := AMOUNT.fullmatch(text)):
        return now - timedelta(**{unit: int(number) for unit, number in amount.groupdict(default="0").items()})
    if CLOCK_TIME.match(text):
        text = f"{now.date()}T{text}"
    text = WITHOUT_SECONDS.sub(r"\g<0>:00", text)
    for notation in (LOG_TIME, ISO_TIME):
        if re.fullmatch(notation.pattern, text):
            microseconds = notation.parse(text.encode())
            if microseconds is None:
                raise ValueError("the month has fewer days, or the year is not between 1 and 9999")
            return EPOCH + int(microseconds) * MICROSECOND
    return None
