"""Tests of the count database: exact counts per value and per bucket, bounded memory and disk, and errors."""

import io
import os
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpora import access_log
from tests.support import naive
from urisect.logs import COMBINED, LIST, Format, MissingExtraError, tables
from urisect.logs.report import counts as counts_module
from urisect.logs.report.counts import BucketCount, CountDatabase, ValueCount
from urisect.logs.report.partial_counts import PartialCounts, count_values, measure_values
from urisect.logs.report.timeline import CYCLES

LOG = access_log(3000)

values = st.none() | st.binary(max_size=2)
entries = st.lists(st.tuples(st.sampled_from(["path", "client"]), values, st.integers(1, 5)), max_size=60)


@settings(max_examples=25)
@given(entries=entries, max_pending=st.integers(1, 8), min_rows=st.integers(1, 16))
def test_counts_are_exact_for_any_merge_schedule(
    entries: list[tuple[str, bytes | None, int]], max_pending: int, min_rows: int
) -> None:
    expected: dict[str, Counter[bytes | None]] = {"path": Counter(), "client": Counter()}
    with pytest.MonkeyPatch.context() as patch, CountDatabase() as counts:
        patch.setattr(counts_module, "MAX_PENDING_ROWS", max_pending)
        patch.setattr(counts_module, "MIN_MERGE_ROWS", min_rows)
        patch.setattr(counts_module, "PARTITION_ROWS", min_rows)
        for name, value, lines in entries:
            counts.add(name, PartialCounts([value], [lines]))
            expected[name][value] += lines
        for name, counter in expected.items():
            assert {count.value: count.lines for count in counts.top(name, 100)} == counter
            assert counts.total(name).lines == counter.total()
            assert counts.distinct(name) == len(counter.keys() - {None})


def test_top_sorts_by_frequency_and_breaks_ties_in_byte_order() -> None:
    with CountDatabase() as counts:
        counts.add("path", PartialCounts([b"/b", None, b"/a", b"/\xff", b"/c"], [2, 2, 2, 2, 3]))
        assert [count.value for count in counts.top("path", 5)] == [b"/c", b"/a", b"/b", b"/\xff", None]
        assert [count.value for count in counts.top("path", 2)] == [b"/c", b"/a"]
        assert counts.top("nothing", 5) == []
        assert counts.total("nothing") == ValueCount(None, 0)


def test_top_works_between_additions() -> None:
    with CountDatabase() as counts:
        for total in range(1, 4):
            counts.add("path", PartialCounts([b"/"], [1]))
            assert counts.top("path", 1) == [ValueCount(b"/", total)]


def test_bytes_and_seconds_are_summed_and_the_maximum_is_kept() -> None:
    with CountDatabase() as counts:
        counts.add("path", measure_values([b"/a", b"/b", b"/a"], [10**18, 5, 1], [0.5, 1.5, 0.25]))
        counts.add("path", measure_values([b"/a"], [0], [0.125]))
        counts.add("path", measure_values([b"/b"], [7]))
        assert counts.top("path", 1, by="seconds") == [ValueCount(b"/b", 2, 12, 1.5, 1.5)]
        assert counts.top("path", 1, by="longest") == [ValueCount(b"/b", 2, 12, 1.5, 1.5)]
        assert counts.top("path", 1, by="bytes") == [ValueCount(b"/a", 3, 10**18, 0.875, 0.5)]
        assert counts.total("path").seconds == 2.375


def test_huge_sizes_do_not_overflow() -> None:
    with CountDatabase() as counts:
        counts.add("path", measure_values([b"/"] * 100, [10**18 - 1] * 100))
        assert counts.top("path", 1)[0].bytes == pytest.approx(10**20)


def test_counts_per_minute_are_summed_per_bucket() -> None:
    with CountDatabase() as counts:
        groups = PartialCounts(
            [b"200", b"200", None, b"200"], [1, 2, 4, 8], minutes=[-60, -1, 0, None], bytes=[1, 2, 4, 8]
        )
        counts.add("traffic", groups)
        assert counts.per_bucket("traffic", begin=-60, step=60) == [
            BucketCount(0, b"200", 3, 3),
            BucketCount(1, None, 4, 4),
            BucketCount(None, b"200", 8, 8),
        ]


