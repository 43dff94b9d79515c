"""Parse HAProxy's HTTP and HTTPS log formats.

The source is the configuration manual: "HTTP log format", "HTTPS log format" and "Timing events".
"""

from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.notation import (
    CLOCK_PATTERN,
    DAY_PATTERN,
    LOG_TIME,
    MILLISECONDS,
    MONTH_PATTERN,
    NUMBER,
    PORT,
    STATUS_OR_NONE,
    Notation,
    ValueKind,
    parse_log_times,
)
from urisect.logs.formats.plausibility import ADDRESS
from urisect.logs.formats.request import (
    OPTIONAL_BOM,
    PROTOCOL_PATTERN,
    address_and_port,
    bare_value,
    optional_value,
    request_line_pattern,
    target_pattern,
)
from urisect.repetition import unrolled_loop

__all__ = ["COLUMN_MEANINGS", "HAPROXY"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "frontend": 'frontend that received the connection; "~" at its end means TLS',
    "backend": "backend that the request was passed to",
    "request_header_duration": "time to receive the request header, in seconds",
    "queue_duration": "time in queues, in seconds",
    "captured_cookie": "captured cookie of the request",
    "captured_response_cookie": "captured cookie of the response",
    "termination": "how the session ended, such as sH--",
    "connections": "concurrent connections: process/frontend/backend/server",
    "retries": "number of retries to connect to the upstream server",
    "server_queue": "number of requests before this one in the queue of the server",
    "backend_queue": "number of requests before this one in the queue of the backend",
    "captured_headers": 'captured request headers, separated by "|"',
    "captured_response_headers": 'captured response headers, separated by "|"',
    "tls_errors": "errors: connection/TLS/certificate/authority, and whether the TLS session was resumed",
    "tls_host": "host name from the TLS handshake (SNI)",
}

_DATE_LENGTH = len("10/Nov/1996:13:55:36")


def _parse_time(text: bytes) -> int | None:
    time = LOG_TIME.parse(text[:_DATE_LENGTH] + b" +0000")
    return None if time is None else int(time) + int(text[_DATE_LENGTH + 1 :]) * 1_000


def _parse_times(texts: list[bytes]) -> list[int]:
    seconds = parse_log_times([text[:_DATE_LENGTH] + b" +0000" for text in texts])
    return [second + int(text[_DATE_LENGTH + 1 :]) * 1_000 for second, text in zip(seconds, texts, strict=True)]


# 10/Nov/1996:13:55:36.123, without a zone
HAPROXY_TIME = Notation(
    ValueKind.TIME,
    rf"{DAY_PATTERN}/{MONTH_PATTERN}/[0-9]{{4}}:{CLOCK_PATTERN}\.[0-9]{{3}}",
    _parse_time,
    _parse_times,
)


def _timer(name: str) -> str:
    """Return the source of a timer; "-1" means none. With logasap, a "+" says that it had not ended."""
    return rf"(?:-1|\+?+(?P<{name}>{MILLISECONDS.pattern}))"


def _name(name: str, stop: str) -> str:
    """Return the source of the name of a proxy or a server."""
    return rf"(?P<{name}>[^ {stop}\n]++)"


# HAProxy writes a quote in a request as "#22"; a backslash is data.
_TARGET = target_pattern(' "\n', unrolled_loop(r'[^" \n]', rf'[ ](?!{PROTOCOL_PATTERN}")'))

# Headers are captured by the frontend and the backend: {request} {response}. Without captures there are no braces; a
# single pair may be of either, and counts as of the request.
_CAPTURES = (
    r"(?>[ ]\{(?P<captured_headers>[^{}\n]*+)\}|)"
    r"(?>[ ]\{(?P<captured_response_headers>[^{}\n]*+)\}|)"
)

