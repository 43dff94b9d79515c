"""Count combinations of values, each encoded as one value whose byte order is the order of the combinations."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from urisect.logs.input.reader import Table
from urisect.logs.report.counts import MAX_VALUE_BYTES, abbreviate
from urisect.logs.report.partial_counts import PartialCounts

if TYPE_CHECKING:
    from urisect.logs.columnar.table import ColumnarTable

__all__ = ["MAX_FIELDS", "count_combinations", "decode_combination", "encode_combination"]

# The number of fields in a combination. With more of them, little would be left of a long value when it is abbreviated.
MAX_FIELDS = 8

# A value begins with one of these, so that undefined values follow all others.
DEFINED, UNDEFINED = b"\x01", b"\x02"
# A defined value ends with END; ESCAPED_NUL stands for a NUL in it, and sorts after END.
END, ESCAPED_NUL = b"\0\0", b"\0\1"
DELIMITER_BYTES = len(DEFINED + END)

DIGEST_BYTES = 100  # the most that an abbreviation takes besides the beginning of the value


def count_combinations(table: "Table | ColumnarTable", fields: Sequence[str]) -> PartialCounts:
    r"""Count the lines of a table per combination of values. Numbers and times are counted as normalized text.

    Args:
        table: a table whose columns suffice for the fields.
        fields: at most `MAX_FIELDS` of `table.format.fields`.

    Raises:
        KeyError: the format has no such field.

    >>> import io
    >>> from urisect.logs import LIST, tables
    >>> counts = count_combinations(next(tables(io.BytesIO(b"//a/b\n//a/b\n/c\n"), LIST)), ["host", "path"])
    >>> [decode_combination(value, 2) for value in counts.values], counts.lines
    ([(b'a', b'/b'), (None, b'/c')], [2, 1])
    """
    if isinstance(table, Table):
        counts: dict[tuple[bytes | None, ...], int] = Counter(zip(*map(table.texts, fields), strict=True))
    else:
        from urisect.logs.report.array_counts import count_array_combinations  # noqa: PLC0415  see `count_values`

        counts = count_array_combinations(table, fields)
    return PartialCounts(list(map(encode_combination, counts)), list(counts.values()))


def encode_combination(combination: Sequence[bytes | None]) -> bytes | None:
    r"""Encode a combination as one value of at most `MAX_VALUE_BYTES`; long values in it are abbreviated if need be.

    Args:
        combination: at most `MAX_FIELDS` values; None stands for an undefined one.

    Returns:
        The encoded combination; None if all values are undefined.

    >>> encode_combination([b"a", None]), encode_combination([None, None])
    (b'\x01a\x00\x00\x02', None)
    """
    if not any(value is not None for value in combination):
        return None
    values = [None if value is None else value.replace(b"\0", ESCAPED_NUL) for value in combination]
    if sum(len(value or b"") + DELIMITER_BYTES for value in values) > MAX_VALUE_BYTES:
        longest = MAX_VALUE_BYTES // len(values) - DELIMITER_BYTES
        values = [abbreviate(value, longest, longest - DIGEST_BYTES) for value in values]
    return b"".join(UNDEFINED if value is None else DEFINED + value + END for value in values)


def decode_combination(encoded: bytes | None, number: int) -> tuple[bytes | None, ...]:
    r"""Decode a combination.

    Args:
        encoded: what `encode_combination` returned.
        number: how many values it has.

    >>> decode_combination(b"\x01a\x00\x00\x02", 2), decode_combination(None, 2)
    ((b'a', None), (None, None))
    """
    values: list[bytes | None] = []
    rest = encoded or UNDEFINED * number
    while rest:
        if rest.startswith(UNDEFINED):
            values.append(None)
            rest = rest[len(UNDEFINED) :]
        else:
            value, _, rest = rest[len(DEFINED) :].partition(END)
            values.append(value.replace(ESCAPED_NUL, b"\0"))
    return tuple(values)
