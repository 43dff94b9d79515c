"""Counts of columnar tables: those of tables of lists, whatever the lines are, and those of a naive count of a log."""

import io
import operator
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpora import access_log
from tests.support import sizes
from tests.support.altered_lines import altered_lines
from urisect.logs import COMBINED, FORMATS, Format, format_of, tables, top
from urisect.logs.columnar import parser as parser_module
from urisect.logs.columnar.parser import ColumnarParser
from urisect.logs.columnar.table import ColumnarTable
from urisect.logs.formats import PatternFormat
from urisect.logs.input.blocks import Block
from urisect.logs.input.reader import BlockParser, Table
from urisect.logs.report import counts as counts_module
from urisect.logs.report.array_counts import EncodedColumn, encode
from urisect.logs.report.combinations import count_combinations
from urisect.logs.report.counts import CountDatabase
from urisect.logs.report.findings import Findings
from urisect.logs.report.partial_counts import PartialCounts, as_list, count_values, join_partial_counts
from urisect.logs.report.plain_counts import PlainCounts
from urisect.logs.report.table_summary import ERROR_PATHS, TableSummarizer, TableSummary, join_summaries
from urisect.logs.scan.run import ScanRun
from urisect.logs.scan.selection import select_lines
from urisect.logs.scan.where import Where

SAMPLES: dict[Format, list[bytes]] = {
    format: format.sample.splitlines()
    for format in FORMATS.values()
    if isinstance(format, PatternFormat) and format.layout
}
SAMPLES[COMBINED] += access_log(20).splitlines()
SAMPLES[format_of('%h %>s "%r"')] = [b'192.0.2.7 404 "GET /a/b?c=d&e HTTP/1.1"']
SAMPLES[format_of('%h %u %>s "%{User-Agent}i"')] = [b'192.0.2.7 - 500 "Mozilla/5.0"']
SAMPLES[format_of('%h %t "%r" %>s %b %D')] = [
    b'192.0.2.7 [10/Nov/1996:13:55:36 -0700] "GET /a HTTP/1.1" 200 9 1234567',
    b'192.0.2.7 [10/Nov/1996:13:55:36 -0700] "GET /b?c HTTP/1.1" 404 9 99',
    b'- [10/Nov/1996:13:59:36 -0700] "GET /b HTTP/1.1" 500 - 0',
]
Counted = dict[tuple[bytes | None, int | None], tuple[float, ...]]


def counted(counts: PartialCounts) -> Counted:
    """Return partial counts by value and minute."""
    rows = len(counts.values)
    measures = (*counts[1:5], *counts[6:])
    columns = [[0.0] * rows if column is None else [each or 0.0 for each in as_list(column)] for column in measures]
    minutes = [None] * rows if counts.minutes is None else as_list(counts.minutes)
    keys = list(zip(as_list(counts.values), minutes, strict=True))
    sums: defaultdict[Any, list[float]] = defaultdict(lambda: [0.0] * 7)
    for key, (lines, size, seconds, longest, *kinds) in zip(keys, zip(*columns, strict=True), strict=True):
        before = sums[key]
        first = [before[0] + lines, before[1] + size, before[2] + seconds, max(before[3], longest)]
        sums[key] = [*first, *map(operator.add, before[4:], kinds)]
    return {key: tuple(numbers) for key, numbers in sums.items()}


def assert_equal(arrays: TableSummary, lists: TableSummary) -> None:
    assert arrays._replace(counts={}) == lists._replace(counts={})
    assert list(arrays.hazards) == list(lists.hazards)
    assert arrays.counts.keys() == lists.counts.keys()
    for name, counts in lists.counts.items():
        assert counted(arrays.counts[name]) == counted(counts), name


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser_module, "_MIN_BYTES", 64)
        yield


def parse(format: Format, data: bytes, fields: Any) -> tuple[Table | ColumnarTable, Table]:
    assert isinstance(format, PatternFormat)
    blocks = [Block(0, data)]
    [arrays] = ColumnarParser(format, fields).tables(blocks, line=1)
    [lists] = BlockParser(format, fields).tables(blocks, line=1)
    return arrays, lists


