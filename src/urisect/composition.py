"""URI references put together from raw parts, each encoded so that it stays what it is (RFC 3986, 2.4, 3 and 5.3)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, TypeVar, overload

from urisect.address import is_ip_literal, is_ipv6address
from urisect.characters import PORT, SCHEME
from urisect.percent import encode, encode_first_segment_colons
from urisect.reference import Reference, recompose
from urisect.text_types import Octets, to_plain_text

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

__all__ = ["compose"]

_LAST_PORT = 0xFFFF

_Name = TypeVar("_Name")
_Value = TypeVar("_Value")
_Pairs: TypeAlias = Mapping[_Name, _Value | Sequence[_Value | None] | None] | Sequence[tuple[_Name, _Value | None]]


@overload
def compose(
    *,
    scheme: str | None = None,
    userinfo: str | None = None,
    host: "str | IPv4Address | IPv6Address | None" = None,
    port: int | str | None = None,
    path: str | Sequence[str] = "",
    query: str | _Pairs[str, str] | None = None,
    fragment: str | None = None,
) -> str: ...
@overload
def compose(
    *,
    scheme: Octets | None = None,
    userinfo: Octets | None = None,
    host: "Octets | IPv4Address | IPv6Address | None" = None,
    port: int | Octets | None = None,
    path: Octets | Sequence[Octets] = b"",
    query: Octets | _Pairs[bytes, Octets] | None = None,
    fragment: Octets | None = None,
) -> bytes: ...
def compose(
    *,
    scheme: Any = None,
    userinfo: Any = None,
    host: Any = None,
    port: Any = None,
    path: Any = "",
    query: Any = None,
    fragment: Any = None,
) -> str | bytes:
    r"""Put raw parts together into a valid URI reference (RFC 3986, 2.4, 3, 4.2 and 5.3).

    The parts are data: nothing in them is taken to be encoded already, so that "%" becomes "%25", and a space "%20". To
    split the result and to decode its components gives the parts back. A part that is None is absent, one that is
    empty leaves its delimiter. Text is str in all parts, or anything bytes-like in all.

    Args:
        scheme: a scheme, which has no escapes.
        userinfo: text; its ":" is kept. It needs a host.
        host: text: a name, an IPv4 address, an IPv6 address with brackets or without, or an IPvFuture in brackets; or
            an address of `ipaddress`.
        port: an int from 0 to 65535, or text of digits, which stays as it is. It needs a host.
        path: text, whose "/" delimit segments; or a sequence of segments, whose "/" are data. The segments ["a", "b"]
            are "a/b" without a host and "/a/b" with one; begin with an empty segment to have "/a/b" in any case. A ":"
            that would end a scheme is encoded: 4.2 has "./" before such a segment, which would be one more segment.
        query: text; or a mapping, or a sequence of pairs, of names and values. A value of None leaves the name alone,
            without "="; in a mapping a sequence of values repeats the name. No pairs at all are an empty query.
        fragment: text.

    Returns:
        The reference: bytes where the text of the parts is bytes-like, str otherwise.

    Raises:
        ValueError: a part has no valid form, or would be read as something else in this place: a scheme that is none,
            a zone or a port in the host, a port out of range, userinfo or port without a host, "." or ".." as a
            segment in a sequence (no escape makes them data), a path that with a host does not begin with "/", or that
            without one begins with "//". The message names the part and says what may be done.
        TypeError: a part is of another type, or text is str in one part and bytes-like in another; the message names
            the part.

    >>> compose(scheme="http", host="::1", port=8080, path=["a b", "c/d"], query={"q": "x&y"})
    'http://[::1]:8080/a%20b/c%2Fd?q=x%26y'
    >>> compose(path="50%", query=[("x", None), ("y", "1+1")]), compose(scheme=b"urn", path=b"a:\xff")
    ('50%25?x&y=1%2B1', b'urn:a:%FF')
    """
    texts = _Texts()
    reference = Reference(
        None if scheme is None else _scheme(texts.read("scheme", scheme)),
        _authority(texts, userinfo, host, port),
        _path(texts, path, has_scheme=scheme is not None, has_host=host is not None),
        None if query is None else _query(texts, query),
        None if fragment is None else encode(texts.read("fragment", fragment), "fragment"),
    )
    composed = recompose(reference)
    return composed.encode("ascii") if texts.kind is bytes else composed


class _Texts:
    """Reads text as str, and holds all of it to one type."""

    kind: type[str | bytes] | None = None  # known from the first text on

    def read(self, part: str, text: object, expected: str = "text") -> str:
        if not _is_text(text):
            raise _unexpected(part, text, expected)
        given = to_plain_text(text, "compose()")
        if self.kind not in (None, type(given)):
            raise TypeError(f"the {part} is {type(text).__name__}, another part is not: all are str, or all bytes-like")
        self.kind = type(given)
        return given if isinstance(given, str) else given.decode("utf-8", "surrogateescape")


def _is_text(thing: object) -> bool:
    return isinstance(thing, str | Octets)


def _is_sequence(thing: object) -> TypeGuard[Sequence[object]]:
    return isinstance(thing, Sequence) and not _is_text(thing)


def _unexpected(part: str, thing: object, expected: str) -> TypeError:
    return TypeError(f"the {part} is {expected}, not {type(thing).__name__}")


def _scheme(scheme: str) -> str:
    if not re.fullmatch(SCHEME, scheme):
        raise ValueError(f"the scheme {scheme!r} is none: it takes a letter, then letters, digits, '+', '-' and '.'")
    return scheme


def _authority(texts: _Texts, userinfo: object, host: object, port: object) -> str | None:
    if host is None:
        for part, given in (("userinfo", userinfo), ("port", port)):
            if given is not None:
                raise ValueError(f"the {part} needs a host: give host=, which may be empty")
        return None
    authority = _host(texts, host)
    if userinfo is not None:
        authority = f"{encode(texts.read('userinfo', userinfo), 'userinfo')}@{authority}"
    if port is not None:
        authority = f"{authority}:{_port(texts, port)}"
    return authority


def _host(texts: _Texts, host: object) -> str:
    name = _address(host) or texts.read("host", host, "text or an address of ipaddress")
    if is_ipv6address(name):
        return f"[{name}]"
    if is_ip_literal(name):
        return name
    if ":" in name or name.startswith("["):
        raise ValueError(
            f"the host {name!r} has a ':' or a bracket and is no IPv6 address or IPvFuture: "
            "a port goes into port=, and a zone has no place in a URI"
        )
    return encode(name, "host")


def _address(host: object) -> str | None:
    """Write an address of the standard library's."""
    if _is_text(host):
        return None
    from ipaddress import IPv4Address, IPv6Address  # noqa: PLC0415  hosts are text, mostly

    return str(host) if isinstance(host, IPv4Address | IPv6Address) else None


