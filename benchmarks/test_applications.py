"""Changing references, reading queries, checking forms, taking IRIs; in pydantic and for JSON Schema."""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.applications import TASKS, Inputs
from benchmarks.inputs import Corpus
from benchmarks.tasks import Candidate, Task, measure, with_candidates


@pytest.fixture(scope="session")
def inputs(urls: Corpus[list[str]]) -> Corpus[Inputs]:
    return Corpus(urls.name, Inputs.of(urls.content))


@pytest.mark.parametrize(("task", "candidate"), with_candidates(TASKS))
def test_task(benchmark: BenchmarkFixture, task: Task, candidate: Candidate, inputs: Corpus[Inputs]) -> None:
    measure(benchmark, task, candidate, inputs)
