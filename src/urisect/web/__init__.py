r"""Check web addresses that people type into forms, and tell them what is wrong (RFC 3986, 3 and 7.6).

A web address is a valid URI (RFC 3986) with a scheme of http or https, the name or the address of a website, at most a
port up to 65535, and no user name. docs/reference/web.md has the whole definition.

>>> from urisect import web
>>> web.is_valid("https://example.com/"), web.is_valid("example.com")
(True, False)
"""

from typing import AnyStr, overload

from urisect.reference import Reference, ReferenceLike, text_of
from urisect.text_types import BytesLike
from urisect.web.grammar import BYTES_MATCHERS, STR_MATCHERS, matcher
from urisect.web.problems import Problem

__all__ = ["Problem", "check", "is_valid"]


def is_valid(text: ReferenceLike, *, schemes: tuple[str, ...] = ("http", "https")) -> bool:
    r"""Return whether a text is a web address, by one match (RFC 3986, 3; RFC 1123, 2.1).

    Args:
        text: str, bytes-like or a `Reference`.
        schemes: the allowed schemes, in any case.

    Raises:
        TypeError: the text is of another type, or `schemes` is not a tuple of str.
        ValueError: there is no scheme in `schemes`, or an invalid one.

    >>> is_valid("https://example.com:8080/a?b#c"), is_valid(b"http://"), is_valid("http://user@example.com")
    (True, False, False)
    >>> is_valid("http://example.com/", schemes=("https",))
    False
    """
    # Exact types first, by identity, as in `urisect.split`.
    try:
        if type(text) is str:
            return STR_MATCHERS[schemes](text) is not None
        if type(text) is bytes:
            return BYTES_MATCHERS[schemes](text) is not None
    except (KeyError, TypeError):  # not compiled yet, or schemes of a wrong type
        pass
    return _matches(text_of(text, "is_valid()"), schemes)


def _matches(text: str | bytes, schemes: tuple[str, ...]) -> bool:
    """Return whether a text is a web address; check the schemes first."""
    match = matcher(schemes, str)(text) if isinstance(text, str) else matcher(schemes, bytes)(text)
    return match is not None


@overload
def check(
    text: AnyStr | Reference[AnyStr], *, schemes: tuple[str, ...] = ("http", "https")
) -> tuple[Problem[AnyStr], ...]: ...
@overload
def check(
    text: BytesLike | Reference[bytes], *, schemes: tuple[str, ...] = ("http", "https")
) -> tuple[Problem[bytes], ...]: ...
def check(  # type: ignore[misc]  # as in `urisect.split`
    text: ReferenceLike, *, schemes: tuple[str, ...] = ("http", "https")
) -> tuple[Problem[str], ...] | tuple[Problem[bytes], ...]:
    r"""Find why a text is not a web address, in words for the person who typed it (RFC 3986, 3 and 7.6).

    Args:
        text: str, bytes-like or a `Reference`. Bytes are read as UTF-8; their offsets count bytes.
        schemes: the allowed schemes, in any case.

    Returns:
        The problems by offset, at most 20, each with another sentence; empty for a web address, and only then. All have
        the same suggestion.

    Raises:
        TypeError: the text is of another type, or `schemes` is not a tuple of str.
        ValueError: there is no scheme in `schemes`, or an invalid one.

    >>> for problem in check("http:/example.com/my page"):
    ...     print(problem.offset, problem.message)
    4 After "http", type a colon and two slashes: "http://".
    20 Remove the space, or type "%20" for it: a web address has no spaces.
    >>> check("example.com")[0].suggestion, check(b"www.example.com/a")[0].suggestion
    ('https://example.com', b'https://www.example.com/a')
    >>> check("https://example.com/")
    ()
    """
    plain = text_of(text, "check()")
    if is_valid(plain, schemes=schemes):
        return ()
    from urisect.web.diagnosis import diagnose  # noqa: PLC0415  most addresses are valid

    if isinstance(plain, str):
        return tuple(diagnose(plain, schemes))
    decoded = plain.decode("utf-8", "surrogateescape")
    return tuple(_to_bytes(problem, decoded) for problem in diagnose(decoded, schemes))


def _to_bytes(problem: Problem[str], text: str) -> Problem[bytes]:
    """Return a problem of a decoded text as that of its bytes."""
    end = problem.offset + problem.length
    offset, length = (
        len(part.encode("utf-8", "surrogateescape")) for part in (text[: problem.offset], text[problem.offset : end])
    )
    suggestion = None if problem.suggestion is None else problem.suggestion.encode("ascii")
    return Problem(problem.code, offset, length, problem.message, suggestion)
