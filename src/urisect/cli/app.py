"""The commands under one name, and what becomes of their failures."""

import os
import sys
from collections.abc import Sequence

import click

from urisect.cli.check import check
from urisect.cli.demo import demo
from urisect.cli.logs import logs
from urisect.cli.output import OutputError, complain
from urisect.cli.split import split


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="urisect")
def urisect() -> None:
    """Cut URIs into their components, at volume, and never fail on one.

    Files are read as bytes, gzip by its first bytes, "-" or none for standard input. What cannot be opened or is
    damaged is named, the other files are read, and the exit status is 2.
    """


for command in (split, check, logs, demo):
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
