"""One reference at a time: each engine on what it accepts, once it has been checked."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.peers import BYTES, STR, Corpus, Peer, accepted, agreed
from benchmarks.report import record


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
    taken = accepted(engine, references)
    record(benchmark, peer.name, corpus, "URL", len(taken), len(references) - len(taken))
    benchmark.extra_info["compared"] = agreed(peer, engine, taken)
    benchmark(engine.loop, taken)
