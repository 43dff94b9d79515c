"""Parse JSON lines: one object per line, and a table that says which member is which column."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import cached_property
from typing import Any, NamedTuple

from urisect.bulk import list_lines
from urisect.logs.formats.columns import column_kind
from urisect.logs.formats.format import EXTRA, Column, Format, ParsedBlock, Parser, uri_column
from urisect.logs.formats.json_objects import TEXT_OF, Object, json_text, parse_objects
from urisect.logs.formats.notation import (
    ANY_MICROSECONDS,
    ANY_MILLISECONDS,
    ANY_NANOSECONDS,
    ANY_NUMBER,
    ANY_SECONDS,
    ANY_STATUS,
    ANY_TEXT_PATTERN,
    ANY_TIME,
    EPOCH_MICROSECONDS,
    EPOCH_MILLISECONDS,
    EPOCH_NANOSECONDS,
    EPOCH_SECONDS,
    Notation,
    ValueKind,
)
from urisect.logs.formats.request import METHOD_PATTERN, PROTOCOL_PATTERN
from urisect.reference import Reference
from urisect.repetition import unrolled_loop
from urisect.suggestion import did_you_mean

__all__ = [
    "HOST_PART",
    "KNOWN_PART",
    "NOT_EMPTY_PART",
    "PORT_PART",
    "QUERY_PART",
    "REQUEST_PARTS",
    "URI_PREFIXES",
    "Assignment",
    "JSONFormat",
    "JoinedMembers",
    "Member",
    "Places",
    "headers",
    "json_lines",
    "member_notation",
    "member_paths",
    "parse_assignment",
    "possible_members",
]

WHITESPACE = b" \t\r"  # ws (RFC 8259, 2), except the "\n" that ends the line

# The texts that stand for an unknown number or time.
UNKNOWN_VALUES = {b"", b"-"}


class Member(NamedTuple):
    """The place of a value in an object.

    Attributes:
        path: the names that lead to it, from the outermost object inwards.
        part: source of an expression with one group. If the whole value matches, the group is used in its place; if
            not, there is no value. If empty, the value is used.
        header: the name of a header, in lower case. What `path` leads to are then headers: an object with their names
            in any case, or a list of objects, each with a `name` and a `value`.

    >>> json_lines("request.uri").members["target"]
    (Member(path=('request.uri',), part='', header=''), Member(path=('request', 'uri'), part='', header=''))
    """

    path: tuple[str, ...]
    part: str = ""
    header: str = ""


class JoinedMembers(NamedTuple):
    """Several values, such as a date and a time, that are one with a space between them; none if one is missing.

    Attributes:
        parts: the places where each of them may be.

    >>> json_lines("time=day+hour").members["time"][-1].parts[1]
    (Member(path=('hour',), part='', header=''),)
    """

    parts: tuple[tuple[Member, ...], ...]


# The places where the value of a column may be.
Places = tuple[Member | JoinedMembers, ...]


def member_paths(*paths: str, part: str = "") -> tuple[Member, ...]:
    """Return members, each given as names with dots between them.

    Args:
        paths: the names.
        part: as for `Member`.

    >>> member_paths("request.uri")
    (Member(path=('request', 'uri'), part='', header=''),)
    """
    return tuple(Member(tuple(path.split(".")), part) for path in paths)


def headers(path: str, name: str) -> tuple[Member, ...]:
    """Return the place of a header.

    Args:
        path: the names that lead to the headers, with dots between them.
        name: the name of the header.

    >>> headers("request.headers", "User-Agent")
    (Member(path=('request', 'headers'), part='', header='user-agent'),)
    """
    return (Member(tuple(path.split(".")), header=name.lower()),)


@dataclass(frozen=True, eq=False)
class JSONFormat(Format):
    r"""A format whose line is an object (RFC 8259, 4), or ends with one.

    The value of a string is its text in UTF-8; of a number, true and false, the JSON text; of a list, its first item.
    The value of an object, or of a list in a list, is its JSON text. A null or missing member is None. "" and "-" are
    None where a number or a time is expected.

    A line is rejected if it is not such an object, or has any other text where a number or a time is expected. Of two
    members of the same name the last one counts.

    The field `extra` contains the members that belong to no column, as JSON text.

    Attributes:
        members: for each column, and for each whole URI ("target", "referer"), the places where it may be.
            The first place with a value counts.
        required: those of them without which a line is rejected.
        marks: members that tell the entries from those of other services: a line with none of them is rejected.
        message_members: members of other lines of the log, such as messages of the server. A line without a required
            member that has all of these is skipped as a directive.
        prefix: source of the expression of the text before the object. Its named groups are columns.
        directive_prefix: what a line begins with that is not an entry.

    >>> import io
    >>> from urisect.logs import tables
    >>> members = {"target": member_paths("request.url")}
    >>> format = JSONFormat("example", members, uris=("target_",))
    >>> log = io.BytesIO(b'{"request": {"url": "/a?b"}, "id": 7}\n')
    >>> [table] = tables(log, format, columns=["target_query", "extra"])
    >>> table.column("target_query"), table.column("extra")
    ([b'b'], [b'{"id":7}'])
    """

    members: Mapping[str, Places] = attribute(kw_only=False)
    required: tuple[str, ...] = ()
    marks: tuple[Member, ...] = ()
    message_members: tuple[Member, ...] = ()
    prefix: str = ""
    directive_prefix: str = ""

    @property
    def has_extra(self) -> bool:
        """Whether there is a field "extra".

        >>> json_lines("json:url").has_extra
        True
        """
        return True

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, first those before the object, then those of its members.

        >>> json_lines("target=request.uri,status=code").columns[-2:]
        ('target_fragment', 'status')
        """
        components = {uri_column(uri): tuple(uri + name for name in Reference._fields) for uri in self.uris}
        in_object = (column for name in self.members for column in components.get(name, (name,)))
        return (*re.compile(self.prefix).groupindex, *in_object)

    def _sources(self, field: str) -> Iterable[str]:
        return (field,) if field in self.members else super()._sources(field)

    def parser(self, columns: frozenset[str]) -> Parser:
        """Return a function that looks up these columns, and all members that may make a line invalid.

        Args:
            columns: as for `Format.parser`.

        >>> parse = json_lines("target=url,status=code").parser(frozenset({"status"}))
        >>> parse(b'{"url": "/a", "code": 200}', b"").columns["status"]
        [b'200']
        """
        return _ObjectParser(self, columns)


