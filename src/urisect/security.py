"""What to know of a reference before it is dereferenced (RFC 3986, 7), and what other documents have added since."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from urisect.address import embedded_ipv4, format_address, is_ip_literal, parse_addresses
from urisect.characters import ALPHA, DIGIT, HEXDIG, PCHAR, SCHEME_CHARACTER
from urisect.percent import decode
from urisect.reference import Reference, text_of
from urisect.repetition import one_or_more, unrolled_loop, zero_or_more
from urisect.schemes import DEFAULT_PORTS
from urisect.spans import authority_spans, component_spans
from urisect.special_purpose import (
    HOLDERS,
    INTERNAL_ADDRESSES,
    INTERNAL_NAMES,
    LOOPBACK_NAMES,
    addresses_in_name,
    block_of,
)
from urisect.text_types import BytesLike

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

__all__ = ["CODES", "Hazard", "hazards"]

# Each code with the section that it is from, and what is said of it.
_KINDS: Final = {
    # The user's name, and what poses as one
    "userinfo": ("RFC 3986, 7.6", "The host is {}; what stands before it is sent there as a user's name."),
    "password": ("RFC 3986, 7.5", "A password stands in the reference, where logs and histories keep it."),
    "userinfo-like-host": ("RFC 3986, 7.6", "This looks like the host, but the host is {}."),
    "several-at-signs": ("RFC 3986, 3.2.1", 'There are {} "@": the last one ends the userinfo, for some the first.'),
    # Hosts that are addresses
    "rare-ipv4": ("RFC 3986, 7.4", "The host may be read as the address {}."),
    "mapped-address": ("RFC 4291, 2.5.5", "The IPv6 address {} holds the IPv4 address {}."),
    "loopback-address": ("RFC 6890, 2.2", "The host may be {}, the machine itself."),
    "private-address": ("RFC 6890, 2.2", "The host may be {}, which is reached from no public network."),
    "link-local-address": ("RFC 6890, 2.2", "The host may be {}, on the local link, where clouds serve metadata."),
    "unspecified-address": ("RFC 6890, 2.2", "The host may be {}, which many systems take for the machine itself."),
    "multicast-address": ("RFC 5771, 3", "The host may be {}, which many machines may answer at once."),
    "internal-host": ("CWE-918", "The host may be {}, which answers only from inside."),
    "address-in-name": ("CWE-918", "The name holds the address {}, and a public service resolves it to that."),
    # Hosts that are names
    "non-ascii-host": ("RFC 3986, 3.2.2", "The host is not ASCII; which name is looked up depends on the client."),
    "punycode-host": ("UTS #39, 4", "This is Punycode, which may be shown as a name that looks like another."),
    "nfkc-delimiter": ("UTS #46, 4", "U+{:04X} becomes {}, and may then delimit, where the host is normalized."),
    "escaped-delimiter": ("RFC 3986, 7.3", "Decoded too early, {1} delimits, and another host may be found."),
    "empty-label": ("RFC 1034, 3.1", "Nothing stands before this dot; only the root has an empty name."),
    "escaped-host": ("RFC 3986, 3.2.2", "Some clients decode the escapes of a host, others look it up as it is."),
    # Ports
    "non-default-port": ("RFC 3986, 7.2", "Another service than {} may listen at port {}; the default is {}."),
    "port-out-of-range": ("RFC 6335, 6", "Ports go from 1 to 65535; cut to 16 bits, this may be another one."),
    "twin-port": ("RFC 3986, 3.2", 'There is more than one ":" after the host; which number is the port?'),
    "invalid-port": ("RFC 3986, 3.2.3", "The port is no number; some readers ignore it, some read a part of it."),
    # Control characters
    "raw-cr": ("CWE-93", "A carriage return may end the line of a protocol or of a log."),
    "raw-lf": ("CWE-93", "A line feed may end the line of a protocol or of a log."),
    "raw-nul": ("CWE-158", "A NUL may end the text for some readers, and not for others."),
    "raw-control": ("CWE-150", "A control character, U+{:04X}, may command the terminal that shows it."),
    "raw-del": ("CWE-150", "A DEL may command the terminal that shows it."),
    "escaped-cr": ("RFC 3986, 7.2", "Decoded, this is a carriage return, which may end the line of a protocol."),
    "escaped-lf": ("RFC 3986, 7.2", "Decoded, this is a line feed, which may end the line of a protocol."),
    "escaped-nul": ("RFC 3986, 7.3", "Decoded, this is a NUL, at which a file's name ends for some systems."),
    "escaped-control": ("RFC 3986, 7.3", "Decoded, {1} is a control character."),
    "escaped-del": ("RFC 3986, 7.3", "Decoded, this is a DEL, a control character."),
    "truncated-line-end": ("CWE-113", "Cut to eight bits, this is a line end, which may end a line of a protocol."),
    # Characters that are not seen, deleted, or changed
    "outer-whitespace": ("WHATWG URL, 4.4", "Many readers take this off the ends; others read it as a part."),
    "inner-tab-or-newline": ("WHATWG URL, 4.4", "Browsers delete tabs and line ends, and read what is left."),
    "whitespace": ("RFC 9112, 3.2", "White space ends a request's target, or a reference in a text."),
    "bidirectional-character": ("RFC 3987, 4.1", "U+{:04X} changes the order in which the text is shown."),
    "invisible-character": ("UTS #39, 3.1", "U+{:04X} is not seen; in a host, many ignore it."),
    "backslash": ("WHATWG URL, 4.4", 'Browsers, and Windows, read "\\" as "/".'),
    "stray-bracket": (
        "RFC 3986, 3.2.2",
        "A bracket that does not enclose an IP literal misleads those who look for one.",
    ),
    # Escapes
    "bad-escape": ("RFC 3986, 2.1", 'Two hexadecimal digits do not follow the "%"; decoders do not agree on it.'),
    "double-escape": ("RFC 3986, 2.4", "Decoded twice, {1} is another character than decoded once."),
    "overlong-escape": ("RFC 3629, 10", "{1} is no UTF-8, but lax decoders read a character there, such as a slash."),
    # Paths
    "dot-segments": ("RFC 3986, 7.3", "For a file system this is a directory, and may lead out of what is served."),
    "escaped-dot-segments": ("RFC 3986, 7.3", 'Decoded, this is a "." or "..", after such have been looked for.'),
    "dot-segment-parameter": ("RFC 3986, 3.3", 'Without its parameter, this is a "." or "..".'),
    "escaped-backslash": ("RFC 3986, 7.3", 'Decoded, this is a "\\", which Windows reads as "/".'),
    "extra-slashes": ("WHATWG URL, 4.4", "Browsers, or who resolves the path alone, may take {} for the host."),
    # Schemes, and the whole
    "scheme-without-authority": ("WHATWG URL, 4.4", "A path follows, no authority; browsers find a host in it."),
    "network-path": ("RFC 3986, 4.2", "This looks like a path, and leads to the host {}, whatever the base."),
    "nested-reference": ("CWE-601", "A program that follows this parameter is led to {}."),
    "file-scheme": ("RFC 8089, 5", "This is a file of the machine that opens it, or of a machine in its network."),
    "ldap-scheme": ("RFC 4516, 5", "A directory answers this, and what it answers may be loaded and run."),
    "jar-scheme": ("CWE-79", "This is a part of an archive, which is fetched and unpacked to get it."),
    "blob-scheme": ("WHATWG URL, 4.7", "This is data that a page has made; no filter between it and a server saw it."),
    "view-source-scheme": ("CWE-346", "Another reference stands in this one, and is opened to show its source."),
    "script-scheme": ("CWE-79", "To open a {} reference is to run, or to show, what stands in it."),
    "very-long": ("RFC 9110, 4.1", "There are {:,} octets; not all take more than {:,}, and some cut off the rest."),
}

CODES: Final = tuple(_KINDS)

# What recipients should support at least, in octets (RFC 9110, 4.1).
LONGEST: Final = 8000


class Hazard(NamedTuple):
    """Something to know of a reference before it is dereferenced.

    Attributes:
        code: the kind of hazard, one of `CODES`, which docs/hazards.md explains.
        component: "scheme", "userinfo", "host", "port", "authority", "path", "query", "fragment", or "reference" for
            the whole.
        start: where it begins in the reference, in characters; in octets for bytes.
        end: where it ends.
        message: what there is to know, in a sentence of printable ASCII. It does not quote the userinfo.
        section: the document and the section that it is from.

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


