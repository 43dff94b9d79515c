"""Temporary folders, and those that killed processes leave behind."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from urisect.logs.temporary import LOCK_NAME, TemporaryDirectory, remove_abandoned

LEAVE = (
    "import os, sys; from urisect.logs.temporary import TemporaryDirectory\n"
    "made = TemporaryDirectory(*sys.argv[1:]); folder = made.name\n"
    "open(f'{folder}/file', 'x').close(); os.makedirs(f'{folder}/below/it')\n"
    "os.kill(os.getpid(), 9)"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "place"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


def leave(*arguments: str) -> None:
    """Make a folder in a process that is killed."""
    environment = {**os.environ, "TMPDIR": tempfile.gettempdir()}
    done = subprocess.run([sys.executable, "-c", LEAVE, *arguments], check=False, env=environment)
    assert done.returncode == -9


def make(path: Path) -> Path:
    """Make a folder like one that was left."""
    path.mkdir()
    (path / LOCK_NAME).touch()
    return path


def test_what_a_killed_process_left_is_removed_by_the_next(place: Path) -> None:
    leave()
    [first] = place.iterdir()
    leave(".rows.tsv.", ".part", str(place))
    [second] = place.iterdir()
    assert first != second
    with TemporaryDirectory() as folder:
        assert list(place.iterdir()) == [Path(folder)]
    assert list(place.iterdir()) == []


def test_what_somebody_holds_is_left_alone(place: Path) -> None:
    with TemporaryDirectory() as one, TemporaryDirectory(".x.", ".part", str(place)) as other:
        remove_abandoned()
        assert set(place.iterdir()) == {Path(one), Path(other)}


def test_only_folders_of_this_user_and_of_such_names_are_removed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("urisect", "urisect-123", "other-12345678", ".x.12345678.tmp", "x.12345678.part"):
        make(place / name)
    (place / "urisect-aaaaaaaa").mkdir()  # has no lock
    (place / "urisect-bbbbbbbb").touch()  # is no folder
    precious = make(place / "precious")
    (place / "urisect-cccccccc").symlink_to(precious)
    linked = make(place / "urisect-dddddddd")
    (linked / LOCK_NAME).unlink()
    (linked / LOCK_NAME).symlink_to(precious / LOCK_NAME)
    os.mkfifo(make(place / "urisect-eeeeeeee") / "pipe")
    mine = make(place / "urisect-ffffffff")
    (mine / "link").symlink_to(precious)
    before = set(place.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: mine.stat().st_uid + 1)
        remove_abandoned()
    assert set(place.iterdir()) == before
    remove_abandoned()
    assert before - set(place.iterdir()) == {place / "urisect-eeeeeeee", mine}
    assert (precious / LOCK_NAME).exists()


def test_a_pipe_in_the_place_of_a_lock_is_not_waited_for(place: Path) -> None:
    folder = make(place / "urisect-aaaaaaaa")
    (folder / LOCK_NAME).unlink()
    os.mkfifo(folder / LOCK_NAME)
    remove_abandoned()
    assert list(place.iterdir()) == []


def test_what_cannot_be_removed_or_listed_does_no_harm(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remove_abandoned(str(place / "missing"))
    (make(place / "urisect-aaaaaaaa") / "below").mkdir()

    def fail(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(shutil, "rmtree", fail)
    remove_abandoned()
    assert (place / "urisect-aaaaaaaa" / LOCK_NAME).exists()  # so that the next one may


def test_where_nothing_can_be_locked_nothing_is_removed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", fail)
        with TemporaryDirectory() as folder:
            remove_abandoned()
            patch.undo()
            remove_abandoned()
            assert list(place.iterdir()) == [Path(folder)]
    assert list(place.iterdir()) == []
