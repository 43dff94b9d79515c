"""Draw findings on a terminal: a message, the text around its place, and a caret below."""

import shutil
import textwrap
from collections.abc import Iterable
from typing import NamedTuple

from urisect.cli.files import Line
from urisect.cli.messages import visible
from urisect.cli.styles import bold, keep_styles, red
from urisect.excerpt import excerpt

__all__ = ["MAX_KINDS", "Annotation", "draw_annotations", "wrap_message"]

# How many different annotations of one line are drawn.
MAX_KINDS = 5


class Annotation(NamedTuple):
    """A message about a part of a line.

    Attributes:
        label: the subject, in a word.
        message: the message.
        offset: where the part begins, in characters.
        length: its length, in characters.
    """

    label: str
    message: str
    offset: int
    length: int


def draw_annotations(line: Line, annotations: Iterable[Annotation]) -> str:
    """Draw the annotations of a line; annotations with the same message are drawn once, with their number.

    Args:
        line: the line.
        annotations: at least one.
    """
    same: dict[tuple[str, str], list[Annotation]] = {}
    for annotation in annotations:
        same.setdefault((annotation.label, annotation.message), []).append(annotation)
    kinds = list(same.values())
    rows = [row for kind in kinds[:MAX_KINDS] for row in _draw(line, *kind)]
    if others := kinds[MAX_KINDS:]:
        rows.append(f"{bold(visible(line.location(others[0][0].offset)))} and {sum(map(len, others)):,} more")
    drawing = "\n".join((*rows, ""))
    return keep_styles(drawing)


def _draw(line: Line, annotation: Annotation, *others: Annotation) -> list[str]:
    times = f" ({len(others) + 1:,} times)" if others else ""
    shown, start, width = excerpt(line.reference, annotation.offset, annotation.length)
    end = start + width
    return [
        *wrap_message(visible(line.location(annotation.offset)), annotation.label, f"{annotation.message}{times}"),
        f"  {shown[:start]}{red(shown[start:end])}{shown[end:]}",
        f"  {' ' * start}{red('^' + '~' * (width - 1))}",
    ]


def wrap_message(location: str, label: str, message: str) -> list[str]:
    """Wrap a message between words; a terminal would wrap it anywhere.

    Args:
        location: file, line and column.
        label: the subject, in a word.
        message: the message.
    """
    head = f"{location} {label}: "
    width = shutil.get_terminal_size().columns
    first, *others = textwrap.wrap(
        message,
        width,
        initial_indent=" " * len(head),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"{bold(location)} {red(label)}: {first[len(head) :]}", *others]
