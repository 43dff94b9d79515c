"""Columns of Polars: every row is what the functions for one reference say, in every type of column and query."""

import importlib
import sys
from collections.abc import Callable
from operator import methodcaller
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import sizes
from tests.support.columns import HOSTILE, all_texts, components, rows
from tests.support.references import bases, references
from tests.support.suffixes import SUFFIXES
from urisect import Base, crawl, hazards, normalize, resolve, split, strict
from urisect.engines.fields import FIELDS
from urisect.engines.polars import URINamespace
from urisect.logs import MissingExtraError
from urisect.specs import RFC2396, RFC3986

Values = list[Any]


def uri(column: Any) -> Any:
    """Return the namespace, of which type checkers do not know that columns have it."""
    return column.uri


def encoded(values: Values) -> Values:
    return [None if value is None else value.encode() for value in values]


def in_chunks(series: pl.Series) -> pl.Series:
    """Return the series as slices of others, in chunks."""
    around = pl.Series(series.name, ["//before:1/?#", None], dtype=pl.String).cast(series.dtype)
    half = len(series) // 2
    parts = [series[:half], series[half:]]
    return pl.concat([pl.concat([around, part, around])[2 : 2 + len(part)] for part in parts], rechunk=False)


def as_enum(series: pl.Series) -> pl.Series:
    """Return the series with a fixed list of categories, some of them unused."""
    categories = [*dict.fromkeys([*series.drop_nulls(), "//unused", *"0123456789ABCDEF"])]
    return series.cast(pl.Enum(categories))


def as_categorical(series: pl.Series) -> pl.Series:
    """Return the series with categories, as a slice of one with more of them, in chunks."""
    return in_chunks(pl.concat([series, series])).cast(pl.Categorical)[: len(series)]


FORMS: list[Callable[[pl.Series], pl.Series]] = [
    lambda series: series,
    in_chunks,
    lambda series: series.cast(pl.Categorical),
    as_categorical,
    as_enum,
]

# Calls a method of the namespace.
Call = Callable[[Any], Any]


def select(series: pl.Series, call: Call) -> pl.Series:
    return series.to_frame("url").select(call(uri(pl.col("url")))).to_series()


def collect(series: pl.Series, call: Call) -> pl.Series:
    query = series.to_frame("url").lazy().select(call(uri(pl.col("url"))))
    found = query.collect(engine="streaming")
    assert found.schema == query.collect_schema()
    return found.to_series()


def assert_rows(values: Values, call: Call, expected: Callable[[Any], Any]) -> None:
    """Compare what a method returns with what a function says of each value, in every form and query."""
    text = pl.Series("url", values, dtype=pl.String)
    octets = pl.Series("url", encoded(values), dtype=pl.Binary)
    results = [call(uri(form(text))) for form in FORMS]
    for found in (*results, select(text, call), collect(as_enum(text), call)):
        assert found.name == "url"
        assert found.to_list() == [None if value is None else expected(value) for value in values]
    for found in (call(uri(octets)), collect(in_chunks(octets), call)):
        assert found.to_list() == [None if value is None else expected(value) for value in encoded(values)]


# Every row


@given(rows)
def test_split(values: Values) -> None:
    assert_rows(values, methodcaller("split"), components)


def test_split_of_all_short_texts() -> None:
    texts = all_texts(full=6, quick=5)
    found = collect(pl.Series(texts), methodcaller("split")).struct.unnest()
    for name in FIELDS:
        assert found[name].to_list() == [getattr(split(text), name) for text in texts]


@pytest.mark.parametrize("name", FIELDS)
def test_one_component(name: str) -> None:
    assert_rows(HOSTILE, methodcaller(name), lambda text: getattr(split(text), name))


@given(rows)
def test_is_valid(values: Values) -> None:
    assert_rows(values, methodcaller("is_valid"), strict.is_valid)
    assert_rows(values, methodcaller("is_valid", RFC2396, "URI"), lambda text: RFC2396.is_valid(text, "URI"))


