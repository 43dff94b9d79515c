"""Normalization and comparison (RFC 3986, 6): the comparison ladder."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, AnyStr, Final, Literal, Protocol, overload

from urisect.character_ranges import LAST_BYTE
from urisect.characters import ESCAPED, HEXDIG, UNRESERVED
from urisect.reference import Reference, recompose, split, split_authority
from urisect.repetition import one_or_more, unrolled_loop
from urisect.resolution import Base, check_types, coerce_text, guard_double_slash, remove_dot_segments, to_base
from urisect.schemes import DEFAULT_PORTS
from urisect.text_types import Octets, restore_type, to_str

__all__ = ["RFC3986_NORMALIZATION", "Normalization", "equivalent", "normalize"]

Level = Literal["string", "syntax", "scheme"]


class Specification(Protocol):
    """What a specification has to say here; each `urisect.specs.Specification` does."""

    @property
    def normalization(self) -> "Normalization":
        """The specification's rules of normalization."""


@overload
def normalize(
    reference: AnyStr | Reference[AnyStr] | Base[AnyStr], *, level: Level = "syntax", spec: Specification | None = None
) -> AnyStr: ...
@overload
def normalize(reference: Octets, *, level: Level = "syntax", spec: Specification | None = None) -> bytes: ...
def normalize(reference: Any, *, level: Level = "syntax", spec: Specification | None = None) -> Any:
    """Write a reference in its normal form (RFC 3986, 6.2).

    - `string` leaves it as it is (6.2.1).
    - `syntax` writes scheme and host in lower case and the digits of escapes in upper case, decodes the escapes of
      unreserved characters, and removes dot segments where there is a scheme, for elsewhere they wait for a base
      (6.2.2).
    - `scheme` also drops a default port and an empty one, and writes an empty path as "/" where the scheme has an
      authority (6.2.3).

    Everything else stays as it is, the letters of the userinfo, an empty query and the order of a query's parts
    included. To resolve references before or after is the same, but where "%2E" becomes a dot segment, or the base ends
    with one.

    Args:
        reference: the reference. It need not be valid; what is no escape is not read as one.
        level: how far to go.
        spec: the specification that says which octets may be decoded, and how dot segments are removed; RFC 3986 by
            default.

    Returns:
        A text of the type that was given, and the same object if it is in normal form: to see that takes one match.

    Raises:
        ValueError: there is no such level.
        TypeError: the reference is no text.

    >>> normalize("eXAMPLE://a/./b/../b/c/%7a"), normalize("HTTP://www.EXAMPLE.com/")
    ('example://a/b/c/z', 'http://www.example.com/')
    >>> normalize("http://example.com:80", level="scheme"), normalize("?a=%2f", level="scheme")
    ('http://example.com/', '?a=%2F')
    """
    normal = (RFC3986_NORMALIZATION if spec is None else spec.normalization).levels.get(level)
    if normal is None:
        raise ValueError(f"no level is called {level!r}; there are string, syntax and scheme")
    if type(reference) is str:
        return normal(reference)
    given = reference if type(reference) is bytes else coerce_text(reference, "normalize()")
    text = to_str(given)
    result = normal(text)
    return given if result is text else restore_type(result, given)


