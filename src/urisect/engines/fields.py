"""The fields that columns of references are split into: components and sub-components (RFC 3986, 3)."""

from collections.abc import Iterable
from typing import Final

from urisect.suggestion import did_you_mean

__all__ = ["FIELDS", "check_fields"]

# In the order of the text.
FIELDS: Final = ("scheme", "authority", "userinfo", "host", "port", "path", "query", "fragment")


def check_fields(fields: Iterable[str]) -> tuple[str, ...]:
    """Return the names of fields as a tuple.

    Args:
        fields: some of `FIELDS`, in any order.

    Raises:
        ValueError: there is no such field, a field is named twice, or none is named.

    >>> check_fields(["port", "port"])
    Traceback (most recent call last):
    ValueError: name each field once, and at least one, not port, port
    """
    names = (fields,) if isinstance(fields, str) else tuple(fields)
    for name in names:
        if name not in FIELDS:
            raise ValueError(f"unknown field {name!r} (known: {', '.join(FIELDS)}){did_you_mean(str(name), FIELDS)}")
    if not names or len(set(names)) < len(names):
        raise ValueError(f"name each field once, and at least one, not {', '.join(names) or 'none'}")
    return names
