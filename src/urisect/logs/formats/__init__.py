"""The formats of logs, a module a family; each is loaded on first use (PEP 562)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from urisect.logs.formats.apache import COMBINED, COMMON, VHOST_COMBINED
    from urisect.logs.formats.aws import ALB, CLOUDFRONT, ELB, S3
    from urisect.logs.formats.cdxj import CDXJ
    from urisect.logs.formats.format import Format, PatternFormat
    from urisect.logs.formats.json_lines import CADDY
    from urisect.logs.formats.plain import LIST
    from urisect.logs.formats.squid import SQUID
    from urisect.logs.formats.w3c import W3C

    FORMATS: dict[str, Format]
    MEANINGS: dict[str, str]
else:

    def __getattr__(name: str) -> Any:  # hidden from type checkers, which would accept any name
        return _load(name)


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
    "format_of",
]

_DEFINED_IN = {
    "ALB": "aws",
    "CADDY": "json_lines",
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

# Detection chooses the first of those that fit equally well.
_MOST_SPECIAL_FIRST = (
    *(
        "VHOST_COMBINED",
        "COMBINED",
        "COMMON",
        "CLOUDFRONT",
        "W3C",
        "ALB",
        "ELB",
        "S3",
        "SQUID",
        "CADDY",
        "CDXJ",
        "LIST",
    ),
)


def _load(name: str) -> Any:
    """Import a public name, and keep it as a global, where the next use finds it."""
    value: Any
    if name in _DEFINED_IN:
        from importlib import import_module  # noqa: PLC0415  takes longer than the rest of this module

        value = getattr(import_module(f"{__name__}.{_DEFINED_IN[name]}"), name)
    elif name == "FORMATS":
        value = {format.name: format for format in map(_load, _MOST_SPECIAL_FIRST)}
    elif name == "MEANINGS":
        value = _meanings()
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _meanings() -> dict[str, str]:
    """Return the meaning of every column, whether all formats share it or one has it alone."""
    from urisect.logs.formats import aws, cdxj, squid, w3c  # noqa: PLC0415  only the help of the command needs them
    from urisect.logs.formats.columns import COLUMNS  # noqa: PLC0415

    return {
        **aws.MEANINGS,
        **cdxj.MEANINGS,
        **squid.MEANINGS,
        **w3c.MEANINGS,
        **{name: column.meaning for name, column in COLUMNS.items()},
    }


def __dir__() -> list[str]:
    return sorted(__all__)


def format_of(text: "Format | str") -> "Format":
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
    if not isinstance(text, str):
        return text
    formats: dict[str, Format] = _load("FORMATS")
    if text in formats:
        return formats[text]
    if text.startswith("json:"):
        from urisect.logs.formats.json_lines import json_lines  # noqa: PLC0415  loaded on first use, as above

        return json_lines(text)
    if "$" in text:
        from urisect.logs.formats.nginx import nginx  # noqa: PLC0415

        return nginx(text)
    if "%" in text:
        from urisect.logs.formats.apache import apache  # noqa: PLC0415

        return apache(text)
    raise ValueError(f"no log format is called {text!r}; there are {', '.join(formats)}")
