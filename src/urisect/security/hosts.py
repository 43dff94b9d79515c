"""Find hazards of hosts: how browsers read a host, which host they find, and where a host leads."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from urisect.address import embedded_ipv4, format_address, is_ip_literal, parse_addresses
from urisect.characters import ALPHA, SCHEME_CHARACTER
from urisect.percent import decode
from urisect.repetition import zero_or_more
from urisect.security.characters import C0_AND_SPACE, compile_once, normalize_characters, remove_tabs_and_line_ends
from urisect.security.codes import Component, Hazard
from urisect.spans import authority_spans
from urisect.special_purpose import (
    INTERNAL_ADDRESSES,
    INTERNAL_NAMES,
    LOOPBACK_NAMES,
    find_addresses_in_name,
    find_block,
)

if TYPE_CHECKING:
    import re
    from ipaddress import IPv4Address, IPv6Address

__all__ = [
    "SPECIAL_SCHEMES",
    "BrowserHost",
    "find_browser_host",
    "find_destination_hazards",
    "find_host_hazards",
    "read_host",
]

_PUNYCODE: Final = r"(?i)(?<![^.])xn--[^.]*+"

# A dot without a label before it. A name may end in one dot, for the root.
_EMPTY_LABEL: Final = r"(?<![^.])\."


def find_host_hazards(host: Component) -> Iterator[Hazard]:
    """Find the hazards of a host as it is written, and of its destination."""
    if not host.text.isascii():
        yield host.hazard("non-ascii-host")
    if label := compile_once(_PUNYCODE).search(host.text):
        yield host.hazard_at("punycode-host", *label.span())
    if not _is_literal(host.text):
        if bracket := compile_once(r"[\[\]]").search(host.text):
            yield host.hazard_at("stray-bracket", *bracket.span())
        if label := compile_once(_EMPTY_LABEL).search(host.text):
            yield host.hazard_at("empty-label", *label.span())
    yield from find_destination_hazards(host, host.text)


def _is_literal(host: str) -> bool:
    """Return whether a host is an IP literal, with or without a zone (RFC 3986, 3.2.2; RFC 6874, 2)."""
    address, zone, _ = host.partition("%")
    return is_ip_literal(f"{address}]" if zone and host.endswith("]") else host)


def read_host(host: str) -> str:
    r"""Return a host as browsers read it, before they look for an address in it (WHATWG URL, 3.5).

    >>> read_host("%31２7\t.0.0.1")
    '127.0.0.1'
    """
    host = decode(remove_tabs_and_line_ends(host), errors="surrogateescape")
    if not host.isascii():
        host = host.translate(normalize_characters(host))
    return host.lower()


def find_destination_hazards(place: Component, host: str) -> Iterator[Hazard]:
    """Find where a host leads, unless it is only a name of the public Internet.

    Args:
        place: the text that a hazard points to.
        host: the host in that text, as written.
    """
    read = read_host(host)
    name = read.removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        yield place.hazard("loopback-address", "localhost (RFC 6761, 6.3)")
    elif name in LOOPBACK_NAMES:
        yield place.hazard("loopback-address", name)
    elif found := parse_addresses(read):
        yield from _find_address_hazards(place, host, found)
    elif internal := _find_internal_name(name):
        owner, address = internal
        yield place.hazard("internal-host", f"a name of {owner}")
        yield from _find_category_hazards(place, parse_addresses(address or ""))
    elif in_name := find_addresses_in_name(name):
        yield place.hazard("address-in-name", _join(in_name))
        yield from _find_category_hazards(place, in_name)


_INTERNAL_DOMAINS: Final = tuple(name for name in INTERNAL_NAMES if name.startswith("."))


def _find_internal_name(name: str) -> tuple[str, str | None] | None:
    """Return the owner of a name that resolves only inside, and the address if it is fixed."""
    if name in INTERNAL_NAMES:
        return INTERNAL_NAMES[name]
    if not name.endswith(_INTERNAL_DOMAINS):
        return None
    return next(INTERNAL_NAMES[domain] for domain in _INTERNAL_DOMAINS if name.endswith(domain))


def _find_address_hazards(place: Component, host: str, found: "list[IPv4Address | IPv6Address]") -> Iterator[Hazard]:
    first, *_ = found
    if first.version == 6:  # noqa: PLR2004  IPv6
        if mapped := embedded_ipv4(first):
            yield place.hazard("mapped-address", format_address(first), mapped)
            found = [first, mapped]
    elif host != str(first):
        yield place.hazard("rare-ipv4", _join(found))
    yield from _find_category_hazards(place, found)


# The code for each category of blocks. Addresses of other categories are on the public Internet, or the IPv4 address in
# them decides.
_CODES_BY_CATEGORY: Final = {
    "unspecified": "unspecified-address",
    "loopback": "loopback-address",
    "link-local": "link-local-address",
    "private": "private-address",
    "multicast": "multicast-address",
}


def _find_category_hazards(place: Component, found: "list[IPv4Address | IPv6Address]") -> Iterator[Hazard]:
    """Find addresses that are not on the public Internet, and addresses of cloud services."""
    by_code: dict[str, list[IPv4Address | IPv6Address]] = {}
    for address in found:
        block = find_block(address)
        if block and block.category in _CODES_BY_CATEGORY:
            by_code.setdefault(_CODES_BY_CATEGORY[block.category], []).append(address)
        if owner := INTERNAL_ADDRESSES.get(str(address)):
            yield place.hazard("internal-host", f"{address}, a service of {owner}")
    for code, those in by_code.items():
        yield place.hazard(code, _join(those))


def _join(found: "list[IPv4Address | IPv6Address]") -> str:
    return " or ".join(map(format_address, found))


class BrowserHost(NamedTuple):
    """The host that browsers find.

    Attributes:
        text: the host.
        start: its offset.
        slashes: the offset of the slashes before it, if there is no scheme.
    """

    text: str
    start: int
    slashes: int | None


# The schemes whose hosts browsers parse in their own way (WHATWG URL, 4.2: special), and the schemes whose references
# contain another reference.
SPECIAL_SCHEMES: Final = ("ftp", "http", "https", "ws", "wss")
_WRAPPING_SCHEMES: Final = "blob|jar|view-source"

# What browsers read before a host: wrapping schemes, a scheme, and slashes, with tabs and line ends, which they remove,
# anywhere, and with spaces and control characters, which they skip, at the beginning.
_BROWSER_HOST: Final = (
    r"[\0- ]*+"
    f"({zero_or_more(f'(?i:{_WRAPPING_SCHEMES}):')})"
    rf"(?>([{ALPHA}][{SCHEME_CHARACTER}\t\n\r]*+):|)([/\\\t\n\r]*+)([^/\\?#]*+)"
)


def find_browser_host(text: str) -> BrowserHost | None:
    r"""Find the host that browsers find (WHATWG URL, 4.4), where RFC 3986 may find none, or a different one.

    >>> find_browser_host("http:\\127.0.0.1\\"), find_browser_host("/a/b")
    (BrowserHost(text='127.0.0.1', start=6, slashes=None), None)
    """
    end = len(text.rstrip(C0_AND_SPACE))
    match: re.Match[str] = compile_once(_BROWSER_HOST).match(text, 0, end)  # type: ignore[assignment]  # it matches ""
    wrappers, scheme, slashes, _ = match.groups()
    if scheme is None:
        is_found = not wrappers and len(remove_tabs_and_line_ends(slashes)) >= len("//")
    else:
        is_found = remove_tabs_and_line_ends(scheme).lower() in SPECIAL_SCHEMES
    start, end = authority_spans(text, *match.span(4))["host"]
    return BrowserHost(text[start:end], start, None if scheme else match.start(3)) if is_found and start < end else None
