"""`urisect logs`: lines of access logs in, a row out."""

import sys
from typing import Any

import click

from urisect.cli.lines import convert, input_options, reject_options, row_options, together
from urisect.logs import FORMATS


@click.command(short_help="Split access logs, one row a line.")
@together(
    click.option(
        "--format",
        "name",
        type=click.Choice(list(FORMATS)),
        default="combined",
        show_default=True,
        help="What a line is.",
    ),
    reject_options,
    row_options,
    input_options,
)
@click.pass_context
def logs(
    context: click.Context, /, name: str, files: tuple[str, ...], *, strict_exit: bool, quiet: bool, **choices: Any
) -> None:
    """Split the lines of access logs, and the URIs in them, into one row a line.

    The format combined is Apache's and nginx's default, common is the same without referer and agent. A line that
    does not match is counted as rejected, and kept with --rejects.

    Fields: client, identity, user, time, method, target_scheme … target_fragment, protocol, request (a request line
    without the form of one), status, bytes, referer_scheme … referer_fragment, agent. On demand also target and
    referer as a whole, and target_userinfo, target_host, target_port and the same of the referer.
    """
    totals = convert(files, FORMATS[name], quiet=quiet, **choices)
    if not quiet:
        totals.report()
        if totals.rejected and not totals.parsed:
            print(f"no line has the format {name}; see --format", file=sys.stderr)
    context.exit(totals.status(strict=strict_exit))
