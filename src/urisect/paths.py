"""Keep the path of a reference from being read as something else (RFC 3986, 3.3 and 4.2)."""

from urisect.reference import Reference

__all__ = ["drop_last_segment", "encode_first_segment_colons", "guard_double_slash"]


def guard_double_slash(reference: Reference[str]) -> Reference[str]:
    """Put "/." before a path that begins with "//" if there is no authority: it would be read as one.

    RFC 3986, 3.3, forbids such a path, but does not say what to do if resolution produces one; the URL Standard of
    WHATWG writes it like this.

    >>> guard_double_slash(Reference("foo", None, "//@@", None, None))
    Reference('foo', None, '/.//@@', None, None)
    """
    if reference.authority is None and reference.path.startswith("//"):
        return reference._replace(path=f"/.{reference.path}")
    return reference


def encode_first_segment_colons(path: str) -> str:
    """Encode each ":" of the first segment: without a scheme, it would end one (path-noscheme, RFC 3986, 3.3 and 4.2).

    >>> encode_first_segment_colons("a:b/c:d")
    'a%3Ab/c:d'
    """
    first, slash, others = path.partition("/")
    return first.replace(":", "%3A") + slash + others


def drop_last_segment(path: str) -> str:
    """Return a path up to its last "/", included (RFC 3986, 5.2.3, and the documents before it).

    >>> drop_last_segment("/b/c/d"), drop_last_segment("d")
    ('/b/c/', '')
    """
    return path[: path.rfind("/") + 1]
