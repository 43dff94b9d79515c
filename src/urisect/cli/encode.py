"""`urisect encode`: percent-encode texts."""

import click

from urisect.characters import SUB_DELIMS
from urisect.cli.options import Choice, combine_options
from urisect.cli.texts import text_options, transform_texts
from urisect.percent import encode as encode_text

__all__ = ["COMPONENTS", "encode"]

# What `--component` takes, with the names of `percent.encode`.
COMPONENTS = {
    "any": "host",
    "userinfo": "userinfo",
    "host": "host",
    "segment": "segment",
    "path": "path",
    "query": "query",
    "query-value": "query value",
    "fragment": "fragment",
}

# The reserved characters that a host may contain (RFC 3986, 2.2: sub-delims), with their escapes.
ESCAPES = {bytes([octet]): b"%%%02X" % octet for octet in SUB_DELIMS.encode()}


@click.command(short_help="Percent-encode texts.")
@combine_options(
    click.option(
        "--component",
        type=Choice(tuple(COMPONENTS)),
        default="any",
        show_default=True,
        help="Where the text will stand.",
    ),
    text_options,
)
@click.pass_context
def encode(context: click.Context, /, texts: tuple[str, ...], *, component: str, limit: int, quiet: bool) -> None:
    """Percent-encode each TEXT, or each line of standard input.

    Each TEXT gives a line, in order. An argument is never taken for a file. Each byte that the component does not allow
    is escaped, and each "%": do not encode twice. A line over the limit gives an empty line.

    With --component any, only letters, digits, "-", ".", "_" and "~" stay: the result is data in every component.
    Choose "path" to keep "/", "query" to keep "&" and "=", and "segment" or "query-value" to escape no more than a
    segment of a path, or a name or a value in a query, needs.

    \b
    Examples:
      urisect encode 'a b&c'
      printf '%s\\n' 'a b' '50%' | urisect encode --component segment
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    name = COMPONENTS[component]

    def transform(text: bytes) -> bytes:
        return encode_text(text, name)

    def transform_reserved(text: bytes) -> bytes:
        encoded = encode_text(text, name)
        for character, escape in ESCAPES.items():
            encoded = encoded.replace(character, escape)
        return encoded

    chosen = transform_reserved if component == "any" else transform

    def transform_block(lines: bytes) -> bytes:
        return chosen(lines).replace(b"%0A", b"\n")  # of the text, only line ends become "%0A": its "%" are escaped

    context.exit(transform_texts(texts, chosen, transform_block, limit=limit, quiet=quiet))
