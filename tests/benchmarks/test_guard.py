"""The guard passes functions that are fast enough, fails on slow ones, and compares engines before it measures."""

import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import urisect
from benchmarks import crawling, guard, limits
from benchmarks.applications import TASKS, Inputs
from benchmarks.corpora import PAGE, access_log, crawl, references, variants
from benchmarks.engines import function_engine, select_accepted
from benchmarks.guard import main, table
from benchmarks.limits import LONGER, application_rows, compare_lengths, crawling_rows, log_rows, rows
from benchmarks.ratios import Result, Row, Side, judge, measure
from benchmarks.rewriters import (
    BASE_RESOLVE,
    BASE_RESOLVE_BYTES,
    NORMALIZE,
    NORMALIZE_BYTES,
    REPAIR,
    RESOLVE,
    URLJOIN,
    Rewriter,
    check_rewrites,
)
from benchmarks.tasks import Task, check_answers
from benchmarks.validators import (
    GENERATIONS,
    INVALID,
    IS_VALID,
    REGEX,
    STRICT_FLOOR,
    STRICT_SPLIT,
    Validator,
    check_validity,
)
from urisect import percent, strict

WEB_ADDRESS = "http://www.example.com/over/there?name=ferret#nose"
URLS = [WEB_ADDRESS] * 500


def figure(value: float) -> Row:
    return Row("split", lambda: [lambda: value], 1.40, "× the floor")


def not_installed() -> list[Side]:
    raise ImportError


def row(name: str, unit: str) -> Row:
    [found] = (row for row in rows(URLS, URLS, []) if (row.name, row.unit) == (name, unit))
    return found


