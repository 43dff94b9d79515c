r"""Transform lists of references block by block: lines that a function returns as they are, are copied in bulk.

A list mostly holds URIs that are in normal form already. An expression matches runs of them in 160 to 300 ns a line,
and only the others are passed to the function, whose call and own test take 500 to 1,600 ns (real URLs, CPython 3.11).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cached_property, partial
from typing import NamedTuple

from urisect.characters import HEXDIG, SUB_DELIMS, UNRESERVED
from urisect.cli.list_scan import ListScan, NumberedBlock
from urisect.cli.output import Output
from urisect.repetition import unrolled_loop, zero_or_more
from urisect.text_types import compile_for

__all__ = [
    "CHARACTERS",
    "COMMON_URI",
    "ESCAPED_TEXT",
    "EachLine",
    "LineMatcher",
    "end_lines",
    "in_one_line",
    "transform_lines",
]

# The beginning of a common URI: a scheme and a host in lower case, without userinfo and port, and "/" behind it.
COMMON_URI = r"[a-z][a-z0-9+.-]*+://[a-z0-9._~-]++/"

# Characters of paths in URIs (RFC 3986, 3.3), without "%"; with "?", those of a path and a query.
CHARACTERS = rf"{UNRESERVED}{SUB_DELIMS}:@/"

# A path and a query in characters of URIs.
ESCAPED_TEXT = unrolled_loop(f"[{CHARACTERS}?]", f"%[{HEXDIG}]{{2}}")

_NO_DOT_SEGMENT = r"(?![^\n]*/\.)"


def end_lines(block: bytes) -> bytes:
    r"""Return whole lines with "\n" as the end of each of them.

    Args:
        block: lines that end with "\n" or "\r\n"; at the end of the block, this is optional.

    >>> end_lines(b"a\r\n\nb\r")
    b'a\n\nb\r\n'
    """
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    return block if block.endswith(b"\n") else block + b"\n"


def in_one_line(expression: str) -> str:
    r"""Return an expression that matches what another one does, but no line feed; `\Z` also matches before one.

    Args:
        expression: the source, for `fullmatch` and re.DOTALL. Only its complement classes and dots match a line feed.

    >>> print(in_one_line(r"[a-z]*+\.(?=[^?#]|\Z).*+"))
    [a-z]*+\.(?=[^\n?#]|(?![^\n]))[^\n]*+
    """

    def exclude_line_feed(part: re.Match[str]) -> str:
        if part["excluded"]:
            return rf"[^\n{part['excluded']}]"
        return _IN_ONE_LINE.get(part[0], part[0])

    return re.sub(_PART, exclude_line_feed, expression)


# An escape, a class, or a dot.
_PART = r"\\.|\[(?:\^(?P<excluded>(?:[^\]\\]|\\.)*)|(?:[^\]\\]|\\.)*)\]|\."

_IN_ONE_LINE = {".": r"[^\n]", r"\Z": r"(?![^\n])"}


class LineMatcher(NamedTuple):
    r"""Finds the lines of a text that expressions do not match.

    Attributes:
        usual: source of the expression of most lines, without groups that capture. Lines that it matches are passed
            in runs. It may be empty.
        known: source of the expression of further lines, which is tried where a run ends. Neither matches a line feed.
        line_end: source of the expression of a line end.

    >>> text = b"a\nb\nc\na\n"
    >>> [text[start:end] for start, end in LineMatcher("a", "b").others(text)]
    [b'c\n']
    """

    usual: str
    known: str = ""
    line_end: str = r"\n"

    def others(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Yield where each other line begins and ends, with its line end.

        Args:
            text: lines, each with its line end.
        """
        for match in self.compiled.finditer(text):
            start, end = match.span("other")
            if start < end:
                yield start, end

    @property
    def compiled(self) -> re.Pattern[bytes]:
        """The expression of a run of usual lines, and of the line behind it."""
        # Groups are undefined again in every match, so `known` may test its own.
        known = f"(?:{self.known}){self.line_end}|" if self.known else ""
        run = zero_or_more(f"(?:{self.usual}){self.line_end}") if self.usual else ""
        return compile_for(bytes, rf"{run}(?>{known}(?P<other>[^\n]*+\n)|\Z)")


class EachLine:
    r"""Applies a function to each line of a block.

    >>> EachLine(bytes.lower, usual="[a-z]*+")(b"a\r\nB")
    b'a\nb\n'
    """

    def __init__(self, change: Callable[[bytes], bytes], *, usual: str = "", has_no_dot_segments: bool = False) -> None:
        """Store the function; expressions are compiled on first use.

        Args:
            change: takes and returns one line, without its end. Workers have to be able to import it.
            usual: source of an expression of lines that the function returns as they are; see `LineMatcher`.
            has_no_dot_segments: whether `usual` holds only for lines without "/.".
        """
        self._change = change
        self._usual = usual
        self._has_no_dot_segments = has_no_dot_segments

    def __call__(self, block: bytes) -> bytes:
        r"""Return the changed lines, each with "\n" as its end."""
        text = end_lines(block)
        if not self._usual:
            return b"\n".join((*map(self._change, text.split(b"\n")[:-1]), b""))
        # To look for "/." in a block takes 3 ns a line, to look for it in each line 100 ns.
        has_dots = self._has_no_dot_segments and b"/." in text
        matcher = self._matcher_without_dots if has_dots else self._matcher
        parts: list[bytes] = []
        position = 0
        for match in matcher(text):
            start, end = match.span("other")
            if start < end:
                parts += (text[position:start], self._change(text[start : end - 1]), b"\n")
                position = end
        parts.append(text[position:])
        return b"".join(parts)

    def __reduce__(self) -> "tuple[object, ...]":
        return _each_line, (self._change, self._usual, self._has_no_dot_segments)

    @cached_property
    def _matcher(self) -> "Callable[[bytes], Iterator[re.Match[bytes]]]":
        return LineMatcher(self._usual).compiled.finditer

    @cached_property
    def _matcher_without_dots(self) -> "Callable[[bytes], Iterator[re.Match[bytes]]]":
        return LineMatcher(_NO_DOT_SEGMENT + self._usual).compiled.finditer


def _each_line(change: Callable[[bytes], bytes], usual: str, has_no_dot_segments: bool) -> EachLine:  # noqa: FBT001
    return EachLine(change, usual=usual, has_no_dot_segments=has_no_dot_segments)


def transform_lines(
    files: Sequence[str],
    transform: Callable[[bytes], bytes],
    *,
    limit: int,
    jobs: int | None = 1,
    quiet: bool,
) -> int:
    r"""Write the lines of files, transformed, to standard output, in their order.

    A line that is too long leaves an empty line, so that input and output correspond line by line.

    Args:
        files: paths, or arguments as `TextInput`; "-" is standard input, and so is an empty list.
        transform: takes whole lines, and returns as many, each with "\n" as its end; see `EachLine`. Workers have to be
            able to import it.
        limit: the longest line, in bytes; longer ones are skipped.
        jobs: the number of processes; by default one per core.
        quiet: whether to print no progress and no summary.

    Returns:
        The exit status: 2 if a file could not be read, 1 if all lines were skipped, else 0.
    """
    scan = ListScan(files, partial(_transform_block, transform), limit=limit, jobs=jobs, quiet=quiet)
    with Output() as output, closing(scan.results()) as results:
        for _, _, text in results:
            output.write(text)
    scan.print_summary()
    return int(0 < scan.lines == scan.skipped) if scan.complete else 2


def _transform_block(transform: Callable[[bytes], bytes], block: NumberedBlock) -> bytes:
    if block.is_too_long:
        return b"\n"
    return transform(block.data) if block.data else b""
