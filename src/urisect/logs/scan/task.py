"""Tasks: what to do with the lines of each piece of a file, and the result."""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from urisect.logs.formats import Format
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.reader import BlockParser, Rejected, Skipped, Table
from urisect.logs.scan.pieces import Piece, read_piece

__all__ = ["PieceResult", "T", "Task", "TaskRunner"]

T = TypeVar("T")


class Task(NamedTuple, Generic[T]):
    """What to do with the lines of files.

    Attributes:
        format: the format of the lines.
        columns: the fields that `make` needs.
        make: called with each table; it returns an output. Workers have to be able to import it.
        limit: longest line, in bytes; a longer one is skipped.
        join: joins the outputs for the tables of a piece into one, so that workers hand over less. Workers have to be
            able to import it. If it is None, outputs stay separate.
    """

    format: Format
    columns: Sequence[str]
    make: Callable[[Table], T]
    limit: int = MAX_LINE_BYTES
    join: Callable[[Sequence[T]], T] | None = None


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
    """

    file: str
    outputs: list[T]
    parsed: int
    rejected: list[Rejected]
    skipped: list[Skipped]
    error: OSError | None = None
    implausible: int = 0
    size: int = 0


class TaskRunner(Generic[T]):
    """Runs a task on pieces, in the parent or in a worker."""

    def __init__(self, task: Task[T]) -> None:
        """Prepare to parse lines.

        Args:
            task: what to do with the lines.
        """
        self._task = task
        self._parsers: dict[Format, BlockParser] = {}

    def _parser(self, file: str) -> BlockParser:
        """Return the parser for the lines of a file."""
        format = self._task.format.for_file(file)
        if format not in self._parsers:
            self._parsers[format] = BlockParser(format, self._task.columns, counts_implausible=True)
        return self._parsers[format]

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
        blocks = read_piece(piece, self._task.limit)
        try:
            for table in self._parser(piece.file).tables(blocks, line=0, header=piece.header):
                outputs.append(self._task.make(table))
                parsed += table.parsed
                implausible += table.implausible
                rejected += table.rejected
                skipped += table.skipped
        except OSError as failure:
            error = failure
        if self._task.join and len(outputs) > 1:
            outputs = [self._task.join(outputs)]
        return PieceResult(piece.file, outputs, parsed, rejected, skipped, error, implausible, piece.size)
