"""Worker processes: how they start, work on pieces, and end with their parent."""

import atexit
import io
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from multiprocessing import Pipe, get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import TYPE_CHECKING, Any, Generic

from urisect.logs.input.blocks import Block, read_blocks
from urisect.logs.input.reader import BlockParser, Rejected, Skipped
from urisect.logs.scan.handover import storage_errors, write_result
from urisect.logs.scan.pieces import Piece, Range, _Span, file_identity
from urisect.logs.scan.task import PieceResult, T, Task

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

__all__ = ["BLOCK"]

BLOCK = 1 << 18  # bytes of lines in a table: 1 MiB, no longer in the caches, takes a quarter more time


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Start processes that no interrupt reaches, not even before they are ready: to end them is up to this one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Worker(Generic[T]):
    """What one process does with pieces."""

    def __init__(self, task: Task[T]) -> None:
        self._task = task
        self._cut = BlockParser(task.format, task.columns)

    def __call__(self, piece: Piece) -> PieceResult[T]:
        """Work on one piece; its lines are numbered from 0."""
        made: list[T] = []
        rejected: list[Rejected] = []
        skipped: list[Skipped] = []
        parsed = 0
        error: OSError | None = None
        try:
            for table in self._cut.tables(self._blocks(piece.content), line=0, header=piece.header):
                made.append(self._task.make(table))
                parsed += table.parsed
                rejected += table.rejected
                skipped += table.skipped
        except OSError as failure:
            error = failure
        if self._task.join and len(made) > 1:
            made = [self._task.join(made)]
        return PieceResult(piece.file, made, parsed, rejected, skipped, error)

    def _blocks(self, content: Block | Range | OSError) -> Iterator[Block]:
        match content:
            case Block(offset=offset, data=data) if data:
                yield from read_blocks(io.BytesIO(data), self._task.limit, BLOCK, offset)
            case Block():
                yield content
            case Range(file=name, begin=begin, end=end):
                with open(name, "rb", buffering=0) as file:
                    if file_identity(file) != content.identity:
                        raise OSError("another file has come in its place")
                    file.seek(begin)
                    yield from read_blocks(_Span(file, end - begin), self._task.limit, BLOCK, begin, is_file=True)
            case _:
                raise content


def start_workers(task: Task[T], folder: str, jobs: int) -> "ProcessPoolExecutor":
    """Start processes anew: one that is forked from a process with threads may wait for a lock forever."""
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415  it takes longer to load than most files

    context = get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_initialize, initargs=(task, folder))
    with _block_interrupts() if hasattr(signal, "pthread_sigmask") else nullcontext():  # Windows has none
        for _ in range(jobs):
            pool.submit(os.getpid)  # each starts a process
    return pool


_run: Callable[[Piece], str]


def _initialize(task: Task[Any], folder: str) -> None:
    """Begin to be a process that works for another, which alone is interrupted, and may be killed."""
    global _run  # noqa: PLW0603  such a process has one task
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reader, writer = Pipe(duplex=False)
    watcher = Thread(target=_exit_with_parent, args=(reader, folder), daemon=True)
    watcher.start()
    atexit.register(watcher.join)  # or it would keep alive to the very end what has to go before
    atexit.register(writer.close)
    work = Worker(task)

    def there(piece: Piece) -> str:
        done = work(piece)
        with storage_errors():
            return write_result(done, folder)

    _run = there


def _exit_with_parent(end: Connection, folder: str) -> None:
    """Wait for the end of this process, or of the one that it works for, which may have left the folder behind."""
    parent = parent_process()
    if parent and parent.sentinel in wait([parent.sentinel, end]):  # pragma: no cover  it is not counted by then
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)


def run_in_worker(piece: Piece) -> str:
    return _run(piece)
