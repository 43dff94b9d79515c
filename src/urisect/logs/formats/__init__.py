"""Formats of logs: named ones, and those described by a format string. Modules are loaded on first use."""

from collections.abc import Iterator, Mapping
from types import ModuleType
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

    FORMATS: Mapping[str, Format]
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

# The named formats, each with its module and its constant there. Detection tries more specific formats first.
_NAMED_FORMATS = {
    "vhost-combined": ("apache", "VHOST_COMBINED"),
    "combined": ("apache", "COMBINED"),
    "common": ("apache", "COMMON"),
    "main": ("nginx_presets", "MAIN"),
    "ncsa-cookies": ("ncsa", "NCSA_COOKIES"),
    "combinedio": ("ncsa", "COMBINEDIO"),
    "vhost": ("ncsa", "VHOST"),
    "vhost-common": ("ncsa", "VHOST_COMMON"),
    "lighttpd": ("ncsa", "LIGHTTPD"),
    "ssl-request": ("ncsa", "SSL_REQUEST"),
    "ingress-nginx": ("nginx_presets", "INGRESS_NGINX"),
    "traefik": ("traefik", "TRAEFIK"),
    "jetty": ("java_servers", "JETTY"),
    "gunicorn": ("python_servers", "GUNICORN"),
    "uvicorn": ("python_servers", "UVICORN"),
    "uwsgi": ("python_servers", "UWSGI"),
    "werkzeug": ("python_servers", "WERKZEUG"),
    "django": ("python_servers", "DJANGO"),
    "cloudfront": ("aws", "CLOUDFRONT"),
    "w3c": ("w3c", "W3C"),
    "alb": ("aws", "ALB"),
    "elb": ("aws", "ELB"),
    "nlb": ("aws", "NLB"),
    "s3": ("aws", "S3"),
    "squid": ("squid", "SQUID"),
    "haproxy": ("haproxy", "HAPROXY"),
    "istio": ("envoy", "ISTIO"),
    "envoy": ("envoy", "ENVOY"),
    "heroku-router": ("heroku", "HEROKU_ROUTER"),
    "iis": ("iis", "IIS"),
    "combined-more": ("ncsa", "COMBINED_MORE"),  # after all formats that begin like the Combined Log Format
    "common-more": ("ncsa", "COMMON_MORE"),
    "caddy": ("caddy", "CADDY"),
    "traefik-json": ("traefik_json", "TRAEFIK_JSON"),
    "envoy-json": ("envoy_json", "ENVOY_JSON"),
    "cloudfront-json": ("aws_json", "CLOUDFRONT_JSON"),
    "aws-waf": ("aws_json", "AWS_WAF"),
    "gcp-load-balancer": ("google", "GCP_LOAD_BALANCER"),
    "cloudflare": ("cdn", "CLOUDFLARE"),
    "fastly": ("cdn", "FASTLY"),
    "akamai": ("cdn", "AKAMAI"),
    "azure-front-door": ("azure", "AZURE_FRONT_DOOR"),
    "azure-application-gateway": ("azure", "AZURE_APPLICATION_GATEWAY"),
    "cdxj": ("cdxj", "CDXJ"),
    "cdx": ("cdx", "CDX"),
    "list": ("plain", "LIST"),
}

_DEFINED_IN = {
    "Format": "format",
    "PatternFormat": "format",
    **{constant: module for module, constant in _NAMED_FORMATS.values()},
}


class _NamedFormats(Mapping[str, "Format"]):
    """The named formats, each loaded on first use."""

    def __getitem__(self, name: str) -> "Format":
        module, constant = _NAMED_FORMATS[name]
        format: Format = getattr(_import(module), constant)
        return format

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMED_FORMATS)

    def __len__(self) -> int:
        return len(_NAMED_FORMATS)


def _import(module: str) -> ModuleType:
    from importlib import import_module  # noqa: PLC0415  takes longer than the rest of this module

    return import_module(f"{__name__}.{module}")


def _load(name: str) -> Any:
    """Import a public name, and keep it as a global, where the next use finds it."""
    value: Any
    if name in _DEFINED_IN:
        value = getattr(_import(_DEFINED_IN[name]), name)
    elif name == "FORMATS":
        value = _NamedFormats()
    elif name == "COLUMN_MEANINGS":
        value = _column_meanings()
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{did_you_mean(name, __all__)}")
    globals()[name] = value
    return value


def _column_meanings() -> dict[str, str]:
    """Return the meaning of every column of the named formats."""
    from urisect.logs.formats.columns import COLUMNS  # noqa: PLC0415  only the help of the command needs it

    modules = (_import(module) for module in dict.fromkeys(module for module, _ in _NAMED_FORMATS.values()))
    own = [getattr(module, "COLUMN_MEANINGS", {}) for module in (*modules, _import("envelopes"))]
    shared = {name: column.meaning for name, column in COLUMNS.items()}
    return {name: meaning for meanings in (*own, shared) for name, meaning in meanings.items()}


def __dir__() -> list[str]:
    return sorted(__all__)


def format_of(text: "Format | str") -> "Format":
    """Return the format that a text names or describes.

    Args:
        text: a name in `FORMATS`; a format string of Apache, whose directives begin with "%", see `apache`; one of
            nginx, whose variables begin with "$", see `nginx`; "json:" and the member that contains the URI, see
            `json_lines`; the path of a configuration of nginx or httpd, with the name of a format in it, as in
            "/etc/nginx/nginx.conf:main"; or "apache:" or "nginx:" and the name of a format that the server predefines;
            each also after the name of an envelope and "+". A `Format` is returned as it is.

    Raises:
        ValueError: there is no such format.

    >>> format_of("combined").name, format_of("$remote_addr $request_uri").columns[0]
    ('combined', 'client')
    """
    if not isinstance(text, str):
        return text
    formats = _NamedFormats()
    if text in formats:
        return formats[text]
    if "+" in text:
        from urisect.logs.formats.enveloped import enclose  # noqa: PLC0415  loaded on first use, as above
        from urisect.logs.formats.envelopes import split_envelope  # noqa: PLC0415

        if found := split_envelope(text):
            envelope, inner = found
            return enclose(envelope, format_of(inner))
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
