"""Normalizing URIs, in normal form and in other forms."""

from operator import attrgetter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.engines import function_engine
from benchmarks.inputs import Corpus
from benchmarks.results import attach
from benchmarks.rewriters import NORMALIZE_BYTES, NORMALIZERS, Rewriter
from benchmarks.runs import run_rewriter
from urisect import split


@pytest.mark.benchmark(group="normalize a URI")
@pytest.mark.parametrize("rewriter", NORMALIZERS, ids=attrgetter("name"))
def test_normalize(benchmark: BenchmarkFixture, rewriter: Rewriter, normal: Corpus[list[str]]) -> None:
    run_rewriter(benchmark, rewriter, normal.name, normal.content, "normal URL")


@pytest.mark.benchmark(group="normalize a URI")
def test_normalize_bytes(benchmark: BenchmarkFixture, normal: Corpus[list[str]]) -> None:
    run_rewriter(benchmark, NORMALIZE_BYTES, normal.name, [url.encode() for url in normal.content], "normal URL")


@pytest.mark.benchmark(group="normalize a URI")
def test_split(benchmark: BenchmarkFixture, normal: Corpus[list[str]]) -> None:
    attach(benchmark, "for comparison: urisect.split", normal.name, "normal URL", len(normal.content))
    benchmark(function_engine(split).run_all, normal.content)


@pytest.mark.benchmark(group="normalize a variant")
@pytest.mark.parametrize("rewriter", NORMALIZERS, ids=attrgetter("name"))
def test_normalize_variants(benchmark: BenchmarkFixture, rewriter: Rewriter, variants: Corpus[list[str]]) -> None:
    run_rewriter(benchmark, rewriter, variants.name, variants.content, "variant")
