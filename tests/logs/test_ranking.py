"""`logs.top`: the most frequent values of a field, exactly."""

import gzip
import io
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.command import LOG
from urisect.logs import COMBINED, MissingExtraError, Rejected, Skipped, WhereError, tables, top
from urisect.logs.report import plain_counts
from urisect.logs.report.combinations import MAX_FIELDS


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "access.log"
    path.write_bytes(LOG)
    return path


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("field", ["target_path", "status", "referer_host"])
def test_values_are_counted_exactly(log: Path, field: str, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisect.logs.scan.parallel.PARENT_ONLY_BYTES", 0)
    expected: Counter[bytes | None] = Counter()
    for table in tables(io.BytesIO(LOG), COMBINED):
        expected.update(table.texts(field))
    ranking = top(str(log), field, 5, jobs=jobs)
    assert [count.lines for count in ranking.counts] == [lines for _, lines in expected.most_common(5)]
    assert all(expected[count.value] == count.lines for count in ranking.counts)
    assert ranking.lines == expected.total()
    assert ranking.distinct == len(expected) - (None in expected)


def test_where_and_callbacks(log: Path) -> None:
    rejected: list[Rejected] = []
    skipped: list[Skipped] = []
    ranking = top([log, log], "status", where="status = 404", limit=300, reject=rejected.append, skip=skipped.append)
    assert [count.value for count in ranking.counts] == [b"404"]
    assert ranking.lines == ranking.counts[0].lines
    assert rejected
    assert skipped


def test_a_fault_is_raised_or_reported(log: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(gzip.compress(LOG)[:-1000])
    with pytest.raises(OSError, match="ended before"):
        top([damaged, log], "status", format="combined")
    faults: list[str] = []
    ranking = top([damaged, log], "status", format="combined", fault=lambda file, _: faults.append(file))
    assert faults == [str(damaged)]
    assert ranking.lines > top(log, "status").lines


def test_unknown_fields_and_formats_are_refused(log: Path) -> None:
    with pytest.raises(KeyError, match="stauts"):
        top(log, "stauts")
    with pytest.raises(WhereError):
        top(log, "status", where="stauts = 1")
    with pytest.raises(ValueError, match="nothing"):
        top(log, "status", format="nothing")


FIELDS = [
    ["client"],
    ["client", "status"],
    ["time", "method", "status"],
    ["referer_host", "referer_query"],
    ["user", "identity"],
    ["agent", "target", "referer"],
]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("fields", FIELDS)
def test_combinations_are_counted_exactly(
    log: Path, fields: list[str], jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urisect.logs.scan.parallel.PARENT_ONLY_BYTES", 0)
    expected: Counter[tuple[bytes | None, ...]] = Counter()
    for table in tables(io.BytesIO(LOG), COMBINED):
        expected.update(zip(*map(table.texts, fields), strict=True))
    ranking = top(str(log), fields, 10**6, jobs=jobs)

    def order(item: tuple[tuple[bytes | None, ...], int]) -> tuple[int, list[tuple[bool, bytes]]]:
        values, lines = item
        return -lines, [(value is None, value or b"") for value in values]

    assert [tuple(count) for count in ranking.counts] == sorted(expected.items(), key=order)
    assert ranking.lines == expected.total()
    assert ranking.distinct == len(expected) - ((None,) * len(fields) in expected)


@pytest.mark.parametrize("package", ["duckdb", "pyarrow"])
@pytest.mark.parametrize("fields", ["target_path", "time", "user", *map(tuple, FIELDS)])
def test_plain_python_counts_the_same(
    log: Path, fields: str | tuple[str, ...], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = top(log, fields, 50)
    monkeypatch.setitem(sys.modules, package, None)
    assert top(log, fields, 50) == expected


def test_plain_python_refuses_more_values_than_its_limit(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    monkeypatch.setattr("urisect.logs.scan.parallel.PARENT_ONLY_BYTES", 0)
    monkeypatch.setattr(plain_counts, "MAX_PLAIN_VALUES", 100)
    assert top(log, "status", jobs=2).distinct < 100
    with pytest.raises(MissingExtraError, match=r"here more than 100, .* needs duckdb"):
        top([log, log], "target", jobs=2)


@pytest.mark.parametrize("number", [0, MAX_FIELDS + 1])
def test_the_number_of_fields_is_limited(log: Path, number: int) -> None:
    with pytest.raises(ValueError, match=f"1 to {MAX_FIELDS} fields to count, not {number}"):
        top(log, ["status"] * number)
    assert top(log, ["status"] * MAX_FIELDS).counts
