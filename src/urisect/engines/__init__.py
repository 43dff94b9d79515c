"""Work on whole columns of references where they are: in Arrow, SQL, Polars, DuckDB and Spark.

Each module but `sql` needs the extra of its name, as in `pip install 'urisect[polars]'`, and is loaded on first use.

>>> from urisect import engines
>>> engines.sql.DIALECTS
('clickhouse', 'duckdb', 'postgresql', 'spark')
"""

from typing import TYPE_CHECKING, Any

from urisect.lazy_modules import load_module

if TYPE_CHECKING:
    from urisect.engines import arrow as arrow
    from urisect.engines import duckdb as duckdb
    from urisect.engines import polars as polars
    from urisect.engines import spark as spark
    from urisect.engines import sql as sql
else:

    def __getattr__(name: str) -> Any:  # a type checker that saw it would accept any name
        return load_module(__name__, name, _PUBLIC_MODULES)


__all__ = []

_PUBLIC_MODULES = ("arrow", "duckdb", "polars", "spark", "sql")


def __dir__() -> list[str]:
    return sorted(_PUBLIC_MODULES)
