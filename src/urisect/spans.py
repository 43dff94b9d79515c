"""Find the offsets at which the components of a reference begin and end (RFC 3986, 3)."""

from collections.abc import Iterable
from typing import Final

from urisect.reference import Authority, Reference, split, split_authority

__all__ = ["authority_spans", "component_spans"]

# The length of the delimiter before a part, and of the one after it: "://", "@", ":", "?" and "#".
_DELIMITER_BEFORE: Final = {"authority": 2, "port": 1, "query": 1, "fragment": 1}
_DELIMITER_AFTER: Final = {"scheme": 1, "userinfo": 1}


def component_spans(text: str) -> dict[str, tuple[int, int]]:
    """Find the components and sub-components of a reference, as `split` and `split_authority` split it.

    Args:
        text: the reference.

    Returns:
        The start and end of each component that is defined, in characters, by its name: the components in their
        order, then the sub-components of the authority.

    >>> component_spans("//h:80?q")
    {'authority': (2, 6), 'path': (6, 6), 'query': (7, 8), 'host': (2, 3), 'port': (4, 6)}
    """
    spans = _spans(Reference._fields, split(text), 0)
    if "authority" in spans:
        spans |= authority_spans(text, *spans["authority"])
    return spans


def authority_spans(text: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    """Find the sub-components of an authority, as `split_authority` splits it.

    Args:
        text: the reference.
        start: where its authority begins.
        end: where its authority ends.

    Returns:
        The start and end of each sub-component that is defined, in characters of the reference, by its name.

    >>> authority_spans("//u@h", 2, 5)
    {'userinfo': (2, 3), 'host': (4, 5)}
    """
    return _spans(Authority._fields, split_authority(text[start:end]), start)


def _spans(names: Iterable[str], parts: Iterable[str | None], position: int) -> dict[str, tuple[int, int]]:
    """Add up the lengths of the parts and of the delimiters between them."""
    spans = {}
    for name, part in zip(names, parts, strict=True):
        if part is not None:
            start = position + _DELIMITER_BEFORE.get(name, 0)
            end = start + len(part)
            spans[name] = (start, end)
            position = end + _DELIMITER_AFTER.get(name, 0)
    return spans
