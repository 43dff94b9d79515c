"""Run a benchmark of an engine that rewrites references."""

from collections.abc import Sequence
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.engines import select_accepted
from benchmarks.results import attach
from benchmarks.rewriters import Rewriter, check_rewrites

__all__ = ["run_rewriter"]


def run_rewriter(
    benchmark: BenchmarkFixture, rewriter: Rewriter, corpus: str, references: Sequence[Any], item: str
) -> None:
    """Check an engine, and time it on the references that it accepts.

    Args:
        benchmark: the fixture.
        rewriter: the library.
        corpus: the name of the corpus.
        references: the references.
        item: what a reference is called in the table.
    """
    pytest.importorskip(rewriter.module)
    engine = rewriter.load()
    accepted = select_accepted(engine, references)
    attach(benchmark, rewriter.name, corpus, item, len(accepted), len(references) - len(accepted))
    benchmark.extra_info["compared"] = check_rewrites(rewriter, engine, accepted)
    benchmark(engine.run_all, accepted)
