"""Try the page "Try it" of the built site in Chromium, offline: `python -m tests.support.try_page build/docs`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click
from playwright.sync_api import sync_playwright

from tests.support.chromium import MISSING_CHROMIUM, find_chromium
from urisect.cli.explain import draw_explanation
from urisect.explanation import explain

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["main"]

TEXTS = ["http://fred@EXAMPLE.com:8O/a", "mailto:fred@example.com", "", "http://bücher.example/価格?a=%zz", "<b>&amp;"]
LOADING_TIMEOUT = 60_000  # milliseconds
SIZES = ((1280, 900), (390, 844))


def main(folder: str) -> None:
    """Type texts, and compare what the page shows with what the command prints.

    Args:
        folder: of the site.
    """
    chromium = find_chromium()
    if not chromium:
        print(MISSING_CHROMIUM)
        return
    if not (Path(folder) / "try" / "pyodide.mjs").exists():
        print("The page was built without Pyodide, and is not tried.")
        return
    with _serve(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width, height in SIZES:
            _try_page(browser.new_page(viewport={"width": width, "height": height}), address)
    print(f'The page "Try it" explains {len(TEXTS)} texts as the command does.')


def _try_page(page: "Page", address: str) -> None:
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(error.message))
    page.goto(f"{address}/try.html")
    assert not any("/try/" in url for url in requests), "Pyodide is loaded before the page is used"
    shown = page.locator("#try-explanation")
    for text in TEXTS:
        page.fill("#try-reference", text)
        page.wait_for_function(
            "text => document.querySelector('#try-explanation').textContent.startsWith(`reference    ${text}\\n`)",
            arg=text,
            timeout=LOADING_TIMEOUT,
        )
        lines = shown.text_content() or ""
        widths = range(20, 200)
        assert lines in {click.unstyle(draw_explanation(explain(text), width)) for width in widths}, lines
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    assert all(url.startswith(address) for url in requests), requests
    assert not errors, errors


@contextmanager
def _serve(folder: str) -> Iterator[str]:
    """Serve the files of a folder on this machine."""
    handler = partial(_Handler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


if __name__ == "__main__":
    main(sys.argv[1])