def _port(texts: _Texts, port: object) -> str:
    if isinstance(port, int) and not isinstance(port, bool):
        if not 0 <= port <= _LAST_PORT:
            raise ValueError(f"the port is a number from 0 to {_LAST_PORT}")
        return str(int(port))
    digits = texts.read("port", port, "an int or text of digits")
    if not re.fullmatch(PORT, digits):
        raise ValueError(f"the port {digits!r} is no number: it takes digits, or nothing")
    return digits


def _path(texts: _Texts, path: object, *, has_scheme: bool, has_host: bool) -> str:
    encoded = _segments(texts, path, has_host=has_host) if _is_sequence(path) else _path_text(texts, path)
    if has_host:
        if encoded and not encoded.startswith("/"):
            raise ValueError(f"the path {encoded!r} would be read as a part of the host: begin it with '/'")
    elif encoded.startswith("//"):
        raise ValueError(f"the path {encoded!r} would be read as a host: as text, '/.' may be put before it")
    elif not has_scheme:
        return encode_first_segment_colons(encoded)
    return encoded


def _path_text(texts: _Texts, path: object) -> str:
    if isinstance(path, str) and not path:  # the default, which goes with bytes, too
        return ""
    return encode(texts.read("path", path, "text or a sequence of segments"), "path")


def _segments(texts: _Texts, path: Sequence[object], *, has_host: bool) -> str:
    encoded = "/".join(_segment(texts, segment) for segment in path)
    return f"/{encoded}" if has_host and encoded and not encoded.startswith("/") else encoded


def _segment(texts: _Texts, segment: object) -> str:
    text = texts.read("path", segment, "a sequence of text")
    if text in (".", ".."):
        raise ValueError(f"the path has a segment {text!r}, which no escape makes data: give the path as text")
    return encode(text, "segment")


def _query(texts: _Texts, query: object) -> str:
    if _is_text(query):
        return encode(texts.read("query", query), "query")
    return "&".join(_field(texts, name, value) for name, value in _pairs(query))


def _pairs(query: object) -> Iterator[tuple[object, object]]:
    if isinstance(query, Mapping):
        for name, value in query.items():
            for one in value if _is_sequence(value) else (value,):
                yield name, one
    elif _is_sequence(query):
        for pair in query:
            if not _is_sequence(pair) or len(pair) != len(("name", "value")):
                raise _unexpected("query", pair, "a sequence of pairs")
            yield pair[0], pair[1]
    else:
        raise _unexpected("query", query, "text, a mapping or a sequence of pairs")


def _field(texts: _Texts, name: object, value: object) -> str:
    encoded = encode(texts.read("query", name, "made of names that are text"), "query value")
    if value is None:
        return encoded
    return f"{encoded}={encode(texts.read('query', value, 'made of values that are text or None'), 'query value')}"
