"""Splitting, checking and normalizing columns, on one thread."""

from operator import attrgetter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.columns import CHECK, COLUMNS, NORMALIZE_COLUMN, ROWS, repeat_to
from benchmarks.inputs import Corpus
from benchmarks.peers import Bulk
from benchmarks.results import attach


@pytest.mark.benchmark(group="split a column")
@pytest.mark.parametrize("bulk", COLUMNS, ids=attrgetter("name"))
def test_split_column(benchmark: BenchmarkFixture, bulk: Bulk, urls: Corpus[list[str]]) -> None:
    run(benchmark, bulk, urls)


@pytest.mark.benchmark(group="check a column")
@pytest.mark.parametrize("bulk", CHECK, ids=attrgetter("name"))
def test_check_column(benchmark: BenchmarkFixture, bulk: Bulk, urls: Corpus[list[str]]) -> None:
    run(benchmark, bulk, urls)


@pytest.mark.benchmark(group="normalize a column")
@pytest.mark.parametrize("bulk", NORMALIZE_COLUMN, ids=attrgetter("name"))
def test_normalize_column(benchmark: BenchmarkFixture, bulk: Bulk, normal: Corpus[list[str]]) -> None:
    run(benchmark, bulk, normal)


def run(benchmark: BenchmarkFixture, bulk: Bulk, corpus: Corpus[list[str]]) -> None:
    pytest.importorskip(bulk.module, exc_type=ImportError)
    column = repeat_to(corpus.content, ROWS)
    call = bulk.load(column)
    for url, row in zip(column, bulk.rows(call()), strict=True):
        assert row == bulk.answer(url)
    attach(benchmark, bulk.name, corpus.name, "URL", len(column))
    benchmark(call)
