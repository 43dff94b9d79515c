"""Parse logs block by block into tables: every line is parsed, rejected or skipped; none is lost."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import attrgetter
from typing import NamedTuple

from urisect.logs.formats import Format, format_of
from urisect.logs.formats.fields import AUTHORITY_PARTS
from urisect.logs.formats.format import IMPLAUSIBLE, Column, ParsedBlock, uri_column
from urisect.logs.formats.notation import Value, format_values, parse_values
from urisect.logs.input.blocks import BLOCK_BYTES, MAX_LINE_BYTES, Block, line_offsets, read_blocks
from urisect.reference import Reference, recompose, split, split_authority
from urisect.text_types import Stream

__all__ = ["BlockParser", "Rejected", "Skipped", "Table", "dispatch_unparsed", "tables"]


AUTHORITY_END = re.compile(rb"[/?#]")  # RFC 3986, 3.2


class Rejected(NamedTuple):
    r"""A line that the format does not match.

    Attributes:
        line: its number in the stream, from 1.
        offset: where it begins in the (decompressed) stream, in bytes.
        text: the line without its end.

    >>> import io
    >>> from urisect.logs import COMMON
    >>> next(tables(io.BytesIO(b"not a log line\n"), COMMON)).rejected
    [Rejected(line=1, offset=0, text=b'not a log line')]
    """

    line: int
    offset: int
    text: bytes


class Skipped(NamedTuple):
    r"""A line that was not parsed.

    Attributes:
        line: its number in the stream, from 1.
        offset: where it begins in the (decompressed) stream, in bytes.
        length: its length in bytes, without its end.
        reason: "too long"; "blank"; "directive" for a line about other lines; "partial" for a part of a line that a
            later one ends; or "cut off" by damage to its file.

    >>> import io
    >>> from urisect.logs import LIST
    >>> next(tables(io.BytesIO(b"/a/long/path\n"), LIST, limit=8)).skipped
    [Skipped(line=1, offset=0, length=12, reason='too long')]
    """

    line: int
    offset: int
    length: int
    reason: str


class Table(NamedTuple):
    """The columns parsed from one block of lines.

    Attributes:
        format: the format of the lines.
        columns: for each column its values, one per parsed line; None where undefined.
        parsed: the number of parsed lines.
        rejected: the lines that the format does not match.
        skipped: the lines that were not parsed. The three counts add up to the lines of the block.
        unsplit: by the prefix of their columns, the URIs that were split after the match; None for the others.
        implausible: the number of parsed lines with implausible values, such as a client that is neither an address nor
            a name, if they are counted. If the format was detected, and not named, such lines are rejected.
        is_utf8: whether all values are known to be UTF-8; False if nobody has looked.

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
    unsplit: Mapping[str, Column] = {}
    implausible: int = 0
    is_utf8: bool = False

    @property
    def lines(self) -> int:
        r"""The number of parsed, rejected and skipped lines.

        >>> import io
        >>> from urisect.logs import COMMON
        >>> next(tables(io.BytesIO(COMMON.sample + b"nonsense\n"), COMMON)).lines
        3
        """
        return self.parsed + len(self.rejected) + len(self.skipped)

    def values(self, field: str) -> list[bytes | Value]:
        """Return a column with numbers as numbers, times as microseconds since 1970, and text unchanged.

        Args:
            field: one of `format.fields`, or an alias; see `Format.field`.

        Raises:
            KeyError: the format has no such field.

        >>> import io
        >>> from urisect.logs import COMMON
        >>> table = next(tables(io.BytesIO(COMMON.sample), COMMON))
        >>> table.values("status"), table.values("time")
        ([200, 304], [847659336000000, 847659337000000])
        """
        notation = self.format.notations.get(self.format.field(field))
        column = self.column(field)
        return [*column] if notation is None else [*parse_values(column, notation)]

    def texts(self, field: str) -> Column:
        """Return a column as text: numbers in decimal digits, times in UTC as in RFC 3339, 5.6, other text unchanged.

        Args:
            field: one of `format.fields`, or an alias; see `Format.field`.

        Raises:
            KeyError: the format has no such field.

        >>> import io
        >>> from urisect.logs import COMMON
        >>> next(tables(io.BytesIO(COMMON.sample), COMMON)).texts("time")
        [b'1996-11-10T20:55:36Z', b'1996-11-10T20:55:37Z']
        """
        notation = self.format.notations.get(self.format.field(field))
        column = self.column(field)
        return column if notation is None else format_values(column, notation)

    def selected(self, rows: Sequence[bool]) -> "Table":
        r"""Return a table with some of the rows; rejected and skipped lines stay.

        Args:
            rows: for each row, whether it is kept.

        >>> import io
        >>> from urisect.logs import LIST
        >>> next(tables(io.BytesIO(b"/a\n/b\n"), LIST)).selected([False, True]).column("path")
        [b'/b']
        """
        return self._replace(columns=_select(self.columns, rows), parsed=sum(rows), unsplit=_select(self.unsplit, rows))

    def column(self, field: str) -> Column:
        """Return a column, or a field built from columns: a whole URI, or a part of its authority.

        Args:
            field: one of `format.fields`, or an alias; see `Format.field`.

        Raises:
            KeyError: the format has no such field.

        >>> import io
        >>> from urisect.logs import LIST
        >>> table = next(tables(io.BytesIO(b"http://example.com:80/"), LIST))
        >>> table.column("port"), table.column("reference")
        ([b'80'], [b'http://example.com:80/'])
        """
        name = self.format.field(field)
        if name in self.columns:
            return self.columns[name]
        for uri in self.format.uris:
            if name == uri_column(uri):
                return self._recomposed(uri)
            part = name.removeprefix(uri)
            if part in AUTHORITY_PARTS and name == uri + part:
                sub_component = attrgetter(part)
                authorities = self._parsed(f"{uri}authority")
                # Authorities occur again and again: to split each once takes a tenth of the time.
                distinct = {*authorities}
                parts = {each: None if each is None else sub_component(split_authority(each)) for each in distinct}
                return [parts[each] for each in authorities]
        return self._parsed(name)

    def _parsed(self, name: str) -> Column:
        """Return a column, or raise a KeyError if it was not parsed."""
        if name not in self.columns:
            raise KeyError(f"the field {name!r} was not parsed: only the requested columns are")
        return self.columns[name]

    def _recomposed(self, uri: str) -> Column:
        """Recompose a URI, unless it was matched as a whole; None where there is none."""
        nothing: Column = [None] * self.parsed
        texts = self.unsplit.get(uri, nothing)
        components = (self.columns.get(uri + name, nothing) for name in Reference._fields)
        references = map(Reference[bytes]._make, zip(*components, strict=True))
        return [
            text if text is not None or reference.path is None else recompose(reference)
            for text, reference in zip(texts, references, strict=True)
        ]


