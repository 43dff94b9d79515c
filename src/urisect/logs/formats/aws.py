"""Parse the access logs of Amazon's services: load balancers, CloudFront and S3.

The sources are the pages of the user guides: "Access logs for your Application Load Balancer", "Access logs for your
Network Load Balancer", "Access logs for your Classic Load Balancer", "Standard logging reference" (CloudFront), "Amazon
S3 server access log format".

Amazon keeps adding fields at the ends of lines. So the last fields of a line are optional, and the text after the last
known and valid field is one column, `more`.
"""

from urisect.logs.formats.format import IMPLAUSIBLE, PatternFormat
from urisect.logs.formats.notation import (
    DECIMAL_PATTERN,
    ISO_TIME,
    LOG_TIME,
    MILLISECONDS,
    NUMBER,
    PORT,
    SECONDS,
    STATUS_OR_NONE,
)
from urisect.logs.formats.request import (
    METHOD_PATTERN,
    OPTIONAL_BOM,
    PROTOCOL_PATTERN,
    QUOTED_AGENT,
    QUOTED_REFERER,
    QUOTED_TARGET,
    QUOTED_TEXT,
    address_and_port,
    bare_value,
    optional_value,
)
from urisect.logs.formats.w3c import W3C_FIELDS, W3C_TIME, W3CField, W3CFormat
from urisect.repetition import one_or_more, zero_or_more

__all__ = ["ALB", "CLOUDFRONT", "CLOUDFRONT_FIELDS", "COLUMN_MEANINGS", "ELB", "NLB", "S3"]


def _quoted(name: str, plausible: str = "", unquoted: str = r'[^" \n]++') -> str:
    """Return the source of a quoted value; "-" means none. Some tools that copy logs drop the quotes.

    Args:
        name: the name of its column.
        plausible: source of the form that values without quotes usually have; empty for any form.
        unquoted: source of a value without quotes.
    """
    if plausible:
        unquoted = rf"(?>(?:{plausible})(?=[ \n]|\Z)|(?P<{IMPLAUSIBLE}_{name}>{unquoted}))"
    return rf'(?>"?+-"?+(?=[ \n]|\Z)|"?+(?P<{name}>(?<=")' + rf'{QUOTED_TEXT}(?=")|(?<!"){unquoted})"?+)'


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

_TLS = "(?:TLS|SSL)[vV]?[0-9.]++"

# The fields of both load balancers from client:port to the status codes.
BALANCER_FIELDS = "[ ]".join(
    (
        address_and_port("client", "client_port"),
        bare_value("upstream"),
        _duration("request_duration"),
        _duration("upstream_duration"),
        _duration("response_duration"),
        optional_value("status", STATUS_OR_NONE),
        optional_value("upstream_status", STATUS_OR_NONE),
    )
)

# The fields are: timestamp elb client:port backend:port request_processing_time backend_processing_time
# response_processing_time elb_status_code backend_status_code received_bytes sent_bytes "request" "user_agent"
# ssl_cipher ssl_protocol; the first version ended with the request.
ELB_LINE = (
    rf"{OPTIONAL_BOM}(?P<time>{ISO_TIME.pattern})[ ]{bare_value('elb')}[ ]{BALANCER_FIELDS}"
    rf"[ ]{optional_value('request_bytes', NUMBER)}[ ]{optional_value('bytes', NUMBER)}[ ]{AWS_REQUEST}"
    + _optional_fields(QUOTED_AGENT, bare_value("tls_cipher"), bare_value("tls_protocol", _TLS))
)

# The forms of the fields with which a version begins; a text of another form is rather something behind a line.
_ARN = r"arn:[^ \n]++"
_DOMAIN = one_or_more(r"[0-9A-Za-z_\-*]++\.") + r"[0-9A-Za-z\-]++"
_ALPN = r"h[23]|h2c|http/[0-9.]++"
_TARGETS = r'(?=[^ "\n]*:[0-9]{1,5}[ \n])[^ "\n]++' + zero_or_more(r'[ ](?=[^ "\n]*:[0-9]{1,5}[ \n])[^ "\n]++')
_STATUSES = r'(?>[0-9]{3}(?=[ \n])|[^ "\n]++)' + zero_or_more(r"[ ][0-9]{3}(?=[ \n]|\Z)")

