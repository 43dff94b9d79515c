"""Hand results from a worker to its parent in temporary files."""

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

__all__ = ["ALIGNMENT"]

ALIGNMENT = 64  # of columns in memory, as Arrow wants it


def write_result(done: PieceResult[Any], folder: str) -> str:
    """Leave what became of a piece in a file, for a pipe takes half as long again.

    The columns of record batches are written as they are, and mapped into memory by whoever takes them.
    """
    columns: list[pickle.PickleBuffer] = []
    data = pickle.dumps(done, pickle.HIGHEST_PROTOCOL, buffer_callback=columns.append)
    parts = [memoryview(data), *(column.raw() for column in columns)]
    descriptor, path = mkstemp(dir=folder)
    with open(descriptor, "wb") as file:
        file.write(array("Q", [len(parts), *map(len, parts)]))
        for part in parts:
            file.write(bytes(-file.tell() % ALIGNMENT))
            file.write(part)
    return path


def read_result(path: str) -> PieceResult[Any]:
    """Take what another process has left."""
    with storage_errors(), open(path, "rb") as file:
        os.unlink(path)
        content = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    numbers = content[: len(content) // 8 * 8].cast("Q")
    count = numbers[0]
    position = 8 * (1 + count)
    parts: list[memoryview] = []
    for length in numbers[1 : 1 + count]:
        position += -position % ALIGNMENT
        parts.append(content[position : position + length])
        position += length
    done: PieceResult[Any] = pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301  written above
    return done


def result_folder() -> TemporaryDirectory:
    """Make a folder for what others leave here."""
    with storage_errors():
        return TemporaryDirectory()


@contextmanager
def storage_errors() -> Iterator[None]:
    """Do something in that folder. Whoever reads only logs need not know that there is one."""
    try:
        yield
    except OSError as error:
        raise WorkerError(
            f"what a worker process made cannot be kept in a temporary folder: {error.strerror}; "
            "TMPDIR names another place for it, and --jobs 1 needs none"
        ) from None
