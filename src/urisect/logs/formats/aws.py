"""The access logs of Amazon's services: load balancers, CloudFront and S3.

The sources are the pages of the user guides: "Access logs for your Application Load Balancer", "Access logs for your
Classic Load Balancer", "Standard logging reference" (CloudFront), "Amazon S3 server access log format".

Fields have been added to the ends of lines over the years, and will be. So a line may lack the last ones, and all that
stands behind the last one that is known, or that is as it should be, is one column, `more`.
"""

from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.notation import (
    DECIMAL,
    ISO_TIME,
    LOG_TIME,
    MILLISECONDS,
    NUMBER,
    PORT,
    SECONDS,
    STATUS,
)
from urisect.logs.formats.request import AGENT, BOM, METHOD, PROTOCOL, QUOTED, REFERER, TARGET, valued
from urisect.logs.formats.w3c import FIELDS, TIME, Field, W3CFormat
from urisect.repetition import unrolled_loop

__all__ = ["ALB", "CLOUDFRONT", "CLOUDFRONT_FIELDS", "ELB", "MEANINGS", "S3"]


def _bare(name: str) -> str:
    """Write a value without spaces; "-" is none."""
    return rf"(?>-(?![^ \n])|(?P<{name}>[^ \n]++))"


def _quoted(name: str) -> str:
    """Write a value in quotes; "-" is none."""
    return rf'"(?>-"|(?P<{name}>{QUOTED})")'


def _either(name: str) -> str:
    """Write a value without spaces, in quotes or not; "-" is none."""
    return rf'"?+(?>-(?![^" \n])|(?P<{name}>[^" \n]++))"?+'


def _duration(name: str) -> str:
    """Write a duration in seconds; "-1" is none."""
    return rf"(?>-[0-9.]*+|(?P<{name}>{DECIMAL}))"


def _as_far_as(*fields: str) -> str:
    """Write fields of which a line may lack the last ones, and what may come behind them."""
    known = ""
    for value in reversed(fields):
        known = rf"(?>[ ]{value}(?=[ \n]|\Z){known}|)"
    return known + r"[ ]*+(?>(?<=[ ])(?P<more>[^\n]++)|)"


# "GET http://example.com:80/path?query HTTP/1.1". Where there was no request, the method, and the protocol, is "-",
# and where a listener is none of HTTP, all three are.
REQUEST = (
    rf'"(?>-(?:[ ]-[ ]-[ ]?)?"'
    rf'|(?!-[ ]){METHOD}[ ]{TARGET}(?>[ ](?P<protocol>{PROTOCOL})|)"'
    rf'|(?P<request>{QUOTED})")'
)

# client:port: an address of IPv6 may have its brackets, or not
_PORT_FOLLOWS = "[0-9]{1,5}[ ]"
_ADDRESS = rf"(?![ \x5b\x5d\n]|:{_PORT_FOLLOWS}|\Z)" + unrolled_loop(r"[^ :\x5b\x5d\n]", rf":(?!{_PORT_FOLLOWS})")
CLIENT = (
    rf"(?:-(?![^ \n])|\[?+(?P<client>{_ADDRESS})\]?+"
    rf"(?>:(?P<client_port>{PORT.pattern})|))"
)

# The fields that both load balancers have, from client:port to "user_agent".
BALANCED = "[ ]".join(
    (
        CLIENT,
        _bare("upstream"),
        _duration("request_duration"),
        _duration("upstream_duration"),
        _duration("response_duration"),
        valued("status", STATUS),
        valued("upstream_status", STATUS),
    )
)

# The fields are: timestamp elb client:port backend:port request_processing_time backend_processing_time
# response_processing_time elb_status_code backend_status_code received_bytes sent_bytes "request" "user_agent"
# ssl_cipher ssl_protocol; at first there was none behind the request.
ELB_LINE = (
    rf"{BOM}(?P<time>{ISO_TIME.pattern})[ ]{_bare('elb')}[ ]{BALANCED}"
    rf"[ ]{valued('request_bytes', NUMBER)}[ ]{valued('bytes', NUMBER)}[ ]{REQUEST}"
    + _as_far_as(AGENT, _bare("tls_cipher"), _bare("tls_protocol"))
)

