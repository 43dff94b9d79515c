"""Take Arrow columns of text apart into numpy arrays over the same buffers, and put new ones together."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from urisect.arrow_packages import np, pa

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Column", "TextColumn", "map_chunks", "to_array_of", "to_column", "validity_bitmap"]

Column: TypeAlias = pa.Array | pa.ChunkedArray

# The types that a column is worked on in, and those that are cast to one of them first.
_LARGE: Final = {pa.large_string(), pa.large_binary()}
_STRINGS: Final = {pa.string(), pa.large_string()}
_PLAIN: Final = {pa.string(), pa.binary(), *_LARGE}

# Columns of up to so many rows are taken apart 5 % faster if it is remembered which parts are taken: in up to 3 MB.
_CACHED_ROWS: Final = 1 << 14


class TextColumn(NamedTuple):
    """An Arrow array of text, without Python objects.

    Attributes:
        type: string, large_string, binary or large_binary.
        offsets: where each value begins in `data`, and where the last one ends; int32 or int64. The first is 0.
        data: the bytes of the values, without anything between them.
        valid: whether each value is not null; None if none is null.
    """

    type: pa.DataType
    offsets: "npt.NDArray[Any]"
    data: "npt.NDArray[np.uint8]"
    valid: "npt.NDArray[np.bool_] | None"

    @classmethod
    def from_array(cls, array: pa.Array) -> "TextColumn":
        """Refer to the buffers of an array, which may be a slice.

        Args:
            array: an array of one of the four plain types of text.

        >>> column = TextColumn.from_array(pa.array(["a", None, "bc"]).slice(1))
        >>> column.offsets, bytes(column.data), column.valid
        (array([0, 0, 2], dtype=int32), b'bc', array([False,  True]))
        """
        _, offset_buffer, data_buffer = array.buffers()
        dtype = np.int64 if array.type in _LARGE else np.int32
        if not len(array):  # it need not have buffers
            return cls(array.type, np.zeros(1, dtype), np.empty(0, np.uint8), None)
        offsets = np.frombuffer(offset_buffer, dtype, len(array) + 1, array.offset * dtype().itemsize)
        first, last = int(offsets[0]), int(offsets[-1])
        data = np.frombuffer(data_buffer, np.uint8, last - first, first) if last > first else np.empty(0, np.uint8)
        valid = array.is_valid().to_numpy(zero_copy_only=False) if array.null_count else None
        return cls(array.type, offsets - first if first else offsets, data, valid)

    @property
    def length(self) -> int:
        """The number of values."""
        return len(self.offsets) - 1

    @property
    def is_text(self) -> bool:
        """Whether values are text, which is UTF-8, and not bytes."""
        return self.type in _STRINGS

    def to_array(self) -> pa.Array:
        """Return the values as an Arrow array over the same bytes.

        >>> TextColumn.from_array(pa.array(["a", None])).to_array().to_pylist()
        ['a', None]
        """
        buffers = [validity_bitmap(self.valid), pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(self.type, self.length, buffers)

    def to_list(self) -> list[Any]:
        """Return the values as Python objects: str if the column is text, bytes otherwise; None for null.

        >>> TextColumn.from_array(pa.array([b"a", None])).to_list()
        [b'a', None]
        """
        array = self.to_array()
        try:
            return array.to_pylist()  # type: ignore[no-any-return]
        except UnicodeDecodeError:
            return [self.decode(row) if array[row].is_valid else None for row in range(self.length)]

    def decode(self, row: int) -> Any:
        r"""Return a value as str if the column is text, as bytes otherwise.

        A byte of text that is not UTF-8, which Arrow does not check, becomes a lone surrogate (PEP 383).

        >>> TextColumn.from_array(pa.array([b"\xff"]).view(pa.string())).decode(0)
        '\udcff'
        """
        value = self.data[self.offsets[row] : self.offsets[row + 1]].tobytes()
        return value.decode("utf-8", "surrogateescape") if self.is_text else value

    def every_part(self, starts: "npt.NDArray[Any]") -> pa.Array:
        """Return all parts of all values as one array over the same bytes; those of the first value come first.

        Args:
            starts: where each part begins in `data`: a row for each value, a column for each part; and a last row, of
                the end of `data`.

        >>> column = TextColumn.from_array(pa.array(["a=1", "b"]))
        >>> column.every_part(np.array([[0, 2], [3, 4], [4, 4]], np.int32)).to_pylist()
        ['a=', '1', 'b', '']
        """
        buffers = [None, pa.py_buffer(starts), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(self.type, self.length * starts.shape[1], buffers)

    def take_parts(
        self, starts: "npt.NDArray[Any]", parts: Sequence[int], defined: Sequence["npt.NDArray[np.bool_] | None"]
    ) -> list[pa.Array]:
        """Build the columns of parts of each value.

        Those that are wanted are taken from all of them by one call, which copies a value in 5 to 12 ns. The columns
        are slices of what it returns.

        Args:
            starts: as for `every_part`.
            parts: the numbers of the wanted parts.
            defined: for each of them, whether it is not null in each row; where it is null, it is empty. None if it
                never is.

        >>> column = TextColumn.from_array(pa.array(["a=1", "b"]))
        >>> [names, values] = column.take_parts(
        ...     np.array([[0, 2], [3, 4], [4, 4]], np.int32), [0, 1], [None, np.array([True, False])]
        ... )
        >>> names.to_pylist(), values.to_pylist()
        (['a=', 'b'], ['1', None])
        """
        rows, width = self.length, starts.shape[1]
        always = np.ones(rows, np.bool_)
        valid = np.concatenate([always if flags is None else flags for flags in defined])
        if self.valid is not None:
            valid.reshape(-1, rows)[:] &= self.valid
        taken = self.every_part(starts).take(_numbers_of_parts(rows, width, tuple(parts)))
        taken = pa.Array.from_buffers(self.type, len(taken), [validity_bitmap(valid), *taken.buffers()[1:]])
        return [taken.slice(number * rows, rows) for number in range(len(parts))]


def _numbers_of_parts(rows: int, width: int, parts: tuple[int, ...]) -> pa.Array:
    """Return the numbers of some parts among all parts of all rows: those of the first part in all rows come first."""
    if rows > _CACHED_ROWS:
        return _numbers_of_parts_once(rows, width, parts)
    return _cached_numbers_of_parts(rows, width, parts)


def _numbers_of_parts_once(rows: int, width: int, parts: tuple[int, ...]) -> pa.Array:
    return pa.array((np.arange(0, rows * width, width) + np.array(parts)[:, None]).ravel())


# Most batches of a stream have the same number of rows.
_cached_numbers_of_parts = lru_cache(maxsize=4)(_numbers_of_parts_once)


def validity_bitmap(valid: "npt.NDArray[np.bool_] | None") -> pa.Buffer | None:
    """Return the bitmap that an array has for its nulls; None if no value is null."""
    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))


def to_array_of(texts: Sequence[str | bytes | None], data_type: pa.DataType) -> pa.Array:
    r"""Build a column of text; lone surrogates that `TextColumn.decode` made become the bytes that they were.

    >>> to_array_of(["a", None, "\udcff"], pa.string()).cast(pa.binary()).to_pylist()
    [b'a', None, b'\xff']
    """
    try:
        return pa.array(texts, data_type)
    except UnicodeEncodeError:
        encoded = [text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text for text in texts]
        binary = pa.large_binary() if data_type in _LARGE else pa.binary()
        return pa.array(encoded, binary).view(data_type)


def to_column(column: Any, name: str) -> pa.Array | pa.ChunkedArray:
    """Return an Arrow column, or that of an object that exports one, as a series of Polars does.

    Args:
        column: an Arrow array or chunked array, or an object with the Arrow PyCapsule interface.
        name: what the user called, for messages.

    Raises:
        TypeError: the object has another type.

    >>> to_column(["http://example.com/"], "split()")
    Traceback (most recent call last):
    TypeError: split() takes an Arrow array of text, not list; pa.array() makes one
    """
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column
    if hasattr(column, "__arrow_c_stream__"):
        return pa.chunked_array(column)
    if hasattr(column, "__arrow_c_array__"):
        return pa.array(column)
    raise TypeError(f"{name} takes an Arrow array of text, not {type(column).__name__}; pa.array() makes one")


def map_chunks(
    function: Callable[[TextColumn], pa.Array],
    column: Any,
    name: str,
    *,
    take: Callable[[TextColumn, pa.Array], pa.Array] | None = None,
) -> pa.Array | pa.ChunkedArray:
    """Apply a function to a column of any type of text.

    A dictionary is worked on in place of the rows that refer to it, unless it has more values than there are rows.

    Args:
        function: returns an array with one value for each value of its argument.
        column: as for `to_column`.
        name: what the user called, for messages.
        take: returns what some indices refer to, in the array that the function would return for values. By default,
            that array is built first.

    Returns:
        An array for an array, and a chunked array with the same chunks for a chunked one.

    Raises:
        TypeError: the column is of another type.

    >>> column = pa.array(["a", "bcd", "a"]).dictionary_encode()
    >>> map_chunks(lambda text: pa.array(np.diff(text.offsets)), column, "f()").to_pylist()
    [1, 3, 1]
    """
    column = to_column(column, name)
    if isinstance(column, pa.ChunkedArray):
        return _map_chunked(function, column, name)
    if not pa.types.is_dictionary(column.type):
        return function(TextColumn.from_array(_to_plain_text(column, name)))
    if len(column.dictionary) > len(column):
        return map_chunks(function, _to_plain_text(column.dictionary, name).take(column.indices), name)
    if take is not None:
        return take(TextColumn.from_array(_to_plain_text(column.dictionary, name)), column.indices)
    return map_chunks(function, column.dictionary, name).take(column.indices)


def _map_chunked(function: Callable[[TextColumn], pa.Array], column: pa.ChunkedArray, name: str) -> Any:
    """Apply a function to each chunk, or once to the dictionary that all chunks share."""
    if not column.num_chunks:
        empty = map_chunks(function, pa.array([], column.type), name)
        return pa.chunked_array([], empty.type)
    if not pa.types.is_dictionary(column.type):
        return pa.chunked_array([map_chunks(function, chunk, name) for chunk in column.chunks])
    chunks = column.unify_dictionaries().chunks
    if len(chunks[0].dictionary) > len(column):
        return pa.chunked_array([map_chunks(function, chunk, name) for chunk in chunks])
    values = map_chunks(function, chunks[0].dictionary, name)
    return pa.chunked_array([values.take(chunk.indices) for chunk in chunks])


def _to_plain_text(array: pa.Array, name: str) -> pa.Array:
    """Cast an array to one of the four plain types of text."""
    kind = array.type
    if kind in _PLAIN:
        return array
    if pa.types.is_null(kind):
        return array.cast(pa.string())
    # Views may share bytes, so no sum tells whether those of a column fit into one that is not large.
    if kind == pa.string_view():
        return array.cast(pa.large_string())
    if kind == pa.binary_view() or pa.types.is_fixed_size_binary(kind):
        return array.cast(pa.large_binary())
    raise TypeError(f"{name} takes a column of text (string, binary, a view or a dictionary of them), not {kind}")
