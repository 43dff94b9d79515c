"""Sort-friendly URI Reordering Transform: the keys of web archives and of CDX files."""

from typing import AnyStr, overload

from urisect.reference import Reference, ReferenceLike, split, text_of
from urisect.text_types import BytesLike, restore_type, to_str

__all__ = ["surt"]


@overload
def surt(reference: AnyStr | Reference[AnyStr], *, keep_www: bool = False) -> AnyStr: ...
@overload
def surt(reference: BytesLike | Reference[bytes], *, keep_www: bool = False) -> bytes: ...
def surt(reference: ReferenceLike, *, keep_www: bool = False) -> str | bytes:  # type: ignore[misc]  # as in `urisect.split`
    """Return the SURT of a reference, as the Internet Archive's `surt` does.

    Args:
        reference: the reference, str or bytes-like, or a `Reference`.
        keep_www: whether "www." stays.

    Raises:
        TypeError: the reference is not a text.

    >>> surt("http://www.example.com/a")
    'com,example)/a'
    """
    text = text_of(reference, "surt()")
    components = split(to_str(text))
    host = (components.host or "").lower()
    labels = (host if keep_www else host.removeprefix("www.")).split(".")
    return restore_type(f"{','.join(reversed(labels))}){components.path or '/'}", text)
