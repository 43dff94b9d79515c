"""The path that the rules of a robots.txt are compared with (RFC 9309, 2.2.2)."""

import re
from typing import AnyStr, Final, overload

from urisect.characters import ALPHA, ESCAPED, UNRESERVED
from urisect.escapes import apply_to_text, escape_runs
from urisect.reference import Reference, ReferenceLike, split, text_of
from urisect.resolution import remove_dot_segments
from urisect.text_types import BytesLike

__all__ = ["robots_path"]


@overload
def robots_path(reference: AnyStr | Reference[AnyStr]) -> AnyStr: ...
@overload
def robots_path(reference: BytesLike | Reference[bytes]) -> bytes: ...
def robots_path(reference: ReferenceLike) -> str | bytes:  # type: ignore[misc]  # as in `urisect.split`
    r"""Return the path and the query of a URL as rules of a robots.txt are compared with them (RFC 9309, 2.2.2).

    Percent-encoding is made equal: unreserved characters are decoded, all others encoded, in upper case. Delimiters
    stay: "/" in the path, "?" before the query, "=" and "&" in it. A character beyond ASCII is encoded as UTF-8, and a
    "%" that begins no escape as "%25". Dot segments are removed, as in a request, and an empty path is "/". There is no
    fragment. A path that begins with "//" keeps it: a parser that takes URLs needs scheme and authority before it.

    It is for URLs, not for rules, in which "*" and "$" are special (2.2.3). Resolve a relative reference first: here
    its path begins at the root.

    Args:
        reference: the URL, str or bytes-like, or a `Reference`.

    Returns:
        The path and the query in ASCII, str for str, and bytes for anything bytes-like. It begins with "/".

    Raises:
        TypeError: the reference is not a text.

    >>> robots_path("http://example.com/foo/bar/%62%61%7A?q=a:b#top"), robots_path("http://example.com")
    ('/foo/bar/baz?q=a%3Ab', '/')
    >>> robots_path(b"/caf\xc3\xa9/%c3%a9*")
    b'/caf%C3%A9/%C3%A9%2A'
    """
    text = reference if type(reference) is str else text_of(reference, "robots_path()")
    return apply_to_text(text, _robots_path)


def _robots_path(text: str) -> str:
    found = _match_equal(text)
    if found and "/." not in found[1]:
        return found[1]
    _, _, path, query, _ = split(text)
    path = _equal_encoding(path, _NOT_IN_PATH)
    path = remove_dot_segments(path if path.startswith("/") else f"/{path}")
    query = query and _equal_encoding(query, _NOT_IN_QUERY)
    return path if query is None else f"{path}?{query}"


# A URL whose path and query have nothing to encode or decode: most URLs. The match takes a quarter of the time.
_match_equal: Final = re.compile(rf"[{ALPHA}]++://[^/?#]*+(/[{UNRESERVED}/]*+(?>\?[{UNRESERVED}=&]*+|))(?:#|\Z)").match

_NOT_IN_PATH: Final = re.compile(f"[^{UNRESERVED}/%]++")
_NOT_IN_QUERY: Final = re.compile(f"[^{UNRESERVED}=&%]++")
_ESCAPE_OR_PERCENT: Final = rf"{ESCAPED}|%"
_UNRESERVED: Final = f"[{UNRESERVED}]"


def _equal_encoding(component: str, disallowed: re.Pattern[str]) -> str:
    """Decode the escapes of unreserved characters, and encode those that are not allowed."""
    if "%" in component:
        component = re.sub(_ESCAPE_OR_PERCENT, _normalize_escape, component)
    return escape_runs(disallowed, component)


def _normalize_escape(found: re.Match[str]) -> str:
    digits = found[0][1:]
    if not digits:
        return "%25"
    character = chr(int(digits, 16))
    return character if re.match(_UNRESERVED, character) else found[0].upper()
