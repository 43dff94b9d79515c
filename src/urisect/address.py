"""Hosts that are addresses (RFC 3986, 3.2.2)."""

import re
from typing import TYPE_CHECKING, Final

from urisect.characters import DIGIT, HEXDIG, SUB_DELIMS, UNRESERVED
from urisect.reference import Octets, as_text, plain

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

__all__ = ["ADDRESS", "IPVFUTURE", "addresses", "embedded", "is_ip_literal", "is_ipv6address"]

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
    text = as_text(plain(host, "is_ip_literal()"))
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
    address = as_text(plain(text, "is_ipv6address()"))
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


def addresses(host: str) -> list["IPv4Address | IPv6Address"]:
    """Give the addresses as which clients may read a host (RFC 3986, 7.4; WHATWG URL, 3.5).

    A number may be decimal, octal or hexadecimal, as in C, and the last one takes all octets that are left. Four
    numbers with leading zeros have a second reading, all decimal. A zone is left aside.

    Args:
        host: the host, in small letters and nothing escaped; an IPv6 address in its brackets.

    >>> addresses("0x7f.1"), addresses("010.0.0.1")
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


def embedded(address: "IPv6Address") -> "IPv4Address | None":
    """Find the IPv4 address in one that is IPv4-mapped or IPv4-compatible (RFC 4291), of 6to4 (3056) or NAT64 (6052).

    >>> embedded(*addresses("[::ffff:192.0.2.7]"))
    IPv4Address('192.0.2.7')
    """
    from ipaddress import IPv4Address  # noqa: PLC0415  few hosts are addresses

    prefix, last = divmod(int(address), _TOO_LARGE)
    if prefix == 0x64FF9B << 64 or (prefix == 0 and last > 1):
        return IPv4Address(last)
    return address.ipv4_mapped or address.sixtofour
