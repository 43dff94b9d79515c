"""Expressions for engines that never backtrack: RE2, and Rust's regex."""

import re

__all__ = ["automaton"]


def automaton(source: str) -> str:
    """Remove possessive quantifiers and atomic groups, which these engines do not have.

    >>> automaton("(?>a++|)b*+")
    '(?:a+|)b*'
    """
    return re.sub(r"([*+?])\+", r"\1", source).replace("(?>", "(?:")
