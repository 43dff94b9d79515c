"""Worker processes: how they start, run a task, and end with their parent."""

import atexit
import os
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import Pipe, get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import TYPE_CHECKING, Any

from urisect.hidden_pandas import hide_pandas
from urisect.logs.input.blocks import Block
from urisect.logs.scan.handover import read_block, write_result
from urisect.logs.scan.pieces import Piece
from urisect.logs.scan.task import T, Task, TaskRunner

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["WorkerPool", "run_in_worker", "start_workers"]


class WorkerPool(ProcessPoolExecutor):
    """Worker processes; spawned, since a process forked from one with threads may wait for a lock forever."""

    def __init__(self, task: Task[Any], directory: str, number: int) -> None:
        """Start them; see `start_workers`."""
        super().__init__(number, get_context("spawn"), _initialize_worker, (task, directory))
        with _block_interrupts() if hasattr(signal, "pthread_sigmask") else nullcontext():  # not on Windows
            # Each call starts a process.
            self._first_calls: list[Future[int]] = [self.submit(os.getpid) for _ in range(number)]

    @property
    def is_ready(self) -> bool:
        """Whether a worker has started, which takes 0.2 to 0.4 s."""
        return any(call.done() for call in self._first_calls)


def start_workers(task: Task[T], directory: str, number: int) -> WorkerPool:
    """Start worker processes.

    Args:
        task: what the workers do with pieces, see `run_in_worker`.
        directory: temporary directory for their results.
        number: number of workers.
    """
    return WorkerPool(task, directory, number)


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block SIGINT in processes that start meanwhile; the parent handles it and ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# Set once in each worker.
_runner: TaskRunner[Any]
_directory: str


def _initialize_worker(task: Task[Any], directory: str) -> None:
    """Initialize a worker; only the parent handles SIGINT, and the worker ends with its parent."""
    global _runner, _directory  # noqa: PLW0603  a worker has one task
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hide_pandas()
    reader, writer = Pipe(duplex=False)
    watcher = Thread(target=_exit_with_parent, args=(reader, directory), daemon=True)
    watcher.start()
    # At exit, close the pipe, and wait for the watcher to end: it would keep objects alive that have to go first.
    atexit.register(watcher.join)
    atexit.register(writer.close)
    _runner = TaskRunner(task)
    _directory = directory
    with suppress(Exception):  # an error that a blank line causes is raised again by the first piece
        _runner.run(Piece("", Block(0, b"\n"), b"", is_first=True))  # imports numpy and pyarrow: 0.2 s


def _exit_with_parent(pipe: Connection, directory: str) -> None:
    """Wait until this worker closes its pipe; if the parent ends first, remove its temporary directory and exit."""
    parent = parent_process()
    if parent and parent.sentinel in wait([parent.sentinel, pipe]):  # pragma: no cover  os._exit() drops coverage data
        shutil.rmtree(directory, ignore_errors=True)
        os._exit(1)


def run_in_worker(piece: Piece, path: str = "") -> str:
    """Run the task of this worker on a piece.

    Args:
        piece: a part of a file.
        path: the file of its lines, see `write_block`; empty if the piece says where they are.

    Returns:
        The path of the result, see `read_result`.

    Raises:
        WorkerError: the lines cannot be read, or the result cannot be stored.
    """
    if isinstance(piece.content, Block) and path:
        piece = piece._replace(content=piece.content._replace(data=read_block(path)))
    return write_result(_runner.run(piece), _directory)
