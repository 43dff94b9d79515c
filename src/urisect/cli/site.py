"""`urisect site`: print the registered domains of references, one per line."""

import click

from urisect import crawl
from urisect.cli.line_transforms import EachLine, transform_lines
from urisect.cli.options import combine_options, jobs_option, limit_option, reference_input_options
from urisect.extras import MissingExtraError

__all__ = ["site"]


@click.command(short_help="Print the registered domains of references.")
@combine_options(jobs_option, limit_option, reference_input_options)
@click.pass_context
def site(context: click.Context, /, files: tuple[str, ...], *, jobs: int | None, limit: int, quiet: bool) -> None:
    """Print the registered domains of references, one per line: example.co.uk for http://www.example.co.uk/a.

    Every line gives a line, in order. It is empty if there is no registered domain: without a host, for an IP address,
    for a public suffix such as co.uk, and for a line over the limit. Domains are found in the Public Suffix List of the
    package publicsuffixlist. Needs the extra psl.

    \b
    Examples:
      urisect site http://www.example.co.uk/a
      urisect site urls.txt | sort | uniq -c | sort -rn
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    context.exit(transform_lines(files, EachLine(_find_site), limit=limit, jobs=jobs, quiet=quiet))


def _find_site(line: bytes) -> bytes:
    """Return the registered domain of a line; empty if there is none."""
    try:
        return crawl.site(line) or b""
    except MissingExtraError as error:
        raise MissingExtraError("site", str(error.name), "psl") from None
