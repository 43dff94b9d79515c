"""Check that the fields of regular lines have their form, and parse times and numbers."""

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from urisect.arrow_packages import np
from urisect.logs.columnar.addresses import are_ipv4
from urisect.logs.columnar.buffer import WINDOW, Flags, LineBuffer, Places, Windows
from urisect.logs.columnar.digits import parse_decimals, parse_digits
from urisect.logs.columnar.times import ISO_TIME_BYTES, LOG_TIME_BYTES, parse_iso_times, parse_log_times
from urisect.logs.formats.layout import FieldKind, LayoutField, RegularForm
from urisect.logs.formats.notation import MICROSECONDS_PER_SECOND
from urisect.logs.formats.request import METHOD_PATTERN, PROTOCOL_PATTERN

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Field", "check_field"]

_HYPHEN: Final = ord("-")

# The most frequent words are compared first.
_METHODS: Final = (b"GET", b"POST", b"HEAD", b"OPTIONS", b"PUT", b"DELETE", b"PATCH", b"PROPFIND")
_PROTOCOLS: Final = (b"HTTP/1.1", b"HTTP/2.0", b"HTTP/1.0", b"HTTP/2", b"HTTP/3.0", b"HTTP/3")

# The target of CONNECT is no origin-form.
_METHOD: Final = r"(?!CONNECT\Z)" + METHOD_PATTERN

# How many texts a memo has at most, and how long they are.
_MAX_MEMO: Final = 1 << 14
_MAX_MEMO_BYTES: Final = 1 << 8

# The digits of the fraction of a second, as nginx writes `$msec`.
_FRACTION_DIGITS: Final = 3


class Field(NamedTuple):
    """A field in many lines.

    Attributes:
        starts: where its text begins.
        ends: where it ends.
        defined: whether it is not "-"; None if it always is.
        values: the numbers or times; None for text.
        inner: further boundaries: of a request, where the method ends, and where the target ends.
    """

    starts: Places
    ends: Places
    defined: "Flags | None" = None
    values: "npt.NDArray[np.int64] | npt.NDArray[np.float64] | None" = None
    inner: tuple[Places, ...] = ()

    def take(self, rows: Places) -> "Field":
        """Return the field in some of the lines.

        >>> Field(np.array([3, 7]), np.array([4, 9])).take(np.array([1])).ends
        array([9])
        """
        return Field(
            self.starts.take(rows),
            self.ends.take(rows),
            None if self.defined is None else self.defined.take(rows),
            None if self.values is None else self.values.take(rows),
            tuple(inner.take(rows) for inner in self.inner),
        )


def check_field(layout: LayoutField, lines: LineBuffer, field: Field) -> tuple[Field, Flags]:
    r"""Check a field in many lines.

    Args:
        layout: what the field is.
        lines: the block.
        field: where it is in each line, in order.

    Returns:
        The field with its values, and whether each text has the form of the field in regular lines.

    >>> status = LayoutField(("status",), RegularForm(FieldKind.NUMBER), is_quoted=False, after="")
    >>> field, valid = check_field(status, LineBuffer(b"200\n-\n2x\n"), Field(np.array([0, 4, 6]), np.array([3, 5, 8])))
    >>> field.values[:1], field.defined, valid
    (array([200]), array([ True, False,  True]), array([ True,  True, False]))
    """
    form = layout.form
    starts, ends = field.starts, field.ends
    if form.is_optional and form.kind not in {FieldKind.REQUEST, FieldKind.TARGET}:
        field = _without_hyphens(lines, field)
    match form.kind:
        case FieldKind.NUMBER | FieldKind.DECIMAL | FieldKind.EPOCH_TIME:
            return _check_number(lines, field, form)
        case FieldKind.LOG_TIME:
            times, valid = parse_log_times(lines, starts)
            return field._replace(values=times, defined=None), valid & (ends - starts == LOG_TIME_BYTES)
        case FieldKind.ISO_TIME:
            times, valid = parse_iso_times(lines, starts)
            return field._replace(values=times, defined=None), valid & (ends - starts == ISO_TIME_BYTES)
        case FieldKind.REQUEST:
            return field, _check_request(lines, field)
        case FieldKind.TARGET:
            return field, (ends > starts) & lines.has("/", starts) & ~lines.has("/", starts + 1)
    valid = np.ones(len(starts), np.bool_) if form.may_be_empty else ends > starts
    if form.pattern:
        valid &= _match_defined(layout, lines, field)
    return field, valid


def _without_hyphens(lines: LineBuffer, field: Field) -> Field:
    """Mark the texts that are only a hyphen as undefined."""
    defined = lines.text.take(field.starts) != _HYPHEN
    if defined.all():
        return field
    defined |= field.ends - field.starts != 1
    return field if defined.all() else field._replace(defined=defined)


