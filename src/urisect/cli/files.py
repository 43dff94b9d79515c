"""Read files, whole or line by line, for the commands that work on references and text."""

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from json import JSONEncoder
from typing import Any, Generic, NamedTuple, TypeVar

from urisect.cli.messages import format_location, print_file_error, print_waiting
from urisect.cli.unreadable import find_unreadable
from urisect.logs.input.blocks import Block, read_blocks
from urisect.logs.input.decompression import decompressed
from urisect.logs.input.files import STDIN, TextInput
from urisect.text_types import Stream

__all__ = [
    "FileReader",
    "Line",
    "read_argument_blocks",
    "serialize_json",
]

Item = TypeVar("Item")


class FileReader(Generic[Item]):
    """An iterable over the contents of files. Files that cannot be opened are reported first, and the others are read.

    Attributes:
        complete: whether every file was read to its end; final after the iteration.
    """

    def __init__(self, files: Sequence[str], read: Callable[[Stream], Iterator[Item]], *, progress: bool) -> None:
        """Store the files; nothing is opened yet.

        Args:
            files: paths, or arguments as `TextInput`; "-" is standard input, and so is an empty list.
            read: yields the items of one stream, such as tables.
            progress: whether to show a progress bar on a terminal.
        """
        self.complete = True
        self._files = files or (STDIN,)
        self._read = read
        self._progress = progress

    def __iter__(self) -> Iterator[tuple[str, Item]]:
        """Yield the path of a file and an item from it."""
        unreadable = set()
        for name, error in find_unreadable(self._files):
            self._report(name, error)
            unreadable.add(name)
        for name in self._files:
            if name in unreadable:
                continue
            try:
                with _open(name, progress=self._progress) as stream:
                    for item in self._read(stream):
                        yield name, item
            except OSError as error:
                self._report(name, error)

    def _report(self, name: str, error: OSError) -> None:
        print_file_error(name, error)
        self.complete = False


@contextmanager
def _open(name: str, *, progress: bool) -> Iterator[Stream]:
    """Open a file or standard input, decompressed; show progress if standard error is a terminal and output is not."""
    if isinstance(name, TextInput):
        yield _TextStream(name.content)
        return
    with ExitStack() as stack:
        is_file = name != STDIN
        if progress and not is_file:
            print_waiting()
        file: Any = stack.enter_context(open(name if is_file else 0, "rb", buffering=0, closefd=is_file))
        if progress and is_file and sys.stderr.isatty() and not os.isatty(1):
            from urisect.cli.progress import file_progress  # noqa: PLC0415  rich is slow to import

            file = stack.enter_context(file_progress(file, name))
        yield decompressed(io.BufferedReader(file))


class _TextStream(io.BytesIO):
    """The content of an argument, which is no file."""


def read_argument_blocks(stream: Stream, *, limit: int) -> Iterator[Block]:
    r"""Read what `FileReader` has opened in blocks of whole lines.

    Args:
        stream: read to its end. In an argument, a byte order mark is data.
        limit: the longest line, in bytes; longer ones are skipped.

    >>> list(read_argument_blocks(io.BytesIO(b"\xef\xbb\xbfa\n"), limit=9))
    [Block(offset=3, data=b'a\n', length=0, reason='')]
    """
    return read_blocks(stream, limit, is_file=not isinstance(stream, _TextStream))


class Line(NamedTuple):
    """A line with findings.

    Attributes:
        file: the path as it was given.
        line: the line number, from 1.
        offset: the position of the line in the file, in bytes.
        reference: the line as text; a byte that is not UTF-8 is a lone surrogate (PEP 383).

    >>> Line("list", 1, 0, "http://a/").location(7)
    'list:1:8:'
    """

    file: str
    line: int
    offset: int
    reference: str

    def location(self, start: int) -> str:
        """Write the location of a character of the line, counted from 0."""
        return format_location(self.file, self.line, start + 1)


_encode = JSONEncoder(separators=(",", ":")).encode


def serialize_json(value: object) -> str:
    r"""Write a value as one line of JSON in ASCII; a lone surrogate stands for a byte that is not UTF-8 (PEP 383).

    >>> serialize_json({"path": "/\udcff"})
    '{"path":"/\\udcff"}\n'
    """
    return f"{_encode(value)}\n"
