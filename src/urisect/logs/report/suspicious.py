"""The hazards of many references at once: of one that is harmless in all its parts, nothing more need be looked at.

A part is looked at once for all the references that have it, and remembered. Only what has a part that is not harmless
is put together and looked at as a whole; of a hundred references in a log, that is one or two.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import compress, count
from typing import Any, NamedTuple

from urisect.logs.formats.format import Column
from urisect.logs.input.reader import Table
from urisect.reference import Reference, recompose
from urisect.repetition import unrolled_loop, zero_or_more
from urisect.security import Hazard, hazards

__all__ = ["Sighting", "Sightings", "add", "is_harmless", "sightings"]

# How long a part may be that is remembered: five of them are still shorter than what is "very-long".
LONGEST = 500
REMEMBERED = 1 << 14


class Sighting(NamedTuple):
    """A kind of hazard, as it was seen in a log.

    Attributes:
        lines: how many lines have it.
        reference: the first of them.
        hazard: where it is in that, and what there is to know.

    >>> Sighting(2, b"http://a@b/", hazards(b"http://a@b/")[0]).hazard.code
    'userinfo'
    """

    lines: int
    reference: bytes
    hazard: Hazard


# By what the names of the URI's columns begin with, and the hazard's code.
Sightings = dict[tuple[str, str], Sighting]


def add(seen: Sightings, more: Sightings) -> None:
    """Add what was seen in later lines.

    >>> seen = {("", "userinfo"): Sighting(2, b"//a@b/", hazards(b"//a@b/")[0])}
    >>> add(seen, {("", "userinfo"): Sighting(3, b"//c@d/", hazards(b"//c@d/")[0])})
    >>> seen["", "userinfo"].lines, seen["", "userinfo"].reference
    (5, b'//a@b/')
    """
    for key, sighting in more.items():
        before = seen.get(key)
        seen[key] = before._replace(lines=before.lines + sighting.lines) if before else sighting


def sightings(table: Table) -> Sightings:
    r"""Find the hazards of all URIs in a table.

    Args:
        table: lines for which the components of their URIs were cut.

    >>> import io
    >>> from urisect.logs import LIST, tables
    >>> for (uri, code), seen in sightings(next(tables(io.BytesIO(b"/a\n/b%00\n/c\n/b%00\n"), LIST))).items():
    ...     print(repr(uri), code, seen.lines, seen.reference)
    '' escaped-nul 2 b'/b%00'
    """
    found: Sightings = {}
    nothing: Column = [None] * table.parsed
    for uri in table.format.uris:
        suspects = Counter(_suspects([table.columns.get(uri + name, nothing) for name in Reference._fields]))
        for reference, lines in suspects.items():
            text = recompose(reference)
            # A code may stand for several places in a line; the first is shown.
            codes = {hazard.code: hazard for hazard in reversed(_hazards(text))}
            add(found, {(uri, code): Sighting(lines, text, hazard) for code, hazard in codes.items()})
    return found


def _suspects(columns: Sequence[Column]) -> Iterator[Reference[bytes]]:
    """Give the references, of which these columns are the components, that have a part that is not harmless."""
    schemes, authorities, paths, queries, fragments = columns
    suspicious = {
        *_origins.harmful(partial(zip, schemes, authorities)),
        *_paths.harmful(partial(iter, paths)),
        *_queries.harmful(partial(iter, queries)),
        *_fragments.harmful(partial(iter, fragments)),
    }
    for row in sorted(suspicious):
        yield Reference(schemes[row], authorities[row], paths[row] or b"", queries[row], fragments[row])


class _Known:
    """Parts of one kind that were looked at: they are most of what comes again and again."""

    def __init__(self, is_harmless: Callable[[Any], bool], plain: str = "", size: Callable[[Any], int] = len) -> None:
        self._is_harmless = is_harmless
        self._size = size
        self._others = re.compile((zero_or_more(rf"{plain}\n") + r"([^\n]*+)\n?+").encode()) if plain else None
        self._harmless: set[Any] = {None}
        self._harmful: set[Any] = set()

    def harmful(self, parts: Callable[[], Iterable[Any]]) -> Iterable[int]:
        """Give the rows whose parts are not harmless; the parts are gone through twice, and not held."""
        if len(self._harmless) > REMEMBERED or len(self._harmful) > REMEMBERED:
            self._harmless, self._harmful = {None}, set()
        strange = set(parts()) - self._harmless
        harmful = strange & self._harmful
        new = strange - harmful
        harmful |= {part for part in self._not_plain(new) if not self._is_harmless(part)}
        self._harmless |= new - harmful
        self._harmful |= {part for part in harmful if self._size(part) <= LONGEST}
        return compress(count(), map(harmful.__contains__, parts())) if harmful else ()

    def _not_plain(self, parts: set[Any]) -> Iterable[Any]:
        """Leave out, with one match, what can be seen to be harmless."""
        lines = b"\n".join((*parts, b"")) if self._others else b""
        if not self._others or lines.count(b"\n") != len(parts) or max(map(len, parts), default=0) > LONGEST:
            return parts
        return filter(None, self._others.findall(lines))


def is_harmless(reference: Reference[bytes]) -> bool:
    """Tell whether there is no hazard in any part of a reference, and therefore none in the whole.

    A hazard is one of a component, but for some that are not: a port is judged by the scheme, a scheme by whether an
    authority follows, so is the host that browsers find, a path by what stands before it, and the whole by its length.
    So scheme and authority are looked at together, a path is harmless only behind an authority or where it begins with
    one "/", and what is long is not. A reference in a query that is harmless beside the same host is not so alone.

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
    return len(text) <= LONGEST and not hazards(text)


def _hazards(text: bytes) -> tuple[Hazard, ...]:
    return _remembered(text) if len(text) <= LONGEST else hazards(text)


_remembered = lru_cache(REMEMBERED // 4)(hazards)

# What is harmless without a doubt: segments that do not begin with a dot, queries without ":" and "//", in which no
# reference stands, and nothing that is escaped.
_LETTER = r"[\w~!$&'()*+,;=:@-]"
_LETTER_OR_DOT = rf"[.{_LETTER[1:]}"
_IN_FRAGMENT = rf"[./?{_LETTER[1:]}"
_IN_QUERY = unrolled_loop(rf"[.?{_LETTER[1:].replace(':', '')}", "/(?!/)")
_origins = _Known(_is_harmless_origin, size=lambda origin: sum(map(len, filter(None, origin))))
_paths = _Known(_is_harmless_path, zero_or_more(rf"/{_LETTER}{_LETTER_OR_DOT}*+") + "/?+")
_queries = _Known(_is_harmless_query, _IN_QUERY)
_fragments = _Known(_is_harmless_fragment, rf"{_IN_FRAGMENT}*+")
