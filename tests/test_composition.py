"""Composing references from raw parts."""

import io
import math
from collections.abc import Sequence
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import split, strict
from urisect.composition import compose
from urisect.percent import decode

COMPOSED: list[tuple[dict[str, Any], str]] = [
    # RFC 3986, 3
    (
        {
            "scheme": "foo",
            "host": "example.com",
            "port": 8042,
            "path": "/over/there",
            "query": "name=ferret",
            "fragment": "nose",
        },
        "foo://example.com:8042/over/there?name=ferret#nose",
    ),
    ({"scheme": "urn", "path": "example:animal:ferret:nose"}, "urn:example:animal:ferret:nose"),
    (
        {"scheme": "http", "host": "::1", "path": ["a b", "c/d"], "query": {"q": "x&y"}},
        "http://[::1]/a%20b/c%2Fd?q=x%26y",
    ),
    # Empty is not undefined.
    ({"scheme": "x", "userinfo": "", "host": "", "port": "", "query": "", "fragment": ""}, "x://@:?#"),
    ({"scheme": "file", "host": "", "path": "/etc/hosts"}, "file:///etc/hosts"),
    # Parts are data.
    (
        {"userinfo": "a@b:c/%", "host": "h", "path": "/%41?#", "query": "%20+#", "fragment": "#[]"},
        "//a%40b:c%2F%25@h/%2541%3F%23?%2520+%23#%23%5B%5D",
    ),
    # Hosts
    ({"host": "Exämple.com"}, "//Ex%C3%A4mple.com"),
    ({"host": "a/b?c@d%e]"}, "//a%2Fb%3Fc%40d%25e%5D"),
    ({"host": "192.0.2.7"}, "//192.0.2.7"),
    ({"host": "2001:DB8::7"}, "//[2001:DB8::7]"),
    ({"host": "[2001:db8::7]", "port": 80}, "//[2001:db8::7]:80"),
    ({"host": "[v1.a:b]"}, "//[v1.a:b]"),
    ({"host": "v1.a"}, "//v1.a"),
    # Ports
    ({"host": "h", "port": 0}, "//h:0"),
    ({"host": "h", "port": 65535}, "//h:65535"),
    ({"host": "h", "port": "0080"}, "//h:0080"),
    # Paths
    ({"path": ["a", "b"]}, "a/b"),
    ({"path": ("", "a", "b")}, "/a/b"),
    ({"host": "h", "path": ["a", "b"]}, "//h/a/b"),
    ({"host": "h", "path": ["", "a", "b"]}, "//h/a/b"),
    ({"host": "h", "path": ["", "", "a"]}, "//h//a"),
    ({"host": "h", "path": "//a"}, "//h//a"),
    ({"host": "h", "path": []}, "//h"),
    ({"host": "h", "path": [""]}, "//h"),
    ({"host": "h", "path": ["", ""]}, "//h/"),
    ({"path": ["a", ""]}, "a/"),
    ({"path": ["...", ".a", "%2e", "a.."]}, ".../.a/%252e/a.."),
    ({"path": "./../a/."}, "./../a/."),
    # A colon that would end a scheme
    ({"path": "a:b:c/d:e"}, "a%3Ab%3Ac/d:e"),
    ({"path": ["a:b", "c:d"]}, "a%3Ab/c:d"),
    ({"path": "/a:b"}, "/a:b"),
    ({"scheme": "x", "path": ["a:b"]}, "x:a:b"),
    ({"host": "h", "path": ["a:b"]}, "//h/a:b"),
    # Queries
    ({"query": {"a": "b c", "d": None, "e": ""}}, "?a=b%20c&d&e="),
    ({"query": {"a": ["1", None, "2"], "b": [], "c": ("3",)}}, "?a=1&a&a=2&c=3"),
    ({"query": [("a", "1"), ["b", None], ("a", "2")]}, "?a=1&b&a=2"),
    ({"query": {"a=b&c;d+e": "f=g&h;i+j"}}, "?a%3Db%26c%3Bd%2Be=f%3Dg%26h%3Bi%2Bj"),
    ({"query": "a=b&c;d+e f"}, "?a=b&c;d+e%20f"),
    ({"query": {"é/?": ":@"}}, "?%C3%A9/?=:@"),
]


