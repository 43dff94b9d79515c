r"""ABNF rules that several specifications share, written as regular expressions.

A rule is the source of an expression, without anchors, flags or capturing groups, so that expressions can be combined
as the ABNF combines rules. A character set, such as `ALPHA`, is the text between the brackets of a character class.
Everything is ASCII, so that the same source, encoded, is the expression for bytes.

`zero_or_more_characters` writes `*( set / escaped )`, which matches in linear time and constant memory. Where one
alternative can be a prefix of another, the longer one comes first, because `re` takes the first that matches.
"""

from typing import Final

from urisect.address import DEC_OCTET, H16, IPV4ADDRESS, IPV6ADDRESS, LS32
from urisect.characters import ALPHA, DIGIT, ESCAPED, HEXDIG, PORT, SCHEME, SCHEME_CHARACTER
from urisect.repetition import unrolled_loop, zero_or_more

__all__ = [
    "ALPHA",
    "ALPHANUM",
    "ANY_TEXT",
    "DEC_OCTET",
    "DIGIT",
    "DOMAINLABEL",
    "ESCAPED",
    "H16",
    "HEXDIG",
    "HOSTNUMBER",
    "IPV4ADDRESS",
    "IPV6ADDRESS",
    "LS32",
    "PORT",
    "SCHEME",
    "SCHEME_CHARACTER",
    "TOPLABEL",
    "one_or_more_characters",
    "zero_or_more_characters",
]

# alphanum = alpha / digit  (RFC 2396, 1.6; rfc2396bis-03, 3.2.2; the draft of 1996, 1.3)
ALPHANUM: Final = ALPHA + DIGIT

ANY_TEXT: Final = r"[\s\S]*+"


def zero_or_more_characters(characters: str) -> str:
    r"""Return the source for `*( characters / escaped )`.

    `(?:[…]|%HH)*` would take 70 to 140 bytes of memory per character in `re`, and `(?:[…]+|%HH)*` exponential time.
    `interrupted` avoids both. Most URLs have no escapes, and cost one extra test.

    Args:
        characters: the set, as in the brackets of a class.

    >>> import re
    >>> bool(re.fullmatch(zero_or_more_characters("a-z"), "caf%C3%A9"))
    True
    """
    return unrolled_loop(f"[{characters}]", ESCAPED)


def one_or_more_characters(characters: str, following: str = "") -> str:
    """Return the source for `1*( characters / escaped )`.

    Args:
        characters: the set of the first character, as in the brackets of a class.
        following: what else is allowed after the first character.

    >>> import re
    >>> source = one_or_more_characters("a-z", "/")
    >>> bool(re.fullmatch(source, "a/b")), bool(re.fullmatch(source, "/b"))
    (True, False)
    """
    return rf"(?:[{characters}]|{ESCAPED}){zero_or_more_characters(characters + following)}"


# hostnumber = 1*digit "." 1*digit "." 1*digit "." 1*digit  (the draft of 1996, 4.3.1; IPv4address in RFC 2396, 3.2.2)
HOSTNUMBER: Final = rf"[{DIGIT}]++\.[{DIGIT}]++\.[{DIGIT}]++\.[{DIGIT}]++"

# domainlabel = alphanum / alphanum *( alphanum / "-" ) alphanum
# toplabel    = alpha / alpha *( alphanum / "-" ) alphanum  (RFC 2396, 3.2.2; the draft of 1996, 4.3.1)
# An alphanum follows each run of hyphens, so the match never backtracks.
DOMAINLABEL: Final = rf"[{ALPHANUM}]++" + zero_or_more(rf"-++[{ALPHANUM}]++")
TOPLABEL: Final = rf"(?=[{ALPHA}]){DOMAINLABEL}"
