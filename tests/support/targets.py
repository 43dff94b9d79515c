"""The components of a request target, by a naive implementation of RFC 9112, 3.2."""

from urisect import Reference, split

__all__ = ["split_target"]


def split_target(target: bytes) -> Reference[bytes]:
    """Split a target as a reference, except that "//" at its beginning is part of the path of an origin-form."""
    if not target.startswith(b"//"):
        return split(target)
    before, has_fragment, fragment = target.partition(b"#")
    path, has_query, query = before.partition(b"?")
    return Reference(None, None, path, query if has_query else None, fragment if has_fragment else None)
