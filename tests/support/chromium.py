"""Find or install the Chromium in which the tests load the report.

`python -m tests.support.chromium install` lets Playwright install it if there is none; `check` prints a warning if
there is still none.
"""

import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["MISSING_CHROMIUM", "find_chromium"]

MISSING_CHROMIUM = (
    "Chromium is not installed: the tests of the report in a browser are skipped. Try: apt install chromium"
)

DOWNLOAD_TIMEOUT = 300  # seconds


def find_chromium() -> str | None:
    """Return the path of the system's Chromium, or of Playwright's, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  slow to import and to start

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> None:
    """Let Playwright install Chromium if there is none; a failure is only printed."""
    if find_chromium():
        return
    print("Chromium is not installed; Playwright tries to download it …", flush=True)
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        print(f"The download took more than {DOWNLOAD_TIMEOUT} seconds.")
    else:
        if done.returncode:
            error = next((line for line in done.stderr.splitlines() if line.startswith("Error: ")), "unknown error")
            print(f"Playwright failed: {error.removeprefix('Error: ')}.")


def check() -> None:
    """Print which tests are skipped if there is no Chromium."""
    if not find_chromium():
        print(MISSING_CHROMIUM)


if __name__ == "__main__":
    {"install": install, "check": check}[sys.argv[1]]()
