r"""The named envelopes: syslog, containers, and collectors that write JSON.

Their columns are called `envelope_…`. The time of RFC 3164 has no year, so it is text, in `envelope_time_text`.
"""

import re
from functools import lru_cache
from json.encoder import encode_basestring_ascii

from urisect.logs.formats.enveloped import LINE, LINE_GROUP, PART_GROUP, Envelope
from urisect.logs.formats.format import PatternFormat
from urisect.logs.formats.json_lines import JSONFormat, Member, member_paths, possible_members
from urisect.logs.formats.notation import (
    ANY_TIME,
    CLOCK_PATTERN,
    DAY_PATTERN,
    HOUR_PATTERN,
    ISO_TIME,
    MINUTE_PATTERN,
    MONTH_NUMBER_PATTERN,
    MONTH_PATTERN,
    NUMBER,
    Notation,
    Value,
    ValueKind,
)
from urisect.repetition import one_or_more, unrolled_loop
from urisect.suggestion import did_you_mean

__all__ = ["COLUMN_MEANINGS", "ENVELOPES", "LINE_MEMBERS", "find_envelope", "json_envelope", "split_envelope"]

# The meanings of the columns of envelopes.
COLUMN_MEANINGS = {
    "envelope_time": "time of the envelope",
    "envelope_time_text": "time of the envelope, without a year",
    "envelope_host": "host that wrote the line, or sent it",
    "envelope_program": "program that wrote the line",
    "envelope_process": "process ID",
    "envelope_priority": "facility and severity (RFC 5424, 6.2.1)",
    "envelope_container": "container that wrote the line",
    "envelope_pod": "pod of the container",
    "envelope_namespace": "namespace of the pod",
    "envelope_stream": "stream that the line was written to: stdout or stderr",
}

_TIME = rf"(?P<envelope_time>{ISO_TIME.pattern})"

# PRI, VERSION, TIMESTAMP, HOSTNAME, APP-NAME, PROCID, MSGID, STRUCTURED-DATA (RFC 5424, 6); or PRI, TIMESTAMP,
# HOSTNAME, and TAG with the process in brackets (RFC 3164, 4.1). Files lack PRI, rsyslog writes the time of RFC 5424 in
# the form of RFC 3164, nginx can leave out the host, and some servers write a year.
_OLD_TIME = rf"(?P<envelope_time_text>{MONTH_PATTERN}[ ]{{1,2}}[0-9]{{1,2}}[ ](?:[0-9]{{4}}[ ])?{CLOCK_PATTERN})"
_STRUCTURED_DATA = (
    "(?>-|"
    + one_or_more(r"\[" + unrolled_loop(r'[^\x5d"\n]', '"' + unrolled_loop(r'[^"\\\n]', r"\\[^\n]") + '"') + r"\]")
    + ")"
)
_SYSLOG = (
    r"(?>\xef\xbb\xbf|)(?><(?P<envelope_priority>[0-9]{1,3})>|)(?>1[ ]|)"
    rf"(?:-|{_TIME}|{_OLD_TIME})[ ]"
    r"(?>-[ ]|(?![^ \n]*:[ ]|[0-9]{4}-[0-9]{2}-)(?P<envelope_host>[^ \x5b\x5d\n]++)[ ]|)"
    r"(?>-(?=[ ])|(?P<envelope_program>[^ :\x5b\x5d\n]++))"
    r"(?>:|(?:\[(?=[^ \x5b\x5d\n]*+\])|[ ](?=[^ \n]++[ ]))(?>-(?=[ ])|(?P<envelope_process>[^ \x5b\x5d\n]*+))"
    rf"(?:\]:|[ ][^ \n]++[ ]{_STRUCTURED_DATA}))[ ]{LINE_GROUP}"
)

# The container runtime interface of Kubernetes: time, stream, tags of which the first is P (part) or F (full), line.
_CRI = rf"{_TIME}[ ](?P<envelope_stream>stdout|stderr)[ ]{PART_GROUP}(?>:[^ \n]*+|)[ ]{LINE_GROUP}"

# docker logs -t and kubectl logs --timestamps write nine digits: a time with fewer ones belongs to the line.
_WRITTEN_TIME = (
    rf"(?>(?P<envelope_time>[0-9]{{4}}-{MONTH_NUMBER_PATTERN}-{DAY_PATTERN}T{CLOCK_PATTERN}\.[0-9]{{9}}"
    rf"(?:Z|[+\-]{HOUR_PATTERN}:{MINUTE_PATTERN}))[ ]|)"
)

