r"""Write columns as lines of text: tab-separated, comma-separated, or JSON.

Bytes leave as they came. TSV writes "\t", "\n", "\r" and "\\" as these escapes; CSV quotes as RFC 4180 does; JSON,
which is text, reads UTF-8 and writes any other byte xx as the escape "\udcxx", from which PEP 383 leads back to it.
"""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from json.encoder import encode_basestring_ascii
from typing import NamedTuple

from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import Memo
from urisect.logs.input.reader import Rejected

__all__ = ["SINKS", "Sink", "rejects", "sink"]

SINKS = ("tsv", "csv", "ndjson")


class Sink(NamedTuple):
    """A way to write columns.

    Attributes:
        header: a line with the names of the columns; empty for JSON, where each row names them.
        rows: turns equally long columns into lines, one a row.
    """

    header: bytes
    rows: Callable[[Sequence[Column]], bytes]


def sink(to: str, fields: Sequence[str], *, null: str = "", numbers: Collection[str] = ()) -> Sink:
    r"""Choose a way to write columns.

    Args:
        to: "tsv", "csv" or "ndjson".
        fields: the names of the columns.
        null: what stands for an undefined value in TSV and CSV; JSON has its own.
        numbers: the columns that JSON shows as numbers, for they hold nothing but.

    Raises:
        ValueError: `to` is none of `SINKS`.

    >>> sink("ndjson", ["path", "query"]).rows([[b"/caf\xc3\xa9"], [None]])
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
            raise ValueError(f"cannot write {to!r}; there are {', '.join(SINKS)}")


def rejects(source: str, rejected: Iterable[Rejected]) -> bytes:
    r"""Write rejected lines: file, line, byte offset and, last and untouched, the line itself, between tabs.

    >>> rejects("access.log", [Rejected(7, 512, b"a\tb")])
    b'access.log\t7\t512\ta\tb\n'
    """
    name = _escaped(source.encode("utf-8", "surrogateescape"))
    return b"".join(b"%b\t%d\t%d\t%b\n" % (name, *reject) for reject in rejected)


def _tsv(columns: Sequence[Column], null: bytes) -> bytes:
    """Join rows with tabs."""
    cells = (_cells(column, null) for column in columns)
    return b"\n".join((*map(b"\t".join, zip(*cells, strict=True)), b""))


def _cells(column: Column, null: bytes) -> list[bytes]:
    """Fill in what is undefined, and escape what would break a row, where the column has such a character at all."""
    joined = b"".join(filter(None, column))
    if any(special in joined for special in SPECIAL):
        return [null if value is None else _escaped(value) for value in column]
    return [null if value is None else value for value in column]


SPECIAL = {b"\\": rb"\\", b"\t": rb"\t", b"\n": rb"\n", b"\r": rb"\r"}  # the backslash first: the others write one


def _escaped(value: bytes) -> bytes:
    for special, written in SPECIAL.items():
        value = value.replace(special, written)
    return value


def _csv(columns: Sequence[Column], null: bytes) -> bytes:
    """Write rows with the standard library's writer; Latin-1, a character a byte, carries any bytes through it."""
    lines = io.StringIO(newline="")
    cells = ([(null if value is None else value).decode("latin-1") for value in column] for column in columns)
    csv.writer(lines).writerows(zip(*cells, strict=True))
    return lines.getvalue().encode("latin-1")


def _template(fields: Sequence[str]) -> str:
    """Make a template of a row: to fill it is three times as fast as a dict a row and `json.dumps`."""
    names = (encode_basestring_ascii(name).replace("%", "%%") for name in fields)
    return f"{{{','.join(f'{name}:%s' for name in names)}}}\n"


def _ndjson(columns: Sequence[Column], template: str, numbers: Sequence[bool]) -> bytes:
    """Fill in a template a row."""
    cells = [
        list(map(Memo(_number if is_number else _string, null="null").__getitem__, column))
        for column, is_number in zip(columns, numbers, strict=True)
    ]
    return "".join(map(template.__mod__, zip(*cells, strict=True))).encode()


def _string(value: bytes) -> str:
    return encode_basestring_ascii(value.decode("utf-8", "surrogateescape"))


def _number(value: bytes) -> str:
    return value.decode()
