"""The character sets of a URI (RFC 3986, 2) and an IRI (RFC 3987, 2.2), and the rules that consist of nothing else.

A set, such as `UNRESERVED`, is the text between the brackets of a character class of a regular expression; a rule, such
as `SCHEME`, is an expression without anchor, flag or group.
"""

from typing import Final

__all__ = [
    "ALPHA",
    "DIGIT",
    "ESCAPED",
    "HEXDIG",
    "IPRIVATE",
    "PCHAR",
    "PORT",
    "SCHEME",
    "SCHEME_CHARACTER",
    "SUB_DELIMS",
    "UCSCHAR",
    "UNRESERVED",
]

# ALPHA = %x41-5A / %x61-7A          DIGIT = %x30-39          HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
# (RFC 5234, B.1; RFC 2396, 1.6 and 2.4.1, and the draft of 1996, 1.3 and 2.3.1, say the same at more length)
ALPHA: Final = "A-Za-z"
DIGIT: Final = "0-9"
HEXDIG: Final = "0-9A-Fa-f"

# pct-encoded = "%" HEXDIG HEXDIG  (RFC 3986, 2.1)
# escaped     = "%" HEXDIG HEXDIG  (rfc2396bis-03, 2.4.1; RFC 2396, 2.4.1; the draft of 1996, 2.3.1)
ESCAPED: Final = rf"%[{HEXDIG}][{HEXDIG}]"

# unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"  (RFC 3986, 2.3)
UNRESERVED: Final = rf"{ALPHA}{DIGIT}\-._~"

# sub-delims = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="  (RFC 3986, 2.2)
SUB_DELIMS: Final = "!$&'()*+,;="

# pchar = unreserved / pct-encoded / sub-delims / ":" / "@"  (RFC 3986, 3.3)
PCHAR: Final = f"{UNRESERVED}{SUB_DELIMS}:@"

# ucschar  = %xA0-D7FF / %xF900-FDCF / %xFDF0-FFEF
#          / %x10000-1FFFD / %x20000-2FFFD / %x30000-3FFFD
#          / %x40000-4FFFD / %x50000-5FFFD / %x60000-6FFFD
#          / %x70000-7FFFD / %x80000-8FFFD / %x90000-9FFFD
#          / %xA0000-AFFFD / %xB0000-BFFFD / %xC0000-CFFFD
#          / %xD0000-DFFFD / %xE1000-EFFFD
# iprivate = %xE000-F8FF / %xF0000-FFFFD / %x100000-10FFFD  (RFC 3987, 2.2)
# For str only: a class of bytes cannot contain them.
UCSCHAR: Final = (
    r"\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    + "".join(rf"\U{plane:04x}0000-\U{plane:04x}fffd" for plane in range(0x1, 0xE))
    + r"\U000e1000-\U000efffd"
)
IPRIVATE: Final = r"\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"

# scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )  (RFC 3986, 3.1; rfc2396bis-03, 3.1; RFC 2396, 3.1)
SCHEME_CHARACTER: Final = rf"{ALPHA}{DIGIT}+\-."
SCHEME: Final = rf"[{ALPHA}][{SCHEME_CHARACTER}]*+"

# port = *DIGIT  (RFC 3986, 3.2.3; rfc2396bis-03, 3.2.3; RFC 2396, 3.2.2; the draft of 1996, 4.3.1)
PORT: Final = rf"[{DIGIT}]*+"
