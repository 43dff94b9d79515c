"""Hand blocks of lines to workers, and results to their parent, in temporary files."""

import os
import pickle
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from tempfile import mkstemp
from typing import Any

from urisect.logs.errors import WorkerError
from urisect.logs.scan.task import PieceResult
from urisect.logs.temporary import TemporaryDirectory

__all__ = ["read_block", "read_result", "result_directory", "write_block", "write_result"]

ALIGNMENT_BYTES = 64  # of buffers in memory, as the Arrow format recommends


def result_directory() -> TemporaryDirectory:
    """Create the temporary directory for worker results.

    Raises:
        WorkerError: it cannot be created.
    """
    with _storage_errors():
        return TemporaryDirectory()


def write_result(result: PieceResult[Any], directory: str) -> str:
    """Write a result to a new file; a pipe takes half as long again.

    The buffers of record batches are written unpickled and aligned, so that the parent can map them into memory.

    Args:
        result: the result for one piece.
        directory: where to create the file.

    Returns:
        The path of the file.

    Raises:
        WorkerError: the file cannot be written.

    >>> with result_directory() as directory:
    ...     read_result(write_result(PieceResult("log", ["output"], 1, [], []), directory)).outputs
    ['output']
    """
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(result, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
    parts = [memoryview(data), *(buffer.raw() for buffer in buffers)]
    with _storage_errors():
        descriptor, path = mkstemp(dir=directory)
        with open(descriptor, "wb") as file:
            file.write(array("Q", [len(parts), *map(len, parts)]))
            for part in parts:
                file.write(bytes(-file.tell() % ALIGNMENT_BYTES))
                file.write(part)
    return path


def read_result(path: str) -> PieceResult[Any]:
    """Read a result from its file, and remove the file.

    Args:
        path: what `write_result` returned.

    Raises:
        WorkerError: the file cannot be read.
    """
    with _storage_errors(), open(path, "rb") as file:
        os.unlink(path)
        content = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    numbers = content[: len(content) // 8 * 8].cast("Q")
    count = numbers[0]
    position = 8 * (1 + count)
    parts: list[memoryview] = []
    for length in numbers[1 : 1 + count]:
        position += -position % ALIGNMENT_BYTES
        parts.append(content[position : position + length])
        position += length
    result: PieceResult[Any] = pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301  written by a worker
    return result


def write_block(data: bytes, directory: str) -> str:
    """Write lines to a new file; a pipe takes two and a half times as long.

    Args:
        data: the lines.
        directory: where to create the file.

    Returns:
        The path of the file.

    Raises:
        WorkerError: the file cannot be written.

    >>> with result_directory() as directory:
    ...     read_block(write_block(b"/a", directory))
    b'/a'
    """
    with _storage_errors():
        descriptor, path = mkstemp(dir=directory)
        with open(descriptor, "wb", buffering=0) as file:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
    return path


def read_block(path: str) -> bytes:
    """Read lines from their file, and remove the file.

    Args:
        path: what `write_block` returned.

    Raises:
        WorkerError: the file cannot be read.
    """
    with _storage_errors(), open(path, "rb", buffering=0) as file:
        os.unlink(path)
        return file.read()


@contextmanager
def _storage_errors() -> Iterator[None]:
    """Turn an OSError of the temporary directory into an error that says what the directory is for."""
    try:
        yield
    except OSError as error:
        raise WorkerError(
            f"the result of a worker process cannot be stored in the temporary directory: {error.strerror}; "
            "set TMPDIR to another directory; jobs=1 needs none"
        ) from None
