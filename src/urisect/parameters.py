"""Parse and build the parameters of a query: names and values, as forms write them (RFC 3986, 3.4).

RFC 3986 leaves the inside of a query to the scheme. By convention "&" separates parameters, and the first "=" of a
parameter ends its name (HTML Standard, 4.10.21.7; URL Standard of WHATWG, 5).
"""

import re
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, AnyStr, Generic, Never, TypeAlias, TypeGuard, TypeVar, overload

from urisect.escapes import decode_any, encode
from urisect.text_types import BytesLike, to_plain_text

__all__ = [
    "Pairs",
    "Parameters",
    "build",
    "build_all",
    "build_parameter",
    "build_value",
    "is_sequence",
    "is_text",
    "name_expression",
    "parse",
    "plain_pairs",
    "unexpected_type",
]

_Name = TypeVar("_Name")
_Value = TypeVar("_Value")

# What stands for parameters; a number is written in digits.
Pairs: TypeAlias = (
    Mapping[_Name, _Value | float | Sequence[_Value | float | None] | None]
    | Sequence[tuple[_Name, _Value | float | None]]
    | Iterator[tuple[_Name, _Value | float | None]]
    | ItemsView[_Name, _Value | float | None]
)


class Parameters(Mapping[AnyStr, AnyStr | None], Generic[AnyStr]):
    """The parameters of a query, decoded, in their order (RFC 3986, 3.4).

    A mapping from each name to its first value; None is the value of a parameter without "=". A name may have several
    values: `get_all` returns them, and `pairs` has every parameter.

    Attributes:
        pairs: the name and the value of each parameter.

    >>> from urisect import split
    >>> parameters = split("/search?tag=a&page=2&tag=b").parameters
    >>> parameters["page"], parameters.get_all("tag"), parameters.get("sort", "date")
    ('2', ['a', 'b'], 'date')
    """

    __slots__ = ("pairs",)

    pairs: tuple[tuple[AnyStr, AnyStr | None], ...]

    def __init__(self, pairs: Iterable[tuple[AnyStr, AnyStr | None]] = ()) -> None:
        """Store the pairs of names and values, which are not encoded."""
        self.pairs = tuple(pairs)

    def __getitem__(self, name: AnyStr) -> AnyStr | None:
        for each, value in self.pairs:
            if each == name:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[AnyStr]:
        return iter(dict(self.pairs))

    def __len__(self) -> int:
        return len(dict(self.pairs))

    def get_all(self, name: AnyStr) -> list[AnyStr | None]:
        """Return all values of a name in their order; an empty list if no parameter has the name.

        Args:
            name: the name, decoded.

        >>> Parameters([("tag", "a"), ("tag", None)]).get_all("tag")
        ['a', None]
        """
        return [value for each, value in self.pairs if each == name]

    def __eq__(self, other: object) -> bool:
        return self.pairs == other.pairs if isinstance(other, Parameters) else super().__eq__(other)

    def __hash__(self) -> int:
        return hash(self.pairs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.pairs)!r})"


@overload
def parse(
    text: AnyStr, *, form: bool = False, max_parameters: int | None = None
) -> list[tuple[AnyStr, AnyStr | None]]: ...
@overload
def parse(
    text: BytesLike, *, form: bool = False, max_parameters: int | None = None
) -> list[tuple[bytes, bytes | None]]: ...
@overload
def parse(text: None, *, form: bool = False, max_parameters: int | None = None) -> list[Never]: ...
def parse(  # type: ignore[misc]  # as in `urisect.split`
    text: str | BytesLike | None, *, form: bool = False, max_parameters: int | None = None
) -> list[tuple[str, str | None]] | list[tuple[bytes, bytes | None]]:
    r"""Parse the parameters of a query (RFC 3986, 3.4).

    "&" separates parameters; between two of them there may be nothing. The first "=" ends the name. Names and values
    are decoded, after they are separated; escapes of a str that are not UTF-8 become lone surrogates (PEP 383), which
    `build` turns into the same escapes.

    Args:
        text: the query, without "?": str or bytes-like; None has no parameters.
        form: whether "+" is a space, as in what an HTML form sends; otherwise "+" is a plus sign.
        max_parameters: how many parameters to accept.

    Returns:
        Names and values in order, str for str and bytes for bytes-like; the value of a parameter without "=" is None.

    Raises:
        TypeError: the text is neither str nor bytes-like.
        ValueError: there are more than `max_parameters`.

    >>> parse("q=R%26D&lang=&debug&q=1+1"), parse("q=1+1", form=True)
    ([('q', 'R&D'), ('lang', ''), ('debug', None), ('q', '1+1')], [('q', '1 1')])
    >>> parse(b"name=caf%E9")
    [(b'name', b'caf\xe9')]
    """
    if text is None:
        return []
    # Any: the type checker does not follow that all delimiters are of the type of the text.
    query: Any = text if type(text) is str else to_plain_text(text, "parse()")
    ampersand, equals, plus, space, percent = ("&", "=", "+", " ", "%") if isinstance(query, str) else _BYTES_DELIMITERS
    if max_parameters is not None:
        _check_number(query.split(ampersand), max_parameters)
    if form:
        query = query.replace(plus, space)
    pairs: list[Any] = []
    for piece in query.split(ampersand):
        name, is_defined, value = piece.partition(equals)
        if percent in piece:
            name, value = decode_any(name), decode_any(value)
        if is_defined:
            pairs.append((name, value))
        elif piece:
            pairs.append((name, None))
    return pairs


