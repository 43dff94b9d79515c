r"""Draw rows as a table on a terminal: aligned columns that fit its width, below their names.

The rows come as TSV, in which `UNDEFINED` stands for undefined values: a backslash in a value is always escaped there,
so no value looks like that.
"""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from urisect.cli.messages import visible
from urisect.cli.pager import STDOUT_FD, open_pager
from urisect.cli.styles import bold, dim, has_colour, yellow
from urisect.cli.widths import display_width, fit_widths, shorten_to_width
from urisect.logs.formats.format import uri_column
from urisect.logs.formats.notation import ValueKind
from urisect.logs.input.files import STDIN
from urisect.logs.output.atomic import OutputFile, is_special
from urisect.reference import Reference

if TYPE_CHECKING:
    from urisect.logs.formats import Format

__all__ = ["UNDEFINED", "RowTable", "open_row_table", "whole_uri_fields"]

UNDEFINED = r"\N"

# The widths are computed from the first rows. They are waited for in a file, but not for longer than these blocks, in
# which `--where` may select few rows.
SAMPLE_ROWS = 200
MAX_SAMPLE_BLOCKS = 16

DRAWN_ROWS = 200  # drawn at once

# If there is too little space, columns of text are wide enough for this share of their values.
MOST = 0.9

# Widths of columns, in characters. Numbers and times are not shortened.
GAP = "  "
MIN_TEXT_WIDTH = 15
MIN_URI_WIDTH = 24
MIN_NAME_WIDTH = 6
# Columns of text have these widths, if there is space, when there are too few rows to compute better ones.
USUAL_WIDTHS = {"client": 15, "method": 7, "protocol": 8, "user": 12}
USUAL_TEXT_WIDTH = 24
USUAL_URI_WIDTH = 60

# If the terminal is too narrow for all columns, it shows these first, then the others in the order of the format.
IMPORTANT_FIELDS = (
    "target",
    "reference",
    "status",
    "time",
    "client",
    "method",
    "bytes",
    "bytes_sent",
    "duration",
    "server",
    "host",
    "referer",
    "agent",
    "user",
)

STATUS_STYLES = {"4": yellow, "5": partial(click.style, fg="red")}


def whole_uri_fields(format: "Format") -> tuple[str, ...]:
    """Return the columns of a format, with one field for each URI instead of its components.

    >>> from urisect.logs import COMMON
    >>> whole_uri_fields(COMMON)
    ('client', 'identity', 'user', 'time', 'method', 'target', 'protocol', 'request', 'status', 'bytes')
    """
    fields = {uri + component: uri_column(uri) for uri in format.uris for component in Reference._fields}
    return tuple(dict.fromkeys(fields.get(name, name) for name in format.columns))


@contextmanager
def open_row_table(
    format: "Format", fields: Sequence[str], files: Sequence[str], *, is_selection: bool, null: str
) -> "Iterator[RowTable]":
    """Open a table on the terminal, in a pager unless standard input is read.

    Args:
        format: the log format.
        fields: the columns.
        files: the paths of the input files. If one is a pipe, rows are drawn as they arrive.
        is_selection: whether the user selected the fields.
        null: what is drawn for undefined values.
    """
    is_live = any(name == STDIN or is_special(name) for name in files)
    with (
        nullcontext(STDOUT_FD) if STDIN in files else open_pager() as descriptor,
        RowTable(format, fields, descriptor=descriptor, is_selection=is_selection, is_live=is_live, null=null) as table,
    ):
        yield table


class _Column(NamedTuple):
    """A column of the table.

    Attributes:
        position: the position of the field in the rows.
        name: the name of the field.
        is_text: whether values are shortened if they are too long, and aligned to the left.
        is_right: whether values are aligned to the right.
        is_status: whether values are status codes, which have colours.
        is_defined: whether any of the first rows has a value.
        needed: the width that the name and the values of the first rows need.
        usual: the width that the name and most of these values need.
        least: the smallest useful width.
        width: the width.
    """

    position: int
    name: str
    is_text: bool
    is_right: bool
    is_status: bool
    is_defined: bool
    needed: int
    usual: int
    least: int
    width: int = 0


