"""The benchmark of logs at volume: programs do the same job, and their time and memory are measured."""

import gzip
import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpora import access_log
from benchmarks.volume import __main__ as command
from benchmarks.volume import cases as volume_cases
from benchmarks.volume import measurement
from benchmarks.volume.agreement import count_refused, expected_answer
from benchmarks.volume.cases import Case, Figure, list_cases, measure_cases
from benchmarks.volume.different import TEMPLATE_LINES, different_log
from benchmarks.volume.growth import Growth, measure_growth
from benchmarks.volume.log_files import MB, Log, repeated, write_log
from benchmarks.volume.measurement import Run, measure, memory, pin_to_cores
from benchmarks.volume.programs import JOBS, Job, Program, parse_answer
from benchmarks.volume.readers import LINE, Answer, select_groups, with_uris
from benchmarks.volume.report import Results, judge, markdown, summarize
from benchmarks.volume.values import count_different_values
from urisect.logs import COMBINED, tables

# Each program once, and urisect for each of its outputs.
LOG = Log("a log", "access.log", "access.log.gz", 100 * MB, 430_000)
RUN = [
    case
    for case in list_cases(JOBS, [LOG])
    if case.cores == 1 and case.compressed == case.program.compressed and (case.job == JOBS[0] or case.program.is_ours)
]
HOLDING = "held = bytearray(50 << 20); input()"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Log:
    return write_log(tmp_path_factory.mktemp("logs") / "sample", [access_log(300)] * 2)


def case_that_runs(code: str, name: str = "urisect") -> Case:
    program = Program(name, "pytest", lambda *_: [sys.executable, "-c", code])
    return Case(Job("To nothing", "Nothing.", parse_answer, (program,)), program, LOG, compressed=False, cores=1)


def tables_of(log: bytes) -> list[Any]:
    return list(tables(BytesIO(log), COMBINED))


def decode(column: list[bytes | None]) -> list[str | None]:
    return [None if value is None else value.decode() for value in column]


@pytest.mark.parametrize("fields", [[*re.compile(LINE).groupindex], ["time", "status"]])
def test_expression_matches_the_lines_that_the_format_matches(fields: list[str]) -> None:
    # Other targets are not split: "*", absolute URIs, and targets that the server has escaped.
    common = re.compile(r'[^"]*"(?:[A-Z]+ /(?!/)[^\\ ]*(?: HTTP/[0-9.]+)?|-)" [^\\]*')
    cut = re.compile(select_groups(LINE, fields))
    compared = 0
    for line in access_log(2000).splitlines():
        table = next(tables(BytesIO(line + b"\n"), COMBINED))
        match = cut.search(line.decode())
        assert table.parsed == (match is not None)
        if match and common.fullmatch(match[0]) and "#" not in match[0]:
            compared += 1
            assert match.groupdict() == {name: decode(table.column(name))[0] for name in fields}
    assert compared > 1500


def test_expression_with_appendix_b_splits_as_urisect_does() -> None:
    cut = re.compile(with_uris(LINE))
    compared = 0
    for line in access_log(2000).splitlines():
        table = next(tables(BytesIO(line + b"\n"), COMBINED))
        match = cut.search(line.decode())
        assert table.parsed == (match is not None)
        if match and not re.search(r'\\|CONNECT|PRI |"[A-Z]+ //', match[0]) and match["method"]:
            compared += 1
            assert match.groupdict() == {name: decode(table.column(name))[0] for name in cut.groupindex}
    assert compared > 1500


@pytest.mark.parametrize(
    ("size", "whole"),
    [(1, b"line\n"), (11, b"line\nrest\n"), (23, b"line\nrest\nend\n" * 2), (14, b"line\nrest\nend\n")],
)
def test_logs_are_repeated_and_cut(size: int, whole: bytes, tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", repeated(b"line\nrest\nend", size), name="repeated")
    assert Path(log.plain).read_bytes() == whole
    with gzip.open(log.compressed) as file:
        assert file.read() == whole
    assert (log.name, log.size, log.lines) == ("repeated", len(whole), whole.count(b"\n"))


def test_plain_log_is_not_compressed(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", [b"line\n"], compressed=False)
    assert [path.name for path in tmp_path.iterdir()] == [Path(log.plain).name]


def test_log_whose_values_are_different() -> None:
    parts = list(different_log(8 * MB))
    assert len(parts) == 2
    assert abs(sum(map(len, parts)) - 8 * MB) < 1000
    assert parts[0].count(b"\n") == TEMPLATE_LINES
    assert next(different_log(1000)) == parts[0][: parts[0].rindex(b"\n", 0, 1000) + 1]
    log = b"".join(part[:200_000].rpartition(b"\n")[0] + b"\n" for part in parts)
    columns = {name: [value for table in tables_of(log) for value in table.column(name)] for name in COMBINED.columns}
    assert len(columns["client"]) == log.count(b"\n")
    different = {name: len({*values} - {None}) / len(values) for name, values in columns.items()}
    assert all(different[name] > 0.7 for name in ("client", "target_path", "target_query", "referer_query", "agent"))
    assert 0.3 < different["time"] < 0.35
    assert columns["time"] == sorted(columns["time"])
    assert columns["time"][0] == b"01/Jan/2026:00:00:00 +0000"
    assert columns["time"][-1] > b"01/Jan/2026:01:51:06"  # after 20,000 lines


def test_memory_includes_children() -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDING], stdin=subprocess.PIPE) as child:
        while memory(child.pid) < 50 << 20:
            assert child.poll() is None
        alone = measurement._own_memory(os.getpid())  # it changes when others share memory
        assert alone > 0
        assert memory(os.getpid()) > alone + (45 << 20)
    assert memory(child.pid) == 0


