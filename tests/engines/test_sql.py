"""The SQL expressions: run by each database, they give what `urisect.split` gives, row by row."""

# ruff: noqa: S608  SQL is what is tested

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from time import sleep
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import corpora
from tests.support import naive, sizes
from tests.support.postgresql import find_postgresql, serve_postgresql
from urisect import split as split_one
from urisect.engines import sql
from urisect.engines.fields import FIELDS, check_fields

Row = tuple[str | None, ...]
# Evaluates the expression of some fields, for each of some texts: they are the column url of the table urls.
Database = Callable[..., list[Row]]

CHARACTERS = "a:/?#@[]\n"
NUL = "\0"

CHOSEN = [
    "http://user:secret@example.com:8080/over/there?name=ferret#nose",
    "//a@b@[::1]:80:81/",
    "//[::1]x:80",
    "//[::1",
    "//[a]b]:c",
    "//a@[b:c",
    "//@:",
    "//é@ü:ö/ä?ß#ñ",
    "😀:😀//😀@😀:😀/😀?😀#😀",
    "//e\N{COMBINING ACUTE ACCENT}\N{ZERO WIDTH JOINER}@🏳️‍🌈:🇪🇺/",
    "é:é",
    "\ufeffhttp://example.com/",
    "%00://%41@%42:%43/%44?%45#%46",
    "\\\\://\\@'\":\"'/{}?$1\\1#--",
    "\r\n:\u2028//\x85\u2029@\x0b:\x0c/\r?\r#\n\n",
    " http://example.com ",
    "a" * 100_000 + "://" + "b@" * 50_000 + "[" + ":" * 100_000,
    "//" + "a" * 10_000 + "/" * 10_000 + "?" * 10_000 + "#" * 10_000,
]
WITH_NUL = [f"{NUL}:{NUL}//{NUL}@{NUL}:{NUL}/{NUL}?{NUL}#{NUL}", NUL, f"//{NUL}", f"a{NUL}://b"]


@cache
def made_texts() -> list[str]:
    """Texts that Hypothesis makes: any at all, and any with many delimiters."""
    made: dict[str, None] = {}
    delimiters = st.text(st.sampled_from(":/?#@[]aé\n😀") | st.characters(exclude_categories=["Cs"]))

    @given(st.text(st.characters(exclude_categories=["Cs"])) | delimiters | delimiters.map("//{}".format))
    @settings(max_examples=3000, database=None)
    def make(text: str) -> None:
        made[text] = None

    make()
    return [*made]


def expected(text: str | None, fields: Sequence[str] = FIELDS) -> Row:
    """Return what `urisect.split` gives; all fields of None are None."""
    return tuple(None if text is None else getattr(split_one(text), name) for name in fields)


def assert_equals_split(database: Database, texts: Sequence[str | None]) -> None:
    rows = database(texts)
    assert len(rows) == len(texts)
    assert [(text, row) for text, row in zip(texts, rows, strict=True) if row != expected(text)] == []


# The databases


@contextmanager
def in_duckdb() -> Iterator[Database]:
    with duckdb.connect() as connection:

        def run(texts: Sequence[str | None], column: str = "url", fields: Sequence[str] = FIELDS) -> list[Row]:
            connection.register("given", pa.table({"url": pa.array(texts, pa.string())}))
            connection.execute("CREATE OR REPLACE TABLE urls AS FROM given")
            rows = connection.execute(f"SELECT {sql.split('duckdb', column, fields)} FROM urls").fetchall()
            return [tuple(row[0].values()) for row in rows]

        yield run


@pytest.fixture(scope="session")
def clickhouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., list[tuple[bytes | None, ...]]]]:
    """ClickHouse as a library, whose texts are bytes."""
    chdb = pytest.importorskip("chdb.session", reason="ClickHouse is not installed: pip install chdb")
    path = tmp_path_factory.mktemp("clickhouse") / "urls.parquet"
    with chdb.Session() as session:

        def run(
            texts: Sequence[bytes | None], column: str = "url", fields: Sequence[str] = FIELDS
        ) -> list[tuple[bytes | None, ...]]:
            numbers = pa.array(range(len(texts)))
            pq.write_table(pa.table({"url": pa.array(texts, pa.binary()), "number": numbers}), path)
            query = (
                f"SELECT {sql.split('clickhouse', column, fields)} AS uri FROM file('{path}') AS urls "
                "ORDER BY number SETTINGS output_format_arrow_string_as_string = 0"
            )
            table = pa.ipc.open_file(session.query(query, "Arrow").bytes()).read_all()
            return [tuple(row.values()) for row in table["uri"].to_pylist()]

        yield run


