"""Build a format for JSON lines from the names that their members commonly have."""

import re
from collections.abc import Iterable

from urisect.logs.formats.json_lines import Assignment, JSONFormat, json_lines, parse_assignment, possible_members

__all__ = ["URI_PATTERN", "WELL_KNOWN_MEMBERS", "build_json_format"]

# Text that is taken for a URI: it has a scheme (RFC 3986, 3.1), or is a path from the root, and contains no space.
URI_PATTERN = re.compile(rb"(?:[A-Za-z][A-Za-z0-9+.\-]*+:|/)[^ \t]*+")

# Text that is taken for a query.
QUERY_PATTERN = re.compile(rb"[^\s]*+")

# What separates the names of members in the paths below.
PATH_SEPARATOR = re.compile(rb"[.+:]")

# Common names of members in JSON logs, by column, as in the text of `json_lines`; more specific names first. "request"
# is a whole request line.
WELL_KNOWN_MEMBERS = {
    "target": (
        *("url", "uri", "request_uri", "requestURI", "requestUrl", "request_url", "request.uri", "request.url"),
        *("req.url", "http.url", "http.target", "http.request.uri", "url.original", "url.full"),
        *("httpRequest.requestUrl", "ClientRequestURI", "RequestPath", "request_path", "path", "url.path"),
        *("requestUri", "requestPath", "request.path", "req.path", "http.path", "event.path", "rawPath", "cs_uri_stem"),
    ),
    "request": ("request", "request_line", "requestLine", "http_request", "req", "message", "msg"),
    "target_query": (
        *("query", "query_string", "queryString", "args", "request_query", "requestQuery", "url.query", "http.query"),
        *("QueryString", "queryStr", "request.query", "rawQueryString", "cs_uri_query"),
    ),
    "time": (
        *("time", "timestamp", "@timestamp", "ts", "time_iso8601", "time_local", "datetime", "date", "msec"),
        *("StartUTC", "EdgeStartTimestamp", "requestReceivedTimestamp", "start_time", "startTime", "eventTime"),
        *("timeStamp", "Timestamp", "@t", "asctime", "reqTimeSec", "time_unix", "date+time"),
    ),
    "status": (
        *("status", "status_code", "statusCode", "response.status", "response.status_code", "response.code"),
        *("res.statusCode", "http.status_code", "http.response.status_code", "httpRequest.status"),
        *("EdgeResponseStatus", "DownstreamStatus", "responseStatus.code"),
        *("response_code", "response_status", "responseCode", "response.statusCode", "StatusCode", "http_status"),
        *("http.statusCode", "attributes.http.status_code"),
    ),
    "client": (
        *("client_ip", "clientip", "clientIp", "remote_addr", "remote_ip", "remoteIp", "remote_host"),
        *("request.client_ip", "request.remote_ip", "httpRequest.remoteIp", "client.ip", "source.ip", "ClientIP"),
        *("ClientHost", "sourceIPs", "client", "ip"),
        *("clientIP", "client_addr", "remoteAddress", "remoteAddr", "req.remoteAddress", "client.address"),
        *("network.client.ip", "source.address", "remote_address", "peer_addr", "remote"),
    ),
    "method": (
        *("method", "request_method", "requestMethod", "request.method", "req.method", "http.method"),
        *("http.request.method", "httpRequest.requestMethod", "ClientRequestMethod", "RequestMethod", "verb"),
        *("httpMethod", "http_method", "reqMethod"),
    ),
    "agent": (
        *("user_agent", "userAgent", "http_user_agent", "agent", "request.headers.User-Agent"),
        *("req.headers.user-agent", "http.user_agent", "user_agent.original", "httpRequest.userAgent"),
        *("ClientRequestUserAgent", "request_User-Agent", "http.useragent", "headers.user-agent", "useragent"),
        *("request_user_agent", "user-agent", "UserAgent"),
    ),
    "referer": (
        *("referer", "referrer", "http_referer", "http_referrer", "request.headers.Referer", "req.headers.referer"),
        *("http.request.referrer", "httpRequest.referer", "ClientRequestReferer", "request_Referer"),
        *("http.referer", "headers.referer", "request_referer", "Referer"),
    ),
    "protocol": (
        *("protocol", "server_protocol", "request.proto", "request_protocol", "httpRequest.protocol", "http_protocol"),
        *("RequestProtocol", "ClientRequestProtocol", "proto"),
    ),
    "host": (
        *("http_host", "request.host", "RequestHost", "ClientRequestHost", "req.headers.host", "request.headers.Host"),
        *("headers.host", "url.domain", "http.host", "vhost", "authority", "host"),
    ),
    "bytes": (
        *("body_bytes_sent", "bytes", "size", "response_size", "http.response.body.bytes", "response.bytes"),
        *("response_length", "responseSize", "content_length", "res.headers.content-length", "bytes_written"),
    ),
    "bytes_sent": ("bytes_sent",),
    "duration": (
        *("request_time", "duration_s", "duration_ms:ms", "durationMs:ms", "elapsed_ms:ms", "latency_ms:ms"),
        *("response_time_ms:ms", "responseTimeMs:ms", "took_ms:ms", "responseTime:ms", "duration_us:us"),
        *("duration_ns:ns", "latency_ns:ns", "event.duration:ns"),
    ),
    "user": ("remote_user", "user.name", "userid", "username"),
    "id": ("request_id", "requestId", "req.id", "reqId", "req_id", "requestID", "RequestId", "x_request_id"),
    "forwarded_for": ("http_x_forwarded_for", "x_forwarded_for", "xForwardedFor", "X-Forwarded-For"),
    "scheme": ("scheme", "request_scheme", "url.scheme", "http.scheme", "ClientRequestScheme"),
    "upstream": ("upstream_addr", "upstream_host"),
    "upstream_status": ("upstream_status",),
    "cache": ("upstream_cache_status", "cache_status", "CacheCacheStatus"),
}