_COLOUR = r"(?>\x1b\[[0-9;]*+m|)"
_CONTAINER = r"(?P<envelope_container>[0-9A-Za-z][0-9A-Za-z_.\-]*+)"
_COMPOSE = rf"{_COLOUR}{_CONTAINER}[ ]++\|{_COLOUR}[ ]{_COLOUR}{_WRITTEN_TIME}{LINE_GROUP}"
_KUBECTL = (
    rf"{_COLOUR}\[pod/(?P<envelope_pod>[^/\x5d\n]++)/(?P<envelope_container>[^/\x5d\n]++)\]{_COLOUR}[ ]{_WRITTEN_TIME}"
    rf"{LINE_GROUP}"
)


def _parse_any_time(text: bytes) -> Value:
    return ANY_TIME.parse(text) if _IS_ANY_TIME.fullmatch(text) else None


# A time in JSON; one in another form is undefined: it does not matter enough to reject the line.
_IS_ANY_TIME = re.compile(ANY_TIME.pattern.encode())
_ENVELOPE_TIME = Notation(ValueKind.TIME, r"[\s\S]*", _parse_any_time)


def _pattern_envelope(name: str, title: str, line: str, sample: bytes, signature: str) -> Envelope:
    notations = {"envelope_time": ISO_TIME, "envelope_priority": NUMBER}
    columns = re.compile(line).groupindex
    notations = {column: notation for column, notation in notations.items() if column in columns}
    return Envelope(
        name, title, PatternFormat(name, line, notations=notations, signature=signature), sample=sample + b"%b\n"
    )


# A text, not an object: "host" and the like may be either.
_NO_OBJECT_PART = r"([^{][\s\S]*)"

# Where collectors write what they know, by column.
_MEMBERS = {
    "envelope_time": member_paths("time", "@timestamp", "timestamp", "date", "ts", "__REALTIME_TIMESTAMP"),
    "envelope_host": (
        *member_paths("host.name", "host.hostname", "kubernetes.host", "kubernetes.node.name", "agent.hostname"),
        *member_paths("hostname", "_HOSTNAME"),
        Member(("host",), _NO_OBJECT_PART),
    ),
    "envelope_program": member_paths("SYSLOG_IDENTIFIER", "ident", "appname", "program"),
    "envelope_process": member_paths("_PID", "pid", "procid"),
    "envelope_container": member_paths(
        *("kubernetes.container_name", "kubernetes.container.name", "container.name", "container_name"),
        "CONTAINER_NAME",
    ),
    "envelope_pod": (
        *member_paths("kubernetes.pod_name", "kubernetes.pod.name"),
        Member(("pod",), _NO_OBJECT_PART),
    ),
    "envelope_namespace": (
        *member_paths("kubernetes.namespace_name"),
        *(Member(path, _NO_OBJECT_PART) for path in (("kubernetes", "namespace"), ("namespace",))),
    ),
    "envelope_stream": member_paths("stream"),
}

# Members that hold a line, in the order in which detection tries them.
LINE_MEMBERS = (
    "message",
    "log",
    "msg",
    "line",
    "MESSAGE",
    "_raw",
    "event.original",
    "textPayload",
    "@message",
    "event",
)


def _json_envelope(
    name: str,
    title: str,
    line: tuple[Member, ...],
    columns: tuple[str, ...],
    sample: bytes,
    *,
    ends_lines: bool = False,
    signature: str = "",
) -> Envelope:
    members = {column: _MEMBERS[f"envelope_{column}"] for column in columns}
    format = JSONFormat(
        name,
        {**{f"envelope_{column}": places for column, places in members.items()}, LINE: line},
        notations={"envelope_time": _ENVELOPE_TIME} if "time" in columns else {},
        required=(LINE,),
        signature=signature or "|".join(re.escape(f'"{member.path[-1]}"') for member in line),
    )
    return Envelope(name, title, format, ends_lines, sample)


@lru_cache
def json_envelope(member: str) -> Envelope:
    """Return the envelope of JSON objects with a member that holds a line.

    Args:
        member: the name of the member; dots lead into objects, but a member whose name contains them takes precedence.

    >>> json_envelope("event.original").name
    'json:event.original'
    """
    columns = tuple(column.removeprefix("envelope_") for column in _MEMBERS)
    title = f"JSON whose member {member} holds the line"
    sample = b'{%b:"%%b"}\n' % encode_basestring_ascii(member).encode().replace(b"%", b"%%")
    return _json_envelope(f"json:{member}", title, possible_members(member), columns, sample)


