"""Tests of `urisect report`: its output, messages and exit status."""

import re
from pathlib import Path

import click
import pytest

from tests.support.command import on_a_terminal
from tests.support.reports import HOSTILE_TEXTS, LOG, build_content, log_line
from urisect.cli import main
from urisect.cli.widths import display_width
from urisect.logs.output.atomic import OutputFile


def test_the_command_writes_a_page(log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "report.html"
    assert main(["report", str(log), "-o", str(output), "--title", "A log", "--jobs", "1"]) == 0
    assert "4,000 lines read (813 kB): 3,987 parsed" in capfd.readouterr().err
    assert "<h1>A log</h1>" in output.read_text(encoding="utf-8")
    assert main(["report", str(log), "-q", "--where", "status = 404", "--format", "combined"]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    assert "only lines where <code>status = 404</code>" in captured.out
    assert "100 %</b><small><span>4xx 100 %," in captured.out
    assert main(["report", str(log), "--where", "status = 404", "-o", str(output)]) == 0
    assert re.search(r": 3,987 parsed \(\d+ selected\), ", capfd.readouterr().err)


def test_the_command_reports_unreadable_files_and_reads_the_others(
    log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "report.html"
    assert main(["report", str(log), str(tmp_path / "none"), "-q", "-o", str(output)]) == 2
    assert "none: No such file or directory" in capfd.readouterr().err
    assert "none could not be read completely: No such file or directory." in output.read_text(encoding="utf-8")


def test_the_command_refuses_its_input_and_a_terminal_as_output(
    log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["report", str(log), "-q", "-o", str(log)]) == 2
    assert "is one of the files to read" in capfd.readouterr().err
    assert log.read_bytes() == LOG
    monkeypatch.setattr(OutputFile, "isatty", lambda _: True)
    assert main(["report", str(log), "-q", "-o", str(tmp_path / "terminal")]) == 2
    assert "leave out -o" in capfd.readouterr().err


@pytest.mark.parametrize("width", [20, 80, 200])
def test_a_terminal_shows_the_sections_of_the_page(width: int, tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    time = b"16/Mar/2024:12:00:00 +0000"
    data = LOG + b"".join(log_line(target.replace(b" ", b"%20"), time=time) for target in HOSTILE_TEXTS)
    path.write_bytes(data)
    arguments = ("report", "-q", str(path), "--where", "status > 0")
    sent = on_a_terminal(*arguments, variables={"COLUMNS": str(width)}).decode()
    assert re.search("\x1b\\[1m", sent)
    text = click.unstyle(sent).replace("\r\n", "\n")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    about, _, _ = text.partition("\n\nRequests  ")
    assert " ".join(about.split()) == "access.log format: combined; only lines where status > 0"
    content = build_content(data)
    for section in content.sections:
        assert f"\n\n{section.title.upper()}\n\n" in text
        titles = [chart.title for chart in section.charts] + [table.title for table in section.tables]
        assert all(f"\n{title}" in text for title in titles)
    assert all(hazard.code in text for section in content.sections for hazard in section.hazards)
    assert all(display_width(line) <= width for line in text.splitlines() if re.search(" %$", line) and width > 20)
    if width == 80:  # once is enough
        plain = on_a_terminal(*arguments, variables={"NO_COLOR": "1", "COLUMNS": str(width)}).decode()
        assert plain.replace("\r\n", "\n") == text


def test_a_terminal_shows_a_log_without_lines(tmp_path: Path) -> None:
    path = tmp_path / "empty.log"
    path.touch()
    sent = on_a_terminal(
        "report", "-q", "--format", "combined", "--title", "None", str(path), variables={"NO_COLOR": "1"}
    )
    assert sent.decode().splitlines()[:2] == ["None", "empty.log, format: combined"]
