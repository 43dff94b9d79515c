"""Parse the text access logs of Envoy and of Istio.

The sources are Envoy's documentation ("Access logging", Default Format String) and Istio's ("Envoy Access Logs").
Neither escapes a quote in a header field: it ends a value if a space and a quote follow it.
"""

from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.notation import ISO_TIME, MILLISECONDS, NUMBER, PORT, STATUS_OR_NONE
from urisect.logs.formats.request import (
    METHOD_PATTERN,
    OPTIONAL_BOM,
    PROTOCOL_PATTERN,
    address_and_port,
    bare_value,
    optional_value,
    target_pattern,
)
from urisect.repetition import unrolled_loop

__all__ = ["COLUMN_MEANINGS", "ENVOY", "ISTIO"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "request_bytes": "request body size, in bytes",
    "response_flags": "what was special about the response, such as UH for no healthy upstream server",
    "response_details": "why the response has its status, such as via_upstream",
    "connection_termination": "why Envoy closed the connection",
    "upstream_error": "why the connection to the upstream server failed",
    "upstream_cluster": "cluster of the upstream server",
    "upstream_local_address": "own address of the connection to the upstream server",
    "tls_host": "host name from the TLS handshake (SNI)",
    "route": "name of the route",
}


def _quoted_word(name: str) -> str:
    """Return the source of a quoted value without quotes; "-" means none."""
    return rf'"(?>-(?=")|(?P<{name}>[^"\n]*+))"'


def _quoted_header(name: str) -> str:
    """Return the source of a quoted value that another quoted value follows; "-" means none."""
    text = unrolled_loop(r'[^"\n]', '"(?![ ]")')
    return rf'"(?>-(?="[ ]")|(?P<{name}>{text}))"'


# What is hardly the last value of a line, but has something behind it.
_PLAIN_TEXT = r'[^ \-\x09",\n][^ \x09",\n]*+'

# A path may contain a quote.
_TARGET = target_pattern(" \n", unrolled_loop(r"[^ \n]", rf'[ ](?!(?:{PROTOCOL_PATTERN}|-)"[ ])'))
_REQUEST = rf'"(?:-|{METHOD_PATTERN})[ ](?:-(?=[ ])|{_TARGET})[ ](?:-|(?P<protocol>{PROTOCOL_PATTERN}))"'

# [%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS%
_BEGINNING = (
    rf"{OPTIONAL_BOM}\[(?P<time>{ISO_TIME.pattern})\][ ]{_REQUEST}"
    rf"[ ]{optional_value('status', STATUS_OR_NONE)}[ ]{bare_value('response_flags')}"
)

# %BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% and in quotes %REQ(X-FORWARDED-FOR)%
# %REQ(USER-AGENT)% %REQ(X-REQUEST-ID)% %REQ(:AUTHORITY)% %UPSTREAM_HOST%
_END = (
    rf"[ ]{optional_value('request_bytes', NUMBER)}[ ]{optional_value('bytes', NUMBER)}"
    rf"[ ]{optional_value('duration', MILLISECONDS)}[ ]{optional_value('upstream_duration', MILLISECONDS)}"
    rf"[ ]{_quoted_header('forwarded_for')}[ ]{_quoted_header('agent')}[ ]{_quoted_header('id')}"
    rf"[ ]{_quoted_word('host')}[ ]{_quoted_word('upstream')}"
)

# %RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% "%UPSTREAM_TRANSPORT_FAILURE_REASON%"; before version 1.8
# "%DYNAMIC_METADATA(istio.mixer:status)%" "%UPSTREAM_TRANSPORT_FAILURE_REASON%". The details may have text in braces.
_DETAILS = (
    r'(?>[ ](?>-(?=[ ])|(?P<response_details>[^ "{\n]++(?>\{[^}\n]*+\}|)))'
    rf"[ ]{bare_value('connection_termination')}"
    rf'|[ ]"[^"\n]*+")[ ]{_quoted_word("upstream_error")}'
)

# %UPSTREAM_CLUSTER% %UPSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS%
# %REQUESTED_SERVER_NAME% %ROUTE_NAME%
_ISTIO_END = (
    rf"[ ]{bare_value('upstream_cluster')}[ ]{bare_value('upstream_local_address')}"
    rf"[ ]{address_and_port('server_address', 'server_port')}[ ]{address_and_port('client', 'client_port')}"
    rf"[ ]{bare_value('tls_host')}[ ]{bare_value('route', _PLAIN_TEXT)}"
)

ENVOY_NOTATIONS = {
    "time": ISO_TIME,
    "status": STATUS_OR_NONE,
    "request_bytes": NUMBER,
    "bytes": NUMBER,
    "duration": MILLISECONDS,
    "upstream_duration": MILLISECONDS,
}

ENVOY_SAMPLE = b"""\
[1996-11-10T13:55:36.123Z] "GET /a/b?c=d HTTP/2" 200 - 0 2326 26 25 "192.0.2.7" "Lynx/2.6" \
"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "www.example.com" "198.51.100.1:80"
[1996-11-10T13:55:37.004Z] "POST /orders HTTP/1.1" 0 DC 154 0 3010 - "-" "-" "2d1dc7f3-8a52-4b0f-9d3a-5f9f9d1e6a01" \
"www.example.com" "-"
"""
ISTIO_SAMPLE = b"""\
[1996-11-10T13:55:36.123Z] "GET /a/b?c=d HTTP/1.1" 418 - via_upstream - "-" 0 135 3 1 "-" "Lynx/2.6" \
"84961386-6d84-929d-98bd-c5aee93b5c88" "www.example.com:8000" "127.0.0.1:80" inbound|8000|| 127.0.0.1:41854 \
198.51.100.1:8000 192.0.2.7:37652 outbound_.8000_._.shop.default.svc.cluster.local default
[1996-11-10T13:55:37.004Z] "- - -" 0 UF - - "connection timeout" 0 0 10000 - "-" "-" "-" "-" "203.0.113.7:443" \
PassthroughCluster - 203.0.113.7:443 192.0.2.7:37654 www.example.net -
"""

ENVOY = PatternFormat(
    "envoy",
    rf"{_BEGINNING}{_END}",
    title="Envoy, default text format",
    notes="There is no client in it, but `forwarded_for`. A status of 0 is undefined.",
    uris=("target_",),
    notations=ENVOY_NOTATIONS,
    sample=ENVOY_SAMPLE,
    signature=r'\[[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]++Z?\] "',
)
ISTIO = PatternFormat(
    "istio",
    rf"{_BEGINNING}{_DETAILS}{_END}{_ISTIO_END}",
    title="Istio, default text format",
    notes="A connection without a request (`- - -`) has neither a method nor a target. A status of 0 is undefined.",
    uris=("target_",),
    notations=ENVOY_NOTATIONS | {"server_port": PORT, "client_port": PORT},
    sample=ISTIO_SAMPLE,
    signature=ENVOY.signature,
)
