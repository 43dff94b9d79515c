"""`urisect report`: write an HTML report about logs."""

import sys
from contextlib import ExitStack

import click

from urisect.cli.log_scan import LogScan, exit_status, expand_inputs, print_summary, select_log_format
from urisect.cli.options import (
    combine_options,
    format_option,
    input_options,
    jobs_option,
    limit_option,
    output_option,
    where_option,
)
from urisect.cli.output import open_output
from urisect.logs.report import Findings, render_page
from urisect.logs.scan.run import filter_task

__all__ = ["report"]


@click.command(short_help="Write an HTML report about logs.")
@combine_options(
    output_option,
    click.option("--title", metavar="TEXT", show_default="the name of the file", help="Title of the page."),
    format_option,
    where_option,
    jobs_option,
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
    envelope: str,
    where: str | None,
    jobs: int | None,
    limit: int,
    quiet: bool,
) -> None:
    """Write an HTML report about logs: requests over time, paths, visitors, errors, suspicious URLs.

    FILE is a file, compressed or not, a directory, or a pattern such as "logs/*.gz".

    \b
    Examples:
      urisect report access.log* -o report.html
      urisect report access.log.gz --where "status >= 500" -o errors.html

    The page is one file that needs no network; text from the log is shown as text, whatever it contains. Counts are
    exact, in constant memory. They are kept in the directory for temporary files; if the log has very many different
    paths, let TMPDIR name a directory with enough space.
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    names = expand_inputs(files, quiet=quiet)
    selection = select_log_format(format_name, envelope, names)
    with ExitStack() as stack:
        findings = stack.enter_context(Findings(selection.format, selection.readable(names), where))
        output = stack.enter_context(open_output("--output", output_to, names))
        if output.is_terminal or (output_to is None and sys.stdout is not None and sys.stdout.isatty()):
            raise click.UsageError("An HTML page is not for a terminal; name a file with -o.")
        task = filter_task(findings.task(limit), where)
        scan = LogScan(names, task, jobs=jobs, quiet=quiet, selection=selection)
        for result in scan:
            findings.add(result)
        if scan.has_read:
            output.write(render_page(findings, title).encode())
        else:
            output.discard()
    if not quiet:
        print_summary(selection, scan, None if where is None else findings.lines)
    context.exit(exit_status(scan.counts, complete=not scan.faults))
