"""`urisect split`: a URI a line in, a row out."""

from typing import Any

import click

from urisect.cli.lines import convert, options
from urisect.logs import LIST


@click.command()
@options
@click.pass_context
def split(context: click.Context, /, files: tuple[str, ...], **choices: Any) -> None:
    """Split URIs, one a line, into their five components, one row a line.

    Every line gives a row, in order, whatever it holds; an empty line is an empty reference. Undefined and empty
    components are told apart in ndjson (null and "") and, with --null, in TSV and CSV.

    Fields: scheme, authority, path, query, fragment (these five by default), userinfo, host, port, and reference,
    the whole line.
    """
    context.exit(0 if convert(files, LIST, **choices).complete else 2)