def hazards(reference: str | BytesLike | Reference[str] | Reference[bytes]) -> tuple[Hazard, ...]:
    r"""Find what a client or an operator should know before a reference is dereferenced (RFC 3986, 7).

    The reference is cut by Appendix B, and a place at which others may read it otherwise is a hazard. Where browsers
    find another host, or one where Appendix B has none, it is judged, too. Which addresses are special is decided by
    IANA's registries, in the same way on every version of Python.

    A hazard is no verdict: "http://user@localhost:8080/" has three and may be just what is wanted. There is at most one
    hazard of a code in a component, at the first place where it is found; neighbouring raw characters of a kind are one
    place. Bytes are read as UTF-8; octets that are none are left alone.

    Args:
        reference: the text, str or bytes-like, or a `Reference`; any will do.

    Returns:
        The hazards in the order of their places; none for most references.

    Raises:
        TypeError: the argument is no text.

    >>> for hazard in hazards("http://www.example.com&story=breaking_news@0x0A.1/"):
    ...     print(hazard.code, hazard.start, hazard.end, hazard.message)
    userinfo-like-host 7 22 This looks like the host, but the host is '0x0A.1'.
    userinfo 7 42 The host is '0x0A.1'; what stands before it is sent there as a user's name.
    private-address 43 49 The host may be 10.0.0.1, which is reached from no public network.
    rare-ipv4 43 49 The host may be read as the address 10.0.0.1.
    >>> hazards(b"https://example.com/a?b#c")
    ()
    """
    given = text_of(reference, "hazards()")
    text = given if isinstance(given, str) else given.decode("utf-8", "surrogateescape")
    if len(text) <= LONGEST and _matches_ordinary()(text):
        return ()
    octets = len(text.encode("utf-8", "surrogatepass") if text is given else given)
    found: Iterable[Hazard] = _first(_find(text, octets))
    if text is not given and not text.isascii():
        found = _in_octets(found, text)
    return tuple(sorted(found, key=lambda hazard: (hazard.start, hazard.end, hazard.code)))


