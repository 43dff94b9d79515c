"""Tests of the content of a report: tiles, tables and charts, for logs of all formats."""

import io
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given

from tests.support import naive, sizes
from tests.support.reports import LOG, add_lines, build_content, log_line, render_log, table_rows
from urisect.logs import COMBINED, FORMATS, LIST, Format, format_of, records
from urisect.logs.input.reader import Rejected, Skipped
from urisect.logs.report.content import PageContent
from urisect.logs.report.findings import Findings
from urisect.logs.report.formatting import format_number
from urisect.logs.report.model import Tile
from urisect.logs.report.table_summary import PARAMETER_NAMES, QUERY_PARAMETERS, TableSummarizer
from urisect.logs.scan.task import PieceResult

TIMED = '$remote_addr [$time_iso8601] "$request" $status $body_bytes_sent $request_time'


def test_counts_equal_those_of_all_records() -> None:
    expected: dict[str, Counter[Any]] = {
        name: Counter() for name in ("target_path", "client", "method", "referer_host", "agent")
    }
    sizes: Counter[bytes | None] = Counter()
    pairs: Counter[bytes] = Counter()
    names = ("target_query", "bytes", *expected)
    for record in records(io.BytesIO(LOG), COMBINED, columns=names):
        for name, counter in expected.items():
            counter[record[name]] += 1
        sizes[record["target_path"]] += record["bytes"] or 0
        pairs.update({*(record["target_query"] or b"").split(b"&")} - {b""})
    with Findings(COMBINED, ["access.log"]) as findings:
        counts = add_lines(LOG, COMBINED, findings).counts
        for name, counter in expected.items():
            assert {count.value: count.lines for count in counts.top(name, 10_000)} == counter
        assert {count.value: count.bytes for count in counts.top("target_path", 10_000)} == sizes
        assert {count.value: count.lines for count in counts.top(QUERY_PARAMETERS, 10_000)} == pairs
        assert counts.distinct(PARAMETER_NAMES) == len({pair.partition(b"=")[0] for pair in pairs})


@pytest.mark.parametrize("format", sizes.some([*FORMATS.values()]), ids=lambda format: format.name)
def test_every_format_has_a_page(format: Format) -> None:
    content = build_content(format.sample, format)
    titles = {table.title for section in content.sections for table in section.tables}
    assert content.tiles[0].value != "0"
    summarizer = TableSummarizer(format)
    is_about_requests = summarizer.uri == "target_"
    assert bool({"Pages", "Assets"} & titles) == (is_about_requests and bool(summarizer.path))
    assert ("Paths" in titles) == (not is_about_requests and bool(summarizer.path))
    assert ("Browsers" in titles) <= bool(summarizer.agent)
    assert ("Status codes" in titles) == ("status" in format.columns)
    assert bool(content.sections[0].charts) == ("time" in format.columns)
    html = render_log(format.sample, format)
    assert f"format: <strong>{format.name}</strong>" in html.lower()


def test_content_for_a_list_of_references() -> None:
    content = build_content(b"http://a.example/x?b=c\nhttp://user@b.example/x\nmailto:x\n", LIST)
    assert [(section.id, section.title) for section in content.sections] == [
        ("references", "References"),
        ("suspicious", "Suspicious URLs"),
    ]
    assert [(tile.label, tile.value) for tile in content.tiles] == [("Lines", "3"), ("Hosts", "2")]
    titles = [table.title for table in content.sections[0].tables]
    assert titles == ["Hosts", "Schemes", "Paths", "Query parameters", "Query parameters with values"]
    assert table_rows(content, "Paths") == [["/x", "2", "66.7 %"], ["x", "1", "33.3 %"]]
    assert table_rows(content, "Hosts") == [
        ["a.example", "1", "33.3 %"],
        ["b.example", "1", "33.3 %"],
        ["(none)", "1", "33.3 %"],
    ]
    assert table_rows(content, "Schemes") == [["http", "2", "66.7 %"], ["mailto", "1", "33.3 %"]]
    assert [hazard.code for hazard in content.sections[1].hazards] == ["userinfo"]


