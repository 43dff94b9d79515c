"""Find the site of a reference: the registered domain of its host."""

import re
from functools import cache, lru_cache
from typing import AnyStr, Final, Protocol, overload

from urisect.characters import DIGIT, HEXDIG
from urisect.extras import MissingExtraError
from urisect.normalization import normalize
from urisect.reference import Reference, ReferenceLike, split, text_of
from urisect.text_types import BytesLike

__all__ = ["SuffixList", "site"]


class SuffixList(Protocol):
    """A list of public suffixes: a `PublicSuffixList` of the package publicsuffixlist, or anything with its method.

    It tells which part of a registered name (RFC 3986, 3.2.2) belongs to one owner.

    >>> from publicsuffixlist import PublicSuffixList
    >>> suffixes: SuffixList = PublicSuffixList("com")
    >>> site("http://www.example.com/", suffixes=suffixes)
    'example.com'
    """

    def privatesuffix(self, domain: str, /) -> str | None:
        """Return the registered domain of a domain name, or None if it has none.

        Args:
            domain: a name of at least two labels, in lower case, without a "." at the end; no IP address.

        Raises:
            ValueError: an own list may raise it; nothing here does.

        >>> from publicsuffixlist import PublicSuffixList
        >>> PublicSuffixList().privatesuffix("www.example.co.uk")
        'example.co.uk'
        """
        ...  # pragma: no cover


@overload
def site(reference: AnyStr | Reference[AnyStr], *, suffixes: SuffixList | None = None) -> AnyStr | None: ...
@overload
def site(reference: BytesLike | Reference[bytes], *, suffixes: SuffixList | None = None) -> bytes | None: ...
def site(reference: ReferenceLike, *, suffixes: SuffixList | None = None) -> str | bytes | None:  # type: ignore[misc]  # as in `urisect.split`
    """Return the registered domain of a reference's host, by the Public Suffix List (RFC 3986, 3.2.2).

    That is a public suffix and one label more: crawlers limit requests by it, and group pages. The private rules of the
    list count, so "a.github.io" and "b.github.io" are different sites. References whose hosts are equal after
    `normalize` have the same site; userinfo, port and a "." at the end do not matter.

    A domain stays in the form it has, in Unicode or as "xn--" labels, which are different sites here; convert with
    `urisect.iri.to_uri(…, idna=True)` first to make them one.

    Args:
        reference: the reference, str or bytes-like, or a `Reference`.
        suffixes: the list, for example an older one that results must be compared with; that of the package
            publicsuffixlist by default. It is asked at each call; results of the default list are cached by host.

    Returns:
        The domain in lower case, str for str, and bytes for anything bytes-like. None for a reference without a host,
        for an IP address in any notation, a single label such as "localhost", an empty label, or a public suffix.

    Raises:
        TypeError: the reference is not a text.
        MissingExtraError: no list is given, and the extra `psl` is not installed.

    >>> site("http://fred@WWW.Example.co.uk:8080/a"), site("http://fred.github.io/"), site("http://co.uk/")
    ('example.co.uk', 'fred.github.io', None)
    >>> site("http://192.0.2.7/"), site("/a"), site(b"//www.example.com.")
    (None, None, b'example.com')
    """
    text = reference if type(reference) is str else text_of(reference, "site()")
    authority = split(text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")).authority
    if not authority:
        return None
    if suffixes is not None:
        found = _find_site(authority, suffixes)
    else:
        find = _find_site_cached if len(authority) <= _MAX_CACHED else _find_site_by_default
        found = find(authority)
    return found if found is None or isinstance(text, str) else found.encode("utf-8", "surrogateescape")


def _find_site(authority: str, suffixes: SuffixList) -> str | None:
    host = (split(normalize(f"//{authority}")).host or "").lower().removesuffix(".")
    labels = host.split(".")
    if len(labels) == 1 or "" in labels or re.search(_ADDRESS, host):
        return None
    return suffixes.privatesuffix(host)


# An IP literal, or a name whose last label is a number: clients read that as an IPv4 address or not at all (the URL
# Standard, 3.5, "ends in a number"), and no top-level domain is one (RFC 3696, 2).
_ADDRESS: Final = rf"\A\[|\.(?:[{DIGIT}]++|0x[{HEXDIG}]*+)\Z"


def _find_site_by_default(authority: str) -> str | None:
    return _find_site(authority, _default_suffixes())


# A crawl asks for few hosts many times: with the cache a call takes 0.9 µs, without it 5.7. A full one takes 4 MB.
_find_site_cached = lru_cache(maxsize=16_384)(_find_site_by_default)
_MAX_CACHED: Final = 300  # characters; a domain name has at most 253


@cache
def _default_suffixes() -> SuffixList:
    """Load the list of the package, once: that takes 0.1 s."""
    try:
        from publicsuffixlist import PublicSuffixList  # noqa: PLC0415  an extra
    except ModuleNotFoundError:
        raise MissingExtraError("site()", "publicsuffixlist", "psl") from None
    suffixes: SuffixList = PublicSuffixList()
    return suffixes
