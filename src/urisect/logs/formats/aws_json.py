"""Parse the logs of Amazon's services that are JSON lines: CloudFront and WAF.

The sources are the pages of the developer guides: "Configure standard logging (v2)" and "Standard logging reference"
(CloudFront), "Log fields" (AWS WAF).
"""

from urisect.logs.formats.aws import CLOUDFRONT, CLOUDFRONT_FIELDS
from urisect.logs.formats.format import uri_column
from urisect.logs.formats.json_lines import (
    KNOWN_PART,
    NOT_EMPTY_PART,
    QUERY_PART,
    URI_PREFIXES,
    JoinedMembers,
    JSONFormat,
    Member,
    Places,
    headers,
    member_paths,
)
from urisect.logs.formats.notation import ANY_NUMBER, ANY_SECONDS, ANY_STATUS, ANY_TIME, EPOCH_MILLISECONDS, ValueKind

__all__ = ["AWS_WAF", "CLOUDFRONT_JSON", "COLUMN_MEANINGS"]

# The meanings of the columns that are not in `COLUMNS`, except those of CloudFront, which are in `aws`.
COLUMN_MEANINGS = {
    "country": "country of the client (ISO 3166-1)",
    "client_network": "number of the network of the client (ASN)",
    "path_pattern": "path pattern of the cache behavior",
    "upstream_first_byte_duration": "time to the first byte from the upstream server, in seconds",
    "distribution_id": "ID of the distribution",
    "action": "what was done with the request, such as ALLOW or BLOCK",
    "web_acl": "ARN of the web access control list",
    "matched_rule": "ID of the rule that decided",
    "matched_rule_type": "type of the rule that decided, such as REGULAR or MANAGED_RULE_GROUP",
    "source": "service that passed the request on, such as ALB or CF",
    "source_id": "ID of the resource that passed the request on",
}

# The fields have the names of the standard log, and values of the same form: text, "-" for none. Some of the real-time
# log may be among them.
CLOUDFRONT_MEMBERS: dict[str, Places] = {
    "time": (
        JoinedMembers((member_paths("date", part=KNOWN_PART), member_paths("time", part=KNOWN_PART))),
        *member_paths("timestamp(ms)", "timestamp", part=KNOWN_PART),
    ),
    **{
        uri_column(field.column) if field.column in URI_PREFIXES else field.column: (Member((name,), KNOWN_PART),)
        for name, field in CLOUDFRONT_FIELDS.items()
        if name not in {"date", "time"}
    },
    "country": member_paths("c-country", part=KNOWN_PART),
    "client_network": member_paths("asn", part=KNOWN_PART),
    "path_pattern": member_paths("cache-behavior-path-pattern", part=KNOWN_PART),
    "upstream_first_byte_duration": member_paths("origin-fbl", part=KNOWN_PART),
    "upstream_duration": member_paths("origin-lbl", part=KNOWN_PART),
    "distribution_id": member_paths("distributionid", "DistributionId", part=KNOWN_PART),
}

CLOUDFRONT_SAMPLE = b"""\
{"date":"1996-11-10","time":"13:55:36","x-edge-location":"LAX1","sc-bytes":"2390282","c-ip":"192.0.2.7","cs-method":\
"GET","cs(Host)":"d111111abcdef8.example.net","cs-uri-stem":"/a/b","sc-status":"200","cs(Referer)":\
"https://www.example.com/","cs(User-Agent)":"Mozilla/2.0%20(compatible)","cs-uri-query":"c=d","cs(Cookie)":"-",\
"x-edge-result-type":"Hit","x-edge-request-id":"SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ==",\
"x-host-header":"www.example.com","cs-protocol":"https","cs-bytes":"23","time-taken":"0.082","x-forwarded-for":"-",\
"ssl-protocol":"TLSv1.3","ssl-cipher":"TLS_AES_128_GCM_SHA256","x-edge-response-result-type":"Hit",\
"cs-protocol-version":"HTTP/2.0","c-port":"11040","time-to-first-byte":"0.001","sc-content-type":"text/html"}
{"timestamp(ms)":"847634137250","x-edge-location":"LAX1","c-ip":"2001:db8::7","cs-method":"GET","cs-uri-stem":"/",\
"cs-uri-query":"-","sc-status":"000","cs(Referer)":"-","cs(User-Agent)":"Lynx/2.6","x-edge-result-type":"Error",\
"x-edge-request-id":"k6WGMNkEzR5BEM_SaF47gjtX9zBDO2m349OY2an0QPEaUum1ZOLrow==","time-taken":"0.000","c-country":"US"}
"""

