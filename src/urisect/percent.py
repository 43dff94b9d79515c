"""Percent-encoding, and the characters of a URI (RFC 3986, 2).

A set of characters, such as `UNRESERVED`, is the text between the brackets of a class of a regular expression.
"""

from typing import Final

__all__ = ["ALPHA", "DIGIT", "ESCAPED", "HEXDIG", "PCHAR", "SUB_DELIMS", "UNRESERVED"]

# ALPHA = %x41-5A / %x61-7A          DIGIT = %x30-39          HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
# (RFC 5234, B.1; RFC 2396, 1.6 and 2.4.1, and the draft of 1996, 1.3 and 2.3.1, say the same in longer words)
ALPHA: Final = "A-Za-z"
DIGIT: Final = "0-9"
HEXDIG: Final = "0-9A-Fa-f"

# pct-encoded = "%" HEXDIG HEXDIG  (RFC 3986, 2.1)
# escaped     = "%" HEXDIG HEXDIG  (rfc2396bis-03, 2.4.1; RFC 2396, 2.4.1; the draft of 1996, 2.3.1)
ESCAPED: Final = rf"%[{HEXDIG}][{HEXDIG}]"

# unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"  (2.3)
UNRESERVED: Final = rf"{ALPHA}{DIGIT}\-._~"

# sub-delims = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="  (2.2)
SUB_DELIMS: Final = "!$&'()*+,;="

# pchar = unreserved / pct-encoded / sub-delims / ":" / "@"  (3.3)
PCHAR: Final = f"{UNRESERVED}{SUB_DELIMS}:@"
