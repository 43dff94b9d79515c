"""Examples on the pages about engines run.

The sections of `other.md` are about one package each, and run where it is installed.
"""

import importlib.util
import re
from pathlib import Path

import pytest

from tests.support.examples import run_examples
from tests.support.paths import DOCS

OTHER = DOCS / "engines" / "other.md"
PAGES = sorted({*(DOCS / "engines").glob("*.md")} - {OTHER})
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", OTHER.read_text("utf-8"), re.MULTILINE))


@pytest.mark.timeout(300)  # a page may start Spark
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_on_a_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(page)


@pytest.mark.filterwarnings("default")  # of the other package
@pytest.mark.parametrize("title", SECTIONS)
def test_examples_with_another_engine(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in re.findall(r"^>>> (?:from|import) (\w+)", SECTIONS[title], re.MULTILINE):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    monkeypatch.chdir(tmp_path)
    section = tmp_path / "section.md"
    section.write_text(SECTIONS[title], "utf-8")
    assert run_examples(section)


def test_the_overview_of_other_engines_names_every_section() -> None:
    linked = re.findall(r"^\| \[(.+?)\]\(#", OTHER.read_text("utf-8"), re.MULTILINE)
    assert linked == [*SECTIONS]