def _ends(names: Iterable[str]) -> str:
    r"""Match, where the last label of a host begins, that of one of these names, if what is before it is also there.

    >>> _ends(["nip.io", ".svc", "xip.io", "localhost"])
    'io(?:(?<=nip\\.io)|(?<=xip\\.io))|svc(?:(?<=\\.svc))'
    """
    by_last: dict[str, list[str]] = {}
    for name in names:
        if "." in name:
            by_last.setdefault(name.rpartition(".")[2], []).append(f"(?<={re.escape(name)})")
    return "|".join(f"{last}(?:{'|'.join(behind)})" for last, behind in by_last.items())


# Most references, in which nothing is to be found: the host is a name in small letters, no segment begins with a dot,
# nothing is escaped but some printable characters, and octets of which UTF-8 makes no control character and no line
# end once they are cut, and no reference stands in the query.
_HARMLESS: Final = (
    rf"%(?:2[0-46-9A-D]|[346][{DIGIT}A-F]|[89AB][{DIGIT}A-F]|C[35-9A-F]|C4(?!%8[AD]%C4%8[AD])|D[{DIGIT}A-F]"
    "|E[1-46-9A-F]|E5(?!%98%8A))"
)
_SPECIAL_DOMAINS: Final = _ends((*HOLDERS, *INTERNAL_NAMES))
_LABELS: Final = one_or_more(r"(?!xn--)[a-z0-9-]++\.")
_SEGMENTS: Final = zero_or_more("/(?![./])" + unrolled_loop(f"[{PCHAR}]", _HARMLESS))
_QUERY: Final = unrolled_loop(f"[{PCHAR.replace(':', '')}?]", f"(?!%3A){_HARMLESS}", "/(?!/)")
_TAIL: Final = unrolled_loop(f"[{PCHAR}/?]", _HARMLESS)
_ORDINARY: Final = (
    rf"(?>(?:https?|wss?|ftp)://{_LABELS}(?!xn--|local|{_SPECIAL_DOMAINS})[a-z][a-z0-9-]*+|){_SEGMENTS}/?+"
    rf"(?>\?{_QUERY}|)(?>#{_TAIL}|)"
)


