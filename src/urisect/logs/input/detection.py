"""Detect the format of a log from its first lines."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from urisect.logs.formats.format import Format
from urisect.logs.formats.plain import LIST
from urisect.logs.input.json_detection import URI_PATTERN, build_json_format

__all__ = ["Detection", "UnknownFormatError", "detect"]

# The number of lines that are tried.
MAX_LINES = 100

# The length of the excerpt of a line in a message.
MAX_SHOWN_BYTES = 40


class UnknownFormatError(ValueError):
    r"""The first lines are not in a known format; the message says what to do.

    >>> detect(b"\xff\xfeG\x00", [LIST])
    Traceback (most recent call last):
    urisect.logs.input.detection.UnknownFormatError: the text is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8
    """


class Detection(NamedTuple):
    r"""The format of the first lines.

    Attributes:
        format: the format that matches most of the lines.
        tried: the number of lines that should be entries.
        parsed: the number of these lines that the format matches.

    >>> detect(b"http://example.com/\n", [LIST]).parsed
    1
    """

    format: Format
    tried: int
    parsed: int


def detect(head: bytes, formats: Iterable[Format]) -> Detection:
    r"""Detect the format of a log from its first lines.

    Up to 100 lines that are not blank are tried; an incomplete last line counts only if it is the only one. The result
    is the format that matches most lines, and at least half; the first one in case of a tie. A line of a list must look
    like a URI. For JSON objects that no other format matches, a format is built if a well-known member contains a URI.

    Args:
        head: the beginning of a file.
        formats: the formats to try, more specific ones first.

    Raises:
        UnknownFormatError: there is no line, no format matches half of the lines, or the text is in UTF-16.

    >>> from urisect.logs import FORMATS
    >>> line = b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET / HTTP/1.0" 200 -\n'
    >>> detect(line, FORMATS.values()).format.name
    'common'
    >>> detect(b'{"url": "/a", "msec": 847630536.123}\n', FORMATS.values()).format.name
    'json:target=url,time=msec'
    """
    if encoding := _utf_16(head):
        raise UnknownFormatError(f"the text is in {encoding}; convert it with iconv -f {encoding} -t UTF-8")
    lines = _first_lines(head)
    if not lines:
        raise UnknownFormatError("there is no line to detect the format from; name the format")
    formats = list(formats)
    best = _best(lines, formats)
    if best is None:
        first = lines[0][:MAX_SHOWN_BYTES].decode("utf-8", "backslashreplace")
        raise UnknownFormatError(
            f"no format matches half of the first lines, which begin {first!r}; name the format: "
            f"{', '.join(format.name for format in formats)}, or json:url for objects whose member url is a URI"
        )
    return best


def _utf_16(head: bytes) -> str:
    """Return the name of the encoding if every other byte is zero, or there is a byte order mark (RFC 2781, 3.2)."""
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "UTF-16"
    for name, high, low in (("UTF-16LE", head[1::2], head[0::2]), ("UTF-16BE", head[0::2], head[1::2])):
        if high.count(0) > len(high) // 2 and low.count(0) < len(low) // 2:
            return name
    return ""


def _first_lines(head: bytes) -> list[bytes]:
    *complete, rest = head.split(b"\n")
    lines = list(filter(_is_not_blank, complete)) or list(filter(_is_not_blank, [rest]))
    return lines[:MAX_LINES]


def _is_not_blank(line: bytes) -> bool:
    return bool(line.removeprefix(BOM_UTF8).strip())


def _best(lines: list[bytes], formats: list[Format]) -> Detection | None:
    """Try formats until one matches all lines. If there are only directives, return the last format that has them."""
    best = only_directives = None
    for format in _candidates(lines, formats):
        found = _try_format(format, lines)
        if found.parsed == len(lines):
            return found
        if not found.tried:
            only_directives = found
        elif found.parsed * 2 >= found.tried and (best is None or found.parsed > best.parsed):
            best = found
    return best or only_directives


def _candidates(lines: list[bytes], formats: list[Format]) -> Iterator[Format]:
    """Yield the formats; before the list, which matches any line, a JSON format built for the lines."""
    yield from (format for format in formats if format is not LIST)
    if built := build_json_format(lines):
        yield built
    yield from (format for format in formats if format is LIST)


def _try_format(format: Format, lines: list[bytes]) -> Detection:
    """Count the lines that a format matches."""
    if format is LIST:
        texts = (line.removeprefix(BOM_UTF8).rstrip(b"\r") for line in lines)
        return Detection(format, len(lines), sum(URI_PATTERN.fullmatch(text) is not None for text in texts))
    block = format.parser(frozenset())(_join(lines), b"")
    tried = len(lines) - _count_defined(block.directives)
    return Detection(format, tried, tried - _count_defined(block.rejected))


def _join(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _count_defined(column: Sequence[bytes | None]) -> int:
    return len(column) - column.count(None)
