"""Files of logs: found by names, patterns and folders, known by their first bytes, and read decompressed."""

import io
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from glob import escape, glob, has_magic
from typing import Any, NamedTuple

from urisect.logs.decoders import XzReader, ZstdReader
from urisect.logs.reader import Stream

__all__ = ["LOCK", "LONGEST_MAGIC", "STDIN", "compression", "decompressed", "expanded", "rejoined"]

STDIN = "-"

# A file in a folder in which something is being written. Nothing but urisect makes one of this name.
LOCK = ".urisect-lock"


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


def expanded(names: Iterable[str], passed_over: Callable[[str, str], object] | None = None) -> list[str]:
    """Find the files that names stand for: a pattern for those it matches, a folder for all in it, sorted.

    Of a folder or a pattern each file is given once, by whatever links it is found, and no link is followed in a loop.

    Args:
        names: paths, of files, of folders, or with "*", "?", "[…]" and "**"; "-" is standard input. A name to which
            there is nothing stands for itself, so that to open it says what is wrong.
        passed_over: called with the path of what is in a folder, or matches a pattern, and is no file, and with what
            it is: to read a pipe might take forever.

    >>> expanded(["-", "no/such/*.log"])
    ['-', 'no/such/*.log']
    """
    return [file for name in names for file in (_matched(name, passed_over) or [name])]


def _matched(name: str, passed_over: Callable[[str, str], object] | None) -> list[str]:
    if name != STDIN and os.path.isdir(name):
        found = _inside(name)
    elif name != STDIN and has_magic(name) and not os.path.exists(name):
        found = (file for path in _matches(name) for file in (_inside(path) if os.path.isdir(path) else [path]))
    else:
        return [name]
    files: dict[object, str] = {}
    for path in sorted(found, key=_links_last):
        identity, kind = _looked_at(path)
        if kind is None:
            files.setdefault(identity, path)
        elif passed_over:
            passed_over(path, kind)
    return sorted(files.values())


def _inside(folder: str) -> Iterator[str]:
    """Find all files in a folder, and in the folders in it."""
    return (os.path.join(path, file) for path, files in _walk(folder, links=False, hidden=True) for file in files)


def _matches(pattern: str) -> Iterator[str]:
    """Find what a pattern matches; "**" stands for any number of folders, or for none."""
    found = DOUBLE_STAR.search(pattern)
    if not found:
        yield from glob(pattern)
        return
    before, after = pattern[: found.start()], pattern[found.end() :]
    for top in glob(before) if has_magic(before) else [before]:
        for folder, files in _walk(top, links=True, hidden=not after):
            if after:
                yield from _matches(os.path.join(escape(folder), after))
            else:
                yield from (os.path.join(folder, file) for file in files)


SEPARATOR = f"[{re.escape(os.sep + (os.altsep or ''))}]"
DOUBLE_STAR = re.compile(rf"(?:^|(?<={SEPARATOR}))\*\*(?:{SEPARATOR}+|$)")


def _walk(top: str, *, links: bool, hidden: bool) -> Iterator[tuple[str, list[str]]]:
    """Give a folder and those in it, each once, with the names of what is no folder.

    Args:
        top: the path of the folder; "" is the one in which this process works.
        links: whether links to folders are followed.
        hidden: whether folders whose names begin with "." are, too.
    """
    here = os.path.join(os.curdir, "")
    seen = {_looked_at(top or here)}
    for path, folders, files in os.walk(top or here, followlinks=links):
        below = sorted((os.path.join(path, name) for name in folders), key=_links_last)
        folders.clear()
        if LOCK in files:  # what is in it is being written
            continue
        for folder in below:
            name = os.path.basename(folder)
            if (links or not os.path.islink(folder)) and (hidden or not name.startswith(".")):
                identity = _looked_at(folder)
                if identity not in seen:
                    folders.append(name)
                seen.add(identity)
        yield path if top else path.removeprefix(here), files


def _links_last(path: str) -> tuple[bool, str]:
    """Give by what paths are sorted, so that of what has several the first is no link."""
    return os.path.islink(path), path


def _looked_at(path: str) -> tuple[object, str | None]:
    """Tell what a file is known by, whatever leads to it, and what it is if it is none."""
    try:
        status = os.stat(path)
    except OSError:  # to open it says what is wrong
        return path, None
    kind = None if stat.S_ISREG(status.st_mode) else KINDS.get(stat.S_IFMT(status.st_mode), "a device")
    return (status.st_dev, status.st_ino), kind


KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


class _Rejoined(io.RawIOBase):
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


def rejoined(head: bytes, rest: Stream) -> io.BufferedReader:
    """Put bytes that were read from a stream back before it.

    >>> rejoined(b"ab", io.BytesIO(b"cd")).read()
    b'abcd'
    """
    return io.BufferedReader(_Rejoined(head, rest))


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
        file = rejoined(head, stream)
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
