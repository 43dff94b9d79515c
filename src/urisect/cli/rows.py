"""What `split` and `logs` share: lines in, a row a line out, as text or as columns."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from os.path import realpath
from typing import Any, NamedTuple

import click

from urisect.cli.lines import Totals, output_beside, output_option, together
from urisect.cli.output import Output, OutputFolder, is_special
from urisect.cli.scanning import LogScan, selecting
from urisect.logs.choice import Choice
from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.notation import Kind
from urisect.logs.parallel import Task
from urisect.logs.reader import Table
from urisect.logs.sinks import SINKS, rejects, sink

COLUMNAR = ("parquet", "arrow")

row_options = together(
    click.option(
        "--to",
        type=click.Choice([*SINKS, *COLUMNAR]),
        default=SINKS[0],
        show_default=True,
        help="How rows are written.",
    ),
    output_option,
    click.option("--by-day", is_flag=True, help="With --to parquet, a file a day in a new folder, which -o names."),
    click.option("--fields", metavar="NAME,…", help="The columns, in this order."),
    click.option("--header", is_flag=True, help="Begin TSV and CSV with the names of the columns."),
    click.option("--null", default="", metavar="TEXT", help="What stands for an undefined value in TSV and CSV."),
)


class Rows(NamedTuple):
    """What is made of the lines of a table.

    Attributes:
        number: how many rows there are.
        content: lines of text, or a record batch.
    """

    number: int
    content: Any


@dataclass(frozen=True)
class TextRows:
    """Makes lines of text.

    Attributes:
        fields: the columns.
        rows: writes them.
    """

    fields: Sequence[str]
    rows: Callable[[Sequence[Column]], bytes]

    def __call__(self, table: Table) -> Rows:
        """Write the rows of a table."""
        return Rows(table.parsed, self.rows([table.written(field) for field in self.fields]))

    @staticmethod
    def join(rows: Sequence[Rows]) -> Rows:
        """Put what was made of several tables together."""
        return Rows(sum(each.number for each in rows), b"".join(each.content for each in rows))


@dataclass(frozen=True)
class ColumnarRows:
    """Makes record batches.

    Attributes:
        fields: the columns.
    """

    fields: Sequence[str]

    def __call__(self, table: Table) -> Rows:
        """Make a batch of a table."""
        from urisect.logs.arrow import record_batch  # noqa: PLC0415  it comes with an extra

        return Rows(table.parsed, record_batch(table, self.fields))

    @staticmethod
    def join(rows: Sequence[Rows]) -> Rows:
        """Put what was made of several tables together."""
        from urisect.logs.arrow import joined  # noqa: PLC0415  as above

        return Rows(sum(each.number for each in rows), joined([each.content for each in rows]))


def convert(
    files: Sequence[str],
    choice: Choice,
    *,
    to: str,
    output_to: str | None,
    by_day: bool,
    fields: str | None,
    header: bool,
    null: str,
    where: str | None,
    jobs: int | None,
    limit: int,
    quiet: bool,
    rejects_to: str | None,
) -> tuple[Totals, int | None]:
    """Read files as lines of a format, and write a row a line.

    Args:
        files: paths; "-" is standard input.
        choice: what a line looks like.
        to: one of `SINKS` or `COLUMNAR`.
        output_to: the path of what is written; standard output by default.
        by_day: whether that is a folder with a file a day.
        fields: names of columns between commas; those of the format by default.
        header: whether the rows begin with the names of the columns.
        null: what stands for an undefined value.
        where: an expression that is true for the lines that are wanted; all are by default.
        jobs: how many processes work on it; by default one a core.
        limit: how long a line may be, in bytes.
        quiet: whether no progress is shown.
        rejects_to: the path of a file for lines that do not match.

    Returns:
        How many lines went where, and how many were wanted, if not all.
    """
    format = choice.format
    names = _names(fields, format)
    _check(to, output_to, rejects_to, names, by_day=by_day)
    text = sink(to, names, null=null, numbers=_numbers(format)) if to in SINKS else None
    rows = TextRows(names, text.rows) if text else ColumnarRows(names)
    task = selecting(Task(format, names, rows, limit, rows.join), where)
    scan = LogScan(files, task, jobs=jobs, quiet=quiet, head=choice.head, rows=output_to is None)
    selected = 0
    with ExitStack() as stack:
        output = _output(output_to, files, by_day=by_day)
        stack.enter_context(output)
        kept = stack.enter_context(output_beside("--rejects", rejects_to, files)) if rejects_to else None

        def contents() -> Iterator[Any]:
            nonlocal selected
            for done in scan:
                if kept and done.rejected:
                    kept.write(rejects(done.file, done.rejected))
                for made in done.made:
                    selected += made.number
                    yield made.content

        if text and isinstance(output, Output):
            output.write(text.header if header else b"")
            for block in contents():
                output.write(block)
        else:
            _write_columns(output, contents(), format, names, to)
    return scan.totals, None if where is None else selected


def _check(to: str, output_to: str | None, rejects_to: str | None, names: Sequence[str], *, by_day: bool) -> None:
    """Refuse options that do not go together."""
    if output_to and rejects_to and not is_special(output_to) and realpath(output_to) == realpath(rejects_to):
        raise click.UsageError("--output and --rejects need a file each.")
    if by_day and (to != "parquet" or output_to is None or "time" not in names):
        raise click.UsageError("--by-day needs --to parquet, -o with the name of a new folder, and the field time.")
    if to in COLUMNAR and output_to is None and os.isatty(1):
        raise click.UsageError(f"{to} is nothing to look at: name a file with -o.")


def _output(path: str | None, files: Sequence[str], *, by_day: bool) -> Output | OutputFolder:
    if path is None:
        return Output()
    return OutputFolder(path) if by_day else output_beside("--output", path, files)


def _write_columns(
    output: Output | OutputFolder, batches: Iterator[Any], format: Format, names: Sequence[str], to: str
) -> None:
    """Write record batches."""
    from urisect.logs.arrow import schema  # noqa: PLC0415  it comes with an extra
    from urisect.logs.columnar import write_arrow, write_days, write_parquet  # noqa: PLC0415

    types = schema(format, names)
    if isinstance(output, OutputFolder):
        write_days(output.path, types, batches)
    elif to == "parquet":
        write_parquet(output, types, batches)
    else:
        write_arrow(output, types, batches, is_stream=output.path is None)


def _names(fields: str | None, format: Format) -> Sequence[str]:
    """Read the option `--fields`."""
    if fields is None:
        return format.columns
    names = [name.strip() for name in fields.split(",")]
    for name in names:
        if name not in format.fields:
            raise click.BadParameter(f"{name!r} is none of {', '.join(format.fields)}.", param_hint="'--fields'")
    return names


def _numbers(format: Format) -> frozenset[str]:
    """Tell which fields JSON shows as numbers."""
    return frozenset(name for name in format.fields if format.kind(name) in {Kind.NUMBER, Kind.SECONDS})
