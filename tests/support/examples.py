"""Run the examples of a page in Markdown, in their order: Python sessions, and commands with their output.

A block in `python` is a doctest, or code that runs. A block in `console` has commands after "$ ", and below each what
it prints on standard output and standard error; "..." stands for any text, and the speed of a scan
is not compared. The blocks of a page share their variables
and a directory. Commands that set up an environment are only checked: what they name has to exist.
"""

import os
import re
import shlex
import subprocess
import sys
from doctest import ELLIPSIS, Example, OutputChecker
from importlib.metadata import metadata
from pathlib import Path
from unittest import mock

import sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

from tests.support.command import run_here, without_speed
from tests.support.paths import ROOT

__all__ = ["languages", "run_examples", "run_in_shell"]

TIMEOUT = 50  # seconds per command
VARIABLES = {"COLUMNS": "100", "LC_ALL": "C.UTF-8"}
SET_UP = re.compile(r"(pip install|make) ")


def run_examples(page: Path) -> int:
    """Run all examples of a page in the working directory.

    Returns:
        How many there were: statements of Python, and blocks of commands.

    Raises:
        sybil.example.SybilFailure: an example printed something else than the page says.
    """
    pages = sybil.Sybil(
        [
            PythonCodeBlockParser(doctest_optionflags=ELLIPSIS),
            CodeBlockParser("console", _run_console),
        ]
    )
    examples = [*pages.parse(page).examples()]
    for example in examples:
        example.evaluate()
    return len(examples)


def languages(page: Path) -> list[str]:
    """Return the languages of all fenced blocks of a page."""
    return re.findall(r"^ *```([^`\n]*)\n.*?^ *```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def _run_console(example: sybil.Example) -> str | None:
    """Run the commands of a block; return the difference between what they print and what the page says."""
    for command, expected in re.findall(r"^\$ ((?:.*\\\n)*.*)\n?((?:(?!\$ ).*\n?)*)", example.parsed, re.MULTILINE):
        if SET_UP.match(command):
            _check_set_up(command)
            continue
        printed = _run_without_shell(command)
        if printed is None:
            printed = run_in_shell(command)
        wanted = without_speed(expected.rstrip() + "\n") if expected.strip() else ""
        if not OutputChecker().check_output(wanted, printed, ELLIPSIS):
            difference = OutputChecker().output_difference(Example("", wanted), printed, ELLIPSIS)
            return f"$ {command}\n{difference}"
    return None


def run_in_shell(command: str) -> str:
    """Run a command in bash, and return what it prints, without spaces at the ends of lines."""
    environment = {**os.environ, **VARIABLES, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", command],  # noqa: S607  wherever it is installed
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT,
        check=False,
    )
    return _without_noise(done.stdout.decode(errors="replace"))


def _run_without_shell(command: str) -> str | None:
    """Run a command of urisect in this process, in a fraction of the time; None if it needs a shell."""
    outside_quotes = re.sub("'[^']*'", "", command.partition("  #")[0])
    if not command.startswith("urisect ") or re.search(r"[|&;<>()$`\\*?~{}\[\n]", outside_quotes):
        return None
    _, *arguments = shlex.split(command, comments=True)
    with mock.patch.dict(os.environ, VARIABLES):
        _, output, _ = run_here(*arguments, together=True)
    return _without_noise(output.decode(errors="replace"))


def _without_noise(printed: str) -> str:
    return re.sub(r" +$", "", without_speed(printed), flags=re.MULTILINE)


def _check_set_up(command: str) -> None:
    """Check that the extras and the targets exist that a command names."""
    for extras in re.findall(r"\[([a-z,]+)\]", command):
        assert {*extras.split(",")} <= {*metadata("urisect").get_all("Provides-Extra", [])}, command
    if command.startswith("make"):
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        names = [word for word in command.partition("#")[0].split()[1:] if re.fullmatch(r"[a-z-]+", word)]
        assert {*names} <= {*targets}, command
