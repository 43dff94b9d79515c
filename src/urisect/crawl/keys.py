"""Make the key of a reference: the same text for all references to one page."""

from typing import Any, AnyStr, overload

from urisect.crawl.profiles import PROFILES, Profile
from urisect.normalization import normalize
from urisect.reference import Reference, ReferenceLike, recompose, split, text_of
from urisect.text_types import BytesLike

__all__ = ["key"]


@overload
def key(reference: AnyStr | Reference[AnyStr], profile: str | Profile = "request-1") -> AnyStr: ...
@overload
def key(reference: BytesLike | Reference[bytes], profile: str | Profile = "request-1") -> bytes: ...
def key(reference: ReferenceLike, profile: str | Profile = "request-1") -> str | bytes:  # type: ignore[misc]  # as in `urisect.split`
    """Return the key of a reference: the same text for all references to one page (RFC 3986, 6.2).

    Args:
        reference: the reference, str or bytes-like, or a `Reference`.
        profile: a profile or its name.

    Raises:
        ValueError: there is no profile of this name.
        TypeError: the reference is not a text.

    >>> key("HTTP://Example.com:80/%7efred#top")
    'http://example.com/~fred'
    """
    if isinstance(profile, str) and profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}")
    text = normalize(text_of(reference, "key()"), level="scheme")
    components: Reference[Any] = split(text)
    result: str | bytes = recompose(components._replace(fragment=None))
    return result
