"""Notations: tables of texts and values, and properties of every pattern and parser."""

import calendar
import pickle
import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support import sizes
from urisect.logs.formats import notation as module
from urisect.logs.formats.haproxy import HAPROXY
from urisect.logs.formats.notation import (
    ANY_MICROSECONDS,
    ANY_MILLISECONDS,
    ANY_NANOSECONDS,
    ANY_NUMBER,
    ANY_SECONDS,
    ANY_STATUS,
    ANY_TIME,
    DIGITS_TIME,
    EPOCH,
    EPOCH_MICROSECONDS,
    EPOCH_MILLISECONDS,
    EPOCH_SECONDS,
    ISO_TIME,
    LOG_TIME,
    MICROSECOND,
    MICROSECONDS,
    MILLISECONDS,
    NUMBER,
    PORT,
    SECONDS,
    STATUS,
    STATUS_OR_NONE,
    Notation,
    Value,
    ValueKind,
    format_values,
    parse_datetimes,
    parse_values,
)
from urisect.logs.formats.w3c import W3C, W3C_TIME
from urisect.logs.output.arrow import value_array

HAPROXY_TIME, W3C_TIME_TAKEN = HAPROXY.notations["time"], W3C.notations["duration"]
NOTATIONS = {name: value for name, value in vars(module).items() if isinstance(value, Notation)}
TIMES = [LOG_TIME, ISO_TIME, DIGITS_TIME, ANY_TIME]
OUTSIDE = object()  # the pattern does not match

named = pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)


def value(notation: Notation, text: bytes) -> object:
    """The value of a text, or `OUTSIDE` if it does not match."""
    return notation.parse(text) if re.fullmatch(notation.pattern.encode(), text) else OUTSIDE


def microseconds(*when: int, zone: timezone = UTC) -> int:
    return (datetime(*when, tzinfo=zone) - EPOCH) // MICROSECOND  # type: ignore[arg-type, misc]


NUMBERS: list[tuple[Notation, bytes, object]] = [
    (NUMBER, b"0", 0),
    (NUMBER, b"007", 7),
    (NUMBER, b"9" * 18, 10**18 - 1),
    (NUMBER, b"9" * 19, OUTSIDE),
    (NUMBER, b"", OUTSIDE),
    (NUMBER, b"-1", OUTSIDE),
    (NUMBER, b"+1", OUTSIDE),
    (NUMBER, b"1_0", OUTSIDE),  # which Python's int() accepts
    (NUMBER, b" 1", OUTSIDE),
    (NUMBER, b"1\n", OUTSIDE),
    (NUMBER, "\u0661".encode(), OUTSIDE),
    (STATUS, b"200", 200),
    (STATUS, b"20", OUTSIDE),
    (STATUS, b"2000", OUTSIDE),
    (STATUS_OR_NONE, b"404", 404),
    (STATUS_OR_NONE, b"000", None),
    (STATUS_OR_NONE, b"0", None),
    (STATUS_OR_NONE, b"00", OUTSIDE),
    (PORT, b"443", 443),
    (PORT, b"65536", 65536),
    (PORT, b"100000", OUTSIDE),
    (SECONDS, b"0.250", 0.25),
    (SECONDS, b"12", 12.0),
    (SECONDS, b"1.", OUTSIDE),
    (SECONDS, b".5", OUTSIDE),
    (SECONDS, b"1e3", OUTSIDE),
    (SECONDS, b"-0.1", OUTSIDE),
    (SECONDS, b"nan", OUTSIDE),
    (MILLISECONDS, b"250", 0.25),
    (MILLISECONDS, b"0.5", 0.0005),
    (MICROSECONDS, b"3", 0.000003),
    (ANY_NUMBER, b"-1", -1),
    (ANY_NUMBER, b"200.0", 200),
    (ANY_NUMBER, b"200.5", OUTSIDE),
    (ANY_NUMBER, b"2e2", OUTSIDE),
    (ANY_NUMBER, b"9" * 19, OUTSIDE),
    (ANY_STATUS, b"0", None),
    (ANY_STATUS, b"0.0", None),
    (ANY_STATUS, b"000", None),
    (ANY_STATUS, b"200.0", 200),
    (ANY_STATUS, b"-1", OUTSIDE),
    (ANY_STATUS, b"2000", OUTSIDE),
    (ANY_SECONDS, b"0.000929675", 0.000929675),
    (ANY_SECONDS, b"9.29675e-04", 0.000929675),
    (ANY_SECONDS, b"1E+2", 100.0),
    (ANY_SECONDS, b"0.000015360000000000002", 0.000015360000000000002),
    (ANY_SECONDS, b"-0.5", -0.5),
    (ANY_SECONDS, b"3s", 3.0),
    (ANY_SECONDS, b"0.002345s", 0.002345),
    (ANY_SECONDS, b"3ms", 0.003),
    (ANY_SECONDS, "929µs".encode(), 0.000929),
    (ANY_SECONDS, b"3us", 0.000003),
    (ANY_SECONDS, b"3ns", 0.000000003),
    (ANY_SECONDS, b"1m2.5s", 62.5),
    (ANY_SECONDS, b"1h0m0.5s", 3600.5),
    (ANY_SECONDS, b"-1m30s", -90.0),
    (ANY_SECONDS, b"1m30", OUTSIDE),
    (ANY_SECONDS, b"s", OUTSIDE),
    (ANY_SECONDS, b"3 s", OUTSIDE),
    (ANY_SECONDS, b"3\xb5s", OUTSIDE),
    (ANY_SECONDS, b"1e999", OUTSIDE),
    (ANY_MILLISECONDS, b"250", 0.25),
    (ANY_MILLISECONDS, b"2.5e2", 0.25),
    (ANY_MILLISECONDS, b"2s", 2.0),
    (ANY_MICROSECONDS, b"250", 0.00025),
    (ANY_NANOSECONDS, b"250", 0.00000025),
]