# The fields are: type time elb client:port target:port request_processing_time target_processing_time
# response_processing_time elb_status_code target_status_code received_bytes sent_bytes "request" "user_agent"
# ssl_cipher ssl_protocol target_group_arn "trace_id" "domain_name" "chosen_cert_arn" matched_rule_priority
# request_creation_time "actions_executed" "redirect_url" "error_reason" "target:port_list" "target_status_code_list"
# "classification" "classification_reason" conn_trace_id "transformed_host" "transformed_uri"
# "request_transform_status"; at first there was none behind ssl_protocol.
ALB_LINE = (
    rf"{BOM}{_bare('type')}[ ](?P<time>{ISO_TIME.pattern})[ ]{_bare('elb')}[ ]{BALANCED}"
    rf"[ ]{valued('bytes_received', NUMBER)}[ ]{valued('bytes_sent', NUMBER)}"
    rf"[ ]{REQUEST}[ ]{AGENT}[ ]{_bare('tls_cipher')}[ ]{_bare('tls_protocol')}"
    + _as_far_as(
        _bare("upstream_group"),
        _quoted("id"),
        _quoted("tls_host"),
        _quoted("certificate"),
        _bare("rule"),
        valued("request_created", ISO_TIME),
        _quoted("actions"),
        _quoted("redirect"),
        _quoted("error"),
        _quoted("upstreams"),
        _quoted("upstream_statuses"),
        _quoted("classification"),
        _quoted("classification_reason"),
        _bare("connection"),
        _either("transformed_host"),
        _either("transformed_uri"),
        _either("transformation"),
    )
)

# The fields are: Bucket Owner, Bucket, Time, Remote IP, Requester, Request ID, Operation, Key, Request-URI, HTTP
# status, Error Code, Bytes Sent, Object Size, Total Time, Turn-Around Time, Referer, User-Agent, Version Id, Host Id,
# Signature Version, Cipher Suite, Authentication Type, Host Header, TLS version, Access Point ARN, aclRequired, Source
# region; at first there was none behind Version Id.
S3_LINE = (
    rf"{BOM}{_bare('bucket_owner')}[ ]{_bare('bucket')}[ ]\[(?P<time>{LOG_TIME.pattern})\]"
    rf"[ ]{_bare('client')}[ ]{_bare('user')}[ ]{_bare('id')}[ ]{_bare('operation')}[ ]{_bare('key')}"
    rf"[ ](?:-|{REQUEST})[ ]{valued('status', STATUS)}[ ]{_bare('error')}"
    rf"[ ]{valued('bytes', NUMBER)}[ ]{valued('object_size', NUMBER)}"
    rf"[ ]{valued('duration', MILLISECONDS)}[ ]{valued('processing_duration', MILLISECONDS)}"
    rf"[ ](?:-|{REFERER})[ ](?:-|{AGENT})"
    + _as_far_as(
        _bare("version"),
        _bare("host_id"),
        _bare("signature_version"),
        _bare("tls_cipher"),
        _bare("authentication"),
        _bare("host"),
        _bare("tls_protocol"),
        _bare("access_point"),
        _bare("acl_required"),
        _bare("source_region"),
    )
)

BALANCER_NOTATIONS = {
    "time": ISO_TIME,
    "client_port": PORT,
    "request_duration": SECONDS,
    "upstream_duration": SECONDS,
    "response_duration": SECONDS,
    "status": STATUS,
    "upstream_status": STATUS,
}

