"""Build the content of a report page from findings; a section, chart or table without data is left out."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from operator import attrgetter
from urllib.parse import unquote_to_bytes

from urisect.logs.input.files import STDIN
from urisect.logs.input.locations import path_of
from urisect.logs.report.audience import count_bots, count_browsers_and_systems
from urisect.logs.report.cells import (
    BYTES,
    ERRORS,
    LONGEST_TIME,
    MAX_ROWS,
    MEAN_TIME,
    NARROW_CHARACTERS,
    PEOPLE,
    TOTAL_TIME,
    WIDE_CHARACTERS,
    NumberColumn,
    bounded,
    change_cell,
    duration_cell,
    format_time,
    make_table,
    name_cell,
    reason_phrase,
    share_column,
    status_cell,
    text_cell,
    value_cell,
)
from urisect.logs.report.combinations import decode_combination
from urisect.logs.report.comparison import changes_between, changes_of
from urisect.logs.report.counts import ValueCount, ValueFilter
from urisect.logs.report.details import hazard_cards, parsing_notes, rejected_lines
from urisect.logs.report.findings import Findings
from urisect.logs.report.formatting import (
    escape_unprintable,
    format_bytes,
    format_number,
    format_seconds,
    pluralize,
)
from urisect.logs.report.key_figures import key_figures
from urisect.logs.report.model import (
    Cell,
    ReportTable,
    Section,
)
from urisect.logs.report.pages import ASSET_PATTERN
from urisect.logs.report.rounding import PERCENTILES, percentiles
from urisect.logs.report.status_timeline import StatusTimeline
from urisect.logs.report.table_summary import (
    BROKEN_LINKS,
    DURATIONS_OF_PATHS,
    ENTRIES,
    ERROR_PATHS,
    PARAMETER_NAMES,
    QUERY_PARAMETERS,
    Response,
)
from urisect.logs.report.time_charts import TimeCharts

__all__ = ["ASSETS", "NOT_ASSETS", "SEARCHES", "PageContent"]

MAX_AGENTS = 10_000  # user agents that are looked at for browsers and bots: 10 µs each

MAX_OWN_HOSTS = 100
MAX_HOST_BYTES = 253  # of a name in DNS (RFC 1035, 2.3.4)

ASSETS, NOT_ASSETS = ValueFilter(ASSET_PATTERN), ValueFilter(ASSET_PATTERN, is_match=False)

# Query parameters in which sites get what is to be searched for.
SEARCHES = ValueFilter(r"(?i)^(?:q|query|s|search|search[_-]?(?:query|terms?|words?)|terms?|keywords?)=.")

ANY_VALUE = ValueFilter("")

CHANGES_LEAD = "What occurs more or less often than in the period before, by more than chance explains."
HAZARDS_LEAD = (
    "URLs that programs may read differently, or that may be meant to attack or to mislead. Not all of them are"
    " malicious."
)
REJECTED_LEAD = "Lines that do not match the log format. A highlight begins where the line stops matching."

HOST_TITLES = {"host": "Hosts", "server": "Servers", "target_host": "Hosts in request targets"}


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
        self._fields = findings.summarizer
        self._sites = [
            host for host in self._fields.hosts if self._fields.uri == "target_" != host.removesuffix("host")
        ]
        self._statuses = StatusTimeline(findings)
        self._noun = "requests" if self._fields.uri == "target_" else "lines"
        self._charts = TimeCharts(findings, self._statuses, self._noun)
        self._line_column = NumberColumn(
            self._noun.capitalize(), lambda count: Cell(format_number(count.lines), sort_key=count.lines)
        )
        self._columns: tuple[NumberColumn, ...] = (self._line_column, share_column(findings.lines))
        self._columns += (PEOPLE,) if self._fields.agent else ()
        self._columns_with_bytes = (*self._columns, *((BYTES,) if self._fields.size else ()))
        self._columns_with_errors = (*self._columns, *((ERRORS,) if self._fields.status else ()))
        self._columns_with_errors += (BYTES,) if self._fields.size else ()
        self.name = _name_files(findings.files)
        self.tiles = key_figures(findings, self._statuses, self._noun)
        self.sections = [section for section in self._sections() if any(section[3:])]

    def _sections(self) -> Iterator[Section]:
        findings = self._findings
        yield Section("changes", "Changes", CHANGES_LEAD, tables=list(self._change_tables()))
        yield Section("traffic", "Traffic", charts=list(self._charts.traffic()), tables=list(self._status_tables()))
        yield Section("sites", "Sites", tables=list(self._site_tables()))
        title = "Requests" if self._fields.uri == "target_" else "References"
        yield Section(title.lower(), title, tables=list(self._request_tables()))
        visitors = list(self._visitor_tables())
        yield Section("visitors", "Visitors", charts=list(self._charts.visitors()), tables=visitors)
        yield Section("bots", "Bots", tables=list(self._bot_tables()))
        yield Section("errors", "Errors", charts=list(self._charts.errors()), tables=list(self._error_tables()))
        hazards = list(hazard_cards(findings, self._noun))
        yield Section("suspicious", "Suspicious URLs", HAZARDS_LEAD, hazards=hazards)
        rejected, notes = list(rejected_lines(findings)), list(parsing_notes(findings))
        lead = REJECTED_LEAD if rejected else ""
        yield Section("unparsed", "Unparsed lines", lead, rejected=rejected, notes=notes)

    def _change_tables(self) -> Iterator[ReportTable]:
        """Yield tables of what occurs more or less often than in the period before."""
        findings, before = self._findings, self._findings.before
        if before is None:
            return
        statuses = changes_between(self._statuses.statuses, StatusTimeline(before).statuses, MAX_ROWS)
        is_target = self._fields.uri == "target_"
        names: dict[str | None, tuple[str, str, ValueFilter | None]] = {
            self._fields.path: ("Pages" if is_target else "Paths", "Path", NOT_ASSETS if is_target else None),
            "referer_host": ("Referring hosts", "Host", self._other_hosts()),
            self._fields.client: ("Clients", "Client", None),
            **{host: (HOST_TITLES.get(host, "Hosts"), "Host", None) for host in self._fields.hosts},
            self._fields.agent: ("User agents", "User agent", None),
        }
        by_title = {"Status codes": ("Status", statuses)}
        for name, (title, first_column, only) in names.items():
            if name is not None:
                changes = changes_of(name, findings.counts, before.counts, MAX_ROWS, only=only)
                by_title[title] = (first_column, changes)
        for title, (first_column, changes) in by_title.items():
            rows = bounded(
                (
                    text_cell(change.value, WIDE_CHARACTERS if first_column == "Path" else NARROW_CHARACTERS),
                    change_cell(change.difference),
                    Cell(format_number(change.lines), sort_key=change.lines),
                    Cell(format_number(change.before), sort_key=change.before),
                )
                for change in changes
                if change.value is not None
            )
            if rows:
                titles = (first_column, "Change", self._line_column.title, "Before")
                yield ReportTable(
                    f"Changed {title.lower()}", titles, rows, is_wide=first_column == "Path", is_sorted=False
                )

    def _status_tables(self) -> Iterator[ReportTable]:
        if self._statuses.lines_without_status < self._findings.lines:
            statuses = self._statuses.statuses[:MAX_ROWS]
            table = make_table("Status codes", "Status", statuses, self._columns_with_bytes, status_cell)
            yield table._replace(field=self._fields.status or "")
        yield from self._top_values("method", "Methods", "Method")

    def _request_tables(self) -> Iterator[ReportTable]:
        """Yield the tables of what was requested; in a list of references, hosts say more than paths."""
        tables = (self._path_tables(), self._host_tables())
        for each in tables if self._fields.uri == "target_" else reversed(tables):
            yield from each
        columns = (self._line_column, share_column(self._findings.lines))
        yield from self._top_values(PARAMETER_NAMES, "Query parameters", "Name", columns)
        yield from self._top_values(QUERY_PARAMETERS, "Query parameters with values", "Name and value", columns)
        yield from self._search_terms(columns)
        yield from self._top_responses("Largest responses", "Size", self._findings.largest.responses, format_bytes)
        yield from self._top_responses(
            "Slowest responses", "Response time", self._findings.slowest.responses, format_seconds
        )

    def _search_terms(self, columns: Sequence[NumberColumn]) -> Iterator[ReportTable]:
        """Yield a table of what visitors searched for on the site."""
        counts = self._findings.counts.top(QUERY_PARAMETERS, MAX_ROWS, only=SEARCHES)
        terms = [
            count._replace(value=unquote_to_bytes((count.value or b"").partition(b"=")[2].replace(b"+", b" ")))
            for count in counts
        ]
        if terms:
            distinct = self._findings.counts.distinct(QUERY_PARAMETERS, only=SEARCHES)
            cell = partial(value_cell, length=NARROW_CHARACTERS)
            yield make_table("Search terms", "Term", terms, columns, cell, distinct)

    def _path_tables(self) -> Iterator[ReportTable]:
        path = self._fields.path
        times = (MEAN_TIME, LONGEST_TIME) if self._fields.duration else ()
        parts = {"Pages": NOT_ASSETS, "Assets": ASSETS} if self._fields.uri == "target_" else {"Paths": None}
        for title, only in parts.items():
            columns = (*self._columns_with_errors, *times)
            yield from self._top_values(path, title, "Path", columns, is_wide=True, only=only)
        yield from self._entry_pages()
        yield from self._top_by_bytes(path, "Paths by bytes", "Path", is_wide=True)
        if times:
            by_time = (TOTAL_TIME, *times, self._line_column)
            yield from self._top_values(path, "Paths by total time", "Path", by_time, by="seconds", is_wide=True)
            yield from self._percentiles_of_paths(path)

    def _entry_pages(self) -> Iterator[ReportTable]:
        """Yield a table of the pages that people came to from other sites."""
        counts, own, only = self._findings.counts, self._own_hosts, None
        if own:  # the host is the second value of a combination
            own_host = rf"\\x01(?:[^\\]*[.])?(?:{'|'.join(map(re.escape, own))})\\x00\\x00\z"
            only = ValueFilter(f"(?i){own_host}", is_match=False)
        rows = [
            (
                text_cell(path, NARROW_CHARACTERS),
                self._line_column.cell(count),
                text_cell(host, NARROW_CHARACTERS),
            )
            for count in counts.top(ENTRIES, MAX_ROWS, only=only)
            for path, host in (decode_combination(count.value, 2),)
        ]
        if rows:
            titles = ("Path", self._line_column.title, "From")
            distinct = counts.distinct(ENTRIES, only=only)
            note = "requests by people who came from other sites"
            yield ReportTable(
                "Entry pages",
                titles,
                bounded(rows),
                note,
                is_wide=True,
                distinct=distinct,
                field=self._fields.path or "",
            )

    def _percentiles_of_paths(self, path: str | None) -> Iterator[ReportTable]:
        """Yield a table of the percentiles of the response times of the most frequent paths."""
        counts = self._findings.counts
        paths = [count.value for count in counts.top(path or "", MAX_ROWS)]
        numbers: dict[bytes | None, list[tuple[int, int]]] = {value: [] for value in paths}
        for value, number, lines in counts.numbers_of(DURATIONS_OF_PATHS, paths):
            numbers[value].append((number, lines))
        rows = [
            (
                text_cell(value, WIDE_CHARACTERS),
                Cell(format_number(lines := sum(times for _, times in found)), sort_key=lines),
                *(duration_cell(number) for number in percentiles(found)),
            )
            for value, found in numbers.items()
        ]
        if rows:
            titles = ("Path", self._line_column.title, *(f"p{percentage}" for percentage in PERCENTILES))
            note = "response times that this percentage of requests did not exceed, in two digits"
            distinct = counts.distinct(path or "")
            yield ReportTable(
                "Percentiles of response times", titles, bounded(rows), note, is_wide=True, distinct=distinct
            )

    def _site_tables(self) -> Iterator[ReportTable]:
        """Yield tables of the sites of a server, if it has several."""
        for host in self._sites:
            if self._findings.counts.distinct(host) > 1:
                yield from self._top_values(host, HOST_TITLES[host], "Host", self._columns_with_errors, is_wide=True)

    def _host_tables(self) -> Iterator[ReportTable]:
        for host in self._fields.hosts:
            if host not in self._sites:
                yield from self._top_values(host, HOST_TITLES.get(host, "Hosts"), "Host")
        yield from self._top_values(self._fields.scheme, "Schemes", "Scheme")

    def _visitor_tables(self) -> Iterator[ReportTable]:
        client = self._fields.client
        yield from self._top_values(client, "Clients", "Client", self._columns_with_bytes)
        yield from self._top_by_bytes(client, "Clients by bytes", "Client")
        if "referer_host" in self._fields.plain:
            yield from self._referrer_tables()
        if agent := self._fields.agent:
            agents = self._findings.counts.top(agent, MAX_AGENTS)
            note = _agents_note(self._findings.counts.distinct(agent))
            for title, counts in zip(("Browsers", "Systems"), count_browsers_and_systems(agents), strict=True):
                people = sum(count.lines for count in counts)
                columns = (self._line_column, share_column(people))
                if counts:
                    yield make_table(title, title[:-1], counts[:MAX_ROWS], columns, name_cell)._replace(note=note)
            yield from self._top_values(agent, "User agents", "User agent", self._columns_with_bytes, is_wide=True)

    def _referrer_tables(self) -> Iterator[ReportTable]:
        """Yield a table of the referring hosts, without the site's own."""
        own, only = self._own_hosts, self._other_hosts()
        for table in self._top_values("referer_host", "Referring hosts", "Host", only=only):
            left_out = self._findings.counts.total("referer_host", only=only and only._replace(is_match=True)).lines
            note = f"without {pluralize(left_out, self._noun)} from {', '.join(own[:3])}" if own and left_out else ""
            yield table._replace(note=note)

    def _other_hosts(self) -> ValueFilter | None:
        """Return a filter for hosts that are not the site's own; None if its own are unknown."""
        own = self._own_hosts
        return ValueFilter(rf"(?i)^(?:.*[.])?(?:{'|'.join(map(re.escape, own))})$", is_match=False) if own else None

    @cached_property
    def _own_hosts(self) -> list[str]:
        """The hosts of the site: those that were named, or requested, or the one that most referrers have."""
        counts = self._findings.counts
        if self._findings.own_hosts:
            return list(self._findings.own_hosts)
        for name in self._fields.hosts:
            if name != "target_host" and (hosts := _plain_texts(counts.top(name, MAX_OWN_HOSTS))):
                return hosts
        most_frequent = counts.top("referer_host", 1, only=ANY_VALUE)
        has_most = most_frequent and 2 * most_frequent[0].lines > counts.total("referer_host", only=ANY_VALUE).lines
        return [host.removeprefix("www.") for host in _plain_texts(most_frequent)] if has_most else []

    def _bot_tables(self) -> Iterator[ReportTable]:
        """Yield the table of bots."""
        agent = self._fields.agent
        if agent is None:
            return
        agents = [count for count in self._findings.counts.top(agent, MAX_AGENTS, by="bots") if count.bots]
        bots = count_bots(agents)
        columns = (self._line_column, share_column(self._findings.lines), *((BYTES,) if self._fields.size else ()))
        rows = [
            (
                name_cell(bot.total),
                *(column.cell(bot.total) for column in columns),
                Cell(format_number(bot.agents), sort_key=bot.agents),
                Cell(bot.purpose, is_quiet=True),
            )
            for bot in bots[:MAX_ROWS]
        ]
        if rows:
            titles = ("Bot", *(column.title for column in columns), "User agents", "Purpose")
            note = _agents_note(len(agents) + 1) if len(agents) == MAX_AGENTS else ""
            yield ReportTable("Bots", titles, bounded(rows), note, is_wide=True, distinct=len(bots))

    def _top_values(
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
        """Yield a table of the most frequent values, if there are any."""
        counts = self._findings.counts
        if name is not None and (distinct := counts.distinct(name, only=only)):
            cell = partial(value_cell, length=WIDE_CHARACTERS if is_wide else NARROW_CHARACTERS)
            values = counts.top(name, MAX_ROWS, by=by, only=only)
            table = make_table(title, first_column, values, columns or self._columns, cell, distinct)
            field = name if name in self._findings.format.fields else ""
            yield table._replace(is_wide=is_wide, field=field)

    def _top_by_bytes(
        self, name: str | None, title: str, first_column: str, *, is_wide: bool = False
    ) -> Iterator[ReportTable]:
        """Yield a table of the values with the most bytes, if any were sent."""
        if name is not None and (sent := self._findings.counts.total(name).bytes):
            columns = (BYTES, share_column(sent, attrgetter("bytes")), self._line_column)
            yield from self._top_values(name, title, first_column, columns, by="bytes", is_wide=is_wide)

    def _top_responses(
        self, title: str, column: str, responses: Sequence[Response], format_value: Callable[[float], str]
    ) -> Iterator[ReportTable]:
        """Yield a table of the largest or slowest responses, if there are any."""
        rows = [
            (
                text_cell(response.path, NARROW_CHARACTERS),
                Cell(format_value(response.value), sort_key=response.value),
                Cell("" if response.time is None else format_time(response.time), is_quiet=True),
            )
            for response in responses
        ]
        if rows:
            field = self._fields.path or ""
            yield ReportTable(title, ("Path", column, "Time (UTC)"), rows, note="one per path", field=field)

    def _error_tables(self) -> Iterator[ReportTable]:
        """Yield a table of the paths with client errors, and one of those with server errors."""
        counts = self._findings.counts
        for title, name in zip(("Client errors", "Server errors"), ERROR_PATHS.values(), strict=True):
            rows = [
                (
                    text_cell(path or None, NARROW_CHARACTERS),
                    self._line_column.cell(count),
                    Cell(escape_unprintable(status), reason_phrase(status)),
                )
                for count in counts.top(name, MAX_ROWS)
                for status, _, path in ((count.value or b"").partition(b" "),)
            ]
            if rows:
                titles = ("Path", self._line_column.title, "Status")
                distinct, field = counts.distinct(name), self._fields.path or ""
                yield ReportTable(title, titles, bounded(rows), distinct=distinct, field=field)
        yield from self._broken_links()

    def _broken_links(self) -> Iterator[ReportTable]:
        """Yield a table of paths that were not found, with the pages that refer to them."""
        counts = self._findings.counts
        rows = [
            (
                text_cell(path, NARROW_CHARACTERS),
                self._line_column.cell(count),
                text_cell((host or b"") + (page or b""), NARROW_CHARACTERS),
            )
            for count in counts.top(BROKEN_LINKS, MAX_ROWS)
            for path, host, page in (decode_combination(count.value, 3),)
        ]
        if rows:
            distinct = counts.distinct(BROKEN_LINKS)
            titles = ("Path", self._line_column.title, "Referrer")
            field = self._fields.path or ""
            yield ReportTable(
                "Not found, by referrer", titles, bounded(rows), is_wide=True, distinct=distinct, field=field
            )


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


def _agents_note(distinct: int) -> str:
    return f"of the {format_number(MAX_AGENTS)} most frequent user agents" if distinct > MAX_AGENTS else ""


def _plain_texts(counts: Sequence[ValueCount]) -> list[str]:
    """Return the values that may be names of hosts: printable ASCII, and not too long."""
    values = (count.value for count in counts if count.value and len(count.value) <= MAX_HOST_BYTES)
    return [value.decode() for value in values if value.isascii() and value.decode().isprintable()]
