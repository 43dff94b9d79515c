"""Recognize and parse hosts that are IP addresses (RFC 3986, 3.2.2 and 7.4)."""

import re
from typing import TYPE_CHECKING, Final

from urisect.characters import DIGIT, HEXDIG, SUB_DELIMS, UNRESERVED
from urisect.text_types import BytesLike, to_plain_text, to_str

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

__all__ = [
    "ADDRESS",
    "DEC_OCTET",
    "H16",
    "IPV4ADDRESS",
    "IPV6ADDRESS",
    "IPVFUTURE",
    "LS32",
    "embedded_ipv4",
    "format_address",
    "is_ip_literal",
    "is_ipv6address",
    "parse_addresses",
]

# dec-octet = DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35
# IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet  (RFC 3986, 3.2.2; rfc2396bis-03, 3.2.2)
DEC_OCTET: Final = rf"(?:25[0-5]|2[0-4][{DIGIT}]|1[{DIGIT}]{{2}}|[1-9][{DIGIT}]|[{DIGIT}])"
IPV4ADDRESS: Final = rf"{DEC_OCTET}\.{DEC_OCTET}\.{DEC_OCTET}\.{DEC_OCTET}"

# h16         = 1*4HEXDIG  (rfc2396bis-03 calls it h4)
# ls32        = ( h16 ":" h16 ) / IPv4address
# IPv6address =                            6( h16 ":" ) ls32
#             /                       "::" 5( h16 ":" ) ls32
#             / [               h16 ] "::" 4( h16 ":" ) ls32
#             / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32
#             / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32
#             / [ *3( h16 ":" ) h16 ] "::"    h16 ":"   ls32
#             / [ *4( h16 ":" ) h16 ] "::"              ls32
#             / [ *5( h16 ":" ) h16 ] "::"              h16
#             / [ *6( h16 ":" ) h16 ] "::"
# (RFC 3986, 3.2.2; rfc2396bis-03, 3.2.2)
H16: Final = rf"[{HEXDIG}]{{1,4}}"
LS32: Final = rf"(?:{H16}:{H16}|{IPV4ADDRESS})"
_IPV6ADDRESSES: Final = (
    rf"                             (?:{H16}:){{6}} {LS32}",
    rf"                          :: (?:{H16}:){{5}} {LS32}",
    rf"(?:               {H16})? :: (?:{H16}:){{4}} {LS32}",
    rf"(?:(?:{H16}:){{0,1}}{H16})? :: (?:{H16}:){{3}} {LS32}",
    rf"(?:(?:{H16}:){{0,2}}{H16})? :: (?:{H16}:){{2}} {LS32}",
    rf"(?:(?:{H16}:){{0,3}}{H16})? ::    {H16}:       {LS32}",
    rf"(?:(?:{H16}:){{0,4}}{H16})? ::                 {LS32}",
    rf"(?:(?:{H16}:){{0,5}}{H16})? ::                 {H16}",
    rf"(?:(?:{H16}:){{0,6}}{H16})? ::",
)
IPV6ADDRESS: Final = f"(?:{'|'.join(_IPV6ADDRESSES)})".replace(" ", "")

# IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )  (RFC 3986, 3.2.2)
IPVFUTURE: Final = rf"[Vv][{HEXDIG}]++\.[{UNRESERVED}{SUB_DELIMS}:]++"

# The characters of an IPv6address, and its length: the longest one has six h16, each with its ":", and an IPv4address.
_IPV6_CHARACTERS: Final = rf"[{HEXDIG}:.]{{2,45}}"


def is_ip_literal(host: str | BytesLike) -> bool:
    """Check whether a host is an IP-literal: an IPv6address or an IPvFuture in brackets (RFC 3986, 3.2.2).

    Args:
        host: the host, str or bytes-like.

    Raises:
        TypeError: the argument is neither str nor bytes-like.

    >>> is_ip_literal("[2001:db8::7]"), is_ip_literal(b"[v1.a:b]"), is_ip_literal("[fe80::1%25eth0]")
    (True, True, False)
    """
    text = to_str(to_plain_text(host, "is_ip_literal()"))
    if not (text.startswith("[") and text.endswith("]")):
        return False
    return is_ipv6address(text[1:-1]) or re.fullmatch(IPVFUTURE, text[1:-1]) is not None


def is_ipv6address(text: str | BytesLike) -> bool:
    """Check whether a text is an IPv6address, without brackets and without a zone (RFC 3986, 3.2.2).

    Args:
        text: the address, str or bytes-like.

    Raises:
        TypeError: the argument is neither str nor bytes-like.

    >>> is_ipv6address("2001:db8::192.0.2.7"), is_ipv6address(b"::"), is_ipv6address("fe80::1%eth0")
    (True, True, False)
    """
    address = to_str(to_plain_text(text, "is_ipv6address()"))
    if not re.fullmatch(_IPV6_CHARACTERS, address):
        return False
    from ipaddress import AddressValueError, IPv6Address  # noqa: PLC0415  few hosts get this far

    try:
        IPv6Address(address)
    except AddressValueError:
        return False
    return True


