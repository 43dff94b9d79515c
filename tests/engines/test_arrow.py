"""Columns of Arrow: every row is what the functions for one reference say, in every type of column."""

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import sizes
from tests.support.columns import HOSTILE, all_texts, components, rows
from tests.support.references import bases
from tests.support.suffixes import SUFFIXES
from urisect import Base, Hazard, crawl, engines, hazards, normalize, resolve, split, strict
from urisect.crawl import sites
from urisect.engines import arrow, component_columns
from urisect.engines.fields import FIELDS
from urisect.logs import MissingExtraError
from urisect.specs import RFC3986, SPECIFICATIONS, Specification
from urisect.specs.specification import RULE_NAMES

TEXT_TYPES = [pa.string(), pa.large_string(), pa.string_view()]
BINARY_TYPES = [pa.binary(), pa.large_binary(), pa.binary_view()]
PLAIN = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
COMPONENTS = ("scheme", "authority", "path", "query", "fragment")


def encoded(values: list[str | None]) -> list[bytes | None]:
    return [None if value is None else value.encode() for value in values]


def sliced(column: pa.Array) -> pa.Array:
    """Return the column as a slice of a larger one."""
    around = pa.array(["//before:1/?#", None, "#"], pa.string()).cast(column.type)
    return pa.concat_arrays([around, column, around]).slice(3, len(column))


def chunked(column: pa.Array) -> pa.ChunkedArray:
    """Return the column in chunks, some of them empty."""
    half = len(column) // 2
    return pa.chunked_array([column[:0], column[:half], column[half:half], column[half:]])


def as_dictionary(column: pa.Array) -> pa.Array:
    """Return the column twice, as indices of a dictionary."""
    plain = column.cast(PLAIN.get(column.type, column.type))
    return pa.concat_arrays([plain, plain]).dictionary_encode()


def small_slice(column: pa.Array) -> pa.Array:
    """Return the column as a slice that is smaller than its dictionary."""
    values = pa.concat_arrays(
        [
            column.cast(PLAIN.get(column.type, column.type)),
            pa.array(["//other"] * 9, pa.string()).cast(PLAIN.get(column.type, column.type)),
        ]
    )
    return pa.DictionaryArray.from_arrays(pa.array(np.arange(len(column), dtype=np.int32)), values)


FORMS: dict[str, Callable[[pa.Array], Any]] = {
    "array": lambda column: column,
    "slice": sliced,
    "chunks": chunked,
    "dictionary": as_dictionary,
    "chunks of a dictionary": lambda column: chunked(as_dictionary(column)),
    "slice of a dictionary": small_slice,
    "chunks of a slice of a dictionary": lambda column: pa.chunked_array([small_slice(column)]),
}


def each_form(values: list[Any], kind: pa.DataType) -> list[tuple[Any, list[Any]]]:
    """Return columns of a type in every form, each with its values."""
    found = []
    for form in FORMS.values():
        column = form(pa.array(values, kind))
        found.append((column, values * (len(column) // max(len(values), 1))))
    return found


# split


@pytest.mark.parametrize("kind", [*TEXT_TYPES, *BINARY_TYPES], ids=str)
@given(rows)
def test_split_gives_what_split_gives(kind: pa.DataType, values: list[str | None]) -> None:
    texts = values if kind in TEXT_TYPES else encoded(values)
    for column, expected in each_form(texts, kind):
        found = arrow.split(column)
        assert isinstance(found, pa.ChunkedArray) == isinstance(column, pa.ChunkedArray)
        found.validate(full=True)
        assert found.to_pylist() == [components(text) for text in expected]
        assert found.type.field("host").type == PLAIN.get(kind, kind)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_binary()], ids=str)
@pytest.mark.parametrize("largest", [component_columns._MAX_INT32, 0], ids=["int32", "int64"])
def test_split_of_a_dictionary(kind: pa.DataType, largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(component_columns, "_MAX_INT32", largest)
    texts: list[str | None] = [
        "",
        "?",
        "//",
        "a:b",
        "a:?#",
        "http://h/p",
        *(f"/{number}" for number in range(20)),
        "/a?b#c",
    ]
    expected = [components(text) for text in (texts if kind == pa.string() else encoded(texts))]
    values = pa.array(texts, kind)
    for indices in ([0, 5, 26, 26, 3] * 9, list(range(27)), [26] * 40, [*range(6, 26)] * 2, [3, None, 26] * 10, []):
        column = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), values[: len(values) if indices else 0])
        found = arrow.split(column, COMPONENTS)
        found.validate(full=True)
        wanted = [None if index is None else {name: expected[index][name] for name in COMPONENTS} for index in indices]  # type: ignore[index]
        assert found.to_pylist() == wanted