@overload
def equivalent(
    a: AnyStr | Reference[AnyStr] | Base[AnyStr],
    b: AnyStr | Reference[AnyStr] | Base[AnyStr],
    *,
    level: Level | Literal["protocol"] = "syntax",
    base: AnyStr | Reference[AnyStr] | Base[AnyStr] | None = None,
    redirects: Mapping[AnyStr, AnyStr | Reference[AnyStr]] | None = None,
    spec: Specification | None = None,
) -> bool: ...
@overload
def equivalent(
    a: Octets | Reference[bytes] | Base[bytes],
    b: Octets | Reference[bytes] | Base[bytes],
    *,
    level: Level | Literal["protocol"] = "syntax",
    base: Octets | Reference[bytes] | Base[bytes] | None = None,
    redirects: Mapping[bytes, Octets | Reference[bytes]] | None = None,
    spec: Specification | None = None,
) -> bool: ...
def equivalent(
    a: Any,
    b: Any,
    *,
    level: Level | Literal["protocol"] = "syntax",
    base: Any = None,
    redirects: Mapping[Any, Any] | None = None,
    spec: Specification | None = None,
) -> bool:
    """Tell whether two references are known to mean the same (RFC 3986, 6.2).

    False means that this level does not show it: no comparison shows that two URIs mean something different (6.1).

    Args:
        a: a reference, which has a scheme or is resolved against the base.
        b: another, of the same type of text.
        level: what is compared: the normal forms of `normalize`, or, with `protocol`, what those of `scheme` lead to
            by the redirects (6.2.4).
        base: the base URI.
        redirects: where each URI that redirects was seen to lead. It may have led to a reference, and there may be
            several steps. All of them are normalized at each call.
        spec: the specification whose normal forms they are.

    Raises:
        ValueError: a reference has no scheme and there is no base, or there are redirects at another level.
        TypeError: an argument is no text, or they are not all of one type.

    >>> equivalent("http://example.com/%7Efred", "HTTP://example.com/~fred")
    True
    >>> equivalent("http://example.com/data", "data/", base="http://example.com/", level="protocol",
    ...     redirects={"http://example.com/data": "/data/"})
    True
    """
    if redirects is not None and level != "protocol":
        raise ValueError(f"redirects are compared at the level 'protocol' only, not at {level!r}")
    first, second = _absolute(a, base), _absolute(b, base)
    check_types(a=first, b=second)
    if level != "protocol":
        return bool(normalize(first, level=level, spec=spec) == normalize(second, level=level, spec=spec))
    steps = {}
    for seen, landed in (redirects or {}).items():
        source = _absolute(seen, base)
        check_types(a=first, redirects=source)
        steps[normalize(source, level="scheme", spec=spec)] = to_base(source).resolve(landed)
    return bool(_landed(first, steps, spec) == _landed(second, steps, spec))


def _absolute(reference: Any, base: Any) -> Any:
    """Resolve a reference where it cannot be compared as it is."""
    text = coerce_text(reference, "equivalent()")
    if split(text).scheme is not None:
        return text
    if base is None:
        raise ValueError(f"{text!r} has no scheme, so to be compared it needs a base")
    return to_base(base).resolve(text)


def _landed(uri: Any, steps: Mapping[Any, Any], spec: Specification | None) -> Any:
    """Follow redirects to the end, or round and round to the least URI of the round.

    A fragment goes along, unless a step has its own (RFC 9110, 10.2.2).
    """
    sign = "#" if isinstance(uri, str) else b"#"
    passed: dict[Any, int] = {}
    uri = normalize(uri, level="scheme", spec=spec)
    while uri not in passed:
        passed[uri] = len(passed)
        document, number_sign, fragment = uri.partition(sign)
        landed = steps.get(uri) or steps.get(document, uri)
        uri = normalize(landed if sign in landed else landed + number_sign + fragment, level="scheme", spec=spec)
    return min(list(passed)[passed[uri] :])


