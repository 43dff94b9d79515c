"""Build Arrow record batches, with typed columns, from tables of log lines."""

from collections.abc import Iterable, Sequence

from urisect.extras import MissingExtraError
from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import ValueKind
from urisect.logs.input.reader import Table

try:
    import pyarrow as pa
except ModuleNotFoundError:
    raise MissingExtraError("Arrow output", "pyarrow") from None

__all__ = ["concatenate", "record_batch", "schema", "text_array"]

ARROW_TYPES = {
    ValueKind.TEXT: pa.string(),
    ValueKind.NUMBER: pa.int64(),
    ValueKind.SECONDS: pa.float64(),
    ValueKind.TIME: pa.timestamp("us", tz="UTC"),
}


def schema(format: Format, fields: Iterable[str]) -> pa.Schema:
    """Return the Arrow schema for fields of a format.

    Args:
        format: the log format.
        fields: names from `format.fields`, or aliases.

    Returns:
        A field for each of them, in their order, of type string, int64, float64 (seconds) or timestamp (UTC, us).

    Raises:
        KeyError: the format has no such field.
        MissingExtraError: pyarrow is not installed.

    >>> from urisect.logs import COMMON
    >>> print(schema(COMMON, ["time", "status", "target_host"]))
    time: timestamp[us, tz=UTC]
    status: int64
    target_host: string
    """
    return pa.schema([(name, ARROW_TYPES[format.kind(name)]) for name in fields])


def record_batch(table: Table, fields: Sequence[str]) -> pa.RecordBatch:
    r"""Build a record batch from a table.

    Text in Arrow is UTF-8. A byte that is not UTF-8 becomes four characters, such as "\xff", as servers write it.

    Args:
        table: the parsed lines of one block.
        fields: names of fields whose columns the table has.

    >>> import io
    >>> from urisect.logs import LIST, tables
    >>> record_batch(next(tables(io.BytesIO(b"//h/\xff\n?\n"), LIST)), ["host", "path"]).to_pydict()
    {'host': ['h', None], 'path': ['/\\xff', '']}
    """
    columns = [_array(table, name) for name in fields]
    if not columns:  # a batch without columns still has a number of rows
        return pa.record_batch([pa.nulls(table.parsed)], names=[""]).select([])
    return pa.record_batch(columns, schema=schema(table.format, fields))


def concatenate(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Concatenate record batches that have the same schema.

    Args:
        batches: at least one.

    >>> concatenate([pa.record_batch({"status": [200]}), pa.record_batch({"status": [404]})])["status"].to_pylist()
    [200, 404]
    """
    return pa.concat_batches(batches)


def _array(table: Table, name: str) -> pa.Array:
    kind = table.format.kind(name)
    return text_array(table.column(name)) if kind is ValueKind.TEXT else pa.array(table.values(name), ARROW_TYPES[kind])


def text_array(column: Column) -> pa.Array:
    r"""Build an array of text, as for `record_batch`.

    Args:
        column: values; None where undefined.

    >>> text_array([b"a", b"\xff", None]).to_pylist()
    ['a', '\\xff', None]
    """
    # Counting takes half as long as building the array, so the first value is looked at before.
    if column[:1] in ([None], []) and column.count(None) == len(column):
        return pa.nulls(len(column), ARROW_TYPES[ValueKind.TEXT])
    try:
        return pa.array(column, pa.binary()).cast(ARROW_TYPES[ValueKind.TEXT])
    except pa.ArrowInvalid:
        texts = (None if value is None else value.decode("utf-8", "backslashreplace") for value in column)
        return pa.array(texts, ARROW_TYPES[ValueKind.TEXT])
