"""Parse the request logs of Google Cloud's load balancers, as Cloud Logging writes them."""

from urisect.logs.formats.json_lines import HOST_PART, NOT_EMPTY_PART, PORT_PART, URI_PREFIXES, JSONFormat, member_paths
from urisect.logs.formats.notation import ANY_NUMBER, ANY_SECONDS, ANY_STATUS, ANY_TIME, PORT

__all__ = ["COLUMN_MEANINGS", "GCP_LOAD_BALANCER"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "backend": "backend that the request was passed to",
    "response_details": "why the response has its status, such as via_upstream",
    "cache_lookup": "whether the cache was looked up: true or false",
    "log": "name of the log",
    "trace": "ID of the trace that the request belongs to",
}

# LogEntry and HttpRequest (Cloud Logging, REST reference), and the payload of load balancers (Global external
# Application Load Balancer logging and monitoring).
GCP_MEMBERS = {
    "time": member_paths("timestamp"),
    "id": member_paths("insertId"),
    "client": member_paths("httpRequest.remoteIp", "jsonPayload.remoteIp", part=HOST_PART),
    "client_port": member_paths("httpRequest.remoteIp", part=PORT_PART),
    "method": member_paths("httpRequest.requestMethod"),
    "target": member_paths("httpRequest.requestUrl"),
    "protocol": member_paths("httpRequest.protocol"),
    "status": member_paths("httpRequest.status"),
    "bytes_received": member_paths("httpRequest.requestSize"),
    "bytes_sent": member_paths("httpRequest.responseSize"),
    "duration": member_paths("httpRequest.latency"),
    "referer": member_paths("httpRequest.referer"),
    "agent": member_paths("httpRequest.userAgent"),
    "upstream": member_paths("httpRequest.serverIp"),
    "cache": member_paths("httpRequest.cacheHit"),
    "cache_lookup": member_paths("httpRequest.cacheLookup"),
    "response_details": member_paths("jsonPayload.statusDetails"),
    "backend": member_paths("resource.labels.backend_service_name", part=NOT_EMPTY_PART),
    "tls_protocol": member_paths("jsonPayload.tls.protocol"),
    "tls_cipher": member_paths("jsonPayload.tls.cipher"),
    "log": member_paths("logName"),
    "trace": member_paths("trace"),
}

GCP_SAMPLE = b"""\
{"insertId":"1oek5rg3l3fxj7","jsonPayload":{"@type":\
"type.googleapis.com/google.cloud.loadbalancing.type.LoadBalancerLogEntry","statusDetails":"response_sent_by_backend",\
"backendTargetProjectNumber":"projects/123456789012","remoteIp":"192.0.2.7"},"httpRequest":{"requestMethod":"GET",\
"requestUrl":"https://example.com/a/b?c=d","requestSize":"412","status":200,"responseSize":"2326","userAgent":\
"Lynx/2.6","remoteIp":"192.0.2.7:51234","referer":"https://example.com/","serverIp":"192.0.2.20","latency":"0.052317s"},\
"resource":{"type":"http_load_balancer","labels":{"backend_service_name":"web","forwarding_rule_name":"https",\
"project_id":"example","target_proxy_name":"https-proxy","url_map_name":"web-map","zone":"global"}},"timestamp":\
"1996-11-10T13:55:36.123456Z","severity":"INFO","logName":"projects/example/logs/requests","trace":\
"projects/example/traces/0123456789abcdef0123456789abcdef","receiveTimestamp":"1996-11-10T13:55:37.101Z"}
{"insertId":"1oek5rg3l3fxj8","jsonPayload":{"statusDetails":"response_from_cache","remoteIp":"2001:db8::7"},\
"httpRequest":{"requestMethod":"GET","requestUrl":"http://example.com/logo.png","requestSize":"310","status":304,\
"responseSize":"190","userAgent":"Lynx/2.6","remoteIp":"2001:db8::7","cacheLookup":true,"cacheHit":true},"resource":\
{"type":"http_load_balancer","labels":{"backend_service_name":"","project_id":"example"}},"timestamp":\
"1996-11-10T13:55:37Z","severity":"INFO","logName":"projects/example/logs/requests"}
"""

GCP_LOAD_BALANCER = JSONFormat(
    "gcp-load-balancer",
    GCP_MEMBERS,
    title="Google Cloud load balancers",
    notes=(
        "Entries of Cloud Logging with an `httpRequest`; those of Cloud Run and App Engine have one, too. Other "
        "entries are skipped. `cache` is true if the response came from the cache."
    ),
    uris=URI_PREFIXES,
    notations={
        "time": ANY_TIME,
        "client_port": PORT,
        "status": ANY_STATUS,
        "bytes_received": ANY_NUMBER,
        "bytes_sent": ANY_NUMBER,
        "duration": ANY_SECONDS,
    },
    required=("target", "log"),
    message_members=member_paths("logName", "timestamp"),
    sample=GCP_SAMPLE,
    signature='"httpRequest":',
)
