"""Pictures of a terminal show what the command prints today, and every picture is on a page, with its command."""

import re
from pathlib import Path

import pytest

from tests.support.paths import DOCS, ROOT
from tests.support.pictures import IMAGES, REPORT, TERMINALS, Terminal, make_log
from tests.support.terminal_drawing import draw_terminal

GALLERY = (DOCS / "gallery.md").read_text("utf-8")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("pictures")
    make_log(directory)
    return directory


@pytest.mark.unmeasured
@pytest.mark.parametrize("terminal", TERMINALS, ids=lambda terminal: terminal.name)
def test_a_picture_of_a_terminal_shows_what_the_command_prints(terminal: Terminal, directory: Path) -> None:
    assert terminal.path.read_text("utf-8") == terminal.draw(directory), "run make pictures"


def test_the_gallery_has_all_pictures_and_their_commands() -> None:
    sections = re.findall(r"^## .*\n\n`([^`]+)` [^!]+!\[[^]]{20,}\]\(images/([^)]+)\)$", GALLERY, re.MULTILINE)
    assert sections == [
        *((terminal.command, terminal.path.name) for terminal in TERMINALS),
        (REPORT, "report-light.png"),
    ]


def test_every_image_is_on_a_page() -> None:
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    shown = {name for page in pages for name in re.findall(r"images/([^)]+)\)", page.read_text("utf-8"))}
    assert shown == {path.name for path in IMAGES.iterdir()}


def test_drawing_of_styles_blocks_and_spaces() -> None:
    svg = draw_terminal("a <b>", "\x1b[31m\x1b[1mO\x1b[0m  価 c\n\x1b[36m██▌\x1b[0m ▁\n", columns=10)
    assert re.findall(
        r'<text(?: class="([a-z ]*)")? x="([0-9.]+)" y="[0-9]+" textLength="([0-9.]+)".*>(.*)</', svg
    ) == [
        ("dim", "20.0", "8.4", "$"),
        ("bold", "36.8", "42.0", "a &lt;b&gt;"),
        ("bold red", "20.0", "8.4", "O"),
        ("", "45.2", "33.6", "価 c"),
    ]
    assert re.findall(r'<rect class="(block.*)" x="([0-9.]+)" y="[0-9]+" width="([0-9.]+)" height="([0-9]+)"', svg) == [
        ("block cyan", "20.00", "16.80", "16"),
        ("block cyan", "36.80", "4.20", "16"),
        ("block", "53.60", "8.40", "2"),
    ]


def test_a_line_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match="more than 10 columns: 12345678901"):
        draw_terminal("a", "12345678901", columns=10)


def test_pictures_request_nothing_and_have_two_colour_schemes() -> None:
    for path in IMAGES.glob("*.svg"):
        svg = path.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert not re.search(r"url\(|@import|href|@font-face", svg)
        assert "@media (prefers-color-scheme: dark)" in svg
