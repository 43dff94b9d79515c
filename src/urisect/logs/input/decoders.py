"""Decompressors of which a hostile file cannot ask for more memory than `WINDOW`, and little beside it.

gzip and bzip2 take little whatever the file says. A header of xz may declare a dictionary of 4 GiB, and a frame of
Zstandard a window of 2 GiB, all of which may be held.
"""

import io
import sys
from functools import partial
from typing import Any

from urisect.logs.errors import MissingExtraError

__all__ = ["WINDOW", "XzReader", "ZstdReader", "load_zstd"]

# The largest dictionary of xz, which is that of `xz -9`, and the largest window of Zstandard, as a power of 2: 64 MiB.
WINDOW_LOG = 26
WINDOW = 1 << WINDOW_LOG

# What liblzma takes beside the dictionary: less than 100 kB, and the same again for other filters.
LZMA_OVERHEAD = 1 << 20


def _is_about_memory(error: Exception) -> bool:
    """Whether a decompressor refuses to take as much memory as it would need: neither has a code for that."""
    return "memory" in str(error).lower()


def _too_large(what: str, command: str) -> OSError:
    return OSError(f"its {what} is larger than {WINDOW >> 20} MiB; {command} unpacks it, to be piped in")


class XzReader:
    """What an xz file holds, as `lzma.LZMAFile` gives it, which has no limit of memory."""

    def __init__(self, file: Any) -> None:
        """Read nothing yet.

        Args:
            file: an xz file, which may have several streams. What follows them and is none is ignored.
        """
        from lzma import LZMADecompressor, LZMAError  # noqa: PLC0415  for those who have such a file

        self._error = LZMAError
        self._new = partial(LZMADecompressor, memlimit=WINDOW + LZMA_OVERHEAD)
        self._file = file
        self._decompressor = self._new()
        self._is_over = False

    def read1(self, size: int, /) -> bytes:
        """Read at most so many bytes; none at the end.

        Raises:
            OSError: the dictionary is too large.
            LZMAError: the file is damaged.
            EOFError: the file ends too early.
        """
        data = b""
        while not data and not self._is_over:
            try:
                data = self._following(size) if self._decompressor.eof else self._more(size)
            except self._error as error:
                if _is_about_memory(error):
                    raise _too_large("dictionary", "xz -dc") from None
                raise
        return data

    def _more(self, size: int) -> bytes:
        """Decompress more of a stream, which may give nothing."""
        packed = b""
        if self._decompressor.needs_input:
            packed = self._file.read(io.DEFAULT_BUFFER_SIZE)
            if not packed:
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        return self._decompressor.decompress(packed, size)

    def _following(self, size: int) -> bytes:
        """Begin with the stream that follows, if there is one."""
        packed = self._decompressor.unused_data or self._file.read(io.DEFAULT_BUFFER_SIZE)
        self._decompressor = self._new()
        self._is_over = not packed
        try:
            return self._decompressor.decompress(packed, size)
        except self._error as error:
            if _is_about_memory(error):
                raise
            self._is_over = True
            return b""


def load_zstd() -> Any:
    """Load the library that reads and writes Zstandard.

    Raises:
        MissingExtraError: it is not installed.

    >>> load_zstd().ZstdFile.__name__
    'ZstdFile'
    """
    if sys.version_info >= (3, 14):  # pragma: no cover
        from compression import zstd  # noqa: PLC0415  for those who have such a file
    else:
        try:
            import backports.zstd as zstd  # noqa: PLC0415, PLR0402  `from` would raise another error where it is not there
        except ModuleNotFoundError:
            raise MissingExtraError("Zstandard", "backports.zstd") from None
    return zstd


class ZstdReader:
    """What a file of Zstandard holds."""

    def __init__(self, file: Any) -> None:
        """Read nothing yet.

        Args:
            file: frames of Zstandard.

        Raises:
            MissingExtraError: what decompresses it is not installed.
        """
        zstd = load_zstd()
        self._error = zstd.ZstdError
        options = {zstd.DecompressionParameter.window_log_max: WINDOW_LOG}
        self._file = zstd.ZstdFile(file, options=options)

    def read1(self, size: int, /) -> bytes:
        """Read at most so many bytes; none at the end.

        Raises:
            OSError: the window is too large.
            ZstdError: the file is damaged.
            EOFError: the file ends too early.
        """
        try:
            data: bytes = self._file.read1(size)
        except self._error as error:
            if _is_about_memory(error):
                raise _too_large("window", "zstd -dc --long=31") from None
            raise
        return data