class RowTable(OutputFile):
    r"""An output for rows in TSV, drawn as a table for a terminal.

    >>> from urisect.logs import LIST
    >>> with RowTable(LIST, ["host", "path"], descriptor=1, is_selection=True) as table:
    ...     table.write(b"example.com\t/\n\\N\t/a\n")
    """

    def __init__(
        self,
        format: "Format",
        fields: Sequence[str],
        *,
        descriptor: int,
        is_selection: bool = False,
        is_live: bool = False,
        null: str = "",
    ) -> None:
        """Take what is known before the first row.

        Args:
            format: the log format.
            fields: the columns of the TSV.
            descriptor: that of the terminal, or of the pager.
            is_selection: whether the user selected the fields; else those that are undefined in the first rows, and
                those for which there is no space, are left out.
            is_live: whether rows are drawn at once, without waiting for more of them to compute the widths.
            null: what is drawn for undefined values; "-" if it is empty.
        """
        super().__init__("standard output", descriptor=descriptor)
        self._format = format
        self._fields = fields
        self._is_selection = is_selection
        self._is_live = is_live
        self._null = visible(null) or "-"
        self._has_colour = has_colour()
        self._width = shutil.get_terminal_size().columns
        self._sample = b""
        self._blocks = 0
        self._columns: list[_Column] = []
        self._footer = ""

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        try:
            if kind is None and self._sample:
                self._begin(is_complete=True)
            if kind is None and self._footer:
                self._draw_text(self._footer)
        finally:
            super().__exit__(kind, *details)

    def write(self, data: bytes, /) -> None:
        """Draw rows, or keep the first ones until there are enough to compute the widths.

        Args:
            data: whole lines of TSV, as bytes or a buffer.
        """
        data = bytes(data)
        if self._columns:
            self._draw_rows(data)
            return
        self._sample += data
        self._blocks += 1
        is_enough = self._is_live or self._blocks >= MAX_SAMPLE_BLOCKS or self._sample.count(b"\n") >= SAMPLE_ROWS
        if self._sample and is_enough:
            self._begin(is_complete=False)

    def _begin(self, *, is_complete: bool) -> None:
        """Compute the widths, and draw the header and the rows so far."""
        data, self._sample = self._sample, b""
        rows = [line.split(b"\t") for line in data.split(b"\n", SAMPLE_ROWS)[:SAMPLE_ROWS] if line]
        is_enough = is_complete or len(rows) == SAMPLE_ROWS
        columns = [
            self._measure(position, name, cells, is_enough=is_enough)
            for position, (name, cells) in enumerate(zip(self._fields, zip(*rows, strict=True), strict=True))
        ]
        shown = columns if self._is_selection else self._select(columns, len(rows))
        gaps = len(GAP) * (len(shown) - 1)
        needed = [each.needed for each in shown]
        if sum(needed) + gaps > self._width:
            needed = [each.usual for each in shown]
        widths = fit_widths(needed, [each.least for each in shown], self._width - gaps)
        if shown[-1].is_text:  # nothing is beside it
            widths[-1] = max(widths[-1], self._width - gaps - sum(widths[:-1]))
        self._columns = [column._replace(width=width) for column, width in zip(shown, widths, strict=True)]
        self._draw_text(self._align([bold(shorten_to_width(each.name, each.width)) for each in self._columns]))
        self._draw_rows(data)

    def _measure(self, position: int, name: str, cells: Sequence[bytes], *, is_enough: bool) -> _Column:
        """Measure the values of a column."""
        kind = self._format.kind(name)
        is_text = kind is ValueKind.TEXT
        texts = [text for text in map(_text, cells) if text is not None]
        widths = sorted(display_width(text[: self._width]) for text in texts) or [0]
        needed = max(widths[-1], len(name))
        usual = max(widths[int(MOST * (len(widths) - 1))], len(name)) if is_text else needed
        field = self._format.field(name)
        is_uri = field in map(uri_column, self._format.uris)
        if is_text and not is_enough:
            needed = usual = max(needed, USUAL_URI_WIDTH if is_uri else USUAL_WIDTHS.get(field, USUAL_TEXT_WIDTH))
        least = min(usual, MIN_URI_WIDTH if is_uri else MIN_TEXT_WIDTH)
        if not is_text:
            least = max(widths[-1], min(len(name), MIN_NAME_WIDTH))
        return _Column(
            position,
            visible(name),
            is_text=is_text,
            is_right=kind in {ValueKind.NUMBER, ValueKind.SECONDS},
            is_status=field == "status",
            is_defined=bool(texts),
            needed=needed,
            usual=usual,
            least=least,
        )

    def _select(self, columns: Sequence[_Column], rows: int) -> list[_Column]:
        """Select the columns that are defined, as many as fit, and write the others into the footer."""

        def importance(column: _Column) -> int:
            name = column.name
            return IMPORTANT_FIELDS.index(name) if name in IMPORTANT_FIELDS else len(IMPORTANT_FIELDS) + column.position

        shown: list[_Column] = []
        room = self._width + len(GAP)
        defined = sorted((each for each in columns if each.is_defined), key=importance)
        for column in defined or columns:
            room -= column.least + len(GAP)
            if shown and room < 0:
                break
            shown.append(column)
        undefined = [each.name for each in columns if not each.is_defined and each not in shown]
        hidden = [each.name for each in columns if each.is_defined and each not in shown]
        reasons = [
            f"{', '.join(names)} ({reason})"
            for names, reason in ((undefined, f"undefined in the first {rows} rows"), (hidden, "no space"))
            if names
        ]
        if reasons:
            note = f"Not shown: {'; '.join(reasons)}. --fields shows them."
            self._footer = "\n".join(map(dim, textwrap.wrap(note, self._width)))
        return sorted(shown)

    def _draw_rows(self, data: bytes) -> None:
        lines = data.split(b"\n")[:-1]
        for begin in range(0, len(lines), DRAWN_ROWS):
            self._draw_text("\n".join(map(self._draw_row, lines[begin : begin + DRAWN_ROWS])))

    def _draw_row(self, line: bytes) -> str:
        cells = line.split(b"\t")
        return self._align([self._draw_cell(column, _text(cells[column.position])) for column in self._columns])

    def _draw_cell(self, column: _Column, text: str | None) -> str:
        if text is None:
            return dim(self._null)
        if column.is_status and text[:1] in STATUS_STYLES:
            return STATUS_STYLES[text[:1]](text)
        return shorten_to_width(text, column.width) if column.is_text else text

    def _align(self, texts: Sequence[str]) -> str:
        """Join the texts of a line, which may have colours, aligned."""
        aligned: list[str] = []
        for column, text in zip(self._columns, texts, strict=True):
            padding = " " * (column.width - display_width(click.unstyle(text)))
            aligned.append(padding + text if column.is_right else text + padding)
        return GAP.join(aligned).rstrip()

    def _draw_text(self, text: str) -> None:
        super().write(f"{text if self._has_colour else click.unstyle(text)}\n".encode())


def _text(cell: bytes) -> str | None:
    """Return a cell of TSV as text that is safe to show; None for an undefined value."""
    return None if cell == UNDEFINED.encode() else visible(cell.replace(rb"\\", b"\\"))
