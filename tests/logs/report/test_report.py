import io
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.corpora import access_log, hostile
from tests.support import chromium, naive
from urisect import unsplit
from urisect.cli import main
from urisect.logs import COMBINED, FORMATS, LIST, Format, MissingExtraError, format_of, records, tables
from urisect.logs.input.reader import Rejected, Skipped
from urisect.logs.report import Findings, page, render_page
from urisect.logs.report.charts import axis_values
from urisect.logs.report.content import PageContent
from urisect.logs.report.formatting import (
    escape_unprintable,
    format_bytes,
    format_duration,
    format_number,
    format_seconds,
    format_share,
    shorten_middle,
    utc_datetime,
)
from urisect.logs.report.rejection import explain_rejection
from urisect.logs.report.suspicious import count_hazards, is_harmless
from urisect.logs.report.table_summary import PARAMETER_NAMES, QUERY_PARAMETERS, Response, TableSummarizer, TopResponses
from urisect.logs.report.timeline import make_timeline
from urisect.logs.scan.parallel import scan
from urisect.logs.scan.task import PieceResult
from urisect.reference import Reference, recompose
from urisect.security import hazards

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

LOG = access_log(4000)
TIMED = '$remote_addr [$time_iso8601] "$request" $status $body_bytes_sent $request_time'


def found_in(data: bytes, format: Format, findings: Findings, file: str = "access.log") -> Findings:
    """Add what is found in some lines."""
    for table in tables(io.BytesIO(data), format, columns=findings.summarizer.fields):
        made = [findings.summarizer(table)]
        findings.add(PieceResult(file, made, table.parsed, table.rejected, table.skipped))
    return findings


def reported(data: bytes, format: Format = COMBINED, **choices: Any) -> str:
    with Findings(format, ["access.log"]) as findings:
        return render_page(found_in(data, format, findings), **choices)


def contents(data: bytes, format: Format = COMBINED) -> PageContent:
    with Findings(format, ["access.log"]) as findings:
        return PageContent(found_in(data, format, findings))


def rows(content: PageContent, title: str) -> list[list[str]]:
    """Give the texts in a table."""
    [table] = [table for section in content.sections for table in section.tables if table.title == title]
    return [[cell.text for cell in row] for row in table.rows]


def line(
    target: bytes = b"/", *, time: bytes = b"10/Nov/1996:00:00:00 +0000", status: bytes = b"200", sent: bytes = b"1"
) -> bytes:
    return b'192.0.2.7 - - [%b] "GET %b HTTP/1.0" %b %b "-" "-"\n' % (time, target, status, sent)


# What is counted


def test_what_is_counted_is_what_a_plain_count_of_records_gives() -> None:
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
        pairs.update(pair for pair in (record["target_query"] or b"").split(b"&") if pair)
    with Findings(COMBINED, ["access.log"]) as findings:
        counts = found_in(LOG, COMBINED, findings).counts
        for name, counter in expected.items():
            assert {count.value: count.lines for count in counts.top(name, 10_000)} == counter
        assert {count.value: count.bytes for count in counts.top("target_path", 10_000)} == sizes
        assert {count.value: count.lines for count in counts.top(QUERY_PARAMETERS, 10_000)} == pairs
        assert counts.total(PARAMETER_NAMES).lines == pairs.total()


def test_the_page_is_the_same_whoever_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisect.logs.scan.parallel.PARENT_ONLY_BYTES", 0)
    monkeypatch.setattr("urisect.logs.scan.pieces.FILE_PIECE_BYTES", 1 << 17)
    log = tmp_path / "access.log"
    log.write_bytes(LOG)
    pages: set[str] = set()
    for jobs in (1, 2):
        with Findings(COMBINED, [str(log)]) as findings:
            for done in scan(findings.files, findings.task(), jobs=jobs):
                findings.add(done)
            pages.add(render_page(findings))
    assert len(pages) == 1


