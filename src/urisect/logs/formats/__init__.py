"""Formats of logs: named ones, and those described by a format string. Modules are loaded on first use."""

from functools import cache
from typing import TYPE_CHECKING, Any

from urisect.suggestion import did_you_mean

if TYPE_CHECKING:
    from urisect.logs.formats.apache import COMBINED, COMMON, VHOST_COMBINED
    from urisect.logs.formats.aws import ALB, CLOUDFRONT, ELB, S3
    from urisect.logs.formats.caddy import CADDY
    from urisect.logs.formats.cdxj import CDXJ
    from urisect.logs.formats.format import Format, PatternFormat
    from urisect.logs.formats.plain import LIST
    from urisect.logs.formats.squid import SQUID
    from urisect.logs.formats.w3c import W3C

    FORMATS: dict[str, Format]
    COLUMN_MEANINGS: dict[str, str]
else:

    def __getattr__(name: str) -> Any:  # hidden from type checkers, which would accept any name
        return _load(name)


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
    "format_of",
]

_DEFINED_IN = {
    "ALB": "aws",
    "CADDY": "caddy",
    "CDXJ": "cdxj",
    "CLOUDFRONT": "aws",
    "COMBINED": "apache",
    "COMMON": "apache",
    "ELB": "aws",
    "Format": "format",
    "LIST": "plain",
    "PatternFormat": "format",
    "S3": "aws",
    "SQUID": "squid",
    "VHOST_COMBINED": "apache",
    "W3C": "w3c",
}

# More specific formats first: detection takes the first one that matches.
_SPECIFIC_FIRST = (
    *("VHOST_COMBINED", "COMBINED", "COMMON", "CLOUDFRONT", "W3C", "ALB", "ELB", "S3", "SQUID", "CADDY", "CDXJ"),
    "LIST",
)


def _load(name: str) -> Any:
    """Import a public name, and keep it as a global, where the next use finds it."""
    value: Any
    if name in _DEFINED_IN:
        from importlib import import_module  # noqa: PLC0415  takes longer than the rest of this module

        value = getattr(import_module(f"{__name__}.{_DEFINED_IN[name]}"), name)
    elif name == "FORMATS":
        value = _formats_by_name()
    elif name == "COLUMN_MEANINGS":
        value = _column_meanings()
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{did_you_mean(name, __all__)}")
    globals()[name] = value
    return value


@cache
def _formats_by_name() -> "dict[str, Format]":
    return {format.name: format for format in map(_load, _SPECIFIC_FIRST)}


def _column_meanings() -> dict[str, str]:
    """Return the meaning of every column of the named formats."""
    from urisect.logs.formats import aws, cdxj, squid, w3c  # noqa: PLC0415  only the help of the command needs them
    from urisect.logs.formats.columns import COLUMNS  # noqa: PLC0415

    return {
        **aws.COLUMN_MEANINGS,
        **cdxj.COLUMN_MEANINGS,
        **squid.COLUMN_MEANINGS,
        **w3c.COLUMN_MEANINGS,
        **{name: column.meaning for name, column in COLUMNS.items()},
    }


def __dir__() -> list[str]:
    return sorted(__all__)


def format_of(text: "Format | str") -> "Format":
    """Return the format that a text names or describes.

    Args:
        text: a name in `FORMATS`; a format string of Apache, whose directives begin with "%", see `apache`; one of
            nginx, whose variables begin with "$", see `nginx`; "json:" and the member that contains the URI, see
            `json_lines`; the path of a configuration of nginx or httpd, with the name of a format in it, as in
            "/etc/nginx/nginx.conf:main"; or "apache:" or "nginx:" and the name of a format that the server predefines.
            A `Format` is returned as it is.

    Raises:
        ValueError: there is no such format.

    >>> format_of("combined").name, format_of("$remote_addr $request_uri").columns[0]
    ('combined', 'client')
    """
    if not isinstance(text, str):
        return text
    formats = _formats_by_name()
    if text in formats:
        return formats[text]
    if text.startswith("json:"):
        from urisect.logs.formats.json_lines import json_lines  # noqa: PLC0415  loaded on first use, as above

        return json_lines(text)
    from urisect.logs.formats.configuration import configured_format  # noqa: PLC0415

    if format := configured_format(text):
        return format
    if "$" in text:
        from urisect.logs.formats.nginx import nginx  # noqa: PLC0415

        return nginx(text)
    if "%" in text:
        from urisect.logs.formats.apache import apache  # noqa: PLC0415

        return apache(text)
    raise ValueError(f"no log format is called {text!r}; there are {', '.join(formats)}{did_you_mean(text, formats)}")
