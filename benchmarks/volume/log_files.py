"""The logs that are measured on: of any size, plain and compressed."""

import gzip
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

__all__ = ["GB", "MB", "Log", "repeated", "whole_lines", "write_log"]

MB = 10**6
GB = 10**9


class Log(NamedTuple):
    """A log in two files, plain and compressed.

    Attributes:
        name: what it is called on the page.
        plain: the path of the plain file.
        compressed: the path of the same log, compressed with gzip.
        size: the size of the plain file, in bytes.
        lines: the number of lines.
    """

    name: str
    plain: str
    compressed: str
    size: int
    lines: int


def whole_lines(content: bytes, size: int) -> bytes:
    r"""Cut a log after the last line that ends within a number of bytes, or after the first line if that is longer.

    >>> whole_lines(b"a\nb\nc\n", 5), whole_lines(b"a", 9), whole_lines(b"ab\nc\n", 1)
    (b'a\nb\n', b'a\n', b'ab\n')
    """
    content = content.removesuffix(b"\n") + b"\n"
    return content[: content.rfind(b"\n", 0, size) + 1 or content.index(b"\n") + 1]


def repeated(content: bytes, size: int) -> Iterator[bytes]:
    r"""Repeat a log until it has about the given size: whole copies, or the beginning of one.

    >>> list(repeated(b"a\nb", 7)), list(repeated(b"a\nb", 2))
    ([b'a\nb\n', b'a\nb\n'], [b'a\n'])
    """
    copy = whole_lines(content, size)
    return repeat(copy, max(1, round(size / len(copy))))


def write_log(path: Path, parts: Iterable[bytes], *, name: str = "", compressed: bool = True) -> Log:
    """Write the parts of a log into a plain file, and into one that is compressed as `gzip` does by default."""
    plain, packed = f"{path}.log", f"{path}.log.gz"
    size = lines = 0
    with ExitStack() as stack:
        writes = [stack.enter_context(open(plain, "wb")).write]
        if compressed:
            writes.append(stack.enter_context(gzip.open(packed, "wb", 6)).write)
        for part in parts:
            size += len(part)
            lines += part.count(b"\n")
            for write in writes:
                write(part)
    return Log(name, plain, packed, size, lines)
