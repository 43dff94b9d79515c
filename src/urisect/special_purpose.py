"""Tables of addresses and names that are not on the public Internet: IANA's registries, and cloud services.

The blocks are from IANA's IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190; as of 2025-10), plus
multicast and site-local addresses from other registries. They are listed here because the lists in `ipaddress` depend
on the version of Python.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from urisect.address import is_ipv6address
from urisect.characters import DIGIT, HEXDIG

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

__all__ = [
    "ADDRESS_BLOCKS",
    "INTERNAL_ADDRESSES",
    "INTERNAL_NAMES",
    "LOOPBACK_NAMES",
    "WILDCARD_DNS_DOMAINS",
    "AddressBlock",
    "find_addresses_in_name",
    "find_block",
]


class AddressBlock(NamedTuple):
    """A block of special-purpose addresses.

    Attributes:
        network: the first address and the prefix length.
        category: "unspecified", "loopback", "link-local", "multicast"; "private" for other blocks that are not globally
            reachable; "global" for a reachable block within one of those; "embedding" for a block whose addresses
            contain an IPv4 address, which decides.
        name: the purpose.
        source: the document that reserves it.
    """

    network: str
    category: str
    name: str
    source: str


ADDRESS_BLOCKS: Final = (
    # IANA IPv4 Special-Purpose Address Registry
    AddressBlock("0.0.0.0/8", "private", "this network", "RFC 791, 3.2"),
    AddressBlock("0.0.0.0/32", "unspecified", "this host on this network", "RFC 1122, 3.2.1.3"),
    AddressBlock("10.0.0.0/8", "private", "private use", "RFC 1918, 3"),
    AddressBlock("100.64.0.0/10", "private", "shared address space", "RFC 6598"),
    AddressBlock("127.0.0.0/8", "loopback", "loopback", "RFC 1122, 3.2.1.3"),
    AddressBlock("169.254.0.0/16", "link-local", "link-local", "RFC 3927"),
    AddressBlock("172.16.0.0/12", "private", "private use", "RFC 1918, 3"),
    AddressBlock("192.0.0.0/24", "private", "IETF protocol assignments", "RFC 6890, 2.1"),
    AddressBlock("192.0.0.0/29", "private", "IPv4 service continuity prefix", "RFC 7335"),
    AddressBlock("192.0.0.8/32", "private", "IPv4 dummy address", "RFC 7600"),
    AddressBlock("192.0.0.9/32", "global", "Port Control Protocol anycast", "RFC 7723"),
    AddressBlock("192.0.0.10/32", "global", "TURN anycast", "RFC 8155"),
    AddressBlock("192.0.0.170/31", "private", "NAT64 and DNS64 discovery", "RFC 8880; RFC 7050, 2.2"),
    AddressBlock("192.0.2.0/24", "private", "documentation (TEST-NET-1)", "RFC 5737, 3"),
    AddressBlock("192.31.196.0/24", "global", "AS112", "RFC 7535"),
    AddressBlock("192.52.193.0/24", "global", "Automatic Multicast Tunneling", "RFC 7450"),
    AddressBlock("192.88.99.2/32", "private", "6a44 relay anycast", "RFC 6751"),
    AddressBlock("192.168.0.0/16", "private", "private use", "RFC 1918, 3"),
    AddressBlock("192.175.48.0/24", "global", "AS112, direct delegation", "RFC 7534"),
    AddressBlock("198.18.0.0/15", "private", "benchmarking", "RFC 2544, C.2.2"),
    AddressBlock("198.51.100.0/24", "private", "documentation (TEST-NET-2)", "RFC 5737, 3"),
    AddressBlock("203.0.113.0/24", "private", "documentation (TEST-NET-3)", "RFC 5737, 3"),
    AddressBlock("240.0.0.0/4", "private", "reserved", "RFC 1112, 4"),
    AddressBlock("255.255.255.255/32", "private", "limited broadcast", "RFC 919, 7"),
    # IANA IPv4 Multicast Address Space Registry
    AddressBlock("224.0.0.0/4", "multicast", "multicast", "RFC 5771"),
    # IANA IPv6 Special-Purpose Address Registry
    AddressBlock("::1/128", "loopback", "loopback", "RFC 4291, 2.5.3"),
    AddressBlock("::/128", "unspecified", "unspecified", "RFC 4291, 2.5.2"),
    AddressBlock("::ffff:0:0/96", "embedding", "IPv4-mapped", "RFC 4291, 2.5.5.2"),
    AddressBlock("64:ff9b::/96", "embedding", "IPv4-IPv6 translation", "RFC 6052, 2.1"),
    AddressBlock("64:ff9b:1::/48", "private", "IPv4-IPv6 translation, local use", "RFC 8215"),
    AddressBlock("100::/64", "private", "discard only", "RFC 6666"),
    AddressBlock("100:0:0:1::/64", "private", "dummy prefix", "RFC 9780"),
    AddressBlock("2001::/23", "private", "IETF protocol assignments", "RFC 2928"),
    AddressBlock("2001::/32", "embedding", "Teredo", "RFC 4380"),
    AddressBlock("2001:1::1/128", "global", "Port Control Protocol anycast", "RFC 7723"),
    AddressBlock("2001:1::2/128", "global", "TURN anycast", "RFC 8155"),
    AddressBlock("2001:1::3/128", "global", "DNS-SD service registration anycast", "RFC 9665"),
    AddressBlock("2001:2::/48", "private", "benchmarking", "RFC 5180"),
    AddressBlock("2001:3::/32", "global", "Automatic Multicast Tunneling", "RFC 7450"),
    AddressBlock("2001:4:112::/48", "global", "AS112", "RFC 7535"),
    AddressBlock("2001:10::/28", "private", "ORCHID, deprecated", "RFC 4843"),
    AddressBlock("2001:20::/28", "global", "ORCHIDv2", "RFC 7343"),
    AddressBlock("2001:30::/28", "global", "drone remote identification", "RFC 9374"),
    AddressBlock("2001:db8::/32", "private", "documentation", "RFC 3849"),
    AddressBlock("2002::/16", "embedding", "6to4", "RFC 3056"),
    AddressBlock("2620:4f:8000::/48", "global", "AS112, direct delegation", "RFC 7534"),
    AddressBlock("3fff::/20", "private", "documentation", "RFC 9637"),
    AddressBlock("5f00::/16", "private", "segment routing identifiers", "RFC 9602"),
    AddressBlock("fc00::/7", "private", "unique local", "RFC 4193, 3.1"),
    AddressBlock("fe80::/10", "link-local", "link-local", "RFC 4291, 2.5.6"),
    # IANA Internet Protocol Version 6 Address Space
    AddressBlock("fec0::/10", "private", "site-local, deprecated", "RFC 3879"),
    AddressBlock("ff00::/8", "multicast", "multicast", "RFC 4291, 2.7"),
)


def find_block(address: "IPv4Address | IPv6Address") -> AddressBlock | None:
    """Return the smallest block that contains an address, or None.

    >>> from ipaddress import ip_address
    >>> find_block(ip_address("192.0.0.192")).source, find_block(ip_address("8.8.8.8"))
    ('RFC 6890, 2.1', None)
    """
    value = int(address)
    for first, last, block in _block_ranges(address.version):
        if first <= value <= last:
            return block
    return None


@cache
def _block_ranges(version: int) -> list[tuple[int, int, AddressBlock]]:
    """Return the first and the last address of each block, smallest blocks first."""
    from ipaddress import ip_network  # noqa: PLC0415  few hosts are addresses

    networks = ((ip_network(block.network), block) for block in ADDRESS_BLOCKS)
    ranges = (
        (int(network.network_address), int(network.broadcast_address), block)
        for network, block in networks
        if network.version == version
    )
    return sorted(ranges, key=lambda item: item[1] - item[0])


# Names of the local machine. So is every subdomain of "localhost" (RFC 6761, 6.3).
LOOPBACK_NAMES: Final = frozenset(
    {
        "localhost",  # RFC 6761, 6.3
        "localhost4",  # /etc/hosts of Red Hat
        "localhost6",
        "localhost.localdomain",
        "localhost4.localdomain4",
        "localhost6.localdomain6",
        "ip6-localhost",  # /etc/hosts of Debian
        "ip6-loopback",
    }
)

# Addresses of cloud services for their own machines, other than link-local addresses.
INTERNAL_ADDRESSES: Final = {
    "100.100.100.200": "Alibaba Cloud",  # Elastic Compute Service: instance metadata
    "168.63.129.16": "Azure",  # What is IP address 168.63.129.16?
    "192.0.0.192": "Oracle Cloud",  # Compute Classic: instance metadata
    "fd00:42::42": "Scaleway",  # Instances: metadata
    "fd00:c1::a9fe:a9fe": "Oracle Cloud",  # Compute: instance metadata
    "fd00:ec2::254": "AWS",  # EC2: instance metadata service
    "fd20:ce::254": "Google Cloud",  # Compute Engine: metadata server
}

# Names that resolve only inside a cloud, a cluster or a network: the owner, and the address if it is fixed. A name that
# begins with "." stands for its subdomains.
INTERNAL_NAMES: Final[dict[str, tuple[str, str | None]]] = {
    "instance-data": ("AWS", "169.254.169.254"),  # EC2: instance metadata service
    "instance-data.ec2.internal": ("AWS", "169.254.169.254"),
    "metadata": ("Google Cloud", "169.254.169.254"),  # Compute Engine: metadata server
    "metadata.goog": ("Google Cloud", "169.254.169.254"),
    "metadata.google.internal": ("Google Cloud", "169.254.169.254"),
    "metadata.tencentyun.com": ("Tencent Cloud", "169.254.0.23"),  # Cloud Virtual Machine: instance metadata
    "kubernetes.docker.internal": ("Docker", "127.0.0.1"),  # Docker Desktop: networking
    "kubernetes": ("Kubernetes", None),  # Kubernetes: DNS for services and pods
    "kubernetes.default": ("Kubernetes", None),
    ".svc": ("Kubernetes", None),
    ".cluster.local": ("Kubernetes", None),
    ".internal": ("a private network", None),  # ICANN, resolution 2024.07.29.06
    ".local": ("a local network", None),  # RFC 6762, 3
}

# Wildcard DNS services. They resolve every subdomain to the address in the name, or to a fixed address.
WILDCARD_DNS_DOMAINS: Final[dict[str, str | None]] = {
    "nip.io": None,  # https://nip.io
    "sslip.io": None,  # https://sslip.io
    "xip.io": None,  # the same, and the first of them
    "1u.ms": None,  # http://1u.ms, for tests of DNS rebinding
    "rbndr.us": None,  # https://github.com/taviso/rbndr, for tests of DNS rebinding
    "local-ip.co": None,  # http://local-ip.co
    "local-ip.sh": None,  # https://local-ip.sh
    "backname.io": None,  # https://backname.io
    "plex.direct": None,  # Plex: secure connections
    "traefik.me": "127.0.0.1",  # https://traefik.me: if there is no address in the name
    "fuf.me": "127.0.0.1",  # the same as lvh.me
    "lacolhost.com": "127.0.0.1",
    "localtest.me": "127.0.0.1",  # http://readme.localtest.me
    "lvh.me": "127.0.0.1",  # https://github.com/levicook/lvh.me
    "vcap.me": "127.0.0.1",  # Cloud Foundry: local development
}


_WILDCARD_DNS_SUFFIXES: Final = tuple(f".{domain}" for domain in WILDCARD_DNS_DOMAINS)

# The limit of the DNS (RFC 1035, 2.3.4).
_MAX_NAME_CHARACTERS: Final = 253

# An IPv4 address in a name: four numbers, or eight hexadecimal digits. Matches may overlap, as in 1.2.3.4.5.
_IPV4_IN_NAME: Final = (
    rf"(?<![{DIGIT}])(?=([{DIGIT}]{{1,3}}[.-][{DIGIT}]{{1,3}}[.-][{DIGIT}]{{1,3}}[.-][{DIGIT}]{{1,3}})(?![{DIGIT}]))"
    rf"|(?<![^.-])([{HEXDIG}]{{8}})(?![^.-])"
)


def find_addresses_in_name(name: str) -> "list[IPv4Address | IPv6Address]":
    """Return the addresses to which a wildcard DNS service, such as nip.io, may resolve a name.

    Args:
        name: the host in lower case, without escapes, and without the trailing ".".

    >>> for name in ("app.10-0-0-1.nip.io", "--1.sslip.io", "a.lvh.me", "10.0.0.1.test"):
    ...     print(find_addresses_in_name(name))
    [IPv4Address('10.0.0.1')]
    [IPv6Address('::1')]
    [IPv4Address('127.0.0.1')]
    []
    """
    if not f".{name}".endswith(_WILDCARD_DNS_SUFFIXES) or len(name) > _MAX_NAME_CHARACTERS:
        return []
    domain = next(domain for domain in WILDCARD_DNS_DOMAINS if f".{name}".endswith(f".{domain}"))
    from ipaddress import IPv4Address, IPv6Address  # noqa: PLC0415  few hosts are addresses

    labels = name.removesuffix(domain)
    found: list[IPv4Address | IPv6Address] = []
    for quad, digits in re.findall(_IPV4_IN_NAME, labels):
        octets = [int(number) for number in re.split("[.-]", quad)] if quad else list(bytes.fromhex(digits))
        if max(octets) <= 0xFF:  # noqa: PLR2004  an octet
            found.append(IPv4Address(bytes(octets)))
    colons = (label.replace("-", ":") for label in labels.split("."))
    found += [IPv6Address(label) for label in colons if is_ipv6address(label)]
    fixed = WILDCARD_DNS_DOMAINS[domain]
    return list(dict.fromkeys(found)) or ([IPv4Address(fixed)] if fixed else [])
