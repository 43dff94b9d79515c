"""`urisect report`: logs in, one HTML page out that tells what is in them."""

import sys
from contextlib import ExitStack

import click

from urisect.cli.lines import input_options, option_group, output_beside, output_option
from urisect.cli.output import Output
from urisect.cli.scanning import (
    LogScan,
    chosen,
    format_option,
    input_files,
    limit_option,
    selecting,
    summarize,
    volume_options,
)
from urisect.logs.report import Findings
from urisect.logs.report import report as page_of


@click.command(short_help="Tell what is in logs, in one HTML page.")
@option_group(
    output_option,
    click.option("--title", metavar="TEXT", help="The title of the page.  [default: the name of the file]"),
    format_option,
    volume_options,
    limit_option,
    input_options,
)
@click.pass_context
def report(
    context: click.Context,
    /,
    files: tuple[str, ...],
    *,
    output_to: str | None,
    title: str | None,
    format_name: str,
    where: str | None,
    jobs: int | None,
    limit: int,
    quiet: bool,
) -> None:
    """Tell what is in logs, in one HTML page: traffic over time, paths, hosts, clients, errors, hazards.

    FILE is a file, compressed or not, a folder, or a pattern such as "logs/*.gz". The page needs no other file and no
    network, and whatever stands in the log is text in it. What is counted is counted exactly, in constant memory; for
    logs with very many different paths, TMPDIR should name a folder with room.

    \b
    urisect report access.log* -o report.html
    urisect report access.log.gz --where "status >= 500" -o errors.html
    """  # noqa: D301  click shows what follows a backspace as it is
    names = input_files(files)
    choice = chosen(format_name, names)
    with ExitStack() as stack:
        findings = stack.enter_context(Findings(choice.format, names, where))
        output = stack.enter_context(output_beside("--output", output_to, names) if output_to else Output())
        if output.is_terminal or (output_to is None and sys.stdout is not None and sys.stdout.isatty()):
            raise click.UsageError("the page is not for a terminal; name a file for it with -o")
        task = selecting(findings.task(limit), where)
        scan = LogScan(names, task, jobs=jobs, quiet=quiet, head=choice.head)
        for done in scan:
            findings.add(done)
        if scan.has_read:
            output.write(page_of(findings, title).encode())
        else:
            output.discard()
    if not quiet:
        summarize(choice, scan, None if where is None else findings.lines)
    context.exit(scan.totals.status(strict=False))
