"""Start the command in its own process, and watch its workers."""

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

on_linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def children(pid: int) -> list[int]:
    """Return the workers of a process, without multiprocessing's resource tracker."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return [child for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def until(condition: Callable[[], T], seconds: float = 30) -> T:
    """Wait until a condition is true, and return its value; fail after some seconds."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end
        time.sleep(0.001)
    return value


class Started:
    """A running command."""

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
        """Wait for workers, and return them; the first has the file open, and is stopped there if requested."""

        def working() -> list[int]:
            found = sorted(children(self.process.pid), key=lambda pid: not reads(pid, file))
            if stopped and found:
                os.kill(found[0], signal.SIGSTOP)
                if not reads(found[0], file):
                    os.kill(found[0], signal.SIGCONT)
            return found if found and reads(found[0], file) else []

        return until(working)

    def end(self) -> tuple[int, str]:
        """Wait for its end, and return its exit status and messages."""
        _, messages = self.process.communicate(timeout=30)
        return self.process.returncode, messages.decode()


def reads(pid: int, file: Path) -> bool:
    """Return whether a process has a file open."""
    try:
        return any(link.readlink() == file for link in Path(f"/proc/{pid}/fd").iterdir())
    except FileNotFoundError:
        return False
