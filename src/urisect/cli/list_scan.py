"""Scan lists of references block by block, on all cores if they are large, and keep the order of the lines."""

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from time import monotonic
from typing import Any, Generic, NamedTuple, TypeVar

from urisect.cli.files import FileReader, read_argument_blocks
from urisect.cli.summary import Outcome, print_summary
from urisect.logs.input.blocks import Block
from urisect.logs.input.files import STDIN
from urisect.logs.input.reader import Skipped
from urisect.logs.output.atomic import is_special
from urisect.text_types import Stream

__all__ = ["ListScan", "NumberedBlock"]

T = TypeVar("T")

# Total size of files from which workers may take part. Below it, importing what starts them would take longer than it
# saves; a compressed file may hold ten times as much.
MIN_PARALLEL_BYTES = 1 << 22


class NumberedBlock(NamedTuple):
    """The lines of a block, or one line that was skipped: a table without columns.

    Attributes:
        first_line: the number of the first line, from 0 where the scan begins to count.
        offset: where it begins in the file, in bytes.
        data: the lines.
        parsed: the number of lines.
        skipped: the line that was skipped.
        rejected: nothing.
        implausible: 0.
    """

    first_line: int
    offset: int
    data: bytes
    parsed: int
    skipped: list[Skipped]
    rejected: tuple[()] = ()
    implausible: int = 0

    @property
    def is_too_long(self) -> bool:
        """Whether this is a line that is longer than the limit."""
        return any(line.reason == "too long" for line in self.skipped)


class BlockNumbering:
    r"""Numbers the lines of blocks, in place of parsing them.

    >>> [block.first_line for block in BlockNumbering().tables([Block(0, b"a\nb\n"), Block(4, b"c")], line=0)]
    [0, 2]
    """

    def tables(self, blocks: Iterable[Block], *, line: int, header: bytes = b"") -> Iterator[NumberedBlock]:  # noqa: ARG002
        """Yield each block with the number of its first line.

        Args:
            blocks: whole lines.
            line: the number of the first one.
            header: ignored.
        """
        for offset, data, length, reason in blocks:
            skipped = [Skipped(line, offset, length, reason)] if reason else []
            count = data.count(b"\n") + (data[-1:] not in (b"\n", b""))
            yield NumberedBlock(line, offset, data, count, skipped)
            line += count + len(skipped)


class ListScan(Generic[T]):
    """One scan of lists; an unreadable file is reported, and the next one is read.

    Attributes:
        complete: whether every file was read to its end; final after the results.
        lines: how many lines were read so far.
        skipped: how many of them were skipped.
    """

    def __init__(
        self,
        files: Sequence[str],
        make: Callable[[NumberedBlock], T],
        *,
        limit: int,
        jobs: int | None,
        quiet: bool,
    ) -> None:
        """Prepare the scan; nothing is read yet.

        Args:
            files: paths, or arguments as `TextInput`; "-" is standard input, and so is an empty list.
            make: called with each block; it returns an output. Workers have to be able to import it.
            limit: the longest line, in bytes; longer ones are skipped.
            jobs: the number of processes; by default one per core. Standard input and pipes are read in this process,
                as they arrive.
            quiet: whether to print no progress and no summary.
        """
        self.complete = True
        self.lines = self.skipped = 0
        self._files = files or (STDIN,)
        self._make = make
        self._limit = limit
        self._jobs = jobs
        self._quiet = quiet
        self._size = 0
        self._began = monotonic()

    def results(self) -> Generator[tuple[str, int, T], None, None]:
        """Yield the path of a file, what to add to the line numbers of an output, and the output.

        Close this generator after an error: workers stop at once.
        """
        return self._in_workers() if self._jobs != 1 and self._is_large else self._in_this_process()

    def print_summary(self, *outcomes: Outcome) -> None:
        """Print how many lines were read and skipped, and how fast, unless the scan is quiet; see `print_summary`.

        Args:
            outcomes: what became of the other lines.
        """
        if not self._quiet and (self.complete or self.lines):
            print_summary(self.lines, outcomes, skipped=self.skipped, size=self._size, began=self._began)

    @property
    def _is_large(self) -> bool:
        """Whether there are only files, and they are large."""
        if any(name == STDIN or is_special(name) for name in self._files):
            return False
        return sum(os.path.getsize(name) for name in self._files if os.path.isfile(name)) >= MIN_PARALLEL_BYTES

    def _in_this_process(self) -> Generator[tuple[str, int, T], None, None]:
        reader = FileReader(self._files, partial(_read, limit=self._limit), progress=not self._quiet)
        position = 0
        for file, block in reader:
            if block.offset < position:  # in the next file
                position = 0
            end = block.offset + len(block.data) + sum(line.length for line in block.skipped)
            self._count(block.parsed, len(block.skipped), end - position)
            position = end
            yield file, 1, self._make(block)
        self.complete = reader.complete

    def _in_workers(self) -> Generator[tuple[str, int, T], None, None]:
        from urisect.cli.log_scan import LogScan  # noqa: PLC0415  only large files need it
        from urisect.logs.formats import LIST  # noqa: PLC0415
        from urisect.logs.scan.task import Task  # noqa: PLC0415

        make: Any = self._make
        task: Task[T] = Task(LIST, (), make, self._limit, parser=BlockNumbering())
        shows_rows = sys.stdout is not None and os.isatty(1)
        scan = LogScan(self._files, task, jobs=self._jobs, quiet=self._quiet, shows_rows=shows_rows)
        results: Any = iter(scan)
        with closing(results):
            for result in results:
                self._count(result.parsed, len(result.skipped), result.size)
                for output in result.outputs:
                    yield result.file, result.first_line, output
        self.complete = not scan.faults

    def _count(self, parsed: int, skipped: int, size: int) -> None:
        self.lines += parsed + skipped
        self.skipped += skipped
        self._size += size


def _read(stream: Stream, *, limit: int) -> Iterator[NumberedBlock]:
    return BlockNumbering().tables(read_argument_blocks(stream, limit=limit), line=0)
