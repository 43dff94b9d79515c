"""Parse the access logs of Python's servers: gunicorn, uvicorn, uWSGI, werkzeug, http.server, and Django's runserver.

They write quotes in a request unescaped, and colours on terminals: ESC [ 3 3 m.
"""

from dataclasses import replace

from urisect.logs.formats.apache import parse_format_string
from urisect.logs.formats.compilation import compile_format, with_strict_beginning
from urisect.logs.formats.directives import DirectiveField
from urisect.logs.formats.field_patterns import FieldPattern
from urisect.logs.formats.format import IMPLAUSIBLE, PatternFormat
from urisect.logs.formats.notation import (
    ISO_TIME,
    NUMBER,
    PORT,
    STATUS,
    Notation,
    Value,
    ValueKind,
)
from urisect.logs.formats.plausibility import CLIENT
from urisect.logs.formats.request import (
    METHOD_PATTERN,
    OPTIONAL_BOM,
    PROTOCOL_PATTERN,
    optional_value,
    request_line_pattern,
    target_pattern,
)
from urisect.logs.formats.strftime import strftime_notation
from urisect.logs.formats.terminators import Terminator
from urisect.repetition import unrolled_loop, zero_or_more

__all__ = ["COLUMN_MEANINGS", "DJANGO", "GUNICORN", "UVICORN", "UWSGI", "WERKZEUG"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "app": "number of the application in its process",
    "app_requests": "number of the request in its application",
    "request_number": "number of the request since the server started",
    "variables": "number of the request's variables",
    "variables_size": "size of the request's variables, in bytes",
    "headers": "number of response headers",
    "headers_size": "size of the response headers, in bytes",
    "switches": "number of switches between requests",
    "core": "core of the process that handled the request",
}


def _optional_client(_: tuple[str, ...], end: Terminator) -> str:
    client = rf"(?P<client>{CLIENT}(?={end.pattern})|(?P<{end.marker}>{end.text(non_empty=True)}))"
    return rf"(?>{client}|){end.pattern}"


_OTHER_FIELDS = '%l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"'

GUNICORN = replace(
    with_strict_beginning(
        compile_format(
            "gunicorn",
            [
                DirectiveField("%(h)s", ("client",), FieldPattern(_optional_client)),
                *parse_format_string(f" {_OTHER_FIELDS}"),
            ],
        ),
        "[ ]",
    ),
    title="gunicorn behind a Unix socket",
    signature=r"\A - ",
    notes=(
        "gunicorn's default is `combined`. The client is undefined if the request came through a Unix socket: such a "
        "line begins with a space, and detection takes no other one for this format."
    ),
    sample=b"""\
 - - [10/Nov/1996:13:55:36 +0000] "GET /a/b?c=d HTTP/1.1" 200 2326 "http://example.com/" "Lynx/2.6"
 - frank [10/Nov/1996:13:55:37 +0000] "HEAD / HTTP/1.1" 304 0 "-" "-"
""",
)

_COLORS = zero_or_more(r"\x1b\x5b[0-9;]*+m")

# A quote ends a request only if this follows: the status, if any, or that a WebSocket was accepted.
_AFTER_QUOTE = rf"[ ]{_COLORS}(?:[0-9]{{3}}|-[ ]|\x5baccepted)"
_INNER_QUOTE = f'"(?!{_AFTER_QUOTE})'
_TARGET_TEXT = unrolled_loop(r'[^" \x1b\n]', _INNER_QUOTE, rf'[ ](?!{PROTOCOL_PATTERN}{_COLORS}"{_AFTER_QUOTE})')
_ANY_REQUEST = unrolled_loop(r'[^"\x1b\n]', _INNER_QUOTE)
_TARGET = target_pattern(' "\x1b\n', _TARGET_TEXT)
_REQUEST_END = f'{_COLORS}"(?={_AFTER_QUOTE})'
_REQUEST = (
    rf'"{_COLORS}(?:{request_line_pattern(_TARGET)}{_REQUEST_END}'
    rf"|-{_REQUEST_END}|(?P<request>{_ANY_REQUEST}){_REQUEST_END})"
)


def _client(after: str) -> str:
    """Return the source of a client, given what follows it."""
    return rf"(?P<client>{CLIENT}(?={after})|(?P<{IMPLAUSIBLE}_client>[^ \x00\n]++))"


_PORT_FOLLOWS = rf":{PORT.pattern}[ ]-"
_ANY_CLIENT = unrolled_loop(r"[^ :\x00\n]", f":(?!{_PORT_FOLLOWS[1:]})")
_CLIENT_AND_PORT = (
    rf"(?P<client>{CLIENT}(?={_PORT_FOLLOWS})|(?P<{IMPLAUSIBLE}_client>{_ANY_CLIENT})):(?P<client_port>{PORT.pattern})"
)

