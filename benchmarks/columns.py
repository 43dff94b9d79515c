"""Engines that split, check or normalize a whole column, each on one thread."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from itertools import cycle, islice
from types import ModuleType
from typing import Any

from benchmarks.automata import automaton
from benchmarks.engines import Parts
from benchmarks.peers import POLARS, PYARROW, Bulk, undefined_as_empty
from urisect import Reference, normalize, pattern, split, strict

__all__ = [
    "ARROW",
    "CHECK",
    "COLUMNS",
    "DUCKDB",
    "DUCKDB_MACRO",
    "NORMALIZE_COLUMN",
    "ROWS",
    "arrow_split",
    "dictionary_split",
    "repeat_to",
]

FIVE = Reference._fields
ROWS = 65_536  # of a column, and of the largest batch
REPEATS = 6  # of each value, in a dictionary


def repeat_to(urls: Sequence[str], rows: int) -> list[str]:
    """Repeat URLs up to a number of rows."""
    return [*islice(cycle(urls), rows)]


def arrow_split(urls: Sequence[str], batch: int = ROWS, before: int = 0) -> Callable[[], list[Any]]:
    """Return a call that splits a column in batches.

    Args:
        urls: the column.
        batch: the number of rows in a batch.
        before: the number of other rows before the column, in the array that all batches are slices of.
    """
    arrow, pa = import_module("urisect.engines.arrow"), import_module("pyarrow")
    array = pa.array([*islice(cycle(urls), before), *urls])[before:]
    slices = [array.slice(first, batch) for first in range(0, len(array), batch)]
    batches = slices if before else [pa.concat_arrays([each]) for each in slices]
    return lambda: [arrow.split(each, FIVE) for each in batches]


def dictionary_split(urls: Sequence[str]) -> Callable[[], Any]:
    """Return a call that splits a dictionary column in which each value occurs several times."""
    arrow, pa = import_module("urisect.engines.arrow"), import_module("pyarrow")
    values = urls[: len(urls) // REPEATS]
    column = pa.array([*values] * REPEATS).dictionary_encode()
    return lambda: [arrow.split(column, FIVE)]


def _rows_of(batches: Iterable[Any]) -> Iterable[Parts]:
    return (tuple(row.values()) for batch in batches for row in batch.to_pylist())


ARROW = Bulk("urisect.engines.arrow.split", "urisect.engines.arrow", lambda _, urls: arrow_split(urls), _rows_of, split)


def _polars_namespace(_: ModuleType, urls: list[str]) -> Callable[[], Any]:
    series = import_module("polars").Series(urls)
    return lambda: series.uri.split(FIVE)


def _in_duckdb(expression: str, _: ModuleType, urls: list[str]) -> Callable[[], Any]:
    """Return a call that evaluates an expression over a table of URLs, and materializes its five columns."""
    duckdb, pa = import_module("duckdb"), import_module("pyarrow")
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    import_module("urisect.engines.duckdb").register(connection)
    connection.register("given", pa.table({"url": urls}))
    connection.execute("CREATE TABLE urls AS SELECT url FROM given")
    query = f"CREATE OR REPLACE TEMP TABLE result AS SELECT {expression} AS parts FROM urls"  # noqa: S608

    def split_all() -> Any:
        connection.execute(query)
        return connection.table("result")

    return split_all


def _duckdb_rows(relation: Any) -> Iterable[Parts]:
    return (tuple(parts[name] for name in FIVE) for (parts,) in relation.fetchall())


_NAMES = ", ".join(f"'{name}'" for name in FIVE)
_QUOTED = automaton(pattern()).replace("'", "''")
DUCKDB_MACRO = Bulk(
    "urisect.engines.duckdb: uri_split",
    "urisect.engines.duckdb",
    partial(_in_duckdb, "uri_split(url)"),
    _duckdb_rows,
    split,
)
DUCKDB = Bulk(
    "duckdb: regexp_extract with names",
    "duckdb",
    partial(_in_duckdb, f"regexp_extract(url, '{_QUOTED}', [{_NAMES}])"),
    _duckdb_rows,
    lambda url: undefined_as_empty(split(url)),
)

COLUMNS = (
    ARROW,
    Bulk(
        "urisect.engines.arrow.split, batches of 2,048 rows",
        "urisect.engines.arrow",
        lambda _, urls: arrow_split(urls, 2_048),
        _rows_of,
        split,
    ),
    Bulk(
        "urisect.engines.arrow.split, slices of 2,048 rows",
        "urisect.engines.arrow",
        lambda _, urls: arrow_split(urls, 2_048, before=1),
        _rows_of,
        split,
    ),
    Bulk(
        "urisect.engines.polars: Series.uri.split",
        "urisect.engines.polars",
        _polars_namespace,
        lambda series: series.struct.unnest().rows(),
        split,
    ),
    DUCKDB_MACRO,
    PYARROW,
    POLARS,
    DUCKDB,
)


def _check_column(module: ModuleType, urls: list[str]) -> Callable[[], Any]:
    column = import_module("pyarrow").array(urls)
    return lambda: module.is_valid(column)


def _normalize_column(module: ModuleType, urls: list[str]) -> Callable[[], Any]:
    column = import_module("pyarrow").array(urls)
    return lambda: module.normalize(column)


def _column_rows(column: Any) -> Iterable[Any]:
    return column if isinstance(column, list) else column.to_pylist()


CHECK = (
    Bulk("urisect.engines.arrow.is_valid", "urisect.engines.arrow", _check_column, _column_rows, strict.is_valid),
    Bulk(
        "urisect.strict.is_valid in a loop",
        "urisect.strict",
        lambda module, urls: lambda: [module.is_valid(url) for url in urls],
        _column_rows,
        strict.is_valid,
    ),
)
NORMALIZE_COLUMN = (
    Bulk("urisect.engines.arrow.normalize", "urisect.engines.arrow", _normalize_column, _column_rows, normalize),
    Bulk(
        "urisect.normalize in a loop",
        "urisect",
        lambda module, urls: lambda: [module.normalize(url) for url in urls],
        _column_rows,
        normalize,
    ),
)
