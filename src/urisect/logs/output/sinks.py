r"""Write columns as lines of text: tab-separated, comma-separated, or JSON.

Bytes are written unchanged, except for delimiters. TSV writes "\t", "\n", "\r" and "\\" as these escapes. CSV quotes as
RFC 4180 does. JSON is text: UTF-8 is decoded, and any other byte 0xNN becomes the escape "\udcNN" (PEP 383), which
`os.fsencode` turns back into the byte.
"""

import io
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import Memo
from urisect.logs.input.locations import shown_name
from urisect.logs.input.reader import Rejected

__all__ = ["TEXT_FORMATS", "Sink", "make_sink", "serialize_rejects"]

TEXT_FORMATS = ("tsv", "csv", "ndjson")


class Sink(NamedTuple):
    """A writer for one text format.

    Attributes:
        header: a line with the names of the columns; empty for NDJSON, where every row names them.
        serialize: turns columns of equal length into lines, one per row.
    """

    header: bytes
    serialize: Callable[[Sequence[Column]], bytes]


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
            return Sink(_tsv(names, b""), partial(_tsv, null=undefined))
        case "csv":
            return Sink(_csv(names, b""), partial(_csv, null=undefined))
        case "ndjson":
            return Sink(b"", partial(_ndjson, template=_template(fields), numbers=[name in numbers for name in fields]))
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


# The backslash comes first: the other escapes contain one.
TSV_ESCAPES = {b"\\": rb"\\", b"\t": rb"\t", b"\n": rb"\n", b"\r": rb"\r"}


def _escape(value: bytes) -> bytes:
    for special, escape in TSV_ESCAPES.items():
        value = value.replace(special, escape)
    return value


def _csv(columns: Sequence[Column], null: bytes) -> bytes:
    """Write rows with the `csv` module; Latin-1, which maps bytes to characters one to one, keeps every byte."""
    import csv  # noqa: PLC0415  few runs write CSV

    lines = io.StringIO(newline="")
    cells = ([(null if value is None else value).decode("latin-1") for value in column] for column in columns)
    csv.writer(lines).writerows(zip(*cells, strict=True))
    return lines.getvalue().encode("latin-1")


def _template(fields: Sequence[str]) -> str:
    """Make a template for one row: filling it is three times as fast as a dict per row and `json.dumps`."""
    from json.encoder import encode_basestring_ascii  # noqa: PLC0415  few runs write JSON

    names = (encode_basestring_ascii(name).replace("%", "%%") for name in fields)
    return f"{{{','.join(f'{name}:%s' for name in names)}}}\n"


def _ndjson(columns: Sequence[Column], template: str, numbers: Sequence[bool]) -> bytes:
    from json.encoder import encode_basestring_ascii  # noqa: PLC0415  few runs write JSON

    def encode_text(value: bytes) -> str:
        return encode_basestring_ascii(value.decode("utf-8", "surrogateescape"))

    cells = [
        list(map(Memo(bytes.decode if is_number else encode_text, null="null").__getitem__, column))
        for column, is_number in zip(columns, numbers, strict=True)
    ]
    return "".join(map(template.__mod__, zip(*cells, strict=True))).encode()
