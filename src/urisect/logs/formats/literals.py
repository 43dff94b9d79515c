r"""Turn the text between the directives of a format into regular expressions, and read its escapes."""

import re

from urisect.character_ranges import escape_code_point

__all__ = ["encode_literal", "escape_literal", "literal_pattern", "unescape_quoted"]

_CONTROL_CHARACTERS = {"t": "\t", "n": "\n", "r": "\r"}


def unescape_quoted(text: str) -> str:
    r"""Replace the escapes of a quoted text in a configuration: a backslash before a quote, a backslash, t, n or r.

    >>> print(unescape_quoted(r'\"%r\" \x'))
    "%r" \x
    """
    return re.sub(r"""\\([\\"'tnr])""", lambda found: _CONTROL_CHARACTERS.get(found[1], found[1]), text)


def literal_pattern(text: str) -> str:
    r"""Return the source of an expression that matches a text, which is in UTF-8 in a log.

    Raises:
        ValueError: the text has several lines, or a lone surrogate.

    >>> literal_pattern(' "é')
    '\\x20\\x22\\xc3\\xa9'
    """
    return escape_literal(encode_literal(text))


def encode_literal(text: str) -> str:
    r"""Return a text as a string with one character for each of its bytes in UTF-8.

    Raises:
        ValueError: the text has several lines, or a lone surrogate.

    >>> encode_literal("é") == "\xc3\xa9"
    True
    """
    if "\n" in text or "\r" in text:
        raise ValueError("an entry of this format has several lines, but a log is read line by line")
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def escape_literal(characters: str) -> str:
    r"""Return the source of an expression that matches these characters.

    >>> escape_literal("a b")
    'a\\x20b'
    """
    return re.sub(r"[^0-9A-Za-z]", lambda found: escape_code_point(ord(found[0])), characters)
