"""Tests of the comparison with the period before, against naive counts of both periods."""

import io
import os
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import sqrt
from pathlib import Path

import click
import pytest

from tests.support.command import on_a_terminal, run_here
from tests.support.reports import LOG, log_line, table_rows
from urisect.cli import main
from urisect.logs import COMBINED, records, write_report
from urisect.logs.formats.notation import EPOCH, MICROSECOND
from urisect.logs.report import comparison
from urisect.logs.report.comparison import changes_of, count_period_before
from urisect.logs.report.content import PageContent
from urisect.logs.report.counts import CountDatabase
from urisect.logs.report.findings import Findings
from urisect.logs.report.partial_counts import PartialCounts
from urisect.logs.scan.run import ScanRun
from urisect.logs.scan.selection import select_lines
from urisect.logs.scan.time_range import TimeRange

SINCE = datetime(2024, 3, 17, tzinfo=UTC)


@pytest.fixture
def findings(log: Path) -> Iterator[Findings]:
    """The findings of the second day, compared with the first."""
    with Findings(COMBINED, [str(log)]) as findings:
        task = select_lines(findings.task(), since=SINCE, until=SINCE + timedelta(days=1))
        findings.time_range = task.time_range
        run = ScanRun(findings.files, task)
        for result in run:
            findings.add(result)
        with count_period_before(findings, run.repeated, 1 << 16):
            yield findings


def naive_counts(field: str) -> tuple[Counter[object], Counter[object]]:
    """Count the values of both days."""
    now, then = Counter[object](), Counter[object]()
    for record in records(io.BytesIO(LOG), COMBINED, columns=["time", field]):
        (now if record["time"] >= SINCE else then)[record[field]] += 1
    return now, then


@pytest.mark.parametrize("field", ["client", "agent", "referer_host"])
def test_changes_are_those_of_a_naive_count(findings: Findings, field: str) -> None:
    assert findings.before
    now, then = naive_counts(field)
    expected = {
        (value, now[value], then[value])
        for value in now | then
        if abs(now[value] - then[value]) > 3 * sqrt(now[value] + then[value])
    }
    changes = changes_of(field, findings.counts, findings.before.counts, 1 << 20)
    assert {*changes} == expected
    assert len(changes) > 1
    differences = [abs(change.difference) for change in changes]
    assert differences == sorted(differences, reverse=True)
    assert changes_of(field, findings.counts, findings.before.counts, 2) == changes[:2]


def test_changes_of_the_most_frequent_values_only_are_no_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "MAX_VALUES", 2)
    with CountDatabase() as counts, CountDatabase() as before:
        counts.add("path", PartialCounts([b"/a", b"/b", b"/c", b"/d"], [100, 40, 39, 38]))
        before.add("path", PartialCounts([b"/a", b"/c"], [10, 1]))
        assert [change.value for change in changes_of("path", counts, before, 9)] == [b"/a"]


def test_the_page_shows_both_periods(findings: Findings) -> None:
    now, then = naive_counts("client")
    content = PageContent(findings)
    assert [tile.before for tile in content.tiles][:1] == [f"{then.total():,}"]
    figures = {tile.label: (tile.value, tile.before) for tile in content.tiles}
    assert figures["Requests"] == (f"{now.total():,}", f"{then.total():,}")
    statuses = table_rows(content, "Changed status codes")
    assert statuses[0][0] == "200"
    assert statuses[0][1].startswith("▲ ")
    (chart,) = (chart for section in content.sections for chart in section.charts if "Requests per" in chart.title)
    assert (chart.legend[-1].name, chart.legend[-1].value) == ("period before", f"{then.total():,}")
    assert chart.bars.count('class="before"') == len({*_quarters(then_times())})


def then_times() -> list[datetime]:
    times = (record["time"] for record in records(io.BytesIO(LOG), COMBINED, columns=["time"]))
    return [time for time in times if time < SINCE]


