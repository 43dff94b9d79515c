"""The path that the rules of a robots.txt are compared with (RFC 9309, 2.2.2)."""

from typing import Any, AnyStr, overload

from urisect.normalization import normalize
from urisect.reference import Reference, ReferenceLike, recompose, split, text_of
from urisect.text_types import BytesLike

__all__ = ["robots_path"]


@overload
def robots_path(reference: AnyStr | Reference[AnyStr]) -> AnyStr: ...
@overload
def robots_path(reference: BytesLike | Reference[bytes]) -> bytes: ...
def robots_path(reference: ReferenceLike) -> str | bytes:  # type: ignore[misc]  # as in `urisect.split`
    """Return the path and the query of a reference as rules of a robots.txt are compared with them (RFC 9309, 2.2.2).

    Args:
        reference: the reference, str or bytes-like, or a `Reference`.

    Raises:
        TypeError: the reference is not a text.

    >>> robots_path("http://example.com/%7efred?q#top")
    '/~fred?q'
    """
    text = normalize(text_of(reference, "robots_path()"), level="scheme")
    components: Reference[Any] = split(text)
    result: str | bytes = recompose(components._replace(scheme=None, authority=None, fragment=None))
    return result
