"""Parse the access log of Traefik in JSON."""

from urisect.logs.formats.json_lines import KNOWN_PART, URI_PREFIXES, JSONFormat, member_paths
from urisect.logs.formats.notation import ANY_NANOSECONDS, ANY_NUMBER, ANY_STATUS, ANY_TIME

__all__ = ["COLUMN_MEANINGS", "TRAEFIK_JSON"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "entry_point": "entry point of the request",
    "route": "name of the route",
    "backend": "backend that the request was passed to",
    "retries": "number of retries to connect to the upstream server",
    "request_bytes": "request body size, in bytes",
}

# The fields of the access log, as the documentation lists them (Logs and Access Logs: Available Fields). Headers are
# in it if the configuration keeps them: request_User-Agent, or, as the configuration writes it, request_user-agent.
TRAEFIK_MEMBERS = {
    "time": member_paths("StartUTC", "StartLocal", "time"),
    "client": member_paths("ClientHost"),
    "client_port": member_paths("ClientPort", part=r"([0-9]+)"),
    "user": member_paths("ClientUsername", part=KNOWN_PART),
    "method": member_paths("RequestMethod"),
    "target": member_paths("RequestPath"),
    "protocol": member_paths("RequestProtocol"),
    "scheme": member_paths("RequestScheme"),
    "host": member_paths("RequestAddr"),
    "status": member_paths("DownstreamStatus"),
    "bytes": member_paths("DownstreamContentSize"),
    "request_bytes": member_paths("RequestContentSize"),
    "duration": member_paths("Duration"),
    "upstream": member_paths("ServiceAddr"),
    "upstream_status": member_paths("OriginStatus"),
    "upstream_size": member_paths("OriginContentSize"),
    "upstream_duration": member_paths("OriginDuration"),
    "referer": member_paths("request_Referer", "request_referer"),
    "agent": member_paths("request_User-Agent", "request_user-agent"),
    "forwarded_for": member_paths("request_X-Forwarded-For", "request_x-forwarded-for"),
    "media_type": member_paths("downstream_Content-Type", "downstream_content-type"),
    "tls_protocol": member_paths("TLSVersion"),
    "tls_cipher": member_paths("TLSCipher"),
    "entry_point": member_paths("entryPointName"),
    "route": member_paths("RouterName"),
    "backend": member_paths("ServiceName"),
    "retries": member_paths("RetryAttempts"),
}

TRAEFIK_SAMPLE = b"""\
{"ClientAddr":"192.0.2.7:51234","ClientHost":"192.0.2.7","ClientPort":"51234","ClientUsername":"-",\
"DownstreamContentSize":2326,"DownstreamStatus":200,"Duration":52000000,"OriginContentSize":2326,\
"OriginDuration":51500000,"OriginStatus":200,"Overhead":500000,"RequestAddr":"example.com","RequestContentSize":0,\
"RequestCount":1,"RequestHost":"example.com","RequestMethod":"GET","RequestPath":"/a/b?c=d","RequestPort":"-",\
"RequestProtocol":"HTTP/2.0","RequestScheme":"https","RetryAttempts":0,"RouterName":"web@docker","ServiceAddr":\
"192.0.2.20:8080","ServiceName":"web@docker","ServiceURL":"http://192.0.2.20:8080","StartLocal":\
"1996-11-10T13:55:36.123456789Z","StartUTC":"1996-11-10T13:55:36.123456789Z","TLSCipher":"TLS_AES_128_GCM_SHA256",\
"TLSVersion":"1.3","entryPointName":"websecure","level":"info","msg":"","request_Referer":"https://example.com/",\
"request_User-Agent":"Lynx/2.6","time":"1996-11-10T13:55:36Z"}
{"ClientAddr":"[2001:db8::7]:51235","ClientHost":"2001:db8::7","ClientPort":"51235","ClientUsername":"frank",\
"DownstreamContentSize":19,"DownstreamStatus":404,"Duration":84000,"OriginContentSize":0,"OriginDuration":0,\
"OriginStatus":0,"Overhead":84000,"RequestAddr":"example.com","RequestContentSize":0,"RequestCount":2,"RequestHost":\
"example.com","RequestMethod":"GET","RequestPath":"/old","RequestPort":"-","RequestProtocol":"HTTP/1.1",\
"RequestScheme":"http","RetryAttempts":0,"StartLocal":"1996-11-10T13:55:37Z","StartUTC":"1996-11-10T13:55:37Z",\
"entryPointName":"web","level":"info","msg":"","time":"1996-11-10T13:55:37Z"}
"""

TRAEFIK_JSON = JSONFormat(
    "traefik-json",
    TRAEFIK_MEMBERS,
    title="Traefik, JSON",
    notes=(
        "The access log with `format: json`. The headers of the request are there if the configuration keeps them. "
        "Members without a column are in `extra`, on request."
    ),
    uris=URI_PREFIXES,
    notations={
        "time": ANY_TIME,
        "client_port": ANY_NUMBER,
        "status": ANY_STATUS,
        "bytes": ANY_NUMBER,
        "request_bytes": ANY_NUMBER,
        "duration": ANY_NANOSECONDS,
        "upstream_status": ANY_STATUS,
        "upstream_size": ANY_NUMBER,
        "upstream_duration": ANY_NANOSECONDS,
        "retries": ANY_NUMBER,
    },
    required=("target",),
    marks=member_paths("DownstreamStatus", "RouterName", "entryPointName"),
    message_members=member_paths("level", "time", "msg"),
    sample=TRAEFIK_SAMPLE,
    signature='"RequestPath"',
)
