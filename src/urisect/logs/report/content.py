"""Build the content of a report page from findings; a section, chart or table without data is left out."""

from collections.abc import Iterator, Sequence

from urisect.logs.input.files import STDIN
from urisect.logs.input.locations import path_of
from urisect.logs.report.cells import MAX_ROWS, make_table, status_cell
from urisect.logs.report.change_tables import change_tables
from urisect.logs.report.details import hazard_cards, parsing_notes, rejected_lines
from urisect.logs.report.error_tables import error_tables
from urisect.logs.report.findings import Findings
from urisect.logs.report.formatting import escape_unprintable, format_number
from urisect.logs.report.key_figures import key_figures
from urisect.logs.report.model import ReportTable, Section
from urisect.logs.report.request_tables import request_tables, site_tables
from urisect.logs.report.status_timeline import StatusTimeline
from urisect.logs.report.time_charts import TimeCharts
from urisect.logs.report.value_tables import ValueTables
from urisect.logs.report.visitor_tables import bot_tables, visitor_tables

__all__ = ["PageContent"]

CHANGES_LEAD = "What occurs more or less often than in the period before, by more than chance explains."
HAZARDS_LEAD = (
    "URLs that programs may read differently, or that may be meant to attack or to mislead. Not all of them are"
    " malicious."
)
REJECTED_LEAD = "Lines that do not match the log format. A highlight begins where the line stops matching."


class PageContent:
    """The content of a report page.

    Attributes:
        name: a name for the files.
        tiles: the key figures at the top.
        sections: the sections that have content.
    """

    def __init__(self, findings: Findings) -> None:
        """Query the counts, and build everything that the page shows.

        Args:
            findings: open findings, whose counts can be queried.
        """
        self._findings = findings
        self._tables = ValueTables(findings)
        self._statuses = StatusTimeline(findings)
        self._charts = TimeCharts(findings, self._statuses, self._tables.noun)
        self.name = _name_files(findings.files)
        self.tiles = key_figures(findings, self._statuses, self._tables.noun)
        self.sections = [section for section in self._sections() if any(section[3:])]

    def _sections(self) -> Iterator[Section]:
        findings, tables, charts = self._findings, self._tables, self._charts
        changes = list(change_tables(tables, self._statuses))
        yield Section("changes", "Changes", CHANGES_LEAD, tables=changes)
        yield Section("traffic", "Traffic", charts=list(charts.traffic()), tables=list(self._traffic_tables()))
        yield Section("sites", "Sites", tables=list(site_tables(tables)))
        title = "Requests" if tables.fields.is_log else "References"
        yield Section(title.lower(), title, tables=list(request_tables(tables)))
        yield Section("visitors", "Visitors", charts=list(charts.visitors()), tables=list(visitor_tables(tables)))
        yield Section("bots", "Bots", tables=list(bot_tables(tables)))
        yield Section("errors", "Errors", charts=list(charts.errors()), tables=list(error_tables(tables)))
        hazards = list(hazard_cards(findings, tables.noun))
        yield Section("suspicious", "Suspicious URLs", HAZARDS_LEAD, hazards=hazards)
        rejected, notes = list(rejected_lines(findings)), list(parsing_notes(findings))
        lead = REJECTED_LEAD if rejected else ""
        yield Section("unparsed", "Unparsed lines", lead, rejected=rejected, notes=notes)

    def _traffic_tables(self) -> Iterator[ReportTable]:
        if self._statuses.lines_without_status < self._findings.lines:
            statuses = self._statuses.statuses[:MAX_ROWS]
            table = make_table("Status codes", "Status", statuses, self._tables.columns_with_bytes, status_cell)
            yield table._replace(field=self._tables.fields.status or "")
        yield from self._tables.top("method", "Methods", "Method")


def _name_files(files: Sequence[str]) -> str:
    """Return a name for the files of a report.

    >>> _name_files(["/var/log/access.log"]), _name_files(["-"]), _name_files(["a", "b"])
    ('access.log', 'standard input', '2 files')
    """
    if len(files) != 1:
        return f"{format_number(len(files))} files"
    return (
        "standard input" if files[0] == STDIN else escape_unprintable(path_of(files[0]).rstrip("/").rpartition("/")[2])
    )
