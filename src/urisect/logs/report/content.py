"""Build the content of a report page from findings; a section, chart or table without data is left out."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http import HTTPStatus
from operator import attrgetter
from statistics import mean
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from urisect.logs.formats.notation import MICROSECONDS_PER_SECOND
from urisect.logs.input.files import STDIN
from urisect.logs.input.locations import path_of
from urisect.logs.report.audience import count_bots, count_browsers_and_systems
from urisect.logs.report.charts import Series, draw_axis, draw_bars, draw_share_bar, draw_swatch
from urisect.logs.report.combinations import decode_combination
from urisect.logs.report.counts import ValueCount, ValueFilter
from urisect.logs.report.findings import MAX_FAULTY_FILES, Findings
from urisect.logs.report.formatting import (
    escape_unprintable,
    format_bytes,
    format_duration,
    format_number,
    format_seconds,
    format_share,
    pluralize,
    shorten_middle,
    utc_datetime,
)
from urisect.logs.report.model import (
    Cell,
    Chart,
    HazardCard,
    HighlightedText,
    LegendEntry,
    RejectedLine,
    ReportTable,
    Section,
    Tile,
)
from urisect.logs.report.rejection import MAX_EXPLAINED_BYTES, PartialMatch, explain_rejection
from urisect.logs.report.rounding import PERCENTILES, percentiles
from urisect.logs.report.status_timeline import STATUS_CLASSES, StatusTimeline, status_class
from urisect.logs.report.table_summary import (
    BROKEN_LINKS,
    DURATIONS_OF_PATHS,
    ERROR_PATHS,
    PARAMETER_NAMES,
    QUERY_PARAMETERS,
    STATUS_PER_MINUTE,
    VISITORS_PER_DAY,
    Response,
)
from urisect.logs.report.timeline import CYCLES, Cycle, Timeline, make_timeline
from urisect.logs.report.value_columns import MICROSECONDS_PER_MINUTE, MINUTES_PER_DAY

__all__ = ["PageContent"]

WIDE_ROWS, NARROW_ROWS = 15, 10  # of a table with the full width of the page, and of one with half of it
WIDE_CHARACTERS, NARROW_CHARACTERS = 110, 56  # of a value in these tables
TOOLTIP_CHARACTERS = 2000
CONTEXT_CHARACTERS = 60  # before and after the highlighted part of a reference
LINE_CONTEXT_CHARACTERS = 200  # of a rejected line

TALL_PIXELS, LOW_PIXELS = 200, 110  # height of a chart

MAX_AGENTS = 10_000  # user agents that are looked at for browsers and bots: 10 µs each

MAX_OWN_HOSTS = 100
MAX_HOST_BYTES = 253  # of a name in DNS (RFC 1035, 2.3.4)

# What a page consists of, and is not a page itself.
_ASSET_PATTERN = (
    r"(?i)[.](?:css|js|mjs|map|wasm|png|jpe?g|gif|svg|webp|avif|ico|bmp|cur|woff2?|ttf|otf|eot|mp[34]|m4[av]|webm|og[gv]"
    r"|mov|avi|wav|flac)$"
)
ASSETS, NOT_ASSETS = ValueFilter(_ASSET_PATTERN), ValueFilter(_ASSET_PATTERN, is_match=False)

# Query parameters in which sites get what is to be searched for.
SEARCHES = ValueFilter(r"(?i)^(?:q|query|s|search|search[_-]?(?:query|terms?|words?)|terms?|keywords?)=.")

ANY_VALUE = ValueFilter("")

MIN_CYCLES = 3  # for a chart of their slots: in fewer, some slots occur far more often than others

UNDEFINED_TEXT = "(none)"

HOST_TITLES = {"host": "Hosts", "server": "Servers", "target_host": "Hosts in request targets"}
URI_PLACES = {"target_": "in the request target", "referer_": "in the referrer", "": "in the reference"}

# Addresses of sections, by the kind of document.
DOCUMENT_LINKS = {
    "RFC": "https://www.rfc-editor.org/rfc/rfc{number}.html#section-{section}",
    "CWE": "https://cwe.mitre.org/data/definitions/{number}.html",
    "UTS": "https://www.unicode.org/reports/tr{number}/",
    "WHATWG": "https://url.spec.whatwg.org/",
}


class NumberColumn(NamedTuple):
    """A column of numbers: its title, and a function that makes a cell of a count."""

    title: str
    cell: Callable[[ValueCount], Cell]


BYTES = NumberColumn(
    "Bytes",
    lambda count: Cell(format_bytes(count.bytes), f"{format_number(count.bytes)} bytes", count.bytes),
)
TOTAL_TIME = NumberColumn("Total time", lambda count: Cell(format_seconds(count.seconds), sort_key=count.seconds))
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
        self._statuses = StatusTimeline(findings)
        self._noun = "requests" if self._fields.uri == "target_" else "lines"
        self._line_column = NumberColumn(
            self._noun.capitalize(), lambda count: Cell(format_number(count.lines), sort_key=count.lines)
        )
        self._columns: tuple[NumberColumn, ...] = (self._line_column, _share_column(findings.lines))
        self._columns += (PEOPLE,) if self._fields.agent else ()
        self._columns_with_bytes = (*self._columns, *((BYTES,) if self._fields.size else ()))
        self._columns_with_errors = (*self._columns, *((ERRORS,) if self._fields.status else ()))
        self._columns_with_errors += (BYTES,) if self._fields.size else ()
        self.name = _name_files(findings.files)
        self.tiles = list(self._tiles())
        self.sections = [section for section in self._sections() if any(section[2:])]

    def _tiles(self) -> Iterator[Tile]:
        findings, lines = self._findings, self._findings.lines
        skipped = findings.skipped.total()
        read = pluralize(findings.parsed + findings.rejected + skipped, "lines")
        outcome = (
            f"{read} read,",
            f"{format_number(findings.rejected)} rejected,",
            f"{format_number(skipped)} skipped",
        )
        yield Tile(self._noun.capitalize(), format_number(lines), outcome)
        if findings.first is not None and findings.last is not None:
            period = format_duration((findings.last - findings.first) // MICROSECONDS_PER_SECOND)
            yield Tile("Period", period, (f"{_format_time(findings.first)} to", f"{_format_time(findings.last)} UTC"))
        if sent := sum(count.bytes for count in self._statuses.statuses):
            yield Tile("Sent", format_bytes(sent), (f"{format_bytes(sent / lines)} per {self._noun[:-1]}",))
        yield from self._visitor_tiles()
        if self._fields.agent and lines:
            bots = findings.counts.total(self._fields.agent).bots
            yield Tile("Bots", format_share(bots, lines), (f"{format_number(bots)} {self._noun}",))
        classes: Counter[str] = Counter()
        for count in self._statuses.statuses:
            classes[status_class(count.value)] += count.lines
        if known := lines - self._statuses.lines_without_status:
            parts = (f"4xx {format_share(classes['4'], known)},", f"5xx {format_share(classes['5'], known)}")
            yield Tile("Errors", format_share(classes["4"] + classes["5"], known), parts)

    def _visitor_tiles(self) -> Iterator[Tile]:
        counts = self._findings.counts
        clients = counts.distinct(self._fields.client) if self._fields.client else 0
        if days := counts.values_per_minute(VISITORS_PER_DAY):
            people = sum(visitors - bots for _, visitors, bots in days)
            text = f"{format_number(round(people / len(days)))}{' a day' if len(days) > 1 else ''}"
            yield Tile("Visitors", text, ("without bots,", f"{pluralize(clients, 'clients')} in all"))
        elif clients:
            notes = (f"{self._findings.lines / clients:,.1f} {self._noun} per client",)
            yield Tile("Clients", format_number(clients), notes)

    def _sections(self) -> Iterator[Section]:
        yield Section("traffic", "Traffic", charts=list(self._charts()), tables=list(self._status_tables()))
        title = "Requests" if self._fields.uri == "target_" else "References"
        yield Section(title.lower(), title, tables=list(self._request_tables()))
        yield Section("visitors", "Visitors", list(self._visitor_charts()), list(self._visitor_tables()))
        yield Section("bots", "Bots", tables=list(self._bot_tables()))
        yield Section("errors", "Errors", list(self._error_charts()), list(self._error_tables()))
        yield Section("suspicious", "Suspicious URLs", hazards=list(self._hazard_cards()))
        rejected, notes = list(self._rejected_lines()), list(self._notes())
        yield Section("unparsed", "Unparsed lines", rejected=rejected, notes=notes)

    def _charts(self) -> Iterator[Chart]:
        timeline = self._statuses.timeline
        if timeline is None:
            return
        by_class = self._statuses.per_bucket(timeline, "lines", status_class)
        names = STATUS_CLASSES if self._fields.status else {"": self._noun}
        series = [Series(name, f"s{digit or 0}", by_class[digit]) for digit, name in names.items() if digit in by_class]
        legend = [
            LegendEntry(draw_swatch(part.style), part.name, format_number(sum(part.values)))
            for part in series
            if self._fields.status
        ]
        title = f"{self._noun.capitalize()} per {timeline.bucket_length}"
        yield _chart(timeline, title, series, TALL_PIXELS, format_number, legend)
        if self._fields.size:
            (sent,) = self._statuses.per_bucket(timeline, "bytes", lambda _: "").values()
            title = f"Bytes per {timeline.bucket_length}"
            yield _chart(timeline, title, [Series("sent", "sent", sent)], LOW_PIXELS, format_bytes)
        yield from self._cycle_charts(timeline)

    def _error_charts(self) -> Iterator[Chart]:
        """Yield a chart of errors over time, on a scale of their own."""
        timeline = self._statuses.timeline
        if timeline is None:
            return
        by_class = self._statuses.per_bucket(timeline, "lines", status_class)
        errors = {digit: by_class[digit] for digit in ("4", "5") if digit in by_class}
        if errors:
            series = [Series(STATUS_CLASSES[digit], f"s{digit}", lines) for digit, lines in errors.items()]
            legend = [
                LegendEntry(draw_swatch(part.style), part.name, format_number(sum(part.values))) for part in series
            ]
            yield _chart(timeline, f"Errors per {timeline.bucket_length}", series, LOW_PIXELS, format_number, legend)

    def _visitor_charts(self) -> Iterator[Chart]:
        """Yield a chart of visitors per day, of logs of several days."""
        days = self._findings.counts.values_per_minute(VISITORS_PER_DAY)
        if not days or days[0][0] == days[-1][0]:
            return
        first, last = (day * MICROSECONDS_PER_MINUTE for day in (days[0][0], days[-1][0]))
        timeline = make_timeline(first, last, MINUTES_PER_DAY)
        people, bots = ([0.0] * timeline.bucket_count for _ in range(2))
        for day, visitors, of_bots in days:
            bucket = timeline.bucket_at(day)
            begin, end = timeline.begins[bucket : bucket + 2]
            length = (end - begin) / MINUTES_PER_DAY
            people[bucket] += (visitors - of_bots) / length
            bots[bucket] += of_bots / length
        series = [Series("people", "sent", people)]
        if self._fields.agent:
            series.append(Series("bots", "s0", bots))
        legend = [
            LegendEntry(draw_swatch(part.style), part.name, f"{_format_count(mean(part.values))} on average")
            for part in series
        ]
        note = "" if timeline.step == MINUTES_PER_DAY else f" (mean of {timeline.bucket_length})"
        yield _chart(timeline, f"Visitors per day{note}", series, LOW_PIXELS, _format_count, legend)

    def _cycle_charts(self, timeline: Timeline) -> Iterator[Chart]:
        """Yield a chart of the hours of the day, and one of the days of the week, of logs that have enough of them."""
        first, last = timeline.begins[0], timeline.begins[-1]
        for cycle in CYCLES:
            if last - first >= MIN_CYCLES * cycle.step * cycle.bucket_count:
                lines = self._findings.counts.per_slot(STATUS_PER_MINUTE, cycle.origin, cycle.step, cycle.bucket_count)
                title = f"{self._noun.capitalize()} by {cycle.title}"
                series = [Series(self._noun, "sent", lines)]
                yield _chart(cycle, title, series, LOW_PIXELS, format_number)

    def _status_tables(self) -> Iterator[ReportTable]:
        if self._statuses.lines_without_status < self._findings.lines:
            statuses = self._statuses.statuses[:NARROW_ROWS]
            yield _table("Status codes", "Status", statuses, self._columns_with_bytes, _status_cell)
        yield from self._top_values("method", "Methods", "Method")

    def _request_tables(self) -> Iterator[ReportTable]:
        """Yield the tables of what was requested; in a list of references, hosts say more than paths."""
        tables = (self._path_tables(), self._host_tables())
        for each in tables if self._fields.uri == "target_" else reversed(tables):
            yield from each
        columns = (self._line_column, _share_column(self._findings.lines))
        yield from self._top_values(PARAMETER_NAMES, "Query parameters", "Name", columns)
        yield from self._top_values(QUERY_PARAMETERS, "Query parameters with values", "Name and value", columns)
        yield from self._search_terms(columns)
        yield from self._top_responses("Largest responses", "Size", self._findings.largest.responses, format_bytes)
        yield from self._top_responses(
            "Slowest responses", "Response time", self._findings.slowest.responses, format_seconds
        )

    def _search_terms(self, columns: Sequence[NumberColumn]) -> Iterator[ReportTable]:
        """Yield a table of what visitors searched for on the site."""
        counts = self._findings.counts.top(QUERY_PARAMETERS, NARROW_ROWS, only=SEARCHES)
        terms = [
            count._replace(value=unquote_to_bytes((count.value or b"").partition(b"=")[2].replace(b"+", b" ")))
            for count in counts
        ]
        if terms:
            distinct = self._findings.counts.distinct(QUERY_PARAMETERS, only=SEARCHES)
            table = _table("Search terms", "Term", terms, columns, partial(_value_cell, length=NARROW_CHARACTERS))
            yield table._replace(note=_rows_note(NARROW_ROWS, distinct))

    def _path_tables(self) -> Iterator[ReportTable]:
        path = self._fields.path
        times = (MEAN_TIME, LONGEST_TIME) if self._fields.duration else ()
        parts = {"Pages": NOT_ASSETS, "Assets": ASSETS} if self._fields.uri == "target_" else {"Paths": None}
        for title, only in parts.items():
            columns = (*self._columns_with_errors, *times)
            yield from self._top_values(path, title, "Path", columns, is_wide=True, only=only)
        yield from self._top_by_bytes(path, "Paths by bytes", "Path", is_wide=True)
        if times:
            by_time = (TOTAL_TIME, *times, self._line_column)
            yield from self._top_values(path, "Paths by total time", "Path", by_time, by="seconds", is_wide=True)
            yield from self._percentiles_of_paths(path)

    def _percentiles_of_paths(self, path: str | None) -> Iterator[ReportTable]:
        """Yield a table of the percentiles of the response times of the most frequent paths."""
        counts = self._findings.counts
        paths = [count.value for count in counts.top(path or "", WIDE_ROWS)]
        numbers: dict[bytes | None, list[tuple[int, int]]] = {value: [] for value in paths}
        for value, number, lines in counts.numbers_of(DURATIONS_OF_PATHS, paths):
            numbers[value].append((number, lines))
        rows = [
            (
                _text_cell(value, WIDE_CHARACTERS),
                Cell(format_number(lines := sum(times for _, times in found)), sort_key=lines),
                *(_duration_cell(number) for number in percentiles(found)),
            )
            for value, found in numbers.items()
        ]
        if rows:
            titles = ("Path", self._line_column.title, *(f"p{percentage}" for percentage in PERCENTILES))
            note = "response times that this percentage of requests did not exceed, in two digits"
            yield ReportTable("Percentiles of response times", titles, rows, note, is_wide=True)

    def _host_tables(self) -> Iterator[ReportTable]:
        for host in self._fields.hosts:
            yield from self._top_values(host, HOST_TITLES.get(host, "Hosts"), "Host", self._columns_with_errors)
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
                columns = (self._line_column, _share_column(people))
                if counts:
                    yield _table(title, title[:-1], counts[:NARROW_ROWS], columns, _name_cell)._replace(note=note)
            yield from self._top_values(agent, "User agents", "User agent", self._columns_with_bytes, is_wide=True)

    def _referrer_tables(self) -> Iterator[ReportTable]:
        """Yield a table of the referring hosts, without the site's own."""
        own = self._own_hosts()
        only = None
        if own:
            only = ValueFilter(rf"(?i)^(?:.*[.])?(?:{'|'.join(map(re.escape, own))})$", is_match=False)
        for table in self._top_values("referer_host", "Referring hosts", "Host", only=only):
            left_out = self._findings.counts.total("referer_host", only=only and only._replace(is_match=True)).lines
            note = f"without {pluralize(left_out, self._noun)} from {', '.join(own[:3])}" if own and left_out else ""
            yield table._replace(note="; ".join(filter(None, (table.note, note))))

    def _own_hosts(self) -> list[str]:
        """Return the hosts of the site: those that were named, or requested, or the one that most referrers have."""
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
        columns = (self._line_column, _share_column(self._findings.lines), *((BYTES,) if self._fields.size else ()))
        rows = [
            (
                _name_cell(bot.total),
                *(column.cell(bot.total) for column in columns),
                Cell(format_number(bot.agents), sort_key=bot.agents),
                Cell(bot.purpose, is_quiet=True),
            )
            for bot in bots[:WIDE_ROWS]
        ]
        if rows:
            titles = ("Bot", *(column.title for column in columns), "User agents", "Purpose")
            note = _rows_note(WIDE_ROWS, len(bots)) if len(agents) < MAX_AGENTS else _agents_note(len(agents) + 1)
            yield ReportTable("Bots", titles, _scale_bars(rows), note, is_wide=True)

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
            rows, length = (WIDE_ROWS, WIDE_CHARACTERS) if is_wide else (NARROW_ROWS, NARROW_CHARACTERS)
            values = counts.top(name, rows, by=by, only=only)
            table = _table(title, first_column, values, columns or self._columns, partial(_value_cell, length=length))
            yield table._replace(note=_rows_note(rows, distinct), is_wide=is_wide)

    def _top_by_bytes(
        self, name: str | None, title: str, first_column: str, *, is_wide: bool = False
    ) -> Iterator[ReportTable]:
        """Yield a table of the values with the most bytes, if any were sent."""
        if name is not None and (sent := self._findings.counts.total(name).bytes):
            columns = (BYTES, _share_column(sent, attrgetter("bytes")), self._line_column)
            yield from self._top_values(name, title, first_column, columns, by="bytes", is_wide=is_wide)

    def _top_responses(
        self, title: str, column: str, responses: Sequence[Response], format_value: Callable[[float], str]
    ) -> Iterator[ReportTable]:
        """Yield a table of the largest or slowest responses, if there are any."""
        rows = [
            (
                _text_cell(response.path, NARROW_CHARACTERS),
                Cell(format_value(response.value), sort_key=response.value),
                Cell("" if response.time is None else _format_time(response.time), is_quiet=True),
            )
            for response in responses[:NARROW_ROWS]
        ]
        if rows:
            yield ReportTable(title, ("Path", column, "Time (UTC)"), rows, note="one per path")

    def _error_tables(self) -> Iterator[ReportTable]:
        """Yield a table of the paths with client errors, and one of those with server errors."""
        counts = self._findings.counts
        for title, name in zip(("Client errors", "Server errors"), ERROR_PATHS.values(), strict=True):
            rows = [
                (
                    _text_cell(path or None, NARROW_CHARACTERS),
                    self._line_column.cell(count),
                    Cell(escape_unprintable(status), _reason_phrase(status)),
                )
                for count in counts.top(name, NARROW_ROWS)
                for status, _, path in ((count.value or b"").partition(b" "),)
            ]
            if rows:
                note = _rows_note(NARROW_ROWS, counts.distinct(name))
                yield ReportTable(title, ("Path", self._line_column.title, "Status"), rows, note=note)
        yield from self._broken_links()

    def _broken_links(self) -> Iterator[ReportTable]:
        """Yield a table of paths that were not found, with the pages that refer to them."""
        counts = self._findings.counts
        rows = [
            (
                _text_cell(path, NARROW_CHARACTERS),
                self._line_column.cell(count),
                _text_cell((host or b"") + (page or b""), NARROW_CHARACTERS),
            )
            for count in counts.top(BROKEN_LINKS, WIDE_ROWS)
            for path, host, page in (decode_combination(count.value, 3),)
        ]
        if rows:
            note = _rows_note(WIDE_ROWS, counts.distinct(BROKEN_LINKS))
            titles = ("Path", self._line_column.title, "Referrer")
            yield ReportTable("Not found, by referrer", titles, rows, note, is_wide=True)

    def _hazard_cards(self) -> Iterator[HazardCard]:
        """Yield the hazards, the most frequent first."""
        for (uri, code), count in sorted(self._findings.hazards.items(), key=lambda item: (-item[1].lines, item[0])):
            yield HazardCard(
                code,
                URI_PLACES.get(uri, f"in {uri.removesuffix('_')}"),
                pluralize(count.lines, self._noun),
                _highlight(count.reference, count.hazard.start, count.hazard.end),
                count.hazard.message,
                count.hazard.section,
                _link(count.hazard.section),
            )

    def _rejected_lines(self) -> Iterator[RejectedLine]:
        """Yield the first rejected lines."""
        is_one_file = len(self._findings.files) == 1
        for file, rejected in self._findings.samples:
            text = rejected.text
            match = explain_rejection(self._findings.format, text)
            name = "standard input" if file == STDIN else escape_unprintable(file)
            place = f"Line {rejected.line}" if is_one_file else f"{name}, line {rejected.line}"
            length = match.length if match else len(text)
            yield RejectedLine(
                place,
                _highlight(text, length, len(text), LINE_CONTEXT_CHARACTERS),
                _rejection_reason(text, match),
            )

    def _notes(self) -> Iterator[str]:
        """Yield sentences about the other lines and files that were not parsed."""
        findings = self._findings
        if more := findings.rejected - len(findings.samples):
            yield f"{pluralize(more, 'more lines')} {'was' if more == 1 else 'were'} rejected."
        for reason, lines in findings.skipped.most_common():
            yield f"{pluralize(lines, 'lines')} {'was' if lines == 1 else 'were'} skipped: {reason}."
        for file, reason in findings.faults:
            yield f"{escape_unprintable(file)} could not be read completely: {escape_unprintable(reason)}."
        if findings.fault_count > MAX_FAULTY_FILES:
            yield f"{pluralize(findings.fault_count - MAX_FAULTY_FILES, 'other files')} could not be read completely."


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


