r"""Rules that several specifications share, and how a rule becomes a regular expression.

A rule is the text of an expression, without anchor, flag or capturing group, so that rules are put together as the
ABNF puts them together. A set of characters, such as `ALPHA`, is the text between the brackets of a class. All of it
is ASCII, so that the same text, encoded, is the expression for bytes.

Where a specification says `*( set / escaped )`, `run` says it in linear time and constant memory. Alternatives of one
text stand longest first, since `re` takes the first that matches.
"""

from typing import Final

from urisect.characters import ALPHA, DIGIT, ESCAPED, HEXDIG, PORT, SCHEME, SCHEME_CHARACTER
from urisect.repetition import unrolled_loop, zero_or_more

__all__ = [
    "ALPHA",
    "ALPHANUM",
    "ANYTHING",
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
    "nonempty",
    "run",
]

# alphanum = alpha / digit  (RFC 2396, 1.6; rfc2396bis-03, 3.2.2; the draft of 1996, 1.3)
ALPHANUM: Final = ALPHA + DIGIT

# Any text at all.
ANYTHING: Final = r"[\s\S]*+"


def run(characters: str) -> str:
    r"""Write `*( characters / escaped )`.

    Written as `(?:[…]|%HH)*` it would take `re` 70 to 140 bytes of memory a character, and as `(?:[…]+|%HH)*` it is
    exponential. `unrolled_loop` is neither; most URLs have no escape, and need one look for it only.

    Args:
        characters: the set, as in the brackets of a class.

    >>> import re
    >>> bool(re.fullmatch(run("a-z"), "caf%C3%A9"))
    True
    """
    return unrolled_loop(f"[{characters}]", ESCAPED)


def nonempty(characters: str, following: str = "") -> str:
    """Write `1*( characters / escaped )`, or, with more characters that may follow the first one, a run of all.

    Args:
        characters: the set of which the first must be one, as in the brackets of a class.
        following: what may stand after the first, too.

    >>> import re
    >>> bool(re.fullmatch(nonempty("a-z", "/"), "a/b")), bool(re.fullmatch(nonempty("a-z", "/"), "/b"))
    (True, False)
    """
    return rf"(?:[{characters}]|{ESCAPED}){run(characters + following)}"


# dec-octet = DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35
# IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet  (RFC 3986, 3.2.2; rfc2396bis-03, 3.2.2)
DEC_OCTET: Final = rf"(?:25[0-5]|2[0-4][{DIGIT}]|1[{DIGIT}]{{2}}|[1-9][{DIGIT}]|[{DIGIT}])"
IPV4ADDRESS: Final = rf"{DEC_OCTET}\.{DEC_OCTET}\.{DEC_OCTET}\.{DEC_OCTET}"

# h16         = 1*4HEXDIG  (rfc2396bis-03 calls it h4)
# ls32        = ( h16 ":" h16 ) / IPv4address
# IPv6address =                            6( h16 ":" ) ls32
#             /                       "::" 5( h16 ":" ) ls32
#             / [               h16 ] "::" 4( h16 ":" ) ls32
#             / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32
#             / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32
#             / [ *3( h16 ":" ) h16 ] "::"    h16 ":"   ls32
#             / [ *4( h16 ":" ) h16 ] "::"              ls32
#             / [ *5( h16 ":" ) h16 ] "::"              h16
#             / [ *6( h16 ":" ) h16 ] "::"
# (RFC 3986, 3.2.2; rfc2396bis-03, 3.2.2)
H16: Final = rf"[{HEXDIG}]{{1,4}}"
LS32: Final = rf"(?:{H16}:{H16}|{IPV4ADDRESS})"
_IPV6ADDRESSES: Final = (
    rf"                             (?:{H16}:){{6}} {LS32}",
    rf"                          :: (?:{H16}:){{5}} {LS32}",
    rf"(?:               {H16})? :: (?:{H16}:){{4}} {LS32}",
    rf"(?:(?:{H16}:){{0,1}}{H16})? :: (?:{H16}:){{3}} {LS32}",
    rf"(?:(?:{H16}:){{0,2}}{H16})? :: (?:{H16}:){{2}} {LS32}",
    rf"(?:(?:{H16}:){{0,3}}{H16})? ::    {H16}:       {LS32}",
    rf"(?:(?:{H16}:){{0,4}}{H16})? ::                 {LS32}",
    rf"(?:(?:{H16}:){{0,5}}{H16})? ::                 {H16}",
    rf"(?:(?:{H16}:){{0,6}}{H16})? ::",
)
IPV6ADDRESS: Final = f"(?:{'|'.join(_IPV6ADDRESSES)})".replace(" ", "")

# hostnumber = 1*digit "." 1*digit "." 1*digit "." 1*digit  (the draft of 1996, 4.3.1; IPv4address in RFC 2396, 3.2.2)
HOSTNUMBER: Final = rf"[{DIGIT}]++\.[{DIGIT}]++\.[{DIGIT}]++\.[{DIGIT}]++"

# domainlabel = alphanum / alphanum *( alphanum / "-" ) alphanum
# toplabel    = alpha / alpha *( alphanum / "-" ) alphanum  (RFC 2396, 3.2.2; the draft of 1996, 4.3.1)
# An alphanum ends each stretch of hyphens, so no character is ever given back.
DOMAINLABEL: Final = rf"[{ALPHANUM}]++" + zero_or_more(rf"-++[{ALPHANUM}]++")
TOPLABEL: Final = rf"(?=[{ALPHA}]){DOMAINLABEL}"
