"""Which format the lines have: the one that is named, or the one that fits the first lines."""

import io
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from urisect.logs.formats import COMBINED, FORMATS, Format, format_of
from urisect.logs.input.blocks import Stream, reading
from urisect.logs.input.decompression import compression, decompressed, prepend
from urisect.logs.input.detection import Detection, detect
from urisect.logs.input.files import STDIN

__all__ = ["AUTO", "FormatSelection", "select_format", "select_stream_format"]

AUTO = "auto"

# How much of the first file is looked at, in bytes, and how much that is compressed: bzip2 gives nothing of a block of
# 900 kB before it has all of it.
HEAD = 1 << 16
COMPRESSED_HEAD = 1 << 20


class FormatSelection(NamedTuple):
    """A format, and what had to be read to choose it.

    Attributes:
        format: what a line looks like.
        detection: what the first lines told; None if the format was named.
        head: what was read of standard input.
    """

    format: Format
    detection: Detection | None = None
    head: bytes = b""


def select_format(format: Format | str, files: Sequence[str]) -> FormatSelection:
    """Choose the format of files.

    Args:
        format: a `Format`, or what `format_of` takes for one; "auto" looks at the first lines of the first file that
            has any.
        files: paths; "-" is standard input.

    Raises:
        ValueError: there is no such format, or none fits the first lines.
        MissingExtraError: what decompresses the file is not installed.

    >>> select_format("combined", []).format.name
    'combined'
    """
    if format != AUTO:
        return FormatSelection(format_of(format))
    head = b""  # of standard input
    for name in files:
        if name != STDIN and not os.path.isfile(name):
            continue  # a pipe would not give again what is read here; what is none can be complained about later
        try:
            with open(0 if name == STDIN else name, "rb", buffering=0, closefd=name != STDIN) as file:
                beginning = _head(file.read)
        except OSError:
            continue  # it is complained about when it is to be read
        if name == STDIN:
            head += beginning
        if lines := _held(beginning):
            detection = detect(lines, FORMATS.values())
            return FormatSelection(detection.format, detection, head)
    return FormatSelection(COMBINED, head=head)  # nothing there to be read


def select_stream_format(format: Format | str, stream: Stream) -> tuple[Format, Stream]:
    """Choose the format of a stream, and give what is to be read in its place.

    Args:
        format: a `Format`, or what `format_of` takes for one; "auto" looks at the first lines.
        stream: a binary file, or anything with its `read1`.

    Raises:
        ValueError: there is no such format, or none fits the first lines.
        TypeError: the stream is none of bytes.

    >>> select_stream_format("auto", io.BytesIO(COMBINED.sample))[0].name
    'combined'
    """
    if format != AUTO:
        return format_of(format), stream
    head = _head(reading(stream))
    detection = detect(head, FORMATS.values()) if head else None
    return detection.format if detection else COMBINED, prepend(head, stream)


def _head(read: Callable[[int], bytes]) -> bytes:
    """Read what a file begins with: a line at least, but no more than there is, for more may be slow to come."""
    head = b""
    most = HEAD
    while len(head) < most and (chunk := read(most - len(head))):
        head += chunk
        if compression(head):
            most = COMPRESSED_HEAD
        elif b"\n" in head:
            break
    return head


def _held(head: bytes) -> bytes:
    """Give what a file holds that begins so, as far as it can be told."""
    stream = decompressed(io.BytesIO(head))
    held = b""
    with suppress(OSError):  # it ends in the middle
        while len(held) < HEAD and (chunk := stream.read1(HEAD - len(held))):
            held += chunk
    return held
