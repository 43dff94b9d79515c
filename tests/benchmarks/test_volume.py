"""The benchmark of logs at volume: programs do the same job, and their time and memory are measured."""

import gzip
import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from benchmarks.corpora import access_log
from benchmarks.volume import __main__ as command
from benchmarks.volume import cases as volume_cases
from benchmarks.volume import measurement
from benchmarks.volume.agreement import count_refused, expected_answer
from benchmarks.volume.cases import Case, Figure, list_cases, measure_cases
from benchmarks.volume.log_files import MB, Log, repeat_log, write_log
from benchmarks.volume.measurement import Run, measure, memory, pin_to_cores
from benchmarks.volume.programs import JOBS, Job, Program, parse_answer
from benchmarks.volume.readers import LINE, Answer, select_groups, with_uris
from benchmarks.volume.report import markdown
from urisect.logs import COMBINED, tables

# Each program once, and urisect for each of its outputs.
RUN = [
    case
    for case in list_cases(JOBS)
    if case.cores == 1 and case.compressed == case.program.compressed and (case.job == JOBS[0] or case.program.is_ours)
]
HOLDING = "held = bytearray(50 << 20); input()"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Log:
    return write_log(tmp_path_factory.mktemp("logs") / "sample", access_log(300), 2)


def case_that_runs(code: str, name: str = "urisect") -> Case:
    program = Program(name, "pytest", lambda *_: [sys.executable, "-c", code])
    return Case(Job("To nothing", "Nothing.", parse_answer, (program,)), program, compressed=False, cores=1)


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
    log = repeat_log(tmp_path / "log", b"line\nrest\nend", size)
    assert Path(log.plain).read_bytes() == whole
    with gzip.open(log.compressed) as file:
        assert file.read() == whole
    assert (log.size, log.lines) == (len(whole), whole.count(b"\n"))


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


def test_best_of_several_runs_counts(
    sample: Log, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = iter([Run(5, 6, ""), Run(4, 5, ""), Run(6, 7, "")])
    monkeypatch.setattr(volume_cases, "measure", lambda *_, **__: next(runs))
    case = case_that_runs("")
    assert measure_cases([case], sample, sample, "no such file") == {case: Figure(sample.size / 4, 7)}
    assert capsys.readouterr().out.endswith("2 To nothing: urisect, plain, 1: 6.00 s\n")


def test_table() -> None:
    ours, other = case_that_runs(""), case_that_runs("", "another")
    failed, twice = other._replace(compressed=True), ours._replace(cores=2)
    other, failed, twice = (case._replace(job=ours.job) for case in (other, failed, twice))
    best = {ours: Figure(60 * MB, 20 * MB), twice: Figure(110 * MB, 45 * MB), other: Figure(9 * MB, 1500 * MB)}
    table = markdown(best, {other: 1, ours: 0, twice: 0, failed: None}, "# Logs\n")
    assert table.splitlines() == [
        "# Logs",
        "",
        "## To nothing",
        "",
        "Nothing.",
        "",
        "| | from | one core, MB/s | memory, MB | two cores, MB/s | memory, MB | refused |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
        "| **urisect** | plain | 60 | 20 | 110 | 45 | 0 |",
        "| another | plain | 9 | 1,500 |  |  | 1 |",
        "| another | gzip |  |  |  |  | cannot read it |",
    ]


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "access.log").write_bytes(COMBINED.sample)
    [job] = {case.job for case in [case_that_runs("print(4, 4652)")]}
    monkeypatch.setattr(command, "JOBS", [job])
    monkeypatch.setattr(command, "REPORT", tmp_path / "volume.md")
    command.main(["--log", str(tmp_path / "access.log"), "--size", str(4 * len(COMBINED.sample))])
    report = (tmp_path / "volume.md").read_text()
    assert "\naccess.log, 0 MB, 8 lines in the Combined Log Format." in report
    assert re.search(r"^\| \*\*urisect\*\* \| plain \| 0 \| [0-9]+ \| 0 \| [0-9]+ \| 0 \|$", report, re.MULTILINE)


def test_answers_are_parsed() -> None:
    assert parse_answer("2 30\n", "") == Answer(2, 30)