_ALL = (
    _pattern_envelope(
        "cri",
        "Kubernetes' container logs (CRI)",
        _CRI,
        b"1996-11-10T20:55:36.186641234Z stdout F ",
        signature=r" std(?:out|err) [PF]",
    ),
    _json_envelope(
        "fluent-bit",
        "Fluent Bit, JSON",
        member_paths("log"),
        ("time", "host", "container", "pod", "namespace", "stream"),
        rb'{"date":847659336.186641,"stream":"stdout","log":"%b\n","kubernetes":{"pod_name":"web-5d4f8c7b9-x2x4p",'
        b'"namespace_name":"default","host":"node1","container_name":"nginx"}}\n',
        signature=r'"(?:date|kubernetes)"[ ]*:',
    ),
    _json_envelope(
        "docker",
        "Docker's json-file",
        member_paths("log"),
        ("time", "stream"),
        b'{"log":"%b\\n","stream":"stdout","time":"1996-11-10T20:55:36.186641234Z"}\n',
        ends_lines=True,
    ),
    _pattern_envelope("compose", "docker compose logs", _COMPOSE, b"nginx-1  | ", signature=r" \|"),
    _pattern_envelope(
        "kubectl", "kubectl logs --prefix", _KUBECTL, b"[pod/web-5d4f8c7b9-x2x4p/nginx] ", signature=r"\[pod/"
    ),
    _pattern_envelope(
        "syslog",
        "syslog (RFC 3164, RFC 5424, rsyslog)",
        _SYSLOG,
        b"<190>1 1996-11-10T20:55:36.186641Z web nginx 2869 - - ",
        signature=r"[0-9]{2}:[0-9]{2}:[0-9]{2}",
    ),
    _pattern_envelope(
        "timestamps",
        "docker logs -t, kubectl logs --timestamps",
        rf"{_TIME}[ ]{LINE_GROUP}",
        b"1996-11-10T20:55:36.186641234Z ",
        signature=r"[0-9]T[0-9]{2}:[0-9]{2}:[0-9]{2}",
    ),
    _json_envelope(
        "journald",
        "journalctl -o json",
        member_paths("MESSAGE"),
        ("time", "host", "program", "process", "container"),
        b'{"__REALTIME_TIMESTAMP":"847659336186641","_HOSTNAME":"web","SYSLOG_IDENTIFIER":"nginx","_PID":"2869",'
        b'"MESSAGE":"%b"}\n',
    ),
    _json_envelope(
        "filebeat",
        "Filebeat, JSON",
        member_paths("message"),
        ("time", "host", "container", "pod", "namespace", "stream"),
        b'{"@timestamp":"1996-11-10T20:55:36.186Z","host":{"name":"web"},"stream":"stdout","message":"%b"}\n',
    ),
)

# The named envelopes, in the order in which detection tries them.
ENVELOPES = {envelope.name: envelope for envelope in _ALL}

_JSON_ENVELOPE = re.compile(r"json:([^=,+]+)")


def find_envelope(name: str) -> Envelope:
    """Return an envelope by its name.

    Args:
        name: one of `ENVELOPES`, or "json:" and the member that holds the line.

    Raises:
        ValueError: there is no such envelope.

    >>> find_envelope("cri").title
    "Kubernetes' container logs (CRI)"
    """
    if name in ENVELOPES:
        return ENVELOPES[name]
    if member := _JSON_ENVELOPE.fullmatch(name):
        return json_envelope(member[1])
    known = [*ENVELOPES, "json:MEMBER"]
    raise ValueError(f"no envelope is called {name!r}; there are {', '.join(known)}{did_you_mean(name, known)}")


def split_envelope(text: str) -> tuple[Envelope, str] | None:
    """Split "envelope+format"; None if the text does not begin with an envelope.

    Args:
        text: the envelope's name, "+", and anything that names a format.

    >>> envelope, format = split_envelope("json:log+combined")
    >>> envelope.name, format
    ('json:log', 'combined')
    """
    name, plus, format = text.partition("+")
    is_envelope = plus and (name in ENVELOPES or _JSON_ENVELOPE.fullmatch(name))
    return (find_envelope(name), format) if is_envelope else None
