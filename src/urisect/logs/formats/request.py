r"""The pieces that the formats share: a quoted field, a request line, and URIs with Appendix B embedded.

A `"` inside a quoted field is written `\"` or `\x22` by the servers, so a URI with a backslash in it, and a target with
a space in it, cannot be cut in passing: such a text is matched as a whole, and `urisect.logs.input.reader` splits it
after the match.
"""

from urisect.bulk import pattern
from urisect.logs.formats.notation import Notation
from urisect.repetition import unrolled_loop

__all__ = [
    "AGENT",
    "BOM",
    "QUOTED",
    "REFERER",
    "REQUEST",
    "REQUEST_LINE",
    "SIGNATURE",
    "request_line",
    "target",
    "valued",
]

# The UTF-8 signature of a file (RFC 3629, 6) is no part of its first line, nor of a later one, for files are put
# together with cat.
SIGNATURE = b"\xef\xbb\xbf"
BOM = r"(?>\xef\xbb\xbf|)"

# What stands between quotes: anything but a bare quote, for the server writes a backslash before one that is data.
QUOTED = unrolled_loop(r'[^"\\\n]', r"\\[^\n]")

# method = token (RFC 9110, 9.1 and 5.6.2)
METHOD = r"(?P<method>[!#$%&'*+\-.^_`|~0-9A-Za-z]++)"

# HTTP-version = HTTP-name "/" DIGIT "." DIGIT (RFC 9112, 2.3), and its likes: RTSP/1.0, HTTP/2
PROTOCOL = r"[A-Z]++/[0-9.]++"


def target(stop: str, text: str) -> str:
    r"""Write the source of a request-target, cut into its components (RFC 9112, 3.2).

    All its forms but the authority-form, which belongs to CONNECT alone, are references that Appendix B cuts.

    Args:
        stop: characters at which it ends, or behind which it cannot be cut in passing.
        text: source of a target that has such characters in it, or comes after CONNECT.

    >>> import re
    >>> re.search("GET " + target(" \n", r"[^ \n]*+"), "GET /a?b HTTP/1.1")["target_query"]
    'b'
    """
    return rf"(?:(?<!CONNECT ){pattern('target_', stop)}|(?P<target_text>{text}))"


def request_line(target: str) -> str:
    """Write the source of a request line: method SP request-target SP HTTP-version (RFC 9112, 3).

    HTTP/0.9 had no version.

    Args:
        target: source of its target.

    >>> import re
    >>> re.search(request_line("(?P<target>/)"), "GET / HTTP/1.1").groupdict()
    {'method': 'GET', 'target': '/', 'protocol': 'HTTP/1.1'}
    """
    return rf"{METHOD}[ ]{target}(?>[ ](?P<protocol>{PROTOCOL})|)"


TARGET = target(' "\\\n', unrolled_loop(r'[^"\\ \n]', r"\\[^\n]", rf'[ ](?!{PROTOCOL}")'))

# A request line in quotes: "-" is none at all; what has no such form, the first bytes of a TLS handshake for one, is
# kept as it is.
REQUEST_LINE = rf"(?:{request_line(TARGET)}|-|(?P<request>{QUOTED}))"
REQUEST = rf'"{REQUEST_LINE}"'

# Referer = absolute-URI / partial-URI (RFC 9110, 10.1.3), in quotes; "-" is none
REFERER = r'"(?:-|' + pattern("referer_", stop='"\\\n') + rf'|(?P<referer_text>{QUOTED}))"'

AGENT = rf'"(?:-|(?P<agent>{QUOTED}))"'  # User-Agent (RFC 9110, 10.1.5)


def valued(name: str, notation: Notation) -> str:
    """Write a value in its notation, or "-" where there is none.

    Args:
        name: of the column.
        notation: how its values are written.

    >>> from urisect.logs.formats.notation import STATUS
    >>> valued("status", STATUS)
    '(?:-|(?P<status>[0-9]{3}))'
    """
    return rf"(?:-|(?P<{name}>{notation.pattern}))"
