r"""Apache's access log formats: the Common and the Combined Log Format, and any other `LogFormat`.

`DIRECTIVES` lists the columns of each directive; a column has the same name for every server. A duplicate name is
numbered: "client", "client_2". A header field `Foo-Bar` is "foo_bar", or "other_foo_bar" if another column has that
name. Values stay in the form that the server writes, with its `\"` and `\xhh`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

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
    IDENTITY_FIELD,
    LIST_FIELD,
    NAME_FIELD,
    PATH_FIELD,
    REFERER_COLUMNS,
    REFERER_FIELD,
    REQUEST_COLUMNS,
    REQUEST_FIELD,
    SERVER_FIELD,
    TEXT_FIELD,
    USER_FIELD,
    VERSION_FIELD,
    WORD_FIELD,
    FieldPattern,
    fixed_form,
    path_and_query,
    typed_field,
)
from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.literals import unescape_quoted
from urisect.logs.formats.notation import (
    LOG_TIME,
    MICROSECONDS,
    MILLISECONDS,
    NUMBER,
    PORT,
    SECONDS,
    STATUS_OR_NONE,
    Notation,
    ValueKind,
)
from urisect.logs.formats.request import OPTIONAL_BOM
from urisect.logs.formats.strftime import TimeDirective, merge_time_directives, parse_time_directive
from urisect.logs.formats.terminators import Terminator
from urisect.suggestion import did_you_mean

__all__ = [
    "COMBINED",
    "COMMON",
    "DIRECTIVES",
    "NICKNAMES",
    "VHOST_COMBINED",
    "apache",
    "ncsa_signature",
    "parse_format_string",
]


def _query_with_question_mark(names: tuple[str, ...], end: Terminator) -> str:
    return end.field(rf"\?(?P<{names[0]}>{end.text()}){end.pattern}", end.confirmed)


def _parse_hexadecimal(text: bytes) -> int:
    return int(text, 16)


QUESTION_MARK_QUERY_FIELD = FieldPattern(_query_with_question_mark)
NUMBER_FIELD = typed_field(NUMBER)
HEXADECIMAL_FIELD = typed_field(Notation(ValueKind.NUMBER, r"[0-9A-Fa-f]{1,15}+", _parse_hexadecimal))

# The directives of mod_log_config, mod_logio and mod_ssl. "*" is an argument, such as the case-insensitive name of a
# header field.
DIRECTIVES: dict[str, Directive] = {
    "%a": Directive(("client",), "client address", CLIENT_FIELD),
    "%{c}a": Directive(("peer",), "address at the other end of the connection, such as a proxy", WORD_FIELD),
    "%A": Directive(("server_address",), "server address", WORD_FIELD),
    "%b": Directive(("bytes",), "response body size", NUMBER_FIELD),
    "%B": Directive(("bytes",), "response body size, 0 for none", NUMBER_FIELD),
    "%{*}C": Directive(("cookie_*",), "cookie of the request", TEXT_FIELD),
    "%{version}c": Directive(("tls_protocol",), "TLS version", NAME_FIELD),
    "%{cipher}c": Directive(("tls_cipher",), "TLS cipher suite", NAME_FIELD),
    "%{*}c": Directive(("tls_*",), "property of the TLS connection", TEXT_FIELD),
    "%D": Directive(("duration",), "request duration, in microseconds", typed_field(MICROSECONDS)),
    "%{UNIQUE_ID}e": Directive(("id",), "request ID", NAME_FIELD),
    "%{*}e": Directive(("env_*",), "environment variable", TEXT_FIELD),
    "%f": Directive(("file",), "path of the file sent", TEXT_FIELD),
    "%h": Directive(("client",), "client name or address", CLIENT_FIELD),
    "%{c}h": Directive(("peer",), "name or address at the other end of the connection", WORD_FIELD),
    "%H": Directive(("protocol",), "protocol and version", VERSION_FIELD),
    "%{Cookie}i": Directive(("cookie",), "Cookie header", TEXT_FIELD),
    "%{Host}i": Directive(("host",), "Host header", HOST_FIELD),
    "%{Referer}i": Directive(REFERER_COLUMNS, "referring page, split into its components", REFERER_FIELD),
    "%{User-Agent}i": Directive(("agent",), "User-Agent header", TEXT_FIELD),
    "%{X-Forwarded-For}i": Directive(("forwarded_for",), "X-Forwarded-For header", LIST_FIELD),
    "%{*}i": Directive(("*",), "request header", TEXT_FIELD),
    "%I": Directive(("bytes_received",), "bytes received, with headers", NUMBER_FIELD),
    "%k": Directive(("keepalives",), "number of earlier requests on the connection", NUMBER_FIELD),
    "%l": Directive(("identity",), "client identity (RFC 1413)", IDENTITY_FIELD),
    "%L": Directive(("id",), "request ID in the error log", NAME_FIELD),
    "%{c}L": Directive(("connection",), "connection ID in the error log", NAME_FIELD),
    "%m": Directive(("method",), "request method", NAME_FIELD),
    "%{*}n": Directive(("note_*",), "note of a module", TEXT_FIELD),
    "%{Content-Type}o": Directive(("media_type",), "Content-Type of the response", TEXT_FIELD),
    "%{*}o": Directive(("sent_*",), "response header", TEXT_FIELD),
    "%O": Directive(("bytes_sent",), "bytes sent, with headers", NUMBER_FIELD),
    "%p": Directive(("server_port",), "canonical server port", typed_field(PORT)),
    "%{canonical}p": Directive(("server_port",), "canonical server port", typed_field(PORT)),
    "%{local}p": Directive(("server_port",), "actual server port", typed_field(PORT)),
    "%{remote}p": Directive(("client_port",), "client port", typed_field(PORT)),
    "%P": Directive(("process",), "process ID", NUMBER_FIELD),
    "%{pid}P": Directive(("process",), "process ID", NUMBER_FIELD),
    "%{tid}P": Directive(("thread",), "thread ID", NUMBER_FIELD),
    "%{hextid}P": Directive(("thread",), "thread ID, in hexadecimal", HEXADECIMAL_FIELD),
    "%q": Directive(("target_query",), 'query with a "?" before it; empty if there is none', QUESTION_MARK_QUERY_FIELD),
    "%r": Directive(
        REQUEST_COLUMNS,
        "request line: method, target split into its components, and protocol; `request` if it is malformed",
        REQUEST_FIELD,
    ),
    "%R": Directive(("handler",), "response handler", TEXT_FIELD),
    "%s": Directive(("status",), "status code", typed_field(STATUS_OR_NONE, is_self_delimiting=True)),
    "%S": Directive(("bytes_total",), "bytes received and sent, with headers", NUMBER_FIELD),
    "%t": Directive(("time",), "time of the request", typed_field(LOG_TIME, is_self_delimiting=True, is_required=True)),
    "%{*}t": Directive(
        ("time",),
        "time in the form of strftime, or of sec, msec, usec, msec_frac and usec_frac; several adjacent directives may "
        "be one time; UTC without a zone; `time_text` if it cannot be parsed",
        TEXT_FIELD,
    ),
    "%T": Directive(("duration",), "request duration, in seconds", typed_field(SECONDS)),
    "%{s}T": Directive(("duration",), "request duration, in seconds", typed_field(SECONDS)),
    "%{ms}T": Directive(("duration",), "request duration, in milliseconds", typed_field(MILLISECONDS)),
    "%{us}T": Directive(("duration",), "request duration, in microseconds", typed_field(MICROSECONDS)),
    "%u": Directive(("user",), "authenticated user", USER_FIELD),
    "%U": Directive(("target_path",), "path of the target, decoded", PATH_FIELD),
    "%v": Directive(("server",), "name of the virtual host", SERVER_FIELD),
    "%V": Directive(("server",), "server name, after UseCanonicalName", SERVER_FIELD),
    "%{SSL_PROTOCOL}x": Directive(("tls_protocol",), "TLS version", NAME_FIELD),
    "%{SSL_CIPHER}x": Directive(("tls_cipher",), "TLS cipher suite", NAME_FIELD),
    "%{*}x": Directive(("*",), "variable of mod_ssl", TEXT_FIELD),
    "%X": Directive(
        ("connection_status",), "connection status: X, aborted; +, kept alive; -, closed", fixed_form(r"[X+\-]")
    ),
    "%^FB": Directive(("first_byte_duration",), "time to the first byte, in microseconds", typed_field(MICROSECONDS)),
    "%{*}^ti": Directive(("trailer_*",), "request trailer", TEXT_FIELD),
    "%{*}^to": Directive(("sent_trailer_*",), "response trailer", TEXT_FIELD),
}

# The nicknames in the default configuration of httpd, and those in its documentation.
NICKNAMES = {
    "common": r"%h %l %u %t \"%r\" %>s %b",
    "combined": r"%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-agent}i\"",
    "combinedio": r"%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %I %O",
    "vhost_common": r"%v %h %l %u %t \"%r\" %>s %b",
    "vhost_combined": r"%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"",
    "referer": "%{Referer}i -> %U",
    "agent": "%{User-agent}i",
}

# A directive: status codes that it is for, which request it describes, and an argument (mod_log_config, "Modifiers").
_DIRECTIVE = re.compile(
    r"%(?:%|(?P<modifiers>[!<>,0-9]*)(?:\{(?P<argument>[^}]*)\}(?P<more>[!<>,0-9]*))?(?P<letter>\^[A-Za-z]{2}|.)?)",
    re.DOTALL,
)

# A line of the configuration: LogFormat "…" nickname
_CONFIGURATION_LINE = re.compile(
    r"""\s*LogFormat\s+(["'])(?P<format>(?:[^\\]|\\.)*?)\1(?:\s+\S+)?\s*""", re.DOTALL | re.IGNORECASE
)


def apache(text: str, name: str = "apache") -> PatternFormat:
    r"""Return the format of a log of Apache httpd (mod_log_config, LogFormat).

    Args:
        text: the format string as it is in the configuration, with or without a backslash before its quotes; the whole
            line `LogFormat "…" nickname`; or a nickname of Apache's own configuration: common, combined, combinedio,
            vhost_common, vhost_combined, referer or agent.
        name: the name of the format.

    Returns:
        A format with the columns of each directive; docs/reference/formats.md lists them.

    Raises:
        ValueError: a directive is unknown, the end of a field is unknown, or there is no directive.

    >>> apache(r'%v %h %t \"%m %U%q\" %>s %{ms}T %{Accept-Language}i').columns[-5:]
    ('target_path', 'target_query', 'status', 'duration', 'accept_language')
    >>> apache("%h%u")
    Traceback (most recent call last):
    ValueError: cannot tell where %h ends: %u follows at once; put text between them
    """
    line = _CONFIGURATION_LINE.fullmatch(text)
    offset, text = (line.start("format"), line["format"]) if line else (0, NICKNAMES.get(text, text.rstrip("\r\n")))
    return compile_format(name, parse_format_string(text, offset))


def parse_format_string(text: str, offset: int = 0) -> list[str | DirectiveField]:
    """Return the fields of a format string, and the text between them.

    Args:
        text: the format string.
        offset: its offset in the text that the user wrote, for messages.

    Raises:
        ValueError: a directive is unknown.

    >>> [part if isinstance(part, str) else part.columns for part in parse_format_string("%h - %s")]
    [('client',), ' - ', ('status',)]
    """
    parts = merge_time_directives([part for part in _parts(text, offset) if part])
    target = path_and_query(hyphen=False)
    return list(merge_adjacent_fields(parts, (PATH_FIELD, QUESTION_MARK_QUERY_FIELD), target))


def _parts(text: str, offset: int) -> Iterator[str | DirectiveField | TimeDirective]:
    """Yield the directives of a format string, and the text between them.

    Args:
        text: the format string.
        offset: its offset in the text that the user wrote.
    """
    position = 0
    for found in _DIRECTIVE.finditer(text):
        yield unescape_quoted(text[position : found.start()])
        yield "%" if found[0] == "%%" else _directive_field(found, offset + found.start())
        position = found.end()
    yield unescape_quoted(text[position:])


# Patterns that a conditional directive replaces, because it may write "-".
_CONDITIONAL_PATTERNS = {WORD_FIELD: NAME_FIELD, CLIENT_FIELD: NAME_FIELD, PATH_FIELD: TEXT_FIELD}

_RESERVED_NAMES = reserved_names(DIRECTIVES)
_BY_LOWER_ARGUMENT = {re.sub(r"\{.*\}", lambda name: name[0].lower(), key): value for key, value in DIRECTIVES.items()}


def _directive_field(found: re.Match[str], offset: int) -> DirectiveField | TimeDirective:
    """Look up a directive at an offset."""
    text, argument, letter = found[0], found["argument"] or "", found["letter"]
    is_conditional = re.search("[0-9]", f"{found['modifiers']}{found['more'] or ''}") is not None
    if letter == "t":
        return parse_time_directive(text, unescape_quoted(argument), is_conditional=is_conditional)
    directive = _BY_LOWER_ARGUMENT.get(f"%{{{argument.lower()}}}{letter}" if argument else f"%{letter}")
    if directive:
        columns = directive.columns
    elif argument and (directive := DIRECTIVES.get(f"%{{*}}{letter}")):
        columns = argument_columns(directive, argument, _RESERVED_NAMES)
    else:
        hint = did_you_mean(text, DIRECTIVES)
        raise ValueError(
            f"no directive is called {text!r}, at offset {offset}; there are {', '.join(DIRECTIVES)}{hint}"
        )
    pattern = directive.field_pattern
    return DirectiveField(text, columns, _CONDITIONAL_PATTERNS.get(pattern, pattern) if is_conditional else pattern)


def ncsa_signature(words: int, end: str = "") -> str:
    r"""Return the signature of a format that begins like the Common Log Format.

    Args:
        words: how many words there are before the time.
        end: source of the end of the line.

    >>> import re
    >>> re.search(ncsa_signature(3, r"[0-9\-]"), COMMON.sample.decode().splitlines()[0])[0][-4:]
    '2326'
    """
    line = rf'[^ ]*(?: [^ ]+){{{words - 1}}} \[[0-9]{{2}}/[A-Z][a-z]{{2}}/[0-9]{{4}}:[0-9:]{{8}} [+\-][0-9]{{4}}\] "'
    return rf"\A{OPTIONAL_BOM}{line}" + (rf".*{end}\Z" if end else "")


COMMON = replace(
    apache(NICKNAMES["common"], "common"),
    title="Apache, Common Log Format",
    signature=ncsa_signature(3, r"[0-9\-]"),
    notes="As `combined`, without referer and agent. Also the default of Tomcat and of Spring Boot, and Jetty's.",
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" 200 2326
192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 -
""",
)
COMBINED = replace(
    apache(NICKNAMES["combined"], "combined"),
    title="Apache, Combined Log Format; nginx's default",
    signature=ncsa_signature(3, '"'),
    notes=(
        'A target or referer with an escaped quote (`\\"`, `\\x22`) is not unescaped. The target of `CONNECT` is an '
        "authority. A target that begins with `/` has none (RFC 9112, 3.2.1): the path of `GET //x/y` is `//x/y`. A "
        "malformed request line, such as the first bytes of a TLS handshake, is in `request`. The status 000, which "
        "nginx writes if it sent no response, is undefined. Also the default of gunicorn, of Jetty's request log, of "
        "Tomcat with the pattern `combined`, and of varnishncsa, whose targets are whole URIs."
    ),
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" 200 2326 "http://example.com/" "Lynx/2.6"
192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 - "-" "-"
""",
)
VHOST_COMBINED = replace(
    apache(NICKNAMES["vhost_combined"], "vhost-combined"),
    title="Apache, Combined with the virtual host first; Debian",
    signature=r"\A[^ ]*:[0-9]+ " + ncsa_signature(3, '"').removeprefix(r"\A"),
    notes=("Debian's format string, `%v:%p … %O`. For a log with `%v` alone, use `vhost`, or `vhost-common`."),
    sample=b"""\
www.example.com:80 192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a HTTP/1.0" 200 2640 "-" "Lynx/2.6"
example.com:443 192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 160 "http://example.com/" "-"
""",
)
