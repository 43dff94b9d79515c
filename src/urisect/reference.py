"""URI references: cut into five components by one match, and put together again.

This is the hot path of the project, and the only home of the regular expression of RFC 3986, Appendix B.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, AnyStr, Final, Generic, Literal, NamedTuple, overload

from urisect.character_ranges import LAST_BYTE, LAST_CHARACTER, positive_classes
from urisect.text_types import Octets, to_plain_text

__all__ = ["Authority", "Reference", "split", "split_authority", "unsplit"]

# RFC 3986, Appendix B, prints one line that takes any string apart:
#
#     ^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?
#      12            3  4          5       6  7        8 9
#
#     scheme = $2   authority = $4   path = $5   query = $7   fragment = $9
#
# Groups 1, 3, 6 and 8 hold a component together with its delimiter. The line below departs from the printed one in
# five ways, none of which changes a component:
#
# - Groups 1, 3, 6 and 8 do not capture, for nothing reads them; the five that are left are the components, in order.
# - It never backtracks: a quantifier of a class is possessive, and an option is an atomic group, `(?>…|)`. After each
#   class comes a delimiter that the class leaves out, or nothing: there is one length at which the match goes on.
# - "^" is left out: `match` begins at the beginning.
# - "." matches every character (re.DOTALL), so that a fragment with a newline in it is kept whole.
# - A delimiter stands in brackets: "#" then means itself under re.VERBOSE too, and `pattern` can tell it from syntax.
#
# It matches every string, since each part is optional or may be empty. It is linear, since no part gives a character
# back, and only what might be a scheme is read twice, when no ":" comes after it.
APPENDIX_B: Final = r"(?>([^:/?#]++)[:]|)(?>[/][/]([^/?#]*+)|)([^?#]*+)(?>[?]([^#]*+)|)(?>[#](.*+)|)"

# authority = [ userinfo "@" ] host [ ":" port ] (RFC 3986, 3.2), cut as loosely as Appendix B cuts a reference.
# Linear: ".*" runs to the end once, and walks back to the last "@" once.
AUTHORITY: Final = r"(?>(.*)@|)(\[[^]]*+\]?+[^:]*+|[^:]*+)(?>:(.*+)|)"


# For str only the class of the path, which takes most characters, is rewritten: 303 ns, where all four would give 274.
# But ranges beyond Latin-1 take `re` 2 ms a class to compile.
# Where nothing that follows can fail, an option need not be atomic: 325 ns, not 355 (bytes: 269, not 306).
_PATH_CLASS = "[^?#]"
_APPENDIX_B = APPENDIX_B.replace("(?>", "(?:")


def _first_match_str(reference: str) -> re.Match[str]:
    """Compile the expression for str, so that `import urisect` need not wait for it, and leave the place to it."""
    global _match_str  # noqa: PLW0603  to ask at each call whether it is there would cost each call
    expression = _APPENDIX_B.replace(_PATH_CLASS, positive_classes(_PATH_CLASS, LAST_CHARACTER))
    _match_str = re.compile(expression, re.DOTALL).match  # type: ignore[assignment]
    return _match_str(reference)


def _first_match_bytes(reference: bytes) -> re.Match[bytes]:
    """Compile the expression for bytes, likewise."""
    global _match_bytes  # noqa: PLW0603
    _match_bytes = re.compile(positive_classes(_APPENDIX_B, LAST_BYTE).encode(), re.DOTALL).match  # type: ignore[assignment]
    return _match_bytes(reference)


# Both match every input, which their types say, so that no caller has to ask.
_match_str: Callable[[str], re.Match[str]] = _first_match_str
_match_bytes: Callable[[bytes], re.Match[bytes]] = _first_match_bytes


ReferenceKind = Literal["uri", "network-path", "absolute-path", "relative-path", "same-document"]


class Authority(NamedTuple, Generic[AnyStr]):
    """The sub-components of an authority, as written; None where a sub-component is undefined (RFC 3986, 3.2).

    >>> Authority(userinfo=None, host="example.com", port="80").host
    'example.com'
    """

    userinfo: AnyStr | None
    host: AnyStr
    port: AnyStr | None


class Reference(NamedTuple, Generic[AnyStr]):
    """A URI reference as its five components (RFC 3986, 3 and 4.1).

    A component is None where it is undefined, its delimiter absent, and empty where the delimiter stands alone.
    The path is always defined. All five are str, or all five are bytes, exactly as written. `str()` and `bytes()`
    put the text together again.

    Attributes:
        scheme: what stands before the first ":", if it comes before any "/", "?" or "#".
        authority: what stands between "//" and the next "/", "?" or "#".
        path: what is left between these and the query.
        query: what stands between the first "?" and "#".
        fragment: what stands after the first "#".

    >>> reference = split("http://example.com/over/there?name=ferret#nose")
    >>> reference.authority, reference.path
    ('example.com', '/over/there')
    >>> match split("mailto:fred@example.com"):
    ...     case Reference(scheme="mailto", path=mailbox):
    ...         print(mailbox)
    fred@example.com
    """

    scheme: AnyStr | None
    authority: AnyStr | None
    path: AnyStr
    query: AnyStr | None
    fragment: AnyStr | None

    @property
    def userinfo(self) -> AnyStr | None:
        """What stands before the last "@" of the authority, or None (RFC 3986, 3.2.1).

        >>> split("ftp://user:secret@host/").userinfo
        'user:secret'
        >>> split("http://a@b@c/").userinfo
        'a@b'
        """
        return None if self.authority is None else split_authority(self.authority).userinfo

    @property
    def host(self) -> AnyStr | None:
        """The host, an IP literal in its brackets; None where there is no authority (RFC 3986, 3.2.2).

        It begins after the userinfo and ends before the port, as `split_authority` says.

        >>> split("http://[2001:db8::7]:80/").host
        '[2001:db8::7]'
        >>> split("file:///etc/hosts").host
        ''
        """
        return None if self.authority is None else split_authority(self.authority).host

    @property
    def port(self) -> AnyStr | None:
        """What stands after the first ":" that follows the host, or None (RFC 3986, 3.2.3).

        >>> split("http://localhost:8080/").port, split("http://localhost:/").port, split("http://localhost/").port
        ('8080', '', None)
        >>> split("http://a:80:81/").port
        '80:81'
        """
        return None if self.authority is None else split_authority(self.authority).port

    @property
    def port_number(self) -> int | None:
        """The port as an integer, not checked against any range; None where it is absent, empty or no number.

        Only ASCII digits make a number (RFC 3986, 3.2.3: port = *DIGIT), and no more of them than `int` takes.

        >>> split("http://localhost:8080/").port_number
        8080
        >>> split("http://localhost:80x/").port_number is None
        True
        """
        port = self.port
        if not port or not (port.isascii() and port.isdigit()):
            return None
        try:
            return int(port)
        except ValueError:  # more digits than sys.get_int_max_str_digits() allows
            return None

    @property
    def kind(self) -> ReferenceKind:
        """Which form of reference this is (RFC 3986, 4.1, 4.2 and 4.4).

        "uri" with a scheme; otherwise "network-path" with an authority, "absolute-path" where the path begins with
        "/", "same-document" where nothing but a fragment is left, and "relative-path".

        >>> split("//example.com/a").kind, split("?q").kind, split("#top").kind
        ('network-path', 'relative-path', 'same-document')
        """
        if self.scheme is not None:
            return "uri"
        if self.authority is not None:
            return "network-path"
        if self.path:
            slash = "/" if isinstance(self.path, str) else b"/"
            return "absolute-path" if self.path.startswith(slash) else "relative-path"
        return "same-document" if self.query is None else "relative-path"

    @property
    def is_absolute(self) -> bool:
        """Whether this has the form of an absolute-URI: a scheme, and no fragment (RFC 3986, 4.3).

        >>> split("http://a/").is_absolute, split("http://a/#top").is_absolute
        (True, False)
        """
        return self.scheme is not None and self.fragment is None

    # Any, since to mypy a method over a constrained type variable is two methods, neither of which has this `self`.
    def __str__(self: "Reference[Any]") -> str:
        """The text of the reference (RFC 3986, 5.3); bytes are read as UTF-8, others kept as PEP 383 keeps them.

        >>> str(split(b"//example.com"))
        '//example.com'
        """
        text = unsplit(self)
        return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")

    def __bytes__(self: "Reference[Any]") -> bytes:
        """The octets of the reference (RFC 3986, 5.3); text is written as UTF-8, so that `str` leads back to it.

        >>> bytes(split("//example.com"))
        b'//example.com'
        """
        text = unsplit(self)
        return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")

    def __repr__(self: "Reference[Any]") -> str:
        """The five components in their order.

        >>> split("?q")
        Reference(None, None, '', 'q', None)
        """
        return f"{type(self).__name__}({', '.join(map(repr, self))})"


# Called with a tuple it fills a Reference in 95 ns, where Reference(*components) takes 225 ns (CPython 3.11).
_new: Callable[[type[Reference[Any]], tuple[Any, ...]], Reference[Any]] = tuple.__new__


@overload
def split(reference: AnyStr) -> Reference[AnyStr]: ...
@overload
def split(reference: Octets) -> Reference[bytes]: ...
def split(reference: str | Octets) -> Reference[Any]:
    r"""Cut a URI reference into its five components (RFC 3986, Appendix B).

    One match, no validation: whatever the text holds, it is cut and never refused, and nothing of it is lost:
    `unsplit(split(s)) == s`.

    Args:
        reference: the text. str gives str components; bytes, bytearray and memoryview give bytes.

    Returns:
        The components, None where one is undefined.

    Raises:
        TypeError: the argument is neither str nor bytes-like.

    >>> split("http://www.ics.uci.edu/pub/ietf/uri/#Related")
    Reference('http', 'www.ics.uci.edu', '/pub/ietf/uri/', None, 'Related')
    >>> split(b"//h\xff?")
    Reference(None, b'h\xff', b'', b'', None)
    """
    # The exact types first, by identity: isinstance() would add 15 ns to each call.
    if type(reference) is str:
        return _new(Reference, _match_str(reference).groups())
    if type(reference) is bytes:
        return _new(Reference, _match_bytes(reference).groups())
    return split(to_plain_text(reference, "split()"))


@cache
def _authority(kind: type) -> Callable[..., re.Match[Any]]:
    """Compile the expression of an authority, which matches every input, for text of one type."""
    return re.compile(AUTHORITY if kind is str else AUTHORITY.encode(), re.DOTALL).fullmatch  # type: ignore[return-value]


def split_authority(authority: AnyStr) -> Authority[AnyStr]:
    """Cut an authority into its sub-components (RFC 3986, 3.2), as loosely as `split` cuts a reference.

    The userinfo ends at the last "@". The host ends at the first ":" after that, or after the "]" of a host that
    begins with "[": neither a name nor a port may hold a ":", so a second one is left in the port, which then is no
    number. A "[" that is never closed takes the rest.

    Args:
        authority: the authority as written, without its slashes.

    >>> split_authority("fred@[::1]:8080")
    Authority(userinfo='fred', host='[::1]', port='8080')
    >>> split_authority(b"a:80:81")
    Authority(userinfo=None, host=b'a', port=b'80:81')
    """
    return Authority(*_authority(str if isinstance(authority, str) else bytes)(authority).groups())


_STR_DELIMITERS = (":", "//", "?", "#")
_BYTES_DELIMITERS = (b":", b"//", b"?", b"#")


def unsplit(components: Iterable[AnyStr | None]) -> AnyStr:
    """Put five components together into the text that splits back into them (RFC 3986, 5.3).

    Args:
        components: scheme, authority, path, query and fragment, None where undefined; all str or all bytes. A
            `Reference` is one, any tuple of five will do.

    Raises:
        ValueError: there are not five components, or no text splits back into them: one holds the delimiter at
            which it would end, the scheme is empty, the path would be read as an authority, as a part of it, or as a
            scheme. The message says which.
        TypeError: a component is neither str nor bytes, or not of the same type as the path; the path is None; the
            components are one text.

    >>> unsplit(("http", "example.com", "/", None, "top"))
    'http://example.com/#top'
    >>> unsplit((None, None, "//example.com", None, None))
    Traceback (most recent call last):
    ValueError: no reference has these components: the path '//example.com' would be read as an authority
    """
    reference: Reference[AnyStr] = Reference(*_five(components))
    text = recompose(reference)
    if split(text) != reference:
        raise ValueError(f"no reference has these components: {_fault(reference)}")
    return text


def _five(components: Iterable[Any]) -> tuple[Any, ...]:
    """Check the number and the types of components."""
    if isinstance(components, str | Octets):
        raise TypeError(f"unsplit() takes five components, not one {type(components).__name__}")
    five = tuple(components)
    if len(five) != len(Reference._fields):
        raise ValueError(f"a reference has five components, of which the path alone is always there; got {len(five)}")
    wanted = bytes if isinstance(five[2], bytes) else str
    for name, component in zip(Reference._fields, five, strict=True):
        if not isinstance(component, wanted) and (component is not None or name == "path"):
            raise TypeError(
                f"the components of a reference are all str or all bytes, None where undefined (never the path); "
                f"the {name} is {type(component).__name__}, the path {type(five[2]).__name__}"
            )
    return five


@overload
def text_of(reference: str | Reference[str], taker: str) -> str: ...
@overload
def text_of(reference: Octets | Reference[bytes], taker: str) -> bytes: ...
@overload
def text_of(reference: object, taker: str) -> str | bytes: ...
def text_of(reference: object, taker: str) -> str | bytes:
    """Give the text of a reference, which may be a `Reference`, as plain str or plain bytes.

    Args:
        reference: a text of any accepted type, or five components.
        taker: who takes it, for the message.

    Raises:
        TypeError: it is neither; the message names its type.
        ValueError: it is a `Reference` that no text splits into.

    >>> text_of(split("//example.com"), "resolve()"), text_of(bytearray(b"a"), "resolve()")
    ('//example.com', b'a')
    """
    return to_plain_text(unsplit(reference) if isinstance(reference, Reference) else reference, taker)


def recompose(reference: Reference[AnyStr]) -> AnyStr:
    """Join components and delimiters, as the pseudocode of RFC 3986, 5.3, does; `unsplit` is this, checked.

    >>> recompose(Reference(None, "example.com", "/", "", None))
    '//example.com/?'
    """
    scheme, authority, path, query, fragment = reference
    colon, slashes, question_mark, number_sign = _STR_DELIMITERS if isinstance(path, str) else _BYTES_DELIMITERS
    result = path[:0]
    if scheme is not None:
        result += scheme + colon
    if authority is not None:
        result += slashes + authority
    result += path
    if query is not None:
        result += question_mark + query
    if fragment is not None:
        result += number_sign + fragment
    return result


def _fault(reference: Reference[AnyStr]) -> str:
    """Say why no text splits into the components of a reference that none splits into."""
    scheme, authority, path, _, _ = reference
    if scheme is not None and not scheme:
        return "a scheme cannot be empty, for a ':' at the beginning delimits none"
    for name, component, delimiters in zip(reference._fields, reference, (":/?#", "/?#", "?#", "#"), strict=False):
        for delimiter in delimiters:
            if component is not None and (delimiter if isinstance(component, str) else delimiter.encode()) in component:
                return f"the {name} {component!r} would end at its {delimiter!r}"
    if authority is not None:
        return f"the path {path!r} would be read as a part of the authority, since it does not begin with '/'"
    if scheme is None and split(path).scheme is not None:
        return f"the path {path!r} would be read as a scheme and a path"
    return f"the path {path!r} would be read as an authority"
