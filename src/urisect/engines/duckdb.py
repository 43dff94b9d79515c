"""Add functions to a connection of DuckDB that split, check, resolve, normalize and key references.

Splitting is SQL: macros with the expression of `urisect.engines.sql`, which run in DuckDB, on all of its threads. The
other functions run in Python: DuckDB gives them 2,048 rows a call, and its threads wait for each other at them.

The functions take VARCHAR, which is UTF-8; for a BLOB, write `decode(url)`. Null stays null, and no value raises an
error.
"""

from collections.abc import Callable
from typing import Any, Final

from urisect.crawl import PROFILES
from urisect.engines.fields import FIELDS
from urisect.engines.sql import split
from urisect.extras import MissingExtraError

try:
    import duckdb
except ModuleNotFoundError:
    raise MissingExtraError("a connection of DuckDB", "duckdb", "duckdb") from None

from urisect.arrow_packages import pa
from urisect.engines import arrow

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


def _key(profile: str) -> Callable[[pa.ChunkedArray], pa.ChunkedArray]:
    def make_keys(urls: pa.ChunkedArray) -> pa.ChunkedArray:
        return arrow.key(urls, profile)

    return make_keys


def _surt(urls: pa.ChunkedArray) -> pa.ChunkedArray:
    return arrow.surt(urls)


def _surt_with_www(urls: pa.ChunkedArray) -> pa.ChunkedArray:
    return arrow.surt(urls, keep_www=True)


def _site(urls: pa.ChunkedArray) -> pa.ChunkedArray:
    return arrow.site(urls)


def _resolve(bases: pa.ChunkedArray, references: pa.ChunkedArray) -> pa.ChunkedArray:
    return arrow.resolve(bases, references)


# The functions that make keys, by the names of their profiles.
_KEYS: Final = {profile: f"uri_key_{profile.replace('-', '_')}" for profile in PROFILES}

# Functions of Arrow columns by their names in SQL, with the types of their parameters and of their results.
_ARROW_FUNCTIONS: Final[dict[str, tuple[Callable[..., pa.ChunkedArray], list[str], str]]] = {
    "uri_is_valid": (_is_valid, [_TEXT], "BOOLEAN"),
    "uri_hazards": (arrow.hazards, [_TEXT], _HAZARDS),
    "uri_resolve": (_resolve, [_TEXT, _TEXT], _TEXT),
    "uri_normalize_syntax": (_normalize_syntax, [_TEXT], _TEXT),
    "uri_normalize_scheme": (_normalize_scheme, [_TEXT], _TEXT),
    **{name: (_key(profile), [_TEXT], _TEXT) for profile, name in _KEYS.items()},
    "uri_surt_without_www": (_surt, [_TEXT], _TEXT),
    "uri_surt_with_www": (_surt_with_www, [_TEXT], _TEXT),
    "uri_site": (_site, [_TEXT], _TEXT),
}

# Macros with their variants. An expression may repeat its parameter: DuckDB computes equal expressions once per row.
_MACROS: Final = {
    "uri_split": f"(url) AS {split('duckdb', 'url')}",
    **{f"uri_{name}": f"(url) AS ({split('duckdb', 'url', [name])}).{name}" for name in FIELDS},
    "uri_normalize": "(url) AS uri_normalize_syntax(url), (url, level) AS CASE level "
    "WHEN 'string' THEN url WHEN 'syntax' THEN uri_normalize_syntax(url) WHEN 'scheme' THEN uri_normalize_scheme(url) "
    "ELSE error('unknown level ''' || level || ''' (known: string, syntax, scheme)') END",
    "uri_key": f"(url) AS {_KEYS['request-1']}(url), (url, profile) AS CASE profile "
    + " ".join(f"WHEN '{profile}' THEN {name}(url)" for profile, name in _KEYS.items())
    + f" ELSE error('unknown profile ''' || profile || ''' (known: {', '.join(_KEYS)})') END",
    "uri_surt": "(url) AS uri_surt_without_www(url), (url, keep_www) AS "
    "CASE WHEN keep_www THEN uri_surt_with_www(url) ELSE uri_surt_without_www(url) END",
}


def register(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Add the functions to a connection.

    - `uri_split(url)`: a struct of scheme, authority, userinfo, host, port, path, query and fragment, as
      `urisect.split` splits; NULL where a component is undefined, and '' where it is empty.
    - `uri_scheme(url)`, `uri_authority(url)`, …, `uri_fragment(url)`: one of them.
    - `uri_is_valid(url)`: whether it is valid by RFC 3986.
    - `uri_normalize(url)`, `uri_normalize(url, level)`: the normal form, by default at the level 'syntax'.
    - `uri_key(url)`, `uri_key(url, profile)`: the key by `urisect.crawl.key`; the default profile is 'request-1'.
    - `uri_surt(url)`, `uri_surt(url, keep_www)`: the SURT by `urisect.crawl.surt`.
    - `uri_site(url)`: the registered domain by `urisect.crawl.site`, which needs the extra `psl`; NULL where there is
      none.
    - `uri_resolve(base, reference)`: the target; NULL where the base is NULL or has no scheme.
    - `uri_hazards(url)`: a list of structs with the fields of `urisect.Hazard`.

    Splitting is SQL; the other functions call Python for 2,048 rows at a time, in one thread at a time. The macros are
    temporary: they are of this connection, so register each cursor, and they are not stored in the database. The
    connection may be registered again.

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