def test_response_times_are_shown_if_the_log_has_them() -> None:
    log = b"".join(
        b'192.0.2.7 [1996-11-10T00:00:%02d+00:00] "GET %b HTTP/1.0" 200 10 %b\n' % (second, path, seconds)
        for second, (path, seconds) in enumerate([(b"/a", b"0.5"), (b"/b", b"0.9"), (b"/a", b"0.7"), (b"/c", b"-")])
    )
    content = build_content(log, format_of(TIMED))
    assert table_rows(content, "Paths by total time") == [
        ["/a", "1.2 s", "600 ms", "700 ms", "2"],
        ["/b", "900 ms", "900 ms", "900 ms", "1"],
        ["/c", "0 ms", "0 ms", "0 ms", "1"],
    ]
    assert table_rows(content, "Pages")[0] == ["/a", "2", "50.0 %", "0", "20 B", "600 ms", "700 ms"]
    assert table_rows(content, "Percentiles of response times") == [
        ["/a", "2", "500 ms", "700 ms", "700 ms"],
        ["/b", "1", "900 ms", "900 ms", "900 ms"],
        ["/c", "1", "0 ms", "0 ms", "0 ms"],
    ]
    assert table_rows(content, "Slowest responses") == [
        ["/b", "900 ms", "1996-11-10 00:00:01"],
        ["/a", "700 ms", "1996-11-10 00:00:02"],
    ]


def test_hours_and_weekdays_are_shown_if_there_are_several() -> None:
    def charts(days: int) -> dict[str, str]:
        log = b"".join(log_line(time=b"%02d/Nov/1996:23:59:00 +0000" % (day + 1)) for day in range(days))
        return {chart.title: chart.bars for chart in build_content(log).sections[0].charts[2:]}

    assert charts(3) == {}
    assert [*charts(5)] == ["Requests by hour of the day"]
    by_hour, by_weekday = charts(23).values()
    assert "23:00 UTC\nrequests: 23<" in by_hour
    assert "22:00 UTC\nnone<" in by_hour
    assert "Saturday UTC\nrequests: 4<" in by_weekday  # 2, 9, 16 and 23 November 1996
    assert "Sunday UTC\nrequests: 3<" in by_weekday


def test_paths_and_clients_are_shown_by_bytes() -> None:
    content = build_content(
        log_line(b"/a", sent=b"100") * 3 + log_line(b"/b", sent=b"900") + log_line(b"/c", sent=b"-")
    )
    assert table_rows(content, "Paths by bytes") == [
        ["/b", "900 B", "75.0 %", "1"],
        ["/a", "300 B", "25.0 %", "3"],
        ["/c", "0 B", "0 %", "1"],
    ]
    assert [row[1:] for row in table_rows(content, "Clients by bytes")] == [["1.2 kB", "100 %", "5"]]
    titles = {table.title for section in build_content(log_line(sent=b"-")).sections for table in section.tables}
    assert "Pages" in titles
    assert "Paths by bytes" not in titles


def test_errors_are_shown_by_path_and_status() -> None:
    content = build_content(
        log_line(b"/a", status=b"404") * 2
        + log_line(b"/a", status=b"410")
        + log_line(b"/b?c", status=b"503")
        + log_line()
    )
    assert table_rows(content, "Client errors") == [["/a", "2", "404"], ["/a", "1", "410"]]
    assert table_rows(content, "Server errors") == [["/b", "1", "503"]]
    assert Tile("Errors", "80.0 %", ("4xx 60.0 %,", "5xx 20.0 %")) in content.tiles
    assert table_rows(content, "Status codes")[-1] == ["503 Service Unavailable", "1", "20.0 %", "1", "1 B"]


def test_the_largest_responses_have_different_paths() -> None:
    log = b"".join(log_line(b"/%d" % (row % 20), sent=b"%d" % (row + 1)) for row in range(100))
    largest = table_rows(build_content(log), "Largest responses")
    assert [row[:2] for row in largest[:2]] == [["/19", "100 B"], ["/18", "99 B"]]
    assert len(largest) == 15


