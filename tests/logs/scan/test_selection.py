"""The first rows and random samples: the same rows with any number of workers, and each row with the same chance."""

import gzip
import random
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import sizes
from tests.support.command import LOG
from urisect.logs import COMBINED, LIST
from urisect.logs.columnar.parser import ColumnarParser
from urisect.logs.columnar.table import ColumnarTable
from urisect.logs.input.blocks import Block
from urisect.logs.input.reader import BlockParser
from urisect.logs.scan import parallel, pieces
from urisect.logs.scan.run import ScanRun
from urisect.logs.scan.selection import RowChoice, choose_rows, select_lines
from urisect.logs.scan.task import Task

TARGETS: Task[Any] = Task(COMBINED, ["target"], methodcaller("column", "target"))
REFERENCES: Task[Any] = Task(LIST, ["reference"], methodcaller("column", "reference"))


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "access.log"
    path.write_bytes(LOG)
    return str(path)


def rows(choice: RowChoice[Any], files: Sequence[str], where: str | None = None, **options: Any) -> list[Any]:
    return list(chain.from_iterable(choice.outputs(ScanRun(files, select_lines(choice.task, where=where), **options))))


@pytest.fixture(params=[(1, 7_000, 20_000), (1, 3_000, 10_000), (1, 1 << 18, 1 << 22), (2, 7_000, 20_000)], ids=str)
def jobs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of workers; with sizes of tables and pieces."""
    number, table_bytes, piece_bytes = request.param
    monkeypatch.setattr(pieces, "TABLE_BYTES", table_bytes)
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", piece_bytes)
    monkeypatch.setattr(pieces, "STREAM_PIECE_BYTES", piece_bytes)
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", 0)
    return int(number)


def is_in_order(some: Sequence[Any], of: Sequence[Any]) -> bool:
    rest = iter(of)
    return all(row in rest for row in some)


@pytest.mark.parametrize(("number", "where"), [(1, None), (300, None), (30, "status = 404"), (100_000, None)])
def test_choices_do_not_depend_on_workers_or_sizes(log: str, number: int, where: str | None, jobs: int) -> None:
    everything = rows(choose_rows(TARGETS), [log, log], where)
    assert rows(choose_rows(TARGETS, first=number), [log, log], where, jobs=jobs) == everything[:number]
    sample = rows(choose_rows(TARGETS, sample=number), [log, log], where, jobs=jobs)
    assert len(sample) == min(number, len(everything))
    assert is_in_order(sample, everything)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "TABLE_BYTES", 50_000)
        assert rows(choose_rows(TARGETS, sample=number), [log, log], where) == sample


def test_a_sample_of_a_compressed_file_is_that_of_its_content(tmp_path: Path, log: str) -> None:
    compressed = tmp_path / "access.log.gz"
    compressed.write_bytes(gzip.compress(LOG))
    choice = choose_rows(TARGETS, sample=50)
    assert rows(choice, [str(compressed)]) == rows(choice, [log])


def test_equal_lines_are_chosen_independently_in_each_file(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(b"/a\n" * 500 + b"/b\n" * 500)
    sample = rows(choose_rows(REFERENCES, sample=1000), [str(path), str(path)])
    runs = "".join(row.decode()[1] for row in sample)
    counts = [len(part) for part in runs.replace("ba", "b a").split()]
    assert sum(counts) == 1000
    assert len(set(counts)) == 2  # the second file has other rows than the first


def test_each_row_has_the_same_chance(tmp_path: Path) -> None:
    files = []
    for number in range(4):
        path = tmp_path / f"{number}.list"
        path.write_bytes(b"".join(b"/%d/%d\n" % (number, line) for line in range(5_000)))
        files.append(str(path))
    sample = rows(choose_rows(REFERENCES, sample=4_000), files)
    tenths = Counter((row.split(b"/")[1], int(row.split(b"/")[2]) // 500) for row in sample)
    # The sample is the same in every run. A count deviates by more than 60 from 100 in one of 10**9 samples.
    assert len(tenths) == 40
    assert all(40 < count < 160 for count in tenths.values())
    assert 30 < sum(int(row.split(b"/")[2]) % 100 == 7 for row in sample) < 60  # no pattern in the places


def test_the_scan_ends_after_the_first_rows(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", 20_000)
    choice = choose_rows(TARGETS, first=150)
    run = ScanRun([log, "missing"], choice.task)
    assert len(list(chain.from_iterable(choice.outputs(run)))) == 150
    assert 150 <= run.counts.parsed < 400
    assert run.faults == 0


def test_memory_is_bounded_by_the_sample(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", 5_000)
    choice = choose_rows(TARGETS, sample=3)
    handed_over = [
        sum(table.parsed for table in chain.from_iterable(each.outputs)) for each in ScanRun([log], choice.task)
    ]
    assert len(handed_over) > 20
    assert set(handed_over) == {3}


def test_lines_that_are_not_parsed_have_no_chance(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(
        b"\xef\xbb\xbf" + b"".join(line + b"\nnonsense\n" * 3 + b"x" * 2000 + b"\n" for line in LOG.splitlines())
    )
    sample = rows(choose_rows(TARGETS._replace(limit=1000), sample=100_000), [str(path)])
    assert sample == rows(choose_rows(TARGETS._replace(limit=1000)), [str(path)])
    assert len(rows(choose_rows(TARGETS._replace(limit=1000), sample=100), [str(path)])) == 100


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"first": 1, "sample": 1}, "give only one of first and sample"),
        ({"first": 0}, "first is 0: at least one row has to be chosen"),
        ({"sample": -1}, "sample is -1: at least one row has to be chosen"),
    ],
)
def test_what_is_no_choice_is_an_error(numbers: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        choose_rows(TARGETS, **numbers)


# Lines that are regular, and lines that the expression has to parse.
MIXED = LOG[:30_000].rpartition(b"\n")[0].splitlines(keepends=True)
MIXED[5:90:7] = [line.replace(b"GET /", b"GET http://h:80/").replace(b'"-"', b'"\\""') for line in MIXED[5:90:7]]


@settings(max_examples=sizes.choose(full=300, quick=20), deadline=None)
@given(st.integers(0, 1 << 32), st.sampled_from([0, 0.1, 0.5, 0.9, 1]), st.booleans())
def test_selected_rows_of_a_columnar_table_are_those_of_others(seed: int, share: float, is_regular: object) -> None:
    choose = random.Random(seed).random  # noqa: S311
    data = b"".join(LOG[:20_000].splitlines(keepends=True)[:-1] if is_regular else MIXED)
    columnar, table = (
        next(parser(COMBINED, COMBINED.fields).tables([Block(0, data)], line=0))
        for parser in (ColumnarParser, BlockParser)
    )
    assert isinstance(columnar, ColumnarTable)
    for _ in range(3):
        wanted = [choose() < share for _ in range(table.parsed)]
        columnar.column("referer_host")  # one that is built before
        columnar, table = columnar.selected(wanted), table.selected(wanted)
        assert columnar.parsed == table.parsed
        for field in ("client", "time", "status", "bytes", "target_path", "target_host", "referer_host", "user_agent"):
            assert columnar.values(field) == table.values(field)
