"""Define hazards: their codes, messages and sources."""

from typing import Final, NamedTuple

__all__ = ["CODES", "MAX_BYTES", "Component", "Hazard", "quote"]

# The source and the message of each code.
_SECTIONS_AND_MESSAGES: Final = {
    # Userinfo
    "userinfo": ("RFC 3986, 7.6", 'The host is {}; the text before the "@" is sent to it as a user name.'),
    "password": ("RFC 3986, 7.5", "The reference contains a password, which logs and histories keep."),
    "userinfo-like-host": ("RFC 3986, 7.6", "This looks like the host, but the host is {}."),
    "several-at-signs": (
        "RFC 3986, 3.2.1",
        'There are {} "@"; the last one ends the userinfo, but some parsers take the first.',
    ),
    # Hosts that are addresses
    "rare-ipv4": ("RFC 3986, 7.4", "The host may be read as the address {}."),
    "mapped-address": ("RFC 4291, 2.5.5", "The IPv6 address {} contains the IPv4 address {}."),
    "loopback-address": ("RFC 6890, 2.2", "The host may be {}, the machine itself."),
    "private-address": ("RFC 6890, 2.2", "The host may be {}, which is not reachable from public networks."),
    "link-local-address": ("RFC 6890, 2.2", "The host may be {}, on the local link, where clouds serve metadata."),
    "unspecified-address": ("RFC 6890, 2.2", "The host may be {}, which many systems treat as the machine itself."),
    "multicast-address": ("RFC 5771, 3", "The host may be {}, where many machines may answer at once."),
    "internal-host": ("CWE-918", "The host may be {}, which is reachable only from inside."),
    "address-in-name": ("CWE-918", "The name contains the address {}, and a public DNS service resolves it to that."),
    # Hosts that are names
    "non-ascii-host": ("RFC 3986, 3.2.2", "The host is not ASCII; clients differ in the name that they look up."),
    "punycode-host": ("UTS #39, 4", "This is Punycode, which may be displayed as a name that looks like another."),
    "nfkc-delimiter": ("UTS #46, 4", "U+{:04X} becomes {} when the host is normalized, and may then be a delimiter."),
    "escaped-delimiter": ("RFC 3986, 7.3", "Decoded too early, {1} is a delimiter, and another host may be found."),
    "empty-label": ("RFC 1034, 3.1", "There is no label before this dot; only the root has an empty name."),
    "escaped-host": ("RFC 3986, 3.2.2", "Some clients decode the escapes of a host, others look it up as it is."),
    # Ports
    "non-default-port": ("RFC 3986, 7.2", "A service other than {} may listen on port {}; the default is {}."),
    "port-out-of-range": ("RFC 6335, 6", "Ports range from 1 to 65535; truncated to 16 bits, this may be another one."),
    "twin-port": (
        "RFC 3986, 3.2",
        'There is more than one ":" after the host; parsers differ in which port they read.',
    ),
    "invalid-port": ("RFC 3986, 3.2.3", "The port is not a number; some parsers ignore it, others read part of it."),
    # Control characters
    "raw-cr": ("CWE-93", "A carriage return may end a line of a protocol or of a log."),
    "raw-lf": ("CWE-93", "A line feed may end a line of a protocol or of a log."),
    "raw-nul": ("CWE-158", "A NUL ends the text for some programs, and not for others."),
    "raw-control": ("CWE-150", "U+{:04X} is a control character, which may control the terminal that displays it."),
    "raw-del": ("CWE-150", "DEL is a control character, which may control the terminal that displays it."),
    "escaped-cr": ("RFC 3986, 7.2", "Decoded, this is a carriage return, which may end a line of a protocol."),
    "escaped-lf": ("RFC 3986, 7.2", "Decoded, this is a line feed, which may end a line of a protocol."),
    "escaped-nul": ("RFC 3986, 7.3", "Decoded, this is a NUL, which ends a file name on some systems."),
    "escaped-control": ("RFC 3986, 7.3", "Decoded, {1} is a control character."),
    "escaped-del": ("RFC 3986, 7.3", "Decoded, this is a DEL, a control character."),
    "truncated-line-end": (
        "CWE-113",
        "Truncated to eight bits, this is a line end, which may end a line of a protocol.",
    ),
    # Characters that are invisible, removed, or changed
    "outer-whitespace": ("WHATWG URL, 4.4", "Many parsers strip this white space; others keep it."),
    "inner-tab-or-newline": ("WHATWG URL, 4.4", "Browsers remove tabs and line ends before they parse a URL."),
    "whitespace": ("RFC 9112, 3.2", "White space ends a request target, or a reference in text."),
    "bidirectional-character": ("RFC 3987, 4.1", "U+{:04X} changes the order in which the text is displayed."),
    "invisible-character": ("UTS #39, 3.1", "U+{:04X} is invisible; many clients ignore it in a host."),
    "backslash": ("WHATWG URL, 4.4", 'Browsers, and Windows, read "\\" as "/".'),
    "stray-bracket": (
        "RFC 3986, 3.2.2",
        "A bracket that does not enclose an IP literal confuses parsers that look for one.",
    ),
    # Escapes
    "bad-escape": ("RFC 3986, 2.1", 'The "%" is not followed by two hexadecimal digits; decoders disagree on it.'),
    "double-escape": ("RFC 3986, 2.4", "{1} becomes a different character if it is decoded twice."),
    "overlong-escape": ("RFC 3629, 10", "{1} is not UTF-8, but lax decoders read a character, such as a slash."),
    # Paths
    "dot-segments": ("RFC 3986, 7.3", "A file system reads this as a directory; it may lead out of the served one."),
    "escaped-dot-segments": ("RFC 3986, 7.3", 'Decoded after dot segments are removed, this is "." or "..".'),
    "dot-segment-parameter": ("RFC 3986, 3.3", 'Without its parameter, this is "." or "..".'),
    "escaped-backslash": ("RFC 3986, 7.3", 'Decoded, this is "\\", which Windows reads as "/".'),
    "extra-slashes": (
        "WHATWG URL, 4.4",
        "Browsers, and programs that resolve the path alone, may read {} as the host.",
    ),
    # Schemes, and the whole
    "scheme-without-authority": ("WHATWG URL, 4.4", "A path follows, not an authority; browsers find a host in it."),
    "network-path": ("RFC 3986, 4.2", "This looks like a path, but leads to the host {} with any base."),
    "nested-reference": ("CWE-601", "A program that follows this parameter is led to {}."),
    "file-scheme": ("RFC 8089, 5", "This is a file on the machine that opens it, or on a machine in its network."),
    "ldap-scheme": ("RFC 4516, 5", "A directory server answers this, and clients may load and run the answer."),
    "jar-scheme": ("CWE-79", "This is part of an archive, which is fetched and unpacked to get it."),
    "blob-scheme": ("WHATWG URL, 4.7", "This is data made by a page; no filter between it and a server saw the data."),
    "view-source-scheme": ("CWE-346", "This contains another reference, which is opened to show its source."),
    "script-scheme": ("CWE-79", "Opening a {} reference runs or displays its content."),
    "very-long": ("RFC 9110, 4.1", "There are {:,} bytes; some programs accept only {:,}, and some truncate the rest."),
}

