"""Examples in docstrings and pages run, and every public name is documented."""

import doctest
import gzip
import importlib
import importlib.metadata
import importlib.resources
import inspect
import pkgutil
import re
from types import ModuleType

import pytest

import urisect
from benchmarks import attacks, automata, corpora
from benchmarks.volume import log_files, readers
from tests.support import structure
from tests.support.paths import DOCS, ROOT
from urisect import document, logs, percent, specs, strict, text

MODULES = [
    importlib.import_module(name)
    for name in ("urisect", *(module.name for module in pkgutil.walk_packages(urisect.__path__, "urisect.")))
]
SUPPORT = [attacks, automata, corpora, log_files, readers, structure]


@pytest.mark.parametrize("module", [*MODULES, *SUPPORT], ids=lambda module: module.__name__)
def test_examples_in_docstrings(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def test_examples_in_the_readme() -> None:
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert results.failed == 0
    assert results.attempted > 10


def test_examples_on_the_page_about_specifications() -> None:
    results = doctest.testfile(str(DOCS / "specifications.md"), module_relative=False)
    assert results.failed == 0
    assert results.attempted > 15


def test_sample_log_equals_its_generator() -> None:
    sample = importlib.resources.files("urisect.cli").joinpath("sample.log.gz").read_bytes()
    assert gzip.decompress(sample) == corpora.access_log(4000)


PUBLIC = [(module, name) for module in (urisect, strict, percent, text, document) for name in module.__all__]


@pytest.mark.parametrize(("module", "name"), [*PUBLIC, (specs, "Specification")])
def test_public_names_have_an_example_and_a_source_and_are_in_the_readme(module: ModuleType, name: str) -> None:
    documented = inspect.getdoc(getattr(module, name))
    assert documented
    assert ">>> " in documented
    assert re.search(r"RFC \d+, (\d|Append)|draft-fielding", documented)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"`{name}" in readme or f"`{module.__name__.removeprefix('urisect.')}.{name}" in readme


@pytest.mark.parametrize("name", logs.__all__)
def test_public_names_of_logs_have_an_example_and_are_in_the_readme(name: str) -> None:
    value = getattr(logs, name)
    if inspect.isroutine(value) or inspect.isclass(value):
        assert ">>> " in (inspect.getdoc(value) or "")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"`logs.{name}`" in readme or f"`{name}`" in readme


@pytest.mark.parametrize("attack", [*attacks.EXPRESSIONS, *attacks.FILES], ids=lambda attack: attack.title)
def test_attacks_are_on_the_page_with_their_outcome(attack: attacks.Attack) -> None:
    page = (DOCS / "attacks.md").read_text(encoding="utf-8")
    [row] = (line for line in page.splitlines() if line.startswith(f"| {attack.title} |"))
    assert f"| {attack.effect} | {attack.status} |" in row


def test_changelog_has_an_entry_for_this_version() -> None:
    version = importlib.metadata.version("urisect")
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