# What people let the logging module write before a message: levels, names of loggers, process IDs, and separators.
_LEVEL = "(?:TRACE|DEBUG|INFO|WARNING|ERROR|CRITICAL)"
_WORD = rf"(?:\x5b?(?:{_LEVEL}|uvicorn(?:\.[a-z_]{{1,32}}){{0,4}})\x5d?|\x5b[0-9]{{1,10}}\x5d|[|\-](?![ ]\x22))"
_WORDS = zero_or_more(rf"{_COLORS}{_WORD}{_COLORS}(?::[ ]*+|[ ]++)")
_OPTIONAL_TIME = rf"(?>\x5b?(?P<time>{ISO_TIME.pattern})\x5d?:?[ ]++|)"

# Messages of uvicorn that are no entries
_UVICORN_MESSAGE = (
    rf"(?>\x5b?{ISO_TIME.pattern}\x5d?[ ]++|){_COLORS}{_LEVEL}{_COLORS}:[ ]++"
    r"(?:Started[ ]|Waiting[ ]for[ ]|Application[ ]|Uvicorn[ ]|Shutting[ ]down|Finished[ ]|Stopping[ ]|Will[ ]watch[ ]"
    r"|connection[ ](?:open|closed)|Invalid[ ]HTTP[ ])[^\n]*+"
)

UVICORN = PatternFormat(
    "uvicorn",
    rf"{OPTIONAL_BOM}(?:{_WORDS}{_OPTIONAL_TIME}{_WORDS}(?>{_CLIENT_AND_PORT}[ ]|)-[ ]{_REQUEST}"
    rf"[ ]{_COLORS}(?:(?P<status>{STATUS.pattern})(?>[ ][A-Za-z'\- ]*+|)|\x5baccepted\x5d){_COLORS}"
    rf"|(?P<directive>{_UVICORN_MESSAGE}))",
    title="uvicorn's access log",
    # It is in every request, and in every message that is no request.
    signature=r':[0-9]{1,5} - "|[A-Z]:? +- "|[A-Z](?:\x1b\[0m)?: ',
    uris=("target_",),
    notations={"time": ISO_TIME, "client_port": PORT, "status": STATUS},
    notes=(
        "uvicorn writes no time. One that the configuration puts before the message, in the form of ISO 8601, is "
        "`time`, in UTC without a zone. Level, name of the logger, colours, and messages about the server are skipped. "
        "A client behind a Unix socket is undefined, and so is the status of an accepted WebSocket."
    ),
    sample=b"""\
INFO:     192.0.2.7:51234 - "GET /a/b?c=d HTTP/1.1" 200 OK
INFO:     2001:db8::7:51235 - "HEAD / HTTP/1.1" 304 Not Modified
1996-11-10 13:55:38,123 - uvicorn.access - INFO - 192.0.2.8:0 - "POST /a HTTP/1.0" 422
""",
)


def _parse_uwsgi_duration(text: bytes) -> Value:
    number, _, unit = text.partition(b" ")
    return int(number) / (1_000 if unit == b"msecs" else 1_000_000)


_UWSGI_DURATION = Notation(ValueKind.SECONDS, r"[0-9]{1,18}[ ](?:msecs|micros)", _parse_uwsgi_duration)
_UWSGI_TIME = strftime_notation("%c")


def _number(name: str) -> str:
    return f"(?P<{name}>{NUMBER.pattern})"


# A target ends where the size of the response follows.
_GENERATED = "[ ]=>[ ]generated[ ][0-9]"
_UWSGI_TARGET = target_pattern(" \n", unrolled_loop(r"[^ \n]", "[ ](?!=>[ ]generated[ ][0-9])"))

_MEMORY_REPORT = r"{(?:address[ ]space|rss)[ ]usage:[^{}\n]*+}[ ]"

UWSGI = PatternFormat(
    "uwsgi",
    rf"{OPTIONAL_BOM}{zero_or_more(_MEMORY_REPORT)}"
    rf"\x5bpid:[ ]{_number('process')}\|app:[ ](?:-1|{_number('app')})"
    rf"\|req:[ ](?:-1|{_number('app_requests')})/{_number('request_number')}\x5d"
    rf"[ ](?>{_client('[ ]')}|)[ ]\((?>(?P<user>[^ ()\n]++(?=\))|(?P<{IMPLAUSIBLE}_user>[^()\n]++))|)\)"
    rf"[ ]{{{_number('variables')}[ ]vars[ ]in[ ]{_number('variables_size')}[ ]bytes}}"
    rf"[ ]\x5b(?P<time>{_UWSGI_TIME.pattern})\x5d"
    rf"[ ](?:-?[ ]-?(?={_GENERATED})|{METHOD_PATTERN}[ ]{_UWSGI_TARGET})"
    rf"[ ]=>[ ]generated[ ]{_number('bytes')}[ ]bytes[ ]in[ ](?P<duration>{_UWSGI_DURATION.pattern})"
    rf"[ ](?>via[ ][^ (\n]++\(\)[ ]|)\((?>(?P<protocol>{PROTOCOL_PATTERN})|-?)[ ](?P<status>{STATUS.pattern})\)"
    rf"[ ]{_number('headers')}[ ]headers[ ]in[ ]{_number('headers_size')}[ ]bytes"
    rf"[ ]\({_number('switches')}[ ]switches[ ]on[ ]core[ ]{_number('core')}\)",
    title="uWSGI's default",
    signature=r"\[pid: [0-9]+\|app: ",
    uris=("target_",),
    notations={
        "time": _UWSGI_TIME,
        "duration": _UWSGI_DURATION,
        "status": STATUS,
        **dict.fromkeys(
            (
                *("process", "app", "app_requests", "request_number", "variables", "variables_size", "bytes"),
                *("headers", "headers_size", "switches", "core"),
            ),
            NUMBER,
        ),
    },
    notes=(
        "The line for a request without `log-format`. Its local time has no zone and is read as UTC. `app` is "
        "undefined if no application was found."
    ),
    sample=b"""\
[pid: 2817|app: 0|req: 7/15] 192.0.2.7 () {42 vars in 675 bytes} [Sun Nov 10 13:55:36 1996] GET /a/b?c=d => generated \
2326 bytes in 8 msecs (HTTP/1.1 200) 4 headers in 127 bytes (1 switches on core 0)
[pid: 2818|app: 0|req: 8/16] 2001:db8::7 (frank) {40 vars in 612 bytes} [Sun Nov 10 13:55:37 1996] HEAD / => generated \
0 bytes in 950 micros (HTTP/1.1 304) 2 headers in 80 bytes (1 switches on core 0)
""",
)