# Parts without any text
TEXTLESS: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"host": IPv4Address("192.0.2.7")}, "//192.0.2.7"),
    ({"host": IPv6Address("2001:db8:0::7"), "port": 1}, "//[2001:db8::7]:1"),
    ({"path": []}, ""),
    ({"query": {}}, "?"),
    ({"query": []}, "?"),
    ({"query": {}, "path": ()}, "?"),
]


def as_octets(part: Any) -> Any:
    match part:
        case str():
            return part.encode()
        case dict():
            return {as_octets(name): as_octets(value) for name, value in part.items()}
        case list() | tuple():
            return [as_octets(each) for each in part]
    return part


@pytest.mark.parametrize(("parts", "reference"), COMPOSED)
def test_compose(parts: dict[str, Any], reference: str) -> None:
    assert compose(**parts) == reference
    assert compose(**{name: as_octets(part) for name, part in parts.items()}) == reference.encode()
    assert strict.is_valid(reference)


def test_a_port_of_an_enum_is_written_as_its_number() -> None:
    class Port(int, Enum):
        HTTP = 80

    assert compose(host="h", port=Port.HTTP) == "//h:80"


@pytest.mark.parametrize(("parts", "reference"), TEXTLESS)
def test_parts_without_any_text_return_str(parts: dict[str, Any], reference: str) -> None:
    assert compose(**parts) == reference


REJECTED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"scheme": ""}, ValueError, "invalid scheme '': use a letter"),
    ({"scheme": "1a"}, ValueError, "invalid scheme '1a'"),
    ({"scheme": "a:"}, ValueError, "invalid scheme 'a:'"),
    ({"scheme": "a\n"}, ValueError, "invalid scheme"),
    ({"scheme": "é"}, ValueError, "invalid scheme"),
    ({"userinfo": "u"}, ValueError, "the userinfo needs a host, which may be empty"),
    ({"userinfo": ""}, ValueError, "the userinfo needs a host"),
    ({"port": 80}, ValueError, "the port needs a host, which may be empty"),
    ({"host": "h:80"}, ValueError, "the host 'h:80' has .* pass a port as port="),
    ({"host": "v1.a:b"}, ValueError, "the host 'v1.a:b'"),
    ({"host": "fe80::1%eth0"}, ValueError, "the host .* drop a zone, which a URI cannot contain"),
    ({"host": "[fe80::1%25eth0]"}, ValueError, "the host"),
    ({"host": IPv6Address("fe80::1%eth0")}, ValueError, "the host .* drop a zone, which a URI cannot contain"),
    ({"host": "[h]"}, ValueError, "the host"),
    ({"host": "[::1"}, ValueError, "the host"),
    ({"host": "[::1]:80"}, ValueError, "the host"),
    ({"host": "[192.0.2.7]"}, ValueError, "the host"),
    ({"host": "1:2:3"}, ValueError, "the host"),
    ({"host": "h", "port": -1}, ValueError, "the port is a number from 0 to 65535"),
    ({"host": "h", "port": 65536}, ValueError, "the port is a number from 0 to 65535"),
    ({"host": "h", "port": 10**5000}, ValueError, "the port is a number from 0 to 65535"),
    ({"host": "h", "port": "8O"}, ValueError, "invalid port '8O': use digits"),
    ({"host": "h", "port": " 80"}, ValueError, "invalid port"),
    ({"host": "h", "port": "８０"}, ValueError, "invalid port"),
    ({"host": "h", "port": "80\n"}, ValueError, "invalid port"),
    ({"host": "h", "path": "a"}, ValueError, "the path 'a' would be read as part of the host: begin it with '/'"),
    ({"path": "//a"}, ValueError, "the path '//a' would be read as a host: pass it as text with '/.' before it"),
    ({"scheme": "x", "path": "//a"}, ValueError, "the path '//a' would be read as a host"),
    ({"path": ["", "", "a"]}, ValueError, "the path '//a' would be read as a host"),
    ({"path": ["a", "."]}, ValueError, "the path has a segment '.', which cannot be escaped: pass the path as text"),
    ({"host": "h", "path": [".."]}, ValueError, "the path has a segment '..'"),
    ({"scheme": 1}, TypeError, "the scheme must be text, not int"),
    ({"userinfo": 1, "host": "h"}, TypeError, "the userinfo must be text, not int"),
    ({"host": ["h"]}, TypeError, "the host must be text or an address of ipaddress, not list"),
    (
        {"host": ip_network("192.0.2.0/24")},
        TypeError,
        "the host must be text or an address of ipaddress, not IPv4Network",
    ),
    ({"host": "h", "port": True}, TypeError, "the port must be an int or text of digits, not bool"),
    ({"host": "h", "port": 80.0}, TypeError, "the port must be an int or text of digits, not float"),
    ({"path": None}, TypeError, "the path must be text or a sequence of segments, not NoneType"),
    ({"path": {"a": "b"}}, TypeError, "the path must be text or a sequence of segments, not dict"),
    ({"path": iter([])}, TypeError, "the path must be text or a sequence of segments, not list_iterator"),
    ({"path": ["a", 1]}, TypeError, "the path must be a sequence of text, not int"),
    ({"path": [["a"]]}, TypeError, "the path must be a sequence of text, not list"),
    ({"query": 1}, TypeError, "the query must be a mapping or a sequence of pairs, not int"),
    ({"query": {("a", "b")}}, TypeError, "the query must be a mapping or a sequence of pairs, not set"),
    ({"query": {"a": True}}, TypeError, "the query must be pairs whose values are text, numbers or None, not bool"),
    ({"query": {"a": math.inf}}, ValueError, "the query has the value inf, which is not a finite number"),
    ({"query": {"": None}}, ValueError, "a parameter without a name needs a value, which may be empty"),
    ({"query": {"a": [["b"]]}}, TypeError, "the query must be pairs whose values are text, numbers or None, not list"),
    ({"query": {None: "a"}}, TypeError, "the query must be pairs whose names are text, not NoneType"),
    ({"query": ["ab"]}, TypeError, "the query must be a sequence of pairs, not str"),
    ({"query": [("a", "b", "c")]}, TypeError, "the query must be a sequence of pairs, not tuple"),
    ({"query": [1]}, TypeError, "the query must be a sequence of pairs, not int"),
    ({"query": [("a", ["b"])]}, TypeError, "the query must be pairs whose values are text, numbers or None, not list"),
    ({"fragment": io.BytesIO()}, TypeError, "the fragment must be text, not BytesIO"),
    (
        {"scheme": "x", "path": b"a"},
        TypeError,
        "the path is bytes, another part is not: pass only str, or only bytes",
    ),
    ({"path": ["a", b"b"]}, TypeError, "the path is bytes"),
    ({"query": {b"a": "b"}}, TypeError, "the query has str and bytes: pass only str, or only bytes"),
    ({"host": b"h", "query": {"a": "b"}}, TypeError, "the query is str, another part is not"),
    ({"host": b"h", "port": "80"}, TypeError, "the port is str, another part is not: pass only str, or only bytes"),
    ({"path": bytearray(b"a"), "fragment": "b"}, TypeError, "the fragment is str"),
]


