"""Decompress gzip fast; xz and Zstandard in bounded memory, whatever the file's header declares.

The header of an xz file may declare a dictionary of 4 GiB, and a Zstandard frame a window of 2 GiB; a decompressor may
allocate all of it. gzip and bzip2 always need little memory.
"""

import io
import sys
from functools import partial
from typing import Any

from urisect.extras import MissingExtraError

__all__ = ["FastGzipReader", "XzReader", "ZstdReader", "load_zstd"]

CUT_OFF = "Compressed file ended before the end-of-stream marker was reached"

# Bytes to read from a gzip file at once. With 8 to 256 KiB, isal is equally fast.
GZIP_READ_BYTES = 1 << 13

# The only compression method, and the flags, in the header of gzip (RFC 1952, 2.3.1).
DEFLATE = 8
FHCRC, FEXTRA, FNAME, FCOMMENT = 2, 4, 8, 16

# Largest dictionary of xz, as `xz -9` uses it, and largest window of Zstandard: 64 MiB.
MAX_WINDOW_LOG = 26
MAX_WINDOW_BYTES = 1 << MAX_WINDOW_LOG

# Memory of liblzma beside the dictionary: less than 100 kB, and the same again for other filters.
LZMA_OVERHEAD_BYTES = 1 << 20


def _is_memory_error(error: Exception) -> bool:
    """Whether a decompressor refused to exceed its memory limit; neither library has an error code for it."""
    return "memory" in str(error).lower()


def _window_error(name: str, command: str) -> OSError:
    limit = MAX_WINDOW_BYTES >> 20
    return OSError(f"its {name} is larger than {limit} MiB; decompress it with {command} and pipe it in")


class FastGzipReader:
    """Content of a gzip file, by isal: 1.5 GB/s where zlib decompresses 0.6.

    It accepts the files that `gzip.GzipFile` accepts, and fails with its messages. Only damage inside of compressed
    data has another one, and isal notices some of it later, at the latest by the checksum: of 43,200 bits changed at
    the beginning of a deflate block, 22 passed for 64 KiB or more where zlib stopped at once.
    """

    def __init__(self, file: Any) -> None:
        """Open without reading.

        Args:
            file: members of gzip; zeros may follow each of them (https://www.gzip.org/#faq8).

        Raises:
            ImportError: isal is not installed.
        """
        from isal import isal_zlib  # noqa: PLC0415  imported when a file needs it

        self._isal: Any = isal_zlib
        self._read = file.read
        self._packed = b""  # read, but not decompressed
        self._member: Any = None  # decompresses the current member
        self._crc = self._length = 0  # of the content of the member so far

    def read1(self, size: int, /) -> bytes:
        """Read at most `size` bytes; return b"" at the end.

        Raises:
            OSError: the file is damaged.
            EOFError: it ends too early.
        """
        data = b""
        while not data and (self._member or self._start_member()):
            if self._member.eof:
                self._end_member()
            else:
                data = self._decompress(size)
        return data

    def _decompress(self, size: int) -> bytes:
        """Decompress more of the current member; this may yield nothing yet."""
        packed = self._packed or self._read(GZIP_READ_BYTES)
        try:
            data: bytes = self._member.decompress(packed, size)
        except self._isal.error:
            raise OSError("Error -3 while decompressing data: invalid data") from None
        is_at_end = self._member.eof
        if not (packed or data or is_at_end):
            raise EOFError(CUT_OFF)
        self._packed = self._member.unused_data if is_at_end else self._member.unconsumed_tail
        self._crc = self._isal.crc32(data, self._crc)
        self._length += len(data)
        return data

    def _start_member(self) -> bool:
        """Read the header of the next member (RFC 1952, 2.3); return whether there is one."""
        self._fill(2)
        if not self._packed:
            return False
        magic = self._packed[:2]
        if magic != b"\x1f\x8b":
            raise OSError(f"Not a gzipped file ({magic!r})")
        _, _, method, flags, *_ = self._take(10)
        if method != DEFLATE:
            raise OSError("Unknown compression method")
        if flags & FEXTRA:
            self._take(int.from_bytes(self._take(2), "little"))
        for flag in (FNAME, FCOMMENT):
            if flags & flag:
                self._skip_text()
        if flags & FHCRC:
            self._take(2)
        self._member = self._isal.decompressobj(-self._isal.MAX_WBITS)
        self._crc = self._length = 0
        return True

    def _end_member(self) -> None:
        """Check the length and the checksum after a member, and skip zeros."""
        crc, length = (int.from_bytes(self._take(4), "little") for _ in range(2))
        if crc != self._crc:
            raise OSError(f"CRC check failed {crc:#x} != {self._crc:#x}")
        if length != self._length & 0xFFFFFFFF:
            raise OSError("Incorrect length of data produced")
        self._member = None
        self._packed = self._packed.lstrip(b"\0")
        while not self._packed and (packed := self._read(GZIP_READ_BYTES)):
            self._packed = packed.lstrip(b"\0")

    def _skip_text(self) -> None:
        """Skip a text, and the zero that ends it."""
        _, end, rest = self._packed.partition(b"\0")
        while not end and (packed := self._read(GZIP_READ_BYTES)):
            _, end, rest = packed.partition(b"\0")
        self._packed = rest

    def _take(self, size: int) -> bytes:
        """Return the next bytes of the file.

        Raises:
            EOFError: it ends before.
        """
        self._fill(size)
        if len(self._packed) < size:
            raise EOFError(CUT_OFF)
        taken, self._packed = self._packed[:size], self._packed[size:]
        return taken

    def _fill(self, size: int) -> None:
        """Have as many bytes of the file at hand, or all that are left."""
        while len(self._packed) < size and (packed := self._read(GZIP_READ_BYTES)):
            self._packed += packed


