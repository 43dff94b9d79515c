"""Options and steps that `split` and `logs` share: convert lines to rows."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from os.path import realpath
from typing import TYPE_CHECKING, Any

import click

from urisect.cli.log_scan import LogScan
from urisect.cli.messages import visible
from urisect.cli.options import Choice, check_field, combine_options, output_option
from urisect.cli.output import Output, open_output
from urisect.logs.conversion import FILE_FORMATS, Conversion, file_format
from urisect.logs.output.atomic import OutputDirectory, is_special
from urisect.logs.output.sinks import TEXT_FORMATS, serialize_rejects

if TYPE_CHECKING:
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
    jobs: int | None,
    limit: int,
    quiet: bool,
    rejects_to: str | None,
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
        jobs: the number of processes; by default one per core.
        limit: the longest line, in bytes.
        quiet: whether to show no progress.
        rejects_to: the path of a file for rejected lines.

    Returns:
        The finished scan, and how many lines `where` selected; None without it.
    """
    columns = _parse_fields(fields, format)
    to = _choose_format(to, output_to, by_day=by_day)
    if output_to and rejects_to and not is_special(output_to) and realpath(output_to) == realpath(rejects_to):
        raise click.UsageError("--output and --rejects name the same file.")
    if by_day and (to != "parquet" or output_to is None or "time" not in columns):
        raise click.UsageError("--by-day needs --to parquet, -o with a new directory, and the field time.")
    conversion = Conversion(format, columns, to=to, by_day=by_day, where=where, limit=limit, null=null, header=header)
    with ExitStack() as stack:
        output = OutputDirectory(output_to) if by_day and output_to else open_output("--output", output_to, files)
        stack.enter_context(output)
        is_terminal = isinstance(output, Output) and output.is_terminal
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
    return scan, None if where is None else conversion.written


def _choose_format(to: str | None, path: str | None, *, by_day: bool) -> str:
    """Return the format of the rows; `--to` and the name of the output must agree."""
    try:
        return file_format(path, to, by_day=by_day)
    except ValueError as error:
        raise click.UsageError(visible(f"{error}.")) from None


def _parse_fields(fields: str | None, format: "Format") -> Sequence[str]:
    """Parse the value of `--fields`."""
    if fields is None:
        return format.columns
    names = [name.strip() for name in fields.split(",")]
    for name in names:
        check_field(format, name, "'--fields'")
    return names