@cache
def _matches_ordinary() -> Callable[[str], re.Match[str] | None]:
    """Compile the expression when it is first needed; without an argument, it is found again in half the time."""
    return re.compile(_ORDINARY).fullmatch


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed."""
    return re.compile(pattern)


class _Part(NamedTuple):
    """A component, and where it begins."""

    name: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)

    def hazard(self, code: str, start: int, end: int, *details: object) -> Hazard:
        """Tell of a place in the component."""
        section, message = _KINDS[code]
        return Hazard(code, self.name, self.start + start, self.start + end, message.format(*details), section)

    def whole(self, code: str, *details: object) -> Hazard:
        """Tell of the whole component."""
        return self.hazard(code, 0, len(self.text), *details)


def _find(text: str, octets: int) -> Iterator[Hazard]:
    parts = {name: _Part(name, text[start:end], start) for name, (start, end) in component_spans(text).items()}
    scheme, has_authority = parts.get("scheme"), "authority" in parts
    # The scheme as browsers read it, which is how its default port and what else is known of it are found.
    name = "" if scheme is None else _without_tabs(scheme.text).strip(_WHITESPACE).lower()
    if scheme is not None:
        yield from _in_scheme(scheme, name, has_authority=has_authority)
    if has_authority:
        yield from _in_authority(parts, name)
    yield from _in_path(parts, name)
    found = _host_for_browsers(text)
    if found:
        yield from _in_found(text, parts, found)
    if "query" in parts:
        yield from _in_query(parts["query"], found.host if found else "")
    yield from _in_characters(text, parts)
    if octets > LONGEST:
        yield _Part("reference", text, 0).whole("very-long", octets, LONGEST)


def _first(found: Iterable[Hazard]) -> list[Hazard]:
    """Keep the first hazard of a code in a component."""
    first: dict[tuple[str, str], Hazard] = {}
    for hazard in found:
        first.setdefault(hazard[:2], hazard)
    return list(first.values())


def _in_octets(found: Iterable[Hazard], text: str) -> Iterator[Hazard]:
    """Count places in octets instead of characters."""
    octets = {0: 0}
    last = 0
    for offset in sorted({offset for hazard in found for offset in (hazard.start, hazard.end)}):
        octets[offset] = octets[last] + len(text[last:offset].encode("utf-8", "surrogateescape"))
        last = offset
    return (hazard._replace(start=octets[hazard.start], end=octets[hazard.end]) for hazard in found)


# The schemes whose references are, or hold, what a browser runs, and others that have a code.
_SCRIPTS: Final = ("data", "javascript", "vbscript")
_SCHEMES: Final = {
    **dict.fromkeys(_SCRIPTS, "script-scheme"),
    "file": "file-scheme",
    "ldap": "ldap-scheme",
    "ldapi": "ldap-scheme",
    "ldaps": "ldap-scheme",
    "jar": "jar-scheme",
    "blob": "blob-scheme",
    "view-source": "view-source-scheme",
}


def _in_scheme(scheme: _Part, name: str, *, has_authority: bool) -> Iterator[Hazard]:
    if name in _SCHEMES:
        yield scheme.whole(_SCHEMES[name], name)
    if not has_authority and DEFAULT_PORTS.get(name):
        yield scheme.whole("scheme-without-authority")


def _without_tabs(text: str) -> str:
    """Delete what browsers delete (WHATWG URL, 4.4)."""
    return text.replace("\t", "").replace("\n", "").replace("\r", "")


# What looks like a host at the beginning of a userinfo: a name with a dot, an IP literal, or the name of the machine.
_LIKE_HOST: Final = r"(?i)[\w-]++" + one_or_more(r"\.[\w-]++") + r"|\[[^]]*+|localhost\b"


def _in_authority(parts: dict[str, _Part], scheme: str) -> Iterator[Hazard]:
    host = parts["host"]
    if "userinfo" in parts:
        userinfo = parts["userinfo"]
        yield userinfo.whole("userinfo", _shown(host.text))
        user, _, password = userinfo.text.partition(":")
        if password:
            yield userinfo.hazard("password", len(user) + 1, len(userinfo.text))
        if like := _compiled(_LIKE_HOST).match(userinfo.text):
            yield userinfo.hazard("userinfo-like-host", *like.span(), _shown(host.text))
        if at_signs := userinfo.text.count("@"):
            first = userinfo.text.index("@")
            yield userinfo.hazard("several-at-signs", first, first + 1, at_signs + 1)
    yield from _in_host(host)
    if "port" in parts:
        yield from _in_port(parts["port"], scheme)


def _shown(text: str) -> str:
    """Quote a text that may be long and hold anything."""
    longest = 60
    return ascii(text) if len(text) <= longest else f"{text[:longest]!a}..."


def _in_port(port: _Part, scheme: str) -> Iterator[Hazard]:
    digits = port.text.lstrip("0")
    default = DEFAULT_PORTS.get(scheme)
    if ":" in port.text:
        yield port.whole("twin-port")
    elif not port.text:
        return
    elif not (port.text.isascii() and port.text.isdigit()):
        yield port.whole("invalid-port")
    elif not digits or len(digits) > len("65535") or int(digits) > 65535:  # noqa: PLR2004  the largest of 16 bits
        yield port.whole("port-out-of-range")
    elif default and int(digits) != default:
        yield port.whole("non-default-port", scheme, digits, default)


_PUNYCODE: Final = r"(?i)(?<![^.])xn--[^.]*+"

# A dot before which there is no label; a name may end in one dot, for the root.
_EMPTY_LABEL: Final = r"(?<![^.])\."


def _in_host(host: _Part) -> Iterator[Hazard]:
    if not host.text.isascii():
        yield host.whole("non-ascii-host")
    if label := _compiled(_PUNYCODE).search(host.text):
        yield host.hazard("punycode-host", *label.span())
    if not _is_literal(host.text):
        if bracket := _compiled(r"[\[\]]").search(host.text):
            yield host.hazard("stray-bracket", *bracket.span())
        if label := _compiled(_EMPTY_LABEL).search(host.text):
            yield host.hazard("empty-label", *label.span())
    yield from _in_destination(host, host.text)


def _is_literal(host: str) -> bool:
    """Tell whether a host is an IP literal, with a zone or without (RFC 3986, 3.2.2; RFC 6874, 2)."""
    address, zone, _ = host.partition("%")
    return is_ip_literal(f"{address}]" if zone and host.endswith("]") else host)


def _as_read(host: str) -> str:
    """Give what browsers make of a host before they look for an address in it (WHATWG URL, 3.5)."""
    host = decode(_without_tabs(host), errors="surrogateescape")
    if not host.isascii():
        host = host.translate({ord(character): text for character, text in _normalization(host).items()})
    return host.lower()


def _normalization(text: str) -> dict[str, str]:
    """Map the characters beyond ASCII as UTS #46 does: by NFKC, the ideographic full stop to ".", the ignored to ""."""
    from unicodedata import normalize  # noqa: PLC0415  few hosts are not in ASCII

    ignored = _compiled(_INVISIBLE).match
    return {
        character: "" if ignored(character) else normalize("NFKC", character).replace("\u3002", ".")
        for character in set(text)
        if not character.isascii()
    }


