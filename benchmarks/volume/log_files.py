"""The logs that are measured on: of any size, plain and compressed."""

import gzip
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

__all__ = ["MB", "Log", "repeat_log", "whole_lines", "write_log"]

MB = 10**6


class Log(NamedTuple):
    """A log in two files, plain and compressed.

    Attributes:
        plain: the path of the plain file.
        compressed: the path of the same log, compressed with gzip.
        size: the size of the plain file, in bytes.
        lines: the number of lines.
    """

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


def write_log(path: Path, content: bytes, copies: int) -> Log:
    """Write copies of a log into a plain and a compressed file.

    Only one copy is compressed: a gzip file may consist of several members (RFC 1952, 2.2).
    """
    log = Log(f"{path}.log", f"{path}.log.gz", len(content) * copies, content.count(b"\n") * copies)
    for name, part in ((log.plain, content), (log.compressed, gzip.compress(content, 6))):
        with open(name, "wb") as file:
            file.writelines(repeat(part, copies))
    return log


def repeat_log(path: Path, content: bytes, size: int) -> Log:
    """Write a log of about the given size in bytes: whole copies, or the beginning of one."""
    copy = whole_lines(content, size)
    return write_log(path, copy, max(1, round(size / len(copy))))
