"""Select log lines by a predicate: an SQL expression over their fields, evaluated by DuckDB."""

import atexit
import json
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from urisect.extras import MissingExtraError
from urisect.logs.errors import WhereError
from urisect.logs.formats import Format
from urisect.logs.formats.fields import ALIASES
from urisect.logs.input.reader import Table
from urisect.logs.output.arrow import record_batch, schema
from urisect.logs.scan.expression import MAX_EXPRESSION_BYTES, RefusedError, check_expression

try:
    import duckdb
    import pyarrow as pa
except ModuleNotFoundError:
    raise MissingExtraError("a filter", "duckdb") from None

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Where"]

T = TypeVar("T")

# Whether a prepared query reads the rows of a registered object each time that it is executed. DuckDB 1 does not.
CAN_READ_AGAIN = int(duckdb.__version__.partition(".")[0]) >= 2  # noqa: PLR2004


class Where:
    """A predicate over the fields of a line.

    Attributes:
        columns: the fields that it uses.
    """

    def __init__(self, expression: str, format: Format) -> None:
        """Check the expression, and evaluate it once without lines.

        Args:
            expression: an SQL expression, as after WHERE, over fields of the format: numbers, timestamps and text.
                Names of fields may be aliases, such as "ip", and their case does not matter.
            format: the format of the lines.

        Raises:
            WhereError: the expression is invalid or not allowed.

        >>> from urisect.logs import COMMON
        >>> Where("status >= 500 AND target_path LIKE '/api/%'", COMMON).columns
        ('target_path', 'status')
        """
        self._expression = expression
        fields = _fields_by_name(format)
        used = {name: fields[name] for name in self._check(fields)}
        self.columns = tuple(name for name in format.fields if name in used.values()) or format.columns[:1]
        self._names = used or {name: name for name in self.columns}
        types = schema(format, self._names.values())
        self._evaluate([pa.nulls(2, type) for type in types.types])

    def _check(self, fields: Mapping[str, str]) -> frozenset[str]:
        """Return the names of fields in the expression.

        Raises:
            WhereError: it is not a single expression, or it may take unlimited memory.
        """
        try:
            return check_expression(_parse(self._expression), _parse("true"), fields)
        except RecursionError:
            reason = "it is nested too deeply"
        except UnicodeEncodeError:
            reason = "it is not valid Unicode"
        except RefusedError as error:
            reason = str(error)
        raise WhereError(self._expression, reason)

    def __call__(self, table: Table) -> Table:
        """Return a table of the rows for which the expression is true.

        Args:
            table: lines, parsed with at least `columns`.

        Raises:
            WhereError: the expression fails on a line.

        >>> import io
        >>> from urisect.logs import COMMON, tables
        >>> table = next(tables(io.BytesIO(COMMON.sample), COMMON))
        >>> Where("status = 304", COMMON)(table).column("target_path")
        [b'/']
        """
        if not table.parsed:
            return table
        batch = record_batch(table, self.columns)
        wanted: Any = self._evaluate([batch.column(field) for field in self._names.values()])
        if wanted.all():
            return table
        return table.selected(wanted.tolist() if type(table) is Table else wanted)  # a columnar one takes arrays

    def wrap(self, make: Callable[[Table], T]) -> Callable[[Table], T]:
        """Return a function that applies `make` to the selected rows of a table.

        Args:
            make: a function of a table, such as that of a `Task`.

        >>> import io
        >>> from urisect.logs import COMMON, tables
        >>> table = next(tables(io.BytesIO(COMMON.sample), COMMON))
        >>> Where("status = 304", COMMON).wrap(lambda selected: selected.parsed)(table)
        1
        """
        return partial(_make_from_selected, self, make)

    def _evaluate(self, values: list[pa.Array]) -> "npt.NDArray[np.bool_]":
        """Evaluate the expression for each row.

        Args:
            values: the columns of `_names`.
        """
        rows = pa.table(values, names=list(self._names))
        try:
            return _prepare(self._expression, rows.schema).evaluate(rows)
        except RuntimeError:  # DuckDB's form of an interrupt
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            reason = " ".join(str(error).partition("\n\nLINE")[0].split())
        raise WhereError(self._expression, reason)  # outside of `except`, so that it keeps no DuckDB object alive


class _Query:
    """A statement that DuckDB has planned.

    Parsing and planning takes 0.9 ms, and registering a table 0.25; a query that is prepared, and reads from an object
    that is registered once, takes 0.13 ms for the lines of a block.
    """

    def __init__(self, expression: str, schema: pa.Schema) -> None:
        self._rows = schema.empty_table()
        connection = _connection()
        connection.register("lines", self)
        # The check ensures that the expression cannot close the parentheses or end the SELECT.
        self._statement = f"SELECT coalesce(wanted::BOOLEAN, false) FROM ({_select_statement(expression, 'AS wanted')})"  # noqa: S608
        if CAN_READ_AGAIN:
            connection.execute(f"PREPARE selection AS {self._statement}")
            self._statement = "EXECUTE selection"

    def evaluate(self, rows: pa.Table) -> "npt.NDArray[np.bool_]":
        """Return for each row whether the expression is true."""
        self._rows = rows
        connection = _connection()
        if not CAN_READ_AGAIN:
            connection.register("lines", rows)
        try:
            [wanted] = connection.execute(self._statement).fetchnumpy().values()
        finally:
            self._rows = rows.slice(0, 0)
        return wanted

    def __arrow_c_schema__(self) -> object:
        """Return the schema of the rows (the Arrow PyCapsule interface)."""
        return self._rows.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows."""
        return self._rows.__arrow_c_stream__(requested_schema)


@lru_cache(maxsize=1)
def _prepare(expression: str, schema: pa.Schema) -> _Query:
    """Return a query; the next one takes its place in the connection, and so in the cache."""
    return _Query(expression, schema)


def _make_from_selected(where: Where, make: Callable[[Table], T], table: Table) -> T:
    return make(where(table))


def _fields_by_name(format: Format) -> dict[str, str]:
    """Return the names that an expression may use, in lower case, each with its field: DuckDB ignores case."""
    names = {field.lower(): field for field in format.fields}
    return names | {alias: field for alias, field in ALIASES.items() if alias not in names and field in format.fields}


def _select_statement(expression: str, name: str = "") -> str:
    """Return the statement that evaluates an expression; a line feed ends a comment in it."""
    return f"SELECT ({expression}\n) {name} FROM lines"  # noqa: S608  checked before it is evaluated


def _parse(expression: str) -> Any:
    """Parse an expression with DuckDB, without evaluating it.

    Raises:
        RefusedError: it is too long.
        RecursionError: it is nested too deeply.
        UnicodeEncodeError: it contains lone surrogates.
    """
    if len(expression.encode()) > MAX_EXPRESSION_BYTES:
        raise RefusedError(f"it is longer than {MAX_EXPRESSION_BYTES:,} bytes")
    statement = _select_statement(expression)
    [[tree]] = _connection().execute("SELECT json_serialize_sql(?::VARCHAR)", [statement]).fetchall()
    return json.loads(tree)


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    """Connect, once per process, to an empty database without access to anything else."""
    settings: dict[str, Any] = {"threads": 1, "memory_limit": "100MB", "enable_external_access": "false"}
    connection = duckdb.connect(":memory:", config=settings)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET lock_configuration = true")
    return connection


atexit.register(_connection.cache_clear)  # DuckDB complains if a connection outlives its module
