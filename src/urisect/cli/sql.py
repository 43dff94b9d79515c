"""`urisect sql`: print an SQL expression that splits a column of a database."""

import click

from urisect.cli.options import Choice
from urisect.engines.fields import FIELDS
from urisect.engines.sql import DIALECTS
from urisect.engines.sql import split as split_column

__all__ = ["sql"]


@click.command(short_help="Print SQL that splits a column of a database.")
@click.argument("dialect", type=Choice(DIALECTS))
@click.argument("column")
@click.option("--fields", metavar="NAME,...", default=",".join(FIELDS), help="Fields to return, in this order.")
def sql(dialect: str, column: str, fields: str) -> None:
    """Print an SQL expression that splits a column of references as `urisect split` does.

    DIALECT is one of clickhouse, duckdb, postgresql and spark. COLUMN is the name of a column, or any SQL expression of
    the type text; it is inserted as it is.

    \b
    Examples:
      duckdb logs.db "SELECT $(urisect sql duckdb url) AS uri FROM pages"
      psql -c "SELECT url, uri.* FROM pages,
               LATERAL $(urisect sql postgresql url --fields host,path) AS uri"

    The expression is a STRUCT in DuckDB and Spark, a named Tuple in ClickHouse, and in PostgreSQL a subquery of one
    row, for LATERAL. An undefined component is NULL, an empty one ''.

    Fields: scheme, authority, userinfo, host, port, path, query, fragment.
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    try:
        print(split_column(dialect, column, [name.strip() for name in fields.split(",")]))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--fields'") from None
