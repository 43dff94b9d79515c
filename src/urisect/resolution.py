"""Resolve references against a base URI, and find references that lead from a base to a target (RFC 3986, 5)."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import takewhile
from typing import Any, AnyStr, Final, Generic, overload

from urisect.paths import drop_last_segment, guard_double_slash
from urisect.reference import Reference, ReferenceLike, recompose, split, text_of
from urisect.text_types import BytesLike, compile_for, restore_type, to_plain_text, to_str

__all__ = [
    "Base",
    "BaseLike",
    "check_types",
    "coerce_text",
    "merge",
    "relativize",
    "remove_dot_segments",
    "resolve",
    "resolve_components",
    "split_base",
    "to_base",
    "transform",
]


def split_base(base: str | bytes, splitter: Callable[[str], Reference[str]] = split) -> Reference[str]:
    """Split a base URI, and check that it has a scheme.

    Args:
        base: the base URI.
        splitter: the function that splits it.

    Raises:
        ValueError: it has no scheme.

    >>> split_base(b"http://a")
    Reference('http', 'a', '', None, None)
    """
    components = splitter(to_str(base))
    if components.scheme is None:
        raise ValueError(f"a base URI has a scheme, and {base!r} has none")
    return components


def _resolve_text(base: Reference[str], reference: str, *, strict: bool) -> str:
    """Resolve with the algorithm of section 5.2.2, component by component."""
    components = split(reference)
    if not strict and (components.scheme or "").lower() == (base.scheme or "").lower():  # case-insensitive (3.1)
        components = components._replace(scheme=None)
    return recompose(resolve_components(base, components))


def to_base(base: Any) -> "Base[Any]":
    """Return a base URI as a `Base`: itself, if it is one already.

    >>> to_base("http://a/b")
    Base('http://a/b')
    """
    return base if isinstance(base, Base) else Base(base)


# The beginning of a reference decides which prefix of the base its target gets: one group for each prefix of a `Base`.
# The last group means that the full algorithm is needed: a segment begins with a dot, or the path begins with ":".
_CLASSES: Final = r"""
    [^.:/?#][^:/?#]*+ (?: (:)(?!\.)  # a scheme
                        | ()(?!:) )  # the first segment of a relative path
    | (//) | (/) | (\?) | (\#|\Z)    # an authority, an absolute path, a query, a fragment or nothing
    | ()
"""

# Up to ten dot segments at the beginning of a relative path, followed by something else.
_LEADING_DOT_SEGMENTS: Final = r"(?>(?: \.\.?+ (?: / | (?=[?\#]) | \Z ) ){1,10}) (?![./])"

# A `Base` keeps the targets of this many of them.
_MAX_KEPT_TARGETS: Final = 16


@cache
def _matcher(text_type: type, expression: str) -> Callable[[Any], Any]:
    """Compile an expression once for all bases."""
    return compile_for(text_type, expression, re.VERBOSE).match


class Base(Generic[AnyStr]):
    """A base URI, prepared to resolve many references (RFC 3986, 5.2).

    Most references have no dot segments. Their targets consist of a prefix, which depends only on how the reference
    begins, and the reference: one match and one concatenation. If a reference has dot segments only at its beginning,
    these are resolved once and the result is kept.

    Attributes:
        text: the base URI, plain str or plain bytes.

    Raises:
        ValueError: the base has no scheme.
        TypeError: the base is not a text.

    >>> base = Base("http://a/b/c/d;p?q")
    >>> [base.resolve(reference) for reference in ("g", "../g", "//g", "?y", "")]
    ['http://a/b/c/g', 'http://a/b/g', 'http://g', 'http://a/b/c/d;p?y', 'http://a/b/c/d;p?q']
    """

    __slots__ = ("_classify", "_components", "_dot", "_match_dot_segments", "_prefixes", "_targets", "_type", "text")

    text: AnyStr

    @overload
    def __init__(self, base: AnyStr | Reference[AnyStr]) -> None: ...
    @overload
    def __init__(self: "Base[bytes]", base: BytesLike | Reference[bytes]) -> None: ...
    def __init__(self, base: ReferenceLike) -> None:  # type: ignore[misc]  # as in `urisect.split`
        self.text = text_of(base, "Base()")  # type: ignore[assignment]  # the argument decides the type
        self._type: type[AnyStr] = type(self.text)
        self._components = components = split_base(self.text)
        document = components._replace(fragment=None)
        prefixes = (  # by the number of the group
            None,  # there is no group 0
            "",
            recompose(resolve_components(components, split("."))),
            f"{components.scheme}:",
            recompose(document._replace(path="", query=None)),
            recompose(document._replace(query=None)),
            recompose(document),
            None,
        )
        self._prefixes: Any = tuple(None if prefix is None else restore_type(prefix, self.text) for prefix in prefixes)
        self._dot: Any = restore_type("/.", self.text)
        self._classify: Callable[[Any], re.Match[Any]] = _matcher(self._type, _CLASSES)  # matches every text
        self._match_dot_segments: Callable[[Any], re.Match[Any] | None] = _matcher(self._type, _LEADING_DOT_SEGMENTS)
        self._targets: dict[AnyStr, AnyStr] = {}

    @overload
    def resolve(self, reference: AnyStr | Reference[AnyStr], *, strict: bool = True) -> AnyStr: ...
    @overload
    def resolve(self: "Base[bytes]", reference: BytesLike | Reference[bytes], *, strict: bool = True) -> bytes: ...
    def resolve(self, reference: ReferenceLike, *, strict: bool = True) -> str | bytes:  # type: ignore[misc]
        """Resolve a reference against this base, as `resolve` does (RFC 3986, 5.2).

        Args:
            reference: the reference, of the base's type of text.
            strict: False ignores a scheme that equals that of the base.

        Raises:
            TypeError: the reference is not a text, or not of the base's type.

        >>> Base(b"s3://bucket/a/b").resolve(b"c?d")
        b's3://bucket/a/c?d'
        """
        if type(reference) is not self._type:
            reference = coerce_text(reference, "resolve()")
            check_types(base=self.text, reference=reference)
        if strict:
            if self._dot not in reference:
                prefix = self._prefixes[self._classify(reference).lastindex]
                if prefix is not None:
                    return prefix + reference  # type: ignore[no-any-return]
            match = self._match_dot_segments(reference)
            if match and self._dot not in (rest := reference[match.end() :]):
                return self._resolve_dot_segments(match[0]) + rest  # type: ignore[no-any-return]
        return restore_type(_resolve_text(self._components, to_str(reference), strict=strict), self.text)

    def _resolve_dot_segments(self, dot_segments: Any) -> Any:
        """Return the target of dot segments alone; keep it, because a page uses few of them, many times."""
        target = self._targets.get(dot_segments)
        if target is None:
            target = restore_type(_resolve_text(self._components, to_str(dot_segments), strict=True), dot_segments)
            if len(self._targets) < _MAX_KEPT_TARGETS:
                self._targets[dot_segments] = target
        return target

    @overload
    def relativize(self, target: AnyStr | Reference[AnyStr]) -> AnyStr: ...
    @overload
    def relativize(self: "Base[bytes]", target: BytesLike | Reference[bytes]) -> bytes: ...
    def relativize(self, target: ReferenceLike) -> str | bytes:  # type: ignore[misc]
        """Find the shortest reference from this base to a target, as `relativize` does (RFC 3986, 5.2).

        Args:
            target: a URI, of the base's type of text.

        Raises:
            TypeError: the target is not a text, or not of the base's type.

        >>> Base("http://a/b/c").relativize("http://a/b/d#top")
        'd#top'
        """
        text: AnyStr = coerce_text(target, "relativize()")  # type: ignore[assignment]  # checked in the next line
        check_types(base=self.text, target=text)
        for candidate in sorted(_candidates(self._components, split(to_str(text))), key=len):
            reference = restore_type(candidate, text)
            if len(reference) < len(text) and self.resolve(reference) == text:
                return reference
        return text

    def __str__(self: "Base[str] | Base[bytes]") -> str:
        return str(split(self.text))

    def __bytes__(self: "Base[str] | Base[bytes]") -> bytes:
        return bytes(split(self.text))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"

    def __reduce__(self) -> "tuple[type[Base[AnyStr]], tuple[AnyStr]]":
        return type(self), (self.text,)


# What stands for a base URI: any text, a `Reference` or a `Base`.
BaseLike = ReferenceLike | Base[str] | Base[bytes]


@overload
def resolve(
    base: AnyStr | Reference[AnyStr] | Base[AnyStr], reference: AnyStr | Reference[AnyStr], *, strict: bool = True
) -> AnyStr: ...
@overload
def resolve(
    base: BytesLike | Reference[bytes] | Base[bytes], reference: BytesLike | Reference[bytes], *, strict: bool = True
) -> bytes: ...
def resolve(base: BaseLike, reference: ReferenceLike, *, strict: bool = True) -> str | bytes:  # type: ignore[misc]
    """Resolve a reference against a base URI (RFC 3986, 5.2).

    All schemes are treated alike. Nothing is validated, and nothing but dot segments is removed. If a target without
    an authority would have a path that begins with "//", which 3.3 forbids, "/." is put before the path. To resolve
    many references against the same base, prepare a `Base` once.

    Args:
        base: the base URI; its fragment is ignored.
        reference: the reference, of the same type of text.
        strict: False ignores a scheme that equals that of the base (5.2.2), for documents from the time when that was
            allowed.

    Returns:
        The target, of the type of the arguments. A reference with a scheme and without dot segments is returned as it
        is.

    Raises:
        ValueError: the base has no scheme.
        TypeError: an argument is not a text, or one is str and the other bytes.

    >>> resolve("http://a/b/c/d;p?q", "../g?y#s")
    'http://a/b/g?y#s'
    >>> resolve("http://a/b/c/d;p?q", "http:g")
    'http:g'
    >>> resolve("http://a/b/c/d;p?q", "http:g", strict=False)
    'http://a/b/c/g'
    """
    if isinstance(base, Base):
        return base.resolve(reference, strict=strict)  # type: ignore[arg-type]  # it checks the type
    text, relative = text_of(base, "resolve()"), coerce_text(reference, "resolve()")
    check_types(base=text, reference=relative)
    return restore_type(_resolve_text(split_base(text), to_str(relative), strict=strict), text)


@overload
def relativize(base: AnyStr | Reference[AnyStr] | Base[AnyStr], target: AnyStr | Reference[AnyStr]) -> AnyStr: ...
@overload
def relativize(base: BytesLike | Reference[bytes] | Base[bytes], target: BytesLike | Reference[bytes]) -> bytes: ...
def relativize(base: BaseLike, target: ReferenceLike) -> str | bytes:  # type: ignore[misc]
    """Find the shortest reference that leads from a base URI to a target: the inverse of `resolve` (RFC 3986, 5.2).

    Args:
        base: the base URI.
        target: a URI, of the same type of text.

    Returns:
        A reference for which `resolve(base, reference) == target`; the target itself if no shorter one exists, as for a
        target with dot segments, to which no reference resolves.

    Raises:
        ValueError: the base has no scheme.
        TypeError: an argument is not a text, or one is str and the other bytes.

    >>> relativize("http://a/b/c/d?q", "http://a/b/x?y")
    '../x?y'
    >>> relativize("http://a/b/c/d?q", "http://a/b/c/d?q#top")
    '#top'
    >>> relativize("urn:example:a", "urn:example:b"), relativize("http://a/", "https://a/")
    ('./example:b', 'https://a/')
    """
    found: str | bytes = to_base(base).relativize(target)
    return found


def check_types(**texts: str | bytes) -> None:
    """Raise TypeError unless all texts are str or all are bytes.

    >>> check_types(base="http://a/", reference=b"g")
    Traceback (most recent call last):
    TypeError: cannot mix str and bytes: base is str, reference is bytes
    """
    if len(set(map(type, texts.values()))) > 1:
        types = ", ".join(f"{name} is {type(text).__name__}" for name, text in texts.items())
        raise TypeError(f"cannot mix str and bytes: {types}")


def coerce_text(reference: object, function: str) -> str | bytes:
    """Return the text of a reference, which may be a `Reference` or a `Base`, as plain str or plain bytes.

    Args:
        reference: a text of any accepted type, a `Reference` or a `Base`.
        function: the name of the function that was called, for the message.

    >>> coerce_text(Base("http://a/"), "normalize()")
    'http://a/'
    """
    return reference.text if isinstance(reference, Base) else text_of(reference, function)


def _candidates(base: Reference[str], target: Reference[str]) -> Iterator[str]:
    """Yield the shortest reference of each form that may lead to a target."""
    scheme, authority, path, query, fragment = target
    if scheme != base.scheme:
        return
    if authority is not None:
        yield recompose(target._replace(scheme=None))
    if authority != base.authority:
        return
    after = recompose(Reference(None, None, "", query, fragment))
    yield recompose(Reference(None, None, "", None, fragment))
    yield after
    if authority is None and path.startswith("/.//"):  # written by `guard_double_slash`
        path = path.removeprefix("/.")
    yield _relative_path(remove_dot_segments(merge(base, "")), path) + after
    if path.startswith("/"):
        yield path + after
        yield f"/.{path}{after}"  # a path that begins with "//" alone would be read as an authority


def _relative_path(directory: str, path: str) -> str:
    """Return the relative path from a directory to a path: up to their common ancestor, and down from there.

    >>> _relative_path("/a/b/c/", "/a/d"), _relative_path("/a/b/", "/a/b/"), _relative_path("", "x:y")
    ('../../d', '.', './x:y')
    """
    start, end = directory.split("/")[:-1], path.split("/")
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(start, end[:-1], strict=False)))
    up, down = "../" * (len(start) - common), "/".join(end[common:])
    if not down:
        return up.removesuffix("/") or "."
    if not up and (down.startswith("/") or ":" in end[common]):  # would be read as an absolute path, or as a scheme
        return f"./{down}"
    return up + down


@overload
def remove_dot_segments(path: AnyStr) -> AnyStr: ...
@overload
def remove_dot_segments(path: BytesLike) -> bytes: ...
def remove_dot_segments(path: str | BytesLike) -> str | bytes:
    """Remove the segments "." and ".." from a path, and the segment before each ".." (RFC 3986, 5.2.4).

    Args:
        path: a path, without query and fragment.

    Raises:
        TypeError: the path is neither str nor bytes-like.

    >>> remove_dot_segments("/a/b/c/./../../g"), remove_dot_segments(b"mid/content=5/../6")
    ('/a/g', b'mid/6')
    """
    if not isinstance(path, str):
        octets = to_plain_text(path, "remove_dot_segments()")
        return restore_type(remove_dot_segments(to_str(octets)), octets)
    if "/." not in path and not path.startswith("."):
        return path
    first, *segments = path.split("/")
    if first in (".", ".."):  # 2A and 2D: removed with the "/" after them
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


def resolve_components(base: Reference[str], reference: Reference[str]) -> Reference[str]:
    """Resolve a reference, given as components (RFC 3986, 5.2.2), to a target whose path section 3.3 allows.

    >>> resolve_components(Reference("foo", None, "/", None, None), Reference(None, None, ".//@@", None, None))
    Reference('foo', None, '/.//@@', None, None)
    """
    return guard_double_slash(transform(base, reference, merge=merge, remove_dot_segments=remove_dot_segments))


def transform(
    base: Reference[str],
    reference: Reference[str],
    *,
    merge: Callable[[Reference[str], str], str],
    remove_dot_segments: Callable[[str], str],
) -> Reference[str]:
    """Compute the components of the target (RFC 3986, 5.2.2; rfc2396bis-03, 5.2, has the same pseudocode).

    Args:
        base: the base URI; it has a scheme.
        reference: the reference to resolve.
        merge: joins the path of the base and the path of a relative-path reference.
        remove_dot_segments: removes "." and ".." from a path.

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
    """Replace the last segment of the base's path by a relative path (RFC 3986, 5.2.3).

    >>> merge(Reference("http", "a", "/b/c", None, None), "g"), merge(Reference("http", "a", "", None, None), "g")
    ('/b/g', '/g')
    """
    if base.authority is not None and not base.path:
        return f"/{path}"
    return drop_last_segment(base.path) + path
