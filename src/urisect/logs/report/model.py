"""The parts of a report page: tiles, sections, charts, tables, and texts with a highlighted part."""

from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "Cell",
    "Chart",
    "HazardCard",
    "HighlightedText",
    "LegendEntry",
    "RejectedLine",
    "ReportTable",
    "Section",
    "Tile",
]

# The rows that are shown first, of a table with the full width of the page, and of one with half of it.
WIDE_ROWS, NARROW_ROWS = 15, 10


class Tile(NamedTuple):
    """A key figure at the top of the page.

    Attributes:
        label: what the figure shows.
        value: the figure, formatted.
        notes: details, in parts between which a line may break.
        before: the figure in the period before; "" without a comparison.
    """

    label: str
    value: str
    notes: Sequence[str] = ()
    before: str = ""


class Cell(NamedTuple):
    """A cell of a table.

    Attributes:
        text: the visible text.
        tooltip: a longer text, if there is one.
        sort_key: the number by which the column is sorted; None for text.
        has_bar: whether a bar shows the number, in proportion to the greatest of the table.
        is_code: whether the text is set as code.
        is_quiet: whether the text is less important.
    """

    text: str
    tooltip: str = ""
    sort_key: float | None = None
    has_bar: bool = False
    is_code: bool = False
    is_quiet: bool = False


class ReportTable(NamedTuple):
    """A table. It shows some rows; a script of the page shows the others.

    Attributes:
        title: what the table shows.
        columns: the titles of the columns.
        rows: the cells of each row.
        note: a remark beside the title.
        is_wide: whether the table takes the full width of the page.
        distinct: how many rows there would be in all; 0 if these are all.
        is_sorted: whether the rows are in descending order of the second column.
        field: the field of the log whose values are in the first column; "" if they are of none.

    >>> table = ReportTable("Numbers", ["Number"], [[Cell(str(number))] for number in range(20)])
    >>> len(table.visible_rows), table.extent(len(table.visible_rows)), table.is_complete
    (10, 'top 10 of 20', True)
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    is_wide: bool = False
    distinct: int = 0
    is_sorted: bool = True
    field: str = ""

    @property
    def visible_rows(self) -> Sequence[Sequence[Cell]]:
        """The rows that are shown first."""
        return self.rows[: WIDE_ROWS if self.is_wide else NARROW_ROWS]

    @property
    def is_complete(self) -> bool:
        """Whether the rows are all there are."""
        return self.distinct <= len(self.rows)

    @property
    def longest_bar(self) -> float:
        """The greatest number that a bar shows."""
        return max((cell.sort_key or 0 for row in self.rows for cell in row if cell.has_bar), default=0)

    def extent(self, shown: int) -> str:
        """Return how many rows are shown of all; "" if it is all of them."""
        number = max(self.distinct, len(self.rows))
        return f"top {shown} of {number:,}" if number > shown else ""


class LegendEntry(NamedTuple):
    """The meaning of one colour in a chart.

    Attributes:
        swatch: a sample of the colour, as markup.
        name: what the colour stands for.
        value: its total, formatted.
    """

    swatch: str
    name: str
    value: str


class Chart(NamedTuple):
    """A bar chart over time.

    Attributes:
        title: what the chart shows.
        axis: the labels of the vertical axis, as markup.
        bars: the bars with the time axis, as markup.
        names: the names of the bars.
        totals: their values.
        highest: the highest value, formatted.
        legend: the colours; empty if there is only one.
    """

    title: str
    axis: str
    bars: str
    names: Sequence[str]
    totals: Sequence[float]
    highest: str
    legend: Sequence[LegendEntry] = ()


class HighlightedText(NamedTuple):
    """A text with one highlighted part.

    Attributes:
        before: the text before the part.
        highlighted: the part.
        after: the text after the part.
    """

    before: str
    highlighted: str
    after: str


class HazardCard(NamedTuple):
    """One kind of hazard in the URIs of the log.

    Attributes:
        code: the code of the hazard.
        place: in which URI of a line it occurs.
        frequency: how many lines have it, in words.
        example: the first reference that has it.
        message: what the hazard is.
        section: the section of the document that describes it.
        link: the address of that section.
    """

    code: str
    place: str
    frequency: str
    example: HighlightedText
    message: str
    section: str
    link: str


class RejectedLine(NamedTuple):
    """A line that does not match the format.

    Attributes:
        place: the file and the line number.
        text: the line; the part that does not match is highlighted.
        reason: why it does not match, if known.
    """

    place: str
    text: HighlightedText
    reason: str


class Section(NamedTuple):
    """A section of the page.

    Attributes:
        id: the fragment that links to it.
        title: its heading.
        lead: a sentence below it.
        charts: its charts.
        tables: its tables.
        hazards: its hazards.
        rejected: its rejected lines.
        notes: sentences at its end.
    """

    id: str
    title: str
    lead: str = ""
    charts: Sequence[Chart] = ()
    tables: Sequence[ReportTable] = ()
    hazards: Sequence[HazardCard] = ()
    rejected: Sequence[RejectedLine] = ()
    notes: Sequence[str] = ()
