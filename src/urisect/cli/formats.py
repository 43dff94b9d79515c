"""`urisect formats`: list log formats, or the columns of one, or show how formats read a log."""

from collections.abc import Iterator
from typing import NoReturn

import click

from urisect.cli.messages import print_error, print_file_error, visible
from urisect.cli.output import Output
from urisect.logs.formats import COLUMN_MEANINGS, FORMATS, Format, format_of
from urisect.logs.formats.envelopes import ENVELOPES
from urisect.logs.formats.notation import ValueKind

__all__ = ["describe_columns", "formats"]

KIND_NAMES = {ValueKind.TEXT: "text", ValueKind.NUMBER: "number", ValueKind.SECONDS: "seconds", ValueKind.TIME: "time"}


@click.command(short_help="List log formats, or the columns of one.")
@click.argument("name", metavar="[FORMAT]", required=False)
@click.option(
    "--try", "path", metavar="FILE", help="Show the first lines of a log as each format that fits reads them."
)
@click.option("--envelopes", is_flag=True, help="List envelopes instead, for `--envelope` of other commands.")
@click.pass_context
def formats(context: click.Context, name: str | None, path: str | None, *, envelopes: bool) -> None:
    """List log formats, or the columns of one with a sample.

    FORMAT is a name, or any other value of `urisect logs --format`: a format string of Apache ('%h %t "%r" %>s') or
    nginx ('$remote_addr [$time_local] $status'); json: with the member that holds the URI (json:request.uri), or with
    the members for several columns (json:target=url,time=ts,status=code); or a format in the configuration of a server
    (/etc/nginx/nginx.conf:main). Write json:request=line for a member with a whole request line,
    json:target_path=path,target_query=args for a target in two members, time=date+time for a time in two, and
    time=ts:ms or duration=took:ms for a unit, one of s, ms, us and ns.

    With --try, show the values of each column in the first lines of FILE, in each format that matches at least one of
    ten lines, or only in FORMAT. FILE may be compressed; "-" is standard input.
    """
    if path is not None:
        _try_formats(context, name, path)
    if envelopes and name is not None:
        raise click.UsageError("--envelopes lists all envelopes; leave out FORMAT.")
    if name is None:
        known = ENVELOPES if envelopes else FORMATS
        width = max(map(len, known))
        for each in known.values():
            print(f"{each.name:<{width}}  {each.title}")
        return
    format = _format(name)
    rows = list(describe_columns(format))
    width, kind_width = (max(len(row[index]) for row in rows) for index in (0, 1))
    for column, kind, meaning in rows:
        print(f"{column:<{width}}  {kind:<{kind_width}}  {meaning}".rstrip())
    if format.notes:
        print(f"\n{click.wrap_text(format.notes)}")
    if format.sample:
        print(f"\n{format.sample.decode()}", end="")


def _format(name: str) -> Format:
    """Return the format that the argument names."""
    try:
        return format_of(name)
    except ValueError as error:
        raise click.BadParameter(visible(str(error)), param_hint="'FORMAT'") from None


def _try_formats(context: click.Context, name: str | None, path: str) -> NoReturn:
    """Show how a format, or each one that fits, reads the first lines of a file, and exit."""
    from urisect.cli.format_previews import draw_previews  # noqa: PLC0415  rich is slow to import
    from urisect.logs.input.detection import UnknownFormatError  # noqa: PLC0415
    from urisect.logs.input.format_selection import AUTO  # noqa: PLC0415
    from urisect.logs.input.preview import preview  # noqa: PLC0415

    try:
        previews = preview(path, _format(name) if name else AUTO)
    except UnknownFormatError as error:
        print_error(str(error))
        context.exit(2)
    except OSError as error:
        print_file_error(path, error)
        context.exit(2)
    with Output() as output:
        output.write(draw_previews(previews).encode(), styled=True)
    context.exit(int(not any(each.parsed for each in previews)))


def describe_columns(format: Format) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the kind of values, and the meaning of each column of a format.

    >>> next(describe_columns(FORMATS["combined"]))[:2]
    ('client', 'text')
    """
    for column in format.columns:
        yield column, KIND_NAMES[format.kind(column)], COLUMN_MEANINGS.get(column, "")
