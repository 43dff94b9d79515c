"""Read logs as records: plain dicts, without any optional package."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from urisect.logs.formats import Format
from urisect.logs.formats.notation import Notation, ValueKind, parse_datetimes, parse_values
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.format_selection import AUTO, select_stream_format
from urisect.logs.input.reader import Rejected, Skipped, Table, dispatch_unparsed, tables
from urisect.text_types import Stream

__all__ = ["RecordValue", "records"]

# A value of a record. Type checkers see Any: the format and the field decide which type it is, and a union would
# have to be narrowed at every use.
if TYPE_CHECKING:
    RecordValue: TypeAlias = Any
else:
    RecordValue = bytes | int | float | datetime | None


def records(
    stream: Stream,
    format: Format | str = AUTO,
    *,
    columns: Collection[str] | None = None,
    reject: Callable[[Rejected], object] | None = None,
    skip: Callable[[Skipped], object] | None = None,
    limit: int = MAX_LINE_BYTES,
) -> Iterator[dict[str, RecordValue]]:
    r"""Read a stream of log lines as records.

    Args:
        stream: read to its end; see `decompressed` for one that may be compressed.
        format: a `Format`, its name, or a format string, see `format_of`; "auto" detects it from the first lines.
        columns: the fields of a record; all of `format.columns` by default.
        reject: called with each line that does not match the format; without it, such lines are dropped.
        skip: called with each line that is skipped: it is blank, too long, a directive, or cut off.
        limit: longest line, in bytes; a longer one is skipped.

    Returns:
        An iterator that yields a dict for each line that matches, by the names of the fields. Numbers are int, seconds
        float, times datetime in UTC, everything else bytes, as in the line; an undefined value is None.

    Raises:
        ValueError: the format is unknown, or none matches the first lines.
        KeyError: the format has no such field.
        TypeError: the stream is not a buffered binary one.
        OSError: the stream cannot be read; raised after everything before it has been yielded.

    >>> import io
    >>> line = b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0100] "GET /a?b HTTP/1.0" 404 -'
    >>> for record in records(io.BytesIO(line), "common"):
    ...     print(record["target_path"], record["status"], record["bytes"], record["time"])
    b'/a' 404 None 1996-11-09 23:00:00+00:00
    """
    format, stream = select_stream_format(format, stream)
    names = format.columns if columns is None else tuple(columns)
    format.needed(names)  # raise KeyError now, not with the first record
    return _records(tables(stream, format, columns=names, limit=limit), format, names, reject, skip)


def _records(
    found: Iterator[Table],
    format: Format,
    names: tuple[str, ...],
    reject: Callable[[Rejected], object] | None,
    skip: Callable[[Skipped], object] | None,
) -> Iterator[dict[str, RecordValue]]:
    """Turn tables into records, and dispatch the lines that were not parsed."""
    fields = [format.field(name) for name in names]
    notations = [format.notations.get(field) for field in fields]
    for table in found:
        values = [_python_values(table, *column) for column in zip(fields, notations, strict=True)]
        yield from _row_builder(names)(values) if names else ({} for _ in range(table.parsed))
        dispatch_unparsed(table.rejected, table.skipped, reject, skip)


_RowBuilder: TypeAlias = Callable[[list[Sequence[RecordValue]]], Iterator[dict[str, RecordValue]]]


@lru_cache(maxsize=16)
def _row_builder(names: tuple[str, ...]) -> _RowBuilder:
    """Return a function that yields a dict for each row of some columns.

    It is compiled for the number of columns: as `dict(zip(names, row))` builds a dict, its table grows three times, and
    a row of twenty columns takes 1,440 ns. A copy has its full size at once, and storing the values takes 650 in all.
    """
    keys = {f"name_{number}": name for number, name in enumerate(names)}
    targets = "".join(f"row[{key}]," for key in keys)
    code = f"""
def rows(columns):
    row = new()
    for {targets} in zip(*columns, strict=True):
        yield row
        row = new()
"""
    scope: dict[str, Any] = {"new": dict.fromkeys(names).copy, **keys}
    exec(code, scope)  # noqa: S102  nothing of the names is in it
    rows: _RowBuilder = scope["rows"]
    return rows


def _python_values(table: Table, field: str, notation: Notation | None) -> Sequence[RecordValue]:
    """Return the values of a column, with times as datetime."""
    column = table.columns[field] if field in table.columns else table.column(field)
    if notation is None:
        return column
    return (parse_datetimes if notation.kind is ValueKind.TIME else parse_values)(column, notation)