@settings(max_examples=sizes.choose(full=300, quick=20))
@given(format=st.sampled_from([*SAMPLES]), choice=st.randoms(use_true_random=False))
def test_the_summary_of_arrays_is_that_of_lists(format: Format, choice: random.Random) -> None:
    of_arrays, of_lists = TableSummarizer(format), TableSummarizer(format)
    pairs = []
    for _ in range(2):
        arrays, lists = parse(format, altered_lines(SAMPLES[format], choice, 40) or b"\n", of_lists.fields)
        rows = [choice.random() < 0.5 for _ in range(lists.parsed)]
        pairs += [
            (of_arrays(arrays), of_lists(lists)),
            (of_arrays(arrays.selected(rows)), of_lists(lists.selected(rows))),
        ]
        assert_equal(*pairs[-1])
        assert_equal(*pairs[-2])
    assert_equal(join_summaries([pair[0] for pair in pairs]), join_summaries([pair[1] for pair in pairs]))


@settings(max_examples=sizes.choose(full=300, quick=30))
@given(format=st.sampled_from([*SAMPLES]), choice=st.randoms(use_true_random=False))
def test_values_and_combinations_of_arrays_are_those_of_lists(format: Format, choice: random.Random) -> None:
    arrays, lists = parse(format, altered_lines(SAMPLES[format], choice, 40) or b"\n", format.fields)
    for field in choice.sample(format.fields, 4):
        assert counted(count_values(arrays, field)) == counted(count_values(lists, field)), field
    fields = choice.sample(format.fields, choice.randrange(1, 4))
    assert counted(count_combinations(arrays, fields)) == counted(count_combinations(lists, fields)), fields


@pytest.mark.parametrize("referer", [b"-", b"", b"http://", b"http:///a?#", b"//h", b"/" + b"a" * 600])
@pytest.mark.parametrize("target", [b"/", b"/?", b"/?#", b"/%00?%00#%00"])
def test_empty_and_long_parts(referer: bytes, target: bytes) -> None:
    line = b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET %b HTTP/1.0" 404 7 "%b" "-"\n' % (target, referer)
    arrays, lists = parse(COMBINED, line * 3, TableSummarizer(COMBINED).fields)
    assert isinstance(arrays, ColumnarTable)
    for rows in ([True] * 3, [False] * 3):
        summaries = [TableSummarizer(COMBINED)(table.selected(rows)) for table in (arrays, lists)]
        assert_equal(*summaries)


def test_the_summary_of_selected_lines_is_that_of_lists() -> None:
    where = Where("status >= 400 OR bytes > 5000", COMBINED)
    summarizers = TableSummarizer(COMBINED), TableSummarizer(COMBINED)
    arrays, lists = parse(COMBINED, access_log(2000), (*summarizers[0].fields, *where.columns))
    assert isinstance(arrays, ColumnarTable)
    found = summarizers[0](where(arrays))  # type: ignore[arg-type]
    assert 0 < found.lines < lists.parsed
    assert_equal(found, summarizers[1](where(lists)))


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("%h %t %>s %b", b"192.0.2.7 [10/Nov/1996:13:55:36 -0700] 200 2326\n"),
        ('%h %>s "%r"', b'192.0.2.7 404 "GET /a/b?c=d&e HTTP/1.1"\n'),
        ('"%r" %b', b'"GET /a/b?c=d&e HTTP/1.1" 9\n'),
    ],
)
def test_formats_without_a_path_or_a_time_or_a_client(pattern: str, line: bytes) -> None:
    format = format_of(pattern)
    summarizers = TableSummarizer(format), TableSummarizer(format)
    arrays, lists = parse(format, line * 300, summarizers[0].fields)
    assert isinstance(arrays, ColumnarTable)
    found = summarizers[0](arrays)
    assert found.lines == 300
    assert_equal(found, summarizers[1](lists))


