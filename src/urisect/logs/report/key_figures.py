"""Make the key figures of a report, each with that of the period before if there is one."""

from collections import Counter
from collections.abc import Iterator
from statistics import median

from urisect.logs.formats.notation import MICROSECONDS_PER_SECOND
from urisect.logs.report.cells import format_time
from urisect.logs.report.findings import Findings
from urisect.logs.report.formatting import format_bytes, format_duration, format_number, format_share, pluralize
from urisect.logs.report.model import Tile
from urisect.logs.report.status_timeline import StatusTimeline, status_class
from urisect.logs.report.table_summary import VISITORS_PER_DAY

__all__ = ["key_figures"]


def key_figures(findings: Findings, statuses: StatusTimeline, noun: str) -> list[Tile]:
    """Return the key figures.

    Args:
        findings: open findings, whose counts can be queried.
        statuses: their status codes over time.
        noun: what lines are, such as "requests".
    """
    tiles = [*_tiles(findings, statuses, noun)]
    if findings.before is None or statuses.before is None:
        return tiles
    before = {tile.label: tile.value for tile in _tiles(findings.before, statuses.before, noun)}
    return [tile._replace(before=before.get(tile.label, "none")) for tile in tiles]


def _tiles(findings: Findings, statuses: StatusTimeline, noun: str) -> Iterator[Tile]:
    lines = findings.lines
    skipped = findings.skipped.total()
    read = pluralize(findings.parsed + findings.rejected + skipped, "lines")
    outcome = (
        f"{read} read,",
        f"{format_number(findings.rejected)} rejected,",
        f"{format_number(skipped)} skipped",
    )
    yield Tile(noun.capitalize(), format_number(lines), outcome)
    if findings.first is not None and findings.last is not None:
        period = format_duration((findings.last - findings.first) // MICROSECONDS_PER_SECOND)
        yield Tile("Period", period, (f"{format_time(findings.first)} to", f"{format_time(findings.last)} UTC"))
    if sent := sum(count.bytes for count in statuses.statuses):
        yield Tile("Sent", format_bytes(sent), (f"{format_bytes(sent / lines)} per {noun[:-1]}",))
    fields = findings.summarizer
    if not fields.is_log and fields.hosts and (hosts := findings.counts.distinct(fields.hosts[0])):
        yield Tile("Hosts", format_number(hosts))
    yield from _visitor_tiles(findings, noun)
    if fields.agent and lines:
        bots = findings.counts.total(fields.agent).bots
        yield Tile("Bots", format_share(bots, lines), (f"{format_number(bots)} {noun}",))
    classes: Counter[str] = Counter()
    for count in statuses.statuses:
        classes[status_class(count.value)] += count.lines
    if known := lines - statuses.lines_without_status:
        parts = (f"4xx {format_share(classes['4'], known)},", f"5xx {format_share(classes['5'], known)}")
        yield Tile("Errors", format_share(classes["4"] + classes["5"], known), parts)


def _visitor_tiles(findings: Findings, noun: str) -> Iterator[Tile]:
    counts, client = findings.counts, findings.summarizer.client
    clients = counts.distinct(client) if client else 0
    if days := counts.values_per_minute(VISITORS_PER_DAY):
        people = median(visitors - bots for _, visitors, bots in days)  # the first and the last day may be parts of one
        text = f"{format_number(round(people))}{' a day' if len(days) > 1 else ''}"
        notes = (
            "median, without bots," if len(days) > 1 else "without bots,",
            f"{pluralize(clients, 'clients')} in all",
        )
        yield Tile("Visitors", text, notes)
    elif clients:
        yield Tile("Clients", format_number(clients), (f"{findings.lines / clients:,.1f} {noun} per client",))
