"""Read and change the parameters of a query, and nothing else of a reference (RFC 3986, 3.4).

"&" separates parameters, and the first "=" of each ends its name. Names and values are decoded when they are read, and
encoded when they are written. With `form=True`, "+" is a space, as in what an HTML form sends.

>>> from urisect import query
>>> query.set("http://example.com/search?q=R%26D&page=1#top", {"page": 2})
'http://example.com/search?q=R%26D&page=2#top'
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, AnyStr, TypeVar, overload

from urisect.parameters import (
    Pairs,
    Parameters,
    build,
    build_parameter,
    build_value,
    name_expression,
    parse,
    plain_pairs,
)
from urisect.reference import Reference, ReferenceLike, split, text_of
from urisect.text_types import BytesLike, to_plain_text

__all__ = ["Parameters", "build", "get", "parse", "remove", "set", "sort"]

_Default = TypeVar("_Default")


@overload
def get(reference: AnyStr | Reference[AnyStr], name: AnyStr, *, form: bool = False) -> AnyStr | None: ...
@overload
def get(
    reference: AnyStr | Reference[AnyStr], name: AnyStr, default: _Default, *, form: bool = False
) -> AnyStr | _Default | None: ...
@overload
def get(reference: BytesLike | Reference[bytes], name: BytesLike, *, form: bool = False) -> bytes | None: ...
@overload
def get(
    reference: BytesLike | Reference[bytes], name: BytesLike, default: _Default, *, form: bool = False
) -> bytes | _Default | None: ...
def get(  # type: ignore[misc]  # as in `urisect.split`
    reference: ReferenceLike, name: str | BytesLike, default: object = None, *, form: bool = False
) -> str | bytes | object | None:
    """Return the first value of a parameter, decoded (RFC 3986, 3.4).

    `Reference.parameters` has all values.

    Args:
        reference: the reference, str or bytes-like, or a `Reference`.
        name: the name, decoded.
        default: what to return if no parameter has the name.
        form: whether "+" is a space.

    Returns:
        The value; None for a parameter without "=".

    Raises:
        TypeError: an argument is not a text, or their types differ.

    >>> url = "http://example.com/search?q=R%26D&page=2&debug"
    >>> get(url, "q"), get(url, "debug"), get(url, "sort"), get(url, "sort", "date")
    ('R&D', None, None, 'date')
    """
    text = text_of(reference, "get()")
    wanted = _check_type(text, to_plain_text(name, "get()"))
    for each, value in parse(split(text).query, form=form):
        if each == wanted:
            return value
    return default


@overload
def set(reference: str | Reference[str], values: Pairs[str, str] | Parameters[str], *, form: bool = False) -> str: ...
@overload
def set(
    reference: AnyStr | Reference[AnyStr], values: Pairs[AnyStr, AnyStr] | Parameters[AnyStr], *, form: bool = False
) -> AnyStr: ...
@overload
def set(
    reference: BytesLike | Reference[bytes], values: Pairs[bytes, BytesLike] | Parameters[bytes], *, form: bool = False
) -> bytes: ...
def set(  # type: ignore[misc]  # as in `urisect.split`
    reference: ReferenceLike,
    values: Pairs[str, str] | Pairs[bytes, BytesLike] | Parameters[str] | Parameters[bytes],
    *,
    form: bool = False,
) -> str | bytes:
    """Give parameters new values; every other byte stays (RFC 3986, 3.4).

    A parameter that exists keeps its place, and its name as it is written. If a name is repeated, its values are
    replaced in order, and surplus parameters are removed. New parameters come at the end. A value that a parameter has
    already is not written again.

    Args:
        reference: the reference, str or bytes-like, or a `Reference`.
        values: names and values, not encoded, as `build` takes them: a sequence of values repeats the name, None writes
            the name without "=", a number is written in digits.
        form: whether "+" is a space, in what is read and what is written.

    Returns:
        The reference, str for str, and bytes for anything bytes-like; the same object if nothing changes.

    Raises:
        TypeError: a name or a value has a type that `build` does not take, or another one than the reference.
        ValueError: as in `build`.

    >>> set("/search?q=a+b&page=1&utm_source=x", {"page": 2, "lang": "de"})
    '/search?q=a+b&page=2&utm_source=x&lang=de'
    >>> set("/?tag=a&x&tag=b", {"tag": ["a", "c", "d"]})
    '/?tag=a&x&tag=c&tag=d'
    """
    text = text_of(reference, "set()")
    components = split(text)
    new: dict[Any, list[Any]] = {}
    if type(values) is dict or isinstance(values, Mapping):
        new = {_check_type(text, to_plain_text(name, "set()")): [] for name in values}  # a name may have no value
    for name, value in plain_pairs(values):
        new.setdefault(_check_type(text, name), []).append(value)
    written: list[Any] = []
    for piece, name, value in _pieces(components.query, form=form):
        waiting = new.get(name)
        if waiting is None or not piece:
            written.append(piece)
        elif waiting:
            new_value = waiting.pop(0)
            written.append(piece if value == new_value else _rewrite(piece, new_value, form=form))
    added = [build_parameter(name, value, form=form) for name, values in new.items() for value in values]
    if added and written and not written[-1]:
        written.pop()  # an "&" at the end separates what is added
    return _with_pieces(text, components, written + added)


def _rewrite(piece: Any, value: Any, *, form: bool) -> Any:
    """Write a parameter with a new value; its name stays as it is written."""
    equals = _EQUALS[type(piece)]
    name, _, _ = piece.partition(equals)
    return name if value is None else name + equals + build_value(value, form=form)


@overload
def remove(reference: AnyStr | Reference[AnyStr], *patterns: AnyStr, form: bool = False) -> AnyStr: ...
@overload
def remove(reference: BytesLike | Reference[bytes], *patterns: BytesLike, form: bool = False) -> bytes: ...
def remove(  # type: ignore[misc]  # as in `urisect.split`
    reference: ReferenceLike, *patterns: str | BytesLike, form: bool = False
) -> str | bytes:
    """Remove the parameters whose names match; every other byte stays (RFC 3986, 3.4).

    If no parameter is left, the query becomes undefined: the "?" goes, too.

    Args:
        reference: the reference, str or bytes-like, or a `Reference`.
        patterns: names, decoded, in which "*" stands for any text; upper and lower case differ.
        form: whether "+" is a space.

    Returns:
        The reference, str for str, and bytes for anything bytes-like; the same object if nothing matches.

    Raises:
        TypeError: an argument is not a text, or their types differ.

    >>> remove("http://example.com/?utm_source=x&id=7&utm_medium=y#top", "utm_*", "fbclid")
    'http://example.com/?id=7#top'
    >>> remove("http://example.com/?utm_source=x", "utm_*")
    'http://example.com/'
    """
    text = text_of(reference, "remove()")
    plain = tuple(_check_type(text, to_plain_text(pattern, "remove()")) for pattern in patterns)
    if not plain:
        return text
    components = split(text)
    matches = _match_names(plain)
    kept = [piece for piece, name, _ in _pieces(components.query, form=form) if not (piece and matches(name))]
    return _with_pieces(text, components, kept)


@lru_cache
def _match_names(patterns: tuple[Any, ...]) -> Callable[[Any], object]:
    """Compile patterns of names."""
    is_text = isinstance(patterns[0], str)
    texts = [pattern if is_text else pattern.decode("latin-1") for pattern in patterns]
    expression: Any = f"(?:{'|'.join(map(name_expression, texts))})"
    return re.compile(expression if is_text else expression.encode("latin-1"), re.DOTALL).fullmatch


@overload
def sort(reference: AnyStr | Reference[AnyStr], *, form: bool = False) -> AnyStr: ...
@overload
def sort(reference: BytesLike | Reference[bytes], *, form: bool = False) -> bytes: ...
def sort(reference: ReferenceLike, *, form: bool = False) -> str | bytes:  # type: ignore[misc]  # as above
    """Sort the parameters by their names; values of one name keep their order (RFC 3986, 3.4).

    Args:
        reference: the reference, str or bytes-like, or a `Reference`.
        form: whether "+" is a space.

    Returns:
        The reference, str for str, and bytes for anything bytes-like; the same object if it is sorted.

    Raises:
        TypeError: the reference is not a text.

    >>> sort("/search?q=x&lang=de&tag=b&tag=a")
    '/search?lang=de&q=x&tag=b&tag=a'
    """
    text = text_of(reference, "sort()")
    components = split(text)
    pieces = _pieces(components.query, form=form)
    pieces.sort(key=_sort_key)
    return _with_pieces(text, components, [piece for piece, _, _ in pieces])


def _sort_key(piece: tuple[Any, Any, Any]) -> tuple[bool, Any]:
    text, name, _ = piece
    return not text, name  # an empty piece comes last


_AMPERSAND: Any = {str: "&", bytes: b"&"}
_EQUALS: Any = {str: "=", bytes: b"="}
_QUESTION_MARK: Any = {str: "?", bytes: b"?"}


def _pieces(query: Any, *, form: bool) -> list[tuple[Any, Any, Any]]:
    """Split a query at its delimiters: each piece with its name and value; an empty piece has none."""
    if query is None:
        return []
    pieces, pairs = query.split(_AMPERSAND[type(query)]), parse(query, form=form)
    if len(pieces) != len(pairs):
        parsed = iter(pairs)
        pairs = [next(parsed) if piece else (piece, None) for piece in pieces]
    return [(piece, name, value) for piece, (name, value) in zip(pieces, pairs, strict=True)]


def _with_pieces(text: Any, components: Reference[Any], pieces: list[Any]) -> str | bytes:
    """Put another query into a reference; without a piece it becomes undefined."""
    query = _AMPERSAND[type(text)].join(pieces) if pieces else None
    end = len(text) if components.fragment is None else len(text) - len(components.fragment) - 1
    start = end if components.query is None else end - len(components.query) - 1
    changed: str | bytes = (
        text[:start] + (text[:0] if query is None else _QUESTION_MARK[type(text)] + query) + text[end:]
    )
    return text if changed == text else changed


def _check_type(reference: Any, text: Any) -> Any:
    """Return a text if it has the type of the reference."""
    if type(reference) is not type(text):
        kinds = type(reference).__name__, type(text).__name__
        raise TypeError(f"the reference is {kinds[0]}, a name or a value {kinds[1]}: pass only str, or only bytes")
    return text
