"""`logs.top`: the most frequent values of a field, exactly."""

import gzip
import io
from collections import Counter
from pathlib import Path

import pytest

from tests.support.command import LOG
from urisect.logs import COMBINED, Rejected, Skipped, WhereError, tables, top


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
