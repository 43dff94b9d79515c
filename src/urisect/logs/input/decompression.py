"""Recognize compressed streams by their first bytes, and decompress them."""

import io
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from urisect.logs.input.blocks import Stream
from urisect.logs.input.decoders import XzReader, ZstdReader

__all__ = ["LONGEST_MAGIC", "compression", "decompressed", "prepend"]


def _gzip(file: Any) -> Stream:
    from gzip import GzipFile  # noqa: PLC0415  each of these is loaded by those who have such a file

    return GzipFile(fileobj=file)


def _bzip2(file: Any) -> Stream:
    from bz2 import BZ2File  # noqa: PLC0415

    return BZ2File(file)


class Compression(NamedTuple):
    """A way in which files are compressed.

    Attributes:
        magic: what they begin with.
        opened: makes of such a file a stream of what it holds.
    """

    magic: bytes
    opened: Callable[[Any], Stream]


COMPRESSIONS = (
    Compression(bytes.fromhex("1f8b"), _gzip),  # RFC 1952, 2.3.1
    Compression(bytes.fromhex("425a68"), _bzip2),  # "BZh"
    Compression(bytes.fromhex("fd377a585a00"), XzReader),  # The .xz File Format, 2.1.1.1
    Compression(bytes.fromhex("28b52ffd"), ZstdReader),  # RFC 8878, 3.1.1
)

# How many bytes a decompressor is asked for at once, at most: it takes twice as much.
PORTION = 1 << 16

LONGEST_MAGIC = max(len(compression.magic) for compression in COMPRESSIONS)


def compression(head: bytes) -> Compression | None:
    """Tell how a file is compressed by what it begins with; None for one that is not, as far as is known.

    >>> compression(b"BZh91AY&SY").opened.__name__
    '_bzip2'
    """
    return next((known for known in COMPRESSIONS if head.startswith(known.magic)), None)


class _Prepended(io.RawIOBase):
    """A stream with bytes put back before it."""

    def __init__(self, head: bytes, rest: Stream) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._head[: len(buffer)] or self._rest.read1(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def prepend(head: bytes, rest: Stream) -> io.BufferedReader:
    """Put bytes that were read from a stream back before it.

    >>> prepend(b"ab", io.BytesIO(b"cd")).read()
    b'abcd'
    """
    return io.BufferedReader(_Prepended(head, rest))


class _Decompressed:
    """What a compressed file holds; all of it, up to the first byte that cannot be had."""

    def __init__(self, file: io.BufferedIOBase, opened: Callable[[Any], Stream]) -> None:
        self._file = file
        self._begin = file.tell() if file.seekable() else None
        self._opened = opened
        self._stream = opened(file)
        self._given = 0
        self._failure: Exception | None = None

    def read1(self, size: int, /) -> bytes:
        try:
            data = self._stream.read1(1 if self._failure else min(size, PORTION))
        except MemoryError:
            raise
        except Exception as error:
            # A decompressor that fails keeps what it had made of its last piece of input: byte by byte it gives it.
            if self._failure or self._begin is None:
                raise OSError(str(error)) from error
            self._failure = error
            self._reopen(self._begin)
            return self.read1(size)
        if self._failure and not data:  # the file is no longer what it was
            raise OSError(str(self._failure))
        self._given += len(data)
        return data

    def _reopen(self, begin: int) -> None:
        """Begin anew, and leave out what was given."""
        self._file.seek(begin)
        self._stream = self._opened(self._file)
        missing = self._given
        with suppress(Exception):  # it fails once more when it is read
            while missing and (known := self._stream.read1(min(missing, io.DEFAULT_BUFFER_SIZE))):
                missing -= len(known)


def decompressed(stream: io.BufferedIOBase) -> Stream:
    """Look at the first bytes of a stream, and decompress it if they are those of gzip, bzip2, xz or Zstandard.

    Args:
        stream: a buffered binary file; it need not be seekable.

    Returns:
        A stream of what it holds. Reading it raises OSError if that is damaged.

    Raises:
        MissingExtraError: what decompresses it is not installed.

    >>> import gzip
    >>> decompressed(io.BytesIO(gzip.compress(b"http://a/"))).read1(99)
    b'http://a/'
    """
    file = stream
    if stream.seekable():
        begin = stream.tell()
        head = _beginning(stream)
        stream.seek(begin)
    else:
        head = _beginning(stream)
        file = prepend(head, stream)
    found = compression(head)
    return file if found is None else _Decompressed(file, found.opened)


def _beginning(stream: io.BufferedIOBase) -> bytes:
    """Read as much as tells whether a stream is compressed, and no byte more, for it may be slow to come."""
    head = b""
    while any(known.magic.startswith(head) and known.magic != head for known in COMPRESSIONS):
        byte = stream.read(1)
        if not byte:
            break
        head += byte
    return head
