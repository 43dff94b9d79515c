"""What the report counts of each table, wherever that is cut: partial counts, and the few lines that stand out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import compress
from operator import attrgetter
from typing import Any, NamedTuple

from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import ValueKind
from urisect.logs.input.reader import Table
from urisect.logs.report.groups import Groups, counted, distinct, measured, summed
from urisect.logs.report.suspicious import Sightings, sightings
from urisect.reference import Reference

__all__ = ["EXTREMES", "FAILED", "NAMES", "PAIRS", "TRAFFIC", "Extreme", "Highest", "Partial", "Tally"]

# How many of the largest and of the slowest responses are kept, each of another path.
EXTREMES = 15

MINUTE = 60_000_000  # microseconds

# What is counted besides fields: no field has such a name.
TRAFFIC = "status codes by minute"
PAIRS, NAMES = "parameters of queries", "names of parameters"
FAILED = {b"4": "what the client did wrong", b"5": "what the server did wrong"}  # the first digit of a status code


class Extreme(NamedTuple):
    """A response that stands out: the largest of its path, or the slowest.

    Attributes:
        value: how many bytes it has, or how many seconds it took.
        path: what was asked for.
        time: when, in microseconds since 1970.

    >>> Extreme(4096, b"/a", None).value
    4096
    """

    value: float
    path: bytes | None
    time: int | None


class Highest:
    """The responses that stand out among those seen so far, the highest first, one a path.

    Of those that are alike, the first is kept, so that who has seen some of the lines, in order, can tell which of them
    cannot be among the highest of all.

    >>> highest = Highest()
    >>> highest.add([Extreme(2, b"/a", None), Extreme(1, b"/b", None), Extreme(3, b"/b", 0)])
    >>> highest.extremes
    [Extreme(value=3, path=b'/b', time=0), Extreme(value=2, path=b'/a', time=None)]
    """

    def __init__(self) -> None:
        """Nothing was seen."""
        self.extremes: list[Extreme] = []
        self._floor = 0.0

    def candidates(self, values: Sequence[float]) -> list[int]:
        """Tell which of some values may be among the highest, by their rows."""
        floor = self._floor
        return [row for row, value in enumerate(values) if value > floor]

    def add(self, extremes: Iterable[Extreme]) -> None:
        """Add some, in the order of their lines."""
        best = {extreme.path: extreme for extreme in self.extremes}
        for extreme in extremes:
            if extreme.path not in best or extreme.value > best[extreme.path].value:
                best[extreme.path] = extreme
        self.extremes = nlargest(EXTREMES, best.values(), key=attrgetter("value"))
        if len(self.extremes) == EXTREMES:
            self._floor = self.extremes[-1].value


class Partial(NamedTuple):
    """What there is to know of a table.

    Attributes:
        lines: how many there are.
        groups: partial counts, by what is counted.
        first: the time of the earliest line, in microseconds since 1970.
        last: that of the latest.
        largest: the largest responses, one a path.
        slowest: the slowest, one a path.
        hazards: what to know of the URIs.

    >>> Partial(0, {}, None, None, [], [], {}).lines
    0
    """

    lines: int
    groups: dict[str, Groups]
    first: int | None
    last: int | None
    largest: list[Extreme]
    slowest: list[Extreme]
    hazards: Sightings


class Tally:
    """Counts tables of a format, as far as it has the columns.

    Attributes:
        fields: those that have to be cut.
        uri: what the names of the columns begin with of the URI that was asked for, or None.
        path: the name of the column of its path; None if there is none, here and below.
        query: of its query.
        scheme: of its scheme.
        client: of who asked.
        status: of what came of it.
        time: of when that was.
        size: of how much was sent.
        duration: of how long it took.
        hosts: the fields with names of hosts that were asked.
        others: fields of which the lines are counted, and nothing more.

    >>> import io
    >>> from urisect.logs import COMMON, tables
    >>> partial = Tally(COMMON)(next(tables(io.BytesIO(COMMON.sample), COMMON)))
    >>> partial.groups["target_path"].values, partial.groups["target_path"].bytes, partial.largest[0].value
    ([b'/a/b', b'/'], [2326.0, 0.0], 2326)
    """

    def __init__(self, format: Format) -> None:
        """Look what the format has."""
        fields = format.fields
        self.uri = "target_" if "target_" in format.uris else next(iter(format.uris), None)

        def found(*names: str, kind: ValueKind = ValueKind.TEXT) -> str | None:
            return next((name for name in names if name in fields and format.kind(name) is kind), None)

        def of_uri(part: str) -> str | None:
            return None if self.uri is None else found(self.uri + part)

        self.path, self.query = of_uri("path"), of_uri("query")
        self.client = found("client")
        self.status = found("status", kind=ValueKind.NUMBER)
        self.time = found("time", kind=ValueKind.TIME)
        self.size = found("bytes", "bytes_sent", kind=ValueKind.NUMBER)
        self.duration = found("duration", kind=ValueKind.SECONDS)
        self.hosts = _different(found("host"), found("server"), of_uri("host"))
        self.scheme = None if self.uri == "target_" else of_uri("scheme")  # next to no target has one
        self.others = _different(found("method"), self.scheme, found("referer_host"), found("agent"))
        components = (found(uri + name) for uri in format.uris for name in Reference._fields)
        columns = (self.client, self.status, self.time, self.size, self.duration, *components)
        self.fields = _different(*columns, *self.hosts, *self.others)
        self._largest, self._slowest = Highest(), Highest()

    def __call__(self, table: Table) -> Partial:
        """Count a table.

        Args:
            table: lines for which `fields` were cut.
        """
        paths, times, statuses = (_column(table, name) for name in (self.path, self.time, self.status))
        sizes, durations = _numbers(table, self.size), _numbers(table, self.duration)
        instants = self._instants(table.format, set(times))
        groups = {TRAFFIC: _traffic(times, statuses, sizes, instants), **_failed(paths, statuses)}
        if self.path:
            groups[self.path] = measured(paths, sizes, durations if self.duration else None)
        if self.query:
            groups[PAIRS], groups[NAMES] = _parameters(table.column(self.query))
        for name in _different(self.client, *self.hosts):
            groups[name] = measured(table.column(name), sizes)
        for name in self.others:
            groups[name] = counted(table, name)

        def extremes(values: Sequence[float], highest: Highest) -> list[Extreme]:
            rows = highest.candidates(values)
            found = Highest()
            found.add(Extreme(values[row], paths[row], instants[times[row]]) for row in rows)
            highest.add(found.extremes)
            return found.extremes

        known = [instant for instant in instants.values() if instant is not None]
        return Partial(
            table.parsed,
            groups,
            first=min(known, default=None),
            last=max(known, default=None),
            largest=extremes(sizes, self._largest),
            slowest=extremes(durations, self._slowest),
            hazards=sightings(table),
        )

    def _instants(self, format: Format, times: Iterable[bytes | None]) -> dict[bytes | None, int | None]:
        """Read times, each once."""
        if self.time is None:
            return dict.fromkeys(times)
        texts = list(times)
        values: list[Any] = distinct(format, self.time, texts).values(self.time)
        return dict(zip(texts, values, strict=True))


def _different(*names: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))


def _column(table: Table, name: str | None) -> Column:
    return table.column(name) if name else [None] * table.parsed


def _numbers(table: Table, name: str | None) -> list[Any]:
    """Give a column of numbers, 0 where there is none."""
    return [number or 0 for number in table.values(name)] if name else [0] * table.parsed


def _traffic(
    times: Column, statuses: Column, sizes: Sequence[int], instants: Mapping[bytes | None, int | None]
) -> Groups:
    """Count the lines, and what was sent, by minute and status."""
    minutes = {time: None if instant is None else instant // MINUTE for time, instant in instants.items()}
    lines = Counter(zip(map(minutes.__getitem__, times), statuses, strict=True))
    sums = summed(zip(map(minutes.__getitem__, times), statuses, strict=True), sizes)
    return Groups(
        values=[status for _, status in lines],
        lines=[*lines.values()],
        bytes=[*map(float, sums.values())],
        minutes=[minute for minute, _ in lines],
    )


def _failed(paths: Column, statuses: Column) -> dict[str, Groups]:
    """Count the lines whose status is an error by it and the path, with a space between."""
    failed = {status for status in set(statuses) if status and status[:1] in FAILED}
    found = Counter(compress(zip(statuses, paths, strict=True), map(failed.__contains__, statuses)))
    groups = {name: Groups([], []) for name in FAILED.values()}
    for (status, path), lines in found.items():
        text = b" ".join(filter(None, (status, path)))
        group = groups[FAILED[text[:1]]]
        group.values.append(text)
        group.lines.append(lines)
    return groups


def _parameters(queries: Column) -> tuple[Groups, Groups]:
    """Count what stands between the "&" of queries, as it is written, and what of that stands before the first "="."""
    pairs = Counter(b"&".join(filter(None, queries)).split(b"&"))
    del pairs[b""]
    names: Counter[bytes] = Counter()
    for pair, times in pairs.items():
        names[pair.partition(b"=")[0]] += times
    return Groups([*pairs], [*pairs.values()]), Groups([*names], [*names.values()])
