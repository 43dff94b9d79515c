"""Tell the format of lines from the first of them."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from urisect.logs.formats.format import Column, Format
from urisect.logs.formats.json_lines import JSONFormat, json_lines, places
from urisect.logs.formats.plain import LIST
from urisect.logs.formats.request import SIGNATURE

__all__ = ["Detection", "UnknownFormatError", "detect"]

# How many lines are tried.
LINES = 100


# What is taken for a URI: it has a scheme (RFC 3986, 3.1) or is a path from the root, and has no space in it.
URI = re.compile(rb"(?:[A-Za-z][A-Za-z0-9+.\-]*+:|/)[^ \t]*+")

# What logs in JSON call the members that make up a column, the more telling first.
WELL_KNOWN = {
    "target": (
        *("url", "uri", "request_uri", "requestURI", "requestUrl", "request_url", "request.uri", "request.url"),
        *("req.url", "http.url", "http.target", "http.request.uri", "url.original", "url.full"),
        *("httpRequest.requestUrl", "ClientRequestURI", "RequestPath", "request_path", "path", "url.path"),
    ),
    "time": (
        *("time", "timestamp", "@timestamp", "ts", "time_iso8601", "time_local", "datetime", "date", "msec"),
        *("StartUTC", "EdgeStartTimestamp", "requestReceivedTimestamp"),
    ),
    "status": (
        *("status", "status_code", "statusCode", "response.status", "response.status_code", "response.code"),
        *("res.statusCode", "http.status_code", "http.response.status_code", "httpRequest.status"),
        *("EdgeResponseStatus", "DownstreamStatus", "responseStatus.code"),
    ),
    "client": (
        *("client_ip", "clientip", "clientIp", "remote_addr", "remote_ip", "remoteIp", "remote_host"),
        *("request.client_ip", "request.remote_ip", "httpRequest.remoteIp", "client.ip", "source.ip", "ClientIP"),
        *("ClientHost", "sourceIPs", "client", "ip"),
    ),
    "method": (
        *("method", "request_method", "requestMethod", "request.method", "req.method", "http.method"),
        *("http.request.method", "httpRequest.requestMethod", "ClientRequestMethod", "RequestMethod", "verb"),
    ),
    "agent": (
        *("user_agent", "userAgent", "http_user_agent", "agent", "request.headers.User-Agent"),
        *("req.headers.user-agent", "http.user_agent", "user_agent.original", "httpRequest.userAgent"),
        *("ClientRequestUserAgent", "request_User-Agent"),
    ),
    "referer": (
        *("referer", "referrer", "http_referer", "http_referrer", "request.headers.Referer", "req.headers.referer"),
        *("http.request.referrer", "httpRequest.referer", "ClientRequestReferer", "request_Referer"),
    ),
}


# How much of a line is shown, in bytes.
SHOWN = 40


class UnknownFormatError(ValueError):
    r"""The first lines are in no format that is known; the message says what can be done.

    >>> detect(b"\xff\xfeG\x00", [LIST])
    Traceback (most recent call last):
    urisect.logs.input.detection.UnknownFormatError: the text is in UTF-16; iconv -f UTF-16 -t UTF-8 makes it readable
    """


class Detection(NamedTuple):
    r"""What the first lines tell.

    Attributes:
        format: the format that matches most of them.
        tried: how many lines there were that should be entries.
        parsed: how many of these it matches.

    >>> detect(b"http://example.com/\n", [LIST]).parsed
    1
    """

    format: Format
    tried: int
    parsed: int


def detect(head: bytes, formats: Iterable[Format]) -> Detection:
    r"""Tell the format of lines from the first of them.

    Up to 100 lines that are not blank are tried; what has no end counts only if there is no other. The format is the
    one that matches most of them, and at least half; of several the first. A list is one of what looks like URIs. For
    objects of JSON that are in no other format, one is made, if a member of them is known to hold a URI.

    Args:
        head: what a file begins with.
        formats: the formats to choose from, the more special first.

    Raises:
        UnknownFormatError: there is no line, or no format matches half of them, or they are in UTF-16.

    >>> from urisect.logs import FORMATS
    >>> line = b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0000] "GET / HTTP/1.0" 200 -\n'
    >>> detect(line, FORMATS.values()).format.name
    'common'
    >>> detect(b'{"url": "/a", "msec": 847630536.123}\n', FORMATS.values()).format.name
    'json:target=url,time=msec'
    """
    if encoding := _utf_16(head):
        raise UnknownFormatError(f"the text is in {encoding}; iconv -f {encoding} -t UTF-8 makes it readable")
    lines = _first_lines(head)
    if not lines:
        raise UnknownFormatError("there is no line to tell the format from; it has to be named")
    formats = list(formats)
    best = _best(lines, formats)
    if best is None:
        first = lines[0][:SHOWN].decode("utf-8", "backslashreplace")
        raise UnknownFormatError(
            f"no format matches half of the first lines, which begin {first!r}; it has to be named: "
            f"{', '.join(format.name for format in formats)}, or json:url for objects that hold a URI as their url"
        )
    return best


def _utf_16(head: bytes) -> str:
    """Name the encoding of text in which every other byte is zero, or which begins as UTF-16 does (RFC 2781, 3.2)."""
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return "UTF-16"
    for name, high, low in (("UTF-16LE", head[1::2], head[0::2]), ("UTF-16BE", head[0::2], head[1::2])):
        if high.count(0) > len(high) // 2 and low.count(0) < len(low) // 2:
            return name
    return ""


def _first_lines(head: bytes) -> list[bytes]:
    *whole, rest = head.split(b"\n")
    lines = list(filter(_is_written, whole)) or list(filter(_is_written, [rest]))
    return lines[:LINES]


def _is_written(line: bytes) -> bool:
    return bool(line.removeprefix(SIGNATURE).strip())


def _best(lines: list[bytes], formats: list[Format]) -> Detection | None:
    """Try formats until one matches all lines; where there are only directives, the most general that has such."""
    best = stateful = None
    for format in _candidates(lines, formats):
        found = _tried(format, lines)
        if found.parsed == len(lines):
            return found
        if not found.tried:
            stateful = found
        elif found.parsed * 2 >= found.tried and (best is None or found.parsed > best.parsed):
            best = found
    return best or stateful


def _candidates(lines: list[bytes], formats: list[Format]) -> Iterator[Format]:
    """Give the formats, and before a list, which takes anything, one of JSON if there can be one."""
    yield from (format for format in formats if format is not LIST)
    if guessed := _guessed(lines):
        yield guessed
    yield from (format for format in formats if format is LIST)


def _tried(format: Format, lines: list[bytes]) -> Detection:
    """Count the lines that a format matches."""
    if format is LIST:
        texts = (line.removeprefix(SIGNATURE).rstrip(b"\r") for line in lines)
        return Detection(format, len(lines), sum(URI.fullmatch(text) is not None for text in texts))
    cut = format.cutter(frozenset())(_block(lines), b"")
    tried = len(lines) - _count(cut.get("directive", []))
    return Detection(format, tried, tried - _count(cut["rejected"]))


def _block(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _count(column: Column) -> int:
    return len(column) - column.count(None)


def _guessed(lines: list[bytes]) -> Format | None:
    """Make a format of the members that are known, if one of them holds a URI in half of the lines."""
    names = {name for known in WELL_KNOWN.values() for name in known}
    every = JSONFormat("every", {name: places(name) for name in names})
    found = every.cutter(frozenset(names))(_block(lines), b"")
    objects = found["rejected"].count(None)
    if objects * 2 < len(lines):
        return None

    def suits(column: str, name: str) -> bool:
        texts = [text for text in found[name] if text is not None]
        if column == "target":
            return sum(URI.match(text) is not None for text in texts) * 2 >= len(lines)
        is_plain = bool(texts) and not any(text.startswith((b"{", b"[")) for text in texts)
        return is_plain and _tried(json_lines(f"{column}={name}"), lines).parsed == objects

    chosen = {column: next((name for name in known if suits(column, name)), "") for column, known in WELL_KNOWN.items()}
    pairs = [f"{column}={name}" for column, name in chosen.items() if name]
    return json_lines(",".join(pairs)) if chosen["target"] else None
