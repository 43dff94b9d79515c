r"""nginx's access log formats: any `log_format`.

`VARIABLES` lists the columns of the variables; a column has the same name for every server: `$http_foo` is "foo", as is
Apache's `%{Foo}i`. Any other variable has a column of its own name, or "other_…" if another column has that name. A
duplicate name is numbered: "time", "time_2". Values stay in the form that the server writes, with its `\x22`.

If a request was passed to several servers, nginx writes a list, "0.012, 0.003 : 0.120". A single number is in a number
column, such as "upstream_duration"; a list is text, in a column of its own, "upstream_durations". One of the two is
undefined.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from urisect.logs.formats.compilation import compile_format
from urisect.logs.formats.directives import (
    Directive,
    DirectiveField,
    argument_columns,
    merge_adjacent_fields,
    reserved_names,
)
from urisect.logs.formats.field_patterns import (
    CLIENT_FIELD,
    HOST_FIELD,
    LIST_FIELD,
    NAME_FIELD,
    PATH_FIELD,
    QUERY_FIELD,
    REFERER_COLUMNS,
    REFERER_FIELD,
    REQUEST_COLUMNS,
    REQUEST_FIELD,
    SERVER_FIELD,
    TARGET_COLUMNS,
    TARGET_FIELD,
    TEXT_FIELD,
    USER_FIELD,
    VERSION_FIELD,
    WORD_FIELD,
    FieldPattern,
    fixed_form,
    multi_valued,
    path_and_query,
    typed_field,
)
from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.literals import unescape_quoted
from urisect.logs.formats.notation import EPOCH_SECONDS, ISO_TIME, LOG_TIME, NUMBER, PORT, SECONDS, STATUS_OR_NONE
from urisect.logs.formats.terminators import Terminator
from urisect.suggestion import did_you_mean

__all__ = ["VARIABLE", "VARIABLES", "nginx", "variable_field"]


def _question_mark(names: tuple[str, ...], end: Terminator) -> str:
    return rf"(?>(?P<{names[0]}>\?)|){end.pattern}"


QUESTION_MARK_FIELD = FieldPattern(_question_mark, form=r"\??", is_self_delimiting=True)
NUMBER_FIELD = typed_field(NUMBER)
NUMBERS_FIELD = multi_valued(NUMBER)
DURATIONS_FIELD = multi_valued(SECONDS)

# The variables of nginx's modules whose column has another name, or is not text. "*" is any part of the name.
VARIABLES: dict[str, Directive] = {
    "$args": Directive(("target_query",), "query of the target; undefined if it is empty", QUERY_FIELD),
    "$body_bytes_sent": Directive(("bytes",), "response body size", NUMBER_FIELD),
    "$bytes_sent": Directive(("bytes_sent",), "bytes sent, with headers", NUMBER_FIELD),
    "$connection": Directive(("connection",), "connection ID, a number", NAME_FIELD),
    "$connection_requests": Directive(
        ("connection_requests",), "number of the request on its connection, from 1", NUMBER_FIELD
    ),
    "$connection_time": Directive(("connection_duration",), "age of the connection, in seconds", typed_field(SECONDS)),
    "$cookie_*": Directive(("cookie_*",), "cookie of the request", TEXT_FIELD),
    "$document_uri": Directive(("target_path",), "path of the target, decoded", PATH_FIELD),
    "$host": Directive(("host",), "host of the request line, Host header, or server name", HOST_FIELD),
    "$http_cookie": Directive(("cookie",), "Cookie header", TEXT_FIELD),
    "$http_host": Directive(("host",), "Host header", HOST_FIELD),
    "$http_referer": Directive(REFERER_COLUMNS, "referring page, split into its components", REFERER_FIELD),
    "$http_user_agent": Directive(("agent",), "User-Agent header", TEXT_FIELD),
    "$http_x_forwarded_for": Directive(("forwarded_for",), "X-Forwarded-For header", LIST_FIELD),
    "$http_*": Directive(("*",), "request header", TEXT_FIELD),
    "$is_args": Directive(("is_args",), '"?" if there is a query', QUESTION_MARK_FIELD),
    "$msec": Directive(("time",), "time when the line was written, in seconds since 1970", typed_field(EPOCH_SECONDS)),
    "$pid": Directive(("process",), "process ID", NUMBER_FIELD),
    "$pipe": Directive(("pipe",), '"p" if the request was pipelined, otherwise "."', fixed_form("[p.]")),
    "$proxy_add_x_forwarded_for": Directive(
        ("proxy_add_x_forwarded_for",), "X-Forwarded-For header, followed by the client", LIST_FIELD
    ),
    "$query_string": Directive(("target_query",), "query of the target; undefined if it is empty", QUERY_FIELD),
    "$remote_addr": Directive(("client",), "client address", CLIENT_FIELD),
    "$remote_port": Directive(("client_port",), "client port", typed_field(PORT)),
    "$remote_user": Directive(("user",), "authenticated user", USER_FIELD),
    "$request": Directive(
        REQUEST_COLUMNS,
        "request line: method, target split into its components, and protocol; `request` if it is malformed",
        REQUEST_FIELD,
    ),
    "$request_filename": Directive(("file",), "path of the file sent", TEXT_FIELD),
    "$request_id": Directive(("id",), "request ID", NAME_FIELD),
    "$request_length": Directive(("bytes_received",), "bytes received, with headers", NUMBER_FIELD),
    "$request_method": Directive(("method",), "request method", NAME_FIELD),
    "$request_time": Directive(("duration",), "request duration, in seconds", typed_field(SECONDS)),
    "$request_uri": Directive(TARGET_COLUMNS, "target of the request, split into its components", TARGET_FIELD),
    "$scheme": Directive(("scheme",), "scheme, http or https", NAME_FIELD),
    "$sent_http_content_type": Directive(("media_type",), "Content-Type of the response", TEXT_FIELD),
    "$sent_http_*": Directive(("sent_*",), "response header", TEXT_FIELD),
    "$server_addr": Directive(("server_address",), "server address", WORD_FIELD),
    "$server_name": Directive(("server",), "server name", SERVER_FIELD),
    "$server_port": Directive(("server_port",), "server port", typed_field(PORT)),
    "$server_protocol": Directive(("protocol",), "protocol and version", VERSION_FIELD),
    "$ssl_cipher": Directive(("tls_cipher",), "TLS cipher suite", NAME_FIELD),
    "$ssl_protocol": Directive(("tls_protocol",), "TLS version", NAME_FIELD),
    "$status": Directive(("status",), "status code", typed_field(STATUS_OR_NONE, is_self_delimiting=True)),
    "$time_iso8601": Directive(("time",), "time when the line was written", typed_field(ISO_TIME)),
    "$time_local": Directive(
        ("time",), "time when the line was written", typed_field(LOG_TIME, is_self_delimiting=True, is_required=True)
    ),
    "$upstream_addr": Directive(("upstream", "upstreams"), "upstream server address", multi_valued()),
    "$upstream_bytes_received": Directive(
        ("upstream_size_received", "upstream_sizes_received"), "bytes received from the upstream server", NUMBERS_FIELD
    ),
    "$upstream_bytes_sent": Directive(
        ("upstream_size_sent", "upstream_sizes_sent"), "bytes sent to the upstream server", NUMBERS_FIELD
    ),
    "$upstream_cache_status": Directive(("cache",), "cache status", NAME_FIELD),
    "$upstream_connect_time": Directive(
        ("upstream_connect_duration", "upstream_connect_durations"),
        "time to connect to the upstream server, in seconds",
        DURATIONS_FIELD,
    ),
    "$upstream_header_time": Directive(
        ("upstream_header_duration", "upstream_header_durations"),
        "time to the upstream response header, in seconds",
        DURATIONS_FIELD,
    ),
    "$upstream_response_length": Directive(
        ("upstream_size", "upstream_sizes"), "upstream response size", NUMBERS_FIELD
    ),
    "$upstream_response_time": Directive(
        ("upstream_duration", "upstream_durations"), "upstream response time, in seconds", DURATIONS_FIELD
    ),
    "$upstream_status": Directive(
        ("upstream_status", "upstream_statuses"), "upstream status code", multi_valued(STATUS_OR_NONE)
    ),
    "$uri": Directive(("target_path",), "path of the target, decoded", PATH_FIELD),
    "$*": Directive(("*",), "any other variable", TEXT_FIELD),
}

# The predefined format (ngx_http_log_module, log_format).
PREDEFINED_FORMAT = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
)


class _Escaping(NamedTuple):
    """The meaning of the escape parameter of a format.

    Attributes:
        absent: the text for an undefined value.
        is_escaped: whether quotes in values are escaped.
    """

    absent: str
    is_escaped: bool


_ESCAPINGS = {
    "default": _Escaping("-", is_escaped=True),
    "json": _Escaping("", is_escaped=True),
    "none": _Escaping("", is_escaped=False),
}

# The maximum length of an excerpt of a format string in a message.
MAX_SHOWN_CHARACTERS = 20

# A variable in a format string, or a "$" that begins none.
VARIABLE = re.compile(r"\$(?:\{(?P<braced>[0-9A-Za-z_]+)\}|(?P<name>[0-9A-Za-z_]+))?")

# A token of a directive of the configuration: white space, a comment, a word, quoted or not, or the end.
_TOKEN = re.compile(
    r"""\s+|\#[^\n]*+|(?P<quote>["'])(?P<quoted>(?:[^\\]|\\.)*?)(?P=quote)|(?P<bare>[^\s;"'][^\s;]*+)|(?P<end>;\s*\Z)""",
    re.DOTALL,
)


