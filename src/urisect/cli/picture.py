"""What there is to say of a line, drawn for a terminal: the text around each place, and a caret below it."""

import os
import shutil
import textwrap
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import click

from urisect.cli.lines import Line
from urisect.cli.output import visible

# How many kinds of notes on one line are shown.
SHOWN = 5


class Note(NamedTuple):
    """Something to be said of a place in a line.

    Attributes:
        label: what it is about, in a word.
        message: what there is to say.
        offset: where the place begins, in characters.
        length: how long it is.
    """

    label: str
    message: str
    offset: int
    length: int


def drawn(line: Line, notes: Iterable[Note]) -> str:
    """Draw notes on a line, one at least, those that are alike once."""
    alike: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        alike.setdefault((note.label, note.message), []).append(note)
    kinds = list(alike.values())
    rows = [row for kind in kinds[:SHOWN] for row in _rows(line, *kind)]
    if others := kinds[SHOWN:]:
        rows.append(f"{_bold(visible(line.place(others[0][0].offset)))} and {sum(map(len, others)):,} more")
    picture = "\n".join((*rows, ""))
    return picture if _has_colour() else click.unstyle(picture)


def _rows(line: Line, note: Note, *others: Note) -> list[str]:
    from urisect.specs.violation import excerpt  # noqa: PLC0415  it takes longer to load than most lists

    times = f" ({len(others) + 1:,} times)" if others else ""
    shown, start, width = excerpt(line.reference, note.offset, note.length)
    end = start + width
    return [
        *_wrapped(visible(line.place(note.offset)), note.label, f"{note.message}{times}"),
        f"  {shown[:start]}{_red(shown[start:end])}{shown[end:]}",
        f"  {' ' * start}{_red('^' + '~' * (width - 1))}",
    ]


def _wrapped(place: str, label: str, message: str) -> list[str]:
    """Break a message between words, where the terminal would break it anywhere."""
    head = f"{place} {label}: "
    width = shutil.get_terminal_size().columns
    first, *others = textwrap.wrap(
        message,
        width,
        initial_indent=" " * len(head),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"{_bold(place)} {_red(label)}: {first[len(head) :]}", *others]


_bold = partial(click.style, bold=True)
_red = partial(click.style, fg="red", bold=True)


def _has_colour() -> bool:
    """Tell whether a terminal is sent colours: not where it has none, nor where nobody wants them (no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
