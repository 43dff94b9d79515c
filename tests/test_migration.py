"""Every row of the pages about moving from another library is run, with that library and with urisect.

On the page about other commands, the lines of urisect are run.
"""

import platform
import re
import shlex
from ast import literal_eval
from doctest import DocTestParser
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from tests.support.examples import run_in_shell
from tests.support.paths import DOCS
from urisect import resolve
from urisect.cli import main

COMMANDS = DOCS / "migration" / "trurl.md"
PAGES = sorted({*(DOCS / "migration").glob("*.md")} - {COMMANDS})
TEXT = {page: page.read_text(encoding="utf-8") for page in PAGES}

# A table of calls has three columns: their call, ours, and the result, "same" or "theirs `…`, ours `…`". The name of an
# exception stands for it. "no counterpart; use `…`" has an expression that returns the same without urisect.
CALLS = re.compile(r"^\| \S+ \| urisect \| result \|\n\| --- \| --- \| --- \|\n((?:\|.*\n)+)", re.MULTILINE)
ROW = re.compile(
    r"\| `(?P<theirs>[^`|]+)`"
    r" \| (?:(?:no counterpart; (?:use|keep) )?`(?P<ours>[^`|]+)`"
    r" \| (?:same(?:: `(?P<same_result>[^`|]+)`)?"
    r"|theirs `(?P<their_result>[^`|]+)`, ours `(?P<our_result>[^`|]+)`(?:; [^|]+)?)"
    r" \||no counterpart \| \|)"
)
ROWS = [
    pytest.param(page, row, id=f"{page.stem}-{row.split('`')[1]}")
    for page in PAGES
    for table in CALLS.findall(TEXT[page])
    for row in table.splitlines()
]

# A table of inputs to `urljoin` has four columns: base, reference, what `resolve` returns, and what `urljoin` returns.
URLJOIN = re.compile(
    r"^\| base \| reference \| `urisect.resolve` \| `urllib.parse.urljoin` \|\n(?:\| --- ){4}\|\n((?:\|.*\n)+)",
    re.MULTILINE,
)
URLJOIN_ROWS = [
    row.strip("|` ").split("` | `")
    for table in URLJOIN.findall(TEXT[DOCS / "migration" / "urllib.md"])
    for row in table.splitlines()
]


# A table of commands has four columns: the task, their command, ours, and what ours prints.
COMMAND_ROWS = re.findall(
    r"^\| [^|`]+ \| `((?:trurl|unfurl) [^`]+)` \| `((?:\\\||[^`|])+)` \| `([^`]+)` \|$",
    COMMANDS.read_text(encoding="utf-8"),
    re.MULTILINE,
)


def names(page: Path) -> dict[str, Any]:
    """Run the Python examples of a page, and return the names that they bind."""
    bound: dict[str, Any] = {}
    for example in DocTestParser().get_examples(TEXT[page]):
        exec(example.source, bound)  # noqa: S102  the page is ours
    return bound


def outcome(expression: str, page: Path) -> str:
    """Evaluate an expression with the names of a page; return its value, or the name of its exception, as text."""
    bound = names(page)
    try:
        value = eval(expression, bound)  # noqa: S307  the page is ours
    except Exception as error:  # noqa: BLE001  the page says which
        return type(error).__name__
    return repr(plain(value))


def is_exception(result: str) -> bool:
    return result.isidentifier() and result not in ("None", "True", "False")


def plain(value: object) -> object:
    """Return a named tuple as a tuple, and an object of a library as its text."""
    if isinstance(value, tuple):
        return tuple(value)
    return value if type(value) in (str, bytes, bool, int, list, dict, type(None)) else str(value)


@pytest.mark.filterwarnings("ignore:Please use rfc3986.validators.Validator:DeprecationWarning")
@pytest.mark.parametrize(("page", "row"), ROWS)
def test_a_call_and_its_counterpart(page: Path, row: str) -> None:
    cells = ROW.fullmatch(row)
    assert cells, "a row has another form"
    theirs = outcome(cells["theirs"], page)
    if cells["their_result"]:
        assert theirs == cells["their_result"]
        assert outcome(cells["ours"], page) == cells["our_result"] != theirs
    else:
        assert not is_exception(theirs)
        assert theirs == (cells["same_result"] or theirs)
        assert cells["ours"] is None or outcome(cells["ours"], page) == theirs


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_table_of_a_page_is_run(page: Path) -> None:
    tables = re.findall(r"^\|(?: --- \|)+$", TEXT[page], re.MULTILINE)
    assert len(tables) == len(CALLS.findall(TEXT[page])) + len(URLJOIN.findall(TEXT[page]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_which_versions_are_run(page: Path) -> None:
    [(library, oldest)] = re.findall(r"run all rows below with (\w+) ([0-9.]+[0-9]) or later\.", TEXT[page])
    assert library == ("Python" if page.stem == "urllib" else page.stem)
    assert release(platform.python_version() if library == "Python" else version(library)) >= release(oldest)


def release(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"[0-9]+", version)]


@pytest.mark.parametrize(("base", "reference", "ours", "theirs"), URLJOIN_ROWS)
def test_the_tables_of_differences_to_urljoin(base: str, reference: str, ours: str, theirs: str) -> None:
    base, reference, target = map(literal_eval, (base, reference, ours))
    assert resolve(base, reference) == target
    assert ours != theirs
    if theirs == "ValueError":
        with pytest.raises(ValueError, match="address"):
            urljoin(base, reference)
    else:
        assert urljoin(base, reference) == literal_eval(theirs)


@pytest.mark.parametrize(("ours", "printed"), [row[1:] for row in COMMAND_ROWS], ids=[row[1] for row in COMMAND_ROWS])
def test_a_line_of_the_command(
    ours: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "urls.txt").write_text("https://example.com:8443/a?name=R%26D#top\n")
    command = ours.replace("\\|", "|")
    if re.search(r"\||\$\(", command):
        assert run_in_shell(command) == f"{printed}\n"
    else:  # faster
        name, *arguments = shlex.split(command)
        assert name == "urisect"
        assert main(arguments) == 0
        assert capfd.readouterr() == (f"{printed}\n", "")


def test_every_line_of_the_command_is_run() -> None:
    text = COMMANDS.read_text(encoding="utf-8")
    assert len(COMMAND_ROWS) > 30
    assert len(COMMAND_ROWS) == len(re.findall(r"^\| [^|]+ \| `(?:trurl|unfurl) ", text, re.MULTILINE))


def test_the_tables_have_rows() -> None:
    assert len(URLJOIN_ROWS) > 20
    assert {page.stem for page in PAGES} == {"furl", "rfc3986", "urllib", "w3lib", "yarl"}
    for page in PAGES:
        assert sum(row.values[0] is page for row in ROWS) > 40