def nginx(text: str, name: str = "nginx") -> PatternFormat:
    r"""Return the format of a log of nginx (ngx_http_log_module, log_format).

    Args:
        text: the format string; its quoted pieces as they are in the configuration, with or without
            `log_format name escape=…` before and ";" after them; or "combined", nginx's predefined format.
        name: the name of the format.

    Returns:
        A format with the columns of each variable; docs/reference/formats.md lists them.

    Raises:
        ValueError: a "$" does not begin a variable, the end of a field is unknown, there is no variable, the
            configuration is malformed, or the lines are JSON, which `json_lines` parses.

    >>> main = '''log_format main '$remote_addr [$time_iso8601] "$request_uri" '
    ...                         '$status $request_time $http_accept_language';'''
    >>> nginx(main).columns[-3:]
    ('status', 'duration', 'accept_language')
    >>> nginx("$host$uri$status")
    Traceback (most recent call last):
    ValueError: cannot tell where $uri ends: $status follows at once; put text between them
    """
    escape, format = _parse_configuration(PREDEFINED_FORMAT if text == "combined" else text.rstrip("\r\n"))
    if escape not in _ESCAPINGS:
        hint = did_you_mean(escape, _ESCAPINGS)
        raise ValueError(f"no escape parameter is called {escape!r}; there are {', '.join(_ESCAPINGS)}{hint}")
    if escape == "json" and format.lstrip().startswith("{"):
        raise ValueError("this log_format writes JSON lines; name their members instead, as in json:url")
    target = path_and_query(hyphen=True)
    parts = merge_adjacent_fields(filter(None, _parts(format)), (PATH_FIELD, QUESTION_MARK_FIELD, QUERY_FIELD), target)
    return compile_format(name, parts, **_ESCAPINGS[escape]._asdict())


