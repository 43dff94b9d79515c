r"""nginx's formats of access logs: any `log_format`.

A column is named after what it tells, whatever server wrote it, as `VARIABLES` lists: `$http_foo` is "foo", as Apache's
`%{Foo}i` is, and any other variable has its own name, unless another column is called so: then it is "other_…". A name
that occurs twice is numbered: "time", "time_2". Values stay as they are written, with the server's `\x22`.

A request that went to several servers has a list of what each of them did, "0.012, 0.003 : 0.120". The number of a
request that went to one is in a column of numbers, such as "upstream_duration"; a list is text, in a column of its own,
"upstream_durations", and of the two one is undefined.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from urisect.logs.formats.directives import (
    HOST,
    LIST,
    NAME,
    PATH,
    QUERY,
    REFERER,
    REFERERS,
    REQUEST,
    REQUESTS,
    TARGET,
    TARGETS,
    TEXT,
    USER,
    VERSION,
    WORD,
    Directive,
    End,
    Field,
    Shape,
    compiled,
    mark,
    owned,
    path_and_query,
    plenty,
    reserved,
    together,
    typed,
    unescaped,
)
from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.notation import EPOCH_SECONDS, ISO_TIME, LOG_TIME, NUMBER, PORT, SECONDS, STATUS

__all__ = ["VARIABLES", "nginx"]


def _question_mark(names: tuple[str, ...], end: End) -> str:
    return rf"(?>(?P<{names[0]}>\?)|){end.close}"


QUESTION_MARK = Shape(_question_mark, form=r"\??", fixed=True)
SIZE = typed(NUMBER)
SIZES = plenty(NUMBER)
DURATIONS = plenty(SECONDS)

# The variables of nginx's modules that have a column of another name, or are no text; "*" is a part of the name.
VARIABLES: dict[str, Directive] = {
    "$args": Directive(("target_query",), "the query of the target; undefined if it is empty", QUERY),
    "$body_bytes_sent": Directive(("bytes",), "the size of the response without its header fields", SIZE),
    "$bytes_sent": Directive(("bytes_sent",), "the size of all that was sent", SIZE),
    "$connection": Directive(("connection",), "what identifies the connection, a number", NAME),
    "$connection_requests": Directive(("connection_requests",), "which request of the connection it was", SIZE),
    "$connection_time": Directive(("connection_duration",), "how old the connection was, in seconds", typed(SECONDS)),
    "$cookie_*": Directive(("cookie_*",), "a cookie of the request", TEXT),
    "$document_uri": Directive(("target_path",), "the path of the target, decoded", PATH),
    "$host": Directive(("host",), "the host of the request line or the Host field, or the server's name", HOST),
    "$http_cookie": Directive(("cookie",), "the Cookie field of the request", TEXT),
    "$http_host": Directive(("host",), "the Host field of the request", HOST),
    "$http_referer": Directive(REFERERS, "the page that referred to the target, cut into its components", REFERER),
    "$http_user_agent": Directive(("agent",), "the User-Agent field of the request", TEXT),
    "$http_x_forwarded_for": Directive(("forwarded_for",), "the X-Forwarded-For field of the request", LIST),
    "$http_*": Directive(("*",), "a header field of the request", TEXT),
    "$is_args": Directive(("is_args",), 'a "?" before a query', QUESTION_MARK),
    "$msec": Directive(("time",), "when the line was written, in seconds since 1970", typed(EPOCH_SECONDS)),
    "$pid": Directive(("process",), "the process that responded", SIZE),
    "$pipe": Directive(("pipe",), '"p" if the request was pipelined, else "."', mark("[p.]")),
    "$proxy_add_x_forwarded_for": Directive(
        ("proxy_add_x_forwarded_for",), "the X-Forwarded-For field, and the client behind it", LIST
    ),
    "$query_string": Directive(("target_query",), "the query of the target; undefined if it is empty", QUERY),
    "$remote_addr": Directive(("client",), "the address of the client", WORD),
    "$remote_port": Directive(("client_port",), "the port that the request came from", typed(PORT)),
    "$remote_user": Directive(("user",), "who was authenticated", USER),
    "$request": Directive(
        REQUESTS,
        "the request line: method, target cut into its components, and protocol, or a text that is none",
        REQUEST,
    ),
    "$request_filename": Directive(("file",), "the file that was served", TEXT),
    "$request_id": Directive(("id",), "what identifies the request", NAME),
    "$request_length": Directive(("bytes_received",), "the size of all that was received", SIZE),
    "$request_method": Directive(("method",), "the method of the request", NAME),
    "$request_time": Directive(("duration",), "how long the request took, in seconds", typed(SECONDS)),
    "$request_uri": Directive(TARGETS, "the target of the request, cut into its components", TARGET),
    "$scheme": Directive(("scheme",), "the scheme, http or https", NAME),
    "$sent_http_content_type": Directive(("media_type",), "the Content-Type of the response", TEXT),
    "$sent_http_*": Directive(("sent_*",), "a header field of the response", TEXT),
    "$server_addr": Directive(("server_address",), "the address that the request came to", WORD),
    "$server_name": Directive(("server",), "the name of the server that responded", HOST),
    "$server_port": Directive(("server_port",), "the port that the request came to", typed(PORT)),
    "$server_protocol": Directive(("protocol",), "the protocol and its version", VERSION),
    "$ssl_cipher": Directive(("tls_cipher",), "the cipher suite of TLS", NAME),
    "$ssl_protocol": Directive(("tls_protocol",), "the version of TLS", NAME),
    "$status": Directive(("status",), "the status code", typed(STATUS, fixed=True)),
    "$time_iso8601": Directive(("time",), "when the line was written", typed(ISO_TIME)),
    "$time_local": Directive(("time",), "when the line was written", typed(LOG_TIME, fixed=True, always=True)),
    "$upstream_addr": Directive(("upstream", "upstreams"), "the address of the server behind this one", plenty()),
    "$upstream_bytes_received": Directive(
        ("upstream_size_received", "upstream_sizes_received"), "how much came from the server behind this one", SIZES
    ),
    "$upstream_bytes_sent": Directive(
        ("upstream_size_sent", "upstream_sizes_sent"), "how much went to the server behind this one", SIZES
    ),
    "$upstream_cache_status": Directive(("cache",), "whether a cache had the response", NAME),
    "$upstream_connect_time": Directive(
        ("upstream_connect_duration", "upstream_connect_durations"),
        "how long the connection to the server behind took, in seconds",
        DURATIONS,
    ),
    "$upstream_header_time": Directive(
        ("upstream_header_duration", "upstream_header_durations"),
        "how long the header fields of its response took, in seconds",
        DURATIONS,
    ),
    "$upstream_response_length": Directive(
        ("upstream_size", "upstream_sizes"), "the size of its response without header fields", SIZES
    ),
    "$upstream_response_time": Directive(
        ("upstream_duration", "upstream_durations"), "how long the server behind this one took, in seconds", DURATIONS
    ),
    "$upstream_status": Directive(
        ("upstream_status", "upstream_statuses"), "the status code of the server behind this one", plenty(STATUS)
    ),
    "$uri": Directive(("target_path",), "the path of the target, decoded", PATH),
    "$*": Directive(("*",), "any other variable", TEXT),
}

# The format that nginx has without being told (ngx_http_log_module, log_format).
COMBINED = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
)


class _Escape(NamedTuple):
    """What the escape parameter of a format changes: what stands for nothing, and whether quotes are escaped."""

    absent: str
    escaped: bool


_ESCAPES = {
    "default": _Escape("-", escaped=True),
    "json": _Escape("", escaped=True),
    "none": _Escape("", escaped=False),
}

_VARIABLE = re.compile(r"\$(?:\{(?P<braced>[0-9A-Za-z_]+)\}|(?P<name>[0-9A-Za-z_]+))?")

# What a directive of the configuration is made of: words, some in quotes, comments, and the end.
_WORD = re.compile(
    r"""\s+|\#[^\n]*+|(?P<quote>["'])(?P<quoted>(?:[^\\]|\\.)*?)(?P=quote)|(?P<bare>[^\s;"'][^\s;]*+)|(?P<end>;\s*\Z)""",
    re.DOTALL,
)


