"""Many references at once, and their components kept."""

from operator import attrgetter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.peers import LINES, Bulk, Corpus
from benchmarks.report import record


@pytest.mark.benchmark(group="split lines")
@pytest.mark.parametrize("bulk", LINES, ids=attrgetter("name"))
def test_split_lines(benchmark: BenchmarkFixture, bulk: Bulk, urls: Corpus[list[str]]) -> None:
    pytest.importorskip(bulk.module)
    split_all = bulk.load(urls.content)
    for url, row in zip(urls.content, bulk.rows(split_all()), strict=True):
        assert row == bulk.answer(url)
    record(benchmark, bulk.name, urls.name, "URL", len(urls.content))
    benchmark(split_all)
