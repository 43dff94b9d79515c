"""The commands under one name, and what becomes of their failures."""

import os
import sys
from collections.abc import Sequence

import click

from urisect.cli.check import check
from urisect.cli.compose import compose
from urisect.cli.demo import demo
from urisect.cli.find import find
from urisect.cli.hazards import hazards
from urisect.cli.logs import logs
from urisect.cli.normalize import normalize
from urisect.cli.output import OutputError, complain
from urisect.cli.resolve import resolve
from urisect.cli.split import split


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="urisect")
def urisect() -> None:
    """Split, check, resolve, normalize, compose and find URIs, at volume, and never fail on one.

    Files are read as bytes, gzip by its first bytes, "-" or none for standard input. What cannot be opened or is
    damaged is named, the other files are read, and the exit status is 2.
    """


for command in (split, check, resolve, normalize, compose, hazards, find, logs, demo):
    urisect.add_command(command)


def run(arguments: Sequence[str] | None) -> int:
    """Run the command and return its exit status."""
    try:
        status = urisect.main(arguments, prog_name="urisect", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        return 130
    except OutputError as error:
        if isinstance(error.reason, BrokenPipeError):  # whoever read this has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
            return 0
        complain(str(error))
        return 2
    return status if isinstance(status, int) else 0
