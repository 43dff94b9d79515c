"""Show how formats read the first lines of a log: the values of each column."""

import io
import os
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from urisect.logs.formats import FORMATS, Format, format_of
from urisect.logs.formats.format import Column
from urisect.logs.input.detection import detect, rank_formats
from urisect.logs.input.files import STDIN
from urisect.logs.input.format_selection import AUTO, decompress_head, read_head
from urisect.logs.input.reader import Table, tables

__all__ = ["FormatPreview", "preview"]

# The number of lines that a named format is tried on, as in detection.
MAX_LINES = 100


class FormatPreview(NamedTuple):
    r"""How a format reads the first lines of a log.

    Attributes:
        format: the format.
        tried: the number of lines that should be entries.
        parsed: the number of these lines that the format matches.
        lines: the numbers of the first lines that it matches, from 1.
        columns: the values of each column in these lines, as `Table.texts` writes them; None where undefined. Columns
            without any value are left out.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     _ = file.write(b"nonsense\n" + FORMATS["common"].sample)
    ...     file.flush()
    ...     [found] = preview(file.name)
    >>> found.tried, found.parsed, found.lines, found.columns["status"]
    (3, 2, [2, 3], [b'200', b'304'])
    """

    format: Format
    tried: int
    parsed: int
    lines: list[int]
    columns: dict[str, Column]


def preview(path: str | os.PathLike[str], format: Format | str = AUTO, *, lines: int = 3) -> list[FormatPreview]:
    """Read the first lines of a log in each format that fits.

    Args:
        path: a file, compressed or not; "-" is standard input.
        format: a `Format`, its name, or a format string, see `format_of`; "auto" is each format that matches at least
            one of ten of the first lines.
        lines: how many lines to return values for, at most.

    Returns:
        The formats, the best first, or the named one, with the values of the first lines that it matches.

    Raises:
        ValueError: the format is unknown, or none matches the first lines.
        OSError: the file cannot be read.
        MissingExtraError: the package that decompresses the file is not installed.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     _ = file.write(FORMATS["squid"].sample)
    ...     file.flush()
    ...     found = preview(file.name, "squid", lines=1)
    >>> found[0].format.name, found[0].columns["method"]
    ('squid', [b'GET'])
    """
    named = None if format == AUTO else format_of(format)
    name = os.fsdecode(path)
    with open(0 if name == STDIN else name, "rb", buffering=0, closefd=name != STDIN) as file:
        head = decompress_head(read_head(file.read))
    if named:
        return [_preview(named, head, lines)]
    formats = FORMATS.values()
    ranked = rank_formats(head, formats) or [detect(head, formats)]  # which raises the error that says why
    return [_preview(each.format, head, lines)._replace(tried=each.tried, parsed=each.parsed) for each in ranked]


def _preview(format: Format, head: bytes, lines: int) -> FormatPreview:
    """Parse the first lines; an incomplete last line counts only if it is the only one."""
    whole = head[: head.rfind(b"\n") + 1] or head
    first = islice(io.BytesIO(whole.removeprefix(BOM_UTF8)), MAX_LINES)
    numbers: list[int] = []
    columns: dict[str, Column] = {name: [] for name in format.columns}
    rejected = line = 0
    for table in tables(io.BytesIO(b"".join(first)), format):
        numbers += _parsed_lines(table, line + 1)
        rejected += sum(1 for each in table.rejected if each.text.strip())
        for name in columns:
            columns[name] += table.texts(name)
        line += table.lines
    shown = {name: column[:lines] for name, column in columns.items() if any(map(_is_defined, column[:lines]))}
    return FormatPreview(format, len(numbers) + rejected, len(numbers), numbers[:lines], shown)


def _parsed_lines(table: Table, first: int) -> Iterator[int]:
    """Yield the numbers of the lines of a table that were parsed."""
    unparsed = {each.line for each in table.rejected} | {each.line for each in table.skipped}
    return (line for line in range(first, first + table.lines) if line not in unparsed)


def _is_defined(value: bytes | None) -> bool:
    return value is not None
