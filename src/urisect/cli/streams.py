"""The standard streams, which may be closed when the command starts, or end while it runs."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from collections.abc import Callable

# How each is opened if it is closed: to read the first or to write the second still fails, and the third takes all.
FLAGS = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Keep the numbers of streams that are closed from files that are opened later, and messages from doing harm.

    Where standard error is closed, Python would print its messages on standard output.

    >>> with standard_streams():
    ...     print("nobody may read this", file=sys.stderr)
    """
    for number, flags in enumerate(FLAGS):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, flags), True)  # noqa: FBT003  it gets the least number that is free
    before = sys.stderr
    with open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False) as ours:
        sys.stderr = cast("TextIO", _Messages(before or ours))
        try:
            yield
        finally:
            sys.stderr = before


class _Messages:
    """A stream that takes messages, and drops them where they cannot be written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a message, if that is possible."""
        self._tried(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        """Write what was held back."""
        self._tried(self._stream.flush)

    def _tried(self, function: "Callable[..., object]", *arguments: str) -> None:
        try:
            function(*arguments)
        except OSError:
            # What could not be written is still held, and Python tries once more at the end.
            with suppress(OSError):
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 2)
                os.close(null)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
