"""The benchmark of logs at volume: programs do the same job, and what they take is found."""

import gzip
import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from benchmarks import volume
from benchmarks.corpora import access_log
from benchmarks.volume import (
    JOBS,
    LINE,
    MB,
    Answer,
    Case,
    Figure,
    Job,
    Log,
    Program,
    cases,
    figures,
    kept_to,
    main,
    markdown,
    measure,
    memory,
    narrowed,
    printed,
    refused,
    repeated,
    with_uris,
    written,
)
from urisect.logs import COMBINED, tables

# What is run for each engine once, and for all that urisect writes.
RUN = [
    case
    for case in cases(JOBS)
    if case.cores == 1 and case.compressed == case.program.compressed and (case.job == JOBS[0] or case.program.is_ours)
]
HOLDING = "held = bytearray(50 << 20); input()"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Log:
    return written(tmp_path_factory.mktemp("logs") / "sample", access_log(300), 2)


def saying(answer: str, name: str = "urisect") -> Case:
    program = Program(name, "pytest", lambda *_: [sys.executable, "-c", answer])
    return Case(Job("To nothing", "Nothing.", printed, (program,)), program, compressed=False, cores=1)


def texts(column: list[bytes | None]) -> list[str | None]:
    return [None if value is None else value.decode() for value in column]


@pytest.mark.parametrize("fields", [[*re.compile(LINE).groupindex], ["time", "status"]])
def test_expression_takes_the_lines_that_the_format_takes(fields: list[str]) -> None:
    # A target that is no reference to a page, or that the server has escaped, is not cut.
    common = re.compile(r'[^"]*"(?:[A-Z]+ /(?!/)[^\\ ]*(?: HTTP/[0-9.]+)?|-)" [^\\]*')
    cut = re.compile(narrowed(LINE, fields))
    compared = 0
    for line in access_log(2000).splitlines():
        table = next(tables(BytesIO(line + b"\n"), COMBINED))
        match = cut.search(line.decode())
        assert table.parsed == (match is not None)
        if match and common.fullmatch(match[0]) and "#" not in match[0]:
            compared += 1
            assert match.groupdict() == {name: texts(table.column(name))[0] for name in fields}
    assert compared > 1500


def test_expression_with_appendix_b_cuts_as_urisect_does() -> None:
    cut = re.compile(with_uris(LINE))
    compared = 0
    for line in access_log(2000).splitlines():
        table = next(tables(BytesIO(line + b"\n"), COMBINED))
        match = cut.search(line.decode())
        assert table.parsed == (match is not None)
        if match and not re.search(r"\\|CONNECT|PRI ", match[0]) and match["method"]:
            compared += 1
            assert match.groupdict() == {name: texts(table.column(name))[0] for name in cut.groupindex}
    assert compared > 1500


@pytest.mark.parametrize(
    ("size", "whole"),
    [(1, b"line\n"), (11, b"line\nrest\n"), (23, b"line\nrest\nend\n" * 2), (14, b"line\nrest\nend\n")],
)
def test_logs_are_repeated_and_cut(size: int, whole: bytes, tmp_path: Path) -> None:
    log = repeated(tmp_path / "log", b"line\nrest\nend", size)
    assert Path(log.plain).read_bytes() == whole
    with gzip.open(log.compressed) as file:
        assert file.read() == whole
    assert (log.size, log.lines) == (len(whole), whole.count(b"\n"))


def test_memory_is_that_of_all_processes() -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDING], stdin=subprocess.PIPE) as child:
        while memory(child.pid) < 50 << 20:
            assert child.poll() is None
        alone = volume._own_memory(os.getpid())  # it changes with what others share
        assert alone > 0
        assert memory(os.getpid()) > alone + (45 << 20)
    assert memory(child.pid) == 0


def test_resident_memory_where_there_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(volume, "_read", lambda path: "900 200 100 1 0 1 0" if path.endswith("statm") else "")
    assert memory(1) == 200 * os.sysconf("SC_PAGE_SIZE")


def test_measured_process_is_watched_on_its_cores() -> None:
    command = [sys.executable, "-c", f"import os, time; {HOLDING.partition(';')[0]}; time.sleep(0.5)"]
    run = measure([*command[:-1], f"{command[-1]}; print(len(os.sched_getaffinity(0)))"], 1, watched=True)
    assert run.said == "1\n"
    assert run.seconds > 0.5
    assert run.memory > 50 << 20


def test_cores_are_given_back() -> None:
    before = os.sched_getaffinity(0)
    with kept_to(1):
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


@pytest.mark.parametrize("case", RUN, ids=lambda case: f"{case.job.title}: {case.program.name}")
def test_programs_agree(case: Case, sample: Log, tmp_path: Path) -> None:
    gone = refused(case, sample, str(tmp_path / "output.json"))
    assert gone is not None
    assert 0 < gone < sample.lines / 100


def test_what_errs_is_found(sample: Log) -> None:
    gone = refused(saying("print(599, 1)", "another"), sample, "")
    assert gone == sample.lines - 599
    with pytest.raises(AssertionError, match=r"urisect gives Answer\(lines=599, total=1\), not Answer"):
        refused(saying("print(599, 1)"), sample, "")
    right = volume.expected(sample, "bytes")
    with pytest.raises(AssertionError, match="another gives"):
        refused(saying(f"print({right.lines}, 1)", "another"), sample, "")


def test_what_cannot_read_a_log_is_left_out(sample: Log, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(saying("raise SystemExit('no UTF-8')"), sample, "") is None
    assert capsys.readouterr().err == "urisect: no UTF-8\n\n"


def test_best_of_several_runs_counts(
    sample: Log, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = iter([volume.Run(5, 6, ""), volume.Run(4, 5, ""), volume.Run(6, 7, "")])
    monkeypatch.setattr(volume, "measure", lambda *_, **__: next(runs))
    case = saying("")
    assert figures([case], sample, sample, "no such file") == {case: Figure(sample.size / 4, 7)}
    assert capsys.readouterr().out.endswith("2 To nothing: urisect, plain, 1: 6.00 s\n")


def test_table() -> None:
    ours, other = saying(""), saying("", "another")
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
    [job] = {case.job for case in [saying("print(4, 4652)")]}
    monkeypatch.setattr(volume, "JOBS", [job])
    monkeypatch.setattr(volume, "REPORT", tmp_path / "VOLUME.md")
    main(["--log", str(tmp_path / "access.log"), "--size", str(4 * len(COMBINED.sample))])
    report = (tmp_path / "VOLUME.md").read_text()
    assert "\naccess.log, 0 MB, 8 lines in the Combined Log Format." in report
    assert re.search(r"^\| \*\*urisect\*\* \| plain \| 0 \| [0-9]+ \| 0 \| [0-9]+ \| 0 \|$", report, re.MULTILINE)


def test_answers_are_added_up() -> None:
    assert printed("2 30\n", "") == Answer(2, 30)
