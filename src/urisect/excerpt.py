"""Cut the part of a text that a message is about, to show it with a mark below."""

from itertools import accumulate
from typing import Final

from urisect.text_types import to_str

__all__ = ["excerpt"]

# The maximum width of an excerpt before the offset, and from the offset on, in characters.
MAX_WIDTH_BEFORE: Final = 48
MAX_WIDTH_AFTER: Final = 24


def excerpt(reference: str | bytes, offset: int, length: int) -> tuple[str, int, int]:
    r"""Return the text around an offset, in printable ASCII, so that every character is one column wide.

    Args:
        reference: the reference, or any other line of text.
        offset: the offset of the fault.
        length: the length of the fault.

    Returns:
        The text, the offset of the fault in that text, and the length of the fault in that text.

    >>> excerpt("http://e.com＃@b", 12, 1)
    ('http://e.com\\uff03@b', 12, 6)
    """
    before = _escape_to_width(to_str(reference[max(offset - MAX_WIDTH_BEFORE, 0) : offset])[::-1], MAX_WIDTH_BEFORE)[
        ::-1
    ]
    after = _escape_to_width(to_str(reference[offset : offset + MAX_WIDTH_AFTER]), MAX_WIDTH_AFTER)
    head = "".join(("…" if len(before) < offset else "", *before))
    tail = "…" if offset + len(after) < len(reference) else ""
    return "".join((head, *after, tail)), len(head), sum(map(len, after[:length]))


def _escape_to_width(text: str, width: int) -> list[str]:
    """Write characters in printable ASCII, as many as fit into a width."""
    escaped = [
        character if " " <= character <= "~" else character.encode("unicode_escape").decode("ascii")
        for character in text
    ]
    return [character for character, end in zip(escaped, accumulate(map(len, escaped)), strict=True) if end <= width]
