"""A reference resolved against a base, prepared once where that can be done: each engine, once it has been checked."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.peers import Corpus, accepted
from benchmarks.report import record
from benchmarks.rewriters import RESOLVERS, RESOLVERS_OF_BYTES, Rewriter, rewritten


@pytest.mark.benchmark(group="resolve a reference")
@pytest.mark.parametrize("rewriter", RESOLVERS, ids=attrgetter("name"))
def test_resolve(benchmark: BenchmarkFixture, rewriter: Rewriter, references: Corpus[list[str]]) -> None:
    run(benchmark, rewriter, references.name, references.content, "reference")


@pytest.mark.benchmark(group="resolve bytes")
@pytest.mark.parametrize("rewriter", RESOLVERS_OF_BYTES, ids=attrgetter("name"))
def test_resolve_bytes(benchmark: BenchmarkFixture, rewriter: Rewriter, references: Corpus[list[str]]) -> None:
    octets = [reference.encode() for reference in references.content]
    run(benchmark, rewriter, references.name, octets, "reference")


def run(benchmark: BenchmarkFixture, rewriter: Rewriter, corpus: str, references: Sequence[Any], item: str) -> None:
    pytest.importorskip(rewriter.module)
    engine = rewriter.load()
    taken = accepted(engine, references)
    record(benchmark, rewriter.name, corpus, item, len(taken), len(references) - len(taken))
    benchmark.extra_info["compared"] = rewritten(rewriter, engine, taken)
    benchmark(engine.loop, taken)
