"""Start the command in a process of its own, and watch its children."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeVar

import pytest

from tests.support.command import URISECT

__all__ = ["AT_ONCE", "LOGS", "OUTPUTS", "Started", "T", "children", "names", "on_linux", "reads", "until"]

T = TypeVar("T")

# The command, with workers that take part from the first piece.
_FROM_THE_FIRST_PIECE = (
    "from urisect.logs.scan import parallel, pieces; parallel.PARENT_ONLY_BYTES = 0; pieces.FILE_PIECE_BYTES = 1 << 18"
)
AT_ONCE = [sys.executable, "-c", f"{_FROM_THE_FIRST_PIECE}; {URISECT[2]}"]

LOGS = ("logs", "--format", "combined")

OUTPUTS = {
    "tsv": ("--to", "tsv"),
    "ndjson": ("--to", "ndjson"),
    "parquet": ("--to", "parquet"),
    "arrow": ("--to", "arrow"),
    "days": ("--to", "parquet", "--by-day"),
}

on_linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are looked at as Linux has it")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def children(pid: int) -> list[int]:
    """The processes that another one started to work for it; one more counts what they share."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return [child for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def until(condition: Callable[[], T], seconds: float = 30) -> T:
    """Wait for something to come true."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end
        time.sleep(0.001)
    return value


class Started:
    """A command that runs."""

    def __init__(self, *arguments: str, command: list[str] = URISECT) -> None:
        self.process = subprocess.Popen(
            [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def workers(self, file: Path, *, stopped: bool = False) -> list[int]:
        """Wait for processes that work on a file; the first of them is found, or stopped, in the middle of it."""

        def working() -> list[int]:
            found = sorted(children(self.process.pid), key=lambda pid: not reads(pid, file))
            if stopped and found:
                os.kill(found[0], signal.SIGSTOP)
                if not reads(found[0], file):
                    os.kill(found[0], signal.SIGCONT)
            return found if found and reads(found[0], file) else []

        return until(working)

    def end(self) -> tuple[int, str]:
        """Wait for its end; give its status and its messages."""
        _, messages = self.process.communicate(timeout=30)
        return self.process.returncode, messages.decode()


def reads(pid: int, file: Path) -> bool:
    """Whether a process has a file open."""
    try:
        return any(link.readlink() == file for link in Path(f"/proc/{pid}/fd").iterdir())
    except FileNotFoundError:
        return False
