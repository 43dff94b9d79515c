"""Choose lines by an expression over their fields, in the SQL of DuckDB."""

import atexit
import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, TypeVar

from urisect.logs.errors import MissingExtraError, WhereError
from urisect.logs.formats import Format
from urisect.logs.input.reader import Table
from urisect.logs.output.arrow import record_batch, schema
from urisect.logs.scan.expression import LONGEST, RefusedError, columns_of

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
        self._expression = expression
        names = self._checked(format.fields)
        self.columns = tuple(name for name in format.fields if name in names) or format.columns[:1]
        types = schema(format, format.fields)
        self._wanted(pa.table([pa.nulls(2, type) for type in types.types], schema=types))

    def _checked(self, fields: Sequence[str]) -> frozenset[str]:
        """Refuse what is not one expression, or could need any amount of memory, and give the fields in it."""
        try:
            return columns_of(_parsed(self._expression), _parsed("true"), fields)
        except RecursionError:
            reason = "this is nested too deeply"
        except UnicodeEncodeError:
            reason = "this is no UTF-8"
        except RefusedError as error:
            reason = str(error)
        raise WhereError(self._expression, reason)

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
        # The expression is one, as has been checked, so that nothing in it ends the parentheses or the SELECT.
        query = f"SELECT coalesce(wanted::BOOLEAN, false) FROM ({_selecting(self._expression, 'AS wanted')})"  # noqa: S608
        try:
            return [bool(wanted) for wanted in connection.sql(query).to_arrow_table().column(0).to_pylist()]
        except RuntimeError:  # this is what becomes of an interrupt
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            reason = " ".join(str(error).partition("\n\nLINE")[0].split())
        raise WhereError(self._expression, reason)  # here, it keeps nothing of DuckDB alive


def _composed(where: Where, make: Callable[[Table], T], table: Table) -> T:
    return make(where(table))


def _selecting(expression: str, name: str = "") -> str:
    """Write the statement that evaluates an expression; a comment in it ends with its line."""
    return f"SELECT ({expression}\n) {name} FROM lines"  # noqa: S608  it is parsed before it is evaluated


def _parsed(expression: str) -> Any:
    """Let DuckDB parse an expression, and nothing more.

    Raises:
        RefusedError: it is too long.
        RecursionError: it is nested too deeply.
        UnicodeEncodeError: it is no text.
    """
    if len(expression.encode()) > LONGEST:
        raise RefusedError(f"this is longer than {LONGEST:,} bytes")
    [[tree]] = _connection().execute("SELECT json_serialize_sql(?::VARCHAR)", [_selecting(expression)]).fetchall()
    return json.loads(tree)


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    """Connect, once a process, to a database that holds nothing and can reach nothing."""
    settings: dict[str, Any] = {"threads": 1, "memory_limit": "100MB", "enable_external_access": "false"}
    connection = duckdb.connect(":memory:", config=settings)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET lock_configuration = true")
    return connection


atexit.register(_connection.cache_clear)  # a connection that outlives its module is complained about