class _ObjectParser:
    """Parses blocks of lines into some columns."""

    def __init__(self, format: JSONFormat, columns: frozenset[str]) -> None:
        self._format = format
        self._prefix = re.compile(format.prefix.encode())
        self._known = _known_members(format.members) if EXTRA in columns else None
        self._expressions = {
            name: re.compile(notation.pattern.encode())
            for name, notation in format.notations.items()
            if name in format.members and notation.pattern != ANY_TEXT_PATTERN
        }
        self._components = {
            uri: [uri + name for name in Reference._fields if uri + name in columns] for uri in format.uris
        }
        self._split = [
            uri for uri, components in self._components.items() if components and uri_column(uri) in format.members
        ]
        self._wanted = columns | format.needed_to_split(columns)
        looked_up = {*self._wanted, *map(uri_column, self._split), *format.required, *self._expressions}
        self._looked_up = [name for name in format.members if name in looked_up]

    def __call__(self, block: bytes, _: bytes) -> ParsedBlock:
        texts = list_lines(block)
        entries = [text.removeprefix(BOM_UTF8).strip(WHITESPACE) for text in texts]
        prefixes, bodies = self._split_prefixes(entries)
        objects = parse_objects(bodies)
        values = _MemberValues(objects)
        found = prefixes | {name: values.column(self._format.members[name]) for name in self._looked_up}
        incomplete = {row for row, entry in enumerate(objects) if entry is None} | self._incomplete_rows(found, values)
        invalid = incomplete | self._invalid_rows(found)
        directives = self._directive_rows(entries) | self._message_rows(incomplete, values)
        columns = {name: column for name, column in found.items() if name in self._wanted}
        unsplit = {uri: found[uri_column(uri)] for uri in self._split}
        for uri in self._split:
            columns |= {name: [None] * len(texts) for name in self._components[uri]}
        if self._known is not None:
            rests = (_without_known(entry or {}, self._known) for entry in objects)
            columns[EXTRA] = [json_text(rest) if rest else None for rest in rests]
        return ParsedBlock(columns, _only_rows(invalid - directives, texts), _only_rows(directives, texts), unsplit)

    def _split_prefixes(self, lines: list[bytes]) -> tuple[dict[str, Column], list[bytes]]:
        """Split lines into the columns before the object, and the object; empty for a line without the prefix."""
        if not self._format.prefix:
            return {}, lines
        found = list(map(self._prefix.match, lines))
        columns: dict[str, Column] = {
            name: [match and match[name] for match in found] for name in self._prefix.groupindex
        }
        return columns, [line[match.end() :] if match else b"" for line, match in zip(lines, found, strict=True)]

    def _invalid_rows(self, columns: dict[str, Column]) -> set[int]:
        """Find the lines with an invalid value, and write None for unknown values into the columns."""
        invalid: set[int] = set()
        for name, expression in self._expressions.items():
            different = set(columns[name])
            if UNKNOWN_VALUES & different:
                columns[name] = [None if text in UNKNOWN_VALUES else text for text in columns[name]]
            values = different - UNKNOWN_VALUES - {None}
            if no_values := {text for text in values if text is not None and not expression.fullmatch(text)}:
                invalid.update(row for row, text in enumerate(columns[name]) if text in no_values)
        return invalid

    def _incomplete_rows(self, columns: dict[str, Column], values: "_MemberValues") -> set[int]:
        """Find the lines without a required member, or without any of the marks."""
        needed = [columns[name] for name in self._format.required]
        if self._format.marks:
            needed.append(values.column(self._format.marks))
        return {row for column in needed for row, text in enumerate(column) if text is None}

    def _message_rows(self, incomplete: set[int], values: "_MemberValues") -> set[int]:
        """Find the lines that are messages, among those without a required member."""
        if not (incomplete and self._format.message_members):
            return set()
        columns = [values.column((member,)) for member in self._format.message_members]
        return {row for row in incomplete if all(column[row] is not None for column in columns)}

    def _directive_rows(self, lines: list[bytes]) -> set[int]:
        prefix = self._format.directive_prefix.encode()
        return {row for row, line in enumerate(lines) if line.startswith(prefix)} if prefix else set()


