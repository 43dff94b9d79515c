"""Find the boundaries of components in a buffer that holds many references, one after the other (RFC 3986, 3).

This is Appendix B without a regular expression: a few passes of numpy over the buffer find the delimiters of all
references at once, and no Python object is made for any of them. Tests hold it to `urisect.split` on every text of up
to seven delimiters. It takes 75 ns a reference, on one thread; building the columns takes 45 more. A call costs 35 µs
before its first row.
"""

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from urisect.arrow_packages import np
from urisect.bitmaps import Bitmap, padded_flags

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Boundaries", "authority_boundaries", "component_boundaries", "component_places", "first_of_rows"]

Bytes: TypeAlias = "npt.NDArray[np.uint8]"
Offsets: TypeAlias = "npt.NDArray[Any]"  # int32 or int64, as the column has them
Places: TypeAlias = "npt.NDArray[np.int64]"
Flags: TypeAlias = "npt.NDArray[np.bool_]"

_COLON: Final = ord(":")
_SLASH: Final = ord("/")
_QUESTION_MARK: Final = ord("?")
_NUMBER_SIGN: Final = ord("#")
_AT_SIGN: Final = ord("@")
_LEFT_BRACKET: Final = ord("[")
_RIGHT_BRACKET: Final = ord("]")

_MAY_BEGIN_SCHEME: Final = ~np.isin(np.arange(1 << 8), [_COLON, _SLASH, _QUESTION_MARK, _NUMBER_SIGN])

# An array without dimensions is added in less than half the time of a number.
_ONE: Final = np.array(1)

# Rows in a block. The masks and positions of a block fit into the second-level cache: 4,096 to 16,384 rows take the
# same time, 65,536 a sixth more, and 300,000 almost twice as long.
_BLOCK_ROWS: Final = 4_096


class Boundaries(NamedTuple):
    """Where each part of each row begins; it ends where the next part begins, or where the next row does.

    Attributes:
        starts: a row of offsets into the buffer for each reference, a column for each part; and a last row, of the end
            of the references.
        defined: whether each part that may be undefined is defined, by name.
    """

    starts: Offsets
    defined: dict[str, Flags]


def component_boundaries(data: Bytes, offsets: Offsets) -> Boundaries:
    """Find the components of references, by Appendix B (RFC 3986, 3).

    The parts of a row are the scheme, the delimiters behind it, the authority, the path, "?", the query, "#" and the
    fragment. A part that is undefined is empty.

    Args:
        data: the references, without anything between them.
        offsets: where each of them begins, and where the last one ends.

    >>> data = np.frombuffer(b"http://h/?qa#", np.uint8)
    >>> found = component_boundaries(data, np.array([0, 11, 13]))
    >>> found.starts
    array([[ 0,  4,  7,  8,  9, 10, 11, 11],
           [11, 11, 11, 11, 12, 12, 12, 13],
           [13, 13, 13, 13, 13, 13, 13, 13]])
    >>> found.defined["fragment"]
    array([False,  True])
    """
    rows = len(offsets) - 1
    starts = np.empty((rows + 1, 8), offsets.dtype)
    starts[rows] = offsets[rows]
    blocks = []
    for first in range(0, rows or 1, _BLOCK_ROWS):
        bounds = offsets[first : first + _BLOCK_ROWS + 1]
        origin, end = int(bounds[0]), int(bounds[-1])
        places = np.subtract(bounds, origin, dtype=np.int64)
        parts, flags = component_places(data[origin:end], places[:-1], places[1:])
        block = slice(first, first + len(parts[0]))
        for number, part in enumerate(parts):
            starts[block, number] = part
        if origin:
            starts[block] += origin
        blocks.append(flags)
    if len(blocks) == 1:
        return Boundaries(starts, blocks[0])
    return Boundaries(starts, {name: np.concatenate([flags[name] for flags in blocks]) for name in blocks[0]})


