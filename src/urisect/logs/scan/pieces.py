"""Cut files into pieces of whole lines, and read the lines of a piece."""

import io
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from urisect.logs.formats import Format
from urisect.logs.input.blocks import Block, read_blocks
from urisect.logs.input.decompression import MAX_MAGIC_BYTES, decompressed, detect_compression, prepend
from urisect.logs.input.files import STDIN, TextInput
from urisect.logs.input.storage import input_status, open_input, open_range
from urisect.text_types import Stream

__all__ = ["TABLE_BYTES", "FileRange", "Piece", "cut_by_position", "cut_files", "read_piece"]

# Size of a piece of a plain file, and of one of a compressed file or a pipe.
FILE_PIECE_BYTES = 1 << 22
STREAM_PIECE_BYTES = 1 << 21

# Bytes of lines in a table. 1 MiB does not fit in the caches and takes a quarter more time.
TABLE_BYTES = 1 << 18


class FileRange(NamedTuple):
    """Whole lines of a plain file, by position.

    Attributes:
        path: path of the file.
        identity: its device and inode, or its size and version, to detect a replaced file; empty for no check.
        begin: where the lines begin, in bytes.
        end: where they end.
    """

    path: str
    identity: tuple[object, ...]
    begin: int
    end: int


class Piece(NamedTuple):
    """A part of a file, parsed by one process.

    Attributes:
        file: path of the file.
        content: the lines, or where they are, or the error that ends the file.
        header: state from the lines before them, see `Format.header`.
        is_first: whether this is the first piece of its file.
        position: the position in the file after it, in bytes; for a pipe, the bytes before it.
        file_number: the position of the file among all files.
    """

    file: str
    content: Block | FileRange | OSError
    header: bytes
    is_first: bool
    position: int = 0
    file_number: int = 0

    @property
    def size(self) -> int:
        """Number of bytes to parse."""
        match self.content:
            case Block(data=data):
                return len(data)
            case FileRange(begin=begin, end=end):
                return end - begin
        return 0


def cut_files(files: Sequence[str], format: Format, limit: int, *, head: bytes = b"") -> Iterator[Piece]:
    r"""Cut files into pieces.

    Args:
        files: paths; "-" is standard input.
        format: the format of the lines. If it is stateful, a plain file is read here, to know the header of each piece.
        limit: longest line, in bytes.
        head: bytes that were already read from standard input.

    Returns:
        An iterator over the pieces. The last one of a file that cannot be read holds the error.

    >>> import tempfile
    >>> from urisect.logs import LIST
    >>> with tempfile.NamedTemporaryFile() as log:
    ...     _ = log.write(b"/a\n/b\n")
    ...     log.flush()
    ...     [piece.size for piece in cut_files([log.name], LIST, limit=100)]
    [6]
    """
    for name in files:
        is_first = True
        header = b""
        format_of_file = format.for_file(name)
        try:
            with open(0, "rb", closefd=False) if name == STDIN else open_input(name) as file:
                for content in _cut_file(name, file, format_of_file, limit, head):
                    yield Piece(name, content, header, is_first, _position_after(content, file))
                    is_first = False
                    if format_of_file.stateful and isinstance(content, Block):
                        header = format_of_file.header(content.data, header)
        except OSError as error:
            yield Piece(name, error, header, is_first)
        if name == STDIN:
            head = b""


def _position_after(content: Block | FileRange, file: io.BufferedReader) -> int:
    """Return the position in a file after a part of it; for a pipe, the bytes before that part."""
    if isinstance(content, FileRange):
        return content.end
    return file.tell() if file.seekable() else content.offset


def _cut_file(
    name: str, file: io.BufferedReader, format: Format, limit: int, head: bytes
) -> Iterator[Block | FileRange]:
    """Cut a plain file by position, and read everything else here."""
    if name == STDIN:
        return read_blocks(decompressed(prepend(head, file)), limit, is_file=True)
    if isinstance(name, TextInput):
        return read_blocks(file, limit)
    ranges = cut_by_position(name, file, format, FILE_PIECE_BYTES)
    return ranges or read_blocks(_FullReadStream(decompressed(file)), limit, STREAM_PIECE_BYTES, is_file=True)


