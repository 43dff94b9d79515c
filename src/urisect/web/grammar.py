r"""Define which texts are web addresses, as one expression (RFC 3986, 3; RFC 1123, 2.1; RFC 1035, 2.3.4).

The definition, in words, is in docs/reference/web.md. It is narrower than RFC 3986: a host is a name that the DNS can
have, or an IP address, and never empty; a port is a number up to 65535; there is no userinfo. "http" is not a host.
"""

import re
from collections.abc import Callable
from typing import AnyStr, Final, overload

from urisect.address import IPV4ADDRESS, IPV6ADDRESS
from urisect.characters import ALPHA, DIGIT, ESCAPED, HEXDIG, PCHAR, SCHEME
from urisect.repetition import unrolled_loop, zero_or_more
from urisect.text_types import compile_for

__all__ = [
    "BYTES_MATCHERS",
    "MAX_LABEL_LENGTH",
    "MAX_MATCHERS",
    "MAX_NAME_LENGTH",
    "STR_MATCHERS",
    "check_schemes",
    "matcher",
]

MAX_LABEL_LENGTH: Final = 63
MAX_NAME_LENGTH: Final = 253  # without a dot at the end

_LETTER_OR_DIGIT: Final = f"{ALPHA}{DIGIT}"
_LABEL: Final = rf"[{_LETTER_OR_DIGIT}\-]{{1,{MAX_LABEL_LENGTH}}}+(?<!-)"

# Browsers read a name as an IPv4 address if its last label is a decimal or hexadecimal number (WHATWG URL, 3.5,
# "ends in a number checker"). Every label begins with a letter or a digit: the expression looks for one after each dot.
_NUMBER: Final = rf"0[Xx][{HEXDIG}]*+|[{DIGIT}]++"

# "http://https//example.com" has the host "https": somebody typed the scheme twice. As a branch of the expression for
# the last label, it takes 1 to 2 % of `is_valid`, as one of its own, 4 % (CPython 3.11). The first label is after "//".
_SCHEME_AS_NAME: Final = "[Hh](?<=//[Hh])[Tt][Tt][Pp][Ss]?+"
_NO_LAST_LABEL: Final = rf"(?:{_NUMBER}|{_SCHEME_AS_NAME})(?![{_LETTER_OR_DIGIT}\-])"
_NAME: Final = (
    rf"(?=[{_LETTER_OR_DIGIT}])(?![{_LETTER_OR_DIGIT}.\-]{{{MAX_NAME_LENGTH}}}\.?+[{_LETTER_OR_DIGIT}\-])"
    + zero_or_more(rf"{_LABEL}\.(?=[{_LETTER_OR_DIGIT}])")
    + rf"(?!{_NO_LAST_LABEL}){_LABEL}\.?+"
)
_HOST: Final = rf"(?:{_NAME}|{IPV4ADDRESS}|\[{IPV6ADDRESS}\])"

_PORT: Final = (
    rf"(?=[{DIGIT}])0*+(?>6553[0-5]|655[0-2][{DIGIT}]|65[0-4][{DIGIT}]{{2}}|6[0-4][{DIGIT}]{{3}}|[1-5][{DIGIT}]{{4}}"
    rf"|[{DIGIT}]{{0,4}})"
)

# After the host and the port: a path that is empty or begins with "/", a query and a fragment, as in RFC 3986.
_PATH_AND_QUERY: Final = r"(?![^/?#])" + unrolled_loop(f"[{PCHAR}/?]", ESCAPED)
_FRAGMENT: Final = unrolled_loop(f"[{PCHAR}/?]", ESCAPED)


# The compiled `fullmatch` for each tuple of schemes. `is_valid` looks them up itself: `lru_cache` takes 10 % longer.
STR_MATCHERS: Final[dict[tuple[str, ...], Callable[[str], re.Match[str] | None]]] = {}
BYTES_MATCHERS: Final[dict[tuple[str, ...], Callable[[bytes], re.Match[bytes] | None]]] = {}
MAX_MATCHERS: Final = 64  # more are compiled again when needed


@overload
def matcher(schemes: tuple[str, ...], text_type: type[str]) -> Callable[[str], re.Match[str] | None]: ...
@overload
def matcher(schemes: tuple[str, ...], text_type: type[bytes]) -> Callable[[bytes], re.Match[bytes] | None]: ...
def matcher(
    schemes: tuple[str, ...], text_type: type[str] | type[bytes]
) -> Callable[[str], re.Match[str] | None] | Callable[[bytes], re.Match[bytes] | None]:
    """Return the function that matches a whole web address, compiled on first use.

    Args:
        schemes: the allowed schemes.
        text_type: str or bytes.

    Raises:
        TypeError: `schemes` is not a tuple of str.
        ValueError: there is no scheme, or one is invalid.

    >>> bool(matcher(("http",), str)("HTTP://example.com")), bool(matcher(("http",), bytes)(b"ftp://example.com"))
    (True, False)
    """
    check_schemes(schemes)
    if text_type is str:
        return STR_MATCHERS.get(schemes) or _compile(STR_MATCHERS, schemes, str)
    return BYTES_MATCHERS.get(schemes) or _compile(BYTES_MATCHERS, schemes, bytes)


def _compile(
    matchers: dict[tuple[str, ...], Callable[[AnyStr], re.Match[AnyStr] | None]],
    schemes: tuple[str, ...],
    text_type: type[AnyStr],
) -> Callable[[AnyStr], re.Match[AnyStr] | None]:
    """Compile the expression for some schemes, and keep its `fullmatch`."""
    in_lower_case = "|".join(sorted({re.escape(scheme.lower()) for scheme in schemes}, reverse=True))
    # Not (?i:…), by which "ſ" is an "s".
    in_any_case = "|".join("".join(map(_either_case, scheme)) for scheme in schemes)
    scheme = f"(?:(?:{in_lower_case})|(?:{in_any_case}))"
    expression = rf"{scheme}://{_HOST}(?>:{_PORT}|){_PATH_AND_QUERY}(?>#{_FRAGMENT}|)"
    if len(matchers) >= MAX_MATCHERS:
        matchers.clear()
    matchers[schemes] = compile_for(text_type, expression).fullmatch
    return matchers[schemes]


def _either_case(character: str) -> str:
    return f"[{character.upper()}{character.lower()}]" if character.isalpha() else re.escape(character)


def check_schemes(schemes: object) -> None:
    """Raise an error unless this is a tuple of schemes.

    Args:
        schemes: what was passed as `schemes`.

    Raises:
        TypeError: it is not a tuple of str.
        ValueError: there is no scheme, or one is invalid.

    >>> check_schemes(("https:",))
    Traceback (most recent call last):
    ValueError: invalid scheme 'https:': schemes takes names, such as "https", without ":"
    """
    if not isinstance(schemes, tuple) or not all(isinstance(scheme, str) for scheme in schemes):
        raise TypeError(f'schemes takes a tuple of str, such as ("https",), not {schemes!r}')
    for scheme in schemes:
        if not re.fullmatch(SCHEME, scheme):
            raise ValueError(f'invalid scheme {scheme!r}: schemes takes names, such as "https", without ":"')
    if not schemes:
        raise ValueError('no scheme: schemes takes at least one name, such as "https"')