# The fields are: type time elb client:port target:port request_processing_time target_processing_time
# response_processing_time elb_status_code target_status_code received_bytes sent_bytes "request" "user_agent"
# ssl_cipher ssl_protocol target_group_arn "trace_id" "domain_name" "chosen_cert_arn" matched_rule_priority
# request_creation_time "actions_executed" "redirect_url" "error_reason" "target:port_list" "target_status_code_list"
# "classification" "classification_reason" conn_trace_id "transformed_host" "transformed_uri"
# "request_transform_status"; the first version ended with ssl_protocol.
ALB_LINE = (
    rf"{OPTIONAL_BOM}{bare_value('type', 'https?|h2|grpcs|wss?')}[ ](?P<time>{ISO_TIME.pattern})"
    rf"[ ]{bare_value('elb')}[ ]{BALANCER_FIELDS}"
    rf"[ ]{optional_value('bytes_received', NUMBER)}[ ]{optional_value('bytes_sent', NUMBER)}"
    rf"[ ]{AWS_REQUEST}[ ](?:-|{QUOTED_AGENT})[ ]{bare_value('tls_cipher')}[ ]{bare_value('tls_protocol')}"
    + _optional_fields(
        bare_value("upstream_group", _ARN),
        _quoted("id"),
        _quoted("tls_host", _DOMAIN),
        _quoted("certificate"),
        bare_value("rule", "-?[0-9]++"),
        optional_value("request_created", ISO_TIME),
        _quoted("actions"),
        _quoted("redirect"),
        _quoted("error"),
        _quoted("upstreams", _TARGETS),
        _quoted("upstream_statuses", unquoted=_STATUSES),
        _quoted("classification", "Acceptable|Ambiguous|Severe"),
        _quoted("classification_reason"),
        bare_value("connection", "TID_[0-9A-Za-z]++"),
        _quoted("transformed_host", _DOMAIN),
        _quoted("transformed_uri"),
        _quoted("transformation"),
    )
)

# The fields are: type version time elb listener client:port destination:port connection_time tls_handshake_time
# received_bytes sent_bytes incoming_tls_alert chosen_cert_arn chosen_cert_serial tls_cipher tls_protocol_version
# tls_named_group domain_name alpn_fe_protocol alpn_be_protocol alpn_client_preference_list
# tls_connection_creation_time; the first version ended with domain_name.
NLB_LINE = (
    rf"{OPTIONAL_BOM}(?P<type>tls)[ ](?P<log_version>[0-9.]++)[ ](?P<time>{ISO_TIME.pattern})"
    rf"[ ]{bare_value('elb')}[ ]{bare_value('listener')}[ ]{address_and_port('client', 'client_port')}"
    rf"[ ]{bare_value('upstream')}"
    rf"[ ]{optional_value('connection_duration', MILLISECONDS)}"
    rf"[ ]{optional_value('tls_handshake_duration', MILLISECONDS)}"
    rf"[ ]{optional_value('bytes_received', NUMBER)}[ ]{optional_value('bytes_sent', NUMBER)}"
    rf"[ ]{bare_value('tls_alert')}[ ]{bare_value('certificate')}[ ]{bare_value('certificate_serial')}"
    rf"[ ]{bare_value('tls_cipher')}[ ]{bare_value('tls_protocol')}[ ]{bare_value('tls_group')}"
    rf"[ ]{bare_value('tls_host', _DOMAIN)}"
    + _optional_fields(
        bare_value("alpn", _ALPN),
        bare_value("upstream_alpn", _ALPN),
        bare_value("client_alpn"),
        optional_value("connection_created", ISO_TIME),
    )
)

