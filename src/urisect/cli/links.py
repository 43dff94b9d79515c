"""`urisect links`: list the links of HTML pages, resolved."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import click

from urisect.cli.files import FileReader, serialize_json
from urisect.cli.messages import file_name, print_error
from urisect.cli.options import combine_options, input_options, text_or_ndjson_option
from urisect.cli.output import Output
from urisect.cli.summary import Outcome, print_summary
from urisect.extras import MissingExtraError
from urisect.logs.input.files import STDIN
from urisect.logs.input.locations import is_remote
from urisect.resolution import Base
from urisect.text_types import get_read1

if TYPE_CHECKING:
    from urisect.document import Link
    from urisect.text_types import Stream

__all__ = ["links"]

# A page is parsed as a whole, and takes some ten times as much memory.
MAX_PAGE_BYTES = 1 << 24


def _parse_base(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Base[str] | None:
    """Parse the value of `--base`."""
    try:
        return None if text is None else Base(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} has no scheme; a base URI begins with one, such as http:.") from None


@click.command(short_help="List the links of HTML pages.")
@combine_options(
    click.option(
        "--base",
        metavar="URI",
        callback=_parse_base,
        show_default="the file: URI of the page",
        help="The URI of the page; standard input needs it.",
    ),
    text_or_ndjson_option("Output format."),
    click.option(
        "--limit",
        type=click.IntRange(min=1),
        default=MAX_PAGE_BYTES,
        show_default=True,
        metavar="BYTES",
        help="Skip larger pages.",
    ),
    input_options,
)
@click.pass_context
def links(
    context: click.Context, /, files: tuple[str, ...], *, base: Base[str] | None, to: str, limit: int, quiet: bool
) -> None:
    """List the links of HTML pages, resolved, one per line.

    Every attribute that contains a reference gives its target: href, src, srcset, action and so on, in the order of the
    page; a link that is there twice is listed twice. References are resolved against <base href>, and that against
    --base. Needs the extra html.

    With --to ndjson, each link gives an object: file, uri (the target), element, attribute, reference (as it is written
    in the page), rel (the link types), text (of the anchor, or the alt of an image), and nofollow (whether the link or
    the page asks crawlers not to follow).

    \b
    Examples:
      urisect links index.html
      curl -s https://example.com/ | urisect links --base https://example.com/

    A page over the limit is skipped, with a message. The exit status is 0, even if nothing is found, 1 if a page was
    skipped, and 2 if a file could not be read.
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    if base is None and (not files or STDIN in files):
        raise click.UsageError("Standard input has no URI: name that of the page with --base.")
    for file in files:
        if is_remote(file) and not os.path.exists(file):
            from shlex import quote  # noqa: PLC0415  only failures need it

            uri = quote(file)
            raise click.UsageError(f"{file!r} is no file; pipe the page: curl -s {uri} | urisect links --base {uri}")
    began = monotonic()
    reader = FileReader(files, partial(_read_pages, limit=limit), progress=not quiet)
    read = found = skipped = size = 0
    with Output() as output:
        for file, page in reader:
            read += 1
            if page is None:
                skipped += 1
                print_error(f"{file_name(file)}: skipped: larger than {limit} bytes; see --limit")
                continue
            write: Callable[[str, Iterable[Link]], Iterator[str]] = _as_ndjson if to == "ndjson" else _as_text
            lines = [*write(file, _find_links(page, base or _file_base(file)))]
            output.write("".join(lines).encode("utf-8", "surrogatepass"))
            found += len(lines)
            size += len(page)
    if not quiet and (reader.complete or read):
        outcome = Outcome(found, "link found" if found == 1 else "links found")
        print_summary(read, [outcome], skipped=skipped, unit="pages", size=size, began=began)
    context.exit(int(skipped > 0) if reader.complete else 2)


def _read_pages(stream: "Stream", limit: int) -> "Iterator[bytes | None]":
    """Yield the page that a stream consists of; None if it is too large."""
    chunks: list[bytes] = []
    size = 0
    read1 = get_read1(stream)
    while chunk := read1(1 << 16):
        size += len(chunk)
        if size > limit:
            yield None
            return
        chunks.append(chunk)
    yield b"".join(chunks)


def _find_links(page: bytes, base: Base[str]) -> "Iterator[Link]":
    from urisect import document  # noqa: PLC0415  slow to import; `--help` does not need it

    try:
        return document.links(page, base)
    except ModuleNotFoundError as error:
        raise MissingExtraError("links", str(error.name), "html") from None


def _file_base(file: str) -> Base[str]:
    """Return the URI of a file, from which it is retrieved (RFC 3986, 5.1.3)."""
    from pathlib import Path  # noqa: PLC0415  not if there is a base

    return Base(Path(os.path.abspath(file)).as_uri())


def _as_text(_file: str, found: "Iterable[Link]") -> Iterator[str]:
    return (f"{link}\n" for link in found)


def _as_ndjson(file: str, found: "Iterable[Link]") -> Iterator[str]:
    for link in found:
        members = {
            "file": file,
            "uri": link,
            "element": link.element,
            "attribute": link.attribute,
            "reference": link.reference,
            "rel": link.rel,
            "text": link.text,
            "nofollow": link.nofollow,
        }
        yield serialize_json(members)
