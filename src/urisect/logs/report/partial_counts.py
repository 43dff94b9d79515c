"""Count the values of a field in one table: partial counts, to be added to those of other tables."""

from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from itertools import compress
from typing import TYPE_CHECKING

from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.input.reader import Table
from urisect.logs.report.value_columns import PartialCounts, as_list, sum_by_key

if TYPE_CHECKING:
    from urisect.logs.columnar.table import ColumnarTable

__all__ = [
    "LIST_BYTES",
    "PartialCounts",
    "as_list",
    "count_values",
    "has_arrays",
    "join_partial_counts",
    "measure_values",
    "sum_by_key",
    "table_of_values",
]

# After how many bytes of a log columnar tables are counted: not before there is anything to count, since numpy and
# pyarrow take 40 MB.
LIST_BYTES = 1


def count_values(table: "Table | ColumnarTable", field: str) -> PartialCounts:
    r"""Count the lines of a table per value of a field. Numbers and times are counted as normalized text.

    Args:
        table: a table whose columns suffice for the field.
        field: one of `table.format.fields`.

    Raises:
        KeyError: the format has no such field.

    >>> import io
    >>> from urisect.logs import LIST, tables
    >>> counts = count_values(next(tables(io.BytesIO(b"//a\n//u@a\n/c\n"), LIST)), "host")
    >>> counts.values, counts.lines
    ([b'a', None], [2, 1])
    """
    if not isinstance(table, Table):
        from urisect.logs.report.array_counts import count_array  # noqa: PLC0415  numpy and pyarrow may be missing

        return count_array(table, field)
    sources = table.format.needed([field])
    if len(sources) > 1:
        return _partial_counts(Counter(table.texts(field)))
    # A field that depends on a single column is computed once for each different value of that column.
    (source,) = sources
    texts = Counter(table.column(source))
    counts: Counter[bytes | None] = Counter()
    for value, count in zip(table_of_values(table.format, source, texts).texts(field), texts.values(), strict=True):
        counts[value] += count
    return _partial_counts(counts)


def table_of_values(format: Format, column: str, values: Iterable[bytes | None]) -> Table:
    """Build a table of one column, to compute the fields that depend on it.

    Args:
        format: the format that has the column.
        column: its name.
        values: its values, as text.

    >>> from urisect.logs import LIST
    >>> table_of_values(LIST, "authority", [b"u@a:80"]).column("port")
    [b'80']
    """
    texts = list(values)
    return Table(format, {column: texts}, len(texts), [], [])


def measure_values(
    values: Column,
    sizes: Sequence[int] | None = None,
    durations: Sequence[float] | None = None,
    **kinds: Sequence[bool] | None,
) -> PartialCounts:
    """Count lines per value, and sum up bytes and response times.

    Args:
        values: one value per line.
        sizes: the bytes sent, per line; 0 if unknown.
        durations: the response time in seconds, per line; 0 if unknown.
        kinds: attributes of `PartialCounts` that are numbers of lines, each with the lines that count.

    >>> counts = measure_values([b"a", b"b", b"a"], [1, 2, 3], bots=[True, False, False])
    >>> counts.values, counts.lines, counts.bytes, counts.bots
    ([b'a', b'b'], [2, 1], [4.0, 2.0], [1, 0])
    """
    lines = Counter(values)  # its keys are in the order of their first occurrence, as those of `sum_by_key` are
    counts = PartialCounts([*lines], [*lines.values()])
    for name, of_kind in kinds.items():
        if of_kind is not None:
            numbers = Counter(compress(values, of_kind))
            counts = counts._replace(**{name: [numbers[value] for value in lines]})
    if sizes is not None:
        counts = counts._replace(bytes=[*map(float, sum_by_key(values, sizes).values())])
    if durations is None:
        return counts
    longest = dict.fromkeys(lines, 0.0)
    for value, seconds in zip(values, durations, strict=True):
        longest[value] = max(longest[value], seconds)
    return counts._replace(seconds=[*sum_by_key(values, durations).values()], longest=[*longest.values()])


def has_arrays() -> bool:
    """Return whether numpy and pyarrow are installed, so that columnar tables can be counted.

    >>> has_arrays()
    True
    """
    return find_spec("numpy") is not None and find_spec("pyarrow") is not None


def join_partial_counts(parts: Sequence[PartialCounts]) -> PartialCounts:
    """Join partial counts of the same thing, with numpy and pyarrow: one row per value, and per minute.

    Args:
        parts: at least one.

    >>> join_partial_counts([PartialCounts([b"a", b"b"], [1, 2]), PartialCounts([b"b"], [3])]).lines.tolist()
    [1, 5]
    """
    from urisect.logs.report.array_counts import join_counts  # noqa: PLC0415  numpy and pyarrow may be missing

    return join_counts(parts)


def _partial_counts(counts: Counter[bytes | None]) -> PartialCounts:
    return PartialCounts(list(counts), list(counts.values()))
