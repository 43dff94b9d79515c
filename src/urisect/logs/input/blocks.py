"""Read a stream in blocks of whole lines, in bounded memory."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import accumulate
from operator import add
from typing import NamedTuple

from urisect.bulk import CHUNK_LENGTH
from urisect.text_types import Stream, get_read1

__all__ = ["BLOCK_BYTES", "MAX_LINE_BYTES", "Block", "line_offsets", "read_blocks"]

# Bytes per read: 32 KiB to 512 KiB are equally fast, 4 MiB take half as long again. Together with the rest of a line
# before it, a block is still smaller than the chunk into which `urisect.bulk.extract_columns` would split it.
BLOCK_BYTES = CHUNK_LENGTH // 2

# Default length limit of a line, without its "\n". Servers limit a request to some ten thousand bytes.
MAX_LINE_BYTES = 1 << 20


class Block(NamedTuple):
    """Whole lines, or one line that cannot be read.

    Attributes:
        offset: where it begins in the stream, in bytes.
        data: the lines; empty for a line that cannot be read.
        length: length of the line that cannot be read, in bytes, without its end.
        reason: why it cannot be read: "too long" or "cut off".
    """

    offset: int
    data: bytes
    length: int = 0
    reason: str = ""


def read_blocks(
    stream: Stream, limit: int, size: int = BLOCK_BYTES, offset: int = 0, *, is_file: bool = False
) -> Iterator[Block]:
    r"""Read a stream in blocks that end at line ends, without the lines that are too long.

    Args:
        stream: read to its end. An exception that it raises is raised again after all blocks before it.
        limit: longest line, in bytes, without its "\n".
        size: bytes per read.
        offset: where the stream begins in its file, in bytes.
        is_file: whether this is a file, as commands read it: then a byte order mark at its beginning (RFC 3629, 6) is
            not part of the first line. It is data anywhere else.

    Raises:
        TypeError: the stream is not a buffered binary one.

    >>> import io
    >>> [(block.data, block.length) for block in read_blocks(io.BytesIO(b"a\nlong\nb"), limit=3)]
    [(b'a\n', 0), (b'', 4), (b'b', 0)]
    >>> list(read_blocks(io.BytesIO(b"\xef\xbb\xbfa\n"), limit=3, is_file=True))
    [Block(offset=3, data=b'a\n', length=0, reason='')]
    """
    held: list[bytes] = []  # beginning of the line at the offset
    length = 0  # of that beginning, even if it is too long to be held
    read1 = get_read1(stream)
    is_beginning = is_file and offset == 0
    while True:
        try:
            chunk = read1(size)
        except Exception:
            if length:
                yield Block(offset, b"", length, "cut off")
            raise
        if not chunk:
            break
        if is_beginning:
            chunk = b"".join((*held, chunk))
            held.clear()
            length = 0
            is_beginning = len(chunk) < len(BOM_UTF8) and BOM_UTF8.startswith(chunk)  # more of the mark may follow
            if chunk.startswith(BOM_UTF8):
                chunk = chunk.removeprefix(BOM_UTF8)
                offset = len(BOM_UTF8)
        end = chunk.rfind(b"\n") + 1
        if end and length > limit:
            first = chunk.find(b"\n") + 1
            length += first - 1
            yield Block(offset, b"", length, "too long")
            offset += length + 1
            chunk, end, length = chunk[first:], end - first, 0
        if end:
            whole_lines = b"".join((*held, memoryview(chunk)[:end]))  # copies once
            yield from _cut_out_long_lines(whole_lines, offset, limit)
            offset += len(whole_lines)
            held.clear()
            length = 0
        length += len(chunk) - end
        if length > limit and not is_beginning:
            held.clear()
        elif end < len(chunk):  # an empty rest would make the next join copy its block
            held.append(chunk[end:])
    if length > limit:
        yield Block(offset, b"", length, "too long")
    elif length:
        yield Block(offset, b"".join(held))


def _cut_out_long_lines(lines: bytes, offset: int, limit: int) -> Iterator[Block]:
    """Cut lines that are too long out of whole lines.

    Jump from a line end to the last line end within the limit: a few steps for a limit of 1 MiB, a step per line for a
    small one.
    """
    begin = position = 0  # of the next block, of the current line
    while position < len(lines):
        end = lines.rfind(b"\n", position, position + limit + 1) + 1
        if end:
            position = end
            continue
        end = lines.index(b"\n", position) + 1
        if begin < position:
            yield Block(offset + begin, lines[begin:position])
        yield Block(offset + position, b"", end - 1 - position, "too long")
        begin = position = end
    if begin < len(lines):
        yield Block(offset + begin, lines[begin:])


def line_offsets(block: bytes, offset: int) -> Iterator[int]:
    r"""Yield where each line of a block begins in the stream, and where the next line would begin.

    Args:
        block: whole lines.
        offset: where the block begins, in bytes.

    >>> list(line_offsets(b"a\r\nb\n", 10))
    [10, 13, 15, 16]
    """
    texts = block.split(b"\n")
    return map(add, accumulate(map(len, texts), initial=offset), range(len(texts) + 1))  # plus one "\n" per line