@given(rows)
def test_violations(values: Values) -> None:
    def expected(text: str) -> list[dict[str, Any]]:
        names = ("component", "rule", "offset", "length", "expected", "section", "incomplete", "message")
        return [{name: getattr(found, name) for name in names} for found in RFC3986.violations(text, "URI")]

    assert_rows(values, methodcaller("violations", rule="URI"), expected)


@given(rows)
def test_hazards(values: Values) -> None:
    assert_rows(values, methodcaller("hazards"), lambda text: [found._asdict() for found in hazards(text)])


@given(rows)
def test_normalize(values: Values) -> None:
    assert_rows(values, methodcaller("normalize"), normalize)
    assert_rows(
        values,
        methodcaller("normalize", level="scheme", spec=RFC2396),
        lambda text: normalize(text, level="scheme", spec=RFC2396),
    )


@settings(max_examples=sizes.choose(full=100, quick=30))
@given(rows)
def test_key_surt_and_site(values: Values) -> None:
    assert_rows(values, methodcaller("key"), crawl.key)
    assert_rows(values, methodcaller("key", "loose-1"), lambda text: crawl.key(text, "loose-1"))
    assert_rows(values, methodcaller("surt"), crawl.surt)
    assert_rows(values, methodcaller("surt", keep_www=True), lambda text: crawl.surt(text, keep_www=True))
    assert_rows(values, methodcaller("site", suffixes=SUFFIXES), lambda text: crawl.site(text, suffixes=SUFFIXES))


@given(base=bases, values=rows, strict=st.booleans())
def test_resolve_against_one_base(*, base: str, values: Values, strict: bool) -> None:
    def expected(text: Any) -> Any:
        return resolve(base if isinstance(text, str) else base.encode(), text, strict=strict)

    for one_base in (base, base.encode(), Base(base), split(base)):
        assert_rows(values, methodcaller("resolve", one_base, strict=strict), expected)


@given(
    pairs=st.lists(st.tuples(st.none() | st.sampled_from(["", "//no/scheme"]) | bases, st.none() | references)),
    strict=st.booleans(),
)
def test_resolve_against_bases_in_a_column(*, pairs: list[tuple[str | None, str | None]], strict: bool) -> None:
    expected = [
        None if not base or base.startswith("//") or text is None else resolve(base, text, strict=strict)
        for base, text in pairs
    ]
    page = pl.Series("page", [base for base, _ in pairs], dtype=pl.String)
    link = pl.Series("link", [text for _, text in pairs], dtype=pl.String)
    frame = pl.DataFrame([page, link])
    for bases_of_rows in (page, page.cast(pl.Categorical), page.cast(pl.Binary), in_chunks(page)):
        assert uri(in_chunks(link)).resolve(bases_of_rows, strict=strict).to_list() == expected
        targets = frame.select(uri(pl.col("link")).resolve(bases_of_rows, strict=strict))
        assert targets["link"].to_list() == expected
    query = frame.lazy().select(uri(pl.col("link")).resolve(pl.col("page"), strict=strict))
    assert query.collect(engine="streaming").to_series().to_list() == expected
    assert query.collect_schema() == {"link": pl.String}


# Columns and queries


def test_null_in_each_type_of_column() -> None:
    for dtype in (pl.String, pl.Binary, pl.Categorical, pl.Enum(["a"]), pl.Null):
        series = pl.Series("url", [None, None], dtype=dtype)
        assert uri(series).split().to_list() == [None, None]
        assert uri(series).host().to_list() == [None, None]
        assert uri(series).resolve("s:").to_list() == [None, None]
        assert uri(series).resolve(series).to_list() == [None, None]


