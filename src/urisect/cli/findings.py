"""Find something in lines, and write it with the place of each line: what `check` and `hazards` share."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Generic, NamedTuple, TypeVar

from urisect.bulk import list_lines
from urisect.cli.files import Line, serialize_json
from urisect.cli.line_transforms import LineMatcher
from urisect.cli.list_scan import ListScan
from urisect.cli.messages import file_name
from urisect.cli.output import Output
from urisect.logs.input.blocks import line_offsets

__all__ = [
    "LINE_END",
    "BlockFindings",
    "FoundLine",
    "every_line",
    "has_long_line",
    "other_lines",
    "serialize_members",
    "write_findings",
]

Found = TypeVar("Found")

# Source of the expression of a line end.
LINE_END = r"(?>\r\n|\n)"


class FoundLine(NamedTuple, Generic[Found]):
    """A line of a block with findings.

    Attributes:
        line: its number, from 0 where the scan begins to count.
        offset: the position of the line in the file, in bytes.
        reference: the line as text; a byte that is not UTF-8 is a lone surrogate (PEP 383).
        found: the findings.
    """

    line: int
    offset: int
    reference: str
    found: Sequence[Found]


class BlockFindings:
    """The findings in the lines of a block.

    Attributes:
        texts: the number of a line, and what follows it in the output, for each finding that is described.
        lines: the lines, if they are not described.
        number: how many lines have findings.
        codes: how many findings there are, by their kind.
    """

    def __init__(self) -> None:
        self.texts: list[tuple[int, str]] = []
        self.lines: list[FoundLine[Any]] = []
        self.number = 0
        self.codes: Counter[str] = Counter()

    def add(self, line: FoundLine[Any], describe: Callable[[FoundLine[Any]], list[str]] | None) -> None:
        """Add a line.

        Args:
            line: the line.
            describe: returns what follows the number of the line, for each of its findings; None to keep the line.
        """
        self.number += 1
        if describe is None:
            self.lines.append(line)
        else:
            self.texts += [(line.line, text) for text in describe(line)]


def write_findings(
    scan: ListScan[BlockFindings],
    output: Output,
    *,
    to: str,
    draw: Callable[[Line, Sequence[Any]], str] | None,
) -> tuple[int, Counter[str]]:
    """Write the findings of a scan.

    Args:
        scan: makes the findings.
        output: where to write them.
        to: "text" or "ndjson".
        draw: draws a line for a terminal; None if the lines are described.

    Returns:
        How many lines have findings, and how many findings there are, by their kind.
    """
    number = 0
    codes: Counter[str] = Counter()
    with closing(scan.results()) as results:
        for file, lines_before, findings in results:
            if draw:
                lines = (Line(file, line + lines_before, offset, text) for line, offset, text, _ in findings.lines)
                texts = [draw(line, each.found) for line, each in zip(lines, findings.lines, strict=True)]
            else:
                before = (
                    serialize_json({"file": file, "line": 0})[: -len("0}\n")]
                    if to == "ndjson"
                    else file_name(file) + ":"
                )
                texts = [f"{before}{line + lines_before}{text}" for line, text in findings.texts]
            output.write("".join(texts).encode("utf-8", "surrogateescape"), styled=draw is not None)
            number += findings.number
            codes.update(findings.codes)
    return number, codes


def serialize_members(members: dict[str, object]) -> str:
    r"""Write the members of an object that follow the number of the line, as one line of JSON.

    >>> serialize_members({"offset": 0})
    ',"offset":0}\n'
    """
    return f",{serialize_json(members)[1:]}"


def other_lines(block: bytes, matcher: LineMatcher) -> Iterator[tuple[int, int, bytes]]:
    r"""Yield the lines that expressions do not match: the row, where the line begins, and the line without its end.

    Args:
        block: lines that end with "\n" or "\r\n"; at the end of the block, this is optional. A last line without an end
            is yielded in any case.
        matcher: the expressions, with `LINE_END`.

    >>> list(other_lines(b"a\r\na\nb\r\na", LineMatcher("a", line_end=LINE_END)))
    [(2, 5, b'b'), (3, 8, b'a')]
    """
    end = block.rfind(b"\n") + 1
    row = position = 0
    for start, stop in matcher.others(block[:end]):
        row += block.count(b"\n", position, start)
        position = start
        yield row, start, block[start : stop - 1].removesuffix(b"\r")
    if end < len(block):
        yield row + block.count(b"\n", position, end), end, block[end:]


def every_line(block: bytes) -> Iterator[tuple[int, int, bytes]]:
    r"""Yield all lines, as `other_lines` does.

    >>> list(every_line(b"a\r\nb"))
    [(0, 0, b'a'), (1, 3, b'b')]
    """
    lines = list_lines(block)
    return zip(range(len(lines)), line_offsets(block, 0), lines, strict=False)  # there is one offset more


def has_long_line(block: bytes, limit: int) -> bool:
    r"""Return whether a line is longer than a limit, with its "\r" if it ends with "\r\n".

    A few steps, from a line end to the last one within the limit.

    >>> has_long_line(b"abc\nab\n", 2), has_long_line(b"ab\nab\n", 2)
    (True, False)
    """
    position = 0
    while len(block) - position > limit:
        position = block.rfind(b"\n", position, position + limit + 1) + 1
        if not position:
            return True
    return False
