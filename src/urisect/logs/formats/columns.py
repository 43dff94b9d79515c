"""Describe the columns of all formats: a name has the same meaning and kind of value in each of them."""

from typing import NamedTuple

from urisect.logs.formats.notation import ValueKind

__all__ = ["COLUMNS", "ColumnDescription", "column_kind"]


class ColumnDescription(NamedTuple):
    """The description of a column.

    Attributes:
        kind: the kind of its values.
        meaning: what the values say.

    >>> COLUMNS["status"].meaning
    'response status code'
    """

    kind: ValueKind
    meaning: str


def _describe(kind: ValueKind, **meanings: str) -> dict[str, ColumnDescription]:
    return {name: ColumnDescription(kind, meaning) for name, meaning in meanings.items()}


# The columns that formats share. A format's own columns are text, and its module describes them.
COLUMNS: dict[str, ColumnDescription] = {
    **_describe(
        ValueKind.TIME,
        time="time of the request, or of the log line",
    ),
    **_describe(
        ValueKind.TEXT,
        client="client address or name",
        identity="client identity (RFC 1413)",
        user="authenticated user",
        authority="authority of the URI",
        path="path of the URI",
        query="query of the URI",
        fragment="fragment of the URI",
        method="request method",
        target_scheme="scheme of the request target",
        target_authority="authority of the request target",
        target_path="path of the request target",
        target_query="query of the request target",
        target_fragment="fragment of the request target",
        protocol="protocol and version, such as HTTP/1.1",
        request="request line, if it is malformed",
        referer_scheme="scheme of the referring page",
        referer_authority="authority of the referring page",
        referer_path="path of the referring page",
        referer_query="query of the referring page",
        referer_fragment="fragment of the referring page",
        agent="User-Agent header",
        host="Host header",
        scheme="URI scheme, such as https",
        forwarded_for="X-Forwarded-For header",
        cookie="Cookie header",
        media_type="Content-Type of the response",
        server="server name, or virtual host",
        server_address="server address",
        upstream="upstream server address",
        cache="cache status",
        id="request ID",
        tls_protocol="TLS version",
        tls_cipher="TLS cipher suite",
        error="why there was no response",
        peer="address at the other end of the connection, such as a proxy",
        connection="connection ID, or connection status",
        file="path of the file sent",
        handler="response handler",
        upstreams="upstream server addresses, if there are several",
        upstream_statuses="upstream status codes, if there are several",
        extra="all that has no column, as a JSON object; only on request",
    ),
    **_describe(
        ValueKind.NUMBER,
        status="response status code",
        upstream_status="upstream status code",
        bytes="response body size, in bytes",
        bytes_sent="bytes sent, with headers",
        bytes_received="bytes received, with headers",
        client_port="client port",
        server_port="server port",
        process="process ID",
        thread="thread ID",
        keepalives="number of earlier requests on the connection",
        connection_requests="number of the request on its connection, from 1",
        bytes_total="bytes received and sent, with headers",
        upstream_size="upstream response size, in bytes",
        upstream_size_received="bytes received from the upstream server",
        upstream_size_sent="bytes sent to the upstream server",
    ),
    **_describe(
        ValueKind.SECONDS,
        duration="request duration, in seconds",
        upstream_duration="upstream response time, in seconds",
        upstream_connect_duration="time to connect to the upstream server, in seconds",
        upstream_header_duration="time to the upstream response header, in seconds",
        first_byte_duration="time to the first byte, in seconds",
        connection_duration="age of the connection, in seconds",
    ),
}


def column_kind(name: str) -> ValueKind:
    """Return the kind of the values of a column; text for a column that is not in `COLUMNS`.

    >>> column_kind("bytes"), column_kind("bucket")
    (<ValueKind.NUMBER: 'a number'>, <ValueKind.TEXT: 'text, unchanged'>)
    """
    return COLUMNS[name].kind if name in COLUMNS else ValueKind.TEXT
