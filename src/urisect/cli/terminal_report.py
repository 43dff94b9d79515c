"""Draw a report on a terminal: the sections of the HTML page, as text. Nothing from the log acts on the terminal."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from math import ceil

from urisect.cli.styles import bold, cyan, dim, red, yellow
from urisect.cli.widths import display_width, shorten_to_width
from urisect.logs.report.model import Chart, HighlightedText, LegendEntry, ReportTable, Section, Tile

__all__ = ["draw_report"]


GAP = "  "
MAX_WIDTH = 120  # numbers far from their names are hard to read
MIN_NAME_WIDTH = 12
MAX_ROWS = 10  # of a table
MAX_BAR_WIDTH = 10  # of a chart
BLOCKS = " ▁▂▃▄▅▆▇█"


def draw_report(title: str, about: str, tiles: Sequence[Tile], sections: Sequence[Section], width: int) -> str:
    """Draw a report, with styles.

    Args:
        title: its title.
        about: a line below the title.
        tiles: the key figures.
        sections: the sections.
        width: of the terminal, in characters.
    """
    width = min(width, MAX_WIDTH)
    parts = [[bold(title), *map(dim, textwrap.wrap(about, width))], [*_draw_tiles(tiles, width)]]
    for section in sections:
        parts.append([bold(cyan(section.title.upper()))])
        parts += [[*_draw_chart(chart, width)] for chart in section.charts]
        parts += [[*_draw_table(table, width)] for table in section.tables]
        for hazard in section.hazards:
            heading = f"{yellow(hazard.code)} {dim(f'{hazard.frequency}, {hazard.place}')}"
            parts.append([heading, _mark(hazard.example, yellow), *textwrap.wrap(hazard.message, width)])
        for line in section.rejected:
            parts.append([f"{bold(line.place)} {dim(line.reason)}", _mark(line.text, red)])
        if section.notes:
            parts.append([*section.notes])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _draw_tiles(tiles: Sequence[Tile], width: int) -> Iterator[str]:
    names, values = (max(map(len, texts)) for texts in zip(*(tile[:2] for tile in tiles), strict=True))
    indentation = names + values + 2 * len(GAP)
    for tile in tiles:
        before = [f"before: {tile.before}{';' if tile.notes else ''}"] if tile.before else []
        notes = " ".join([*before, *tile.notes])
        first, *others = textwrap.wrap(notes, max(width - indentation, MIN_NAME_WIDTH)) or [""]
        yield f"{dim(tile.label.ljust(names))}{GAP}{bold(tile.value.ljust(values))}{GAP}{dim(first)}"
        yield from (" " * indentation + dim(note) for note in others)


def _draw_chart(chart: Chart, width: int) -> Iterator[str]:
    """Draw a chart as one row of blocks, and below it where the time axis begins and ends.

    If there are more bars than cells, a cell shows the highest of several.
    """
    merged = ceil(len(chart.totals) / width)
    totals = [max(chart.totals[first : first + merged]) for first in range(0, len(chart.totals), merged)]
    highest = max(totals) or 1
    cells = max(min(width // len(totals), MAX_BAR_WIDTH), 1)
    blocks = (BLOCKS[ceil(total * (len(BLOCKS) - 1) / highest)] for total in totals)
    first, last = chart.names[0], chart.names[-1]
    yield f"{bold(chart.title)}, UTC {dim(f'up to {chart.highest}')}"
    yield cyan("".join(block * cells for block in blocks))
    yield dim(first + last.rjust(max(cells * len(totals), len(first) + len(last) + 1) - len(first)))
    yield from _draw_legend(chart.legend, width)


def _draw_legend(legend: Sequence[LegendEntry], width: int) -> Iterator[str]:
    """Draw the parts of a chart, as many in a line as fit."""
    line, used = "", 0
    for number, entry in enumerate(legend, 1):
        comma = "," if number < len(legend) else ""
        length = display_width(f"{entry.name} {entry.value}{comma}")
        if line and used + 1 + length > width:
            yield line
            line, used = "", 0
        gap = " " if line else ""
        line += f"{gap}{entry.name} {bold(entry.value)}{comma}"
        used += len(gap) + length
    if line:
        yield line


def _draw_table(table: ReportTable, width: int) -> Iterator[str]:
    rows = [[cell.text for cell in row] for row in table.rows[:MAX_ROWS]]
    numbers = [max(map(display_width, column)) for column in zip(table.columns, *rows, strict=True)][1:]
    names = max(width - sum(numbers) - len(GAP) * len(numbers), MIN_NAME_WIDTH)
    names = min(names, max(display_width(name) for name in (table.columns[0], *(row[0] for row in rows))))
    note = "; ".join(filter(None, (table.extent(len(rows)), table.note)))
    yield f"{bold(table.title)} {dim(note)}" if note else bold(table.title)
    yield dim(_row([*table.columns], names, numbers))
    for name, *cells in rows:
        yield _row([shorten_to_width(name, names), *cells], names, numbers)


def _row(texts: Sequence[str], names: int, numbers: Sequence[int]) -> str:
    """Align a name to the left, and numbers to the right."""
    name = texts[0] + " " * (names - display_width(texts[0]))
    cells = (" " * (width - display_width(text)) + text for text, width in zip(texts[1:], numbers, strict=True))
    return GAP.join((name, *cells))


def _mark(text: HighlightedText, style: Callable[[str], str]) -> str:
    return f"{GAP}{text.before}{style(text.highlighted)}{text.after}"