# The fields are: Bucket Owner, Bucket, Time, Remote IP, Requester, Request ID, Operation, Key, Request-URI, HTTP
# status, Error Code, Bytes Sent, Object Size, Total Time, Turn-Around Time, Referer, User-Agent, Version Id, Host Id,
# Signature Version, Cipher Suite, Authentication Type, Host Header, TLS version, Access Point ARN, aclRequired, Source
# region; the first version ended with Version Id.
S3_LINE = (
    rf"{OPTIONAL_BOM}(?:{bare_value('bucket_owner', '[0-9a-f]{64}|[0-9a-f]{32}')}|(?=[ ]))"
    rf"[ ]{bare_value('bucket')}[ ]\[(?P<time>{LOG_TIME.pattern})\]"
    rf"[ ]{bare_value('client')}[ ]{bare_value('user')}[ ]{bare_value('id')}[ ]{bare_value('operation')}"
    rf"[ ]{bare_value('key')}"
    rf"[ ](?:-|{AWS_REQUEST})[ ]{optional_value('status', STATUS_OR_NONE)}[ ]{bare_value('error')}"
    rf"[ ]{optional_value('bytes', NUMBER)}[ ]{optional_value('object_size', NUMBER)}"
    rf"[ ]{optional_value('duration', MILLISECONDS)}[ ]{optional_value('processing_duration', MILLISECONDS)}"
    rf"[ ](?:-|{QUOTED_REFERER})[ ](?:-|{QUOTED_AGENT})"
    + _optional_fields(
        bare_value("version", r"[0-9A-Za-z._\-]{16,}+|null"),
        bare_value("host_id", "[0-9A-Za-z+/=]{16,}+"),
        bare_value("signature_version", "SigV[0-9A-Z]++"),
        bare_value("tls_cipher", r"[0-9A-Z_\-]++"),
        bare_value("authentication", "[A-Z][a-z]++[A-Z][a-z]++"),
        bare_value("host", rf"{_DOMAIN}(?>:[0-9]++|)"),
        bare_value("tls_protocol", _TLS),
        bare_value("access_point", _ARN),
        bare_value("acl_required", "Yes"),
        bare_value("source_region", "[a-z]{2,3}(?:-[a-z]++){1,3}-[0-9]{1,2}"),
    )
)

