"""Find hazards that are the same in every component: control characters, white space, confusing characters, escapes."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from urisect.characters import HEXDIG
from urisect.security.codes import Component, Hazard

__all__ = [
    "BIDIRECTIONAL",
    "C0_AND_SPACE",
    "INVISIBLE",
    "WHITE_SPACE",
    "compile_once",
    "find_character_hazards",
    "normalize_characters",
    "remove_tabs_and_line_ends",
]

# Unicode's white space, except tabs and line ends.
_SPACES: Final = (
    " \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
# Everything that parsers strip from the ends of a reference.
WHITE_SPACE: Final = "".join(map(chr, range(0x20))) + _SPACES
C0_AND_SPACE: Final = "".join(map(chr, range(0x21)))

# Default_Ignorable_Code_Point (UAX #44, 5.1), except characters that change the direction of text (UAX #9, 2).
BIDIRECTIONAL: Final = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]++"
INVISIBLE: Final = (
    "[\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]++"
)

_EVERYWHERE: Final = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")

# For each code, the components to search and the expression. Raw ASCII characters, and white space that is not at an
# end, ...
_UNUSUAL: Final = "[^!-Z^-~]"
_RAW: Final = {
    "raw-cr": (_EVERYWHERE, "\r++"),
    "raw-lf": (_EVERYWHERE, "\n++"),
    "raw-nul": (_EVERYWHERE, "\0++"),
    "raw-control": (_EVERYWHERE, "[\x01-\x08\x0b\x0c\x0e-\x1f\x80-\x9f]++"),
    "raw-del": (_EVERYWHERE, "\x7f++"),
    "backslash": (_EVERYWHERE, r"\\++"),
    "stray-bracket": (("scheme", "userinfo", "port", "path", "query", "fragment"), r"[\[\]]++"),
}
_INNER: Final = {
    "inner-tab-or-newline": (_EVERYWHERE, "[\t\n\r]++"),
    "whitespace": (_EVERYWHERE, f"[{_SPACES}]++"),
}

# ... characters beyond ASCII, ...
_BEYOND_ASCII: Final = {
    "bidirectional-character": (_EVERYWHERE, BIDIRECTIONAL),
    "invisible-character": (_EVERYWHERE, INVISIBLE),
}

# ... and escapes. An escaped "/", "?", "#" or "\" would end an authority, and ":", "@", "[" or "]" would divide it.
_AUTHORITY_DELIMITERS: Final = "(?:2[3f]|3[af]|40|5[b-d])"
_ESCAPES: Final = {
    "escaped-cr": (_EVERYWHERE, "%0[Dd]"),
    "escaped-lf": (_EVERYWHERE, "%0[Aa]"),
    "escaped-nul": (_EVERYWHERE, "%00"),
    "escaped-control": (_EVERYWHERE, rf"(?i)%0[1-9bcef]|%1[{HEXDIG}]|%c2%[89][{HEXDIG}]"),
    "escaped-del": (_EVERYWHERE, "%7[Ff]"),
    "escaped-delimiter": (("userinfo", "host", "port"), f"(?i)%{_AUTHORITY_DELIMITERS}"),
    "escaped-host": (("host",), f"(?i)%(?!{_AUTHORITY_DELIMITERS})[{HEXDIG}]{{2}}"),
    "escaped-backslash": (("path",), "%5[Cc]"),
    "bad-escape": (_EVERYWHERE, f"%(?![{HEXDIG}]{{2}})"),
    "double-escape": (_EVERYWHERE, f"%25[{HEXDIG}]{{2}}"),
    "overlong-escape": (_EVERYWHERE, f"(?i)%c[01]%[89ab][{HEXDIG}]|%e0%[89][{HEXDIG}]%[89ab][{HEXDIG}]"),
}

# Characters whose last eight bits are a line end, where they are unlikely in real text: U+560A is rare, and so are
# U+010A and U+010D side by side.
_TRUNCATED_LINE_END: Final = (
    "(?i:%e5%98%8a|%e5%98%8d(?=%e5%98%8a)|%c4%8a%c4%8d|%c4%8d%c4%8a)|\u560a|\u560d(?=\u560a)|\u010a\u010d|\u010d\u010a"
)


@cache
def compile_once(pattern: str) -> re.Pattern[str]:
    """Compile a pattern on first use."""
    return re.compile(pattern)


def remove_tabs_and_line_ends(text: str) -> str:
    """Remove the characters that browsers remove (WHATWG URL, 4.4)."""
    return text.replace("\t", "").replace("\n", "").replace("\r", "")


def normalize_characters(text: str) -> dict[int, str]:
    r"""Return a table for `str.translate` that maps the characters of a text beyond ASCII as UTS #46 does.

    Each is normalized to NFKC; an ideographic full stop becomes ".", an ignored character becomes "".

    >>> "a℀\u3002\xad".translate(normalize_characters("℀\u3002\xad"))
    'aa/c.'
    """
    from unicodedata import normalize  # noqa: PLC0415  most hosts are ASCII

    ignored = compile_once(INVISIBLE).match
    return {
        ord(character): "" if ignored(character) else normalize("NFKC", character).replace("\u3002", ".")
        for character in set(text)
        if not character.isascii()
    }


def find_character_hazards(text: str, components: Mapping[str, Component]) -> Iterator[Hazard]:
    """Find the hazards that do not depend on the component, but only where a component may contain them."""
    search_unusual = compile_once(_UNUSUAL).search
    if unusual := {name: component for name, component in components.items() if search_unusual(component.text)}:
        start = len(text) - len(text.lstrip(WHITE_SPACE))
        end = len(text.rstrip(WHITE_SPACE))
        if start or end < len(text):
            outer = (0, start) if start else (end, len(text))
            yield Component("reference", text, 0).hazard_at("outer-whitespace", *outer)
        yield from _search(unusual, _RAW)
        yield from _search(unusual, _INNER, start, end)
    if not text.isascii():
        yield from _search(unusual, _BEYOND_ASCII)
        for name in ("userinfo", "host", "port"):
            if name in components:
                yield from _find_disguised_delimiter(components[name])
    if "%" in text:
        yield from _search({name: each for name, each in components.items() if "%" in each.text}, _ESCAPES)
    if compile_once(_TRUNCATED_LINE_END).search(text):
        yield from _search(components, {"truncated-line-end": (_EVERYWHERE, _TRUNCATED_LINE_END)})


def _search(
    components: Mapping[str, Component],
    patterns: Mapping[str, tuple[tuple[str, ...], str]],
    start: int = 0,
    end: int | None = None,
) -> Iterator[Hazard]:
    """Find the first match of each pattern in each component, between two offsets of the reference."""
    for code, (names, pattern) in patterns.items():
        search = compile_once(pattern).search
        for component in (components[name] for name in names if name in components):
            stop = len(component.text) if end is None else max(end - component.start, 0)
            if found := search(component.text, max(start - component.start, 0), stop):
                yield component.hazard_at(code, *found.span(), ord(found[0][0]), found[0])


def _find_disguised_delimiter(component: Component) -> Iterator[Hazard]:
    """Find the first character that normalization makes a delimiter, or the "." of a name."""
    delimiters = {
        chr(code): normalized
        for code, normalized in normalize_characters(component.text).items()
        if not set(normalized).isdisjoint("/?#@:[]\\%.")
    }
    if delimiters:
        at, character = next((at, character) for at, character in enumerate(component.text) if character in delimiters)
        yield component.hazard_at("nfkc-delimiter", at, at + 1, ord(character), ascii(delimiters[character]))
