"""Choose lines by an expression over their fields, in the SQL of DuckDB."""

import atexit
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeVar

from urisect.logs.arrow import record_batch, schema
from urisect.logs.errors import MissingExtraError, WhereError
from urisect.logs.formats import Format
from urisect.logs.reader import Table

try:
    import duckdb
    import pyarrow as pa
except ModuleNotFoundError:
    raise MissingExtraError("a filter", "duckdb") from None

__all__ = ["Where"]

T = TypeVar("T")


class Where:
    """An expression that is true for the lines that are wanted.

    Attributes:
        columns: the fields that it speaks of.
    """

    def __init__(self, expression: str, format: Format) -> None:
        """Try the expression on no line.

        Args:
            expression: what may stand behind WHERE, over the fields of the format: numbers, timestamps and text.
            format: what a line looks like.

        Raises:
            WhereError: it is no such expression.

        >>> from urisect.logs import COMMON
        >>> Where("status >= 500 AND target_path LIKE '/api/%'", COMMON).columns
        ('target_path', 'status')
        """
        words = set(re.findall(r"\w+", expression.lower()))
        self.columns = tuple(name for name in format.fields if name in words) or format.columns[:1]
        self._expression = expression
        types = schema(format, format.fields)
        self._wanted(pa.table([pa.nulls(2, type) for type in types.types], schema=types))

    def __call__(self, table: Table) -> Table:
        """Give a table of the lines that are wanted.

        Args:
            table: lines for which `columns` were cut.

        Raises:
            WhereError: the expression fails on one of them.

        >>> import io
        >>> from urisect.logs import COMMON, tables
        >>> found = next(tables(io.BytesIO(COMMON.sample), COMMON))
        >>> Where("status = 304", COMMON)(found).column("target_path")
        [b'/']
        """
        if not table.parsed:
            return table
        return table.selected(self._wanted(pa.Table.from_batches([record_batch(table, self.columns)])))

    def then(self, make: Callable[[Table], T]) -> Callable[[Table], T]:
        """Give what makes of the lines that are wanted what another function makes of all.

        >>> import io
        >>> from urisect.logs import COMMON, tables
        >>> found = next(tables(io.BytesIO(COMMON.sample), COMMON))
        >>> Where("status = 304", COMMON).then(lambda table: table.parsed)(found)
        1
        """
        return partial(_composed, self, make)

    def _wanted(self, lines: pa.Table) -> list[bool]:
        connection = _connection()
        connection.register("lines", lines)
        query = f"SELECT coalesce(({self._expression}\n)::BOOLEAN, false) FROM lines"  # noqa: S608  it is the user's own
        reason = ""
        try:
            found = connection.sql(query).to_arrow_table()
            if found.shape == (lines.num_rows, 1):
                return [bool(wanted) for wanted in found.column(0).to_pylist()]
            reason = "this does not tell of each line whether it is wanted"
        except RuntimeError:  # this is what becomes of an interrupt
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            reason = " ".join(str(error).partition("\n\nLINE")[0].split())
        raise WhereError(self._expression, reason)  # here, it keeps nothing of DuckDB alive


def _composed(where: Where, make: Callable[[Table], T], table: Table) -> T:
    return make(where(table))


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    """Connect, once a process, to a database that holds nothing and can reach nothing."""
    settings: dict[str, Any] = {"threads": 1, "memory_limit": "100MB", "enable_external_access": "false"}
    connection = duckdb.connect(":memory:", config=settings)
    connection.execute("SET TimeZone = 'UTC'")
    return connection


atexit.register(_connection.cache_clear)  # a connection that outlives its module is complained about