# A possible address: anything in brackets, or one to four numbers, each decimal, octal or hexadecimal, and an optional
# "." at the end (RFC 3986, 7.4; WHATWG URL, 3.5).
_NUMBER: Final = rf"(?:0x[{HEXDIG}]*+|[{DIGIT}]++)"
ADDRESS: Final = rf"\[[^]]*+\]|{_NUMBER}(?>(?:\.{_NUMBER}){{0,3}})\.?+"


def parse_addresses(host: str) -> list["IPv4Address | IPv6Address"]:
    """Return the addresses that clients may take a host for (RFC 3986, 7.4; WHATWG URL, 3.5).

    A number may be decimal, octal or hexadecimal, as in C, and the last one takes all remaining bytes. Four numbers
    with leading zeros may also be read as all decimal. A zone is ignored.

    Args:
        host: the host, in lower case and without escapes; an IPv6 address with its brackets.

    >>> parse_addresses("0x7f.1"), parse_addresses("010.0.0.1")
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
    if len(parts) == _IPV4_BYTES:
        readings.append(_inet_aton([_number(part, base=10) for part in parts]))
    return [IPv4Address(value) for value in dict.fromkeys(readings) if value is not None]


_IPV4_BYTES: Final = 4
_TOO_LARGE: Final = 1 << 8 * _IPV4_BYTES  # for an IPv4 address


def _number(part: str, base: int | None = None) -> int:
    """Parse a number of an address; an invalid one becomes a number too large for any address."""
    if base is None:
        base = 16 if part.startswith("0x") else 8 if part.startswith("0") else 10
    digits = part.removeprefix("0x" if base == 16 else "").lstrip("0")  # noqa: PLR2004
    if len(digits) > len(f"{_TOO_LARGE:o}"):
        return _TOO_LARGE
    try:
        return int(digits or "0", base)
    except ValueError:  # a digit that the base does not have
        return _TOO_LARGE


def _inet_aton(numbers: list[int]) -> int | None:
    """Combine the numbers of an address: each is a byte, and the last one takes all remaining bytes."""
    *first, last = numbers
    if max(first, default=0) > 0xFF or last >= 1 << 8 * (_IPV4_BYTES - len(first)):  # noqa: PLR2004  a byte
        return None
    return int.from_bytes(bytes(first).ljust(_IPV4_BYTES, b"\0"), "big") + last


def embedded_ipv4(address: "IPv6Address") -> "IPv4Address | None":
    """Return the IPv4 address that is embedded in an IPv6 address, or None.

    The IPv6 address is IPv4-mapped or IPv4-compatible (RFC 4291, 2.5.5), IPv4-translated (RFC 2765, 2.1), or belongs to
    NAT64 (RFC 6052, 2.1; RFC 8215), 6to4 (RFC 3056, 2), Teredo (RFC 4380, 4: the client's address, inverted) or ISATAP
    (RFC 5214, 6.1).

    >>> embedded_ipv4(*parse_addresses("[::ffff:192.0.2.7]")), embedded_ipv4(*parse_addresses("[2001::3fff:fdf8]"))
    (IPv4Address('192.0.2.7'), IPv4Address('192.0.2.7'))
    """
    from ipaddress import IPv4Address  # noqa: PLC0415  few hosts are addresses

    value = int(address)
    prefix, last = divmod(value, _TOO_LARGE)
    if value >> 112 == _SIX_TO_FOUR:
        return IPv4Address(value >> 80 & _TOO_LARGE - 1)
    if value >> 96 == _TEREDO:
        return IPv4Address(last ^ _TOO_LARGE - 1)
    is_embedded = prefix in _IPV4_PREFIXES or value >> 80 == _LOCAL_NAT64 or prefix & 0xFDFFFFFF == _ISATAP
    return IPv4Address(last) if is_embedded or (prefix == 0 and last > 1) else None


# Prefixes of 96 bits: IPv4-mapped, IPv4-translated, NAT64.
_IPV4_MAPPED: Final = 0xFFFF
_IPV4_PREFIXES: Final = (_IPV4_MAPPED, 0xFFFF << 16, 0x64FF9B << 64)

# Other prefixes: 48 bits of NAT64 for local use, whose common form ends with the IPv4 address; 32 bits of an ISATAP
# interface identifier, without the bit that marks a global address; 16 bits of 6to4; 32 bits of Teredo.
_LOCAL_NAT64: Final = 0x64FF9B0001
_ISATAP: Final = 0x5EFE
_SIX_TO_FOUR: Final = 0x2002
_TEREDO: Final = 0x20010000


def format_address(address: "IPv4Address | IPv6Address") -> str:
    """Format an address, the same on every version of Python (RFC 5952, 5: IPv4-mapped with dots).

    >>> format_address(*parse_addresses("[::FFFF:7f00:1]"))
    '::ffff:127.0.0.1'
    """
    if address.version == 6 and int(address) >> 32 == _IPV4_MAPPED:  # noqa: PLR2004  IPv6
        return f"::ffff:{embedded_ipv4(address)}"
    return str(address)