@pytest.mark.parametrize(("parts", "error", "message"), REJECTED)
def test_compose_names_the_part_that_it_rejects(parts: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=rf"^{message}"):
        compose(**parts)


def test_bytes_like_types_can_be_mixed() -> None:
    result = compose(
        scheme=b"x",
        host=bytearray(b"::1"),
        port=80,
        path=[memoryview(b"a\xff")],
        query={b"q": bytearray(b"\xc3\xa9")},
        fragment=memoryview(b"f"),
    )
    assert result == b"x://[::1]:80/a%FF?q=%C3%A9#f"
    assert compose(path=b"") == b""
    assert compose(host=IPv6Address("::1"), port=1, path=[]) == "//[::1]:1"


schemes = st.from_regex(r"\A[A-Za-z][A-Za-z0-9+.\-]*\Z")
# Without lone surrogates, as `st.text()`: what they are encoded as is not UTF-8, and `decode` rejects it.
names = st.text(st.characters(codec="utf-8", exclude_characters=":")).filter(lambda name: not name.startswith("["))
hosts = names | st.ip_addresses().filter(lambda address: "%" not in str(address))
ports = st.integers(0, 65535) | st.from_regex(r"\A[0-9]*\Z")
text = st.text() | st.text("a1:/?#@[]%&=+; .é")
pairs = st.lists(st.tuples(text, st.none() | text).filter(lambda pair: pair != ("", None)), min_size=1)


