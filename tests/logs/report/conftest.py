"""Fixtures: a log, a browser, and a report loaded in it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import chromium
from tests.support.reports import HOSTILE_TEXTS, LOG, LoadedPage
from urisect.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log in the combined format."""
    path = tmp_path / "access.log"
    path.write_bytes(LOG)
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  only these tests need it

    path = chromium.find_chromium()
    if path is None:
        (pytest.fail if os.environ.get("URISECT_BROWSER") == "required" else pytest.skip)(chromium.MISSING_CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a report that the command wrote."""
    directory = tmp_path_factory.mktemp("report")
    (directory / "access.log").write_bytes(LOG + b"\n".join(HOSTILE_TEXTS))
    assert main(["report", str(directory / "access.log"), "-q", "-o", str(directory / "report.html")]) == 0
    return (directory / "report.html").as_uri()


@pytest.fixture
def loaded(browser: "Browser", page_url: str) -> Iterator[LoadedPage]:
    """The report in a new browser page."""
    loaded = LoadedPage(browser, page_url)
    yield loaded
    loaded.close()
