"""Resolving references against one base, which engines parse only once if they can."""

from operator import attrgetter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.inputs import Corpus
from benchmarks.rewriters import RESOLVERS, RESOLVERS_OF_BYTES, Rewriter
from benchmarks.runs import run_rewriter


@pytest.mark.benchmark(group="resolve a reference")
@pytest.mark.parametrize("rewriter", RESOLVERS, ids=attrgetter("name"))
def test_resolve(benchmark: BenchmarkFixture, rewriter: Rewriter, references: Corpus[list[str]]) -> None:
    run_rewriter(benchmark, rewriter, references.name, references.content, "reference")


@pytest.mark.benchmark(group="resolve bytes")
@pytest.mark.parametrize("rewriter", RESOLVERS_OF_BYTES, ids=attrgetter("name"))
def test_resolve_bytes(benchmark: BenchmarkFixture, rewriter: Rewriter, references: Corpus[list[str]]) -> None:
    encoded = [reference.encode() for reference in references.content]
    run_rewriter(benchmark, rewriter, references.name, encoded, "reference")
