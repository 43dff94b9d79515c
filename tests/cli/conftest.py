"""Fixtures: logs to read, directories to write to, and the command in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import LOG


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
