"""Make the tables of a report about who sent the requests: clients, referrers, browsers, user agents, and bots."""

from collections.abc import Iterator

from urisect.logs.report.audience import count_bots, count_browsers_and_systems
from urisect.logs.report.cells import BYTES, MAX_ROWS, bounded, make_table, name_cell, share_column
from urisect.logs.report.formatting import format_number, pluralize
from urisect.logs.report.model import Cell, ReportTable
from urisect.logs.report.own_hosts import exclude_hosts
from urisect.logs.report.value_tables import ValueTables

__all__ = ["bot_tables", "visitor_tables"]

MAX_AGENTS = 10_000  # user agents that are looked at for browsers and bots: 10 µs each


def visitor_tables(tables: ValueTables) -> Iterator[ReportTable]:
    """Yield the tables of visitors.

    Args:
        tables: makes tables of values.
    """
    client = tables.fields.client
    yield from tables.top(client, "Clients", "Client", tables.columns_with_bytes)
    yield from tables.top_by_bytes(client, "Clients by bytes", "Client")
    if "referer_host" in tables.fields.plain:
        yield from _referring_hosts(tables)
    if agent := tables.fields.agent:
        yield from _browsers_and_systems(tables, agent)
        yield from tables.top(agent, "User agents", "User agent", tables.columns_with_bytes, is_wide=True)


def bot_tables(tables: ValueTables) -> Iterator[ReportTable]:
    """Yield the table of bots.

    Args:
        tables: makes tables of values.
    """
    agent = tables.fields.agent
    if agent is None:
        return
    agents = [count for count in tables.findings.counts.top(agent, MAX_AGENTS, by="bots") if count.bots]
    bots = count_bots(agents)
    columns = (tables.lines, share_column(tables.findings.lines), *((BYTES,) if tables.fields.size else ()))
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


def _referring_hosts(tables: ValueTables) -> Iterator[ReportTable]:
    """Yield a table of the referring hosts, without the site's own."""
    own = tables.own_hosts
    only = exclude_hosts(own)
    for table in tables.top("referer_host", "Referring hosts", "Host", only=only):
        left_out = tables.findings.counts.total("referer_host", only=only and only._replace(is_match=True)).lines
        note = f"without {pluralize(left_out, tables.noun)} from {', '.join(own[:3])}" if own and left_out else ""
        yield table._replace(note=note)


def _browsers_and_systems(tables: ValueTables, agent: str) -> Iterator[ReportTable]:
    counts = tables.findings.counts
    note = _agents_note(counts.distinct(agent))
    names = count_browsers_and_systems(counts.top(agent, MAX_AGENTS))
    for title, found in zip(("Browsers", "Systems"), names, strict=True):
        columns = (tables.lines, share_column(sum(count.lines for count in found)))
        if found:
            yield make_table(title, title[:-1], found[:MAX_ROWS], columns, name_cell)._replace(note=note)


def _agents_note(distinct: int) -> str:
    return f"of the {format_number(MAX_AGENTS)} most frequent user agents" if distinct > MAX_AGENTS else ""
