"""Cut files into pieces of whole lines, and read a piece."""

import io
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from urisect.logs.input.blocks import Block, Stream, read_blocks
from urisect.logs.input.decompression import LONGEST_MAGIC, compression, decompressed, prepend
from urisect.logs.input.files import STDIN
from urisect.logs.scan.task import Task

__all__ = ["GATHERED", "RANGE", "Piece", "Range"]

RANGE = 1 << 22  # bytes of a plain file in a piece

GATHERED = 1 << 21  # bytes of a stream in a piece


class Range(NamedTuple):
    """Whole lines of a plain file.

    Attributes:
        file: its path.
        identity: what tells it from a file that comes to have this path.
        begin: where they begin, in bytes.
        end: where they end.
    """

    file: str
    identity: tuple[int, int]
    begin: int
    end: int


class Piece(NamedTuple):
    """Whole lines that one process works on.

    Attributes:
        file: the path of the file that they are from.
        content: the lines, or where they are, or why there are no more.
        header: what is to be known of the lines before them; see `Format.header`.
        is_first: whether the file begins with it.
    """

    file: str
    content: Block | Range | OSError
    header: bytes
    is_first: bool

    @property
    def size(self) -> int:
        """How many bytes there are to be read."""
        match self.content:
            case Block(data=data):
                return len(data)
            case Range(begin=begin, end=end):
                return end - begin
        return 0


def file_identity(file: io.FileIO | io.BufferedReader) -> tuple[int, int]:
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino


class _Span:
    """So many bytes of a file, from where it stands."""

    def __init__(self, file: io.FileIO, length: int) -> None:
        self._file = file
        self._left = length

    def read1(self, size: int, /) -> bytes:
        data = self._file.read(min(size, self._left))
        if self._left and not data:
            raise OSError("it has become shorter while it was read")
        self._left -= len(data)
        return data


def cut_files(
    files: Sequence[str], task: Task[Any], head: bytes, progress: Callable[[str, int, int], object] | None
) -> Iterator[Piece]:
    """Cut files into pieces."""
    for name in files:
        is_first = True
        header = b""
        try:
            with open(0 if name == STDIN else name, "rb", closefd=name != STDIN) as file:
                size = os.fstat(file.fileno()).st_size
                for content in _cut_file(name, file, task, head):
                    yield Piece(name, content, header, is_first)
                    is_first = False
                    if task.format.stateful and isinstance(content, Block):
                        header = task.format.header(content.data, header)
                    if progress:
                        progress(name, _position(content, file), size)
        except OSError as error:
            yield Piece(name, error, header, is_first)
        if name == STDIN:
            head = b""


def _position(content: Block | Range, file: io.BufferedReader) -> int:
    """Tell how far a file has been read, or a pipe, which itself cannot tell."""
    if isinstance(content, Range):
        return content.end
    return file.tell() if file.seekable() else content.offset


def _cut_file(name: str, file: io.BufferedReader, task: Task[Any], head: bytes) -> Iterator[Block | Range]:
    """Cut one file: by bytes if it has lines as they are, none of which tells how to read others."""
    if name == STDIN:
        return read_blocks(decompressed(prepend(head, file)), task.limit, is_file=True)
    status = os.fstat(file.fileno())
    has_size = stat.S_ISREG(status.st_mode) and status.st_size > 0  # that of what is in /proc is said to be 0
    if has_size and not task.format.stateful and compression(file.peek(LONGEST_MAGIC)) is None:
        return _ranges(name, file)
    return read_blocks(_FullReads(decompressed(file)), task.limit, GATHERED, is_file=True)


def _ranges(name: str, file: io.BufferedReader) -> Iterator[Range]:
    """Cut a plain file where lines end, into pieces of `RANGE` bytes and the rest of a line."""
    begin, size, identity = 0, os.fstat(file.fileno()).st_size, file_identity(file)
    while begin < size:
        file.seek(begin + RANGE - 1)
        end = begin + RANGE - 1
        while chunk := file.read(io.DEFAULT_BUFFER_SIZE):
            found = chunk.find(b"\n") + 1
            end += found or len(chunk)
            if found:
                break
        yield Range(name, identity, begin, min(end, max(size, os.fstat(file.fileno()).st_size)))  # it may have grown
        begin = end


class _FullReads:
    """A stream of which each reading gives as much as is asked for, up to its end."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._failure: Exception | None = None

    def read1(self, size: int, /) -> bytes:
        if self._failure:
            raise self._failure
        parts: list[bytes] = []
        missing = size
        try:
            while missing > 0 and (part := self._stream.read1(missing)):
                parts.append(part)
                missing -= len(part)
        except OSError as error:  # what was read before it comes first
            if not parts:
                raise
            self._failure = error
        return b"".join(parts)
