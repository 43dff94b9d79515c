"""Parse the access logs of Azure's gateways, as Azure Monitor writes them: Front Door and Application Gateway."""

from urisect.logs.formats.json_lines import (
    HOST_PART,
    KNOWN_PART,
    QUERY_PART,
    URI_PREFIXES,
    JSONFormat,
    Member,
    member_paths,
)
from urisect.logs.formats.notation import ANY_NUMBER, ANY_SECONDS, ANY_STATUS, ANY_TIME

__all__ = ["AZURE_APPLICATION_GATEWAY", "AZURE_FRONT_DOOR", "COLUMN_MEANINGS"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "http_version": "version of HTTP without its name, such as 2.0",
    "tls_host": "host name from the TLS handshake (SNI)",
    "edge": "edge location that served the request",
    "endpoint": "domain name of the endpoint",
    "country": "country of the client (ISO 3166-1)",
    "resource": "ID of the resource",
    "instance": "instance that served the request",
    "listener": "listener that took the request",
    "backend": "backend that the request was passed to",
    "original_target": "request target before it was rewritten, with its query",
}


def _properties(*names: str, part: str = KNOWN_PART) -> tuple[Member, ...]:
    """Return members of `properties`; "" and "-" mean none."""
    return tuple(Member(("properties", name), part) for name in names)


# Azure Front Door: Access log (Monitor Azure Front Door, Raw logs).
FRONT_DOOR_MEMBERS = {
    "time": member_paths("time"),
    "id": _properties("trackingReference"),
    "client": _properties("clientIp", "clientIP", part=HOST_PART),
    "client_port": _properties("clientPort"),
    "peer": _properties("socketIp", "socketIP"),
    "country": _properties("clientCountry"),
    "method": _properties("httpMethod"),
    "target": _properties("requestUri"),
    "http_version": _properties("httpVersion"),
    "scheme": _properties("requestProtocol"),
    "host": _properties("hostName", "hostname"),
    "referer": _properties("referer", "referrer"),
    "agent": _properties("userAgent"),
    "status": _properties("httpStatusCode"),
    "bytes_received": _properties("requestBytes"),
    "bytes_sent": _properties("responseBytes"),
    "duration": _properties("timeTaken"),
    "first_byte_duration": _properties("timeToFirstByte"),
    "cache": _properties("cacheStatus"),
    "error": _properties("errorInfo", "ErrorInfo", part=r"(?!(?:NoError|-)\Z)([\s\S]+)"),
    "upstream": _properties("originIp", "originIP", part=r"(?!(?:N/A|-)\Z)([\s\S]+)"),
    "upstream_status": _properties("originStatusCode"),
    "tls_protocol": _properties("securityProtocol"),
    "tls_cipher": _properties("securityCipher"),
    "tls_host": _properties("sni"),
    "edge": _properties("pop"),
    "endpoint": _properties("endpoint"),
    "resource": member_paths("resourceId"),
}

FRONT_DOOR_SAMPLE = b"""\
{"time":"1996-11-10T13:55:36.1234567Z","resourceId":"/SUBSCRIPTIONS/0/RESOURCEGROUPS/EXAMPLE/PROVIDERS/MICROSOFT.CDN/\
PROFILES/EXAMPLE","category":"FrontDoorAccessLog","operationName":"Microsoft.Cdn/Profiles/AccessLog/Write","properties":\
{"trackingReference":"0eHQ4VgAAAAD0","httpMethod":"GET","httpVersion":"2.0.0.0","requestUri":\
"https://example.com:443/a/b?c=d","sni":"example.com","requestBytes":"412","responseBytes":"2326","userAgent":\
"Lynx/2.6","clientIp":"192.0.2.7","clientPort":"51234","socketIp":"198.51.100.7","timeTaken":"0.052","requestProtocol":\
"HTTPS","securityProtocol":"TLSv1.3","securityCipher":"TLS_AES_128_GCM_SHA256","endpoint":"example.azurefd.example.net",\
"httpStatusCode":"200","pop":"LAX","cacheStatus":"MISS","errorInfo":"NoError","originIp":"192.0.2.20:443","timeToFirstByte":\
"0.050","referer":"https://example.com/","hostName":"example.com","originStatusCode":"200"}}
{"time":"1996-11-10T13:55:37.0000000Z","resourceId":"/SUBSCRIPTIONS/0/RESOURCEGROUPS/EXAMPLE/PROVIDERS/MICROSOFT.CDN/\
PROFILES/EXAMPLE","category":"FrontDoorAccessLog","operationName":"Microsoft.Cdn/Profiles/AccessLog/Write","properties":\
{"trackingReference":"0eHQ4VgAAAAD1","httpMethod":"GET","httpVersion":"1.1","requestUri":"http://example.com:80/old",\
"requestBytes":"120","responseBytes":"600","userAgent":"","clientIp":"2001:db8::7","clientPort":"51235","socketIp":\
"2001:db8::7","timeTaken":"30.001","requestProtocol":"HTTP","httpStatusCode":"503","cacheStatus":"CONFIG_NOCACHE",\
"errorInfo":"OriginTimeout","originIp":"N/A","hostName":"example.com"}}
"""

