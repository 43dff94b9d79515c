"""Styles of text on a terminal, and whether to use them."""

import os
from functools import partial

import click

__all__ = ["bold", "cyan", "dim", "green", "has_colour", "keep_styles", "red", "yellow"]

bold = partial(click.style, bold=True)
dim = partial(click.style, dim=True)
red = partial(click.style, fg="red", bold=True)
yellow = partial(click.style, fg="yellow")
green = partial(click.style, fg="green")
cyan = partial(click.style, fg="cyan")


def has_colour() -> bool:
    """Return whether to use colours: neither on a dumb terminal nor if the user declines them (no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def keep_styles(text: str, *, is_terminal: bool = True) -> str:
    """Return a text with its styles if they are shown, and without them otherwise.

    Args:
        text: the text.
        is_terminal: whether it is written to a terminal.

    >>> keep_styles(bold("a"), is_terminal=False)
    'a'
    """
    return text if is_terminal and has_colour() else click.unstyle(text)