def nginx(text: str, name: str = "nginx") -> PatternFormat:
    r"""Read the format of a log of nginx (ngx_http_log_module, log_format).

    Args:
        text: the format; or its pieces in quotes, as they stand in the configuration, with or without
            `log_format name escape=…` before and ";" behind them; or "combined", which nginx knows of itself.
        name: what the format is to be called.

    Returns:
        A format, with the columns that `VARIABLES` lists for each variable.

    Raises:
        ValueError: a "$" begins no variable, nothing tells where one ends, there is none at all, the configuration is
            not well-formed, or the lines are JSON, which is not read as text.

    >>> nginx('''log_format main '$remote_addr [$time_iso8601] "$request_uri" '
    ...                         '$status $request_time $http_accept_language';''').columns[-3:]
    ('status', 'duration', 'accept_language')
    >>> nginx("$remote_addr$remote_user")
    Traceback (most recent call last):
    ValueError: nothing tells where $remote_addr ends, for $remote_user follows at once
    """
    escape, format = _configured(COMBINED if text == "combined" else text.rstrip("\r\n"))
    if escape not in _ESCAPES:
        raise ValueError(f"no escaping is called {escape!r}; there are {', '.join(_ESCAPES)}")
    if escape == "json" and format.lstrip().startswith("{"):
        raise ValueError("this log_format makes lines of JSON: they are read as JSON, by their keys")
    parts = together(filter(None, _parts(format)), (PATH, QUESTION_MARK, QUERY), path_and_query(hyphen=True))
    return compiled(name, parts, **_ESCAPES[escape]._asdict())


