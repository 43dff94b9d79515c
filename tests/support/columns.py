"""Columns of references for the tests of engines, and what `urisect` says of each row."""

import itertools
from typing import Any

from hypothesis import strategies as st

from tests.support import sizes
from tests.support.references import references
from urisect import Reference, split

__all__ = ["HOSTILE", "all_texts", "components", "rows"]

# Delimiters in all places, and what makes lines, terminals and encoders stumble.
_characters = st.sampled_from([*"ab:/?#@[]%.\\ \n\r\t\0\"'|", "é", "漢", "\U0001f600", "\u2028"])

# Any text, delimiters, and what looks like a reference. None is null.
rows = st.lists(
    st.none()
    | st.text(_characters, max_size=12)
    | references
    | st.text(max_size=8, alphabet=st.characters(codec="utf-8")),
    max_size=12,
)

HOSTILE = [
    *("", None, "\n", "a\nb:c", "\0", "//\0@\n:\r", "é:/é?é#é", "http://[::1]:80/", "http://[::1/", "//a@b@[c]:d:e"),
    *(
        ":",
        "a:",
        "//",
        "///",
        "a://",
        "/a:b",
        "?#",
        "#?",
        "a#b#c",
        "a?b?c",
        "http://h?",
        "http://h#",
        None,
        "[",
        "//]:1",
    ),
]


def all_texts(full: int, quick: int) -> list[str]:
    """Return all texts of delimiters and a letter up to a length.

    Args:
        full: the length in tests of full size.
        quick: the length otherwise.
    """
    lengths = range(sizes.choose(full=full, quick=quick) + 1)
    return ["".join(text) for length in lengths for text in itertools.product("a:/?#@[", repeat=length)]


def components(text: str | bytes | None) -> dict[str, Any] | None:
    """Return the components of a row by name, as `Reference` has them."""
    if text is None:
        return None
    reference: Reference[Any] = split(text)
    names = ("scheme", "authority", "userinfo", "host", "port", "path", "query", "fragment")
    return {name: getattr(reference, name) for name in names}