@pytest.mark.parametrize(("notation", "text", "expected"), NUMBERS)
def test_numbers_and_seconds(notation: Notation, text: bytes, expected: object) -> None:
    assert value(notation, text) == expected


NOON = microseconds(1996, 11, 10, 12)

INSTANTS: list[tuple[Notation, bytes, object]] = [
    (LOG_TIME, b"10/Nov/1996:12:00:00 +0000", NOON),
    (LOG_TIME, b"10/Nov/1996:12:00:00 -0000", NOON),
    (LOG_TIME, b"10/Nov/1996:05:00:00 -0700", NOON),
    (LOG_TIME, b"11/Nov/1996:01:45:00 +1345", NOON),
    (LOG_TIME, b"31/Dec/2016:23:59:60 +0000", microseconds(2017, 1, 1)),
    (LOG_TIME, b"31/Apr/1996:12:00:00 +0000", None),
    (LOG_TIME, b"29/Feb/1900:12:00:00 +0000", None),
    (LOG_TIME, b"29/Feb/2000:12:00:00 +0000", microseconds(2000, 2, 29, 12)),
    (LOG_TIME, b"01/Jan/0000:12:00:00 +0000", None),
    (LOG_TIME, b"01/Jan/0001:00:00:00 +0000", microseconds(1, 1, 1)),
    (LOG_TIME, b"01/Jan/0001:00:00:00 +0100", None),
    (LOG_TIME, b"31/Dec/9999:23:59:59 +0000", microseconds(9999, 12, 31, 23, 59, 59)),
    (LOG_TIME, b"31/Dec/9999:23:59:60 +0000", None),
    (LOG_TIME, b"31/Dec/9999:23:59:59 -0100", None),
    (LOG_TIME, b"10/nov/1996:12:00:00 +0000", OUTSIDE),
    (LOG_TIME, b"10/Nov/1996:12:00:00", OUTSIDE),
    (LOG_TIME, b"10/Nov/1996:12:00:00 +00:00", OUTSIDE),
    (LOG_TIME, b"10/Nov/96:12:00:00 +0000", OUTSIDE),
    (LOG_TIME, b"11/Nov/1996:11:59:00 +2359", NOON),
    (LOG_TIME, b"10/Nov/1996:12:00:00 +2400", OUTSIDE),
    (LOG_TIME, b"10/Nov/1996:12:00:00 +9999", OUTSIDE),
    (LOG_TIME, b"10/Nov/1996:12:00:00 -0060", OUTSIDE),
    (ISO_TIME, b"1996-11-09T12:01:00-23:59", NOON),
    (ISO_TIME, b"1996-11-10T12:00:00-24:00", OUTSIDE),
    (ISO_TIME, b"1996-11-10T12:00:00+9999", OUTSIDE),
    (ISO_TIME, b"1996-11-10T12:00:00+00:60", OUTSIDE),
    (ANY_TIME, b"1996-11-10T12:00:00+2400", OUTSIDE),
    (ANY_TIME, b"10/Nov/1996:12:00:00 +9999", OUTSIDE),
    (ISO_TIME, b"1996-11-10T12:00:00Z", NOON),
    (ISO_TIME, b"1996-11-10t12:00:00z", NOON),
    (ISO_TIME, b"1996-11-10 12:00:00", NOON),
    (ISO_TIME, b"1996-11-10\t12:00:00", NOON),
    (ISO_TIME, b"1996-11-10T05:00:00-07:00", NOON),
    (ISO_TIME, b"1996-11-11T01:45:00+1345", NOON),
    (ISO_TIME, b"1996-11-10T12:00:00.5", NOON + 500_000),
    (ISO_TIME, b"1996-11-10T12:00:00,5Z", NOON + 500_000),
    (ISO_TIME, b"1996-11-10T05:00:00.000001999-07:00", NOON + 1),
    (ISO_TIME, b"1996-11-10T12:00:00.123456789012Z", NOON + 123_456),
    (ISO_TIME, b"1996-11-10T12:00:00.1234567890123Z", OUTSIDE),
    (ISO_TIME, b"1996-11-10T12:00:00.Z", OUTSIDE),
    (ISO_TIME, b"2016-12-31T23:59:60Z", microseconds(2017, 1, 1)),
    (ISO_TIME, b"2016-12-31T15:59:60.25-08:00", microseconds(2017, 1, 1) + 250_000),
    (ISO_TIME, b"1996-04-31T12:00:00Z", None),
    (ISO_TIME, b"0001-01-01T00:00:00+00:01", None),
    (ISO_TIME, b"9999-12-31T23:59:59.999999Z", microseconds(9999, 12, 31, 23, 59, 59, 999_999)),
    (ISO_TIME, b"9999-12-31T23:59:60Z", None),
    (ISO_TIME, b"1996-11-10T24:00:00Z", OUTSIDE),
    (ISO_TIME, b"1996-11-10T12:00Z", OUTSIDE),
    (ISO_TIME, b"1996-11-10", OUTSIDE),
    (ISO_TIME, b"1996-11-10T12:00:00 +0000", OUTSIDE),
    (DIGITS_TIME, b"19961110120000", NOON),
    (DIGITS_TIME, b"20161231235960", microseconds(2017, 1, 1)),
    (DIGITS_TIME, b"99991231235960", None),
    (DIGITS_TIME, b"19960431120000", None),
    (DIGITS_TIME, b"00000101000000", None),
    (DIGITS_TIME, b"1996111012000", OUTSIDE),
    (DIGITS_TIME, b"199611101200000", OUTSIDE),
    (EPOCH_SECONDS, b"0", 0),
    (EPOCH_SECONDS, b"847627200", NOON),
    (EPOCH_SECONDS, b"847627200.123", NOON + 123_000),
    (EPOCH_SECONDS, b"847627200.0000019", NOON + 1),
    (EPOCH_SECONDS, b"9" * 11, (10**11 - 1) * 1_000_000),
    (EPOCH_SECONDS, b"9" * 12, OUTSIDE),
    (EPOCH_SECONDS, b"847627200.", OUTSIDE),
    (EPOCH_SECONDS, b"-1", OUTSIDE),
    (EPOCH_MILLISECONDS, b"847627200123", NOON + 123_000),
    (EPOCH_MILLISECONDS, b"847627200000.0019", NOON + 1),
    (EPOCH_MILLISECONDS, b"9" * 15, OUTSIDE),
    (EPOCH_MICROSECONDS, b"847627200000001", NOON + 1),
    (EPOCH_MICROSECONDS, b"847627200000001.5", OUTSIDE),
    (ANY_TIME, b"10/Nov/1996:05:00:00 -0700", NOON),
    (ANY_TIME, b"1996-11-10T05:00:00.5-07:00", NOON + 500_000),
    (ANY_TIME, b"1996/11/10 12:00:00", NOON),
    (ANY_TIME, b"1996/11/10 12:00:00.000001", NOON + 1),
    (ANY_TIME, b"1996/11/31 12:00:00", None),
    (ANY_TIME, b"1996/11/10 12:00:00Z", OUTSIDE),
    (ANY_TIME, b"19961110120000", NOON),
    (ANY_TIME, b"19961310120000", OUTSIDE),
    (ANY_TIME, b"19961110120000.5", OUTSIDE),
    (ANY_TIME, b"0", 0),
    (ANY_TIME, b"847627200", NOON),
    (ANY_TIME, b"847627200.5241024", NOON + 524_102),
    (ANY_TIME, b"99999999999", 99_999_999_999_000_000),
    (ANY_TIME, b"847627200001", NOON + 1_000),
    (ANY_TIME, b"1646861401524.1024", 1_646_861_401_524_102),
    (ANY_TIME, b"847627200000001", NOON + 1),
    (ANY_TIME, b"1646861401524102.9", 1_646_861_401_524_102),
    (ANY_TIME, b"847627200000001999", NOON + 1),
    (ANY_TIME, b"1646861401524102400", 1_646_861_401_524_102),
    (ANY_TIME, b"9" * 20, 10**17 - 1),
    (ANY_TIME, b"9" * 21, OUTSIDE),
    (ANY_TIME, b"-847627200", OUTSIDE),
    (ANY_TIME, b"", OUTSIDE),
    (ANY_TIME, b"1.6e9", OUTSIDE),
]


