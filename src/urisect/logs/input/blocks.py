"""Read a stream in blocks of whole lines, in bounded memory."""

import sys
from collections.abc import Callable, Iterator
from itertools import accumulate
from operator import add
from typing import NamedTuple, Protocol

from urisect.bulk import CHUNK_LENGTH
from urisect.logs.formats.request import SIGNATURE

__all__ = ["LIMIT", "Block", "Stream", "blocks", "line_offsets", "read_blocks"]

# How many bytes are asked of a stream at once: 32 KiB to 512 KiB are equally fast, 4 MiB take half as long again. With
# the rest of a line before it, a block is still less than the chunk that `cut` would cut it into.
BLOCK = CHUNK_LENGTH // 2

# How long a line may be, in bytes, the "\n" at its end not counted: servers limit a request to some ten thousands.
LIMIT = 1 << 20


class Stream(Protocol):
    """What is read from: a buffered binary file, a pipe, `io.BytesIO`."""

    def read1(self, size: int, /) -> bytes:
        """Read at most so many bytes, with one read of what lies below; none at the end."""
        ...  # pragma: no cover


class Block(NamedTuple):
    """Whole lines, or what there is to say of one that is none of them.

    Attributes:
        offset: where it begins in the stream, in bytes.
        data: the lines; empty if there is one that cannot be had.
        length: how long that is, without its end.
        reason: why it cannot be had: "too long" or "cut off".
    """

    offset: int
    data: bytes
    length: int = 0
    reason: str = ""


def reading(stream: Stream) -> Callable[[int], bytes]:
    """Give what reads a stream.

    Raises:
        TypeError: the stream is none of bytes.
    """
    if not hasattr(stream, "read1"):
        raise TypeError(
            f"lines are read from a buffered binary stream, as open(path, 'rb') gives, not {type(stream).__name__}"
        )
    return stream.read1


def read_blocks(
    stream: Stream, limit: int, size: int = BLOCK, offset: int = 0, *, is_file: bool = False
) -> Iterator[Block]:
    r"""Read a stream in blocks, each of which ends where a line ends, and leave out lines that are too long.

    Args:
        stream: read to its end. What it raises is raised again, after all that could be read has been given.
        limit: how long a line may be, in bytes, the "\n" at its end not counted.
        size: how many bytes are read at once.
        offset: where the stream begins, in what it is a part of.
        is_file: whether that is a file, as every command reads it: its first line begins after a UTF-8 signature (RFC
            3629, 6), which is data anywhere else.

    Raises:
        TypeError: the stream is none of bytes.

    >>> import io
    >>> [(block.data, block.length) for block in read_blocks(io.BytesIO(b"a\nlong\nb"), limit=3)]
    [(b'a\n', 0), (b'', 4), (b'b', 0)]
    >>> list(read_blocks(io.BytesIO(b"\xef\xbb\xbfa\n"), limit=3, is_file=True))
    [Block(offset=3, data=b'a\n', length=0, reason='')]
    """
    held: list[bytes] = []  # the beginning of the line at the offset
    length = 0  # of that, even if it is not held since it is too long
    read1 = reading(stream)
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
            is_beginning = len(chunk) < len(SIGNATURE) and SIGNATURE.startswith(chunk)  # more of it may follow
            if chunk.startswith(SIGNATURE):
                chunk = chunk.removeprefix(SIGNATURE)
                offset = len(SIGNATURE)
        end = chunk.rfind(b"\n") + 1
        if end and length > limit:
            first = chunk.find(b"\n") + 1
            length += first - 1
            yield Block(offset, b"", length, "too long")
            offset += length + 1
            chunk, end, length = chunk[first:], end - first, 0
        if end:
            whole_lines = b"".join((*held, chunk[:end]))
            yield from _within(whole_lines, offset, limit)
            offset += len(whole_lines)
            held.clear()
            length = 0
        length += len(chunk) - end
        if length > limit and not is_beginning:
            held.clear()
        else:
            held.append(chunk[end:])
    if length > limit:
        yield Block(offset, b"", length, "too long")
    elif length:
        yield Block(offset, b"".join(held))


def _within(block: bytes, offset: int, limit: int) -> Iterator[Block]:
    """Cut lines that are too long out of a block of whole lines.

    Steps from one end of a line to the last one that a line of the limit could reach: that is next to nothing for a
    limit of a mebibyte, and a line a step for a small one.
    """
    begin = position = 0  # of what is to be given, of the line in question
    while position < len(block):
        end = block.rfind(b"\n", position, position + limit + 1) + 1
        if end:
            position = end
            continue
        end = block.index(b"\n", position) + 1
        if begin < position:
            yield Block(offset + begin, block[begin:position])
        yield Block(offset + position, b"", end - 1 - position, "too long")
        begin = position = end
    if begin < len(block):
        yield Block(offset + begin, block[begin:])


def blocks(stream: Stream) -> Iterator[bytes]:
    r"""Read a stream in blocks, each of which ends where a line ends, however long a line is.

    >>> import io
    >>> list(blocks(io.BytesIO(b"a\nb")))
    [b'a\n', b'b']
    """
    return (block.data for block in read_blocks(stream, limit=sys.maxsize) if block.data)


def line_offsets(block: bytes, offset: int) -> Iterator[int]:
    r"""Find where the lines of a block begin in the stream, and the one behind them.

    Args:
        block: whole lines.
        offset: where it begins.

    >>> list(line_offsets(b"a\r\nb\n", 10))
    [10, 13, 15, 16]
    """
    texts = block.split(b"\n")
    return map(add, accumulate(map(len, texts), initial=offset), range(len(texts) + 1))  # each after a "\n" a line
