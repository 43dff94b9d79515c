"""Write the tables of `docs/reference/formats.md` from the code: `make pages`."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from tests.support.pages import table, with_generated
from tests.support.paths import DOCS
from urisect.cli.formats import describe_columns
from urisect.logs import FORMATS, Format
from urisect.logs.formats.apache import DIRECTIVES
from urisect.logs.formats.directives import Directive
from urisect.logs.formats.envelopes import COLUMN_MEANINGS, ENVELOPES, LINE_MEMBERS, json_envelope
from urisect.logs.formats.fields import ALIASES
from urisect.logs.formats.nginx import VARIABLES
from urisect.logs.input.json_detection import WELL_KNOWN_MEMBERS
from urisect.reference import Reference

__all__ = ["PAGE", "with_formats"]

PAGE = DOCS / "reference" / "formats.md"

# The named formats, in groups, each with what sets its lines apart from those of other formats.
GROUPS = {
    "Apache httpd and its like": {
        "combined": "a quoted referer and a quoted agent after `common`",
        "common": "a time in brackets, a quoted request, a status, a size",
        "vhost-combined": "`server:port` before `combined`",
        "vhost": "a server before `combined`",
        "vhost-common": "a server before `common`: an address, `localhost` or a name with a dot",
        "combinedio": "bytes received and sent after `combined`",
        "ncsa-cookies": "quoted cookies, `name=value`, after `combined`",
        "lighttpd": "a server in place of the identity",
        "ssl-request": "a time first, then client, TLS version and cipher",
        "combined-more": "any other text after `combined`",
        "common-more": "any other text after `common`, but no quote",
    },
    "nginx and Kubernetes": {
        "main": "quoted addresses, or a quoted `-`, after `combined`",
        "ingress-nginx": "the upstream's name in brackets after `combined`",
    },
    "Application servers": {
        "jetty": "two spaces where `common` has one",
        "gunicorn": "a space in place of the client",
        "uvicorn": "`client:port - `, a quoted request, a status",
        "uwsgi": "`[pid: …]` first",
        "werkzeug": "a time in brackets without a zone, after a client",
        "django": "a time in brackets without a zone, first",
    },
    "Proxies and load balancers": {
        "traefik": "a number, a router, a URL and `12ms` after `combined`",
        "traefik-json": "the member `RequestPath`",
        "caddy": "the member `request`, an object",
        "envoy": "a time in brackets first, of ISO 8601",
        "envoy-json": "the member `response_flags` or `response_code_details`",
        "istio": "as `envoy`, with details of the response and the names of the route",
        "haproxy": "client and port, a time in brackets, five timers separated by `/`",
        "squid": "seconds since 1970, and a result such as `TCP_MISS/200`",
        "heroku-router": "`key=value`, among them `method` and `path`",
    },
    "CDNs and clouds": {
        "alb": "the type first, such as `https`, then a time of ISO 8601",
        "elb": "a time of ISO 8601, a name, client and backend with ports",
        "nlb": "`tls` first, and a version",
        "s3": "the owner of the bucket first, and an operation such as `REST.GET.OBJECT`",
        "cloudfront": "`#Fields:` with names that begin with `x-edge-`; or tabs, and the standard fields",
        "cloudfront-json": "the member `cs-uri-stem`",
        "aws-waf": "the member `webaclId`, `terminatingRuleId` or `httpSourceName`",
        "gcp-load-balancer": "the member `httpRequest`",
        "azure-front-door": "the member `trackingReference`",
        "azure-application-gateway": "the member `httpStatus`",
        "cloudflare": "the member `ClientRequestURI` or `ClientRequestPath`",
        "fastly": "the member `fastly_server`, `fastly_is_edge` or `is_tls`",
        "akamai": "the member `reqPath`",
    },
    "Windows": {
        "w3c": "`#Fields:` with any known name",
        "iis": "commas, and a date such as `11/10/96`",
    },
    "Web archives": {
        "cdxj": "a key, 14 digits, an object of JSON",
        "cdx": "a key, 14 digits, a URI, all separated by spaces",
    },
    "Lists": {"list": "each line is a path or has a scheme, and has no space"},
}

# Where to look for logs that many servers write.
NOTES = {
    "nginx and Kubernetes": "nginx's default: [combined](#combined)",
    "Application servers": "Tomcat, Spring Boot, gunicorn: [common](#common), [combined](#combined)",
    "Windows": "IIS's default: [w3c](#w3c)",
}

# In a sample of an envelope, what the server wrote.
LINE = b"LINE"


def with_formats(page: str) -> str:
    """Replace the generated tables of the page.

    Args:
        page: the page in Markdown.
    """
    formats = _in_groups()
    tables = {
        "all-formats": _overview(),
        "aliases": _aliases(),
        "columns": _shared_columns(formats),
        "envelopes": _envelopes(),
        "named-formats": (line for format in formats for line in _named_format(format)),
        "directives": _directives("directive", DIRECTIVES),
        "variables": _directives("variable", VARIABLES),
        "members": _members(),
    }
    for name, lines in tables.items():
        page = with_generated(page, name, "\n".join(lines).rstrip() + "\n")
    return page


def _in_groups() -> list[Format]:
    """Return the named formats in the order of the page.

    Raises:
        ValueError: a format is in no group, or a group has a name of none.
    """
    names = [name for group in GROUPS.values() for name in group]
    if different := {*names} ^ {*FORMATS}:
        raise ValueError(f"GROUPS in {__file__} and FORMATS differ in {', '.join(sorted(different))}")
    return [FORMATS[name] for name in names]


def _overview() -> list[str]:
    """Write the table of all formats, with a row for each group."""
    rows: list[tuple[str, str, str]] = []
    for group, phrases in GROUPS.items():
        rows.append((f"**{group}**", NOTES.get(group, ""), ""))
        rows += [(f"[{name}](#{name})", FORMATS[name].title, phrase) for name, phrase in phrases.items()]
    return table(("format", "log of", "what sets its lines apart"), rows)


def _aliases() -> list[str]:
    aliases = defaultdict(list)
    for alias, field in ALIASES.items():
        aliases[field].append(alias)
    return table(("field", "aliases"), ((f"`{field}`", _code(names)) for field, names in aliases.items()))


def _shared_names() -> frozenset[str]:
    """Return the columns of more than one named format."""
    counts = Counter(column for format in FORMATS.values() for column in format.columns)
    return frozenset(name for name, count in counts.items() if count > 1)


def _shared_columns(formats: Iterable[Format]) -> list[str]:
    """Describe the columns that several formats have, in the order in which the formats have them."""
    shared = _shared_names()
    described = {row[0]: row for format in formats for row in describe_columns(format) if row[0] in shared}
    return _columns(described.values())


def _columns(rows: Iterable[tuple[str, str, str]]) -> list[str]:
    return table(("column", "kind", "meaning"), ((f"`{column}`", kind, meaning) for column, kind, meaning in rows))


def _envelopes() -> Iterator[str]:
    width = max(map(len, ENVELOPES))
    rows = (
        (f"`{envelope.name}`", envelope.title, _code(name.removeprefix("envelope_") for name in envelope.columns))
        for envelope in ENVELOPES.values()
    )
    every = _code(name.removeprefix("envelope_") for name in json_envelope("a").columns)
    of_json = ("`json:MEMBER`", "anything in JSON, with the line in this member", every)
    yield from (*table(("envelope", "written by", "columns, after `envelope_`"), [*rows, of_json]), "")
    samples = ((each.name, each.sample.replace(b"%b", LINE).decode()) for each in ENVELOPES.values())
    yield from ("```text", *(f"{name:<{width}}  {sample.rstrip()}" for name, sample in samples), "```", "")
    yield f"Without a name, these members are tried: {_code(LINE_MEMBERS)}.\n"
    kinds = {
        column: kind
        for envelope in ENVELOPES.values()
        for column, kind, _ in describe_columns(envelope.format)
        if column in COLUMN_MEANINGS
    }
    yield from _columns((column, kinds[column], meaning) for column, meaning in COLUMN_MEANINGS.items())


def _named_format(format: Format) -> Iterator[str]:
    """Write the section of a format: its notes, a sample, the names of its columns, and what its own ones mean."""
    yield f"### {format.name}\n\n{format.title}. {format.notes}\n"
    yield f"```text\n{format.sample.decode()}```\n"
    shared = _shared_names()
    own = [row for row in describe_columns(format) if row[0] not in shared]
    yield f"Columns: {_code(_fold_uris(format))}.\n"
    if own:
        yield from (*_columns(own), "")


def _fold_uris(format: Format) -> Iterator[str]:
    """Yield the names of the columns, those of a whole URI as one: `target_…`."""
    folded = {
        f"{uri}{component}": f"{uri}…"
        for uri in filter(None, format.uris)
        if {f"{uri}{component}" for component in Reference._fields} <= {*format.columns}
        for component in Reference._fields
    }
    yield from dict.fromkeys(folded.get(column, column) for column in format.columns)


def _directives(title: str, directives: Mapping[str, Directive]) -> list[str]:
    rows = ((f"`{text}`", _code(directive.columns), directive.meaning) for text, directive in directives.items())
    return table((title, "columns", "meaning"), rows)


def _members() -> list[str]:
    return table(
        ("column", "members"), ((f"`{column}`", _code(members)) for column, members in WELL_KNOWN_MEMBERS.items())
    )


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