@settings(max_examples=30)
@given(st.lists(st.none() | st.integers(-(10**9), 10**9), max_size=20))
def test_counts_per_minute_are_summed_per_slot_of_a_cycle(minutes: list[int | None]) -> None:
    times = [datetime(1970, 1, 1, tzinfo=UTC) + timedelta(minutes=minute) for minute in minutes if minute is not None]
    with CountDatabase() as counts:
        counts.add("traffic", PartialCounts([None] * len(minutes), [1] * len(minutes), minutes=minutes))
        slots = ([time.hour for time in times], [time.weekday() for time in times])
        for cycle, numbers in zip(CYCLES, slots, strict=True):
            found = counts.per_slot("traffic", cycle.origin, cycle.step, cycle.bucket_count)
            assert found == [numbers.count(number) for number in range(cycle.bucket_count)]


def test_long_values_are_truncated_and_stay_distinct() -> None:
    long = b"x" * 5000
    with CountDatabase() as counts:
        counts.add("path", PartialCounts([long, long + b"y", b"z" * counts_module.MAX_VALUE_BYTES], [3, 2, 1]))
        counts.add("path", PartialCounts([long], [1]))
        first, second, third = counts.top("path", 3)
    assert [count.lines for count in (first, second, third)] == [4, 2, 1]
    assert first.value != second.value
    for count in (first, second):
        assert count.value is not None
        assert count.value.startswith(b"x" * 800 + b"... (500")
        assert len(count.value) <= counts_module.MAX_VALUE_BYTES
    assert third.value == b"z" * counts_module.MAX_VALUE_BYTES


def test_the_database_file_grows_only_with_distinct_values(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(counts_module, "MIN_MERGE_ROWS", 1 << 14)
    monkeypatch.setattr(counts_module, "MAX_PENDING_ROWS", 1 << 13)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    groups = PartialCounts([b"/path/of/some/length/%x" % (number**5) for number in range(1 << 13)], [1] * (1 << 13))
    sizes: list[int] = []
    with CountDatabase() as counts:
        for _ in range(30):
            counts.add("path", groups)
            sizes.append(sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()))
        assert counts.top("path", 1)[0].lines == 30
    assert max(sizes) < 3 * sizes[0]
    assert not list(tmp_path.iterdir())


def test_the_temporary_directory_is_removed_after_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ZeroDivisionError), CountDatabase():
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_too_little_memory_raises_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts_module, "MEMORY_LIMIT", "2MB")
    groups = PartialCounts([os.urandom(900) for _ in range(5000)], [1] * 5000)
    with CountDatabase() as counts, pytest.raises(OSError, match="cannot store counts"):  # noqa: PT012
        for _ in range(10):
            counts.add("path", groups)
            counts.top("path", 1)


def test_an_exception_from_a_signal_handler_becomes_keyboard_interrupt() -> None:
    def interrupt(*_: object) -> None:
        raise SystemExit(143)

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with CountDatabase() as counts, pytest.raises(KeyboardInterrupt):
            counts._execute("SELECT count(*) FROM range(1_000_000_000_000) numbers(number) WHERE hash(number) % 7 = 1")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("package", ["duckdb", "pyarrow"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=f"counting needs {package}, .* pip install 'urisect\\[logs\\]'"):
        CountDatabase()


def test_counting_a_table_imports_no_heavy_package() -> None:
    loaded = "{'duckdb', 'pyarrow', 'jinja2', 'regex', 'click'} & set(sys.modules)"
    code = f"import sys, urisect.logs.report.table_summary, urisect.logs.report.counts; print({loaded})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert result.stdout == b"set()\n"


@pytest.mark.parametrize(("format", "data"), [(COMBINED, LOG), (LIST, LOG)])
def test_count_values_agrees_with_the_texts_of_each_field(format: Format, data: bytes) -> None:
    for field in format.fields:
        for table in tables(io.BytesIO(data), format, columns=[field]):
            groups = count_values(table, field)
            assert dict(zip(groups.values, groups.lines, strict=True)) == Counter(table.texts(field))


@given(data=naive.octets)
def test_authority_parts_are_counted_correctly_for_arbitrary_bytes(data: bytes) -> None:
    for table in tables(io.BytesIO(data), LIST):
        for field in ("userinfo", "host", "port"):
            groups = count_values(table, field)
            assert dict(zip(groups.values, groups.lines, strict=True)) == Counter(table.column(field))
