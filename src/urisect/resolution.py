"""Reference resolution (RFC 3986, 5): from a base URI and a reference to the target, and back."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import takewhile
from typing import Any, AnyStr, Final, Generic, TypeVar, overload

from urisect.reference import Reference, recompose, split, text_of
from urisect.text_types import Octets, restore_type, to_plain_text, to_str

__all__ = [
    "Base",
    "check_types",
    "coerce_text",
    "drop_last_segment",
    "guard_double_slash",
    "merge",
    "relativize",
    "remove_dot_segments",
    "resolve",
    "resolve_components",
    "split_base",
    "to_base",
    "transform",
]

Text = TypeVar("Text", str, bytes)


@overload
def resolve(
    base: "AnyStr | Reference[AnyStr] | Base[AnyStr]", reference: AnyStr | Reference[AnyStr], *, strict: bool = True
) -> AnyStr: ...
@overload
def resolve(
    base: "Octets | Reference[bytes] | Base[bytes]", reference: Octets | Reference[bytes], *, strict: bool = True
) -> bytes: ...
def resolve(base: Any, reference: Any, *, strict: bool = True) -> Any:
    """Resolve a reference against a base URI (RFC 3986, 5.2).

    No scheme is special. Nothing is validated, and nothing but dot segments is changed. Where a target without an
    authority would have a path that begins with "//", which 3.3 forbids, "/." stands before it. Who resolves many
    references against one base prepares it once, as a `Base`.

    Args:
        base: the base URI; its fragment is left aside.
        reference: the reference, of the same type of text.
        strict: False takes a scheme that is the base's as if it were not there (5.2.2), for documents that were
            written when that was allowed.

    Returns:
        The target, a text of the type that was given. A reference with a scheme and without dot segments is its own.

    Raises:
        ValueError: the base has no scheme.
        TypeError: an argument is no text, or one is str and the other bytes.

    >>> resolve("http://a/b/c/d;p?q", "../g?y#s")
    'http://a/b/g?y#s'
    >>> resolve("http://a/b/c/d;p?q", "http:g"), resolve("http://a/b/c/d;p?q", "http:g", strict=False)
    ('http:g', 'http://a/b/c/g')
    """
    if isinstance(base, Base):
        return base.resolve(reference, strict=strict)
    text, relative = text_of(base, "resolve()"), coerce_text(reference, "resolve()")
    check_types(base=text, reference=relative)
    return restore_type(_resolved(split_base(text), to_str(relative), strict=strict), text)


def split_base(base: str | bytes, cut: Callable[[str], Reference[str]] = split) -> Reference[str]:
    """Split a base URI, which has a scheme.

    Args:
        base: the base URI.
        cut: what splits it.

    Raises:
        ValueError: it has no scheme.

    >>> split_base(b"http://a")
    Reference('http', 'a', '', None, None)
    """
    components = cut(to_str(base))
    if components.scheme is None:
        raise ValueError(f"a base URI has a scheme, and {base!r} has none")
    return components


def _resolved(base: Reference[str], reference: str, *, strict: bool) -> str:
    """Resolve by the algorithm, component by component."""
    components = split(reference)
    if not strict and (components.scheme or "").lower() == (base.scheme or "").lower():  # in any case the same (3.1)
        components = components._replace(scheme=None)
    return recompose(resolve_components(base, components))


def to_base(base: Any) -> "Base[Any]":
    """Give a base URI as a `Base`, prepared already or not.

    >>> to_base("http://a/b")
    Base('http://a/b')
    """
    return base if isinstance(base, Base) else Base(base)


# What a reference begins with tells what of the base stands before its target: one group for each prefix of a `Base`.
# Only the last group leaves that to the algorithm: something begins with a dot, or the path with ":".
_CLASSES: Final = r"""
    [^.:/?#][^:/?#]*+ (?: (:)(?!\.)  # a scheme
                        | ()(?!:) )  # the first segment of a relative path
    | (//) | (/) | (\?) | (\#|\Z)    # an authority, an absolute path, a query, a fragment or nothing
    | ()
"""

# The dot segments with which a relative path begins, if these are few, and then something else follows.
_CLIMB: Final = r"(?>(?: \.\.?+ (?: / | (?=[?\#]) | \Z ) ){1,10}) (?![./])"

# How many targets of such a Base keeps.
_KEPT: Final = 16


@cache
def _matcher(expression: str, kind: type) -> Callable[[Any], Any]:
    """Compile an expression for text of one type."""
    return re.compile(expression if kind is str else expression.encode(), re.VERBOSE).match


class Base(Generic[Text]):
    """A base URI, prepared to resolve many references (RFC 3986, 5.2).

    Most references have no dot segment. What stands before such a one in its target depends on nothing but how it
    begins, so resolving it is one match and one concatenation. Of one that begins with dot segments and has no others
    these are resolved once.

    Attributes:
        text: the base URI, plain str or plain bytes.

    Raises:
        ValueError: the base has no scheme.
        TypeError: it is no text.

    >>> base = Base("http://a/b/c/d;p?q")
    >>> [base.resolve(reference) for reference in ("g", "../g", "//g", "?y", "")]
    ['http://a/b/c/g', 'http://a/b/g', 'http://g', 'http://a/b/c/d;p?y', 'http://a/b/c/d;p?q']
    """

    __slots__ = ("_classify", "_climb", "_components", "_dot", "_prefixes", "_targets", "_type", "text")

    @overload
    def __init__(self, base: Text | Reference[Text]) -> None: ...
    @overload
    def __init__(self: "Base[bytes]", base: Octets) -> None: ...
    def __init__(self, base: Any) -> None:
        self.text: Text = text_of(base, "Base()")
        self._type: type[Text] = type(self.text)
        self._components = components = split_base(self.text)
        document = components._replace(fragment=None)
        prefixes = (  # in the order of the groups
            None,  # of which there is none 0
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
        self._classify: Callable[[Text], re.Match[Text]] = _matcher(_CLASSES, self._type)  # which matches every text
        self._climb: Callable[[Text], re.Match[Text] | None] = _matcher(_CLIMB, self._type)
        self._targets: dict[Text, Text] = {}

    @overload
    def resolve(self, reference: Text | Reference[Text], *, strict: bool = True) -> Text: ...
    @overload
    def resolve(self: "Base[bytes]", reference: Octets | Reference[bytes], *, strict: bool = True) -> bytes: ...
    def resolve(self, reference: Any, *, strict: bool = True) -> Any:
        """Resolve a reference against this base, as `resolve` does (RFC 3986, 5.2).

        Args:
            reference: the reference, of the base's type of text.
            strict: False takes a scheme that is the base's as if it were not there.

        Raises:
            TypeError: the reference is no text, or not of the base's type.

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
                    return prefix + reference
            match = self._climb(reference)
            if match and self._dot not in (rest := reference[match.end() :]):
                return self._above(match[0]) + rest
        return restore_type(_resolved(self._components, to_str(reference), strict=strict), self.text)

    def _above(self, dot_segments: Any) -> Any:
        """Give the target of dot segments alone, kept for the few that a page is full of."""
        target = self._targets.get(dot_segments)
        if target is None:
            target = restore_type(_resolved(self._components, to_str(dot_segments), strict=True), dot_segments)
            if len(self._targets) < _KEPT:
                self._targets[dot_segments] = target
        return target

    @overload
    def relativize(self, target: Text | Reference[Text]) -> Text: ...
    @overload
    def relativize(self: "Base[bytes]", target: Octets | Reference[bytes]) -> bytes: ...
    def relativize(self, target: Any) -> Any:
        """Find the shortest reference from this base to a target, as `relativize` does (RFC 3986, 5.2).

        Args:
            target: a URI, of the base's type of text.

        Raises:
            TypeError: the target is no text, or not of the base's type.

        >>> Base("http://a/b/c").relativize("http://a/b/d#top")
        'd#top'
        """
        text: Any = coerce_text(target, "relativize()")
        check_types(base=self.text, target=text)
        for candidate in sorted(_candidates(self._components, split(to_str(text))), key=len):
            reference = restore_type(candidate, text)
            if len(reference) < len(text) and self.resolve(reference) == text:
                return reference
        return text

    def __str__(self: "Base[Any]") -> str:
        return str(split(self.text))

    def __bytes__(self: "Base[Any]") -> bytes:
        return bytes(split(self.text))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"

    def __reduce__(self) -> "tuple[type[Base[Any]], tuple[str | bytes]]":
        return type(self), (self.text,)


@overload
def relativize(base: AnyStr | Reference[AnyStr] | Base[AnyStr], target: AnyStr | Reference[AnyStr]) -> AnyStr: ...
@overload
def relativize(base: Octets | Reference[bytes] | Base[bytes], target: Octets | Reference[bytes]) -> bytes: ...
def relativize(base: Any, target: Any) -> Any:
    """Find the shortest reference that leads from a base URI to a target: the inverse of `resolve` (RFC 3986, 5.2).

    Args:
        base: the base URI.
        target: a URI, of the same type of text.

    Returns:
        A reference for which `resolve(base, reference) == target`; the target itself where nothing shorter does. That
        includes a target with dot segments, to which no reference leads.

    Raises:
        ValueError: the base has no scheme.
        TypeError: an argument is no text, or one is str and the other bytes.

    >>> relativize("http://a/b/c/d?q", "http://a/b/x?y"), relativize("http://a/b/c/d?q", "http://a/b/c/d?q#top")
    ('../x?y', '#top')
    >>> relativize("urn:example:a", "urn:example:b"), relativize("http://a/b", "https://a/b")
    ('./example:b', 'https://a/b')
    """
    return to_base(base).relativize(target)


def check_types(**texts: str | bytes) -> None:
    """Refuse texts of which one is str and another bytes.

    >>> check_types(base="http://a/", reference=b"g")
    Traceback (most recent call last):
    TypeError: str and bytes do not go together: base is str, reference is bytes
    """
    if len(set(map(type, texts.values()))) > 1:
        kinds = ", ".join(f"{name} is {type(text).__name__}" for name, text in texts.items())
        raise TypeError(f"str and bytes do not go together: {kinds}")


def coerce_text(reference: object, taker: str) -> str | bytes:
    """Give the text of a reference, which may be a `Reference` or a `Base`, as plain str or plain bytes.

    Args:
        reference: a text of any accepted type, five components, or a prepared base.
        taker: who takes it, for the message.

    >>> coerce_text(Base("http://a/"), "normalize()")
    'http://a/'
    """
    return reference.text if isinstance(reference, Base) else text_of(reference, taker)


def _candidates(base: Reference[str], target: Reference[str]) -> Iterator[str]:
    """Write a reference of each form to a target: the shortest of that form, if it leads there at all."""
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
    if authority is None and path.startswith("/.//"):  # as `guard_double_slash` writes it
        path = path.removeprefix("/.")
    yield _relative_path(remove_dot_segments(merge(base, "")), path) + after
    if path.startswith("/"):
        yield path + after
        yield f"/.{path}{after}"  # a path that begins with "//" alone would be read as an authority


def _relative_path(directory: str, path: str) -> str:
    """Write the way from a directory to a path: up to what both have in common, and down from there.

    >>> _relative_path("/a/b/c/", "/a/d"), _relative_path("/a/b/", "/a/b/"), _relative_path("", "x:y")
    ('../../d', '.', './x:y')
    """
    above, below = directory.split("/")[:-1], path.split("/")
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(above, below[:-1], strict=False)))
    up, down = "../" * (len(above) - common), "/".join(below[common:])
    if not down:
        return up.removesuffix("/") or "."
    if not up and (down.startswith("/") or ":" in below[common]):  # it would be read as absolute, or as a scheme
        return f"./{down}"
    return up + down


