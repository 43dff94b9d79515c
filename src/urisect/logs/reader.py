"""Read lines with URIs in them, block by block: every line ends in the columns of a table or among its rejects."""

import gzip
import io
import re
from collections.abc import Callable, Iterator
from itertools import accumulate, compress
from operator import add, attrgetter
from typing import Any, NamedTuple, Protocol

from urisect.bulk import CHUNK, cut
from urisect.logs.formats import FORMATS, PARTS, Format, whole
from urisect.reference import Reference, recompose, split, split_authority

__all__ = ["Rejected", "Table", "records", "tables"]

# How many bytes are asked of a stream at once: 32 KiB to 512 KiB are equally fast, 4 MiB take half as long again. With
# the rest of a line before it, a block is still less than the chunk that `cut` would cut it into.
BLOCK = CHUNK // 2

GZIP_MAGIC = b"\x1f\x8b"  # RFC 1952, 2.3.1

AUTHORITY_END = re.compile(rb"[/?#]")  # RFC 3986, 3.2

Column = list[bytes | None]


class Stream(Protocol):
    """What is read from: a buffered binary file, a pipe, `io.BytesIO`."""

    def read1(self, size: int, /) -> bytes:
        """Read at most so many bytes, with one read of what lies below; none at the end."""
        ...  # pragma: no cover


class Rejected(NamedTuple):
    """A line that the format does not match.

    Attributes:
        line: its number in the stream, from 1.
        offset: where it begins in the (decompressed) stream, in bytes.
        text: the line without its end.

    >>> Rejected(line=1, offset=0, text=b"no log line").line
    1
    """

    line: int
    offset: int
    text: bytes


class Table(NamedTuple):
    """The lines of one block, as columns.

    Attributes:
        format: what the lines were read as.
        columns: a list a group of the format's expression, an entry a line that matched, None where undefined.
        rejected: the lines that did not match. These and the entries of a column add up to the lines of the block.

    >>> from urisect.logs import COMMON
    >>> [table] = tables(io.BytesIO(b'192.0.2.7 - - [now] "GET /a HTTP/1.0" 200 -'), COMMON)
    >>> table.columns["status"], table.column("target"), table.parsed
    ([b'200'], [b'/a'], 1)
    """

    format: Format
    columns: dict[str, Column]
    rejected: list[Rejected]

    @property
    def parsed(self) -> int:
        """How many lines matched."""
        return len(next(iter(self.columns.values())))

    def column(self, field: str) -> Column:
        """Give a column of the format, or one that follows from it: a whole URI, or a part of its authority.

        Args:
            field: one of `format.fields`.

        Raises:
            KeyError: the format has no such field.

        >>> from urisect.logs import LIST
        >>> table = next(tables(io.BytesIO(b"http://example.com:80/"), LIST))
        >>> table.column("port"), table.column("reference")
        ([b'80'], [b'http://example.com:80/'])
        """
        if field in self.columns:
            return self.columns[field]
        for uri in self.format.uris:
            part = field.removeprefix(uri)
            if field == whole(uri):
                return self._whole(uri)
            if part in PARTS and field == uri + part:
                authorities = self.columns[f"{uri}authority"]
                wanted = attrgetter(part)
                return [None if authority is None else wanted(split_authority(authority)) for authority in authorities]
        raise KeyError(f"no field is called {field!r}; there are {', '.join(self.format.fields)}")

    def _whole(self, uri: str) -> Column:
        """Put a URI together again, unless it was matched as a whole; None where there is none."""
        texts = self.columns.get(f"{uri}text") or [None] * self.parsed
        references = map(
            Reference[bytes]._make, zip(*(self.columns[uri + name] for name in Reference._fields), strict=True)
        )
        return [
            text if text is not None or reference.path is None else recompose(reference)
            for text, reference in zip(texts, references, strict=True)
        ]


def tables(stream: Stream, format: Format) -> Iterator[Table]:
    r"""Read a stream in blocks of whole lines, each as a table, in order.

    A line ends with "\n" or "\r\n"; the last may lack its end. Memory is that of a block, or of the longest line.

    Args:
        stream: read to its end; see `decompressed` for one that may be compressed.
        format: what a line looks like.

    Raises:
        TypeError: the stream is none of bytes.

    >>> from urisect.logs import COMMON
    >>> log = io.BytesIO(b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET /a?b HTTP/1.0" 200 -\nnonsense\n')
    >>> [table] = tables(log, COMMON)
    >>> table.columns["target_query"], table.rejected
    ([b'b'], [Rejected(line=2, offset=69, text=b'nonsense')])
    """
    line, offset = 1, 0
    for block in blocks(stream):
        columns: dict[str, Column] = dict(zip(format.expression.groupindex, cut(format.expression, block), strict=True))
        unmatched = columns.pop("rejected")
        count = len(unmatched)
        rejected: list[Rejected] = []
        if unmatched.count(None) < count:
            rejected = _rejected(block, unmatched, line, offset)
            matched = [text is None for text in unmatched]
            columns = {name: list(compress(column, matched)) for name, column in columns.items()}
        for uri in format.uris:
            _split_texts(columns, uri)
        yield Table(format, columns, rejected)
        line += count
        offset += len(block)


