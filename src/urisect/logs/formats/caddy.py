"""Parse the access log of Caddy, which is JSON lines."""

from urisect.logs.formats.json_lines import URI_PREFIXES, JSONFormat, Member, member_paths
from urisect.logs.formats.notation import ANY_NUMBER, ANY_SECONDS, ANY_STATUS, ANY_TIME, PORT

__all__ = ["CADDY"]

# The host and the port of an address such as "192.0.2.7:80" or "[2001:db8::7]:80".
HOST_PART, PORT_PART = r"\[?([^\]]*?)\]?:[0-9]*", r"[\s\S]*:([0-9]+)"

# The access log of Caddy 2, as its documentation shows it (How Logging Works; the log directive). Older versions write
# the address and the port as one text, and no client address given by proxies. An object without a size is a message,
# about a request or about Caddy.
CADDY_MEMBERS = {
    "time": member_paths("ts"),
    "client": (
        *member_paths("request.client_ip", "request.remote_ip"),
        Member(("request", "remote_addr"), HOST_PART),
    ),
    "peer": member_paths("request.remote_ip"),
    "client_port": (*member_paths("request.remote_port"), Member(("request", "remote_addr"), PORT_PART)),
    "user": (Member(("user_id",), r"([\s\S]+)"),),
    "protocol": member_paths("request.proto"),
    "method": member_paths("request.method"),
    "host": member_paths("request.host"),
    "target": member_paths("request.uri"),
    "referer": member_paths("request.headers.Referer"),
    "agent": member_paths("request.headers.User-Agent"),
    "forwarded_for": member_paths("request.headers.X-Forwarded-For"),
    "cookie": member_paths("request.headers.Cookie"),
    "tls_protocol": member_paths("request.tls.version"),
    "tls_cipher": member_paths("request.tls.cipher_suite"),
    "bytes_received": member_paths("bytes_read"),
    "duration": member_paths("duration"),
    "bytes": member_paths("size"),
    "status": member_paths("status"),
    "media_type": member_paths("resp_headers.Content-Type"),
}

CADDY_SAMPLE = b"""\
{"level":"info","ts":847659336.123,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":\
"192.0.2.7","remote_port":"41342","client_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"example.com",\
"uri":"/a/b?c=d","headers":{"User-Agent":["Lynx/2.6"],"Referer":["https://example.com/"]},"tls":{"resumed":false,\
"version":772,"cipher_suite":4865,"proto":"h2","server_name":"example.com"}},"bytes_read":0,"user_id":"","duration":\
0.000929675,"size":2326,"status":200,"resp_headers":{"Server":["Caddy"],"Content-Type":["text/html; charset=utf-8"]}}
{"level":"info","ts":"1996-11-10T20:55:37Z","logger":"http.log.access","msg":"handled request","request":{\
"remote_addr":"[2001:db8::7]:41343","proto":"HTTP/1.1","method":"HEAD","host":"example.com","uri":"/","headers":{}},\
"user_id":"frank","duration":0.0001,"size":0,"status":0,"resp_headers":{}}
"""

CADDY = JSONFormat(
    "caddy",
    CADDY_MEMBERS,
    title="Caddy, JSON",
    notes=(
        "Lines of `http.log.access`. Messages of the server, which have no `request`, or no `size`, as those of "
        "`http.log.error`, are skipped. Members without a column are in `extra`, on request."
    ),
    uris=URI_PREFIXES,
    notations={
        "time": ANY_TIME,
        "client_port": PORT,
        "bytes_received": ANY_NUMBER,
        "duration": ANY_SECONDS,
        "bytes": ANY_NUMBER,
        "status": ANY_STATUS,
    },
    required=("target", "bytes"),
    message_members=member_paths("level", "ts", "msg"),
    sample=CADDY_SAMPLE,
    signature=r'"request":[ ]?\{',
)