ALB_SAMPLE = b"""\
https 1996-11-10T13:55:36.186641Z app/shop/50dc6c495c0c9188 192.0.2.7:2817 198.51.100.1:80 0.086 0.048 0.037 200 200 \
34 366 "GET https://www.example.com:443/a/b?c=d HTTP/2.0" "Lynx/2.6" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 \
arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/shop/73e2d6bc24d8a067 \
"Root=1-58337281-1d84f3d73c47ec4e58577259" "www.example.com" \
"arn:aws:acm:us-east-2:123456789012:certificate/12345678-1234-1234-1234-123456789012" 1 1996-11-10T13:55:36.100000Z \
"authenticate,forward" "-" "-" "198.51.100.1:80" "200" "-" "-" TID_1234abcd5678ef90 "-" "-" "-"
http 1996-11-10T13:55:37.000000Z app/shop/50dc6c495c0c9188 2001:db8::7:2818 - -1 -1 -1 400 - 0 272 \
"- http://www.example.com:80- " "-" - - - "-" "-" "-" - 1996-11-10T13:55:36.999000Z "-" "-" "-" "-" "-" "-" "-"
"""
ELB_SAMPLE = b"""\
1996-11-10T13:55:36.945958Z shop 192.0.2.7:2817 198.51.100.1:80 0.000073 0.001048 0.000057 200 200 0 29 \
"GET http://www.example.com:80/a/b?c=d HTTP/1.1" "Lynx/2.6" - -
1996-11-10T13:55:37.945958Z shop 192.0.2.8:2818 198.51.100.1:80 0.001065 0.000015 0.000023 - - 57 502 "- - - " "-" \
ECDHE-ECDSA-AES128-GCM-SHA256 TLSv1.2
"""
S3_SAMPLE = b"""\
79a59df900b949e55d96a1e698fbaced example-bucket [10/Nov/1996:13:55:36 +0000] 192.0.2.7 \
arn:aws:iam::123456789012:user/frank 3E57427F3EXAMPLE REST.GET.OBJECT a/b.txt "GET /a/b.txt?versionId=3HL4 HTTP/1.1" \
200 - 2326 2326 41 28 "https://www.example.com/" "Lynx/2.6" 3HL4 s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5= \
SigV4 ECDHE-RSA-AES128-GCM-SHA256 AuthHeader example-bucket.s3.us-west-1.example.com TLSv1.2 - - us-east-1
79a59df900b949e55d96a1e698fbaced example-bucket [10/Nov/1996:13:55:37 +0000] - - 891CE47D2EXAMPLE S3.EXPIRE.OBJECT \
a/b.txt "-" - - - 2326 - - "-" "-" -
"""

ALB = PatternFormat(
    "alb",
    ALB_LINE,
    title="AWS Application Load Balancer",
    uris=("target_",),
    notations=BALANCER_NOTATIONS | {"bytes_received": NUMBER, "bytes_sent": NUMBER, "request_created": ISO_TIME},
    sample=ALB_SAMPLE,
)
ELB = PatternFormat(
    "elb",
    ELB_LINE,
    title="AWS Classic Load Balancer",
    uris=("target_",),
    notations=BALANCER_NOTATIONS | {"request_bytes": NUMBER, "bytes": NUMBER},
    sample=ELB_SAMPLE,
)
S3 = PatternFormat(
    "s3",
    S3_LINE,
    title="Amazon S3 server access log",
    uris=("target_", "referer_"),
    notations={
        "time": LOG_TIME,
        "status": STATUS,
        "bytes": NUMBER,
        "object_size": NUMBER,
        "duration": MILLISECONDS,
        "processing_duration": MILLISECONDS,
    },
    sample=S3_SAMPLE,
)

# The 33 fields of a standard log. Versions of a log that have others have them as `extra`.
CLOUDFRONT_FIELDS: dict[str, Field] = {
    "date": FIELDS["date"],
    "time": FIELDS["time"],
    "x-edge-location": Field("edge", "the place that served the request"),
    "sc-bytes": Field("bytes_sent"),
    "c-ip": Field("client"),
    "cs-method": Field("method"),
    "cs(Host)": Field("distribution", "the domain name of the distribution"),
    "cs-uri-stem": Field("target_path"),
    "cs-uri-query": Field("target_query"),
    "sc-status": Field("status"),
    "cs(Referer)": Field("referer_"),
    "cs(User-Agent)": Field("agent"),
    "cs(Cookie)": Field("cookie"),
    "x-edge-result-type": Field("cache"),
    "x-edge-request-id": Field("id"),
    "x-host-header": Field("host"),
    "cs-protocol": Field("scheme"),
    "cs-bytes": Field("bytes_received"),
    "time-taken": Field("duration"),
    "x-forwarded-for": Field("forwarded_for"),
    "ssl-protocol": Field("tls_protocol"),
    "ssl-cipher": Field("tls_cipher"),
    "x-edge-response-result-type": Field("response_result", "what `cache` was to be before the response was sent"),
    "cs-protocol-version": Field("protocol"),
    "fle-status": Field("encryption", "what became of fields that were to be encrypted"),
    "fle-encrypted-fields": Field("encrypted_fields", "how many fields were encrypted"),
    "c-port": Field("client_port"),
    "time-to-first-byte": Field("first_byte_duration"),
    "x-edge-detailed-result-type": Field("detailed_result", "what `cache` is, or which error it is"),
    "sc-content-type": Field("media_type"),
    "sc-content-len": Field("content_length", "the Content-Length field of the response"),
    "sc-range-start": Field("range_start", "the first byte of the range that the response has"),
    "sc-range-end": Field("range_end", "the last byte of the range that the response has"),
}

