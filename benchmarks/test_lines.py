"""Splitting many references at once, and keeping their components."""

from operator import attrgetter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.inputs import Corpus
from benchmarks.peers import LINES, Bulk
from benchmarks.results import attach


@pytest.mark.benchmark(group="split lines")
@pytest.mark.parametrize("bulk", LINES, ids=attrgetter("name"))
def test_split_lines(benchmark: BenchmarkFixture, bulk: Bulk, urls: Corpus[list[str]]) -> None:
    pytest.importorskip(bulk.module)
    split_all = bulk.load(urls.content)
    for url, row in zip(urls.content, bulk.rows(split_all()), strict=True):
        assert row == bulk.answer(url)
    attach(benchmark, bulk.name, urls.name, "URL", len(urls.content))
    benchmark(split_all)
