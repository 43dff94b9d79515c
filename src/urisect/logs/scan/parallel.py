"""Files of logs, read on all cores: what is made of their lines comes in the order of the lines, whoever made it.

A file is read in pieces of whole lines. A piece of a plain file is a range of its bytes, read by whoever works on it;
what a compressed file or a pipe holds is read here, and handed over.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from urisect.logs.errors import WorkerError
from urisect.logs.input.files import STDIN
from urisect.logs.scan.handover import read_result, result_folder
from urisect.logs.scan.pieces import Piece, cut_files
from urisect.logs.scan.task import PieceResult, T, Task
from urisect.logs.scan.workers import Worker, run_in_worker, start_workers

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

__all__ = ["cores", "scan"]


# Bytes that are read before other processes take part: they take as long to start as this to be read.
HEAD_START = 1 << 25

# Bytes of files for which they start at once.
LARGE = 1 << 27


def cores() -> int:
    """Tell how many processes can run at once.

    >>> cores() > 0
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def scan(
    files: Sequence[str],
    task: Task[T],
    *,
    jobs: int = 1,
    head: bytes = b"",
    fault: Callable[[str, OSError], object] | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> Iterator[PieceResult[T]]:
    """Read files, and give what is made of their lines, in their order.

    Args:
        files: paths; "-" is standard input.
        task: what is to be done.
        jobs: how many processes work on it, beside this one, if there is enough to do. What comes on standard input is
            worked on here, as it comes.
        head: what was read of standard input before.
        fault: called with the path of a file that cannot be read to its end, and why; the next file is read then.
            Without it that is raised.
        progress: called, again and again, with the path of a file, the position in it, and its size, all in bytes.

    Raises:
        OSError: a file cannot be read, and there is no `fault`. All that could be read of it has been given.
        WorkerError: a process was killed, or there is no room for what it made.

    >>> from urisect.logs import LIST
    >>> task = Task(LIST, ["host"], lambda table: table.column("host"))
    >>> [done.made for done in scan(["/dev/null"], task)]
    []
    """
    line, failed = 1, False
    for piece, done in _in_order(cut_files(files, task, head, progress), task, jobs, is_large=_is_large(files)):
        if piece.is_first:
            line, failed = 1, False
        if failed:  # a file is read up to its first fault
            continue
        rejected = [reject._replace(line=line + reject.line) for reject in done.rejected]
        skipped = [skip._replace(line=line + skip.line) for skip in done.skipped]
        line += done.parsed + len(rejected) + len(skipped)
        yield done._replace(rejected=rejected, skipped=skipped)
        if done.error:
            failed = True
            if fault is None:
                raise done.error
            fault(done.file, done.error)


def _is_large(files: Sequence[str]) -> bool:
    """Tell whether there is so much to read that others may as well start at once, while the first pieces are read."""
    return sum(os.path.getsize(name) for name in files if os.path.isfile(name)) > LARGE


def _in_order(
    pieces: Iterator[Piece], task: Task[T], jobs: int, *, is_large: bool
) -> Iterator[tuple[Piece, PieceResult[T]]]:
    """Work on pieces, here or in other processes, and give what became of each, in order."""
    work = Worker(task)
    read = 0
    waiting: deque[tuple[Piece, Future[str]]] = deque()
    try:
        with ExitStack() as stack:
            pool: ProcessPoolExecutor | None = None
            for piece in pieces:
                read += piece.size
                is_shared = jobs > 1 and piece.file != STDIN
                if is_shared and pool is None and (is_large or read > HEAD_START):
                    pool = stack.enter_context(start_workers(task, stack.enter_context(result_folder()), jobs))
                if is_shared and pool and read > HEAD_START:
                    waiting.append((piece, pool.submit(run_in_worker, piece)))
                    yield from _finished(waiting, 2 * jobs)
                else:
                    yield from _finished(waiting, 0)
                    yield piece, work(piece)
            yield from _finished(waiting, 0)
    except BrokenExecutor:
        raise WorkerError from None


def _finished(waiting: deque[tuple[Piece, Future[str]]], left: int) -> Iterator[tuple[Piece, PieceResult[Any]]]:
    """Wait for the first pieces until so many are left; more are not held at once."""
    while len(waiting) > left:
        piece, future = waiting.popleft()
        yield piece, read_result(future.result())
