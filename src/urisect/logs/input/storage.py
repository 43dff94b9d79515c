"""Open input files where they are: on this machine, or in remote storage."""

import io
import os
import stat
from typing import TYPE_CHECKING

from urisect.logs.input.files import TextInput
from urisect.logs.input.locations import InputStatus, RemoteInput, is_remote

if TYPE_CHECKING:
    from urisect.logs.input.remote import RemoteFile

__all__ = ["can_reopen", "input_status", "open_input", "open_range"]


def open_input(name: str) -> io.BufferedReader:
    """Open a file for reading.

    Args:
        name: a path, a URI, or a `TextInput`.

    Raises:
        OSError: it cannot be opened.
        MissingExtraError: the package for this storage is not installed.

    >>> with open_input(os.devnull) as file:
    ...     file.read()
    b''
    """
    if isinstance(name, TextInput):
        return io.BufferedReader(io.BytesIO(name.content))
    return io.BufferedReader(_open_remote(name)) if is_remote(name) else open(name, "rb")


def open_range(name: str, begin: int, length: int) -> io.RawIOBase:
    """Open a file for reading a part of it, without a buffer.

    Args:
        name: a path or a URI.
        begin: where the part begins, in bytes.
        length: how many bytes will be read; remote storage is asked for all of them at once.

    Raises:
        OSError: it cannot be opened.
        MissingExtraError: the package for this storage is not installed.

    >>> with open_range(os.devnull, 0, 10) as file:
    ...     file.read(10)
    b''
    """
    file = _open_remote(name, length) if is_remote(name) else io.FileIO(name)
    file.seek(begin)
    return file


def _open_remote(name: str, length: int = 0) -> "RemoteFile":
    from urisect.logs.input.remote import open_remote  # noqa: PLC0415  most files are local

    return open_remote(name, length)


def input_status(file: io.BufferedReader | io.RawIOBase) -> InputStatus:
    """Return size and identity of a file from `open_input` or `open_range`, or of standard input.

    >>> with open_input(os.devnull) as file:
    ...     input_status(file).has_ranges
    False
    """
    raw = file.raw if isinstance(file, io.BufferedReader) else file
    if isinstance(raw, RemoteInput):
        return raw.status
    status = os.fstat(file.fileno())
    return InputStatus(status.st_size, (status.st_dev, status.st_ino), stat.S_ISREG(status.st_mode))


def can_reopen(name: str) -> bool:
    """Return whether a name is that of a file that can be read twice, unlike a pipe.

    >>> can_reopen("s3://bucket/access.log"), can_reopen(os.devnull)
    (True, False)
    """
    return is_remote(name) or os.path.isfile(name)
