"""Lines of a log with pieces inserted and bytes removed, so that some are not regular, and some are no lines."""

from collections.abc import Sequence
from random import Random

__all__ = ["altered_lines"]

_DELIMITERS = [b'"', b" ", b"\\", b'\\"', b"-", b"[", b"]", b"\t", b",", b", ", b" : ", b".", b"|", b'"-"', b" - "]
_REFERENCES = [
    b"?",
    b"#",
    b"/",
    b"//",
    b"/../",
    b"http://u@h:80/p?q#f",
    b":",
    b"%",
    b"%00",
    b"%2e",
    b"&a=1",
    b"=",
    b"a.b",
]
_VALUES = [b"0", b"000", b"0.5", b"9" * 18, b"404", b"500", b"::1", b"256.1.1.1", b"1.2.3.4", b"x" * 70]
_WORDS = [b"GET", b"PURGE", b"CONNECT", b"HTTP/1.1", b"javascript:", b"?a=1&b=2", b"10/Nov/1996:13:56:36 -0700"]
_BYTES = [b"\xff", b"\xc3\xa9", b"\0", b"\r", b"\xef\xbb\xbf"]
_PIECES = [*_DELIMITERS, *_REFERENCES, *_VALUES, *_WORDS, *_BYTES]


def altered_lines(lines: Sequence[bytes], choice: Random, most: int) -> bytes:
    """Choose lines and alter most of them; the last one may be without its end.

    Args:
        lines: lines to choose from, without their ends.
        choice: decides.
        most: the largest number of lines to return.
    """
    chosen = [_altered(choice.choice(lines), choice) for _ in range(choice.randint(1, most))]
    return b"\n".join(chosen) + choice.choice([b"", b"\n"])


def _altered(line: bytes, choice: Random) -> bytes:
    for _ in range(choice.choice([0, 0, 1, 1, 2, 3])):
        start = choice.randint(0, len(line))
        piece = choice.choice([*_PIECES, b""])
        line = line[:start] + piece + line[start + choice.choice([0, 0, 1, 1, 3, 8]) :]
    return line
