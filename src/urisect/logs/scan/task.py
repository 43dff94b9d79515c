"""What is done with the lines of a scan, and its result for a piece of a file."""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from urisect.logs.formats import Format
from urisect.logs.input.blocks import LIMIT
from urisect.logs.input.reader import Rejected, Skipped, Table

__all__ = ["PieceResult", "Task"]

T = TypeVar("T")


class Task(NamedTuple, Generic[T]):
    """What is to be done with lines.

    Attributes:
        format: what a line looks like.
        columns: the fields that are wanted.
        make: what is made of a table. Another process has to be able to import it.
        limit: how long a line may be, in bytes.
        join: makes one of what was made of the tables of a piece, so that there is less to be handed over; it has to be
            able to be imported, too. Without it, all stays as it is.
    """

    format: Format
    columns: Sequence[str]
    make: Callable[[Table], T]
    limit: int = LIMIT
    join: Callable[[Sequence[T]], T] | None = None


class PieceResult(NamedTuple, Generic[T]):
    """What became of a piece of a file.

    Attributes:
        file: the path of the file.
        made: what was made of its tables, in order.
        parsed: how many lines matched.
        rejected: the lines that did not.
        skipped: the lines that were not read as entries.
        error: why the file cannot be read any further.
    """

    file: str
    made: list[T]
    parsed: int
    rejected: list[Rejected]
    skipped: list[Skipped]
    error: OSError | None = None