def tables(
    stream: Stream,
    format: Format | str,
    *,
    columns: Collection[str] | None = None,
    limit: int = MAX_LINE_BYTES,
    size: int = BLOCK_BYTES,
) -> Iterator[Table]:
    r"""Read a stream in blocks of whole lines, and yield a table for each, in order.

    A line ends with "\n" or "\r\n"; the end of the last line is optional. Memory is bounded by a block, or by the
    longest line that is not skipped.

    Args:
        stream: read to its end; see `decompressed` for one that may be compressed.
        format: a `Format`, its name, or a format string, see `format_of`.
        columns: the fields to parse, or their aliases; all of `format.columns` by default.
        limit: the maximum length of a line, in bytes; longer lines are skipped.
        size: the number of bytes to read at once.

    Yields:
        The columns, the rejected and the skipped lines of each block.

    Raises:
        TypeError: the stream is not binary.
        ValueError: there is no such format.
        KeyError: the format has no such field.
        OSError: the stream cannot be read; raised after everything before it has been yielded.

    >>> import io
    >>> line = b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET /a?b HTTP/1.0" 200 -'
    >>> [table] = tables(io.BytesIO(line + b"\nnonsense\n"), "common")
    >>> table.columns["target_query"], table.rejected
    ([b'b'], [Rejected(line=2, offset=69, text=b'nonsense')])
    """
    format = format_of(format)
    parser = BlockParser(format, format.columns if columns is None else columns)
    yield from parser.tables(read_blocks(stream, limit, size), line=1)