@pytest.mark.parametrize(
    ("data", "tiles"),
    [
        (b"", ["Requests"]),
        (b"nonsense\n", ["Requests"]),
        (b'192.0.2.7 - - [31/Apr/1996:00:00:00 +0000] "-" - - "-" "-"\n', ["Requests", "Clients", "Bots"]),
        (log_line(), ["Requests", "Period", "Sent", "Visitors", "Bots", "Errors"]),
    ],
)
def test_logs_with_little_content_have_fewer_tiles(data: bytes, tiles: list[str]) -> None:
    content = build_content(data)
    assert [tile.label for tile in content.tiles] == tiles
    html = render_log(data)
    assert ("No lines were counted" in html) == (data in {b"", b"nonsense\n"})
    assert ("<figure>" in html) == (tiles[-1] == "Errors")


@given(data=naive.octets)
@example(data=b"\r")
def test_content_counts_arbitrary_lines(data: bytes) -> None:
    content = build_content(data, LIST)
    assert content.tiles[0].value == format_number(len(naive.lines(data)))


def test_content_for_unparsed_lines_and_unreadable_files() -> None:
    with Findings(FORMATS["w3c"], ["a.log", "b\x1b.log"]) as findings:
        lines = [b"zero", b"one", *(b"%d" % row for row in range(11))]
        rejected = [Rejected(row + 1, 0, text) for row, text in enumerate(lines)]
        skipped = [Skipped(1, 0, 9, "directive"), *[Skipped(2, 0, 9, "too long")] * 2]
        findings.add(PieceResult("-", [], 0, rejected[:1], skipped))
        findings.add(PieceResult("b\x1b.log", [], 0, rejected[1:], [], OSError("no \x1b gzip")))
        for _ in range(20):
            findings.add(PieceResult("c.log", [], 0, [], [], FileNotFoundError(2, "No such file")))
        [section] = PageContent(findings).sections
    assert [rejection.place for rejection in section.rejected][:2] == ["standard input, line 1", r"b\x1b.log, line 2"]
    assert [rejection.reason for rejection in section.rejected][:2] == ["", ""]
    assert [rejection.text.before for rejection in section.rejected][:2] == ["zero", "one"]
    assert section.notes[:4] == [
        "3 more lines were rejected.",
        "2 lines were skipped: too long.",
        "1 line was skipped: directive.",
        r"b\x1b.log could not be read completely: no \x1b gzip.",
    ]
    assert section.notes[-1] == "1 other file could not be read completely."
    assert len(section.notes) == 4 + 19 + 1


def test_rejected_lines_of_a_single_file_are_named_by_their_numbers() -> None:
    [section] = build_content(b"x\n" * 1233 + b"one").sections
    assert [rejection.place for rejection in section.rejected][:2] == ["Line 1", "Line 2"]
    assert section.notes == ["1,224 more lines were rejected."]


@pytest.mark.parametrize(
    ("paths", "held", "extent", "is_complete"),
    [(10, 10, "", True), (11, 11, "top 10 of 11", True), (1501, 500, "top 10 of 1,501", False)],
)
def test_a_table_shows_some_rows_and_holds_more(paths: int, held: int, extent: str, *, is_complete: bool) -> None:
    content = build_content(b"".join(log_line(b"/%d" % number, status=b"404") for number in range(paths)))
    [table] = [table for section in content.sections for table in section.tables if table.title == "Client errors"]
    assert (len(table.rows), table.extent(len(table.visible_rows)), table.is_complete) == (held, extent, is_complete)


def test_lines_without_a_time_are_counted_but_not_in_the_chart() -> None:
    content = build_content(log_line(time=b"31/Apr/1996:00:00:00 +0000", sent=b"9") + log_line(sent=b"1"))
    assert content.tiles[0].value == "2"
    assert [tile.value for tile in content.tiles if tile.label == "Sent"] == ["10 B"]
    assert [key.value for key in content.sections[0].charts[0].legend] == ["1"]