@contextmanager
def in_clickhouse(run: Callable[..., list[tuple[bytes | None, ...]]]) -> Iterator[Database]:
    def run_on_text(texts: Sequence[str | None], *arguments: Any) -> list[Row]:
        rows = run([None if text is None else text.encode() for text in texts], *arguments)
        return [tuple(None if value is None else value.decode() for value in row) for row in rows]

    yield run_on_text


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Any]:
    """A connection to PostgreSQL."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    programs = find_postgresql()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: there is no postgres on PATH or in /usr/lib/postgresql")
    with serve_postgresql(programs) as directory:
        for attempt in range(100):
            try:
                connection = psycopg.connect(host=directory, user="postgres", dbname="postgres", autocommit=True)
                break
            except psycopg.OperationalError:  # it is still starting
                if attempt == 99:
                    raise
                sleep(0.1)
        with connection:
            yield connection


@contextmanager
def in_postgresql(connection: Any) -> Iterator[Database]:
    def run(texts: Sequence[str | None], column: str = "url", fields: Sequence[str] = FIELDS) -> list[Row]:
        connection.execute("CREATE TEMPORARY TABLE urls (url text, number int)")
        with connection.cursor().copy("COPY urls FROM STDIN") as copy:
            for number, text in enumerate(texts):
                copy.write_row((text, number))
        split = sql.split("postgresql", column, fields)
        rows = connection.execute(f"SELECT uri.* FROM urls, LATERAL {split} AS uri ORDER BY number").fetchall()
        connection.execute("DROP TABLE urls")
        return [*rows]

    yield run


@contextmanager
def in_spark(session: Any) -> Iterator[Database]:
    def run(texts: Sequence[str | None], column: str = "url", fields: Sequence[str] = FIELDS) -> list[Row]:
        table = pa.table({"url": pa.array(texts, pa.string())})
        session.createDataFrame(table).createOrReplaceTempView("urls")
        rows = session.sql(f"SELECT {sql.split('spark', column, fields)} FROM urls").toArrow()[0].to_pylist()
        return [tuple(row.values()) for row in rows]

    yield run


@pytest.fixture
def database(request: pytest.FixtureRequest, dialect: str) -> Iterator[Database]:
    match dialect:
        case "duckdb":
            opened = in_duckdb()
        case "clickhouse":
            opened = in_clickhouse(request.getfixturevalue("clickhouse"))
        case "postgresql":
            opened = in_postgresql(request.getfixturevalue("postgresql"))
        case _:
            opened = in_spark(request.getfixturevalue("spark"))
    with opened as run:
        yield run


of_each_dialect = pytest.mark.parametrize("dialect", sql.DIALECTS)


# Every row equals `urisect.split`


@of_each_dialect
def test_every_short_text(database: Database, dialect: str) -> None:
    longest = sizes.choose(full=5, quick=4) if dialect == "spark" else 5  # Spark takes 10 seconds for 66,430 texts
    assert_equals_split(database, [*naive.strings(CHARACTERS, longest)])


@of_each_dialect
def test_chosen_and_made_texts_and_nulls(database: Database, dialect: str) -> None:
    texts = [*CHOSEN, *WITH_NUL, *made_texts(), *corpora.crawl(2000), *corpora.references(2000), None, "", None]
    if dialect == "postgresql":  # its text cannot contain NUL
        texts = [text for text in texts if text is None or NUL not in text]
    assert_equals_split(database, texts)


@of_each_dialect
def test_an_expression_in_place_of_a_column(database: Database) -> None:
    assert database(CHOSEN, "concat('//a@', url, ':1')") == [expected(f"//a@{text}:1") for text in CHOSEN]


@of_each_dialect
def test_an_expression_with_another_value_each_time_is_evaluated_once(database: Database, dialect: str) -> None:
    random = {"clickhouse": "toString(rand())", "spark": "string(rand())"}.get(dialect, "CAST(random() AS text)")
    rows = database(["", ""], f"concat('//', {random}, '@', url)", ["authority", "userinfo"])
    assert [authority == f"{userinfo}@" for authority, userinfo in rows] == [True, True]


@of_each_dialect
@pytest.mark.parametrize("column", ["urls.url", "quoted"])
def test_a_name_with_a_table_or_in_quotes(database: Database, dialect: str, column: str) -> None:
    quoted = "`url`" if dialect in {"spark", "clickhouse"} else '"url"'
    texts = ["http://a@b:1/c?d#e"]
    assert database(texts, column.replace("quoted", quoted)) == [expected(text) for text in texts]


@of_each_dialect
def test_fields_come_alone_and_in_any_order(database: Database) -> None:
    texts = ["http://a@b:1/c?d#e", "//@:?#", "", None]
    for fields in [("port",), ("query", "host"), ("fragment", "path"), FIELDS[::-1]]:
        assert database(texts, "url", fields) == [expected(text, fields) for text in texts]


# What is special about one of them


def test_text_of_clickhouse_is_any_bytes(clickhouse: Callable[..., list[tuple[bytes | None, ...]]]) -> None:
    texts = [b"\xff:\xfe//\xc3@\x80:\xff/\xc3?\xe2\x82#\xff", b"//\xff/\xff", "//é".encode("utf-16"), b"\xc3:\xc3"]
    assert clickhouse(texts) == [tuple(getattr(split_one(text), name) for name in FIELDS) for text in texts]


def test_one_field_of_postgresql_is_a_value(postgresql: Any) -> None:
    host = sql.split("postgresql", "url", ["host"])
    query = (
        f"SELECT url FROM (VALUES ('http://b/'), ('http://a/'), ('c')) AS t (url) WHERE {host} < 'z' ORDER BY {host}"
    )
    assert postgresql.execute(query).fetchall() == [("http://a/",), ("http://b/",)]


def test_a_function_of_postgresql_serves_an_index(postgresql: Any) -> None:
    host = sql.split("postgresql", "url", ["host"])
    postgresql.execute(f"CREATE FUNCTION uri_host(url text) RETURNS text IMMUTABLE STRICT PARALLEL SAFE RETURN {host}")
    postgresql.execute(
        "CREATE TEMPORARY TABLE pages AS SELECT '//h' || number AS url FROM generate_series(1, 9) AS number"
    )
    postgresql.execute("CREATE UNIQUE INDEX ON pages (uri_host(url))")
    assert postgresql.execute("SELECT url FROM pages WHERE uri_host(url) = 'h7'").fetchall() == [("//h7",)]


def test_a_backslash_in_a_literal_of_spark_may_mean_either(spark: Any) -> None:
    query = f"SELECT {sql.split('spark', 'url', ['host'])}.host FROM VALUES ('//[::1]:80') AS t (url)"
    hosts = []
    for value in ("true", "false"):
        spark.conf.set("spark.sql.parser.escapedStringLiterals", value)
        hosts.append(spark.sql(query).first()[0])
    spark.conf.unset("spark.sql.parser.escapedStringLiterals")
    assert hosts == ["[::1]", "[::1]"]


def test_a_macro_of_duckdb_has_a_name_for_its_argument() -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE MACRO uri_split(url) AS {sql.split('duckdb', 'url')}")
        assert connection.execute("SELECT uri_split('//a@' || 'b').host").fetchone() == ("b",)


# Wrong arguments


@pytest.mark.parametrize(
    ("dialect", "message"),
    [
        (
            "postgres",
            r"unknown dialect 'postgres' \(known: clickhouse, duckdb, postgresql, spark\); did .* \"postgresql",
        ),
        ("x", r"unknown dialect 'x' \(known: clickhouse, duckdb, postgresql, spark\)$"),
    ],
)
def test_an_unknown_dialect(dialect: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sql.split(dialect, "url")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (["hots"], r"unknown field 'hots' \(known: scheme, .*\); did you mean \"host\""),
        ("hots", r"unknown field 'hots'"),
        ([], "name each field once, and at least one, not none"),
        (["path", "path"], "name each field once, and at least one, not path, path"),
    ],
)
def test_wrong_fields(fields: Sequence[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sql.split("duckdb", "url", fields)


def test_one_name_is_one_field() -> None:
    assert check_fields("host") == ("host",)
