"""`urisect decode`: decode percent-encoded texts."""

import sys

import click

from urisect.cli.options import combine_options
from urisect.cli.texts import keep_line_ends, text_options, transform_texts
from urisect.percent import decode as decode_text

__all__ = ["decode"]


@click.command(short_help="Decode percent-encoded texts.")
@combine_options(
    click.option("--all", "decodes_line_ends", is_flag=True, help="Decode %0A and %0D, too, which end lines."),
    text_options,
)
@click.pass_context
def decode(
    context: click.Context, /, texts: tuple[str, ...], *, decodes_line_ends: bool, limit: int, quiet: bool
) -> None:
    """Decode each percent-encoded TEXT, or each line of standard input, once.

    Each TEXT gives a line, in order. An argument is never taken for a file. Escapes become the bytes that they stand
    for, UTF-8 or not; everything else stays, "+" and a "%" that begins no escape included. A line over the limit gives
    an empty line.

    The escapes of line ends, %0A and %0D, stay, so that each text gives one line; how many is printed on standard
    error. With --all, they are decoded, too. Split a reference before you decode its components: a decoded "/" is not a
    delimiter.

    \b
    Examples:
      urisect decode 'caf%C3%A9'
      urisect get '{path}' urls.txt | urisect decode
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    kept = 0

    def transform(text: bytes) -> bytes:
        nonlocal kept
        text, count = keep_line_ends(text)
        kept += count
        return decode_text(text)

    chosen = decode_text if decodes_line_ends else transform
    status = transform_texts(texts, chosen, chosen, limit=limit, quiet=quiet)  # no escape is on two lines
    if kept and not quiet:
        print(f"kept {kept} escaped line end{'s' * (kept > 1)} (%0A, %0D); --all decodes them", file=sys.stderr)
    context.exit(status)
