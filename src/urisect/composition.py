"""Compose URI references from raw parts, which are percent-encoded as needed (RFC 3986, 2.4, 3 and 5.3)."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from urisect.address import is_ip_literal, is_ipv6address
from urisect.characters import PORT, SCHEME
from urisect.domain_names import to_ascii
from urisect.escapes import encode
from urisect.parameters import Pairs, Parameters, build_all, is_sequence, is_text, plain_pairs, unexpected_type
from urisect.paths import encode_first_segment_colons
from urisect.reference import MAX_PORT, Reference, recompose
from urisect.text_types import BytesLike, to_plain_text

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

__all__ = ["compose"]


@overload
def compose(
    *,
    scheme: str | None = None,
    userinfo: str | None = None,
    host: "str | IPv4Address | IPv6Address | None" = None,
    port: int | str | None = None,
    path: str | Sequence[str] = "",
    query: str | Pairs[str, str] | Parameters[str] | None = None,
    fragment: str | None = None,
    idna: bool = False,
) -> str: ...
@overload
def compose(
    *,
    scheme: BytesLike | None = None,
    userinfo: BytesLike | None = None,
    host: "BytesLike | IPv4Address | IPv6Address | None" = None,
    port: int | BytesLike | None = None,
    path: BytesLike | Sequence[BytesLike] = b"",
    query: BytesLike | Pairs[bytes, BytesLike] | Parameters[bytes] | None = None,
    fragment: BytesLike | None = None,
    idna: bool = False,
) -> bytes: ...
def compose(
    *,
    scheme: str | BytesLike | None = None,
    userinfo: str | BytesLike | None = None,
    host: "str | BytesLike | IPv4Address | IPv6Address | None" = None,
    port: int | str | BytesLike | None = None,
    path: str | BytesLike | Sequence[str] | Sequence[BytesLike] = "",
    query: (
        str | BytesLike | Pairs[str, str] | Pairs[bytes, BytesLike] | Parameters[str] | Parameters[bytes] | None
    ) = None,
    fragment: str | BytesLike | None = None,
    idna: bool = False,
) -> str | bytes:
    r"""Compose a valid URI reference from raw parts (RFC 3986, 2.4, 3, 4.2 and 5.3).

    The parts are data, not encoded yet: "%" becomes "%25", and a space "%20". To get the parts back, split the result
    and decode its components. A part that is None is undefined; an empty part leaves its delimiter. Either all texts
    are str, or all are bytes-like.

    Args:
        scheme: a scheme; it cannot contain escapes.
        userinfo: text; its ":" is kept. It needs a host.
        host: text: a name, an IPv4 address, an IPv6 address with or without brackets, or an IPvFuture in brackets; or
            an address of `ipaddress`.
        port: an int from 0 to 65535, or text of digits, which stays as it is. It needs a host.
        path: text, whose "/" delimit segments; or a sequence of segments, whose "/" are data. The segments ["a", "b"]
            become "a/b" without a host and "/a/b" with one; begin with an empty segment to get "/a/b" in both cases. A
            ":" that would end a scheme is encoded; the "./" that section 4.2 suggests would add a segment.
        query: text; or names and values, as `urisect.query.build` takes them: a mapping, pairs, or the `parameters` of
            a `Reference`. A number is written in digits; for a value of None, the name is written without "="; in a
            mapping, a sequence of values repeats the name. Without pairs, the query is empty.
        fragment: text.
        idna: whether the host is a domain name: one beyond ASCII becomes ASCII by IDNA 2008 and UTS #46, instead of
            percent-encoded. That needs `urisect[idna]`.

    Returns:
        The reference; bytes if the parts are bytes-like, str otherwise.

    Raises:
        ValueError: a part is invalid, or would be read as something else: an invalid scheme, a zone or a port in the
            host, a port out of range, userinfo or port without a host, "." or ".." as a segment of a sequence (they
            cannot be escaped), a path that does not begin with "/" after a host, or that begins with "//" without
            one, and, with `idna`, a label of the host that is not valid in a domain name. The message names the part
            and says what to do.
        MissingExtraError: with `idna`, the package `idna` is not installed.
        TypeError: a part has another type, or one text is str and another bytes-like; the message names the part.

    >>> compose(scheme="http", host="::1", port=80, path=["a b", "c/d"], query={"q": "x&y"})
    'http://[::1]:80/a%20b/c%2Fd?q=x%26y'
    >>> compose(path="50%", query=[("x", None), ("y", "1+1")])
    '50%25?x&y=1%2B1'
    >>> compose(scheme="http", host="münchen.de", path="/", idna=True)
    'http://xn--mnchen-3ya.de/'
    >>> compose(scheme=b"urn", path=b"a:\xff")
    b'urn:a:%FF'
    """
    texts = _TextReader()
    reference = Reference(
        None if scheme is None else _scheme(texts.read("scheme", scheme)),
        _authority(texts, userinfo, host, port, idna=idna),
        _path(texts, path, has_scheme=scheme is not None, has_host=host is not None),
        None if query is None else _query(texts, query),
        None if fragment is None else encode(texts.read("fragment", fragment), "fragment"),
    )
    composed = recompose(reference)
    return composed.encode("ascii") if texts.text_type is bytes else composed


class _TextReader:
    """Returns every text as str, and checks that all texts have the same type."""

    text_type: type[str | bytes] | None = None  # that of the first text

    def read(self, part: str, text: object, expected: str = "text") -> str:
        if not is_text(text):
            raise unexpected_type(part, text, expected)
        plain = to_plain_text(text, "compose()")
        if self.text_type not in (None, type(plain)):
            raise TypeError(f"the {part} is {type(text).__name__}, another part is not: pass only str, or only bytes")
        self.text_type = type(plain)
        return plain if isinstance(plain, str) else plain.decode("utf-8", "surrogateescape")


def _scheme(scheme: str) -> str:
    if not re.fullmatch(SCHEME, scheme):
        raise ValueError(f"invalid scheme {scheme!r}: use a letter, then letters, digits, '+', '-' and '.'")
    return scheme


def _authority(texts: _TextReader, userinfo: object, host: object, port: object, *, idna: bool) -> str | None:
    if host is None:
        for part, value in (("userinfo", userinfo), ("port", port)):
            if value is not None:
                raise ValueError(f"the {part} needs a host, which may be empty")
        return None
    authority = _host(texts, host, idna=idna)
    if userinfo is not None:
        authority = f"{encode(texts.read('userinfo', userinfo), 'userinfo')}@{authority}"
    if port is not None:
        authority = f"{authority}:{_port(texts, port)}"
    return authority


def _host(texts: _TextReader, host: object, *, idna: bool) -> str:
    name = _address(host) or texts.read("host", host, "text or an address of ipaddress")
    if is_ipv6address(name):
        return f"[{name}]"
    if is_ip_literal(name):
        return name
    if ":" in name or name.startswith("["):
        raise ValueError(
            f"the host {name!r} has a ':' or a bracket and is not an IPv6 address or IPvFuture: "
            "pass a port as port=, and drop a zone, which a URI cannot contain"
        )
    return encode(to_ascii(name) if idna else name, "host")


def _address(host: object) -> str | None:
    """Format an address of `ipaddress`; return None for any other object."""
    if is_text(host):
        return None
    from ipaddress import IPv4Address, IPv6Address  # noqa: PLC0415  most hosts are text

    return str(host) if isinstance(host, IPv4Address | IPv6Address) else None


def _port(texts: _TextReader, port: object) -> str:
    if isinstance(port, int) and not isinstance(port, bool):
        if not 0 <= port <= MAX_PORT:
            raise ValueError(f"the port is a number from 0 to {MAX_PORT}")
        return str(int(port))
    digits = texts.read("port", port, "an int or text of digits")
    if not re.fullmatch(PORT, digits):
        raise ValueError(f"invalid port {digits!r}: use digits, or an empty text")
    return digits


def _path(texts: _TextReader, path: object, *, has_scheme: bool, has_host: bool) -> str:
    encoded = _segments(texts, path, has_host=has_host) if is_sequence(path) else _path_text(texts, path)
    if has_host:
        if encoded and not encoded.startswith("/"):
            raise ValueError(f"the path {encoded!r} would be read as part of the host: begin it with '/'")
    elif encoded.startswith("//"):
        raise ValueError(f"the path {encoded!r} would be read as a host: pass it as text with '/.' before it")
    elif not has_scheme:
        return encode_first_segment_colons(encoded)
    return encoded


def _path_text(texts: _TextReader, path: object) -> str:
    if isinstance(path, str) and not path:  # the default, also if the other parts are bytes
        return ""
    return encode(texts.read("path", path, "text or a sequence of segments"), "path")


def _segments(texts: _TextReader, path: Sequence[object], *, has_host: bool) -> str:
    encoded = "/".join(_segment(texts, segment) for segment in path)
    return f"/{encoded}" if has_host and encoded and not encoded.startswith("/") else encoded


def _segment(texts: _TextReader, segment: object) -> str:
    text = texts.read("path", segment, "a sequence of text")
    if text in (".", ".."):
        raise ValueError(f"the path has a segment {text!r}, which cannot be escaped: pass the path as text")
    return encode(text, "segment")


def _query(texts: _TextReader, query: object) -> str:
    if is_text(query):
        return encode(texts.read("query", query), "query")
    built = build_all(plain_pairs(query))
    return "" if built is None else texts.read("query", built)
