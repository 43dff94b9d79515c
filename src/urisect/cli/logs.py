"""`urisect logs`: lines of logs in, a row out."""

from typing import Any

import click

from urisect.cli.lines import input_options, option_group, reject_options
from urisect.cli.rows import convert, row_options
from urisect.cli.scanning import chosen, format_option, input_files, limit_option, summarize, volume_options


@click.command(short_help="Split logs, one row a line.")
@option_group(format_option, volume_options, limit_option, row_options, reject_options, input_options)
@click.pass_context
def logs(
    context: click.Context,
    /,
    format_name: str,
    files: tuple[str, ...],
    *,
    strict_exit: bool,
    quiet: bool,
    **choices: Any,
) -> None:
    """Split the lines of logs, and the URIs in them, into one row a line.

    FILE is a file, compressed or not, a folder, or a pattern such as "logs/*.gz". Plain files are read on all cores;
    rows come in the order of the lines.

    The format is found by the first lines, unless it is named; `urisect formats` lists names, columns, and what else
    --format takes. Every line is parsed, rejected (it has not the format; --rejects keeps it) or skipped (it is too
    long, says what others are, or is cut off by damage to its file).

    \b
    urisect logs access.log* --to parquet -o access.parquet
    urisect logs access.log.gz --where "status >= 500" --fields time,target
    urisect logs --format '$remote_addr [$time_iso8601] "$request"' my.log

    The name after -o says how rows are written: .tsv, .csv, .ndjson, .jsonl, .parquet or .arrow. With .gz or .zst
    behind it, text is compressed. Columns are text, numbers, and times in UTC. To Parquet and Arrow, text that is no
    UTF-8 is written as \\xff.
    """  # noqa: D301  click shows what follows a backspace as it is
    names = input_files(files)
    choice = chosen(format_name, names)
    scan, selected = convert(names, choice, quiet=quiet, **choices)
    if not quiet:
        summarize(choice, scan, selected)
    context.exit(scan.totals.status(strict=strict_exit))
