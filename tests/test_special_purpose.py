"""The tables of special-purpose addresses and names: their blocks, and the hazards of hosts that are in them."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisect import hazards
from urisect.special_purpose import (
    ADDRESS_BLOCKS,
    INTERNAL_ADDRESSES,
    INTERNAL_NAMES,
    LOOPBACK_NAMES,
    WILDCARD_DNS_DOMAINS,
    AddressBlock,
    find_addresses_in_name,
    find_block,
)

CODES_BY_CATEGORY = {
    "unspecified": "unspecified-address",
    "loopback": "loopback-address",
    "link-local": "link-local-address",
    "private": "private-address",
    "multicast": "multicast-address",
}


def codes(host: str) -> set[str]:
    return {hazard.code for hazard in hazards(f"http://{host}/")}


def category_codes(address: IPv4Address | IPv6Address) -> set[str]:
    return codes(f"[{address}]" if address.version == 6 else str(address)) & set(CODES_BY_CATEGORY.values())


@pytest.mark.parametrize("block", ADDRESS_BLOCKS, ids=[block.network for block in ADDRESS_BLOCKS])
def test_a_block_contains_its_first_and_last_address_but_not_their_neighbours(block: AddressBlock) -> None:
    network = ip_network(block.network)
    narrower = [other for other in map(ip_network, (other.network for other in ADDRESS_BLOCKS if other != block))
                if other.version == network.version and other.prefixlen > network.prefixlen]  # fmt: skip
    for edge, step in ((network.network_address, -1), (network.broadcast_address, 1)):
        inside = find_block(edge)
        assert inside == block or any(edge in other for other in narrower)
        outside = int(edge) + step
        if 0 <= outside < 2**network.max_prefixlen:
            assert find_block(type(edge)(outside)) != block
        if inside == block and block.category in CODES_BY_CATEGORY:
            assert CODES_BY_CATEGORY[block.category] in category_codes(edge)
        elif inside == block and block.category == "global":
            assert category_codes(edge) == set()


def test_every_block_has_a_source_and_is_unique() -> None:
    assert len({block.network for block in ADDRESS_BLOCKS}) == len(ADDRESS_BLOCKS)
    assert all(re.match(r"RFC \d+", block.source) and block.name for block in ADDRESS_BLOCKS)
    assert {block.category for block in ADDRESS_BLOCKS} == {*CODES_BY_CATEGORY, "global", "embedding"}


# The list in `ipaddress` depends on the version of Python. All versions since 3.11.0 agree on these blocks.
AGREED = [
    ("is_loopback", "loopback", ["127.0.0.0/8", "::1/128"]),
    ("is_link_local", "link-local", ["169.254.0.0/16", "fe80::/10"]),
    ("is_multicast", "multicast", ["224.0.0.0/4", "ff00::/8"]),
    ("is_unspecified", "unspecified", ["0.0.0.0/32", "::/128"]),
    ("is_private", "private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "192.0.2.0/24", "198.18.0.0/15",
                               "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "192.0.0.0/29", "192.0.0.170/31",
                               "255.255.255.255/32", "100::/64", "2001:db8::/32", "fc00::/7", "2001:2::/48"]),
]  # fmt: skip


@pytest.mark.parametrize(("attribute", "category", "networks"), AGREED)
def test_the_table_agrees_with_every_version_of_python(attribute: str, category: str, networks: list[str]) -> None:
    for network in map(ip_network, networks):
        for address in (network.network_address, network.broadcast_address):
            assert getattr(address, attribute)
            block = find_block(address)
            assert block
            assert block.category == category or network.prefixlen < ip_network(block.network).prefixlen


@given(st.ip_addresses())
def test_a_special_address_for_python_is_in_the_table(address: IPv4Address | IPv6Address) -> None:
    # Every version of Python agrees with the table on loopback, link-local and multicast addresses.
    block = find_block(address)
    for attribute, category in (
        ("is_loopback", "loopback"),
        ("is_link_local", "link-local"),
        ("is_multicast", "multicast"),
    ):
        if getattr(address, attribute) and not getattr(address, "ipv4_mapped", None):
            assert block
            assert block.category == category


@pytest.mark.parametrize("text", sorted(INTERNAL_ADDRESSES))
def test_the_address_of_a_cloud_service_is_an_internal_host(text: str) -> None:
    address = ip_address(text)
    assert str(address) == text
    assert "internal-host" in codes(f"[{text}]" if address.version == 6 else text)


def test_special_names_are_not_ordinary() -> None:
    inside = [f"a.b{name}" if name.startswith(".") else name for name in INTERNAL_NAMES]
    with_address = [
        f"{label}.{name}" for name in WILDCARD_DNS_DOMAINS for label in ("127.0.0.1", "a.127-0-0-1", "7f000001")
    ]
    for name in (*inside, *with_address, *LOOPBACK_NAMES):
        for host in (name, f"{name}.", name.upper()):
            assert codes(host) & {"internal-host", "address-in-name", "loopback-address"}


def test_an_address_in_the_name_overrides_the_fixed_address() -> None:
    assert find_addresses_in_name("10.0.0.1.traefik.me") == [ip_address("10.0.0.1")]
    assert find_addresses_in_name("a.traefik.me") == [ip_address("127.0.0.1")]
    assert find_addresses_in_name("a.nip.io") == []