def _only_rows(rows: set[int], texts: list[bytes]) -> Column:
    """Return the texts of some rows, and None for the others."""
    return [text if row in rows else None for row, text in enumerate(texts)] if rows else [None] * len(texts)


class _MemberValues:
    """The values in the objects of a block, one object per line."""

    def __init__(self, objects: list[Object | None]) -> None:
        self._objects: dict[tuple[str, ...], list[Object]] = {(): [entry or {} for entry in objects]}

    def column(self, places: Places) -> Column:
        """Return, for each line, the value of the first of these places that has one."""
        column = self._texts(places[0])
        for place in places[1:]:
            if None in column:
                texts = self._texts(place)
                column = [other if text is None else text for text, other in zip(column, texts, strict=True)]
        return column

    def _texts(self, place: Member | JoinedMembers) -> Column:
        if isinstance(place, JoinedMembers):
            parts = zip(*map(self.column, place.parts), strict=True)
            defined = ([text for text in row if text is not None] for row in parts)
            return [b" ".join(row) if len(row) == len(place.parts) else None for row in defined]
        values = self._values(place.path)
        if place.header:
            values = [_find_header(each, place.header) for each in values]
        texts = [TEXT_OF[type(value)](value) for value in values]
        if not place.part:
            return texts
        part = re.compile(place.part.encode())
        found = (None if text is None else part.fullmatch(text) for text in texts)
        return [match and match[1] for match in found]

    def _values(self, path: tuple[str, ...]) -> list[Any]:
        *outer, name = path
        return [entry.get(name) for entry in self._at(tuple(outer))]

    def _at(self, path: tuple[str, ...]) -> list[Object]:
        """Return the objects at a path; an empty one where there is none."""
        if path not in self._objects:
            self._objects[path] = [value if isinstance(value, dict) else {} for value in self._values(path)]
        return self._objects[path]


