"""Validating references. Engines are compared on all references, and timed on the valid ones that they accept."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.engines import function_engine, select_accepted
from benchmarks.inputs import Corpus
from benchmarks.results import attach
from benchmarks.validators import BYTES, GENERATIONS, INVALID, STR, Validator, check_validity
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
    attach(benchmark, name, urls.name, "invalid URL", len(invalid))
    benchmark(function_engine(function).run_all, invalid)


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
    accepted = select_accepted(engine, valid)
    attach(benchmark, validator.name, corpus, "valid URL", len(accepted), len(valid) - len(accepted))
    benchmark.extra_info["compared"] = check_validity(validator, engine, [*references, *invalid])
    benchmark(engine.run_all, accepted)