CODES: Final = tuple(_SECTIONS_AND_MESSAGES)

# The length that recipients should support at least (RFC 9110, 4.1).
MAX_BYTES: Final = 8000

_MAX_QUOTED_CHARACTERS: Final = 60


class Hazard(NamedTuple):
    """Something to know about a reference before it is dereferenced (RFC 3986, 7).

    Attributes:
        code: the kind of hazard, such as "userinfo"; docs/reference/hazards.md explains each.
        component: "scheme", "userinfo", "host", "port", "authority", "path", "query", "fragment", or "reference" for
            the whole.
        start: the offset where it begins in the reference, in characters; in bytes if the reference is bytes.
        end: the offset where it ends.
        message: the explanation, a sentence in printable ASCII. It does not quote the userinfo.
        section: the document and section of the source.

    >>> from urisect import hazards
    >>> hazard = hazards("http://example.com/a%00.txt")[0]
    >>> hazard.code, hazard.component, hazard.start, hazard.end, hazard.section
    ('escaped-nul', 'path', 20, 23, 'RFC 3986, 7.3')
    """

    code: str
    component: str
    start: int
    end: int
    message: str
    section: str


class Component(NamedTuple):
    """A component of a reference, and its offset."""

    name: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset where it ends."""
        return self.start + len(self.text)

    def hazard_at(self, code: str, start: int, end: int, *details: object) -> Hazard:
        """Make a hazard of a part of the component, given offsets in its text and the details of the message."""
        section, message = _SECTIONS_AND_MESSAGES[code]
        return Hazard(code, self.name, self.start + start, self.start + end, message.format(*details), section)

    def hazard(self, code: str, *details: object) -> Hazard:
        """Make a hazard of the whole component."""
        return self.hazard_at(code, 0, len(self.text), *details)


def quote(text: str) -> str:
    r"""Quote a text for a message, in printable ASCII, and shorten it if it is long.

    >>> quote("é"), quote("a" * 100)[-10:]
    ("'\\xe9'", "aaaaaa'...")
    """
    return ascii(text) if len(text) <= _MAX_QUOTED_CHARACTERS else f"{text[:_MAX_QUOTED_CHARACTERS]!a}..."