@given(st.none() | schemes, st.none() | text, st.none() | hosts, st.none() | ports, text, *[st.none() | text] * 2)
@example(None, None, None, None, "a:b", None, None)
def test_splitting_and_decoding_returns_the_parts(
    scheme: str | None,
    userinfo: str | None,
    host: str | IPv4Address | IPv6Address | None,
    port: int | str | None,
    path: str,
    query: str | None,
    fragment: str | None,
) -> None:
    if host is None:
        userinfo = port = None
        path = path if not path.startswith("//") else f"/.{path}"
    elif path:
        path = f"/{path}"
    composed = compose(
        scheme=scheme, userinfo=userinfo, host=host, port=port, path=path, query=query, fragment=fragment
    )
    assert strict.is_valid(composed)
    reference = split(composed)
    address = f"[{host}]" if isinstance(host, IPv6Address) else None if host is None else str(host)
    assert (reference.scheme, reference.port) == (scheme, None if port is None else str(port))
    parts = (reference.userinfo, reference.host, reference.path, reference.query, reference.fragment)
    decoded = tuple(None if part is None else decode(part) for part in parts)
    assert decoded == (userinfo, address, path, query, fragment)


def fields(query: str) -> list[tuple[str, str | None]]:
    """Parse a query into its names and values."""
    found = []
    for field in query.split("&"):
        name, equals, value = field.partition("=")
        found.append((decode(name), decode(value) if equals else None))
    return found


@given(pairs)
def test_parsing_a_query_returns_its_pairs(query: list[tuple[str, str | None]]) -> None:
    composed = compose(query=query)
    assert strict.is_valid(composed)
    assert fields(split(composed).query or "") == query


@given(st.dictionaries(text.filter(bool), st.lists(st.none() | text, min_size=1), min_size=1))
def test_a_sequence_as_a_value_repeats_the_name(query: dict[str, list[str | None]]) -> None:
    assert fields(split(compose(query=query)).query or "") == [
        (name, value) for name, values in query.items() for value in values
    ]


@given(st.lists(text), st.none() | st.just("h"), st.none() | st.just("x"))
def test_splitting_a_path_returns_its_segments(path: Sequence[str], host: str | None, scheme: str | None) -> None:
    assume(not {".", ".."} & {*path})
    assume(host is not None or path[:2] != ["", ""] or len(path) == 2)
    composed = compose(scheme=scheme, host=host, path=path)
    assert strict.is_valid(composed)
    segments = [decode(segment) for segment in split(composed).path.split("/")]
    assert segments == (["", *path] if host is not None and path and path[0] else [*path] or [""])


@given(*[naive.octets] * 5)
def test_splitting_and_decoding_returns_any_bytes(
    userinfo: bytes, path: bytes, name: bytes, value: bytes, fragment: bytes
) -> None:
    composed = compose(userinfo=userinfo, host=b"", path=[b"a", b"b" + path], query={name: value}, fragment=fragment)
    assert strict.is_valid(composed)
    reference = split(composed)
    assert decode(reference.userinfo or b"") == userinfo
    assert [decode(segment) for segment in reference.path.split(b"/")] == [b"", b"a", b"b" + path]
    assert [decode(half) for half in (reference.query or b"").split(b"=")] == [name, value]
    assert decode(reference.fragment or b"") == fragment


@given(*[naive.texts] * 6)
def test_lone_surrogates_are_composed(
    userinfo: str, host: str, segment: str, name: str, value: str, fragment: str
) -> None:
    host, path = "h" + host.replace(":", ""), ["", "a" + segment]
    composed = compose(userinfo=userinfo, host=host, path=path, query=[(name, value)], fragment=fragment)
    assert strict.is_valid(composed)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["%", "@", "[", ":", "/", "\udcff", "a"])
def test_hostile_parts_are_composed_in_linear_time(unit: str) -> None:
    long = unit * sizes.LONG
    assert strict.is_valid(compose(userinfo=long, host=f"h{long.replace(':', '')}", fragment=long))
    assert strict.is_valid(compose(path=["a", long], query={long: None}))
    assert strict.is_valid(compose(path=f"./{long}"))
    with pytest.raises(ValueError, match=r"^the host"):
        compose(host=f"[{long}")
    with pytest.raises(ValueError, match=r"^invalid scheme"):
        compose(scheme=f"{long}%")