@pytest.mark.parametrize("dtype", [pl.String, pl.Binary, pl.Categorical, pl.Enum(["a"]), pl.Null], ids=str)
def test_types_of_results_are_known_and_empty_frames_have_them(dtype: Any) -> None:
    url = uri(pl.col("url"))
    frame = pl.DataFrame({"url": pl.Series([], dtype=dtype)})
    text = pl.Binary if dtype == pl.Binary else pl.String
    expressions = {
        "split": url.split(["path", "host"]),
        "host": url.host(),
        "is_valid": url.is_valid(),
        "normalize": url.normalize(),
        "key": url.key(),
        "surt": url.surt(),
        "site": url.site(),
        "resolve": url.resolve("s:"),
        "by_row": url.resolve(pl.col("url")),
        "hazards": url.hazards().list.len(),
        "violations": url.violations().list.len(),
    }
    query = frame.lazy().select(**expressions)
    schema = {
        "split": pl.Struct({"path": text, "host": text}),
        **dict.fromkeys(["host", "normalize", "key", "surt", "site", "resolve", "by_row"], text),
        "is_valid": pl.Boolean,
        **dict.fromkeys(["hazards", "violations"], pl.get_index_type()),
    }
    assert query.collect_schema() == query.collect().schema == frame.select(**expressions).schema
    assert dict(query.collect_schema()) == schema


def test_the_streaming_engine_calls_with_parts_of_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    run = polars_module()._run

    def counted(series: pl.Series, function: Callable[[Any], Any]) -> pl.Series:
        sizes.append(len(series))
        result: pl.Series = run(series, function)
        return result

    monkeypatch.setattr("urisect.engines.polars._run", counted)
    frame = pl.DataFrame({"url": ["http://example.com/a"] * 300_000})
    query = frame.lazy().with_columns(host=uri(pl.col("url")).host()).group_by("host").len()
    assert query.collect(engine="streaming").rows() == [("example.com", 300_000)]
    assert len(sizes) > 2
    assert max(sizes) < 300_000


def polars_module() -> Any:
    return importlib.import_module("urisect.engines.polars")


def test_contexts_of_expressions() -> None:
    frame = pl.DataFrame({"key": [1, 2, 1], "url": ["//a/x", "//b/y", "//c/z"], "base": ["s:", "t:", "u:"]})
    host = uri(pl.col("url")).host()
    groups = frame.group_by("key", maintain_order=True)
    assert groups.agg(host).rows() == [(1, ["a", "c"]), (2, ["b"])]
    assert groups.agg(host.first()).rows() == [(1, "a"), (2, "b")]
    assert groups.agg(uri(pl.col("url")).resolve(pl.col("base"))).rows() == [
        (1, ["s://a/x", "u://c/z"]),
        (2, ["t://b/y"]),
    ]
    assert frame.select(host.over("key")).to_series().to_list() == ["a", "b", "c"]
    assert frame.filter(host == "b").rows() == [(2, "//b/y", "t:")]
    assert frame.select(pl.concat_list("url", "base").list.eval(uri(pl.element()).scheme())).row(2) == ([None, "u"],)
    assert frame.select(uri(pl.col("url", "base")).scheme()).row(0) == (None, "s")
    assert frame.select(pl.when(pl.col("key") == 1).then(host)).to_series().to_list() == ["a", None, "c"]
    assert frame.sort(host, descending=True)["key"].to_list() == [1, 2, 1]


def test_one_value_on_either_side_is_that_of_every_row() -> None:
    frame = pl.DataFrame({"page": ["s://h/a", "t:b"], "link": ["x", "y"]})
    assert frame.select(uri(pl.col("link")).resolve(pl.lit("s://h/"))).to_series().to_list() == ["s://h/x", "s://h/y"]
    assert frame.select(uri(pl.lit("z")).resolve(pl.col("page"))).to_series().to_list() == ["s://h/z", "t:z"]
    assert frame.head(0).select(uri(pl.col("link")).resolve(pl.lit("s:"))).height == 0
    assert uri(frame["link"]).resolve(pl.Series(["s:"])).to_list() == ["s:x", "s:y"]
    with pytest.raises(ValueError, match="takes a base for each reference, not 3 for 2"):
        uri(frame["link"]).resolve(pl.Series(["s:"] * 3))


