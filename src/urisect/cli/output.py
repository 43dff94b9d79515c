"""What leaves the command: rows on standard output, messages on standard error, files beside them."""

import re
import sys
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

    Attributes:
        is_terminal: whether somebody looks at it.
    """

    def __init__(self, path: str | None = None) -> None:
        self._name = path or "standard output"
        try:
            self._file = open(path or 1, "wb", closefd=path is not None)  # noqa: SIM115  closed by __exit__
        except OSError as error:
            raise OutputError(self._name, error) from error
        self.is_terminal = self._file.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._file.close()
        except OSError as error:
            raise OutputError(self._name, error) from error

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