@pytest.mark.parametrize(("notation", "text", "expected"), INSTANTS)
def test_times(notation: Notation, text: bytes, expected: object) -> None:
    assert value(notation, text) == expected


@named
@given(data=st.data())
def test_matching_texts_have_values_that_fit_their_column(notation: Notation, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(notation.pattern.encode(), fullmatch=True))
    found = notation.parse(text)
    if notation.kind is ValueKind.SECONDS:
        assert isinstance(found, float)
        assert abs(found) < float("inf")
    elif notation.kind is ValueKind.NUMBER:
        assert found is None or -(2**63) <= found < 2**63
    else:
        assert found is None or (EPOCH + int(found) * MICROSECOND).year


@named
def test_patterns_have_no_capturing_group_and_can_be_embedded(notation: Notation) -> None:
    assert re.compile(notation.pattern.encode()).groups == 0
    assert re.compile(f"x{notation.pattern}y".encode()).fullmatch(b"0") is None


@named
@given(data=st.data())
def test_a_changed_byte_is_parsed_or_rejected(notation: Notation, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(notation.pattern.encode(), fullmatch=True))
    at = data.draw(st.integers(0, len(text)))
    other = text[:at] + data.draw(st.sampled_from([b"", b"0", b"9", b".", b"-", b":", b"\n", b"\xff"])) + text[at + 1 :]
    found = value(notation, other)
    assert found is OUTSIDE or found is None or isinstance(found, int | float)