def test_categories_are_split_once_for_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def mark(text: str, **_: object) -> str:
        texts.append(text)
        return f"{text}!"

    monkeypatch.setattr("urisect.normalization.normalize", mark)
    series = pl.Series(["HTTP://a/", "HTTP://b/"] * 500, dtype=pl.Categorical)
    found = uri(series).normalize()
    assert found.to_list() == ["HTTP://a/!", "HTTP://b/!"] * 500
    assert texts.count("HTTP://a/") == 1


def test_the_class_is_the_namespace_for_type_checkers() -> None:
    series = pl.Series(["//h"])
    assert URINamespace(series).host().to_list() == uri(series).host().to_list() == ["h"]
    assert series.to_frame("url").select(URINamespace(pl.col("url")).host()).row(0) == ("h",)


def test_text_that_is_large_keeps_large_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisect.engines.polars._MAX_SMALL_BYTES", 10)
    for dtype in (pl.String, pl.Binary):
        series = pl.Series(["http://example.com/", None], dtype=pl.String).cast(dtype)
        found = uri(series).split()
        assert found.to_list() == [components(value) for value in series]
        assert found.struct.field("host").dtype == dtype


# Wrong arguments

NAMES = ("split", "host", "is_valid", "violations", "hazards", "normalize", "key", "surt", "site")
METHODS = {name: methodcaller(name) for name in NAMES}
METHODS["resolve"] = methodcaller("resolve", "s:")


@pytest.mark.parametrize("method", METHODS)
def test_a_column_that_is_not_text(method: str) -> None:
    message = rf"^uri\.{method}\(\) takes a column of type String, Binary, Categorical or Enum, not "
    with pytest.raises(TypeError, match=f"{message}Int64$"):
        METHODS[method](uri(pl.Series([1])))
    frame = pl.DataFrame({"url": [["a"]]})
    with pytest.raises(TypeError, match=rf"{message}List\(String\)\n"):
        frame.select(METHODS[method](uri(pl.col("url"))))
    with pytest.raises(TypeError, match=rf"{message}List\(String\)\n"):
        frame.lazy().select(METHODS[method](uri(pl.col("url")))).collect(engine="streaming")


def test_bases_that_are_not_text() -> None:
    frame = pl.DataFrame({"url": ["a"], "base": [1]})
    with pytest.raises(TypeError, match=r"^uri\.resolve\(\) takes a column of type .*, not Int64\n"):
        frame.select(uri(pl.col("url")).resolve(pl.col("base")))
    with pytest.raises(TypeError, match=r"^uri\.resolve\(\) takes a column of type .*, not Int64$"):
        uri(frame["url"]).resolve(frame["base"])
    with pytest.raises(TypeError, match="the bases are a text or a series, not an expression"):
        uri(frame["url"]).resolve(pl.col("base"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (methodcaller("split", ["hots"]), r"unknown field 'hots' .*; did you mean \"host\"\?"),
        (methodcaller("is_valid", rule="URl"), "unknown rule 'URl'"),
        (methodcaller("normalize", "sceme"), "unknown level 'sceme'"),
        (methodcaller("resolve", "//no/scheme"), "scheme"),
    ],
)
def test_arguments_are_checked_before_a_query_runs(call: Call, message: str) -> None:
    for column in (pl.col("url"), pl.Series(["a"])):
        with pytest.raises(ValueError, match=message):
            call(uri(column))


# Missing packages


@pytest.mark.parametrize(("package", "extra"), [("polars", "polars"), ("numpy", "arrow"), ("pyarrow", "arrow")])
def test_a_missing_package_names_its_extra(package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for name in [name for name in sys.modules if name.startswith(("urisect.engines.", "urisect.arrow_packages"))]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match=rf"needs {package}, .*; pip install 'urisect\[{extra}\]' brings it"):
        importlib.import_module("urisect.engines.polars")
