"""`urisect normalize`: a reference a line in, its normal form a line out."""

from typing import TYPE_CHECKING

import click

from urisect.cli.lines import SPECIFICATIONS, change, input_options, option_group, specification_option
from urisect.cli.scanning import limit_option
from urisect.normalization import Level
from urisect.normalization import normalize as normal_form

if TYPE_CHECKING:
    from urisect.specs import Specification


@click.command()
@option_group(
    click.option(
        "--level",
        type=click.Choice(["string", "syntax", "scheme"]),
        default="syntax",
        show_default=True,
        help="How far to go.",
    ),
    specification_option("The specification whose normal form it is."),
    limit_option,
    input_options,
)
@click.pass_context
def normalize(
    context: click.Context, /, files: tuple[str, ...], *, level: Level, spec: str, limit: int, quiet: bool
) -> None:
    """Write references, one a line, in their normal form.

    Every line gives a line, in order, whatever it holds; one over the limit an empty line. References with the same
    normal form mean the same; that they differ does not show that they mean something different (RFC 3986, 6).

    The level "string" changes nothing but the ends of lines. The level "syntax" writes scheme and host in lower case
    and the digits of escapes in upper case, decodes the escapes of unreserved characters, and removes dot segments
    where there is a scheme. The level "scheme" also drops a default port and an empty one, and writes an empty path
    as "/" where the scheme has an authority.
    """
    specification = _specification(spec)

    def changed(line: bytes) -> bytes:
        return normal_form(line, level=level, spec=specification)

    context.exit(change(files, changed, limit=limit, quiet=quiet))


def _specification(spec: str) -> "Specification | None":
    """Find a specification; the first one is the library's own, for which none has to be loaded."""
    if spec == SPECIFICATIONS[0]:
        return None
    from urisect.specs import SPECIFICATIONS as LOADED  # noqa: PLC0415  see `urisect.cli.lines`

    return LOADED[spec]
