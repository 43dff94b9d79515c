"""Find the site of a reference: the registered domain of its host."""

from typing import AnyStr, Protocol, overload

from urisect.extras import MissingExtraError
from urisect.reference import Reference, ReferenceLike, split, text_of
from urisect.text_types import BytesLike, restore_type, to_str

__all__ = ["SuffixList", "site"]


class SuffixList(Protocol):
    """A list of public suffixes: a `PublicSuffixList` of the package publicsuffixlist, or anything with its method."""

    def privatesuffix(self, domain: str, /) -> str | None:
        """Return the registered domain of a name in lower case, or None."""
        ...  # pragma: no cover


@overload
def site(reference: AnyStr | Reference[AnyStr], *, suffixes: SuffixList | None = None) -> AnyStr | None: ...
@overload
def site(reference: BytesLike | Reference[bytes], *, suffixes: SuffixList | None = None) -> bytes | None: ...
def site(reference: ReferenceLike, *, suffixes: SuffixList | None = None) -> str | bytes | None:  # type: ignore[misc]  # as in `urisect.split`
    """Return the registered domain of a reference's host, by the Public Suffix List.

    Args:
        reference: the reference, str or bytes-like, or a `Reference`.
        suffixes: the list; that of the package publicsuffixlist by default.

    Returns:
        The domain in lower case; None where there is none: no host, an IP address, a public suffix.

    Raises:
        TypeError: the reference is not a text.
        MissingExtraError: no list is given, and the extra `psl` is not installed.

    >>> site("http://www.example.co.uk/a")
    'example.co.uk'
    """
    text = text_of(reference, "site()")
    host = split(to_str(text)).host
    if not host:
        return None
    if suffixes is None:
        try:
            from publicsuffixlist import PublicSuffixList  # noqa: PLC0415  an extra
        except ModuleNotFoundError:
            raise MissingExtraError("site()", "publicsuffixlist", "psl") from None
        suffixes = PublicSuffixList()
    found = suffixes.privatesuffix(host.lower())
    return None if found is None else restore_type(found, text)
