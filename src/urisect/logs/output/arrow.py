"""Lines of logs as Arrow's record batches: typed columns, built only where they are wanted."""

from collections.abc import Iterable, Sequence

from urisect.logs.errors import MissingExtraError
from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import ValueKind
from urisect.logs.input.reader import Table

try:
    import pyarrow as pa
except ModuleNotFoundError:
    raise MissingExtraError("what is made of columns", "pyarrow") from None

__all__ = ["joined", "record_batch", "schema"]

TYPES = {
    ValueKind.TEXT: pa.string(),
    ValueKind.NUMBER: pa.int64(),
    ValueKind.SECONDS: pa.float64(),
    ValueKind.TIME: pa.timestamp("us", tz="UTC"),
}


def schema(format: Format, fields: Iterable[str]) -> pa.Schema:
    """Give the types of the columns that are made of a format's fields.

    Args:
        format: what a line looks like.
        fields: some of `format.fields`.

    >>> from urisect.logs import COMMON
    >>> print(schema(COMMON, ["time", "status", "target_host"]))
    time: timestamp[us, tz=UTC]
    status: int64
    target_host: string
    """
    return pa.schema([(name, TYPES[format.kind(name)]) for name in fields])


def record_batch(table: Table, fields: Sequence[str]) -> pa.RecordBatch:
    r"""Make a record batch of a table.

    Text in Arrow is UTF-8. A byte that is none is written as servers write it, as the four characters "\xff".

    Args:
        table: lines, cut.
        fields: some of the fields for which they were cut.

    >>> import io
    >>> from urisect.logs import LIST, tables
    >>> record_batch(next(tables(io.BytesIO(b"//h/\xff\n?\n"), LIST)), ["host", "path"]).to_pydict()
    {'host': ['h', None], 'path': ['/\\xff', '']}
    """
    columns = [_array(table, name) for name in fields]
    if not columns:  # there are as many rows, all the same
        return pa.record_batch([pa.nulls(table.parsed)], names=[""]).select([])
    return pa.record_batch(columns, schema=schema(table.format, fields))


def joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Make one record batch of several of one schema.

    Args:
        batches: one, or more.

    >>> joined([pa.record_batch({"status": [200]}), pa.record_batch({"status": [404]})])["status"].to_pylist()
    [200, 404]
    """
    return pa.concat_batches(batches)


def _array(table: Table, name: str) -> pa.Array:
    kind = table.format.kind(name)
    return _text(table.column(name)) if kind is ValueKind.TEXT else pa.array(table.values(name), TYPES[kind])


def _text(column: Column) -> pa.Array:
    if column[:1] in ([None], []) and column.count(None) == len(column):  # to count takes as long as half of the rest
        return pa.nulls(len(column), TYPES[ValueKind.TEXT])
    try:
        return pa.array(column, pa.binary()).cast(TYPES[ValueKind.TEXT])
    except pa.ArrowInvalid:
        texts = (None if value is None else value.decode("utf-8", "backslashreplace") for value in column)
        return pa.array(texts, TYPES[ValueKind.TEXT])
