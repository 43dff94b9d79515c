"""Parse the access logs of Amazon's services: load balancers, CloudFront and S3.

The sources are the pages of the user guides: "Access logs for your Application Load Balancer", "Access logs for your
Classic Load Balancer", "Standard logging reference" (CloudFront), "Amazon S3 server access log format".

Amazon keeps adding fields at the ends of lines. So the last fields of a line are optional, and the text after the last
known and valid field is one column, `more`.
"""

from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.notation import (
    DECIMAL_PATTERN,
    ISO_TIME,
    LOG_TIME,
    MILLISECONDS,
    NUMBER,
    PORT,
    SECONDS,
    STATUS,
)
from urisect.logs.formats.request import (
    METHOD_PATTERN,
    OPTIONAL_BOM,
    PROTOCOL_PATTERN,
    QUOTED_AGENT,
    QUOTED_REFERER,
    QUOTED_TARGET,
    QUOTED_TEXT,
    optional_value,
)
from urisect.logs.formats.w3c import W3C_FIELDS, W3C_TIME, W3CField, W3CFormat
from urisect.repetition import unrolled_loop

__all__ = ["ALB", "CLOUDFRONT", "COLUMN_MEANINGS", "ELB", "S3"]


def _bare(name: str) -> str:
    """Return the source of a value without spaces; "-" means none."""
    return rf"(?>-(?![^ \n])|(?P<{name}>[^ \n]++))"


def _plausible(name: str, plausible: str) -> str:
    """Return the source of a value without spaces; another one than plausible is marked as implausible."""
    return rf"(?>-(?![^ \n])|(?P<{name}>{plausible}(?=[ ])|(?P<implausible_{name}>[^ \n]++)))"


def _quoted(name: str) -> str:
    """Return the source of a quoted value; "-" means none."""
    return rf'"(?>-"|(?P<{name}>{QUOTED_TEXT})")'


def _either(name: str) -> str:
    """Return the source of a value without spaces, quoted or not; "-" means none."""
    return rf'"?+(?>-(?![^" \n])|(?P<{name}>[^" \n]++))"?+'


def _duration(name: str) -> str:
    """Return the source of a duration in seconds; "-1" means none."""
    return rf"(?>-[0-9.]*+|(?P<{name}>{DECIMAL_PATTERN}))"


def _optional_fields(*fields: str) -> str:
    """Return the source of fields, the last of which may be missing, and of the text after them."""
    known = ""
    for value in reversed(fields):
        known = rf"(?>[ ]{value}(?=[ \n]|\Z){known}|)"
    return known + r"[ ]*+(?>(?<=[ ])(?P<more>[^\n]++)|)"


# "GET http://example.com:80/path?query HTTP/1.1". Without a request, the method and the protocol are "-"; for a
# listener that does not speak HTTP, all three are.
AWS_REQUEST = (
    rf'"(?>-(?:[ ]-[ ]-[ ]?)?"'
    rf'|(?!-[ ]){METHOD_PATTERN}[ ]{QUOTED_TARGET}(?>[ ](?P<protocol>{PROTOCOL_PATTERN})|)"'
    rf'|(?P<request>{QUOTED_TEXT})")'
)

# What stands first in a line. Before any other text, the rest would be another line with that text in its first column.
LISTENER_TYPE = "(?:https?|h[23]|grpcs?|wss?|tls)"
OWNER = r"[0-9A-Za-z_$\-]++"

# client:port; an IPv6 address may be in brackets
_PORT_FOLLOWS = "[0-9]{1,5}[ ]"
_ADDRESS = rf"(?![ \x5b\x5d\n]|:{_PORT_FOLLOWS}|\Z)" + unrolled_loop(r"[^ :\x5b\x5d\n]", rf":(?!{_PORT_FOLLOWS})")
CLIENT_AND_PORT = (
    rf"(?:-(?![^ \n])|\[?+(?P<client>{_ADDRESS})\]?+"
    rf"(?>:(?P<client_port>{PORT.pattern})|))"
)

