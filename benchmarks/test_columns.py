"""Splitting, checking and normalizing columns, on one thread."""

from functools import partial
from operator import attrgetter
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.columns import CHECK, COLUMNS, NORMALIZE_COLUMN, ROWS, repeat_to
from benchmarks.inputs import Corpus
from benchmarks.peers import Bulk
from benchmarks.results import attach
from benchmarks.spark_columns import COMPONENTS, SPARK_ROWS, SPLITTERS, load, materialize, split_rows
from urisect import split


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


@pytest.mark.benchmark(group="split a column in Spark", min_rounds=3)
@pytest.mark.parametrize("name", SPLITTERS)
def test_split_column_in_spark(benchmark: BenchmarkFixture, name: str, urls: Corpus[list[str]], tmp_path: Path) -> None:
    column = repeat_to(urls.content, SPARK_ROWS)
    try:
        table = load(name, column, tmp_path)
    except ImportError as error:
        pytest.skip(str(error))
    refused = 0
    for url, row in zip(column, split_rows(table), strict=True):
        if name.startswith("pyspark") and row != tuple(getattr(split(url), field) for field in COMPONENTS):
            refused += 1  # or other parts than those of Appendix B
        else:
            assert row == tuple(getattr(split(url), field) for field in COMPONENTS)
    attach(benchmark, name, urls.name, "URL", len(column), refused)
    benchmark(partial(materialize, table))


def run(benchmark: BenchmarkFixture, bulk: Bulk, corpus: Corpus[list[str]]) -> None:
    pytest.importorskip(bulk.module, exc_type=ImportError)
    column = repeat_to(corpus.content, ROWS)
    call = bulk.load(column)
    for url, row in zip(column, bulk.rows(call()), strict=True):
        assert row == bulk.answer(url)
    attach(benchmark, bulk.name, corpus.name, "URL", len(column))
    benchmark(call)