# %[fc_err]/%[ssl_fc_err,hex]/%[ssl_c_err]/%[ssl_c_ca_err]/%[ssl_fc_is_resumed] %[ssl_fc_sni]/%sslv/%sslc
_TLS = (
    r"(?>[ ](?P<tls_errors>(?:[0-9]++|-)/(?:[0-9A-Fa-f]++|-)/(?:[0-9]++|-)/(?:[0-9]++|-)/(?:[0-9]++|-))"
    rf"[ ](?>-(?=/)|{_name('tls_host', '/')})/(?>-(?=/)|{_name('tls_protocol', '/')})"
    r"/(?>-(?![^ \n])|(?P<tls_cipher>[0-9A-Z_\-]++))|)"
)

# log-format "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs
# %{+Q}r"; before version 1.7, the timers were Tq/Tw/Tc/Tr/Tt.
HAPROXY_LINE = (
    rf"{OPTIONAL_BOM}{address_and_port('client', 'client_port', rf'(?:{ADDRESS}|unix)')}"
    rf"[ ]\[(?P<time>{HAPROXY_TIME.pattern})\]"
    rf"[ ]{_name('frontend', '')}[ ]{_name('backend', '/')}/(?:<[A-Z]++>|(?P<upstream>[^ \n]++))"
    rf"[ ]{_timer('request_header_duration')}/{_timer('queue_duration')}/{_timer('upstream_connect_duration')}"
    rf"/{_timer('upstream_header_duration')}/{_timer('duration')}"
    rf"[ ](?:-1|{optional_value('status', STATUS_OR_NONE)})[ ]\+?+{optional_value('bytes_sent', NUMBER)}"
    rf"[ ]{bare_value('captured_cookie')}[ ]{bare_value('captured_response_cookie')}[ ](?P<termination>[A-Za-z\-]{{4}})"
    rf"[ ](?P<connections>[0-9]++/[0-9]++/[0-9]++/[0-9]++)/\+?+(?P<retries>{NUMBER.pattern})"
    rf"[ ](?P<server_queue>{NUMBER.pattern})/(?P<backend_queue>{NUMBER.pattern}){_CAPTURES}"
    rf'[ ]"(?>{request_line_pattern(_TARGET)}(?=")|(?P<request>[^"\n]*+))"{_TLS}'
)

HAPROXY_SAMPLE = b"""\
192.0.2.7:33317 [10/Nov/1996:13:55:36.123] www static/web1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 \
{www.example.com|Lynx/2.6} {} "GET /a/b?c=d HTTP/1.1"
2001:db8::7:33318 [10/Nov/1996:13:55:37.004] www~ app/web2 0/5/-1/-1/3010 503 212 - - SC-- 205/202/202/3/+3 1/0 \
"HEAD / HTTP/1.1" 0/0000000000000000/0/0/0 www.example.com/TLSv1.3/TLS_AES_256_GCM_SHA384
192.0.2.8:33319 [10/Nov/1996:13:55:38.250] www www/<NOSRV> -1/-1/-1/-1/50000 -1 0 - - CR-- 2/2/0/0/0 0/0 "<BADREQ>"
"""

HAPROXY = PatternFormat(
    "haproxy",
    HAPROXY_LINE,
    title="HAProxy, HTTP and HTTPS log format",
    notes=(
        "`option httplog` and `option httpslog`; syslog around them is an envelope. The time is the local time of the "
        "server, without a zone, and counts as UTC. A timer or a status of −1 is undefined. HAProxy writes a quote and "
        "a `#` in a request as `#22` and `#23`. `<BADREQ>` is in `request`."
    ),
    uris=("target_",),
    notations={
        "client_port": PORT,
        "time": HAPROXY_TIME,
        "request_header_duration": MILLISECONDS,
        "queue_duration": MILLISECONDS,
        "upstream_connect_duration": MILLISECONDS,
        "upstream_header_duration": MILLISECONDS,
        "duration": MILLISECONDS,
        "status": STATUS_OR_NONE,
        "bytes_sent": NUMBER,
        "retries": NUMBER,
        "server_queue": NUMBER,
        "backend_queue": NUMBER,
    },
    sample=HAPROXY_SAMPLE,
    signature=r"\[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9:]{8}\.[0-9]{3}\] ",
)
