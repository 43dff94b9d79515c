"""Lines with URIs in them, read block by block: every line is parsed, rejected or skipped, and none is lost."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import compress
from operator import attrgetter
from typing import NamedTuple

from urisect.logs.formats import Format
from urisect.logs.formats.format import PARTS, Column, Columns, uri_column
from urisect.logs.formats.notation import Value, read, write
from urisect.logs.input.blocks import BLOCK_BYTES, MAX_LINE_BYTES, Block, Stream, line_offsets, read_blocks
from urisect.reference import Reference, recompose, split, split_authority

__all__ = ["BlockParser", "Rejected", "Skipped", "Table", "tables"]


AUTHORITY_END = re.compile(rb"[/?#]")  # RFC 3986, 3.2


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


class Skipped(NamedTuple):
    """A line that was not read as an entry.

    Attributes:
        line: its number in the stream, from 1.
        offset: where it begins in the (decompressed) stream, in bytes.
        length: how long it is, in bytes, without its end.
        reason: "too long", "directive" for a line that tells of others, or "cut off" by damage to its file.

    >>> Skipped(line=1, offset=0, length=2_000_000, reason="too long").reason
    'too long'
    """

    line: int
    offset: int
    length: int
    reason: str


class Table(NamedTuple):
    """The lines of one block, as columns.

    Attributes:
        format: what the lines were read as.
        columns: a list a column, an entry a line that matched, None where undefined.
        parsed: how many lines matched.
        rejected: the lines that did not.
        skipped: the lines that were not read as entries. All three add up to the lines of the block.

    >>> import io
    >>> from urisect.logs import COMMON
    >>> line = b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET /a HTTP/1.0" 200 -'
    >>> [table] = tables(io.BytesIO(line), COMMON)
    >>> table.columns["status"], table.column("target"), table.parsed
    ([b'200'], [b'/a'], 1)
    """

    format: Format
    columns: dict[str, Column]
    parsed: int
    rejected: list[Rejected]
    skipped: list[Skipped]

    @property
    def lines(self) -> int:
        """How many lines were read."""
        return self.parsed + len(self.rejected) + len(self.skipped)

    def values(self, field: str) -> list[bytes | Value]:
        """Give a column of numbers as numbers, of times as microseconds since 1970, of text as it is.

        Args:
            field: one of `format.fields`.

        Raises:
            KeyError: the format has no such field.

        >>> import io
        >>> from urisect.logs import COMMON
        >>> table = next(tables(io.BytesIO(COMMON.sample), COMMON))
        >>> table.values("status"), table.values("time")
        ([200, 304], [847659336000000, 847659337000000])
        """
        column = self.column(field)
        notation = self.format.notations.get(field)
        return [*column] if notation is None else [*read(column, notation)]

    def written(self, field: str) -> Column:
        """Give a column as text: numbers in digits, times as RFC 3339, 5.6, has them, in UTC, other text as it is.

        Args:
            field: one of `format.fields`.

        Raises:
            KeyError: the format has no such field.

        >>> import io
        >>> from urisect.logs import COMMON
        >>> next(tables(io.BytesIO(COMMON.sample), COMMON)).written("time")
        [b'1996-11-10T20:55:36Z', b'1996-11-10T20:55:37Z']
        """
        notation = self.format.notations.get(field)
        return self.column(field) if notation is None else write(self.column(field), notation)

    def selected(self, rows: Sequence[bool]) -> "Table":
        r"""Give the same table with some of its rows; what was rejected and skipped stays.

        Args:
            rows: whether a row stays, for each.

        >>> import io
        >>> from urisect.logs import LIST
        >>> next(tables(io.BytesIO(b"/a\n/b\n"), LIST)).selected([False, True]).column("path")
        [b'/b']
        """
        columns = {name: list(compress(column, rows)) for name, column in self.columns.items()}
        return self._replace(columns=columns, parsed=sum(rows))

    def column(self, field: str) -> Column:
        """Give a column of the format, or one that follows from it: a whole URI, or a part of its authority.

        Args:
            field: one of `format.fields`.

        Raises:
            KeyError: the format has no such field.

        >>> import io
        >>> from urisect.logs import LIST
        >>> table = next(tables(io.BytesIO(b"http://example.com:80/"), LIST))
        >>> table.column("port"), table.column("reference")
        ([b'80'], [b'http://example.com:80/'])
        """
        if field in self.columns:
            return self.columns[field]
        for uri in self.format.uris:
            part = field.removeprefix(uri)
            if field == uri_column(uri):
                return self._whole(uri)
            if part in PARTS and field == uri + part:
                authorities = self.columns[f"{uri}authority"]
                wanted = attrgetter(part)
                return [None if authority is None else wanted(split_authority(authority)) for authority in authorities]
        raise KeyError(f"no field is called {field!r}; there are {', '.join(self.format.fields)}")

    def _whole(self, uri: str) -> Column:
        """Put a URI together again, unless it was matched as a whole; None where there is none."""
        nothing: Column = [None] * self.parsed
        texts = self.columns.get(f"{uri}text", nothing)
        components = (self.columns.get(uri + name, nothing) for name in Reference._fields)
        references = map(Reference[bytes]._make, zip(*components, strict=True))
        return [
            text if text is not None or reference.path is None else recompose(reference)
            for text, reference in zip(texts, references, strict=True)
        ]


def tables(
    stream: Stream,
    format: Format,
    *,
    columns: Collection[str] | None = None,
    limit: int = MAX_LINE_BYTES,
    size: int = BLOCK_BYTES,
) -> Iterator[Table]:
    r"""Read a stream in blocks of whole lines, each as a table, in order.

    A line ends with "\n" or "\r\n"; the last may lack its end. Memory is that of a block, or of the longest line that
    is not skipped.

    Args:
        stream: read to its end; see `urisect.logs.input.decompression.decompressed` for one that may be compressed.
        format: what a line looks like.
        columns: the columns that are wanted, for only these are built; all of `format.columns` by default.
        limit: how long a line may be, in bytes; a longer one is skipped.
        size: how many bytes are read at once.

    Raises:
        TypeError: the stream is none of bytes.
        KeyError: the format has no such column.

    >>> import io
    >>> from urisect.logs import COMMON
    >>> log = io.BytesIO(b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET /a?b HTTP/1.0" 200 -\nnonsense\n')
    >>> [table] = tables(log, COMMON)
    >>> table.columns["target_query"], table.rejected
    ([b'b'], [Rejected(line=2, offset=69, text=b'nonsense')])
    """
    cut = BlockParser(format, format.columns if columns is None else columns)
    yield from cut.tables(read_blocks(stream, limit, size), line=1)


class BlockParser:
    """What cuts blocks of lines into tables of the columns that are wanted."""

    def __init__(self, format: Format, columns: Collection[str]) -> None:
        """Prepare the format; see `tables`."""
        self._format = format
        self._cutter = format.cutter(format.needed(columns))

    def tables(self, blocks: Iterable[Block], *, line: int, header: bytes = b"") -> Iterator[Table]:
        """BlockParser blocks that follow each other.

        Args:
            blocks: lines.
            line: the number of the first one.
            header: what the lines before it say of those that follow; see `Format.header`.
        """
        for block in blocks:
            table = self._table(block, line, header)
            if self._format.stateful:
                header = self._format.header(block.data, header)
            yield table
            line += table.lines

    def _table(self, block: Block, line: int, header: bytes) -> Table:
        columns = self._cutter(block.data, header)
        rejects = columns.pop("rejected")
        directives = columns.pop("directive", [])
        rejected: list[Rejected] = []
        skipped = [Skipped(line, block.offset, block.length, block.reason)] if block.reason else []
        parsed = len(rejects)
        if rejects.count(None) < parsed or directives.count(None) < len(directives):
            begins = list(line_offsets(block.data, block.offset))
            rejected += [Rejected(line + row, begins[row], text) for row, text in _there(rejects)]
            skipped += [Skipped(line + row, begins[row], len(text), "directive") for row, text in _there(directives)]
            is_entry = bytearray(b"\1") * parsed
            for row, _ in (*_there(rejects), *_there(directives)):
                is_entry[row] = False
            columns = {name: list(compress(column, is_entry)) for name, column in columns.items()}
            parsed = sum(is_entry)
        for uri in self._format.uris:
            _split_texts(columns, uri)
        return Table(self._format, columns, parsed, rejected, skipped)


def _there(column: Column) -> Iterator[tuple[int, bytes]]:
    return ((row, text) for row, text in enumerate(column) if text is not None)


def _split_texts(columns: Columns, uri: str) -> None:
    """Split the URIs that were matched as a whole, and put their components where those of the others are."""
    texts = columns.get(f"{uri}text", [])
    if texts.count(None) == len(texts):
        return
    components = [columns.get(uri + name) for name in Reference._fields]
    methods = columns.get("method") if uri == "target_" else None
    for row, text in enumerate(texts):
        if text is not None:
            is_authority = methods is not None and methods[row] == b"CONNECT" and not AUTHORITY_END.search(text)
            reference = Reference(None, text, b"", None, None) if is_authority else split(text)
            for column, component in zip(components, reference, strict=True):
                if column is not None:
                    column[row] = component
