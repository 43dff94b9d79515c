"""Parse Traefik's access log in its Common Log Format."""

from dataclasses import replace

from urisect.logs.formats.apache import ncsa_signature, parse_format_string
from urisect.logs.formats.compilation import compile_format
from urisect.logs.formats.directives import DirectiveField
from urisect.logs.formats.field_patterns import TEXT_FIELD, typed_field
from urisect.logs.formats.notation import MILLISECONDS, NUMBER, STATUS_OR_NONE

__all__ = ["COLUMN_MEANINGS", "TRAEFIK"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "request_number": "number of the request since the server started",
    "router": "router that handled the request",
}

# Traefik writes 0 if it sent no response.
_STATUS = STATUS_OR_NONE._replace(pattern=f"(?:{STATUS_OR_NONE.pattern}|0)")

# Nothing is escaped: an agent may contain quotes.
TRAEFIK = replace(
    compile_format(
        "traefik",
        [
            *parse_format_string('%h - %u %t "%r" '),
            DirectiveField("OriginStatus", ("status",), typed_field(_STATUS)),
            *parse_format_string(' %b "%{Referer}i" "%{User-Agent}i" '),
            DirectiveField("RequestCount", ("request_number",), typed_field(NUMBER)),
            ' "',
            DirectiveField("RouterName", ("router",), TEXT_FIELD),
            '" "',
            DirectiveField("ServiceURL", ("upstream",), TEXT_FIELD),
            '" ',
            DirectiveField("Duration", ("duration",), typed_field(MILLISECONDS)),
            "ms",
        ],
        is_escaped=False,
    ),
    title="Traefik's Common Log Format",
    signature=ncsa_signature(3, "ms"),
    notes=(
        "Traefik's `format: common`. `upstream` is the URL of the server; it and the router are undefined if no router "
        "matched. The status 0 is undefined. Quotes in the agent are not escaped. For `format: json`, see "
        "`traefik-json`."
    ),
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 +0000] "GET /a/b?c=d HTTP/2.0" 200 2326 "https://example.com/" "Lynx/2.6" 7 \
"web@docker" "http://198.51.100.1:80" 12ms
192.0.2.8 - frank [10/Nov/1996:13:55:37 +0000] "GET /none HTTP/1.1" 404 19 "-" "-" 8 "-" "-" 0ms
""",
)
