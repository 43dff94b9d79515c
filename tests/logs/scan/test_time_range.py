"""Ranges of times: what they select, and that files outside of a range are not read, without losing a line."""

import gzip
import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import accumulate, chain
from operator import methodcaller
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support import sizes
from urisect.logs import CLOUDFRONT, COMMON, FORMATS, LIST, Format, apache, json_lines, tables
from urisect.logs.columnar.parser import ColumnarParser
from urisect.logs.columnar.table import ColumnarTable
from urisect.logs.errors import TimeRangeError
from urisect.logs.formats.notation import EPOCH, MICROSECOND
from urisect.logs.input.blocks import Block
from urisect.logs.scan import files_in_range, parallel, pieces
from urisect.logs.scan.run import ScanRun
from urisect.logs.scan.selection import select_lines
from urisect.logs.scan.task import Task
from urisect.logs.scan.time_range import MAX_DISORDER, TimeRange, TimeSpan, parse_time_range

HOUR = 3_600
START = (datetime(1996, 11, 10, tzinfo=UTC) - EPOCH) // MICROSECOND


def at(seconds: float) -> int:
    """Return a time in microseconds, by the seconds since the beginning of the day in these tests."""
    return START + round(seconds * 1_000_000)


def log_line(seconds: int | None) -> bytes:
    """Return a log line of that time; None stands for a time that does not exist."""
    time = datetime(1996, 11, 10, tzinfo=UTC) + timedelta(seconds=seconds or 0)
    text = "31/Nov/1996:00:00:00" if seconds is None else time.strftime("%d/%b/%Y:%H:%M:%S")
    return b'192.0.2.7 - - [%b +0000] "GET /%d HTTP/1.0" 200 -\n' % (text.encode(), -1 if seconds is None else seconds)


def log_lines(seconds: Sequence[int | None]) -> bytes:
    return b"".join(map(log_line, seconds))


def write_log(path: Path, seconds: Sequence[int | None], modified: int | None = None) -> str:
    path.write_bytes(log_lines(seconds))
    set_modified(path, modified)
    return str(path)