AZURE_FRONT_DOOR = JSONFormat(
    "azure-front-door",
    FRONT_DOOR_MEMBERS,
    title="Azure Front Door",
    notes=(
        "The access log (`FrontDoorAccessLog`), one record per line, as in a storage account. A target is a URI with "
        "its host and port. `peer` is the other end of the connection, `client` the first address of X-Forwarded-For."
    ),
    uris=URI_PREFIXES,
    notations={
        "time": ANY_TIME,
        "client_port": ANY_NUMBER,
        "status": ANY_STATUS,
        "upstream_status": ANY_STATUS,
        "bytes_received": ANY_NUMBER,
        "bytes_sent": ANY_NUMBER,
        "duration": ANY_SECONDS,
        "first_byte_duration": ANY_SECONDS,
    },
    required=("target", "status"),
    marks=_properties("trackingReference"),
    sample=FRONT_DOOR_SAMPLE,
    signature='"trackingReference"',
)

# Azure Application Gateway: Access log (Diagnostic logs for Application Gateway).
APPLICATION_GATEWAY_MEMBERS = {
    "time": member_paths("timeStamp", "time"),
    "id": _properties("transactionId"),
    "client": _properties("clientIP", "clientIp", part=HOST_PART),
    "client_port": _properties("clientPort"),
    "method": _properties("httpMethod"),
    "target_path": _properties("requestUri", part=""),
    "target_query": _properties("requestQuery", part=rf"(?!-\Z){QUERY_PART}"),
    "original_target": _properties("originalRequestUriWithArgs"),
    "protocol": _properties("httpVersion"),
    "host": _properties("originalHost", "host"),
    "agent": _properties("userAgent"),
    "status": _properties("httpStatus"),
    "bytes_received": _properties("receivedBytes"),
    "bytes_sent": _properties("sentBytes"),
    "duration": _properties("timeTaken"),
    "media_type": _properties("contentType"),
    "error": _properties("error_info", part=r"(?!(?:ERRORINFO_NO_ERROR|-)\Z)([\s\S]+)"),
    "upstream": _properties("serverRouted"),
    "upstream_status": _properties("serverStatus"),
    "upstream_duration": _properties("serverResponseLatency"),
    "tls_protocol": _properties("sslProtocol"),
    "tls_cipher": _properties("sslCipher"),
    "instance": _properties("instanceId"),
    "listener": member_paths("listenerName"),
    "backend": member_paths("backendPoolName"),
    "resource": member_paths("resourceId"),
}

APPLICATION_GATEWAY_SAMPLE = b"""\
{"timeStamp":"1996-11-10T13:55:36+00:00","resourceId":"/SUBSCRIPTIONS/0/RESOURCEGROUPS/EXAMPLE/PROVIDERS/\
MICROSOFT.NETWORK/APPLICATIONGATEWAYS/EXAMPLE","listenerName":"https","ruleName":"web","backendPoolName":"web",\
"backendSettingName":"https","operationName":"ApplicationGatewayAccess","category":"ApplicationGatewayAccessLog",\
"properties":{"instanceId":"appgw_1","clientIP":"192.0.2.7","clientPort":51234,"httpMethod":"GET",\
"originalRequestUriWithArgs":"/a/b?c=d","requestUri":"/a/b","requestQuery":"c=d","userAgent":"Lynx/2.6","httpStatus":\
200,"httpVersion":"HTTP/1.1","receivedBytes":412,"sentBytes":2326,"timeTaken":0.052,"transactionId":\
"0123456789abcdef0123456789abcdef","sslEnabled":"on","sslCipher":"TLS_AES_128_GCM_SHA256","sslProtocol":"TLSv1.3",\
"serverRouted":"192.0.2.20:443","serverStatus":"200","serverResponseLatency":"0.050","originalHost":"example.com",\
"host":"192.0.2.20"}}
{"time":"1996-11-10T13:55:37Z","resourceId":"/SUBSCRIPTIONS/0/RESOURCEGROUPS/EXAMPLE/PROVIDERS/MICROSOFT.NETWORK/\
APPLICATIONGATEWAYS/EXAMPLE","operationName":"ApplicationGatewayAccess","category":"ApplicationGatewayAccessLog",\
"properties":{"instanceId":"appgw_1","clientIP":"198.51.100.7","clientPort":51235,"httpMethod":"GET","requestUri":\
"/old","requestQuery":"","userAgent":"-","httpStatus":502,"httpVersion":"HTTP/1.1","receivedBytes":120,"sentBytes":600,\
"timeTaken":20.001,"sslEnabled":"off","serverRouted":"","serverStatus":"-","error_info":\
"ERRORINFO_UPSTREAM_TIMED_OUT","host":"example.com"}}
"""

AZURE_APPLICATION_GATEWAY = JSONFormat(
    "azure-application-gateway",
    APPLICATION_GATEWAY_MEMBERS,
    title="Azure Application Gateway",
    notes=(
        "The access log (`ApplicationGatewayAccessLog`), one record per line, as in a storage account. Times are in "
        "seconds, as v2 writes them; v1 wrote milliseconds. `host` is the one that the client sent, before it was "
        "rewritten."
    ),
    uris=("target_",),
    notations={
        "time": ANY_TIME,
        "client_port": ANY_NUMBER,
        "status": ANY_STATUS,
        "upstream_status": ANY_STATUS,
        "bytes_received": ANY_NUMBER,
        "bytes_sent": ANY_NUMBER,
        "duration": ANY_SECONDS,
        "upstream_duration": ANY_SECONDS,
    },
    required=("target_path", "status"),
    marks=_properties("instanceId", "transactionId", "sslEnabled"),
    sample=APPLICATION_GATEWAY_SAMPLE,
    signature='"httpStatus"',
)
