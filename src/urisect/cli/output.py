"""What leaves the command: rows on standard output, messages on standard error, files beside them."""

import errno
import os
import re
import shutil
import sys
from contextlib import nullcontext, suppress
from typing import Self

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

    A file is written beside its place, and put there when it is whole: under its name there is never a half of it.

    Attributes:
        is_terminal: whether somebody looks at it.
        path: where it is written until it is whole.
        closed: False, as long as it is written to; some ask.
    """

    closed = False

    def __init__(self, path: str | None = None) -> None:
        self._name = path or "standard output"
        self._place = None if path is None or is_special(path) else os.path.realpath(path)
        self.path = beside(self._place) if self._place else path
        try:
            self._file = open(self.path or 1, "wb", closefd=path is not None)  # noqa: SIM115  closed by __exit__
        except OSError as error:
            raise OutputError(self._name, error) from error
        self.is_terminal = self._file.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            with suppress(OSError) if kind else nullcontext():
                self._close(is_whole=kind is None)
        except OSError as error:
            raise OutputError(self._name, error) from error
        finally:
            if self._place and self.path:
                with suppress(OSError):
                    os.unlink(self.path)

    def _close(self, *, is_whole: bool) -> None:
        """Close the file, and put it in its place if it is whole."""
        with self._file:
            if self._place and is_whole:
                self._file.flush()
                os.fsync(self._file.fileno())
        if self._place and self.path and is_whole:
            with suppress(FileNotFoundError):
                shutil.copymode(self._place, self.path)
            os.replace(self.path, self._place)

    def write(self, block: bytes, *, styled: bool = False) -> None:
        """Write a block, and let whoever waits at the other end have it.

        Args:
            block: what is written. Nothing in it acts on a terminal.
            styled: whether it is meant to act: what it shows has been made `visible`, what it adds is style.
        """
        try:
            self._file.write(visible(block).encode() if self.is_terminal and not styled else block)
            self._file.flush()
        except OSError as error:
            raise OutputError(self._name, error) from error


class OutputFolder:
    """A folder of files that is written beside its place, and put there when it is whole.

    Attributes:
        path: where it is written until then.
    """

    def __init__(self, path: str) -> None:
        self._name = path
        self._place = os.path.realpath(path)
        self.path = beside(self._place)
        if os.path.exists(path) and not (os.path.isdir(path) and not os.listdir(path)):
            raise OutputError(path, FileExistsError(errno.EEXIST, "there is something already; name a new folder"))
        try:
            os.mkdir(self.path)
        except OSError as error:
            raise OutputError(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        try:
            if kind is None:
                os.rename(self.path, self._place)
            elif isinstance(error, OSError):
                raise OutputError(self._name, error) from error
        except OSError as failure:
            raise OutputError(self._name, failure) from failure
        finally:
            shutil.rmtree(self.path, ignore_errors=True)


def beside(path: str) -> str:
    """Name what is to become a file or a folder, so that it is known for what it is if it is left behind.

    >>> beside("/var/rows.tsv").startswith("/var/.rows.tsv.")
    True
    """
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.{os.getpid()}.part")


def is_special(path: str) -> bool:
    """Tell whether a path leads to a device or a pipe, which is written where it is.

    >>> is_special("/dev/null"), is_special("/no/such/file")
    (True, False)
    """
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
