"""The command `urisect`. It needs the extra `cli`, and prints how to install it if it is missing."""

import gc
import sys
from collections.abc import Sequence

from urisect.cli.streams import standard_streams
from urisect.hidden_pandas import hide_pandas

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: the arguments after the name of the command; by default those of the process.

    Returns:
        The exit status: 0 for success; 1 if `check` or `hazards` found something, a line was rejected and
        `--strict-exit` is given, or no line at all could be parsed; 2 after a usage or I/O error; 130 after an
        interrupt. SIGTERM raises SystemExit with status 143.

    >>> main(["split", "--quiet", "/dev/null"])
    0
    """
    with standard_streams():
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        from urisect.cli.app import run  # noqa: PLC0415  click and rich are extras

        if arguments is None:  # the process has no other purpose
            gc.freeze()  # at exit, Python need not search these modules for cycles: 5 ms of 60
            hide_pandas()
        return run(arguments)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"click", "rich"}:
            raise
        print(
            f"urisect: the command needs {error.name}, which is not installed; pip install 'urisect[cli]' brings it",
            file=sys.stderr,
        )
        return 2
