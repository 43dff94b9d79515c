"""Find the boundaries of components in a buffer that holds many references, one after the other (RFC 3986, 3).

This is Appendix B without a regular expression: a few passes of numpy over the buffer find the delimiters of all
references at once, and no Python object is made for any of them. Tests hold it to `urisect.split` on every text of up
to seven delimiters. It takes 150 ns a reference, on one thread; building the columns takes 60 more.
"""

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from urisect.arrow_packages import np
from urisect.bitmaps import Bitmap, pack_flags

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Boundaries", "authority_boundaries", "component_boundaries", "component_places", "first_in_rows"]

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

_IS_DELIMITER: Final = np.isin(np.arange(1 << 8), [_COLON, _SLASH, _QUESTION_MARK, _NUMBER_SIGN])

# Rows in a block. The masks and positions of a block fit into the second-level cache: 4,096 to 16,384 rows take the
# same time, 65,536 a sixth more, and 300,000 almost twice as long.
_BLOCK_ROWS: Final = 4_096


class Boundaries(NamedTuple):
    """Where each part of each row begins; it ends where the next part begins, or where the next row does.

    Attributes:
        starts: a row of offsets into the buffer for each reference, a column for each part.
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
           [11, 11, 11, 11, 12, 12, 12, 13]])
    >>> found.defined["fragment"]
    array([False,  True])
    """
    rows = len(offsets) - 1
    starts = np.empty((rows, 8), offsets.dtype)
    defined = {name: np.empty(rows, np.bool_) for name in ("scheme", "authority", "query", "fragment")}
    for first in range(0, rows, _BLOCK_ROWS):
        block = slice(first, min(first + _BLOCK_ROWS, rows))
        bounds = offsets[first : block.stop + 1]
        origin = bounds[0]
        places = (bounds - origin).astype(np.int64)
        parts, flags = component_places(data[origin : bounds[-1]], places[:-1], places[1:])
        for number, part in enumerate(parts):
            np.add(part, origin, out=starts[block, number], casting="same_kind")
        for name, of_component in flags.items():
            defined[name][block] = of_component
    return Boundaries(starts, defined)


def component_places(data: Bytes, begin: Places, end: Places) -> tuple[list[Places], dict[str, Flags]]:
    """Find the components of references, which may have a byte between them.

    Args:
        data: the references.
        begin: where each of them begins.
        end: where it ends, at or one before the beginning of the next one.

    Returns:
        Where each part begins, as in `component_boundaries`, and whether each component that may be undefined is
        defined, by name.

    >>> places, defined = component_places(np.frombuffer(b"a:b ?c", np.uint8), np.array([0, 4]), np.array([3, 6]))
    >>> places[3], defined["query"]
    (array([2, 4]), array([False,  True]))
    """
    if not len(data):
        nowhere = np.zeros(len(begin), np.bool_)
        return [begin] * 8, dict.fromkeys(("scheme", "authority", "query", "fragment"), nowhere)
    path_stops, authority_stops, scheme_stops = _stops(data, end)

    # The scheme ends at the first delimiter, if that is ":" and not at the beginning.
    first = data.take(begin, mode="clip")
    colon = np.minimum(scheme_stops.find(begin + 1), end)
    has_scheme = data.take(colon, mode="clip") == _COLON
    has_scheme &= colon < end
    has_scheme &= ~_IS_DELIMITER.take(first)
    colon = np.where(has_scheme, colon, begin)
    after_scheme = colon + has_scheme

    # An authority begins behind two slashes, and ends at the next delimiter but ":".
    second_slash = after_scheme + 1
    has_authority = data.take(after_scheme, mode="clip") == _SLASH
    has_authority &= data.take(second_slash, mode="clip") == _SLASH
    has_authority &= second_slash < end
    authority = after_scheme + (has_authority << 1)
    path = np.where(has_authority, np.minimum(authority_stops.find(authority), end), after_scheme)

    # The flag at the beginning of a row may be that of the end of the row before it.
    path_end = np.minimum(path_stops.find(np.maximum(path, begin + 1)), end)
    is_without_path = (first == _QUESTION_MARK) | (first == _NUMBER_SIGN)
    is_without_path &= begin < end
    path_end = np.where(is_without_path, begin, path_end)
    has_query = data.take(path_end, mode="clip") == _QUESTION_MARK
    has_query &= path_end < end
    number_signs = np.flatnonzero(data == _NUMBER_SIGN)
    fragment_sign = first_in_rows(number_signs, path_end, end) if len(number_signs) else end
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


def _stops(text: Bytes, end: Places) -> tuple[Bitmap, Bitmap, Bitmap]:
    """Return bitmaps of what ends a path, an authority and a scheme: delimiters, and the ends of rows."""
    flags = text == _QUESTION_MARK
    flags |= text == _NUMBER_SIGN
    flags[end[: np.searchsorted(end, len(text))]] = True
    path = Bitmap(pack_flags(flags))
    flags |= text == _SLASH
    authority = Bitmap(pack_flags(flags))
    flags |= text == _COLON
    return path, authority, Bitmap(pack_flags(flags))


def authority_boundaries(data: Bytes, offsets: Offsets) -> Boundaries:
    """Find the sub-components of authorities, as `Reference.host` does (RFC 3986, 3.2).

    The parts of a row are the userinfo, "@", the host, ":" and the port.

    Args:
        data: the authorities, without anything between them.
        offsets: where each of them begins, and where the last one ends.

    >>> data = np.frombuffer(b"a@b@[::1]:80h", np.uint8)
    >>> authority_boundaries(data, np.array([0, 12, 13])).starts
    array([[ 0,  3,  4,  9, 10],
           [12, 12, 12, 13, 13]])
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
        search[in_brackets] = first_in_rows(right_brackets, host[in_brackets], end[in_brackets])
    colon = first_in_rows(np.flatnonzero(data == _COLON), search, end)
    has_port = colon < end

    starts = np.empty((len(begin), 5), offsets.dtype)
    starts[:, 0] = begin
    starts[:, 1] = np.where(has_userinfo, at_sign, begin)
    starts[:, 2] = host
    starts[:, 3] = colon
    starts[:, 4] = colon + has_port
    return Boundaries(starts, {"userinfo": has_userinfo, "port": has_port})


def first_in_rows(positions: Offsets, begin: Offsets, end: Offsets) -> Offsets:
    """Return the first of some positions in each row, or the end of the row."""
    index = np.searchsorted(positions, begin)
    found: Offsets = np.append(positions, end[-1:]).take(index)
    return np.minimum(found, end)


def _last(positions: Offsets, begin: Offsets, end: Offsets) -> Offsets:
    """Return the last of some positions in each row, or a position before the row."""
    index = np.searchsorted(positions, end)
    found = np.insert(positions, 0, -1).take(index)
    return np.where(found >= begin, found, -1)
