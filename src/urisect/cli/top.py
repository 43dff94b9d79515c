"""`urisect top`: show the most frequent values of one or several fields of logs."""

import os
import sys
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

import click

from urisect.cli.log_scan import LogScan, exit_status, expand_inputs, print_log_summary, select_log_format
from urisect.cli.options import (
    Choice,
    check_field,
    combine_options,
    format_option,
    input_options,
    jobs_option,
    limit_option,
    line_options,
    output_option,
)
from urisect.cli.output import choose_format, open_output
from urisect.logs.output.sinks import TEXT_FORMATS, make_sink
from urisect.logs.ranking import CombinationRanking, FieldCounter
from urisect.logs.report.combinations import MAX_FIELDS
from urisect.logs.report.formatting import pluralize
from urisect.logs.report.plain_counts import MAX_PLAIN_VALUES

if TYPE_CHECKING:
    from datetime import date, datetime

    from urisect.logs.formats.format import Column, Format

__all__ = ["serialize_ranking", "top"]

# The columns after the values.
COUNT_COLUMNS = ("count", "share")


@click.command(short_help="Show the most frequent values of a field.")
@combine_options(
    click.argument("field", metavar="FIELD[,FIELD]..."),
    click.option(
        "-n", "most", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="Number of values."
    ),
    click.option(
        "--to",
        type=Choice(["text", *TEXT_FORMATS]),
        default="text",
        show_default=True,
        help="Output format; text is a table on a terminal, and elsewhere as the name after -o says, or TSV.",
    ),
    output_option,
    click.option("--header", is_flag=True, help="Begin TSV and CSV with the names of the columns."),
    format_option,
    line_options,
    jobs_option,
    limit_option,
    input_options,
)
@click.pass_context
def top(
    context: click.Context,
    /,
    field: str,
    files: tuple[str, ...],
    *,
    most: int,
    to: str,
    output_to: str | None,
    header: bool,
    format_name: str,
    envelope: str,
    where: str | None,
    since: "datetime | date | None",
    until: "datetime | date | None",
    jobs: int | None,
    limit: int,
    quiet: bool,
) -> None:
    """Show the most frequent values of a field: the value, how many lines have it, and their share.

    FIELD is a column of the format, or a part of a URI such as target_host; `urisect formats FORMAT` lists the
    columns, and a wrong FIELD lists all. Several fields, separated by commas, count the combinations of their values.
    FILE is a file, compressed or not, a directory, or a pattern such as "logs/*.gz"; it may be remote, such as
    "s3://bucket/logs/*.gz" or an https:// URL.

    \b
    Examples:
      urisect top target_path access.log* --where "status = 404"
      urisect top client,status access.log -o clients.csv --header
      urisect top client -n 3 --to ndjson access.log.gz

    Lines in which the field is undefined count as (none), or as null in NDJSON. Counts are exact, in constant memory.
    Without DuckDB, plain Python counts up to 1,000,000 different values.
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    names = expand_inputs(files, quiet=quiet)
    file_to = _choose_text_format(to, output_to)
    selection = select_log_format(format_name, envelope, names)
    fields = _parse_fields(field, selection.format, file_to)
    with FieldCounter(selection.format, fields, where=where, since=since, until=until, limit=limit) as counter:
        if counter.missing and not quiet:
            print(
                f"{counter.missing} is not installed: plain Python counts up to {MAX_PLAIN_VALUES:,} different values",
                file=sys.stderr,
            )
        with open_output("--output", output_to, names) as output:
            scan = LogScan(names, counter.task, jobs=jobs, quiet=quiet, selection=selection)
            for result in scan:
                counter.add(result)
            ranking = counter.ranking(most)
            if not scan.has_read:
                output.discard()
            elif to == "text" and output.is_terminal:
                if ranking.counts:
                    from urisect.cli.count_tables import draw_ranking  # noqa: PLC0415  rich is slow to import

                    output.write(draw_ranking(fields, ranking).encode(), styled=True)
            else:
                output.write(serialize_ranking(fields, ranking, file_to, header=header))
    if not quiet:
        print_log_summary(selection, scan, None if where is None and counter.task.time_range is None else ranking.lines)
    if not quiet and scan.has_read:
        kind = "values" if len(fields) == 1 else "combinations"
        print(f"{','.join(fields)}: {pluralize(ranking.distinct, f'different {kind}')}", file=sys.stderr)
    context.exit(exit_status(scan.counts, complete=not scan.faults))


def serialize_ranking(fields: Sequence[str], ranking: CombinationRanking, to: str, *, header: bool = False) -> bytes:
    r"""Write values, numbers of lines, and shares as TSV, CSV or NDJSON.

    Args:
        fields: the names of the fields.
        ranking: the combinations of their values, with one value if there is one field.
        to: one of `TEXT_FORMATS`.
        header: whether TSV and CSV begin with the names of the columns.

    >>> from urisect.logs.ranking import CombinationCount
    >>> ranking = CombinationRanking([CombinationCount((b"200",), 3), CombinationCount((None,), 1)], 4, 1)
    >>> serialize_ranking(["status"], ranking, "tsv", header=True)
    b'status\tcount\tshare\n200\t3\t0.7500\n(none)\t1\t0.2500\n'
    """
    columns: list[Column] = [
        *([count.values[index] for count in ranking.counts] for index in range(len(fields))),
        [b"%d" % count.lines for count in ranking.counts],
        [b"%.4f" % (count.lines / ranking.lines) for count in ranking.counts],
    ]
    names = ("value",) if to == "ndjson" and len(fields) == 1 else fields
    sink = make_sink(to, (*names, *COUNT_COLUMNS), null="(none)", numbers=COUNT_COLUMNS)
    return (sink.header if header else b"") + sink.serialize(columns)


def _choose_text_format(to: str, path: str | None) -> str:
    """Return the format of a file or a pipe, which has to be a text."""
    chosen = choose_format(None if to == "text" else to, path)
    if chosen not in TEXT_FORMATS:
        raise click.UsageError(f"top does not write {chosen}; choose one of {', '.join(TEXT_FORMATS)}.")
    return chosen


def _parse_fields(names: str, format: "Format", to: str) -> Sequence[str]:
    """Parse the argument FIELD."""
    fields = [name.strip() for name in names.split(",")]
    if os.path.isfile(names) and fields[0] not in format.columns:
        example = f"urisect top {format.columns[0]} {quote(names)}"
        raise click.UsageError(f"{names!r} is a file; name a field before it: {example}")
    for name in fields:
        check_field(format, name, "FIELD")
    if len(fields) > MAX_FIELDS:
        raise click.BadParameter(f"at most {MAX_FIELDS} fields can be counted together.", param_hint="FIELD")
    keys = [*fields, *COUNT_COLUMNS] if to == "ndjson" and len(fields) > 1 else fields
    if repeated := [name for name in keys if keys.count(name) > 1]:
        raise click.BadParameter(f"two columns would be called {repeated[0]!r}.", param_hint="FIELD")
    return fields
