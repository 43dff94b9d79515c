"""Show progress bars on standard error. This module imports rich, so it is imported only where a bar is shown."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from urisect.cli.messages import visible
from urisect.logs.input.locations import shown_name

__all__ = ["file_progress", "scan_progress"]


@contextmanager
def file_progress(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Wrap an open file, so that reading it moves a progress bar; the bar disappears at the end.

    Args:
        file: a file that is open for reading.
        name: the label before the bar.
    """
    with _progress() as progress:
        size = os.fstat(file.fileno()).st_size
        yield progress.wrap_file(file, total=size or None, description=escape(visible(name)))


@contextmanager
def scan_progress(files: Sequence[str]) -> Iterator[Callable[[str, int], None]]:
    """Return a function that moves a progress bar: it takes a file and the position in it, in bytes.

    The bar shows how much of all files is parsed; it only moves to and fro if the size of one is unknown.

    Args:
        files: the paths of the files.
    """
    sizes = [os.path.getsize(name) if os.path.isfile(name) else None for name in files]
    positions: dict[str, int] = {}
    with _progress() as progress:
        task = progress.add_task("", total=None if None in sizes else sum(filter(None, sizes)))

        def update(file: str, position: int) -> None:
            positions[file] = position
            progress.update(task, description=escape(visible(shown_name(file))), completed=sum(positions.values()))

        yield update


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
