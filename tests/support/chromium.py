"""The browser in which the report is looked at.

`python -m tests.support.chromium get` lets Playwright install it where the system has none; `say` says if there
is still none.
"""

import shutil
import subprocess
import sys
from pathlib import Path

MISSING = "There is no Chromium: the report is not looked at in a browser. Try: apt-get install chromium"

# How long a download may take, in seconds.
PATIENCE = 300


def installed() -> str | None:
    """Find the system's browser, or the one that Playwright has brought."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  it takes a while to load, and to start

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def get() -> None:
    """Let Playwright bring a browser, if it can; what hinders it is no error."""
    if installed():
        return
    print("There is no Chromium: Playwright tries to get one …", flush=True)
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        print(f"That took more than {PATIENCE} seconds.")
    else:
        if done.returncode:
            reason = next((line for line in done.stderr.splitlines() if line.startswith("Error: ")), "it failed")
            print(f"Playwright cannot: {reason.removeprefix('Error: ')}.")


def say() -> None:
    """Say what is left out where there is no browser."""
    if not installed():
        print(MISSING)


if __name__ == "__main__":
    {"get": get, "say": say}[sys.argv[1]]()
