"""A table of lines whose columns are built on demand, as arrays of Arrow: a column that nobody wants costs nothing."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from urisect.arrow_packages import np, pa
from urisect.logs.columnar.components import Components, authority_part, reference_components, target_components
from urisect.logs.columnar.fields import Field
from urisect.logs.columnar.lines import RegularLines
from urisect.logs.columnar.texts import Spans, make_array, make_bitmap_buffer
from urisect.logs.formats.fields import AUTHORITY_PARTS
from urisect.logs.formats.format import Column, PatternFormat, uri_column
from urisect.logs.formats.layout import FieldKind, LineLayout
from urisect.logs.formats.notation import Value, ValueKind, format_values
from urisect.logs.input.reader import Rejected, Skipped, Table

if TYPE_CHECKING:
    import numpy.typing as npt

    from urisect.logs.formats import Format

__all__ = ["ColumnarTable"]

_ARROW_TYPES: Final = {
    ValueKind.NUMBER: pa.int64(),
    ValueKind.SECONDS: pa.float64(),
    ValueKind.TIME: pa.timestamp("us", "UTC"),
}


class ColumnarTable:
    r"""The lines of a block: a `Table` whose columns are built on demand.

    Its methods return what those of a `Table` do.

    Attributes:
        format: the format of the lines.
        parsed: the number of rows.
        rejected: the lines that the format does not match.
        skipped: the lines that were not parsed.
        implausible: the number of parsed lines with implausible values.

    >>> from urisect.logs import COMMON
    >>> from urisect.logs.columnar.parser import ColumnarParser
    >>> from urisect.logs.input.blocks import Block
    >>> data = COMMON.sample * 100
    >>> [table] = ColumnarParser(COMMON, ["status", "target_host"]).tables([Block(0, data)], line=1)
    >>> table.array("status")[:2].to_pylist(), table.value_array("status")[:2].to_pylist()
    ([b'200', b'304'], [200, 304])
    """

    def __init__(
        self, format: PatternFormat, layout: LineLayout, fields: Iterable[str], data: bytes, regular: RegularLines
    ) -> None:
        """Begin with a table of the regular lines.

        Args:
            format: the format of the lines.
            layout: the layout of the regular lines.
            fields: the fields that may be asked for.
            data: the block.
            regular: its regular lines.
        """
        self.format: Format = format
        self.rejected: list[Rejected] = []
        self.skipped: list[Skipped] = []
        self.implausible = 0
        self.parsed = len(regular.rows)
        self._known = frozenset(fields)
        self._data = data
        self._layout = layout
        self._fields = regular.fields
        # The line of each row; None if all lines of the block are rows.
        self._lines = None if self.parsed == len(regular.fields[0].starts) else regular.rows
        # The lines that the expression parsed, where they begin and end, and the row of each of them in this table.
        self._others: Table | None = None
        self._other_bounds: tuple[list[int], list[int]] = ([], [])
        self._other_rows = self._other_places = np.empty(0, np.int64)
        self._components: Components = {}

    def add(self, others: Table, other_lines: "npt.NDArray[np.int64]", bounds: tuple[list[int], list[int]]) -> None:
        """Add what the expression says about the other lines of the block.

        Args:
            others: the lines that the format matches, and those that it does not.
            other_lines: the number of each line that the format matches, in the block.
            bounds: where these lines begin, and where they end.
        """
        self.rejected, self.skipped, self.implausible = others.rejected, others.skipped, others.implausible
        if not others.parsed:
            return
        self._others, self._other_bounds = others, bounds
        self.parsed += others.parsed
        is_row = np.zeros(len(self._fields[0].starts), np.bool_)
        is_row[self._lines] = True
        is_row[other_lines] = True
        rows = is_row.nonzero()[0]
        self._lines = None if self.parsed == len(is_row) else rows
        self._other_rows = np.arange(others.parsed)
        self._other_places = np.searchsorted(rows, other_lines)

    @property
    def lines(self) -> int:
        """The number of parsed, rejected and skipped lines."""
        return self.parsed + len(self.rejected) + len(self.skipped)

    @cached_property
    def is_utf8(self) -> bool:
        """Whether all text is UTF-8."""
        if self._data.isascii():
            return True
        try:
            self._data.decode()
        except UnicodeDecodeError:
            return False
        return True

    def array(self, field: str) -> pa.Array:
        """Return a column as an array of bytes, as in the lines; null where undefined.

        Args:
            field: one of the fields that were asked for, or an alias.

        Raises:
            KeyError: the format has no such field, or it was not asked for.
        """
        name = self._name(field)
        spans, data = self._spans(name), self._data
        if self._others is not None:
            others, data = self._find_others(self._others.column(name))
            spans = self._with_others(spans, others)
        return pa.nulls(self.parsed, pa.binary()) if spans is None else make_array(data, spans)

    def value_array(self, field: str) -> pa.Array:
        """Return a column of numbers or times as an array of int64, float64 or timestamps.

        Args:
            field: one of the fields that were asked for, or an alias.

        Raises:
            KeyError: the format has no such field, or it was not asked for.
        """
        name = self._name(field)
        kind = _ARROW_TYPES[self.format.kind(name)]
        found = self._field(self._sources[name])
        values, defined = found.values, found.defined
        if self._others is not None:
            others = self._others.values(name)
            values = self._replace(values, [0 if value is None else value for value in others])
            defined = self._replace_defined(defined, [value is not None for value in others])
        bitmap = None if defined is None else make_bitmap_buffer(defined)
        return pa.Array.from_buffers(kind, self.parsed, [bitmap, pa.py_buffer(values)])

    def column(self, field: str) -> Column:
        """Return a column as a list of bytes, as in the lines; None where undefined."""
        found: Column = self.array(field).to_pylist()
        return found

    def values(self, field: str) -> list[bytes | Value]:
        """Return a column with numbers as numbers, times as microseconds since 1970, and text unchanged."""
        kind = self.format.kind(field)
        if kind is ValueKind.TEXT:
            return [*self.column(field)]
        array = self.value_array(field)
        found: list[bytes | Value] = (array.view(pa.int64()) if kind is ValueKind.TIME else array).to_pylist()
        return found

    def texts(self, field: str) -> Column:
        """Return a column as text: numbers in decimal digits, times in UTC as in RFC 3339, 5.6."""
        notation = self.format.notations.get(self.format.field(field))
        column = self.column(field)
        return column if notation is None else format_values(column, notation)

    def selected(self, rows: "Sequence[bool] | npt.NDArray[np.bool_]") -> "ColumnarTable":
        """Return a table with some of the rows; rejected and skipped lines stay.

        Args:
            rows: for each row, whether it is kept.
        """
        kept = object.__new__(ColumnarTable)
        kept.__dict__.update(self.__dict__)
        wanted = np.flatnonzero(np.asarray(rows, np.bool_))
        if len(wanted) == self.parsed:
            return kept
        kept.parsed = len(wanted)
        kept._lines = wanted if self._lines is None else self._lines.take(wanted)
        kept._components = {}
        is_wanted = np.asarray(rows, np.bool_).take(self._other_places)
        kept._other_rows = self._other_rows[is_wanted]
        kept._other_places = np.searchsorted(wanted, self._other_places[is_wanted])
        return kept

    def _name(self, field: str) -> str:
        name = self.format.field(field)
        if name not in self._known:
            raise KeyError(f"the field {name!r} was not parsed: only the requested columns are")
        return name

    @cached_property
    def _sources(self) -> dict[str, int]:
        """The numbers of the fields of the layout, by the names of their columns."""
        sources = {column: number for number, field in enumerate(self._layout.fields) for column in field.columns}
        uris = (uri for uri in self.format.uris if f"{uri}path" in sources)
        return sources | {uri_column(uri): sources[f"{uri}path"] for uri in uris}

    def _find_others(self, column: Column) -> tuple[Spans, bytes]:
        """Return where the values of the other lines are, and in which buffer.

        The same text is in the line: it is found there, since to copy the block with these values takes longer.
        """
        texts = [text or b"" for text in column]
        starts = np.array(list(map(self._data.find, texts, *self._other_bounds)))
        lengths = np.array(list(map(len, texts)))
        data = self._data
        if (starts < 0).any():
            starts = len(data) + np.cumsum(lengths) - lengths
            data = b"".join([data, *texts])
        return Spans(starts, starts + lengths, np.array([text is not None for text in column])), data

    def _with_others(self, spans: Spans | None, others: Spans) -> Spans | None:
        """Return where the values of a column are, given those of the regular lines and those of all others."""
        if spans is None:
            nowhere = np.zeros(self.parsed, np.int64)
            spans = Spans(nowhere, nowhere, nowhere != 0)
        defined = self._replace_defined(spans.defined, others.defined)
        if defined is not None and not defined.any():
            return None
        return Spans(self._replace(spans.starts, others.starts), self._replace(spans.ends, others.ends), defined)

    def _replace_defined(self, defined: "npt.NDArray[np.bool_] | None", others: Any) -> "npt.NDArray[np.bool_] | None":
        """Replace the flags of the other lines; None stands for flags that are all true."""
        if defined is None:
            defined = np.ones(self.parsed, np.bool_)
        replaced = self._replace(defined, others)
        return None if replaced.all() else replaced

    def _replace(self, values: Any, others: Any) -> "npt.NDArray[Any]":
        """Replace what stands for the other lines by what belongs to them."""
        replaced: npt.NDArray[Any] = values.copy()
        replaced[self._other_places] = np.asarray(others, replaced.dtype).take(self._other_rows)
        return replaced

    def _field(self, number: int) -> Field:
        """Return a field in the regular rows."""
        field = self._fields[number]
        return field if self._lines is None else field.take(self._lines)

    def _spans(self, name: str) -> Spans | None:
        """Return where the values of a column are in the regular lines; None if none is defined."""
        if name not in self._components:
            self._components |= self._find(name)
        return self._components[name]

    def _find(self, name: str) -> Components:
        """Return where the values of a column are, and those of others that are found together with it."""
        if name not in self._sources:
            uri = next(uri for uri in self.format.uris if name in {uri + part for part in AUTHORITY_PARTS})
            return {name: authority_part(self._data, name.removeprefix(uri), self._spans(f"{uri}authority"))}
        number = self._sources[name]
        layout, field = self._layout.fields[number], self._field(number)
        whole = Spans(field.starts, field.ends, field.defined)
        match layout.form.kind:
            case FieldKind.REQUEST:
                method_end, target_end = field.inner
                # What stands for another line may have no target and no protocol.
                target, protocol = np.minimum(method_end + 1, target_end), np.minimum(target_end + 1, field.ends)
                return {
                    "method": Spans(field.starts, method_end),
                    "protocol": Spans(protocol, field.ends),
                    "request": None,
                    **target_components(self._data, Spans(target, target_end)),
                }
            case FieldKind.TARGET:
                return target_components(self._data, whole)
            case FieldKind.REFERENCE:
                prefix = layout.columns[0].removesuffix("scheme")
                return reference_components(self._data, prefix, uri_column(prefix), whole, is_line=not prefix)
            case _:
                # Of a field with two columns, the second one is for lists of values, which no regular line has.
                found = whole if whole.defined is None or whole.defined.any() else None
                return {name: found if name == layout.columns[0] else None}
