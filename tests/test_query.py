"""Reading and changing the parameters of a query."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import compose, query, split, strict
from urisect.parameters import Parameters

QUERIES = st.text("ab*%2641=&+;é\udcff", max_size=12)
REFERENCES = naive.texts | st.builds("http://h/?{}#{}".format, QUERIES, st.text("a?&", max_size=3)) | naive.octets
NAMES = st.sampled_from(["a", "b", "ab", "", "é", "*", "+", "a&b"])
VALUES = st.none() | st.sampled_from(["", "a", "1 2", "50%", "é", "a=b&c"]) | st.integers(-9, 9) | st.just(1.5)


def octets(text: Any) -> bytes:
    """Encode a text, so that a byte and the lone surrogate that stands for it are the same."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def parse_naively(text: str, *, form: bool = False) -> list[tuple[str, str | None]]:
    found = []
    for piece in text.split("&"):
        if piece:
            name, equals, value = ((part.replace("+", " ") if form else part) for part in piece.partition("="))
            plain = [decode_naively(part) for part in (name, value)]
            found.append((plain[0], plain[1] if equals else None))
    return found


def decode_naively(text: str) -> str:
    data, position = b"", 0
    while position < len(text):
        digits = text[position + 1 : position + 3]
        is_escape = text[position] == "%" and len(digits) == 2 and set(digits) <= set("0123456789abcdefABCDEF")
        data += bytes([int(digits, 16)]) if is_escape else octets(text[position])
        position += 3 if is_escape else 1
    return data.decode("utf-8", "surrogateescape")


def as_octets(pairs: Iterable[tuple[Any, Any]]) -> list[tuple[bytes, bytes | None]]:
    return [(octets(name), None if value is None else octets(value)) for name, value in pairs]


# parse and build


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("", []),
        ("&&", []),
        ("a", [("a", None)]),
        ("a=", [("a", "")]),
        ("=", [("", "")]),
        ("=a", [("", "a")]),
        ("a=b=c", [("a", "b=c")]),
        ("a=1&b=2&a=3", [("a", "1"), ("b", "2"), ("a", "3")]),
        ("a=1;b=2", [("a", "1;b=2")]),
        ("a%3Db=%26", [("a=b", "&")]),
        ("q=1+1", [("q", "1+1")]),
        ("q=%FF%C3%A9", [("q", "\udcffé")]),
        ("q=50%&r=%zz", [("q", "50%"), ("r", "%zz")]),
    ],
)
def test_parse(text: str, pairs: list[tuple[str, str | None]]) -> None:
    assert query.parse(text) == pairs
    assert query.parse(bytearray(octets(text))) == as_octets(pairs)


def test_parse_equals_a_naive_parser_exhaustively() -> None:
    for text in naive.strings("a=&%4+", sizes.choose(full=7, quick=5)):
        for form in (False, True):
            assert query.parse(text, form=form) == parse_naively(text, form=form)


@given(QUERIES)
def test_parse_equals_a_naive_parser_and_keeps_bytes(text: str) -> None:
    assert as_octets(query.parse(text)) == query.parse(octets(text)) == as_octets(parse_naively(text))


@given(st.text("ab=&+%é", max_size=12))
def test_parse_as_a_form_equals_the_standard_library(text: str) -> None:
    pairs = [(name, value or "") for name, value in query.parse(text, form=True)]
    assert pairs == parse_qsl(text, keep_blank_values=True, errors="surrogateescape")


@given(QUERIES, st.booleans())
def test_what_is_built_means_what_was_parsed(text: str, form: bool) -> None:  # noqa: FBT001
    for each in (text, octets(text)):
        pairs: Any = query.parse(each, form=form)
        built = query.build(pairs, form=form)
        assert strict.is_valid(b"?" + octets(built))
        assert as_octets(query.parse(built, form=form)) == as_octets(pairs)
        assert as_octets(query.parse(built, form=not form)) == as_octets(pairs) or form


@given(st.lists(st.tuples(st.text(), st.text())))
def test_a_form_is_built_as_the_standard_library_builds_it(pairs: list[tuple[str, str]]) -> None:
    built = query.build(pairs, form=True)
    assert parse_qsl(built, keep_blank_values=True) == parse_qsl(urlencode(pairs), keep_blank_values=True)


