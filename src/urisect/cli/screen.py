"""What is drawn with rich, and therefore loaded only when it is to be seen."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO, NoReturn

from rich.bar import Bar
from rich.columns import Columns
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.table import Table
from rich.text import Text

from urisect.cli.output import OutputError, visible

VALUE_WIDTH = 26
BAR_WIDTH = 10


@contextmanager
def watched(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """Wrap an open file, so that reading it moves a bar on standard error; the bar is gone when the file is closed."""
    with _progress() as progress:
        size = os.fstat(file.fileno()).st_size
        yield progress.wrap_file(file, total=size or None, description=escape(visible(name)))


@contextmanager
def watching() -> Iterator[Callable[[str, int, int], None]]:
    """Give what moves a bar on standard error: it is told a file, a position in it, and its size."""
    with _progress() as progress:
        task = progress.add_task("")

        def show(file: str, position: int, size: int) -> None:
            progress.update(task, description=escape(visible(file)), completed=min(position, size), total=size or None)

        yield show


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


def show_counts(headline: str, counts: Mapping[str, Counter[bytes]], *, top: int) -> None:
    """Print a headline, and of each count, under its title, the most frequent values with bars."""
    console = _Console()
    console.print(f"{headline}\n", highlight=False)
    tables = [_table(title, count, top) for title, count in counts.items()]
    console.print(Columns(tables, padding=(1, 4)))


class _Console(Console):
    """A console that leaves a closed pipe to the command."""

    def on_broken_pipe(self) -> NoReturn:
        raise OutputError("standard output", BrokenPipeError())


def _table(title: str, count: Counter[bytes], top: int) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, show_header=False, pad_edge=False)
    table.add_column(width=VALUE_WIDTH, no_wrap=True)
    table.add_column(justify="right")
    table.add_column(width=BAR_WIDTH)
    rows = count.most_common(top)
    for value, times in rows:
        table.add_row(Text(visible(value)), f"{times:,}", Bar(rows[0][1], 0, times, width=BAR_WIDTH, color="cyan"))
    return table