def _find_header(headers: Any, name: str) -> Any:
    """Return the value of the first header of a name, in lower case."""
    if isinstance(headers, dict):
        return next((value for each, value in headers.items() if each.lower() == name), None)
    if isinstance(headers, list):
        return next((header.get("value") for header in headers if _header_name(header) == name), None)
    return None


def _header_name(header: Any) -> str:
    """Return the name of a header in a list, in lower case; empty if this is no header."""
    name = header.get("name") if isinstance(header, dict) else None
    return name.lower() if isinstance(name, str) else ""


class _Known(NamedTuple):
    """The members of an object that have a column, or contain one that has; empty where a path ends.

    Attributes:
        members: what is known of the value of each.
        headers: the names of headers that have a column, in lower case.
    """

    members: dict[str, "_Known"]
    headers: set[str]


def _known_members(members: Mapping[str, Places]) -> _Known:
    """Return all paths as one tree."""
    tree = _Known({}, set())
    pending = [place for places in members.values() for place in places]
    while pending:
        place = pending.pop()
        if isinstance(place, JoinedMembers):
            pending += [member for part in place.parts for member in part]
            continue
        branch = tree
        for name in place.path:
            branch = branch.members.setdefault(name, _Known({}, set()))
        if place.header:
            branch.headers.add(place.header)
    return tree


def _without_known(entry: Object, known: _Known) -> Object:
    """Remove the members that have a column from an object; a list of several items stays, as a column has only one."""
    rest: Object = {}
    members = _with_headers(known, entry) if known.headers else known.members
    for name, value in entry.items():
        below = members.get(name)
        if below is None:
            rest[name] = value
        elif not (below.members or below.headers):
            if isinstance(value, list) and len(value) > 1:
                rest[name] = value
        elif isinstance(value, dict):
            if inner := _without_known(value, below):
                rest[name] = inner
        elif not (isinstance(value, list) and below.headers):
            rest[name] = value
        elif others := _without_headers(value, below.headers):
            rest[name] = others
    return rest


def _with_headers(known: _Known, headers: Object) -> dict[str, _Known]:
    """Return the known members of an object of headers, with the first header of each known name in any case."""
    names = known.headers - {name.lower() for name in headers if name in known.members}
    first = {name.lower(): name for name in reversed(headers)}
    return known.members | {first[name]: _Known({}, set()) for name in names if name in first}


def _without_headers(items: list[Any], names: set[str]) -> list[Any]:
    """Remove the first header of each of these names from a list."""
    rest = []
    for item in items:
        if (name := _header_name(item)) in names:
            names = names - {name}
        else:
            rest.append(item)
    return rest


# The prefixes of the columns of the URIs that a JSON log may have.
URI_PREFIXES = ("target_", "referer_")

COLUMN_NAME = re.compile(r"[a-z][a-z0-9_]*")

# Names that a column cannot have, because a format uses them otherwise.
RESERVED_NAMES = {"rejected", "directive", EXTRA, *(f"{uri}text" for uri in URI_PREFIXES)}

# The notations of durations and times in a unit.
UNIT_NOTATIONS = {
    ValueKind.SECONDS: {
        "s": ANY_SECONDS,
        "ms": ANY_MILLISECONDS,
        "us": ANY_MICROSECONDS,
        "ns": ANY_NANOSECONDS,
    },
    ValueKind.TIME: {
        "s": EPOCH_SECONDS,
        "ms": EPOCH_MILLISECONDS,
        "us": EPOCH_MICROSECONDS,
        "ns": EPOCH_NANOSECONDS,
    },
}
NOTATIONS_BY_KIND = {ValueKind.NUMBER: ANY_NUMBER, ValueKind.SECONDS: ANY_SECONDS, ValueKind.TIME: ANY_TIME}
STATUS_COLUMNS = {"status", "upstream_status"}