offsets = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))
instants = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=offsets)  # noqa: DTZ001  it gets one


def offset(when: datetime, colon: str) -> str:
    minutes = (when.utcoffset() or timedelta()) // timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}{colon}{abs(minutes) % 60:02d}"


@given(when=instants, digits=st.integers(0, 12))
@example(when=datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), digits=6)
def test_times_equal_those_of_datetime(when: datetime, digits: int) -> None:
    whole = when.replace(microsecond=0)
    month = calendar.month_abbr[when.month]
    log = f"{when.day:02d}/{month}/{when.year:04d}:{when:%H:%M:%S} {offset(when, '')}"
    fraction = f".{when.microsecond:06d}000000"[: digits + 1] if digits else ""
    cut = when.microsecond // 10 ** max(6 - digits, 0) * 10 ** max(6 - digits, 0) * MICROSECOND
    iso = f"{when.year:04d}-{when:%m-%dT%H:%M:%S}{fraction}"
    assert EPOCH + int(value(LOG_TIME, log.encode())) * MICROSECOND == whole  # type: ignore[call-overload]
    for colon in ("", ":"):
        found = value(ISO_TIME, (iso + offset(when, colon)).encode())
        assert EPOCH + int(found) * MICROSECOND == whole + cut  # type: ignore[call-overload]
    naive = when.replace(tzinfo=UTC)
    expected = (naive.replace(microsecond=0) + cut - EPOCH) // MICROSECOND
    assert value(ISO_TIME, iso.encode()) == value(ISO_TIME, f"{iso}Z".encode()) == expected
    stamp = f"{when.year:04d}{when:%m%d%H%M%S}"
    assert value(DIGITS_TIME, stamp.encode()) == (naive.replace(microsecond=0) - EPOCH) // MICROSECOND


