r"""Regular expressions that formats share: quoted fields, request lines, and URIs with Appendix B embedded.

Servers write a `"` inside a quoted field as `\"` or `\x22`, so the expression of a line cannot split a URI with a
backslash, or a target with a space. It matches such a text as a whole, and `urisect.logs.input.reader` splits it after
the match.
"""

from urisect.bulk import pattern
from urisect.logs.formats.format import IMPLAUSIBLE
from urisect.logs.formats.notation import PORT, Notation
from urisect.repetition import unrolled_loop

__all__ = [
    "METHOD_PATTERN",
    "OPTIONAL_BOM",
    "PROTOCOL_PATTERN",
    "QUOTED_AGENT",
    "QUOTED_REFERER",
    "QUOTED_REQUEST",
    "QUOTED_TARGET",
    "QUOTED_TEXT",
    "address_and_port",
    "bare_value",
    "optional_value",
    "request_line_pattern",
    "target_components",
    "target_pattern",
]

# A UTF-8 byte order mark (RFC 3629, 6) is not part of the first line, nor of a later one: files are joined with cat.
OPTIONAL_BOM = r"(?>\xef\xbb\xbf|)"

# The text between quotes: anything but a bare quote, as the server writes a backslash before a quote that is data.
QUOTED_TEXT = unrolled_loop(r'[^"\\\n]', r"\\[^\n]")

# method = token (RFC 9110, 9.1 and 5.6.2)
METHOD_PATTERN = r"(?P<method>[!#$%&'*+\-.^_`|~0-9A-Za-z]++)"

# HTTP-version = HTTP-name "/" DIGIT "." DIGIT (RFC 9112, 2.3), and the like: RTSP/1.0, HTTP/2
PROTOCOL_PATTERN = r"[A-Z]++/[0-9.]++"


def target_components(stop: str) -> str:
    """Return the source of the components of a request-target in origin-form or absolute-form (RFC 9112, 3.2.1, 3.2.2).

    Appendix B splits them, except that "//" at the beginning of an origin-form belongs to its path. An authority thus
    follows a scheme.

    Args:
        stop: characters that end the target.

    >>> import re
    >>> re.match(target_components(" "), "//xmlrpc.php?a")["target_path"]
    '//xmlrpc.php'
    """
    scheme, authority, rest = pattern("target_", stop).split("|)", 2)
    return f"{scheme}{authority}|)|){rest}"


def target_pattern(stop: str, text: str) -> str:
    r"""Return the source of a request-target, split into its components (RFC 9112, 3.2).

    The authority-form, which is used only with CONNECT, is not split.

    Args:
        stop: characters that end the target, or after which it cannot be split during the match.
        text: source of a target that contains such characters, or follows CONNECT.

    >>> import re
    >>> re.search("GET " + target_pattern(" \n", r"[^ \n]*+"), "GET /a?b HTTP/1.1")["target_query"]
    'b'
    """
    return rf"(?:(?<!CONNECT ){target_components(stop)}|(?P<target_text>{text}))"


def request_line_pattern(target: str) -> str:
    """Return the source of a request line: method SP request-target SP HTTP-version (RFC 9112, 3).

    HTTP/0.9 had no version.

    Args:
        target: source of the request-target.

    >>> import re
    >>> re.search(request_line_pattern("(?P<target>/)"), "GET / HTTP/1.1").groupdict()
    {'method': 'GET', 'target': '/', 'protocol': 'HTTP/1.1'}
    """
    return rf"{METHOD_PATTERN}[ ]{target}(?>[ ](?P<protocol>{PROTOCOL_PATTERN})|)"


# A request-target inside a quoted field.
QUOTED_TARGET = target_pattern(' "\\\n', unrolled_loop(r'[^"\\ \n]', r"\\[^\n]", rf'[ ](?!{PROTOCOL_PATTERN}")'))

# A quoted request line; "-" means none. A malformed one, such as the first bytes of a TLS handshake, is kept as it is.
QUOTED_REQUEST = rf'"(?:{request_line_pattern(QUOTED_TARGET)}|-|(?P<request>{QUOTED_TEXT}))"'

# Referer = absolute-URI / partial-URI (RFC 9110, 10.1.3), quoted; "-" means none
QUOTED_REFERER = r'"(?:-|' + pattern("referer_", stop='"\\\n') + rf'|(?P<referer_text>{QUOTED_TEXT}))"'

QUOTED_AGENT = rf'"(?:-|(?P<agent>{QUOTED_TEXT}))"'  # User-Agent (RFC 9110, 10.1.5)


def optional_value(name: str, notation: Notation) -> str:
    """Return the source of a value in a notation; "-" means none.

    Args:
        name: the name of its column.
        notation: how its values are written.

    >>> from urisect.logs.formats.notation import STATUS
    >>> optional_value("status", STATUS)
    '(?:-|(?P<status>[0-9]{3}))'
    """
    return rf"(?:-|(?P<{name}>{notation.pattern}))"


_PORT_FOLLOWS = f":{PORT.pattern}[ ]"
_ADDRESS = rf"(?![ \x5b\x5d\n]|{_PORT_FOLLOWS}|\Z)" + unrolled_loop(r"[^ :\x5b\x5d\n]", rf":(?!{_PORT_FOLLOWS[1:]})")


def address_and_port(name: str, port: str, plausible: str = "") -> str:
    """Return the source of an address, its port and the lookahead for a space; "-" means none.

    An IPv6 address may be in brackets.

    Args:
        name: the name of the column of the address.
        port: the name of the column of the port.
        plausible: source of a plausible address; any other is also in a group of implausible values.

    >>> import re
    >>> re.match(address_and_port("client", "client_port"), "2001:db8::7:80 ").groups()
    ('2001:db8::7', '80')
    """
    check = rf"(?:(?={plausible}{_PORT_FOLLOWS})|(?P<{IMPLAUSIBLE}_{name}>))" if plausible else ""
    return rf"(?:-(?![^ \n])|{check}\[?+(?P<{name}>{_ADDRESS})\]?+(?>:(?P<{port}>{PORT.pattern})|))"


def bare_value(name: str, plausible: str = "") -> str:
    r"""Return the source of a value without spaces; "-" means none.

    Args:
        name: the name of its column.
        plausible: source of plausible values; any other is also in a group of implausible values.

    >>> bare_value("cache")
    '(?>-(?![^ \\n])|(?P<cache>[^ \\n]++))'
    """
    text = r"[^ \n]++"
    if plausible:
        text = rf"(?>(?:{plausible})(?=[ \n]|\Z)|(?P<{IMPLAUSIBLE}_{name}>{text}))"
    return rf"(?>-(?![^ \n])|(?P<{name}>{text}))"