def component_places(data: Bytes, begin: Places, end: Places) -> tuple[list[Places], dict[str, Flags]]:
    """Find the components of references, which may have other bytes before, between and behind them.

    Args:
        data: the references.
        begin: where each of them begins.
        end: where it ends, at or before the beginning of the next one.

    Returns:
        Where each part begins, as in `component_boundaries`, and whether each component that may be undefined is
        defined, by name.

    >>> data = np.frombuffer(b"?#a:b ?c", np.uint8)
    >>> places, defined = component_places(data, np.array([2, 6]), np.array([5, 8]))
    >>> places[3], defined["query"]
    (array([4, 6]), array([False,  True]))
    """
    if not len(data) or not len(begin):
        nowhere = np.zeros(len(begin), np.bool_)
        return [begin] * 8, dict.fromkeys(("scheme", "authority", "query", "fragment"), nowhere)
    authority_stops, scheme_stops, question_marks, number_signs = _delimiters(data, begin, end)

    # The scheme ends at the first delimiter, if that is ":" and not at the beginning. What is found behind the row
    # ends nothing: an empty row has no flag of its own.
    colon = scheme_stops.find(begin + _ONE)
    has_scheme = data.take(colon, mode="clip") == _COLON
    has_scheme &= colon < end
    has_scheme &= _MAY_BEGIN_SCHEME.take(data.take(begin, mode="clip"))
    colon = np.where(has_scheme, colon, begin)
    after_scheme = colon + has_scheme

    # An authority begins behind two slashes, and ends at the next delimiter but ":".
    second_slash = after_scheme + _ONE
    has_authority = data.take(after_scheme, mode="clip") == _SLASH
    has_authority &= data.take(second_slash, mode="clip") == _SLASH
    has_authority &= second_slash < end
    authority = after_scheme + (has_authority << _ONE)
    path = np.where(has_authority, authority_stops.find(authority), after_scheme)

    # The query begins at the first "?", if that is before the first "#".
    fragment_sign = first_of_rows(number_signs, begin, end)
    path_end = first_of_rows(question_marks, begin, fragment_sign)
    has_query = path_end < fragment_sign
    has_fragment = fragment_sign < end

    places = [
        begin,
        colon,
        authority,
        path,
        path_end,
        path_end + has_query,
        fragment_sign,
        fragment_sign + has_fragment,
    ]
    return places, {"scheme": has_scheme, "authority": has_authority, "query": has_query, "fragment": has_fragment}


def _delimiters(data: Bytes, begin: Places, end: Places) -> tuple[Bitmap, Bitmap, Places, Places]:
    """Find what ends an authority and what ends a scheme, which ends of rows do, too, and all "?" and "#"."""
    is_question_mark = data == _QUESTION_MARK
    is_number_sign = data == _NUMBER_SIGN
    flags = padded_flags(len(data))
    of_data = flags[: len(data)]
    np.logical_or(is_question_mark, is_number_sign, out=of_data)
    of_data |= data == _SLASH
    flags[end] = True
    authority = Bitmap.of_flags(flags)
    of_data |= data == _COLON
    scheme = Bitmap.of_flags(flags)
    if begin[0]:
        is_question_mark[: begin[0]] = is_number_sign[: begin[0]] = False
    return authority, scheme, is_question_mark.nonzero()[0], is_number_sign.nonzero()[0]


def first_of_rows(places: Places, begin: Places, end: Places) -> Places:
    """Return the first of some places in each row, or the end of the row.

    Args:
        places: some places, in order; none is before the first row.
        begin: where each row begins.
        end: where it ends.

    >>> first_of_rows(np.array([1, 2, 9]), np.array([0, 5]), np.array([4, 8]))
    array([1, 8])
    """
    if not len(places):
        return end
    first = end.copy()
    np.minimum.at(first, begin.searchsorted(places, "right") - _ONE, places)
    return first


def authority_boundaries(data: Bytes, offsets: Offsets) -> Boundaries:
    """Find the sub-components of authorities, as `Reference.host` does (RFC 3986, 3.2).

    The parts of a row are the userinfo, "@", the host, ":" and the port.

    Args:
        data: the authorities, without anything between them.
        offsets: where each of them begins, and where the last one ends.

    >>> data = np.frombuffer(b"a@b@[::1]:80h", np.uint8)
    >>> authority_boundaries(data, np.array([0, 12, 13])).starts
    array([[ 0,  3,  4,  9, 10],
           [12, 12, 12, 13, 13],
           [13, 13, 13, 13, 13]])
    """
    begin, end = offsets[:-1], offsets[1:]
    at_sign = _last(np.flatnonzero(data == _AT_SIGN), begin, end)
    has_userinfo = at_sign >= begin
    host = np.where(has_userinfo, at_sign + 1, begin)

    # The host is looked through for ":" from its beginning, or from its "]" if it begins with "[".
    search = host.copy()
    is_bracket = data == _LEFT_BRACKET
    if is_bracket.any():
        right_brackets = np.flatnonzero(data == _RIGHT_BRACKET)
        in_brackets = np.flatnonzero(np.append(is_bracket, False).take(host) & (host < end))
        search[in_brackets] = _first_in_rows(right_brackets, host[in_brackets], end[in_brackets])
    colon = _first_in_rows(np.flatnonzero(data == _COLON), search, end)
    has_port = colon < end

    starts = np.empty((len(offsets), 5), offsets.dtype)
    parts = (begin, np.where(has_userinfo, at_sign, begin), host, colon, colon + has_port)
    for number, part in enumerate(parts):
        starts[:-1, number] = part
    starts[-1] = offsets[-1]
    return Boundaries(starts, {"userinfo": has_userinfo, "port": has_port})


def _first_in_rows(positions: Offsets, begin: Offsets, end: Offsets) -> Offsets:
    """Return the first of some positions in each row, or the end of the row."""
    index = np.searchsorted(positions, begin)
    found: Offsets = np.append(positions, end[-1:]).take(index)
    return np.minimum(found, end)


def _last(positions: Offsets, begin: Offsets, end: Offsets) -> Offsets:
    """Return the last of some positions in each row, or a position before the row."""
    index = np.searchsorted(positions, end)
    found = np.insert(positions, 0, -1).take(index)
    return np.where(found >= begin, found, -1)
