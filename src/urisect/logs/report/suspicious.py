"""Count the hazards of many URIs at once, faster than one by one.

Most parts of URIs are harmless, and most occur again and again. Each different part is checked once and cached. Only a
reference with a part that is not harmless, one or two of a hundred in a log, is recomposed and checked as a whole.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import compress, count
from string import ascii_letters, digits
from typing import Any, NamedTuple, TypeAlias

from urisect.logs.formats.format import Column
from urisect.logs.input.reader import Table
from urisect.reference import Reference, recompose
from urisect.repetition import unrolled_loop, zero_or_more
from urisect.security import Hazard, hazards
from urisect.security.ordinary import ORDINARY

__all__ = [
    "HARMLESS_BYTES",
    "MAX_CACHED_BYTES",
    "PART_CACHES",
    "Components",
    "HazardCount",
    "HazardCounts",
    "PartCache",
    "add_hazards",
    "count_hazards",
    "is_harmless",
    "merge_hazards",
]

# Longer parts are not cached. Five parts of this length are still shorter than a "very-long" reference.
MAX_CACHED_BYTES = 500

# The number of entries of a cache.
CACHE_SIZE = 1 << 14


class HazardCount(NamedTuple):
    """How often a kind of hazard occurs, with an example.

    Attributes:
        lines: the number of lines that have it.
        reference: the first reference that has it.
        hazard: the hazard in this reference.
    """

    lines: int
    reference: bytes
    hazard: Hazard


# Of a reference, as a plain tuple: to make a `Reference` of each line takes ten times as long.
Components: TypeAlias = tuple[bytes | None, bytes | None, bytes, bytes | None, bytes | None]

# By the prefix of the URI's columns and the code of the hazard.
HazardCounts = dict[tuple[str, str], HazardCount]


def merge_hazards(counts: HazardCounts, later: HazardCounts) -> None:
    """Add the hazards of later lines to counts, in place.

    Args:
        counts: the counts to change.
        later: the counts to add.

    >>> counts = {("", "userinfo"): HazardCount(2, b"//a@b/", hazards(b"//a@b/")[0])}
    >>> merge_hazards(counts, {("", "userinfo"): HazardCount(3, b"//c@d/", hazards(b"//c@d/")[0])})
    >>> counts["", "userinfo"].lines, counts["", "userinfo"].reference
    (5, b'//a@b/')
    """
    for key, added in later.items():
        before = counts.get(key)
        counts[key] = before._replace(lines=before.lines + added.lines) if before else added


def count_hazards(table: Table) -> HazardCounts:
    r"""Count the hazards of all URIs in a table.

    Args:
        table: a table with the components of its URIs.

    >>> import io
    >>> from urisect.logs import LIST, tables
    >>> for (uri, code), found in count_hazards(next(tables(io.BytesIO(b"/a\n/b%00\n/c\n/b%00\n"), LIST))).items():
    ...     print(repr(uri), code, found.lines, found.reference)
    '' escaped-nul 2 b'/b%00'
    """
    counts: HazardCounts = {}
    undefined: Column = [None] * table.parsed
    for uri in table.format.uris:
        components = [table.columns.get(uri + name, undefined) for name in Reference._fields]
        add_hazards(counts, uri, _suspicious_references(components))
    return counts


def add_hazards(counts: HazardCounts, uri: str, references: Iterable[Components]) -> None:
    """Add the hazards of references to counts, in place.

    Args:
        counts: the counts to change.
        uri: the prefix of the columns of the references.
        references: the components of references in line order, one per line.

    >>> counts = {}
    >>> add_hazards(counts, "referer_", [(None, None, b"/%00", None, None)])
    >>> counts["referer_", "escaped-nul"].lines
    1
    """
    for components, lines in Counter(references).items():
        text = recompose(Reference(*components))
        # A reference may have the same hazard in several places: the first is the example.
        by_code = {hazard.code: hazard for hazard in reversed(_hazards(text))}
        merge_hazards(counts, {(uri, code): HazardCount(lines, text, hazard) for code, hazard in by_code.items()})


def _suspicious_references(components: Sequence[Column]) -> Iterator[Components]:
    """Yield the components of the references with a part that is not harmless.

    Args:
        components: the columns of the five components.
    """
    schemes, authorities, paths, queries, fragments = components
    rows = {
        *PART_CACHES["origin"].suspicious_rows(partial(zip, schemes, authorities)),
        *PART_CACHES["path"].suspicious_rows(partial(iter, paths)),
        *PART_CACHES["query"].suspicious_rows(partial(iter, queries)),
        *PART_CACHES["fragment"].suspicious_rows(partial(iter, fragments)),
    }
    for row in sorted(rows):
        yield schemes[row], authorities[row], paths[row] or b"", queries[row], fragments[row]


class PartCache:
    """Which parts of one kind are harmless.

    >>> list(PART_CACHES["path"].suspicious_rows(lambda: iter([b"/a", b"/%00", b"/b"])))
    [1]
    """

    def __init__(
        self, is_harmless: Callable[[Any], bool], harmless_pattern: str = "", size: Callable[[Any], int] = len
    ) -> None:
        self._is_harmless = is_harmless
        self._size = size
        # Skips harmless lines, and captures the next other one.
        self._others = (
            re.compile((zero_or_more(rf"{harmless_pattern}\n") + r"([^\n]*+)\n?+").encode())
            if harmless_pattern
            else None
        )
        self._harmless: set[Any] = {None}
        self._suspicious: set[Any] = set()

    def suspicious_rows(self, parts: Callable[[], Iterable[Any]]) -> Iterable[int]:
        """Return the rows of the parts that are not harmless.

        Args:
            parts: returns an iterator over the parts. It is called twice, so that they need not be in memory.
        """
        if len(self._harmless) > CACHE_SIZE or len(self._suspicious) > CACHE_SIZE:
            self._harmless, self._suspicious = {None}, set()
        unknown = set(parts()) - self._harmless
        suspicious = unknown & self._suspicious
        unknown -= suspicious
        suspicious |= {part for part in self._without_obvious(unknown) if not self._is_harmless(part)}
        self._harmless |= unknown - suspicious
        self._suspicious |= {part for part in suspicious if self._size(part) <= MAX_CACHED_BYTES}
        return compress(count(), map(suspicious.__contains__, parts())) if suspicious else ()

    def _without_obvious(self, parts: set[Any]) -> Iterable[Any]:
        """Leave out the parts that match the harmless pattern, all of them with one scan."""
        lines = b"\n".join((*parts, b"")) if self._others else b""
        if not self._others or lines.count(b"\n") != len(parts) or max(map(len, parts), default=0) > MAX_CACHED_BYTES:
            return parts
        return filter(None, self._others.findall(lines))


def is_harmless(reference: Reference[bytes]) -> bool:
    """Return whether no part of a reference has a hazard, which means that the whole has none.

    Most hazards depend on one component only. The exceptions: a port depends on the scheme; a scheme on whether an
    authority follows; the host that browsers find on both; a path on what precedes it; the length on all. So the scheme
    and the authority are checked together, a path is harmless only after an authority or if it begins with a single
    "/", and a long part is never harmless. A query is checked without the host, so a query that contains a reference to
    the same host is not harmless either.

    Args:
        reference: the components.

    >>> is_harmless(Reference(b"http", b"a", b"/b", b"c", None)), is_harmless(Reference(None, None, b"b", None, None))
    (True, False)
    """
    scheme, authority, path, query, fragment = reference
    return (
        _is_harmless_origin((scheme, authority))
        and _is_harmless_path(path)
        and (query is None or _is_harmless_query(query))
        and (fragment is None or _is_harmless_fragment(fragment))
    )


def _is_harmless_origin(origin: tuple[bytes | None, bytes | None]) -> bool:
    match origin:
        case (None, None):
            return True
        case (None, bytes(authority)) if authority:
            return _is_harmless(b"//" + authority)
        case (bytes(scheme), bytes(authority)) if authority:
            return _is_harmless(scheme + b"://" + authority)
    return False


def _is_harmless_path(path: bytes) -> bool:
    return not path or (path[:1] == b"/" != path[1:2] and _is_harmless(path))


def _is_harmless_query(query: bytes) -> bool:
    return _is_harmless(b"?" + query)


def _is_harmless_fragment(fragment: bytes) -> bool:
    return _is_harmless(b"#" + fragment)


def _is_harmless(text: bytes) -> bool:
    return len(text) <= MAX_CACHED_BYTES and not hazards(text)


def _hazards(text: bytes) -> tuple[Hazard, ...]:
    return _cached_hazards(text) if len(text) <= MAX_CACHED_BYTES else hazards(text)


_cached_hazards = lru_cache(CACHE_SIZE // 4)(hazards)

# Patterns of obviously harmless parts: paths whose segments do not begin with a dot; queries without ":" and "//", so
# without a nested reference; and no escapes anywhere.
_LETTER = r"[\w~!$&'()*+,;=:@-]"
_LETTER_OR_DOT = rf"[.{_LETTER[1:]}"
_IN_FRAGMENT = rf"[./?{_LETTER[1:]}"
_IN_QUERY = unrolled_loop(rf"[.?{_LETTER[1:].replace(':', '')}", "/(?!/)")
# The same for arrays: the bytes in these parts, and those that must not follow a slash.
_IN_PATH_BYTES = f"{ascii_letters}{digits}_~!$&'()*+,;=:@-./".encode()
HARMLESS_BYTES = {
    "path": (_IN_PATH_BYTES, b"./"),
    "query": (_IN_PATH_BYTES.replace(b":", b"?"), b"/"),
    "fragment": (_IN_PATH_BYTES + b"?", b""),
}
PART_CACHES = {
    "origin": PartCache(_is_harmless_origin, size=lambda origin: sum(map(len, filter(None, origin)))),
    "path": PartCache(_is_harmless_path, zero_or_more(rf"/{_LETTER}{_LETTER_OR_DOT}*+") + "/?+"),
    "query": PartCache(_is_harmless_query, _IN_QUERY),
    # Schemes and authorities, joined by "://".
    "authority": PartCache(_is_harmless, ORDINARY),
    "fragment": PartCache(_is_harmless_fragment, rf"{_IN_FRAGMENT}*+"),
}