@overload
def remove_dot_segments(path: AnyStr) -> AnyStr: ...
@overload
def remove_dot_segments(path: Octets) -> bytes: ...
def remove_dot_segments(path: str | Octets) -> str | bytes:
    """Take the segments "." and ".." out of a path, and with ".." the segment before it (RFC 3986, 5.2.4).

    Args:
        path: a path, without query and fragment.

    Raises:
        TypeError: it is neither str nor bytes-like.

    >>> remove_dot_segments("/a/b/c/./../../g"), remove_dot_segments(b"mid/content=5/../6")
    ('/a/g', b'mid/6')
    """
    if not isinstance(path, str):
        octets = to_plain_text(path, "remove_dot_segments()")
        return restore_type(remove_dot_segments(to_str(octets)), octets)
    if "/." not in path and not path.startswith("."):
        return path
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


def resolve_components(base: Reference[str], reference: Reference[str]) -> Reference[str]:
    """Resolve a reference (RFC 3986, 5.2.2), to a path that 3.3 allows.

    >>> resolve_components(Reference("foo", None, "/", None, None), Reference(None, None, ".//@@", None, None))
    Reference('foo', None, '/.//@@', None, None)
    """
    return guard_double_slash(transform(base, reference, merge=merge, remove_dot_segments=remove_dot_segments))


def guard_double_slash(reference: Reference[str]) -> Reference[str]:
    """Put "/." before a path that begins with "//" where there is no authority, or it would be read as one.

    RFC 3986, 3.3, forbids such a path. It says nothing of a target that gets one; the URL Standard of WHATWG writes it
    like this.

    >>> guard_double_slash(Reference("foo", None, "//@@", None, None))
    Reference('foo', None, '/.//@@', None, None)
    """
    if reference.authority is None and reference.path.startswith("//"):
        return reference._replace(path=f"/.{reference.path}")
    return reference


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
    return drop_last_segment(base.path) + path


def drop_last_segment(path: str) -> str:
    """Give all of a path but its last segment (RFC 3986, 5.2.3, and the documents before it).

    >>> drop_last_segment("/b/c/d"), drop_last_segment("d")
    ('/b/c/', '')
    """
    return path[: path.rfind("/") + 1]
