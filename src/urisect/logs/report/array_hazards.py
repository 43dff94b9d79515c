"""Count the hazards of the URIs of a columnar table: each different part is checked once, most of them by one look."""

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any

from urisect.arrow_packages import np, pa, pc
from urisect.logs.columnar.table import ColumnarTable
from urisect.logs.report.array_counts import EncodedColumn, encode_pairs, take_list
from urisect.logs.report.suspicious import (
    HARMLESS_BYTES,
    MAX_CACHED_BYTES,
    PART_CACHES,
    Components,
    HazardCounts,
    PartCache,
    add_hazards,
)
from urisect.reference import Reference

__all__ = ["count_array_hazards"]

_SLASH = ord("/")


def count_array_hazards(table: ColumnarTable, encoded: Callable[[str | None], EncodedColumn]) -> HazardCounts:
    """Count the hazards of all URIs in a table; see `count_hazards`.

    Args:
        table: a table with the components of its URIs.
        encoded: returns a column, encoded; undefined values for None.
    """
    counts: HazardCounts = {}
    for uri in table.format.uris:
        names = [uri + name for name in Reference._fields]
        components = [encoded(name if name in table.format.fields else None) for name in names]
        add_hazards(counts, uri, _suspicious_references(components))
    return counts


def _suspicious_references(components: list[EncodedColumn]) -> Iterable[Components]:
    """Return the components of the references with a part that is not harmless."""
    schemes, authorities, *others = components
    is_suspicious = np.zeros(len(schemes.codes), np.bool_)
    if schemes.values.null_count < schemes.distinct or authorities.values.null_count < authorities.distinct:
        origins, *codes = encode_pairs(schemes, authorities)
        pairs = [column.values.take(pa.array(each)) for column, each in zip((schemes, authorities), codes, strict=True)]
        texts = pc.binary_join_element_wise(*pairs, b"://")  # null where one of the two is undefined
        is_usual = pc.fill_null(pc.greater(pc.binary_length(pairs[1]), 0), fill_value=False).to_numpy(
            zero_copy_only=False
        ) & texts.is_valid().to_numpy(zero_copy_only=False)
        usual, unusual = np.flatnonzero(is_usual), np.flatnonzero(~is_usual)
        _mark(is_suspicious, origins, usual, take_list(texts, usual), PART_CACHES["authority"])
        origin_parts = zip(*(take_list(each, unusual) for each in pairs), strict=True)
        _mark(is_suspicious, origins, unusual, list(origin_parts), PART_CACHES["origin"])
    for kind, column in zip(("path", "query", "fragment"), others, strict=True):
        unknown = np.flatnonzero(_is_unusual(column.values, kind)) if column.values.null_count < column.distinct else ()
        if len(unknown):
            _mark(is_suspicious, column, unknown, take_list(column.values, unknown), PART_CACHES[kind])
    rows = np.flatnonzero(is_suspicious)
    if not len(rows):
        return []
    scheme, authority, path, query, fragment = (take_list(column.values, column.codes[rows]) for column in components)
    return zip(scheme, authority, [text or b"" for text in path], query, fragment, strict=True)


def _mark(is_suspicious: Any, column: EncodedColumn, codes: Any, parts: list[Any], cache: PartCache) -> None:
    """Mark the lines that have a part that is not harmless.

    Args:
        is_suspicious: the mark of each line.
        column: the parts of all lines.
        codes: the codes of the parts to check.
        parts: these parts.
        cache: which parts are harmless.
    """
    found = list(cache.suspicious_rows(partial(iter, parts)))
    if found:
        suspicious = np.zeros(column.distinct, np.bool_)
        suspicious[np.asarray(codes)[found]] = True
        is_suspicious |= suspicious[column.codes]


def _is_unusual(values: Any, kind: str) -> Any:
    """Return for each part whether it is not obviously harmless, by the patterns of `suspicious`.

    Args:
        values: an array of different parts.
        kind: "path", "query" or "fragment".
    """
    _, offset_buffer, buffer = values.buffers()
    offsets = np.frombuffer(offset_buffer, np.int32, len(values) + 1, 4 * values.offset)
    if not buffer or offsets[0] == offsets[-1]:
        return np.zeros(len(values), np.bool_)
    text = np.frombuffer(buffer, np.uint8)[offsets[0] : offsets[-1]]
    offsets = offsets - offsets[0]
    is_other, is_other_after_slash = _character_classes(kind)
    unusual = is_other[text]
    after_slash = is_other_after_slash[text[1:]] & (text[:-1] == _SLASH)
    # What a part begins with does not follow the slash at the end of the part before it.
    ends = offsets[1:]
    after_slash[ends[(ends > 0) & (ends < len(text))] - 1] = False
    unusual[1:] |= after_slash
    lengths = np.diff(offsets)
    is_unusual = lengths > MAX_CACHED_BYTES
    if kind == "path":
        defined = np.flatnonzero(lengths)
        is_unusual[defined] |= text[offsets[:-1][defined]] != _SLASH
    is_unusual[np.searchsorted(offsets, np.flatnonzero(unusual), "right") - 1] = True
    return is_unusual


@cache
def _character_classes(kind: str) -> tuple[Any, Any]:
    """Return for each byte whether it is unusual in a part, and whether it is so after a slash."""
    usual, unusual_after_slash = (np.frombuffer(each, np.uint8) for each in HARMLESS_BYTES[kind])
    every = np.arange(256)
    return ~np.isin(every, usual), np.isin(every, unusual_after_slash)
