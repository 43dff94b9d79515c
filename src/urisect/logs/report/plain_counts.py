"""Count a limited number of different values exactly, in plain Python: the fallback where DuckDB is not installed."""

from collections import defaultdict
from heapq import nsmallest
from typing import Self

from urisect.extras import MissingExtraError
from urisect.logs.report.counts import ValueCount, abbreviate
from urisect.logs.report.partial_counts import PartialCounts, as_list

__all__ = ["MAX_PLAIN_VALUES", "PlainCounts"]

# How many different values are counted, and how many bytes they may have together. At both limits they take 300 MB.
MAX_PLAIN_VALUES = 1_000_000
MAX_PLAIN_BYTES = 1 << 27


class PlainCounts:
    """Exact counts of a limited number of values, with the methods of `CountDatabase` that count lines.

    It is a context manager, as `CountDatabase` is, but has no temporary files.

    >>> with PlainCounts("duckdb") as counts:
    ...     counts.add("path", PartialCounts([b"/a", b"/b"], [1, 1]))
    ...     counts.add("path", PartialCounts([b"/b", None], [2, 5]))
    ...     [(count.value, count.lines) for count in counts.top("path", 2)], counts.distinct("path")
    ([(None, 5), (b'/b', 3)], 2)
    """

    def __init__(self, missing: str) -> None:
        """Begin with no values.

        Args:
            missing: the package that is not installed.
        """
        self._missing = missing
        self._lines: defaultdict[str, dict[bytes | None, int]] = defaultdict(dict)
        self._values = self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.clear()

    def add(self, name: str, counts: PartialCounts) -> None:
        """Add partial counts.

        Args:
            name: what is counted.
            counts: the partial counts.

        Raises:
            MissingExtraError: there are more values than plain Python counts.
        """
        lines_of = self._lines[name]
        for value, lines in zip(map(abbreviate, as_list(counts.values)), as_list(counts.lines), strict=True):
            if value in lines_of:
                lines_of[value] += lines
            else:
                lines_of[value] = lines
                self._values += 1
                self._bytes += len(value or b"")
        if self._values > MAX_PLAIN_VALUES or self._bytes > MAX_PLAIN_BYTES:
            raise MissingExtraError(
                f"counting any number of different values (here more than {MAX_PLAIN_VALUES:,}, or"
                f" {MAX_PLAIN_BYTES >> 20} MiB of them)",
                self._missing,
            )

    def top(self, name: str, most: int) -> list[ValueCount]:
        """Return the values with the highest counts, ties in byte order.

        Args:
            name: what was counted.
            most: the maximum number of values.
        """
        counts = (ValueCount(value, lines) for value, lines in self._lines[name].items())
        return nsmallest(most, counts, key=lambda count: (-count.lines, count.value is None, count.value))

    def distinct(self, name: str) -> int:
        """Return the number of different values; None is not counted.

        Args:
            name: what was counted.
        """
        lines_of = self._lines[name]
        return len(lines_of) - (None in lines_of)

    def total(self, name: str) -> ValueCount:
        """Return the sum of all counts under a name, as the count of the value None.

        Args:
            name: what was counted.
        """
        return ValueCount(None, sum(self._lines[name].values()))
