"""Temporary directories that later runs remove if their process was killed.

Each directory holds a lock file. The process that created the directory holds a lock (`flock`) on this file, and the
operating system releases the lock when the process ends, in whatever way. Creating a directory first removes the
unlocked ones next to it.
"""

import os
import re
import shutil
import tempfile
from contextlib import ExitStack, suppress
from io import FileIO

__all__ = ["LOCK_NAME", "SUFFIX", "TemporaryDirectory", "remove_abandoned"]

# The name of the lock file. No other program uses it.
LOCK_NAME = ".urisect-lock"

# Directories in TMPDIR begin with PREFIX; those next to an output file or directory end with SUFFIX.
PREFIX = "urisect-"
SUFFIX = ".part"
DIRECTORY_NAME = re.compile(rf"(?:{PREFIX}|\..*\.)\w{{8}}(?:{re.escape(SUFFIX)})?", re.DOTALL)


class TemporaryDirectory(tempfile.TemporaryDirectory[str]):
    """Temporary directory that is removed at the end or, if the process is killed, by a later run.

    The later run removes it when it creates a `TemporaryDirectory` in the same place.

    >>> with TemporaryDirectory() as directory:
    ...     os.listdir(directory)
    ['.urisect-lock']
    """

    def __init__(self, prefix: str = PREFIX, suffix: str = "", dir: str | None = None) -> None:
        """Create the directory; only its owner can read it.

        Args:
            prefix: beginning of its name.
            suffix: end of its name.
            dir: parent directory; by default the system's directory for temporary files, which TMPDIR sets.

        Raises:
            OSError: the directory cannot be created.
        """
        remove_abandoned(dir)
        super().__init__(suffix, prefix, dir, ignore_cleanup_errors=True)
        self._lock = ExitStack()
        with suppress(ImportError, OSError):  # Windows and some file systems have no such locks
            self._lock.enter_context(_create_lock(self.name))

    def cleanup(self) -> None:
        """Remove the directory, then release the lock."""
        super().cleanup()
        self._lock.close()


def _create_lock(directory: str) -> FileIO:
    """Create and lock the lock file; it gets its name only once it is locked, so nobody finds it unlocked."""
    from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415  not on Windows

    path = os.path.join(directory, LOCK_NAME)
    with ExitStack() as stack:
        lock = stack.enter_context(open(f"{path}.new", "xb", buffering=0))
        flock(lock, LOCK_EX | LOCK_NB)
        os.rename(f"{path}.new", path)
        stack.pop_all()
    return lock


def remove_abandoned(parent: str | None = None) -> None:
    """Remove the temporary directories that killed processes left behind.

    A directory is removed if it belongs to this user and holds a lock file that no process has locked.

    Args:
        parent: directory to look in; by default the system's directory for temporary files.
    """
    with suppress(OSError):
        for name in os.listdir(parent := parent or tempfile.gettempdir()):
            if DIRECTORY_NAME.fullmatch(name):
                with suppress(ImportError, OSError), ExitStack() as stack:
                    _remove_if_abandoned(os.path.join(parent, name), stack)


def _remove_if_abandoned(path: str, stack: ExitStack) -> None:
    """Remove a directory unless a process holds its lock.

    Args:
        path: path of the directory.
        stack: closes the files that are opened here.

    Raises:
        OSError: it is not such a directory, or it is in use.
    """
    from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415  not on Windows

    # Work relative to the opened directory, in case somebody replaces the path meanwhile.
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    stack.callback(os.close, directory)
    if os.fstat(directory).st_uid != os.geteuid():
        return
    lock = os.open(LOCK_NAME, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
    stack.callback(os.close, lock)
    flock(lock, LOCK_EX | LOCK_NB)
    for name in sorted(os.listdir(directory), key=LOCK_NAME.__eq__):  # the lock file last: it marks the directory
        try:
            os.unlink(name, dir_fd=directory)
        except (IsADirectoryError, PermissionError):  # for a directory: Linux raises the first, POSIX the second
            shutil.rmtree(name, dir_fd=directory)
    os.rmdir(path)