def test_build_takes_what_people_have() -> None:
    assert query.build([]) == query.build({}) == query.build(Parameters()) == ""
    assert query.build({"a": 1, "b": -2.5, "c": None, "d": "", "e": ["x", 2, None], "f": []}) == (
        "a=1&b=-2.5&c&d=&e=x&e=2&e"
    )
    assert query.build({"a": "1"}.items()) == query.build(iter([("a", 1)])) == "a=1"
    of_bytes: dict[bytes, bytes | int] = {b"a": 1, b"b": b"\xff"}
    assert query.build(of_bytes) == b"a=1&b=%FF"
    assert query.build(split("/?a=%26&b").parameters) == "a=%26&b"
    assert query.build([("a", 1e300)]) == "a=1e%2B300"


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        ("a=b", TypeError, "the query must be a mapping or a sequence of pairs, not str"),
        ({("a", "b")}, TypeError, "the query must be a mapping or a sequence of pairs, not set"),
        (None, TypeError, "the query must be a mapping or a sequence of pairs, not NoneType"),
        (["ab"], TypeError, "the query must be a sequence of pairs, not str"),
        ({"a": False}, TypeError, "the query must be pairs whose values are text, numbers or None, not bool"),
        ({"a": {"b": "c"}}, TypeError, "the query must be pairs whose values are text, numbers or None, not dict"),
        ({1: "a"}, TypeError, "the query must be pairs whose names are text, not int"),
        ({"a": b"b"}, TypeError, "the query has str and bytes: pass only str, or only bytes"),
        ({b"a": b"b", "c": "d"}, TypeError, "the query has str and bytes"),
        ([("a", "b"), (b"c", 1)], TypeError, "the query has str and bytes"),
        ({"a": float("nan")}, ValueError, "the query has the value nan, which is not a finite number"),
        ([("", None)], ValueError, "a parameter without a name needs a value, which may be empty"),
    ],
)
def test_build_says_what_it_does_not_take(pairs: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        query.build(pairs)
    if isinstance(pairs, Mapping):
        with pytest.raises(error):
            compose(query=pairs)


def test_the_number_of_parameters_can_be_bounded() -> None:
    assert len(query.parse("a&&b", max_parameters=2)) == 2
    with pytest.raises(ValueError, match="the query has 3 parameters, more than max_parameters=2"):
        query.parse("a&b&c", max_parameters=2)


def test_an_undefined_query_has_no_parameters() -> None:
    assert query.parse(None) == query.parse(split("/").query) == []
    assert split("/").parameters == split(b"/?").parameters == {}


@pytest.mark.parametrize("name", ["parse", "get", "set", "remove", "sort"])
def test_other_types_are_named(name: str) -> None:
    arguments: dict[str, tuple[Any, ...]] = {"get": ("a",), "set": ({},), "remove": ("a",)}
    with pytest.raises(TypeError, match=rf"{name}\(\) takes str, bytes, bytearray or memoryview, not int"):
        getattr(query, name)(1, *arguments.get(name, ()))


# Parameters


def test_parameters_are_a_mapping_to_first_values() -> None:
    parameters = split("/?tag=a&page=2&tag=b&debug").parameters
    assert dict(parameters) == {"tag": "a", "page": "2", "debug": None}
    assert list(parameters) == ["tag", "page", "debug"]
    assert len(parameters) == 3
    assert parameters.get_all("tag") == ["a", "b"]
    assert parameters.get_all("none") == []
    assert "debug" in parameters
    assert "none" not in parameters
    with pytest.raises(KeyError, match="none"):
        parameters["none"]
    assert parameters == Parameters(query.parse("tag=a&page=2&tag=b&debug"))
    assert parameters != Parameters([("tag", "a"), ("page", "2"), ("debug", None)])  # a value less
    assert hash(parameters) == hash(Parameters(parameters.pairs))
    assert repr(Parameters([("a", None)])) == "Parameters([('a', None)])"


# get, set, remove, sort


@given(REFERENCES, st.booleans())
def test_get_returns_the_first_value_of_each_name(reference: Any, form: bool) -> None:  # noqa: FBT001
    pairs: Any = query.parse(split(reference).query, form=form)
    for name, value in dict(reversed(pairs)).items():
        assert query.get(reference, name, "default", form=form) == value
    missing = reference[:0].join([name for name, _ in pairs] + [reference[:0] + type(reference)(reference)] * 2)
    if missing not in dict(pairs):
        assert query.get(split(reference), missing, 7) == 7
        assert query.get(reference, missing) is None


@given(
    REFERENCES,
    st.dictionaries(NAMES.filter(bool), VALUES | st.lists(VALUES, max_size=3), max_size=3),
    st.booleans(),
)
def test_set_changes_what_it_is_asked_to_and_no_other_byte(reference: Any, values: Any, form: bool) -> None:  # noqa: FBT001
    new: Any = {name: texts(value if isinstance(value, list) else [value]) for name, value in values.items()}
    if isinstance(reference, bytes):
        values = new = {
            octets(name): [None if each is None else octets(each) for each in value] for name, value in new.items()
        }
    changed = query.set(reference, values, form=form)
    before, after = split(reference), split(changed)
    assert after.replace(query=before.query) == before
    for name, expected in new.items():
        assert [value for each, value in query.parse(after.query, form=form) if each == name] == expected
    assert other_pieces(after.query, new, form=form) == other_pieces(before.query, new, form=form)
    assert query.set(changed, values, form=form) is changed


def texts(values: list[Any]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]


def other_pieces(text: Any, names: Any, *, form: bool) -> list[Any]:
    """Return the parameters with other names, as they are written."""
    pieces = [] if text is None else text.split("&" if isinstance(text, str) else b"&")
    return [piece for piece in pieces if piece and query.parse(piece, form=form)[0][0] not in names]


@pytest.mark.parametrize(
    ("reference", "values", "expected"),
    [
        ("/", {"a": "1"}, "/?a=1"),
        ("/?", {"a": "1"}, "/?a=1"),
        ("/?b&", {"a": "1"}, "/?b&a=1"),
        ("/?#f", {"a": "1"}, "/?a=1#f"),
        ("/?a=1&a=2&b=3", {"a": "x"}, "/?a=x&b=3"),
        ("/?%61=1&b=%7e", {"a": "x"}, "/?%61=x&b=%7e"),
        ("/?a=%31", {"a": "1"}, "/?a=%31"),
        ("/?a", {"a": "1"}, "/?a=1"),
        ("/?a=1", {"a": None}, "/?a"),
        ("/?a=1", {"a": []}, "/"),
        ("/?a=1&b", {"a": []}, "/?b"),
        ("/?&a=1&&", {"b": 2}, "/?&a=1&&b=2"),
        ("/?a=1", [("a", "x"), ("b", "y"), ("a", "z")], "/?a=x&a=z&b=y"),
        ("/?a=1", {}, "/?a=1"),
        ("/?a=%FF", {"b": "\udcff"}, "/?a=%FF&b=%FF"),
    ],
)
def test_set(reference: str, values: Any, expected: str) -> None:
    assert query.set(reference, values) == query.set(split(reference), values) == expected
    if reference == expected:
        assert query.set(reference, values) is reference


def test_set_and_remove_read_plus_as_a_space_in_a_form() -> None:
    assert query.set("/?a+b=1+2", {"a b": "3 4"}, form=True) == "/?a+b=3+4"
    assert query.set("/?a+b=1+2", {"a b": "1 2"}, form=True) == "/?a+b=1+2"
    assert query.set("/?a+b=1", {"a b": "2"}) == "/?a+b=1&a%20b=2"
    assert query.remove("/?a+b=1&c", "a *", form=True) == "/?c"
    assert query.get("/?a+b=1+2", "a b", form=True) == "1 2"


@given(REFERENCES, st.lists(st.text("ab*&é", max_size=4), max_size=3))
def test_remove_drops_what_matches_and_no_other_byte(reference: Any, patterns: list[str]) -> None:
    own: Any = patterns if isinstance(reference, str) else [octets(pattern) for pattern in patterns]
    changed = query.remove(reference, *own)
    before, after = split(reference), split(changed)
    assert after.replace(query=before.query) == before
    ampersand: Any = "&" if isinstance(reference, str) else b"&"
    pieces = [] if before.query is None else before.query.split(ampersand)
    kept = [piece for piece in pieces if not (piece and is_matched(query.parse(piece)[0][0], patterns))]
    assert after.query == (ampersand.join(kept) if kept else None)
    if changed == reference:
        assert changed is reference


def is_matched(name: Any, patterns: list[str]) -> bool:
    if isinstance(name, bytes):
        name, patterns = name.decode("latin-1"), [octets(pattern).decode("latin-1") for pattern in patterns]
    return any(fnmatchcase(name, pattern) for pattern in patterns)  # these patterns have "*" only


@pytest.mark.parametrize("text", ["a[0]=1&b", "a?=1&b", "A=1&b"])
def test_only_the_asterisk_stands_for_other_text(text: str) -> None:
    assert query.remove(f"/?{text}", "a[0]", "a?", "A") == "/?b"
    assert query.remove(f"/?{text}", "[aA]*", "??", "a\\*") == f"/?{text}"


def test_patterns_take_linear_time() -> None:
    name = "ab" * sizes.LONG_OF_MANY
    assert query.remove(f"/?{name}", "a*b*a*b*c", "*b*b*b*c", "*c*") == f"/?{name}"
    assert query.remove(f"/?{name}", "a*b*a*b") == "/"


@given(REFERENCES)
def test_sort_orders_names_and_nothing_else(reference: Any) -> None:
    changed = query.sort(reference)
    before, after = split(reference), split(changed)
    assert after.replace(query=before.query) == before
    pairs = query.parse(before.query)
    assert query.parse(after.query) == sorted(pairs, key=lambda pair: pair[0])
    assert len(changed) == len(reference)
    assert query.sort(changed) is changed


def test_the_types_of_arguments_must_agree() -> None:
    calls: list[tuple[Any, ...]] = [
        (query.get, "/?a", b"a"),
        (query.set, b"/?a", {"a": 1}),
        (query.remove, "/?a", b"a"),
    ]
    for function, *arguments in calls:
        with pytest.raises(TypeError, match=r"the reference is (str|bytes), a name or a value (str|bytes): pass only"):
            function(*arguments)
    assert query.get(bytearray(b"/?a=1"), memoryview(b"a")) == b"1"
    assert query.remove(bytearray(b"/?a=1")) == b"/?a=1"


def test_functions_take_linear_time() -> None:
    for unit in ("&", "a=1&", "%", "%41", "=", "+", "a"):
        long = f"/?{unit * sizes.LONG_OF_MANY}"
        assert query.sort(query.set(long, {"b": 1}))
        query.remove(long, "b*")
        query.get(long, "c")
