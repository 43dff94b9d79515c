"""Columns of Spark: every row is what the functions for one reference say; the functions of SQL say the same.

Most tests call the functions that Spark's workers call; some run Spark.
"""

import doctest
import importlib
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import pyarrow as pa
import pytest
from hypothesis import given, settings

pytest.importorskip("pyspark", reason="pyspark is not installed")

from pyspark.sql import functions
from pyspark.sql.types import StringType, StructField, StructType

from tests.support.columns import HOSTILE, components, rows
from tests.support.suffixes import SUFFIXES
from urisect import crawl, hazards, normalize, resolve, split, strict
from urisect.engines import arrow, spark_columns
from urisect.engines import spark as engine
from urisect.engines.fields import FIELDS
from urisect.logs import MissingExtraError
from urisect.specs import RFC2396

pytestmark = pytest.mark.unmeasured  # Spark starts many processes

BASE = "http://u@example.com:8080/a/b/../c?q#f"
LEVELS: list[Literal["string", "syntax", "scheme"]] = ["string", "syntax", "scheme"]
HAZARD = ("code", "component", "start", "end", "message", "section")
VIOLATION = ("component", "rule", "offset", "length", "expected", "section", "incomplete", "message")


def attributes(found: tuple[object, ...], names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{name: getattr(each, name) for name in names} for each in found]


# The columns, and what they hold for one reference.
COLUMNS: dict[str, tuple[Callable[[Any], Any], Callable[[str], Any]]] = {
    "split": (engine.split, components),
    "is_valid": (engine.is_valid, strict.is_valid),
    "is_valid by RFC 2396": (
        partial(engine.is_valid, spec=RFC2396, rule="absolute-URI"),
        partial(strict.is_valid, spec=RFC2396, rule="absolute-URI"),
    ),
    "violations": (engine.violations, lambda text: attributes(strict.violations(text), VIOLATION)),
    "violations by RFC 2396": (
        partial(engine.violations, spec=RFC2396, rule="URI"),
        lambda text: attributes(strict.violations(text, RFC2396, "URI"), VIOLATION),
    ),
    **{
        f"normalize to {level}": (partial(engine.normalize, level=level), partial(normalize, level=level))
        for level in LEVELS
    },
    "resolve": (partial(engine.resolve, BASE), partial(resolve, BASE)),
    "resolve by row": (lambda column: engine.resolve(functions.lit(BASE), column), partial(resolve, BASE)),
    "resolve, not strictly": (
        partial(engine.resolve, BASE, strict=False),
        partial(resolve, BASE, strict=False),
    ),
    "key": (engine.key, crawl.key),
    "key by loose-1": (partial(engine.key, profile="loose-1"), partial(crawl.key, profile="loose-1")),
    "surt": (engine.surt, crawl.surt),
    "surt with www": (partial(engine.surt, keep_www=True), partial(crawl.surt, keep_www=True)),
    "site": (partial(engine.site, suffixes=SUFFIXES), partial(crawl.site, suffixes=SUFFIXES)),
    "hazards": (engine.hazards, lambda text: attributes(hazards(text), HAZARD)),
}


