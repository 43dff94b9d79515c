"""`urisect formats`: list log formats, or the columns of one."""

from collections.abc import Iterator

import click

from urisect.cli.messages import visible
from urisect.logs.formats import COLUMN_MEANINGS, FORMATS, Format, format_of
from urisect.logs.formats.notation import ValueKind

__all__ = ["describe_columns", "formats"]

KIND_NAMES = {ValueKind.TEXT: "text", ValueKind.NUMBER: "number", ValueKind.SECONDS: "seconds", ValueKind.TIME: "time"}


@click.command(short_help="List log formats, or the columns of one.")
@click.argument("name", metavar="[FORMAT]", required=False)
def formats(name: str | None) -> None:
    """List log formats, or the columns of one with a sample.

    FORMAT is a name, or any other value of `urisect logs --format`: a format string of Apache ('%h %t "%r" %>s') or
    nginx ('$remote_addr [$time_local] $status'), or json: with the member that holds the URI (json:request.uri), or
    with the members for several columns (json:target=url,time=ts,status=code). Write json:request=line for a member
    with a whole request line, json:target_path=path,target_query=args for a target in two members, time=date+time for a
    time in two, and time=ts:ms or duration=took:ms for a unit, one of s, ms, us and ns.
    """
    if name is None:
        width = max(map(len, FORMATS))
        for format in FORMATS.values():
            print(f"{format.name:<{width}}  {format.title}")
        return
    try:
        format = format_of(name)
    except ValueError as error:
        raise click.BadParameter(visible(str(error)), param_hint="'FORMAT'") from None
    rows = list(describe_columns(format))
    width, kind_width = (max(len(row[index]) for row in rows) for index in (0, 1))
    for column, kind, meaning in rows:
        print(f"{column:<{width}}  {kind:<{kind_width}}  {meaning}".rstrip())
    if format.notes:
        print(f"\n{click.wrap_text(format.notes)}")
    if format.sample:
        print(f"\n{format.sample.decode()}", end="")


def describe_columns(format: Format) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the kind of values, and the meaning of each column of a format.

    >>> next(describe_columns(FORMATS["combined"]))[:2]
    ('client', 'text')
    """
    for column in format.columns:
        yield column, KIND_NAMES[format.kind(column)], COLUMN_MEANINGS.get(column, "")
