"""Parse the access log of Envoy in JSON, with the members that Istio and Envoy Gateway configure."""

from urisect.logs.formats.json_lines import HOST_PART, KNOWN_PART, PORT_PART, JSONFormat, member_paths
from urisect.logs.formats.notation import ANY_MILLISECONDS, ANY_NUMBER, ANY_STATUS, ANY_TIME, PORT

__all__ = ["COLUMN_MEANINGS", "ENVOY_JSON"]

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

# The members are the names of Envoy's command operators (Access logging: Command Operators). Istio's names are
# those in its default configuration; Envoy Gateway uses the names of headers.
ENVOY_MEMBERS = {
    "time": member_paths("start_time"),
    "method": member_paths("method", part=KNOWN_PART),
    "target": member_paths("path", "x-envoy-origin-path", part=KNOWN_PART),
    "protocol": member_paths("protocol", part=KNOWN_PART),
    "status": member_paths("response_code"),
    "response_flags": member_paths("response_flags", part=KNOWN_PART),
    "response_details": member_paths("response_code_details", part=KNOWN_PART),
    "connection_termination": member_paths("connection_termination_details", part=KNOWN_PART),
    "upstream_error": member_paths("upstream_transport_failure_reason", part=KNOWN_PART),
    "request_bytes": member_paths("bytes_received"),
    "bytes": member_paths("bytes_sent"),
    "duration": member_paths("duration"),
    "upstream_duration": member_paths("upstream_service_time", "x-envoy-upstream-service-time"),
    "forwarded_for": member_paths("x_forwarded_for", "x-forwarded-for", part=KNOWN_PART),
    "agent": member_paths("user_agent", "user-agent", part=KNOWN_PART),
    "id": member_paths("request_id", "x-request-id", part=KNOWN_PART),
    "host": member_paths("authority", ":authority", part=KNOWN_PART),
    "upstream": member_paths("upstream_host", part=KNOWN_PART),
    "upstream_cluster": member_paths("upstream_cluster", part=KNOWN_PART),
    "upstream_local_address": member_paths("upstream_local_address", part=KNOWN_PART),
    "server_address": member_paths("downstream_local_address", part=HOST_PART),
    "server_port": member_paths("downstream_local_address", part=PORT_PART),
    "client": member_paths("downstream_remote_address", part=HOST_PART),
    "client_port": member_paths("downstream_remote_address", part=PORT_PART),
    "tls_host": member_paths("requested_server_name", part=KNOWN_PART),
    "route": member_paths("route_name", part=KNOWN_PART),
}

ENVOY_SAMPLE = b"""\
{"start_time":"1996-11-10T13:55:36.123Z","method":"GET","path":"/a/b?c=d","protocol":"HTTP/1.1","response_code":200,\
"response_flags":"-","response_code_details":"via_upstream","connection_termination_details":null,\
"upstream_transport_failure_reason":null,"bytes_received":0,"bytes_sent":2326,"duration":52,"upstream_service_time":\
"51","x_forwarded_for":"198.51.100.7","user_agent":"Lynx/2.6","request_id":"1c2d3e4f-0000-4000-8000-000000000007",\
"authority":"example.com","upstream_host":"192.0.2.20:8080","upstream_cluster":"outbound|80||web.example.com",\
"upstream_local_address":"192.0.2.1:40112","downstream_local_address":"192.0.2.1:443","downstream_remote_address":\
"198.51.100.7:51234","requested_server_name":"example.com","route_name":"default"}
{":authority":"example.com","bytes_received":0,"bytes_sent":19,"downstream_local_address":"[2001:db8::1]:443",\
"downstream_remote_address":"[2001:db8::7]:51235","duration":0,"method":"GET","protocol":"HTTP/2","response_code":404,\
"response_code_details":"route_not_found","response_flags":"NR","start_time":"1996-11-10T13:55:37.000Z",\
"upstream_host":null,"user-agent":"Lynx/2.6","x-envoy-origin-path":"/old","x-envoy-upstream-service-time":null,\
"x-forwarded-for":"2001:db8::7","x-request-id":"1c2d3e4f-0000-4000-8000-000000000008"}
"""

ENVOY_JSON = JSONFormat(
    "envoy-json",
    ENVOY_MEMBERS,
    title="Envoy, JSON",
    notes=(
        "The members that Istio and Envoy Gateway configure; `json_format` may have others. A status of 0 is "
        "undefined. Entries of TCP connections have no target. Members without a column are in `extra`, on request."
    ),
    uris=("target_",),
    notations={
        "time": ANY_TIME,
        "status": ANY_STATUS,
        "request_bytes": ANY_NUMBER,
        "bytes": ANY_NUMBER,
        "duration": ANY_MILLISECONDS,
        "upstream_duration": ANY_MILLISECONDS,
        "server_port": PORT,
        "client_port": PORT,
    },
    required=("status",),
    marks=member_paths("response_flags", "response_code_details"),
    sample=ENVOY_SAMPLE,
    signature='"response_(?:flags|code_details)"',
)
