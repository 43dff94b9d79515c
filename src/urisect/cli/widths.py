"""Fit columns of text into the width of a terminal."""

from collections.abc import Sequence

from urisect.logs.report.formatting import cut_middle

__all__ = ["display_width", "fit_widths", "shorten_to_width"]

# The shortest text with a "…" in the middle.
MIN_SHORTENED = 3


def fit_widths(needed: Sequence[int], least: Sequence[int], available: int) -> list[int]:
    """Return widths of columns: what each needs, or if there is not enough space, the same for all wide ones.

    Args:
        needed: the width that each column needs.
        least: the width that each column has at least, even if the sum exceeds the available width.
        available: the width of all columns together.

    >>> fit_widths([3, 50, 20], [3, 10, 10], 100), fit_widths([3, 50, 20], [3, 10, 10], 50)
    ([3, 50, 20], [3, 27, 20])
    """
    for level in range(max(needed, default=0), 0, -1):
        widths = [max(low, min(need, level)) for need, low in zip(needed, least, strict=True)]
        if sum(widths) <= available:
            return widths
    return list(least)


def display_width(text: str) -> int:
    """Return how many cells of a terminal a text takes.

    >>> display_width("/a"), display_width("/価")
    (2, 3)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415  few logs need it

    return cell_len(text)


def shorten_to_width(text: str, width: int) -> str:
    """Replace the middle of a text by "…" if it has more characters, or takes more cells of a terminal, than a width.

    Args:
        text: the text.
        width: how many cells it may take; at least 1.

    >>> shorten_to_width("/a/long/path/to/a.html", 16), shorten_to_width("/価格/一覧/最新", 10)
    ('/a/long/pa….html', '/価格…最新')
    >>> shorten_to_width("価格表", 5)
    '価…表'
    """
    if len(text) <= width and display_width(text) <= width:
        return text
    for length in range(min(width, len(text)), MIN_SHORTENED - 1, -1):
        shortened = cut_middle(text, length)
        if display_width(shortened) <= width:
            return shortened
    return "…"
