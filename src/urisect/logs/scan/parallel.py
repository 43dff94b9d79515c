"""Parse files in parallel, keeping line order.

The parent cuts files into pieces of whole lines. Of a plain file, a worker reads its piece itself; the content of a
compressed file or a pipe is read by the parent and sent to the worker. The parent is one of the processes that parse:
it runs a piece itself whenever the workers have enough to do and the next result is not ready.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Generic

from urisect.logs.errors import WorkerError
from urisect.logs.input.blocks import Block
from urisect.logs.input.files import STDIN
from urisect.logs.scan.files_in_range import FilesInRange
from urisect.logs.scan.pieces import Piece
from urisect.logs.scan.task import PieceResult, T, Task, TaskRunner

if TYPE_CHECKING:
    from concurrent.futures import Future

    from urisect.logs.scan.workers import WorkerPool

__all__ = ["count_cores", "scan"]

# Bytes that the parent parses alone before workers take part: starting them takes about as long.
PARENT_ONLY_BYTES = 1 << 25

# Total size of files from which workers start at once. They take part when the first is ready, or when the parent has
# parsed twice as much as above: on a fast machine, it would otherwise wait for them.
EARLY_START_BYTES = 1 << 26


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
    in_range: FilesInRange | None = None,
) -> Iterator[PieceResult[T]]:
    r"""Run a task on files, and yield the results in line order.

    Args:
        files: paths; "-" is standard input.
        task: what to do with the lines.
        jobs: number of processes, with this one, if there is enough to parse; 1 parses everything here. Standard input
            is always parsed here, as it arrives.
        head: bytes that were already read from standard input.
        fault: called with the path of a file that cannot be read to its end, and the error; the scan goes on with the
            next file. Without it, the error is raised.
        progress: called after each result with the path of a file, and the position in it, in bytes.
        in_range: counts the files that are not read, since they lie outside of the time range of the task.

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
    in_range = in_range or FilesInRange(task.time_range)
    pieces = in_range.cut(files, task.format, task.limit, head=head)
    for piece, result in _run_in_order(pieces, task, jobs, is_large=_total_size(files) > EARLY_START_BYTES):
        if piece.is_first:
            line, has_failed = 1, False
        if has_failed or in_range.passes_over(piece):  # workers may have parsed more pieces of the file
            continue
        in_range.add(piece, result.span)
        rejected = [reject._replace(line=line + reject.line) for reject in result.rejected]
        skipped = [skip._replace(line=line + skip.line) for skip in result.skipped]
        first_line = line
        line += result.parsed + len(rejected) + len(skipped)
        if progress:
            progress(piece.file, piece.position)
        yield result._replace(rejected=rejected, skipped=skipped, first_line=first_line)
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
    alone = 2 * PARENT_ONLY_BYTES if is_large else PARENT_ONLY_BYTES
    workers: _Workers[T] | None = None
    try:
        with ExitStack() as stack:
            for piece in pieces:
                bytes_read += piece.size
                is_shared = jobs > 1 and piece.file != STDIN
                if is_shared and workers is None and (is_large or bytes_read > PARENT_ONLY_BYTES):
                    workers = _Workers(task, jobs, runner, stack)
                if is_shared and workers and (bytes_read > alone or workers.pool.is_ready):
                    workers.run(piece)
                    yield from workers.results()
                else:
                    if workers:
                        yield from workers.all_results()
                    yield piece, runner.run(piece)
            if workers:
                yield from workers.all_results()
    except RuntimeError as error:
        from concurrent.futures import BrokenExecutor  # noqa: PLC0415  imported already if a worker broke

        if isinstance(error, BrokenExecutor):
            raise WorkerError from None
        raise


class _Workers(Generic[T]):
    """Workers, and the parent as one of them."""

    def __init__(self, task: Task[T], jobs: int, runner: TaskRunner[T], stack: ExitStack) -> None:
        """Start the workers.

        Args:
            task: what to do with each piece.
            jobs: number of processes, with the parent.
            runner: runs the task in the parent.
            stack: ends the workers.
        """
        # Not before they are needed: multiprocessing and what else they import take 20 ms.
        from urisect.logs.scan.handover import result_directory  # noqa: PLC0415
        from urisect.logs.scan.workers import start_workers  # noqa: PLC0415

        self._directory = stack.enter_context(result_directory())
        self.pool: WorkerPool = stack.enter_context(start_workers(task, self._directory, jobs - 1))
        self._runner = runner
        # While a worker runs a piece, the next one waits for it. The parent may be several ahead.
        self._max_queued = 2 * (jobs - 1)
        self._max_pending = 4 * jobs
        self._pending: deque[tuple[Piece, Future[str | PieceResult[T]]]] = deque()

    @property
    def _has_enough_to_do(self) -> bool:
        return sum(not future.done() for _, future in self._pending) >= self._max_queued

    def run(self, piece: Piece) -> None:
        """Run the task on a piece: in a worker, or here if the workers have enough to do."""
        from concurrent.futures import Future  # noqa: PLC0415  see above

        from urisect.logs.scan.handover import write_block  # noqa: PLC0415
        from urisect.logs.scan.workers import run_in_worker  # noqa: PLC0415

        future: Future[Any]
        if self._has_enough_to_do:
            future = Future()
            try:
                future.set_result(self._runner.run(piece))
            except Exception as error:  # noqa: BLE001  raised when it is the turn of this piece
                future.set_exception(error)
        elif isinstance(piece.content, Block) and piece.content.data:
            path = write_block(piece.content.data, self._directory)
            without_lines = piece._replace(content=piece.content._replace(data=b""))
            future = self.pool.submit(run_in_worker, without_lines, path)
        else:
            future = self.pool.submit(run_in_worker, piece)
        self._pending.append((piece, future))

    def results(self) -> Iterator[tuple[Piece, PieceResult[T]]]:
        """Yield results that are ready, unless the workers need pieces first; wait if too many are pending."""
        while len(self._pending) >= self._max_pending or (
            self._pending and self._pending[0][1].done() and self._has_enough_to_do
        ):
            yield self._next_result()

    def all_results(self) -> Iterator[tuple[Piece, PieceResult[T]]]:
        """Yield the results of all pieces so far."""
        while self._pending:
            yield self._next_result()

    def _next_result(self) -> tuple[Piece, PieceResult[T]]:
        from urisect.logs.scan.handover import read_result  # noqa: PLC0415  see above

        piece, future = self._pending.popleft()
        result = future.result()
        return piece, read_result(result) if isinstance(result, str) else result
