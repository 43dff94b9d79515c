"""What leaves the command: rows on standard output, messages on standard error, files beside them."""

import errno
import os
import re
import stat
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from urisect.logs.input.decoders import load_zstd

if TYPE_CHECKING:
    from urisect.logs.temporary import TemporaryDirectory

# What a file or a folder is called in its temporary folder, and how much of its name that has, in characters.
CONTENT = "content"
NAME = 30

# How many symbolic links are followed: as many as Linux follows.
LINKS = 40

# Control characters but for tab and the ends of lines, and what turns the direction of text: they act on a terminal.
_ACTING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)")


def visible(data: bytes | str) -> str:
    r"""Make data fit to be shown on a terminal: what would act on it, and what is no UTF-8, is written as an escape.

    >>> visible(b"\x1b[31m\xff")
    '\\x1b[31m\\xff'
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    text = data.decode("utf-8", "backslashreplace")
    return _ACTING.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def complain(message: str) -> None:
    """Say on standard error what went wrong."""
    print(f"urisect: {visible(message)}", file=sys.stderr)


class OutputError(Exception):
    """Something could not be written."""

    def __init__(self, name: str, reason: OSError) -> None:
        super().__init__(f"{name}: {reason.strerror or reason}")
        self.reason = reason


class Output:
    """A file, or standard output, that is written block by block; every failure is an `OutputError` with its name.

    A file is written in a temporary folder beside it, and replaces what has its name when it is whole. What is no
    file, such as a pipe, and what is open already, such as /dev/stdout, is written where it is. What is written to a
    name that ends in ".gz" or ".zst" is compressed.

    Attributes:
        is_terminal: whether somebody looks at it.
        is_file: whether it is a file that becomes whole.
        closed: False, as long as it is written to; some ask.
    """

    closed = False

    def __init__(self, path: str | None = None) -> None:
        self._name = path or "standard output"
        self._place: str | None = None
        self._folder: TemporaryDirectory | None = None
        self._is_discarded = False
        compress = compressor(self._name)
        try:
            self._file = self._opened(path)
        except OSError as error:
            raise OutputError(self._name, error) from error
        self._stream: Any = compress(self._file) if compress else self._file
        self.is_file = self._place is not None
        self.is_terminal = self._file.isatty()

    def _opened(self, path: str | None) -> BinaryIO:
        descriptor = 1 if path is None else descriptor_of(path)
        if descriptor is not None:
            return open(os.dup(descriptor), "wb")
        path = self._name
        if is_special(path):
            return open(os.open(path, os.O_WRONLY), "wb")  # should a file be there by now, it keeps what it has
        self._place = _place(path)
        self._folder = beside(self._place)
        return open(os.path.join(self._folder.name, CONTENT), "xb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            with suppress(OSError) if kind else nullcontext():
                self._close(is_whole=kind is None and not self._is_discarded)
        except OSError as error:
            raise OutputError(self._name, error) from error
        finally:
            if self._folder:
                self._folder.cleanup()

    def _close(self, *, is_whole: bool) -> None:
        """Close the file, and put it in its place if it is whole."""
        with self._file:
            if self._stream is not self._file:
                with nullcontext() if is_whole else suppress(OSError):
                    self._stream.close()  # left open, it would write to a closed file when it is collected
            if is_whole and self.is_file:
                self._file.flush()
                os.fsync(self._file.fileno())
        if is_whole and self._place:
            with suppress(FileNotFoundError):
                os.chmod(self._file.name, os.stat(self._place).st_mode & 0o777)
            os.replace(self._file.name, self._place)

    def discard(self) -> None:
        """Leave what has its name as it is."""
        self._is_discarded = True

    def write(self, block: bytes, *, styled: bool = False) -> None:
        """Write a block, and let whoever waits at the other end have it.

        Args:
            block: what is written. Nothing in it acts on a terminal.
            styled: whether it is meant to act: what it shows has been made `visible`, what it adds is style.
        """
        try:
            self._stream.write(visible(block).encode() if self.is_terminal and not styled else block)
            if not self.is_file:
                self._stream.flush()
        except OSError as error:
            raise OutputError(self._name, error) from error


class OutputFolder:
    """A folder of files that is written in a temporary folder beside it, and put in its place when it is whole.

    Attributes:
        path: where it is written until then.
    """

    def __init__(self, path: str) -> None:
        self._name = path
        self._is_discarded = False
        if os.path.exists(path) and not (os.path.isdir(path) and not os.listdir(path)):
            raise OutputError(path, FileExistsError(errno.EEXIST, "there is something already; name a new folder"))
        try:
            self._place = os.path.realpath(path)
            self._folder = beside(self._place)
            self.path = os.path.join(self._folder.name, CONTENT)
            os.mkdir(self.path)
        except OSError as error:
            raise OutputError(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        try:
            if kind is None and not self._is_discarded:
                self._put_in_place()
            elif isinstance(error, OSError):
                raise OutputError(self._name, error) from error
        except OSError as failure:
            raise OutputError(self._name, failure) from failure
        finally:
            self._folder.cleanup()

    def _put_in_place(self) -> None:
        is_there = os.path.isdir(self._place)
        mode = stat.S_IMODE(os.stat(self._place if is_there else self.path).st_mode)
        os.chmod(self.path, mode | stat.S_IRWXU)  # to rename a folder takes permission to write to it
        os.rename(self.path, self._place)
        os.chmod(self._place, mode)

    def discard(self) -> None:
        """Leave what has its name as it is."""
        self._is_discarded = True


def beside(path: str) -> "TemporaryDirectory":
    """Make a temporary folder beside a file or a folder that is to be written, so that it only has to be renamed.

    Args:
        path: of the file or folder. The name of the other begins with it; one of 255 bytes leaves no room for more.
    """
    from urisect.logs.temporary import SUFFIX, TemporaryDirectory  # noqa: PLC0415  most commands write no file

    folder, name = os.path.split(path)
    return TemporaryDirectory(prefix=f".{name[:NAME]}.", suffix=SUFFIX, dir=folder)


def _place(path: str) -> str:
    """Find where a file is to be put.

    Raises:
        OSError: it would replace a folder, or what standard output or standard error goes to.
    """
    place = os.path.realpath(path)
    if os.path.isdir(place):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    for descriptor, stream in ((1, "stdout"), (2, "stderr")):
        if os.path.exists(place) and os.path.samestat(os.stat(place), os.fstat(descriptor)):
            raise OSError(errno.EEXIST, f"{stream} goes to this file, and would be lost; name /dev/{stream} instead")
    return place


def compressor(path: str) -> Callable[[Any], Any] | None:
    """Find what compresses a file of such a name; None for one that is not compressed.

    Raises:
        MissingExtraError: it is not installed.

    >>> compressor("rows.tsv") is None
    True
    """
    match os.path.splitext(path)[1].lower():
        case ".gz":
            from gzip import GzipFile  # noqa: PLC0415  it is loaded by those who write such a file

            return lambda file: GzipFile("", "wb", 6, file, 0)  # neither name nor time, so that it is always the same
        case ".zst":
            return partial(load_zstd().ZstdFile, mode="wb")
    return None


def descriptor_of(path: str) -> int | None:
    """Tell which open file a path such as /dev/stdout or /dev/fd/3 stands for; None for any other path.

    To open it once more would begin at its beginning, and forget that it may be appended to.

    >>> descriptor_of("/dev/fd/3"), descriptor_of("/dev/null")
    (3, None)
    """
    here = {os.path.realpath(folder) for folder in ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")}
    for _ in range(LINKS):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder)
        if folder in here and name.isdecimal():
            return int(name)
        try:
            path = os.path.join(folder, os.readlink(os.path.join(folder, name)))
        except OSError:
            break
    return None


def is_special(path: str) -> bool:
    """Tell whether a path leads to a device or a pipe, which is written where it is.

    >>> is_special("/dev/null"), is_special("/no/such/file")
    (True, False)
    """
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
