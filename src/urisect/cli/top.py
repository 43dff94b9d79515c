"""`urisect top`: show the most frequent values of a field of logs."""

import sys
from typing import TYPE_CHECKING

import click

from urisect.cli.log_scan import LogScan, exit_status, expand_inputs, print_summary, select_log_format
from urisect.cli.options import (
    Choice,
    check_field,
    combine_options,
    format_option,
    input_options,
    jobs_option,
    limit_option,
    where_option,
)
from urisect.cli.output import Output
from urisect.logs.output.sinks import make_sink
from urisect.logs.ranking import FieldCounter, Ranking

if TYPE_CHECKING:
    from urisect.logs.formats.format import Column

__all__ = ["serialize_ranking", "top"]

RANKING_COLUMNS = ("value", "count", "share")


@click.command(short_help="Show the most frequent values of a field.")
@combine_options(
    click.argument("field"),
    click.option(
        "-n", "most", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="Number of values."
    ),
    click.option(
        "--to",
        type=Choice(["text", "tsv", "ndjson"]),
        default="text",
        show_default=True,
        help="Output format; text is a table on a terminal, and TSV elsewhere.",
    ),
    format_option,
    where_option,
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
    format_name: str,
    envelope: str,
    where: str | None,
    jobs: int | None,
    limit: int,
    quiet: bool,
) -> None:
    """Show the most frequent values of a field: the value, how many lines have it, and their share.

    FIELD is a column of the format, or a part of a URI such as target_host; `urisect formats FORMAT` lists the
    columns, and a wrong FIELD lists all. FILE is a file, compressed or not, a directory, or a pattern such as
    "logs/*.gz".

    \b
    Examples:
      urisect top target_path access.log* --where "status = 404"
      urisect top client -n 3 --to ndjson access.log.gz

    Lines in which the field is undefined count as (none), or as null in NDJSON. Counts are exact, in constant memory.
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    names = expand_inputs(files, quiet=quiet)
    selection = select_log_format(format_name, envelope, names)
    check_field(selection.format, field, "FIELD")
    with FieldCounter(selection.format, field, where=where, limit=limit) as counter, Output() as output:
        scan = LogScan(names, counter.task, jobs=jobs, quiet=quiet, selection=selection)
        for result in scan:
            counter.add(result)
        ranking = counter.ranking(most)
        if to == "text" and output.is_terminal:
            from urisect.cli.count_tables import draw_ranking  # noqa: PLC0415  rich is slow to import

            output.write(draw_ranking(ranking.counts, ranking.lines).encode(), styled=True)
        else:
            output.write(serialize_ranking(ranking, to))
        if not quiet:
            print_summary(selection, scan, None if where is None else ranking.lines)
            print(f"{field}: {ranking.distinct} different values", file=sys.stderr)
    context.exit(exit_status(scan.counts, complete=not scan.faults))


def serialize_ranking(ranking: Ranking, to: str) -> bytes:
    r"""Write values, numbers of lines, and shares as NDJSON or TSV.

    >>> from urisect.logs.report.counts import ValueCount
    >>> serialize_ranking(Ranking([ValueCount(b"200", 3), ValueCount(None, 1)], lines=4, distinct=1), "tsv")
    b'200\t3\t0.7500\n(none)\t1\t0.2500\n'
    """
    columns: list[Column] = [
        [count.value for count in ranking.counts],
        [b"%d" % count.lines for count in ranking.counts],
        [b"%.4f" % (count.lines / ranking.lines) for count in ranking.counts],
    ]
    sink = make_sink("ndjson" if to == "ndjson" else "tsv", RANKING_COLUMNS, null="(none)", numbers=RANKING_COLUMNS[1:])
    return sink.serialize(columns)
