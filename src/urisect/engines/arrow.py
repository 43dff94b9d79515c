"""Split, check, resolve and normalize columns of Arrow, and make keys of them.

A column is a `pyarrow.Array` or `pyarrow.ChunkedArray` of string, large_string, string_view, binary, large_binary or
binary_view, or a dictionary of one of them, which is worked on in place of the rows that refer to it. Slices and chunks
are worked on in place. An object that exports such a column, as a series of Polars does, is one, too.

Null stays null, and no value raises an error. A chunked array gives a chunked array. Columns that consist of text have
the type of the given column: that of its values, if it is a dictionary, and a large type, if it is a view.

>>> import pyarrow as pa
>>> urls = pa.array(["http://example.com:80/a?b#c", "mailto:fred@example.com", None])
>>> split(urls, fields=["host", "port", "path"]).to_pylist()
[{'host': 'example.com', 'port': '80', 'path': '/a'}, {'host': None, 'port': None, 'path': 'fred@example.com'}, None]
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from urisect import normalization, resolution, security
from urisect import strict as strict_layer
from urisect.arrow_packages import np, pa, pc
from urisect.engines.arrow_keys import key, site, surt
from urisect.engines.component_columns import split_column, split_repeated
from urisect.engines.fields import FIELDS, check_fields
from urisect.engines.rows import change_rows, match_rows, select_rows
from urisect.engines.text_columns import Column, TextColumn, map_chunks, to_array_of, to_column, validity_bitmap
from urisect.normalization import RFC3986_NORMALIZATION, Level
from urisect.reference import ReferenceLike, text_of
from urisect.resolution import Base
from urisect.security.codes import MAX_BYTES
from urisect.security.ordinary import ORDINARY
from urisect.specs import RFC3986, Specification

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["hazards", "is_valid", "key", "normalize", "resolve", "site", "split", "surt", "violations"]

# A base is prepared if it has so many rows: that takes as long as to resolve three references without it.
MIN_PREPARED_ROWS: Final = 3


def split(array: Column, fields: Iterable[str] = FIELDS) -> pa.StructArray | pa.ChunkedArray:
    """Split a column of references into components, as `urisect.split` splits each (RFC 3986, Appendix B).

    Args:
        array: the references.
        fields: the components and sub-components to return; only these are built.

    Returns:
        A column of structs with these fields, which are null where a component is undefined, and "" where it is empty.

    Raises:
        TypeError: the column is not text.
        ValueError: there is no such field, a field is named twice, or none is named.

    >>> import pyarrow as pa
    >>> split(pa.array(["//example.com?", ""]), fields=["authority", "query"]).to_pylist()
    [{'authority': 'example.com', 'query': ''}, {'authority': None, 'query': None}]
    """
    names = check_fields(fields)
    take = partial(split_repeated, names=names)
    return map_chunks(partial(split_column, names=names), array, "split()", take=take)


def is_valid(
    array: Column, spec: Specification = RFC3986, rule: str = "URI-reference"
) -> pa.BooleanArray | pa.ChunkedArray:
    """Check a column of references by the grammar, as `strict.is_valid` checks each (RFC 3986, Appendix A).

    Args:
        array: the references.
        spec: the specification that decides what is valid.
        rule: the rule to match: "URI-reference", "URI", "absolute-URI" or "relative-ref".

    Returns:
        A column of booleans.

    Raises:
        TypeError: the column is not text, or `spec` is not a `Specification`.
        ValueError: unknown rule.

    >>> import pyarrow as pa
    >>> is_valid(pa.array(["http://example.com/", "a b", None])).to_pylist()
    [True, False, None]
    """
    strict_layer.is_valid("", spec, rule)

    def check(column: TextColumn) -> pa.BooleanArray:
        matched = match_rows(column, spec.pattern(rule, bytes))
        buffers = [validity_bitmap(column.valid), validity_bitmap(matched)]
        return pa.Array.from_buffers(pa.bool_(), column.length, buffers)

    return map_chunks(check, array, "is_valid()")


_VIOLATION: Final = {
    "component": pa.string(),
    "rule": pa.string(),
    "offset": pa.int64(),
    "length": pa.int64(),
    "expected": pa.string(),
    "section": pa.string(),
    "incomplete": pa.bool_(),
    "message": pa.string(),
}


def violations(
    array: Column, spec: Specification = RFC3986, rule: str = "URI-reference"
) -> pa.ListArray | pa.ChunkedArray:
    """Find every place where a reference breaks a rule, as `strict.violations` does (RFC 3986, Appendix A).

    Args:
        array: the references.
        spec: the specification that decides what is valid.
        rule: the rule to match: "URI-reference", "URI", "absolute-URI" or "relative-ref".

    Returns:
        A column of lists of structs with the attributes of `strict.Violation` and its message. Offsets and lengths
        count characters in a column of text, and bytes in one of bytes.

    Raises:
        TypeError: the column is not text, or `spec` is not a `Specification`.
        ValueError: unknown rule.

    >>> import pyarrow as pa
    >>> [[violation]] = violations(pa.array(["http://a b/"])).to_pylist()
    >>> violation["component"], violation["offset"], violation["section"]
    ('host', 8, '3.2.2')
    """
    strict_layer.is_valid("", spec, rule)

    def find(column: TextColumn) -> pa.ListArray:
        rows = select_rows(column, ~match_rows(column, spec.pattern(rule, bytes)))
        return _list_column(column, rows, partial(spec.violations, rule=rule), _VIOLATION)

    return map_chunks(find, array, "violations()")


_HAZARD: Final = {
    "code": pa.string(),
    "component": pa.string(),
    "start": pa.int64(),
    "end": pa.int64(),
    "message": pa.string(),
    "section": pa.string(),
}


def hazards(array: Column) -> pa.ListArray | pa.ChunkedArray:
    """Find what to know before references are dereferenced, as `urisect.hazards` does for each (RFC 3986, 7).

    Args:
        array: the references.

    Returns:
        A column of lists of structs with the fields of `urisect.Hazard`. Offsets count characters in a column of text,
        and bytes in one of bytes.

    Raises:
        TypeError: the column is not text.

    >>> import pyarrow as pa
    >>> [first, second] = hazards(pa.array(["http://example.com/", "http://127.1/"])).to_pylist()
    >>> first, [hazard["code"] for hazard in second]
    ([], ['loopback-address', 'rare-ipv4'])
    """

    def find(column: TextColumn) -> pa.ListArray:
        is_ordinary = match_rows(column, ORDINARY) & (np.diff(column.offsets) <= MAX_BYTES)
        return _list_column(column, select_rows(column, ~is_ordinary), security.hazards, _HAZARD)

    return map_chunks(find, array, "hazards()")


def normalize(array: Column, level: Level = "syntax", spec: Specification | None = None) -> Column:
    """Normalize a column of references, as `urisect.normalize` normalizes each (RFC 3986, 6.2).

    Rows that one match shows to be normal are not touched. If all are, the result has the buffers of the argument.

    Args:
        array: the references.
        level: "string", "syntax" or "scheme".
        spec: the specification that defines which escapes are decoded, and how dot segments are removed; RFC 3986 by
            default.

    Raises:
        TypeError: the column is not text.
        ValueError: the level is unknown.

    >>> import pyarrow as pa
    >>> normalize(pa.array(["HTTP://example.com:80/%7Efred", None]), level="scheme").to_pylist()
    ['http://example.com/~fred', None]
    """
    normalization.normalize("", level=level, spec=spec)
    normal_form = (RFC3986_NORMALIZATION if spec is None else spec.normalization).normal_form(level)
    normalize_text = partial(normalization.normalize, level=level, spec=spec)

    return map_chunks(partial(change_rows, function=normalize_text, unchanged=normal_form), array, "normalize()")


def resolve(base: "ReferenceLike | Base[str] | Base[bytes] | Column", array: Column, *, strict: bool = True) -> Column:
    """Resolve a column of references, as `urisect.resolve` resolves each (RFC 3986, 5.2).

    Args:
        base: the base URI of all references, or a column with the base URI of each.
        array: the references.
        strict: False ignores a scheme that equals that of the base.

    Returns:
        A column of targets. A target is null if its base, in a column of them, is null or has no scheme.

    Raises:
        TypeError: a column is not text, or the base is neither a text nor a column.
        ValueError: the one base has no scheme, or the columns differ in length.

    >>> import pyarrow as pa
    >>> references = pa.array(["../c", "?q"])
    >>> resolve("http://example.com/a/b", references).to_pylist()
    ['http://example.com/c', 'http://example.com/a/b?q']
    >>> resolve(pa.array(["http://example.com/", "no base"]), references).to_pylist()
    ['http://example.com/c', None]
    """
    if isinstance(base, Column) or hasattr(base, "__arrow_c_stream__") or hasattr(base, "__arrow_c_array__"):
        return _resolve_by_row(to_column(base, "resolve()"), to_column(array, "resolve()"), strict=strict)
    one_base = base.text if isinstance(base, Base) else text_of(base, "resolve()")
    Base(one_base)  # raises for a base without a scheme, even if the column is empty

    def resolve_all(column: TextColumn) -> pa.Array:
        prepared = Base(_to_type(one_base, column))
        resolve_one = prepared.resolve if strict else partial(prepared.resolve, strict=False)
        targets = [None if text is None else resolve_one(text) for text in column.to_list()]
        return to_array_of(targets, column.type)

    return map_chunks(resolve_all, array, "resolve()")


def _resolve_by_row(bases: Column, references: Column, *, strict: bool) -> Column:
    """Resolve each reference against the base in its row."""
    if len(bases) != len(references):
        raise ValueError(f"resolve() takes a base for each reference, not {len(bases):,} for {len(references):,}")
    references = map_chunks(TextColumn.to_array, references, "resolve()")
    if isinstance(references, pa.ChunkedArray):
        parts = _slice_like(references, bases)
        chunks = [_resolve_by_row(*part, strict=strict) for part in parts]
        return pa.chunked_array(chunks, references.type)
    column = TextColumn.from_array(references)
    encoded = pc.dictionary_encode(map_chunks(TextColumn.to_array, bases, "resolve()"))
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    texts = [_to_type(text, column) for text in TextColumn.from_array(encoded.dictionary).to_list()]
    rows_of = np.bincount(encoded.indices.drop_null().to_numpy(), minlength=len(texts)).tolist()
    prepared = [
        _prepare(text) if rows >= MIN_PREPARED_ROWS else text for text, rows in zip(texts, rows_of, strict=True)
    ]
    targets = [
        None
        if text is None or number is None or (base := prepared[number]) is None
        else base.resolve(text, strict=strict)
        if isinstance(base, Base)
        else _resolve_once(base, text, strict=strict)
        for number, text in zip(encoded.indices.to_pylist(), column.to_list(), strict=True)
    ]
    return to_array_of(targets, column.type)


def _slice_like(chunked: pa.ChunkedArray, column: Column) -> Iterator[tuple[Column, pa.Array]]:
    """Return each chunk of a column, and the same rows of another one before it."""
    first = 0
    for chunk in chunked.chunks:
        yield column.slice(first, len(chunk)), chunk
        first += len(chunk)


def _prepare(base: Any) -> Base[Any] | None:
    """Prepare a base; None if it has no scheme."""
    try:
        return Base(base)
    except ValueError:
        return None


def _resolve_once(base: Any, reference: Any, *, strict: bool) -> Any:
    """Resolve a reference; None if the base has no scheme."""
    try:
        return resolution.resolve(base, reference, strict=strict)
    except ValueError:
        return None


def _to_type(text: str | bytes, column: TextColumn) -> Any:
    """Return a text as str or bytes, as the values of a column are."""
    if isinstance(text, str):
        return text if column.is_text else text.encode("utf-8", "surrogateescape")
    return text.decode("utf-8", "surrogateescape") if column.is_text else text


def _list_column(
    column: TextColumn,
    rows: "npt.NDArray[np.intp]",
    find: Callable[[Any], Sequence[object]],
    attributes: Mapping[str, pa.DataType],
) -> pa.ListArray:
    """Build a column of lists of structs, which are empty except in some rows.

    Args:
        column: the values, which may be null.
        rows: the rows whose lists need not be empty.
        find: returns the objects of a row, given its value.
        attributes: the attributes of the objects that the structs have, and their types.
    """
    found = [find(column.decode(row)) for row in rows]
    counts = np.zeros(column.length + 1, np.int32)
    counts[rows + 1] = [len(each) for each in found]
    objects = [each for several in found for each in several]
    arrays = [pa.array([getattr(each, name) for each in objects], kind) for name, kind in attributes.items()]
    structs = pa.StructArray.from_arrays(arrays, names=list(attributes))
    buffers = [validity_bitmap(column.valid), pa.py_buffer(np.cumsum(counts, dtype=np.int32))]
    return pa.Array.from_buffers(pa.list_(structs.type), column.length, buffers, children=[structs])