def slow(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def slowly(*arguments: Any) -> Any:
        for _ in range(20):
            result = function(*arguments)
        return result

    return slowly


@pytest.mark.parametrize(
    ("owner", "function", "name", "unit"),
    [
        (urisect, "split", "split", "× the floor"),
        (urisect.Base, "resolve", "Base.resolve", "× urljoin"),
        (urisect, "normalize", "normalize", "× split"),
        (percent, "repair", "percent.repair", "× is_valid"),
        (percent, "repair", "percent.repair, bytes", "× is_valid"),
        (strict, "is_valid", "strict.is_valid", "× split"),
        (strict, "split", "strict.split", "× split"),
        (strict, "split", "strict.split, bytes", "× split"),
    ],
)
def test_slow_function_fails(
    owner: ModuleType | type, function: str, name: str, unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The limit is generous: this test must not decide how fast the functions are.
    measured = row(name, unit)
    [result] = judge([measured._replace(limit=5.0)])
    assert result.verdict == "ok"
    monkeypatch.setattr(owner, function, slow(getattr(owner, function)))
    [result] = judge([measured], passes=1)
    assert result.verdict == "EXCEEDED"


def test_logs_in_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(limits, "LOG_BYTES", 100_000)
    monkeypatch.setattr(limits, "LONG_LOG_BYTES", 100_000)
    declared = log_rows(access_log(100).splitlines(), tmp_path)
    judged = [result for result in measure(declared, 1, 1) if result.verdict != "not installed"]
    assert all(result.figure for result in judged)
    assert {"× apachelogs, per line", "× logs.tables", "× one job"} <= {result.row.unit for result in judged}


@pytest.mark.parametrize(
    ("task", "make_inputs"),
    [
        *((task, lambda: Inputs.of(crawl(1000))) for task in TASKS),
        *(
            (task, lambda: crawling.Inputs.of(crawl(300), references(100)))
            for task in (*crawling.TASKS, *crawling.PAGE_TASKS)
        ),
    ],
    ids=lambda value: value.group if isinstance(value, Task) else "",
)
def test_functions_for_tasks_agree(task: Task, make_inputs: Callable[[], object]) -> None:
    inputs = make_inputs()
    for candidate in (task.ours, *task.peers):
        try:
            engine = candidate.load()
        except ImportError:
            continue  # not installed with the tests
        texts = select_accepted(engine, task.texts(inputs, candidate)[:100])
        assert check_answers(task.ours, candidate, texts) > 0
        engine.run_all(texts)


def test_other_answers_are_found() -> None:
    task = next(task for task in TASKS if task.group == "parse a query")
    wrong = task.ours._replace(engine=lambda _: function_engine(lambda _: []))
    with pytest.raises(AssertionError, match=re.escape("urisect.query.parse returns [] for 'a=b', not [('a', 'b')]")):
        check_answers(task.ours, wrong, ["a=b"])
    with pytest.raises(AssertionError, match=r"no input on which urisect.query.parse should agree"):
        check_answers(task.ours, task.ours, [])


def test_functions_for_tasks_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PAGE_BYTES", 1_000)
    urls = list(crawl(100))
    results = judge([*application_rows(urls), *crawling_rows(urls, references(100))], 1, 1)
    assert all(result.figure for result in results if result.verdict != "not installed")


@pytest.mark.parametrize(("expression", "verdict"), [(b"[^ ]*+ x", "ok"), (b"[^ ]*[^ ]* x", "EXCEEDED")])
def test_quadratic_function_fails(expression: bytes, verdict: str) -> None:
    sides = compare_lengths(re.compile(expression).match, 3_000, " ")
    [result] = judge([Row("hostile lines", sides, 1.5, LONGER)], passes=1, rounds=2)
    assert result.verdict == verdict


@pytest.mark.parametrize(
    "validator", [STRICT_FLOOR, IS_VALID, STRICT_SPLIT, REGEX, *GENERATIONS], ids=attrgetter("name")
)
def test_validators_agree(validator: Validator) -> None:
    engine = validator.load()
    assert check_validity(validator, engine, [WEB_ADDRESS, *INVALID]) >= 2
    assert select_accepted(engine, [WEB_ADDRESS, "a b"]) == [WEB_ADDRESS]


@pytest.mark.parametrize(
    ("validate", "references", "fault"),
    [
        (lambda _: True, INVALID, "urisect.strict.is_valid accepts 'http://www.example.com:port/'"),
        (lambda _: False, [WEB_ADDRESS], f"urisect.strict.is_valid refuses {WEB_ADDRESS!r}"),
        (strict.is_valid, INVALID, "no reference that urisect.strict.is_valid should accept"),
        (strict.is_valid, [WEB_ADDRESS], "or none that it should refuse"),
    ],
)
def test_wrong_validators_are_found(validate: Callable[[str], bool], references: Sequence[str], fault: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(fault)):
        check_validity(IS_VALID, function_engine(validate), references)


@pytest.mark.parametrize("rewriter", [BASE_RESOLVE, RESOLVE, URLJOIN], ids=attrgetter("name"))
def test_resolvers_agree(rewriter: Rewriter) -> None:
    assert check_rewrites(rewriter, rewriter.load(), references(500)) >= 450


def test_repair_returns_valid_references_unchanged() -> None:
    assert check_rewrites(REPAIR, REPAIR.load(), URLS[:1]) == 1
    with pytest.raises(AssertionError, match=re.escape("urisect.percent.repair returns '/ ' for '/', not '/'")):
        check_rewrites(REPAIR, function_engine(lambda text: f"{text} "), ["/"])


def test_bytes_are_rewritten_as_text_is() -> None:
    encoded = [reference.encode() for reference in references(100)]
    assert check_rewrites(BASE_RESOLVE_BYTES, BASE_RESOLVE_BYTES.load(), encoded) == 100
    assert check_rewrites(NORMALIZE_BYTES, NORMALIZE_BYTES.load(), encoded) == 100


@pytest.mark.parametrize(
    ("rewriter", "texts", "fault"),
    [
        (BASE_RESOLVE, ["#top"], "urisect.Base.resolve returns '#top' for '#top', not '" + PAGE + "#top'"),
        (NORMALIZE, ["/%7e"], "urisect.normalize returns '/%7e' for '/%7e', not '/~'"),
        (URLJOIN, ["https:a"], "no reference on which urllib.parse.urljoin should agree"),
    ],
)
def test_wrong_rewriters_are_found(rewriter: Rewriter, texts: list[str], fault: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(fault)):
        check_rewrites(rewriter, function_engine(str), texts)


def test_variants_mean_the_same_and_are_not_normal() -> None:
    urls = [url for url in crawl(500) if urisect.normalize(url) == url]
    normal = {urisect.normalize(url, level="scheme") for url in urls}
    others = list(variants(urls))
    assert len(others) > len(urls) / 2
    for variant in others:
        assert urisect.normalize(variant, level="scheme") in normal - {variant}


@pytest.mark.parametrize(
    ("value", "verdict"), [(1.40, "ok"), (1.41, "over, within noise"), (1.53, "over, within noise"), (1.55, "EXCEEDED")]
)
def test_a_tenth_is_allowed_for_noise(value: float, verdict: str) -> None:
    assert Result(figure(1.0), value).verdict == verdict


@pytest.mark.parametrize(
    ("figures", "verdict"), [([9.0, 8.0, 7.0, 1.6, 1.5], "over, within noise"), ([9.0, 8.0, 7.0, 6.0, 5.0], "EXCEEDED")]
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
    def declared(urls: list[str], references: list[str], lines: list[bytes]) -> list[Row]:
        assert urls == ["http://a/", "//b"]
        assert references == ["http://a/", "//b", "/", ""]
        assert lines == [b"a line", b"another"]
        return [figure(1.0), figure(value)]

    (tmp_path / "urls.txt").write_text("http://a/\n\n//b\nhttp://a/\n")
    (tmp_path / "access.log").write_bytes(b"a line\nanother\n")
    monkeypatch.setattr(guard, "rows", declared)
    monkeypatch.setattr(guard, "application_rows", lambda *_: [])
    monkeypatch.setattr(guard, "crawling_rows", lambda *_: [])
    monkeypatch.setattr(guard, "column_rows", lambda *_: [])
    monkeypatch.setattr(guard, "spark_rows", lambda *_: [])
    monkeypatch.setattr(guard, "log_rows", lambda *_: [figure(0.5)])
    assert main(["--corpus", str(tmp_path / "urls.txt"), "--log", str(tmp_path / "access.log")]) == status
    assert capsys.readouterr().out.startswith("urls.txt and access.log, Python 3.")
