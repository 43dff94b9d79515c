"""Scan logs for a command: with progress, messages about unreadable files, and a summary."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from urisect.cli.messages import (
    file_name,
    print_error,
    print_file_error,
    print_waiting,
    visible,
)
from urisect.cli.summary import Outcome, print_summary
from urisect.cli.unreadable import find_unreadable
from urisect.logs.input.files import STDIN, expand_paths
from urisect.logs.input.locations import shown_name
from urisect.logs.scan.run import LineCounts, ScanRun
from urisect.logs.scan.task import PieceResult, T, Task

if TYPE_CHECKING:
    from urisect.logs.formats import Format
    from urisect.logs.input.format_selection import FormatSelection

__all__ = ["LogScan", "exit_status", "expand_inputs", "print_log_summary", "select_log_format"]


# How many files the summary lists.
MAX_LISTED_FILES = 20


def expand_inputs(files: Sequence[str], *, quiet: bool) -> list[str]:
    """Return the files that the arguments stand for; report what is not a file in a directory or a pattern.

    Args:
        files: paths of files and directories, and patterns; standard input if there are none.
        quiet: whether not to say that a terminal is read.
    """
    names = expand_paths(files or [STDIN], lambda path, kind: print_error(f"{path}: ignored: it is {kind}"))
    if STDIN in names and not quiet:
        print_waiting()
    return names


def select_log_format(format_name: str, envelope: str, files: Sequence[str]) -> "FormatSelection":
    """Select the format of logs, as `--format` and `--envelope` say.

    Args:
        format_name: the value of `--format`.
        envelope: the value of `--envelope`; "auto" for any or none.
        files: paths; "-" is standard input.
    """
    from urisect.logs.formats.envelopes import find_envelope  # noqa: PLC0415  `split` needs no other format
    from urisect.logs.input.format_selection import AUTO, select_format  # noqa: PLC0415

    try:
        if envelope != AUTO:
            find_envelope(envelope)
    except ValueError as error:
        raise click.BadParameter(visible(str(error)), param_hint="'--envelope'") from None
    try:
        return select_format(format_name if envelope == AUTO else f"{envelope}+{format_name}", files)
    except ValueError as error:
        raise click.BadParameter(visible(str(error)), param_hint="'--format'") from None


class LogScan(ScanRun[T]):
    """A scan that reports unreadable files, and shows a progress bar on a terminal."""

    def __init__(
        self,
        files: Sequence[str],
        task: Task[T],
        *,
        jobs: int | None,
        quiet: bool,
        selection: "FormatSelection | None" = None,
        shows_rows: bool = False,
    ) -> None:
        """Prepare the scan; nothing is read yet.

        Args:
            files: paths; "-" is standard input.
            task: what to do with the lines.
            jobs: the number of processes; by default one per core.
            quiet: whether to show no progress.
            selection: how the format was selected.
            shows_rows: whether rows are written to a terminal, which leaves no room for a progress bar.
        """
        self._total = len(files)
        self._shows_progress = not quiet and sys.stderr.isatty() and not shows_rows
        self._began = monotonic()
        head, passed_over = (selection.head, selection.passed_over) if selection else (b"", {})
        super().__init__(files, task, jobs=jobs, head=head, passed_over=passed_over, fault=print_file_error)
        self._reported: set[str] = set()

    def __iter__(self) -> Iterator[PieceResult[T]]:
        unreadable = list(find_unreadable(self.files))
        for file, error in unreadable:
            self._add_fault(file, error)
        self._reported.update(file for file, _ in unreadable)
        with self._show_progress() as self.progress:
            for number, result in enumerate(super().__iter__()):
                if number == 0:  # not before there is something to read: its modules are slow to import
                    from urisect.logs.temporary import remove_abandoned  # noqa: PLC0415

                    remove_abandoned()
                yield result

    def repeated(self, task: Task[T]) -> "LogScan[T]":
        """Return another scan, see `ScanRun.repeated`; it shows a progress bar if this one does."""
        scan = LogScan(self.files, task, jobs=self._jobs, quiet=not self._shows_progress)
        scan._reported.update(self.files)
        return scan

    def note_passed_over(self, file: str, reason: str) -> None:
        """Say that a file is not read."""
        print_error(f"{shown_name(file)}: passed over: {reason}")

    def print_counts(self, selected: int | None = None, *, has_outcomes: bool = True) -> None:
        """Print how many lines were read, and how fast, and how many files could not be read, on standard error.

        Args:
            selected: how many of the parsed lines `--where` and the like selected; None without them.
            has_outcomes: whether lines may be rejected, or not selected; else, only lines over the limit are counted.
        """
        if not self.has_read:  # each file has a message of its own
            return
        parts = {} if selected is None else {"selected": selected}
        outcomes = (Outcome(self.counts.parsed, "parsed", parts), Outcome(self.counts.rejected, "rejected"))
        print_summary(
            self.counts.lines,
            outcomes if has_outcomes else (),
            skipped=self.counts.skipped if has_outcomes else self.counts.too_long,
            size=self.size,
            began=self._began,
        )
        for message in self.in_range.messages:
            print(message, file=sys.stderr)
        if self.faults and has_outcomes:
            print(f"{self.faults:,} of {self._total:,} files could not be read completely", file=sys.stderr)

    def _add_fault(self, file: str, error: OSError) -> None:
        if file not in self._reported:  # those that cannot be opened are found twice
            super()._add_fault(file, error)

    def _show_progress(self) -> AbstractContextManager[Any]:
        if not self._shows_progress:
            return nullcontext()
        from urisect.cli.progress import scan_progress  # noqa: PLC0415  rich is slow to import

        return scan_progress(self.files)


def print_log_summary(selection: "FormatSelection", scan: LogScan[Any], selected: int | None = None) -> None:
    """Print the detected formats, the files, and the counts of a scan on standard error.

    Args:
        selection: how the format was selected; a single one is not printed if the user named it.
        scan: a finished scan.
        selected: how many lines `--where` selected; None without it.
    """
    name = visible(selection.format.name)
    counts_by_file = {file: counts for file, counts in scan.counts_by_file.items() if counts.lines}
    if len(counts_by_file) + len(selection.passed_over) > 1:
        _print_files(selection, scan.task.format, counts_by_file)
    elif selection.detection:
        from urisect.logs.report.formatting import pluralize  # noqa: PLC0415  the help needs no summary

        _, tried, parsed = selection.detection
        print(f"detected format: {name} ({parsed:,} of the first {pluralize(tried, 'lines')})", file=sys.stderr)
    scan.print_counts(selected)
    if scan.counts.implausible:
        print(
            f"{scan.counts.implausible:,} parsed lines have implausible values: a client that is neither an address "
            "nor a name, or a user of several words; --format auto rejects them",
            file=sys.stderr,
        )
    if scan.counts.rejected and not scan.counts.parsed:
        print(f"no line matches the format {name}; choose another one with --format", file=sys.stderr)


def _print_files(selection: "FormatSelection", format: "Format", counts_by_file: Mapping[str, LineCounts]) -> None:
    """Print a table of files: the format, and how many lines were read, rejected and skipped."""
    rows = [
        (
            file_name(shown_name(file)),
            format.for_file(file).name,
            f"{counts.lines:,}",
            f"{counts.rejected:,}",
            f"{counts.skipped:,}",
        )
        for file, counts in counts_by_file.items()
    ]
    rows += [(file_name(shown_name(file)), "passed over", "", "", "") for file in selection.passed_over]
    titles = ("file", "format", "lines", "rejected", "skipped")
    shown = [tuple(map(visible, row)) for row in (titles, *rows[:MAX_LISTED_FILES])]
    if not any(counts.skipped for counts in counts_by_file.values()):
        shown = [row[:-1] for row in shown]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        texts, numbers = zip(row[:2], widths, strict=False), zip(row[2:], widths[2:], strict=True)
        cells = [*(f"{cell:<{width}}" for cell, width in texts), *(f"{cell:>{width}}" for cell, width in numbers)]
        print("  ".join(cells).rstrip(), file=sys.stderr)
    if len(rows) > MAX_LISTED_FILES:
        print(f"and {len(rows) - MAX_LISTED_FILES:,} more files", file=sys.stderr)


def exit_status(counts: LineCounts, *, complete: bool, strict: bool = False) -> int:
    """Return the exit status of a command that parses lines.

    Args:
        counts: the numbers of parsed, rejected and skipped lines.
        complete: whether every file was read to its end.
        strict: whether a rejected line is a failure.

    >>> exit_status(LineCounts(1, 1), complete=True), exit_status(LineCounts(0, 1), complete=True)
    (0, 1)
    """
    if not complete:
        return 2
    return int((strict and counts.rejected > 0) or (not counts.parsed and counts.lines > counts.directives))