def _format_time(microseconds: int) -> str:
    return utc_datetime(microseconds).isoformat(" ", "seconds")[:19]


def _agents_note(distinct: int) -> str:
    return f"of the {format_number(MAX_AGENTS)} most frequent user agents" if distinct > MAX_AGENTS else ""


def _plain_texts(counts: Sequence[ValueCount]) -> list[str]:
    """Return the values that may be names of hosts: printable ASCII, and not too long."""
    values = (count.value for count in counts if count.value and len(count.value) <= MAX_HOST_BYTES)
    return [value.decode() for value in values if value.isascii() and value.decode().isprintable()]


def _format_count(number: float) -> str:
    return format_number(round(number))


def _duration_cell(microseconds: int | None) -> Cell:
    if microseconds is None:
        return Cell("")
    seconds = microseconds / MICROSECONDS_PER_SECOND
    return Cell(format_seconds(seconds), sort_key=seconds)


def _rows_note(rows: int, distinct: int) -> str:
    """Return a note for a table that does not show all values."""
    return f"top {rows} of {format_number(distinct)}" if distinct > rows else ""


def _share_column(whole: int, part_of: Callable[[ValueCount], int] = attrgetter("lines")) -> NumberColumn:
    def cell(count: ValueCount) -> Cell:
        part = part_of(count)
        return Cell(format_share(part, whole), sort_key=part, bar=draw_share_bar(part, whole))

    return NumberColumn("Share", cell)


