"""Split a column of text into columns of components."""

from collections.abc import Mapping, Sequence
from typing import Final

from urisect.arrow_packages import pa
from urisect.boundaries import Boundaries, authority_boundaries, component_boundaries
from urisect.engines.text_columns import TextColumn

__all__ = ["split_column"]

# The numbers of their parts in `component_boundaries` and `authority_boundaries`.
_COMPONENT_PARTS: Final = {"scheme": 0, "authority": 2, "path": 3, "query": 5, "fragment": 7}
_AUTHORITY_PARTS: Final = {"userinfo": 0, "host": 2, "port": 4}


def split_column(column: TextColumn, names: Sequence[str]) -> pa.StructArray:
    """Build the struct array of a column."""
    wanted = [name for name in names if name in _COMPONENT_PARTS]
    sub_components = [name for name in names if name not in _COMPONENT_PARTS]
    if sub_components and "authority" not in wanted:
        wanted.append("authority")
    found = _take(column, component_boundaries(column.data, column.offsets), _COMPONENT_PARTS, wanted)
    if sub_components:
        authorities = TextColumn.from_array(found["authority"])
        boundaries = authority_boundaries(authorities.data, authorities.offsets)
        found |= _take(authorities, boundaries, _AUTHORITY_PARTS, sub_components)
    is_null = None if column.valid is None else pa.array(~column.valid)
    return pa.StructArray.from_arrays([found[name] for name in names], names=names, mask=is_null)


def _take(
    column: TextColumn, boundaries: Boundaries, parts: Mapping[str, int], names: Sequence[str]
) -> dict[str, pa.Array]:
    """Build the columns of some parts by their names."""
    defined = [boundaries.defined.get(name) for name in names]
    return dict(zip(names, column.take_parts(boundaries.starts, [parts[name] for name in names], defined), strict=True))
