"""JSON lines: an object a line, and a table that tells where in it each column stands."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType
from typing import Any, ClassVar, NamedTuple

from urisect.bulk import list_lines
from urisect.logs.formats.columns import kind
from urisect.logs.formats.format import EXTRA, Column, Columns, Cutter, Format, uri_column
from urisect.logs.formats.notation import (
    ANY_MICROSECONDS,
    ANY_MILLISECONDS,
    ANY_NANOSECONDS,
    ANY_NUMBER,
    ANY_SECONDS,
    ANY_STATUS,
    ANY_TIME,
    PORT,
    Notation,
    ValueKind,
)
from urisect.logs.formats.request import SIGNATURE
from urisect.reference import Reference

__all__ = ["CADDY", "JSONFormat", "Member", "json_lines", "members", "places"]

WHITESPACE = b" \t\r"  # ws (RFC 8259, 2), but for the "\n" that ends the line

# What is written where a number or a time is not known.
NOTHING = {b"", b"-"}

Object = dict[str, Any]


class Member(NamedTuple):
    """A place in an object.

    Attributes:
        path: the names that lead to it, from the outermost object inwards.
        part: source of an expression. What is meant is its group, if the value as a whole matches; without an
            expression it is the value.

    >>> Member(("request", "uri")).path
    ('request', 'uri')
    """

    path: tuple[str, ...]
    part: str = ""


def members(*paths: str) -> tuple[Member, ...]:
    """Give places in an object, each written as names with dots between them.

    >>> members("request.uri")
    (Member(path=('request', 'uri'), part=''),)
    """
    return tuple(Member(tuple(path.split("."))) for path in paths)


@dataclass(frozen=True, eq=False)
class JSONFormat(Format):
    r"""A format whose line is an object (RFC 8259, 4), or ends with one.

    A string gives its text, in UTF-8; a number, true and false give what is written. A list gives its first item. An
    object gives its JSON text, and so does a list in a list. What is null or missing is None, and so are "" and "-"
    where there should be a number or a time.

    A line is rejected that is no such object, or has something else where there should be a number or a time. Of two
    members of one name the last counts.

    A field "extra" gives the members that belong to no column, as an object in JSON text.

    Attributes:
        members: for each column, and for what `uri_column` calls each of `uris`, the places where it may stand. The
            first at which there is something counts.
        required: those of them that no line is without.
        head: source of the expression of what stands before the object. Its named groups are columns.
        directive: what a line begins with that is no entry.

    >>> import io
    >>> from urisect.logs import tables
    >>> format = JSONFormat("example", {"target": members("request.url")}, uris=("target_",))
    >>> log = io.BytesIO(b'{"request": {"url": "/a?b"}, "id": 7}\n')
    >>> [table] = tables(log, format, columns=["target_query", "extra"])
    >>> table.column("target_query"), table.column("extra")
    ([b'b'], [b'{"id":7}'])
    """

    has_extra: ClassVar[bool] = True

    members: Mapping[str, tuple[Member, ...]] = field(kw_only=False)
    required: tuple[str, ...] = ()
    head: str = ""
    directive: str = ""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns: those before the object, and those of its members in the order of the table."""
        components = {uri_column(uri): tuple(uri + name for name in Reference._fields) for uri in self.uris}
        in_object = (column for name in self.members for column in components.get(name, (name,)))
        return (*re.compile(self.head).groupindex, *in_object)

    def _sources(self, name: str) -> Iterable[str]:
        return (name,) if name in map(uri_column, self.uris) else super()._sources(name)

    def cutter(self, columns: frozenset[str]) -> Cutter:
        """Make what cuts a block of lines: it looks up what is wanted, and whatever may be wrong with a line."""
        return _Cutter(self, columns)


