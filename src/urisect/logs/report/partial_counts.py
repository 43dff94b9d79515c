"""Count the values of a field in one table: partial counts, to be added to those of other tables."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.input.reader import Table

__all__ = ["PartialCounts", "count_values", "measure_values", "sum_by_key", "table_of_values"]

K = TypeVar("K", bound=Hashable)
N = TypeVar("N", int, float)


class PartialCounts(NamedTuple):
    """Partial counts of values, in parallel lists. The same value may occur more than once.

    Attributes:
        values: the values; None stands for lines in which the field is undefined.
        lines: the number of lines with each value.
        bytes: the bytes sent with these lines.
        seconds: the total response time of these lines.
        longest: the longest response time of one of these lines, in seconds.
        minutes: the minute in which these lines were logged, counted from 1970; None if it is unknown.
    """

    values: Column
    lines: list[int]
    bytes: list[float] | None = None
    seconds: list[float] | None = None
    longest: list[float] | None = None
    minutes: list[int | None] | None = None


def count_values(table: Table, field: str) -> PartialCounts:
    r"""Count the lines of a table per value of a field. Numbers and times are counted as normalized text.

    Args:
        table: a table whose columns suffice for the field.
        field: one of `table.format.fields`.

    Raises:
        KeyError: the format has no such field.

    >>> import io
    >>> from urisect.logs import LIST, tables
    >>> count_values(next(tables(io.BytesIO(b"//a\n//u@a\n/c\n"), LIST)), "host")
    PartialCounts(values=[b'a', None], lines=[2, 1], bytes=None, seconds=None, longest=None, minutes=None)
    """
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


def measure_values(values: Column, sizes: Sequence[int], durations: Sequence[float] | None = None) -> PartialCounts:
    """Count lines per value, and sum up bytes and response times.

    Args:
        values: one value per line.
        sizes: the bytes sent, per line; 0 if unknown.
        durations: the response time in seconds, per line; 0 if unknown.

    >>> measure_values([b"a", b"b", b"a"], [1, 2, 3])
    PartialCounts(values=[b'a', b'b'], lines=[2, 1], bytes=[4.0, 2.0], seconds=None, longest=None, minutes=None)
    """
    lines = Counter(values)  # its keys are in the order of their first occurrence, as those of `sum_by_key` are
    counts = PartialCounts([*lines], [*lines.values()], bytes=list(map(float, sum_by_key(values, sizes).values())))
    if durations is None:
        return counts
    longest = dict.fromkeys(lines, 0.0)
    for value, seconds in zip(values, durations, strict=True):
        longest[value] = max(longest[value], seconds)
    return counts._replace(seconds=[*sum_by_key(values, durations).values()], longest=[*longest.values()])


def sum_by_key(keys: Iterable[K], numbers: Iterable[N]) -> dict[K, N]:
    """Sum up numbers per key, with the keys in the order of their first occurrence.

    Args:
        keys: one key per number.
        numbers: the numbers.

    >>> sum_by_key("aba", [1, 2, 3])
    {'a': 4, 'b': 2}
    """
    sums: dict[K, N] = {}
    sum_of = sums.get
    for key, number in zip(keys, numbers, strict=True):
        sums[key] = sum_of(key, 0) + number
    return sums


def _partial_counts(counts: Counter[bytes | None]) -> PartialCounts:
    return PartialCounts(list(counts), list(counts.values()))
