"""`urisect report`: write an HTML report about logs, or draw it on a terminal."""

import shutil
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING

import click

from urisect.cli.log_scan import LogScan, exit_status, expand_inputs, print_log_summary, select_log_format
from urisect.cli.messages import visible
from urisect.cli.options import (
    combine_options,
    format_option,
    input_options,
    jobs_option,
    limit_option,
    line_options,
    output_option,
)
from urisect.cli.output import open_output
from urisect.cli.pager import STDOUT_FD, open_pager
from urisect.cli.styles import keep_styles
from urisect.cli.terminal_report import draw_report
from urisect.logs.input.files import STDIN
from urisect.logs.output.atomic import OutputFile
from urisect.logs.report.comparison import check_comparable, count_period_before
from urisect.logs.report.content import PageContent
from urisect.logs.report.findings import Findings
from urisect.logs.report.formatting import escape_unprintable
from urisect.logs.report.page import render_page
from urisect.logs.scan.selection import select_lines

if TYPE_CHECKING:
    from datetime import date, datetime

__all__ = ["report"]


@click.command(short_help="Write an HTML report about logs.")
@combine_options(
    output_option,
    click.option("--title", metavar="TEXT", show_default="the name of the file", help="Title of the page."),
    click.option(
        "--own-host",
        "own_hosts",
        multiple=True,
        metavar="HOST",
        show_default="those of the log, or of most referrers",
        help="Host of the site, left out of the referring hosts; may be repeated.",
    ),
    click.option("--without-bots", is_flag=True, help="Leave out requests of bots, known by their user agents."),
    click.option("--compare", is_flag=True, help="Compare with the period before --since, which is as long."),
    format_option,
    line_options,
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
    own_hosts: tuple[str, ...],
    without_bots: bool,
    compare: bool,
    format_name: str,
    envelope: str,
    where: str | None,
    since: "datetime | date | None",
    until: "datetime | date | None",
    jobs: int | None,
    limit: int,
    quiet: bool,
) -> None:
    """Write an HTML report about logs: requests over time, paths, visitors, errors, suspicious URLs.

    Without -o, a terminal shows the same sections as text; into a pipe or a file, the page is written.

    FILE is a file, compressed or not, a directory, or a pattern such as "logs/*.gz"; it may be
    remote, such as "s3://bucket/logs/*.gz" or an https:// URL, and so may the output.

    \b
    Examples:
      urisect report access.log* -o report.html
      urisect report access.log.gz --where "status >= 500" -o errors.html
      urisect report access.log* --since 7d --compare -o week.html
      urisect report access.log --without-bots -o people.html

    The page is one file that needs no network; text from the log is shown as text, whatever it contains. Counts are
    exact, in constant memory. They are kept in the directory for temporary files; if the log has very many different
    paths, let TMPDIR name a directory with enough space.
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    names = expand_inputs(files, quiet=quiet)
    if compare:
        _check_comparable(names, since)
    selection = select_log_format(format_name, envelope, names)
    with ExitStack() as stack:
        findings = stack.enter_context(
            Findings(selection.format, selection.readable(names), where, own_hosts=own_hosts, without_bots=without_bots)
        )
        output = stack.enter_context(open_output("--output", output_to, names))
        if output.is_terminal and output_to is not None:
            raise click.UsageError("An HTML page is not for a terminal; name a file, or leave out -o.")
        task = select_lines(findings.task(limit), where=where, since=since, until=until)
        findings.time_range = task.time_range
        scan = LogScan(names, task, jobs=jobs, quiet=quiet, selection=selection)
        for result in scan:
            findings.add(result)
        if compare and scan.has_read:
            stack.enter_context(count_period_before(findings, scan.repeated, limit))
        if scan.has_read and output.is_terminal:
            _draw(findings, title, names)
        elif scan.has_read:
            output.write(render_page(findings, title).encode())
        else:
            output.discard()
    if not quiet:
        print_log_summary(selection, scan, findings.lines if where or task.time_range or without_bots else None)
    context.exit(exit_status(scan.counts, complete=not scan.faults))


def _check_comparable(files: Sequence[str], since: "datetime | date | None") -> None:
    if since is None:
        raise click.UsageError("--compare needs --since: the period before it is as long as the one after it.")
    try:
        check_comparable(files)
    except ValueError as error:
        raise click.UsageError(visible(f"{error}.")) from None


def _draw(findings: Findings, title: str | None, files: Sequence[str]) -> None:
    """Draw the report on the terminal, in a pager unless standard input is read."""
    content = PageContent(findings)
    conditions = [str(findings.time_range)] if findings.time_range else []
    conditions += [f"where {escape_unprintable(findings.where)}"] if findings.where else []
    heading = content.name if title is None else escape_unprintable(title)
    about = "" if heading == content.name else f"{content.name}, "
    about += f"format: {escape_unprintable(findings.format.name)}"
    about += f"; only lines {' '.join(conditions)}" if conditions else ""
    about += "; without bots" if findings.without_bots and findings.summarizer.agent else ""
    about += f"; compared with those {findings.before.time_range}" if findings.before else ""
    text = draw_report(heading, about, content.tiles, content.sections, shutil.get_terminal_size().columns)
    with (
        nullcontext(STDOUT_FD) if STDIN in files else open_pager() as descriptor,
        OutputFile("standard output", descriptor=descriptor) as page,
    ):
        page.write(keep_styles(text).encode())