def test_resident_memory_is_the_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "read_proc", lambda path: "900 200 100 1 0 1 0" if path.endswith("statm") else "")
    assert memory(1) == 200 * os.sysconf("SC_PAGE_SIZE")


def test_memory_and_cores_of_a_measured_process() -> None:
    command = [sys.executable, "-c", f"import os, time; {HOLDING.partition(';')[0]}; time.sleep(0.5)"]
    run = measure([*command[:-1], f"{command[-1]}; print(len(os.sched_getaffinity(0)))"], 1, watched=True)
    assert run.printed == "1\n"
    assert run.seconds > 0.5
    assert run.memory > 50 << 20


def test_pinning_ends() -> None:
    before = os.sched_getaffinity(0)
    with pin_to_cores(1):
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


@pytest.mark.parametrize("case", RUN, ids=lambda case: f"{case.job.title}: {case.program.name}")
def test_programs_agree(case: Case, sample: Log, tmp_path: Path) -> None:
    refused = count_refused(case, sample, str(tmp_path / "output.json"))
    assert refused is not None
    assert 0 < refused < sample.lines / 100


def test_wrong_answers_are_found(sample: Log) -> None:
    refused = count_refused(case_that_runs("print(599, 1)", "another"), sample, "")
    assert refused == sample.lines - 599
    with pytest.raises(AssertionError, match=r"urisect returns Answer\(lines=599, total=1\), not Answer"):
        count_refused(case_that_runs("print(599, 1)"), sample, "")
    expected = expected_answer(sample, "bytes")
    with pytest.raises(AssertionError, match="another returns"):
        count_refused(case_that_runs(f"print({expected.lines}, 1)", "another"), sample, "")


def test_program_that_cannot_read_a_log_is_left_out(sample: Log, capsys: pytest.CaptureFixture[str]) -> None:
    assert count_refused(case_that_runs("raise SystemExit('no UTF-8')"), sample, "") is None
    assert capsys.readouterr().err == "urisect: no UTF-8\n\n"


def test_best_of_several_runs_counts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    runs = iter([Run(5, 6, ""), Run(4, 5, ""), Run(6, 7, "")])
    monkeypatch.setattr(volume_cases, "measure", lambda *_, **__: next(runs))
    case = case_that_runs("")
    assert measure_cases([case], "no such file") == {case: Figure(LOG.size / 4, 7, 3)}
    assert capsys.readouterr().out.endswith("2 To nothing: urisect, a log, plain, 1: 6.00 s\n")


def test_no_case_is_run_again_after_the_given_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(volume_cases, "measure", lambda *_, **__: Run(5, 6, ""))
    case = case_that_runs("")
    assert measure_cases([case], "no such file", minutes=0) == {case: Figure(LOG.size / 5, 6, 1)}


def test_a_program_that_is_clearly_slower_is_run_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(volume_cases, "measure", lambda command, *_, **__: Run(len(command[-1]), 6, ""))
    ours = case_that_runs("12345")
    slower, slow = (ours._replace(program=case_that_runs(code, "another").program) for code in ("1234567", "12345678"))
    measured = measure_cases([ours, slower, slow], "no such file")
    assert [figure.runs for figure in measured.values()] == [3, 3, 2]


@pytest.fixture
def results() -> Results:
    ours, other = case_that_runs(""), case_that_runs("", "another")
    failed, twice = other._replace(compressed=True), ours._replace(cores=2)
    other, failed, twice = (case._replace(job=ours.job) for case in (other, failed, twice))
    second = other._replace(cores=2)
    figures = {
        ours: Figure(60 * MB, 20 * MB, 3),
        twice: Figure(110 * MB, 45 * MB, 3),
        other: Figure(40 * MB, 1500 * MB, 2),
        second: Figure(120 * MB, 1600 * MB, 2),
    }
    growth = [
        Growth(ours.job, 100 * MB, Figure(50 * MB, 40 * MB)),
        Growth(ours.job, 1000 * MB, Figure(40 * MB, 50 * MB)),
        Growth(ours.job, 10_000 * MB, None),
    ]
    refused = {other: 1, ours: 0, twice: 0, failed: None, second: 1}
    return Results(figures, refused, {LOG: LOG._replace(lines=600)}, {LOG: {"client": 4000}}, growth)


