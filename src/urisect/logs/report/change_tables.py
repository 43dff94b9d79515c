"""Make the tables of a report about what changed since the period before."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from urisect.logs.report.cells import MAX_ROWS, NARROW_CHARACTERS, WIDE_CHARACTERS, bounded, change_cell, text_cell
from urisect.logs.report.comparison import Change, changes_between, changes_of
from urisect.logs.report.formatting import format_number
from urisect.logs.report.model import Cell, ReportTable
from urisect.logs.report.own_hosts import exclude_hosts
from urisect.logs.report.request_tables import NOT_ASSETS
from urisect.logs.report.status_timeline import StatusTimeline
from urisect.logs.report.value_tables import ValueTables, host_title

if TYPE_CHECKING:
    from urisect.logs.report.counts import ValueFilter

__all__ = ["change_tables"]


def change_tables(tables: ValueTables, statuses: StatusTimeline) -> Iterator[ReportTable]:
    """Yield tables of what occurs more or less often than in the period before, if there is one.

    Args:
        tables: makes tables of values.
        statuses: the status codes of this period.
    """
    for title, first_column, changes in _changes(tables, statuses):
        is_wide = first_column == "Path"
        rows = bounded(
            (
                text_cell(change.value, WIDE_CHARACTERS if is_wide else NARROW_CHARACTERS),
                change_cell(change.difference),
                Cell(format_number(change.lines), sort_key=change.lines),
                Cell(format_number(change.before), sort_key=change.before),
            )
            for change in changes
            if change.value is not None
        )
        if rows:
            titles = (first_column, "Change", tables.lines.title, "Before")
            yield ReportTable(f"Changed {title}", titles, rows, is_wide=is_wide, is_sorted=False)


def _changes(tables: ValueTables, statuses: StatusTimeline) -> Iterator[tuple[str, str, list[Change]]]:
    """Yield what is compared, the title of its column, and its changes."""
    before = tables.findings.before
    if before is None or statuses.before is None:
        return
    yield "status codes", "Status", changes_between(statuses.statuses, statuses.before.statuses, MAX_ROWS)
    pages = ("pages", "Path", NOT_ASSETS) if tables.fields.is_log else ("paths", "Path", None)
    compared: dict[str | None, tuple[str, str, ValueFilter | None]] = {
        tables.fields.path: pages,
        "referer_host": ("referring hosts", "Host", exclude_hosts(tables.own_hosts)),
        tables.fields.client: ("clients", "Client", None),
        **{host: (host_title(host).lower(), "Host", None) for host in tables.fields.hosts},
        tables.fields.agent: ("user agents", "User agent", None),
    }
    for name, (title, first_column, only) in compared.items():
        if name is not None:
            changes = changes_of(name, tables.findings.counts, before.counts, MAX_ROWS, only=only)
            yield title, first_column, changes
