"""Temporary folders that are locked while their process lives, so that what a killed process leaves can be removed.

In each there is a file on which its process holds a lock. The system releases it when the process ends, however it
ends. Making such a folder first removes those next to it that are not locked.
"""

import os
import re
import shutil
import tempfile
from contextlib import ExitStack, suppress
from io import FileIO

from urisect.logs.input.files import LOCK

__all__ = ["SUFFIX", "TemporaryDirectory", "remove_abandoned"]

# What their names begin with in TMPDIR, and end with next to a file or folder that is written.
PREFIX = "urisect-"
SUFFIX = ".part"
NAMES = re.compile(rf"(?:{PREFIX}|\..*\.)\w{{8}}(?:{re.escape(SUFFIX)})?", re.DOTALL)


class TemporaryDirectory(tempfile.TemporaryDirectory[str]):
    """A folder that is removed at the end, or, if this process is killed, by the next one that makes one beside it.

    >>> with TemporaryDirectory() as folder:
    ...     os.listdir(folder)
    ['.urisect-lock']
    """

    def __init__(self, prefix: str = PREFIX, suffix: str = "", dir: str | None = None) -> None:
        """Make the folder, which nobody else may read.

        Args:
            prefix: what its name begins with.
            suffix: what its name ends with.
            dir: where it is made; in the folder for temporary files by default, which TMPDIR names.

        Raises:
            OSError: it cannot be made there.
        """
        remove_abandoned(dir)
        super().__init__(suffix, prefix, dir, ignore_cleanup_errors=True)
        self._lock = ExitStack()
        with suppress(ImportError, OSError):  # Windows has no such locks, nor do some file systems
            self._lock.enter_context(_locked(self.name))

    def cleanup(self) -> None:
        """Remove the folder."""
        super().cleanup()
        self._lock.close()


def _locked(folder: str) -> FileIO:
    """Make the file, which has its name only when it is locked: nobody finds it unlocked before."""
    from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415  Windows has none

    path = os.path.join(folder, LOCK)
    with ExitStack() as stack:
        lock = stack.enter_context(open(f"{path}.new", "xb", buffering=0))
        flock(lock, LOCK_EX | LOCK_NB)
        os.rename(f"{path}.new", path)
        stack.pop_all()
    return lock


def remove_abandoned(parent: str | None = None) -> None:
    """Remove the folders of processes that are gone: those of this user, with a file that nobody holds a lock on.

    Args:
        parent: where they are; the folder for temporary files by default.
    """
    with suppress(OSError):
        for name in os.listdir(folder := parent or tempfile.gettempdir()):
            if NAMES.fullmatch(name):
                with suppress(ImportError, OSError), ExitStack() as stack:
                    _remove_if_abandoned(os.path.join(folder, name), stack)


def _remove_if_abandoned(path: str, stack: ExitStack) -> None:
    """Remove a folder, unless somebody holds its lock.

    Raises:
        OSError: it is no such folder, or in use.
    """
    from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415  as above

    # What is removed is in the folder that was opened, whatever somebody puts in its place meanwhile.
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    stack.callback(os.close, folder)
    if os.fstat(folder).st_uid != os.geteuid():
        return
    lock = os.open(LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    stack.callback(os.close, lock)
    flock(lock, LOCK_EX | LOCK_NB)
    for name in sorted(os.listdir(folder), key=LOCK.__eq__):  # the lock last, by which the folder is known
        try:
            os.unlink(name, dir_fd=folder)
        except (IsADirectoryError, PermissionError):  # POSIX has the one for a folder, Linux the other
            shutil.rmtree(name, dir_fd=folder)
    os.rmdir(path)
