"""Take the pictures of the command and of its report: `python -m tests.support.pictures`, or `make pictures`.

Pictures of a terminal show what a command prints on a terminal, and `tests/test_pictures.py` holds them to that. Those
of the report are screenshots in Chromium.
"""

import os
import pty
import shlex
import subprocess
import termios
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, NamedTuple

from playwright.sync_api import sync_playwright

import urisect
from tests.support.chromium import find_chromium
from tests.support.command import URISECT, read_terminal
from tests.support.paths import DOCS
from tests.support.terminal_drawing import draw_terminal

if TYPE_CHECKING:
    from playwright.sync_api import ViewportSize

__all__ = ["IMAGES", "REPORT", "TERMINALS", "Terminal", "main", "make_log"]

IMAGES = DOCS / "images"
LOG = "access.log"
REPORT = f"urisect report {LOG} --title www.example.com -o report.html"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
REPORT_SIZE: "ViewportSize" = {"width": 1280, "height": 900}  # of the window, in pixels of the page
REPORT_SCALE = 1.5


class Terminal(NamedTuple):
    """A picture of a terminal.

    Attributes:
        name: of the file, without `terminal-` and its suffix.
        command: what is run there, on the sample log in its directory.
        columns: its width, in characters.
        lines: how many lines of the output are shown; 0 for all.
        status: the exit status of the command.
    """

    name: str
    command: str
    columns: int = 76
    lines: int = 0
    status: int = 0

    @property
    def path(self) -> Path:
        """The file of the picture."""
        return IMAGES / f"terminal-{self.name}.svg"

    def draw(self, directory: Path) -> str:
        """Run the command in a directory, and draw what it prints."""
        printed = self._run(directory).splitlines(keepends=True)
        return draw_terminal(self.command, "".join(printed[: self.lines or None]), self.columns)

    def _run(self, directory: Path) -> str:
        """Run the command, and return its output on a terminal of this width, then its messages.

        The messages go into a pipe: on a terminal, a progress bar would move among them.
        """
        parent, child = pty.openpty()
        termios.tcsetwinsize(child, (100, self.columns))
        with subprocess.Popen(
            [*URISECT, *shlex.split(self.command)[1:]],
            cwd=directory,
            env=_environment(),
            stdin=subprocess.DEVNULL,  # so that no pager starts
            stdout=child,
            stderr=subprocess.PIPE,
        ) as process:
            os.close(child)
            output = read_terminal(parent)
            _, messages = process.communicate()
        assert process.returncode == self.status, messages.decode()
        return (output + messages).decode().replace("\r\n", "\n")


TERMINALS = (
    Terminal("explain", "urisect explain 'http://fred@EXAMPLE.com:8O/a?name=ferret'"),
    Terminal("check", "urisect check 'http://example.com:8O/' 'http://[::1/' 'http://a/50%'", status=1),
    Terminal("logs", f"urisect logs {LOG} --since 2024-03-17T20:38 -n 9"),
    Terminal("top", f"urisect top target_path {LOG} -n 10"),
    Terminal("report", f"urisect report {LOG}", lines=33),
)


def main() -> None:
    """Take all pictures."""
    with TemporaryDirectory() as directory:
        make_log(Path(directory))
        for terminal in TERMINALS:
            terminal.path.write_text(terminal.draw(Path(directory)), "utf-8")
        _photograph_report(Path(directory))


def make_log(directory: Path) -> None:
    """Write the sample log into a directory."""
    subprocess.run([*URISECT, "demo", "-o", LOG], cwd=directory, env=_environment(), check=True)


def _environment() -> dict[str, str]:
    """Return variables for a terminal of any width, and for the package that this process has imported."""
    overriding = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"}
    kept = {name: value for name, value in os.environ.items() if name not in overriding}
    return {**kept, "TERM": "xterm", "PYTHONPATH": str(Path(urisect.__file__).resolve().parents[1])}


def _photograph_report(directory: Path) -> None:
    """Take pictures of the top of the report in light and dark."""
    chromium = find_chromium()
    if not chromium:
        print("Chromium is not installed: the pictures of the report stay as they are.")
        return
    subprocess.run([*URISECT, *shlex.split(REPORT)[1:], "--quiet"], cwd=directory, env=_environment(), check=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in SCHEMES:
            page = browser.new_page(viewport=REPORT_SIZE, color_scheme=scheme, device_scale_factor=REPORT_SCALE)
            page.goto((directory / "report.html").as_uri())
            chart = page.locator("figure").nth(1).bounding_box()  # the second, with which the first screen ends
            assert chart
            height = round(chart["y"] + chart["height"])
            page.screenshot(
                path=IMAGES / f"report-{scheme}.png",
                clip={"x": 0, "y": 0, "width": REPORT_SIZE["width"], "height": height},
            )
        browser.close()


if __name__ == "__main__":
    main()
