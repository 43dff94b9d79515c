r"""Formats of access logs, each one regular expression in which Appendix B stands embedded.

A match cuts the line, the target of its request and its referer at once. A `"` inside a quoted field is written
`\"` or `\x22` by the servers, so a URI with a backslash in it, and a target with a space in it, cannot be cut in
passing: such a text is matched as a whole, and `urisect.logs.reader` splits it after the match.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from urisect.bulk import pattern
from urisect.reference import LAST_BYTE, positive

__all__ = ["COMBINED", "COMMON", "FORMATS", "LIST", "Format"]

# What stands between quotes: anything but a bare quote, for the server writes a backslash before one that is data.
QUOTED = r'(?:[^"\\\n]++|\\[^\n])*+'

# method = token (RFC 9110, 9.1 and 5.6.2)
METHOD = r"(?P<method>[!#$%&'*+\-.^_`|~0-9A-Za-z]++)"

# HTTP-version = HTTP-name "/" DIGIT "." DIGIT (RFC 9112, 2.3), and its likes: RTSP/1.0, HTTP/2
PROTOCOL = r"[A-Z]++/[0-9.]++"

# request-target = origin-form / absolute-form / authority-form / asterisk-form (RFC 9112, 3.2). All but the
# authority-form, which belongs to CONNECT alone, are references that Appendix B cuts.
TARGET = (
    r'(?:(?<!"CONNECT )' + pattern("target_", stop=' "\\\n')
    + rf'|(?P<target_text>(?:[^"\\ \n]++|\\[^\n]|[ ](?!{PROTOCOL}"))*+))'
)  # fmt: skip

# request-line = method SP request-target SP HTTP-version (RFC 9112, 3); HTTP/0.9 had no version. "-" is no request
# at all; what has no such form, the first bytes of a TLS handshake for one, is kept as it is.
REQUEST = rf'"(?:{METHOD}[ ]{TARGET}(?:[ ](?P<protocol>{PROTOCOL}))?+|-|(?P<request>{QUOTED}))"'

# Apache's LogFormat "%h %l %u %t \"%r\" %>s %b"; "-" is what the server does not know. A user may hold spaces.
COMMON_LINE = (
    r"(?P<client>[^ \n]++)"
    r"[ ](?:-|(?P<identity>[^ \n]++))"
    r"[ ](?:-|(?P<user>[^ \n]++(?:[ ](?!\[)[^ \n]*+)*+))"
    r"[ ]\[(?P<time>[^\x5d\n]*+)\]"
    rf"[ ]{REQUEST}"
    r"[ ](?:-|(?P<status>[0-9]{3}))"
    r"[ ](?:-|(?P<bytes>[0-9]{1,18}))"
)

# … \"%{Referer}i\" \"%{User-agent}i\"
COMBINED_LINE = (
    COMMON_LINE
    + r'[ ]"(?:-|' + pattern("referer_", stop='"\\\n') + rf'|(?P<referer_text>{QUOTED}))"'
    + rf'[ ]"(?:-|(?P<agent>{QUOTED}))"'
)  # fmt: skip


@dataclass(frozen=True)
class Format:
    """A format of lines with URIs in them.

    Attributes:
        name: what the command calls it.
        line: source of the expression of one line, without the end of the line. Its named groups are the columns,
            but for two that may be there for each of `uris`: `…text`, a URI that could not be cut in passing, and
            one called as `whole` calls it, the URI uncut, for a `line` that drops some of its delimiters.
        uris: what the names of the columns of each embedded URI begin with.
        numbers: the columns that hold digits only.

    >>> COMMON.columns[:5]
    ('client', 'identity', 'user', 'time', 'method')
    """

    name: str
    line: str
    uris: tuple[str, ...]
    numbers: frozenset[str] = frozenset()

    @cached_property
    def expression(self) -> re.Pattern[bytes]:
        """The expression of any line with its end: what the format does not match is in the group `rejected`."""
        source = rf"(?:{self.line}(?=\n|\Z)|(?P<rejected>[^\n]*+))\n?+"
        return re.compile(positive(source, LAST_BYTE).encode())

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of the line."""
        hidden = {"rejected", *(f"{uri}text" for uri in self.uris), *map(whole, self.uris)}
        return tuple(name for name in self.expression.groupindex if name not in hidden)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of all that can be asked for: the columns, each URI as a whole, and its sub-components.

        >>> LIST.fields
        ('scheme', 'authority', 'path', 'query', 'fragment', 'reference', 'userinfo', 'host', 'port')
        """
        return self.columns + tuple(name for uri in self.uris for name in (whole(uri), *(uri + part for part in PARTS)))


# The sub-components of an authority.
PARTS = ("userinfo", "host", "port")


def whole(uri: str) -> str:
    """Name the column of a URI as a whole.

    >>> whole("referer_"), whole("")
    ('referer', 'reference')
    """
    return uri.removesuffix("_") or "reference"


LIST = Format("list", pattern(stop="\n"), uris=("",))
COMMON = Format("common", COMMON_LINE, uris=("target_",), numbers=frozenset({"status", "bytes"}))
COMBINED = Format("combined", COMBINED_LINE, uris=("target_", "referer_"), numbers=frozenset({"status", "bytes"}))

FORMATS = {format.name: format for format in (COMMON, COMBINED)}
