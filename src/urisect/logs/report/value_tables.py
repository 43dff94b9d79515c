"""Make the tables of a report that rank values: of a field, or of paths with something else."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from operator import attrgetter

from urisect.logs.report.cells import (
    BYTES,
    ERRORS,
    MAX_ROWS,
    NARROW_CHARACTERS,
    PEOPLE,
    WIDE_CHARACTERS,
    NumberColumn,
    bounded,
    make_table,
    share_column,
    text_cell,
    value_cell,
)
from urisect.logs.report.counts import ValueFilter
from urisect.logs.report.findings import Findings
from urisect.logs.report.formatting import format_number
from urisect.logs.report.model import Cell, ReportTable
from urisect.logs.report.own_hosts import find_own_hosts

__all__ = ["ValueTables", "host_title"]


class ValueTables:
    """Tables of values, as far as the format of the log has the fields.

    Attributes:
        findings: what they are about.
        fields: the fields that were counted.
        noun: what lines are, such as "requests".
        lines: the column of lines.
        columns: the columns of most tables: lines, their share, and those of people.
        columns_with_bytes: with bytes, if they are known.
        columns_with_errors: with errors and bytes, if they are known.
    """

    def __init__(self, findings: Findings) -> None:
        """Choose the columns.

        Args:
            findings: open findings, whose counts can be queried.
        """
        self.findings = findings
        self.fields = findings.summarizer
        self.noun = "requests" if self.fields.is_log else "lines"
        self.lines = NumberColumn(
            self.noun.capitalize(), lambda count: Cell(format_number(count.lines), sort_key=count.lines)
        )
        sizes, errors = ((BYTES,) if self.fields.size else ()), ((ERRORS,) if self.fields.status else ())
        people = (PEOPLE,) if self.fields.agent else ()
        self.columns: Sequence[NumberColumn] = (self.lines, share_column(findings.lines), *people)
        self.columns_with_bytes = (*self.columns, *sizes)
        self.columns_with_errors = (*self.columns, *errors, *sizes)

    @cached_property
    def own_hosts(self) -> list[str]:
        """The hosts of the site."""
        return find_own_hosts(self.findings)

    def top(
        self,
        name: str | None,
        title: str,
        first_column: str,
        columns: Sequence[NumberColumn] | None = None,
        *,
        by: str = "lines",
        is_wide: bool = False,
        only: ValueFilter | None = None,
    ) -> Iterator[ReportTable]:
        """Yield a table of the most frequent values, if there are any.

        Args:
            name: what was counted; None for a field that the format does not have.
            title: of the table.
            first_column: the title of the column of values.
            columns: the other columns.
            by: what the values are ordered by; see `CountDatabase.top`.
            is_wide: whether the table takes the full width of the page.
            only: the values that the table is about; all by default.
        """
        counts = self.findings.counts
        if name is not None and (distinct := counts.distinct(name, only=only)):
            cell = partial(value_cell, length=WIDE_CHARACTERS if is_wide else NARROW_CHARACTERS)
            values = counts.top(name, MAX_ROWS, by=by, only=only)
            table = make_table(title, first_column, values, columns or self.columns, cell, distinct)
            field = name if name in self.findings.format.fields else ""
            yield table._replace(is_wide=is_wide, field=field)

    def top_by_bytes(
        self, name: str | None, title: str, first_column: str, *, is_wide: bool = False
    ) -> Iterator[ReportTable]:
        """Yield a table of the values with the most bytes, if any were sent; see `top`."""
        if name is not None and (sent := self.findings.counts.total(name).bytes):
            columns = (BYTES, share_column(sent, attrgetter("bytes")), self.lines)
            yield from self.top(name, title, first_column, columns, by="bytes", is_wide=is_wide)

    def top_paths_with(
        self,
        name: str,
        title: str,
        last_column: str,
        cells: Callable[[bytes], tuple[bytes | None, Cell]],
        *,
        note: str = "",
        is_wide: bool = False,
        only: ValueFilter | None = None,
    ) -> Iterator[ReportTable]:
        """Yield a table of values that are a path and something else, if there are any.

        Args:
            name: what was counted.
            title: of the table.
            last_column: the title of its last column.
            cells: returns the path of a value, and the cell of the last column.
            note: a remark beside the title.
            is_wide: whether the table takes the full width of the page.
            only: the values that the table is about; all by default.
        """
        counts = self.findings.counts
        rows = [
            (text_cell(path, NARROW_CHARACTERS), self.lines.cell(count), cell)
            for count in counts.top(name, MAX_ROWS, only=only)
            for path, cell in (cells(count.value or b""),)
        ]
        if rows:
            titles = ("Path", self.lines.title, last_column)
            distinct, field = counts.distinct(name, only=only), self.fields.path or ""
            yield ReportTable(title, titles, bounded(rows), note, is_wide=is_wide, distinct=distinct, field=field)


def host_title(field: str) -> str:
    """Return the title of a table of hosts.

    Args:
        field: the field with the hosts.

    >>> host_title("server"), host_title("host")
    ('Servers', 'Hosts')
    """
    return {"server": "Servers", "target_host": "Hosts in request targets"}.get(field, "Hosts")
