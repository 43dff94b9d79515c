"""The figures of a report, each against a naive count of the records of a log with bots, in two files."""

import io
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import cycle
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from crawleruseragents import CRAWLER_USER_AGENTS_DATA, is_crawler

from benchmarks.corpora import access_log
from urisect.logs import COMBINED, Format, MissingExtraError, format_of, records
from urisect.logs.report import bots
from urisect.logs.report.audience import count_bots
from urisect.logs.report.combinations import decode_combination
from urisect.logs.report.content import PageContent
from urisect.logs.report.counts import CountDatabase, ValueCount
from urisect.logs.report.findings import Findings
from urisect.logs.report.request_tables import ASSETS, NOT_ASSETS, SEARCHES
from urisect.logs.report.rounding import round_duration
from urisect.logs.report.table_summary import (
    BROKEN_LINKS,
    DURATIONS_OF_PATHS,
    DURATIONS_PER_MINUTE,
    ENTRIES,
    QUERY_PARAMETERS,
    STATUS_PER_MINUTE,
    VISITORS_PER_DAY,
)
from urisect.logs.scan.run import ScanRun

LINES = 6000
EXTENSIONS = ("css", "js", "png", "jpg", "svg", "ico", "woff2", "gif", "webp")
ALL = 1 << 20

BOTS = (b"Mozilla/5.0 (compatible; Googlebot/2.1)", b"curl/8.14.1", b"-", b"GPTBot/1.2", b"bingbot", b"curl/8.15.0")
COLUMNS = (
    *("client", "time", "status", "bytes", "agent", "duration"),
    *("target_path", "target_query", "referer_host", "referer_path"),
)

# A log in an order of columns that no named format has, with response times.
TIMED = format_of('%h %t "%r" %>s %b %D "%{User-Agent}i"')


class Case(NamedTuple):
    """The counts of a report, and the records that it counted."""

    counts: CountDatabase
    records: list[Mapping[str, Any]]

    def tally(self, key: Callable[[Mapping[str, Any]], Any]) -> Counter[Any]:
        """Count the records by a key."""
        return Counter(map(key, self.records))


@pytest.fixture(scope="module", params=[1, 2], ids=["one job", "two jobs"])
def jobs(request: pytest.FixtureRequest) -> Iterator[int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("urisect.logs.scan.parallel.PARENT_ONLY_BYTES", 0)
        patch.setattr("urisect.logs.scan.pieces.FILE_PIECE_BYTES", 1 << 18)
        yield request.param


def count(files: list[Path], format: Format, jobs: int) -> Iterator[Case]:
    names = [str(file) for file in files]
    with Findings(format, names) as findings:
        for result in ScanRun(names, findings.task(), jobs=jobs):
            findings.add(result)
        columns = [name for name in COLUMNS if name in format.fields]
        found: list[Mapping[str, Any]] = []
        for file in files:
            found += records(io.BytesIO(file.read_bytes()), format, columns=columns)
        assert findings.lines == len(found)
        yield Case(findings.counts, found)


@pytest.fixture(scope="module")
def combined(tmp_path_factory: pytest.TempPathFactory, jobs: int) -> Iterator[Case]:
    directory = tmp_path_factory.mktemp("combined")
    files = [directory / "a.log", directory / "b.log"]
    for seed, file in enumerate(files):
        lines = access_log(LINES, seed).splitlines(keepends=True)
        for row, agent in zip(range(0, LINES, 50), cycle(BOTS), strict=False):
            before, quote, _ = lines[row].rstrip(b'"\n').rpartition(b'"')
            lines[row] = b'%b%b%b"\n' % (before, quote, agent)
        file.write_bytes(b"".join(lines))
    yield from count(files, COMBINED, jobs)


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory, jobs: int) -> Iterator[Case]:
    lines = [
        b'192.0.2.%d [10/Nov/1996:%02d:%02d:36 -0700] "GET /%d?q=%d HTTP/1.1" %d 9 %d "%b"\n'
        % (row % 5, row % 7, row % 11, row % 3, row % 4, 200 + row % 4 * 100, row**3 % 10**8, agent)
        for row, agent in enumerate([b"curl/8.14.1", b"Firefox/140.0", b"-"] * 3000)
    ]
    file = tmp_path_factory.mktemp("timed") / "timed.log"
    file.write_bytes(b"".join(lines))
    yield from count([file], TIMED, jobs)


