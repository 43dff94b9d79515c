"""`urisect key`: print the keys of references, one per line."""

from functools import partial

import click

from urisect import crawl
from urisect.cli.line_transforms import CHARACTERS, COMMON_URI, EachLine, transform_lines
from urisect.cli.options import combine_options, jobs_option, limit_option, reference_input_options
from urisect.cli.profiles import profile_option

__all__ = ["key", "make_keys"]

# The characters of paths in common URIs that are their own keys. "#" is not among them, and neither is "?" if the
# profile changes queries. `loose-1` changes most references.
OWN_KEYS = {"syntax-1": CHARACTERS + "?", "request-1": CHARACTERS + "?", "page-1": CHARACTERS}


@click.command(short_help="Print the keys of references, to compare them.")
@combine_options(
    profile_option("Which references have the same key."), jobs_option, limit_option, reference_input_options
)
@click.pass_context
def key(
    context: click.Context, /, files: tuple[str, ...], *, profile: str, jobs: int | None, limit: int, quiet: bool
) -> None:
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
    context.exit(transform_lines(files, make_keys(profile), limit=limit, jobs=jobs, quiet=quiet))


def make_keys(profile: str) -> EachLine:
    r"""Return a function that makes the keys of whole lines.

    Args:
        profile: its name.

    >>> make_keys("page-1")(b"http://EXAMPLE.com\nhttp://example.com/?b&a#c\n")
    b'http://example.com/\nhttp://example.com/?a&b\n'
    """
    make_key = partial(crawl.key, profile=crawl.PROFILES[profile])
    if profile not in OWN_KEYS:
        return EachLine(make_key)
    return EachLine(make_key, usual=f"{COMMON_URI}[{OWN_KEYS[profile]}]*+", has_no_dot_segments=True)
