"""Examples in docstrings and on pages run, links lead somewhere, and every public name is documented."""

import doctest
import gzip
import importlib.metadata
import importlib.resources
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import attacks, automata, corpora, crawling
from benchmarks.volume import log_files, readers
from tests.support import generated_site, pages, structure
from tests.support.examples import languages, run_examples
from tests.support.modules import import_modules
from tests.support.paths import DOCS, ROOT
from tests.support.public import Documented, documented, public_names
from urisect import logs
from urisect.cli.app import COMMANDS

SUPPORT = [attacks, automata, corpora, crawling, log_files, readers, generated_site, pages, structure]

PAGES = sorted({*ROOT.glob("*.md"), *DOCS.rglob("*.md")})
PAGES_TO_RUN = [page for page in PAGES if page.parent != DOCS / "engines"]  # tests/engines runs those
RUN = {"python", "console"}
SHOWN = {"text"}  # lines of logs, patterns, layouts
DIRECTIVES = {"{eval-rst}", "{raw}", "{toctree}"}


@pytest.mark.parametrize("module", [*import_modules(), *SUPPORT], ids=lambda module: module.__name__)
def test_examples_in_docstrings(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_languages_of_blocks_on_a_page(page: Path) -> None:
    assert {language.split()[0] for language in languages(page)} <= {*RUN, *SHOWN, *DIRECTIVES}


@pytest.mark.unmeasured
@pytest.mark.parametrize("page", PAGES_TO_RUN, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_on_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert bool(run_examples(page)) == any(language in RUN for language in languages(page))


def test_sample_log_equals_its_generator() -> None:
    sample = importlib.resources.files("urisect.cli").joinpath("sample.log.gz").read_bytes()
    assert gzip.decompress(sample) == corpora.access_log(4000)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_files_on_a_page(page: Path) -> None:
    text = re.sub(r"^ *```.*?^ *```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_links_of_the_description_on_a_package_index_are_absolute() -> None:
    links = re.findall(r"\]\(([^)]+)\)", importlib.metadata.metadata("urisect")["Description"])
    assert len(links) > 20
    assert [link for link in links if not link.startswith("https://")] == []


@pytest.mark.parametrize(("module", "name"), public_names())
def test_a_public_name_is_in_the_reference_with_an_example(module: ModuleType, name: str) -> None:
    page = (DOCS / "reference" / f"{module.__name__.removeprefix('urisect.').partition('.')[0]}.md").read_text("utf-8")
    constants = re.findall(r"^\.\. py:data:: (\w+(?:\n +\w+)*)$", page, re.MULTILINE)
    documented_names = re.findall(r"^\.\. auto(?:function|class|exception):: (\w+)(?:\(\))?$", page, re.MULTILINE)
    assert name in {*documented_names, *" ".join(constants).split()}
    value = getattr(module, name)
    if inspect.isroutine(value) or inspect.isclass(value):
        text = inspect.getdoc(value) or ""
        assert ">>> " in text
        cites = module is not logs and not module.__name__.startswith("urisect.engines.")
        assert not cites or re.search(r"RFC \d+, (\d|Append)|draft-fielding", text)


@pytest.mark.parametrize("item", [*documented()], ids=str)
def test_the_docstring_of_a_public_name_is_complete(item: Documented) -> None:
    """It has an example, describes every parameter, and names the errors."""
    text = inspect.getdoc(item.value) or ""
    assert ">>> " in text
    described = re.findall(r"^ +(\w+): ", text.partition("Args:\n")[2].partition("\n\n")[0], re.MULTILINE)
    assert [name for name in item.parameters if name not in described] == []
    if not inspect.isclass(item.value) and not item.is_property:
        assert ("Raises:" in text) != (item.name in RAISES_NOTHING)
    # napoleon takes the text before a colon as the type.
    plain = re.sub("`[^`]*`", "", text)
    assert not item.is_property or ":" not in plain.partition("\n")[0]
    assert not re.search(r"^ *(?:Returns|Yields):\n.*:", plain, re.MULTILINE)
    errors = text.partition("Raises:\n")[2].partition("\n\n")[0]
    for error in item.raised:
        assert any(re.search(rf"^ +{base.__name__}: ", errors, re.MULTILINE) for base in error.__mro__), error


# Methods that raise no error of their own.
RAISES_NOTHING = {
    "Format.for_file",
    "Format.header",
    "Format.is_blank",
    "Format.needed_to_split",
    "Format.parser",
    "JSONFormat.parser",
    "Parameters.get_all",
    "PatternFormat.parser",
    "Table.selected",
    "W3CFormat.header",
    "W3CFormat.parser",
}


def test_the_commands_are_in_the_reference_in_the_order_of_the_help() -> None:
    page = (DOCS / "reference" / "command.md").read_text("utf-8")
    sections = re.findall(r"^## (.*)\n\n((?:.+\n)+)", page, re.MULTILINE)
    listed = {
        title: re.findall(r"^\.\. click:: urisect\.cli\.(\w+):\1$", block, re.MULTILINE) for title, block in sections
    }
    assert listed == {**{title: [*commands] for title, commands in COMMANDS.items()}, "Man pages and completion": []}


@pytest.mark.parametrize("attack", [*attacks.EXPRESSIONS, *attacks.FILES], ids=lambda attack: attack.title)
def test_attacks_are_on_the_page_with_their_outcome(attack: attacks.Attack) -> None:
    page = (DOCS / "attacks.md").read_text(encoding="utf-8")
    [row] = (line for line in page.splitlines() if line.startswith(f"| {attack.title} |"))
    assert f"| {attack.effect} | {attack.status} |" in row


def test_changelog_has_an_entry_for_this_version() -> None:
    version = importlib.metadata.version("urisect")
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