CLOUDFRONT_JSON = JSONFormat(
    "cloudfront-json",
    CLOUDFRONT_MEMBERS,
    title="Amazon CloudFront standard log (v2), JSON",
    notes=(
        "Standard logging v2 with the output format JSON, whatever fields are selected. Percent-escapes that "
        "CloudFront adds are not decoded."
    ),
    uris=URI_PREFIXES,
    notations={
        **{
            name: ANY_SECONDS if notation.kind is ValueKind.SECONDS else ANY_NUMBER
            for name, notation in CLOUDFRONT.notations.items()
        },
        "time": ANY_TIME,
        "status": ANY_STATUS,
        "client_network": ANY_NUMBER,
        "upstream_first_byte_duration": ANY_SECONDS,
        "upstream_duration": ANY_SECONDS,
    },
    required=("target_path",),
    marks=member_paths("x-edge-location", "x-edge-request-id", "x-edge-result-type", "cs(User-Agent)", "cs(Host)"),
    sample=CLOUDFRONT_SAMPLE,
    signature='"cs-uri-stem"',
)

WAF_MEMBERS = {
    "time": member_paths("timestamp"),
    "id": member_paths("httpRequest.requestId"),
    "action": member_paths("action"),
    "status": member_paths("responseCodeSent"),
    "client": member_paths("httpRequest.clientIp"),
    "country": member_paths("httpRequest.country", part=KNOWN_PART),
    "method": member_paths("httpRequest.httpMethod"),
    "scheme": member_paths("httpRequest.scheme"),
    "target_path": member_paths("httpRequest.uri"),
    "target_query": member_paths("httpRequest.args", part=QUERY_PART),
    "target_fragment": member_paths("httpRequest.fragment", part=NOT_EMPTY_PART),
    "protocol": member_paths("httpRequest.httpVersion"),
    "host": (*member_paths("httpRequest.host"), *headers("httpRequest.headers", "Host")),
    "referer": headers("httpRequest.headers", "Referer"),
    "agent": headers("httpRequest.headers", "User-Agent"),
    "forwarded_for": headers("httpRequest.headers", "X-Forwarded-For"),
    "cookie": headers("httpRequest.headers", "Cookie"),
    "web_acl": member_paths("webaclId"),
    "matched_rule": member_paths("terminatingRuleId"),
    "matched_rule_type": member_paths("terminatingRuleType"),
    "source": member_paths("httpSourceName"),
    "source_id": member_paths("httpSourceId"),
}

WAF_SAMPLE = b"""\
{"timestamp":847634136123,"formatVersion":1,"webaclId":\
"arn:aws:wafv2:us-east-1:123456789012:regional/webacl/example/1c2d3e4f-0000-4000-8000-000000000007",\
"terminatingRuleId":"Default_Action","terminatingRuleType":"REGULAR","action":"ALLOW","terminatingRuleMatchDetails":[],\
"httpSourceName":"ALB","httpSourceId":"123456789012-app/example/50dc6c495c0c9188","ruleGroupList":[],\
"rateBasedRuleList":[],"nonTerminatingMatchingRules":[],"requestHeadersInserted":null,"responseCodeSent":null,\
"httpRequest":{"clientIp":"192.0.2.7","country":"US","headers":[{"name":"Host","value":"example.com"},{"name":\
"user-agent","value":"Lynx/2.6"},{"name":"Referer","value":"https://example.com/"},{"name":"Accept","value":"*/*"}],\
"uri":"/a/b","args":"c=d","httpVersion":"HTTP/2.0","httpMethod":"GET","requestId":"1-32874058-0123456789abcdef01234567",\
"fragment":"","scheme":"https","host":"example.com"}}
{"timestamp":847634137000,"formatVersion":1,"webaclId":\
"arn:aws:wafv2:us-east-1:123456789012:regional/webacl/example/1c2d3e4f-0000-4000-8000-000000000007",\
"terminatingRuleId":"block-scanners","terminatingRuleType":"RATE_BASED","action":"BLOCK","httpSourceName":"ALB",\
"httpSourceId":"123456789012-app/example/50dc6c495c0c9188","responseCodeSent":429,"httpRequest":{"clientIp":\
"2001:db8::7","country":"-","headers":[{"name":"HOST","value":"example.com"}],"uri":"/wp-login.php","args":"",\
"httpVersion":"HTTP/1.1","httpMethod":"POST","requestId":"1-32874059-0123456789abcdef01234567"}}
"""

AWS_WAF = JSONFormat(
    "aws-waf",
    WAF_MEMBERS,
    title="AWS WAF",
    notes=(
        "The web request log. There is a status only if WAF itself answered. The headers that have a column may be "
        "written in any case; the other ones are in `extra`, on request."
    ),
    uris=URI_PREFIXES,
    notations={"time": EPOCH_MILLISECONDS, "status": ANY_STATUS},
    required=("action", "target_path"),
    marks=member_paths("webaclId", "terminatingRuleId", "httpSourceName"),
    sample=WAF_SAMPLE,
    signature='"(?:webaclId|terminatingRuleId|httpSourceName)"',
)
