"""Decompress xz and Zstandard in bounded memory, whatever the file's header declares.

The header of an xz file may declare a dictionary of 4 GiB, and a Zstandard frame a window of 2 GiB; a decompressor may
allocate all of it. gzip and bzip2 always need little memory.
"""

import io
import sys
from functools import partial
from typing import Any

from urisect.extras import MissingExtraError

__all__ = ["XzReader", "ZstdReader", "load_zstd"]

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
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
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
