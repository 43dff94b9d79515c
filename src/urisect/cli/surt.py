"""`urisect surt`: print the SURTs of references, one per line."""

from functools import partial

import click

from urisect import crawl
from urisect.cli.line_transforms import EachLine, transform_lines
from urisect.cli.options import combine_options, jobs_option, limit_option, reference_input_options

__all__ = ["surt"]


@click.command(short_help="Print references as archives sort them.")
@combine_options(
    click.option("--keep-www", is_flag=True, help='Keep "www." at the beginning of hosts.'),
    jobs_option,
    limit_option,
    reference_input_options,
)
@click.pass_context
def surt(
    context: click.Context, /, files: tuple[str, ...], *, keep_www: bool, jobs: int | None, limit: int, quiet: bool
) -> None:
    """Print references as archives sort them, one per line: in the Sort-friendly URI Reordering Transform (SURT).

    The labels of the host are reversed, so that the pages of a domain and of its subdomains are next to each other when
    they are sorted. CDX files of web archives have such keys.

    Every line gives a line, in order; a line over the limit gives an empty line.

    \b
    Examples:
      urisect surt http://www.example.com/a
      urisect surt urls.txt | LC_ALL=C sort
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    transform = EachLine(partial(crawl.surt, keep_www=keep_www))
    context.exit(transform_lines(files, transform, limit=limit, jobs=jobs, quiet=quiet))
