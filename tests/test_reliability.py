"""docs/reliability.md names tests that exist, and the interpreters that are tested."""

import re
from importlib.metadata import metadata

import pytest

from tests.support.paths import DOCS, ROOT

PAGE = (DOCS / "reliability.md").read_text("utf-8")
CHECKS = ROOT / ".ci" / "run"
SECTIONS = PAGE[PAGE.index("## Guarantees of the library") : PAGE.index("## How it is tested")]
ITEMS = [" ".join(item.split()) for item in re.findall(r"^- ((?:.+\n)(?:  .+\n)*)", SECTIONS, re.MULTILINE)]
GUARANTEES = [(item, item[item.rindex(" (") :]) for item in ITEMS]


@pytest.mark.parametrize(("guarantee", "tests"), GUARANTEES)
def test_a_guarantee_names_its_tests(guarantee: str, tests: str) -> None:
    files = re.findall(r"`(tests/[^`]+\.py)`", tests)
    assert files or "in their names" in tests, guarantee
    for file in files:
        assert "\ndef test_" in (ROOT / file).read_text("utf-8"), file


def test_all_guarantees_are_found() -> None:
    assert len(GUARANTEES) == SECTIONS.count("\n- ") >= 10


def test_other_files_on_the_page_exist() -> None:
    named = re.findall(r"`(tests/[^`]+)`", PAGE)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_versions_on_the_page_are_those_of_the_package() -> None:
    classifiers = metadata("urisect").get_all("Classifier") or []
    declared = {found[1] for name in classifiers if (found := re.fullmatch(r".* :: (3\.[0-9]+)", name))}
    section = PAGE[PAGE.index("## Supported versions") : PAGE.index("## What is not guaranteed")]
    table = "".join(re.findall(r"^\| [^|]*3\.[^|]*\|", section, re.MULTILINE))
    assert {*re.findall(r"3\.[0-9]+", table)} == declared
    assert f"Python {metadata('urisect')['Requires-Python'].removeprefix('>=')} and later" in section


@pytest.mark.skipif(not CHECKS.exists(), reason="the source distribution has no .ci")
def test_all_checks_of_a_change_test_these_interpreters() -> None:
    script = CHECKS.read_text("utf-8")
    tested = re.search(r"for version in ([0-9. ]+); do", script)
    assert tested
    assert f"the newest {', '.join(tested[1].split()[:-1])} and {tested[1].split()[-1]}" in PAGE
    oldest = 'URISECT_TESTS=full make test-wheel ENGINES_TOO=yes PYTHONS="${pythons[${versions[0]}]}"'
    assert oldest in script  # in full size
    assert "make test-pyodide" in script
