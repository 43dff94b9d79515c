"""Detect the format of a log from its first lines."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from urisect.logs.formats.enveloped import Envelope, enclose, lines_inside
from urisect.logs.formats.envelopes import ENVELOPES, LINE_MEMBERS, json_envelope
from urisect.logs.formats.format import Format, PatternFormat
from urisect.logs.formats.json_lines import JSONFormat
from urisect.logs.formats.plain import LIST
from urisect.logs.input.json_detection import URI_PATTERN, build_json_format
from urisect.logs.input.mismatch import explain_mismatch

__all__ = ["Detection", "UnknownFormatError", "detect", "rank_formats"]

# The number of lines that are tried.
MAX_LINES = 100

# A specific format is selected if it matches this share of the lines that a more general one matches: a log of nginx's
# `main` may have a few lines that only `combined-more` matches.
NEARLY = 0.9

# The length of the excerpt of a line that is not part of a log.
MAX_SHOWN_BYTES = 60


class UnknownFormatError(ValueError):
    r"""The first lines are not in a known format; the message says what to do.

    Attributes:
        reason: what is wrong, in a few words.

    >>> detect(b"\xff\xfeG\x00", [LIST])
    Traceback (most recent call last):
    urisect.logs.input.detection.UnknownFormatError: the text is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8
    """

    def __init__(self, reason: str, explain: Callable[[], str] | None = None) -> None:
        """Take the reason, and a function that returns the message if it is not the reason."""
        super().__init__(reason)
        self.reason = reason
        self._explain = explain

    def __str__(self) -> str:
        return self._explain() if self._explain else self.reason


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


def detect(head: bytes, formats: Iterable[Format], envelope: Envelope | None = None) -> Detection:
    r"""Detect the format of a log from its first lines.

    Up to 100 lines that are not blank are tried; an incomplete last line counts only if it is the only one. The result
    is the format that matches most lines, and at least half; a more specific one if it matches nearly as many. Lines
    with implausible values do not match, see `Format.strict`. A line of a list must look like a URI. For JSON objects
    that no other format matches, a format is built if a well-known member contains a URI. If no format matches all
    lines, they may be in envelopes.

    Args:
        head: the beginning of a file.
        formats: the formats to try, more specific ones first.
        envelope: the envelope of the lines, if it is known; otherwise it is detected, too.

    Raises:
        UnknownFormatError: there is no line, no format matches half of the lines, or the text is in UTF-16.

    >>> from urisect.logs import FORMATS
    >>> line = b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET / HTTP/1.0" 200 -\n'
    >>> detect(line, FORMATS.values()).format.name
    'common'
    >>> detect(b"Nov 10 13:55:36 web httpd[7]: " + line, FORMATS.values()).format.name
    'syslog+common'
    >>> detect(b'{"url": "/a", "msec": 847630536.123}\n', FORMATS.values()).format.name
    'json:target=url,time=msec'
    """
    if encoding := _utf_16(head):
        raise UnknownFormatError(f"the text is in {encoding}; convert it with iconv -f {encoding} -t UTF-8")
    lines = _first_lines(head)
    if not lines:
        raise UnknownFormatError("there is no line to detect the format from; name the format")
    formats = formats if isinstance(formats, Collection) else list(formats)  # the named ones are loaded as needed
    bare = () if envelope else _try_formats(lines, formats)
    best = _best(chain(bare, _try_envelopes(lines, formats, [envelope] if envelope else None)), len(lines))
    if best is None and b"\0" in head:
        raise UnknownFormatError("the file is not text: it contains NUL bytes")
    if best is None:
        if envelope and not (lines := lines_inside(envelope, _join(lines))):
            raise UnknownFormatError(f"no line is in the envelope {envelope.name}: {envelope.title}")
        # To find the nearest format takes a while, and is not needed for a file that is passed over.
        raise UnknownFormatError(_describe(lines[0]), partial(explain_mismatch, lines[0], formats))
    return best


def rank_formats(head: bytes, formats: Iterable[Format]) -> list[Detection]:
    """Return the formats that match at least a tenth of the first lines, the best one first.

    Args:
        head: the beginning of a file.
        formats: the formats to try, more specific ones first.

    >>> from urisect.logs import COMMON, FORMATS
    >>> [detection.format.name for detection in rank_formats(COMMON.sample, FORMATS.values())]
    ['common']
    """
    lines = _first_lines(head)
    formats = list(formats)
    tried = chain(_try_formats(lines, formats), _try_envelopes(lines, formats))
    matching = [each for each in tried if each.parsed * 10 >= each.tried > 0]
    return sorted(matching, key=lambda each: -each.parsed)


def _describe(line: bytes) -> str:
    """Describe a file that is not a log by its first line."""
    excerpt = line[:MAX_SHOWN_BYTES].decode("utf-8", "backslashreplace") + "…" * (len(line) > MAX_SHOWN_BYTES)
    return f"no format matches its first lines: {excerpt}"


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


def _best(tried: Iterable[Detection], lines: int) -> Detection | None:
    """Return the format that matches most lines, and at least half; a more specific one if it matches nearly as many.

    Args:
        tried: formats that were tried, the more specific ones first. If one matches all lines, no more are tried.
        lines: how many lines there are. If all are directives, the last format that has them is returned.
    """
    best = only_directives = None
    for found in tried:
        if not found.tried:
            only_directives = found
        elif found.parsed * 2 >= found.tried and (best is None or best.parsed < NEARLY * found.parsed):
            best = found
        if found.parsed == lines:
            break
    return best or only_directives


def _try_formats(lines: list[bytes], formats: Collection[Format]) -> Iterator[Detection]:
    """Try formats; before the list, which matches any line, a JSON format built for the lines."""
    is_json = _is_json(lines)
    for format in formats:
        if format is not LIST and _may_match(format, lines, is_json=is_json):
            yield _try_format(format, lines)
    if built := build_json_format(lines):
        yield _try_format(built, lines)
    yield from (_try_format(format, lines) for format in formats if format is LIST)


def _may_match(format: Format, lines: list[bytes], *, is_json: bool) -> bool:
    """Whether a format may match lines: a quick test, to try few formats."""
    if isinstance(format, JSONFormat | PatternFormat):
        expects_json = isinstance(format, JSONFormat) and not format.prefix
        if expects_json != is_json:
            return False
    if not format.signature:
        return True
    signature = re.compile(format.signature.encode("latin-1"))
    return any(signature.search(line.removesuffix(b"\r")) for line in lines)


def _is_json(lines: list[bytes]) -> bool:
    """Whether most lines begin as an object does."""
    return sum(line.removeprefix(BOM_UTF8).startswith(b"{") for line in lines) * 2 > len(lines)


def _try_envelopes(
    lines: list[bytes], formats: Collection[Format], envelopes: Iterable[Envelope] | None = None
) -> Iterator[Detection]:
    """Try the formats of the lines in each envelope that at least half of the lines are in; by default in any one."""
    is_json = _is_json(lines)
    for envelope in envelopes or chain(ENVELOPES.values(), map(json_envelope, LINE_MEMBERS)):
        if not _may_match(envelope.format, lines, is_json=is_json):
            continue
        inside = [line for line in lines_inside(envelope, _join(lines)) if line.strip()]
        if inside and len(inside) * 2 >= len(lines):
            found = _best(_try_formats(inside, formats), len(inside))
            if found:
                yield _try_format(enclose(envelope, found.format), lines)
                if not found.tried:
                    return  # any envelope with the same line would do


def _try_format(format: Format, lines: list[bytes]) -> Detection:
    """Count the lines that a format matches."""
    if format is LIST:
        texts = (line.removeprefix(BOM_UTF8).rstrip(b"\r") for line in lines)
        return Detection(format, len(lines), sum(URI_PATTERN.fullmatch(text) is not None for text in texts))
    block = format.strict.parser(frozenset())(_join(lines), b"")
    tried = len(lines) - _count_defined(block.directives) - _count_defined(block.partial)
    return Detection(format, tried, tried - _count_defined(block.rejected))


def _join(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _count_defined(column: Sequence[bytes | None]) -> int:
    return len(column) - column.count(None)
