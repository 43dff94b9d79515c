"""Parse the logs that content delivery networks send as JSON lines: Cloudflare, Fastly and Akamai."""

from urisect.logs.formats.json_lines import (
    KNOWN_PART,
    NOT_EMPTY_PART,
    QUERY_PART,
    URI_PREFIXES,
    JSONFormat,
    member_paths,
)
from urisect.logs.formats.notation import (
    ANY_MICROSECONDS,
    ANY_MILLISECONDS,
    ANY_NUMBER,
    ANY_STATUS,
    ANY_TIME,
    EPOCH_SECONDS,
)

__all__ = ["AKAMAI", "CLOUDFLARE", "COLUMN_MEANINGS", "FASTLY"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "country": "country of the client (ISO 3166-1)",
    "client_network": "number of the network of the client (ASN)",
    "edge": "edge location that served the request",
    "zone": "domain that the request belongs to",
    "action": "what was done with the request, such as ALLOW or BLOCK",
    "end_time": "time of the end of the response",
    "request_bytes": "request body size, in bytes",
    "server_region": "region of the server",
    "service": "ID of the service",
    "log_stream": "ID of the stream of logs",
    "content_code": "code of the content for billing (CP code)",
    "server_country": "country of the server (ISO 3166-1)",
    "processing_duration": "time from the end of the request to the beginning of the response, in seconds",
}

# Logpush: HTTP requests (Cloudflare Logs, Log fields). Times are RFC 3339, or seconds or nanoseconds since 1970.
CLOUDFLARE_MEMBERS = {
    "time": member_paths("EdgeStartTimestamp"),
    "end_time": member_paths("EdgeEndTimestamp"),
    "id": member_paths("RayID"),
    "client": member_paths("ClientIP"),
    "client_port": member_paths("ClientSrcPort"),
    "country": member_paths("ClientCountry"),
    "client_network": member_paths("ClientASN"),
    "method": member_paths("ClientRequestMethod"),
    "scheme": member_paths("ClientRequestScheme"),
    "host": member_paths("ClientRequestHost"),
    "target": member_paths("ClientRequestURI", "ClientRequestPath"),
    "protocol": member_paths("ClientRequestProtocol"),
    "referer": member_paths("ClientRequestReferer", part=NOT_EMPTY_PART),
    "agent": member_paths("ClientRequestUserAgent", part=NOT_EMPTY_PART),
    "status": member_paths("EdgeResponseStatus"),
    "bytes": member_paths("EdgeResponseBodyBytes"),
    "bytes_sent": member_paths("EdgeResponseBytes"),
    "bytes_received": member_paths("ClientRequestBytes"),
    "media_type": member_paths("EdgeResponseContentType", part=NOT_EMPTY_PART),
    "first_byte_duration": member_paths("EdgeTimeToFirstByteMs"),
    "cache": member_paths("CacheCacheStatus"),
    "edge": member_paths("EdgeColoCode"),
    "server_address": member_paths("EdgeServerIP", part=NOT_EMPTY_PART),
    "upstream": member_paths("OriginIP", part=NOT_EMPTY_PART),
    "upstream_status": member_paths("OriginResponseStatus"),
    "upstream_duration": member_paths("OriginResponseDurationMs"),
    "tls_protocol": member_paths("ClientSSLProtocol", part=r"(?!none\Z)([\s\S]+)"),
    "tls_cipher": member_paths("ClientSSLCipher", part=r"(?!NONE\Z)([\s\S]+)"),
    "zone": member_paths("ZoneName"),
    "action": member_paths("SecurityAction", part=NOT_EMPTY_PART),
}

CLOUDFLARE_SAMPLE = b"""\
{"CacheCacheStatus":"hit","ClientASN":64496,"ClientCountry":"us","ClientIP":"192.0.2.7","ClientRequestBytes":412,\
"ClientRequestHost":"example.com","ClientRequestMethod":"GET","ClientRequestPath":"/a/b","ClientRequestProtocol":\
"HTTP/2","ClientRequestReferer":"https://example.com/","ClientRequestScheme":"https","ClientRequestURI":"/a/b?c=d",\
"ClientRequestUserAgent":"Lynx/2.6","ClientSSLCipher":"AEAD-AES128-GCM-SHA256","ClientSSLProtocol":"TLSv1.3",\
"ClientSrcPort":51234,"EdgeColoCode":"LAX","EdgeEndTimestamp":"1996-11-10T13:55:36Z","EdgeResponseBodyBytes":2326,\
"EdgeResponseBytes":2901,"EdgeResponseContentType":"text/html","EdgeResponseStatus":200,"EdgeServerIP":"",\
"EdgeStartTimestamp":"1996-11-10T13:55:36Z","EdgeTimeToFirstByteMs":52,"OriginIP":"","OriginResponseDurationMs":0,\
"OriginResponseStatus":0,"RayID":"0123456789abcdef","SecurityAction":"","ZoneName":"example.com"}
{"ClientIP":"2001:db8::7","ClientRequestHost":"example.com","ClientRequestMethod":"POST","ClientRequestURI":\
"/wp-login.php","EdgeResponseBytes":4521,"EdgeResponseStatus":403,"EdgeStartTimestamp":847634137250000000,"RayID":\
"0123456789abcdf0","SecurityAction":"block"}
"""

