"""The time of an import, and of a whole process."""

import os
import subprocess
import sys
from time import perf_counter

__all__ = ["import_time", "start_time"]


def import_time(module: str) -> float:
    """Return the seconds that an import takes in a new process that has already loaded `re` and `typing`."""
    child = f"import re, typing, time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    return float(_run(child))


def start_time(child: str, *arguments: str) -> float:
    """Return the seconds that a new process takes to run a program, with nothing on its standard input."""
    start = perf_counter()
    _run(child, *arguments)
    return perf_counter() - start


def _run(child: str, *arguments: str) -> bytes:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # cache bytecode, as for an installed package
    command = [sys.executable, "-c", child, *arguments]
    done = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, env=environment)
    return done.stdout
