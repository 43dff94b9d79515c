"""Select the format of logs: the named one, or the one that the first lines match."""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from urisect.logs.formats import COMBINED, FORMATS, Format, format_of
from urisect.logs.formats.enveloped import Envelope, enclose
from urisect.logs.formats.envelopes import split_envelope
from urisect.logs.formats.mixed import mix_formats
from urisect.logs.input.decompression import decompressed, detect_compression, prepend
from urisect.logs.input.detection import Detection, UnknownFormatError, detect
from urisect.logs.input.files import STDIN
from urisect.logs.input.storage import can_reopen, open_input
from urisect.text_types import Stream, get_read1

__all__ = ["AUTO", "FormatSelection", "decompress_head", "read_head", "select_format", "select_stream_format"]

AUTO = "auto"

# Bytes of the first file to detect the format from, plain and compressed: bzip2 decompresses whole blocks of 900 kB.
HEAD_BYTES = 1 << 16
COMPRESSED_HEAD_BYTES = 1 << 20


class FormatSelection(NamedTuple):
    """The format of files, and how it was selected.

    Attributes:
        format: the format of the lines: a `MixedFormat` if files have different formats.
        detection: the result of detection for the first file with lines; None if the format was named or there was
            nothing to read.
        head: bytes that were read from standard input.
        formats: the format of each file, if it was detected.
        passed_over: why a file is not read, by its path: no format matches its first lines, but one matches those of
            another file.
    """

    format: Format
    detection: Detection | None = None
    head: bytes = b""
    formats: Mapping[str, Format] = {}
    passed_over: Mapping[str, str] = {}

    def readable(self, files: Iterable[str]) -> list[str]:
        """Return the files that are not passed over.

        Args:
            files: paths.

        >>> FormatSelection(COMBINED, passed_over={"error.log": "…"}).readable(["access.log", "error.log"])
        ['access.log']
        """
        return [file for file in files if file not in self.passed_over]


def select_format(format: Format | str, files: Sequence[str]) -> FormatSelection:
    """Select the format of files.

    Args:
        format: a `Format`, its name, or a format string, see `format_of`; "auto" detects it from the first lines of
            each file, and falls back to the Combined format if no file has a line. "auto" after the name of an envelope
            and "+" detects the format of the lines inside.
        files: paths; "-" is standard input.

    Raises:
        ValueError: the format is unknown, or no file has one that is known.
        MissingExtraError: the package that decompresses a file is not installed.

    >>> select_format("combined", []).format.name
    'combined'
    """
    selector = _Selector.parse(format)
    if not selector:
        return FormatSelection(format_of(format))
    stdin_head = b""
    formats: dict[str, Format] = {}
    failures: dict[str, UnknownFormatError] = {}
    first: Detection | None = None
    for name in dict.fromkeys(files):
        if name != STDIN and not can_reopen(name):
            continue  # bytes read from a pipe here would be lost
        try:
            with open(0, "rb", buffering=0, closefd=False) if name == STDIN else open_input(name) as file:
                head = read_head(file.read)
        except OSError:
            continue  # reported when the file is parsed
        if name == STDIN:
            stdin_head = head
        if lines := decompress_head(head):
            try:
                detection = selector.detect(lines)
            except UnknownFormatError as failure:
                failures[name] = failure
            else:
                first = first or detection
                formats[name] = detection.format.strict
    if formats:
        reasons = {name: failure.reason for name, failure in failures.items()}
        return FormatSelection(mix_formats(formats), first, stdin_head, formats, reasons)
    if failures:
        raise next(iter(failures.values()))
    return FormatSelection(selector.fallback, head=stdin_head)


class _Selector:
    """Detects the formats of files, each of which may be in an envelope that is named."""

    def __init__(self, envelope: Envelope | None = None) -> None:
        self._envelope = envelope
        self._formats: dict[str, Format] = {}

    @classmethod
    def parse(cls, format: Format | str) -> "_Selector | None":
        """Return a selector if the format is to be detected."""
        if format == AUTO:
            return cls()
        found = split_envelope(format) if isinstance(format, str) else None
        return cls(found[0]) if found and found[1] == AUTO else None

    @property
    def fallback(self) -> Format:
        """The format of files without lines."""
        return enclose(self._envelope, COMBINED) if self._envelope else COMBINED

    def detect(self, head: bytes) -> Detection:
        """Detect the format of a file from its first lines; equal formats are one object."""
        detection = detect(head, FORMATS.values(), self._envelope)
        return detection._replace(format=self._formats.setdefault(detection.format.name, detection.format))


def select_stream_format(format: Format | str, stream: Stream) -> tuple[Format, Stream]:
    """Select the format of a stream, and return it with the stream to parse.

    Args:
        format: a `Format`, its name, or a format string, see `format_of`; "auto" detects it from the first lines, as
            `select_format` does.
        stream: binary input with a `read1`.

    Returns:
        The format, and a stream with all bytes of the given one, those that were read for detection included.

    Raises:
        ValueError: the format is unknown, or none matches the first lines.
        TypeError: the stream is not a buffered binary one.

    >>> select_stream_format("auto", io.BytesIO(COMBINED.sample))[0].name
    'combined'
    """
    selector = _Selector.parse(format)
    if not selector:
        return format_of(format), stream
    head = read_head(get_read1(stream))
    return selector.detect(head).format.strict if head else selector.fallback, prepend(head, stream)


def read_head(read: Callable[[int], bytes]) -> bytes:
    r"""Read at least the first line, but do not wait for more than has arrived: a pipe may be slow.

    Args:
        read: takes the maximum number of bytes, and returns what has arrived.

    >>> read_head(io.BytesIO(b"/a\n").read)
    b'/a\n'
    """
    head = b""
    limit = HEAD_BYTES
    while len(head) < limit and (chunk := read(limit - len(head))):
        head += chunk
        if detect_compression(head):
            limit = COMPRESSED_HEAD_BYTES
        elif b"\n" in head:
            break
    return head


def decompress_head(head: bytes) -> bytes:
    r"""Decompress the first bytes of a file as far as possible.

    >>> import gzip
    >>> decompress_head(gzip.compress(b"/a\n")), decompress_head(b"/a\n")
    (b'/a\n', b'/a\n')
    """
    stream = decompressed(io.BytesIO(head))
    content = b""
    with suppress(OSError):  # the file goes on after these bytes
        while len(content) < HEAD_BYTES and (chunk := stream.read1(HEAD_BYTES - len(content))):
            content += chunk
    return content
