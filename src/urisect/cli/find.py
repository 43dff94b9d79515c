"""`urisect find`: text in, the URIs in it out, one a line."""

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from json.encoder import encode_basestring_ascii as _string
from typing import TYPE_CHECKING, NamedTuple

import click

from urisect.cli.lines import Reading, input_options, option_group, report_option
from urisect.cli.output import Output

if TYPE_CHECKING:
    from urisect.logs.input.blocks import Stream
    from urisect.text import Found

# How much is looked at at once, in bytes.
PASSAGE = 1 << 20

# How many URIs are written at once: a passage may hold 200,000.
TOGETHER = 1 << 12

# Where a passage ends: behind the last of the first of these that are in it.
_ENDS = ((b"\n\n", b"\n\r\n"), (b"\n",), (b" ", b"\t", b"\r"), (b'"', b">"))

# The beginning of a character in UTF-8, or the whole of one.
_CHARACTER = re.compile(rb"[\xc0-\xff][\x80-\xbf]*\Z")


class Passage(NamedTuple):
    """A part of a file.

    Attributes:
        offset: where it begins in the file, in bytes.
        octets: its bytes.
    """

    offset: int
    octets: bytes


@click.command()
@option_group(report_option("How what is found is written."), input_options)
@click.pass_context
def find(context: click.Context, /, files: tuple[str, ...], *, to: str, quiet: bool) -> None:
    """Find the URIs in text, and write them one a line.

    A URI is found bare, in quotation marks, or in angle brackets, where it may run over lines (RFC 3986, Appendix C):
    a known scheme and ":", or any scheme and "://"; in angle brackets, any scheme. White space in it is left out.

    With --to ndjson each gives an object: file, offset and length (where it stands in the file, with its white space,
    in bytes), uri, and delimiter: "<", "<URL:", a quotation mark, or "". The text is read as UTF-8; a byte that is none
    is kept, and written in JSON as a lone surrogate (PEP 383).

    Text is looked at in passages of a MiB, cut short behind the last blank line; if there is none, behind the last
    line, else behind the last white space, else behind the last '"' or ">". A URI that runs over such an end is not
    found whole.

    The exit status is 0, also if nothing is found, and 2 if a file could not be read.
    """
    from urisect.text import find as found_in  # noqa: PLC0415  other commands do without it

    reading = Reading(files, passages, progress=not quiet)
    count = 0
    with Output() as output:
        for file, (offset, octets) in reading:
            if b":" not in octets:  # as in every URI
                continue
            text = octets.decode("utf-8", "surrogateescape")
            found = found_in(text)
            written = _objects(file, offset, text, found) if to == "ndjson" else (f"{uri.text}\n" for uri in found)
            while block := list(islice(written, TOGETHER)):
                output.write("".join(block).encode("utf-8", "surrogateescape"))
                count += len(block)
    if not quiet:
        print(f"found {count}", file=sys.stderr)
    context.exit(0 if reading.complete else 2)


def passages(stream: "Stream") -> Iterator[Passage]:
    """Read a stream in passages. Where they end depends on nothing but the text, and memory is that of one.

    >>> import io
    >>> list(passages(io.BytesIO(b"<http://a/>")))
    [Passage(offset=0, octets=b'<http://a/>')]
    """
    offset = 0
    held = bytearray()
    while chunk := stream.read1(PASSAGE - len(held)):
        held += chunk
        if len(held) == PASSAGE:
            end = _end(held)
            yield Passage(offset, bytes(held[:end]))
            del held[:end]
            offset += end
    yield Passage(offset, bytes(held))


def _end(held: bytearray) -> int:
    """Find where a passage ends: where few URIs go on, or else between two characters."""
    for ends in _ENDS:
        if found := [place + len(end) for end in ends if (place := held.rfind(end)) >= 0]:
            return max(found)
    begun = _CHARACTER.search(held[-3:])  # with three bytes a character of UTF-8 may lack its last one
    return len(held) - len(begun[0]) if begun else len(held)


def _objects(file: str, offset: int, text: str, found: "Iterable[Found[str]]") -> Iterator[str]:
    """Write everything that is known about URIs as lines of JSON; offsets become those of bytes."""
    name = _string(file)
    last = 0
    for uri, start, end, delimiter in found:
        offset += _size(text[last:start])
        length = _size(text[start:end])
        # A template: a dict and an encoder take three times as long as to find the URI.
        yield (
            f'{{"file":{name},"offset":{offset},"length":{length},'
            f'"uri":{_string(uri)},"delimiter":{_string(delimiter)}}}\n'
        )
        offset += length
        last = end


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
