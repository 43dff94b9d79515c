"""Find the components of the URIs in regular lines."""

from typing import TYPE_CHECKING, Final

from urisect.arrow_packages import np
from urisect.boundaries import authority_boundaries, component_places, first_of_rows
from urisect.logs.columnar.texts import Spans, join_texts

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Components", "authority_part", "reference_components", "target_components"]

# The spans of columns, by name; None if no value is defined.
Components = dict[str, Spans | None]

# The numbers of their parts in `component_places` and `authority_boundaries`.
_COMPONENT_PARTS: Final = {"scheme": 0, "authority": 2, "path": 3, "query": 5, "fragment": 7}
_AUTHORITY_PARTS: Final = {"userinfo": 0, "host": 2, "port": 4}

_NUMBER_SIGN, _QUESTION_MARK = b"#?"


def target_components(data: bytes, target: Spans) -> Components:
    """Return where the components of targets in origin-form are, all of which are defined (RFC 9112, 3.2.1).

    Args:
        data: the buffer.
        target: where the targets are, in order; each begins with "/".

    >>> found = target_components(b"/a /?b", Spans(np.array([0, 3]), np.array([2, 6])))
    >>> found["target_path"].ends, found["target_query"].defined, found["target_fragment"]
    (array([2, 4]), array([False,  True]), None)
    """
    starts, ends, _ = target
    bounds, text = join_texts(data, starts, ends)
    begin, end = bounds[:-1], bounds[1:]
    moved = starts - begin
    fragment = first_of_rows((text == _NUMBER_SIGN).nonzero()[0], begin, end)
    path_end = first_of_rows((text == _QUESTION_MARK).nonzero()[0], begin, fragment)
    has_query = path_end < fragment
    fragments, query_end = None, ends
    if fragment is not end:
        has_fragment = fragment < end
        query_end = fragment + moved
        fragments = Spans(query_end + has_fragment, ends, has_fragment)
    path_end = path_end + moved
    return {
        "target": target,
        "target_scheme": None,
        "target_authority": None,
        "target_path": Spans(starts, path_end),
        "target_query": _if_any(Spans(path_end + has_query, query_end, has_query)),
        "target_fragment": fragments,
    }


def reference_components(data: bytes, prefix: str, name: str, whole: Spans, *, is_line: bool) -> Components:
    """Return where the components of URI references are.

    Args:
        data: the buffer.
        prefix: the prefix of the names of their columns.
        name: the name of the column of the whole.
        whole: where the references are, in order.
        is_line: whether there is one byte between them, and no other.

    >>> found = reference_components(b"//a?b", "r_", "r", Spans(np.array([0]), np.array([5])), is_line=True)
    >>> found["r_authority"].starts, found["r_query"].starts, found["r_scheme"]
    (array([2]), array([4]), None)
    """
    starts, ends, defined = whole
    ends = ends if defined is None else np.where(defined, ends, starts)
    if is_line:
        edges, is_component_defined = component_places(np.frombuffer(data, np.uint8), starts, ends)
    else:
        bounds, text = join_texts(data, starts, ends)
        edges, is_component_defined = component_places(text, bounds[:-1], bounds[1:])
        moved = starts - bounds[:-1]
        edges = [places + moved for places in edges]
    edges.append(ends)
    components: Components = {name: _if_any(Spans(starts, ends, defined))}
    for component, part in _COMPONENT_PARTS.items():
        is_defined = _both(is_component_defined.get(component), defined)
        components[prefix + component] = _if_any(Spans(edges[part], edges[part + 1], is_defined))
    return components


def authority_part(data: bytes, part: str, authorities: Spans | None) -> Spans | None:
    """Return where a sub-component of authorities is; None if none is defined.

    Args:
        data: the buffer.
        part: "userinfo", "host" or "port".
        authorities: where they are, in order; None if none is defined.

    >>> authority_part(b"a@b", "host", Spans(np.array([0]), np.array([3]))).starts
    array([2])
    """
    if authorities is None:
        return None
    starts, ends, defined = authorities
    ends = ends if defined is None else np.where(defined, ends, starts)
    bounds, text = join_texts(data, starts, ends)
    found = authority_boundaries(text, bounds)
    edges = found.starts[:-1]
    number = _AUTHORITY_PARTS[part]
    moved = starts - bounds[:-1]
    end = edges[:, number + 1] + moved if part != "port" else ends
    return _if_any(Spans(edges[:, number] + moved, end, _both(found.defined.get(part), defined)))


def _both(
    first: "npt.NDArray[np.bool_] | None", second: "npt.NDArray[np.bool_] | None"
) -> "npt.NDArray[np.bool_] | None":
    """Return the conjunction of flags; None stands for flags that are all true."""
    if first is None or second is None:
        return second if first is None else first
    return first & second


def _if_any(spans: Spans) -> Spans | None:
    """Return the spans of a column; None if no value is defined."""
    return spans if spans.defined is None or spans.defined.any() else None
