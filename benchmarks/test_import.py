"""What an import adds to a program that has `re` and `typing` already."""

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.peers import import_time
from benchmarks.report import record

MODULES = (
    "urisect",
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
    """A clock that runs only while a child is at its import, and not while it starts or ends."""

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
    record(benchmark, module, "", "import", 1)
    benchmark.pedantic(CLOCK.measure, args=(module,), rounds=10, warmup_rounds=1)  # type: ignore[no-untyped-call]
