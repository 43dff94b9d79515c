"""`urisect repair`: make texts valid references, one per line."""

import click

from urisect.cli.line_transforms import COMMON_URI, ESCAPED_TEXT, EachLine, transform_lines
from urisect.cli.options import combine_options, jobs_option, limit_option, reference_input_options
from urisect.percent import repair as repair_reference

__all__ = ["TRANSFORM", "repair"]

TRANSFORM = EachLine(repair_reference, usual=COMMON_URI + ESCAPED_TEXT)


@click.command(short_help="Escape what is invalid in references.")
@combine_options(jobs_option, limit_option, reference_input_options)
@click.pass_context
def repair(context: click.Context, /, files: tuple[str, ...], *, jobs: int | None, limit: int, quiet: bool) -> None:
    """Make any text a valid reference, one per line: escape what is invalid in its place.

    Every line gives a line, in order; a line over the limit gives an empty line. A character that its component does
    not allow is escaped, and so is a "%" that begins no escape. Nothing else changes: a valid reference stays as it is.

    Look for hazards before you repair: afterwards, some of them are escaped.

    \b
    Examples:
      urisect repair 'http://example.com/50% of café'
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    context.exit(transform_lines(files, TRANSFORM, limit=limit, jobs=jobs, quiet=quiet))