BALANCER_NOTATIONS = {
    "time": ISO_TIME,
    "client_port": PORT,
    "request_duration": SECONDS,
    "upstream_duration": SECONDS,
    "response_duration": SECONDS,
    "status": STATUS_OR_NONE,
    "upstream_status": STATUS_OR_NONE,
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
NLB_SAMPLE = b"""\
tls 2.0 1996-11-10T13:55:36 net/shop/c6e77e28c25b2234 g3d4b5e8bb8464cd 192.0.2.7:51341 198.51.100.1:443 5 2 98 246 - \
arn:aws:acm:us-east-2:123456789012:certificate/12345678-1234-1234-1234-123456789012 - ECDHE-RSA-AES128-SHA tlsv12 - \
www.example.com h2 h2 "h2","http/1.1" 1996-11-10T13:55:31
tls 1.0 1996-11-10T13:55:37 net/shop/c6e77e28c25b2234 g3d4b5e8bb8464cd 2001:db8::7:51342 198.51.100.1:443 1248 - 75 0 \
- - - - - - -
"""
S3_SAMPLE = b"""\
79a59df900b949e55d96a1e698fbaced example-bucket [10/Nov/1996:13:55:36 +0000] 192.0.2.7 \
arn:aws:iam::123456789012:user/frank 3E57427F3EXAMPLE REST.GET.OBJECT a/b.txt \
"GET /a/b.txt?versionId=3HL4kqtJvjVBH40Nr HTTP/1.1" 200 - 2326 2326 41 28 "https://www.example.com/" "Lynx/2.6" \
3HL4kqtJvjVBH40Nr s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5= \
SigV4 ECDHE-RSA-AES128-GCM-SHA256 AuthHeader example-bucket.s3.us-west-1.example.com TLSv1.2 - - us-east-1
79a59df900b949e55d96a1e698fbaced example-bucket [10/Nov/1996:13:55:37 +0000] - - 891CE47D2EXAMPLE S3.EXPIRE.OBJECT \
a/b.txt "-" - - - 2326 - - "-" "-" -
"""

ALB = PatternFormat(
    "alb",
    ALB_LINE,
    title="AWS Application Load Balancer",
    notes=(
        "Fields that newer versions add at the end are in `more`. A duration of −1 is undefined. Values may lack their "
        "quotes."
    ),
    uris=("target_",),
    notations=BALANCER_NOTATIONS | {"bytes_received": NUMBER, "bytes_sent": NUMBER, "request_created": ISO_TIME},
    sample=ALB_SAMPLE,
    signature=r"(?:https?|h2|grpcs|wss?|-) [0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}",
)
NLB = PatternFormat(
    "nlb",
    NLB_LINE,
    title="AWS Network Load Balancer, TLS",
    notes="An entry is a TLS connection; there is no URI in it.",
    notations={
        "time": ISO_TIME,
        "client_port": PORT,
        "connection_duration": MILLISECONDS,
        "tls_handshake_duration": MILLISECONDS,
        "bytes_received": NUMBER,
        "bytes_sent": NUMBER,
        "connection_created": ISO_TIME,
    },
    sample=NLB_SAMPLE,
    signature=r"tls [0-9.]+ [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}",
)
ELB = PatternFormat(
    "elb",
    ELB_LINE,
    title="AWS Classic Load Balancer",
    notes="Early logs lack the last three fields.",
    uris=("target_",),
    notations=BALANCER_NOTATIONS | {"request_bytes": NUMBER, "bytes": NUMBER},
    sample=ELB_SAMPLE,
    signature=r'[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt \t][^"\n]+ (?:[0-9]+|-) (?:[0-9]+|-) (?:[0-9]+|-) "',
)
S3 = PatternFormat(
    "s3",
    S3_LINE,
    title="Amazon S3 server access log",
    notes="Older lines are shorter; fields that newer versions add at the end are in `more`.",
    uris=("target_", "referer_"),
    notations={
        "time": LOG_TIME,
        "status": STATUS_OR_NONE,
        "bytes": NUMBER,
        "object_size": NUMBER,
        "duration": MILLISECONDS,
        "processing_duration": MILLISECONDS,
    },
    sample=S3_SAMPLE,
    signature=r'\[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9:]{8} [+-][0-9]{4}\](?: [^ "\n]+){5} (?:"|- )',
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

# The order of these fields in a line.
CLOUDFRONT_ORDER = (
    *("date", "time", "x-edge-location", "sc-bytes", "c-ip", "cs-method", "cs(Host)", "cs-uri-stem", "sc-status"),
    *("cs(Referer)", "cs(User-Agent)", "cs-uri-query", "cs(Cookie)", "x-edge-result-type", "x-edge-request-id"),
    *("x-host-header", "cs-protocol", "cs-bytes", "time-taken", "x-forwarded-for", "ssl-protocol", "ssl-cipher"),
    *("x-edge-response-result-type", "cs-protocol-version", "fle-status", "fle-encrypted-fields", "c-port"),
    *("time-to-first-byte", "x-edge-detailed-result-type", "sc-content-type", "sc-content-len", "sc-range-start"),
    "sc-range-end",
)

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
        "Tab-separated standard logs. Without a `#Fields` line, the fields are in the standard order; older lines have "
        "fewer of them. Percent-escapes that CloudFront adds are not decoded. A status of 000 is undefined."
    ),
    known_fields=CLOUDFRONT_FIELDS,
    required_prefix="x-edge-",
    standard_fields=CLOUDFRONT_ORDER,
    uris=("target_", "referer_"),
    notations={
        "time": W3C_TIME,
        "bytes_sent": NUMBER,
        "bytes_received": NUMBER,
        "status": STATUS_OR_NONE,
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
    "type": "protocol of the listener: http, https, h2, grpcs, ws, wss, tls",
    "log_version": "version of the log format",
    "listener": "ID of the listener",
    "tls_handshake_duration": "duration of the TLS handshake, in seconds",
    "tls_alert": "TLS alert from the client",
    "certificate_serial": "reserved by Amazon",
    "tls_group": "named group of the TLS key exchange",
    "alpn": "protocol negotiated with the client (ALPN)",
    "upstream_alpn": "protocol negotiated with the upstream server (ALPN)",
    "client_alpn": "protocols offered by the client (ALPN)",
    "connection_created": "time when the connection was opened",
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
