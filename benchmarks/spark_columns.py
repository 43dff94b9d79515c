"""Split a column in Spark, on one core: six parts of each URL of a Parquet file, by urisect and by Spark itself."""

import os
import shutil
import sys
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["COMPONENTS", "PARTS_OF_SPARK", "SPARK_ROWS", "SPLITTERS", "load", "materialize", "split_rows"]

SPARK_ROWS = 500_000  # enough for a second: a job takes a tenth of one before it begins
COMPONENTS = ("scheme", "authority", "host", "path", "query", "fragment")
PARTS_OF_SPARK = tuple(
    f"try_parse_url(url, '{part}')" for part in ("PROTOCOL", "AUTHORITY", "HOST", "PATH", "QUERY", "REF")
)

# The names of those who split, and the tables that they make of a table of URLs.
SPLITTERS: dict[str, Callable[[Any], Any]] = {
    "urisect.engines.spark.split, six fields": lambda urls: urls.select(
        import_module("urisect.engines.spark").split("url", COMPONENTS).alias("parts")
    ).select("parts.*"),
    "urisect.engines.sql.split, six fields": lambda urls: urls.selectExpr(
        f"{import_module('urisect.engines.sql').split('spark', 'url', COMPONENTS)} AS parts"
    ),
    "pyspark: try_parse_url, six parts": lambda urls: urls.selectExpr(*PARTS_OF_SPARK),
}


@cache
def start() -> Any:
    """Start Spark with one core, and without a message; ImportError means that it or Java is not installed."""
    sql = import_module("pyspark.sql")
    if not ("JAVA_HOME" in os.environ or shutil.which("java")):
        raise ImportError("Spark needs Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def load(name: str, urls: list[str], directory: Path) -> Any:
    """Return the table that one of `SPLITTERS` makes of a file of URLs.

    Args:
        name: one of `SPLITTERS`.
        urls: the URLs.
        directory: where the file is written, if it is not there.
    """
    session, path = start(), directory / "urls.parquet"
    if not path.exists():
        import_module("pyarrow.parquet").write_table(import_module("pyarrow").table({"url": urls}), path)
    return SPLITTERS[name](session.read.parquet(str(path)))


def materialize(table: Any) -> None:
    """Make all rows of a table, and drop them."""
    table.write.format("noop").mode("overwrite").save()


def split_rows(table: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a table, or the structs of its only column."""
    return [tuple(row[0] if len(row) == 1 else row) for row in table.collect()]
