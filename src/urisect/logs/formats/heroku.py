"""Parse the log of Heroku's router: pairs of a key and a value.

The sources are the pages "HTTP Routing" (Heroku Router Log Format) and "Heroku Error Codes".
"""

from urisect.logs.formats.format import IMPLAUSIBLE, PatternFormat
from urisect.logs.formats.notation import ISO_TIME, MILLISECONDS, NUMBER, STATUS_OR_NONE, Notation
from urisect.logs.formats.request import METHOD_PATTERN, OPTIONAL_BOM, QUOTED_TEXT, target_components
from urisect.repetition import one_or_more

__all__ = ["COLUMN_MEANINGS", "HEROKU_ROUTER"]

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS = {
    "level": "info, warning or error",
    "error_code": "error code, such as H12",
    "socket": "connection that failed: client or backend",
    "tls": "whether the connection uses TLS",
}

_END = r"(?=[ \n]|\Z)"


def _text(key: str, column: str) -> str:
    """Return the source of a pair; a quoted value may contain spaces, and an empty one means none."""
    return rf'{key}=(?>{_END}|"?+(?P<{column}>(?<=")' + rf'{QUOTED_TEXT}(?=")|(?<!")[^ "\n]++)"?+)'


def _number(key: str, column: str, notation: Notation, unit: str = "") -> str:
    """Return the source of a pair with a number; an empty value means none."""
    return rf"{key}=(?>{_END}|(?P<{column}>{notation.pattern}){unit})"


# A target with a space or a backslash is split later. Old versions wrote no quotes.
_COMPONENTS = target_components(' "\\\n')
_TARGET = (
    rf'path=(?>(?>"(?=[^ "\\\n]*+")|(?!")){_COMPONENTS}"?+{_END}'
    rf'|"(?P<target_text>{QUOTED_TEXT})")'
)

_IMPLAUSIBLE_PROTOCOL = rf'(?P<{IMPLAUSIBLE}_protocol>[^ "\n]*+)'

# Heroku writes the keys in this order, but not all of them, and newer versions write more of them.
_PAIRS = (
    _text("at", "level"),
    _text("code", "error_code"),
    _text("desc", "error"),
    rf"method=(?>{_END}|{METHOD_PATTERN})",
    _TARGET,
    _text("host", "host"),
    _text("request_id", "id"),
    _text("fwd", "forwarded_for"),
    _text("dyno", "upstream"),
    _number("connect", "upstream_connect_duration", MILLISECONDS, "(?>ms|)"),
    _number("service", "upstream_duration", MILLISECONDS, "(?>ms|)"),
    _number("status", "status", STATUS_OR_NONE),
    _number("bytes", "bytes", NUMBER),
    _text("tls", "tls"),
    _text("tls_version", "tls_protocol"),
    rf"protocol=(?>(?P<scheme>https?){_END}|(?P<protocol>http[123](?>\.[0-9]|)){_END}|{_IMPLAUSIBLE_PROTOCOL})",
    _text("sock", "socket"),
)
_KNOWN_KEY = "|".join(pair.partition("=")[0] for pair in _PAIRS)
_OTHER_PAIR = rf'(?!(?:{_KNOWN_KEY})=)[a-z][0-9a-z_]*+=(?>"{QUOTED_TEXT}"|[^ "\n]*+)'

# `heroku logs` writes the time and the name of the process before an entry.
HEROKU_LINE = (
    rf"{OPTIONAL_BOM}(?>(?P<time>{ISO_TIME.pattern})[ ](?:app|heroku)\[router\]:[ ]|)"
    rf"(?=(?:at|sock|code|desc|method)=)(?=[^\n]*?[ ]path=)"
    + one_or_more(rf"(?:{'|'.join((*_PAIRS, _OTHER_PAIR))}){_END}(?>[ ](?=[a-z])|)")
)

HEROKU_SAMPLE = b"""\
1996-11-10T13:55:36.123456+00:00 heroku[router]: at=info method=GET path="/a/b?c=d" host=www.example.com \
request_id=8601b555-6a83-4c12-8269-97c8e32cdb22 fwd="192.0.2.7" dyno=web.1 connect=1ms service=18ms status=200 \
bytes=2326 tls_version=tls1.3 protocol=https
1996-11-10T13:55:37.004000+00:00 heroku[router]: at=error code=H12 desc="Request timeout" method=POST path="/orders" \
host=www.example.com request_id=b2c8a7d9-93a5-4a6d-9a9c-1c1b0a6f0a02 fwd="192.0.2.8, 198.51.100.8" dyno=web.2 \
connect=6ms service=30001ms status=503 bytes=0 protocol=http
at=error code=H10 desc="App crashed" method=GET path="/" host=www.example.com \
request_id=4f1d3c6e-0c0b-4c53-8d59-7a4a63c2f503 fwd="192.0.2.9" dyno= connect= service= status=503 bytes= protocol=https
"""

HEROKU_ROUTER = PatternFormat(
    "heroku-router",
    HEROKU_LINE,
    title="Heroku's router",
    notes=(
        "The time and `heroku[router]:` before an entry are optional. The keys may be in any order; those without a "
        "column are ignored. An empty value is undefined."
    ),
    uris=("target_",),
    notations={
        "time": ISO_TIME,
        "upstream_connect_duration": MILLISECONDS,
        "upstream_duration": MILLISECONDS,
        "status": STATUS_OR_NONE,
        "bytes": NUMBER,
    },
    sample=HEROKU_SAMPLE,
    signature=r"(?:^|[ \n])(?:at|sock|code|desc|method)=[^\n]* path=",
)
