"""Add functions to a connection of DuckDB that split, check, resolve and normalize references.

Splitting is SQL: macros with the expression of `urisect.engines.sql`, which run in DuckDB, on all of its threads. The
other functions run in Python: DuckDB gives them 2,048 rows a call, and its threads wait for each other at them.

The functions take VARCHAR, which is UTF-8; for a BLOB, write `decode(url)`. Null stays null, and no value raises an
error.
"""

from collections.abc import Callable
from typing import Any, Final

from urisect.engines.fields import FIELDS
from urisect.engines.sql import split
from urisect.extras import MissingExtraError

try:
    import duckdb
except ModuleNotFoundError:
    raise MissingExtraError("a connection of DuckDB", "duckdb", "duckdb") from None

from urisect.engines import arrow
from urisect.engines.arrow_packages import pa

__all__ = ["register"]

_TEXT: Final = "VARCHAR"
_HAZARDS: Final = (
    'STRUCT(code VARCHAR, component VARCHAR, "start" BIGINT, "end" BIGINT, message VARCHAR, section VARCHAR)[]'
)


# DuckDB wants a column for each parameter of a function, optional ones, too.


def _is_valid(urls: pa.ChunkedArray) -> pa.ChunkedArray:
    return arrow.is_valid(urls)


def _normalize_syntax(urls: pa.ChunkedArray) -> pa.ChunkedArray:
    return arrow.normalize(urls)


def _normalize_scheme(urls: pa.ChunkedArray) -> pa.ChunkedArray:
    return arrow.normalize(urls, level="scheme")


def _resolve(bases: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.ChunkedArray:
    return arrow.resolve(bases, references)


# Functions of Arrow columns by their names in SQL, with the types of their parameters and of their results.
_ARROW_FUNCTIONS: Final[dict[str, tuple[Callable[..., pa.ChunkedArray], list[str], str]]] = {
    "uri_is_valid": (_is_valid, [_TEXT], "BOOLEAN"),
    "uri_hazards": (arrow.hazards, [_TEXT], _HAZARDS),
    "uri_resolve": (_resolve, [_TEXT, _TEXT], _TEXT),
    "uri_normalize_syntax": (_normalize_syntax, [_TEXT], _TEXT),
    "uri_normalize_scheme": (_normalize_scheme, [_TEXT], _TEXT),
}

# Macros with their variants. An expression may repeat its parameter: DuckDB computes equal expressions once per row.
_MACROS: Final = {
    "uri_split": f"(url) AS {split('duckdb', 'url')}",
    **{f"uri_{name}": f"(url) AS ({split('duckdb', 'url', [name])}).{name}" for name in FIELDS},
    "uri_normalize": "(url) AS uri_normalize_syntax(url), (url, level) AS CASE level "
    "WHEN 'string' THEN url WHEN 'syntax' THEN uri_normalize_syntax(url) WHEN 'scheme' THEN uri_normalize_scheme(url) "
    "ELSE error('unknown level ''' || level || ''' (known: string, syntax, scheme)') END",
}


def register(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Add the functions to a connection.

    - `uri_split(url)`: a struct of scheme, authority, userinfo, host, port, path, query and fragment, as
      `urisect.split` splits; NULL where a component is undefined, and '' where it is empty.
    - `uri_scheme(url)`, `uri_authority(url)`, …, `uri_fragment(url)`: one of them.
    - `uri_is_valid(url)`: whether it is valid by RFC 3986.
    - `uri_normalize(url)`, `uri_normalize(url, level)`: the normal form, by default at the level 'syntax'.
    - `uri_resolve(base, reference)`: the target; NULL where the base is NULL or has no scheme.
    - `uri_hazards(url)`: a list of structs with the fields of `urisect.Hazard`.

    Each of the last four calls Python for 2,048 rows at a time, in one thread at a time. The macros are temporary: they
    are of this connection, so register each cursor, and they are not stored in the database. The connection may be
    registered again.

    Args:
        connection: an open connection; its database may be read-only.

    Returns:
        The connection.

    Raises:
        duckdb.Error: the connection is closed.

    >>> import duckdb
    >>> connection = register(duckdb.connect())
    >>> connection.execute("SELECT uri_host('http://example.com/a'), uri_normalize('HTTP://EXAMPLE.com/%7Ea')").fetchone()
    ('example.com', 'http://example.com/~a')
    """
    found = connection.execute("SELECT function_name FROM duckdb_functions() WHERE function_type = 'scalar'").fetchall()
    create_function: Callable[..., Any] = connection.create_function  # its options may be text, despite their types
    for name, (function, parameters, result) in _ARROW_FUNCTIONS.items():
        if (name,) not in found:
            create_function(name, function, parameters, result, type="arrow", null_handling="special")
    for name, variants in _MACROS.items():
        connection.execute(f"CREATE OR REPLACE TEMP MACRO {name}{variants}")
    return connection
