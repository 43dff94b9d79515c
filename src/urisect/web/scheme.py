"""Guess which scheme was meant by a word."""

import re
from collections.abc import Iterable
from typing import Final

from urisect.schemes import DEFAULT_PORTS, SCHEMES_WITHOUT_AUTHORITY
from urisect.suggestion import did_you_mean

__all__ = ["find_meant_scheme", "is_registered"]

_MAX_SCHEME_CHARACTERS: Final = 20  # a longer word was not meant as one


def is_registered(word: str) -> bool:
    """Return whether a word is a well-known scheme, in any case.

    >>> is_registered("FTP"), is_registered("htp")
    (True, False)
    """
    return word.lower() in DEFAULT_PORTS or word.lower() in SCHEMES_WITHOUT_AUTHORITY


def find_meant_scheme(word: str, schemes: Iterable[str]) -> str | None:
    """Return the allowed scheme that a word is, or probably was meant to be.

    Args:
        word: what was typed where a scheme stands.
        schemes: the allowed schemes, in lower case.

    >>> find_meant_scheme("HTP", ("http", "https")), find_meant_scheme("http", ("https",))
    ('http', 'https')
    >>> find_meant_scheme("ftp", ("http",))
    """
    allowed = tuple(schemes)
    name = word.lower()
    for scheme in (name, f"{name}s", name.removesuffix("s")):
        if scheme in allowed and (scheme == name or is_registered(name)):
            return scheme
    if is_registered(name) or len(name) > _MAX_SCHEME_CHARACTERS:
        return None
    return re.sub('.*"(.*)".*', r"\1", did_you_mean(name, allowed)) or None