CLOUDFLARE = JSONFormat(
    "cloudflare",
    CLOUDFLARE_MEMBERS,
    title="Cloudflare Logpush",
    notes=(
        "The data set `http_requests`, whatever fields are selected. Times are RFC 3339, or seconds or nanoseconds "
        "since 1970. A status of 0 is undefined. Without `ClientRequestURI`, the target is `ClientRequestPath`."
    ),
    uris=URI_PREFIXES,
    notations={
        "time": ANY_TIME,
        "end_time": ANY_TIME,
        "client_port": ANY_NUMBER,
        "client_network": ANY_NUMBER,
        "status": ANY_STATUS,
        "bytes": ANY_NUMBER,
        "bytes_sent": ANY_NUMBER,
        "bytes_received": ANY_NUMBER,
        "first_byte_duration": ANY_MILLISECONDS,
        "upstream_status": ANY_STATUS,
        "upstream_duration": ANY_MILLISECONDS,
    },
    required=("target",),
    sample=CLOUDFLARE_SAMPLE,
    signature='"ClientRequest(?:URI|Path)"',
)

# There is no fixed format. These are the members of the examples in the documentation: "Custom log formats" and the
# pages of the endpoints have the names with "response_"; those of New Relic and Sumo Logic the other ones.
FASTLY_MEMBERS = {
    "time": member_paths("timestamp", "time_start"),
    "client": member_paths("client_ip"),
    "country": member_paths("geo_country_code", "geo_country"),
    "method": member_paths("request_method", "request"),
    "host": member_paths("host"),
    "target": member_paths("url"),
    "protocol": member_paths("request_protocol", "protocol"),
    "referer": member_paths("request_referer", part=KNOWN_PART),
    "agent": member_paths("request_user_agent", part=KNOWN_PART),
    "status": member_paths("response_status", "status"),
    "bytes": member_paths("response_body_size", "resp_body_size"),
    "request_bytes": member_paths("req_body_size"),
    "media_type": member_paths("content_type", part=KNOWN_PART),
    "duration": member_paths("time_elapsed"),
    "cache": member_paths("response_state", "cache_status", part=KNOWN_PART),
    "server": member_paths("fastly_server", "server_datacenter", part=KNOWN_PART),
    "server_region": member_paths("server_region", "geo_region", part=KNOWN_PART),
    "tls_protocol": member_paths("tls_client_protocol", part=KNOWN_PART),
    "tls_cipher": member_paths("tls_client_cipher", part=KNOWN_PART),
    "service": member_paths("service_id"),
}

FASTLY_SAMPLE = b"""\
{"timestamp":"1996-11-10T13:55:36+0000","client_ip":"192.0.2.7","geo_country":"united states","geo_city":"example",\
"host":"example.com","url":"/a/b?c=d","request_method":"GET","request_protocol":"HTTP/1.1","request_referer":\
"https://example.com/","request_user_agent":"Lynx/2.6","response_state":"HIT-CLUSTER","response_status":200,\
"response_reason":"OK","response_body_size":2326,"fastly_server":"cache-lax1000001-LAX","fastly_is_edge":true}
{"service_id":"0123456789abcdefABCDEF","time_start":"1996-11-10T13:55:37","time_elapsed":"52000","is_tls":"true",\
"client_ip":"2001:db8::7","geo_country_code":"US","request":"GET","host":"example.com","url":"/old","request_referer":\
"","request_user_agent":"Lynx/2.6","status":"404","cache_status":"MISS"}
"""

