"""Combinations of values: encoded as one value each, in the same order, and decoded again."""

import io
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.corpora import access_log
from urisect.logs import COMBINED, tables
from urisect.logs.report.combinations import MAX_FIELDS, count_combinations, decode_combination, encode_combination
from urisect.logs.report.counts import MAX_VALUE_BYTES

combinations = st.lists(
    st.none() | st.lists(st.sampled_from([b"\0", b"\1", b"\2", b"a", b"\xff"]), max_size=4).map(b"".join),
    min_size=2,
    max_size=2,
).map(tuple)


@given(combination=combinations)
def test_a_combination_is_decoded_to_itself(combination: tuple[bytes | None, ...]) -> None:
    assert decode_combination(encode_combination(combination), 2) == combination


@given(first=combinations, second=combinations)
def test_the_order_is_that_of_the_values_with_undefined_ones_last(
    first: tuple[bytes | None, ...], second: tuple[bytes | None, ...]
) -> None:
    def order(combination: tuple[bytes | None, ...]) -> list[tuple[bool, bytes]]:
        return [(value is None, value or b"") for value in combination]

    def encoded_order(combination: tuple[bytes | None, ...]) -> tuple[bool, bytes]:
        encoded = encode_combination(combination)
        return encoded is None, encoded or b""

    assert (order(first) < order(second)) == (encoded_order(first) < encoded_order(second))


@pytest.mark.parametrize("number", range(1, MAX_FIELDS + 1))
@pytest.mark.parametrize("filler", [b"x", b"\0"])
def test_long_values_are_abbreviated_and_stay_different(number: int, filler: bytes) -> None:
    long = filler * 10**6
    encoded = [encode_combination([long + end] * number) for end in (b"y", b"z")]
    assert encoded[0] != encoded[1]
    for each in encoded:
        assert each is not None
        assert len(each) <= MAX_VALUE_BYTES
        values = decode_combination(each, number)
        assert len(values) == number
        assert all(value is not None and value.startswith(filler) and b" bytes, SHA-256 " in value for value in values)


def test_a_short_value_beside_a_long_one_is_not_abbreviated() -> None:
    encoded = encode_combination([b"GET", b"/" * MAX_VALUE_BYTES, None])
    method, path, nothing = decode_combination(encoded, 3)
    assert (method, nothing) == (b"GET", None)
    assert path != b"/" * MAX_VALUE_BYTES


def test_combinations_are_counted_per_table() -> None:
    fields = ("client", "time", "referer_host", "status")
    for table in tables(io.BytesIO(access_log(1000)), COMBINED, columns=fields):
        counts = count_combinations(table, fields)
        expected = Counter(zip(*map(table.texts, fields), strict=True))
        decoded = [decode_combination(value, len(fields)) for value in counts.values]
        assert dict(zip(decoded, counts.lines, strict=True)) == expected
