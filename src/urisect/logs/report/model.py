"""What a page consists of, in the words of the page: tiles, sections, charts, tables, and texts with a marked place."""

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Cell", "Figure", "Key", "Passage", "Section", "Table", "Tile", "Unread", "Warned"]


class Tile(NamedTuple):
    """A number that matters.

    Attributes:
        label: what it is.
        value: the number, as it is written.
        notes: what else there is to say of it, in pieces between which a line may break.

    >>> Tile("Requests", "1,234").value
    '1,234'
    """

    label: str
    value: str
    notes: Sequence[str] = ()


class Cell(NamedTuple):
    """What stands in a table.

    Attributes:
        text: what is shown.
        title: what the pointer tells of it, if that is more.
        order: what it is sorted by; None for text.
        bar: a drawing of it, as markup.
        is_code: whether it is written as code is.
        is_quiet: whether it matters less.

    >>> Cell("1,234", order=1234).order
    1234
    """

    text: str
    title: str = ""
    order: float | None = None
    bar: str = ""
    is_code: bool = False
    is_quiet: bool = False


class Table(NamedTuple):
    """A table.

    Attributes:
        title: what it shows.
        columns: the titles of the columns; the rows are sorted by the second one.
        rows: of cells.
        note: what else there is to say of it.
        is_wide: whether it takes the whole width.

    >>> Table("Methods", ["Method"], []).is_wide
    False
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    is_wide: bool = False


class Key(NamedTuple):
    """What a colour in a chart means.

    Attributes:
        swatch: a drawing of it, as markup.
        name: what it means.
        value: how much there is of it.

    >>> Key("<svg/>", "2xx", "1,234").name
    '2xx'
    """

    swatch: str
    name: str
    value: str


class Figure(NamedTuple):
    """A chart.

    Attributes:
        title: what it shows.
        scale: the labels of its vertical axis, as markup.
        bars: the chart, as markup.
        keys: what the colours mean.

    >>> Figure("Requests per hour", "<svg/>", "<svg/>").title
    'Requests per hour'
    """

    title: str
    scale: str
    bars: str
    keys: Sequence[Key] = ()


class Passage(NamedTuple):
    """A text in which a place is marked: what stands before it, the place, and what stands after it.

    >>> Passage("/a", "%00", ".txt").marked
    '%00'
    """

    before: str
    marked: str
    after: str


class Warned(NamedTuple):
    """A kind of hazard that was seen.

    Attributes:
        code: which.
        place: in what.
        times: how often, in words.
        example: the first one.
        message: what there is to know of that.
        section: where it is from.
        link: where that is to be read.

    >>> Warned("userinfo", "request", "1 request", Passage("//", "a", "@b"), "…", "RFC 3986, 7.6", "").code
    'userinfo'
    """

    code: str
    place: str
    times: str
    example: Passage
    message: str
    section: str
    link: str


class Unread(NamedTuple):
    """A line that was rejected.

    Attributes:
        place: the file, and the number of the line.
        text: the line; what cannot be read is marked.
        reason: why.

    >>> Unread("access.log:7", Passage("", "quit", ""), "").place
    'access.log:7'
    """

    place: str
    text: Passage
    reason: str


class Section(NamedTuple):
    """A part of the page.

    Attributes:
        id: what leads to it.
        title: what it is about.
        figures: charts.
        tables: tables.
        warned: hazards.
        unread: lines that were rejected.
        notes: sentences.

    >>> Section("hazards", "Hazards").title
    'Hazards'
    """

    id: str
    title: str
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    warned: Sequence[Warned] = ()
    unread: Sequence[Unread] = ()
    notes: Sequence[str] = ()
