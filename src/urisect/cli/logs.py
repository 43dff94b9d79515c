"""`urisect logs`: convert logs to rows."""

from typing import Any

import click

from urisect.cli.conversion import convert_files, row_options
from urisect.cli.log_scan import exit_status, expand_inputs, print_log_summary, select_log_format
from urisect.cli.options import (
    combine_options,
    format_option,
    input_options,
    jobs_option,
    limit_option,
    line_options,
    reject_options,
)

__all__ = ["logs"]


@click.command(short_help="Convert logs to TSV, CSV, NDJSON, Parquet or Arrow.")
@combine_options(
    format_option,
    line_options,
    click.option("-n", "first", type=click.IntRange(min=1), metavar="N", help="Write the first N rows, and stop."),
    click.option(
        "--sample",
        type=click.IntRange(min=1),
        metavar="N",
        help="Write N random rows, in the order of the lines. The same files give the same sample.",
    ),
    jobs_option,
    limit_option,
    row_options,
    reject_options,
    input_options,
)
@click.pass_context
def logs(
    context: click.Context,
    /,
    format_name: str,
    envelope: str,
    files: tuple[str, ...],
    *,
    strict_exit: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Convert logs to rows, one row per line, with the URIs split into components.

    FILE is a file, compressed or not, a directory, or a pattern such as "logs/*.gz"; it may be
    remote, such as "s3://bucket/logs/*.gz" or an https:// URL, and so may the output. Large plain files are read on all
    cores; the rows keep the order of the lines.

    \b
    Examples:
      urisect logs access.log* -o access.parquet
      urisect logs access.log.gz --where "status >= 500" --fields time,target
      urisect logs access.log* --since 2h --sample 1000 -o sample.parquet
      urisect logs --format '$remote_addr [$time_iso8601] "$request"' my.log

    The format is detected from the first lines, unless --format gives it; `urisect formats` lists names, columns and
    the other values of --format. Every line is parsed, rejected (it does not match the format; --rejects keeps it) or
    skipped (it is blank, too long, a directive such as #Fields, or cut off in a damaged file).

    The name after -o gives the format of the rows: .tsv, .csv, .ndjson, .jsonl, .parquet or .arrow. A further .gz or
    .zst compresses text. Columns are text, numbers, and times in UTC. In Parquet and Arrow, bytes that are not UTF-8
    become \\xff and the like. On a terminal, without --to, the rows are a table, in a pager (PAGER, or less).
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    names = expand_inputs(files, quiet=quiet)
    selection = select_log_format(format_name, envelope, names)
    scan, selected = convert_files(
        names, selection.format, selection=selection, quiet=quiet, shows_table=True, **options
    )
    if not quiet:
        print_log_summary(selection, scan, selected)
    is_rejected = strict_exit and bool(selection.passed_over)
    context.exit(exit_status(scan.counts, complete=not scan.faults, strict=strict_exit) or int(is_rejected))