def _in_destination(place: _Part, host: str) -> Iterator[Hazard]:
    """Tell where a host leads that stands at a place, if it is not, or not only, a name of the public Internet."""
    read = _as_read(host)
    name = read.removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        yield place.whole("loopback-address", "localhost (RFC 6761, 6.3)")
    elif name in LOOPBACK_NAMES:
        yield place.whole("loopback-address", name)
    elif found := parse_addresses(read):
        yield from _in_addresses(place, host, found)
    elif internal := _internal(name):
        whose, address = internal
        yield place.whole("internal-host", f"a name of {whose}")
        yield from _in_reach(place, parse_addresses(address or ""))
    elif held := addresses_in_name(name):
        yield place.whole("address-in-name", _listed(held))
        yield from _in_reach(place, held)


def _internal(name: str) -> tuple[str, str | None] | None:
    """Tell whose a name is that is found inside only, and its address, where it always has the same."""
    if name in INTERNAL_NAMES:
        return INTERNAL_NAMES[name]
    if not name.endswith(_INTERNAL_DOMAINS):
        return None
    return next(INTERNAL_NAMES[domain] for domain in _INTERNAL_DOMAINS if name.endswith(domain))


_INTERNAL_DOMAINS: Final = tuple(name for name in INTERNAL_NAMES if name.startswith("."))


def _in_addresses(place: _Part, host: str, found: "list[IPv4Address | IPv6Address]") -> Iterator[Hazard]:
    first, *_ = found
    if first.version == 6:  # noqa: PLR2004  IPv6
        if mapped := embedded_ipv4(first):
            yield place.whole("mapped-address", format_address(first), mapped)
            found = [first, mapped]
    elif host != str(first):
        yield place.whole("rare-ipv4", _listed(found))
    yield from _in_reach(place, found)


# The code for each reach of a block; an address of any other is one of the public Internet, or is judged by what it
# holds.
_REACHES: Final = {
    "unspecified": "unspecified-address",
    "loopback": "loopback-address",
    "link-local": "link-local-address",
    "private": "private-address",
    "multicast": "multicast-address",
}


def _in_reach(place: _Part, found: "list[IPv4Address | IPv6Address]") -> Iterator[Hazard]:
    """Tell how far addresses reach, and of clouds that serve their machines there."""
    reached: dict[str, list[IPv4Address | IPv6Address]] = {}
    for address in found:
        block = block_of(address)
        if block and block.reach in _REACHES:
            reached.setdefault(_REACHES[block.reach], []).append(address)
        if whose := INTERNAL_ADDRESSES.get(str(address)):
            yield place.whole("internal-host", f"{address}, a service of {whose}")
    for code, those in reached.items():
        yield place.whole(code, _listed(those))