def _check_number(lines: LineBuffer, field: Field, form: RegularForm) -> tuple[Field, Flags]:
    """Parse numbers, and times that are numbers."""
    starts, ends = field.starts, field.ends
    match form.kind:
        case FieldKind.NUMBER:
            numbers, valid = parse_digits(lines, starts, ends)
            lengths = ends - starts
            if form.min_digits > 1:
                valid &= lengths >= form.min_digits
            valid &= lengths <= form.max_digits
            if form.is_null_zero:
                valid &= numbers != 0
            found = field._replace(values=numbers)
        case FieldKind.DECIMAL:
            numbers, fractions, valid = parse_decimals(lines, starts, ends)
            # Both are exact, and so their quotient is the float that is nearest to the text.
            seconds = numbers / _POWERS.take(fractions, mode="clip")
            found = field._replace(values=seconds if form.divisor == 1 else seconds / form.divisor)
        case _:
            point = np.maximum(ends - _FRACTION_DIGITS - 1, starts)
            whole, valid = parse_digits(lines, starts, point)
            fraction, are_digits = parse_digits(lines, point + 1, ends)
            valid &= are_digits & lines.has(".", point) & (point - starts <= _MAX_EPOCH_DIGITS)
            whole *= MICROSECONDS_PER_SECOND
            whole += fraction * (MICROSECONDS_PER_SECOND // 10**_FRACTION_DIGITS)
            found = field._replace(values=whole)
    if field.defined is not None:
        valid |= ~field.defined
    return found, valid


_POWERS: Final = 10.0 ** np.arange(WINDOW)
_MAX_EPOCH_DIGITS: Final = 11


def _check_request(lines: LineBuffer, request: Field) -> Flags:
    """Return whether a request line is a method, a target in origin-form and a protocol, with a space between them."""
    method_ends, target_ends = request.inner
    protocol_starts = target_ends + 1
    # A method that ends before a slash, which is inside of the field.
    valid = target_ends < request.ends
    valid &= lines.has("/", method_ends + 1)
    valid &= _are_words(lines, request.starts, method_ends, _METHODS, _METHOD)
    valid &= _are_words(lines, protocol_starts, request.ends, _PROTOCOLS, PROTOCOL_PATTERN)
    return valid


def _are_words(lines: LineBuffer, starts: Places, ends: Places, words: tuple[bytes, ...], pattern: str) -> Flags:
    """Return whether each text is one of some words of up to eight bytes, or matches an expression."""
    [text] = lines.windows(starts)
    lengths = ends - starts
    found = _are_word(text, lengths, words[0])
    [others] = (~found).nonzero()
    for word in words[1:]:
        if not len(others):
            return found
        is_word = _are_word(text.take(others), lengths.take(others), word)
        found[others] = is_word
        others = others[~is_word]
    found[others] = _match_texts(lines.data, starts[others], ends[others], pattern)
    return found


def _are_word(text: Windows, lengths: Places, word: bytes) -> Flags:
    size = len(word)
    text = text & np.uint64((1 << 8 * size) - 1)
    found: Flags = text == np.uint64(int.from_bytes(word, "little"))
    found &= lengths == size
    return found


def _match_defined(layout: LayoutField, lines: LineBuffer, field: Field) -> Flags:
    """Return whether each text is undefined, or matches the expression of the field."""
    starts, ends = field.starts, field.ends
    valid = np.ones(len(starts), np.bool_)
    rows = None if field.defined is None else np.flatnonzero(field.defined)
    if rows is not None:
        starts, ends = starts.take(rows), ends.take(rows)
    matching = np.zeros(len(starts), np.bool_)
    if layout.form.kind is FieldKind.ADDRESS:
        matching = are_ipv4(lines, starts, ends)  # most often
    [others] = (~matching).nonzero()
    if not len(others) and rows is None:
        return matching
    # An expression may look ahead to the quote behind the field.
    pattern, quote = (f'(?:{layout.form.pattern})"', 1) if layout.is_quoted else (layout.form.pattern, 0)
    matching[others] = _match_texts(lines.data, starts[others], ends[others] + quote, pattern)
    if rows is None:
        return matching
    valid[rows] = matching
    return valid


def _match_texts(data: bytes, starts: Places, ends: Places, pattern: str) -> Flags:
    """Return whether texts match an expression; each different one is matched once."""
    memo = _memo(pattern)
    if len(memo) > _MAX_MEMO:
        memo.clear()
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return np.array([memo[data[start:end]] for start, end in spans], np.bool_)


class _Matches(dict[bytes, bool]):
    """Whether texts match an expression."""

    def __init__(self, pattern: str) -> None:
        self._match = re.compile(pattern.encode()).fullmatch

    def __missing__(self, text: bytes) -> bool:
        found = self._match(text) is not None
        if len(text) <= _MAX_MEMO_BYTES:
            self[text] = found
        return found


@cache
def _memo(pattern: str) -> _Matches:
    return _Matches(pattern)
