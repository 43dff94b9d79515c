"""Find the fields of regular lines by their delimiters, in all lines of a block at once."""

from typing import NamedTuple

from urisect.arrow_packages import np
from urisect.logs.columnar.buffer import Flags, LineBuffer, Places
from urisect.logs.columnar.fields import Field, check_field
from urisect.logs.columnar.times import ISO_TIME_BYTES, LOG_TIME_BYTES
from urisect.logs.formats.layout import FieldKind, LayoutField, LineLayout

__all__ = ["RegularLines", "find_regular_lines"]

_TIME_BYTES = {FieldKind.LOG_TIME: LOG_TIME_BYTES, FieldKind.ISO_TIME: ISO_TIME_BYTES}


class RegularLines(NamedTuple):
    """The regular lines of a block.

    Attributes:
        rows: their numbers in the block.
        fields: each field of the layout, in all lines of the block, regular or not.
    """

    rows: Places
    fields: list[Field]


def find_regular_lines(lines: LineBuffer, layout: LineLayout) -> RegularLines:
    r"""Find the regular lines of a block, and their fields.

    Args:
        lines: the block.
        layout: the fields of a regular line.

    >>> from urisect.logs import COMMON
    >>> found = find_regular_lines(LineBuffer(COMMON.sample + b"nonsense\n", ' "'), COMMON.layout)
    >>> found.rows, found.fields[5].values.take(found.rows)
    (array([0, 1]), array([200, 304]))
    """
    fields, regular = _walk(lines, layout)
    for character in layout.excluded:
        regular[lines.lines_with(character)] = False
    _clear_fields(lines, fields, (~regular).nonzero()[0])
    checked = []
    for field_layout, field in zip(layout.fields, fields, strict=True):
        found, valid = check_field(field_layout, lines, field)
        checked.append(found)
        regular &= valid
    return RegularLines(regular.nonzero()[0], checked)


def _walk(lines: LineBuffer, layout: LineLayout) -> tuple[list[Field], Flags]:
    """Go from field to field; return where they are, and which lines have all of them, with the text between them."""
    fields = []
    regular = lines.has(layout.before, lines.begins)
    place = lines.begins + len(layout.before)
    for field in layout.fields:
        start, end = place, _end_of(field, lines, place)
        if not field.has_spaces and field.after[:1] != " " and field.form.kind is FieldKind.WORD:
            regular &= lines.find(" ", start) >= end
        if field.form.is_single:
            regular &= _is_single_value(lines, field, end)
        # A delimiter that was not found is the end of the line, behind which the next field cannot begin.
        known = 0 if field.form.kind in _TIME_BYTES else 1
        regular &= lines.has(field.after[known:], end + known)
        inner: tuple[Places, ...] = ()
        if field.form.kind is FieldKind.REQUEST:
            method_end = np.minimum(lines.find(" ", start), end)
            inner = (method_end, np.minimum(lines.find(" ", method_end + 1), end))
        fields.append(Field(start, end, inner=inner))
        place = end + len(field.after)
    # Places only grow: if the last one is the end of the line, all are in it.
    regular &= place == lines.ends
    return fields, regular


def _clear_fields(lines: LineBuffer, fields: list[Field], rows: Places) -> None:
    """Make the fields of some lines empty, since they may reach into other lines."""
    if len(rows):
        begins = lines.begins.take(rows)
        for field in fields:
            for places in (field.starts, field.ends, *field.inner):
                places[rows] = begins


def _end_of(field: LayoutField, lines: LineBuffer, place: Places) -> Places:
    """Return where a field ends that begins at a place."""
    if field.form.kind in _TIME_BYTES:
        return place + _TIME_BYTES[field.form.kind]
    if field.after:
        return lines.find(field.after[0], place)
    # A time may have led behind the line.
    return np.maximum(lines.ends, place) if field.has_spaces else lines.find(" ", place)


def _is_single_value(lines: LineBuffer, field: LayoutField, end: Places) -> Flags:
    """Return whether a value is not one of a list: ", " or " : " before it or behind it."""
    if field.is_quoted:
        return np.ones(len(end), np.bool_)
    return ~lines.has(",", end - 1) & ~lines.has(" : ", end) & ~lines.has(", ", end)
