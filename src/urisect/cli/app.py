"""The commands under one name, and what becomes of their failures."""

import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import NoReturn

import click

from urisect.cli.check import check
from urisect.cli.compose import compose
from urisect.cli.demo import demo
from urisect.cli.find import find
from urisect.cli.formats import formats
from urisect.cli.hazards import hazards
from urisect.cli.logs import logs
from urisect.cli.normalize import normalize
from urisect.cli.output import OutputError, complain, visible
from urisect.cli.report import report
from urisect.cli.resolve import resolve
from urisect.cli.split import split
from urisect.cli.top import top
from urisect.logs.errors import MissingExtraError, WhereError, WorkerError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="urisect")
def urisect() -> None:
    """Split, check, resolve, normalize, compose and find URIs, at volume, and never fail on one.

    Files are read as bytes; gzip, bzip2, xz and Zstandard are known by their first bytes; "-" or none is standard
    input. What cannot be opened or is damaged is named, and the other files are read.

    The exit status is 0; 1 if check or hazards found something, a line was rejected under --strict-exit, or lines were
    read and none could be parsed; 2 after a usage or I/O error; 130 after an interrupt; 143 after SIGTERM. What is
    written with -o, or --rejects, replaces a file when it is whole.

    For completion in bash, put this in ~/.bashrc (zsh and fish have their own word in the place of bash):
    eval "$(_URISECT_COMPLETE=bash_source urisect)"
    """


for command in (split, check, resolve, normalize, compose, hazards, find, logs, top, report, formats, demo):
    urisect.add_command(command)


def run(arguments: Sequence[str] | None) -> int:
    """Run the command and return its exit status."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # Parquet takes 140 MB with it, 250 without
    try:
        with _terminable():
            status = urisect.main(arguments, prog_name="urisect", standalone_mode=False)
    except click.ClickException as error:
        show(error)
        return 2
    except (click.Abort, KeyboardInterrupt):
        return 130
    except OutputError as error:
        if isinstance(error.reason, BrokenPipeError):  # whoever read this has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for the flush at exit
            return 0
        complain(str(error))
        return 2
    except (MissingExtraError, OSError, WhereError, WorkerError) as error:
        complain(str(error))
        return 2
    except MemoryError:
        complain("out of memory: try a smaller --limit, or --jobs 1")
        return 2
    return status if isinstance(status, int) else 0


def show(error: click.ClickException) -> None:
    """Say on standard error what is wrong with the arguments, which may hold anything."""
    message = io.StringIO()
    error.show(message)
    print(visible(message.getvalue()), end="", file=sys.stderr)


@contextmanager
def _terminable() -> Iterator[None]:
    """End by SIGTERM as by an interrupt, so that nothing half-written is left behind."""
    if current_thread() is not main_thread():  # only there can it be caught
        yield
        return
    received: list[int] = []

    def terminate(number: int, _: object) -> NoReturn:
        received.append(number)
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if received:  # some code makes another exception of what a signal raises, or loses it
            raise SystemExit(128 + received[0]) from None