def test_the_first_and_the_last_year_fit_in_one_chart() -> None:
    times = [b"01/Jan/0001:00:00:00 +0000", b"31/Dec/9999:23:59:59 +0000", b"10/Nov/1996:00:00:00 +0000"]
    content = build_content(b"".join(log_line(time=time) for time in times))
    assert content.sections[0].charts[0].title == "Requests per 100 years"


def test_a_chart_without_status_has_no_legend() -> None:
    format = format_of("$remote_addr [$time_iso8601]")
    [section, *_] = build_content(b"192.0.2.7 [1996-11-10T00:00:00+00:00]\n", format).sections
    assert [(figure.title, figure.legend) for figure in section.charts] == [("Lines per minute", [])]


def test_percentiles_of_response_times_over_time() -> None:
    log = b"".join(
        b'192.0.2.7 [1996-11-10T%02d:00:00+00:00] "GET /a HTTP/1.0" 200 10 0.%03d\n' % (row % 2, row)
        for row in range(200)
    )
    log += b'192.0.2.7 [1996-02-31T00:00:00+00:00] "GET /a HTTP/1.0" 200 10 0.099\n'  # not in the chart
    content = build_content(log, format_of(TIMED))
    [chart] = [chart for chart in content.sections[0].charts if chart.title.startswith("Response times")]
    assert [(entry.name, entry.value) for entry in chart.legend] == [
        ("p50", "99 ms"),
        ("p95", "190 ms"),
        ("p99", "200 ms"),
    ]
    assert "p99: 200 ms\np95: 190 ms\np50: 98 ms" in chart.bars


def test_lines_without_a_time_have_no_percentiles_over_time() -> None:
    content = build_content(
        b'192.0.2.7 [-] "GET /a HTTP/1.0" 200 10 0.5\n', format_of(TIMED.replace("iso8601", "local"))
    )
    assert [chart.title for section in content.sections for chart in section.charts] == []


@pytest.mark.parametrize(
    ("log", "own_hosts", "hosts"),
    [
        (log_line(referer=b"http://www.a.example/") * 3 + log_line(referer=b"http://b.example/"), (), ["b.example"]),
        (
            log_line(referer=b"http://a.example/") + log_line(referer=b"http://b.example/"),
            (),
            ["a.example", "b.example"],
        ),
        (
            log_line(referer=b"http://a.example/") + log_line(referer=b"http://x.B.example/"),
            ("b.example",),
            ["a.example"],
        ),
        (log_line(referer=b"http://\xff/") * 2, (), [r"\xff"]),
    ],
)
def test_the_hosts_of_the_site_are_left_out(log: bytes, own_hosts: Sequence[str], hosts: list[str]) -> None:
    with Findings(COMBINED, ["access.log"], own_hosts=own_hosts) as findings:
        content = PageContent(add_lines(log, COMBINED, findings))
    assert [row[0] for row in table_rows(content, "Referring hosts")] == hosts


def test_the_host_that_requests_are_sent_to_is_left_out() -> None:
    line = b'www.a.example:443 192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET / HTTP/1.0" 200 9 "http://%b/" "-"\n'
    log = line % b"www.a.example" + line % b"b.example" * 5
    content = build_content(log, FORMATS["vhost-combined"])
    assert [row[0] for row in table_rows(content, "Referring hosts")] == ["b.example"]


def test_entry_pages_are_those_that_people_came_to_from_other_sites() -> None:
    def lines(target: bytes, referer: bytes, times: int, agent: bytes = b"-") -> bytes:
        return log_line(target, referer=referer, agent=agent) * times

    log = (
        lines(b"/a", b"http://www.a.example/", 20)
        + lines(b"/a", b"http://b.example/x?y", 3)
        + lines(b"/a", b"http://xa.example/", 2)
        + lines(b"/a.css", b"http://b.example/", 4)
        + lines(b"/b", b"-", 5)
        + lines(b"/b", b"http://b.example/", 6, b"curl/8.14.1")
        + lines(b"/b?q=1", b"http://B.example/", 1)
    )
    entries = [["/a", "3", "b.example"], ["/a", "2", "xa.example"], ["/b", "1", "B.example"]]
    assert table_rows(build_content(log), "Entry pages") == entries