def test_split_of_a_dictionary_whose_indices_are_not_those_of_its_values() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array(["a", "b"]), safe=False)
    with pytest.raises(IndexError):
        arrow.split(column, COMPONENTS)


@pytest.mark.slow
def test_split_is_exact_on_all_short_texts() -> None:
    texts = all_texts(full=7, quick=5)
    found = arrow.split(pa.array(texts))
    assert len(found) > 4096  # more than one block
    for name in FIELDS:
        assert found.field(name).to_pylist() == [getattr(split(text), name) for text in texts]


@given(st.lists(st.binary(max_size=12)))
def test_split_of_any_bytes(values: list[bytes]) -> None:
    assert arrow.split(pa.array(values, pa.binary())).to_pylist() == [components(value) for value in values]


def test_split_of_hostile_values_in_every_type() -> None:
    for kind in TEXT_TYPES:
        for column, expected in each_form(HOSTILE, kind):
            assert arrow.split(column).to_pylist() == [components(text) for text in expected]


def test_split_of_values_of_a_fixed_size_and_of_nulls_only() -> None:
    column = pa.array([b"a://", b"b?#c", None], pa.binary(4))
    assert arrow.split(column).to_pylist() == [components(b"a://"), components(b"b?#c"), None]
    assert arrow.split(pa.nulls(2)).to_pylist() == [None, None]
    assert arrow.split(pa.nulls(2, pa.string())).to_pylist() == [None, None]


