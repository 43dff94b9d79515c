"""Run the command as `python -m urisect`."""

import sys

from urisect.cli import main

__all__ = ()

if __name__ == "__main__":
    sys.exit(main())
