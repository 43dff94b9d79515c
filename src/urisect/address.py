"""Hosts that are addresses (RFC 3986, 3.2.2)."""

import re
from typing import TYPE_CHECKING, Final

from urisect.characters import DIGIT, HEXDIG, SUB_DELIMS, UNRESERVED
from urisect.text_types import Octets, to_plain_text, to_str

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

__all__ = [
    "ADDRESS",
    "IPVFUTURE",
    "embedded_ipv4",
    "format_address",
    "is_ip_literal",
    "is_ipv6address",
    "read_addresses",
]

# IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )  (RFC 3986, 3.2.2)
IPVFUTURE: Final = rf"[Vv][{HEXDIG}]++\.[{UNRESERVED}{SUB_DELIMS}:]++"

# What an IPv6address is made of; the longest one has six h16, each with its ":", and an IPv4address.
_IPV6_CHARACTERS: Final = rf"[{HEXDIG}:.]{{2,45}}"


def is_ip_literal(host: str | Octets) -> bool:
    """Tell whether a host is an IP-literal: an IPv6address or an IPvFuture, in brackets (RFC 3986, 3.2.2).

    Args:
        host: the host as written, str or bytes-like.

    Raises:
        TypeError: the argument is neither str nor bytes-like.

    >>> is_ip_literal("[2001:db8::7]"), is_ip_literal(b"[v1.a:b]"), is_ip_literal("[fe80::1%25eth0]")
    (True, True, False)
    """
    text = to_str(to_plain_text(host, "is_ip_literal()"))
    if not (text.startswith("[") and text.endswith("]")):
        return False
    return is_ipv6address(text[1:-1]) or re.fullmatch(IPVFUTURE, text[1:-1]) is not None


def is_ipv6address(text: str | Octets) -> bool:
    """Tell whether a text is an IPv6address, without brackets and without a zone (RFC 3986, 3.2.2).

    Args:
        text: the address as written, str or bytes-like.

    Raises:
        TypeError: the argument is neither str nor bytes-like.

    >>> is_ipv6address("2001:db8::192.0.2.7"), is_ipv6address(b"::"), is_ipv6address("fe80::1%eth0")
    (True, True, False)
    """
    address = to_str(to_plain_text(text, "is_ipv6address()"))
    if not re.fullmatch(_IPV6_CHARACTERS, address):
        return False
    from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415  few hosts come as far as this

    try:
        IPv6Address(address)
    except AddressValueError:
        return False
    return True


# What may be an address: anything in brackets, or one to four numbers, each decimal, octal or hexadecimal, and a last
# "." (RFC 3986, 7.4; WHATWG URL, 3.5).
_NUMBER: Final = rf"(?:0x[{HEXDIG}]*+|[{DIGIT}]++)"
ADDRESS: Final = rf"\[[^]]*+\]|{_NUMBER}(?>(?:\.{_NUMBER}){{0,3}})\.?+"


def read_addresses(host: str) -> list["IPv4Address | IPv6Address"]:
    """Give the addresses as which clients may read a host (RFC 3986, 7.4; WHATWG URL, 3.5).

    A number may be decimal, octal or hexadecimal, as in C, and the last one takes all octets that are left. Four
    numbers with leading zeros have a second reading, all decimal. A zone is left aside.

    Args:
        host: the host, in small letters and nothing escaped; an IPv6 address in its brackets.

    >>> read_addresses("0x7f.1"), read_addresses("010.0.0.1")
    ([IPv4Address('127.0.0.1')], [IPv4Address('8.0.0.1'), IPv4Address('10.0.0.1')])
    """
    if not re.fullmatch(ADDRESS, host):
        return []
    from ipaddress import IPv4Address, IPv6Address  # noqa: PLC0415  few hosts are addresses

    if host.startswith("["):
        literal, _, _ = host[1:-1].partition("%")
        return [IPv6Address(literal)] if is_ipv6address(literal) else []
    parts = host.removesuffix(".").split(".")
    readings = [_inet_aton([_number(part) for part in parts])]
    if len(parts) == _OCTETS:
        readings.append(_inet_aton([_number(part, base=10) for part in parts]))
    return [IPv4Address(value) for value in dict.fromkeys(readings) if value is not None]