def _table(
    title: str,
    first_column: str,
    counts: Sequence[ValueCount],
    columns: Sequence[NumberColumn],
    first_cell: Callable[[ValueCount], Cell],
) -> ReportTable:
    rows = [(first_cell(count), *(column.cell(count) for column in columns)) for count in counts]
    return ReportTable(title, (first_column, *(column.title for column in columns)), _scale_bars(rows))


def _scale_bars(rows: Sequence[Sequence[Cell]]) -> list[Sequence[Cell]]:
    """Draw the bars of a table in proportion to its longest."""
    longest = max((cell.sort_key or 0 for row in rows for cell in row if cell.bar), default=0)
    return [
        [cell._replace(bar=draw_share_bar(cell.sort_key or 0, longest)) if cell.bar else cell for cell in row]
        for row in rows
    ]


def _value_cell(count: ValueCount, length: int) -> Cell:
    return _text_cell(count.value, length)


def _text_cell(value: bytes | None, length: int) -> Cell:
    if value is None:
        return Cell(UNDEFINED_TEXT, is_quiet=True)
    text = escape_unprintable(value)
    short = shorten_middle(text, length)
    return Cell(short, "" if short == text else shorten_middle(text, TOOLTIP_CHARACTERS), is_code=True)


def _name_cell(count: ValueCount) -> Cell:
    return _text_cell(count.value, NARROW_CHARACTERS)._replace(is_code=False)