def blocks(stream: Stream) -> Iterator[bytes]:
    r"""Read a stream in blocks, each of which ends where a line ends.

    >>> list(blocks(io.BytesIO(b"a\nb")))
    [b'a\n', b'b']
    """
    if not hasattr(stream, "read1"):
        raise TypeError(
            f"lines are read from a buffered binary stream, as open(path, 'rb') gives, not {type(stream).__name__}"
        )
    held: list[bytes] = []  # the beginning of a line whose end has not been read
    while chunk := stream.read1(BLOCK):
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join((*held, chunk[:end]))
            held.clear()
        held.append(chunk[end:])
    if rest := b"".join(held):
        yield rest


def _rejected(block: bytes, unmatched: Column, line: int, offset: int) -> list[Rejected]:
    """Give the lines of a block that did not match, with their places in the stream."""
    begins = list(line_offsets(block, offset))
    return [Rejected(line + row, begins[row], text) for row, text in enumerate(unmatched) if text is not None]


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


def _split_texts(columns: dict[str, Column], uri: str) -> None:
    """Split the URIs that were matched as a whole, and put their components where those of the others are."""
    texts = columns.get(f"{uri}text", [])
    if texts.count(None) == len(texts):
        return
    components = [columns[uri + name] for name in Reference._fields]
    for row, text in enumerate(texts):
        if text is not None:
            is_authority = uri == "target_" and columns["method"][row] == b"CONNECT" and not AUTHORITY_END.search(text)
            reference = Reference(None, text, b"", None, None) if is_authority else split(text)
            for column, component in zip(components, reference, strict=True):
                column[row] = component


def records(
    stream: Stream, format: Format | str, *, reject: Callable[[Rejected], object] | None = None
) -> Iterator[dict[str, Any]]:
    r"""Read a stream line by line as plain records.

    Args:
        stream: a binary file, or anything with its `read1`.
        format: what a line looks like, or its name in `FORMATS`.
        reject: called with each line that does not match; without it such lines are left out.

    Returns:
        An iterator over a dict for each line that matches: the columns of the format, bytes as written, int for
        status and bytes, None where undefined.

    Raises:
        ValueError: there is no format of that name.
        TypeError: the stream is none of bytes.

    >>> log = io.BytesIO(b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET /a?b HTTP/1.0" 404 -\n')
    >>> for record in records(log, "common"):
    ...     print(record["target_path"], record["status"], record["bytes"])
    b'/a' 404 None
    """
    if isinstance(format, str):
        if format not in FORMATS:
            raise ValueError(f"no log format is called {format!r}; there are {', '.join(FORMATS)}")
        format = FORMATS[format]
    return _records(stream, format, reject)


def _records(stream: Stream, format: Format, reject: Callable[[Rejected], object] | None) -> Iterator[dict[str, Any]]:
    """Turn columns into records, and hand over what was rejected."""
    for table in tables(stream, format):
        columns: list[list[Any]] = [table.column(name) for name in format.columns]
        for index, name in enumerate(format.columns):
            if name in format.numbers:
                columns[index] = [None if number is None else int(number) for number in columns[index]]
        for row in zip(*columns, strict=True):
            yield dict(zip(format.columns, row, strict=True))
        if reject is not None:
            for rejected in table.rejected:
                reject(rejected)


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


def decompressed(stream: io.BufferedIOBase) -> Stream:
    """Look at the first bytes of a stream, and decompress it if they are gzip's (RFC 1952, 2.3.1).

    Args:
        stream: a buffered binary file; it need not be seekable.

    Returns:
        A stream of what it holds. Reading it raises EOFError, zlib.error or gzip.BadGzipFile if that is damaged.

    >>> decompressed(io.BytesIO(gzip.compress(b"http://a/"))).read1(99)
    b'http://a/'
    """
    head = stream.read(len(GZIP_MAGIC))
    rejoined = io.BufferedReader(_Rejoined(head, stream))
    return gzip.GzipFile(fileobj=rejoined) if head == GZIP_MAGIC else rejoined