class _Cutter:
    """What cuts blocks of lines into the columns that are wanted."""

    def __init__(self, format: JSONFormat, columns: frozenset[str]) -> None:
        self._format = format
        self._head = re.compile(format.head.encode())
        self._taken = _tree(format.members) if EXTRA in columns else None
        self._expressions = {
            name: re.compile(notation.pattern.encode())
            for name, notation in format.notations.items()
            if name in format.members
        }
        self._components = {
            uri: [uri + name for name in Reference._fields if uri + name in columns] for uri in format.uris
        }
        self._split = [uri for uri, components in self._components.items() if components]
        self._wanted = columns | format.helping(columns)
        looked_up = {*self._wanted, *map(uri_column, self._split), *format.required, *format.notations}
        self._looked_up = [name for name in format.members if name in looked_up]

    def __call__(self, block: bytes, _: bytes) -> Columns:
        texts = list_lines(block)
        entries = [text.removeprefix(SIGNATURE).strip(WHITESPACE) for text in texts]
        heads, bodies = self._behead(entries)
        objects = list(map(_object, bodies))
        found = _Found(objects)
        columns = heads | {name: found.column(self._format.members[name]) for name in self._looked_up}
        wrong = {row for row, entry in enumerate(objects) if entry is None} | self._wrong(columns)
        directives = self._directives(entries)
        cut = {name: column for name, column in columns.items() if name in self._wanted}
        for uri in self._split:
            cut[f"{uri}text"] = columns[uri_column(uri)]
            cut |= {name: [None] * len(texts) for name in self._components[uri]}
        if self._taken is not None:
            rests = (_without(entry or {}, self._taken) for entry in objects)
            cut[EXTRA] = [_compact(rest) if rest else None for rest in rests]
        return cut | {"rejected": _only(wrong - directives, texts), "directive": _only(directives, texts)}

    def _behead(self, lines: list[bytes]) -> tuple[Columns, list[bytes]]:
        """Cut off what stands before the objects; a line that does not begin so has none."""
        if not self._format.head:
            return {}, lines
        heads = list(map(self._head.match, lines))
        columns: Columns = {name: [head and head[name] for head in heads] for name in self._head.groupindex}
        return columns, [line[head.end() :] if head else b"" for line, head in zip(lines, heads, strict=True)]

    def _wrong(self, columns: Columns) -> set[int]:
        """Find the lines that lack something, or have what is no value, and take out what stands for none."""
        wrong: set[int] = set()
        for name, expression in self._expressions.items():
            different = set(columns[name])
            if NOTHING & different:
                columns[name] = [None if text in NOTHING else text for text in columns[name]]
            values = different - NOTHING - {None}
            if no_values := {text for text in values if text is not None and not expression.fullmatch(text)}:
                wrong.update(row for row, text in enumerate(columns[name]) if text in no_values)
        for name in self._format.required:
            wrong.update(row for row, text in enumerate(columns[name]) if text is None)
        return wrong

    def _directives(self, lines: list[bytes]) -> set[int]:
        directive = self._format.directive.encode()
        return {row for row, line in enumerate(lines) if line.startswith(directive)} if directive else set()


def _only(rows: set[int], texts: list[bytes]) -> Column:
    """Leave out all but some rows."""
    return [text if row in rows else None for row, text in enumerate(texts)] if rows else [None] * len(texts)


def _no_number(constant: str) -> Any:
    """Refuse NaN and Infinity (RFC 8259, 6), which Python takes."""
    raise ValueError(constant)


# A number is kept as it is written, as bytes: that tells it from a string, and nothing of it is lost.
_decode = json.JSONDecoder(parse_int=str.encode, parse_float=str.encode, parse_constant=_no_number).raw_decode


def _object(line: bytes) -> Object | None:
    """Read a line as an object; None if it is none, or if it is nested too deep to be read."""
    try:
        text = line.decode()
        value, end = _decode(text)
    except (ValueError, RecursionError):
        return None
    return value if end == len(text) and isinstance(value, dict) else None


class _Found:
    """What stands in the objects of a block, an entry a line."""

    def __init__(self, objects: list[Object | None]) -> None:
        self._objects: dict[tuple[str, ...], list[Object]] = {(): [entry or {} for entry in objects]}

    def column(self, places: tuple[Member, ...]) -> Column:
        """Give what stands at the first of some places at which there is something."""
        column = self._texts(places[0])
        for place in places[1:]:
            if None in column:
                texts = self._texts(place)
                column = [other if text is None else text for text, other in zip(column, texts, strict=True)]
        return column

    def _texts(self, place: Member) -> Column:
        texts = [TEXT[type(value)](value) for value in self._values(place.path)]
        if not place.part:
            return texts
        part = re.compile(place.part.encode())
        found = (None if text is None else part.fullmatch(text) for text in texts)
        return [match and match[1] for match in found]

    def _values(self, path: tuple[str, ...]) -> list[Any]:
        *outer, name = path
        return [entry.get(name) for entry in self._at(tuple(outer))]

    def _at(self, path: tuple[str, ...]) -> list[Object]:
        if path not in self._objects:
            self._objects[path] = [value if isinstance(value, dict) else {} for value in self._values(path)]
        return self._objects[path]


