r"""Convert between IRIs and URIs (RFC 3987, 3).

Text is encoded as UTF-8, and never normalized: a character keeps its code points (3.1, step 1c). An escape in ASCII is
never decoded, not even that of an unreserved character: "%2E%2E" is no dot segment before normalization, and ".." is
one (RFC 3986, 6.2.2.2 and 6.2.2.3). `urisect.normalize` does that.

>>> from urisect import iri
>>> iri.to_uri("https://de.wikipedia.org/wiki/Straße?q=größe")
'https://de.wikipedia.org/wiki/Stra%C3%9Fe?q=gr%C3%B6%C3%9Fe'
>>> iri.to_iri("https://de.wikipedia.org/wiki/Stra%C3%9Fe?q=gr%C3%B6%C3%9Fe")
'https://de.wikipedia.org/wiki/Straße?q=größe'
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import AnyStr, Final, overload

from urisect.characters import HEXDIG, IPRIVATE, UCSCHAR
from urisect.domain_names import to_ascii, to_unicode
from urisect.escapes import apply_to_text
from urisect.reference import Reference, ReferenceLike, recompose, split, split_authority, text_of
from urisect.repetition import one_or_more, zero_or_more
from urisect.text_types import BytesLike

__all__ = ["to_iri", "to_uri"]


@overload
def to_uri(iri: AnyStr | Reference[AnyStr], *, idna: bool = False) -> AnyStr: ...
@overload
def to_uri(iri: BytesLike | Reference[bytes], *, idna: bool = False) -> bytes: ...
def to_uri(iri: ReferenceLike, *, idna: bool = False) -> str | bytes:  # type: ignore[misc]  # as in `urisect.split`
    r"""Convert an IRI to a URI: percent-encode its characters beyond ASCII, as UTF-8 (RFC 3987, 3.1).

    Nothing else changes: not ASCII, even where it is invalid, nor characters that no IRI contains, such as control
    characters; `percent.repair` encodes those, too. A byte that is not UTF-8 is encoded as that byte, also where a lone
    surrogate represents it (PEP 383). A valid IRI becomes a valid URI.

    Args:
        iri: the IRI, or any reference: str, bytes-like in UTF-8, or a `Reference`.
        idna: whether the host is a domain name: it becomes ASCII by IDNA 2008 and UTS #46, also where it is
            percent-encoded. That needs `urisect[idna]`. Without it, the host is percent-encoded, too.

    Returns:
        The URI, str for str, and bytes for anything bytes-like; the same object if nothing changes.

    Raises:
        ValueError: with `idna`, a label of the host is not valid in a domain name, or the host is too long.
        MissingExtraError: with `idna`, the package `idna` is not installed.
        TypeError: the argument is not a text.

    >>> to_uri("http://bücher.example/größe"), to_uri("http://bücher.example/größe", idna=True)
    ('http://b%C3%BCcher.example/gr%C3%B6%C3%9Fe', 'http://xn--bcher-kva.example/gr%C3%B6%C3%9Fe')
    >>> to_uri(b"/caf\xc3\xa9/\xe9 |")
    b'/caf%C3%A9/%E9 |'
    """
    if type(iri) is str and not idna:  # the usual case: the rest would take 0.2 µs more
        return _escape(iri)
    text = text_of(iri, "to_uri()")
    return apply_to_text(text, partial(_with_host, convert=_host_to_ascii, then=_escape) if idna else _escape)


@overload
def to_iri(uri: AnyStr | Reference[AnyStr], *, idna: bool = False) -> AnyStr: ...
@overload
def to_iri(uri: BytesLike | Reference[bytes], *, idna: bool = False) -> bytes: ...
def to_iri(uri: ReferenceLike, *, idna: bool = False) -> str | bytes:  # type: ignore[misc]  # as above
    r"""Convert a URI to an IRI that people can read: decode the escapes of characters beyond ASCII (RFC 3987, 3.2).

    What must stay escaped stays as it is written: ASCII, bytes that are not UTF-8, characters that no IRI contains
    (2.2; one for private use may stand in the query), white space, and what is invisible or reorders the text around
    it, such as U+202E (4.1, 6.1 and 8). `to_uri` of the result is the URI again, with upper case in the escapes that
    were decoded.

    Args:
        uri: the URI, or any reference: str, bytes-like in UTF-8, or a `Reference`.
        idna: whether the host is a domain name: its "xn--" labels become Unicode if they convert back to the same
            label. That needs `urisect[idna]`.

    Returns:
        The IRI, str for str, and bytes in UTF-8 for anything bytes-like; the same object if nothing changes.

    Raises:
        MissingExtraError: with `idna`, the package `idna` is not installed.
        TypeError: the argument is not a text.

    >>> to_iri("http://www.example.org/D%C3%BCrst"), to_iri("http://www.example.org/D%FCrst")
    ('http://www.example.org/Dürst', 'http://www.example.org/D%FCrst')
    >>> to_iri("http://xn--99zt52a.example.org/%e2%80%ae", idna=True)
    'http://納豆.example.org/%e2%80%ae'
    """
    text = uri if type(uri) is str else text_of(uri, "to_iri()")
    return apply_to_text(text, partial(_with_host, convert=to_unicode, then=_unescape) if idna else _unescape)


def _with_host(text: str, *, convert: Callable[[str], str], then: Callable[[str], str]) -> str:
    """Convert the host of a reference, and then the reference."""
    reference = split(text)
    if reference.authority is not None:
        host = split_authority(reference.authority).host
        converted = convert(host)
        if converted != host:
            userinfo, at, rest = reference.authority.rpartition("@")
            authority = f"{userinfo}{at}{converted}{rest.removeprefix(host)}"
            text = recompose(reference._replace(authority=authority))
    return then(text)


# Escapes of bytes beyond ASCII. All other escapes are characters of ASCII.
_ESCAPE: Final = rf"%[89A-Fa-f][{HEXDIG}]"
_ESCAPES: Final = f"{_ESCAPE}{zero_or_more(_ESCAPE)}"  # `re` searches fast for the "%" that it begins with


def _host_to_ascii(host: str) -> str:
    """Convert a host to ASCII, also where it is percent-encoded UTF-8; one that is in ASCII and no UTF-8 stays."""
    if host.startswith("["):
        return host
    decoded = re.sub(_ESCAPES, _decode_run, host)
    return host if decoded.isascii() else to_ascii(decoded)


def _decode_run(run: re.Match[str]) -> str:
    try:
        return bytes.fromhex(run[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return run[0]


# `re` finds text beyond ASCII faster than characters of an IRI, and most text has few different runs of it: the
# substitution takes 1.4 µs, not 2.6 µs (an IRI with two runs, CPython 3.11). What is remembered is short.
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]{1,32}+")
_MAX_CACHED: Final = 96  # characters of escapes


def _escape(text: str) -> str:
    if text.isascii():
        return text
    escaped = _BEYOND_ASCII.sub(lambda run: _escape_characters(run[0]), text)
    return text if escaped == text else escaped


@lru_cache(maxsize=4096)
def _escape_characters(characters: str) -> str:
    """Encode the characters of an IRI, and bytes that are not UTF-8."""
    return _iri_characters().sub(lambda run: f"%{_encode(run[0]).hex('%').upper()}", characters)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@cache
def _iri_characters() -> re.Pattern[str]:
    """Compile the expression on first use: that takes 3 ms."""
    return re.compile(rf"[{UCSCHAR}{IPRIVATE}\udc80-\udcff]++")


def _unescape(text: str) -> str:
    if "%" not in text:
        return text
    end = text.find("#") % (len(text) + 1)  # -1 becomes the length
    start = text.find("?", 0, end) % (len(text) + 1)

    def unescape(run: re.Match[str]) -> str:
        escapes, in_query = run[0], start < run.start() < end
        function = _unescape_cached if len(escapes) <= _MAX_CACHED else _unescape_characters
        return function(escapes, in_query)

    return re.sub(_ESCAPES, unescape, text)


def _unescape_characters(escapes: str, in_query: bool) -> str:  # noqa: FBT001  as `lru_cache` takes it fastest
    """Decode what may be decoded; keep the other escapes as they are written."""
    decoded = bytes.fromhex(escapes.replace("%", "")).decode("utf-8", "surrogateescape")
    output: list[str] = []
    end = 0
    for piece in _pieces(UCSCHAR + IPRIVATE if in_query else UCSCHAR).finditer(decoded):
        start, end = end, end + len("%XX") * len(_encode(piece[0]))
        output.append(piece[1] or escapes[start:end])
    return "".join(output)


_unescape_cached = lru_cache(maxsize=4096)(_unescape_characters)


@cache
def _pieces(allowed: str) -> re.Pattern[str]:
    """Compile the expression of a run to decode, which is a group, or of a character that must stay escaped."""
    return re.compile(rf"({one_or_more(f'(?![{_INVISIBLE}])[{allowed}]')})|[\s\S]")


# Characters of an IRI that are white space or have no shape of their own: categories Zs, Zl, Zp and Cf, and
# Default_Ignorable_Code_Point (Unicode 16, UAX #44). They are listed here because the tables of Python differ by its
# version. Characters that are not assigned yet are not among them: which those are differs, too.
_INVISIBLE: Final = (
    r"\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    r"\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0"
    r"\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
