"""Tests of how a report formats numbers, times and text."""

import pytest

from urisect.logs.report.formatting import (
    escape_unprintable,
    format_bytes,
    format_duration,
    format_seconds,
    format_share,
    shorten_middle,
    utc_datetime,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"/a b\xc3\xa9", "/a bé"), (b"\t\r\x00\x7f", r"\t\r\x00\x7f"), ("\u200b\u202e\ufeff", r"\u200b\u202e\ufeff"),
        ("\U000e0041\U0010ffff", r"\U000e0041\U0010ffff"), (b"\xff\xed\xa0\x80", r"\xff\xed\xa0\x80"),
        ("\udcff", r"\xff"), ("\u00a0", r"\xa0"), (b"", ""),
    ],
)  # fmt: skip
def test_unprintable_characters_are_escaped(value: bytes | str, expected: str) -> None:
    assert escape_unprintable(value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (format_bytes(0), "0 B"),
        (format_bytes(999.6), "1 kB"),
        (format_bytes(999_999), "1 MB"),
        (format_bytes(99_940), "99.9 kB"),
        (format_bytes(123_456), "123 kB"),
        (format_bytes(5e21), "5,000 EB"),
        (format_share(1, 1), "100 %"),
        (format_share(5, 10_000), "0.1 %"),
        (format_share(4, 10_000), "< 0.1 %"),
        (format_seconds(0), "0 ms"),
        (format_seconds(99.94), "99.9 s"),
        (format_seconds(3600), "3,600 s"),
        (format_duration(59), "59 seconds"),
        (format_duration(60), "1 minute"),
        (format_duration(90_061), "1 day 1 hour"),
        (format_duration(86_461), "1 day"),
        (shorten_middle("abc", 3), "abc"),
        (shorten_middle("abcd", 3), "a…d"),
    ],
)
def test_numbers_are_formatted_briefly(text: str, expected: str) -> None:
    assert text == expected


def test_times_out_of_range_become_the_nearest_datetime() -> None:
    assert utc_datetime(-(10**18)).year == 1
    assert utc_datetime(10**18).year == 9999
