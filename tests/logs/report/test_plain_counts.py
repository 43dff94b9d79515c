"""Counts in plain Python: the same as those of the count database, up to their limits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urisect.logs import MissingExtraError
from urisect.logs.report import plain_counts
from urisect.logs.report.counts import CountDatabase
from urisect.logs.report.partial_counts import PartialCounts
from urisect.logs.report.plain_counts import PlainCounts

values = st.none() | st.binary(max_size=2) | st.sampled_from([b"x" * 999, b"x" * 1001, b"x" * 1000 + b"y"])
groups = st.lists(st.tuples(st.sampled_from(["path", "client"]), st.lists(st.tuples(values, st.integers(1, 3)))))


@settings(max_examples=25)
@given(groups=groups, most=st.integers(1, 20))
def test_counts_are_those_of_the_database(groups: list[tuple[str, list[tuple[bytes | None, int]]]], most: int) -> None:
    with CountDatabase() as database, PlainCounts("duckdb") as plain:
        for name, pairs in groups:
            for counts in (database, plain):
                counts.add(name, PartialCounts([value for value, _ in pairs], [lines for _, lines in pairs]))
        for name in ("path", "client"):
            assert plain.top(name, most) == database.top(name, most)
            assert plain.distinct(name) == database.distinct(name)
            assert plain.total(name) == database.total(name)


@pytest.mark.parametrize(("limit", "number"), [("MAX_PLAIN_VALUES", 10), ("MAX_PLAIN_BYTES", 20)])
def test_more_values_than_the_limit_are_refused(limit: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_counts, limit, number)
    with PlainCounts("duckdb") as counts:
        for value in range(10):
            counts.add("path", PartialCounts([b"%02d" % value, b"00"], [1, 1]))
        assert counts.distinct("path") == 10
        with pytest.raises(MissingExtraError, match=r"any number of different values \(here more than .* needs duckdb"):
            counts.add("path", PartialCounts([b"10"], [1]))
