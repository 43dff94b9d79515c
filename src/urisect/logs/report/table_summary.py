"""Summarize a table for the report: partial counts, the largest and slowest responses, and suspicious URLs."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import compress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import ValueKind
from urisect.logs.input.reader import Table
from urisect.logs.report.bots import are_bots
from urisect.logs.report.combinations import encode_combination
from urisect.logs.report.pages import is_page
from urisect.logs.report.partial_counts import PartialCounts, measure_values, sum_by_key, table_of_values
from urisect.logs.report.rounding import round_duration
from urisect.logs.report.suspicious import HazardCounts, count_hazards, merge_hazards
from urisect.logs.report.value_columns import MICROSECONDS_PER_MINUTE, MINUTES_PER_DAY
from urisect.reference import Reference

if TYPE_CHECKING:
    from urisect.logs.columnar.table import ColumnarTable

__all__ = [
    "BROKEN_LINKS",
    "DURATIONS_OF_PATHS",
    "DURATIONS_PER_MINUTE",
    "ENTRIES",
    "ERROR_PATHS",
    "PARAMETER_NAMES",
    "QUERY_PARAMETERS",
    "STATUS_PER_MINUTE",
    "VISITORS_PER_DAY",
    "Response",
    "TableSummarizer",
    "TableSummary",
    "TopResponses",
    "join_summaries",
]

# How many of the largest and of the slowest responses are kept.
MAX_TOP_RESPONSES = 15

# Names of counts that are not fields; they contain spaces, so no field has such a name.
STATUS_PER_MINUTE = "status codes per minute"
QUERY_PARAMETERS = "query parameters"
PARAMETER_NAMES = "query parameter names"
VISITORS_PER_DAY = "visitors per day"
DURATIONS_PER_MINUTE = "response times per minute"
DURATIONS_OF_PATHS = "response times of paths"
BROKEN_LINKS = "broken links"
ENTRIES = "pages and referring hosts"

NOT_FOUND = b"404"
ERROR_PATHS = {b"4": "paths of client errors", b"5": "paths of server errors"}  # by first digit of the status code


class Response(NamedTuple):
    """A large or slow response.

    Attributes:
        value: its size in bytes, or its response time in seconds.
        path: the path that was requested.
        time: when, in microseconds since 1970.
    """

    value: float
    path: bytes | None
    time: int | None


class TopResponses:
    """The responses with the highest values so far, one per path, the highest first.

    The first response wins ties, so responses that cannot be among the top ones are dropped early.

    Attributes:
        responses: the responses.

    >>> top = TopResponses()
    >>> top.add([Response(2, b"/a", None), Response(1, b"/b", None), Response(3, b"/b", 0)])
    >>> top.responses
    [Response(value=3, path=b'/b', time=0), Response(value=2, path=b'/a', time=None)]
    """

    def __init__(self) -> None:
        """Start without responses."""
        self.responses: list[Response] = []
        self._threshold = 0.0

    def candidates(self, values: Sequence[float]) -> list[int]:
        """Return the indexes of the values that are high enough to be among the top ones."""
        threshold = self._threshold
        if not isinstance(values, list):  # an array of numpy
            return (values > threshold).nonzero()[0].tolist()  # type: ignore[attr-defined, no-any-return, operator]
        return [row for row, value in enumerate(values) if value > threshold]

    def add(self, responses: Iterable[Response]) -> None:
        """Add responses, in the order of their lines."""
        best = {response.path: response for response in self.responses}
        for response in responses:
            if response.path not in best or response.value > best[response.path].value:
                best[response.path] = response
        self.responses = nlargest(MAX_TOP_RESPONSES, best.values(), key=attrgetter("value"))
        if len(self.responses) == MAX_TOP_RESPONSES:
            self._threshold = self.responses[-1].value


class TableSummary(NamedTuple):
    """What the report needs to know about a table.

    Attributes:
        lines: the number of lines.
        counts: partial counts, by the name of a field or one of the names above.
        first: the time of the earliest line, in microseconds since 1970; None if no line has a time.
        last: the time of the latest line.
        largest: the largest responses, one per path.
        slowest: the slowest responses, one per path.
        hazards: the hazards in the URIs.
    """

    lines: int
    counts: dict[str, PartialCounts]
    first: int | None
    last: int | None
    largest: list[Response]
    slowest: list[Response]
    hazards: HazardCounts


class TableSummarizer:
    """Summarize tables of one format, as far as the format has the columns.

    Attributes:
        fields: the fields that the tables need.
        is_log: whether lines are requests to a server; otherwise, they are references of a list.
        uri: the prefix of the columns of the requested URI; None if the format has no URI.
        path: the field with its path; here and below, None if the format has no such field.
        query: the field with its query.
        scheme: the field with its scheme.
        client: the field with the address of the client.
        status: the field with the status code.
        agent: the field with the user agent.
        time: the field with the time of the request.
        size: the field with the number of bytes sent.
        duration: the field with the response time.
        hosts: the fields with hosts that were requested.
        plain: the fields for which only lines are counted.
        referrer: the fields of a link: its path, and host and path of the page that has it; empty if one is missing.

    >>> import io
    >>> from urisect.logs import COMMON, tables
    >>> summary = TableSummarizer(COMMON)(next(tables(io.BytesIO(COMMON.sample), COMMON)))
    >>> summary.counts["target_path"].values, summary.counts["target_path"].bytes, summary.largest[0].value
    ([b'/a/b', b'/'], [2326.0, 0.0], 2326)
    """

    def __init__(self, format: Format, *, without_bots: bool = False) -> None:
        """Select the fields of a format.

        Args:
            format: the format of the tables.
            without_bots: whether requests of bots are not counted.
        """
        fields = format.fields
        self._without_bots = without_bots
        self.is_log = "target_" in format.uris
        self.uri = "target_" if self.is_log else next(iter(format.uris), None)

        def first_field(*names: str, kind: ValueKind = ValueKind.TEXT) -> str | None:
            return next((name for name in names if name in fields and format.kind(name) is kind), None)

        def part_of_uri(part: str) -> str | None:
            return None if self.uri is None else first_field(self.uri + part)

        self.path, self.query = part_of_uri("path"), part_of_uri("query")
        self.client = first_field("client")
        self.status = first_field("status", kind=ValueKind.NUMBER)
        self.agent = first_field("agent")
        self.time = first_field("time", kind=ValueKind.TIME)
        self.size = first_field("bytes", "bytes_sent", kind=ValueKind.NUMBER)
        self.duration = first_field("duration", kind=ValueKind.SECONDS)
        self.hosts = _unique(first_field("host"), first_field("server"), part_of_uri("host"))
        self.scheme = None if self.is_log else part_of_uri("scheme")  # hardly any request target has one
        self.plain = _unique(first_field("method"), self.scheme, first_field("referer_host"))
        components = (first_field(uri + name) for uri in format.uris for name in Reference._fields)
        columns = (self.client, self.status, self.time, self.size, self.duration, *components)
        referrer = (self.path, first_field("referer_host"), first_field("referer_path"))
        self.referrer = _unique(*referrer) if all(referrer) else ()
        self._measured = _unique(self.path, self.client, *self.hosts, self.agent)
        self.fields = _unique(*columns, *self._measured, *self.plain)
        self._largest, self._slowest = TopResponses(), TopResponses()

    def __call__(self, table: "Table | ColumnarTable") -> TableSummary:
        """Summarize a table.

        Args:
            table: a table with the columns of `fields`.
        """
        if self._without_bots and self.agent:
            table = table.selected([not is_bot for is_bot in are_bots(table.column(self.agent))])
        return self._summarize_lists(table) if isinstance(table, Table) else self._summarize_arrays(table)

    def _summarize_arrays(self, table: "ColumnarTable") -> TableSummary:
        from urisect.logs.report.array_counts import ArrayCounter  # noqa: PLC0415  numpy and pyarrow may be missing
        from urisect.logs.report.array_hazards import count_array_hazards  # noqa: PLC0415  likewise

        counter = ArrayCounter(table, self)
        counts = {STATUS_PER_MINUTE: counter.count_per_minute(), **counter.count_error_paths(ERROR_PATHS)}
        for name in self._measured:
            counts[name] = counter.measure(name, timed=name == self.path and self.duration is not None)
        for name in self.plain:
            counts[name] = counter.measure(name, sized=False)
        if self.query:
            counts[QUERY_PARAMETERS], counts[PARAMETER_NAMES] = counter.count_parameters(self.query)
        if self.client:
            counts[VISITORS_PER_DAY] = counter.count_visitors(self.client)
        if self.duration:
            counts[DURATIONS_PER_MINUTE], counts[DURATIONS_OF_PATHS] = counter.count_durations(self.path)
        if self.referrer and self.status:
            counts[BROKEN_LINKS] = _count_links(counter.count_links(NOT_FOUND, self.referrer))
        if self.referrer:
            counts[ENTRIES] = _count_links(counter.count_entries(*self.referrer[:2]))
        first, last = counter.time_span()
        return TableSummary(
            table.parsed,
            counts,
            first,
            last,
            largest=_select_top(counter.sizes, self._largest, counter.responses),
            slowest=_select_top(counter.durations, self._slowest, counter.responses),
            hazards=count_array_hazards(table, counter.encoded),
        )

    def _summarize_lists(self, table: Table) -> TableSummary:
        paths, times, statuses = (_column(table, name) for name in (self.path, self.time, self.status))
        sizes, durations = _numbers(table, self.size), _numbers(table, self.duration)
        microseconds = self._parse_times(table.format, set(times))
        minutes = [None if time is None else time // MICROSECONDS_PER_MINUTE for time in map(microseconds.get, times)]
        agents = _column(table, self.agent)
        kinds = {
            "bots": are_bots(agents) if self.agent else None,
            "client_errors": _have_digit(statuses, b"4") if self.status else None,
            "server_errors": _have_digit(statuses, b"5") if self.status else None,
        }
        counts = {
            STATUS_PER_MINUTE: _count_per_minute(minutes, statuses, sizes, kinds["bots"]),
            **_count_error_paths(paths, statuses),
        }
        for name in self._measured:
            times_of = durations if name == self.path and self.duration else None
            counts[name] = measure_values(table.column(name), sizes, times_of, **kinds)
        for name in self.plain:
            counts[name] = measure_values(table.column(name), **kinds)
        if self.query:
            counts[QUERY_PARAMETERS], counts[PARAMETER_NAMES] = _count_parameters(table.column(self.query))
        if self.client:
            counts[VISITORS_PER_DAY] = _count_visitors(table.column(self.client), agents, minutes, kinds["bots"])
        if self.duration:
            rounded = [*map(round_duration, durations)]
            counts[DURATIONS_PER_MINUTE] = _count_numbered([b"%d" % number for number in rounded], minutes)
            counts[DURATIONS_OF_PATHS] = _count_numbered(paths, rounded)
        if self.referrer and self.status:
            links = zip(*(_column(table, name) for name in self.referrer), strict=True)
            is_missing = [status == NOT_FOUND for status in statuses]
            counts[BROKEN_LINKS] = _count_links(Counter(compress(links, is_missing)))

        if self.referrer:
            hosts = _column(table, self.referrer[1])
            is_bot = kinds["bots"] or [False] * table.parsed
            is_entry = [not bot and is_page(path) for bot, path in zip(is_bot, paths, strict=True)]
            counts[ENTRIES] = _count_links(Counter(compress(zip(paths, hosts, strict=True), is_entry)))

        def responses(rows: Sequence[int]) -> Iterable[tuple[bytes | None, int | None]]:
            return ((paths[row], microseconds[times[row]]) for row in rows)

        known_times = [time for time in microseconds.values() if time is not None]
        return TableSummary(
            table.parsed,
            counts,
            first=min(known_times, default=None),
            last=max(known_times, default=None),
            largest=_select_top(sizes, self._largest, responses),
            slowest=_select_top(durations, self._slowest, responses),
            hazards=count_hazards(table),
        )

    def _parse_times(self, format: Format, times: Iterable[bytes | None]) -> dict[bytes | None, int | None]:
        """Parse different times, as microseconds since 1970."""
        if self.time is None:
            return dict.fromkeys(times)
        texts = list(times)
        values: list[Any] = table_of_values(format, self.time, texts).values(self.time)
        return dict(zip(texts, values, strict=True))


def _select_top(
    values: Any,
    top_so_far: TopResponses,
    responses: Callable[[Sequence[int]], Iterable[tuple[bytes | None, int | None]]],
) -> list[Response]:
    """Return the top responses of a table, and add them to those so far.

    Args:
        values: the value of each line.
        top_so_far: the top responses of earlier tables.
        responses: returns the path and the time of some lines.
    """
    rows = top_so_far.candidates(values)
    top = TopResponses()
    chosen = [values[row] for row in rows] if isinstance(values, list) else values[rows].tolist()
    top.add(Response(value, path, time) for value, (path, time) in zip(chosen, responses(rows), strict=True))
    top_so_far.add(top.responses)
    return top.responses


def join_summaries(summaries: Sequence[TableSummary]) -> TableSummary:
    """Join the summaries of consecutive tables of one format.

    Args:
        summaries: at least one, in line order.

    >>> import io
    >>> from urisect.logs import COMMON, tables
    >>> summary = TableSummarizer(COMMON)(next(tables(io.BytesIO(COMMON.sample), COMMON)))
    >>> join_summaries([summary, summary]).lines
    4
    """
    from urisect.logs.report.array_counts import join_counts  # noqa: PLC0415  numpy and pyarrow may be missing

    largest, slowest = TopResponses(), TopResponses()
    hazards: HazardCounts = {}
    for summary in summaries:
        largest.add(summary.largest)
        slowest.add(summary.slowest)
        merge_hazards(hazards, summary.hazards)
    times = [time for summary in summaries for time in (summary.first, summary.last) if time is not None]
    return TableSummary(
        sum(summary.lines for summary in summaries),
        {name: join_counts([summary.counts[name] for summary in summaries]) for name in summaries[0].counts},
        first=min(times, default=None),
        last=max(times, default=None),
        largest=largest.responses,
        slowest=slowest.responses,
        hazards=hazards,
    )


def _unique(*names: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))


def _column(table: Table, name: str | None) -> Column:
    return table.column(name) if name else [None] * table.parsed


def _numbers(table: Table, name: str | None) -> list[Any]:
    """Return a column of numbers, with 0 for unknown ones."""
    return [number or 0 for number in table.values(name)] if name else [0] * table.parsed


def _have_digit(statuses: Column, digit: bytes) -> list[bool]:
    """Return, for each status code, whether it begins with a digit."""
    return [status is not None and status[:1] == digit for status in statuses]


def _count_per_minute(
    minutes: Sequence[int | None], statuses: Column, sizes: Sequence[int], is_bot: Sequence[bool] | None
) -> PartialCounts:
    """Count lines and bytes per minute and status code."""
    sums = sum_by_key(zip(minutes, statuses, strict=True), sizes)
    return _count_numbered(statuses, minutes, is_bot)._replace(bytes=[*map(float, sums.values())])


def _count_numbered(
    values: Column, numbers: Sequence[int | None], is_bot: Sequence[bool] | None = None
) -> PartialCounts:
    """Count lines per number and value, and those of bots if they are known."""
    lines = Counter(zip(numbers, values, strict=True))
    counts = PartialCounts([value for _, value in lines], [*lines.values()], minutes=[number for number, _ in lines])
    if is_bot is None:
        return counts
    of_bots = Counter(compress(zip(numbers, values, strict=True), is_bot))
    return counts._replace(bots=[of_bots[key] for key in lines])


def _count_visitors(
    clients: Column, agents: Column, minutes: Sequence[int | None], is_bot: Sequence[bool] | None
) -> PartialCounts:
    """Count lines per visitor and the first minute of the day; a visitor is a client with a user agent."""
    days = [None if minute is None else minute // MINUTES_PER_DAY * MINUTES_PER_DAY for minute in minutes]
    visitors = [
        None if client is None else client if agent is None else b"%b %b" % (client, agent)
        for client, agent in zip(clients, agents, strict=True)
    ]
    return _count_numbered(visitors, days, is_bot)


def _count_error_paths(paths: Column, statuses: Column) -> dict[str, PartialCounts]:
    """Count the lines with an error per status code and path, as one value with a space between them."""
    counts = {}
    for digit, name in ERROR_PATHS.items():
        is_error = _have_digit(statuses, digit)
        texts = [b" ".join(filter(None, pair)) for pair in compress(zip(statuses, paths, strict=True), is_error)]
        counts[name] = measure_values([*texts])
    return counts


def _count_links(lines_of: Mapping[tuple[bytes | None, ...], int]) -> PartialCounts:
    """Count the lines per path and host of the referrer, perhaps with its path; lines without one are left out.

    Args:
        lines_of: the lines with each combination.
    """
    with_referrer = {link: lines for link, lines in lines_of.items() if link[1] is not None}
    return PartialCounts([*map(encode_combination, with_referrer)], [*with_referrer.values()])


def _count_parameters(queries: Column) -> tuple[PartialCounts, PartialCounts]:
    """Count the lines with each parameter of queries, as written between "&", and with each name, before "="."""
    parameters: Counter[bytes] = Counter()
    names: Counter[bytes] = Counter()
    for query, lines in Counter(filter(None, queries)).items():
        found = {*query.split(b"&")} - {b""}
        for counter, values in ((parameters, found), (names, {each.partition(b"=")[0] for each in found})):
            for value in values:
                counter[value] += lines
    return (
        PartialCounts([*parameters], [*parameters.values()]),
        PartialCounts([*names], [*names.values()]),
    )
