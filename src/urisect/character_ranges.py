"""Character classes of regular expressions, written so that `re` tests them fast."""

import re
from typing import Final

__all__ = ["LAST_BYTE", "LAST_CHARACTER", "escape_code_point", "positive_classes"]

# The last character of the alphabet that a pattern reads.
LAST_BYTE: Final = 0xFF

LAST_CHARACTER: Final = 0x10FFFF


def escape_code_point(code: int) -> str:
    r"""Name a character in a regular expression by its code point, in ASCII.

    >>> escape_code_point(ord("]")), escape_code_point(ord("é")), escape_code_point(ord("€"))
    ('\\x5d', '\\xe9', '\\U000020ac')
    """
    if code <= LAST_BYTE:
        return f"\\x{code:02x}"
    return f"\\U{code:08x}"


def positive_classes(expression: str, last: int) -> str:
    r"""Write each complement class of a regular expression as the ranges that it stands for.

    `re` takes more steps to test a complement than to test the same set written positively: on a list of real URLs
    a match of Appendix B takes 359 ns as it stands and 272 ns after this (bytes, CPython 3.11), 370 and 315 ns (3.13).

    Args:
        expression: the source. Its complement classes list single characters, bare or escaped (`\x5d`, `\n`, `\\`).
        last: the code point at which the alphabet ends, `LAST_BYTE` or `LAST_CHARACTER`.

    >>> positive_classes("[^?#]*", LAST_BYTE)
    '[\\x00-\\x22\\x24-\\x3e\\x40-\\xff]*'
    """

    def ranges(complement: re.Match[str]) -> str:
        left_out = sorted(
            int(code, 16) if code else ord("\n" if newline else character)
            for code, newline, character in re.findall(r"\\x(..)|\\(n)|\\?(.)", complement[1])
        )
        starts = [0, *(code + 1 for code in left_out)]
        ends = [*(code - 1 for code in left_out), last]
        spans = (
            f"{escape_code_point(start)}-{escape_code_point(end)}"
            for start, end in zip(starts, ends, strict=True)
            if start <= end
        )
        return f"[{''.join(spans)}]"

    return re.sub(r"\[\^([^]]+)\]", ranges, expression)