@pytest.mark.parametrize("kind", [*TEXT_TYPES, pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_split_of_nothing(kind: pa.DataType) -> None:
    for column in (
        pa.array([], kind),
        pa.array(["a"], pa.string()).cast(kind)[1:] if kind != TEXT_TYPES[2] else pa.array([], kind),
        pa.chunked_array([], kind),
    ):
        assert arrow.split(column).to_pylist() == []
        assert [field.name for field in arrow.split(column).type] == [*FIELDS]


def test_split_of_nulls_with_text_behind_them() -> None:
    bitmap = pa.py_buffer(bytes([0b01]))
    column = pa.Array.from_buffers(pa.string(), 2, [bitmap, *pa.array(["//a", "//b:1"]).buffers()[1:]])
    found = arrow.split(column)
    assert found.to_pylist() == [components("//a"), None]
    assert found.field("host").to_pylist() == ["a", None]
    assert found.field("path").to_pylist() == ["", None]


def test_split_of_text_that_is_no_utf_8() -> None:
    column = pa.array([b"//\xff:80/\xfe", b"\xc3:"]).view(pa.string())
    found = arrow.split(column)
    assert found.field("host").cast(pa.binary()).to_pylist() == [b"\xff", None]
    assert found.field("scheme").cast(pa.binary()).to_pylist() == [None, b"\xc3"]


@given(st.lists(st.sampled_from(FIELDS), min_size=1, unique=True))
def test_split_builds_the_chosen_fields_in_their_order(names: list[str]) -> None:
    found = arrow.split(pa.array(HOSTILE), fields=names)
    assert [field.name for field in found.type] == names
    for text, row in zip(HOSTILE, found.to_pylist(), strict=True):
        whole = components(text)
        assert row == (whole and {name: whole[name] for name in names})


def test_a_single_field_is_a_name() -> None:
    assert arrow.split(pa.array(["//h"]), "host").to_pylist() == [{"host": "h"}]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (["hots"], r"unknown field 'hots' \(known: scheme, .*\); did you mean \"host\"\?"),
        ([], "name each field once, and at least one, not none"),
        (["host", "host"], "name each field once, and at least one, not host, host"),
    ],
)
def test_fields_that_cannot_be_built(fields: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        arrow.split(pa.array(["a"]), fields=fields)


@pytest.mark.parametrize("character", "a:/?#@[]")
def test_split_takes_linear_time(character: str) -> None:
    long = character * sizes.LONG
    texts = [long, f"//{long}", f"//a@{long}", "b"]
    assert arrow.split(pa.array(texts)).to_pylist() == [components(text) for text in texts]


# Columns


def test_objects_that_export_a_column() -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.chunked_array([["//a"], ["//b"]]).__arrow_c_stream__(requested_schema)

    class Array:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return pa.array(["//a", "//b"]).__arrow_c_array__(requested_schema)

    for column in (Stream(), Array()):
        assert arrow.split(column, fields=["host"]).to_pylist() == [{"host": "a"}, {"host": "b"}]
        assert arrow.resolve(column, pa.array(["x", "y"])).to_pylist() == [None, None]
    assert arrow.is_valid(Stream()).num_chunks == 2


@pytest.mark.parametrize(
    "function",
    [
        arrow.split,
        arrow.is_valid,
        arrow.violations,
        arrow.normalize,
        arrow.key,
        arrow.surt,
        arrow.site,
        arrow.hazards,
        lambda column: arrow.resolve("s:", column),
    ],
)
def test_a_column_of_another_type(function: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"\(\) takes a column of text \(string, binary, .*\), not int64$"):
        function(pa.array([1]))
    with pytest.raises(TypeError, match=r"\(\) takes an Arrow array of text, not list; pa.array\(\) makes one"):
        function(["a"])


def test_views_that_share_bytes_may_be_longer_than_a_buffer() -> None:
    """Pyarrow's own cast to string overflows then."""
    view = b"".join(number.to_bytes(4, "little") for number in (1000, int.from_bytes(b"//h/", "little"), 0, 0))
    rows = sizes.choose(full=2_200_000, quick=10_000)
    buffers = [None, pa.py_buffer(view * rows), pa.py_buffer(b"//h/" + b"a" * 996)]
    found = arrow.split(pa.Array.from_buffers(pa.string_view(), rows, buffers), fields=["host", "path"])
    assert found.field("host").value_counts().to_pylist() == [{"values": "h", "counts": rows}]
    assert found.field("path").value_counts().to_pylist() == [{"values": "/" + "a" * 996, "counts": rows}]


# The functions


RULES = st.sampled_from(RULE_NAMES)
SPECS = st.sampled_from([*SPECIFICATIONS.values()])


@given(rows, SPECS, RULES)
def test_is_valid_and_violations(values: list[str | None], spec: Specification, rule: str) -> None:
    for texts, kind in ((values, pa.string()), (encoded(values), pa.binary())):
        for column, expected in each_form(texts, kind):
            valid = arrow.is_valid(column, spec, rule)
            valid.validate(full=True)
            assert valid.to_pylist() == [None if text is None else spec.is_valid(text, rule) for text in expected]
        found = arrow.violations(pa.array(texts, kind), spec, rule)
        found.validate(full=True)
        for text, violations in zip(texts, found.to_pylist(), strict=True):
            assert violations == (text if text is None else [described(each) for each in spec.violations(text, rule)])


def described(violation: strict.Violation) -> dict[str, Any]:
    names = ("component", "rule", "offset", "length", "expected", "section", "incomplete", "message")
    return {name: getattr(violation, name) for name in names}


def test_is_valid_of_many_rows() -> None:
    texts = ["http://example.com/", "a b", None, "/"] * 20_000
    found = arrow.is_valid(pa.array(texts))
    assert found.to_pylist() == [True, False, None, True] * 20_000


@given(rows, st.sampled_from(["string", "syntax", "scheme"]), st.none() | SPECS)
def test_normalize(values: list[str | None], level: Any, spec: Specification | None) -> None:
    for texts, kind in ((values, pa.string()), (encoded(values), pa.binary())):
        for column, expected in each_form(texts, kind):
            found = arrow.normalize(column, level, spec)
            found.validate(full=True)
            assert found.to_pylist() == [text and normalize(text, level=level, spec=spec) for text in expected]


def test_normal_references_keep_their_buffers() -> None:
    column = pa.array(["http://example.com/", None, "/a"])
    assert arrow.normalize(column).buffers()[2].address == column.buffers()[2].address


@pytest.mark.parametrize("profile", crawl.PROFILES)
@given(rows)
def test_key(profile: str, values: list[str | None]) -> None:
    for texts, kind in ((values, pa.string()), (encoded(values), pa.binary())):
        for column, expected in each_form(texts, kind):
            found = arrow.key(column, profile)
            found.validate(full=True)
            assert found.to_pylist() == [None if text is None else crawl.key(text, profile) for text in expected]


@pytest.mark.parametrize("profile", crawl.PROFILES)
def test_key_of_references_that_a_match_may_take_for_keys(profile: str) -> None:
    """A change of each kind that a profile may make, and each printable character in each component."""
    texts = [
        f"http://{host}/" for host in ("example.com", "www.example.com", "example.com.", "a%2Dc", "EXAMPLE", "[::1]")
    ]
    texts += [
        f"http://example.com{tail}" for tail in ("", "/", "?", "/?", "/a/", "//", "/index.html", "/a/../b", "/;a=b")
    ]
    texts += [f"http://example.com/?{query}" for query in ("b&a", "a&b", "utm_source=a", "a=&a", "&", "sid=1", "a=%7e")]
    texts += [f"{scheme}://example.com/a" for scheme in ("http", "https", "ftp", "HTTP")] + [
        "mailto:a@b",
        "/a",
        "a",
        "",
    ]
    for character in map(chr, range(0x80)):
        texts += [f"http://a{character}b.example/", f"http://h/a{character}b", f"http://h/?a{character}b"]
    column = pa.array(texts)
    assert arrow.key(column, profile).to_pylist() == [crawl.key(text, profile) for text in texts]
    made = crawl.PROFILES[profile]
    assert arrow.key(column, made).to_pylist() == [crawl.key(text, made) for text in texts]


@given(values=rows, keep_www=st.booleans())
def test_surt(*, values: list[str | None], keep_www: bool) -> None:
    for texts, kind in ((values, pa.string()), (encoded(values), pa.binary())):
        for column, expected in each_form(texts, kind):
            found = arrow.surt(column, keep_www=keep_www)
            found.validate(full=True)
            assert found.to_pylist() == [
                None if text is None else crawl.surt(text, keep_www=keep_www) for text in expected
            ]


@given(rows)
def test_site(values: list[str | None]) -> None:
    values = [*values, *(f"http://{value}" for value in values if value), "http://www.example.co.uk/a", "//[::1]:1/"]
    for texts, kind in ((values, pa.string()), (encoded(values), pa.binary())):
        for column, expected in each_form(texts, kind):
            found = arrow.site(column, suffixes=SUFFIXES)
            found.validate(full=True)
            assert found.to_pylist() == [
                None if text is None else crawl.site(text, suffixes=SUFFIXES) for text in expected
            ]


def test_site_looks_up_each_host_once() -> None:
    looked_up = []

    class List:
        def privatesuffix(self, domain: str) -> str | None:
            looked_up.append(domain)
            return SUFFIXES.privatesuffix(domain)

    chunks = pa.chunked_array([["http://a.example/x", "http://b.example/y", None]] * 3)
    sites = arrow.site(chunks, suffixes=List())
    assert sites.to_pylist() == ["a.example", "b.example", None] * 3
    assert looked_up == ["a.example", "b.example"]


def test_site_by_the_default_list() -> None:
    values = ["http://www.example.co.uk/a", "http://co.uk/", "//192.0.2.1", "//[::1]", "/a"]
    assert arrow.site(pa.array([*values, None])).to_pylist() == [*map(crawl.site, values), None]


def test_site_without_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "publicsuffixlist", None)
    monkeypatch.setattr(sites, "_default_suffixes", sites._default_suffixes.__wrapped__)  # nothing cached
    assert arrow.site(pa.array(["/a", None])).to_pylist() == [None, None]
    with pytest.raises(MissingExtraError, match=r"pip install 'urisect\[psl\]'"):
        arrow.site(pa.array(["http://not-seen-before.example/"]))


