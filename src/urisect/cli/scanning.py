"""What the commands share that read logs at volume: options, the choice of a format, and the way through the files."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from typing import Any, Generic, TypeVar

import click
from click.shell_completion import CompletionItem

from urisect.cli.lines import Totals, complain_of, option_group
from urisect.cli.output import complain, visible
from urisect.logs.formats import FORMATS
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.files import STDIN, expand_paths
from urisect.logs.input.format_selection import AUTO, FormatSelection, select_format
from urisect.logs.scan.parallel import count_cores, scan
from urisect.logs.scan.task import PieceResult, Task
from urisect.logs.temporary import remove_abandoned

T = TypeVar("T")


def _named(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in (AUTO, *FORMATS) if name.startswith(incomplete)]


format_option = click.option(
    "--format",
    "format_name",
    default=AUTO,
    show_default=True,
    metavar="FORMAT",
    shell_complete=_named,
    help="What a line is: a name, an Apache or nginx format string, or json:FIELD.",
)
volume_options = option_group(
    click.option("--where", metavar="EXPR", help='Only lines of which this is true, in SQL: "status >= 500".'),
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="How many processes work.  [default: one a core]",
    ),
)
limit_option = click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=MAX_LINE_BYTES,
    show_default=True,
    metavar="BYTES",
    help="Skip longer lines.",
)


def chosen(format_name: str, files: Sequence[str]) -> FormatSelection:
    """Choose the format of files.

    Args:
        format_name: what the option `--format` says.
        files: paths; "-" is standard input.
    """
    try:
        return select_format(format_name, files)
    except ValueError as error:
        raise click.BadParameter(visible(str(error)), param_hint="'--format'") from None


def selecting(task: Task[T], where: str | None) -> Task[T]:
    """Do a task with those lines only that are wanted.

    Args:
        task: what is to be done.
        where: an expression that is true for these lines; all are wanted without one.
    """
    if where is None:
        return task
    from urisect.logs.scan.where import Where  # noqa: PLC0415  it comes with an extra

    condition = Where(where, task.format)
    return task._replace(make=condition.wrap(task.make), columns=(*task.columns, *condition.columns))


def input_files(files: Sequence[str]) -> list[str]:
    """Find the files that names stand for, and say what in a folder or of a pattern is passed over.

    Args:
        files: paths of files and folders, and patterns; standard input if there is none.
    """
    return expand_paths(files or [STDIN], lambda path, kind: complain(f"{path}: passed over: it is {kind}"))


def summarize(choice: FormatSelection, scan: "LogScan[Any]", selected: int | None = None) -> None:
    """Say on standard error which format was found, and how many lines went where.

    Args:
        choice: the format; nothing is said of it if it was named.
        scan: which read the lines.
        selected: how many lines were wanted, if not all.
    """
    name = visible(choice.format.name)
    if choice.detection:
        _, tried, parsed = choice.detection
        print(f"format {name}, which {parsed} of the first {tried} lines have", file=sys.stderr)
    scan.report(selected)
    if scan.totals.rejected and not scan.totals.parsed:
        print(f"no line has the format {name}; see --format", file=sys.stderr)


class LogScan(Generic[T]):
    """Logs, read piece by piece: what cannot be read is complained about, and the others are read.

    Attributes:
        totals: how many lines went where; known at the end.
        faults: how many files could not be read completely.
    """

    def __init__(
        self,
        files: Sequence[str],
        task: Task[T],
        *,
        jobs: int | None,
        quiet: bool,
        head: bytes = b"",
        rows: bool = False,
    ) -> None:
        """Read nothing yet.

        Args:
            files: paths; "-" is standard input.
            task: what is to be done with the lines.
            jobs: how many processes work on it; by default one a core.
            quiet: whether no progress is shown.
            head: what was read of standard input before.
            rows: whether rows go to a terminal.
        """
        remove_abandoned()
        self.totals = Totals()
        self.faults = 0
        self._files = files
        self._task = task
        self._jobs = jobs or count_cores()
        self._head = head
        self._watched = not quiet and sys.stderr.isatty() and not rows

    def __iter__(self) -> Iterator[PieceResult[T]]:
        """Give what became of each piece, in order."""
        with self._watching() as progress, closing(self._scan(progress)) as scanned:
            for done in scanned:
                self.totals = self.totals._replace(
                    parsed=self.totals.parsed + done.parsed,
                    rejected=self.totals.rejected + len(done.rejected),
                    skipped=self.totals.skipped + len(done.skipped),
                    directives=self.totals.directives + sum(skip.reason == "directive" for skip in done.skipped),
                    too_long=self.totals.too_long + sum(skip.reason == "too long" for skip in done.skipped),
                )
                yield done

    @property
    def has_read(self) -> bool:
        """Whether a file could be read, if only in part."""
        return self.totals.lines > 0 or self.faults < len(self._files)

    def report(self, selected: int | None = None) -> None:
        """Say on standard error how many lines went where, and how many files could not be read completely.

        Args:
            selected: how many lines were wanted, if not all.
        """
        self.totals.report(selected=selected)
        if self.faults:
            print(f"{self.faults} of {len(self._files)} files could not be read completely", file=sys.stderr)

    def _watching(self) -> Any:
        if not self._watched:
            return nullcontext()
        from urisect.cli.screen import watching  # noqa: PLC0415  rich takes longer to load than most files

        return watching()

    def _scan(self, progress: Callable[[str, int, int], object] | None) -> Any:
        return scan(self._files, self._task, jobs=self._jobs, head=self._head, fault=self._fault, progress=progress)

    def _fault(self, file: str, error: OSError) -> None:
        complain_of(file, error)
        self.faults += 1
        self.totals = self.totals._replace(complete=False)
