"""Characters beyond ASCII in a grammar: their names in messages, and their form in UTF-8.

In an expression for str, they are a part of a character class. For bytes, the class becomes an alternation: one byte of
ASCII, or the bytes that UTF-8 has for one of the others.
"""

import re
from collections.abc import Collection
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from urisect.repetition import unrolled_loop

__all__ = ["CharactersBeyondASCII", "byte_offsets", "decode_utf8", "expression_for_utf8"]


class CharactersBeyondASCII(NamedTuple):
    """A set of characters beyond ASCII that a grammar distinguishes from all others.

    Attributes:
        description: what a message calls one of them.
        characters: the set, as in the brackets of a class for str.
        utf8: the source of an expression for the bytes of one of them.
        example: one of them. What the grammar allows for it, it allows for all.
    """

    description: str
    characters: str
    utf8: str
    example: str


# A character class, and its quantifier.
_CLASS: Final = r"\[([^][]*)\](\*\+)?"


def expression_for_utf8(source: str, sets: Collection[CharactersBeyondASCII]) -> str:
    r"""Rewrite an expression for str into one for the same text in UTF-8.

    Args:
        source: the source. A class that contains a set contains it as written. Such a class has no brackets, and "*+"
            or no quantifier; with "*+", it has other characters, too.
        sets: the sets of characters beyond ASCII in it.

    >>> umlauts = CharactersBeyondASCII("an umlaut", r"\xe4\xf6\xfc", r"\xc3[\xa4\xb6\xbc]", "ä")
    >>> source = expression_for_utf8(r"[a-z\xe4\xf6\xfc]*+", [umlauts])
    >>> re.match(source.encode(), "größe".encode())[0].decode()
    'grö'
    """

    def rewrite(found: re.Match[str]) -> str:
        characters, quantifier = found.groups()
        present = [each for each in sets if each.characters in characters]
        if not present:
            return found[0]
        for each in present:
            characters = characters.replace(each.characters, "")
        sequences = [each.utf8 for each in present]
        if quantifier:
            return unrolled_loop(f"[{characters}]", *sequences)
        return f"(?:{'|'.join([f'[{characters}]', *sequences] if characters else sequences)})"

    return re.sub(_CLASS, rewrite, source)


def decode_utf8(data: bytes) -> str:
    r"""Decode UTF-8; each byte that is not UTF-8 becomes a lone surrogate, which no grammar allows (PEP 383).

    >>> decode_utf8(b"/caf\xc3\xa9/\xff")
    '/café/\udcff'
    """
    return data.decode("utf-8", "surrogateescape")


def byte_offsets(text: str, offsets: Collection[int]) -> dict[int, int]:
    """Return the offset in bytes of each offset in characters, in the data that `decode_utf8` decoded.

    >>> byte_offsets("/é/", [3, 1, 2])
    {1: 1, 2: 3, 3: 4}
    """
    places = sorted(set(offsets))
    lengths = (len(text[start:end].encode("utf-8", "surrogateescape")) for start, end in pairwise((0, *places)))
    return dict(zip(places, accumulate(lengths), strict=True))