def _listed(found: "list[IPv4Address | IPv6Address]") -> str:
    return " or ".join(map(format_address, found))


class _Found(NamedTuple):
    """A host as browsers find it.

    Attributes:
        host: the text of it.
        start: where it stands.
        slashes: where the slashes before it begin, if it is found without a scheme.
    """

    host: str
    start: int
    slashes: int | None


# The schemes with a host that browsers read in a way of their own (WHATWG URL, 4.2: special), and those whose
# references hold another one.
_SPECIAL: Final = ("ftp", "http", "https", "ws", "wss")
_WRAPPERS: Final = "blob|jar|view-source"

# What browsers read as schemes, those that wrap included, and as the slashes before a host, among tabs and line ends,
# which they delete; before it all, they skip spaces and control characters.
_FOUND: Final = (
    r"[\0- ]*+"
    f"({zero_or_more(f'(?i:{_WRAPPERS}):')})"
    rf"(?>([{ALPHA}][{SCHEME_CHARACTER}\t\n\r]*+):|)([/\\\t\n\r]*+)([^/\\?#]*+)"
)


def _host_for_browsers(text: str) -> _Found | None:
    """Find the host that browsers find (WHATWG URL, 4.4), which may be one where RFC 3986 has none, or another one."""
    match: re.Match[str] = _compiled(_FOUND).match(text, 0, len(text.rstrip(_C0_AND_SPACE)))  # type: ignore[assignment]
    wrappers, scheme, slashes, _ = match.groups()
    if scheme is None:
        is_found = not wrappers and len(_without_tabs(slashes)) >= len("//")
    else:
        is_found = _without_tabs(scheme).lower() in _SPECIAL
    start, end = authority_spans(text, *match.span(4))["host"]
    return _Found(text[start:end], start, None if scheme else match.start(3)) if is_found and start < end else None


def _in_found(text: str, parts: dict[str, _Part], found: _Found) -> Iterator[Hazard]:
    """Tell of the host that browsers find, where they find it without looking so, or where RFC 3986 has none."""
    end = found.start + len(found.host)
    if found.slashes is not None:
        yield _Part("reference", text, 0).hazard("network-path", found.slashes, end, _shown(found.host))
    if "host" in parts and parts["host"][1:] == (found.host, found.start):
        return
    around = (part.name for part in parts.values() if part.start <= found.start and end <= part.end)
    component = next((name for name in around if name != "authority"), "reference")
    yield from _in_destination(_Part(component, found.host, found.start), found.host)


# A segment that is "." or ".." (RFC 3986, 3.3), and those with which a relative path may well begin (4.2).
_DOT_SEGMENT: Final = r"(?<![^/])\.\.?+(?![^/])"
_LEADING_DOT_SEGMENTS: Final = zero_or_more(r"\.\.?+(?:/|\Z)")

# The same once "%2E" is "." and "%2F", "\" and "%5C" are "/", unless it is one as it stands.
_ESCAPED_DOT_SEGMENT: Final = (
    rf"(?i)(?:(?<![^/\\])|(?<=%2f)|(?<=%5c))(?!{_DOT_SEGMENT})(?>(?:\.|%2e){{1,2}})(?=[/\\]|%2f|%5c|\Z)"
)

# One that has a parameter, which some remove before they look for dot-segments, some after.
_DOT_SEGMENT_PARAMETER: Final = r"(?i)(?:(?<![^/\\])|(?<=%2f)|(?<=%5c))(?>(?:\.|%2e){1,2})(?=;|%3b)"


def _in_path(parts: dict[str, _Part], scheme: str) -> Iterator[Hazard]:
    path = parts["path"]
    relative = "scheme" not in parts and "authority" not in parts
    leading = _compiled(_LEADING_DOT_SEGMENTS).match(path.text) if relative else None
    if segment := _compiled(_DOT_SEGMENT).search(path.text, leading.end() if leading else 0):
        yield path.hazard("dot-segments", *segment.span())
    if segment := _compiled(_ESCAPED_DOT_SEGMENT).search(path.text):
        yield path.hazard("escaped-dot-segments", *segment.span())
    if segment := _compiled(_DOT_SEGMENT_PARAMETER).search(path.text):
        yield path.hazard("dot-segment-parameter", *segment.span())
    rest = path.text.lstrip("/")
    slashes = len(path.text) - len(rest)
    empty = "authority" in parts and not parts["authority"].text
    if slashes and empty and (scheme in _SPECIAL or "scheme" not in parts):
        yield parts["authority"].hazard("extra-slashes", -len("//"), slashes, _shown(rest.partition("/")[0]))
    elif slashes > 1:
        yield path.hazard("extra-slashes", 0, slashes, _shown(rest.partition("/")[0]))


