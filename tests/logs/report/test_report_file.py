"""Tests of `logs.write_report`: the page of `urisect report`, written atomically or to a binary file."""

import gzip
import io
from pathlib import Path

import pytest

from tests.support.reports import LOG
from urisect.cli import main
from urisect.logs import COMBINED, Rejected, Skipped, records, write_report
from urisect.logs.report.report_file import ReportResult

OLD = b"an old report"
MISSING = "No such file or directory"


@pytest.mark.parametrize(("title", "where", "jobs"), [(None, None, 1), ("A log", None, 2), (None, "status >= 400", 1)])
def test_a_report_equals_that_of_the_command(
    log: Path, tmp_path: Path, title: str | None, where: str | None, jobs: int
) -> None:
    by_library, by_command = tmp_path / "library.html", tmp_path / "command.html"
    result = write_report(log, by_library, title=title, where=where, jobs=jobs)
    options = {"--title": title, "--where": where}
    arguments = [word for name, value in options.items() if value is not None for word in (name, value)]
    assert main(["report", str(log), "-q", "-o", str(by_command), *arguments]) == 0
    assert by_library.read_bytes() == by_command.read_bytes() != b""
    assert result.parsed + result.rejected + result.skipped == LOG.count(b"\n")
    assert (result.counted == result.parsed) == (where is None)


def test_a_binary_file_gets_the_same_page_and_stays_open(log: Path, tmp_path: Path) -> None:
    page = io.BytesIO()
    result = write_report([log], page, COMBINED)
    assert result == write_report(str(log), str(tmp_path / "report.html"), "combined")
    assert page.getvalue() == (tmp_path / "report.html").read_bytes()


def test_callbacks_get_rejected_and_skipped_lines(log: Path) -> None:
    rejected: list[Rejected] = []
    skipped: list[Skipped] = []
    page = io.BytesIO()
    result = write_report(log, page, COMBINED, limit=300, reject=rejected.append, skip=skipped.append)
    expected_rejected: list[Rejected] = []
    expected_skipped: list[Skipped] = []
    lines = records(io.BytesIO(LOG), COMBINED, limit=300, reject=expected_rejected.append, skip=expected_skipped.append)
    parsed = sum(1 for _ in lines)
    assert result == ReportResult(parsed, len(rejected), len(skipped), parsed)
    assert (rejected, skipped) == (expected_rejected, expected_skipped)
    assert rejected
    assert skipped


def test_where_selects_the_lines_that_are_counted(log: Path) -> None:
    page = io.BytesIO()
    result = write_report(log, page, COMBINED, where="status = 404")
    assert result.counted == sum(record["status"] == 404 for record in records(io.BytesIO(LOG), COMBINED))
    assert 0 < result.counted < result.parsed
    assert b"only lines where <code>status = 404</code>" in page.getvalue()


def test_an_unreadable_input_raises_and_leaves_the_old_file(log: Path, tmp_path: Path) -> None:
    output = tmp_path / "output" / "report.html"
    output.parent.mkdir()
    output.write_bytes(OLD)
    with pytest.raises(FileNotFoundError, match=MISSING):
        write_report([log, tmp_path / "missing"], output, COMBINED)
    assert output.read_bytes() == OLD
    assert list(output.parent.iterdir()) == [output]


def test_an_unreadable_input_writes_nothing_to_a_binary_file(log: Path, tmp_path: Path) -> None:
    page = io.BytesIO()
    with pytest.raises(FileNotFoundError, match=MISSING):
        write_report([log, tmp_path / "missing"], page, COMBINED)
    assert page.getvalue() == b""


def test_a_fault_callback_gets_the_error_and_the_report_names_it(log: Path, tmp_path: Path) -> None:
    faults: list[tuple[str, OSError]] = []
    page = io.BytesIO()
    missing = tmp_path / "missing"
    result = write_report([missing, log], page, COMBINED, fault=lambda *fault: faults.append(fault))
    assert [(file, error.strerror) for file, error in faults] == [(str(missing), MISSING)]
    assert result.parsed > 0
    assert f"missing could not be read completely: {MISSING}." in page.getvalue().decode()


def test_nothing_is_written_if_no_file_can_be_read(tmp_path: Path) -> None:
    faults: list[tuple[str, OSError]] = []
    missing, output, page = tmp_path / "missing", tmp_path / "report.html", io.BytesIO()
    output.write_bytes(OLD)
    for target in (output, page):
        result = write_report(missing, target, COMBINED, fault=lambda *fault: faults.append(fault))
        assert result == ReportResult(0, 0, 0, 0)
    assert [file for file, _ in faults] == [str(missing)] * 2
    assert output.read_bytes() == OLD
    assert page.getvalue() == b""


def test_a_log_is_not_replaced_by_its_report(log: Path) -> None:
    with pytest.raises(ValueError, match=r"access\.log' is one of the files to read"):
        write_report(log.parent, log, COMBINED)
    assert log.read_bytes() == LOG


def test_a_name_that_ends_in_gz_compresses(log: Path, tmp_path: Path) -> None:
    page = io.BytesIO()
    assert write_report(log, tmp_path / "report.html.gz", COMBINED) == write_report(log, page, COMBINED)
    assert gzip.decompress((tmp_path / "report.html.gz").read_bytes()) == page.getvalue()
