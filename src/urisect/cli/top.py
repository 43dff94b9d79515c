"""`urisect top`: logs in, the most frequent values of a field out."""

import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from urisect.cli.lines import input_options, option_group
from urisect.cli.output import Output, visible
from urisect.cli.scanning import (
    LogScan,
    chosen,
    format_option,
    input_files,
    limit_option,
    selecting,
    summarize,
    volume_options,
)
from urisect.logs.output.sinks import sink
from urisect.logs.report.counts import Count, Counts
from urisect.logs.report.groups import counted
from urisect.logs.report.text import share, shortened
from urisect.logs.scan.task import Task

if TYPE_CHECKING:
    from urisect.logs.formats.format import Column

COLUMNS = ("value", "count", "share")
NONE = "(none)"

BAR_WIDTH = 20
BESIDE = 50  # what stands beside a value on a terminal, in characters


@click.command(short_help="Count the values of a field, the most frequent first.")
@option_group(
    click.argument("field"),
    click.option(
        "-n", "most", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="How many."
    ),
    click.option(
        "--to",
        type=click.Choice(["text", "tsv", "ndjson"]),
        default="text",
        show_default=True,
        help="How they are written; text is TSV but on a terminal.",
    ),
    format_option,
    volume_options,
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
    where: str | None,
    jobs: int | None,
    limit: int,
    quiet: bool,
) -> None:
    """Count the values of a field, and show the most frequent ones: the value, how many lines have it, their share.

    FIELD is a column of the format, or what follows from one, such as target_host; a wrong one is answered with a list
    of all. FILE is a file, compressed or not, a folder, or a pattern such as "logs/*.gz". Lines in which the field is
    undefined are counted as (none), in JSON as null. Counts are exact, in constant memory.

    \b
    urisect top target_path access.log* --where "status = 404"
    urisect top client -n 3 --to ndjson access.log.gz
    """  # noqa: D301  click shows what follows a backspace as it is
    names = input_files(files)
    choice = chosen(format_name, names)
    if field not in choice.format.fields:
        raise click.BadParameter(f"{field!r} is none of {', '.join(choice.format.fields)}.", param_hint="FIELD")
    task = Task(choice.format, (field,), partial(counted, field=field), limit)
    scan = LogScan(names, selecting(task, where), jobs=jobs, quiet=quiet, head=choice.head)
    with Counts() as counts, Output() as output:
        for done in scan:
            for groups in done.outputs:
                counts.add(field, groups)
        found, lines = counts.top(field, most), counts.total(field).lines
        if to == "text" and output.is_terminal:
            output.write(drawn(found, lines).encode(), styled=True)
        else:
            output.write(written(found, lines, to))
        if not quiet:
            summarize(choice, scan, None if where is None else lines)
            print(f"{field}: {counts.distinct(field)} different values", file=sys.stderr)
    context.exit(scan.totals.status(strict=False))


def written(found: Sequence[Count], lines: int, to: str) -> bytes:
    r"""Write values, how many lines have them, and their shares.

    >>> written([Count(b"200", 3), Count(None, 1)], 4, "tsv")
    b'200\t3\t0.7500\n(none)\t1\t0.2500\n'
    """
    columns: list[Column] = [
        [count.value for count in found],
        [b"%d" % count.lines for count in found],
        [b"%.4f" % (count.lines / lines) for count in found],
    ]
    return sink("ndjson" if to == "ndjson" else "tsv", COLUMNS, null=NONE, numbers=COLUMNS[1:]).rows(columns)


def drawn(found: Sequence[Count], lines: int) -> str:
    """Draw them for a terminal, with bars."""
    from rich.bar import Bar  # noqa: PLC0415  it takes longer to load than many a log to read
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table as Grid  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console()
    grid = Grid.grid(padding=(0, 2))
    for justify in ("left", "right", "right", "left"):
        grid.add_column(justify=justify, no_wrap=True)
    for count in found:
        value = Text(NONE, "dim") if count.value is None else Text(visible(count.value))
        value = Text(shortened(value.plain, max(console.width - BESIDE, 20)), value.style)
        bar = Bar(found[0].lines, 0, count.lines, width=BAR_WIDTH, color="cyan")
        grid.add_row(value, f"{count.lines:,}", share(count.lines, lines), bar)
    with console.capture() as capture:
        console.print(grid)
    return capture.get()
