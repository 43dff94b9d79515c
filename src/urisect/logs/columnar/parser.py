"""Parse blocks of lines: regular lines by their delimiters, all others by the expression of the format."""

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeVar

from urisect.arrow_packages import np
from urisect.logs.columnar.buffer import LineBuffer
from urisect.logs.columnar.lines import RegularLines, find_regular_lines
from urisect.logs.columnar.table import ColumnarTable
from urisect.logs.formats.format import PatternFormat
from urisect.logs.input.blocks import Block
from urisect.logs.input.reader import BlockParser, Rejected, Skipped, Table

if TYPE_CHECKING:
    from urisect.logs.formats.layout import LineLayout

__all__ = ["COLUMNAR_BLOCK_BYTES", "ColumnarParser"]

# Bytes of a block. A block needs some 600 calls of numpy, whatever its size: blocks of 1 MiB take a fifth longer, those
# of 256 KiB twice as long.
COLUMNAR_BLOCK_BYTES: Final = 1 << 22

# A smaller block is parsed by the expression alone.
_MIN_BYTES: Final = 1 << 13

# The largest size that glibc takes as a threshold is 32 MiB.
_LARGE_BYTES: Final = 31 << 20

# Offsets in a block have 32 bits.
_MAX_BYTES: Final = 1 << 30

Unparsed = TypeVar("Unparsed", Rejected, Skipped)


def _keep_freed_memory() -> None:
    """Let the memory of one block be used again for the next one.

    glibc maps memory for each large array, and returns it to the kernel, until it has freed a larger one (mallopt,
    M_MMAP_THRESHOLD). Nothing is written to this array. With it, a worker takes 13 ms for a block, without it 19.
    """
    np.empty(_LARGE_BYTES, np.uint8)


class ColumnarParser:
    """Parses blocks of lines into columnar tables.

    It returns the same lines, in the same order, with the same values as `BlockParser`.

    >>> from urisect.logs import COMBINED
    >>> [table] = ColumnarParser(COMBINED, ["status"]).tables([Block(0, COMBINED.sample * 100)], line=1)
    >>> type(table).__name__, table.values("status")[:2]
    ('ColumnarTable', [200, 304])
    """

    def __init__(self, format: PatternFormat, columns: Collection[str], *, counts_implausible: bool = False) -> None:
        """Prepare to parse some columns of a format that has a layout; see `BlockParser`."""
        if format.layout is None:
            raise ValueError(f"no line of the format {format.name} is regular")
        _keep_freed_memory()
        self._format = format
        self._layout: LineLayout = format.layout
        self._fields = frozenset(map(format.field, columns))
        self._by_expression = BlockParser(format, columns, counts_implausible=counts_implausible)

    def tables(self, blocks: Iterable[Block], *, line: int, header: bytes = b"") -> Iterator[Table | ColumnarTable]:
        """Yield a table for each of several consecutive blocks; see `BlockParser.tables`."""
        for block in blocks:
            if _MIN_BYTES <= len(block.data) <= _MAX_BYTES and b"\r" not in block.data:
                table: Table | ColumnarTable = self._parse(block, line)
            else:
                [table] = self._by_expression.tables([block], line=line, header=header)
            yield table
            line += table.lines

    def _parse(self, block: Block, line: int) -> ColumnarTable:
        data = block.data if block.data.endswith(b"\n") else block.data + b"\n"
        lines = LineBuffer(data, self._layout.delimiters)
        regular = find_regular_lines(lines, self._layout)
        table = ColumnarTable(self._format, self._layout, self._fields, data, regular)
        if table.parsed < len(lines.begins):
            self._add_others(table, block, lines, regular, line)
        return table

    def _add_others(
        self, table: ColumnarTable, block: Block, lines: LineBuffer, regular: RegularLines, line: int
    ) -> None:
        """Parse the other lines by the expression, and add them to the table."""
        is_other = np.ones(len(lines.begins), np.bool_)
        is_other[regular.rows] = False
        numbers = is_other.nonzero()[0]
        begins, ends = lines.begins[numbers].tolist(), lines.ends[numbers].tolist()
        # As they are in the block: the last line may have no newline, and an expression may see that.
        text = b"".join([block.data[begin : end + 1] for begin, end in zip(begins, ends, strict=True)])
        [others] = self._by_expression.tables([Block(0, text)], line=0)

        def placed(unparsed: list[Unparsed]) -> list[Unparsed]:
            return [
                each._replace(line=line + int(numbers[each.line]), offset=block.offset + begins[each.line])
                for each in unparsed
            ]

        unparsed = [*(each.line for each in others.rejected), *(each.line for each in others.skipped)]
        is_parsed = np.ones(len(numbers), np.bool_)
        is_parsed[unparsed] = False
        parsed = numbers[is_parsed]
        others = others._replace(rejected=placed(others.rejected), skipped=placed(others.skipped))
        table.add(others, parsed, (lines.begins[parsed].tolist(), lines.ends[parsed].tolist()))
