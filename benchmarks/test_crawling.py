"""Keys, SURTs and sites of URLs; links of pages."""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.crawling import KEYS, NORMALIZE_BY_SCHEME, PAGE_TASKS, TASKS, Inputs
from benchmarks.engines import select_accepted
from benchmarks.inputs import Corpus
from benchmarks.results import attach
from benchmarks.tasks import Candidate, Task, check_answers


@pytest.fixture(scope="session")
def inputs(urls: Corpus[list[str]], references: Corpus[list[str]]) -> Corpus[Inputs]:
    return Corpus(urls.name, Inputs.of(urls.content, references.content))


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


@pytest.mark.benchmark(group="make keys of a profile")
@pytest.mark.parametrize("candidate", [*KEYS, NORMALIZE_BY_SCHEME], ids=lambda candidate: candidate.name)
def test_profile(benchmark: BenchmarkFixture, candidate: Candidate, inputs: Corpus[Inputs]) -> None:
    keys = inputs.content.keys
    attach(benchmark, candidate.name, f"those of {inputs.name} that are their keys", "URL", len(keys))
    benchmark(candidate.load().run_all, keys)


@pytest.mark.parametrize(
    ("task", "candidate"),
    [
        pytest.param(task, candidate, marks=pytest.mark.benchmark(group=task.group), id=candidate.name)
        for task in PAGE_TASKS
        for candidate in (task.ours, *task.peers)
    ],
)
def test_page(benchmark: BenchmarkFixture, task: Task, candidate: Candidate, inputs: Corpus[Inputs]) -> None:
    pytest.importorskip(candidate.module)
    pages = inputs.content.pages
    attach(benchmark, candidate.name, "a generated page", task.item, sum(page.count("<a ") for page in pages))
    check_answers(task.ours, candidate, pages)
    benchmark(candidate.load().run_all, pages)
