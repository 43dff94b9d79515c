"""Make the cells and tables of a report from counts."""

from collections.abc import Callable, Iterable, Sequence
from http import HTTPStatus
from operator import attrgetter
from typing import NamedTuple

from urisect.logs.formats.notation import MICROSECONDS_PER_SECOND
from urisect.logs.report.counts import ValueCount
from urisect.logs.report.formatting import (
    escape_unprintable,
    format_bytes,
    format_duration,
    format_number,
    format_seconds,
    format_share,
    shorten_middle,
    utc_datetime,
)
from urisect.logs.report.model import Cell, ReportTable

__all__ = [
    "BYTES",
    "ERRORS",
    "LONGEST_TIME",
    "MAX_ROWS",
    "MEAN_TIME",
    "NARROW_CHARACTERS",
    "PEOPLE",
    "TOTAL_TIME",
    "UNDEFINED_TEXT",
    "WIDE_CHARACTERS",
    "NumberColumn",
    "bounded",
    "change_cell",
    "duration_cell",
    "format_microseconds",
    "format_time",
    "make_table",
    "name_cell",
    "reason_phrase",
    "share_column",
    "status_cell",
    "text_cell",
    "value_cell",
]

MAX_ROWS = 500  # of a table
MAX_ROW_BYTES = 1 << 16  # of the rows of a table: fewer if values are long
WIDE_CHARACTERS, NARROW_CHARACTERS = 110, 56  # of a value in these tables
TOOLTIP_CHARACTERS = 2000
SECONDS_PER_MINUTE = 60
UNDEFINED_TEXT = "(none)"


class NumberColumn(NamedTuple):
    """A column of numbers: its title, and a function that makes a cell of a count."""

    title: str
    cell: Callable[[ValueCount], Cell]


BYTES = NumberColumn(
    "Bytes",
    lambda count: Cell(format_bytes(count.bytes), f"{format_number(count.bytes)} bytes", count.bytes),
)


TOTAL_TIME = NumberColumn(
    "Total time",
    lambda count: Cell(
        format_seconds(count.seconds) if count.seconds < SECONDS_PER_MINUTE else format_duration(int(count.seconds)),
        sort_key=count.seconds,
    ),
)


MEAN_TIME = NumberColumn(
    "Mean time",
    lambda count: Cell(format_seconds(count.seconds / count.lines), sort_key=count.seconds / count.lines),
)


LONGEST_TIME = NumberColumn("Longest time", lambda count: Cell(format_seconds(count.longest), sort_key=count.longest))


PEOPLE = NumberColumn(
    "People",
    lambda count: Cell(
        format_number(count.lines - count.bots), f"{format_number(count.bots)} by bots", count.lines - count.bots
    ),
)


ERRORS = NumberColumn(
    "Errors",
    lambda count: Cell(
        format_number(count.client_errors + count.server_errors),
        f"4xx: {format_number(count.client_errors)}, 5xx: {format_number(count.server_errors)}",
        count.client_errors + count.server_errors,
    ),
)


def share_column(whole: int, part_of: Callable[[ValueCount], int] = attrgetter("lines")) -> NumberColumn:
    """Return a column with the share of a whole, and a bar."""

    def cell(count: ValueCount) -> Cell:
        part = part_of(count)
        return Cell(format_share(part, whole), sort_key=part, has_bar=True)

    return NumberColumn("Share", cell)


def make_table(
    title: str,
    first_column: str,
    counts: Sequence[ValueCount],
    columns: Sequence[NumberColumn],
    first_cell: Callable[[ValueCount], Cell],
    distinct: int = 0,
) -> ReportTable:
    """Make a table of counts, one per row."""
    rows = bounded((first_cell(count), *(column.cell(count) for column in columns)) for count in counts)
    titles = (first_column, *(column.title for column in columns))
    return ReportTable(title, titles, rows, distinct=max(distinct, len(counts)))


def bounded(rows: Iterable[Sequence[Cell]]) -> list[Sequence[Cell]]:
    """Return the first rows, as many as a page has space for.

    >>> len(bounded([[Cell("a" * 1000)]] * 100))
    65
    """
    found: list[Sequence[Cell]] = []
    size = 0
    for row in rows:
        size += _size_in_script("".join([cell.text + cell.tooltip for cell in row]))
        if size > MAX_ROW_BYTES:
            break
        found.append(row)
    return found


def _size_in_script(text: str) -> int:
    """Return how many bytes a text takes in a script, where some characters are escaped."""
    return len(text.encode()) + 5 * sum(map(text.count, "<>&'"))


def value_cell(count: ValueCount, length: int) -> Cell:
    """Make a cell of the value of a count, shortened to a length."""
    return text_cell(count.value, length)


def text_cell(value: bytes | None, length: int) -> Cell:
    """Make a cell of a value, shortened to a length."""
    if value is None:
        return Cell(UNDEFINED_TEXT, is_quiet=True)
    text = escape_unprintable(value)
    short = shorten_middle(text, length)
    return Cell(short, "" if short == text else shorten_middle(text, TOOLTIP_CHARACTERS), is_code=True)


def name_cell(count: ValueCount) -> Cell:
    """Make a cell of the value of a count, which is a name."""
    return text_cell(count.value, NARROW_CHARACTERS)._replace(is_code=False)


def status_cell(count: ValueCount) -> Cell:
    """Return a cell with a status code and its reason phrase."""
    cell = name_cell(count)
    return cell._replace(text=f"{cell.text} {reason_phrase(count.value)}")


def reason_phrase(status: bytes | None) -> str:
    """Return the reason phrase of a status code (RFC 9110, 15), or "" if the code is unknown.

    >>> reason_phrase(b"404"), reason_phrase(b"999"), reason_phrase(None)
    ('Not Found', '', '')
    """
    try:
        return HTTPStatus(int(status or b"")).phrase
    except ValueError:
        return ""


def duration_cell(microseconds: int | None) -> Cell:
    """Make a cell of a duration."""
    return Cell(format_microseconds(microseconds or 0), sort_key=microseconds)


def change_cell(difference: int) -> Cell:
    """Make a cell of a difference, marked by its direction.

    >>> change_cell(1234).text, change_cell(-5).text
    ('▲ 1,234', '▼ 5')
    """
    return Cell(f"{'▲' if difference > 0 else '▼'} {format_number(abs(difference))}", sort_key=difference)


def format_microseconds(microseconds: float) -> str:
    """Format a duration."""
    return format_seconds(microseconds / MICROSECONDS_PER_SECOND)


def format_time(microseconds: int) -> str:
    """Format a time, which is given in microseconds since 1970."""
    return utc_datetime(microseconds).isoformat(" ", "seconds")[:19]
