"""Make the tables of a report about errors."""

from collections.abc import Iterator

from urisect.logs.report.cells import NARROW_CHARACTERS, reason_phrase, text_cell
from urisect.logs.report.combinations import decode_combination
from urisect.logs.report.formatting import escape_unprintable
from urisect.logs.report.model import Cell, ReportTable
from urisect.logs.report.table_summary import BROKEN_LINKS, ERROR_PATHS
from urisect.logs.report.value_tables import ValueTables

__all__ = ["error_tables"]


def error_tables(tables: ValueTables) -> Iterator[ReportTable]:
    """Yield tables of the paths with client errors, with server errors, and those that pages refer to in vain.

    Args:
        tables: makes tables of values.
    """
    for title, name in zip(("Client errors", "Server errors"), ERROR_PATHS.values(), strict=True):
        yield from tables.top_paths_with(name, title, "Status", _status_cells)
    yield from tables.top_paths_with(BROKEN_LINKS, "Not found, by referrer", "Referrer", _link_cells, is_wide=True)


def _status_cells(error: bytes) -> tuple[bytes | None, Cell]:
    status, _, path = error.partition(b" ")
    return path or None, Cell(escape_unprintable(status), reason_phrase(status))


def _link_cells(link: bytes) -> tuple[bytes | None, Cell]:
    path, host, page = decode_combination(link, 3)
    return path, text_cell((host or b"") + (page or b""), NARROW_CHARACTERS)
