"""`urisect formats`: the formats of logs, and their columns."""

from collections.abc import Iterator

import click

from urisect.logs.formats import COLUMN_MEANINGS, FORMATS, Format, format_of
from urisect.logs.formats.notation import ValueKind

KINDS = {ValueKind.TEXT: "text", ValueKind.NUMBER: "number", ValueKind.SECONDS: "seconds", ValueKind.TIME: "time"}


@click.command(short_help="List the formats of logs, and their columns.")
@click.argument("name", metavar="[FORMAT]", required=False)
def formats(name: str | None) -> None:
    """List the formats of logs; of one, its columns and a sample.

    FORMAT is a name, or what else `urisect logs --format` takes: a format string of Apache ('%h %t "%r" %>s') or
    nginx ('$remote_addr [$time_local] $status'), or json: and the member that holds the URI (json:request.uri), and of
    other columns (json:target=url,time=ts,status=code).
    """
    if name is None:
        width = max(map(len, FORMATS))
        for format in FORMATS.values():
            print(f"{format.name:<{width}}  {format.title}")
        return
    try:
        format = format_of(name)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'FORMAT'") from None
    rows = list(described(format))
    width, kind_width = (max(len(row[index]) for row in rows) for index in (0, 1))
    for column, kind, meaning in rows:
        print(f"{column:<{width}}  {kind:<{kind_width}}  {meaning}".rstrip())
    if format.sample:
        print(f"\n{format.sample.decode()}", end="")


def described(format: Format) -> Iterator[tuple[str, str, str]]:
    """Give of each column its name, what its values are, and what they tell.

    >>> next(described(FORMATS["combined"]))
    ('client', 'text', 'client address or name')
    """
    for column in format.columns:
        yield column, KINDS[format.kind(column)], COLUMN_MEANINGS.get(column, "")
