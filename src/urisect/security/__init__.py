"""Find what to know about a reference before it is dereferenced (RFC 3986, 7, and later documents)."""

from collections.abc import Iterable, Iterator

from urisect.reference import ReferenceLike, text_of
from urisect.security.codes import CODES, MAX_BYTES, Hazard
from urisect.security.components import find_hazards
from urisect.security.ordinary import ordinary_matcher

__all__ = ["CODES", "Hazard", "hazards"]


def hazards(reference: ReferenceLike) -> tuple[Hazard, ...]:
    r"""Find what a client or an operator should know before a reference is dereferenced (RFC 3986, 7).

    The reference is split by Appendix B. A place that other parsers may read differently is a hazard. Where browsers
    find a different host, or a host where Appendix B finds none, that host is checked too. IANA's registries decide
    which addresses are special, on every version of Python alike.

    A hazard is not a verdict: "http://user@localhost:8080/" has three, and may be intended. Each component has at most
    one hazard of a code, at the first place; adjacent raw characters of a kind are one place. Bytes are read as UTF-8;
    bytes that are not UTF-8 are ignored.

    Args:
        reference: any str, bytes-like or `Reference`.

    Returns:
        The hazards by offset; empty for most references.

    Raises:
        TypeError: the argument is of another type.

    >>> for hazard in hazards("http://www.example.com&story=breaking_news@0x0A.1/"):
    ...     print(hazard.code, hazard.start, hazard.end, hazard.message)
    userinfo-like-host 7 22 This looks like the host, but the host is '0x0A.1'.
    userinfo 7 42 The host is '0x0A.1'; the text before the "@" is sent to it as a user name.
    private-address 43 49 The host may be 10.0.0.1, which is not reachable from public networks.
    rare-ipv4 43 49 The host may be read as the address 10.0.0.1.
    >>> hazards(b"https://example.com/a?b#c")
    ()
    """
    given = text_of(reference, "hazards()")
    text = given if isinstance(given, str) else given.decode("utf-8", "surrogateescape")
    if len(text) <= MAX_BYTES and ordinary_matcher()(text):
        return ()
    size = len(text.encode("utf-8", "surrogatepass") if text is given else given)
    found: Iterable[Hazard] = _first_of_each_code(find_hazards(text, size))
    if text is not given and not text.isascii():
        found = _with_byte_offsets(found, text)
    return tuple(sorted(found, key=lambda hazard: (hazard.start, hazard.end, hazard.code)))


def _first_of_each_code(found: Iterable[Hazard]) -> list[Hazard]:
    """Keep the first hazard of each code in each component."""
    first: dict[tuple[str, str], Hazard] = {}
    for hazard in found:
        first.setdefault(hazard[:2], hazard)
    return list(first.values())


def _with_byte_offsets(found: Iterable[Hazard], text: str) -> Iterator[Hazard]:
    """Replace offsets in characters with offsets in bytes."""
    byte_offsets = {0: 0}
    last = 0
    for offset in sorted({offset for hazard in found for offset in (hazard.start, hazard.end)}):
        byte_offsets[offset] = byte_offsets[last] + len(text[last:offset].encode("utf-8", "surrogateescape"))
        last = offset
    return (hazard._replace(start=byte_offsets[hazard.start], end=byte_offsets[hazard.end]) for hazard in found)
