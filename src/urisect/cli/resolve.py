"""`urisect resolve`: resolve references, one per line, against a base URI."""

import os
from functools import partial

import click

from urisect.cli.line_transforms import EachLine, transform_lines
from urisect.cli.options import combine_options, jobs_option, limit_option, reference_input_options
from urisect.resolution import Base

__all__ = ["resolve"]

# Without "/.", it is its own target.
URI_WITH_AUTHORITY = r"[a-z][a-z0-9+.-]*+://[^\n]*+"


def _parse_base(_context: click.Context, _parameter: click.Parameter, text: str) -> Base[bytes]:
    """Parse the argument BASE."""
    if "\n" in text or "\r" in text:
        raise click.BadParameter(f"{text!r} contains a line end, and so would the targets.")
    try:
        return Base(os.fsencode(text))
    except ValueError:
        raise click.BadParameter(f"{text!r} has no scheme; a base URI begins with one, such as http:.") from None


@click.command(short_help="Resolve references against a base URI.")
@combine_options(
    click.argument("base", callback=_parse_base),
    click.option("--relativize", is_flag=True, help="Do the inverse: read targets, write references."),
    click.option("--loophole", is_flag=True, help="Ignore the scheme of a reference if it equals that of BASE."),
    jobs_option,
    limit_option,
    reference_input_options,
)
@click.pass_context
def resolve(
    context: click.Context,
    /,
    base: Base[bytes],
    files: tuple[str, ...],
    *,
    relativize: bool,
    loophole: bool,
    jobs: int | None,
    limit: int,
    quiet: bool,
) -> None:
    """Resolve references, one per line, against the URI BASE.

    Every line gives a line, in order: the target of the reference. Nothing is checked, and nothing but dot segments is
    changed. An empty line is an empty reference, whose target is BASE without its fragment. A line over the limit gives
    an empty line.

    With --relativize, each line is a target, and gives the shortest reference that resolves to it; the target itself if
    no reference is shorter.

    With --loophole, "http:g" is read as "g" if BASE is an http URI, for documents that rely on it (RFC 3986, 5.2.2).
    """
    if relativize and loophole:
        raise click.UsageError("--loophole and --relativize exclude each other: --loophole is for resolving.")
    if relativize:
        transform = EachLine(base.relativize)
    elif loophole:
        transform = EachLine(partial(base.resolve, strict=False))
    else:
        transform = EachLine(base.resolve, usual=URI_WITH_AUTHORITY, has_no_dot_segments=True)
    context.exit(transform_lines(files, transform, limit=limit, jobs=jobs, quiet=quiet))
