"""`urisect normalize`: normalize references, one per line."""

from functools import partial
from typing import TYPE_CHECKING

import click

from urisect.cli.line_transforms import COMMON_URI, EachLine, transform_lines
from urisect.cli.options import (
    SPECIFICATION_NAMES,
    Choice,
    combine_options,
    jobs_option,
    limit_option,
    reference_input_options,
    specification_option,
)
from urisect.normalization import Level
from urisect.normalization import normalize as normalize_reference

if TYPE_CHECKING:
    from urisect.specs import Specification

__all__ = ["normalize"]


@click.command(short_help="Normalize references.")
@combine_options(
    click.option(
        "--level",
        type=Choice(["string", "syntax", "scheme"]),
        default="syntax",
        show_default=True,
        help="How much to normalize.",
    ),
    specification_option("The specification to normalize by."),
    jobs_option,
    limit_option,
    reference_input_options,
)
@click.pass_context
def normalize(
    context: click.Context,
    /,
    files: tuple[str, ...],
    *,
    level: Level,
    spec: str,
    jobs: int | None,
    limit: int,
    quiet: bool,
) -> None:
    """Normalize references, one per line.

    Every line gives a line, in order; a line over the limit gives an empty line. References with the same normal form
    are equivalent; references with different ones may still be (RFC 3986, 6).

    \b
    Levels:
      string  Change line ends only.
      syntax  Also write scheme and host in lower case and the digits of
              percent-encodings in upper case, decode unreserved characters,
              and remove dot segments from references with a scheme.
      scheme  Also drop default and empty ports, and write "/" for an empty
              path if the scheme has an authority.
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    specification = _load_specification(spec)
    transform = EachLine(
        partial(normalize_reference, level=level, spec=specification),
        usual=r"[^\n]*+" if level == "string" else rf"{COMMON_URI}[^%\n]*+",
        has_no_dot_segments=level != "string",
    )
    context.exit(transform_lines(files, transform, limit=limit, jobs=jobs, quiet=quiet))


def _load_specification(spec: str) -> "Specification | None":
    """Return a specification; None stands for the default one, so that it need not be imported."""
    if spec == SPECIFICATION_NAMES[0]:
        return None
    from urisect.specs import SPECIFICATIONS  # noqa: PLC0415  slow to import

    return SPECIFICATIONS[spec]
