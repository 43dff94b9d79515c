"""The formats of logs, a module a family."""

from urisect.logs.formats import aws, cdxj, squid, w3c
from urisect.logs.formats.apache import COMBINED, COMMON, VHOST_COMBINED, apache
from urisect.logs.formats.aws import ALB, CLOUDFRONT, ELB, S3
from urisect.logs.formats.cdxj import CDXJ
from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.format import Format, PatternFormat
from urisect.logs.formats.json_lines import CADDY, json_lines
from urisect.logs.formats.nginx import nginx
from urisect.logs.formats.plain import LIST
from urisect.logs.formats.squid import SQUID
from urisect.logs.formats.w3c import W3C

__all__ = [
    "ALB",
    "CADDY",
    "CDXJ",
    "CLOUDFRONT",
    "COMBINED",
    "COMMON",
    "ELB",
    "FORMATS",
    "LIST",
    "MEANINGS",
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

# The more special first: the first of those that fit is the one.
FORMATS: dict[str, Format] = {
    format.name: format
    for format in (VHOST_COMBINED, COMBINED, COMMON, CLOUDFRONT, W3C, ALB, ELB, S3, SQUID, CADDY, CDXJ, LIST)
}


# What every column means, be it of all formats or of one.
MEANINGS: dict[str, str] = {
    **aws.MEANINGS,
    **cdxj.MEANINGS,
    **squid.MEANINGS,
    **w3c.MEANINGS,
    **{name: column.meaning for name, column in COLUMNS.items()},
}


def format_of(text: Format | str) -> Format:
    """Give the format that a text stands for.

    Args:
        text: a name in `FORMATS`; or a string of directives that begin with "%", as in Apache's configuration, see
            `apache`; or one of variables that begin with "$", as in nginx's, see `nginx`; or "json:" and the member
            that holds the URI, see `json_lines`. A `Format` stands for itself.

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
    raise ValueError(f"no log format is called {text!r}; there are {', '.join(FORMATS)}")