def select(spark: Any, values: list[str | None], columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of columns over a table with the column url."""
    frame = spark.createDataFrame([(value,) for value in values], StructType([StructField("url", StringType())]))
    made = frame.select(*[column.alias(name) for name, column in columns.items()])
    return [row.asDict(recursive=True) for row in made.collect()]


def expected(values: list[str | None]) -> list[dict[str, Any]]:
    return [{name: None if value is None else one(value) for name, (_, one) in COLUMNS.items()} for value in values]


def test_every_row_is_what_the_function_for_one_reference_says(spark: Any) -> None:
    columns = {name: column("url") for name, (column, _) in COLUMNS.items()}
    assert select(spark, HOSTILE, columns) == expected(HOSTILE)


@settings(max_examples=5)
@given(rows)
def test_every_row_of_a_batch_is_what_the_function_for_one_reference_says(spark: Any, values: list[str | None]) -> None:
    columns = {name: column(functions.col("url")) for name, (column, _) in COLUMNS.items()}
    assert select(spark, values, columns) == expected(values)


@given(rows)
def test_a_worker_makes_of_arrays_what_the_kernel_does(values: list[str | None]) -> None:
    on_arrays = spark_columns._on_arrays("split", arrow.split)
    text = pa.array(values, pa.string())
    for column in (text, text.cast(pa.binary()), text.cast(pa.large_string()), text.cast(pa.large_binary())):
        parts = on_arrays(column)
        assert {field.type for field in parts.type} <= {pa.string(), pa.large_string()}
        assert parts.to_pylist() == [components(value) for value in values]


def test_bytes_need_not_be_utf_8(spark: Any) -> None:
    values = [b"//h\xff/\xc3\xa9?\xed\xa0\x80", b"\xff:\xfe", b"", None]
    frame = spark.createDataFrame([(value,) for value in values], "url binary")
    made = frame.select(
        engine.split("url", ["host", "path", "query"]).alias("parts"),
        *[column("url").alias(name) for name, (column, _) in COLUMNS.items()],
    )
    in_bytes = made.selectExpr("*", *[f"cast(parts.{name} as binary) {name}" for name in ("host", "path", "query")])
    parts = [(row.host, row.path, row.query) for row in in_bytes.collect()]
    assert parts == [
        (None, None, None) if value is None else (split(value).host, *split(value)[2:4]) for value in values
    ]
    assert [row["is_valid"] for row in made.collect()] == [False, False, True, None]


def test_columns_of_spark_with_large_types_have_the_same_rows(spark: Any) -> None:
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", value=True)
    try:
        columns = {name: column("url") for name, (column, _) in COLUMNS.items()}
        assert select(spark, HOSTILE, columns) == expected(HOSTILE)
    finally:
        spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


def test_literals_and_nulls_without_a_type_are_columns(spark: Any) -> None:
    columns = {"host": engine.split(functions.lit("//h"), "host"), "null": engine.hazards(functions.lit(None))}
    assert select(spark, ["a"], columns) == [{"host": {"host": "h"}, "null": None}]


def test_the_schema_is_known_before_a_query_runs(spark: Any) -> None:
    frame = spark.createDataFrame([], "url string")
    made = frame.select(engine.split("url"), engine.normalize("url"), engine.hazards("url"))
    parts = ",".join(f"{name}:string" for name in FIELDS)
    hazard = "code:string,component:string,start:bigint,end:bigint,message:string,section:string"
    assert made.dtypes == [
        ("split(url)", f"struct<{parts}>"),
        ("normalize(url)", "string"),
        ("hazards(url)", f"array<struct<{hazard}>>"),
    ]


def test_fields_of_several_calls_are_split_once(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    frame = spark.createDataFrame([], "url string")
    frame.select(engine.split("url").host, engine.split("url").path).explain()
    assert capsys.readouterr().out.count("[split(url") == 1


def test_functions_of_sql(spark: Any) -> None:
    engine.register(spark)
    names = {
        "uri_split(url)": "split",
        "uri_is_valid(url)": "is_valid",
        "uri_violations(url)": "violations",
        "uri_normalize(url)": "normalize to syntax",
        f"uri_resolve('{BASE}', url)": "resolve",
        "uri_key(url)": "key",
        "uri_surt(url)": "surt",
        "uri_site(url)": "site",
        "uri_hazards(url)": "hazards",
    }
    wanted = [{sql: row[name] for sql, name in names.items()} for row in expected(HOSTILE)]
    assert select(spark, HOSTILE, {sql: functions.expr(sql) for sql in names}) == wanted


@pytest.mark.parametrize(
    ("name", "arguments", "error", "message"),
    [
        ("split", ["url", ["hots"]], ValueError, "unknown field 'hots'.*did you mean \"host\""),
        ("is_valid", ["url", RFC2396, "URL"], ValueError, "URL"),
        ("violations", ["url", 3], TypeError, "int"),
        ("normalize", ["url", "high"], ValueError, "high"),
        ("key", ["url", "high"], ValueError, "high"),
        ("surt", [3], TypeError, "int"),
        ("site", [3], TypeError, "int"),
        ("resolve", ["no base", "url"], ValueError, "no base"),
        ("resolve", [3, "url"], TypeError, "int"),
        ("hazards", [3], TypeError, "int"),
        ("register", [None], AttributeError, "udf"),
    ],
)
def test_wrong_arguments_raise_before_a_query_runs(
    spark: Any,  # noqa: ARG001  Spark names columns in a session
    name: str,
    arguments: list[Any],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        getattr(engine, name)(*arguments)


def test_a_column_of_numbers_fails_the_query_with_a_reason(spark: Any) -> None:
    with pytest.raises(Exception, match=r"TypeError: split\(\) takes a column of text .* not int64"):
        spark.range(1).select(engine.split("id")).collect()


def test_examples_in_docstrings(spark: Any) -> None:
    runner = doctest.DocTestRunner()
    for examples in doctest.DocTestFinder().find(spark_columns, extraglobs={"spark": spark}):
        for example in examples.examples:
            example.options.pop(doctest.SKIP, None)
        runner.run(examples)
    assert runner.summarize().attempted > 10
    assert runner.summarize().failed == 0


def test_without_pyspark_an_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    monkeypatch.delitem(sys.modules, "urisect.engines.spark_columns")
    with pytest.raises(MissingExtraError, match=r"urisect\[spark\]"):
        importlib.import_module("urisect.engines.spark_columns")
