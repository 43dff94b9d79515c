"""Run a task over the lines of files, and count parsed, rejected and skipped lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from os import PathLike, fsdecode
from types import MappingProxyType
from typing import Any, Generic, NamedTuple

from urisect.logs.input.files import expand_paths
from urisect.logs.input.locations import shown_name
from urisect.logs.input.reader import Rejected, Skipped, dispatch_unparsed
from urisect.logs.scan.files_in_range import FilesInRange
from urisect.logs.scan.task import PieceResult, T, Task

__all__ = ["LineCounts", "PassedOverWarning", "ScanRun", "filter_task", "input_files"]


class LineCounts(NamedTuple):
    """How many lines were parsed, rejected and skipped.

    Attributes:
        parsed: lines that match the format.
        rejected: lines that do not.
        skipped: lines that are blank, too long, cut off, or directives.
        directives: how many of the skipped lines are directives.
        too_long: how many of the skipped lines are longer than the limit.
        implausible: how many of the parsed lines have implausible values; see `Format.strict`.

    >>> LineCounts(parsed=7, rejected=2, skipped=1).lines
    10
    """

    parsed: int = 0
    rejected: int = 0
    skipped: int = 0
    directives: int = 0
    too_long: int = 0
    implausible: int = 0

    @property
    def lines(self) -> int:
        """The number of lines that were read."""
        return self.parsed + self.rejected + self.skipped

    def add(self, result: PieceResult[T]) -> "LineCounts":
        """Return these counts with those of one more piece."""
        return LineCounts(
            parsed=self.parsed + result.parsed,
            rejected=self.rejected + len(result.rejected),
            skipped=self.skipped + len(result.skipped),
            directives=self.directives + sum(line.reason == "directive" for line in result.skipped),
            too_long=self.too_long + sum(line.reason == "too long" for line in result.skipped),
            implausible=self.implausible + result.implausible,
        )


class PassedOverWarning(UserWarning):
    """A file is not read: it is in no known format, and others are. Name the format to read all files.

    >>> import warnings
    >>> from urisect.logs import PassedOverWarning
    >>> warnings.simplefilter("ignore", PassedOverWarning)
    """


class _Unreadable(Exception):  # noqa: N818  not for users
    """A file cannot be read, and there is no callback."""


class ScanRun(Generic[T]):
    """One scan of files, to iterate over once.

    An unreadable file ends the iteration, without an exception, unless there is a `fault` callback.

    Attributes:
        files: the paths of the files that are read.
        task: what to do with the lines.
        counts: how many lines were read so far.
        counts_by_file: how many lines of each file were read so far, by its path.
        size: how many bytes were parsed so far.
        faults: how many files could not be read to their end so far.
        progress: called with the path of a file and the position in it, in bytes; None for no calls.
        in_range: counts the files that are not read, since they lie outside of the time range of the task.

    >>> from urisect.logs import LIST
    >>> run = ScanRun(["/dev/null"], Task(LIST, ["host"], lambda table: table.column("host")))
    >>> list(run), run.counts.lines, run.has_read
    ([], 0, True)
    """

    def __init__(
        self,
        files: Sequence[str],
        task: Task[T],
        *,
        jobs: int | None = 1,
        head: bytes = b"",
        passed_over: Mapping[str, str] = MappingProxyType({}),
        reject: Callable[[Rejected], object] | None = None,
        skip: Callable[[Skipped], object] | None = None,
        fault: Callable[[str, OSError], object] | None = None,
    ) -> None:
        """Store what `scan` needs; nothing is read yet.

        Args:
            files: paths; "-" is standard input.
            task: what to do with the lines.
            jobs: the number of processes; None for one per core.
            head: bytes already read from standard input.
            passed_over: files that are not read, each with the reason; see `FormatSelection`.
            reject: called with each line that does not match the format.
            skip: called with each line that is skipped.
            fault: called with the path and the error of each file that cannot be read to its end; the next file
                follows. Without it, the iteration ends there, and `raise_fault` raises the error.
        """
        self.counts = LineCounts()
        self.counts_by_file: dict[str, LineCounts] = {}
        self.size = 0
        self.faults = 0
        self.progress: Callable[[str, int], object] | None = None
        self.in_range = FilesInRange(task.time_range)
        self._passed_over = passed_over
        self.files = [file for file in files if file not in passed_over]
        self.task = task
        self._jobs = jobs
        self._head = head
        self._reject = reject
        self._skip = skip
        self._fault = fault
        self._error: OSError | None = None

    def __iter__(self) -> Iterator[PieceResult[T]]:
        from urisect.logs.scan.parallel import count_cores, scan  # noqa: PLC0415  multiprocessing is slow to import

        for file, reason in self._passed_over.items():
            self.note_passed_over(file, reason)
        results: Any = scan(
            self.files,
            self.task,
            jobs=count_cores() if self._jobs is None else self._jobs,
            head=self._head,
            fault=self._add_fault,
            progress=self.progress,
            in_range=self.in_range,
        )
        with closing(results), suppress(_Unreadable):
            for result in results:
                self.counts = self.counts.add(result)
                self.counts_by_file[result.file] = self.counts_by_file.get(result.file, LineCounts()).add(result)
                self.size += result.size
                dispatch_unparsed(result.rejected, result.skipped, self._reject, self._skip)
                yield result

    def repeated(self, task: Task[T]) -> "ScanRun[T]":
        """Return another scan of the same files, which does not say again what cannot be read.

        Args:
            task: what to do with the lines.
        """
        return ScanRun(self.files, task, jobs=self._jobs, fault=lambda *_: None)

    @property
    def has_read(self) -> bool:
        """Whether at least one file could be opened and read."""
        return self.counts.lines > 0 or self.faults < len(self.files)

    def raise_fault(self) -> None:
        """Raise the error that ended the iteration, if there was one.

        Raises:
            OSError: a file cannot be read, and there is no `fault` callback.
        """
        if self._error:
            raise self._error

    def note_passed_over(self, file: str, reason: str) -> None:
        """Warn that a file is not read.

        Args:
            file: its path.
            reason: why not.
        """
        import warnings  # noqa: PLC0415  most runs need none

        warnings.warn(f"{shown_name(file)} is passed over: {reason}", PassedOverWarning, stacklevel=2)

    def _add_fault(self, file: str, error: OSError) -> None:
        self.faults += 1
        if self._fault:
            self._fault(file, error)
        else:
            self._error = error
            raise _Unreadable


def filter_task(task: Task[T], where: str | None) -> Task[T]:
    """Restrict a task to the lines for which an expression is true.

    Args:
        task: what to do with the lines.
        where: a predicate in SQL over the fields; None for all lines.

    Raises:
        WhereError: the expression is invalid or not allowed.
        MissingExtraError: DuckDB or pyarrow is not installed.

    >>> from urisect.logs import COMMON
    >>> filter_task(Task(COMMON, ["client"], len), "status >= 500").columns
    ('client', 'status')
    """
    if where is None:
        return task
    from urisect.logs.scan.where import Where  # noqa: PLC0415  DuckDB is slow to import

    predicate = Where(where, task.format)
    return task._replace(make=predicate.wrap(task.make), columns=(*task.columns, *predicate.columns))


def input_files(path: str | PathLike[str] | Iterable[str | PathLike[str]]) -> list[str]:
    """Return the files that a path or several paths stand for.

    Args:
        path: a file, a directory, a pattern, or several of them; "-" is standard input.

    >>> input_files("-"), input_files(["b.log", "a.log"])
    (['-'], ['b.log', 'a.log'])
    """
    return expand_paths(map(fsdecode, [path] if isinstance(path, str | PathLike) else path))
