"""Write a report about logs to a file."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import date, datetime
from os import PathLike, fsdecode
from typing import BinaryIO, NamedTuple

from urisect.logs.formats import Format
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.format_selection import AUTO, select_format
from urisect.logs.input.locations import shown_name
from urisect.logs.input.reader import Rejected, Skipped
from urisect.logs.output.atomic import OutputFile, same_file
from urisect.logs.report.comparison import check_comparable, count_period_before
from urisect.logs.report.findings import Findings
from urisect.logs.report.page import render_page
from urisect.logs.scan.run import ScanRun, input_files
from urisect.logs.scan.selection import select_lines

__all__ = ["ReportResult", "write_report"]


class ReportResult(NamedTuple):
    """How many lines a report is about.

    Attributes:
        parsed: lines that match the format.
        rejected: lines that do not.
        skipped: lines that are blank, too long, cut off, or directives.
        counted: how many of the parsed lines the report counts; fewer than all if some are selected.

    >>> result = ReportResult(parsed=3987, rejected=13, skipped=0, counted=3987)
    >>> result.rejected / (result.parsed + result.rejected)
    0.00325
    """

    parsed: int
    rejected: int
    skipped: int
    counted: int


def write_report(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    output: str | PathLike[str] | BinaryIO,
    format: Format | str = AUTO,
    *,
    title: str | None = None,
    where: str | None = None,
    since: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
    own_hosts: Sequence[str] = (),
    without_bots: bool = False,
    compare: bool = False,
    jobs: int = 1,
    limit: int = MAX_LINE_BYTES,
    reject: Callable[[Rejected], object] | None = None,
    skip: Callable[[Skipped], object] | None = None,
    fault: Callable[[str, OSError], object] | None = None,
) -> ReportResult:
    """Write an HTML report about logs: requests over time, paths, visitors, errors, suspicious URLs.

    Counts are exact, in constant memory; they are kept in the directory for temporary files. The file appears only when
    it is complete: an error leaves an old file of that name as it was. If no file can be read, nothing is written.

    Args:
        path: a file, a directory, a pattern, or several of them, here or in remote storage ("s3://bucket/logs/*.gz");
            "-" is standard input. A file may be compressed with gzip, bzip2, xz or Zstandard.
        output: the path or URI of the HTML file, or a binary file to write to. A name that ends in ".gz" or ".zst"
            compresses.
        format: the log format: a `Format`, its name, or a format string, as for `format_of`; "auto" detects it from
            the first lines.
        title: the title of the page; the name of the log by default.
        where: a predicate in SQL over the fields, such as "status >= 500"; other lines are not counted.
        since: the first time to keep: a datetime, a date, or text such as "1996-11-10 13:55", "2h" (two hours ago) or
            "yesterday". A time without a zone is in UTC.
        until: the first time to leave out; a date includes the whole day.
        own_hosts: the hosts of the site, which are left out of the referring hosts, with their subdomains. By default,
            they are those that requests are sent to, or the one that more than half of all referrers have.
        without_bots: whether requests of bots are not counted; a bot is known by its user agent.
        compare: whether the period is compared with the one before `since`, which is as long. The files are read twice.
        jobs: the number of processes. The program's main module has to be importable if it is more than one.
        limit: the longest line, in bytes; longer ones are skipped.
        reject: called with each line that does not match the format.
        skip: called with each line that is skipped.
        fault: called with the path and the error of each file that cannot be read to its end; the next file follows.
            Without it, the error is raised.

    Returns:
        How many lines were parsed, rejected and skipped, and how many the report counts.

    Raises:
        MissingExtraError: DuckDB, pyarrow, Jinja, crawler-user-agents or ua-parser is not installed.
        ValueError: the log format is unknown or cannot be detected; `output` is one of the files to read; `since`
            or `until` is not a time, or the format has none; or there is nothing to compare with, since `since` is
            missing, or a file cannot be read twice.
        WhereError: the predicate is invalid.
        OSError: a file cannot be read, or the report cannot be written.
        WorkerError: a worker process was killed.

    >>> import io, tempfile
    >>> from urisect.logs import COMMON
    >>> page = io.BytesIO()
    >>> with tempfile.NamedTemporaryFile() as log:
    ...     _ = log.write(COMMON.sample)
    ...     log.flush()
    ...     write_report(log.name, page, "common", title="Two requests")
    ReportResult(parsed=2, rejected=0, skipped=0, counted=2)
    >>> b"<h1>Two requests</h1>" in page.getvalue()
    True
    """
    files = input_files(path)
    if isinstance(output, str | PathLike) and same_file(fsdecode(output), files):
        raise ValueError(f"{shown_name(fsdecode(output))!r} is one of the files to read")
    if compare:
        if since is None:
            raise ValueError("to compare needs since: the period before it is as long as the one after it")
        check_comparable(files)
    selection = select_format(format, files)
    readable = selection.readable(files)
    with ExitStack() as stack:
        findings = stack.enter_context(
            Findings(selection.format, readable, where, own_hosts=own_hosts, without_bots=without_bots)
        )
        task = select_lines(findings.task(limit), where=where, since=since, until=until)
        findings.time_range = task.time_range
        if isinstance(output, str | PathLike):
            file: OutputFile | BinaryIO = stack.enter_context(OutputFile(fsdecode(output)))
        else:
            file = output
        run = ScanRun(
            files,
            task,
            jobs=jobs,
            head=selection.head,
            passed_over=selection.passed_over,
            reject=reject,
            skip=skip,
            fault=fault,
        )
        for result in run:
            findings.add(result)
        run.raise_fault()
        if compare and run.has_read:
            stack.enter_context(count_period_before(findings, run.repeated, limit))
        if run.has_read:
            file.write(render_page(findings, title).encode())
        elif isinstance(file, OutputFile):
            file.discard()
    return ReportResult(run.counts.parsed, run.counts.rejected, run.counts.skipped, findings.lines)
