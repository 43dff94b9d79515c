"""Texts as arguments, or on the lines of standard input: what `encode` and `decode` share."""

import os
import re
from collections.abc import Callable, Sequence

import click

from urisect.cli.line_transforms import end_lines, transform_lines
from urisect.cli.options import combine_options, limit_option, quiet_option
from urisect.cli.output import Output
from urisect.logs.input.files import STDIN

__all__ = ["keep_line_ends", "text_options", "transform_texts"]

text_options = combine_options(click.argument("texts", nargs=-1, metavar="[TEXT]..."), limit_option, quiet_option)


def transform_texts(
    texts: Sequence[str],
    transform: Callable[[bytes], bytes],
    transform_block: Callable[[bytes], bytes],
    *,
    limit: int,
    quiet: bool,
) -> int:
    """Write each argument, transformed, to standard output on a line of its own.

    Args:
        texts: the arguments; without one, or for a single "-", each line of standard input is a text.
        transform: takes and returns one text.
        transform_block: does the same to each of several lines, and keeps their ends.
        limit: the longest line of standard input, in bytes; longer ones are skipped.
        quiet: whether to print no summary.

    Returns:
        The exit status.
    """
    if texts in ((), (STDIN,)):
        return transform_lines((STDIN,), lambda block: transform_block(end_lines(block)), limit=limit, quiet=quiet)
    with Output() as output:
        output.write(b"".join(transform(os.fsencode(text)) + b"\n" for text in texts))
    return 0


def keep_line_ends(text: bytes) -> tuple[bytes, int]:
    """Escape the "%" of escaped line ends (%0A and %0D), so that they stay escaped if the text is decoded once.

    Args:
        text: percent-encoded text.

    Returns:
        The text, and how many such escapes it has.

    >>> keep_line_ends(b"a%0d%0A%20b")
    (b'a%250d%250A%20b', 2)
    """
    return re.subn(rb"%(?=0[ADad])", b"%25", text)
