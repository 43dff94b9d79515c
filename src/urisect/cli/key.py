"""`urisect key`: print the keys of references, one per line."""

from functools import partial

import click

from urisect import crawl
from urisect.cli.files import transform_lines
from urisect.cli.options import combine_options, limit_option, reference_input_options
from urisect.cli.profiles import profile_option

__all__ = ["key"]


@click.command(short_help="Print the keys of references, to compare them.")
@combine_options(profile_option("Which references have the same key."), limit_option, reference_input_options)
@click.pass_context
def key(context: click.Context, /, files: tuple[str, ...], *, profile: str, limit: int, quiet: bool) -> None:
    """Print the keys of references, one per line. References with the same key count as the same page.

    Every line gives a line, in order; a line over the limit gives an empty line. A key is for comparing: fetch the
    reference, not its key.

    \b
    Profiles, with what each ignores in addition to those before it:
      syntax-1   What `urisect normalize` changes: case of scheme and host,
                 needless percent-encodings, dot segments.
      request-1  Default and empty ports, an empty path instead of "/", and the
                 fragment: such references give the same request.
      page-1     The order of parameters, parameters for tracking such as
                 utm_source, and an empty query.
      loose-1    Session ids, "www.", http instead of https, default pages such
                 as index.html, and a slash at the end of the path.

    \b
    Examples:
      urisect key urls.txt | sort | uniq -c
      urisect key --profile page-1 'http://example.com/?b=1&utm_source=x&a=2'
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    transform = partial(crawl.key, profile=crawl.PROFILES[profile])
    context.exit(transform_lines(files, transform, limit=limit, quiet=quiet))
