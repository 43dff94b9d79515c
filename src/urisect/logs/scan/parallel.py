"""Parse files in parallel, keeping line order.

The parent cuts files into pieces of whole lines. Of a plain file, a worker reads its piece itself; the content of a
compressed file or a pipe is read by the parent and sent to the worker.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from urisect.logs.errors import WorkerError
from urisect.logs.input.files import STDIN
from urisect.logs.scan.pieces import Piece, cut_files
from urisect.logs.scan.task import PieceResult, T, Task, TaskRunner

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

__all__ = ["count_cores", "scan"]

# Bytes that the parent parses alone before workers take part: starting them takes about as long.
PARENT_ONLY_BYTES = 1 << 25

# Total size of files from which workers start at once, while the parent parses the first pieces.
EARLY_START_BYTES = 1 << 27


def count_cores() -> int:
    """Return how many processes can run at the same time.

    >>> count_cores() > 0
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
    progress: Callable[[str, int], object] | None = None,
) -> Iterator[PieceResult[T]]:
    r"""Run a task on files, and yield the results in line order.

    Args:
        files: paths; "-" is standard input.
        task: what to do with the lines.
        jobs: number of workers, if there is enough to parse; 1 parses everything in this process. Standard input is
            always parsed in this process, as it arrives.
        head: bytes that were already read from standard input.
        fault: called with the path of a file that cannot be read to its end, and the error; the scan goes on with the
            next file. Without it, the error is raised.
        progress: called after each result with the path of a file, and the position in it, in bytes.

    Raises:
        OSError: a file cannot be read, and there is no `fault`; all results before the error have been yielded.
        WorkerError: a worker was killed, or its result cannot be stored.

    >>> import tempfile
    >>> from urisect.logs import LIST
    >>> task = Task(LIST, ["host"], lambda table: table.column("host"))
    >>> with tempfile.NamedTemporaryFile() as log:
    ...     _ = log.write(b"http://a/\n//b\n")
    ...     log.flush()
    ...     [result.outputs for result in scan([log.name], task)]
    [[[b'a', b'b']]]
    """
    line, has_failed = 1, False
    pieces = cut_files(files, task.format, task.limit, head=head)
    for piece, result in _run_in_order(pieces, task, jobs, is_large=_total_size(files) > EARLY_START_BYTES):
        if piece.is_first:
            line, has_failed = 1, False
        if has_failed:  # workers may have parsed more pieces of the file
            continue
        rejected = [reject._replace(line=line + reject.line) for reject in result.rejected]
        skipped = [skip._replace(line=line + skip.line) for skip in result.skipped]
        line += result.parsed + len(rejected) + len(skipped)
        if progress:
            progress(piece.file, piece.position)
        yield result._replace(rejected=rejected, skipped=skipped)
        if result.error:
            has_failed = True
            if fault is None:
                raise result.error
            fault(result.file, result.error)


def _total_size(files: Sequence[str]) -> int:
    return sum(os.path.getsize(name) for name in files if os.path.isfile(name))


def _run_in_order(
    pieces: Iterator[Piece], task: Task[T], jobs: int, *, is_large: bool
) -> Iterator[tuple[Piece, PieceResult[T]]]:
    """Run a task on pieces, here or in workers, and yield each piece with its result, in order."""
    runner = TaskRunner(task)
    bytes_read = 0
    pending: deque[tuple[Piece, Future[str]]] = deque()
    try:
        with ExitStack() as stack:
            pool: ProcessPoolExecutor | None = None
            for piece in pieces:
                bytes_read += piece.size
                is_shared = jobs > 1 and piece.file != STDIN
                if is_shared and pool is None and (is_large or bytes_read > PARENT_ONLY_BYTES):
                    # Not before they are needed: multiprocessing and what else they import take 20 ms.
                    from urisect.logs.scan.handover import result_directory  # noqa: PLC0415
                    from urisect.logs.scan.workers import run_in_worker, start_workers  # noqa: PLC0415

                    directory = stack.enter_context(result_directory())
                    pool = stack.enter_context(start_workers(task, directory, jobs))
                if is_shared and pool and bytes_read > PARENT_ONLY_BYTES:
                    pending.append((piece, pool.submit(run_in_worker, piece)))
                    yield from _await_results(pending, 2 * jobs)
                else:
                    yield from _await_results(pending, 0)
                    yield piece, runner.run(piece)
            yield from _await_results(pending, 0)
    except RuntimeError as error:
        from concurrent.futures import BrokenExecutor  # noqa: PLC0415  imported already if a worker broke

        if isinstance(error, BrokenExecutor):
            raise WorkerError from None
        raise


def _await_results(
    pending: "deque[tuple[Piece, Future[str]]]", max_pending: int
) -> Iterator[tuple[Piece, PieceResult[Any]]]:
    """Yield the results of the first pieces until at most `max_pending` are left; this bounds memory."""
    while len(pending) > max_pending:
        from urisect.logs.scan.handover import read_result  # noqa: PLC0415  see above

        piece, future = pending.popleft()
        yield piece, read_result(future.result())
