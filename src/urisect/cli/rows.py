"""What `split` and `logs` share: lines in, a row a line out, as text or as columns."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice
from os.path import realpath
from typing import Any, NamedTuple

import click

from urisect.cli.lines import option_group, output_beside, output_option
from urisect.cli.output import Output, OutputFolder, is_special
from urisect.cli.scanning import LogScan, selecting
from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import ValueKind
from urisect.logs.input.format_selection import FormatSelection
from urisect.logs.input.reader import Table
from urisect.logs.output.sinks import SINKS, rejects, sink
from urisect.logs.scan.task import Task

COLUMNAR = ("parquet", "arrow")

# What is written to a file whose name ends so, and how it is compressed if the name goes on.
SUFFIXES = {f".{to}": to for to in (*SINKS, *COLUMNAR)} | {".jsonl": "ndjson"}
COMPRESSED = (".gz", ".zst")

row_options = option_group(
    click.option(
        "--to",
        type=click.Choice([*SINKS, *COLUMNAR]),
        help="How rows are written.  [default: as the name after -o ends, or tsv]",
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
        return Rows(table.parsed, self.rows([table.texts(field) for field in self.fields]))

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
        from urisect.logs.output.arrow import record_batch  # noqa: PLC0415  it comes with an extra

        return Rows(table.parsed, record_batch(table, self.fields))

    @staticmethod
    def join(rows: Sequence[Rows]) -> Rows:
        """Put what was made of several tables together."""
        from urisect.logs.output.arrow import joined  # noqa: PLC0415  as above

        return Rows(sum(each.number for each in rows), joined([each.content for each in rows]))


def convert(
    files: Sequence[str],
    choice: FormatSelection,
    *,
    to: str | None,
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
) -> tuple[LogScan[Rows], int | None]:
    """Read files as lines of a format, and write a row a line.

    Args:
        files: paths; "-" is standard input.
        choice: what a line looks like.
        to: one of `SINKS` or `COLUMNAR`; by default as the path of what is written ends.
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
        What read the lines, and how many were wanted, if not all.
    """
    format = choice.format
    names = _names(fields, format)
    to = _written_as(to, output_to, by_day=by_day)
    _check(to, output_to, rejects_to, names, by_day=by_day)
    text = sink(to, names, null=null, numbers=_numbers(format)) if to in SINKS else None
    rows = TextRows(names, text.rows) if text else ColumnarRows(names)
    task = selecting(Task(format, names, rows, limit, rows.join), where)
    selected = 0
    with ExitStack() as stack:
        output = _output(output_to, files, by_day=by_day)
        stack.enter_context(output)
        is_seen = isinstance(output, Output) and output.is_terminal
        if is_seen and to in COLUMNAR:
            raise click.UsageError(f"{to} is nothing to look at: name a file with -o.")
        kept = stack.enter_context(output_beside("--rejects", rejects_to, files)) if rejects_to else None
        scan = LogScan(files, task, jobs=jobs, quiet=quiet, head=choice.head, rows=is_seen)

        def contents() -> Iterator[Any]:
            nonlocal selected
            for done in scan:
                if kept and done.rejected:
                    kept.write(rejects(done.file, done.rejected))
                for made in done.outputs:
                    selected += made.number
                    yield made.content

        blocks = contents()
        first = list(islice(blocks, 1))
        if not first and not scan.has_read:
            output.discard()
            if kept:
                kept.discard()
        elif text and isinstance(output, Output):
            for block in chain([text.header if header else b""], first, blocks):
                output.write(block)
        else:
            _write_columns(output, chain(first, blocks), format, names, to)
    return scan, None if where is None else selected


def _written_as(to: str | None, path: str | None, *, by_day: bool) -> str:
    """Tell how rows are written, by the option `--to` and by how the name of the file ends, which have to agree.

    >>> _written_as(None, "rows.JSONL.gz", by_day=False)
    'ndjson'
    """
    stem, suffix = os.path.splitext((path or "").lower())
    compression = suffix if suffix in COMPRESSED else ""
    named = SUFFIXES.get(os.path.splitext(stem)[1] if compression else suffix)
    chosen = to or named or SINKS[0]
    if by_day:
        return chosen
    if named not in {None, chosen}:
        raise click.UsageError(f"-o names a file of {named}, and --to says {to}: leave out --to, or change the name.")
    if compression and chosen in COLUMNAR:
        raise click.UsageError(f"{chosen} is compressed already: name a file that does not end in {compression}.")
    return chosen


def _check(to: str, output_to: str | None, rejects_to: str | None, names: Sequence[str], *, by_day: bool) -> None:
    """Refuse options that do not go together."""
    if output_to and rejects_to and not is_special(output_to) and realpath(output_to) == realpath(rejects_to):
        raise click.UsageError("--output and --rejects need a file each.")
    if by_day and (to != "parquet" or output_to is None or "time" not in names):
        raise click.UsageError("--by-day needs --to parquet, -o with the name of a new folder, and the field time.")


def _output(path: str | None, files: Sequence[str], *, by_day: bool) -> Output | OutputFolder:
    if path is None:
        return Output()
    return OutputFolder(path) if by_day else output_beside("--output", path, files)


def _write_columns(
    output: Output | OutputFolder, batches: Iterator[Any], format: Format, names: Sequence[str], to: str
) -> None:
    """Write record batches."""
    from urisect.logs.output.arrow import schema  # noqa: PLC0415  it comes with an extra
    from urisect.logs.output.arrow_files import write_arrow, write_days, write_parquet  # noqa: PLC0415

    types = schema(format, names)
    if isinstance(output, OutputFolder):
        write_days(output.path, types, batches)
    elif to == "parquet":
        write_parquet(output, types, batches)
    else:
        write_arrow(output, types, batches, is_stream=not output.is_file)


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
    return frozenset(name for name in format.fields if format.kind(name) in {ValueKind.NUMBER, ValueKind.SECONDS})