class Normalization:
    """The rules by which references are normalized (RFC 3986, 6.2.2 and 6.2.3); a specification may have its own.

    Attributes:
        levels: what writes a text in its normal form, by the name of the level.

    >>> Normalization("a-z", remove_dot_segments).levels["syntax"]("/%61%2e")
    '/a%2E'
    """

    def __init__(self, unreserved: str, remove_dot_segments: Callable[[str], str]) -> None:
        """Compile nothing yet.

        Args:
            unreserved: the characters that are decoded, as in the brackets of a class.
            remove_dot_segments: takes "." and ".." out of a path.
        """
        self.levels: Mapping[str, Callable[[str], str]] = {
            "string": str,
            "syntax": self._by_syntax,
            "scheme": self._by_scheme,
        }
        self._unreserved = unreserved
        self._remove_dot_segments = remove_dot_segments
        self._match_normal: Callable[[str], re.Match[str] | None] = self._first_match

    def _first_match(self, text: str) -> re.Match[str] | None:
        """Compile the expression when a first text is looked at, and leave the place to it."""
        self._match_normal = re.compile(_normal_form(self._decoded), re.DOTALL).fullmatch
        return self._match_normal(text)

    def _by_syntax(self, text: str) -> str:
        return text if self._match_normal(text) else _same(text, self._normalized(text))

    def _by_scheme(self, text: str) -> str:
        match = self._match_normal(text)
        if match and match.lastindex != _SCHEME:
            return text
        reference = split(text) if match else self._normalized(text)
        scheme, authority, path = reference[:3]
        if scheme is None or authority is None:
            return _same(text, reference)
        port, number = reference.port, reference.port_number
        if port == "" or (number is not None and number == DEFAULT_PORTS.get(scheme)):
            authority = authority.removesuffix(f":{port}")
        if scheme in DEFAULT_PORTS and not path:
            path = "/"
        return _same(text, reference._replace(authority=authority, path=path))

    def _normalized(self, text: str) -> Reference[str]:
        """Normalize each component by syntax, whether it needs that or not."""
        scheme, authority, path, query, fragment = split(text)
        path = self._decode(path)
        if scheme is not None:
            scheme = _lower(scheme)
            path = self._remove_dot_segments(path)
        if authority is not None:
            userinfo, host, port = split_authority(authority)
            before = "" if userinfo is None else f"{self._decode(userinfo)}@"
            after = "" if port is None else f":{port}"
            authority = f"{before}{_lower(self._decode(host))}{after}"
        query, fragment = query and self._decode(query), fragment and self._decode(fragment)
        return guard_double_slash(Reference(scheme, authority, path, query, fragment))

    def _decode(self, component: str) -> str:
        """Decode what may be decoded, and write the digits of other escapes in upper case."""

        def normal(found: re.Match[str]) -> str:
            stray, escape = found.groups()
            return f"{stray}{escape.upper()}" if stray else self._decoded.get(escape.upper(), escape.upper())

        return re.sub(_ESCAPE, normal, component) if "%" in component else component

    @cached_property
    def _decoded(self) -> Mapping[str, str]:
        """Each escape that is decoded, and what it becomes."""
        is_unreserved = re.compile(f"[{self._unreserved}]").match
        return {
            f"%{ord(character):02X}": character for character in map(chr, range(LAST_BYTE)) if is_unreserved(character)
        }


# An escape. What stands before it is a "%" that begins none: with what would be decoded after that, it might.
_ESCAPE: Final = rf"(%[{HEXDIG}]?+(?=%))?({ESCAPED})"


# The last group that matches where the scheme has something to say: there is one, and no host followed by a path.
_SCHEME: Final = 1


def _normal_form(decoded: Iterable[str]) -> str:
    """Write the expression of a text that is normal by syntax. Groups: the scheme; "" between a host and a path.

    Args:
        decoded: the escapes that are decoded.

    It leaves out a few that are normal, too: with "%" before an escape that is kept, or "/." before "//".
    """
    pairs = "|".join(
        f"{first}[{''.join(code[2] for code in codes)}]" for first, codes in groupby(sorted(decoded), itemgetter(1))
    )
    escape = rf"%(?:(?!{pairs})[0-9A-F]{{2}}|(?![{HEXDIG}]{{2}}))"
    userinfo = one_or_more(unrolled_loop("[^/?#@%]", escape) + "@")  # the last "@" ends it
    host = unrolled_loop("[^:/?#@%A-Z]", escape)
    host_and_port = unrolled_loop("[^/?#@%A-Z]", escape) + "(?![^/?#])"
    dot_segment = r"\.\.?(?:[/?#]|\Z)"
    # One lookahead for all segments: a lookahead at each "/" takes twice the time.
    no_dot_segments = rf"(?(1)(?![^?#]*/{dot_segment}|{dot_segment}))"
    path_query_and_fragment = unrolled_loop("[^%]", escape)
    return (
        rf"(?:([^:/?#A-Z]++):|(?![^:/?#]++:))"
        rf"(?://(?:{host}(?=/)()|{host_and_port}|{userinfo}{host_and_port})|(?!//))"
        rf"{no_dot_segments}{path_query_and_fragment}"
    )


def _lower(text: str) -> str:
    """Write the letters of ASCII in lower case, but for those in escapes.

    >>> _lower("EXAMPLE%2FÉ")
    'example%2FÉ'
    """
    if text.isascii() and "%" not in text:
        return text.lower()
    return re.sub(_LETTERS, lambda found: found[0] if found[0].startswith("%") else found[0].lower(), text)


_LETTERS: Final = rf"{ESCAPED}|[A-Z]++"


def _same(text: str, reference: Reference[str]) -> str:
    """Recompose a reference, into the very text that is given if that is its text."""
    result = recompose(reference)
    return text if result == text else result


# By RFC 3986 (STD 66).
RFC3986_NORMALIZATION: Final = Normalization(UNRESERVED, remove_dot_segments)
