"""`urisect resolve`: a reference a line in, its target a line out; and back."""

import os
from functools import partial

import click

from urisect.cli.lines import change, input_options, option_group
from urisect.cli.scanning import limit_option
from urisect.resolution import Base


def _base(_context: click.Context, _parameter: click.Parameter, text: str) -> Base[bytes]:
    """Read the argument BASE."""
    if "\n" in text or "\r" in text:
        raise click.BadParameter(f"{text!r} has the end of a line in it, which targets would have, too.")
    try:
        return Base(os.fsencode(text))
    except ValueError:
        raise click.BadParameter(f"{text!r} has no scheme, which a base URI begins with.") from None


@click.command()
@option_group(
    click.argument("base", callback=_base),
    click.option("--relativize", is_flag=True, help="The inverse: read targets, write references."),
    click.option("--loophole", is_flag=True, help="Take the scheme of BASE in a reference as if it were not there."),
    limit_option,
    input_options,
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
    limit: int,
    quiet: bool,
) -> None:
    """Resolve references, one a line, against the URI BASE.

    Every line gives a line, in order, whatever it holds: the target of the reference. Nothing is checked, and nothing
    but dot segments is changed; an empty line is an empty reference, whose target is BASE without its fragment. A line
    over the limit gives an empty line.

    With --relativize each line is a target, and gives the shortest reference that leads there from BASE; the target
    itself if none that is shorter does.

    With --loophole "http:g" is read as "g" where BASE is an http URI, for documents that rely on that (RFC 3986,
    5.2.2).
    """
    if relativize and loophole:
        raise click.UsageError("--loophole is about references that are resolved: it does not go with --relativize.")
    changed = base.relativize if relativize else partial(base.resolve, strict=False) if loophole else base.resolve
    context.exit(change(files, changed, limit=limit, quiet=quiet))