LITERALS = {None: b"null", True: b"true", False: b"false"}


def _utf_8(text: str) -> bytes:
    r"""Write a string in UTF-8; half of a surrogate pair, "\ud800", as if it were a character."""
    return text.encode("utf-8", "surrogatepass")


def _first(values: list[Any]) -> bytes | None:
    if not values:
        return None
    value = values[0]
    return _compact(value) if isinstance(value, list) else TEXT[type(value)](value)


_quoted = json.JSONEncoder(ensure_ascii=False).encode


def _compact(value: Any) -> bytes:
    """Write a value as JSON text, without recursion: it may be nested as deep as it could be read."""
    written: list[bytes] = []
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            inner = [token for name, member in value.items() for token in (b",", name, b":", member)]
            left += [b"}", *inner[:0:-1], b"{"]
        elif isinstance(value, list):
            inner = [token for item in value for token in (b",", item)]
            left += [b"]", *inner[:0:-1], b"["]
        elif isinstance(value, str):  # half of a surrogate pair is written as it has to be in UTF-8, as an escape
            written.append(_quoted(value).encode("utf-8", "backslashreplace"))
        else:
            written.append(value if isinstance(value, bytes) else LITERALS[value])
    return b"".join(written)


# How the text of a value is had, by what it was read as.
TEXT: dict[type, Callable[[Any], bytes | None]] = {
    str: _utf_8,
    bytes: bytes,
    bool: LITERALS.__getitem__,
    NoneType: lambda _: None,
    list: _first,
    dict: _compact,
}


def _tree(table: Mapping[str, tuple[Member, ...]]) -> Object:
    """Put the paths of all places together: an object of objects, empty where a path ends."""
    tree: Object = {}
    for places in table.values():
        for place in places:
            branch = tree
            for name in place.path:
                branch = branch.setdefault(name, {})
    return tree


def _without(entry: Object, taken: Object) -> Object:
    """Leave out of an object what its columns give; a list of several items stays, for they give only the first."""
    rest: Object = {}
    for name, value in entry.items():
        below = taken.get(name)
        if below and isinstance(value, dict):
            if inner := _without(value, below):
                rest[name] = inner
        elif below is None or below or (isinstance(value, list) and len(value) > 1):
            rest[name] = value
    return rest


URIS = ("target_", "referer_")

COLUMN = re.compile(r"[a-z][a-z0-9_]*")

# What a format calls the columns that it does not have.
RESERVED = {"rejected", "directive", EXTRA, *(f"{uri}text" for uri in URIS)}

DURATIONS = {"s": ANY_SECONDS, "ms": ANY_MILLISECONDS, "us": ANY_MICROSECONDS, "ns": ANY_NANOSECONDS}
NOTATIONS = {ValueKind.NUMBER: ANY_NUMBER, ValueKind.SECONDS: ANY_SECONDS, ValueKind.TIME: ANY_TIME}
STATUSES = {"status", "upstream_status"}


def json_lines(text: str) -> JSONFormat:
    """Make a format of JSON lines of what tells where in an object the columns are.

    Args:
        text: columns and members, as "target=request.uri,time=ts,status=code". Dots lead into objects, but a member
            whose name holds them comes first. A column is one of `formats.columns.COLUMNS`, or a new one, of text;
            what stands without a column is the target. A duration is in seconds, unless its unit stands behind it:
            "duration=latency:ms", of s, ms, us and ns. A time is written as `ANY_TIME` says.

    Raises:
        ValueError: it is not written so.

    >>> json_lines("json:url").fields[:3]
    ('target_scheme', 'target_authority', 'target_path')
    >>> json_lines("json:target=url,duration=took:ms").notations["duration"].value(b"250")
    0.25
    """
    table: dict[str, tuple[Member, ...]] = {}
    notations: dict[str, Notation] = {}
    for item in text.removeprefix("json:").split(","):
        column, path = _pair(item)
        notation = _notation(column)
        if kind(column) is ValueKind.SECONDS and ":" in path:
            path, _, unit = path.rpartition(":")
            if unit not in DURATIONS:
                raise ValueError(f"{item!r}: the unit of a duration is one of {', '.join(DURATIONS)}, not {unit!r}")
            notation = DURATIONS[unit]
        if column in table:
            raise ValueError(f"{text!r} gives the column {column} twice")
        table[column] = places(path)
        if notation:
            notations[column] = notation
    uris = tuple(uri for uri in URIS if uri_column(uri) in table)
    format = JSONFormat(f"json:{text.removeprefix('json:')}", table, uris=uris, notations=notations)
    if twice := {name for name in format.columns if format.columns.count(name) > 1}:
        raise ValueError(f"{text!r} gives a URI as a whole and in parts: {', '.join(sorted(twice))}")
    return format


