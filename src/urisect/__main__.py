"""Run the command in a process of its own: `urisect`, or `python -m urisect`."""

import gc
import sys
from typing import NoReturn

from urisect.cli import main

__all__ = ["run"]


def run() -> NoReturn:
    """Run the command with the arguments of the process, and exit with its status."""
    status = main()
    gc.freeze()  # the search for cycles at exit would take 8 ms of 62, for memory that the system frees anyway
    sys.exit(status)


if __name__ == "__main__":
    run()