def _quarters(times: list[datetime]) -> Iterator[tuple[int, int]]:
    return ((time.hour, time.minute // 15) for time in times)


def test_the_range_before() -> None:
    since = (SINCE - EPOCH) // MICROSECOND
    hour = timedelta(hours=1) // MICROSECOND
    assert TimeRange(since, since + hour).before(None) == (since - hour, since)
    assert str(TimeRange(since, None).before(since + hour)) == "since 2024-03-16T22:59:59Z until 2024-03-17T00:00:00Z"
    assert TimeRange(since, None).before(None) is None
    assert TimeRange(None, since).before(since) is None
    early = TimeRange((datetime(1, 1, 2, tzinfo=UTC) - EPOCH) // MICROSECOND).before(since)
    assert str(early) == "since 0001-01-01T00:00:00Z until 0001-01-02T00:00:00Z"


def test_the_command_compares(log: Path, tmp_path: Path) -> None:
    missing = str(tmp_path / "none")
    status, html, messages = run_here("report", str(log), missing, "--since", "2024-03-17", "--compare")
    assert status == 2
    assert messages.count("No such file") == 1
    page = html.decode()
    assert "; compared with those since 2024-03-16T00:23:11Z until 2024-03-17T00:00:00Z." in page
    assert "<h2>Changes</h2>" in page
    assert main(["report", str(log), "-q", "--since", "2024-03-18", "--compare", "-o", f"{tmp_path}/none.html"]) == 0
    assert "compared" not in (tmp_path / "none.html").read_text(encoding="utf-8").split("<style>")[0]
    text = click.unstyle(on_a_terminal("report", "-q", str(log), "--since", "2024-03-17", "--compare").decode())
    assert "compared with those since 2024-03-16T00:23:11Z" in " ".join(text.split())
    assert re.search(r"^Requests +\S+ +before: ", text, re.MULTILINE)
    assert "CHANGES" in text


def test_nothing_before_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(log_line() * 20)
    page = run_here("report", str(path), "--since", "1996-11-10", "--until", "1996-11-10", "--compare")[1].decode()
    assert "<span>before: 0</span>" in page
    assert "<span>before: none</span>" in page
    assert "period before <b>" not in page


def test_what_cannot_be_compared(log: Path, tmp_path: Path) -> None:
    status, _, messages = run_here("report", str(log), "--compare")
    assert status == 2
    assert messages.endswith("Error: --compare needs --since: the period before it is as long as the one after it.\n")
    status, _, messages = run_here("report", "--since", "2024-03-17", "--compare", stdin=LOG)
    assert status == 2
    assert "and standard input can be read once: write it to a file first." in messages
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe can be read once: write it to a file first"):
        write_report(tmp_path / "pipe", tmp_path / "a.html", since="2024-03-17", compare=True)
    with pytest.raises(ValueError, match="to compare needs since"):
        write_report(log, tmp_path / "a.html", compare=True)


def test_a_program_compares(log: Path, tmp_path: Path) -> None:
    result = write_report(log, tmp_path / "a.html", since="2024-03-17", compare=True)
    now, _ = naive_counts("client")
    assert result.counted == now.total()
    assert "<h2>Changes</h2>" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_a_log_with_few_fields_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    times = [b"10/Nov/1996:00:00:00 +0000"] * 20 + [b"11/Nov/1996:00:00:00 +0000"] * 60
    path.write_bytes(b"".join(b'[%b] "GET /a HTTP/1.1"\n' % time for time in times))
    arguments = ["report", str(path), "-q", "--format", '%t "%r"', "--since", "1996-11-11", "--until", "1996-11-11"]
    status, page, _ = run_here(*arguments, "--compare")
    assert status == 0
    assert re.search(rb"<code>/a</code></td><td[^>]*>\xe2\x96\xb2 40</td>", page)
    assert re.search(rb'<ul class="keys"><li>.*requests <b>60</b></li><li>.*period before <b>20</b></li></ul>', page)
    assert b'<ul class="keys">' not in run_here(*arguments)[1]
