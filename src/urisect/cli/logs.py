"""`urisect logs`: convert logs to rows."""

from typing import Any

import click

from urisect.cli.conversion import convert_files, row_options
from urisect.cli.log_scan import exit_status, expand_inputs, print_summary, select_log_format
from urisect.cli.options import (
    combine_options,
    format_option,
    input_options,
    jobs_option,
    limit_option,
    reject_options,
    where_option,
)

__all__ = ["logs"]


@click.command(short_help="Convert logs to TSV, CSV, NDJSON, Parquet or Arrow.")
@combine_options(format_option, where_option, jobs_option, limit_option, row_options, reject_options, input_options)
@click.pass_context
def logs(
    context: click.Context,
    /,
    format_name: str,
    files: tuple[str, ...],
    *,
    strict_exit: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Convert logs to rows, one row per line, with the URIs split into components.

    FILE is a file, compressed or not, a directory, or a pattern such as "logs/*.gz". Large plain files are read on all
    cores; the rows keep the order of the lines.

    \b
    Examples:
      urisect logs access.log* -o access.parquet
      urisect logs access.log.gz --where "status >= 500" --fields time,target
      urisect logs --format '$remote_addr [$time_iso8601] "$request"' my.log

    The format is detected from the first lines, unless --format gives it; `urisect formats` lists names, columns and
    the other values of --format. Every line is parsed, rejected (it does not match the format; --rejects keeps it) or
    skipped (it is blank, too long, a directive such as #Fields, or cut off in a damaged file).

    The name after -o gives the format of the rows: .tsv, .csv, .ndjson, .jsonl, .parquet or .arrow. A further .gz or
    .zst compresses text. Columns are text, numbers, and times in UTC. In Parquet and Arrow, bytes that are not UTF-8
    become \\xff and the like.
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    names = expand_inputs(files)
    selection = select_log_format(format_name, names)
    scan, selected = convert_files(names, selection.format, head=selection.head, quiet=quiet, **options)
    if not quiet:
        print_summary(selection, scan, selected)
    context.exit(exit_status(scan.counts, complete=not scan.faults, strict=strict_exit))
