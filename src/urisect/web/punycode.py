"""Write the name of a website in ASCII, where it is clear which name was meant (RFC 5890; UTS #39, 5.2).

A name that mixes scripts, or only looks like another one, may be a mistake or a fraud. There is no suggestion for it.
"""

import re
import unicodedata
from typing import Final

from urisect.characters import ALPHA
from urisect.domain_names import to_ascii, to_unicode
from urisect.extras import MissingExtraError
from urisect.web.draft import compiled

__all__ = ["to_latin", "to_punycode"]

# Letters that look like a Latin one in most fonts: Cyrillic small, Cyrillic capital, and Greek small.
_LATIN: Final = str.maketrans(
    "асеһіјӏорԛѕԝхуԁ" + "АВЕКМНОРСТУХІЈЅ" + "αικνορυχ",
    "acehijlopqswxyd" + "ABEKMHOPCTYXIJS" + "aikvopux",
)

# The scripts of living languages (UAX #31, Table 5), and those that are written together (UTS #39, 5.2, "highly
# restrictive"), by the word that the names of their letters begin with: Unicode never changes these.
_SCRIPTS: Final = {
    *("ARABIC", "ARMENIAN", "BENGALI", "BOPOMOFO", "CYRILLIC", "DEVANAGARI", "ETHIOPIC", "GEORGIAN", "GREEK"),
    *("GUJARATI", "GURMUKHI", "HANGUL", "HEBREW", "KANNADA", "KHMER", "LAO", "LATIN", "MALAYALAM", "MYANMAR"),
    *("ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN"),
}
_WRITTEN_TOGETHER: Final = (
    {"LATIN", "CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA"},
    {"LATIN", "CJK", "IDEOGRAPHIC", "BOPOMOFO"},
    {"LATIN", "CJK", "IDEOGRAPHIC", "HANGUL"},
)

_LETTER: Final = f"[{ALPHA}]"
_NO_SCRIPT: Final = "-0123456789"


def to_latin(name: str) -> str | None:
    r"""Return a name with Latin letters for those that only look so, if each of its labels has Latin letters, too.

    Args:
        name: a name with characters beyond ASCII.

    Returns:
        The name in ASCII, of the same length; None if it has other characters, or a whole label in another script.

    >>> to_latin("ex\u0430mple.com"), to_latin("\u0441\u043e\u0441\u043e.com"), to_latin("münchen.de")
    ('example.com', None, None)
    """
    latin = name.translate(_LATIN)
    if latin.isascii() and all(label.isascii() or compiled(_LETTER).search(label) for label in name.split(".")):
        return latin
    return None


def to_punycode(name: str) -> str | None:
    r"""Convert a name to ASCII, if it is clear which name was meant.

    Args:
        name: the name of a website.

    Returns:
        The name in ASCII; None if the name is not valid, mixes scripts, looks like one in Latin letters, or if the
        package `idna` is not installed.

    >>> to_punycode("münchen.de"), to_punycode("ex\u0430mple.com")
    ('xn--mnchen-3ya.de', None)
    """
    try:
        in_ascii = to_ascii(name)
        *labels, last = to_unicode(in_ascii).removesuffix(".").split(".")
    except (ValueError, MissingExtraError):
        return None
    if not all(map(_is_of_one_script, (*labels, last))):
        return None
    is_clear = not last.isascii() or not any(map(_looks_latin, labels))
    return in_ascii if is_clear else None


def _is_of_one_script(label: str) -> bool:
    """Return whether a label is in ASCII, in one script, or in scripts that are written together."""
    if label.isascii():
        return True
    names = (unicodedata.name(character, "") for character in label if character not in _NO_SCRIPT)
    scripts = {re.split("[ -]", name)[0] for name in names}
    return (len(scripts) == 1 and scripts <= _SCRIPTS) or any(scripts <= together for together in _WRITTEN_TOGETHER)


def _looks_latin(label: str) -> bool:
    """Return whether each letter beyond ASCII of a label looks like a Latin one."""
    return not label.isascii() and label.translate(_LATIN).isascii()
