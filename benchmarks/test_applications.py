"""Changing references, reading queries, checking forms, taking IRIs; in pydantic and for JSON Schema."""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.applications import TASKS, Inputs
from benchmarks.engines import select_accepted
from benchmarks.inputs import Corpus
from benchmarks.results import attach
from benchmarks.tasks import Candidate, Task, check_answers


@pytest.fixture(scope="session")
def inputs(urls: Corpus[list[str]]) -> Corpus[Inputs]:
    return Corpus(urls.name, Inputs.of(urls.content))


@pytest.mark.parametrize(
    ("task", "candidate"),
    [
        pytest.param(task, candidate, marks=pytest.mark.benchmark(group=task.group), id=candidate.name)
        for task in TASKS
        for candidate in (task.ours, *task.peers)
    ],
)
def test_task(benchmark: BenchmarkFixture, task: Task, candidate: Candidate, inputs: Corpus[Inputs]) -> None:
    pytest.importorskip(candidate.module)
    texts = task.texts(inputs.content, candidate)
    engine = candidate.load()
    accepted = select_accepted(engine, texts)
    attach(benchmark, candidate.name, inputs.name, task.item, len(accepted), len(texts) - len(accepted))
    benchmark.extra_info["compared"] = check_answers(task.ours, candidate, accepted)
    benchmark(engine.run_all, accepted)
