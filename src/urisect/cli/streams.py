"""Keep the command working if a standard stream is closed, or fails while the command runs."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["standard_streams"]

# How a closed stream is reopened, by descriptor: using standard input or output still fails; messages are dropped.
REOPEN_FLAGS = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Reserve the descriptors of closed standard streams, and drop messages that cannot be written.

    Otherwise, a file that is opened later would get such a descriptor, and with standard error closed, Python would
    print its messages on standard output.

    >>> with standard_streams():
    ...     print("a message", file=sys.stderr)
    """
    for descriptor, flags in enumerate(REOPEN_FLAGS):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, flags), True)  # noqa: FBT003  the lowest free descriptor is this one
    before = sys.stderr
    with open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False) as stderr:
        sys.stderr = cast("TextIO", _Messages(before or stderr))
        try:
            yield
        finally:
            sys.stderr = before


class _Messages:
    """A text stream that drops what cannot be written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a message, if possible."""
        self._try(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream, if possible."""
        self._try(self._stream.flush)

    def _try(self, function: "Callable[..., object]", *arguments: str) -> None:
        try:
            function(*arguments)
        except OSError:
            # Python tries to write what is buffered once more at exit.
            with suppress(OSError):
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 2)
                os.close(null)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
