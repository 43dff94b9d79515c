"""The options that choose lines, in each command that has them: `--since`, `--until`, `--where`, `-n`, `--sample`."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.command import without_speed
from urisect.cli import main
from urisect.logs import batches, convert, top, write_report

DAY = datetime(1996, 11, 10, tzinfo=UTC)


def log_line(time: datetime, status: int) -> bytes:
    return b'192.0.2.7 - - [%b] "GET / HTTP/1.0" %d 5\n' % (f"{time:%d/%b/%Y:%H:%M:%S %z}".encode(), status)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of three days, with a line for each hour, whose status is 200, 201, and so on."""
    path = tmp_path / "access.log"
    path.write_bytes(b"".join(log_line(DAY + timedelta(hours=hour), 200 + hour) for hour in range(72)))
    return path


Run = Callable[..., tuple[str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command that succeeds, and return its output and its messages."""

    def run_command(*arguments: object, status: int = 0) -> tuple[str, str]:
        assert main([*map(str, arguments)]) == status
        captured = capfd.readouterr()
        return captured.out, captured.err

    return run_command


CHOICES = {
    "since a day": (["--since", "1996-11-12"], range(48, 72)),
    "until a day, which is included": (["--until", "1996-11-10"], range(24)),
    "one day": (["--since=1996-11-11", "--until=1996-11-11"], range(24, 48)),
    "until an instant, which is left out": (["--until", "1996-11-10T02:00"], range(2)),
    "since an instant, which is included": (["--since", "1996-11-12T22:00"], range(70, 72)),
    "as in a log": (["--since", "[12/Nov/1996:15:00:00 -0700]"], range(70, 72)),
    "a predicate, too": (["--since", "1996-11-11", "--where", "status < 230"], range(24, 30)),
    "nothing": (["--since", "2h"], range(0)),
    "the first rows": (["-n", "3"], range(3)),
    "the first rows of a range": (["-n3", "--since", "1996-11-11"], range(24, 27)),
    "a sample of more rows than there are": (["--sample", "99", "--until", "1996-11-10"], range(24)),
}


@pytest.mark.parametrize("name", CHOICES)
def test_logs_writes_the_chosen_lines(log: Path, run: Run, name: str) -> None:
    options, hours = CHOICES[name]
    output, messages = run("logs", log, "--fields", "status", *options)
    assert [int(line) for line in output.split()] == [200 + hour for hour in hours]
    [summary] = without_speed(messages).splitlines()[1:]
    assert summary.endswith(f": 72 parsed ({len(hours)} selected), 0 rejected")


def test_a_sample_is_reproducible_and_in_order(log: Path, run: Run, tmp_path: Path) -> None:
    output, _ = run("logs", log, "--fields", "status", "--sample", 9, "-q")
    statuses = [int(line) for line in output.split()]
    assert len(set(statuses)) == 9
    assert statuses == sorted(statuses)
    run("logs", log, "--fields", "status", "--sample", 9, "-o", tmp_path / "rows.parquet", "--jobs", 1)
    assert pq.read_table(tmp_path / "rows.parquet")["status"].to_pylist() == statuses


def test_first_rows_fill_other_formats(log: Path, tmp_path: Path) -> None:
    assert convert(log, tmp_path / "a.parquet", first=2).written == 2
    assert pq.read_table(tmp_path / "a.parquet")["status"].to_pylist() == [200, 201]
    convert(log, tmp_path / "a.csv", first=2, columns=["status"], header=True)
    assert (tmp_path / "a.csv").read_text().split() == ["status", "200", "201"]
    convert(log, tmp_path / "days", to="parquet", by_day=True, first=25)
    assert sorted(path.name for path in (tmp_path / "days").iterdir()) == ["day=1996-11-10", "day=1996-11-11"]
    convert(log, tmp_path / "none.ndjson", sample=2, since="2h")
    assert (tmp_path / "none.ndjson").read_bytes() == b""


def test_top_and_report_count_the_lines_of_a_range(log: Path, run: Run) -> None:
    options = ("--since", "1996-11-12T21:00", "--until", "1996-11-12T23:00")
    output, messages = run("top", "status", log, *options)
    assert output == "269\t1\t0.5000\n270\t1\t0.5000\n"
    assert ": 72 parsed (2 selected), 0 rejected" in messages
    output, messages = run("report", log, *options, "--where", "status < 270")
    assert (
        "only lines since 1996-11-12T21:00:00Z until 1996-11-12T23:00:00Z where <code>status &lt; 270</code>" in output
    )
    assert "(1 selected)" in messages
    output, _ = run("report", log, "--since", "2h")
    assert "No lines were counted since 20" in output


def test_the_functions_take_times_as_the_options_do(log: Path, tmp_path: Path) -> None:
    since, until = DAY + timedelta(hours=70), (DAY + timedelta(days=2)).date()
    [batch] = batches(log, columns=["status"], since=since, until=until, where="status = 271")
    assert batch.to_pydict() == {"status": [271]}
    assert convert(log, tmp_path / "a.tsv", since=since, until=until).written == 2
    assert top(log, "status", since=since, until=until).lines == 2
    assert write_report(log, tmp_path / "a.html", since=since, until=until).counted == 2


def test_an_amount_of_time_is_relative_to_now(run: Run, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    path = tmp_path / "new.log"
    path.write_bytes(b"".join(log_line(now - timedelta(minutes=age), 200 + age) for age in (90, 60, 50, 10, 0)))
    output, _ = run("logs", path, "--fields", "status", "--since", "1h10m", "--until", "30m")
    assert output.split() == ["260", "250"]


def test_files_that_end_before_the_range_are_counted(log: Path, run: Run, tmp_path: Path) -> None:
    old = tmp_path / "old.log"
    old.write_bytes(log_line(DAY - timedelta(days=9), 200))
    os.utime(old, (0, 0))
    output, messages = run("logs", old, log, old, "--since", "1996-11-12T23:00", "--fields", "status")
    assert output == "271\n"
    assert ": 72 parsed (1 selected), 0 rejected" in messages
    assert messages.endswith("\n2 files end before the range since 1996-11-12T23:00:00Z: not read\n")
    output, messages = run(
        "logs", old, "--since", "1996-11-12", "--header", "--fields", "status", "-o", tmp_path / "a.csv"
    )
    assert (tmp_path / "a.csv").read_text().split() == ["status"]
    assert "0 lines read: 0 parsed (0 selected), 0 rejected" in messages
    assert "\n1 file ends before" in messages


@pytest.mark.parametrize("command", [("logs",), ("top", "status"), ("report", "-o", "page.html")])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--since", "someday"), "Invalid value for '--since': 'someday' is not a time; write a date (1996-11-10), a"),
        (("--until", "\x1b[31m"), "Invalid value for '--until': '\\x1b[31m' is not a time"),
        (("--until", "1996-11-31"), "Invalid value for '--until': there is no time '1996-11-31': day "),
        (("--since", "1996-11-12", "--until", "1996-11-10"), "its beginning is after its end"),
        (("--since", "2h", "--format", "%h %s %U"), "the lines of the format apache have no time"),
    ],
    ids=["no form", "terminal", "no day", "order", "no time"],
)
def test_what_is_no_range_is_a_message(
    log: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    options: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(log.parent)
    output, messages = run(*command, log, *options, status=2)
    assert (output, os.listdir()) == ("", ["access.log"])
    assert message in messages


def test_the_first_rows_of_a_sample_are_a_message(log: Path, run: Run) -> None:
    assert "give only one of them" in run("logs", log, "-n", 3, "--sample", 3, status=2)[1]
    assert "not in the range x>=1" in run("logs", log, "--sample", 0, status=2)[1]
