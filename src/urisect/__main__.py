"""Run the command as `python -m urisect`."""

import sys

from urisect.cli import main

if __name__ == "__main__":
    sys.exit(main())
