"""Temporary directories: their locks, and the removal of those that killed processes leave behind."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from urisect.logs.temporary import LOCK_NAME, TemporaryDirectory, remove_abandoned

LEAVE_BEHIND = (
    "import os, sys; from urisect.logs.temporary import TemporaryDirectory\n"
    "made = TemporaryDirectory(*sys.argv[1:]); directory = made.name\n"
    "open(f'{directory}/file', 'x').close(); os.makedirs(f'{directory}/below/it')\n"
    "os.kill(os.getpid(), 9)"
)


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "parent"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


def leave_behind(*arguments: str) -> None:
    """Create a temporary directory in a process that is killed."""
    environment = {**os.environ, "TMPDIR": tempfile.gettempdir()}
    done = subprocess.run([sys.executable, "-c", LEAVE_BEHIND, *arguments], check=False, env=environment)
    assert done.returncode == -9


def make_abandoned(path: Path) -> Path:
    """Create a directory that looks abandoned."""
    path.mkdir()
    (path / LOCK_NAME).touch()
    return path


def test_the_next_process_removes_what_a_killed_one_left_behind(parent: Path) -> None:
    leave_behind()
    [first] = parent.iterdir()
    leave_behind(".rows.tsv.", ".part", str(parent))
    [second] = parent.iterdir()
    assert first != second
    with TemporaryDirectory() as directory:
        assert list(parent.iterdir()) == [Path(directory)]
    assert list(parent.iterdir()) == []


def test_locked_directories_stay(parent: Path) -> None:
    with TemporaryDirectory() as one, TemporaryDirectory(".x.", ".part", str(parent)) as other:
        remove_abandoned()
        assert set(parent.iterdir()) == {Path(one), Path(other)}


def test_only_directories_of_this_user_with_these_names_are_removed(
    parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("urisect", "urisect-123", "other-12345678", ".x.12345678.tmp", "x.12345678.part"):
        make_abandoned(parent / name)
    (parent / "urisect-aaaaaaaa").mkdir()  # has no lock
    (parent / "urisect-bbbbbbbb").touch()  # not a directory
    precious = make_abandoned(parent / "precious")
    (parent / "urisect-cccccccc").symlink_to(precious)
    linked = make_abandoned(parent / "urisect-dddddddd")
    (linked / LOCK_NAME).unlink()
    (linked / LOCK_NAME).symlink_to(precious / LOCK_NAME)
    os.mkfifo(make_abandoned(parent / "urisect-eeeeeeee") / "pipe")
    mine = make_abandoned(parent / "urisect-ffffffff")
    (mine / "link").symlink_to(precious)
    before = set(parent.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: mine.stat().st_uid + 1)
        remove_abandoned()
    assert set(parent.iterdir()) == before
    remove_abandoned()
    assert before - set(parent.iterdir()) == {parent / "urisect-eeeeeeee", mine}
    assert (precious / LOCK_NAME).exists()


def test_a_pipe_in_place_of_a_lock_does_not_block(parent: Path) -> None:
    directory = make_abandoned(parent / "urisect-aaaaaaaa")
    (directory / LOCK_NAME).unlink()
    os.mkfifo(directory / LOCK_NAME)
    remove_abandoned()
    assert list(parent.iterdir()) == []


def test_failures_to_list_or_remove_are_ignored(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remove_abandoned(str(parent / "missing"))
    (make_abandoned(parent / "urisect-aaaaaaaa") / "below").mkdir()

    def fail(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(shutil, "rmtree", fail)
    remove_abandoned()
    assert (parent / "urisect-aaaaaaaa" / LOCK_NAME).exists()  # so that a later run removes it


def test_without_locks_nothing_is_removed(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", fail)
        with TemporaryDirectory() as directory:
            remove_abandoned()
            patch.undo()
            remove_abandoned()
            assert list(parent.iterdir()) == [Path(directory)]
    assert list(parent.iterdir()) == []
