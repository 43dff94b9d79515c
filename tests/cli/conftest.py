"""Fixtures: logs to read, directories to write to, and the command in this process."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from tests.support.command import LOG, Run, without_speed
from urisect.cli import main


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "access.log"
    path.write_bytes(LOG)
    return path


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A log that is large enough for workers."""
    path = tmp_path_factory.mktemp("big") / "big.log"
    path.write_bytes(LOG * 130)
    yield path
    path.unlink()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The directory that a command writes to."""
    path = tmp_path / "place"
    path.mkdir()
    return path


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The parent of temporary directories."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setenv("TMPDIR", str(path))
    return path


@pytest.fixture
def run_here(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run the command in this process, as `run` does in one of its own, in a tenth of the time."""

    def run(*arguments: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
        before = os.dup(0)
        with TemporaryFile() as file:
            file.write(stdin)
            file.seek(0)
            os.dup2(file.fileno(), 0)
            try:
                status = main(arguments)
            finally:
                os.dup2(before, 0)
                os.close(before)
        output, messages = capfdbinary.readouterr()
        return status, output, without_speed(messages.decode())

    return run
