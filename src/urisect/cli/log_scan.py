"""Scan logs for a command: with progress, messages about unreadable files, and a summary."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from urisect.cli.messages import format_counts, print_error, print_file_error, visible
from urisect.logs.input.files import STDIN, expand_paths
from urisect.logs.scan.run import LineCounts, ScanRun
from urisect.logs.scan.task import PieceResult, T, Task

if TYPE_CHECKING:
    from urisect.logs.input.format_selection import FormatSelection

__all__ = ["LogScan", "exit_status", "expand_inputs", "print_counts", "print_summary", "select_log_format"]


def expand_inputs(files: Sequence[str]) -> list[str]:
    """Return the files that the arguments stand for; report what is not a file in a directory or a pattern.

    Args:
        files: paths of files and directories, and patterns; standard input if there are none.
    """
    return expand_paths(files or [STDIN], lambda path, kind: print_error(f"{path}: ignored: it is {kind}"))


def select_log_format(format_name: str, files: Sequence[str]) -> "FormatSelection":
    """Select the format of logs, as `--format` says.

    Args:
        format_name: the value of `--format`.
        files: paths; "-" is standard input.
    """
    from urisect.logs.input.format_selection import select_format  # noqa: PLC0415  `split` needs no other format

    try:
        return select_format(format_name, files)
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
        head: bytes = b"",
        shows_rows: bool = False,
    ) -> None:
        """Prepare the scan; nothing is read yet.

        Args:
            files: paths; "-" is standard input.
            task: what to do with the lines.
            jobs: the number of processes; by default one per core.
            quiet: whether to show no progress.
            head: bytes already read from standard input.
            shows_rows: whether rows are written to a terminal, which leaves no room for a progress bar.
        """
        self._total = len(files)
        self._shows_progress = not quiet and sys.stderr.isatty() and not shows_rows
        super().__init__(files, task, jobs=jobs, head=head, fault=print_file_error)

    def __iter__(self) -> Iterator[PieceResult[T]]:
        with self._show_progress() as self.progress:
            for number, result in enumerate(super().__iter__()):
                if number == 0:  # not before there is something to read: its modules are slow to import
                    from urisect.logs.temporary import remove_abandoned  # noqa: PLC0415

                    remove_abandoned()
                yield result

    def print_counts(self, selected: int | None = None) -> None:
        """Print how many lines were read, and how many files could not be read, on standard error.

        Args:
            selected: how many lines `--where` selected; None without it.
        """
        print_counts(self.counts, selected=selected)
        for message in self.in_range.messages:
            print(message, file=sys.stderr)
        if self.faults:
            print(f"{self.faults} of {self._total} files could not be read completely", file=sys.stderr)

    def _show_progress(self) -> AbstractContextManager[Any]:
        if not self._shows_progress:
            return nullcontext()
        from urisect.cli.progress import scan_progress  # noqa: PLC0415  rich is slow to import

        return scan_progress()


def print_summary(selection: "FormatSelection", scan: LogScan[Any], selected: int | None = None) -> None:
    """Print the detected format and the counts of a scan on standard error.

    Args:
        selection: the format; it is not printed if the user named it.
        scan: a finished scan.
        selected: how many lines `--where` selected; None without it.
    """
    name = visible(selection.format.name)
    if selection.detection:
        _, tried, parsed = selection.detection
        print(f"detected format: {name} ({parsed} of the first {tried} lines)", file=sys.stderr)
    scan.print_counts(selected)
    if scan.counts.rejected and not scan.counts.parsed:
        print(f"no line matches the format {name}; choose another one with --format", file=sys.stderr)


def print_counts(counts: LineCounts, parsed: str = "parsed", selected: int | None = None) -> None:
    """Print how many lines were parsed, rejected and skipped on standard error.

    Args:
        counts: the counts.
        parsed: the word for the good lines.
        selected: how many of them `--where` selected; None without it.
    """
    numbers = {"read": counts.lines, parsed: counts.parsed, "rejected": counts.rejected}
    suffix = "" if selected is None else f"; selected {selected}"
    print(f"{format_counts(numbers, counts.skipped)}{suffix}", file=sys.stderr)


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