def is_bot(record: Mapping[str, Any]) -> bool:
    return _is_bot_agent(record["agent"] or b"")


@cache
def _is_bot_agent(agent: bytes) -> bool:
    return bool(is_crawler(agent.decode("latin-1")))


def is_asset(path: bytes | None) -> bool:
    return (path or b"").decode("latin-1").lower().rpartition(".")[2] in EXTENSIONS and b"." in (path or b"")


@pytest.mark.parametrize("field", ["target_path", "client", "agent"])
def test_requests_of_bots_errors_and_bytes(combined: Case, field: str) -> None:
    sums: defaultdict[Any, list[int]] = defaultdict(lambda: [0] * 5)
    for record in combined.records:
        status = record["status"] or 0
        kinds = (1, record["bytes"] or 0, is_bot(record), status // 100 == 4, status // 100 == 5)
        sums[record[field]] = [*map(sum, zip(sums[record[field]], kinds, strict=True))]
    found = combined.counts.top(field, ALL)
    assert {
        each.value: [each.lines, each.bytes, each.bots, each.client_errors, each.server_errors] for each in found
    } == sums
    total = combined.counts.total(field)
    assert (total.bots, total.client_errors) == (sum(map(is_bot, combined.records)), sum(s[3] for s in sums.values()))
    assert 0 < total.bots < total.lines


def test_pages_and_assets(combined: Case) -> None:
    lines = combined.tally(lambda record: record["target_path"])
    for only, wanted in ((ASSETS, True), (NOT_ASSETS, False)):
        expected = {path: times for path, times in lines.items() if is_asset(path) == wanted}
        assert {each.value: each.lines for each in combined.counts.top("target_path", ALL, only=only)} == expected
        assert combined.counts.total("target_path", only=only).lines == sum(expected.values())
        assert combined.counts.distinct("target_path", only=only) == len(expected.keys() - {None})
        assert len(expected) > 1


def test_bots(combined: Case) -> None:
    agents = [each for each in combined.counts.top("agent", ALL, by="bots") if each.bots]
    assert sum(bot.total.lines for bot in count_bots(agents)) == sum(map(is_bot, combined.records))
    assert sum(bot.agents for bot in count_bots(agents)) == len({r["agent"] for r in combined.records if is_bot(r)})


def test_visitors_per_day(combined: Case) -> None:
    visitors: defaultdict[int, set[Any]] = defaultdict(set)
    bots: defaultdict[int, set[Any]] = defaultdict(set)
    for record in combined.records:
        if record["client"] is not None and record["time"] is not None:
            day = int(record["time"].timestamp()) // 86400 * 1440
            visitor = record["client"], record["agent"]
            (bots if is_bot(record) else visitors)[day].add(visitor)
    expected = [(day, len(visitors[day]) + len(bots[day]), len(bots[day])) for day in sorted({*visitors, *bots})]
    assert combined.counts.values_per_minute(VISITORS_PER_DAY) == expected
    assert len(expected) > 1


def test_statuses_of_bots(combined: Case) -> None:
    expected: Counter[Any] = Counter()
    for record in combined.records:
        expected[record["status"]] += is_bot(record)
    found: Counter[Any] = Counter()
    for bucket in combined.counts.per_bucket(STATUS_PER_MINUTE, 0, 1):
        found[None if bucket.value is None else int(bucket.value)] += bucket.bots
    assert found == expected


def test_links_to_what_was_not_found(combined: Case) -> None:
    expected: Counter[Any] = Counter(
        tuple(record[name] for name in ("target_path", "referer_host", "referer_path"))
        for record in combined.records
        if record["status"] == 404 and record["referer_host"] is not None
    )
    found = {decode_combination(each.value, 3): each.lines for each in combined.counts.top(BROKEN_LINKS, ALL)}
    assert found == expected != {}


def test_pages_that_people_came_to(combined: Case) -> None:
    expected: Counter[Any] = Counter(
        (record["target_path"], record["referer_host"])
        for record in combined.records
        if not is_bot(record) and record["target_path"] is not None and not is_asset(record["target_path"])
        if record["referer_host"] is not None
    )
    found = {decode_combination(each.value, 2): each.lines for each in combined.counts.top(ENTRIES, ALL)}
    assert found == expected
    assert len(found) > 100


def test_pages_that_clients_came_to_if_agents_are_unknown(tmp_path: Path, jobs: int) -> None:
    log = tmp_path / "a.log"
    line = b'192.0.2.7 [10/Nov/1996:00:00:00 +0000] "GET /%b HTTP/1.1" 200 9 "http://a.example/"\n'
    log.write_bytes(line % b"a" * 6000 + line % b"a.css")
    for case in count([log], format_of('%h %t "%r" %>s %b "%{Referer}i"'), jobs):
        found = {decode_combination(each.value, 2): each.lines for each in case.counts.top(ENTRIES, ALL)}
        assert found == {(b"/a", b"a.example"): 6000}


def test_searches_are_counted_once_per_request(timed: Case) -> None:
    expected = timed.tally(lambda record: record["target_query"])
    assert {e.value: e.lines for e in timed.counts.top(QUERY_PARAMETERS, ALL, only=SEARCHES)} == expected


def test_response_times(timed: Case) -> None:
    def duration(record: Mapping[str, Any]) -> int:
        return round_duration(record["duration"] or 0)

    per_minute = timed.tally(lambda record: (int(record["time"].timestamp()) // 60, b"%d" % duration(record)))
    found = timed.counts.per_bucket(DURATIONS_PER_MINUTE, 0, 1)
    assert {(each.bucket, each.value): each.lines for each in found} == per_minute
    paths = [b"/0", b"/2", None]
    of_paths = timed.tally(lambda record: (record["target_path"], duration(record)))
    assert {(path, number): lines for path, number, lines in timed.counts.numbers_of(DURATIONS_OF_PATHS, paths)} == {
        key: lines for key, lines in of_paths.items() if key[0] in paths
    }


def test_percentiles_of_paths(tmp_path: Path) -> None:
    log = tmp_path / "timed.log"
    durations = [row**3 % 10**7 for row in range(1001)]
    log.write_bytes(
        b"".join(
            b'192.0.2.7 [10/Nov/1996:00:00:00 -0700] "GET /a HTTP/1.1" 200 9 %d "-"\n' % duration
            for duration in durations
        )
    )
    with Findings(TIMED, [str(log)]) as findings:
        for result in ScanRun([str(log)], findings.task()):
            findings.add(result)
        tables = {table.title: table for section in PageContent(findings).sections for table in section.tables}
    [row] = tables["Percentiles of response times"].rows
    expected = [sorted(durations)[ceil(percentage / 100 * 1001) - 1] for percentage in (50, 95, 99)]
    assert [cell.sort_key for cell in row[2:]] == [round_duration(microseconds / 1e6) for microseconds in expected]


def test_values_that_were_not_counted() -> None:
    with CountDatabase() as counts:
        assert counts.values_per_minute(VISITORS_PER_DAY) == []
        assert counts.numbers_of(DURATIONS_OF_PATHS, [b"/a"]) == []
        assert counts.total("client") == ValueCount(None, 0)


@pytest.mark.parametrize("package", ["crawleruseragents", "ua_parser"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"a report needs {package}, .* pip install 'urisect\[logs\]'"):
        Findings(COMBINED, [])


def test_agents_are_cached_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "MAX_CACHED_AGENTS", 2)
    bots.are_bots([b"a", b"b"])
    agents = [b"curl/%d" % number for number in range(bots.MIN_ARROW_AGENTS + 1)] + [b"Firefox", None]
    for _ in range(2):
        assert bots.are_bots(agents) == [True] * (len(agents) - 2) + [False] * 2
        assert len(bots._is_bot) == len(agents) + 1  # and the empty agent
        assert bots.are_bots(agents[-3:]) == [True, False, False]
        assert len(bots._is_bot) == 4


@pytest.mark.parametrize("number", [1, bots.MIN_ARROW_AGENTS])
def test_bots_are_those_of_the_list(number: int) -> None:
    agents = [text for entry in CRAWLER_USER_AGENTS_DATA for text in entry["instances"]]
    agents += [text[1:-1] for text in agents]
    for first in range(0, len(agents), number * 9):
        some = agents[first : first + number]
        encoded = [text.encode()[: bots.MAX_AGENT_BYTES] for text in some]
        assert bots.are_bots(encoded) == [is_crawler(text) for text in some]
        assert [bots.bot_of(text) is not None for text in encoded] == bots.are_bots(encoded)
