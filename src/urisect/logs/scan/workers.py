"""Worker processes: how they start, run a task, and end with their parent."""

import atexit
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from multiprocessing import Pipe, get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import TYPE_CHECKING, Any

from urisect.logs.scan.handover import write_result
from urisect.logs.scan.pieces import Piece
from urisect.logs.scan.task import T, Task, TaskRunner

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

__all__ = ["run_in_worker", "start_workers"]


def start_workers(task: Task[T], directory: str, jobs: int) -> "ProcessPoolExecutor":
    """Start worker processes; spawned, since a process forked from one with threads may wait for a lock forever.

    Args:
        task: what the workers do with pieces, see `run_in_worker`.
        directory: temporary directory for their results.
        jobs: number of workers.
    """
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415  importing it takes longer than most files

    context = get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_initialize_worker, initargs=(task, directory))
    with _block_interrupts() if hasattr(signal, "pthread_sigmask") else nullcontext():  # not on Windows
        for _ in range(jobs):
            pool.submit(os.getpid)  # each call starts a process
    return pool


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
    reader, writer = Pipe(duplex=False)
    watcher = Thread(target=_exit_with_parent, args=(reader, directory), daemon=True)
    watcher.start()
    # At exit, close the pipe, and wait for the watcher to end: it would keep objects alive that have to go first.
    atexit.register(watcher.join)
    atexit.register(writer.close)
    _runner = TaskRunner(task)
    _directory = directory


def _exit_with_parent(pipe: Connection, directory: str) -> None:
    """Wait until this worker closes its pipe; if the parent ends first, remove its temporary directory and exit."""
    parent = parent_process()
    if parent and parent.sentinel in wait([parent.sentinel, pipe]):  # pragma: no cover  os._exit() drops coverage data
        shutil.rmtree(directory, ignore_errors=True)
        os._exit(1)


def run_in_worker(piece: Piece) -> str:
    """Run the task of this worker on a piece.

    Args:
        piece: a part of a file.

    Returns:
        The path of the result, see `read_result`.

    Raises:
        WorkerError: the result cannot be stored.
    """
    return write_result(_runner.run(piece), _directory)
