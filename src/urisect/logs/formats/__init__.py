"""Formats of logs: named ones, and those described by a format string. Each family has a module."""

from urisect.logs.formats import aws, cdxj, squid, w3c
from urisect.logs.formats.apache import COMBINED, COMMON, VHOST_COMBINED, apache
from urisect.logs.formats.aws import ALB, CLOUDFRONT, ELB, S3
from urisect.logs.formats.caddy import CADDY
from urisect.logs.formats.cdxj import CDXJ
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.format import Format, PatternFormat
from urisect.logs.formats.json_lines import json_lines
from urisect.logs.formats.nginx import nginx
from urisect.logs.formats.plain import LIST
from urisect.logs.formats.squid import SQUID
from urisect.logs.formats.w3c import W3C
from urisect.suggestion import did_you_mean

__all__ = [
    "ALB",
    "CADDY",
    "CDXJ",
    "CLOUDFRONT",
    "COLUMN_MEANINGS",
    "COMBINED",
    "COMMON",
    "ELB",
    "FORMATS",
    "LIST",
    "S3",
    "SQUID",
    "VHOST_COMBINED",
    "W3C",
    "Format",
    "PatternFormat",
    "apache",
    "format_of",
    "json_lines",
    "nginx",
]

# More specific formats first: detection takes the first one that matches.
FORMATS: dict[str, Format] = {
    format.name: format
    for format in (VHOST_COMBINED, COMBINED, COMMON, CLOUDFRONT, W3C, ALB, ELB, S3, SQUID, CADDY, CDXJ, LIST)
}


# The meaning of every column of the named formats.
COLUMN_MEANINGS: dict[str, str] = {
    **aws.COLUMN_MEANINGS,
    **cdxj.COLUMN_MEANINGS,
    **squid.COLUMN_MEANINGS,
    **w3c.COLUMN_MEANINGS,
    **{name: column.meaning for name, column in COLUMNS.items()},
}


def format_of(text: Format | str) -> Format:
    """Return the format that a text names or describes.

    Args:
        text: a name in `FORMATS`; a format string of Apache, whose directives begin with "%", see `apache`; one of
            nginx, whose variables begin with "$", see `nginx`; or "json:" and the member that contains the URI, see
            `json_lines`. A `Format` is returned as it is.

    Raises:
        ValueError: there is no such format.

    >>> format_of("combined").name, format_of("$remote_addr $request_uri").columns[0]
    ('combined', 'client')
    """
    if isinstance(text, Format):
        return text
    if text in FORMATS:
        return FORMATS[text]
    if text.startswith("json:"):
        return json_lines(text)
    if "$" in text:
        return nginx(text)
    if "%" in text:
        return apache(text)
    raise ValueError(f"no log format is called {text!r}; there are {', '.join(FORMATS)}{did_you_mean(text, FORMATS)}")
