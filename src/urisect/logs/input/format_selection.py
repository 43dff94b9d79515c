"""Select the format of logs: the named one, or the one that the first lines match."""

import io
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from urisect.logs.formats import COMBINED, FORMATS, Format, format_of
from urisect.logs.input.decompression import decompressed, detect_compression, prepend
from urisect.logs.input.detection import Detection, detect
from urisect.logs.input.files import STDIN
from urisect.logs.input.storage import can_reopen, open_input
from urisect.text_types import Stream, get_read1

__all__ = ["AUTO", "FormatSelection", "select_format", "select_stream_format"]

AUTO = "auto"

# Bytes of the first file to detect the format from, plain and compressed: bzip2 decompresses whole blocks of 900 kB.
HEAD_BYTES = 1 << 16
COMPRESSED_HEAD_BYTES = 1 << 20


class FormatSelection(NamedTuple):
    """A format, and how it was selected.

    Attributes:
        format: the format of the lines.
        detection: the result of detection; None if the format was named or there was nothing to read.
        head: bytes that were read from standard input.
    """

    format: Format
    detection: Detection | None = None
    head: bytes = b""


def select_format(format: Format | str, files: Sequence[str]) -> FormatSelection:
    """Select the format of files.

    Args:
        format: a `Format`, its name, or a format string, see `format_of`; "auto" detects it from the first lines of the
            first file that has any, and falls back to the Combined format.
        files: paths; "-" is standard input.

    Raises:
        ValueError: the format is unknown, or none matches the first lines.
        MissingExtraError: the package that decompresses a file is not installed.

    >>> select_format("combined", []).format.name
    'combined'
    """
    if format != AUTO:
        return FormatSelection(format_of(format))
    stdin_head = b""
    for name in files:
        if name != STDIN and not can_reopen(name):
            continue  # bytes read from a pipe here would be lost
        try:
            with open(0, "rb", buffering=0, closefd=False) if name == STDIN else open_input(name) as file:
                head = _read_head(file.read)
        except OSError:
            continue  # reported when the file is parsed
        if name == STDIN:
            stdin_head += head
        if lines := _decompress_head(head):
            detection = detect(lines, FORMATS.values())
            return FormatSelection(detection.format, detection, stdin_head)
    return FormatSelection(COMBINED, head=stdin_head)


def select_stream_format(format: Format | str, stream: Stream) -> tuple[Format, Stream]:
    """Select the format of a stream, and return it with the stream to parse.

    Args:
        format: a `Format`, its name, or a format string, see `format_of`; "auto" detects it from the first lines, and
            falls back to the Combined format for an empty stream.
        stream: binary input with a `read1`.

    Returns:
        The format, and a stream with all bytes of the given one, those that were read for detection included.

    Raises:
        ValueError: the format is unknown, or none matches the first lines.
        TypeError: the stream is not a buffered binary one.

    >>> select_stream_format("auto", io.BytesIO(COMBINED.sample))[0].name
    'combined'
    """
    if format != AUTO:
        return format_of(format), stream
    head = _read_head(get_read1(stream))
    detection = detect(head, FORMATS.values()) if head else None
    return detection.format if detection else COMBINED, prepend(head, stream)


def _read_head(read: Callable[[int], bytes]) -> bytes:
    """Read at least the first line, but do not wait for more than has arrived: a pipe may be slow."""
    head = b""
    limit = HEAD_BYTES
    while len(head) < limit and (chunk := read(limit - len(head))):
        head += chunk
        if detect_compression(head):
            limit = COMPRESSED_HEAD_BYTES
        elif b"\n" in head:
            break
    return head


def _decompress_head(head: bytes) -> bytes:
    """Decompress the first bytes of a file as far as possible."""
    stream = decompressed(io.BytesIO(head))
    content = b""
    with suppress(OSError):  # the file goes on after these bytes
        while len(content) < HEAD_BYTES and (chunk := stream.read1(HEAD_BYTES - len(content))):
            content += chunk
    return content
