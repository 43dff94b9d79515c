"""Splitting one reference at a time."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.engines import select_accepted
from benchmarks.inputs import Corpus
from benchmarks.peers import BYTES, STR, Peer, check_splits
from benchmarks.results import attach


@pytest.mark.benchmark(group="split a str")
@pytest.mark.parametrize("peer", STR, ids=attrgetter("name"))
def test_split_str(benchmark: BenchmarkFixture, peer: Peer, urls: Corpus[list[str]]) -> None:
    run(benchmark, peer, urls.name, urls.content)


@pytest.mark.benchmark(group="split bytes")
@pytest.mark.parametrize("peer", BYTES, ids=attrgetter("name"))
def test_split_bytes(benchmark: BenchmarkFixture, peer: Peer, urls: Corpus[list[str]]) -> None:
    run(benchmark, peer, urls.name, [url.encode() for url in urls.content])


def run(benchmark: BenchmarkFixture, peer: Peer, corpus: str, references: Sequence[Any]) -> None:
    pytest.importorskip(peer.module)
    engine = peer.load()
    accepted = select_accepted(engine, references)
    attach(benchmark, peer.name, corpus, "URL", len(accepted), len(references) - len(accepted))
    benchmark.extra_info["compared"] = check_splits(peer, engine, accepted)
    benchmark(engine.run_all, accepted)
