"""The guard measures columns, and the engines that it compares agree."""

from operator import attrgetter

import pytest

from benchmarks import columns
from benchmarks.columns import CHECK, COLUMNS, NORMALIZE_COLUMN
from benchmarks.corpora import crawl
from benchmarks.limits import column_rows
from benchmarks.peers import Bulk
from benchmarks.ratios import judge
from urisect import normalize


@pytest.mark.parametrize("bulk", [*COLUMNS, *CHECK, *NORMALIZE_COLUMN], ids=attrgetter("name"))
def test_engines_agree(bulk: Bulk) -> None:
    urls = [normalize(url) for url in crawl(100)]
    call = bulk.load(urls)
    assert list(bulk.rows(call())) == [bulk.answer(url) for url in urls]


def test_columns_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.limits.ROWS", 100)
    monkeypatch.setattr(columns, "ROWS", 100)
    results = judge(column_rows(list(crawl(100))), 1, 1)
    assert all(result.figure for result in results)