@given(when=instants)
def test_any_time_parses_like_the_other_notations(when: datetime) -> None:
    local = f"{when:%H:%M:%S}"
    month = calendar.month_abbr[when.month]
    for notation, text in {
        LOG_TIME: f"{when.day:02d}/{month}/{when.year:04d}:{local} {offset(when, '')}",
        ISO_TIME: f"{when.year:04d}-{when:%m-%d}T{local}.{when.microsecond:06d}{offset(when, ':')}",
        DIGITS_TIME: f"{when.year:04d}{when:%m%d%H%M%S}",
    }.items():
        assert value(ANY_TIME, text.encode()) == value(notation, text.encode())


@given(st.datetimes(datetime(2001, 9, 9, 1, 46, 40), datetime(2286, 11, 20)))  # noqa: DTZ001  ten digits of seconds
def test_epochs_are_distinguished_by_their_digits(when: datetime) -> None:
    expected = (when.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
    second = expected // 1_000_000
    for text, unit in (
        (f"{second}", 1_000_000),
        (f"{second}.{expected % 1_000_000:06d}", 1),
        (f"{expected // 1_000}", 1_000),
        (f"{expected}", 1),
        (f"{expected}789", 1),
    ):
        assert value(ANY_TIME, text.encode()) == expected // unit * unit


def test_every_day_of_a_month_and_no_other_is_valid() -> None:
    for year in (1900, 1996, 2000, 2026):
        for month in range(14):
            name = calendar.month_abbr[month] if 1 <= month <= 12 else "Foo"
            for day in range(33):
                try:
                    expected: object = microseconds(year, month, day)
                except ValueError:
                    expected = None if 1 <= month <= 12 and 1 <= day <= 31 else OUTSIDE
                assert value(LOG_TIME, f"{day:02d}/{name}/{year}:00:00:00 +0000".encode()) == expected
                assert value(ISO_TIME, f"{year}-{month:02d}-{day:02d}T00:00:00Z".encode()) == expected
                assert value(DIGITS_TIME, f"{year}{month:02d}{day:02d}000000".encode()) == expected


def test_every_clock_time_and_no_other_is_valid() -> None:
    midnight = microseconds(1996, 11, 10)
    for hour, minute, second in (
        *((hour, 59, 59) for hour in range(100)),
        *((23, minute, 0) for minute in range(100)),
        *((0, 0, second) for second in range(100)),
    ):
        is_one = hour < 24 and minute < 60 and second <= 60
        expected = midnight + ((hour * 60 + minute) * 60 + second) * 1_000_000 if is_one else OUTSIDE
        clock = f"{hour:02d}:{minute:02d}:{second:02d}"
        assert value(LOG_TIME, f"10/Nov/1996:{clock} +0000".encode()) == expected
        assert value(ISO_TIME, f"1996-11-10 {clock}".encode()) == expected
        assert value(DIGITS_TIME, f"19961110{clock.replace(':', '')}".encode()) == expected


def test_every_offset_in_quarters_of_an_hour() -> None:
    for minutes in range(-24 * 60 + 15, 24 * 60, 15):
        zone = timezone(timedelta(minutes=minutes))
        when = datetime(1996, 11, 10, 12, tzinfo=zone)
        expected = microseconds(1996, 11, 10, 12, zone=zone)
        assert value(LOG_TIME, f"10/Nov/1996:12:00:00 {offset(when, '')}".encode()) == expected
        assert value(ISO_TIME, f"1996-11-10T12:00:00{offset(when, ':')}".encode()) == expected


@pytest.mark.parametrize("digits", range(1, 19))
def test_fractions_are_truncated_to_microseconds(digits: int) -> None:
    nines = b"9" * digits
    cut = 999_999 // 10 ** max(6 - digits, 0) * 10 ** max(6 - digits, 0)
    assert value(EPOCH_SECONDS, b"847627200." + nines) == NOON + cut
    assert value(EPOCH_MILLISECONDS, b"847627200000." + nines) == NOON + cut // 1_000


columns = st.lists(st.none() | st.sampled_from([b"200", b"404", b"007", b"0"]))


@given(columns)
def test_each_different_text_is_parsed_once(column: list[bytes | None]) -> None:
    seen: list[bytes] = []

    def value(text: bytes) -> Value:
        seen.append(text)
        return int(text) or None

    expected = [None if text is None else int(text) or None for text in column]
    assert parse_values(column, Notation(ValueKind.NUMBER, "", value)) == expected
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    ("notation", "text", "expected"),
    [
        (NUMBER, b"007", b"7"),
        (STATUS_OR_NONE, b"000", None),
        (ANY_NUMBER, b"-1", b"-1"),
        (MILLISECONDS, b"250", b"0.25"),
        (MICROSECONDS, b"10", b"0.00001"),
        (ANY_NANOSECONDS, b"1", b"0.000000001"),
        (SECONDS, b"9" * 17, b"100000000000000000"),
        (LOG_TIME, b"10/Nov/1996:13:55:36 -0700", b"1996-11-10T20:55:36Z"),
        (EPOCH_SECONDS, b"847627200.5", b"1996-11-10T12:00:00.500000Z"),
        (LOG_TIME, b"01/Jan/0001:00:00:00 +0000", b"0001-01-01T00:00:00Z"),
        (LOG_TIME, b"31/Apr/1996:12:00:00 +0000", None),
    ],
)
def test_standard_forms(notation: Notation, text: bytes, expected: bytes | None) -> None:
    assert format_values([text, None], notation) == [expected, None]