def test_references_that_are_keys_keep_their_buffers() -> None:
    column = pa.array(["http://example.com/", None, "/a?b"])
    assert arrow.key(column).buffers()[2].address == column.buffers()[2].address


@given(rows)
def test_hazards(values: list[str | None]) -> None:
    for texts, kind in ((values, pa.string()), (encoded(values), pa.binary())):
        for column, expected in each_form(texts, kind):
            found = arrow.hazards(column)
            found.validate(full=True)
            assert found.to_pylist() == [
                text if text is None else [hazard._asdict() for hazard in hazards(text)] for text in expected
            ]
    assert [field.name for field in arrow.hazards(pa.array(["a"])).type.value_type] == [*Hazard._fields]


def test_hazards_of_a_long_reference() -> None:
    [[hazard]] = arrow.hazards(pa.array([f"http://example.com/{'a' * 8000}"])).to_pylist()
    assert hazard["code"] == "very-long"


def test_functions_of_text_that_is_no_utf_8() -> None:
    column = pa.array([b"HTTP://example.com/\xff", b"//h/%7E\xff", None]).view(pa.string())
    assert arrow.is_valid(column).to_pylist() == [False, False, None]
    [first, second, null] = arrow.violations(column).to_pylist()
    assert [(violation["component"], violation["offset"]) for violation in first + second] == [
        ("path", 19),
        ("path", 7),
    ]
    assert null is None
    normal = arrow.normalize(column).cast(pa.binary())
    assert normal.to_pylist() == [b"http://example.com/\xff", b"//h/~\xff", None]
    keys = arrow.key(column).cast(pa.binary())
    assert keys.to_pylist() == [b"http://example.com/\xff", b"//h/~\xff", None]
    for function in (arrow.surt, arrow.site):
        assert function(column).cast(pa.binary()).null_count >= 1
    targets = arrow.resolve("s://a/", column).cast(pa.binary())
    assert targets.to_pylist() == [b"HTTP://example.com/\xff", b"s://h/%7E\xff", None]