_BYTES_DELIMITERS: Any = (b"&", b"=", b"+", b" ", b"%")


def _check_number(pieces: Sequence[object], max_parameters: int) -> None:
    count = sum(map(bool, pieces))
    if count > max_parameters:
        raise ValueError(f"the query has {count:,} parameters, more than max_parameters={max_parameters:,}")


@overload
def build(pairs: Pairs[str, str] | Parameters[str], *, form: bool = False) -> str: ...
@overload
def build(pairs: Pairs[bytes, BytesLike] | Parameters[bytes], *, form: bool = False) -> bytes: ...
def build(
    pairs: Pairs[str, str] | Pairs[bytes, BytesLike] | Parameters[str] | Parameters[bytes], *, form: bool = False
) -> str | bytes:
    r"""Build a query from names and values, and encode them as needed: the inverse of `parse` (RFC 3986, 2.4, 3.4).

    "&", "=", "+", ";" and "%" in a name or a value become escapes, so the query means the same to programs that decode
    "+" as a space and to others.

    Args:
        pairs: names and values, not encoded: a mapping, pairs, or `Parameters`. The value None writes the name without
            "="; an int or a float is written in digits; in a mapping, a sequence of values repeats the name.
        form: whether a space becomes "+", as HTML forms write it; otherwise it becomes "%20".

    Returns:
        The query without "?", as bytes if a name or a value is bytes-like, else as str; empty if there are no pairs.

    Raises:
        TypeError: a name is not text, a value has another type (a bool: which text stands for it?), or one text is str
            and another bytes-like.
        ValueError: a parameter has neither a name nor "=", or a float is not finite.

    >>> build([("q", "R&D 1+1"), ("page", 2), ("debug", None)]), build({"tag": ["a", "b c"]}, form=True)
    ('q=R%26D%201%2B1&page=2&debug', 'tag=a&tag=b+c')
    >>> build({b"name": b"caf\xe9"})
    b'name=caf%E9'
    """
    query = build_all(plain_pairs(pairs), form=form)
    return "" if query is None else query


def build_all(pairs: Sequence[tuple[Any, Any]], *, form: bool = False) -> Any:
    """Build a query from what `plain_pairs` returns; None without pairs, whose type of text is unknown."""
    if not pairs:
        return None
    ampersand = "&" if isinstance(pairs[0][0], str) else b"&"
    return ampersand.join([build_parameter(name, value, form=form) for name, value in pairs])


def build_parameter(name: Any, value: Any, *, form: bool = False) -> Any:
    """Build one parameter from a plain name, and a plain value or None.

    >>> build_parameter("q", "1+1"), build_parameter(b"debug", None)
    ('q=1%2B1', b'debug')
    """
    encoded = build_value(name, form=form)
    if value is None:
        return encoded
    return encoded + ("=" if isinstance(encoded, str) else b"=") + build_value(value, form=form)


def build_value(value: AnyStr, *, form: bool = False) -> AnyStr:
    """Encode a plain name or value.

    >>> build_value("R&D 1", form=True)
    'R%26D+1'
    """
    if value.isalnum() and value.isascii():  # nothing to encode, in a tenth of the time
        return value
    encoded = encode(value, "query value")
    if form:
        return encoded.replace("%20", "+") if isinstance(encoded, str) else encoded.replace(b"%20", b"+")
    return encoded


