"""Make the key of a reference: the same text for all references to one page."""

from collections.abc import Callable
from functools import lru_cache
from typing import AnyStr, overload

from urisect.crawl.profiles import PROFILES, Profile
from urisect.crawl.steps import Steps
from urisect.escapes import apply_to_text
from urisect.reference import Reference, ReferenceLike, text_of
from urisect.suggestion import did_you_mean
from urisect.text_types import BytesLike

__all__ = ["key"]


@overload
def key(reference: AnyStr | Reference[AnyStr], profile: str | Profile = "request-1") -> AnyStr: ...
@overload
def key(reference: BytesLike | Reference[bytes], profile: str | Profile = "request-1") -> bytes: ...
def key(reference: ReferenceLike, profile: str | Profile = "request-1") -> str | bytes:  # type: ignore[misc]  # as in `urisect.split`
    """Return the key of a URI: the same text for all URIs that a profile counts as one (RFC 3986, 6.2).

    - `syntax-1` is `urisect.normalize`.
    - `request-1` also drops default ports and the fragment: the same key means the same request.
    - `page-1` also drops parameters of tracking and an empty query, and sorts parameters by their names.
    - `loose-1` also drops session ids, "www.", default pages and trailing slashes, and writes "https" for "http".

    A key is for comparing, never for fetching: a server may answer it differently. The keys of a profile never change;
    other steps would get another name, such as `page-2`, so that a stored frontier stays valid. Resolve references
    first: without a scheme, one is only normalized.

    Args:
        reference: the URI, str or bytes-like, or a `Reference`. Any text has a key.
        profile: a profile or its name.

    Returns:
        The key, str for str, and bytes for anything bytes-like; the same object if the text is its key.

    Raises:
        ValueError: there is no profile of this name.
        TypeError: the reference is not a text, or the profile is neither a `Profile` nor a str.

    >>> key("HTTP://Example.com:80/%7efred#top")
    'http://example.com/~fred'
    >>> key("http://www.example.com/shop/index.html?page=2&id=7&utm_source=x", "page-1")
    'http://www.example.com/shop/index.html?id=7&page=2'
    >>> key("http://www.example.com/shop/index.html?page=2&id=7&utm_source=x", "loose-1")
    'https://example.com/shop?id=7&page=2'
    """
    try:
        make_key = _key_function(profile)
    except TypeError:  # not hashable, or from the function
        raise TypeError(f"key() takes a Profile or its name, not {type(profile).__name__}") from None
    if type(reference) is str:
        return make_key(reference)
    return apply_to_text(text_of(reference, "key()"), make_key)


@lru_cache
def _key_function(profile: str | Profile) -> Callable[[str], str]:
    """Return the function that makes keys; its expressions are compiled once for each profile."""
    if isinstance(profile, Profile):
        return Steps(profile).make_key
    if not isinstance(profile, str):
        raise TypeError
    if profile not in PROFILES:
        raise ValueError(
            f"unknown profile {profile!r}: use {', '.join(PROFILES)}, or a Profile{did_you_mean(profile, PROFILES)}"
        )
    return Steps(PROFILES[profile]).make_key
