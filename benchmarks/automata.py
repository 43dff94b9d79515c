"""Expressions for engines that never backtrack: RE2, and Rust's regex."""

import re

__all__ = ["automaton"]


def automaton(source: str) -> str:
    """Leave out what forbids backtracking, for these engines have neither possessive quantifiers nor atomic groups.

    >>> automaton("(?>a++|)b*+")
    '(?:a+|)b*'
    """
    return re.sub(r"([*+?])\+", r"\1", source).replace("(?>", "(?:")
