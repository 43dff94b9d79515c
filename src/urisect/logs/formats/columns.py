"""The columns of every format: a name has one meaning and one kind of value, whatever wrote the line."""

from typing import NamedTuple

from urisect.logs.formats.notation import ValueKind

__all__ = ["COLUMNS", "ColumnDescription", "kind"]


class ColumnDescription(NamedTuple):
    """What stands under a name.

    Attributes:
        kind: what the values are.
        meaning: what they tell.

    >>> COLUMNS["status"].meaning
    'the status code of the response'
    """

    kind: ValueKind
    meaning: str


def _of(kind: ValueKind, **meanings: str) -> dict[str, ColumnDescription]:
    return {name: ColumnDescription(kind, meaning) for name, meaning in meanings.items()}


# The columns that formats share; one of its own is text, and its format tells what it means.
COLUMNS: dict[str, ColumnDescription] = {
    **_of(
        ValueKind.TIME,
        time="when the request was received, or when the line was written",
    ),
    **_of(
        ValueKind.TEXT,
        client="the address or name that the request came from",
        identity="who the client says it is (RFC 1413)",
        user="who was authenticated",
        authority="the authority of the URI",
        path="the path of the URI",
        query="the query of the URI",
        fragment="the fragment of the URI",
        method="the method of the request",
        target_scheme="the scheme of the request's target",
        target_authority="the authority of the request's target",
        target_path="the path of the request's target",
        target_query="the query of the request's target",
        target_fragment="the fragment of the request's target",
        protocol="the protocol and its version",
        request="a request line that has not the form of one",
        referer_scheme="the scheme of the page that referred to the target",
        referer_authority="the authority of the page that referred to the target",
        referer_path="the path of the page that referred to the target",
        referer_query="the query of the page that referred to the target",
        referer_fragment="the fragment of the page that referred to the target",
        agent="the User-Agent field of the request",
        host="the Host field of the request",
        scheme="the scheme, http or https",
        forwarded_for="the X-Forwarded-For field of the request",
        cookie="the Cookie field of the request",
        media_type="the Content-Type of the response",
        server="the name of the server, or virtual host, that responded",
        server_address="the address that the request came to",
        upstream="the address of the server behind this one",
        cache="whether a cache had the response",
        id="what identifies the request",
        tls_protocol="the version of TLS",
        tls_cipher="the cipher suite of TLS",
        error="why there was no response",
        peer="the address that the connection came from",
        connection="what identifies the connection, or its state",
        file="the path of the file that was sent",
        handler="the handler that responded",
        upstreams="the addresses of the servers behind this one",
        upstream_statuses="the status codes of the servers behind this one",
        extra="what no column holds, as a JSON object; not there unless asked for",
    ),
    **_of(
        ValueKind.NUMBER,
        status="the status code of the response",
        upstream_status="the status code of the server behind this one",
        bytes="the size of the response's content, without its header fields, in bytes",
        bytes_sent="the size of all that was sent, in bytes",
        bytes_received="the size of all that was received, in bytes",
        client_port="the port that the request came from",
        server_port="the port that the request came to",
        process="the process that responded",
        thread="the thread that responded",
        keepalives="how many requests came before on the connection",
        connection_requests="which request of the connection it was",
        bytes_total="the size of all that was received and sent, in bytes",
        upstream_size="the size of the response of the server behind this one, in bytes",
        upstream_size_received="how much came from the server behind this one, in bytes",
        upstream_size_sent="how much went to the server behind this one, in bytes",
    ),
    **_of(
        ValueKind.SECONDS,
        duration="how long the request took, in seconds",
        upstream_duration="how long the server behind this one took, in seconds",
        upstream_connect_duration="how long the connection to the server behind this one took, in seconds",
        upstream_header_duration="how long the header fields of its response took, in seconds",
        first_byte_duration="how long it was to the first byte, in seconds",
        connection_duration="how old the connection was, in seconds",
    ),
}


def kind(name: str) -> ValueKind:
    """Tell what the values of a column are.

    >>> kind("bytes"), kind("bucket")
    (<ValueKind.NUMBER: 'a number'>, <ValueKind.TEXT: 'text, as written'>)
    """
    return COLUMNS[name].kind if name in COLUMNS else ValueKind.TEXT