# The column that stands for a whole request line, and the parts of one (RFC 9112, 3), by column. As in the Combined
# format, a target may contain spaces, and "-" means none.
REQUEST_LINE = "request"
_METHOD = METHOD_PATTERN.replace("?P<method>", "?:")
_TARGET = unrolled_loop("[^ ]", rf"[ ](?!{PROTOCOL_PATTERN}\Z)")
REQUEST_PARTS = {
    "method": rf"{METHOD_PATTERN}[ ][\s\S]*",
    "target": rf"{_METHOD}[ ]({_TARGET})(?:[ ]{PROTOCOL_PATTERN})?",
    "protocol": rf"{_METHOD}[ ]{_TARGET}[ ]({PROTOCOL_PATTERN})",
    REQUEST_LINE: rf"(?!{_METHOD}[ ]|-\Z)([\s\S]*)",
}

# A value that is not empty; one that is not "-", either.
NOT_EMPTY_PART = r"([\s\S]+)"
KNOWN_PART = r"(?!-\Z)([\s\S]+)"

# The parts of values that are often more than the value of their column: an address with a port, in brackets if it is
# of IPv6, and a query after its "?". Any other client or port is used as it is.
HOST_PART = (
    r"\[?((?<=\[)[^\[\]]++(?=\])|(?<!\[)(?:[^:\[\]]++(?=:[0-9]*\Z|\Z)|[^:\[\]]*+:[^:\[\]]*+:[^\[\]]*+))"
    r"\]?(?::[0-9]*)?"
)
PORT_PART = r"(?:\[[^\[\]]*\]|[^:\[\]]*):([0-9]+)"
QUERY_PART = r"\??+([\s\S]+)"
COLUMN_PARTS = {
    "client": (HOST_PART, ""),
    "client_port": (PORT_PART, ""),
    **dict.fromkeys((f"{uri}query" for uri in URI_PREFIXES), (QUERY_PART,)),
}

# Other names of the units, for suggestions.
UNIT_NAMES = {
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "msecs", "millis", "milliseconds"), "ms"),
    **dict.fromkeys(("µs", "usec", "micros", "microseconds"), "us"),
    **dict.fromkeys(("nsec", "nanos", "nanoseconds"), "ns"),
}


def json_lines(text: str) -> JSONFormat:
    """Return a format of JSON lines, from a text that says which member is which column.

    Args:
        text: columns and members, as in "target=request.uri,time=ts,status=code". Dots lead into objects, but a member
            whose name contains them takes precedence. A known column has its kind of values, any other has text;
            docs/reference/formats.md lists the known ones. A member without a column is the target. The column
            "request" takes a whole request line, and gives the method, the target, and the protocol. A duration is in
            seconds, unless its unit follows, one of s, ms, us and ns: "duration=latency:ms". So does the unit of a time
            since 1970 whose digits do not tell it: "time=ts:us". A date and a time have a plus sign between them:
            "time=date+time".

    Returns:
        A format with these columns.

    Raises:
        ValueError: the text is not of this form.

    >>> json_lines("json:url").fields[:3]
    ('target_scheme', 'target_authority', 'target_path')
    >>> json_lines("json:target=url,duration=took:ms").notations["duration"].parse(b"250")
    0.25
    >>> json_lines("json:request=line,status=code").columns[:2]
    ('method', 'target_scheme')
    """
    members: dict[str, Places] = {}
    notations: dict[str, Notation] = {}
    for item in text.removeprefix("json:").split(","):
        for assignment in parse_assignment(item):
            column = assignment.column
            if column in members:
                raise ValueError(f"{text!r} names the column {column} twice")
            members[column] = assignment.places
            if assignment.notation:
                notations[column] = assignment.notation
    uris = tuple(uri for uri in URI_PREFIXES if uri_column(uri) in members or f"{uri}path" in members)
    format = JSONFormat(f"json:{text.removeprefix('json:')}", members, uris=uris, notations=notations)
    if duplicates := {name for name in format.columns if format.columns.count(name) > 1}:
        raise ValueError(f"{text!r} names a URI as a whole and in parts: {', '.join(sorted(duplicates))}")
    return format


