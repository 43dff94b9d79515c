"""Work on whole columns of references where they are: in Arrow, SQL, Polars, DuckDB and Spark.

Each module but `sql` needs the extra of its name, as in `pip install 'urisect[polars]'`, and is loaded on first use.

>>> from urisect import engines
>>> engines.sql.DIALECTS
('clickhouse', 'duckdb', 'postgresql', 'spark')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from urisect.engines import arrow as arrow
    from urisect.engines import duckdb as duckdb
    from urisect.engines import polars as polars
    from urisect.engines import spark as spark
    from urisect.engines import sql as sql
else:

    def __getattr__(name: str) -> Any:  # a type checker that saw it would accept any name
        return _load(name)


__all__ = []

_PUBLIC_MODULES = ("arrow", "duckdb", "polars", "spark", "sql")


def _load(name: str) -> Any:
    """Import a public module; the import makes it an attribute of this package."""
    if name in _PUBLIC_MODULES:
        return import_module(f"{__name__}.{name}")
    from urisect.suggestion import did_you_mean  # noqa: PLC0415  only a mistyped name needs it

    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{did_you_mean(name, _PUBLIC_MODULES)}")


def __dir__() -> list[str]:
    return sorted(_PUBLIC_MODULES)
