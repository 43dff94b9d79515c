"""Times as users write them: every form, what is none, and that all times without a zone are in UTC."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from urisect.logs.errors import TimeRangeError
from urisect.logs.scan.time_expressions import parse_time

NOW = datetime(1996, 11, 10, 20, 55, 36, 250_000, tzinfo=UTC)


def utc(*numbers: int) -> datetime:
    return datetime(*numbers, tzinfo=UTC)  # type: ignore[arg-type, misc]  # six numbers, or seven


FORMS = {
    "1996-11-09": date(1996, 11, 9),
    " 1996-11-09\n": date(1996, 11, 9),
    "today": date(1996, 11, 10),
    "yesterday": date(1996, 11, 9),
    "now": NOW,
    "1996-11-09T13:55": utc(1996, 11, 9, 13, 55, 0),
    "1996-11-09 13:55": utc(1996, 11, 9, 13, 55, 0),
    "1996-11-09T13:55Z": utc(1996, 11, 9, 13, 55, 0),
    "1996-11-09 13:55-07:00": utc(1996, 11, 9, 20, 55, 0),
    "1996-11-09T13:55:36": utc(1996, 11, 9, 13, 55, 36),
    "1996-11-09t13:55:36z": utc(1996, 11, 9, 13, 55, 36),
    "1996-11-09 13:55:36.5+0100": utc(1996, 11, 9, 12, 55, 36, 500_000),
    "1996-12-31T23:59:60Z": utc(1997, 1, 1, 0, 0, 0),  # a leap second
    "10/Nov/1996:13:55:36 -0700": utc(1996, 11, 10, 20, 55, 36),
    "[10/Nov/1996:13:55:36 -0700]": utc(1996, 11, 10, 20, 55, 36),
    "13:55": utc(1996, 11, 10, 13, 55, 0),
    "00:00": utc(1996, 11, 10, 0, 0, 0),
    "13:55:36": utc(1996, 11, 10, 13, 55, 36),
    "13:55-07:00": utc(1996, 11, 10, 20, 55, 0),
    "90s": NOW - timedelta(seconds=90),
    "30m": NOW - timedelta(minutes=30),
    "2h": NOW - timedelta(hours=2),
    "1h30m": NOW - timedelta(minutes=90),
    "7d": NOW - timedelta(days=7),
    "2w1d": NOW - timedelta(days=15),
    "0s": NOW,
}


@pytest.mark.parametrize("text", FORMS)
def test_each_form_is_parsed(text: str) -> None:
    parsed = parse_time(text, NOW)
    assert (type(parsed), parsed) == (type(FORMS[text]), FORMS[text])
    assert not isinstance(parsed, datetime) or parsed.tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "someday", "Today", "1996", "96-11-10", "19961110", "1996-11", "847630536", "1996111011553"),
        *("1996-11-10T", "1996-11-10T13", "1996-11-10T25:00", "1996-11-10T13:55:61", "1996-11-10T13:55 CET"),
        *("1996/11/10", "10/Nov/1996", "10/Nov/1996:13:55:36", "10/Nox/1996:13:55:36 -0700", "10.11.1996"),
        *("1:55", "24:00", "13:5", "h", "2", "2x", "-2h", "2 h", "30m1h", "1.5h", "2h ago", "١h", "١٩٩٦-١١-١٠"),
    ],
)
def test_a_text_in_no_form_is_an_error_that_shows_the_forms(text: str) -> None:
    with pytest.raises(TimeRangeError) as caught:
        parse_time(text, NOW)
    message = str(caught.value)
    assert message.startswith(f"{text!r} is not a time; write a date (1996-11-10), ")
    assert "10/Nov/1996:13:55:36 -0700" in message
    assert message.endswith("a time without a zone is in UTC")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1996-11-31", "day "),
        ("1996-13-01", "month must be in 1..12"),
        ("0000-01-01", "year "),
        ("1996-11-31T13:55", "the month has fewer days, or the year is not between 1 and 9999"),
        ("31/Nov/1996:13:55:36 -0700", "the month has fewer days, or the year is not between 1 and 9999"),
        ("9999-12-31T23:59-01:00", "the month has fewer days, or the year is not between 1 and 9999"),
        ("1000000d", "date value out of range"),
        (f"{'9' * 30}s", ""),
        (f"{'9' * 5000}s", ""),
    ],
)
def test_a_time_that_does_not_exist_is_an_error(text: str, reason: str) -> None:
    with pytest.raises(TimeRangeError, match="there is no time '") as caught:
        parse_time(text, NOW)
    assert reason in str(caught.value)


@given(st.datetimes(), st.integers(-23 * 60, 23 * 60))
def test_every_iso_time_means_itself(time: datetime, minutes: int) -> None:
    assume(date.min < time.date() < date.max)
    zoned = time.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    for separator in ("T", " "):
        assert parse_time(zoned.isoformat(separator)) == zoned
        assert parse_time(time.isoformat(separator, "seconds")) == time.replace(microsecond=0, tzinfo=UTC)
        assert parse_time(time.isoformat(separator, "minutes")) == time.replace(second=0, microsecond=0, tzinfo=UTC)
    assert parse_time(time.date().isoformat()) == time.date()


def test_the_clock_is_asked_by_default() -> None:
    before = datetime.now(UTC)
    now = parse_time("now")
    assert isinstance(now, datetime)
    assert before <= now <= datetime.now(UTC)