def _status_cell(count: ValueCount) -> Cell:
    """Return a cell with a status code and its reason phrase."""
    cell = _name_cell(count)
    return cell._replace(text=f"{cell.text} {_reason_phrase(count.value)}")


def _reason_phrase(status: bytes | None) -> str:
    """Return the reason phrase of a status code (RFC 9110, 15), or "" if the code is unknown.

    >>> _reason_phrase(b"404"), _reason_phrase(b"999"), _reason_phrase(None)
    ('Not Found', '', '')
    """
    try:
        return HTTPStatus(int(status or b"")).phrase
    except ValueError:
        return ""


def _chart(
    timeline: Timeline | Cycle,
    title: str,
    series: Sequence[Series],
    height: int,
    format_value: Callable[[float], str],
    legend: Sequence[LegendEntry] = (),
) -> Chart:
    totals = [*map(sum, zip(*(part.values for part in series), strict=True))]
    names = [*map(timeline.bucket_name, range(timeline.bucket_count))]
    bars = draw_bars(timeline, series, height, f"{title}, {names[0]} to {names[-1]} UTC", format_value)
    axis = draw_axis(max(totals), height, format_value)
    return Chart(title, axis, bars, names, totals, format_value(max(totals)), legend)


def _rejection_reason(text: bytes, match: PartialMatch | None) -> str:
    """Return why a line was rejected, or "" if that is unknown.

    >>> _rejection_reason(b"1.2.3.4 x", PartialMatch(8, "client")), _rejection_reason(b"1.2", PartialMatch(3, ""))
    ('unexpected text at byte 9, after client', 'ends too early')
    """
    if match is None:
        return ""
    after = f", after {match.column}" if match.column else ""
    if match.length == min(len(text), MAX_EXPLAINED_BYTES):
        return f"ends too early{after}"
    return f"unexpected text at byte {format_number(match.length + 1)}{after}"


def _highlight(text: bytes, start: int, end: int, context: int = CONTEXT_CHARACTERS) -> HighlightedText:
    r"""Highlight the part of a text between two offsets, in bytes, and shorten what is around it.

    >>> _highlight(b"/a%00.txt", 2, 5)
    HighlightedText(before='/a', highlighted='%00', after='.txt')
    """
    before, highlighted, after = (escape_unprintable(part) for part in (text[:start], text[start:end], text[end:]))
    if len(before) > context:
        before = f"…{before[-context:]}"
    if len(after) > context:
        after = f"{after[:context]}…"
    return HighlightedText(before, shorten_middle(highlighted, context), after)


def _link(section: str) -> str:
    """Return the address of a section of a document.

    >>> _link("RFC 3986, 7.6"), _link("CWE-93")
    ('https://www.rfc-editor.org/rfc/rfc3986.html#section-7.6', 'https://cwe.mitre.org/data/definitions/93.html')
    """
    document, number, part = re.match(r"(\w+)(?:[- ]#?(\w+))?(?:, (.*))?", section).groups()  # type: ignore[union-attr]
    return DOCUMENT_LINKS[document].format(number=number, section=part)
