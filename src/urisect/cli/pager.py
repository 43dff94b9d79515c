"""Show output in a pager, as git does: only on a terminal, and only if a pager is installed."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from io import StringIO
from shutil import which
from subprocess import PIPE, Popen, TimeoutExpired
from typing import IO, cast

__all__ = ["STDOUT_FD", "open_pager", "pager_command"]

STDOUT_FD = 1

WAIT_SECONDS = 1

# Options of less and lv, if the user has set none: quit if everything fits on one screen, show colours, cut long lines,
# and leave the text on the screen.
DEFAULT_OPTIONS = {"LESS": "FRSX", "LV": "-c"}


def pager_command() -> list[str] | None:
    """Return the command of the pager: PAGER, or less; None without a terminal, or if none is wanted or installed.

    >>> pager_command() is None
    True
    """
    if not (os.isatty(0) and os.isatty(STDOUT_FD)) or os.environ.get("TERM") == "dumb":
        return None
    command: list[str] = []
    with suppress(ValueError):  # a quotation mark is missing
        command = shlex.split(os.environ.get("PAGER", "less"))
    if not command or command == ["cat"] or which(command[0]) is None:
        return None
    return [*command, "-R"] if os.path.basename(command[0]) == "less" else command


@contextmanager
def open_pager() -> Iterator[int]:
    """Start the pager, yield the descriptor to write to, and wait until the user quits it.

    Without a pager, it is the descriptor of standard output. Messages on standard error follow at the end: the pager
    has the screen.

    >>> with open_pager() as descriptor:
    ...     descriptor
    1
    """
    command = pager_command()
    if command is None:
        yield STDOUT_FD
        return
    messages = StringIO()
    pager = Popen(command, stdin=PIPE, env={**DEFAULT_OPTIONS, **os.environ})  # noqa: S603  the user's own command
    try:
        with redirect_stderr(messages), cast("IO[bytes]", pager.stdin) as stdin:
            yield stdin.fileno()
    except SystemExit:  # by SIGTERM
        pager.terminate()
        raise
    finally:
        _wait(pager)
        print(messages.getvalue(), end="", file=sys.stderr)


def _wait(pager: "Popen[bytes]") -> None:
    """Wait for the pager; an interrupt, which it gets as well, does not end it.

    A signal just before a system call does not interrupt it, and Python handles the signal only after the call. So no
    call waits longer than a moment: SIGTERM would not end the pager.
    """
    while True:
        try:
            pager.wait(WAIT_SECONDS)
        except (KeyboardInterrupt, TimeoutExpired):
            continue
        except SystemExit:  # by SIGTERM
            pager.terminate()
            raise
        return
