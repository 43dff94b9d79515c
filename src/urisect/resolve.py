"""Reference resolution (RFC 3986, 5): from a base URI and a reference to the target."""

from collections.abc import Callable
from typing import AnyStr

from urisect.reference import Reference

__all__ = ["directory", "merge", "remove_dot_segments", "target", "transform"]


def target(base: Reference[str], reference: Reference[str]) -> Reference[str]:
    """Resolve a reference (RFC 3986, 5.2.2, with erratum 4547).

    Where there is no authority, a path that begins with "//" would be read as one: "/." is put before it.

    >>> target(Reference("foo", None, "/", None, None), Reference(None, None, ".//@@", None, None))
    Reference('foo', None, '/.//@@', None, None)
    """
    result = transform(base, reference, merge=merge, remove_dot_segments=remove_dot_segments)
    if result.authority is None and result.path.startswith("//"):
        return result._replace(path=f"/.{result.path}")
    return result


def transform(
    base: Reference[str],
    reference: Reference[str],
    *,
    merge: Callable[[Reference[str], str], str],
    remove_dot_segments: Callable[[str], str],
) -> Reference[str]:
    """Find the components of the target (RFC 3986, 5.2.2; rfc2396bis-03, 5.2, has the same pseudocode).

    Args:
        base: the base URI; it has a scheme.
        reference: what is to be resolved.
        merge: joins the path of the base and the path of a relative-path reference.
        remove_dot_segments: takes "." and ".." out of a path.

    >>> base, reference = Reference("http", "a", "/b/c", "q", None), Reference(None, None, "../g", None, "s")
    >>> transform(base, reference, merge=merge, remove_dot_segments=remove_dot_segments)
    Reference('http', 'a', '/g', None, 's')
    """
    scheme, authority, path, query, fragment = reference
    if scheme is not None:
        return Reference(scheme, authority, remove_dot_segments(path), query, fragment)
    if authority is not None:
        return Reference(base.scheme, authority, remove_dot_segments(path), query, fragment)
    if not path:
        return Reference(base.scheme, base.authority, base.path, base.query if query is None else query, fragment)
    if not path.startswith("/"):
        path = merge(base, path)
    return Reference(base.scheme, base.authority, remove_dot_segments(path), query, fragment)


def merge(base: Reference[str], path: str) -> str:
    """Put a relative path in the place of the last segment of the base's path (RFC 3986, 5.2.3).

    >>> merge(Reference("http", "a", "/b/c", None, None), "g"), merge(Reference("http", "a", "", None, None), "g")
    ('/b/g', '/g')
    """
    if base.authority is not None and not base.path:
        return f"/{path}"
    return directory(base.path) + path


def directory(path: str) -> str:
    """Give all of a path but its last segment (RFC 3986, 5.2.3, and the documents before it).

    >>> directory("/b/c/d"), directory("d")
    ('/b/c/', '')
    """
    return path[: path.rfind("/") + 1]


def remove_dot_segments(path: AnyStr) -> AnyStr:
    """Take the segments "." and ".." out of a path, and with ".." the segment before it (RFC 3986, 5.2.4).

    >>> remove_dot_segments("/a/b/c/./../../g"), remove_dot_segments(b"mid/content=5/../6")
    ('/a/g', b'mid/6')
    """
    if isinstance(path, bytes):
        return remove_dot_segments(path.decode("latin-1")).encode("latin-1")
    first, *segments = path.split("/")
    if first in (".", ".."):  # 2A and 2D: at the beginning they go, with the "/" behind them
        kept = next((index for index, segment in enumerate(segments) if segment not in (".", "..")), len(segments))
        first, segments = (segments[kept], segments[kept + 1 :]) if kept < len(segments) else ("", [])
    output = [first] if first else []  # each segment with the "/" before it
    for segment in segments:
        if segment == ".." and output:
            output.pop()
        if segment not in (".", ".."):
            output.append(f"/{segment}")
    if segments and segments[-1] in (".", ".."):
        output.append("/")
    return "".join(output)
