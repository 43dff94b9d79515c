"""Make the tables of a report about what was requested: sites, pages, assets, parameters, and single responses."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from urllib.parse import unquote_to_bytes

from urisect.logs.report.cells import (
    LONGEST_TIME,
    MAX_ROWS,
    MEAN_TIME,
    NARROW_CHARACTERS,
    TOTAL_TIME,
    WIDE_CHARACTERS,
    NumberColumn,
    bounded,
    duration_cell,
    format_time,
    make_table,
    share_column,
    text_cell,
    value_cell,
)
from urisect.logs.report.combinations import decode_combination
from urisect.logs.report.counts import ValueFilter
from urisect.logs.report.formatting import format_bytes, format_number, format_seconds
from urisect.logs.report.model import Cell, ReportTable
from urisect.logs.report.own_hosts import exclude_hosts
from urisect.logs.report.pages import ASSET_PATTERN
from urisect.logs.report.rounding import PERCENTILES, percentiles
from urisect.logs.report.table_summary import (
    DURATIONS_OF_PATHS,
    ENTRIES,
    PARAMETER_NAMES,
    QUERY_PARAMETERS,
    Response,
)
from urisect.logs.report.value_tables import ValueTables, host_title

__all__ = ["ASSETS", "NOT_ASSETS", "SEARCHES", "request_tables", "site_tables"]

ASSETS, NOT_ASSETS = ValueFilter(ASSET_PATTERN), ValueFilter(ASSET_PATTERN, is_match=False)

# Query parameters in which sites get what is to be searched for.
SEARCHES = ValueFilter(r"(?i)^(?:q|query|s|search|search[_-]?(?:query|terms?|words?)|terms?|keywords?)=.")


def site_tables(tables: ValueTables) -> Iterator[ReportTable]:
    """Yield tables of the sites of a server, if it has several.

    Args:
        tables: makes tables of values.
    """
    for host in _site_fields(tables):
        if tables.findings.counts.distinct(host) > 1:
            yield from tables.top(host, host_title(host), "Host", tables.columns_with_errors, is_wide=True)


def request_tables(tables: ValueTables) -> Iterator[ReportTable]:
    """Yield the tables of what was requested; in a list of references, hosts say more than paths.

    Args:
        tables: makes tables of values.
    """
    parts = (_path_tables(tables), _host_tables(tables))
    for each in parts if tables.fields.is_log else reversed(parts):
        yield from each
    columns = (tables.lines, share_column(tables.findings.lines))
    yield from tables.top(PARAMETER_NAMES, "Query parameters", "Name", columns)
    yield from tables.top(QUERY_PARAMETERS, "Query parameters with values", "Name and value", columns)
    yield from _search_terms(tables, columns)
    largest, slowest = tables.findings.largest.responses, tables.findings.slowest.responses
    yield from _top_responses(tables, "Largest responses", "Size", largest, format_bytes)
    yield from _top_responses(tables, "Slowest responses", "Response time", slowest, format_seconds)


def _site_fields(tables: ValueTables) -> list[str]:
    """Return the fields with the site that a request is sent to, apart from its target."""
    return [host for host in tables.fields.hosts if host != "target_host"] if tables.fields.is_log else []


def _path_tables(tables: ValueTables) -> Iterator[ReportTable]:
    path = tables.fields.path
    times = (MEAN_TIME, LONGEST_TIME) if tables.fields.duration else ()
    columns = (*tables.columns_with_errors, *times)
    for title, only in {"Pages": NOT_ASSETS, "Assets": ASSETS}.items() if tables.fields.is_log else [("Paths", None)]:
        yield from tables.top(path, title, "Path", columns, is_wide=True, only=only)
    yield from _entry_pages(tables)
    yield from tables.top_by_bytes(path, "Paths by bytes", "Path", is_wide=True)
    if path and times:
        by_time = (TOTAL_TIME, *times, tables.lines)
        yield from tables.top(path, "Paths by total time", "Path", by_time, by="seconds", is_wide=True)
        yield from _percentiles_of_paths(tables, path)


def _entry_pages(tables: ValueTables) -> Iterator[ReportTable]:
    """Yield a table of the pages that people came to from other sites."""

    def cells(entry: bytes) -> tuple[bytes | None, Cell]:
        path, host = decode_combination(entry, 2)
        return path, text_cell(host, NARROW_CHARACTERS)

    only = exclude_hosts(tables.own_hosts, r"\\x01", r"\\x00\\x00\z")  # the second part of an encoded combination
    note = "requests by people who came from other sites"
    yield from tables.top_paths_with(ENTRIES, "Entry pages", "From", cells, note=note, is_wide=True, only=only)


def _percentiles_of_paths(tables: ValueTables, path: str) -> Iterator[ReportTable]:
    """Yield a table of the percentiles of the response times of the most frequent paths."""
    counts = tables.findings.counts
    paths = [count.value for count in counts.top(path, MAX_ROWS)]
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
        titles = ("Path", tables.lines.title, *(f"p{percentage}" for percentage in PERCENTILES))
        note = "response times that this percentage of requests did not exceed, in two digits"
        distinct = counts.distinct(path)
        title = "Percentiles of response times"
        yield ReportTable(title, titles, bounded(rows), note, is_wide=True, distinct=distinct, field=path)


def _host_tables(tables: ValueTables) -> Iterator[ReportTable]:
    for host in tables.fields.hosts:
        if host not in _site_fields(tables):
            yield from tables.top(host, host_title(host), "Host")
    yield from tables.top(tables.fields.scheme, "Schemes", "Scheme")


def _search_terms(tables: ValueTables, columns: Sequence[NumberColumn]) -> Iterator[ReportTable]:
    """Yield a table of what visitors searched for on the site."""
    counts = tables.findings.counts
    terms = [
        count._replace(value=unquote_to_bytes((count.value or b"").partition(b"=")[2].replace(b"+", b" ")))
        for count in counts.top(QUERY_PARAMETERS, MAX_ROWS, only=SEARCHES)
    ]
    if terms:
        distinct = counts.distinct(QUERY_PARAMETERS, only=SEARCHES)
        cell = partial(value_cell, length=NARROW_CHARACTERS)
        yield make_table("Search terms", "Term", terms, columns, cell, distinct)


def _top_responses(
    tables: ValueTables,
    title: str,
    column: str,
    responses: Sequence[Response],
    format_value: Callable[[float], str],
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
        field = tables.fields.path or ""
        yield ReportTable(title, ("Path", column, "Time (UTC)"), rows, note="one per path", field=field)
