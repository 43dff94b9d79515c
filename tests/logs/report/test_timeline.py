"""Tests of the timeline: buckets, their names and labels, and the values of the axis."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urisect.logs.report.charts import axis_values
from urisect.logs.report.timeline import make_timeline

DAY_MICROSECONDS = 86_400_000_000
BEGIN = 1_431_857_103_000_000  # 2015-05-17 10:05:03
ALL_TIMES = st.integers(
    -63_000_000_000_000_000, 254_000_000_000_000_000
)  # microseconds; more than the years from 1 to 9999


@pytest.mark.parametrize(
    ("days", "length", "bucket_count", "first", "labels"),
    [
        (0, "minute", 1, "2015-05-17 10:05", "10:05"),
        (0.01, "minute", 15, "2015-05-17 10:05", "10:06 10:08 10:10 10:12 10:14 10:16 10:18"),
        (1, "15 minutes", 97, "2015-05-17 10:00", "12:00 15:00 18:00 21:00 18 May 03:00 06:00 09:00"),
        (10, "3 hours", 81, "2015-05-17 09:00", "19 May 21 May 23 May 25 May 27 May"),
        (90, "day", 91, "2015-05-17", "Jun Jul Aug"),
        (300, "week", 44, "2015-05-11", "Jul Sep Nov 2016 Mar"),
        (2000, "month", 67, "2015-05-01", "2016 2017 2018 2019 2020"),
        (5000, "3 months", 56, "2015-04-01", "2016 2018 2020 2022 2024 2026 2028"),
        (20_000, "year", 56, "2015-01-01", "2020 2030 2040 2050 2060 2070"),
        (2_900_000, "100 years", 80, "2000-01-01", "2000 3000 4000 5000 6000 7000 8000 9000"),
    ],
)
def test_bucket_lengths_names_and_labels(days: float, length: str, bucket_count: int, first: str, labels: str) -> None:
    times = make_timeline(BEGIN, BEGIN + int(days * DAY_MICROSECONDS))
    assert (times.bucket_length, times.bucket_count, times.bucket_name(0)) == (length, bucket_count, first)
    assert " ".join(tick.text for tick in times.ticks()) == labels


@example(first=-62_999_856_000_000_001, length=4_838_400_000_001)  # ends before the year 1, the first with a date
@given(first=ALL_TIMES, length=st.integers(0, 10**9) | st.integers(0, 10**14) | st.integers(0, 10**17))
def test_every_period_has_a_timeline(first: int, length: int) -> None:
    times = make_timeline(first, first + length)
    assert 1 <= times.bucket_count <= 120
    assert list(times.begins) == sorted(set(times.begins))
    assert all(0 <= tick.position <= times.bucket_count for tick in times.ticks())
    assert len(times.ticks()) <= 9
    assert times.bucket_name(times.bucket_count - 1)


@given(highest=st.integers(0, 10**20))
def test_an_axis_has_two_to_six_values(highest: int) -> None:
    values = axis_values(highest)
    assert 2 <= len(values) <= 6
    assert values[0] == 0
    assert values[-1] >= highest