@given(values=st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcd")), max_size=30), cuts=st.integers(1, 5))
def test_the_highest_of_all_are_among_the_highest_of_each_part(values: list[tuple[int, str]], cuts: int) -> None:
    responses = [Response(value, path.encode(), row) for row, (value, path) in enumerate(values)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("urisect.logs.report.table_summary.MAX_TOP_RESPONSES", 2)
        whole = TopResponses()
        whole.add(responses)
        merged, worker = TopResponses(), TopResponses()
        for start in range(0, len(responses), cuts):
            some = responses[start : start + cuts]
            part = TopResponses()
            part.add(some[row] for row in worker.candidates([extreme.value for extreme in some]))
            worker.add(part.responses)
            merged.add(part.responses)
    assert [extreme.value for extreme in merged.responses if extreme.value] == [
        extreme.value for extreme in whole.responses if extreme.value
    ]


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_every_format_has_a_page(format: Format) -> None:
    content = contents(format.sample, format)
    titles = {table.title for section in content.sections for table in section.tables}
    assert content.tiles[0].value != "0"
    assert ("Paths" in titles) == bool(TableSummarizer(format).path)
    assert ("Status codes" in titles) == ("status" in format.columns)
    assert bool(content.sections[0].charts) == ("time" in format.columns)
    html = reported(format.sample, format)
    assert f"format <strong>{format.name}</strong>" in html.lower()


def test_a_list_of_references_is_told_of_as_far_as_it_goes() -> None:
    content = contents(b"http://a.example/x?b=c\nhttp://user@b.example/x\nmailto:x\n", LIST)
    assert [(section.id, section.title) for section in content.sections] == [
        ("references", "References"),
        ("suspicious", "Suspicious URLs"),
    ]
    assert [tile.label for tile in content.tiles] == ["Lines"]
    assert rows(content, "Paths") == [["/x", "2", "66.7 %"], ["x", "1", "33.3 %"]]
    assert rows(content, "Hosts") == [
        ["a.example", "1", "33.3 %"],
        ["b.example", "1", "33.3 %"],
        ["(none)", "1", "33.3 %"],
    ]
    assert rows(content, "Schemes") == [["http", "2", "66.7 %"], ["mailto", "1", "33.3 %"]]
    assert [hazard.code for hazard in content.sections[1].hazards] == ["userinfo"]


def test_how_long_it_took_is_told_where_the_log_does() -> None:
    log = b"".join(
        b'192.0.2.7 [1996-11-10T00:00:%02d+00:00] "GET %b HTTP/1.0" 200 10 %b\n' % (second, path, taken)
        for second, (path, taken) in enumerate([(b"/a", b"0.5"), (b"/b", b"0.9"), (b"/a", b"0.7"), (b"/c", b"-")])
    )
    content = contents(log, format_of(TIMED))
    assert rows(content, "Paths by total time") == [
        ["/a", "1.2 s", "600 ms", "700 ms", "2"],
        ["/b", "900 ms", "900 ms", "900 ms", "1"],
        ["/c", "0 ms", "0 ms", "0 ms", "1"],
    ]
    assert rows(content, "Paths")[0] == ["/a", "2", "50.0 %", "20 B", "600 ms", "700 ms"]
    assert rows(content, "Slowest responses") == [
        ["/b", "900 ms", "1996-11-10 00:00:01"],
        ["/a", "700 ms", "1996-11-10 00:00:02"],
    ]


def test_what_failed_is_told_by_path_and_status() -> None:
    content = contents(
        line(b"/a", status=b"404") * 2 + line(b"/a", status=b"410") + line(b"/b?c", status=b"503") + line()
    )
    assert rows(content, "Client errors") == [["/a", "2", "404"], ["/a", "1", "410"]]
    assert rows(content, "Server errors") == [["/b", "1", "503"]]
    assert ("Errors", "80.0 %", ("4xx 60.0 %,", "5xx 20.0 %")) in content.tiles
    assert rows(content, "Status codes")[-1] == ["503 Service Unavailable", "1", "20.0 %", "1 B"]


def test_the_largest_responses_are_of_different_paths() -> None:
    log = b"".join(line(b"/%d" % (row % 20), sent=b"%d" % (row + 1)) for row in range(100))
    largest = rows(contents(log), "Largest responses")
    assert [row[:2] for row in largest[:2]] == [["/19", "100 B"], ["/18", "99 B"]]
    assert len(largest) == 10


@pytest.mark.parametrize(
    ("data", "tiles"),
    [
        (b"", ["Requests"]),
        (b"nonsense\n", ["Requests"]),
        (b'192.0.2.7 - - [31/Apr/1996:00:00:00 +0000] "-" - - "-" "-"\n', ["Requests", "Clients"]),
        (line(), ["Requests", "Period", "Sent", "Clients", "Errors"]),
    ],
)
def test_a_log_in_which_there_is_little(data: bytes, tiles: list[str]) -> None:
    content = contents(data)
    assert [tile.label for tile in content.tiles] == tiles
    html = reported(data)
    assert ("No lines were counted" in html) == (data in {b"", b"nonsense\n"})
    assert ("<figure>" in html) == (tiles[-1] == "Errors")


def test_which_lines_are_counted_is_told() -> None:
    with Findings(COMBINED, ["/var/log/a.log", "b.log"], where="status > '<'") as findings:
        html = render_page(findings, "<i>\x1b")
    assert "2 files, format <strong>combined</strong>; only lines where <code>status &gt; &#39;&lt;&#39;</code>" in html
    assert "<h1>&lt;i&gt;\\x1b</h1>" in html
    with Findings(COMBINED, ["-"]) as findings:
        assert "<h1>standard input</h1>" in render_page(findings)


# What is hostile


class Elements(HTMLParser):
    """The elements of a page, and the attributes of each."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()
        self.attributes: Counter[str] = Counter()
        self.links: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found[tag] += 1
        self.attributes.update(name for name, _ in attrs)
        self.links.update(value or "" for name, value in attrs if name in {"href", "src"})

    def handle_data(self, data: str) -> None:
        self.text += data


# Whatever is in a log, these are the elements and attributes on its page.
ELEMENTS = set(re.findall(r"\S+", """
    html head meta title style body header h1 p strong main dl div dt dd small span nav a section h2 figure figcaption
    ul li b svg text line g rect h3 table thead tr th tbody td code mark footer script
"""))  # fmt: skip
ATTRIBUTES = set(re.findall(r"\S+", """
    lang charset http-equiv content name class id href rel aria-label aria-labelledby aria-sort aria-hidden role scope
    title data-order height width x y x1 x2 y1 y2 dy text-anchor
"""))  # fmt: skip
EVIL = [
    b"/<script>alert(1)</script>", b"/'onmouseover='x", b"/%00\x1b[31m\x07", b"javascript:alert(1)//",
    b"/\xe2\x80\xaegpj",
    b"/\xff\xfe", b"/{{7*7}}{%raw%}", b"/</style></code><img/src=x>", b"/" + b"a" * 100_000, b"/-->", b"/&lt;&#60;",
    b"/\xcc\x81\xf3\xa0\x81\x81", b"/\xed\xa0\x80", b"/\\x22", b"http://a@[::1]:99999/\xc2\x85?<b>=<i>&%3Cu%3E=1#<s>",
]  # fmt: skip


def test_what_stands_in_a_log_is_text_on_its_page() -> None:
    log = b"".join(
        b'%b - - [10/Nov/1996:00:00:00 +0000] "GET %b HTTP/1.0" 404 1 "%b" "%b"\n' % ((evil,) * 4) for evil in EVIL
    )
    html = reported(log + b"\n".join(EVIL), title="<script>")
    elements = Elements(html)
    assert elements.found.keys() <= ELEMENTS
    assert elements.attributes.keys() <= ATTRIBUTES
    assert elements.found["script"] == elements.found["style"] == 1
    assert all(re.fullmatch(r"#[a-z]+|https://(www\.rfc-editor|cwe\.mitre|url\.spec|www\.unicode)[^<>\"']+", link)
               for link in elements.links)  # fmt: skip
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\ufffe\ufffd]", html)
    assert "/<script>alert(1)</script>" in elements.text
    assert "/\\u202egpj" in elements.text
    assert "/\\xff\\xfe" in elements.text
    assert len(html) < 200_000


@given(data=naive.octets)
@example(data=b"\r")
def test_a_page_of_arbitrary_lines(data: bytes) -> None:
    content = contents(data, LIST)
    assert content.tiles[0].value == format_number(len(naive.lines(data)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"/a b\xc3\xa9", "/a bé"), (b"\t\r\x00\x7f", r"\t\r\x00\x7f"), ("\u200b\u202e\ufeff", r"\u200b\u202e\ufeff"),
        ("\U000e0041\U0010ffff", r"\U000e0041\U0010ffff"), (b"\xff\xed\xa0\x80", r"\xff\xed\xa0\x80"),
        ("\udcff", r"\xff"), ("\u00a0", r"\xa0"), (b"", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_printed_is_shown_as_an_escape(value: bytes | str, expected: str) -> None:
    assert escape_unprintable(value) == expected


# Hazards

parts = st.text("a.-/%:@[]\\ 0\xe9\u202e\r2eEfF;=", max_size=6).map(lambda text: text.encode())
optional = st.none() | parts
origins = st.sampled_from([(None, None), (b"http", b"a.example"), (None, b"a:80"), (b"ftp", b""), (b"https", None)])


@given(origin=origins | st.tuples(optional, optional), path=parts, query=optional, fragment=optional)
def test_what_is_harmless_in_all_its_parts_is_harmless(
    origin: tuple[bytes | None, bytes | None], path: bytes, query: bytes | None, fragment: bytes | None
) -> None:
    reference = Reference(*origin, path, query, fragment)
    try:
        text = unsplit(reference)
    except ValueError:
        return
    assert not (is_harmless(reference) and hazards(text))


@given(data=naive.octets)
def test_all_hazards_of_arbitrary_lines_are_seen(data: bytes) -> None:
    check_hazards(data, LIST)


@pytest.mark.parametrize("data", [LOG, b"\n".join(hostile(600).values())], ids=["log", "hostile"])
def test_all_hazards_of_a_log_are_seen(data: bytes) -> None:
    check_hazards(data, COMBINED)
    check_hazards(data, LIST)


@pytest.mark.parametrize("query", [b"next=//evil", b"a&u=javascript:x", b"u=http://127.0.0.1/"])
def test_a_reference_in_a_query_is_not_taken_for_harmless(query: bytes) -> None:
    assert not is_harmless(Reference(b"http", b"a.example", b"/", query, None))
    check_hazards(b"/?" + query + b"\n/?a=/b\n", LIST)
    [table] = tables(io.BytesIO(b"/?" + query), LIST)
    assert ("", "nested-reference") in count_hazards(table)


def test_what_was_looked_at_is_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisect.logs.report.suspicious.CACHE_SIZE", 3)
    for _ in range(2):
        check_hazards(b"".join(b"/a%d\n/b%%00%d\n" % (number, number) for number in range(5)), LIST)
        check_hazards(b"".join(b"http://h%d/%%0%b\n" % (number, b"0" * 600) for number in range(5)), LIST)


def check_hazards(data: bytes, format: Format) -> None:
    expected: Counter[tuple[str, str]] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for table in tables(io.BytesIO(data), format):
        for uri in format.uris:
            components = (table.columns[uri + name] for name in Reference._fields)
            for row in zip(*components, strict=True):
                if row[2] is not None:
                    codes = {hazard.code for hazard in hazards(recompose(Reference[Any](*row)))}
                    expected.update((uri, code) for code in codes)
        for key, sighting in count_hazards(table).items():
            found[key] += sighting.lines
            assert sighting.hazard in hazards(sighting.reference)
    assert found == expected


# Lines that were not read

FORMED = b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET /a HTTP/1.0" 200 1 "-" "-"'


@pytest.mark.parametrize("changed", [b"Nov", b"+0000", b"200", b'1 "-"', b'"-" "-"'])
def test_a_line_is_followed_up_to_the_first_byte_that_is_wrong(changed: bytes) -> None:
    at = FORMED.rindex(changed)
    text = FORMED[:at] + b"\x00" + FORMED[at + 1 :]
    found = explain_rejection(COMBINED, text)
    assert found
    assert found.length == at


@given(length=st.integers(0, len(FORMED) - 1))
def test_a_line_that_ends_too_early_is_right_as_far_as_it_goes(length: int) -> None:
    found = explain_rejection(COMBINED, FORMED[:length])
    assert found
    assert found.length == length


@given(data=naive.octets)
def test_any_line_that_is_rejected_can_be_explained(data: bytes) -> None:
    for table in tables(io.BytesIO(data), COMBINED):
        for rejected in table.rejected:
            found = explain_rejection(COMBINED, rejected.text)
            assert found
            assert found.length <= len(rejected.text)


def test_what_was_not_read_is_told() -> None:
    with Findings(FORMATS["w3c"], ["a.log", "b\x1b.log"]) as findings:
        lines = [b"", b"one", *(b"%d" % row for row in range(11))]
        rejected = [Rejected(row + 1, 0, text) for row, text in enumerate(lines)]
        skipped = [Skipped(1, 0, 9, "directive"), *[Skipped(2, 0, 9, "too long")] * 2]
        findings.add(PieceResult("-", [], 0, rejected[:1], skipped))
        findings.add(PieceResult("b\x1b.log", [], 0, rejected[1:], [], OSError("no \x1b gzip")))
        for _ in range(20):
            findings.add(PieceResult("c.log", [], 0, [], [], FileNotFoundError(2, "No such file")))
        [section] = PageContent(findings).sections
    assert [unread.place for unread in section.rejected][:2] == ["standard input, line 1", r"b\x1b.log, line 2"]
    assert [unread.reason for unread in section.rejected][:2] == ["empty line", ""]
    assert [unread.text.before for unread in section.rejected][:2] == ["", "one"]
    assert section.notes[:4] == [
        "3 lines more were rejected.",
        "2 lines were skipped: too long.",
        "1 line was skipped: directive.",
        r"b\x1b.log could not be read completely: no \x1b gzip.",
    ]
    assert section.notes[-1] == "1 other file could not be read completely."
    assert len(section.notes) == 4 + 19 + 1


# Numbers, times and charts


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (format_bytes(0), "0 B"), (format_bytes(999.6), "1 kB"), (format_bytes(999_999), "1 MB"), (format_bytes(99_940), "99.9 kB"),
        (format_bytes(123_456), "123 kB"), (format_bytes(5e21), "5,000 EB"), (format_share(1, 1), "100 %"), (format_share(5, 10_000), "0.1 %"),
        (format_share(4, 10_000), "< 0.1 %"), (format_seconds(0), "0 ms"), (format_seconds(99.94), "99.9 s"), (format_seconds(3600), "3,600 s"),
        (format_duration(59), "59 seconds"), (format_duration(60), "1 minute"), (format_duration(90_061), "1 day 1 hour"), (format_duration(86_461), "1 day"),
        (shorten_middle("abc", 3), "abc"), (shorten_middle("abcd", 3), "a…d"),
    ],
)  # fmt: skip
def test_numbers_are_short(written: str, expected: str) -> None:
    assert written == expected


DAY = 86_400_000_000
NOW = 1_431_857_103_000_000  # 2015-05-17 10:05:03


@pytest.mark.parametrize(
    ("days", "length", "stretches", "first", "labels"),
    [
        (0, "minute", 1, "2015-05-17 10:05", "10:05"),
        (0.01, "minute", 15, "2015-05-17 10:05", "10:06 10:08 10:10 10:12 10:14 10:16 10:18"),
        (1, "15 minutes", 97, "2015-05-17 10:00", "12:00 15:00 18:00 21:00 18 May 03:00 06:00 09:00"),
        (10, "3 hours", 81, "2015-05-17 09:00", "19 May 21 May 23 May 25 May 27 May"),
        (90, "day", 91, "2015-05-17", "Jun Jul Aug"),
        (300, "week", 44, "2015-05-11", "Jul Sep Nov 2016 Mar"),
        (2000, "month", 67, "2015-05-01", "2016 2017 2018 2019 2020"),
        (5000, "3 months", 56, "2015-04-01", "2016 2018 2020 2022 2024 2026 2028"),
        (20_000, "year", 56, "2015-01-01", "2020 2030 2040 2050 2060 2070"),
        (2_900_000, "100 years", 80, "2000-01-01", "2000 3000 4000 5000 6000 7000 8000 9000"),
    ],
)
def test_time_is_cut_into_stretches_that_can_be_told_apart(
    days: float, length: str, stretches: int, first: str, labels: str
) -> None:
    times = make_timeline(NOW, NOW + int(days * DAY))
    assert (times.bucket_length, times.bucket_count, times.bucket_name(0)) == (length, stretches, first)
    assert " ".join(tick.text for tick in times.ticks()) == labels


ALL_TIMES = st.integers(-63_000_000_000_000_000, 254_000_000_000_000_000)  # more than there are years for


@given(first=ALL_TIMES, length=st.integers(0, 10**9) | st.integers(0, 10**14) | st.integers(0, 10**17))
def test_all_times_can_be_drawn(first: int, length: int) -> None:
    times = make_timeline(first, first + length)
    assert 1 <= times.bucket_count <= 120
    assert list(times.begins) == sorted(set(times.begins))
    assert all(0 <= tick.position <= times.bucket_count for tick in times.ticks())
    assert len(times.ticks()) <= 9
    assert times.bucket_name(times.bucket_count - 1)


def test_every_stretch_of_time_has_its_bar() -> None:
    times = [b"31/Dec/1999:23:59:59 +0000", b"01/Jan/2000:00:02:00 +0000", b"01/Jan/2000:01:02:00 +0100"]
    html = reported(b"".join(line(time=time, status=b"404") for time in times))
    assert re.findall(r"<title>(.*?)</title>", html, re.DOTALL)[1:5] == [
        "1999-12-31 23:59 UTC\n4xx client error: 1",
        "2000-01-01 00:00 UTC\nnone",
        "2000-01-01 00:01 UTC\nnone",
        "2000-01-01 00:02 UTC\n4xx client error: 2",
    ]


def test_an_instant_that_no_calendar_has_is_the_nearest_that_it_has() -> None:
    assert utc_datetime(-(10**18)).year == 1
    assert utc_datetime(10**18).year == 9999


def test_lines_without_a_time_are_counted_and_not_drawn() -> None:
    content = contents(line(time=b"31/Apr/1996:00:00:00 +0000", sent=b"9") + line(sent=b"1"))
    assert content.tiles[0].value == "2"
    assert [tile.value for tile in content.tiles if tile.label == "Sent"] == ["10 B"]
    assert [key.value for key in content.sections[0].charts[0].legend] == ["1"]


def test_lines_at_both_ends_of_time_can_be_drawn() -> None:
    times = [b"01/Jan/0001:00:00:00 +0000", b"31/Dec/9999:23:59:59 +0000", b"10/Nov/1996:00:00:00 +0000"]
    content = contents(b"".join(line(time=time) for time in times))
    assert content.sections[0].charts[0].title == "Requests per 100 years"


@given(highest=st.integers(0, 10**20))
def test_the_scale_has_few_round_steps(highest: int) -> None:
    values = axis_values(highest)
    assert 2 <= len(values) <= 6
    assert values[0] == 0
    assert values[-1] >= highest


def test_what_has_no_status_is_drawn_in_one_colour() -> None:
    format = format_of("$remote_addr [$time_iso8601]")
    [section, *_] = contents(b"192.0.2.7 [1996-11-10T00:00:00+00:00]\n", format).sections
    assert [(figure.title, figure.legend) for figure in section.charts] == [("Lines per minute", [])]


# The command


def test_the_command_writes_a_page(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log, output = tmp_path / "access.log", tmp_path / "report.html"
    log.write_bytes(LOG)
    assert main(["report", str(log), "-o", str(output), "--title", "A log", "--jobs", "1"]) == 0
    assert "read 4000, parsed" in capfd.readouterr().err
    assert "<h1>A log</h1>" in output.read_text(encoding="utf-8")
    assert main(["report", str(log), "-q", "--where", "status = 404", "--format", "combined"]) == 0
    printed = capfd.readouterr()
    assert printed.err == ""
    assert "only lines where <code>status = 404</code>" in printed.out
    assert "100 %<small><span>4xx 100 %," in printed.out
    assert main(["report", str(log), "--where", "status = 404", "-o", str(output)]) == 0
    assert re.search(r"; selected \d+$", capfd.readouterr().err.strip())


def test_the_command_reads_what_can_be_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log, output = tmp_path / "access.log", tmp_path / "report.html"
    log.write_bytes(LOG)
    assert main(["report", str(log), str(tmp_path / "none"), "-q", "-o", str(output)]) == 2
    assert "none: No such file or directory" in capfd.readouterr().err
    assert "none could not be read completely: No such file or directory." in output.read_text(encoding="utf-8")


def test_the_command_does_not_write_over_the_log_nor_to_a_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "access.log"
    log.write_bytes(LOG)
    assert main(["report", str(log), "-q", "-o", str(log)]) == 2
    assert "is one of the files to read" in capfd.readouterr().err
    assert log.read_bytes() == LOG
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["report", str(log), "-q"]) == 2
    assert "name a file with -o" in capfd.readouterr().err


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    page._template.cache_clear()
    with pytest.raises(MissingExtraError, match="a report needs jinja2"):
        reported(LOG)


# In a browser

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Start a browser, once."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  only these tests need it

    path = chromium.installed()
    if path is None:
        (pytest.fail if os.environ.get("URISECT_BROWSER") == "required" else pytest.skip)(chromium.MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Make a page of a log with the command, and give its address."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "access.log").write_bytes(LOG + b"\n".join(EVIL))
    assert main(["report", str(folder / "access.log"), "-q", "-o", str(folder / "report.html")]) == 0
    return (folder / "report.html").as_uri()


class Seen:
    """A page in a browser, and what it asked for and complained of."""

    def __init__(self, browser: "Browser", address: str, *, width: int = 1280, scheme: Any = "light") -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)

    def close(self) -> None:
        self.page.close()


@pytest.fixture
def seen(browser: "Browser", address: str) -> Iterator[Seen]:
    seen = Seen(browser, address)
    yield seen
    seen.close()


def test_the_page_asks_the_network_for_nothing_and_has_no_fault(seen: Seen, address: str) -> None:
    seen.page.mouse.wheel(0, 10_000)
    assert seen.requests == [address]
    assert seen.complaints == []


def test_nothing_can_be_added_to_the_page(seen: Seen) -> None:
    seen.page.evaluate("""
        document.body.insertAdjacentHTML("beforeend", "<img src='https://example.com/a.png'><p onclick='b()'>");
        document.body.append(Object.assign(document.createElement("script"), {textContent: "document.title = 'run'"}));
        document.body.lastElementChild.previousElementSibling.click();
    """)
    assert seen.page.title() == "access.log"
    assert len(seen.complaints) == 3
    assert all("Content Security Policy" in complaint for complaint in seen.complaints)


def test_the_charts_are_drawn(seen: Seen) -> None:
    charts = seen.page.locator("svg.bars")
    assert charts.count() == 2
    box = charts.first.bounding_box()
    assert box
    assert box["width"] > 800
    assert box["height"] == 200
    bars = charts.first.locator("rect.s2, rect.s3, rect.s4, rect.s5, rect.s0")
    assert bars.count() > 100
    boxes = [bars.nth(number).bounding_box() for number in range(0, bars.count(), 20)]
    assert all(bar and bar["width"] > 3 and bar["height"] >= 1 for bar in boxes)
    assert all(bar and box["x"] <= bar["x"] <= bar["x"] + bar["width"] <= box["x"] + box["width"] + 1 for bar in boxes)
    colours = bars.evaluate_all("bars => [...new Set(bars.map(bar => getComputedStyle(bar).fill))]")
    assert len(colours) >= 4
    shares = seen.page.locator("svg.share rect")
    widths = shares.evaluate_all("bars => bars.slice(0, 3).map(bar => bar.getBoundingClientRect().width)")
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 20


def test_the_labels_of_the_charts_do_not_meet(browser: "Browser", address: str) -> None:
    for width in (1280, 390):
        seen = Seen(browser, address, width=width)
        boxes = (
            seen.page.locator("svg.bars")
            .first.locator("text")
            .evaluate_all(
                "texts => texts.map(text => text.getBoundingClientRect()).filter(box => box.width)"
                ".map(box => [box.left, box.right])"
            )
        )
        assert len(boxes) >= 3
        assert all(end < begin for (_, end), (begin, _) in pairwise(boxes))
        assert boxes[-1][1] <= width
        seen.close()


def cells(table: "Locator", column: int) -> list[str]:
    texts = table.locator(f"tbody td:nth-child({column})").all_inner_texts()
    return [text.strip() for text in texts]


def test_a_click_sorts_a_table(seen: Seen) -> None:
    table = seen.page.locator("#requests table").first
    head = table.locator("th").nth(1)
    before = [int(text.replace(",", "")) for text in cells(table, 2)]
    assert before == sorted(before, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert [int(text.replace(",", "")) for text in cells(table, 2)] == before[::-1]
    table.locator("th").first.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") is None
    assert table.locator("th").first.get_attribute("aria-sort") == "ascending"
    paths = cells(table, 1)
    in_order = seen.page.evaluate("paths => [...paths].sort((a, b) => a.localeCompare(b))", paths)
    assert paths == in_order
    table.locator("th").nth(3).locator("button").click()
    sizes = table.locator("tbody td:nth-child(4)").evaluate_all(
        "cells => cells.map(cell => Number(cell.dataset.order))"
    )
    assert sizes == sorted(sizes, reverse=True)


def test_light_and_dark(browser: "Browser", address: str) -> None:
    colours: list[list[int]] = []
    for scheme in ("light", "dark"):
        seen = Seen(browser, address, scheme=scheme)
        for property in ("backgroundColor", "color"):
            colour = seen.page.evaluate(f"getComputedStyle(document.body).{property}")
            colours.append([int(part) for part in re.findall(r"\d+", colour)])
        seen.close()
    light, ink, dark, chalk = (sum(colour) for colour in colours)
    assert light > 700 > chalk > 600
    assert ink < 150
    assert dark < 100


@pytest.mark.parametrize("width", [1280, 800, 390, 320])
def test_the_page_is_as_wide_as_the_screen_and_no_text_leaves_its_place(
    browser: "Browser", address: str, width: int
) -> None:
    seen = Seen(browser, address, width=width)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    overflowing = seen.page.evaluate("""
        [...document.querySelectorAll("h1, h2, h3, p, dd, td, th, li, code, nav, figcaption")]
            .filter((element) => element.getClientRects().length && element.scrollWidth > element.clientWidth + 1
                && getComputedStyle(element).display !== "inline")
            .map((element) => element.textContent.slice(0, 80))
    """)
    assert overflowing == []
    beyond = seen.page.evaluate("""
        [...document.querySelectorAll("body *")]
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
            .map((element) => element.outerHTML.slice(0, 80))
    """)
    assert beyond == []
    seen.close()


def test_the_page_can_be_read_without_script(browser: "Browser", address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    without = context.new_page()
    without.goto(address)
    assert without.locator("th").first.inner_text().startswith("Status")
    assert without.locator("button").count() == 0
    assert without.locator("svg.bars").count() == 2
    context.close()
