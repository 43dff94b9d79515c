"""Examples in docstrings and pages run, and every public name is documented."""

import doctest
import gzip
import importlib
import importlib.metadata
import importlib.resources
import inspect
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import urisect
from benchmarks import attacks, automata, corpora
from benchmarks.volume import log_files, readers
from tests.support import pages, structure
from tests.support.examples import languages, run_examples
from tests.support.paths import DOCS, ROOT
from urisect import document, logs, percent, specs, strict, text

MODULES = [
    importlib.import_module(name)
    for name in ("urisect", *(module.name for module in pkgutil.walk_packages(urisect.__path__, "urisect.")))
]
SUPPORT = [attacks, automata, corpora, log_files, readers, pages, structure]

PAGES = sorted({*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")})
RUN = {"python", "console"}
SHOWN = {"text"}  # lines of logs, patterns, layouts
DIRECTIVES = {"{eval-rst}", "{toctree}"}


@pytest.mark.parametrize("module", [*MODULES, *SUPPORT], ids=lambda module: module.__name__)
def test_examples_in_docstrings(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.unmeasured
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_on_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert {language.split()[0] for language in languages(page)} <= {*RUN, *SHOWN, *DIRECTIVES}
    run_examples(page)


def test_sample_log_equals_its_generator() -> None:
    sample = importlib.resources.files("urisect.cli").joinpath("sample.log.gz").read_bytes()
    assert gzip.decompress(sample) == corpora.access_log(4000)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_files_on_a_page(page: Path) -> None:
    text = re.sub(r"^ *```.*?^ *```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []


PUBLIC = [
    (module, name) for module in (urisect, strict, percent, text, document, specs, logs) for name in module.__all__
]


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_a_public_name_is_in_the_reference_with_an_example(module: ModuleType, name: str) -> None:
    page = DOCS / "reference" / f"{module.__name__.removeprefix('urisect.')}.md"
    assert re.search(
        rf"^\.\. (auto(function|class|exception)|py:data):: {name}$", page.read_text("utf-8"), re.MULTILINE
    )
    value = getattr(module, name)
    if inspect.isroutine(value) or inspect.isclass(value):
        documented = inspect.getdoc(value) or ""
        assert ">>> " in documented
        assert module is logs or re.search(r"RFC \d+, (\d|Append)|draft-fielding", documented)


@pytest.mark.parametrize("attack", [*attacks.EXPRESSIONS, *attacks.FILES], ids=lambda attack: attack.title)
def test_attacks_are_on_the_page_with_their_outcome(attack: attacks.Attack) -> None:
    page = (DOCS / "attacks.md").read_text(encoding="utf-8")
    [row] = (line for line in page.splitlines() if line.startswith(f"| {attack.title} |"))
    assert f"| {attack.effect} | {attack.status} |" in row


def test_changelog_has_an_entry_for_this_version() -> None:
    version = importlib.metadata.version("urisect")
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
