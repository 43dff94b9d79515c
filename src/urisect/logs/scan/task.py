"""Tasks: what to do with the lines of each piece of a file, and the result."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import tee
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from urisect.logs.formats import Format, PatternFormat
from urisect.logs.input.blocks import MAX_LINE_BYTES, Block
from urisect.logs.input.reader import BlockParser, Rejected, Skipped, Table
from urisect.logs.scan.pieces import TABLE_BYTES, Piece, read_piece
from urisect.logs.scan.time_range import TimeRange, TimeSpan

__all__ = ["PieceResult", "T", "TableParser", "Task", "TaskRunner"]

T = TypeVar("T")


class TableParser(Protocol):
    """What parses blocks of lines into tables, as `BlockParser` does."""

    def tables(self, blocks: Iterable[Block], *, line: int, header: bytes = b"") -> Iterator[Any]:
        """Yield a table for each of several consecutive blocks; see `BlockParser.tables`."""
        ...  # pragma: no cover


class Task(NamedTuple, Generic[T]):
    """What to do with the lines of files.

    Attributes:
        format: the format of the lines.
        columns: the fields that `make` needs.
        make: called with each table; it returns an output. Workers have to be able to import it.
        limit: longest line, in bytes; a longer one is skipped.
        join: joins the outputs for the tables of a piece into one, so that workers hand over less. Workers have to be
            able to import it. If it is None, outputs stay separate.
        time_range: the times of the lines that `make` gets; None for all lines. `columns` has to include the time.
        has_row_keys: whether `make` gets a pseudo-random key for each row, see `add_row_keys`.
        is_columnar: whether `make` works on arrays, so that it is faster if it gets columnar tables.
        list_bytes: after how many bytes columnar tables begin. numpy and pyarrow take long to import.
        parser: what parses the blocks, in place of the parser of the format. Workers have to be able to import it.
    """

    format: Format
    columns: Sequence[str]
    make: Callable[[Table], T]
    limit: int = MAX_LINE_BYTES
    join: Callable[[Sequence[T]], T] | None = None
    time_range: TimeRange | None = None
    has_row_keys: bool = False
    is_columnar: bool = False
    list_bytes: int = 0
    parser: TableParser | None = None


class PieceResult(NamedTuple, Generic[T]):
    """The result of a task for a piece of a file.

    Attributes:
        file: path of the file.
        outputs: what the task returned for the tables of the piece, in line order.
        parsed: number of lines that matched the format.
        rejected: the lines that did not match.
        skipped: the lines that were skipped.
        error: the error that ends the file here, or None.
        implausible: number of parsed lines with implausible values.
        size: number of bytes that were parsed.
        span: the times of the lines if the task has a time range; None if no line has a time.
        first_line: the number of the first line in its file, from 1; 0 before the scan has counted the lines before it.
    """

    file: str
    outputs: list[T]
    parsed: int
    rejected: list[Rejected]
    skipped: list[Skipped]
    error: OSError | None = None
    implausible: int = 0
    size: int = 0
    span: TimeSpan | None = None
    first_line: int = 0


class _Parser(NamedTuple):
    """A parser, and the size of the blocks for which it is fastest, in bytes."""

    parser: Any
    size: int


class TaskRunner(Generic[T]):
    """Runs a task on pieces, in the parent or in a worker."""

    def __init__(self, task: Task[T]) -> None:
        """Prepare to parse lines.

        Args:
            task: what to do with the lines.
        """
        self._task = task
        self._is_columnar = task.is_columnar and not task.has_row_keys
        self._bytes = 0
        self._parsers: dict[tuple[Format, bool], _Parser] = {}

    def _parser(self, piece: Piece) -> "_Parser":
        """Return the parser for the lines of a piece."""
        format = self._task.format.for_file(piece.file)
        is_columnar = self._is_columnar and self._bytes >= self._task.list_bytes
        self._bytes += piece.size
        if (format, is_columnar) not in self._parsers:
            self._parsers[format, is_columnar] = self._make_parser(format, is_columnar=is_columnar)
        return self._parsers[format, is_columnar]

    def _make_parser(self, format: Format, *, is_columnar: bool) -> "_Parser":
        columns = self._task.columns
        if self._task.parser:
            return _Parser(self._task.parser, TABLE_BYTES)
        if is_columnar and isinstance(format, PatternFormat) and format.layout:
            with suppress(ImportError):  # without numpy or pyarrow, the expression parses all lines
                from urisect.logs.columnar.parser import COLUMNAR_BLOCK_BYTES, ColumnarParser  # noqa: PLC0415

                return _Parser(ColumnarParser(format, columns, counts_implausible=True), COLUMNAR_BLOCK_BYTES)
        return _Parser(BlockParser(format, columns, counts_implausible=True), TABLE_BYTES)

    def run(self, piece: Piece) -> PieceResult[T]:
        r"""Run the task on a piece.

        Args:
            piece: a part of a file.

        Returns:
            The result; line numbers count from 0 at the beginning of the piece.

        >>> from urisect.logs import LIST
        >>> from urisect.logs.input.blocks import Block
        >>> runner = TaskRunner(Task(LIST, ["path"], lambda table: table.column("path")))
        >>> runner.run(Piece("-", Block(0, b"/a?b\n"), header=b"", is_first=True)).outputs
        [[b'/a']]
        """
        outputs: list[T] = []
        rejected: list[Rejected] = []
        skipped: list[Skipped] = []
        parsed = implausible = 0
        error: OSError | None = None
        span: TimeSpan | None = None
        parser, size = self._parser(piece)
        blocks, parsed_blocks = tee(read_piece(piece, self._task.limit, size))
        try:
            tables = parser.tables(parsed_blocks, line=0, header=piece.header)
            for block, table in zip(blocks, tables, strict=True):
                parsed += table.parsed
                implausible += table.implausible
                rejected += table.rejected
                skipped += table.skipped
                rows = table
                if self._task.has_row_keys:
                    from urisect.logs.scan.row_keys import add_row_keys  # noqa: PLC0415  few runs have a sample

                    rows = add_row_keys(table, block, piece.file_number)
                if self._task.time_range:
                    rows, times = self._task.time_range.select(rows)
                    span = span.followed_by(times) if span else times
                outputs.append(self._task.make(rows))
        except OSError as failure:
            error = failure
        if self._task.join and len(outputs) > 1:
            outputs = [self._task.join(outputs)]
        return PieceResult(piece.file, outputs, parsed, rejected, skipped, error, implausible, piece.size, span)
