"""What the commands share that read lines: options, and the way from files through tables to rows."""

import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple, TypeVar

import click

from urisect.cli.output import Output, complain
from urisect.logs import Format, Table, tables
from urisect.logs.reader import Stream, decompressed
from urisect.logs.sinks import SINKS, rejects, sink

Command = TypeVar("Command", bound=Callable[..., Any])

STDIN = "-"

# The names in `urisect.specs`, which takes longer to load than most commands need.
SPECIFICATIONS = ("rfc3986", "rfc2396bis", "rfc2396", "url1996")
RULES = ("URI-reference", "URI", "absolute-URI", "relative-ref")


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Make one decorator of several, which the help shows in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


input_options = together(
    click.argument("files", nargs=-1, metavar="[FILE]…"),
    click.option("-q", "--quiet", is_flag=True, help="No progress and no summary on standard error."),
)
row_options = together(
    click.option("--to", type=click.Choice(SINKS), default=SINKS[0], show_default=True, help="How rows are written."),
    click.option("--fields", metavar="NAME,…", help="The columns, in this order."),
    click.option("--header", is_flag=True, help="Begin TSV and CSV with the names of the columns."),
    click.option("--null", default="", metavar="TEXT", help="What stands for an undefined value in TSV and CSV."),
)
reject_options = together(
    click.option("--rejects", "rejects_to", metavar="FILE", help="Keep rejected lines: file, line, offset, line."),
    click.option("--strict-exit", is_flag=True, help="Exit with 1 if a line was rejected."),
)
specification_options = together(
    click.option(
        "--spec",
        type=click.Choice(SPECIFICATIONS),
        default=SPECIFICATIONS[0],
        show_default=True,
        help="The specification that says what is valid.",
    ),
    click.option(
        "--rule",
        type=click.Choice(RULES),
        default=RULES[0],
        show_default=True,
        help="What each line has to be: any reference, one with a scheme, one with a scheme and no fragment, or one "
        "without a scheme.",
    ),
)


def valid_list(spec: str, rule: str) -> Format:
    """Give the format of a list of valid references, one a line; every other line is rejected.

    Args:
        spec: one of `SPECIFICATIONS`.
        rule: one of `RULES`.

    >>> valid_list("rfc3986", "URI").columns
    ('scheme', 'authority', 'path', 'query', 'fragment')
    """
    from urisect.specs import SPECIFICATIONS  # noqa: PLC0415  see above

    # A specification captures what it says is a component. That need not be enough to put the line together again.
    return Format("list", rf"(?P<reference>{SPECIFICATIONS[spec].pattern(rule)})", uris=("",))


class Reading:
    """Files as tables: what cannot be read is complained about, and the others are read.

    Attributes:
        complete: whether every file could be read to its end; known at the end.
    """

    def __init__(self, files: Sequence[str], format: Format, *, progress: bool) -> None:
        """Read nothing yet.

        Args:
            files: paths; "-" is standard input, and so is no path at all.
            format: what a line looks like.
            progress: whether a bar may be shown.
        """
        self.complete = True
        self._files = files or (STDIN,)
        self._format = format
        self._progress = progress

    def __iter__(self) -> Iterator[tuple[str, Table]]:
        """Give each table, and the path of the file that it is from."""
        for name in self._files:
            try:
                with _opened(name, progress=self._progress) as stream:
                    for table in tables(stream, self._format):
                        yield name, table
            except (OSError, EOFError, zlib.error) as error:
                complain(f"{_title(name)}: {getattr(error, 'strerror', None) or error}")
                self.complete = False


class Totals(NamedTuple):
    """How many lines went where, and whether every file could be read to its end."""

    parsed: int
    rejected: int
    complete: bool

    def report(self) -> None:
        """Say on standard error how many lines went where."""
        read = self.parsed + self.rejected
        print(f"read {read}, parsed {self.parsed}, rejected {self.rejected}", file=sys.stderr)

    def status(self, *, strict: bool) -> int:
        """Give the exit status of a command, which may be strict about lines that were rejected."""
        return int(strict and self.rejected > 0) if self.complete else 2


def convert(
    files: Sequence[str],
    format: Format,
    *,
    to: str,
    fields: str | None,
    header: bool,
    null: str,
    quiet: bool,
    rejects_to: str | None,
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
    reading = Reading(files, format, progress=not quiet)
    parsed = rejected = 0
    with ExitStack() as stack:
        output = stack.enter_context(Output())
        kept = stack.enter_context(_rejects(rejects_to, files)) if rejects_to else None
        if header:
            output.write(rows.header)
        for name, table in reading:
            output.write(rows.rows([table.column(field) for field in names]))
            if kept and table.rejected:
                kept.write(rejects(name, table.rejected))
            parsed += table.parsed
            rejected += len(table.rejected)
    return Totals(parsed, rejected, reading.complete)


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