@given(base=bases, values=rows, strict=st.booleans())
def test_resolve_against_one_base(*, base: str, values: list[str | None], strict: bool) -> None:
    expected = [None if text is None else resolve(base, text, strict=strict) for text in values]
    for given_base in (base, base.encode(), Base(base), split(base)):
        assert arrow.resolve(given_base, pa.array(values, pa.string()), strict=strict).to_pylist() == expected
        octets = arrow.resolve(given_base, pa.array(encoded(values), pa.binary()), strict=strict)
        assert octets.to_pylist() == encoded(expected)
    for column, texts in each_form(values, pa.string()):
        found = arrow.resolve(base, column, strict=strict)
        assert found.to_pylist() == [None if text is None else resolve(base, text, strict=strict) for text in texts]


@given(
    pairs=st.lists(
        st.tuples(bases | st.none() | st.sampled_from(["", "//no/scheme"]), st.none() | st.text(max_size=5))
    ),
    strict=st.booleans(),
)
def test_resolve_against_a_column_of_bases(*, pairs: list[tuple[str | None, str | None]], strict: bool) -> None:
    base_texts, references = [base for base, _ in pairs], [reference for _, reference in pairs]
    expected = [
        None if not base or base.startswith("//") or reference is None else resolve(base, reference, strict=strict)
        for base, reference in pairs
    ]
    base_column = pa.array(base_texts, pa.string())
    for base_form in (
        base_column,
        base_column.dictionary_encode(),
        chunked(base_column),
        base_column.cast(pa.binary()),
    ):
        for form in (lambda column: column, chunked, pa.Array.dictionary_encode, sliced):
            found = arrow.resolve(base_form, form(pa.array(references, pa.string())), strict=strict)
            assert found.to_pylist() == expected
        octets = arrow.resolve(base_form, pa.array(encoded(references), pa.binary()), strict=strict)
        assert octets.to_pylist() == encoded(expected)


def test_bases_of_one_row_and_of_many_give_the_same() -> None:
    bases = ["http://h/a/b", "no base", None, "s:/x"]
    for repeats in (1, 2, 3, 5):
        references = pa.array(["../c", "d", "e", "?f"] * repeats)
        assert arrow.resolve(pa.array(bases * repeats), references).to_pylist() == [
            "http://h/c", None, None, "s:/x?f"
        ] * repeats  # fmt: skip


def test_resolve_refuses_what_is_no_base() -> None:
    references = pa.array(["a"])
    with pytest.raises(ValueError, match="scheme"):
        arrow.resolve("//no/scheme", references[:0])
    with pytest.raises(TypeError, match="not int"):
        arrow.resolve(1, references)
    with pytest.raises(ValueError, match="takes a base for each reference, not 2 for 1"):
        arrow.resolve(pa.array(["s:", "s:"]), references)


def test_arguments_are_checked_before_the_column() -> None:
    empty = pa.array([], pa.string())
    for function in (arrow.is_valid, arrow.violations):
        with pytest.raises(ValueError, match="unknown rule 'URl'"):
            function(empty, RFC3986, "URl")
        with pytest.raises(TypeError, match="Specification"):
            function(empty, "rfc3986")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown level 'syntaxx'"):
        arrow.normalize(empty, level="syntaxx")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown profile 'request'"):
        arrow.key(empty, "request")


# The package


@pytest.mark.parametrize("package", ["numpy", "pyarrow"])
def test_a_missing_package_names_its_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for name in [name for name in sys.modules if name.startswith(("urisect.engines.", "urisect.arrow_packages"))]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match=rf"needs {package}, .*; pip install 'urisect\[arrow\]' brings it"):
        importlib.import_module("urisect.engines.arrow")


def test_the_modules_of_engines() -> None:
    assert dir(engines) == ["arrow", "duckdb", "polars", "spark", "sql"]
    for name in dir(engines):
        assert getattr(engines, name).__name__ == f"urisect.engines.{name}"
    with pytest.raises(
        AttributeError, match=r"module 'urisect.engines' has no attribute 'arow'; did you mean \"arrow\"\?"
    ):
        engines.arow  # type: ignore[attr-defined]  # noqa: B018