def plain_pairs(pairs: object) -> list[tuple[Any, Any]]:
    """List names and values as plain str, or all as plain bytes; a value may be None.

    Args:
        pairs: a mapping, pairs, or `Parameters`, as `build` takes them.

    Raises:
        TypeError: `pairs` or a value has another type, a name is not text, or types of text differ.
        ValueError: a parameter has neither a name nor a value, or a float is not finite.

    >>> plain_pairs({"tag": ["a", "b"], "page": 2})
    [('tag', 'a'), ('tag', 'b'), ('page', '2')]
    """
    plain: list[tuple[Any, Any]] = []
    text_type: type[str | bytes] | None = None
    for name, value in _list_pairs(pairs):
        if type(name) is str and type(value) is str and text_type is not bytes:  # the usual case
            plain.append((name, value))
            text_type = str
            continue
        if not is_text(name):
            raise unexpected_type("query", name, "pairs whose names are text")
        plain_name = to_plain_text(name, "build()")
        plain_value = None if value is None else _plain_value(value, type(plain_name))
        if not plain_name and plain_value is None:
            raise ValueError("a parameter without a name needs a value, which may be empty")
        text_type = text_type or type(plain_name)
        if type(plain_name) is not text_type or (plain_value is not None and type(plain_value) is not text_type):
            raise TypeError("the query has str and bytes: pass only str, or only bytes")
        plain.append((plain_name, plain_value))
    return plain


_NUMBER = int | float


def _plain_value(value: object, text_type: type[str | bytes]) -> str | bytes:
    if isinstance(value, _NUMBER) and not isinstance(value, bool):
        number = _format_number(value)
        return number if text_type is str else number.encode()
    if not is_text(value):
        raise unexpected_type("query", value, "pairs whose values are text, numbers or None")
    return to_plain_text(value, "build()")


def _list_pairs(query: object) -> Iterator[tuple[object, object]]:
    if isinstance(query, Parameters):
        yield from query.pairs
    elif type(query) is dict or isinstance(query, Mapping):  # the test for an abstract class takes 300 ns
        for name, value in query.items():
            if is_sequence(value):
                yield from ((name, each) for each in value)
            else:
                yield name, value
    elif type(query) is list or (isinstance(query, Iterable) and not isinstance(query, _NOT_PAIRS)):
        for pair in query:
            if not is_sequence(pair) or len(pair) != len(("name", "value")):
                raise unexpected_type("query", pair, "a sequence of pairs")
            yield pair[0], pair[1]
    else:
        raise unexpected_type("query", query, "a mapping or a sequence of pairs")


# Their order is arbitrary, or they are text.
_NOT_PAIRS = (set, frozenset, str, bytes, bytearray, memoryview)


def _format_number(number: float) -> str:
    if isinstance(number, int):
        return str(int(number))  # of a subclass, such as IntEnum, the digits
    if not isfinite(number):
        raise ValueError(f"the query has the value {number}, which is not a finite number")
    return repr(float(number))


def is_text(value: object) -> bool:
    """Check whether a value is a text: str or bytes-like.

    >>> is_text("a"), is_text(bytearray()), is_text(["a"])
    (True, True, False)
    """
    return isinstance(value, str | BytesLike)


def is_sequence(value: object) -> TypeGuard[Sequence[object]]:
    """Check whether a value is a sequence, but not a text.

    >>> is_sequence(["a"]), is_sequence("a")
    (True, False)
    """
    return type(value) not in _SCALARS and not is_text(value) and isinstance(value, Sequence)


_SCALARS = {str, bytes, int, float, type(None)}


def unexpected_type(part: str, value: object, expected: str) -> TypeError:
    """Make the error for a value of another type.

    >>> unexpected_type("port", 1.5, "an int")
    TypeError('the port must be an int, not float')
    """
    return TypeError(f"the {part} must be {expected}, not {type(value).__name__}")


def name_expression(pattern: str) -> str:
    r"""Write the expression of a pattern of names, in which "*" stands for any text.

    It needs re.DOTALL and `fullmatch`. It takes linear time, because an atomic group takes the first place where a part
    of the pattern matches.

    >>> print(name_expression("utm_*"), name_expression("a.*b*c"))
    utm_.*(?<=) a\.(?>.*?b).*(?<=c)
    """
    first, *others = map(re.escape, re.split(r"\*+", pattern))
    middle = "".join(f"(?>.*?{part})" for part in others[:-1])
    last = f".*(?<={others[-1]})" if others else ""
    return f"{first}{middle}{last}"
