"""Objects of JSON lines, compared with the standard library."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urisect.logs.formats.json_objects import TEXT_OF, json_text, parse_objects

texts = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
    max_leaves=6,
).map(lambda value: json.dumps(value).encode())


def naive(text: bytes) -> object:
    """The object as the standard library parses it, with numbers as bytes."""
    try:
        value = json.loads(text.decode(), parse_int=str.encode, parse_float=str.encode, parse_constant=int)
    except ValueError:
        return None
    return value if isinstance(value, dict) and text[:1] == b"{" and text[-1:] == b"}" else None


@given(st.lists(texts | texts.map(lambda text: b'{"a":%b}' % text) | st.binary()))
@example([b"", b"{}", b"{} ", b" {}", b'{"a":NaN}', b'{"a":"\xff"}', b'{"a":1', b"{}{}"])
def test_objects_are_those_of_the_standard_library(lines: list[bytes]) -> None:
    assert parse_objects(lines) == list(map(naive, lines))
    assert parse_objects(iter(lines)) == list(map(naive, lines))


@pytest.mark.parametrize("depth", [10_000, 100_000])
def test_an_object_that_is_nested_too_deeply_is_none(depth: int) -> None:
    assert parse_objects([b'{"a":' * depth + b"1" + b"}" * depth, b"{}"]) == [None, {}]


def test_texts_and_serialized_values() -> None:
    [entry] = parse_objects([b'{"a": [1.50, "b", {"c": null}], "d": [], "e": [[true]], "f": "\\ud800"}'])
    assert entry is not None
    assert {name: TEXT_OF[type(value)](value) for name, value in entry.items()} == {
        "a": b"1.50",
        "d": None,
        "e": b"[true]",
        "f": b"\xed\xa0\x80",
    }
    assert json_text(entry) == b'{"a":[1.50,"b",{"c":null}],"d":[],"e":[[true]],"f":"\\ud800"}'
