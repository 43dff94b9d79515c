"""Numbers, times and addresses, many at once, are those of the notations and expressions."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import sizes
from urisect import bitmaps
from urisect.logs.columnar.addresses import are_ipv4
from urisect.logs.columnar.buffer import LineBuffer
from urisect.logs.columnar.digits import parse_decimals, parse_digits
from urisect.logs.columnar.times import ISO_TIME_BYTES, LOG_TIME_BYTES, parse_iso_times, parse_log_times
from urisect.logs.formats.notation import ISO_TIME, LOG_TIME, MONTH_ABBREVIATIONS, Notation
from urisect.logs.formats.plausibility import CLIENT


def place(texts: list[bytes]) -> tuple[LineBuffer, Any, Any]:
    """Return a block with each text in its own line, and where they are."""
    lines = LineBuffer(b"".join(text + b"\n" for text in texts))
    return lines, lines.begins, lines.ends


DIGITS = [bytes(text) for length in range(1, 4) for text in product(b"0159/:. \xb0", repeat=length)]


def test_digits() -> None:
    texts = DIGITS + [b"7" * length + end for length in range(1, 20) for end in (b"", b"x", b"0")]
    texts += [b"1" * first + b"x" + b"1" * rest for first in range(9) for rest in range(9)]
    numbers, valid = parse_digits(*place(texts))
    for text, number, is_valid in zip(texts, numbers.tolist(), valid.tolist(), strict=True):
        assert is_valid == (re.fullmatch(rb"[0-9]{1,16}", text) is not None), text
        assert not is_valid or number == int(text)


@given(st.lists(st.from_regex(rb"[0-9./:]{1,10}|[0-9]{1,5}\.[0-9]{1,4}", fullmatch=True), min_size=1))
def test_decimals(texts: list[bytes]) -> None:
    texts += DIGITS
    numbers, fractions, valid = parse_decimals(*place(texts))
    for text, number, fraction, is_valid in zip(
        texts, numbers.tolist(), fractions.tolist(), valid.tolist(), strict=True
    ):
        assert is_valid == (re.fullmatch(rb"(?=.{1,8}\Z)[0-9]+(\.[0-9]+)?", text) is not None), text
        assert not is_valid or number / 10.0**fraction == float(text)


def log_time(day: date, clock: str = "13:55:36 -0700") -> bytes:
    return f"{day.day:02}/{MONTH_ABBREVIATIONS[day.month - 1]}/{day.year:04}:{clock}".encode()


def iso_time(day: date, clock: str = "13:55:36-07:00") -> bytes:
    return f"{day.isoformat()}T{clock}".encode()


def assert_times(texts: list[bytes], notation: Notation, length: int) -> None:
    """Check that a time is parsed only if the notation has it, and that ordinary ones are parsed."""
    parse = parse_log_times if notation is LOG_TIME else parse_iso_times
    lines, starts, ends = place(texts)
    times, valid = parse(lines, starts)
    for text, time, is_valid in zip(texts, times.tolist(), (valid & (ends - starts == length)).tolist(), strict=True):
        matches = re.fullmatch(notation.pattern.encode(), text)
        expected = notation.parse(text) if matches else None
        year = int(re.findall(rb"[0-9]{4}", text)[0]) if expected is not None else 0
        has_form = len(text) == length and (notation is LOG_TIME or text[10:11] == b"T")
        assert is_valid == (has_form and expected is not None and 2 <= year <= 9998), text
        assert not is_valid or time == expected, text


@pytest.mark.parametrize(
    ("write", "notation", "length"), [(log_time, LOG_TIME, LOG_TIME_BYTES), (iso_time, ISO_TIME, ISO_TIME_BYTES)]
)
class TestTimes:
    def test_days(self, write: Callable[..., bytes], notation: Notation, length: int) -> None:
        first, last = date(1, 1, 1).toordinal(), date(9999, 12, 31).toordinal()
        days = [date.fromordinal(number) for number in range(first, last, sizes.choose(full=1, quick=997))]
        days += [date(year, 2, 28) for year in range(1, 9999, 50)]
        days += [date.fromordinal(first), date.fromordinal(last), *map(date(2015, 12, 1).replace, range(2014, 2018))]
        texts = [write(day) for day in days]
        for year, month, number in product((1900, 1996, 2000, 2015), range(1, 13), (0, 28, 29, 30, 31, 32)):
            day = date(year, month, 1)
            texts.append(write(day).replace(b"01", b"%02d" % number, 1) if write is log_time else b"")
            texts.append(write(day)[:8] + b"%02d" % number + write(day)[10:] if write is iso_time else b"x")
        assert_times(texts, notation, length)

    def test_clocks_and_zones(self, write: Callable[..., bytes], notation: Notation, length: int) -> None:
        day = date(1996, 11, 10)
        zones = ["+0000", "-0000", "+2359", "-2359", "+2400", "+0060", "-0730", " 0000", "+00a0"]
        colon = ":" if write is iso_time else ""
        zones = [f"{'' if colon else ' '}{zone[:3]}{colon}{zone[3:]}" for zone in zones]
        clocks = [
            "00:00:00",
            "23:59:59",
            "23:59:60",
            "24:00:00",
            "12:60:00",
            "12:59:61",
            "12:5a:00",
            "1a:00:00",
            "12 00:00",
        ]
        assert_times([write(day, clock + zone) for clock in clocks for zone in zones], notation, length)

    def test_any_change_of_a_character(self, write: Callable[..., bytes], notation: Notation, length: int) -> None:
        text = write(date(1996, 11, 10))
        texts = [
            text[:at] + bytes([byte]) + text[at + 1 :] for at in range(len(text)) for byte in b"09:/-+ T;@\x90\xff\0a"
        ]
        assert_times([each.replace(b"\n", b"x") for each in (*texts, text[:-1], text + b"0")], notation, length)


def test_neighbouring_hours() -> None:
    times = [timedelta(minutes=7 * number) for number in range(200)]
    texts = [
        log_time(date(1996, 11, 10), f"{time.seconds // 3600:02}:{time.seconds // 60 % 60:02}:00 +0000")
        for time in times
    ]
    assert_times(texts, LOG_TIME, LOG_TIME_BYTES)
    assert_times([], LOG_TIME, LOG_TIME_BYTES)


def test_addresses() -> None:
    octets = [b"0", b"7", b"25", b"99", b"199", b"255", b"256", b"260", b"300", b"999", b"1000", b"", b"a", b"1\xb2"]
    texts = [b".".join(each) for each in product(octets, octets[::3], octets[1::4], octets[::2])]
    texts += [
        b"1.2.3",
        b"1.2.3.4.5",
        b"1.2.3.4.",
        b".1.2.3.4",
        b"1..2.3",
        b"1/2/3/4",
        b"1.2.3.4x",
        b"::1",
        b"111.111.111.1111",
    ]
    found = are_ipv4(*place(texts)).tolist()
    for text, is_address in zip(texts, found, strict=True):
        is_client = re.fullmatch(CLIENT.encode(), text) is not None
        assert is_address == (is_client and re.fullmatch(rb"[0-9]+(\.[0-9]+){3}", text) is not None), text


@given(st.lists(st.integers(0, 5_000)), st.lists(st.integers(0, 6_000)))
def test_next_flag(positions: list[int], places: list[int]) -> None:
    flags = np.zeros(5_000, np.bool_)
    flags[[position for position in positions if position < len(flags)]] = True
    bits = bitmaps.pack_flags(flags)
    found = bitmaps.Bitmap.of_bits(bits).find(np.array(places, np.int64)).tolist()
    for place_, flag in zip(places, found, strict=True):
        ahead = np.flatnonzero(flags[place_:])
        assert flag == place_ + ahead[0] if len(ahead) else flag >= len(flags)
    assert bitmaps.positions(bits).tolist() == np.flatnonzero(flags).tolist()


def test_zeros_without_bitwise_count(monkeypatch: pytest.MonkeyPatch) -> None:
    words = np.array([0, *(3 << shift & (1 << 64) - 1 for shift in range(64))], np.uint64)
    expected = [64, *range(64)]
    assert bitmaps.trailing_zeros(words).tolist() == expected
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert bitmaps.trailing_zeros(words).tolist() == expected


def test_characters_in_long_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitmaps, "_CHUNK", 64)
    text = np.frombuffer(b"a b" * 100, np.uint8)
    for character, bits in zip(b"ab ", bitmaps.find_characters(text, b"ab "), strict=True):
        assert bitmaps.positions(bits).tolist() == np.flatnonzero(text == character).tolist()
    assert [len(bits) for bits in bitmaps.find_characters(text[:0], b"ab")] == [0, 0]
