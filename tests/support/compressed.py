"""Compressed data, and pipes that deliver it byte by byte."""

import bz2
import gzip
import io
import lzma
import sys
from collections.abc import Callable
from typing import Any

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["PACKED", "packed_gzip", "packed_zstd", "pipe"]


def packed_gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def packed_zstd(data: bytes) -> bytes:
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})


class Pipe(io.RawIOBase):
    """A stream that returns one byte at a time, and cannot seek."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._data.read(1)
        buffer[: len(data)] = data
        return len(data)


def pipe(data: bytes) -> io.BufferedReader:
    return io.BufferedReader(Pipe(data))


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": packed_gzip,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": packed_zstd,
}