@named
@given(data=st.data())
def test_the_standard_form_has_the_same_value(notation: Notation, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(notation.pattern.encode(), fullmatch=True))
    [written] = format_values([text], notation)
    expected = notation.parse(text)
    if written is None:
        assert expected is None
    elif notation.kind is ValueKind.TIME:
        assert value(ISO_TIME, written) == expected
    else:
        assert re.fullmatch(rb"-?[0-9]+(\.[0-9]+)?", written)
        assert Decimal(written.decode()) == Decimal(repr(expected))


def texts_of(notation: Notation) -> st.SearchStrategy[bytes]:
    """Texts of a notation: whatever it matches, and the times of most logs, which are close to each other."""
    any_text = st.from_regex(re.compile(notation.pattern.encode(), re.ASCII), fullmatch=True)
    usual = {
        LOG_TIME: b"10/Nov/1996:13:%02d:%02d -0700",
        ISO_TIME: b"1996-11-10T13:%02d:%02d.5Z",
        ANY_TIME: b"1996-11-10T13:%02d:%02dZ",
        W3C_TIME: b"1996-11-10 13:%02d:%02d",
        HAPROXY_TIME: b"10/Nov/1996:13:%02d:%02d.250",
    }.get(notation)
    if usual is None:
        return any_text
    neighbours = st.builds(lambda minute, second: usual % (minute, second), st.integers(0, 59), st.integers(0, 60))
    return neighbours | any_text