class XzReader:
    """Content of an xz file, in bounded memory; `lzma.LZMAFile` has no memory limit."""

    def __init__(self, file: Any) -> None:
        """Open without reading.

        Args:
            file: an xz file, which may have several streams. Anything else after them is ignored.
        """
        from lzma import LZMADecompressor, LZMAError  # noqa: PLC0415  imported when a file needs it

        self._error = LZMAError
        self._new_decompressor = partial(LZMADecompressor, memlimit=MAX_WINDOW_BYTES + LZMA_OVERHEAD_BYTES)
        self._file = file
        self._decompressor = self._new_decompressor()
        self._is_at_end = False

    def read1(self, size: int, /) -> bytes:
        """Read at most `size` bytes; return b"" at the end.

        Raises:
            OSError: the dictionary is too large.
            LZMAError: the file is damaged.
            EOFError: the file ends too early.
        """
        data = b""
        while not data and not self._is_at_end:
            try:
                data = self._start_next_stream(size) if self._decompressor.eof else self._decompress(size)
            except self._error as error:
                if _is_memory_error(error):
                    raise _window_error("dictionary", "xz -dc") from None
                raise
        return data

    def _decompress(self, size: int) -> bytes:
        """Decompress more of the current stream; this may yield nothing yet."""
        packed = b""
        if self._decompressor.needs_input:
            packed = self._file.read(io.DEFAULT_BUFFER_SIZE)
            if not packed:
                raise EOFError(CUT_OFF)
        return self._decompressor.decompress(packed, size)

    def _start_next_stream(self, size: int) -> bytes:
        """Start to decompress the next stream, if there is one."""
        packed = self._decompressor.unused_data or self._file.read(io.DEFAULT_BUFFER_SIZE)
        self._decompressor = self._new_decompressor()
        self._is_at_end = not packed
        try:
            return self._decompressor.decompress(packed, size)
        except self._error as error:
            if _is_memory_error(error):
                raise
            self._is_at_end = True
            return b""


def load_zstd() -> Any:
    """Import the library that reads and writes Zstandard.

    Raises:
        MissingExtraError: it is not installed.

    >>> load_zstd().ZstdFile.__name__
    'ZstdFile'
    """
    if sys.version_info >= (3, 14):  # pragma: no cover
        from compression import zstd  # noqa: PLC0415  imported when a file needs it
    else:
        try:
            import backports.zstd as zstd  # noqa: PLC0415, PLR0402  `from` raises another error if it is missing
        except ModuleNotFoundError:
            raise MissingExtraError("Zstandard", "backports.zstd") from None
    return zstd


class ZstdReader:
    """Content of a Zstandard file, in bounded memory."""

    def __init__(self, file: Any) -> None:
        """Open without reading.

        Args:
            file: Zstandard frames.

        Raises:
            MissingExtraError: the package that decompresses it is not installed.
        """
        zstd = load_zstd()
        self._error = zstd.ZstdError
        options = {zstd.DecompressionParameter.window_log_max: MAX_WINDOW_LOG}
        self._file = zstd.ZstdFile(file, options=options)

    def read1(self, size: int, /) -> bytes:
        """Read at most `size` bytes; return b"" at the end.

        Raises:
            OSError: the window is too large.
            ZstdError: the file is damaged.
            EOFError: the file ends too early.
        """
        try:
            data: bytes = self._file.read1(size)
        except self._error as error:
            if _is_memory_error(error):
                raise _window_error("window", "zstd -dc --long=31") from None
            raise
        return data
