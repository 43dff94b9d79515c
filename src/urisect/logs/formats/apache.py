r"""Apache's formats of access logs: the Common and the Combined Log Format, and any other `LogFormat`.

A column is named after what it tells, whatever server wrote it, as `DIRECTIVES` lists. A name that occurs twice is
numbered: "client", "client_2". A header field `Foo-Bar` is "foo_bar", unless another column is called so: then it is
"other_foo_bar". Values stay as they are written, with the server's `\"` and `\xhh`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import NamedTuple

from urisect.logs.formats.directives import (
    HOST,
    LIST,
    NAME,
    PATH,
    REFERER,
    REFERERS,
    REQUEST,
    REQUESTS,
    TEXT,
    USER,
    VERSION,
    WORD,
    Directive,
    End,
    Field,
    Shape,
    compiled,
    literal,
    mark,
    owned,
    path_and_query,
    reserved,
    together,
    typed,
    unescaped,
)
from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.notation import (
    ISO_TIME,
    LOG_TIME,
    MICROSECONDS,
    MILLISECONDS,
    NUMBER,
    PORT,
    SECONDS,
    STATUS,
    Notation,
    ValueKind,
    month_number,
)
from urisect.logs.formats.strftime import (
    _CHARACTERS,
    _EPOCHS,
    _LONGEST,
    _SHORTHANDS,
    _STRFTIME,
    _TOKENS,
    _VARIABLE,
    _Told,
)

__all__ = ["COMBINED", "COMMON", "DIRECTIVES", "NICKNAMES", "VHOST_COMBINED", "apache"]


def _query(names: tuple[str, ...], end: End) -> str:
    return end.of(rf"\?(?P<{names[0]}>{end.run()}){end.close}", end.check)


def _hexadecimal(text: bytes) -> int:
    return int(text, 16)


QUERY = Shape(_query)
SIZE = typed(NUMBER)
THREAD = typed(Notation(ValueKind.NUMBER, r"[0-9A-Fa-f]{1,15}+", _hexadecimal))

# The directives of mod_log_config, mod_logio and mod_ssl; "*" is a name of the administrator's, and that of a header
# field is one in either case.
DIRECTIVES: dict[str, Directive] = {
    "%a": Directive(("client",), "the address of the client", WORD),
    "%{c}a": Directive(("peer",), "the address at the other end of the connection, a proxy's for one", WORD),
    "%A": Directive(("server_address",), "the address that the request came to", WORD),
    "%b": Directive(("bytes",), "the size of the response without its header fields", SIZE),
    "%B": Directive(("bytes",), "the size of the response without its header fields, 0 for none", SIZE),
    "%{*}C": Directive(("cookie_*",), "a cookie of the request", TEXT),
    "%{version}c": Directive(("tls_protocol",), "the version of TLS", NAME),
    "%{cipher}c": Directive(("tls_cipher",), "the cipher suite of TLS", NAME),
    "%{*}c": Directive(("tls_*",), "a property of the TLS connection", TEXT),
    "%D": Directive(("duration",), "how long the request took, in microseconds", typed(MICROSECONDS)),
    "%{UNIQUE_ID}e": Directive(("id",), "what identifies the request", NAME),
    "%{*}e": Directive(("env_*",), "a variable of the environment", TEXT),
    "%f": Directive(("file",), "the file that was served", TEXT),
    "%h": Directive(("client",), "the name or the address of the client", WORD),
    "%{c}h": Directive(("peer",), "the name or the address at the other end of the connection", WORD),
    "%H": Directive(("protocol",), "the protocol and its version", VERSION),
    "%{Cookie}i": Directive(("cookie",), "the Cookie field of the request", TEXT),
    "%{Host}i": Directive(("host",), "the Host field of the request", HOST),
    "%{Referer}i": Directive(REFERERS, "the page that referred to the target, cut into its components", REFERER),
    "%{User-Agent}i": Directive(("agent",), "the User-Agent field of the request", TEXT),
    "%{X-Forwarded-For}i": Directive(("forwarded_for",), "the X-Forwarded-For field of the request", LIST),
    "%{*}i": Directive(("*",), "a header field of the request", TEXT),
    "%I": Directive(("bytes_received",), "the size of all that was received", SIZE),
    "%k": Directive(("keepalives",), "how many requests came before on the connection", SIZE),
    "%l": Directive(("identity",), "who the client says it is", NAME),
    "%L": Directive(("id",), "what identifies the request in the log of errors", NAME),
    "%{c}L": Directive(("connection",), "what identifies the connection in the log of errors", NAME),
    "%m": Directive(("method",), "the method of the request", NAME),
    "%{*}n": Directive(("note_*",), "a note of a module", TEXT),
    "%{Content-Type}o": Directive(("media_type",), "the media type of the response", TEXT),
    "%{*}o": Directive(("sent_*",), "a header field of the response", TEXT),
    "%O": Directive(("bytes_sent",), "the size of all that was sent", SIZE),
    "%p": Directive(("server_port",), "the port that the server says it has", typed(PORT)),
    "%{canonical}p": Directive(("server_port",), "the port that the server says it has", typed(PORT)),
    "%{local}p": Directive(("server_port",), "the port that the request came to", typed(PORT)),
    "%{remote}p": Directive(("client_port",), "the port that the request came from", typed(PORT)),
    "%P": Directive(("process",), "the process that responded", SIZE),
    "%{pid}P": Directive(("process",), "the process that responded", SIZE),
    "%{tid}P": Directive(("thread",), "the thread that responded", SIZE),
    "%{hextid}P": Directive(("thread",), "the thread that responded, in hexadecimal", THREAD),
    "%q": Directive(("target_query",), 'the query, with a "?" before it; nothing if there is none', QUERY),
    "%r": Directive(
        REQUESTS,
        "the request line: method, target cut into its components, and protocol, or a text that is none",
        REQUEST,
    ),
    "%R": Directive(("handler",), "what made the response", TEXT),
    "%s": Directive(("status",), "the status code", typed(STATUS, fixed=True)),
    "%S": Directive(("bytes_total",), "the size of all that was received and sent", SIZE),
    "%t": Directive(("time",), "when the request was received", typed(LOG_TIME, fixed=True, always=True)),
    "%{*}t": Directive(
        ("time",),
        "the time as of strftime, sec, msec, usec, msec_frac and usec_frac, which may be in several side by side; "
        "without a zone it counts as UTC; `time_text` if it cannot be read",
        TEXT,
    ),
    "%T": Directive(("duration",), "how long the request took, in seconds", typed(SECONDS)),
    "%{s}T": Directive(("duration",), "how long the request took, in seconds", typed(SECONDS)),
    "%{ms}T": Directive(("duration",), "how long the request took, in milliseconds", typed(MILLISECONDS)),
    "%{us}T": Directive(("duration",), "how long the request took, in microseconds", typed(MICROSECONDS)),
    "%u": Directive(("user",), "who was authenticated", USER),
    "%U": Directive(("target_path",), "the path of the target, decoded", PATH),
    "%v": Directive(("server",), "the name of the virtual host", HOST),
    "%V": Directive(("server",), "the name of the server, after UseCanonicalName", HOST),
    "%{SSL_PROTOCOL}x": Directive(("tls_protocol",), "the version of TLS", NAME),
    "%{SSL_CIPHER}x": Directive(("tls_cipher",), "the cipher suite of TLS", NAME),
    "%{*}x": Directive(("*",), "a variable of mod_ssl", TEXT),
    "%X": Directive(
        ("connection_status",),
        "how the connection went on: X, broken off; +, kept; -, closed",
        mark(r"[X+\-]"),
    ),
    "%^FB": Directive(("first_byte_duration",), "how long the first byte took, in microseconds", typed(MICROSECONDS)),
    "%{*}^ti": Directive(("trailer_*",), "a trailer field of the request", TEXT),
    "%{*}^to": Directive(("sent_trailer_*",), "a trailer field of the response", TEXT),
}

# The nicknames in the configuration that httpd comes with, and those of its documentation.
NICKNAMES = {
    "common": r"%h %l %u %t \"%r\" %>s %b",
    "combined": r"%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-agent}i\"",
    "combinedio": r"%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %I %O",
    "vhost_common": r"%v %h %l %u %t \"%r\" %>s %b",
    "vhost_combined": r"%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\"",
    "referer": "%{Referer}i -> %U",
    "agent": "%{User-agent}i",
}

# A directive: status codes that it is for, which request it looks at, and an argument (mod_log_config, "Modifiers").
_DIRECTIVE = re.compile(
    r"%(?:%|(?P<modifiers>[!<>,0-9]*)(?:\{(?P<argument>[^}]*)\}(?P<more>[!<>,0-9]*))?(?P<letter>\^[A-Za-z]{2}|.)?)",
    re.DOTALL,
)

# The line of a configuration: LogFormat "…" nickname
_LINE = re.compile(r"""\s*LogFormat\s+(["'])(?P<format>(?:[^\\]|\\.)*?)\1(?:\s+\S+)?\s*""", re.DOTALL | re.IGNORECASE)


def apache(text: str, name: str = "apache") -> PatternFormat:
    r"""Read the format of a log of Apache httpd (mod_log_config, LogFormat).

    Args:
        text: the format, as it stands in the configuration, with or without a backslash before its quotes; the whole
            line `LogFormat "…" nickname`; or one of `NICKNAMES`.
        name: what the format is to be called.

    Returns:
        A format, with the columns that `DIRECTIVES` lists for each directive.

    Raises:
        ValueError: there is no such directive, nothing tells where one ends, or there is none at all.

    >>> apache(r'%v %h %t \"%m %U%q\" %>s %{ms}T %{Accept-Language}i').columns[-5:]
    ('target_path', 'target_query', 'status', 'duration', 'accept_language')
    >>> apache("%h%u")
    Traceback (most recent call last):
    ValueError: nothing tells where %h ends, for %u follows at once
    """
    line = _LINE.fullmatch(text)
    offset, text = (line.start("format"), line["format"]) if line else (0, NICKNAMES.get(text, text.rstrip("\r\n")))
    parts = _with_times([part for part in _parts(text, offset) if part])
    return compiled(name, together(parts, (PATH, QUERY), path_and_query(hyphen=False)))


class _Moment(NamedTuple):
    """A time in a format, or a part of one.

    Attributes:
        written: as it stands there.
        pieces: what it tells, and the text between.
        end: whether it is the time when the line was written.
        conditional: whether it is for some status codes only.
    """

    written: str
    pieces: tuple[str | _Told, ...]
    end: bool
    conditional: bool

    @property
    def told(self) -> list[str]:
        """The parts of a time that it tells, "" for one that cannot be read."""
        return [piece.part for piece in self.pieces if isinstance(piece, _Told)]


_Part = str | Field | _Moment


def _parts(text: str, offset: int) -> Iterator[_Part]:
    """Cut a format into directives and the text between them; it stands at that offset."""
    position = 0
    for found in _DIRECTIVE.finditer(text):
        yield unescaped(text[position : found.start()])
        yield "%" if found[0] == "%%" else _directive(found, offset + found.start())
        position = found.end()
    yield unescaped(text[position:])


# What may be "-" instead of its own form.
_CONDITIONAL = {WORD: NAME, PATH: TEXT}

_RESERVED = reserved(DIRECTIVES)
_BY_NAME = {re.sub(r"\{.*\}", lambda name: name[0].lower(), key): value for key, value in DIRECTIVES.items()}


def _directive(found: re.Match[str], offset: int) -> Field | _Moment:
    """Look a directive up, which stands at that offset."""
    written, argument, letter = found[0], found["argument"] or "", found["letter"]
    conditional = re.search("[0-9]", f"{found['modifiers']}{found['more'] or ''}") is not None
    if letter == "t":
        return _moment(written, unescaped(argument), conditional=conditional)
    directive = _BY_NAME.get(f"%{{{argument.lower()}}}{letter}" if argument else f"%{letter}")
    if directive:
        columns = directive.columns
    elif argument and (directive := DIRECTIVES.get(f"%{{*}}{letter}")):
        columns = owned(directive, argument, _RESERVED)
    else:
        raise ValueError(f"no directive is called {written!r}, at offset {offset}; there are {', '.join(DIRECTIVES)}")
    return Field(
        written, columns, _CONDITIONAL.get(directive.shape, directive.shape) if conditional else directive.shape
    )


_LOG_TIME = "%d/%b/%Y:%H:%M:%S %z"


def _moment(written: str, argument: str, *, conditional: bool) -> _Moment:
    """Read the argument of %t."""
    found = re.fullmatch(r"(begin|end)(?::(.*))?", argument, re.DOTALL)
    format = (found[2] or "") if found else argument
    pieces = (_TOKENS[format],) if format in _TOKENS else tuple(_strftime(format or f"[{_LOG_TIME}]"))
    return _Moment(written, pieces, bool(found and found[1] == "end"), conditional)


def _strftime(format: str) -> Iterator[str | _Told]:
    """Cut a format of strftime into its directives and the text between them."""
    for directive, text in re.findall(r"%(.?)|([^%]+)", format, re.DOTALL):
        if text or directive in _CHARACTERS:
            yield text or _CHARACTERS[directive]
        elif directive in _SHORTHANDS:
            yield from _strftime(_SHORTHANDS[directive])
        else:
            yield _STRFTIME.get(directive, _Told("", ""))


def _with_times(parts: Sequence[_Part]) -> Iterator[str | Field]:
    """Make fields of times: what stands side by side and is one time together is one, and what is none is text."""
    index = 0
    while index < len(parts):
        part = parts[index]
        if not isinstance(part, _Moment):
            yield part
            index += 1
        elif run := _together(parts[index : index + _LONGEST], part):
            yield from _time(run)
            index += len(run)
        else:
            yield Field(part.written, ("time_text",), _text(part))
            index += 1


def _together(parts: Sequence[_Part], first: _Moment) -> list[str | _Moment]:
    """Find the longest run of these parts, from the first on, that is one time."""
    run: list[str | _Moment] = []
    told: list[str] = []
    end = 0
    for part in parts:
        if isinstance(part, Field):
            break
        run.append(part)
        if isinstance(part, _Moment):
            told += part.told
            if len(told) > len(set(told)) or part.end != first.end or (len(run) > 1 and part.conditional):
                break
            if part.told and _is_time(set(told)):
                end = len(run)
        if first.conditional:
            break
    return run[:end]


def _is_time(told: set[str]) -> bool:
    """Whether these parts are a time, to the minute at least, and contradict each other nowhere."""
    if "" in told:
        return False
    if not told.isdisjoint(_EPOCHS):
        return len(told - {"fraction"}) == 1 and ("fraction" not in told or "seconds" in told)
    return (
        len(told & {"year", "short_year"}) == 1
        and ("day_of_year" in told or ("day" in told and len(told & {"month", "month_name"}) == 1))
        and ("hour" in told or {"half_hour", "half"} <= told)
        and "minute" in told
        and ("second" in told or "fraction" not in told)
        and ("zone" in told or "zone_name" not in told)
    )


def _time(run: Sequence[str | _Moment]) -> list[str | Field]:
    """Make a field of what is one time; the text around it is text of the format, but where it is conditional."""
    moments = [part for part in run if isinstance(part, _Moment)]
    written = " ".join(moment.written for moment in moments)
    pieces = [piece for part in run for piece in (part.pieces if isinstance(part, _Moment) else (part,))]
    told = [index for index, piece in enumerate(pieces) if isinstance(piece, _Told)]
    before, time, behind = pieces[: told[0]], pieces[told[0] : told[-1] + 1], pieces[told[-1] + 1 :]
    if time == list(_strftime(_LOG_TIME)):
        notation = LOG_TIME
    else:
        parted = re.compile("".join(_source(piece, "(?P<{1}>{0})") for piece in time).encode())
        notation = Notation(ValueKind.TIME, "".join(map(_source, time)), partial(_value, parted))
    if moments[0].conditional:
        return [Field(written, ("time",), _conditional(notation, before, behind))]
    fixed = _VARIABLE.isdisjoint(part for moment in moments for part in moment.told)
    field = Field(written, ("time",), typed(notation, fixed=fixed, always=True))
    return [*map(str, before), field, *map(str, behind)]


def _text(moment: _Moment) -> Shape:
    """Give the shape of a time that cannot be read, or not alone."""
    told = set(moment.told)
    if told and told.isdisjoint(_EPOCHS.keys() | {""}) and len(told) == len(moment.told) and not moment.conditional:
        return mark("".join(map(_source, moment.pieces)), fixed="zone_name" not in told)
    return TEXT


def _source(piece: str | _Told, form: str = "{0}") -> str:
    """Write the source of a piece of a time."""
    return literal(piece) if isinstance(piece, str) else form.format(*piece)


def _conditional(notation: Notation, *around: Sequence[str | _Told]) -> Shape:
    """Give the shape of a time that is "-", without the text around it, in some lines."""
    before, behind = ("".join(map(_source, pieces)) for pieces in around)

    def write(names: tuple[str, ...], end: End) -> str:
        return rf"(?:-|{before}(?P<{names[0]}>{notation.pattern}){behind}){end.close}"

    return Shape(write, notation=notation)


def _value(parted: re.Pattern[bytes], text: bytes) -> int | float | None:
    """Read a time, which the expression takes to pieces; None for one that never was."""
    found = parted.fullmatch(text)
    assert found  # noqa: S101  the notation's pattern has matched
    told = found.groupdict()
    fraction = told.get("fraction", b"0")
    for part, notation in _EPOCHS.items():
        if part in told:
            return notation.value(told[part] if part == "microseconds" else b"%b.%b" % (told[part], fraction))
    day = _date(told)
    second, zone = told.get("second", b"00"), told.get("zone", b"")
    clock = b"%02d:%b:%b.%b" % (_hour(told), told["minute"], second, fraction)
    return ISO_TIME.value(b"%bT%b%b" % (day, clock, zone)) if day else None


def _hour(told: dict[str, bytes]) -> int:
    if "hour" in told:
        return int(told["hour"])
    return int(told["half_hour"]) % 12 + (12 if told["half"] in {b"PM", b"pm"} else 0)


def _date(told: dict[str, bytes]) -> bytes | None:
    """Write the date as year, month and day; None for one that never was."""
    short = told.get("short_year", b"")
    year = told.get("year") or (b"19" if short >= b"69" else b"20") + short  # POSIX, strptime, %y
    if "day_of_year" in told:
        return _day_of_year(int(year), int(told["day_of_year"]))
    month = int(told["month"]) if "month" in told else month_number(told["month_name"][:3])
    return b"%b-%02d-%02d" % (year, month, int(told["day"]))


def _day_of_year(year: int, day: int) -> bytes | None:
    try:
        found = date(year, 1, 1) + timedelta(days=day - 1)
    except (ValueError, OverflowError):  # the year 0, the day behind the last
        return None
    return found.isoformat().encode() if found.year == year else None


COMMON = replace(
    apache(NICKNAMES["common"], "common"),
    title="Apache, Common Log Format",
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" 200 2326
192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 -
""",
)
COMBINED = replace(
    apache(NICKNAMES["combined"], "combined"),
    title="Apache, Combined Log Format; nginx's default",
    sample=b"""\
192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a/b?c=d HTTP/1.0" 200 2326 "http://example.com/" "Lynx/2.6"
192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 - "-" "-"
""",
)
VHOST_COMBINED = replace(
    apache(NICKNAMES["vhost_combined"], "vhost-combined"),
    title="Apache, Combined with the virtual host first; Debian",
    sample=b"""\
www.example.com:80 192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET /a HTTP/1.0" 200 2640 "-" "Lynx/2.6"
example.com:443 192.0.2.8 - frank [10/Nov/1996:13:55:37 -0700] "HEAD / HTTP/1.1" 304 160 "http://example.com/" "-"
""",
)