FASTLY = JSONFormat(
    "fastly",
    FASTLY_MEMBERS,
    title="Fastly, JSON",
    notes=(
        "Fastly has no fixed format: these are the members of the examples in its documentation. For others, use "
        "`json:`. `time_elapsed` is in microseconds."
    ),
    uris=URI_PREFIXES,
    notations={
        "time": ANY_TIME,
        "status": ANY_STATUS,
        "bytes": ANY_NUMBER,
        "request_bytes": ANY_NUMBER,
        "duration": ANY_MICROSECONDS,
    },
    required=("target", "client"),
    marks=member_paths("fastly_server", "fastly_is_edge", "is_tls"),
    sample=FASTLY_SAMPLE,
    signature='"(?:fastly_server|fastly_is_edge|is_tls)"',
)

# DataStream 2: Data set parameters, the JSON keys. Durations are in milliseconds.
AKAMAI_MEMBERS = {
    "time": member_paths("reqTimeSec"),
    "id": member_paths("reqId"),
    "client": member_paths("cliIP"),
    "country": member_paths("country", part=KNOWN_PART),
    "client_network": member_paths("asn", part=KNOWN_PART),
    "method": member_paths("reqMethod"),
    "scheme": member_paths("proto"),
    "host": member_paths("reqHost"),
    "server_port": member_paths("reqPort"),
    "target_path": member_paths("reqPath"),
    "target_query": member_paths("queryStr", part=rf"(?!-\Z){QUERY_PART}"),
    "referer": member_paths("referer", part=KNOWN_PART),
    "agent": member_paths("UA", part=KNOWN_PART),
    "cookie": member_paths("cookie", part=KNOWN_PART),
    "forwarded_for": member_paths("xForwardedFor", part=KNOWN_PART),
    "status": member_paths("statusCode"),
    "bytes": member_paths("bytes"),
    "bytes_sent": member_paths("totalBytes"),
    "media_type": member_paths("rspContentType", part=KNOWN_PART),
    "duration": member_paths("transferTimeMSec"),
    "processing_duration": member_paths("turnAroundTimeMSec"),
    "error": member_paths("errorCode", part=KNOWN_PART),
    "cache": member_paths("cacheStatus", part=KNOWN_PART),
    "server_address": member_paths("edgeIP", part=KNOWN_PART),
    "server_country": member_paths("serverCountry", part=KNOWN_PART),
    "tls_protocol": member_paths("tlsVersion", part=KNOWN_PART),
    "content_code": member_paths("cp"),
    "log_stream": member_paths("streamId"),
}

AKAMAI_SAMPLE = b"""\
{"version":1,"streamId":"12345","cp":"123456","reqId":"1239f220","reqTimeSec":"847634136.123","bytes":"2326","cliIP":\
"192.0.2.7","statusCode":"200","proto":"HTTPS","reqHost":"example.com","reqMethod":"GET","reqPath":"/a/b","reqPort":\
"443","queryStr":"c=d","rspContentLen":"2326","rspContentType":"text/html","UA":"Mozilla/2.0%20(compatible)",\
"tlsVersion":"TLSv1.3","totalBytes":"2901","referer":"https://example.com/","xForwardedFor":"-","transferTimeMSec":"52",\
"turnAroundTimeMSec":"11","country":"US","cacheStatus":"1","edgeIP":"198.51.100.1"}
{"version":1,"cp":"123456","reqId":"1239f221","reqTimeSec":"847634137","bytes":"0","cliIP":"2001:db8::7","statusCode":\
"403","proto":"HTTP","reqHost":"example.com","reqMethod":"GET","reqPath":"/old","reqPort":"80","UA":"Lynx/2.6",\
"errorCode":"ERR_ACCESS_DENIED|fwd_acl","cacheStatus":"0"}
"""

AKAMAI = JSONFormat(
    "akamai",
    AKAMAI_MEMBERS,
    title="Akamai DataStream 2, JSON",
    notes=(
        "The log format JSON, whatever fields are selected. Percent-escapes that Akamai adds, as in the agent, are not "
        "decoded."
    ),
    uris=URI_PREFIXES,
    notations={
        "time": EPOCH_SECONDS,
        "client_network": ANY_NUMBER,
        "server_port": ANY_NUMBER,
        "status": ANY_STATUS,
        "bytes": ANY_NUMBER,
        "bytes_sent": ANY_NUMBER,
        "duration": ANY_MILLISECONDS,
        "processing_duration": ANY_MILLISECONDS,
    },
    required=("target_path", "status"),
    marks=member_paths("reqTimeSec", "cliIP", "reqId"),
    sample=AKAMAI_SAMPLE,
    signature='"reqPath"',
)