def _configured(text: str) -> tuple[str, str]:
    """Give the escaping and the format, of a format or of what a configuration says of it."""
    if not re.match(r"""\s*(?:log_format\s|escape=|'|"(?=.*\\"))""", text, re.DOTALL):
        return "default", unescaped(text)
    words = list(_words(text))
    if words[0] == "log_format":
        del words[:2]
    escape = words.pop(0).removeprefix("escape=") if words and words[0].startswith("escape=") else "default"
    return escape, "".join(words)


def _words(text: str) -> Iterator[str]:
    """Cut a directive of a configuration into its words."""
    position = 0
    while position < len(text):
        found = _WORD.match(text, position)
        if not found:
            raise ValueError(
                f"this is no log_format of a configuration: a quote or a ';' at offset {position} is amiss"
            )
        if found["quote"] or found["bare"]:
            yield unescaped(found["quoted"] or found["bare"] or "")
        position = found.end()


_RESERVED = reserved(VARIABLES)


def _parts(format: str) -> Iterator[str | Field]:
    """Cut a format into variables and the text between them."""
    position = 0
    for found in _VARIABLE.finditer(format):
        yield format[position : found.start()]
        if not found.lastgroup:
            raise ValueError(f"no variable begins with {format[found.start() : found.start() + 20]!r}")
        yield _variable(found[found.lastgroup])
        position = found.end()
    yield format[position:]


def _variable(name: str) -> Field:
    """Look a variable up."""
    written = f"${name}"
    if written in VARIABLES:
        return Field(written, VARIABLES[written].columns, VARIABLES[written].shape)
    prefix = next(prefix for prefix in ("cookie_", "http_", "sent_http_", "") if name.startswith(prefix))
    directive = VARIABLES[f"${prefix}*"]
    return Field(written, owned(directive, name.removeprefix(prefix), _RESERVED), directive.shape)
