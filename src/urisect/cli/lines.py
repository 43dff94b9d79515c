"""What the commands share that turn lines into rows: options, and the way from files through tables to rows."""

import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple, TypeVar

import click

from urisect.cli.output import Output, complain
from urisect.logs import Format, tables
from urisect.logs.reader import Stream, decompressed
from urisect.logs.sinks import SINKS, rejects, sink

Command = TypeVar("Command", bound=Callable[..., Any])

STDIN = "-"


def options(command: Command) -> Command:
    """Give a command the arguments that say what is read and how rows are written."""
    for option in (
        click.option("-q", "--quiet", is_flag=True, help="No progress and no summary on standard error."),
        click.option("--null", default="", metavar="TEXT", help="What stands for an undefined value in TSV and CSV."),
        click.option("--header", is_flag=True, help="Begin TSV and CSV with the names of the columns."),
        click.option("--fields", metavar="NAME,…", help="The columns, in this order."),
        click.option("--to", type=click.Choice(SINKS), default="tsv", show_default=True, help="How rows are written."),
        click.argument("files", nargs=-1, metavar="[FILE]…"),
    ):
        command = option(command)
    return command


class Totals(NamedTuple):
    """How many lines went where, and whether every file could be read to its end."""

    parsed: int
    rejected: int
    complete: bool


def convert(
    files: Sequence[str],
    format: Format,
    *,
    to: str,
    fields: str | None,
    header: bool,
    null: str,
    quiet: bool,
    rejects_to: str | None = None,
) -> Totals:
    """Read files as lines of a format, and write a row a line to standard output.

    Args:
        files: paths; "-" is standard input, and so is no path at all.
        format: what a line looks like.
        to: "tsv", "csv" or "ndjson".
        fields: names of columns between commas; those of the format by default.
        header: whether the rows begin with the names of the columns.
        null: what stands for an undefined value.
        quiet: whether no progress is shown.
        rejects_to: the path of a file for lines that do not match.
    """
    names = _names(fields, format)
    rows = sink(to, names, null=null, numbers=format.numbers)
    parsed = rejected = 0
    complete = True
    with ExitStack() as stack:
        output = stack.enter_context(Output())
        kept = stack.enter_context(_rejects(rejects_to, files)) if rejects_to else None
        if header:
            output.write(rows.header)
        for name in files or (STDIN,):
            try:
                with _opened(name, progress=not quiet) as stream:
                    for table in tables(stream, format):
                        output.write(rows.rows([table.column(field) for field in names]))
                        if kept and table.rejected:
                            kept.write(rejects(name, table.rejected))
                        parsed += table.parsed
                        rejected += len(table.rejected)
            except (OSError, EOFError, zlib.error) as error:
                complain(f"{_title(name)}: {getattr(error, 'strerror', None) or error}")
                complete = False
    return Totals(parsed, rejected, complete)


def _names(fields: str | None, format: Format) -> Sequence[str]:
    """Read the option `--fields`."""
    if fields is None:
        return format.columns
    names = [name.strip() for name in fields.split(",")]
    for name in names:
        if name not in format.fields:
            raise click.BadParameter(f"{name!r} is none of {', '.join(format.fields)}.", param_hint="'--fields'")
    return names


def _rejects(path: str, files: Sequence[str]) -> Output:
    """Open the file for rejected lines, unless that would empty a file that is to be read."""
    for name in files:
        if name != STDIN and os.path.exists(name) and os.path.exists(path) and os.path.samefile(name, path):
            raise click.BadParameter(f"{path!r} is one of the files to be read.", param_hint="'--rejects'")
    return Output(path)


def _title(name: str) -> str:
    return "standard input" if name == STDIN else name


@contextmanager
def _opened(name: str, *, progress: bool) -> Iterator[Stream]:
    """Open a file or standard input, with a bar where somebody watches and no rows run over the same screen."""
    with ExitStack() as stack:
        is_file = name != STDIN
        file: Any = stack.enter_context(open(name if is_file else 0, "rb", buffering=0, closefd=is_file))
        if progress and is_file and sys.stderr.isatty() and not os.isatty(1):
            from urisect.cli.screen import watched  # noqa: PLC0415  rich takes longer to load than most files

            file = stack.enter_context(watched(file, name))
        yield decompressed(io.BufferedReader(file))