def assert_parsed_like_each(column: list[bytes | None], notation: Notation) -> None:
    values = [None if text is None else notation.parse(text) for text in column]
    assert repr(parse_values(column, notation)) == repr(values)
    array = value_array(column, notation)
    if notation.kind is ValueKind.TIME:
        times = [None if time is None else EPOCH + int(time) * MICROSECOND for time in values]
        assert repr(parse_datetimes(column, notation)) == repr(times)
        array = array.cast(pa.int64())
    assert repr(array.to_pylist()) == repr(values)


COLUMN_NOTATIONS = [*NOTATIONS.values(), W3C_TIME, HAPROXY_TIME, W3C_TIME_TAKEN]


@given(st.data(), st.sampled_from(COLUMN_NOTATIONS))
@settings(max_examples=sizes.choose(full=1000, quick=60))
def test_parsing_many_values_is_parsing_each(data: st.DataObject, notation: Notation) -> None:
    """Values, datetimes and arrays of a column are those of its texts, one by one."""
    column = data.draw(st.lists(st.none() | texts_of(notation), max_size=6))
    assert_parsed_like_each(column, notation)


@pytest.mark.parametrize(
    ("notation", "texts"),
    [
        (LOG_TIME, [b"10/Nov/1996:13:55:60 -0700", b"31/Apr/1996:00:00:00 +0000", b"01/Jan/0001:00:00:00 +0100"]),
        (
            ISO_TIME,
            [b"1996-11-10T13:55:60Z", b"1996-11-10 13:55:36,5", b"1996-11-10T13:55:36+01:00", b"0000-01-01T00:00:00Z"],
        ),
        (ISO_TIME, [b"0000-01-01T00:00:00Z"]),
        (ISO_TIME, [b"0001-01-01T00:00:00+01:00"]),
        (ISO_TIME, [b"1996-11-10t13:55:36.1234567z"]),
        (ANY_TIME, [b"847659336", b"1996-11-10T13:55:36Z", b"10/Nov/1996:13:55:36 -0700"]),
        (ANY_TIME, [b"1996-11-10T13:55:36Z", b"1012010101111"]),  # a basic form of ISO 8601, if it were not a number
        (W3C_TIME, [b"1996-11-10  13:55", b"1996-11-10 13:55:36.", b"1996-11-10\t13:55:36"]),
        (ANY_NUMBER, [b"200.0", b"-0", b"007"]),
        (ANY_SECONDS, [b"1.5ms", b"-0", b"1.5e-3"]),
        (ANY_MILLISECONDS, [b"-0.3", b"123456789012345678", b"0.1"]),
    ],
)
def test_unusual_texts_are_parsed_one_by_one(notation: Notation, texts: list[bytes]) -> None:
    columns: list[list[bytes | None]] = [[*texts], [None, *texts]]
    columns += [[text] for text in texts]
    for column in columns:
        assert_parsed_like_each(column, notation)


def test_lasting_memos_are_bounded() -> None:
    """More different numbers than a memo holds are parsed all the same."""
    column = [b"%d" % number for number in range(20_000)]
    assert parse_values(column, NUMBER) == [*range(20_000)]
    assert len(module._number_memo(NUMBER.parse)) <= module._LastingMemo._LIMIT


def test_notations_can_be_sent_to_workers() -> None:
    for notation in COLUMN_NOTATIONS:
        assert pickle.loads(pickle.dumps(notation)) == notation  # noqa: S301  written right before
