"""The time of an import, in a program that has loaded `re` and `typing`."""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.import_time import import_time
from benchmarks.results import attach

MODULES = (
    "urisect",
    "urisect.reference",  # what `urisect.split` loads
    "urisect.strict",
    "urllib.parse",
    "can_ada",
    "httptools",
    "pydantic_core",
    "regex",
    "rfc3986",
    "rfc3986_validator",
    "rfc3987",
    "uritools",
    "yarl",
)


class Clock:
    """A clock that runs only during the import in a child process, not while the process starts and ends."""

    seconds = 0.0

    def read(self) -> float:
        return self.seconds

    def measure(self, module: str) -> None:
        self.seconds += import_time(module)


CLOCK = Clock()


@pytest.mark.benchmark(group="import", timer=CLOCK.read)
@pytest.mark.parametrize("module", MODULES)
def test_import(benchmark: BenchmarkFixture, module: str) -> None:
    pytest.importorskip(module)
    attach(benchmark, module, "", "import", 1)
    benchmark.pedantic(CLOCK.measure, args=(module,), rounds=10, warmup_rounds=1)  # type: ignore[no-untyped-call]