def test_tables(results: Results) -> None:
    page = markdown(results).splitlines()
    assert page[page.index("## To nothing") :] == [
        "## To nothing",
        "",
        "Nothing.",
        "",
        "### To nothing: a log",
        "",
        "| | from | one core, MB/s | urisect is | memory, MB | two cores, MB/s | urisect is | memory, MB | refused |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| **urisect** | plain | 60 |  | 20 | 110 |  | 45 | 0 |",
        "| another | plain | 40 | 1.50 × | 1,500 | 120 | **0.92 ×** | 1,600 | 1 |",
        "| another | gzip |  |  |  |  |  |  | cannot read it |",
        "",
        judge(results.figures),
        "",
        "## Growing logs",
        "",
        "urisect on two cores; the logs are repetitions of the first log, plain.",
        "",
        "| | log, MB | seconds | MB/s | memory, MB |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| To nothing | 100 | 2.0 | 50 | 40 |",
        "| To nothing | 1,000 | 25.0 | 40 | 50 |",
        "| To nothing | 10,000 | no room on the disk |  |  |",
        "",
        "To nothing: a log 10.0 × as large takes 12.5 × the time and 1.25 × the memory.",
        "",
        "## Different values",
        "",
        "How many different values each column has. A program that remembers values gains where they are few.",
        "",
        "| | a log |",
        "| --- | ---: |",
        "| client | 4,000 |",
    ]


def test_introduction(results: Results) -> None:
    page = markdown(results)
    assert "\n- **a log**: 100 MB, 430,000 lines in the Combined Log Format." in page
    assert "of 2 to 3 runs counts" in page.replace("\n  ", " ")
    assert "(600 lines)" in page
    assert max(len(line) for line in page[: page.index("\n## To nothing")].splitlines()[8:]) <= 120
    assert "ahead of every other program in 1 of 2 measurements" in page
    assert "\n- To nothing, a log, from plain on two cores: another, 1.09 ×\n" in page
    assert "## Growing logs" not in markdown(results._replace(growth=[]))


def test_a_program_that_is_ahead_says_by_how_much(results: Results) -> None:
    one_core = {case: figure for case, figure in results.figures.items() if case.cores == 1}
    assert judge(results.figures) == (
        "urisect is ahead of every other program from plain on one core (1.50 ×). "
        "**another is 1.09 × as fast as urisect from plain on two cores.**"
    )
    assert judge(one_core) == "urisect is ahead of every other program, 1.50 × or more."
    assert judge(one_core, 1.6).endswith(" It is not 1.6 × ahead: 1.50 × from plain on one core.")
    assert summarize(one_core) == "urisect is ahead of every other program in all 1 measurements."


def test_growth_is_measured_on_logs_that_are_removed(tmp_path: Path) -> None:
    job = case_that_runs("print(1, 1)").job
    growth = measure_growth([job], b"line\n", [20, 10**18], tmp_path, "no such file", runs=1)
    assert [(row.job, row.size, row.figure is None) for row in growth] == [(job, 20, False), (job, 10**18, True)]
    assert list(tmp_path.iterdir()) == []


def test_different_values_are_counted(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", [COMBINED.sample] * 2)
    counts = count_different_values(log, tmp_path)
    [table] = tables_of(COMBINED.sample)
    assert counts["client"] == len({*table.column("client")})
    assert list(counts) == list(COMBINED.columns)


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "access.log").write_bytes(COMBINED.sample)
    job = Job("Write Parquet", "Nothing.", lambda *_: Answer(0, 0), (case_that_runs("").program,))
    monkeypatch.setattr(command, "JOBS", [job])
    monkeypatch.setattr(command, "REPORT", tmp_path / "volume.md")
    monkeypatch.setattr(command, "count_refused", lambda *_: 0)
    size = 4 * len(COMBINED.sample)
    command.main(["--log", str(tmp_path / "access.log"), "--size", str(size), "--runs", "1", "--growth", "100"])
    report = (tmp_path / "volume.md").read_text()
    assert "\n- **access.log**: 0 MB, 8 lines in the Combined Log Format." in report
    assert "\n- **All different**: 0 MB, " in report
    row = r"^\| \*\*urisect\*\* \| plain \| 0 \|  \| [0-9]+ \| 0 \|  \| [0-9]+ \| 0 \|$"
    assert len(re.findall(row, report, re.MULTILINE)) == 2
    assert re.search(r"^\| Write Parquet \| 0 \| [0-9.]+ \| 0 \| [0-9]+ \|$", report, re.MULTILINE)


def test_answers_are_parsed() -> None:
    assert parse_answer("2 30\n", "") == Answer(2, 30)
