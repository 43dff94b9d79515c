"""Plausible values: what clients, users and servers look like, and what only takes their place."""

import ipaddress
import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import sizes
from tests.support.entries import row
from urisect.logs import COMBINED, COMMON, VHOST_COMBINED
from urisect.logs.formats import plausibility

KINDS = {name: re.compile(getattr(plausibility, name)) for name in plausibility.__all__}

ADDRESSES = [
    *("192.0.2.7", "0.0.0.0", "255.255.255.255", "::", "::1", "2001:db8::7", "1::", "2001:db8:0:0:0:0:0:7"),  # noqa: S104
    *("::ffff:192.0.2.7", "64:ff9b::192.0.2.7", "fe80::1%eth0", "[2001:db8::7]", "2001:DB8:1:2:3:4:192.0.2.7"),
]
NAMES = [
    "localhost",
    "example.com",
    "a-b_c.example.com",
    "example.com.",
    "7.in-addr.arpa",
    "xn--bcher-kva.example",
    "1a",
]
NO_NAMES = [
    *("", ".", "x192.0.2.7", "192.0.2.7.", "192.0.2", "1192.0.2.7", "999.0.2.7", "300.0.2.7", "0x7", "1996", "a..b"),
    *("13:55:36", "1996-11-10", "10/Nov/1996:13:55:36", "nginx:", "[192.0.2.7", ":2001:db8::7", "2001:db8", "1:2:3"),
    *("-0700", "<190>Nov", "a b", "192.0.2.7 ", '"a"', "é", "\x00a", "{", "12345:db8::7", "[2001:db8::7", "a" * 64),
]


def is_in(name: str, text: str) -> bool:
    return KINDS[name].fullmatch(text) is not None


@pytest.mark.parametrize("text", ADDRESSES)
def test_addresses(text: str) -> None:
    assert is_in("ADDRESS", text)
    assert is_in("CLIENT", text)
    assert is_in("SERVER", text)
    assert not is_in("IDENTITY", text)


@pytest.mark.parametrize("text", NAMES)
def test_names(text: str) -> None:
    assert not is_in("ADDRESS", text)
    assert is_in("CLIENT", text)
    assert is_in("SERVER", text)
    assert is_in("IDENTITY", text) == ("." not in text)


@pytest.mark.parametrize("text", NO_NAMES)
def test_neither_an_address_nor_a_name(text: str) -> None:
    if text not in {"[192.0.2.7", "1:2:3"}:
        assert not is_in("ADDRESS", text)
    assert not is_in("CLIENT", text)
    assert not is_in("SERVER", text)


def test_a_unix_socket_is_a_client_only() -> None:
    assert is_in("CLIENT", "unix:")
    assert not is_in("SERVER", "unix:")


@pytest.mark.parametrize(
    ("text", "is_user", "is_identity"),
    [
        ("frank", True, True),
        ("fred@example.com", True, False),
        ('""', True, False),
        ("a b", False, False),
        ("[x", False, False),
        ('a"b', False, False),
        ("é", True, True),
        ("", False, False),
    ],
)
def test_users_and_identities(text: str, *, is_user: bool, is_identity: bool) -> None:
    assert is_in("USER", text) == is_user
    assert is_in("IDENTITY", text) == is_identity


@given(st.ip_addresses())
def test_all_addresses_are_plausible(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    for text in (str(address), address.exploded):
        assert is_in("ADDRESS", text)


@given(st.from_regex(r"[0-9a-f:]{1,12}", fullmatch=True))
def test_colons_alone_do_not_make_an_address(text: str) -> None:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        if is_in("ADDRESS", text):  # looser, but never a clock, nor with a single colon at an end
            assert "::" in text or text.count(":") >= 6
            assert text[:1] != ":" or text[:2] == "::"


LINE = '192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET / HTTP/1.0" 200 5'
LINES = {
    "combined": partial('{} {} {} [10/Nov/1996:13:55:36 -0700] "GET / HTTP/1.0" 200 5 "-" "-"'.format),
    "vhost": partial('{}:80 {} - {} [10/Nov/1996:13:55:36 -0700] "GET / HTTP/1.0" 200 5 "-" "-"'.format),
}


@pytest.mark.parametrize(
    ("client", "identity", "user", "is_plausible"),
    [
        ("192.0.2.7", "-", "-", True),
        ("client.example.com", "ident", "frank", True),
        ("2001:db8::7", "-", '""', True),
        ("unix:", "-", "-", True),
        ("www.example.com", "192.0.2.7", "frank", False),
        ("www.example.com", "2001:db8::7", "-", False),
        ("192.0.2.7", "www.example.com", "-", False),
        ("13:55:36", "192.0.2.7", "-", False),
        ("nginx:", "-", "-", False),
        ("192.0.2.7", "-", "a b", False),
    ],
)
def test_strict_lines(client: str, identity: str, user: str, *, is_plausible: bool) -> None:
    line = LINES["combined"](client, identity, user)
    loose = row(COMBINED, line)
    assert loose
    assert (loose["client"], loose.get("identity", b"-")) == (client.encode(), identity.encode())
    assert row(COMBINED.strict, line) == (loose if is_plausible else None)


@pytest.mark.parametrize(
    ("server", "client", "is_plausible"),
    [
        ("www.example.com", "192.0.2.7", True),
        ("[2001:db8::1]", "192.0.2.7", True),
        ("web nginx", "192.0.2.7", False),
        ("nginx[7]", "192.0.2.7", False),
        ("www.example.com", "[7]:", False),
    ],
)
def test_strict_lines_with_a_server(server: str, client: str, *, is_plausible: bool) -> None:
    line = LINES["vhost"](server, client, "-")
    assert (row(VHOST_COMBINED.strict, line) is not None) == is_plausible


def test_implausible_lines_are_counted_only_if_requested() -> None:
    block = (LINE + "\n").encode() + b"x " + (LINE + "\n").encode().replace(b"- -", b"-")
    for format, columns, expected in (
        (COMMON, {"status"}, 0),
        (COMMON, {"status", "implausible"}, 1),
        (COMMON.strict, {"implausible"}, 0),
    ):
        parsed = format.parser(frozenset(columns))(block, b"")
        assert parsed.implausible == expected
        assert "implausible" not in parsed.columns
        assert parsed.rejected.count(None) == (1 if format is COMMON.strict else 2)


UNITS = ["1", "a", "a.", "1.", ":", "::", "1:", "a-", "_", "[", "%", "0x", "1" * 64 + ".", "255.", "é", " ", "fe80::1%"]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", KINDS)
def test_hostile_text_takes_linear_time(name: str, unit: str) -> None:
    text = unit * (sizes.LONG // len(unit))
    for end in ("", "!", " "):
        KINDS[name].match(text + end)
        KINDS[name].fullmatch(text + end)