# A parameter whose value, once it is decoded, may be a reference with a host or a scheme.
_BLANKS: Final = zero_or_more(r"[\0- +]|%(?:[01][0-9a-f]|20)")
_SLASH: Final = r"(?:[/\\]|%2f|%5c)"
_LETTERS: Final = one_or_more(r"[\t\n\ra-z0-9+.-]|%(?:[2-7][0-9b-f]|[24-7]a|0[9ad])")
_PARAMETER: Final = (
    rf"(?i)(?<![^&;])(?P<name>[^=&;]*+)=(?P<value>{_BLANKS}(?:{_SLASH}{_BLANKS}{_SLASH}|{_LETTERS}(?::|%3a))[^&;]*+)"
)

# The names of parameters by which programs are told where to redirect to, without what stands between their words.
_REDIRECTS: Final = frozenset(
    {
        "continue", "continueto", "continueurl", "dest", "destination", "destinationurl", "forward", "forwardto",
        "forwardurl", "goto", "gotourl", "next", "nexturl", "redir", "redirect", "redirecturi", "redirecturl",
        "redirectto", "redirurl", "return", "returnpath", "returnto", "returnuri", "returnurl", "rurl", "successurl",
    }
)  # fmt: skip


def _in_query(query: _Part, own: str) -> Iterator[Hazard]:
    """Tell of references in parameters, but for those that many a query holds for good reasons.

    Left are places to which a program is to redirect, and what looks like a path, each on another host than the
    reference's own; what runs a script; and what leads to an address that is not of the public Internet.
    """
    for match in islice(_compiled(_PARAMETER).finditer(query.text), LONGEST // len("=a:&")):  # more are "very-long"
        value = _parameter(match["value"])
        place = _Part("query", match["value"], query.start + match.start("value"))
        scheme = _without_tabs(value.partition(":")[0]).strip(_WHITESPACE).lower()
        if scheme in _SCRIPTS:
            yield place.whole("nested-reference", f"a {scheme} reference")
        if found := _host_for_browsers(value):
            led = tuple(_in_destination(place, found.host))
            yield from led
            redirects = found.slashes is not None or _name(match["name"]) in _REDIRECTS
            if led or (redirects and _as_read(found.host) != _as_read(own)):
                yield place.whole("nested-reference", f"the host {_shown(found.host)}")


def _parameter(text: str) -> str:
    """Read a name or a value of a query like that of a form."""
    return decode(text.replace("+", " "), errors="surrogateescape")


def _name(text: str) -> str:
    """Write a parameter's name without what stands between its words."""
    return _compiled("[^a-z]++").sub("", _parameter(text).lower())


# White space but tabs and line ends, and all that is taken off the ends of a reference.
_SPACES: Final = (
    " \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_WHITESPACE: Final = "".join(map(chr, range(0x20))) + _SPACES
_C0_AND_SPACE: Final = "".join(map(chr, range(0x21)))

# Default_Ignorable_Code_Point (UAX #44, 5.1) but those that change the direction (UAX #9, 2).
_BIDIRECTIONAL: Final = "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]++"
_INVISIBLE: Final = (
    "[\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]++"
)

_ANYWHERE: Final = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")

# What is looked for in which components: raw characters of ASCII, white space that is not at an end, ...
_UNUSUAL: Final = "[^!-Z^-~]"
_RAW: Final = {
    "raw-cr": (_ANYWHERE, "\r++"),
    "raw-lf": (_ANYWHERE, "\n++"),
    "raw-nul": (_ANYWHERE, "\0++"),
    "raw-control": (_ANYWHERE, "[\x01-\x08\x0b\x0c\x0e-\x1f\x80-\x9f]++"),
    "raw-del": (_ANYWHERE, "\x7f++"),
    "backslash": (_ANYWHERE, r"\\++"),
    "stray-bracket": (("scheme", "userinfo", "port", "path", "query", "fragment"), r"[\[\]]++"),
}
_INNER: Final = {
    "inner-tab-or-newline": (_ANYWHERE, "[\t\n\r]++"),
    "whitespace": (_ANYWHERE, f"[{_SPACES}]++"),
}

# ... characters beyond ASCII, ...
_BEYOND_ASCII: Final = {
    "bidirectional-character": (_ANYWHERE, _BIDIRECTIONAL),
    "invisible-character": (_ANYWHERE, _INVISIBLE),
}

# ... and escapes. An escaped "/", "?", "#" or "\" would end an authority, and ":", "@", "[" or "]" would divide it.
_AUTHORITY_DELIMITERS: Final = "(?:2[3f]|3[af]|40|5[b-d])"
_ESCAPES: Final = {
    "escaped-cr": (_ANYWHERE, "%0[Dd]"),
    "escaped-lf": (_ANYWHERE, "%0[Aa]"),
    "escaped-nul": (_ANYWHERE, "%00"),
    "escaped-control": (_ANYWHERE, rf"(?i)%0[1-9bcef]|%1[{HEXDIG}]|%c2%[89][{HEXDIG}]"),
    "escaped-del": (_ANYWHERE, "%7[Ff]"),
    "escaped-delimiter": (("userinfo", "host", "port"), f"(?i)%{_AUTHORITY_DELIMITERS}"),
    "escaped-host": (("host",), f"(?i)%(?!{_AUTHORITY_DELIMITERS})[{HEXDIG}]{{2}}"),
    "escaped-backslash": (("path",), "%5[Cc]"),
    "bad-escape": (_ANYWHERE, f"%(?![{HEXDIG}]{{2}})"),
    "double-escape": (_ANYWHERE, f"%25[{HEXDIG}]{{2}}"),
    "overlong-escape": (_ANYWHERE, f"(?i)%c[01]%[89ab][{HEXDIG}]|%e0%[89][{HEXDIG}]%[89ab][{HEXDIG}]"),
}


# Characters whose last eight bits are a line end, where nobody may have written them for what they are: U+560A is rare,
# and so are U+010A and U+010D side by side.
_CUT: Final = (
    "(?i:%e5%98%8a|%e5%98%8d(?=%e5%98%8a)|%c4%8a%c4%8d|%c4%8d%c4%8a)|\u560a|\u560d(?=\u560a)|\u010a\u010d|\u010d\u010a"
)


def _in_characters(text: str, parts: dict[str, _Part]) -> Iterator[Hazard]:
    """Look for what is the same wherever it stands, but only in components that may have it."""
    if unusual := {name: part for name, part in parts.items() if _compiled(_UNUSUAL).search(part.text)}:
        start = len(text) - len(text.lstrip(_WHITESPACE))
        end = len(text.rstrip(_WHITESPACE))
        if start or end < len(text):
            outer = (0, start) if start else (end, len(text))
            yield _Part("reference", text, 0).hazard("outer-whitespace", *outer)
        yield from _searched(unusual, _RAW)
        yield from _searched(unusual, _INNER, start, end)
    if not text.isascii():
        yield from _searched(unusual, _BEYOND_ASCII)
        for name in ("userinfo", "host", "port"):
            if name in parts:
                yield from _in_disguise(parts[name])
    if "%" in text:
        yield from _searched({name: part for name, part in parts.items() if "%" in part.text}, _ESCAPES)
    if _compiled(_CUT).search(text):
        yield from _searched(parts, {"truncated-line-end": (_ANYWHERE, _CUT)})


def _searched(
    parts: dict[str, _Part],
    patterns: Mapping[str, tuple[tuple[str, ...], str]],
    start: int = 0,
    end: int | None = None,
) -> Iterator[Hazard]:
    """Find the first place of each kind in each component, between two offsets."""
    for code, (names, pattern) in patterns.items():
        search = _compiled(pattern).search
        for part in (parts[name] for name in names if name in parts):
            stop = len(part.text) if end is None else max(end - part.start, 0)
            if found := search(part.text, max(start - part.start, 0), stop):
                yield part.hazard(code, *found.span(), ord(found[0][0]), found[0])


def _in_disguise(part: _Part) -> Iterator[Hazard]:
    """Find the first character that becomes a delimiter, or the "." of a name, once it is normalized."""
    normalization = _normalization(part.text)
    delimiters = {
        character: text for character, text in normalization.items() if not set(text).isdisjoint("/?#@:[]\\%.")
    }
    if delimiters:
        at, character = next((at, character) for at, character in enumerate(part.text) if character in delimiters)
        yield part.hazard("nfkc-delimiter", at, at + 1, ord(character), ascii(delimiters[character]))
