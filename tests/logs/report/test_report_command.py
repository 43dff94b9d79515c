"""Tests of `urisect report`: its output, messages and exit status."""

import re
import sys
from pathlib import Path

import pytest

from tests.support.reports import LOG
from urisect.cli import main


def test_the_command_writes_a_page(log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "report.html"
    assert main(["report", str(log), "-o", str(output), "--title", "A log", "--jobs", "1"]) == 0
    assert "read 4000, parsed" in capfd.readouterr().err
    assert "<h1>A log</h1>" in output.read_text(encoding="utf-8")
    assert main(["report", str(log), "-q", "--where", "status = 404", "--format", "combined"]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    assert "only lines where <code>status = 404</code>" in captured.out
    assert "100 %<small><span>4xx 100 %," in captured.out
    assert main(["report", str(log), "--where", "status = 404", "-o", str(output)]) == 0
    assert re.search(r"; selected \d+$", capfd.readouterr().err.strip())


def test_the_command_reports_unreadable_files_and_reads_the_others(
    log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "report.html"
    assert main(["report", str(log), str(tmp_path / "none"), "-q", "-o", str(output)]) == 2
    assert "none: No such file or directory" in capfd.readouterr().err
    assert "none could not be read completely: No such file or directory." in output.read_text(encoding="utf-8")


def test_the_command_refuses_its_input_and_a_terminal_as_output(
    log: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["report", str(log), "-q", "-o", str(log)]) == 2
    assert "is one of the files to read" in capfd.readouterr().err
    assert log.read_bytes() == LOG
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["report", str(log), "-q"]) == 2
    assert "name a file with -o" in capfd.readouterr().err
