"""The time and the memory of processes, on Linux."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import NamedTuple

from tests.support.paths import ROOT

__all__ = ["INTERVAL", "MemoryWatch", "Run", "measure", "memory", "pin_to_cores", "read_proc"]

INTERVAL = 0.2  # seconds between two looks at the memory
PAGE = os.sysconf("SC_PAGE_SIZE")


class Run(NamedTuple):
    """The measurement of a process.

    Attributes:
        seconds: its duration.
        memory: the peak memory of the process and its children, in bytes; 0 if it was not watched.
        printed: its standard output.
    """

    seconds: float
    memory: int
    printed: str


def measure(command: Sequence[str], cores: int, *, watched: bool = False) -> Run:
    """Run a command and measure it.

    Args:
        command: the command line.
        cores: the number of cores it may use.
        watched: whether to measure its memory.

    Raises:
        CalledProcessError: the command failed; its message is in `stderr`.
    """
    with pin_to_cores(cores):
        start = perf_counter()
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    watch = MemoryWatch(process.pid)
    if watched:
        watch.start()
    printed, message = process.communicate()
    seconds = perf_counter() - start
    watch.stop()
    if process.returncode:
        error = subprocess.CalledProcessError(process.returncode, command, printed, message)
        error.add_note(message)
        raise error
    return Run(seconds, watch.memory, printed)


@contextmanager
def pin_to_cores(cores: int) -> Iterator[None]:
    """Pin this process, and processes that it starts, to the last cores: the operating system prefers the first."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[-cores:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class MemoryWatch(Thread):
    """Measures the memory of a process at intervals.

    Attributes:
        memory: the most that was measured, in bytes.
    """

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.memory = 0
        self._process = process
        self._stopped = Event()

    def run(self) -> None:
        """Measure until stopped."""
        while not self._stopped.wait(INTERVAL):
            self.memory = max(self.memory, memory(self._process))

    def stop(self) -> None:
        """Stop measuring."""
        self._stopped.set()
        if self.ident:
            self.join()


def memory(process: int) -> int:
    """Return the memory of a process and its children in bytes; shared memory counts once."""
    lists = (read_proc(children) for children in glob(f"/proc/{process}/task/*/children"))
    return _own_memory(process) + sum(memory(int(child)) for children in lists for child in children.split())


def _own_memory(process: int) -> int:
    """Return the proportional set size of a process in bytes, or its resident set size if that cannot be read."""
    if found := re.search(r"^Pss: +([0-9]+) kB", read_proc(f"/proc/{process}/smaps_rollup"), re.MULTILINE):
        return int(found[1]) << 10
    pages = read_proc(f"/proc/{process}/statm").split()
    return int(pages[1]) * PAGE if pages else 0


def read_proc(path: str) -> str:
    """Read a file in /proc, or return an empty text if the process has ended."""
    try:
        return Path(path).read_text("ascii")
    except OSError:
        return ""
