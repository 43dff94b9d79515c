"""Draw how formats read a log. This module imports rich, so it is imported only where this is drawn."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from urisect.cli.messages import visible
from urisect.logs.input.preview import FormatPreview
from urisect.logs.report.formatting import pluralize, shorten_middle

__all__ = ["draw_previews"]

# The widths of what stands beside the values, and of a value at least, in characters.
INDENT = 2
SPACE = 2
MIN_VALUE_WIDTH = 8


def draw_previews(previews: Sequence[FormatPreview]) -> str:
    """Draw a table for each format, with a row for each column, in the width of the terminal.

    Args:
        previews: the formats, the best first.

    >>> from urisect.logs import LIST
    >>> print(draw_previews([FormatPreview(LIST, 3, 1, [2], {"path": [b"/a"]})]), end="")
    list  Plain list of URIs
    matches 1 of the first 3 lines
            line 2
      path  /a
      4 more columns are undefined here
    """
    console = Console(highlight=False)
    with console.capture() as capture:
        for number, each in enumerate(previews):
            if number:
                console.print()
            _draw(console, each)
    return "\n".join(line.rstrip(" ") for line in capture.get().split("\n"))


def _draw(console: Console, each: FormatPreview) -> None:
    title = f"  {each.format.title}" if each.format.title else ""
    console.print(Text.assemble((visible(each.format.name), "bold cyan"), title), soft_wrap=True)
    console.print(Text(f"matches {each.parsed:,} of the first {pluralize(each.tried, 'lines')}", "dim"))
    if not each.lines:
        return
    console.print(_table(each, console.width))
    if undefined := len(each.format.columns) - len(each.columns):
        verb = "is" if undefined == 1 else "are"
        console.print(Text(f"  {pluralize(undefined, 'more columns')} {verb} undefined here", "dim"))


def _table(each: FormatPreview, width: int) -> Table:
    columns = {name: [_shown(value) for value in values] for name, values in each.columns.items()}
    natural = [max(map(len, texts)) for texts in zip(*columns.values(), strict=True)]
    fixed = INDENT + max(map(len, columns)) + SPACE * len(each.lines)
    widths = _share(natural, width - fixed)
    grid = Table.grid(padding=(0, SPACE, 0, 0))
    for _ in range(len(each.lines) + 1):
        grid.add_column(no_wrap=True)
    grid.add_row("", *(Text(f"line {line:,}", "dim") for line in each.lines))
    for name, texts in columns.items():
        cells = zip(texts, each.columns[name], widths, strict=True)
        grid.add_row(
            Text(" " * INDENT + name, "cyan"),
            *(Text(shorten_middle(text, most), "dim" if value is None else "") for text, value, most in cells),
        )
    return grid


def _shown(value: bytes | None) -> str:
    return "-" if value is None else visible(value).replace("\t", "\\t")


def _share(wishes: Sequence[int], available: int) -> list[int]:
    """Share a width among columns: a narrow one leaves what it does not need to the others.

    >>> _share([4, 90, 50], 100), _share([4, 5], 100)
    ([4, 48, 48], [4, 5])
    """
    shares = dict.fromkeys(range(len(wishes)), 0)
    left = available
    for number, index in enumerate(sorted(shares, key=wishes.__getitem__)):
        shares[index] = min(wishes[index], max(left // (len(wishes) - number), MIN_VALUE_WIDTH))
        left -= shares[index]
    return list(shares.values())