def test_the_sites_of_a_server_are_side_by_side() -> None:
    line = b'%b:443 192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET / HTTP/1.0" %d 9 "-" "-"\n'
    log = line % (b"a.example", 200) * 2 + line % (b"b.example", 404)
    content = build_content(log, FORMATS["vhost-combined"])
    assert table_rows(content, "Servers") == [
        ["a.example", "2", "66.7 %", "2", "0", "18 B"],
        ["b.example", "1", "33.3 %", "1", "1", "9 B"],
    ]
    assert "Sites" in [section.title for section in content.sections]
    assert "Sites" not in [section.title for section in build_content(line % (b"a.example", 200)).sections]


@pytest.mark.parametrize("format", [COMBINED, LIST])
def test_a_report_without_bots(format: Format) -> None:
    log = log_line(agent=b"curl/8.14.1") * 2 + log_line(agent=b"Firefox/140.0")
    with Findings(format, ["access.log"], without_bots=True) as findings:
        content = PageContent(add_lines(log, format, findings))
    assert content.tiles[0].value == ("1" if format is COMBINED else "3")


def test_bots_browsers_and_systems() -> None:
    firefox = b"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    log = log_line(agent=b"curl/8.14.1") * 2 + log_line(agent=firefox) * 2 + log_line(agent=b"x")
    content = build_content(log)
    assert table_rows(content, "Bots") == [["curl", "2", "40.0 %", "2 B", "1", "HTTP library"]]
    assert table_rows(content, "Browsers") == [["Firefox", "2", "66.7 %"], ["other", "1", "33.3 %"]]
    assert [row[0] for row in table_rows(content, "Systems")] == ["Linux", "other"]
    assert Tile("Bots", "40.0 %", ("2 requests",)) in content.tiles


def test_many_user_agents_are_not_all_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisect.logs.report.visitor_tables.MAX_AGENTS", 2)
    content = build_content(b"".join(log_line(agent=b"curl/%d" % number) for number in range(5)) + log_line(agent=b"x"))
    notes = {table.title: table.note for section in content.sections for table in section.tables}
    assert notes["Bots"] == "of the 2 most frequent user agents"
    assert "Browsers" not in notes


def test_search_terms_are_decoded() -> None:
    content = build_content(log_line(b"/?q=caf%C3%A9+au+lait&s=") * 2 + log_line(b"/?Search=x&q=%00"))
    assert table_rows(content, "Search terms") == [
        ["café au lait", "2", "66.7 %"],
        ["x", "1", "33.3 %"],
        [r"\x00", "1", "33.3 %"],
    ]


@pytest.mark.parametrize(
    ("days", "title", "people"),
    [
        (1, None, None),
        (3, "Visitors per day", "2 in the median"),
        (300, "Visitors per day (mean of each week)", "2 in the median"),
    ],
)
def test_visitors_per_day(days: int, title: str | None, people: str | None) -> None:
    times = (datetime(1996, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in range(days))
    lines = [log_line(time=f"{time:%d/%b/%Y:%H:%M:%S +0000}".encode()) * 2 for time in times]
    another = [line.replace(b"192.0.2.7", b"192.0.2.8") for line in lines[:-1]]  # the last day may be a part of one
    content = build_content(b"".join(lines + another))
    [visitors] = [section for section in content.sections if section.id == "visitors"]
    assert [(chart.title, chart.legend[0].value) for chart in visitors.charts] == ([(title, people)] if title else [])
    assert [tile.value for tile in content.tiles if tile.label == "Visitors"] == ["1" if days == 1 else "2 a day"]


def test_visitors_without_user_agents() -> None:
    lines = (b'192.0.2.%d - - [1%d/Nov/1996:00:00:00 +0000] "GET / HTTP/1.0" 200 9\n' % (day, day) for day in range(3))
    content = build_content(b"".join(lines), FORMATS["common"])
    [visitors] = [section for section in content.sections if section.id == "visitors"]
    assert [entry.name for entry in visitors.charts[0].legend] == ["people"]
