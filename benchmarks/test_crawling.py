"""Keys, SURTs and sites of URLs; links of pages."""

from operator import attrgetter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.crawling import KEYS, NORMALIZE_BY_SCHEME, PAGE_TASKS, TASKS, Inputs
from benchmarks.inputs import Corpus
from benchmarks.results import attach
from benchmarks.tasks import Candidate, Task, check_answers, measure, with_candidates


@pytest.fixture(scope="session")
def inputs(urls: Corpus[list[str]], references: Corpus[list[str]]) -> Corpus[Inputs]:
    return Corpus(urls.name, Inputs.of(urls.content, references.content))


@pytest.mark.parametrize(("task", "candidate"), with_candidates(TASKS))
def test_task(benchmark: BenchmarkFixture, task: Task, candidate: Candidate, inputs: Corpus[Inputs]) -> None:
    measure(benchmark, task, candidate, inputs)


@pytest.mark.benchmark(group="make keys of a profile")
@pytest.mark.parametrize("candidate", [*KEYS, NORMALIZE_BY_SCHEME], ids=attrgetter("name"))
def test_profile(benchmark: BenchmarkFixture, candidate: Candidate, inputs: Corpus[Inputs]) -> None:
    keys = inputs.content.keys
    attach(benchmark, candidate.name, f"those of {inputs.name} that are their keys", "URL", len(keys))
    benchmark(candidate.load().run_all, keys)


@pytest.mark.parametrize(("task", "candidate"), with_candidates(PAGE_TASKS))
def test_page(benchmark: BenchmarkFixture, task: Task, candidate: Candidate, inputs: Corpus[Inputs]) -> None:
    pytest.importorskip(candidate.module)
    pages = inputs.content.pages
    attach(benchmark, candidate.name, "a generated page", task.item, sum(page.count("<a ") for page in pages))
    check_answers(task.ours, candidate, pages)
    benchmark(candidate.load().run_all, pages)