class BlockParser:
    r"""Parses blocks of lines into tables.

    >>> from urisect.logs import LIST
    >>> [table] = BlockParser(LIST, ["host"]).tables([Block(0, b"//a/b\n")], line=1)
    >>> table.column("host")
    [b'a']
    """

    def __init__(self, format: Format, columns: Collection[str], *, counts_implausible: bool = False) -> None:
        """Prepare to parse some columns of a format; see `tables`.

        Args:
            format: the format of the lines.
            columns: the fields to parse.
            counts_implausible: whether to count parsed lines with implausible values.
        """
        self._format = format
        needed = format.needed(columns)
        self._parse = format.parser(needed | {IMPLAUSIBLE} if counts_implausible and format.has_implausible else needed)

    def tables(self, blocks: Iterable[Block], *, line: int, header: bytes = b"") -> Iterator[Table]:
        """Yield a table for each of several consecutive blocks.

        Args:
            blocks: whole lines.
            line: the number of the first one.
            header: what earlier lines say about these; see `Format.header`.
        """
        for block in blocks:
            parsed = self._parse(block.data, header)
            table = self._table(block, line, parsed)
            if self._format.stateful:
                found = parsed.header
                header = self._format.header(block.data, header) if found is None else found
            yield table
            line += table.lines

    def _table(self, block: Block, line: int, parsed_block: ParsedBlock) -> Table:
        columns, rejects, directives, unsplit, partial, implausible, _, blank, is_utf8 = parsed_block
        rejected: list[Rejected] = []
        skipped = [Skipped(line, block.offset, block.length, block.reason)] if block.reason else []
        others = [*_defined(rejects), *_defined(directives), *_defined(partial)]
        parsed = len(rejects)
        if others:
            offsets = list(line_offsets(block.data, block.offset))
            for row, text in _defined(rejects):
                if row in blank or self._format.is_blank(text):
                    skipped.append(Skipped(line + row, offsets[row], len(text), "blank"))
                else:
                    rejected.append(Rejected(line + row, offsets[row], text))
            for reason, texts in (("directive", directives), ("partial", partial)):
                skipped += [Skipped(line + row, offsets[row], len(text), reason) for row, text in _defined(texts)]
            skipped.sort()
            is_entry = bytearray(b"\1") * parsed
            for row, _ in others:
                is_entry[row] = False
            columns, unsplit = _select(columns, is_entry), _select(unsplit, is_entry)
            parsed = sum(is_entry)
        for uri, texts in unsplit.items():
            _split_texts(columns, uri, texts)
        return Table(self._format, columns, parsed, rejected, skipped, unsplit, implausible, is_utf8)


def _defined(column: Sequence[bytes | None]) -> list[tuple[int, bytes]]:
    """Return the values of a column that are defined, with their rows; counting is faster where there are none."""
    if column.count(None) == len(column):
        return []
    return [(row, text) for row, text in enumerate(column) if text is not None]


def _select(columns: Mapping[str, Column], rows: Iterable[object]) -> dict[str, Column]:
    return {name: list(compress(column, rows)) for name, column in columns.items()}


def _split_texts(columns: dict[str, Column], uri: str, texts: Column) -> None:
    """Split URIs that were matched as a whole, and write their components into the columns."""
    if texts.count(None) == len(texts):
        return
    components = [columns.get(uri + name) for name in Reference._fields]
    methods = columns.get("method") if uri == "target_" else None
    for row, text in _defined(texts):
        method = methods[row] if methods is not None else None
        reference = split(text) if method is None else _split_target(method, text)
        for column, component in zip(components, reference, strict=True):
            if column is not None:
                column[row] = component


def _split_target(method: bytes, target: bytes) -> Reference[bytes]:
    """Split a request-target (RFC 9112, 3.2); other than Appendix B, it depends on the method and on the form."""
    if method == b"CONNECT" and not AUTHORITY_END.search(target):
        return Reference(None, target, b"", None, None)
    if target.startswith(b"//"):  # an origin-form: after an empty authority, all of it is the path
        return split(b"//" + target)._replace(authority=None)
    return split(target)


def dispatch_unparsed(
    rejected: Iterable[Rejected],
    skipped: Iterable[Skipped],
    reject: Callable[[Rejected], object] | None,
    skip: Callable[[Skipped], object] | None,
) -> None:
    """Call `reject` with each rejected line and `skip` with each skipped line, unless the callback is None."""
    if reject:
        for rejected_line in rejected:
            reject(rejected_line)
    if skip:
        for skipped_line in skipped:
            skip(skipped_line)