def cut_by_position(name: str, file: io.BufferedReader, format: Format, piece_bytes: int) -> Iterator[FileRange] | None:
    """Cut a plain file at line ends; return None if it has to be read from its beginning.

    Args:
        name: its path.
        file: the open file.
        format: the format of the lines.
        piece_bytes: a piece ends at the first line end after so many bytes.

    >>> from urisect.logs import LIST
    >>> with open(__file__, "rb") as file:
    ...     [first, *_] = cut_by_position(__file__, file, LIST, 1)
    >>> first.begin, first.end
    (0, 75)
    """
    status = input_status(file)
    has_size = status.has_ranges and status.size > 0  # files in /proc claim a size of 0
    if not has_size or format.stateful or detect_compression(file.peek(MAX_MAGIC_BYTES)):
        return None
    return _cut_plain_file(name, file, piece_bytes)


def _cut_plain_file(name: str, file: io.BufferedReader, piece_bytes: int) -> Iterator[FileRange]:
    """Cut a plain file at the first line end after every `piece_bytes`."""
    begin, (size, identity, _) = 0, input_status(file)
    while begin < size:
        file.seek(begin + piece_bytes - 1)
        end = begin + piece_bytes - 1
        while chunk := file.read(io.DEFAULT_BUFFER_SIZE):
            found = chunk.find(b"\n") + 1
            end += found or len(chunk)
            if found:
                break
        end_of_file = max(size, input_status(file).size)  # the file may have grown
        yield FileRange(name, identity, begin, min(end, end_of_file))
        begin = end


class _FullReadStream:
    """A stream whose reads return as many bytes as requested, except at the end."""

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
        except OSError as error:  # return what was read before it first
            if not parts:
                raise
            self._failure = error
        return b"".join(parts)


def read_piece(piece: Piece, limit: int, size: int = TABLE_BYTES) -> Iterator[Block]:
    r"""Read the lines of a piece, in blocks for tables.

    Args:
        piece: a piece from `cut_files`.
        limit: longest line, in bytes.
        size: bytes of a block.

    Raises:
        OSError: the file cannot be read any further, or it was replaced.

    >>> piece = Piece("-", Block(0, b"/a\n/b\n"), header=b"", is_first=True)
    >>> [block.data for block in read_piece(piece, limit=100)]
    [b'/a\n/b\n']
    """
    match piece.content:
        case Block() as block:
            yield from _cut_block(block, size)
        case FileRange(path=path, identity=identity, begin=begin, end=end):
            with open_range(path, begin, end - begin) as file:
                if identity and input_status(file).identity != identity:
                    raise OSError("the file was replaced while it was read")
                yield from read_blocks(_RangeStream(file, end - begin), limit, size, begin, is_file=True)
        case error:
            raise error


def _cut_block(block: Block, size: int) -> Iterator[Block]:
    """Cut a block at line ends; a line that cannot be read stays as it is."""
    begin, end = 0, len(block.data)
    if end <= _even_size(end, size):
        yield block
        return
    while begin < end:
        middle = begin + _even_size(end - begin, size)
        cut = block.data.rfind(b"\n", begin, middle) + 1 or block.data.find(b"\n", middle) + 1 or end
        yield Block(block.offset + begin, block.data[begin:cut])
        begin = cut


def _even_size(length: int, size: int) -> int:
    """Return a size near another one that divides a length evenly: a small block takes long for its few lines.

    >>> _even_size(1000, 300), _even_size(7, 300)
    (334, 7)
    """
    return -(-length // max(1, round(length / size)))


class _RangeStream:
    """The next `length` bytes of a file.

    Reads of a local file end at a line end if they can, so that `read_blocks` copies nothing: half of the time of
    reading.
    """

    def __init__(self, file: io.RawIOBase, length: int) -> None:
        self._file = file
        self._bytes_left = length
        self._is_local = isinstance(file, io.FileIO)

    def read1(self, size: int, /) -> bytes:
        data = self._file.read(_even_size(self._bytes_left, size)) or b""
        if self._bytes_left and not data:
            raise OSError("the file became shorter while it was read")
        if self._is_local and (end := data.rfind(b"\n") + 1) and end < len(data):
            self._file.seek(end - len(data), os.SEEK_CUR)
            data = data[:end]
        self._bytes_left -= len(data)
        return data
