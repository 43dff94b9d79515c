"""nginx's well-known formats: `main` of its packages, and the default of Kubernetes' ingress controller."""

from dataclasses import replace

from urisect.logs.formats.apache import COMBINED, ncsa_signature
from urisect.logs.formats.format import IMPLAUSIBLE
from urisect.logs.formats.layout import FieldKind, RegularForm
from urisect.logs.formats.nginx import nginx
from urisect.logs.formats.plausibility import ADDRESS
from urisect.logs.formats.request import QUOTED_TEXT
from urisect.repetition import zero_or_more

__all__ = ["COLUMN_MEANINGS", "INGRESS_NGINX", "MAIN"]

# A list of addresses, with or without ports, and of what proxies write for an unknown one (RFC 7239, 6.2 and 6.3); or
# any text from a client, and after it the address that the last proxy added.
_NODE = rf"(?:{ADDRESS}(?::[0-9]{{1,5}})?(?=[ ,\x22])|unknown|_[0-9A-Za-z._\-]++)"
_NODES = _NODE + zero_or_more(f"[ ]?,[ ]?{_NODE}") + "(?=\x22)"
_FORWARDED_FOR = rf'(?:{_NODES}|(?=[^"\n]*,[ ]?{_NODE}"){QUOTED_TEXT})'

_MAIN_LINE = (
    rf'{COMBINED.line}[ ]"'
    rf'(?>-(?=")|(?P<forwarded_for>{_FORWARDED_FOR}|(?P<{IMPLAUSIBLE}_forwarded>{QUOTED_TEXT})))"'
)
_FORWARDED_FORM = RegularForm(FieldKind.ADDRESS, pattern=_FORWARDED_FOR)

MAIN = replace(
    COMBINED,
    name="main",
    line=_MAIN_LINE,
    layout=COMBINED.layout and COMBINED.layout.followed_by("forwarded_for", _FORWARDED_FORM, _MAIN_LINE, quote='"'),
    title="nginx's packages: Combined with X-Forwarded-For",
    notes=(
        'The format `main` in the configuration of nginx\'s packages: `combined` and `"$http_x_forwarded_for"`. '
        "Detection demands addresses in it, or a list that ends with one: `ncsa-cookies` looks alike. Name the format "
        "to keep the lines of clients that send anything else in this header."
    ),
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a?b HTTP/1.0" 200 2326 "-" "Lynx/2.6" "198.51.100.7, 203.0.113.7"
192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 0 "http://example.com/" "-" "-"
""",
)

# The format upstreaminfo of the ingress controller; its $req_id is nginx's $request_id.
UPSTREAM_INFO = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
    " $request_length $request_time [$proxy_upstream_name] [$proxy_alternative_upstream_name] $upstream_addr"
    " $upstream_response_length $upstream_response_time $upstream_status $request_id"
)

INGRESS_NGINX = replace(
    nginx(UPSTREAM_INFO, "ingress-nginx"),
    title="Kubernetes' ingress-nginx",
    signature=ncsa_signature(3, r"\] \[[^\]]*\] .*"),
    notes=(
        "The default, `upstreaminfo`. A request that was passed to several servers has lists, such as `upstreams` and "
        "`upstream_durations`, instead of the single values. `$req_id` is in `id`."
    ),
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 +0000] "GET /a/b?c=d HTTP/2.0" 200 2326 "https://example.com/" "Lynx/2.6" 412 \
0.250 [default-web-80] [] 198.51.100.1:8080 2326 0.248 200 0f1e2d3c4b5a69788796a5b4c3d2e1f0
2001:db8::7 - frank [10/Nov/1996:13:55:37 +0000] "HEAD / HTTP/1.1" 200 0 "-" "-" 96 5.012 [default-web-80] [] \
198.51.100.1:8080, 198.51.100.2:8080 0, 0 5.000, 0.012 504, 200 1f1e2d3c4b5a69788796a5b4c3d2e1f0
192.0.2.9 - - [10/Nov/1996:13:55:38 +0000] "GET /none HTTP/1.1" 503 592 "-" "-" 80 0.000 [default-api-80] [] - - - - \
2f1e2d3c4b5a69788796a5b4c3d2e1f0
""",
)

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "proxy_upstream_name": "upstream: namespace, service and port",
    "proxy_alternative_upstream_name": "upstream of a canary; empty if there is none",
    "upstream_sizes": "upstream response sizes, if there are several",
    "upstream_durations": "upstream response times, if there are several",
}
