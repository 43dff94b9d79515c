"""Draw tables of counts with bars. This module imports rich, so it is imported only where a table is drawn."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NoReturn

from rich.bar import Bar
from rich.columns import Columns
from rich.console import Console
from rich.table import Table
from rich.text import Text

from urisect.cli.messages import visible
from urisect.logs.output.atomic import OutputError
from urisect.logs.report.counts import ValueCount
from urisect.logs.report.formatting import format_share, shorten_middle

__all__ = ["draw_ranking", "print_tables"]

# The widths of columns, in characters.
RANKING_BAR_WIDTH = 20
RANKING_FIXED_WIDTH = 50  # all that stands beside a value
MIN_VALUE_WIDTH = 20
TABLE_VALUE_WIDTH = 26
TABLE_BAR_WIDTH = 10


def draw_ranking(counts: Sequence[ValueCount], lines: int) -> str:
    """Draw a ranking for a terminal: values, numbers of lines, shares, and bars.

    Args:
        counts: the values and their counts, the most frequent first.
        lines: how many lines were counted.
    """
    console = Console()
    grid = Table.grid(padding=(0, 2))
    for justify in ("left", "right", "right", "left"):
        grid.add_column(justify=justify, no_wrap=True)
    width = max(console.width - RANKING_FIXED_WIDTH, MIN_VALUE_WIDTH)
    for count in counts:
        value = "(none)" if count.value is None else shorten_middle(visible(count.value), width)
        style = "dim" if count.value is None else ""
        bar = _bar(count.lines, counts[0].lines, RANKING_BAR_WIDTH)
        grid.add_row(Text(value, style), f"{count.lines:,}", format_share(count.lines, lines), bar)
    with console.capture() as capture:
        console.print(grid)
    return capture.get()


def print_tables(headline: str, counts: Mapping[str, Counter[bytes]], *, most: int) -> None:
    """Print tables of the most frequent values side by side.

    Args:
        headline: printed above the tables.
        counts: the counts of each table, by its title.
        most: how many values each table shows.
    """
    console = _Console()
    console.print(f"{headline}\n", highlight=False)
    tables = [_table(title, count, most) for title, count in counts.items()]
    console.print(Columns(tables, padding=(1, 4)))


class _Console(Console):
    """A console that leaves a closed pipe to the command."""

    def on_broken_pipe(self) -> NoReturn:
        raise OutputError("standard output", BrokenPipeError())


def _table(title: str, count: Counter[bytes], most: int) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, show_header=False, pad_edge=False)
    table.add_column(width=TABLE_VALUE_WIDTH, no_wrap=True)
    table.add_column(justify="right")
    table.add_column(width=TABLE_BAR_WIDTH)
    rows = count.most_common(most)
    for value, lines in rows:
        table.add_row(Text(visible(value)), f"{lines:,}", _bar(lines, rows[0][1], TABLE_BAR_WIDTH))
    return table


def _bar(part: int, whole: int, width: int) -> Bar:
    return Bar(whole, 0, part, width=width, color="cyan")
