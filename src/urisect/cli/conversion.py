"""Options and steps that `split` and `logs` share: convert lines to rows."""

import os
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from os.path import realpath
from typing import TYPE_CHECKING, Any

import click

from urisect.cli.log_scan import LogScan
from urisect.cli.options import Choice, check_field, combine_options, output_option
from urisect.cli.output import Output, choose_format, open_output
from urisect.logs.conversion import FILE_FORMATS, Conversion
from urisect.logs.output.atomic import OutputDirectory, OutputFile, is_special
from urisect.logs.output.sinks import TEXT_FORMATS, serialize_rejects

if TYPE_CHECKING:
    from datetime import date, datetime

    from urisect.logs.formats import Format
    from urisect.logs.input.format_selection import FormatSelection
    from urisect.logs.scan.task import PieceResult

__all__ = ["convert_files", "row_options"]

row_options = combine_options(
    click.option(
        "--to",
        type=Choice(FILE_FORMATS),
        show_default="from the name after -o, else tsv",
        help="Format of the rows.",
    ),
    output_option,
    click.option("--by-day", is_flag=True, help="With --to parquet: write files per day into the new directory -o."),
    click.option("--fields", metavar="NAME,...", help="Columns to write, in this order."),
    click.option("--header", is_flag=True, help="Begin TSV and CSV with the names of the columns."),
    click.option("--null", default="", metavar="TEXT", help="Text for undefined values in TSV and CSV."),
)


def convert_files(
    files: Sequence[str],
    format: "Format",
    *,
    selection: "FormatSelection | None" = None,
    to: str | None,
    output_to: str | None,
    by_day: bool,
    fields: str | None,
    header: bool,
    null: str,
    where: str | None,
    since: "datetime | date | None" = None,
    until: "datetime | date | None" = None,
    first: int | None = None,
    sample: int | None = None,
    jobs: int | None,
    limit: int,
    quiet: bool,
    rejects_to: str | None,
    shows_table: bool = False,
) -> tuple[LogScan[Any], int | None]:
    """Parse the lines of files, and write one row per line.

    Args:
        files: paths; "-" is standard input.
        format: the format of the lines.
        selection: how the format was selected.
        to: one of `FILE_FORMATS`; by default as the name of the output says.
        output_to: the path of the output; None for standard output.
        by_day: whether that is a directory with files per day.
        fields: names of columns, separated by commas; by default all columns of the format.
        header: whether TSV and CSV begin with the names of the columns.
        null: what TSV and CSV write for an undefined value.
        where: a predicate in SQL; other lines are left out.
        since: the first time to keep.
        until: the first time to leave out, or the last day to keep.
        first: how many rows to write, the first ones; None for all.
        sample: how many rows to write, chosen at random; None for all.
        jobs: the number of processes; by default one per core.
        limit: the longest line, in bytes.
        quiet: whether to show no progress.
        rejects_to: the path of a file for rejected lines.
        shows_table: whether rows on a terminal are a table, unless `to` says otherwise.

    Returns:
        The finished scan, and how many lines were selected; None if all lines are.
    """
    is_table = shows_table and to is None and output_to is None and os.isatty(1)
    columns = _parse_fields(fields, format)
    undefined = null
    if is_table:
        from urisect.cli.row_table import UNDEFINED, open_row_table, whole_uri_fields  # noqa: PLC0415  few runs draw

        columns = whole_uri_fields(format) if fields is None else columns
        undefined, header = UNDEFINED, False
    to = choose_format(to, output_to, by_day=by_day)
    if output_to and rejects_to and not is_special(output_to) and realpath(output_to) == realpath(rejects_to):
        raise click.UsageError("--output and --rejects name the same file.")
    if by_day and (to != "parquet" or output_to is None or "time" not in columns):
        raise click.UsageError("--by-day needs --to parquet, -o with a new directory, and the field time.")
    if first and sample:
        raise click.UsageError("-n writes the first rows, --sample random ones: give only one of them.")
    conversion = Conversion(
        format,
        columns,
        to=to,
        by_day=by_day,
        where=where,
        since=since,
        until=until,
        first=first,
        sample=sample,
        limit=limit,
        null=undefined,
        header=header,
    )
    with ExitStack() as stack:
        output: OutputFile | OutputDirectory
        if is_table:
            is_selection = fields is not None
            output = stack.enter_context(open_row_table(format, columns, files, is_selection=is_selection, null=null))
        else:
            output = OutputDirectory(output_to) if by_day and output_to else open_output("--output", output_to, files)
            stack.enter_context(output)
        is_terminal = is_table or (isinstance(output, Output) and output.is_terminal)
        if is_terminal and to not in TEXT_FORMATS:
            raise click.UsageError(f"{to} is not for a terminal; name a file with -o.")
        rejects = stack.enter_context(open_output("--rejects", rejects_to, files)) if rejects_to else None
        scan = LogScan(files, conversion.task, jobs=jobs, quiet=quiet, selection=selection, shows_rows=is_terminal)

        def results() -> "Generator[PieceResult[Any], None, None]":
            for result in scan:
                if rejects and result.rejected:
                    rejects.write(serialize_rejects(result.file, result.rejected))
                yield result

        # Closed at once, also after an error: left to the collector, a scan may outlive the workers' pipes.
        with closing(results()) as checked:
            conversion.write(checked, output, has_read=lambda: scan.has_read)
        if rejects and not scan.has_read:
            rejects.discard()
    selects_lines = where is not None or conversion.task.time_range or first or sample
    return scan, conversion.written if selects_lines else None


def _parse_fields(fields: str | None, format: "Format") -> Sequence[str]:
    """Parse the value of `--fields`."""
    if fields is None:
        return format.columns
    names = [name.strip() for name in fields.split(",")]
    for name in names:
        check_field(format, name, "'--fields'")
    return names