@pytest.mark.parametrize(("where", "jobs"), [(None, 1), ("status <> 200", 2)])
def test_a_report_counts_what_a_naive_count_does(
    where: str | None, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urisect.logs.scan.parallel.PARENT_ONLY_BYTES", 0)
    monkeypatch.setattr("urisect.logs.scan.pieces.FILE_PIECE_BYTES", 1 << 18)
    log = tmp_path / "access.log"
    log.write_bytes(access_log(4000))
    lines: defaultdict[str, Counter[bytes | None]] = defaultdict(Counter)
    size: defaultdict[bytes | None, Any] = defaultdict(int)
    for table in tables(io.BytesIO(log.read_bytes()), COMBINED):
        wanted = [where is None or status != b"200" for status in table.column("status")]
        rows = table.selected(wanted)
        lines["client"].update(rows.column("client"))
        lines["agent"].update(rows.column("agent"))
        for status, path, sent in zip(
            rows.column("status"), rows.column("target_path"), rows.values("bytes"), strict=True
        ):
            size[path] += sent or 0
            if name := ERROR_PATHS.get((status or b"")[:1]):
                lines[name][b" ".join(filter(None, (status, path)))] += 1
    with Findings(COMBINED, [str(log)], where) as findings:
        for result in ScanRun([str(log)], select_lines(findings.task(), where=where), jobs=jobs):
            findings.add(result)
        for name, expected in lines.items():
            found = findings.counts.top(name, 10**6)
            assert {count.value: count.lines for count in found} == expected
            assert findings.counts.distinct(name) == len(expected.keys() - {None})
        assert {count.value: count.bytes for count in findings.counts.top("target_path", 10**6)} == size


@pytest.mark.parametrize("most_values_differ", [False, True])
@pytest.mark.parametrize("minutes", [None, [7, None]])
def test_joined_counts_are_the_sums_of_their_parts(
    *, most_values_differ: bool, minutes: list[int | None] | None
) -> None:
    lines = [1, 1] if most_values_differ else [2, 3]
    first = PartialCounts([b"a", None], lines, [1.0, 2.0], [0.5, 0.25], [0.5, 0.125], minutes=minutes)
    second = PartialCounts(pa.array([None, b"a"], pa.binary()), np.array(lines), minutes=minutes)
    joined = join_partial_counts([first, second])
    parts = [counted(first), counted(second)]
    for key, numbers in counted(joined).items():
        found = [part[key] for part in parts if key in part]
        *sums, longest = zip(*found, strict=True)
        assert numbers == (*map(sum, sums), max(longest))
    assert len(joined.values) == (4 if most_values_differ else len({*parts[0], *parts[1]}))


@pytest.mark.parametrize("make", [CountDatabase, lambda: PlainCounts("duckdb")])
def test_arrays_are_counted_like_lists(make: Any) -> None:
    long = b"x" * 5000
    with make() as counts:
        counts.add("path", PartialCounts(pa.array([b"/a", None, long]), np.array([1, 2, 3])))
        counts.add("path", PartialCounts([b"/a", long], [4, 5]))
        found = counts.top("path", 3)
    assert [count.lines for count in found] == [8, 5, 2]
    assert found[0].value == counts_module.abbreviate(long)


def test_sums_of_large_numbers_are_exact() -> None:
    column = EncodedColumn(np.array([0, 1, 0]), pa.array([b"a", b"b"]))
    assert column.sums(np.array([10**18 - 1, 3, 1])).tolist() == [1e18, 3.0]
    assert encode(pa.nulls(0, pa.binary())).lines().tolist() == []


def test_spilled_counts_are_removed_from_the_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(counts_module, "MEMORY_LIMIT", "8MB")
    monkeypatch.setattr(counts_module, "MIN_MERGE_ROWS", 1 << 14)
    monkeypatch.setattr(counts_module, "MAX_PENDING_ROWS", 1 << 12)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    values = pa.array([b"/path/of/some/length/%x" % (number**9) for number in range(1 << 12)])
    file_sizes: list[int] = []
    with CountDatabase() as counts:
        for _ in range(40):
            counts.add("path", PartialCounts(values, np.ones(1 << 12, np.int64)))
            file_sizes.append(sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()))
        assert counts.top("path", 1)[0].lines == 40
    assert max(file_sizes) < 1 << 24
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("package", ["numpy", "pyarrow"])
@pytest.mark.parametrize("field", ["target_path", ["client", "status"]])
def test_without_arrays_lists_are_counted(
    package: str, field: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "access.log"
    log.write_bytes(access_log(500))
    expected = top(log, field, 50, format="combined")
    monkeypatch.setitem(sys.modules, package, None)
    assert top(log, field, 50, format="combined") == expected
