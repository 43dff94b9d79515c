r"""Write columns as lines of text: tab-separated, comma-separated, or JSON.

Bytes are written unchanged, except for delimiters. TSV writes "\t", "\n", "\r" and "\\" as these escapes. CSV quotes as
RFC 4180 does. JSON is text: UTF-8 is decoded, and any other byte 0xNN becomes the escape "\udcNN" (PEP 383), which
`os.fsencode` turns back into the byte.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, partial
from itertools import chain, repeat
from typing import NamedTuple, cast

from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import Memo
from urisect.logs.input.locations import shown_name
from urisect.logs.input.reader import Rejected

__all__ = ["TEXT_FORMATS", "ByteRanges", "RowStyle", "Sink", "make_sink", "serialize_rejects"]

TEXT_FORMATS = ("tsv", "csv", "ndjson")

# The first and the last byte of each range.
ByteRanges = tuple[tuple[int, int], ...]


class RowStyle(NamedTuple):
    """How rows look in one text format.

    Attributes:
        before: what precedes each value, with the comma or tab after the value before it.
        end: what ends a row.
        null: an undefined value.
        escape: escapes a value, without the quotes around it.
        escaped: a value with one of these bytes is escaped.
        is_quoted: for each column, whether all its values are in quotes.
        quoted: a value with one of these bytes is in quotes, too.
        quotes_empty: whether an empty value is in quotes, too.
    """

    before: tuple[bytes, ...]
    end: bytes
    null: bytes
    escape: Callable[[bytes], bytes]
    escaped: ByteRanges
    is_quoted: tuple[bool, ...]
    quoted: ByteRanges = ()
    quotes_empty: bool = False


class Sink(NamedTuple):
    """A writer for one text format.

    Attributes:
        header: a line with the names of the columns; empty for NDJSON, where every row names them.
        serialize: turns columns of equal length into lines, one per row.
        style: how these lines look.
    """

    header: bytes
    serialize: Callable[[Sequence[Column]], bytes]
    style: RowStyle


def make_sink(to: str, fields: Sequence[str], *, null: str = "", numbers: Collection[str] = ()) -> Sink:
    r"""Make a writer for columns.

    Args:
        to: "tsv", "csv" or "ndjson".
        fields: the names of the columns.
        null: what TSV and CSV write for an undefined value; NDJSON writes null.
        numbers: the columns that NDJSON writes as numbers; every value in them is a number.

    Raises:
        ValueError: `to` is not one of `TEXT_FORMATS`.

    >>> make_sink("ndjson", ["path", "query"]).serialize([[b"/caf\xc3\xa9"], [None]])
    b'{"path":"/caf\\u00e9","query":null}\n'
    """
    names: list[Column] = [[name.encode()] for name in fields]
    undefined = null.encode("utf-8", "surrogateescape")
    match to:
        case "tsv":
            return Sink(_tsv(names, b""), partial(_tsv, null=undefined), _tsv_style(len(fields), undefined))
        case "csv":
            style = _csv_style(len(fields), undefined)
            return Sink(_serialize(names, style), partial(_serialize, style=style), style)
        case "ndjson":
            style = _ndjson_style(fields, numbers)
            return Sink(b"", partial(_serialize, style=style), style)
        case _:
            raise ValueError(f"cannot write {to!r}; the formats are {', '.join(TEXT_FORMATS)}")


def serialize_rejects(file: str, rejected: Iterable[Rejected]) -> bytes:
    r"""Write rejected lines as TSV: file, line, byte offset, and the line itself, last and unescaped.

    Args:
        file: the path of the file, as it was given; the secrets of a URI are left out.
        rejected: lines of this file.

    >>> serialize_rejects("access.log", [Rejected(7, 512, b"a\tb")])
    b'access.log\t7\t512\ta\tb\n'
    """
    name = _escape(shown_name(file).encode("utf-8", "surrogateescape"))
    return b"".join(b"%b\t%d\t%d\t%b\n" % (name, *reject) for reject in rejected)


def _tsv(columns: Sequence[Column], null: bytes) -> bytes:
    cells = (_cells(column, null) for column in columns)
    return b"\n".join((*map(b"\t".join, zip(*cells, strict=True)), b""))


def _cells(column: Column, null: bytes) -> list[bytes]:
    """Fill in undefined values, and escape only if the column needs it at all."""
    joined = b"".join(filter(None, column))
    if any(special in joined for special in TSV_ESCAPES):
        return [null if value is None else _escape(value) for value in column]
    return [null if value is None else value for value in column]


def _tsv_style(count: int, null: bytes) -> RowStyle:
    before = tuple(b"\t" if column else b"" for column in range(count))
    return RowStyle(before, b"\n", null, _escape, _ranges(b"".join(TSV_ESCAPES)), (False,) * count)


# The backslash comes first: the other escapes contain one.
TSV_ESCAPES = {b"\\": rb"\\", b"\t": rb"\t", b"\n": rb"\n", b"\r": rb"\r"}


def _escape(value: bytes) -> bytes:
    for special, escape in TSV_ESCAPES.items():
        value = value.replace(special, escape)
    return value


def _csv_style(count: int, null: bytes) -> RowStyle:
    before = tuple(b"," if column else b"" for column in range(count))
    style = RowStyle(
        before,
        b"\r\n",
        b"",
        _double_quotes,
        escaped=_ranges(b'"'),
        is_quoted=(False,) * count,
        quoted=_ranges(b',"\r\n'),
        quotes_empty=count == 1,  # an empty line is no row
    )
    return style._replace(null=_cell(null, style, is_quoted=False))


def _double_quotes(value: bytes) -> bytes:
    return value.replace(b'"', b'""')


def _ranges(characters: bytes) -> ByteRanges:
    return tuple((character, character) for character in characters)


def _serialize(columns: Sequence[Column], style: RowStyle) -> bytes:
    """Join the pieces of each row: values, and the literals between them, which undefined columns are part of."""
    rows = len(columns[0]) if columns else 0
    plain = _bytes_outside(style.escaped + style.quoted)
    pieces: list[Iterable[bytes]] = []
    literal = b""
    for column, before, is_quoted in zip(columns, style.before, style.is_quoted, strict=True):
        literal += before
        undefined = column.count(None)
        if undefined == rows:
            literal += style.null
            continue
        quote = b'"' if is_quoted else b""
        cells: Iterable[bytes]
        if style.quotes_empty or b"".join(filter(None, column)).translate(None, plain):
            cells = map(Memo(partial(_cell, style=style, is_quoted=is_quoted), null=style.null).__getitem__, column)
            quote = b""
        elif undefined:
            cells = [style.null if value is None else quote + value + quote for value in column]
            quote = b""
        else:
            cells = cast("list[bytes]", column)
        pieces += [repeat(literal + quote), cells]
        literal = quote
    pieces.append(repeat(literal + style.end, rows))
    return b"".join(chain.from_iterable(zip(*pieces, strict=False)))


def _cell(value: bytes, style: RowStyle, *, is_quoted: bool) -> bytes:
    """Escape a value, and put it in quotes if it needs them."""
    is_quoted = is_quoted or (style.quotes_empty and not value) or _has_any(value, style.quoted)
    if _has_any(value, style.escaped):
        value = style.escape(value)
    return b'"' + value + b'"' if is_quoted else value


def _has_any(value: bytes, ranges: ByteRanges) -> bool:
    return bool(value.translate(None, _bytes_outside(ranges)))


@cache
def _bytes_outside(ranges: ByteRanges) -> bytes:
    return bytes(byte for byte in range(256) if not any(first <= byte <= last for first, last in ranges))


@cache
def _json_encoder() -> Callable[[str], str]:
    from json.encoder import encode_basestring_ascii  # noqa: PLC0415  few runs write JSON

    return encode_basestring_ascii


def _ndjson_style(fields: Sequence[str], numbers: Collection[str]) -> RowStyle:
    names = map(_json_encoder(), fields)
    before = tuple(f"{',' if column else '{'}{name}:".encode() for column, name in enumerate(names))
    is_quoted = tuple(name not in numbers for name in fields)
    return RowStyle(before, b"}\n", b"null", _escape_json, JSON_ESCAPED, is_quoted)


# All but printable ASCII, the quote, and the backslash.
JSON_ESCAPED = ((0, 0x1F), *_ranges(b'"\\'), (0x7F, 0xFF))


def _escape_json(value: bytes) -> bytes:
    return _json_encoder()(value.decode("utf-8", "surrogateescape"))[1:-1].encode()
