"""Run the command as its users do, and a log to run it on."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, Any, Protocol

from benchmarks.corpora import access_log
from urisect.cli import main
from urisect.logs.input.decompression import detect_compression

__all__ = [
    "GZIP_MAGIC",
    "LOG",
    "URISECT",
    "Run",
    "is_compressed",
    "loaded",
    "loaded_modules",
    "on_a_terminal",
    "read_terminal",
    "run",
    "run_here",
    "without_speed",
]

GZIP_MAGIC = b"\x1f\x8b"

URISECT = [sys.executable, "-c", "import sys; from urisect.cli import main; sys.exit(main())"]

LOG = access_log(2000)


class Run(Protocol):
    """Runs the command, and returns its exit status, its output, and its messages without the speed."""

    def __call__(self, *arguments: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
        """Run the command with these arguments, and with these bytes on its standard input."""


def is_compressed(data: bytes) -> bool:
    """Return whether the command decompresses data that begins so."""
    return detect_compression(data) is not None


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """Run the command as a process, and return its exit status, its output, and its messages without the speed."""
    done = subprocess.run([*URISECT, *arguments], input=stdin, capture_output=True, check=False, timeout=60)
    return done.returncode, done.stdout, without_speed(done.stderr.decode())


def run_here(*arguments: str, stdin: bytes = b"", together: bool = False) -> tuple[int, bytes, str]:
    """Run the command in this process, as `run` does in one of its own, in a fraction of the time.

    With `together`, its messages are in its output.
    """
    with TemporaryFile() as file, TemporaryFile() as output, TemporaryFile() as messages:
        file.write(stdin)
        file.seek(0)
        with _streams(file, output, output if together else messages):
            status = main(arguments)
        output.seek(0)
        messages.seek(0)
        return status, output.read(), without_speed(messages.read().decode())


@contextmanager
def _streams(*files: IO[bytes]) -> Iterator[None]:
    """Make files the standard streams of this process, both as descriptors and as objects of Python."""
    saved = sys.stdin, sys.stdout, sys.stderr
    descriptors = [os.dup(number) for number in range(3)]
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, buffering, encoding="utf-8", errors=errors, closefd=False)
        for number, (mode, buffering, errors) in enumerate(
            (("r", -1, "strict"), ("w", -1, "strict"), ("w", 1, "backslashreplace"))
        )
    )
    try:
        yield
        sys.stdout.flush()
    finally:
        sys.stdin, sys.stdout, sys.stderr = saved
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)


def without_speed(messages: str) -> str:
    """Remove the time and the speed from a summary: they differ each time."""
    return re.sub(r",? in [0-9]+(\.[0-9]+ s| min [0-9]+ s| s), [0-9.,]+ [kMG]?B/s$", "", messages, flags=re.MULTILINE)


def loaded_modules(*arguments: str) -> set[str]:
    """Run the command on nothing in a child process, and return the names of all modules that it has loaded."""
    program = "import sys; from urisect.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    # Coverage, which has modules of its own, does not measure this process.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_PROCESS_")}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, env=environment
    )
    return set(done.stderr.splitlines()[-1].split())


def loaded(*arguments: str) -> list[str]:
    """Return which of the modules that only some commands need are loaded by a command, on an empty file."""
    modules = loaded_modules(*arguments, "--quiet", os.devnull)
    return [name for name in ("urisect.specs", "urisect.text", "regex", "rich") if name in modules]


def on_a_terminal(*arguments: str, fd: int = 1, status: int = 0, variables: Mapping[str, str] | None = None) -> bytes:
    """Run the command with one of its streams on a terminal, and return what the terminal was sent."""
    parent, child = pty.openpty()
    streams: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    streams["stdout" if fd == 1 else "stderr"] = child
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "", **(variables or {})}
    with subprocess.Popen([*URISECT, *arguments], stdin=subprocess.DEVNULL, env=environment, **streams) as process:
        os.close(child)
        sent = read_terminal(parent)
    assert process.returncode == status
    return sent


def read_terminal(parent: int) -> bytes:
    """Read all that a pseudo-terminal is sent, until no process has it open, and close it."""
    sent = b""
    while True:
        try:
            sent += os.read(parent, 65536)
        except OSError:
            break
    os.close(parent)
    return sent
