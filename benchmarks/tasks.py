"""Tasks of programs, each with a function of urisect, and those of other libraries.

Answers are compared where they should be the same.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.engines import EVERYWHERE, Engine, select_accepted
from benchmarks.inputs import Corpus
from benchmarks.results import attach

__all__ = ["SLOW", "Candidate", "Task", "check_answers", "measure", "one_by_one", "with_candidates"]

SLOW = 500  # inputs of a slow function


class Candidate(NamedTuple):
    """A function of a library for a task.

    Attributes:
        name: its name in the tables.
        module: the module that must be installed.
        engine: makes the engine from the module.
        label: its short name, for the guard.
        agrees_on: the expression of inputs for which it should give the same answer as urisect.
        most_inputs: on how many inputs it is measured; None for all.
    """

    name: str
    module: str
    engine: Callable[[ModuleType], Engine]
    label: str
    agrees_on: str = EVERYWHERE
    most_inputs: int | None = None

    def load(self) -> Engine:
        """Import the library; ImportError means that it is not installed."""
        return self.engine(import_module(self.module))


def check_answers(ours: Candidate, theirs: Candidate, texts: Sequence[str]) -> int:
    """Assert that two engines give the same answers where they should, and count the comparisons."""
    agrees_on = re.compile(theirs.agrees_on, re.ASCII | re.DOTALL)
    mine, other = ours.load(), theirs.load()
    compared = [text for text in texts if agrees_on.fullmatch(text)]
    for text in compared:
        answer, expected = other.run(text), mine.run(text)
        assert answer == expected, f"{theirs.name} returns {answer!r} for {text!r}, not {expected!r}"
    assert compared, f"no input on which {theirs.name} should agree"
    return len(compared)


def one_by_one(function: Callable[..., Any], *arguments: Any, **options: Any) -> Engine:
    """Make an engine of a function that takes more than a text."""

    def run_all(texts: Iterable[str]) -> None:
        for text in texts:
            function(text, *arguments, **options)

    return Engine(lambda text: function(text, *arguments, **options), run_all)


class Task(NamedTuple):
    """What a program does with a reference.

    Attributes:
        group: the name of its group of benchmarks.
        ours: the function of urisect.
        peers: those of other libraries.
        inputs: the attribute of the inputs that it is measured on.
        item: what one of them is called.
        limit: of the ratio to each peer, for the guard.
    """

    group: str
    ours: Candidate
    peers: tuple[Candidate, ...]
    inputs: str = "urls"
    item: str = "URL"
    limit: float = 1.00

    def texts(self, inputs: object, candidate: Candidate) -> list[str]:
        """Return what a candidate is measured on: of a slow one, the first of all inputs."""
        texts: list[str] = getattr(inputs, self.inputs)
        return texts[: candidate.most_inputs]


def with_candidates(tasks: Iterable[Task]) -> list[Any]:
    """List each task with each of its candidates, as parameters of a benchmark."""
    return [
        pytest.param(task, candidate, marks=pytest.mark.benchmark(group=task.group), id=candidate.name)
        for task in tasks
        for candidate in (task.ours, *task.peers)
    ]


def measure(benchmark: BenchmarkFixture, task: Task, candidate: Candidate, inputs: Corpus[Any]) -> None:
    """Compare the answers of a candidate, and measure it on the inputs that it accepts."""
    pytest.importorskip(candidate.module)
    texts = task.texts(inputs.content, candidate)
    engine = candidate.load()
    accepted = select_accepted(engine, texts)
    attach(benchmark, candidate.name, inputs.name, task.item, len(accepted), len(texts) - len(accepted))
    benchmark.extra_info["compared"] = check_answers(task.ours, candidate, accepted)
    benchmark(engine.run_all, accepted)
