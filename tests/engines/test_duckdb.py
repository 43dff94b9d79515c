"""Functions in DuckDB: every row is what the functions for one reference say."""

import importlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.columns import HOSTILE, all_texts, components, rows
from tests.support.references import bases, references
from urisect import Hazard, crawl, hazards, normalize, resolve, split, strict
from urisect.engines.duckdb import register
from urisect.engines.fields import FIELDS
from urisect.logs import MissingExtraError

Values = list[Any]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield register(opened)


def evaluate(connection: duckdb.DuckDBPyConnection, expression: str, **columns: Iterable[Any]) -> Values:
    """Evaluate an expression over a table with columns of text."""
    table = pa.table({name: pa.array([*values], pa.string()) for name, values in columns.items()})
    connection.register("given", table)
    return [value for (value,) in connection.sql("FROM given").select(expression).fetchall()]


# Every row


@given(values=rows)
def test_split(connection: duckdb.DuckDBPyConnection, values: Values) -> None:
    nulls = dict.fromkeys(FIELDS)
    assert evaluate(connection, "uri_split(url)", url=values) == [components(text) or nulls for text in values]


def test_split_of_all_short_texts(connection: duckdb.DuckDBPyConnection) -> None:
    texts = all_texts(full=6, quick=5)
    found = connection.register("given", pa.table({"url": texts})).sql("SELECT unnest(uri_split(url)) FROM given")
    for name, column in found.fetchnumpy().items():
        assert [None if value is None else str(value) for value in column.tolist()] == [
            getattr(split(text), name) for text in texts
        ]