class Assignment(NamedTuple):
    """A column of `json_lines`.

    Attributes:
        column: its name.
        places: where its values may be.
        notation: how they are written; None for text.

    >>> [assignment] = parse_assignment("status=code")
    >>> assignment.column, assignment.places
    ('status', (Member(path=('code',), part='', header=''),))
    """

    column: str
    places: Places
    notation: Notation | None = None


def parse_assignment(item: str) -> list[Assignment]:
    """Parse an item of the text of `json_lines`, "column=member" or a member alone.

    Args:
        item: the text between two commas.

    Returns:
        One column; those of a request line for "request=member".

    Raises:
        ValueError: the text is not of this form.

    >>> [assignment.column for assignment in parse_assignment("request=line")]
    ['method', 'target', 'protocol', 'request']
    """
    column, path = _column_and_path(item)
    if column == REQUEST_LINE:
        return [Assignment(name, possible_members(path, part)) for name, part in REQUEST_PARTS.items()]
    kind, notation = column_kind(column), member_notation(column)
    if kind in UNIT_NOTATIONS and ":" in path:
        path, _, unit = path.rpartition(":")
        notation = _unit_notation(kind, unit, item)
    parts = COLUMN_PARTS.get(column, ("",))
    places: Places = tuple(member for part in parts for member in possible_members(path, part))
    if kind is ValueKind.TIME and "+" in path:
        places += (JoinedMembers(tuple(map(possible_members, path.split("+")))),)
    return [Assignment(column, places, notation)]


def _column_and_path(item: str) -> tuple[str, str]:
    column, equals, path = map(str.strip, item.partition("="))
    if not equals:
        column, path = "target", column
    if not path:
        raise ValueError(
            f"{item!r} names no member; write json:url, or json:target=request.uri,time=ts,status=code, or "
            "json:request=line for a request line"
        )
    if not COLUMN_NAME.fullmatch(column) or column in RESERVED_NAMES:
        raise ValueError(f"{item!r}: invalid column name {column!r}; use a-z, 0-9 and _, beginning with a letter")
    return column, path


def member_notation(column: str) -> Notation | None:
    """Return the notation of the values of a column in JSON; None for text.

    >>> member_notation("status").parse(b"200"), member_notation("agent")
    (200, None)
    """
    return ANY_STATUS if column in STATUS_COLUMNS else NOTATIONS_BY_KIND.get(column_kind(column))


def _unit_notation(kind: ValueKind, unit: str, item: str) -> Notation:
    """Return the notation of durations or times in a unit."""
    notations = UNIT_NOTATIONS[kind]
    if unit not in notations:
        hint = did_you_mean(UNIT_NAMES.get(unit.lower(), unit), notations)
        raise ValueError(f"{item!r}: unknown unit {unit!r}; there are {', '.join(notations)}{hint}")
    return notations[unit]


def possible_members(path: str, part: str = "") -> tuple[Member, ...]:
    """Return the members that a text may mean: the member of that name, or the one to which its names lead.

    The name of a header, after a name that ends with "headers", may be in any case.

    Args:
        path: the names, with dots between them.
        part: as for `Member`.

    >>> [member.path for member in possible_members("http.url")]
    [('http.url',), ('http', 'url')]
    """
    members = [Member((path,), part)]
    *outer, name = path.split(".")
    if outer:
        members.append(Member((*outer, name), part))
        if outer[-1].lower().endswith("headers"):
            members.append(Member(tuple(outer), part, name.lower()))
    return tuple(members)