def set_modified(path: Path, seconds: int | None) -> None:
    """Set the modification time, by the seconds since the beginning of the day; None leaves the current time."""
    if seconds is not None:
        os.utime(path, (0, at(seconds) // 1_000_000))


def naive_grows(times: Sequence[int]) -> bool:
    return all(time >= latest - MAX_DISORDER for time, latest in zip(times, accumulate(times, max), strict=True))


times_of_lines = st.lists(st.none() | st.integers(0, 10 * HOUR).map(at), max_size=8)


@given(times_of_lines, times_of_lines)
def test_spans_add_up_and_say_whether_times_grow(first: list[int | None], second: list[int | None]) -> None:
    for times in (first, second, first + second):
        defined = [time for time in times if time is not None]
        expected = TimeSpan(min(defined), max(defined), naive_grows(defined)) if defined else None
        assert TimeSpan.of(times) == expected
    if span := TimeSpan.of(first):
        assert span.followed_by(TimeSpan.of(second)) == TimeSpan.of(first + second)


@given(
    st.lists(st.none() | st.integers(0, 9), min_size=1), st.none() | st.integers(0, 9), st.none() | st.integers(0, 9)
)
def test_a_range_selects_as_comparisons_do(seconds: list[int | None], since: int | None, until: int | None) -> None:
    table = next(tables(io.BytesIO(log_lines(seconds)), COMMON))
    range = TimeRange(*(None if limit is None else at(limit) for limit in (since, until)))
    selected, span = range.select(table)
    assert selected.column("target") == [
        b"/%d" % second
        for second in seconds
        if second is not None and (since is None or second >= since) and (until is None or second < until)
    ]
    assert span == TimeSpan.of([None if second is None else at(second) for second in seconds])


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(
    st.lists(st.none() | st.integers(0, 9).map(lambda hour: hour * HOUR // 2), min_size=1),
    st.none() | st.integers(-1, 10).map(lambda hour: at(hour * HOUR // 2)),
    st.none() | st.integers(-1, 10).map(lambda hour: at(hour * HOUR // 2)),
)
def test_columnar_tables_are_selected_like_others(
    seconds: list[int | None], since: int | None, until: int | None
) -> None:
    data = log_lines(seconds)
    data *= 9000 // len(data) + 1
    range = TimeRange(since, until)
    [columnar] = ColumnarParser(COMMON, ["target", "time"]).tables([Block(0, data)], line=0)
    selected, span = range.select(columnar)
    expected, expected_span = range.select(next(tables(io.BytesIO(data), COMMON)))
    assert isinstance(selected, ColumnarTable)
    assert (selected.column("target"), selected.parsed) == (expected.column("target"), expected.parsed)
    assert (span, selected.values("time")) == (expected_span, expected.values("time"))


LIMITS: dict[str, tuple[Any, Any, TimeRange | None]] = {
    "none": (None, None, None),
    "a whole day": ("1996-11-10", "1996-11-10", TimeRange(at(0), at(24 * HOUR))),
    "a date": (date(1996, 11, 10), date(1996, 11, 11), TimeRange(at(0), at(48 * HOUR))),
    "an instant": ("1996-11-10T00:00", "1996-11-10 00:00:01", TimeRange(at(0), at(1))),
    "a datetime without a zone is in UTC": (datetime(1996, 11, 10), None, TimeRange(at(0), None)),  # noqa: DTZ001
    "a datetime with a zone": (
        None,
        datetime(1996, 11, 10, tzinfo=timezone(timedelta(hours=1))),
        TimeRange(None, at(-HOUR)),
    ),
    "an empty range": ("1996-11-10T00:00", "1996-11-10T00:00Z", TimeRange(at(0), at(0))),
    "the last day": (None, date.max, TimeRange(None, (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND)),
}


@pytest.mark.parametrize("name", LIMITS)
def test_texts_dates_and_datetimes_are_limits(name: str) -> None:
    since, until, expected = LIMITS[name]
    assert parse_time_range(since, until, COMMON) == expected


def test_both_limits_are_relative_to_the_same_moment() -> None:
    range = parse_time_range("2h", "1h", COMMON)
    assert range
    assert range.until is not None
    assert range.since is not None
    assert range.until - range.since == HOUR * 1_000_000


def test_a_range_is_written_in_utc() -> None:
    assert str(TimeRange(at(0), at(1.5))) == "since 1996-11-10T00:00:00Z until 1996-11-10T00:00:01.500000Z"
    assert str(TimeRange(None, at(0))) == "until 1996-11-10T00:00:00Z"
    assert str(TimeRange(None, LIMITS["the last day"][2].until)).endswith("9999-12-31T23:59:59.999999Z")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("since", "until", "format", "message"),
    [
        ("1996-11-11", "1996-11-09", COMMON, "no time is in the range since 1996-11-11T00:00:00Z until 1996-11-10T"),
        (datetime(1996, 11, 11, tzinfo=UTC), "1996-11-10T23:59", COMMON, "its beginning is after its end"),
        ("someday", None, COMMON, "'someday' is not a time"),
        (None, "1996-11-31", COMMON, "there is no time '1996-11-31'"),
        ("2h", None, LIST, "the lines of the format list have no time"),
        (None, "someday", apache("%h %U"), "have no time"),
        ("2h", None, json_lines("target=url"), "have no time"),
    ],
)
def test_what_is_no_range_is_an_error(since: Any, until: Any, format: Format, message: str) -> None:
    with pytest.raises(TimeRangeError) as caught:
        parse_time_range(since, until, format)
    assert message in str(caught.value)


@pytest.mark.parametrize("format", [format for format in FORMATS.values() if format is not LIST], ids=lambda f: f.name)
def test_every_format_with_times_has_a_range(format: Format) -> None:
    [table] = tables(io.BytesIO(format.sample), format)
    latest = max(time for time in table.values("time") if isinstance(time, int))
    assert TimeRange(since=latest).select(table)[0].parsed == table.values("time").count(latest) > 0


def targets(files: Sequence[str], range: TimeRange | None, format: Format = COMMON, **options: Any) -> tuple[Any, Any]:
    """Return the selected targets, and the finished scan."""
    task = Task[Any](format, ["target", "time"], methodcaller("column", "target"), time_range=range)
    run = ScanRun(files, task, **options)
    found = [target for result in run for output in result.outputs for target in output]
    run.raise_fault()
    return found, run


@contextmanager
def small_pieces(size: int = 200) -> Iterator[None]:
    """Make pieces small, so that workers take part, and let few bytes show that a file is past a range."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "FILE_PIECE_BYTES", size)
        patch.setattr(pieces, "STREAM_PIECE_BYTES", size)
        patch.setattr(pieces, "TABLE_BYTES", size // 2)
        patch.setattr(parallel, "PARENT_ONLY_BYTES", 0)
        patch.setattr(files_in_range, "LATE_BYTES", size)
        patch.setattr(files_in_range, "EDGE_BYTES", size)
        yield


def disorderly(steps: list[tuple[int, int]]) -> list[int]:
    """Return times of lines: each is up to an hour before the latest of the lines before it, or later than that."""
    latest, seconds = 0, []
    for step, back in steps:
        seconds.append(max(latest + step - back, 0))
        latest = max(latest, seconds[-1])
    return seconds


growing_logs = st.lists(
    st.tuples(st.sampled_from([0, 1, 60, HOUR, 5 * HOUR]), st.integers(0, HOUR)), min_size=1, max_size=40
).map(disorderly)


@given(
    st.lists(st.tuples(growing_logs, st.none() | st.integers(-9, 99)), min_size=1, max_size=3),
    st.none() | st.integers(-9, 99),
    st.none() | st.integers(0, 50),
    st.sampled_from([bytes, gzip.compress]),
    st.sampled_from([80, 200, 1000]),
)
@example([([*range(0, 40 * HOUR, HOUR)], -9)], 50, None, bytes, 200)
@example([([*range(0, 40 * HOUR, HOUR)], None)], None, 3, bytes, 80)
@example([([*range(0, 40 * HOUR, HOUR)], None)], None, 3, gzip.compress, 80)
@example([([0, 9 * HOUR, 8 * HOUR] * 5, -9)], None, 8, bytes, 80)
@example([([0] * 9 + [5 * HOUR] + [4 * HOUR] * 9, 0)], 9, None, bytes, 80)  # the last lines are not the latest
@settings(max_examples=200)
def test_no_line_is_lost_where_times_grow(
    logs: list[tuple[list[int], int | None]],
    since: int | None,
    length: int | None,
    pack: Callable[[bytes], bytes],
    size: int,
) -> None:
    begin = None if since is None else since * HOUR // 2
    end = None if length is None else (begin or 0) + length * HOUR // 2
    limits = TimeRange(*(None if limit is None else at(limit) for limit in (begin, end)))
    is_selected: Callable[[int], bool] = lambda second: (  # noqa: E731
        (begin is None or second >= begin) and (end is None or second < end)
    )
    with TemporaryDirectory() as directory, small_pieces(size):
        files = []
        for number, (seconds, hours) in enumerate(logs):
            modified = None if hours is None else seconds[-1] + hours * HOUR // 2
            path = Path(directory, f"{number}.log")
            path.write_bytes(pack(log_lines(seconds)))
            set_modified(path, modified)
            files.append(str(path))
        found, run = targets(files, limits)
    lines = list(chain.from_iterable(seconds for seconds, _ in logs))
    if all(naive_grows([at(second) for second in seconds]) for seconds, _ in logs):
        assert found == [b"/%d" % second for second in lines if is_selected(second)]
    assert (run.counts.parsed < len(lines)) == bool(run.in_range.messages)


DAY_LONG = range(0, 24 * HOUR, 600)  # 144 lines, 10 kB


def test_a_file_that_ends_before_the_range_is_not_read(tmp_path: Path) -> None:
    old = write_log(tmp_path / "old.log", DAY_LONG, 24 * HOUR)
    new = write_log(tmp_path / "new.log", [*range(24 * HOUR, 48 * HOUR, HOUR)], 48 * HOUR)
    with small_pieces():
        found, run = targets([old, new, old], TimeRange(since=at(30 * HOUR)))
    assert found == [b"/%d" % second for second in range(30 * HOUR, 48 * HOUR, HOUR)]
    assert run.counts.parsed == 24
    assert run.in_range.messages == ["2 files end before the range since 1996-11-11T06:00:00Z: not read"]
    assert run.has_read


def test_the_rest_of_a_file_after_the_range_is_not_read(tmp_path: Path) -> None:
    file = write_log(tmp_path / "a.log", DAY_LONG)
    for jobs in (1, 2):
        with small_pieces():
            found, run = targets([file, file], TimeRange(until=at(2 * HOUR)), jobs=jobs)
        assert found == [b"/%d" % second for second in range(0, 2 * HOUR, 600)] * 2
        assert 2 * 18 < run.counts.parsed < 2 * 30  # up to the first piece that is an hour after the range
        assert run.in_range.messages == [
            "2 files go on after the range until 1996-11-10T02:00:00Z: not read to the end"
        ]


# Files, each with a range that it lies outside of.
BEFORE, AFTER = TimeRange(since=at(40 * HOUR)), TimeRange(until=at(-9 * HOUR))
WITHOUT_EVIDENCE = {
    "times that fall": (log_lines(DAY_LONG[::-1]), BEFORE),
    "times that fall by less than an hour": (log_lines([1800, 1200, 600]), BEFORE),
    "times that fall and rise": (log_lines([0, 9 * HOUR, 5 * HOUR]), BEFORE),
    "times that fall in one piece, after the range": (log_lines([2 * HOUR, 0, *DAY_LONG]), AFTER),
    "times that fall between pieces, after the range": (log_lines([9 * HOUR] * 3 + [*DAY_LONG]), AFTER),
    "no line feed": (b"x" * 9_999, BEFORE),
    "no times at its end": (log_lines(DAY_LONG) + b"x\n" * 500, BEFORE),
    "no times at its beginning": (b"x\n" * 500 + log_lines(DAY_LONG), BEFORE),
    "undefined times": (log_line(None) * 99, BEFORE),
    "undefined times, after the range": (log_line(None) * 99, AFTER),
    "compression": (gzip.compress(log_lines(DAY_LONG)), BEFORE),
    "nothing": (b"", BEFORE),
}


@pytest.mark.parametrize("name", WITHOUT_EVIDENCE)
def test_a_file_without_evidence_is_read_whole(tmp_path: Path, name: str) -> None:
    data, limits = WITHOUT_EVIDENCE[name]
    path = tmp_path / "a.log"
    path.write_bytes(data)
    set_modified(path, 24 * HOUR)
    with small_pieces(250):
        _, run = targets([str(path)], limits)
        _, whole = targets([str(path)], None)
    assert run.in_range.messages == []
    assert run.counts == whole.counts


def test_a_file_that_was_modified_in_the_range_is_read(tmp_path: Path) -> None:
    file = write_log(tmp_path / "a.log", DAY_LONG, 40 * HOUR)
    assert targets([file], TimeRange(since=at(40 * HOUR)))[1].counts.parsed == 144
    assert targets([file], TimeRange(since=at(41.5 * HOUR)))[1].counts.parsed == 0


def test_lines_without_times_do_not_hide_the_end_of_the_range(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    gap = log_line(None) * 20 + b"x\n" * 200
    lines = [log_line(second) + gap * (second == 12 * HOUR) for second in DAY_LONG]
    file.write_bytes(b"".join(lines))
    with small_pieces():
        found, run = targets([str(file)], TimeRange(until=at(12.5 * HOUR)))
    assert found == [b"/%d" % second for second in range(0, int(12.5 * HOUR), 600)]
    assert run.in_range.messages == ["1 file goes on after the range until 1996-11-10T12:30:00Z: not read to the end"]


def test_a_stateful_format_is_read_as_far_as_the_range(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    header, line = CLOUDFRONT.sample.splitlines(keepends=True)[:2], CLOUDFRONT.sample.splitlines(keepends=True)[-1]
    path.write_bytes(b"".join(header) + line * 99)
    set_modified(path, 0)
    [time, *_] = next(tables(io.BytesIO(CLOUDFRONT.sample), CLOUDFRONT)).values("time")
    assert isinstance(time, int)
    assert targets([str(path)], TimeRange(since=time + 10 * MAX_DISORDER), CLOUDFRONT)[1].counts.parsed == 99
    with small_pieces():
        _, run = targets([str(path)], TimeRange(until=time - 10 * MAX_DISORDER), CLOUDFRONT)
    assert 0 < run.counts.parsed < 50


def test_faults_are_reported_as_without_a_range(tmp_path: Path) -> None:
    faults: list[str] = []
    file = write_log(tmp_path / "a.log", [0, 9 * HOUR], 9 * HOUR)
    unreadable = write_log(tmp_path / "b.log", [0], 0)
    missing = str(tmp_path / "missing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files_in_range, "open", failing_open(unreadable), raising=False)
        found, run = targets(
            [missing, unreadable, file], TimeRange(since=at(8 * HOUR)), fault=lambda name, _: faults.append(name)
        )
    assert (found, faults, run.counts.parsed) == ([b"/%d" % (9 * HOUR)], [missing], 3)


def failing_open(failing: str) -> Callable[..., Any]:
    """Return an `open` that fails for one file."""

    def open_or_fail(name: str, *arguments: Any) -> Any:
        if name == failing:
            raise PermissionError(13, "Permission denied")
        return open(name, *arguments)

    return open_or_fail


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write_log(tmp_path / "-", [-9 * HOUR], -9 * HOUR)  # not the input
    monkeypatch.chdir(tmp_path)
    reading, writing = os.pipe()
    before = os.dup(0)
    os.dup2(reading, 0)
    try:
        os.write(writing, log_line(2))
        os.close(writing)
        found, run = targets(["-", "-"], TimeRange(since=at(1)), head=log_line(1))
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(reading)
    assert (found, run.counts.parsed) == ([b"/1", b"/2"], 2)


def test_a_predicate_and_a_range_both_apply(tmp_path: Path) -> None:
    file = write_log(tmp_path / "a.log", DAY_LONG)
    base: Task[Any] = Task(COMMON, ["target"], methodcaller("column", "target"))
    task = select_lines(base, where="target > '/5'", since="1996-11-10T01:00", until="1996-11-10T02:00")
    outputs = [output for result in ScanRun([file], task) for output in result.outputs]
    assert list(chain.from_iterable(outputs)) == [b"/5400", b"/6000", b"/6600"]
    assert select_lines(base) is base