@pytest.mark.parametrize("name", FIELDS)
def test_one_component(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    expected = [None if text is None else getattr(split(text), name) for text in HOSTILE]
    assert evaluate(connection, f"uri_{name}(url)", url=HOSTILE) == expected


@given(values=rows)
def test_is_valid(connection: duckdb.DuckDBPyConnection, values: Values) -> None:
    expected = [None if text is None else strict.is_valid(text) for text in values]
    assert evaluate(connection, "uri_is_valid(url)", url=values) == expected


@pytest.mark.parametrize(
    ("call", "level"),
    [("url", "syntax"), ("url, 'string'", "string"), ("url, 'syntax'", "syntax"), ("url, 'scheme'", "scheme")],
)
@given(values=rows)
def test_normalize(connection: duckdb.DuckDBPyConnection, call: str, level: Any, values: Values) -> None:
    expected = [None if text is None else normalize(text, level=level) for text in values]
    assert evaluate(connection, f"uri_normalize({call})", url=values) == expected


def test_a_column_of_levels(connection: duckdb.DuckDBPyConnection) -> None:
    columns = {"url": ["HTTP://h:80"] * 3, "level": ["string", "syntax", "scheme"]}
    assert evaluate(connection, "uri_normalize(url, level)", **columns) == ["HTTP://h:80", "http://h:80", "http://h/"]


@pytest.mark.parametrize(
    ("call", "profile"),
    [("url", "request-1"), *((f"url, '{profile}'", profile) for profile in crawl.PROFILES)],
)
@given(values=rows)
def test_key(connection: duckdb.DuckDBPyConnection, call: str, profile: str, values: Values) -> None:
    expected = [None if text is None else crawl.key(text, profile) for text in values]
    assert evaluate(connection, f"uri_key({call})", url=values) == expected


@pytest.mark.parametrize(
    ("call", "keep_www"), [("url", False), ("url, false", False), ("url, NULL", False), ("url, true", True)]
)
@given(values=rows)
def test_surt(*, connection: duckdb.DuckDBPyConnection, call: str, keep_www: bool, values: Values) -> None:
    values = [*values, "http://www.example.com/"]
    expected = [None if text is None else crawl.surt(text, keep_www=keep_www) for text in values]
    assert evaluate(connection, f"uri_surt({call})", url=values) == expected


def test_site(connection: duckdb.DuckDBPyConnection) -> None:
    values = ["http://www.example.co.uk/a", "http://co.uk", "//192.0.2.1", "/a", ""]
    assert evaluate(connection, "uri_site(url)", url=[*values, None]) == [*map(crawl.site, values), None]


@given(pairs=st.lists(st.tuples(st.none() | st.sampled_from(["", "//no/scheme"]) | bases, st.none() | references)))
def test_resolve(connection: duckdb.DuckDBPyConnection, pairs: list[tuple[str | None, str | None]]) -> None:
    expected = [
        None if not base or base.startswith("//") or text is None else resolve(base, text) for base, text in pairs
    ]
    columns = {"base": [base for base, _ in pairs], "url": [text for _, text in pairs]}
    assert evaluate(connection, "uri_resolve(base, url)", **columns) == expected


@given(values=rows)
def test_hazards(connection: duckdb.DuckDBPyConnection, values: Values) -> None:
    expected = [None if text is None else [found._asdict() for found in hazards(text)] for text in values]
    assert evaluate(connection, "uri_hazards(url)", url=values) == expected


def test_fields_of_hazards(connection: duckdb.DuckDBPyConnection) -> None:
    [[hazard]] = evaluate(connection, "uri_hazards(url)", url=["http://user@example.com/"])
    assert [*hazard] == [*Hazard._fields]


def test_constants_and_one_base_of_all_rows(connection: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT uri_split('//h').host, uri_is_valid(''), uri_normalize(NULL), uri_host(NULL), uri_hazards(NULL)"
    assert connection.execute(query).fetchall() == [("h", True, None, None, None)]
    assert evaluate(connection, "uri_resolve('http://example.com/a', url)", url=["b", None, "//c"]) == [
        *("http://example.com/b", None, "http://c")
    ]


def test_many_rows_in_all_threads(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE OR REPLACE TABLE urls AS SELECT 'HTTP://h/' || i AS url FROM range(50_000) numbers (i)")
    found = connection.table("urls").select("uri_normalize(url) = 'http' || url[5:], uri_is_valid(url)").distinct()
    assert found.fetchall() == [(True, True)]


# Connections


def test_a_connection_may_be_registered_again_and_each_cursor_is_registered_itself() -> None:
    with duckdb.connect() as connection:
        assert register(register(connection)) is connection
        cursor = connection.cursor()
        assert cursor.execute("SELECT uri_is_valid('a b')").fetchone() == (False,)
        with pytest.raises(duckdb.CatalogException, match="uri_host"):
            cursor.execute("SELECT uri_host('//h')")
        assert register(cursor).execute("SELECT uri_host('//h'), uri_normalize('A:')").fetchone() == ("h", "a:")


def test_nothing_is_stored_in_a_database(tmp_path: Path) -> None:
    path = str(tmp_path / "urls.duckdb")
    with duckdb.connect(path) as connection:
        register(connection).execute("CREATE TABLE urls AS SELECT '//h' AS url")
    with duckdb.connect(path, read_only=True) as connection:
        with pytest.raises(duckdb.CatalogException, match="uri_host"):
            connection.execute("SELECT uri_host(url) FROM urls")
        assert register(connection).execute("SELECT uri_host(url) FROM urls").fetchone() == ("h",)


def test_functions_are_there_in_every_catalog_and_schema() -> None:
    with duckdb.connect() as connection:
        register(connection).execute("ATTACH ':memory:' AS other; CREATE SCHEMA other.inner; USE other.inner")
        query = "SELECT uri_split('//h').host, uri_normalize('A:', 'scheme'), uri_resolve('s:', 'a')"
        assert connection.execute(query).fetchone() == ("h", "a:", "s:a")


# Wrong arguments


@pytest.mark.parametrize("name", ["split", *FIELDS, "is_valid", "normalize", "key", "surt", "site", "hazards"])
def test_a_blob_is_not_text(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    with pytest.raises(duckdb.BinderException, match="BLOB"):
        connection.execute(f"SELECT uri_{name}('//h'::BLOB)")
    assert evaluate(
        connection, f"uri_{name}(decode(encode(url))) IS NOT DISTINCT FROM uri_{name}(url)", url=["//h"]
    ) == [True]


def test_an_unknown_level(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error, match=r"unknown level 'sceme' \(known: string, syntax, scheme\)"):
        connection.execute("SELECT uri_normalize('a', 'sceme')")


def test_an_unknown_profile(connection: duckdb.DuckDBPyConnection) -> None:
    message = r"unknown profile 'request' \(known: syntax-1, request-1, page-1, loose-1\)"
    with pytest.raises(duckdb.Error, match=message):
        connection.execute("SELECT uri_key('a', 'request')")


def test_a_closed_connection() -> None:
    connection = duckdb.connect()
    connection.close()
    with pytest.raises(duckdb.ConnectionException):
        register(connection)


# Missing packages


@pytest.mark.parametrize(("package", "extra"), [("duckdb", "duckdb"), ("numpy", "arrow"), ("pyarrow", "arrow")])
def test_a_missing_package_names_its_extra(package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for name in [name for name in sys.modules if name.startswith(("urisect.engines.", "urisect.arrow_packages"))]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match=rf"needs {package}, .*; pip install 'urisect\[{extra}\]' brings it"):
        importlib.import_module("urisect.engines.duckdb")