_OCTETS: Final = 4
_TOO_LARGE: Final = 1 << 8 * _OCTETS


def _number(part: str, base: int | None = None) -> int:
    """Read a number of an address; what is none is too large for one."""
    if base is None:
        base = 16 if part.startswith("0x") else 8 if part.startswith("0") else 10
    digits = part.removeprefix("0x" if base == 16 else "").lstrip("0")  # noqa: PLR2004
    if len(digits) > len(f"{_TOO_LARGE:o}"):
        return _TOO_LARGE
    try:
        return int(digits or "0", base)
    except ValueError:  # a digit that the base has not
        return _TOO_LARGE


def _inet_aton(numbers: list[int]) -> int | None:
    """Put an address together: each number is an octet, and the last one takes all octets that are left."""
    *octets, last = numbers
    if max(octets, default=0) > 0xFF or last >= 1 << 8 * (_OCTETS - len(octets)):  # noqa: PLR2004  an octet
        return None
    return int.from_bytes(bytes(octets).ljust(_OCTETS, b"\0"), "big") + last


def embedded_ipv4(address: "IPv6Address") -> "IPv4Address | None":
    """Find the IPv4 address that an IPv6 address holds.

    It is IPv4-mapped or IPv4-compatible (RFC 4291, 2.5.5), IPv4-translated (RFC 2765, 2.1), of NAT64 (RFC 6052, 2.1;
    RFC 8215), 6to4 (RFC 3056, 2), Teredo (RFC 4380, 4: the client's, inverted) or ISATAP (RFC 5214, 6.1).

    >>> embedded_ipv4(*read_addresses("[::ffff:192.0.2.7]")), embedded_ipv4(*read_addresses("[2001::3fff:fdf8]"))
    (IPv4Address('192.0.2.7'), IPv4Address('192.0.2.7'))
    """
    from ipaddress import IPv4Address  # noqa: PLC0415  few hosts are addresses

    value = int(address)
    prefix, last = divmod(value, _TOO_LARGE)
    if value >> 112 == _SIX_TO_FOUR:
        return IPv4Address(value >> 80 & _TOO_LARGE - 1)
    if value >> 96 == _TEREDO:
        return IPv4Address(last ^ _TOO_LARGE - 1)
    holds = prefix in _BEFORE_IPV4 or value >> 80 == _LOCAL_NAT64 or prefix & 0xFDFFFFFF == _ISATAP
    return IPv4Address(last) if holds or (prefix == 0 and last > 1) else None


# What stands before an IPv4 address: 96 bits of an IPv4-mapped, an IPv4-translated, and a NAT64 address; ...
_IPV4_MAPPED: Final = 0xFFFF
_BEFORE_IPV4: Final = (_IPV4_MAPPED, 0xFFFF << 16, 0x64FF9B << 64)

# ... 48 bits of NAT64 for local use, of which the common form ends in the address; 32 bits of the identifier of an
# interface for ISATAP, but the one that tells a global address; 16 bits of 6to4; and 32 bits of Teredo.
_LOCAL_NAT64: Final = 0x64FF9B0001
_ISATAP: Final = 0x5EFE
_SIX_TO_FOUR: Final = 0x2002
_TEREDO: Final = 0x20010000


def format_address(address: "IPv4Address | IPv6Address") -> str:
    """Write an address in the same way on every version of Python (RFC 5952, 5: an IPv4-mapped one with dots).

    >>> format_address(*read_addresses("[::FFFF:7f00:1]"))
    '::ffff:127.0.0.1'
    """
    if address.version == 6 and int(address) >> 32 == _IPV4_MAPPED:  # noqa: PLR2004  IPv6
        return f"::ffff:{embedded_ipv4(address)}"
    return str(address)