def _parse_configuration(text: str) -> tuple[str, str]:
    """Return the escape parameter and the format string, from a format string or from a log_format directive."""
    if not re.match(r"""\s*(?:log_format\s|escape=|'|"(?=.*\\"))""", text, re.DOTALL):
        return "default", unescape_quoted(text)
    words = list(_words(text))
    if words[0] == "log_format":
        del words[:2]
    escape = words.pop(0).removeprefix("escape=") if words and words[0].startswith("escape=") else "default"
    return escape, "".join(words)


def _words(text: str) -> Iterator[str]:
    """Yield the words of a directive of the configuration."""
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if not found:
            raise ValueError(f"invalid log_format: misplaced quote or ';' at offset {position}")
        if found["quote"] or found["bare"]:
            yield unescape_quoted(found["quoted"] or found["bare"] or "")
        position = found.end()


_RESERVED_NAMES = reserved_names(VARIABLES)


def _parts(format: str) -> Iterator[str | DirectiveField]:
    """Yield the variables of a format string, and the text between them."""
    position = 0
    for found in VARIABLE.finditer(format):
        yield format[position : found.start()]
        if not found.lastgroup:
            text = format[found.start() : found.start() + MAX_SHOWN_CHARACTERS]
            raise ValueError(f"{text!r} does not begin with a variable{did_you_mean(text, VARIABLES)}")
        yield variable_field(found[found.lastgroup])
        position = found.end()
    yield format[position:]


def variable_field(name: str) -> DirectiveField:
    """Look up a variable.

    Args:
        name: its name, without "$".

    >>> variable_field("remote_addr").columns, variable_field("http_x_real_ip").columns
    (('client',), ('x_real_ip',))
    """
    text = f"${name}"
    if text in VARIABLES:
        return DirectiveField(text, VARIABLES[text].columns, VARIABLES[text].field_pattern)
    prefix = next(prefix for prefix in ("cookie_", "http_", "sent_http_", "") if name.startswith(prefix))
    directive = VARIABLES[f"${prefix}*"]
    columns = argument_columns(directive, name.removeprefix(prefix), _RESERVED_NAMES)
    return DirectiveField(text, columns, directive.field_pattern)