def _pair(item: str) -> tuple[str, str]:
    """Read "column=member", or a member alone."""
    column, equals, path = map(str.strip, item.partition("="))
    if not equals:
        column, path = "target", column
    if not path:
        raise ValueError(f"{item!r} names no member; it takes json:url, or json:target=request.uri,time=ts,status=code")
    if not COLUMN.fullmatch(column) or column in RESERVED:
        raise ValueError(f"{item!r}: no column can be called {column!r}; it takes a-z, 0-9 and _, a letter first")
    return column, path


def _notation(column: str) -> Notation | None:
    return ANY_STATUS if column in STATUSES else NOTATIONS.get(kind(column))


def places(path: str) -> tuple[Member, ...]:
    """Give the places that a text may mean: a member that is called so, or the one to which its names lead.

    >>> [place.path for place in places("http.url")]
    [('http.url',), ('http', 'url')]
    """
    return (Member((path,)), *(members(path) if "." in path else ()))


ADDRESS, PORT_NUMBER = r"\[?([^\]]*?)\]?:[0-9]*", r"[\s\S]*:([0-9]+)"

# The access log of Caddy 2, as its documentation shows it (How Logging Works; the log directive). Older ones have an
# address and a port in one, and none that proxies tell of. What has no size is a message about a request, or Caddy.
CADDY_MEMBERS = {
    "time": members("ts"),
    "client": (*members("request.client_ip", "request.remote_ip"), Member(("request", "remote_addr"), ADDRESS)),
    "peer": members("request.remote_ip"),
    "client_port": (*members("request.remote_port"), Member(("request", "remote_addr"), PORT_NUMBER)),
    "user": (Member(("user_id",), r"([\s\S]+)"),),
    "protocol": members("request.proto"),
    "method": members("request.method"),
    "host": members("request.host"),
    "target": members("request.uri"),
    "referer": members("request.headers.Referer"),
    "agent": members("request.headers.User-Agent"),
    "forwarded_for": members("request.headers.X-Forwarded-For"),
    "cookie": members("request.headers.Cookie"),
    "tls_protocol": members("request.tls.version"),
    "tls_cipher": members("request.tls.cipher_suite"),
    "bytes_received": members("bytes_read"),
    "duration": members("duration"),
    "bytes": members("size"),
    "status": members("status"),
    "media_type": members("resp_headers.Content-Type"),
}

CADDY_SAMPLE = b"""\
{"level":"info","ts":847659336.123,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":\
"192.0.2.7","remote_port":"41342","client_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"example.com",\
"uri":"/a/b?c=d","headers":{"User-Agent":["Lynx/2.6"],"Referer":["https://example.com/"]},"tls":{"resumed":false,\
"version":772,"cipher_suite":4865,"proto":"h2","server_name":"example.com"}},"bytes_read":0,"user_id":"","duration":\
0.000929675,"size":2326,"status":200,"resp_headers":{"Server":["Caddy"],"Content-Type":["text/html; charset=utf-8"]}}
{"level":"info","ts":"1996-11-10T20:55:37Z","logger":"http.log.access","msg":"handled request","request":{\
"remote_addr":"[2001:db8::7]:41343","proto":"HTTP/1.1","method":"HEAD","host":"example.com","uri":"/","headers":{}},\
"user_id":"frank","duration":0.0001,"size":0,"status":0,"resp_headers":{}}
"""

CADDY = JSONFormat(
    "caddy",
    CADDY_MEMBERS,
    title="Caddy, JSON",
    uris=URIS,
    notations={
        "time": ANY_TIME,
        "client_port": PORT,
        "bytes_received": ANY_NUMBER,
        "duration": ANY_SECONDS,
        "bytes": ANY_NUMBER,
        "status": ANY_STATUS,
    },
    required=("target", "bytes"),
    sample=CADDY_SAMPLE,
)
