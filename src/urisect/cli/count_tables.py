"""Draw tables of counts with bars. This module imports rich, so it is imported only where a table is drawn."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.bar import Bar
from rich.columns import Columns
from rich.console import Console
from rich.table import Table
from rich.text import Text

from urisect.cli.messages import visible
from urisect.cli.widths import display_width, fit_widths, shorten_to_width
from urisect.logs.ranking import CombinationRanking
from urisect.logs.report.formatting import format_share

__all__ = ["draw_ranking", "draw_tables"]

# The widths of columns, in characters.
RANKING_BAR_WIDTH = 20
MIN_VALUE_WIDTH = 8
GAP = 2
TABLE_VALUE_WIDTH = 26
TABLE_BAR_WIDTH = 10


def draw_ranking(fields: Sequence[str], ranking: CombinationRanking) -> str:
    """Draw a ranking for a terminal: values, numbers of lines, shares, and bars, below the names of the columns.

    Args:
        fields: the names of the fields.
        ranking: the combinations of their values, with one value if there is one field.
    """
    console = Console()
    names = list(map(visible, fields))
    rows = [["(none)" if value is None else visible(value) for value in values] for values, _ in ranking.counts]
    numbers = [(f"{lines:,}", format_share(lines, ranking.lines)) for _, lines in ranking.counts]
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    number_widths = [max(map(len, column)) for column in zip(("lines", "share"), *numbers, strict=True)]
    available = console.width - sum(number_widths) - GAP * (len(fields) + len(number_widths))
    needed = [max(map(display_width, column)) for column in zip(names, *rows, strict=True)]
    bar_width = RANKING_BAR_WIDTH if sum(needed) + RANKING_BAR_WIDTH <= available else TABLE_BAR_WIDTH
    widths = fit_widths(needed, [min(need, MIN_VALUE_WIDTH) for need in needed], available - bar_width)
    for name, width in zip(names, widths, strict=True):
        table.add_column(Text(shorten_to_width(name, width)), width=width, no_wrap=True)
    for name in ("lines", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(width=bar_width)
    for texts, number, (values, lines) in zip(rows, numbers, ranking.counts, strict=True):
        cells = [
            Text(shorten_to_width(text, width), "dim" if value is None else "")
            for text, width, value in zip(texts, widths, values, strict=True)
        ]
        table.add_row(*cells, *number, _bar(lines, ranking.counts[0].lines, bar_width))
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def draw_tables(headline: str, counts: Mapping[str, Counter[bytes]], *, most: int) -> str:
    """Draw tables of the most frequent values side by side.

    Args:
        headline: drawn above the tables.
        counts: the counts of each table, by its title.
        most: how many values each table shows.
    """
    console = Console()
    tables = [_table(title, count, most) for title, count in counts.items()]
    with console.capture() as capture:
        console.print(f"{headline}\n", highlight=False)
        console.print(Columns(tables, padding=(1, 4)))
    return capture.get()


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
