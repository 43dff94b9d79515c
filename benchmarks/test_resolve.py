"""Resolving references against one base, which engines parse only once if they can."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.engines import select_accepted
from benchmarks.inputs import Corpus
from benchmarks.results import attach
from benchmarks.rewriters import RESOLVERS, RESOLVERS_OF_BYTES, Rewriter, check_rewrites


@pytest.mark.benchmark(group="resolve a reference")
@pytest.mark.parametrize("rewriter", RESOLVERS, ids=attrgetter("name"))
def test_resolve(benchmark: BenchmarkFixture, rewriter: Rewriter, references: Corpus[list[str]]) -> None:
    run(benchmark, rewriter, references.name, references.content, "reference")


@pytest.mark.benchmark(group="resolve bytes")
@pytest.mark.parametrize("rewriter", RESOLVERS_OF_BYTES, ids=attrgetter("name"))
def test_resolve_bytes(benchmark: BenchmarkFixture, rewriter: Rewriter, references: Corpus[list[str]]) -> None:
    encoded = [reference.encode() for reference in references.content]
    run(benchmark, rewriter, references.name, encoded, "reference")


def run(benchmark: BenchmarkFixture, rewriter: Rewriter, corpus: str, references: Sequence[Any], item: str) -> None:
    pytest.importorskip(rewriter.module)
    engine = rewriter.load()
    accepted = select_accepted(engine, references)
    attach(benchmark, rewriter.name, corpus, item, len(accepted), len(references) - len(accepted))
    benchmark.extra_info["compared"] = check_rewrites(rewriter, engine, accepted)
    benchmark(engine.run_all, accepted)
