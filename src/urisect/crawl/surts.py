"""Sort-friendly URI Reordering Transform: the keys of web archives and of CDX files."""

import re
from collections.abc import Callable
from typing import AnyStr, Final, overload

from urisect.crawl.surt_steps import NO_URL, may_have_session_id, sort_parameters, surt_of_octets
from urisect.reference import Reference, ReferenceLike, text_of
from urisect.text_types import BytesLike, restore_type, to_str

__all__ = ["surt"]


@overload
def surt(reference: AnyStr | Reference[AnyStr], *, keep_www: bool = False) -> AnyStr: ...
@overload
def surt(reference: BytesLike | Reference[bytes], *, keep_www: bool = False) -> bytes: ...
def surt(reference: ReferenceLike, *, keep_www: bool = False) -> str | bytes:  # type: ignore[misc]  # as in `urisect.split`
    """Return the SURT of a URL: the key by which web archives and CDX files sort and find it.

    It equals what `surt.surt` of the Internet Archive's package surt 0.3.1 returns, without that package; the page
    "SURT" lists the differences, mostly texts for which the package raises an error. The host is reversed, and much is
    dropped: scheme, "www.", userinfo, default port, case, session ids, fragment. So different URLs may have the same
    SURT. The result is not a URI reference (RFC 3986, 4.1).

    Args:
        reference: the URL, str or bytes-like, or a `Reference`; "http://" is added where there is no scheme.
        keep_www: whether "www." stays at the beginning of the host: the package's `host_massage=False`.

    Returns:
        The SURT in ASCII, str for str, and bytes for anything bytes-like. A text that begins with "filedesc" comes back
        as it is, and a blank one gives "-".

    Raises:
        TypeError: the reference is not a text.

    >>> surt("http://www.example.com/Goo/?b=2&a=1#top"), surt("dns:example.com")
    ('com,example)/goo?a=1&b=2', 'dns:example.com')
    >>> surt(b"http://www.example.com:8080/", keep_www=True)
    b'com,example,www:8080)/'
    """
    text = reference if type(reference) is str else text_of(reference, "surt()")
    octets = to_str(text)  # one character for each byte; a str is encoded below, if it needs to be
    match = _match_ordinary(octets)
    result = match and _surt_of_ordinary(match, keep_www)
    if result:
        return result if text is octets else restore_type(result, text)
    if not octets:
        return restore_type(NO_URL, text)
    if octets.startswith("filedesc"):  # the first record of an ARC file
        return text
    return restore_type(surt_of_octets(octets if isinstance(text, bytes) else _encode(octets), keep_www=keep_www), text)


# A URL that few steps can change: the scheme in lower case, no userinfo, no port, no escape, no space, and no character
# beyond ASCII. Most URLs of a crawl match: 1.1 µs, where all steps take 6 (CPython 3.11).
_ORDINARY: Final = (
    r"https?://([Ww]{3}[0-9]*+\.|)"
    r"([A-Za-z0-9_-][A-Za-z0-9_.-]*+)(?<=[A-Za-z])"  # not the last character of an IPv4 address
    r"(/[!-\"$&->@-~]*+|)(?>\?([!-\"$&-~]*+)|)(?:#|\Z)"
)


def _first_match(text: str) -> re.Match[str] | None:
    """Compile the expression on first use; it replaces this function."""
    global _match_ordinary  # noqa: PLW0603  as in `urisect.reference`
    _match_ordinary = re.compile(_ORDINARY).match
    return _match_ordinary(text)


_match_ordinary: Callable[[str], re.Match[str] | None] = _first_match


def _surt_of_ordinary(match: re.Match[str], keep_www: bool) -> str | None:  # noqa: FBT001  called once
    """Return the SURT of a URL that the expression matches, or None if it needs the other steps."""
    www, host, path, query = match.groups()
    # No empty label; no empty segment, no dot segment, and none that may be a session id.
    if ".." in host or "//" in path or "/." in path or "/(" in path:
        return None
    if keep_www:
        host = www + host
    before = f"{','.join(host.split('.')[::-1])}){path.rstrip('/') or '/'}".lower()
    if not query:
        return before
    query = query.lower()
    if may_have_session_id(query):
        return None
    return f"{before}?{sort_parameters(query) if '&' in query else query}"


def _encode(text: str) -> str:
    """Encode a text as UTF-8, one character for each byte; a lone surrogate is the byte it represents (PEP 383)."""
    if text.isascii():
        return text
    try:
        encoded = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        encoded = text.encode("utf-8", "surrogatepass")
    return to_str(encoded)