_DEVELOPMENT_TIME = strftime_notation("%d/%b/%Y %H:%M:%S")
_ERROR_MESSAGE = r"code[ ][0-9]{3},[ ]message[ ][^\n]*+"

# Messages of werkzeug and Flask that are no entries
_WERKZEUG_MESSAGE = (
    rf"[^ \n]++[ ]-[ ]-[ ]\x5b{_DEVELOPMENT_TIME.pattern}\x5d[ ]{_ERROR_MESSAGE}"
    r"|(?:INFO:werkzeug:)?[ ]\*[ ](?:Running|Restarting|Debugger|Debug|Serving|Environment|Detected)[ ][^\n]*+"
    rf"|(?:INFO:werkzeug:)?{_COLORS}(?:WARNING:[ ]This[ ]is[ ]a[ ]development[ ]server|Press[ ]CTRL\+C[ ]to)[^\n]*+"
)

WERKZEUG = PatternFormat(
    "werkzeug",
    rf"{OPTIONAL_BOM}(?:(?>INFO:werkzeug:|){_client('[ ]-[ ]-[ ]')}[ ]-[ ]-"
    rf"[ ]\x5b(?P<time>{_DEVELOPMENT_TIME.pattern})\x5d"
    rf"[ ]{_REQUEST}[ ](?:-|(?P<status>{STATUS.pattern}))[ ]{optional_value('bytes', NUMBER)}"
    rf"|(?P<directive>{_WERKZEUG_MESSAGE}))",
    title="werkzeug (Flask), and Python's http.server",
    signature=r"\[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4} |^ \* [RDSE]|Press CTRL|WARNING: This is",
    uris=("target_",),
    notations={"time": _DEVELOPMENT_TIME, "status": STATUS, "bytes": NUMBER},
    notes=(
        "The local time has no zone and is read as UTC. Colours around the request, lines such as `code 404, message "
        "File not found`, and messages about the server are skipped."
    ),
    sample=b"""\
192.0.2.7 - - [10/Nov/1996 13:55:36] "GET /a/b?c=d HTTP/1.1" 200 -
2001:db8::7 - - [10/Nov/1996 13:55:37] "GET /none HTTP/1.1" 404 -
""",
)

# Messages of Django that are no entries
_DJANGO_MESSAGE = (
    rf"\x5b{_DEVELOPMENT_TIME.pattern}\x5d[ ]{_COLORS}(?:{_ERROR_MESSAGE}|-[ ]Broken[ ]pipe[ ][^\n]*+)"
    rf"|{_COLORS}(?:Bad[ ]Request|Forbidden|Not[ ]Found|Method[ ]Not[ ]Allowed|Internal[ ]Server[ ]Error)"
    r"(?:[ ]\([^()\n]*+\))?:[ ]/[^\n]*+"
)

DJANGO = PatternFormat(
    "django",
    rf"{OPTIONAL_BOM}(?:\x5b(?P<time>{_DEVELOPMENT_TIME.pattern})\x5d[ ]{_COLORS}{_REQUEST}"
    rf"[ ](?P<status>{STATUS.pattern})[ ]{optional_value('bytes', NUMBER)}{_COLORS}|(?P<directive>{_DJANGO_MESSAGE}))",
    title="Django's runserver",
    signature=r"\[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4} |: /",
    uris=("target_",),
    notations={"time": _DEVELOPMENT_TIME, "status": STATUS, "bytes": NUMBER},
    notes=(
        "There is no client. The local time has no zone and is read as UTC. Colours, and lines such as `Not Found: /a` "
        "and `code 400, message Bad request syntax`, are skipped."
    ),
    sample=b"""\
[10/Nov/1996 13:55:36] "GET /a/b?c=d HTTP/1.1" 200 2326
[10/Nov/1996 13:55:37] "GET /none HTTP/1.1" 404 1789
""",
)
