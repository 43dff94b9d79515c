"""The guard of the benchmarks: it passes what holds, and fails on a `split` that has become slow."""

from pathlib import Path

import pytest

from benchmarks import guard
from benchmarks.guard import Result, Row, Side, judge, main, rows, table
from urisect import Reference, split

URLS = ["http://www.example.com/over/there?name=ferret#nose"] * 500


def figure(value: float) -> Row:
    return Row("split", lambda: [lambda: value], 1.40, "× the floor")


def not_installed() -> list[Side]:
    raise ImportError


@pytest.fixture
def split_beside_floor() -> Row:
    return rows(URLS, [])[0]


def slow_split(reference: str) -> Reference[str]:
    for _ in range(20):
        result = split(reference)
    return result


def test_holds(split_beside_floor: Row) -> None:
    # With room to spare: how fast `split` is shall not be decided here.
    [result] = judge([split_beside_floor._replace(limit=5.0)])
    assert result.verdict == "ok"


def test_slow_split_fails(split_beside_floor: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "split", slow_split)
    [result] = judge([split_beside_floor])
    assert result.verdict == "EXCEEDED"


@pytest.mark.parametrize(
    ("value", "verdict"), [(1.40, "ok"), (1.41, "over, within noise"), (1.53, "over, within noise"), (1.55, "EXCEEDED")]
)
def test_a_tenth_is_allowed(value: float, verdict: str) -> None:
    assert Result(figure(1.0), value).verdict == verdict


@pytest.mark.parametrize(
    ("figures", "verdict"), [([9.0, 1.6, 1.5], "over, within noise"), ([9.0, 8.0, 7.0], "EXCEEDED")]
)
def test_a_row_that_fails_is_measured_again(figures: list[float], verdict: str) -> None:
    times = iter(figures)
    row = Row("split", lambda: [lambda: next(times)], 1.40, "ms")
    [result] = judge([row], passes=1, rounds=1)
    assert (result.figure, result.verdict) == (figures[-1], verdict)


def test_table() -> None:
    shown = Row("split, bytes", lambda: [lambda: 4.0, lambda: 2.0], None, "× httptools")
    missing = Row("tables", not_installed, 0.1, "× b")
    assert table(judge([figure(1.25), shown, missing])).splitlines() == [
        "              figure  at most  fails over",
        "split           1.25     1.40        1.54  × the floor  ok",
        "split, bytes    2.00                       × httptools  shown",
        "tables                   0.10        0.11  × b          not installed",
    ]


@pytest.mark.parametrize(("value", "status"), [(1.25, 0), (1.5, 0), (1.6, 1)])
def test_exit_status(
    value: float,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def declared(urls: list[str], lines: list[bytes]) -> list[Row]:
        assert urls == ["http://a/", "//b"]
        assert lines == [b"a line", b"another"]
        return [figure(1.0), figure(value)]

    (tmp_path / "urls.txt").write_text("http://a/\n\n//b\nhttp://a/\n")
    (tmp_path / "access.log").write_bytes(b"a line\nanother\n")
    monkeypatch.setattr(guard, "rows", declared)
    assert main(["--corpus", str(tmp_path / "urls.txt"), "--log", str(tmp_path / "access.log")]) == status
    assert capsys.readouterr().out.startswith("urls.txt and access.log, Python 3.")
