"""The command `urisect`. It needs the extra `cli`, and says so where that is not installed."""

import sys
from collections.abc import Sequence

from urisect.cli.streams import standard_streams

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: what follows the name of the command; those of the process by default.

    Returns:
        The exit status: 0; 1 where `check` or `hazards` found something, something was rejected under `--strict-exit`,
        or nothing could be parsed though lines were read; 2 after a usage or I/O error; 130 after an interrupt;
        143 after SIGTERM.

    >>> main(["split", "--quiet", "/dev/null"])
    0
    """
    with standard_streams():
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        from urisect.cli.app import run  # noqa: PLC0415  click and rich come with an extra

        return run(arguments)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"click", "rich"}:
            raise
        print(
            f"urisect: the command needs {error.name}, which is not installed; pip install 'urisect[cli]' brings it",
            file=sys.stderr,
        )
        return 2
