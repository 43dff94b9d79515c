"""Match the rows of a column of text in its buffer, and change some of them."""

import re
from collections.abc import Callable
from itertools import islice, repeat
from operator import is_not
from typing import TYPE_CHECKING, Any, Final

from urisect.arrow_packages import np, pa, pc
from urisect.engines.text_columns import TextColumn, to_array_of
from urisect.text_types import compile_for

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["change_rows", "match_rows", "select_rows"]

# Rows in a block: two lists of so many integers are small.
_BLOCK_ROWS: Final = 65_536


def match_rows(column: TextColumn, expression: str) -> "npt.NDArray[np.bool_]":
    """Return whether an expression matches each value of a column, null or not.

    The expression looks at the buffer, between the offsets of a value: no text is made for it.

    Args:
        column: the values.
        expression: means the same for the bytes of UTF-8 as for text.
    """
    fullmatch = compile_for(bytes, expression, re.DOTALL).fullmatch
    matched = np.empty(column.length, np.bool_)
    data = column.data.data
    for first in range(0, column.length, _BLOCK_ROWS):
        offsets = column.offsets[first : first + _BLOCK_ROWS + 1].tolist()
        matches = map(fullmatch, repeat(data), offsets, islice(offsets, 1, None))
        rows = len(offsets) - 1
        matched[first : first + rows] = np.fromiter(map(is_not, matches, repeat(None)), np.bool_, rows)
    return matched


def select_rows(column: TextColumn, selected: "npt.NDArray[np.bool_]") -> "npt.NDArray[np.intp]":
    """Return the numbers of the selected rows that are not null."""
    return np.flatnonzero(selected if column.valid is None else selected & column.valid)


def change_rows(column: TextColumn, function: Callable[[Any], Any], unchanged: str | None = None) -> pa.Array:
    """Apply a function from text to text to each value.

    Args:
        column: the values.
        function: called with the values that the expression does not match; they are str or bytes, as the column is.
        unchanged: an expression of values that the function returns as they are; it need not match all of them. It is
            matched as by `match_rows`.

    Returns:
        An array of the same type; if no value changes, it has the buffers of the column.

    >>> column = TextColumn.from_array(pa.array(["a", "B", None]))
    >>> change_rows(column, str.lower, "[a-z]*+").to_pylist()
    ['a', 'b', None]
    """
    if unchanged is None:
        return to_array_of([None if text is None else function(text) for text in column.to_list()], column.type)
    rows = select_rows(column, ~match_rows(column, unchanged))
    array = column.to_array()
    if not len(rows):
        return array
    # One call takes all texts: 150 ns each, and 950 if they are decoded row by row.
    texts = TextColumn.from_array(array.take(pa.array(rows))).to_list()
    mask = np.zeros(column.length, np.bool_)
    mask[rows] = True
    return pc.replace_with_mask(array, pa.array(mask), to_array_of([function(text) for text in texts], column.type))
