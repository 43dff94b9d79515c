"""Repetition without backtracking; no expression of the package has a possessive quantifier on a group."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import patterns
from tests.support.paths import ROOT
from urisect.repetition import one_or_more, unrolled_loop, zero_or_more


@pytest.mark.slow
def test_no_compiled_pattern_has_a_possessive_quantifier_on_a_group(tmp_path: Path) -> None:
    """Run every place that compiles, in a process of its own, in which nothing has been compiled before."""
    output = tmp_path / "found.json"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    command = [sys.executable, "-m", "tests.support.patterns", str(output)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(output.read_text(encoding="utf-8"))
    assert found["wrong"] == []
    assert found["sources"] > 1000
    seen, sites = {(file, line) for file, line in found["sites"]}, patterns.call_sites()
    assert len(sites) > 50
    assert sites - seen == set(), "tests/support/patterns.py must run these places"
    assert patterns.passed_on() == {file for file, _ in seen - sites}
    assert patterns.other_imports() == []


def test_no_string_of_the_source_contains_such_a_quantifier() -> None:
    assert patterns.possessive_groups_in_texts() == []


@pytest.mark.parametrize(
    "source",
    [
        "(?:ab)*+", "(ab)++", "(?:a|b?c)?+", "(?>a{2})*+", "(?:a*){1,2}+", "x(?=y(?:zz)*+)", "(c)(?(1)(?:ab)?+|c)",
        "(?:(?:ab)*+)?", "(?i:ab)*+", "(?:a[bc])++", rb"(?<!x(?:\xff\xfe){2}+)",
    ],
)  # fmt: skip
def test_possessive_groups_are_found(source: str | bytes) -> None:
    assert patterns.has_possessive_group(patterns.parsed(source))


@pytest.mark.parametrize(
    "source", ["a*+", "[a-z]++", ".?+", "[^a]{2,3}+", r"\d*+", "(?:a)*+", "(?>(?:ab)*)", "(?:a*+)*"]
)
def test_single_characters_may_be_possessive(source: str) -> None:
    assert not patterns.has_possessive_group(patterns.parsed(source))


# What the module writes, compared with the plain expression

UNITS = ("ab", "a|bc", "a?b", "[ab]c*", "(?:a|b)c?")


@pytest.mark.parametrize("unit", UNITS)
@given(text=st.text("abc", max_size=400))
def test_repetitions_are_atomic_and_greedy(unit: str, text: str) -> None:
    for written, plain in ((zero_or_more(unit), f"(?>(?:{unit})*)"), (one_or_more(unit), f"(?>(?:{unit})+)")):
        assert spans(written, text) == spans(plain, text)
        assert spans(f"{written}a", text) == spans(f"{plain}a", text)


@given(text=st.text("abc\\", max_size=400))
def test_an_unrolled_loop_matches_what_the_alternation_matches(text: str) -> None:
    for written, plain in (
        (unrolled_loop("[ab]", r"\\c"), r"(?>(?:[ab]|\\c)*)"),
        (unrolled_loop("[ab]", r"\\c", "c(?!c)"), r"(?>(?:[ab]|\\c|c(?!c))*)"),
    ):
        assert spans(written, text) == spans(plain, text)
        assert spans(rf"{written}c", text) == spans(rf"{plain}c", text)


def spans(source: str, text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(source, text)]


@pytest.mark.parametrize("times", [0, 1, 98, 99, 100, 197, 198, 199, 1000])
def test_repetitions_of_any_number_match(times: int) -> None:
    assert re.fullmatch(zero_or_more("ab"), "ab" * times)
    assert bool(re.fullmatch(one_or_more("ab"), "ab" * times)) is (times > 0)
    assert re.fullmatch(unrolled_loop("[c]", "ab"), "abc" * times)
