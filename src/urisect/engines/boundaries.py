"""Find the boundaries of components in a buffer that holds many references, one after the other (RFC 3986, 3).

This is Appendix B without a regular expression: a few passes of numpy over the buffer find the delimiters of all
references at once, and no Python object is made for any of them. Tests hold it to `urisect.split` on every text of up
to seven delimiters. It takes 150 ns a reference, on one thread; building the columns takes 60 more.
"""

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from urisect.engines.arrow_packages import np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Boundaries", "authority_boundaries", "component_boundaries"]

Bytes: TypeAlias = "npt.NDArray[np.uint8]"
Offsets: TypeAlias = "npt.NDArray[Any]"  # int32 or int64, as the column has them
Flags: TypeAlias = "npt.NDArray[np.bool_]"

_COLON: Final = ord(":")
_SLASH: Final = ord("/")
_QUESTION_MARK: Final = ord("?")
_NUMBER_SIGN: Final = ord("#")
_AT_SIGN: Final = ord("@")
_LEFT_BRACKET: Final = ord("[")
_RIGHT_BRACKET: Final = ord("]")

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
        flags = _split_block(data, offsets[first : block.stop + 1], starts[block])
        for all_flags, block_flags in zip(defined.values(), flags, strict=True):
            all_flags[block] = block_flags
    return Boundaries(starts, defined)


def _split_block(data: Bytes, offsets: Offsets, starts: Offsets) -> tuple[Flags, ...]:
    """Write the boundaries of a block of rows; return which of the optional components are defined."""
    begin, end = offsets[:-1], offsets[1:]
    text = data[offsets[0] : offsets[-1]]
    mask = text == _COLON
    mask |= text == _SLASH
    mask |= text == _QUESTION_MARK
    mask |= text == _NUMBER_SIGN
    found = np.flatnonzero(mask)
    kinds = text.take(found)
    found += offsets[0]

    # Four delimiters at the end that are none, so that every row has four at or behind its beginning.
    delimiters = np.append(found, np.full(4, offsets[-1]))
    kinds = np.append(kinds, np.zeros(4, np.uint8))
    index = np.searchsorted(found, begin)

    # The scheme ends at the first delimiter, if that is ":" and not at the beginning.
    colon = delimiters.take(index)
    has_scheme = (kinds.take(index) == _COLON) & (colon > begin) & (colon < end)
    after_scheme = np.where(has_scheme, colon + 1, begin)
    index += has_scheme

    # An authority begins behind two slashes, which are the next two delimiters, and ends at the next one but ":".
    has_authority = (kinds.take(index) == _SLASH) & (delimiters.take(index) == after_scheme)
    index += 1
    second_slash = after_scheme + 1
    has_authority &= (kinds.take(index) == _SLASH) & (delimiters.take(index) == second_slash) & (second_slash < end)
    index += 1
    authority_end = delimiters.take(index)
    ends_at_colon = np.flatnonzero(has_authority & (kinds.take(index) == _COLON))
    if len(ends_at_colon):
        others = delimiters[kinds != _COLON]
        authority_end[ends_at_colon] = others.take(np.searchsorted(others, authority_end[ends_at_colon]))

    fragment_sign = _first(delimiters[kinds == _NUMBER_SIGN], begin, end)
    path_end = np.minimum(_first(delimiters[kinds == _QUESTION_MARK], begin, end), fragment_sign)
    has_query = path_end < fragment_sign
    has_fragment = fragment_sign < end

    starts[:, 0] = begin
    starts[:, 1] = np.where(has_scheme, colon, begin)
    starts[:, 2] = after_scheme + 2 * has_authority
    starts[:, 3] = np.where(has_authority, np.minimum(authority_end, end), after_scheme)
    starts[:, 4] = path_end
    starts[:, 5] = path_end + has_query
    starts[:, 6] = fragment_sign
    starts[:, 7] = fragment_sign + has_fragment
    return has_scheme, has_authority, has_query, has_fragment


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
        search[in_brackets] = _first(right_brackets, host[in_brackets], end[in_brackets])
    colon = _first(np.flatnonzero(data == _COLON), search, end)
    has_port = colon < end

    starts = np.empty((len(begin), 5), offsets.dtype)
    starts[:, 0] = begin
    starts[:, 1] = np.where(has_userinfo, at_sign, begin)
    starts[:, 2] = host
    starts[:, 3] = colon
    starts[:, 4] = colon + has_port
    return Boundaries(starts, {"userinfo": has_userinfo, "port": has_port})


def _first(positions: Offsets, begin: Offsets, end: Offsets) -> Offsets:
    """Return the first of some positions in each row, or the end of the row."""
    index = np.searchsorted(positions, begin)
    found: Offsets = np.append(positions, end[-1:]).take(index)
    return np.minimum(found, end)


def _last(positions: Offsets, begin: Offsets, end: Offsets) -> Offsets:
    """Return the last of some positions in each row, or a position before the row."""
    index = np.searchsorted(positions, end)
    found = np.insert(positions, 0, -1).take(index)
    return np.where(found >= begin, found, -1)
