"""The summary of a scan: files with their formats, what is passed over, the speed; and what a terminal shows."""

import gzip
import os
import pty
import re
import subprocess
import sys
import warnings
from io import StringIO
from operator import attrgetter
from pathlib import Path
from time import monotonic
from typing import Self

import pytest

from tests.support.command import LOG, URISECT, on_a_terminal, run_here, without_speed
from urisect import logs
from urisect.cli import main, messages
from urisect.cli.progress import scan_progress
from urisect.cli.summary import Outcome, print_summary
from urisect.logs import COMBINED, COMMON, VHOST_COMBINED
from urisect.logs.formats.envelopes import ENVELOPES
from urisect.logs.report.formatting import format_bytes
from urisect.logs.scan.run import LineCounts, PassedOverWarning, ScanRun
from urisect.logs.scan.task import Task

LINE = COMBINED.sample.splitlines(keepends=True)[0]
IMPLAUSIBLE = b"web: " + COMMON.sample.splitlines(keepends=True)[0].replace(b"- - [", b"- [")
FIELDS = ("--fields", "client")


def in_envelope(name: str, data: bytes) -> bytes:
    return b"".join(map(ENVELOPES[name].wrap, data.splitlines()))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory as /var/log is."""
    path = tmp_path / "log"
    path.mkdir()
    for name, data in {
        "access.log": COMBINED.sample + b"nonsense\n",
        "access.log.1": COMBINED.sample,
        "access.log.2.gz": gzip.compress(COMBINED.sample * 2),
        "btmp": b"\0\1\2\3" * 100,
        "empty.log": b"",
        "error.log": b"1996/11/10 13:55:36 [error] 7#7: *1 open() failed\n",
        "other_vhosts_access.log": VHOST_COMBINED.sample + b"\n",
        "syslog": b"Nov 10 13:55:36 web kernel: started\nNov 10 13:55:36 web cron[7]: (root) CMD (true)\n",
        "syslog.nginx": in_envelope("syslog", COMMON.sample),
    }.items():
        (path / name).write_bytes(data)
    return path


SUMMARY = """\
urisect: btmp: passed over: the file is not text: it contains NUL bytes
urisect: error.log: passed over: no format matches its first lines: 1996/11/10 13:55:36 [error] 7#7: *1 open() failed
urisect: syslog: passed over: no format matches its first lines: Nov 10 13:55:36 web kernel: started
file                     format          lines  rejected  skipped
access.log               combined            3         1        0
access.log.1             combined            2         0        0
access.log.2.gz          combined            4         0        0
other_vhosts_access.log  vhost-combined      3         0        1
syslog.nginx             syslog+common       2         0        0
btmp                     passed over
error.log                passed over
syslog                   passed over
14 lines read (1.24 kB): 12 parsed, 1 rejected, 1 skipped
"""


def test_a_directory_of_different_files(directory: Path) -> None:
    status, output, summary = run_here("logs", "--fields", "client,server,envelope_host", "--to", "csv", str(directory))
    assert status == 0
    assert output.count(b"\n") == 12
    vhosts, in_syslog = output.splitlines()[-4:-2], output.splitlines()[-2:]
    assert vhosts == [b"192.0.2.7,www.example.com,", b"192.0.2.8,example.com,"]
    assert in_syslog == [b"192.0.2.7,,web", b"192.0.2.8,,web"]
    assert table(summary.replace(f"{directory}/", "")) == table(SUMMARY)
    assert run_here("logs", "--quiet", *FIELDS, str(directory))[2].count("passed over") == 3
    assert run_here("logs", "--strict-exit", *FIELDS, str(directory))[0] == 1


def table(text: str) -> list[list[str]]:
    """Return the words of a summary, without the widths of its columns."""
    return [line.split() for line in text.splitlines()]


def test_a_file_that_is_passed_over_is_a_failure_only_if_strict(directory: Path) -> None:
    names = [str(directory / "access.log.1"), str(directory / "error.log")]
    assert run_here("logs", *FIELDS, *names)[0] == 0
    assert run_here("logs", "--strict-exit", *FIELDS, *names)[0] == 1
    assert run_here("logs", "--strict-exit", *FIELDS, names[0])[0] == 0
    assert run_here("logs", *FIELDS, names[1])[0] == 2


def test_an_unreadable_file_is_named_beside_others(directory: Path) -> None:
    loop = directory / "loop.log"
    loop.symlink_to(loop)
    names = [str(directory / "access.log.1"), str(loop), str(directory / "error.log")]
    status, output, summary = run_here("logs", *FIELDS, *names)
    assert (status, output) == (2, b"192.0.2.7\n192.0.2.8\n")
    assert f"urisect: {loop}: Too many levels of symbolic links\n" in summary
    assert summary.endswith("1 of 3 files could not be read completely\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read any file")
def test_a_file_without_permission_is_named(directory: Path) -> None:
    (directory / "access.log.1").chmod(0)
    status, _, summary = run_here("logs", *FIELDS, str(directory))
    assert status == 2
    assert "access.log.1: Permission denied\n" in summary


@pytest.mark.parametrize("command", [["top", "client"], ["report", "-o", "page.html"]])
def test_other_commands_pass_over_the_same_files(
    command: list[str], directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, summary = run_here(*command, str(directory))
    assert status == 0
    expected = table(SUMMARY)
    assert table(summary.replace(f"{directory}/", ""))[: len(expected)] == expected


def test_one_file_has_its_format_only(directory: Path) -> None:
    one, empty = str(directory / "access.log.1"), str(directory / "empty.log")
    expected = "detected format: combined (2 of the first 2 lines)\n2 lines read: 2 parsed, 0 rejected\n"
    assert run_here("logs", *FIELDS, one)[2] == expected
    assert run_here("logs", *FIELDS, empty, one)[2] == expected
    assert run_here("logs", *FIELDS, "--format", "combined", one)[2] == "2 lines read: 2 parsed, 0 rejected\n"
    assert run_here("logs", *FIELDS, empty)[2] == "0 lines read: 0 parsed, 0 rejected\n"


def test_files_of_a_named_format_are_listed_too(directory: Path) -> None:
    names = [str(directory / name) for name in ("access.log.1", "error.log")]
    _, _, summary = run_here("logs", *FIELDS, "--format", "combined", *names)
    assert [line.split()[1:] for line in summary.splitlines()[1:3]] == [["combined", "2", "0"], ["combined", "1", "1"]]
    assert summary.splitlines()[0].split() == ["file", "format", "lines", "rejected"]


def test_standard_input_is_listed(directory: Path) -> None:
    _, _, summary = run_here("logs", *FIELDS, "-", str(directory / "error.log"), stdin=COMMON.sample)
    assert "<stdin>" in summary
    _, _, summary = run_here("logs", *FIELDS, "-", str(directory / "access.log.1"), stdin=b"nonsense\n" * 3)
    assert re.search(r"^<stdin> +passed over$", summary, re.MULTILINE)


def test_a_long_list_of_files_is_cut(tmp_path: Path) -> None:
    for number in range(25):
        (tmp_path / f"{number:02}.log").write_bytes(LINE)
    _, _, summary = run_here("logs", *FIELDS, str(tmp_path))
    assert summary.count(".log") == 20
    assert summary.endswith("and 5 more files\n25 lines read (2.73 kB): 25 parsed, 0 rejected\n")


@pytest.mark.parametrize(
    ("is_terminal", "size", "seconds", "is_timed"),
    [
        (True, 1_000_000, 0.2, True),
        (True, 1_000_000, 0.0, False),
        (True, 999_999, 9.0, False),
        (False, 1_000_000, 0.2, False),
        (False, 1_000_000, 2.0, True),
    ],
)
@pytest.mark.parametrize("outcomes", [[], [Outcome(3, "parsed", {"selected": 1})]])
def test_the_time_is_shown_for_long_runs(
    outcomes: list[Outcome],
    *,
    is_terminal: bool,
    size: int,
    seconds: float,
    is_timed: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    print_summary(1003, outcomes, size=size, began=monotonic() - seconds)
    summary = stream.getvalue()
    read = f"1,003 lines read ({format_bytes(size)})"
    if outcomes:
        assert without_speed(summary) == f"{read}: 3 parsed (1 selected)\n"
        assert (without_speed(summary) != summary) == is_timed
    else:
        assert without_speed(summary) == (f"{read}\n" if is_timed and is_terminal else "")
    stream.truncate(stream.seek(0))
    print_summary(1003, outcomes, skipped=1000, size=1, began=monotonic())
    assert stream.getvalue() == f"1,003 lines read: {'3 parsed (1 selected), ' if outcomes else ''}1,000 skipped\n"


# Implausible values


def test_implausible_lines_are_counted_with_a_named_format(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log"
    path.write_bytes(COMMON.sample * 4 + IMPLAUSIBLE * 2)
    assert main(["logs", "--format", "common", *FIELDS, str(path)]) == 0
    output, summary = capfd.readouterr()
    assert output.count("web:") == 2
    assert "\n2 parsed lines have implausible values: a client that is neither " in summary
    assert main(["logs", *FIELDS, str(path)]) == 0
    output, summary = capfd.readouterr()
    assert output.count("web:") == 0
    assert "implausible" not in summary
    assert summary.endswith("10 lines read: 8 parsed, 2 rejected\n")


# Envelopes


@pytest.mark.parametrize("name", ENVELOPES)
def test_a_named_envelope(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log"
    path.write_bytes(in_envelope(name, COMMON.sample))
    for format in ([], ["--format", "auto"], ["--format", "common"]):
        assert main(["logs", "--envelope", name, *format, *FIELDS, str(path)]) == 0
        output, summary = capfd.readouterr()
        assert output == "192.0.2.7\n192.0.2.8\n"
        assert (f"detected format: {name}+common (2 of the first 2 lines)" in summary) == (format[1:] != ["common"])


def test_the_member_of_an_envelope(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log"
    path.write_bytes(in_envelope("docker", COMMON.sample))
    assert main(["logs", "--envelope", "json:log", "--fields", "client,envelope_stream", str(path)]) == 0
    assert capfd.readouterr().out == "192.0.2.7\tstdout\n192.0.2.8\tstdout\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--envelope", "cry"], "no envelope is called 'cry'; there are cri, fluent-bit, .*; did you mean \"cri\"?"),
        (["--envelope", "json:"], "no envelope is called 'json:'; there are "),
        (["--envelope", "cri"], "no line is in the envelope cri: Kubernetes' container logs"),
        (["--envelope", "cri", "--format", "comon"], "no log format is called 'comon'.*did you mean \"common\"?"),
    ],
)
def test_usage_errors_of_envelopes(
    arguments: list[str], message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log"
    path.write_bytes(COMMON.sample)
    assert main(["logs", *arguments, str(path)]) == 2
    summary = capfd.readouterr().err
    assert re.search(message.replace("?", r"\?"), summary)
    assert ("'--envelope'" in summary) == ("no envelope" in summary)


def test_envelopes_are_completed() -> None:
    variables = {"_URISECT_COMPLETE": "bash_complete", "COMP_WORDS": "urisect logs --envelope c", "COMP_CWORD": "3"}
    done = subprocess.run(URISECT, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["plain,cri", "plain,compose"]


# The library


def test_a_scan_counts_the_lines_of_each_file(directory: Path) -> None:
    files = [str(directory / name) for name in ("access.log", "access.log.1", "error.log")]
    task = Task(COMBINED, ["status"], attrgetter("parsed"))
    run_ = ScanRun(files, task, passed_over={files[2]: "a reason"})
    with pytest.warns(PassedOverWarning, match=r"error\.log is passed over: a reason"):
        results = list(run_)
    assert sum(output for result in results for output in result.outputs) == 4
    assert run_.files == files[:2]
    assert run_.counts_by_file == {files[0]: LineCounts(2, 1), files[1]: LineCounts(2)}
    assert run_.counts == LineCounts(4, 1)
    assert run_.size == sum(map(os.path.getsize, files[:2]))
    assert run_.has_read


def test_functions_of_the_library_warn_about_what_they_pass_over(directory: Path, tmp_path: Path) -> None:
    output = tmp_path / "rows.tsv"
    with pytest.warns(PassedOverWarning) as caught:
        logs.convert(str(directory), str(output), columns=["client"])
    assert [Path(str(each.message).split(" is ")[0]).name for each in caught] == ["btmp", "error.log", "syslog"]
    assert output.read_bytes().count(b"\n") == 12
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        logs.convert(str(directory / "access.log"), str(output), columns=["client"])


# A terminal


def test_the_bar_shows_all_files(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(directory / name) for name in ("access.log", "empty.log", "btmp")]
    states: list[tuple[object, ...]] = []

    class Bar:
        def add_task(self, description: str, total: int | None) -> int:
            states.append((description, total))
            return 7

        def update(self, task: int, description: str, completed: int) -> None:
            states.append((task, description, completed))

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr("urisect.cli.progress._progress", Bar)
    sizes = [os.path.getsize(name) for name in names]
    with scan_progress(names) as update:
        update(names[0], 10)
        update(names[0], sizes[0])
        update(names[2], 5)
    assert states == [
        ("", sum(sizes)),
        *((7, names[at], done) for at, done in ((0, 10), (0, sizes[0]), (2, sizes[0] + 5))),
    ]
    for unknown in ("-", "/no/such/file", "https://example.com/log"):
        with scan_progress([*names, unknown]):
            assert states[-1] == ("", None)


def test_a_bar_is_shown_on_a_terminal_only_without_rows_on_it(tmp_path: Path) -> None:
    path = tmp_path / "ac[red]cess.log"
    path.write_bytes(LOG * 20)
    sent = on_a_terminal("logs", *FIELDS, str(path), fd=2)
    assert b"ac[red]cess.log" in sent
    assert b"access" not in on_a_terminal("logs", "--quiet", *FIELDS, str(path), fd=2)


def test_a_terminal_as_standard_input_is_announced() -> None:
    parent, child = pty.openpty()
    with subprocess.Popen(
        [*URISECT, "logs", "--format", "common", *FIELDS],
        stdin=child,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(child)
        assert process.stderr
        assert process.stderr.readline() == b"reading standard input; end it with Ctrl-D\n"
        os.write(parent, COMMON.sample + b"\x04")
        output, _ = process.communicate(timeout=30)
    os.close(parent)
    assert output == b"192.0.2.7\n192.0.2.8\n"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_only_a_terminal_is_announced(
    *, is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Input:
        def isatty(self) -> bool:
            return is_terminal

    monkeypatch.setattr(sys, "stdin", Input())
    messages.print_waiting()
    assert (capfd.readouterr().err == "reading standard input; end it with Ctrl-D\n") == is_terminal
    monkeypatch.setattr(sys, "stdin", None)
    messages.print_waiting()
    assert capfd.readouterr().err == ""
