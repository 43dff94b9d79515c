"""Recognize compressed streams by their first bytes, and decompress them."""

import io
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from urisect.logs.input.decoders import FastGzipReader, XzReader, ZstdReader
from urisect.text_types import Stream

__all__ = ["MAX_MAGIC_BYTES", "decompressed", "detect_compression", "prepend"]


def _open_gzip(file: Any) -> Stream:
    from gzip import GzipFile  # noqa: PLC0415  each library is imported when a file needs it

    return GzipFile(fileobj=file)


def _open_gzip_fast(file: Any) -> Stream:
    try:
        return FastGzipReader(file)
    except ImportError:  # isal is not installed
        return _open_gzip(file)


def _open_bzip2(file: Any) -> Stream:
    from bz2 import BZ2File  # noqa: PLC0415

    return BZ2File(file)


class Compression(NamedTuple):
    """A compression format.

    Attributes:
        magic: first bytes of a compressed file.
        open_stream: opens a compressed file as a stream of its content.
        open_damaged: the same for a damaged file: its stream fails where the damage is.
    """

    magic: bytes
    open_stream: Callable[[Any], Stream]
    open_damaged: Callable[[Any], Stream] | None = None


COMPRESSIONS = (
    Compression(bytes.fromhex("1f8b"), _open_gzip_fast, _open_gzip),  # RFC 1952, 2.3.1
    Compression(b"BZh", _open_bzip2),
    Compression(bytes.fromhex("fd377a585a00"), XzReader),  # The .xz File Format, 2.1.1.1
    Compression(bytes.fromhex("28b52ffd"), ZstdReader),  # RFC 8878, 3.1.1
)

# Most bytes to request from a decompressor at once: it takes twice as much memory.
MAX_READ_BYTES = 1 << 16

MAX_MAGIC_BYTES = max(len(compression.magic) for compression in COMPRESSIONS)


def detect_compression(head: bytes) -> Compression | None:
    """Return the compression format of a file that begins with these bytes; None if they match no known format.

    >>> detect_compression(b"BZh91AY&SY").magic
    b'BZh'
    """
    return next((known for known in COMPRESSIONS if head.startswith(known.magic)), None)


class _PrependedStream(io.RawIOBase):
    """Bytes, then the rest of a stream."""

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
    """Return a stream of bytes that were already read, followed by the rest of their stream.

    >>> prepend(b"ab", io.BytesIO(b"cd")).read()
    b'abcd'
    """
    return io.BufferedReader(_PrependedStream(head, rest))


class _DecompressedStream:
    """Content of a compressed file, up to the first byte that is lost to damage."""

    def __init__(
        self,
        file: io.BufferedIOBase,
        open_stream: Callable[[Any], Stream],
        open_damaged: Callable[[Any], Stream] | None = None,
    ) -> None:
        self._file = file
        self._begin = file.tell() if file.seekable() else None
        self._open_damaged = open_damaged or open_stream
        self._stream = open_stream(file)
        self._bytes_read = 0
        self._failure: Exception | None = None

    def read1(self, size: int, /) -> bytes:
        try:
            data = self._stream.read1(1 if self._failure else min(size, MAX_READ_BYTES))
        except MemoryError:
            raise
        except Exception as error:
            # A failing decompressor drops the output of its last input: read again, byte by byte, to get it.
            if self._failure or self._begin is None:
                raise OSError(str(error)) from error
            self._failure = error
            self._reopen(self._begin)
            return self.read1(size)
        if self._failure and not data:  # the file changed meanwhile
            raise OSError(str(self._failure))
        self._bytes_read += len(data)
        return data

    def _reopen(self, begin: int) -> None:
        """Read the file again from its beginning, up to where reading failed."""
        self._file.seek(begin)
        self._stream = self._open_damaged(self._file)
        missing = self._bytes_read
        with suppress(Exception):  # the next read raises it again
            while missing and (known := self._stream.read1(min(missing, io.DEFAULT_BUFFER_SIZE))):
                missing -= len(known)


def decompressed(stream: io.BufferedIOBase) -> Stream:
    """Decompress a stream if its first bytes are those of gzip, bzip2, xz or Zstandard.

    Args:
        stream: a buffered binary file; it need not be seekable.

    Returns:
        The decompressed content, or the stream itself if it is not compressed. Reading raises OSError where a
        compressed stream is damaged.

    Raises:
        MissingExtraError: the package that decompresses it is not installed.

    >>> import gzip
    >>> decompressed(io.BytesIO(gzip.compress(b"http://a/"))).read1(99)
    b'http://a/'
    """
    file = stream
    if stream.seekable():
        begin = stream.tell()
        head = _read_magic(stream)
        stream.seek(begin)
    else:
        head = _read_magic(stream)
        file = prepend(head, stream)
    found = detect_compression(head)
    return file if found is None else _DecompressedStream(file, found.open_stream, found.open_damaged)


def _read_magic(stream: io.BufferedIOBase) -> bytes:
    """Read the first bytes, but none more than needed to detect compression: a live pipe may not have more yet."""
    head = b""
    while any(known.magic.startswith(head) and known.magic != head for known in COMPRESSIONS):
        byte = stream.read(1)
        if not byte:
            break
        head += byte
    return head
