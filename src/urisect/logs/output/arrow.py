"""Build Arrow record batches, with typed columns, from tables of log lines."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, TypeAlias

from urisect.extras import MissingExtraError
from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.formats.notation import MAX_TIME, MIN_TIME, Notation, ValueKind, parse_values
from urisect.logs.input.reader import Table

try:
    import pyarrow as pa
    import pyarrow.compute as pc
except ModuleNotFoundError:
    raise MissingExtraError("Arrow output", "pyarrow") from None

if TYPE_CHECKING:
    from urisect.logs.columnar.table import ColumnarTable

__all__ = ["concatenate", "record_batch", "schema", "text_array", "value_array"]

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


def record_batch(table: "Table | ColumnarTable", fields: Sequence[str]) -> pa.RecordBatch:
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
    return pa.record_batch(columns, schema=_cached_schema(table.format, tuple(fields)))


_cached_schema = lru_cache(maxsize=16)(schema)  # to build one takes 1 us a column


def concatenate(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Concatenate record batches that have the same schema.

    Args:
        batches: at least one.

    >>> concatenate([pa.record_batch({"status": [200]}), pa.record_batch({"status": [404]})])["status"].to_pylist()
    [200, 404]
    """
    return pa.concat_batches(batches)


def _array(table: "Table | ColumnarTable", name: str) -> pa.Array:
    kind = table.format.kind(name)
    if isinstance(table, Table):
        notation = table.format.notations.get(table.format.field(name))
        if notation is None:
            return text_array(table.column(name), is_utf8=table.is_utf8)
        return value_array(table.column(name), notation)
    if kind is not ValueKind.TEXT:
        return table.value_array(name)
    array = table.array(name)
    return array.view(ARROW_TYPES[kind]) if table.is_utf8 else _as_text(array)


def text_array(column: Column, *, is_utf8: bool = False) -> pa.Array:
    r"""Build an array of text, as for `record_batch`.

    Args:
        column: values; None where undefined.
        is_utf8: whether they are known to be UTF-8, which saves a pass: for a thousand rows, a third of the time.

    >>> text_array([b"a", b"\xff", None]).to_pylist()
    ['a', '\\xff', None]
    """
    # Counting takes half as long as building the array, so the first value is looked at before.
    if column[:1] in ([None], []) and column.count(None) == len(column):
        return pa.nulls(len(column), ARROW_TYPES[ValueKind.TEXT])
    array = pa.array(column, pa.binary())
    return array.view(ARROW_TYPES[ValueKind.TEXT]) if is_utf8 else _as_text(array)


def value_array(column: Column, notation: Notation) -> pa.Array:
    """Build an array of numbers or times, as for `record_batch`.

    Arrow parses most of them: 10 to 25 ns a value, besides the 25 for an array of the texts. `parse_values` takes 40 to
    500, and parses the columns in which Arrow rejects a text, such as a duration with its unit.

    Args:
        column: texts; None where undefined.
        notation: how they are written.

    >>> from urisect.logs.formats.notation import MILLISECONDS
    >>> value_array([b"250", None], MILLISECONDS).to_pylist()
    [0.25, None]
    """
    first = next((text for text in column if text is not None), None)
    if first is None:
        return pa.nulls(len(column), ARROW_TYPES[notation.kind])
    # An error costs Arrow 1 us for each value. The first value tells whether it can parse them; an error, another form.
    parse = _time_parser(first) if notation.is_iso else _number_parser(first, notation)
    if parse:
        with suppress(pa.ArrowInvalid):
            return parse(pa.array(column, pa.binary()).view(pa.string()))
    return pa.array(parse_values(column, notation), ARROW_TYPES[notation.kind])


_ArrayParser: TypeAlias = Callable[[pa.Array], pa.Array]

# A time that Arrow parses, with its zone.
_ARROW_TIME = re.compile(rb"[0-9-]{10}[T ][0-9:]{5,8}(?:\.[0-9]{1,6})?(Z|[+-][0-9:]{4,6})?")


def _time_parser(first: bytes) -> _ArrayParser | None:
    match = _ARROW_TIME.fullmatch(first)
    return match and (_parse_times if match[1] else _parse_times_without_zone)


def _parse_times(texts: pa.Array) -> pa.Array:
    return _checked(texts.cast(ARROW_TYPES[ValueKind.TIME]))


def _parse_times_without_zone(texts: pa.Array) -> pa.Array:
    return _checked(texts.cast(pa.timestamp("us")).cast(ARROW_TYPES[ValueKind.TIME]))


def _checked(times: pa.Array) -> pa.Array:
    limits = pc.min_max(times.cast(pa.int64()))
    if not MIN_TIME <= limits["min"].as_py() <= limits["max"].as_py() <= MAX_TIME:
        raise pa.ArrowInvalid("a time is out of the range of datetime")
    return times


def _number_parser(first: bytes, notation: Notation) -> _ArrayParser | None:
    """Return a parser; None for a unit behind the number, or an integer with a fraction."""
    kind = notation.kind
    if not notation.divisor or not first[-1:].isdigit() or (kind is ValueKind.NUMBER and b"." in first):
        return None
    return partial(_parse_numbers, type=ARROW_TYPES[kind], divisor=notation.divisor)


def _parse_numbers(texts: pa.Array, type: pa.DataType, divisor: int) -> pa.Array:
    numbers = texts.cast(type)
    return numbers if divisor == 1 else pc.divide(numbers, float(divisor))


def _as_text(array: pa.Array) -> pa.Array:
    """Return an array of bytes as one of text; bytes that are not UTF-8 are escaped."""
    try:
        return array.cast(ARROW_TYPES[ValueKind.TEXT])
    except pa.ArrowInvalid:
        column = array.to_pylist()
        texts = (None if value is None else value.decode("utf-8", "backslashreplace") for value in column)
        return pa.array(texts, ARROW_TYPES[ValueKind.TEXT])