# The columns that a target may consist of.
TARGET_COLUMNS = {"target", "request", "target_query"}


def build_json_format(lines: list[bytes]) -> JSONFormat | None:
    """Return a format of the well-known members of JSON lines.

    If a target contains no query, the request line, or a member for the query, is used, too.

    Args:
        lines: the first lines of a log, without their ends.

    Returns:
        A format that parses all of the lines that are objects; None if fewer than half of the lines are, or have a
        well-known member that is a URI or a request line.

    >>> build_json_format([b'{"url": "/a", "msec": 847630536.123}']).name
    'json:target=url,time=msec'
    >>> build_json_format([b'{"request": "GET /a HTTP/1.0", "status": 200}']).name
    'json:request=request,status=status'
    >>> build_json_format([b'{"message": "started"}'])
    """
    members = _WellKnownMembers(lines)
    if members.objects * 2 < len(lines):
        return None
    chosen = _choose_target(members, len(lines))
    if not chosen:
        return None
    columns = {assignment.column for item in chosen for assignment in parse_assignment(item)}
    columns |= TARGET_COLUMNS
    for column in WELL_KNOWN_MEMBERS:
        if column not in columns and (item := _first(filter(members.fit, _items(column)))):
            chosen.append(item)
    return json_lines(",".join(chosen))


def _items(column: str) -> list[str]:
    return [f"{column}={path}" for path in WELL_KNOWN_MEMBERS[column]]


class _WellKnownMembers:
    """The values of the well-known members, as the columns of one format, so that each line is parsed once."""

    def __init__(self, lines: list[bytes]) -> None:
        block = b"".join(line + b"\n" for line in lines)
        text = block.lower()
        self._assignments = {
            item: _assignment(item)
            for column, paths in WELL_KNOWN_MEMBERS.items()
            for item, path in zip(_items(column), paths, strict=True)
            if all(name in text for name in PATH_SEPARATOR.split(path.lower().encode()))
        }
        places = {item: assignment.places for item, assignment in self._assignments.items()}
        found = JSONFormat("well-known members", places).parser(frozenset(places))(block, b"")
        self.objects = found.rejected.count(None)
        self._columns = found.columns

    def texts(self, item: str) -> list[bytes]:
        """Return the values of a member, where it has one; of a request line, the protocol."""
        return [text for text in self._columns.get(item, ()) if text is not None]

    def fit(self, item: str) -> bool:
        """Check that a member has values, and that they are of the kind of its column."""
        texts = self.texts(item)
        if not texts:
            return False
        notation = self._assignments[item].notation
        if notation is None:
            return not any(text.startswith((b"{", b"[")) for text in texts)
        expression = re.compile(notation.pattern.encode())
        return all(map(expression.fullmatch, set(texts) - {b"", b"-"}))


def _assignment(item: str) -> Assignment:
    """Return the column of an item: of a request line, the protocol; of a query, all of the member."""
    column, _, path = item.partition("=")
    if column == "target_query":
        return Assignment(column, possible_members(path))
    wanted = "protocol" if column == "request" else column
    return next(assignment for assignment in parse_assignment(item) if assignment.column == wanted)


def _choose_target(members: _WellKnownMembers, lines: int) -> list[str]:
    """Return the items for the target: a whole URI, a request line, or a path and a query; empty if there is none."""
    target = _first(item for item in _items("target") if _count_uris(members.texts(item)) * 2 >= lines)
    request = _first(item for item in _items("request") if len(members.texts(item)) * 2 >= lines)
    paths = members.texts(target) if target else []
    if any(b"?" in path or not path.startswith(b"/") for path in paths):
        return [target]
    if request:
        return [request]
    query = _first(item for item in _items("target_query") if _are_queries(members.texts(item)))
    if target and query:
        return [target.replace("target=", "target_path="), query]
    return [target] if target else []


def _first(items: Iterable[str]) -> str:
    return next(iter(items), "")


def _count_uris(texts: list[bytes]) -> int:
    return sum(URI_PATTERN.match(text) is not None for text in texts)


def _are_queries(texts: list[bytes]) -> bool:
    """Check that texts are queries, not words to search for: if any is not empty, one has a parameter."""
    defined = set(texts) - {b""}
    has_parameters = not defined or any(b"=" in text for text in defined)
    return bool(texts) and has_parameters and all(map(QUERY_PATTERN.fullmatch, defined))