CLOUDFRONT_SAMPLE = b"""\
#Version: 1.0
#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) \
cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken \
x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version fle-status \
fle-encrypted-fields c-port time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len \
sc-range-start sc-range-end
1996-11-10\t13:55:36\tLAX1\t2390282\t192.0.2.7\tGET\td111111abcdef8.example.net\t/a/b\t200\thttps://www.example.com/\t\
Mozilla/2.0%20(compatible)\tc=d\t-\tHit\tSOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ==\twww.example.com\thttps\t\
23\t0.082\t-\tTLSv1.3\tTLS_AES_128_GCM_SHA256\tHit\tHTTP/2.0\t-\t-\t11040\t0.001\tHit\ttext/html\t78\t-\t-
1996-11-10\t13:55:37\tLAX1\t0\t2001:db8::7\tGET\td111111abcdef8.example.net\t/\t000\t-\tLynx/2.6\t-\t-\tError\t\
k6WGMNkEzR5BEM_SaF47gjtX9zBDO2m349OY2an0QPEaUum1ZOLrow==\td111111abcdef8.example.net\thttp\t23\t0.000\t-\t-\t-\tError\t\
HTTP/1.1\t-\t-\t11041\t0.000\tClientCommError\t-\t-\t-\t-
"""

CLOUDFRONT = W3CFormat(
    "cloudfront",
    title="Amazon CloudFront standard log",
    known=CLOUDFRONT_FIELDS,
    mark="x-edge-",
    uris=("target_", "referer_"),
    notations={
        "time": TIME,
        "bytes_sent": NUMBER,
        "bytes_received": NUMBER,
        "status": STATUS,
        "duration": SECONDS,
        "client_port": PORT,
        "encrypted_fields": NUMBER,
        "first_byte_duration": SECONDS,
        "content_length": NUMBER,
        "range_start": NUMBER,
        "range_end": NUMBER,
    },
    sample=CLOUDFRONT_SAMPLE,
)

# What the columns mean that are none of `COLUMNS`.
MEANINGS: dict[str, str] = {
    "type": "the protocol of the listener: http, https, h2, grpcs, ws, wss",
    "elb": "the load balancer",
    "request_duration": "how long it took to pass the request on, in seconds",
    "response_duration": "how long it took to begin to pass the response on, in seconds",
    "request_bytes": "the size of the request's content, without its header fields, in bytes",
    "upstream_group": "the group of servers that the request was for",
    "tls_host": "the host name that the client asked for in the handshake of TLS",
    "certificate": "the certificate that the client was given",
    "rule": "the priority of the rule that fitted, 0 for the default, -1 for an error",
    "request_created": "when the request was received",
    "actions": "what was done with the request, a list",
    "redirect": "where the client was sent to",
    "classification": "what is wrong with the request as a message: Acceptable, Ambiguous, Severe",
    "classification_reason": "why it is classified so",
    "transformed_host": "the host of the request after a transformation",
    "transformed_uri": "the target of the request after a transformation",
    "transformation": "what became of a transformation",
    "bucket_owner": "who owns the bucket",
    "bucket": "the bucket that the request was for",
    "operation": "what was done, as REST.GET.OBJECT",
    "key": "the key of the object",
    "object_size": "the size of the object, in bytes",
    "processing_duration": "how long it took from the end of the request to the beginning of the response, in seconds",
    "version": "the version of the object that was asked for",
    "host_id": "what identifies the request, beside its id",
    "signature_version": "the version of the signature: SigV2 or SigV4",
    "authentication": "where the signature was: AuthHeader or QueryString",
    "access_point": "the access point that the request came by",
    "acl_required": "whether the request needed an access control list",
    "source_region": "the region that the request came from",
    "more": "what the line has behind the fields that are known",
    **{known.column: known.meaning for known in CLOUDFRONT_FIELDS.values() if known.meaning},
}