# The fields of both load balancers from client:port to the status codes.
BALANCER_FIELDS = "[ ]".join(
    (
        CLIENT_AND_PORT,
        _bare("upstream"),
        _duration("request_duration"),
        _duration("upstream_duration"),
        _duration("response_duration"),
        optional_value("status", STATUS),
        optional_value("upstream_status", STATUS),
    )
)

# The fields are: timestamp elb client:port backend:port request_processing_time backend_processing_time
# response_processing_time elb_status_code backend_status_code received_bytes sent_bytes "request" "user_agent"
# ssl_cipher ssl_protocol; the first version ended with the request.
ELB_LINE = (
    rf"{OPTIONAL_BOM}(?P<time>{ISO_TIME.pattern})[ ]{_bare('elb')}[ ]{BALANCER_FIELDS}"
    rf"[ ]{optional_value('request_bytes', NUMBER)}[ ]{optional_value('bytes', NUMBER)}[ ]{AWS_REQUEST}"
    + _optional_fields(QUOTED_AGENT, _bare("tls_cipher"), _bare("tls_protocol"))
)

# The fields are: type time elb client:port target:port request_processing_time target_processing_time
# response_processing_time elb_status_code target_status_code received_bytes sent_bytes "request" "user_agent"
# ssl_cipher ssl_protocol target_group_arn "trace_id" "domain_name" "chosen_cert_arn" matched_rule_priority
# request_creation_time "actions_executed" "redirect_url" "error_reason" "target:port_list" "target_status_code_list"
# "classification" "classification_reason" conn_trace_id "transformed_host" "transformed_uri"
# "request_transform_status"; the first version ended with ssl_protocol.
ALB_LINE = (
    rf"{OPTIONAL_BOM}{_plausible('type', LISTENER_TYPE)}[ ](?P<time>{ISO_TIME.pattern})[ ]{_bare('elb')}[ ]{BALANCER_FIELDS}"
    rf"[ ]{optional_value('bytes_received', NUMBER)}[ ]{optional_value('bytes_sent', NUMBER)}"
    rf"[ ]{AWS_REQUEST}[ ]{QUOTED_AGENT}[ ]{_bare('tls_cipher')}[ ]{_bare('tls_protocol')}"
    + _optional_fields(
        _bare("upstream_group"),
        _quoted("id"),
        _quoted("tls_host"),
        _quoted("certificate"),
        _bare("rule"),
        optional_value("request_created", ISO_TIME),
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
# region; the first version ended with Version Id.
S3_LINE = (
    rf"{OPTIONAL_BOM}{_plausible('bucket_owner', OWNER)}[ ]{_bare('bucket')}[ ]\[(?P<time>{LOG_TIME.pattern})\]"
    rf"[ ]{_bare('client')}[ ]{_bare('user')}[ ]{_bare('id')}[ ]{_bare('operation')}[ ]{_bare('key')}"
    rf"[ ](?:-|{AWS_REQUEST})[ ]{optional_value('status', STATUS)}[ ]{_bare('error')}"
    rf"[ ]{optional_value('bytes', NUMBER)}[ ]{optional_value('object_size', NUMBER)}"
    rf"[ ]{optional_value('duration', MILLISECONDS)}[ ]{optional_value('processing_duration', MILLISECONDS)}"
    rf"[ ](?:-|{QUOTED_REFERER})[ ](?:-|{QUOTED_AGENT})"
    + _optional_fields(
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
    notes="Fields that newer versions add at the end are in `more`. A duration of −1 is undefined.",
    uris=("target_",),
    notations=BALANCER_NOTATIONS | {"bytes_received": NUMBER, "bytes_sent": NUMBER, "request_created": ISO_TIME},
    sample=ALB_SAMPLE,
)
ELB = PatternFormat(
    "elb",
    ELB_LINE,
    title="AWS Classic Load Balancer",
    notes="Early logs lack the last three fields.",
    uris=("target_",),
    notations=BALANCER_NOTATIONS | {"request_bytes": NUMBER, "bytes": NUMBER},
    sample=ELB_SAMPLE,
)
S3 = PatternFormat(
    "s3",
    S3_LINE,
    title="Amazon S3 server access log",
    notes="Older lines are shorter; fields that newer versions add at the end are in `more`.",
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

# The 33 fields of a standard log. Other fields are in `extra`.
CLOUDFRONT_FIELDS: dict[str, W3CField] = {
    "date": W3C_FIELDS["date"],
    "time": W3C_FIELDS["time"],
    "x-edge-location": W3CField("edge", "edge location that served the request"),
    "sc-bytes": W3CField("bytes_sent"),
    "c-ip": W3CField("client"),
    "cs-method": W3CField("method"),
    "cs(Host)": W3CField("distribution", "domain name of the distribution"),
    "cs-uri-stem": W3CField("target_path"),
    "cs-uri-query": W3CField("target_query"),
    "sc-status": W3CField("status"),
    "cs(Referer)": W3CField("referer_"),
    "cs(User-Agent)": W3CField("agent"),
    "cs(Cookie)": W3CField("cookie"),
    "x-edge-result-type": W3CField("cache"),
    "x-edge-request-id": W3CField("id"),
    "x-host-header": W3CField("host"),
    "cs-protocol": W3CField("scheme"),
    "cs-bytes": W3CField("bytes_received"),
    "time-taken": W3CField("duration"),
    "x-forwarded-for": W3CField("forwarded_for"),
    "ssl-protocol": W3CField("tls_protocol"),
    "ssl-cipher": W3CField("tls_cipher"),
    "x-edge-response-result-type": W3CField("response_result", "`cache` before the response was sent"),
    "cs-protocol-version": W3CField("protocol"),
    "fle-status": W3CField("encryption", "status of field-level encryption"),
    "fle-encrypted-fields": W3CField("encrypted_fields", "number of encrypted fields"),
    "c-port": W3CField("client_port"),
    "time-to-first-byte": W3CField("first_byte_duration"),
    "x-edge-detailed-result-type": W3CField("detailed_result", "`cache` in detail, or the error"),
    "sc-content-type": W3CField("media_type"),
    "sc-content-len": W3CField("content_length", "Content-Length of the response"),
    "sc-range-start": W3CField("range_start", "first byte of the range in the response"),
    "sc-range-end": W3CField("range_end", "last byte of the range in the response"),
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
    notes=(
        "Tab-separated standard logs with `#Version` and `#Fields` lines. Percent-escapes that CloudFront adds are "
        "not decoded."
    ),
    known_fields=CLOUDFRONT_FIELDS,
    required_prefix="x-edge-",
    uris=("target_", "referer_"),
    notations={
        "time": W3C_TIME,
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

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS: dict[str, str] = {
    "type": "protocol of the listener: http, https, h2, grpcs, ws, wss",
    "elb": "name of the load balancer",
    "request_duration": "time to pass the request on, in seconds",
    "response_duration": "time to begin to pass the response on, in seconds",
    "request_bytes": "request body size, in bytes",
    "upstream_group": "target group",
    "tls_host": "host name from the TLS handshake (SNI)",
    "certificate": "certificate presented to the client",
    "rule": "priority of the matching rule; 0 for the default, -1 for an error",
    "request_created": "time when the request was received",
    "actions": "actions taken, a list",
    "redirect": "redirect target",
    "classification": "HTTP compliance of the request: Acceptable, Ambiguous, Severe",
    "classification_reason": "reason for the classification",
    "transformed_host": "request host after a transformation",
    "transformed_uri": "request target after a transformation",
    "transformation": "status of the transformation",
    "bucket_owner": "owner of the bucket",
    "bucket": "name of the bucket",
    "operation": "operation, such as REST.GET.OBJECT",
    "key": "key of the object",
    "object_size": "object size, in bytes",
    "processing_duration": "time from the end of the request to the beginning of the response, in seconds",
    "version": "version of the requested object",
    "host_id": "second identifier of the request, beside its ID",
    "signature_version": "signature version: SigV2 or SigV4",
    "authentication": "where the signature was: AuthHeader or QueryString",
    "access_point": "access point of the request",
    "acl_required": "whether the request needed an access control list",
    "source_region": "region from which the request came",
    "more": "text after the known fields",
    **{field.column: field.meaning for field in CLOUDFRONT_FIELDS.values() if field.meaning},
}
