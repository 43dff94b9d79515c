"""Cut logs into ranges that processes on other machines can read, and read the tables of a range."""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import tee
from typing import TYPE_CHECKING, NamedTuple

from urisect.extras import MissingExtraError
from urisect.logs.formats import Format
from urisect.logs.input.blocks import Block
from urisect.logs.input.files import STDIN
from urisect.logs.input.locations import is_remote
from urisect.logs.input.reader import BlockParser, Table
from urisect.logs.input.storage import can_reopen, open_input
from urisect.logs.scan.pieces import FileRange, Piece, cut_by_position, cut_files, read_piece

try:
    import numpy as np
except ModuleNotFoundError:
    raise MissingExtraError("Spark", "numpy", "spark") from None

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LogRange", "cut_logs", "read_tables", "row_offsets"]

# First bytes of a local file, to detect a replaced one: device and inode differ from machine to machine.
HEAD_BYTES = 256

LINE_FEED = ord("\n")


class LogRange(NamedTuple):
    """Lines of a file: some of a plain file, or all of any other.

    Attributes:
        file: an absolute path, or a URI.
        format_number: the position of the format of the file among all formats.
        content: where the lines are; None for a file that has to be read from its beginning.
        head: the first bytes of the file, if they are to be compared.
    """

    file: str
    format_number: int
    content: FileRange | None = None
    head: bytes = b""


def cut_logs(
    files: Sequence[str],
    format: Format,
    range_bytes: int,
    fault: Callable[[str, OSError], object],
) -> tuple[list[Format], list[LogRange]]:
    r"""Cut files into ranges; compressed files, and those of stateful formats, are not cut.

    Args:
        files: paths or URIs. A directory, which has no file then, has no range.
        format: the format of the lines.
        range_bytes: a range ends at the first line end after so many bytes.
        fault: called with the path of a file that cannot be opened, and the error.

    Returns:
        The formats of the files, each once, and the ranges in the order of the lines.

    Raises:
        ValueError: a file can be read only once, or only here.
        MissingExtraError: the package for remote storage is not installed.

    >>> import tempfile
    >>> from urisect.logs import LIST
    >>> with tempfile.NamedTemporaryFile() as log:
    ...     _ = log.write(b"/a\n/b\n/c\n")
    ...     log.flush()
    ...     formats, ranges = cut_logs([log.name], LIST, 4, fault=print)
    >>> [(each.content.begin, each.content.end) for each in ranges]
    [(0, 6), (6, 9)]
    """
    numbers: dict[Format, int] = {}
    ranges: list[LogRange] = []
    for name in files:
        format_of_file = format.for_file(name)
        number = numbers.setdefault(format_of_file, len(numbers))
        path = name if is_remote(name) else os.path.abspath(name)
        if os.path.isdir(path):
            continue
        if name == STDIN or (os.path.exists(path) and not can_reopen(path)):
            raise ValueError(f"{name!r} is no file that can be read twice, and by other processes: save it as a file")
        try:
            ranges += _cut_log(path, format_of_file, number, range_bytes)
        except OSError as error:
            fault(path, error)
    return list(numbers) or [format], ranges


def _cut_log(path: str, format: Format, format_number: int, range_bytes: int) -> Iterator[LogRange]:
    with open_input(path) as file:
        head = b"" if is_remote(path) else file.read(HEAD_BYTES)
        file.seek(0)
        pieces = cut_by_position(path, file, format, range_bytes)
        if pieces is None:
            yield LogRange(path, format_number)
        for piece in pieces or ():
            yield LogRange(path, format_number, piece._replace(identity=()) if head else piece, head)


def read_tables(lines: LogRange, format: Format, fields: Sequence[str], limit: int) -> Iterator[tuple[Table, Block]]:
    r"""Parse the lines of a range.

    Args:
        lines: a range from `cut_logs`.
        format: its format.
        fields: the fields to parse.
        limit: longest line, in bytes; a longer one is skipped.

    Yields:
        Tables, each with the block of its lines.

    Raises:
        OSError: the file cannot be read, or it was replaced; raised after everything before it has been yielded.

    >>> import tempfile
    >>> from urisect.logs import LIST
    >>> with tempfile.NamedTemporaryFile() as log:
    ...     _ = log.write(b"/a\n/b\n")
    ...     log.flush()
    ...     [(table, block)] = read_tables(LogRange(log.name, 0), LIST, ["path"], 100)
    >>> table.column("path"), block.data
    ([b'/a', b'/b'], b'/a\n/b\n')
    """
    parser = BlockParser(format, fields)
    for piece in _pieces(lines, format, limit):
        blocks, parsed = tee(read_piece(piece, limit))
        yield from zip(parser.tables(parsed, line=0, header=piece.header), blocks, strict=True)


def _pieces(lines: LogRange, format: Format, limit: int) -> Iterator[Piece]:
    if lines.content is None:
        yield from cut_files([lines.file], format, limit)
        return
    if lines.head:
        with open_input(lines.file) as file:
            if file.read(len(lines.head)) != lines.head:
                raise OSError("the file was replaced while it was read")
    yield Piece(lines.file, lines.content, header=b"", is_first=lines.content.begin == 0)


def row_offsets(table: Table, block: Block) -> "NDArray[np.int64]":
    r"""Return where the line of each row of a table begins in the (decompressed) file, in bytes.

    Args:
        table: the lines of the block, parsed.
        block: the lines.

    >>> import io
    >>> from urisect.logs import COMMON, tables
    >>> data = b"nonsense\n" + COMMON.sample
    >>> row_offsets(next(tables(io.BytesIO(data), COMMON)), Block(0, data)).tolist()
    [9, 85]
    """
    # The keys of rows need the same offsets, and have no numpy: here, `line_offsets` would take 160 ns more per row.
    ends = np.flatnonzero(np.frombuffer(block.data, np.uint8) == LINE_FEED)
    offsets = np.concatenate(([0], ends + 1))[: table.lines] + block.offset
    unparsed = [line.offset for line in table.rejected] + [line.offset for line in table.skipped]
    return np.delete(offsets, np.searchsorted(offsets, unparsed))
