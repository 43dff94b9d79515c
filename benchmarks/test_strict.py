"""A reference validated: each engine on the valid ones that it accepts, once it has been checked on all."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.peers import Corpus, accepted
from benchmarks.report import record
from benchmarks.validators import BYTES, GENERATIONS, INVALID, STR, Validator, calling, validated
from urisect import strict


@pytest.mark.benchmark(group="validate a str")
@pytest.mark.parametrize("validator", STR, ids=attrgetter("name"))
def test_validate_str(benchmark: BenchmarkFixture, validator: Validator, urls: Corpus[list[str]]) -> None:
    run(benchmark, validator, urls.name, urls.content, INVALID)


@pytest.mark.benchmark(group="validate bytes")
@pytest.mark.parametrize("validator", BYTES, ids=attrgetter("name"))
def test_validate_bytes(benchmark: BenchmarkFixture, validator: Validator, urls: Corpus[list[str]]) -> None:
    references, invalid = ([text.encode() for text in texts] for texts in (urls.content, INVALID))
    run(benchmark, validator, urls.name, references, invalid)


@pytest.mark.benchmark(group="validate by specification")
@pytest.mark.parametrize("validator", GENERATIONS, ids=attrgetter("name"))
def test_specifications(benchmark: BenchmarkFixture, validator: Validator, urls: Corpus[list[str]]) -> None:
    run(benchmark, validator, urls.name, urls.content, INVALID)


@pytest.mark.benchmark(group="refuse a str")
@pytest.mark.parametrize("function", [strict.is_valid, strict.violations], ids=attrgetter("__name__"))
def test_refuse(benchmark: BenchmarkFixture, function: Any, urls: Corpus[list[str]]) -> None:
    invalid = [url for url in urls.content if not strict.is_valid(url)]
    for url in invalid:
        assert strict.violations(url)
    name = f"urisect.strict.{function.__name__}"
    record(benchmark, name, urls.name, "invalid URL", len(invalid))
    benchmark(calling(function).loop, invalid)


def run(
    benchmark: BenchmarkFixture,
    validator: Validator,
    corpus: str,
    references: Sequence[Any],
    invalid: Sequence[Any],
) -> None:
    pytest.importorskip(validator.module)
    engine = validator.load()
    valid = [reference for reference in references if strict.is_valid(reference)]
    taken = accepted(engine, valid)
    record(benchmark, validator.name, corpus, "valid URL", len(taken), len(valid) - len(taken))
    benchmark.extra_info["compared"] = validated(validator, engine, [*references, *invalid])
    benchmark(engine.loop, taken)
