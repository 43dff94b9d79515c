"""Partial counts: the values of a field in one table."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.input.reader import Table

__all__ = ["Groups", "counted", "distinct", "measured", "summed"]

Key = TypeVar("Key", bound=Hashable)

Number = TypeVar("Number", int, float)


class Groups(NamedTuple):
    """Partial counts: different values of a field, and what there is of each. All lists have one length.

    Attributes:
        values: the values, None where undefined. A value may be there more than once.
        lines: how many there are that have it.
        bytes: how many bytes were sent with them.
        seconds: how long they took, in all.
        longest: how long the slowest took.
        minutes: in which minute since 1970 they were written.

    >>> Groups([b"/a", None], [3, 1]).lines
    [3, 1]
    """

    values: Column
    lines: list[int]
    bytes: list[float] | None = None
    seconds: list[float] | None = None
    longest: list[float] | None = None
    minutes: list[int | None] | None = None


def counted(table: Table, field: str) -> Groups:
    r"""Count the values of a field in a table, as they are written in columns of text.

    Args:
        table: lines for which the field was cut.
        field: one of `table.format.fields`.

    >>> import io
    >>> from urisect.logs import LIST, tables
    >>> counted(next(tables(io.BytesIO(b"//a\n//u@a\n/c\n"), LIST)), "host")
    Groups(values=[b'a', None], lines=[2, 1], bytes=None, seconds=None, longest=None, minutes=None)
    """
    sources = table.format.needed([field])
    if len(sources) > 1:
        return _groups(Counter(table.texts(field)))
    # What follows from a single column has to be found for each of its different values only.
    (source,) = sources
    texts = Counter(table.column(source))
    counts: Counter[bytes | None] = Counter()
    for value, count in zip(distinct(table.format, source, texts).texts(field), texts.values(), strict=True):
        counts[value] += count
    return _groups(counts)


def distinct(format: Format, column: str, values: Iterable[bytes | None]) -> Table:
    """Make a table of nothing but some values of one column, so that what follows from them can be found.

    >>> from urisect.logs import LIST
    >>> distinct(LIST, "authority", [b"u@a:80"]).column("port")
    [b'80']
    """
    texts = list(values)
    return Table(format, {column: texts}, len(texts), [], [])


def _groups(counts: Counter[bytes | None]) -> Groups:
    return Groups(list(counts), list(counts.values()))


def summed(keys: Iterable[Key], numbers: Iterable[Number]) -> dict[Key, Number]:
    """Add up numbers by their keys, in the order in which these come.

    >>> summed("aba", [1, 2, 3])
    {'a': 4, 'b': 2}
    """
    sums: dict[Key, Number] = {}
    sum_of = sums.get
    for key, number in zip(keys, numbers, strict=True):
        sums[key] = sum_of(key, 0) + number
    return sums


def measured(values: Column, sizes: Sequence[int], durations: Sequence[float] | None = None) -> Groups:
    """Count lines by a value, and add up what was sent, and how long it took.

    Args:
        values: one a line.
        sizes: how many bytes were sent, 0 where that is not known.
        durations: how many seconds it took, 0 where that is not known.

    >>> measured([b"a", b"b", b"a"], [1, 2, 3])
    Groups(values=[b'a', b'b'], lines=[2, 1], bytes=[4.0, 2.0], seconds=None, longest=None, minutes=None)
    """
    lines = Counter(values)  # it has the values in the order in which they come, too
    groups = Groups([*lines], [*lines.values()], bytes=list(map(float, summed(values, sizes).values())))
    if durations is None:
        return groups
    longest = dict.fromkeys(lines, 0.0)
    for value, seconds in zip(values, durations, strict=True):
        longest[value] = max(longest[value], seconds)
    return groups._replace(seconds=[*summed(values, durations).values()], longest=[*longest.values()])
