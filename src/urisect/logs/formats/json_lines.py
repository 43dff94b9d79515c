"""Parse JSON lines: one object per line, and a table that says which member is which column."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import cached_property
from types import NoneType
from typing import Any, NamedTuple

from urisect.bulk import list_lines
from urisect.logs.formats.columns import column_kind
from urisect.logs.formats.format import EXTRA, Column, Format, ParsedBlock, Parser, uri_column
from urisect.logs.formats.notation import (
    ANY_MICROSECONDS,
    ANY_MILLISECONDS,
    ANY_NANOSECONDS,
    ANY_NUMBER,
    ANY_SECONDS,
    ANY_STATUS,
    ANY_TIME,
    Notation,
    ValueKind,
)
from urisect.reference import Reference
from urisect.suggestion import did_you_mean

__all__ = ["URI_PREFIXES", "JSONFormat", "Member", "json_lines", "member_notation", "member_paths", "possible_members"]

WHITESPACE = b" \t\r"  # ws (RFC 8259, 2), except the "\n" that ends the line

# The texts that stand for an unknown number or time.
UNKNOWN_VALUES = {b"", b"-"}

Object = dict[str, Any]


class Member(NamedTuple):
    """The place of a value in an object.

    Attributes:
        path: the names that lead to it, from the outermost object inwards.
        part: source of an expression with one group. If the whole value matches, the group is used in its place; if
            not, there is no value. If empty, the value is used.

    >>> json_lines("request.uri").members["target"]
    (Member(path=('request.uri',), part=''), Member(path=('request', 'uri'), part=''))
    """

    path: tuple[str, ...]
    part: str = ""


def member_paths(*paths: str) -> tuple[Member, ...]:
    """Return members, each given as names with dots between them.

    >>> member_paths("request.uri")
    (Member(path=('request', 'uri'), part=''),)
    """
    return tuple(Member(tuple(path.split("."))) for path in paths)


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

    members: Mapping[str, tuple[Member, ...]] = attribute(kw_only=False)
    required: tuple[str, ...] = ()
    prefix: str = ""
    directive_prefix: str = ""

    @property
    def has_extra(self) -> bool:
        """Whether there is a field "extra"."""
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
        return (field,) if field in map(uri_column, self.uris) else super()._sources(field)

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
        self._known = _path_tree(format.members) if EXTRA in columns else None
        self._expressions = {
            name: re.compile(notation.pattern.encode())
            for name, notation in format.notations.items()
            if name in format.members
        }
        self._components = {
            uri: [uri + name for name in Reference._fields if uri + name in columns] for uri in format.uris
        }
        self._split = [uri for uri, components in self._components.items() if components]
        self._wanted = columns | format.needed_to_split(columns)
        looked_up = {*self._wanted, *map(uri_column, self._split), *format.required, *format.notations}
        self._looked_up = [name for name in format.members if name in looked_up]

    def __call__(self, block: bytes, _: bytes) -> ParsedBlock:
        texts = list_lines(block)
        entries = [text.removeprefix(BOM_UTF8).strip(WHITESPACE) for text in texts]
        prefixes, bodies = self._split_prefixes(entries)
        objects = list(map(_parse_object, bodies))
        values = _MemberValues(objects)
        found = prefixes | {name: values.column(self._format.members[name]) for name in self._looked_up}
        invalid = {row for row, entry in enumerate(objects) if entry is None} | self._invalid_rows(found)
        directives = self._directive_rows(entries)
        columns = {name: column for name, column in found.items() if name in self._wanted}
        unsplit = {uri: found[uri_column(uri)] for uri in self._split}
        for uri in self._split:
            columns |= {name: [None] * len(texts) for name in self._components[uri]}
        if self._known is not None:
            rests = (_without_known(entry or {}, self._known) for entry in objects)
            columns[EXTRA] = [_json_text(rest) if rest else None for rest in rests]
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
        """Find the lines with an invalid or a missing value, and write None for unknown values into the columns."""
        invalid: set[int] = set()
        for name, expression in self._expressions.items():
            different = set(columns[name])
            if UNKNOWN_VALUES & different:
                columns[name] = [None if text in UNKNOWN_VALUES else text for text in columns[name]]
            values = different - UNKNOWN_VALUES - {None}
            if no_values := {text for text in values if text is not None and not expression.fullmatch(text)}:
                invalid.update(row for row, text in enumerate(columns[name]) if text in no_values)
        for name in self._format.required:
            invalid.update(row for row, text in enumerate(columns[name]) if text is None)
        return invalid

    def _directive_rows(self, lines: list[bytes]) -> set[int]:
        prefix = self._format.directive_prefix.encode()
        return {row for row, line in enumerate(lines) if line.startswith(prefix)} if prefix else set()


def _only_rows(rows: set[int], texts: list[bytes]) -> Column:
    """Return the texts of some rows, and None for the others."""
    return [text if row in rows else None for row, text in enumerate(texts)] if rows else [None] * len(texts)


def _reject_constant(constant: str) -> Any:
    """Reject NaN and Infinity, which Python accepts but JSON does not have (RFC 8259, 6)."""
    raise ValueError(constant)


# Numbers are kept as bytes, exactly as they are written; that also distinguishes them from strings.
_decode = json.JSONDecoder(parse_int=str.encode, parse_float=str.encode, parse_constant=_reject_constant).raw_decode


def _parse_object(line: bytes) -> Object | None:
    """Parse a line as an object; None if it is not an object, or is nested too deeply for the parser."""
    try:
        text = line.decode()
        value, end = _decode(text)
    except (ValueError, RecursionError):
        return None
    return value if end == len(text) and isinstance(value, dict) else None


class _MemberValues:
    """The values in the objects of a block, one object per line."""

    def __init__(self, objects: list[Object | None]) -> None:
        self._objects: dict[tuple[str, ...], list[Object]] = {(): [entry or {} for entry in objects]}

    def column(self, members: tuple[Member, ...]) -> Column:
        """Return, for each line, the value of the first of these members that has one."""
        column = self._texts(members[0])
        for member in members[1:]:
            if None in column:
                texts = self._texts(member)
                column = [other if text is None else text for text, other in zip(column, texts, strict=True)]
        return column

    def _texts(self, member: Member) -> Column:
        texts = [TEXT_OF[type(value)](value) for value in self._values(member.path)]
        if not member.part:
            return texts
        part = re.compile(member.part.encode())
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


LITERALS = {None: b"null", True: b"true", False: b"false"}


def _encode(text: str) -> bytes:
    r"""Encode a string in UTF-8; a lone surrogate, "\ud800", is encoded as if it were a character."""
    return text.encode("utf-8", "surrogatepass")


def _first_item(values: list[Any]) -> bytes | None:
    if not values:
        return None
    value = values[0]
    return _json_text(value) if isinstance(value, list) else TEXT_OF[type(value)](value)


_quote = json.JSONEncoder(ensure_ascii=False).encode


def _json_text(value: Any) -> bytes:
    """Serialize a value as JSON without recursion: it may be nested as deeply as the parser allows."""
    tokens: list[bytes] = []
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            inner = [token for name, member in value.items() for token in (b",", name, b":", member)]
            pending += [b"}", *inner[:0:-1], b"{"]
        elif isinstance(value, list):
            inner = [token for item in value for token in (b",", item)]
            pending += [b"]", *inner[:0:-1], b"["]
        elif isinstance(value, str):  # a lone surrogate becomes an escape, as UTF-8 cannot encode it
            tokens.append(_quote(value).encode("utf-8", "backslashreplace"))
        else:
            tokens.append(value if isinstance(value, bytes) else LITERALS[value])
    return b"".join(tokens)


# Functions that return the text of a value, by the Python type of the value.
TEXT_OF: dict[type, Callable[[Any], bytes | None]] = {
    str: _encode,
    bytes: bytes,
    bool: LITERALS.__getitem__,
    NoneType: lambda _: None,
    list: _first_item,
    dict: _json_text,
}


def _path_tree(members: Mapping[str, tuple[Member, ...]]) -> Object:
    """Return all paths as one tree: an object of objects, empty where a path ends."""
    tree: Object = {}
    for places in members.values():
        for member in places:
            branch = tree
            for name in member.path:
                branch = branch.setdefault(name, {})
    return tree


def _without_known(entry: Object, known: Object) -> Object:
    """Remove the members that have a column from an object; a list of several items stays, as a column has only one."""
    rest: Object = {}
    for name, value in entry.items():
        below = known.get(name)
        if below and isinstance(value, dict):
            if inner := _without_known(value, below):
                rest[name] = inner
        elif below is None or below or (isinstance(value, list) and len(value) > 1):
            rest[name] = value
    return rest


# The prefixes of the columns of the URIs that a JSON log may have.
URI_PREFIXES = ("target_", "referer_")

COLUMN_NAME = re.compile(r"[a-z][a-z0-9_]*")

# Names that a column cannot have, because a format uses them otherwise.
RESERVED_NAMES = {"rejected", "directive", EXTRA, *(f"{uri}text" for uri in URI_PREFIXES)}

DURATION_NOTATIONS = {"s": ANY_SECONDS, "ms": ANY_MILLISECONDS, "us": ANY_MICROSECONDS, "ns": ANY_NANOSECONDS}
NOTATIONS_BY_KIND = {ValueKind.NUMBER: ANY_NUMBER, ValueKind.SECONDS: ANY_SECONDS, ValueKind.TIME: ANY_TIME}
STATUS_COLUMNS = {"status", "upstream_status"}

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
            docs/reference/formats.md lists the known ones. A member without a column is the target. A duration is in
            seconds, unless its unit follows, one of s, ms, us and ns: "duration=latency:ms".

    Returns:
        A format with these columns.

    Raises:
        ValueError: the text is not of this form.

    >>> json_lines("json:url").fields[:3]
    ('target_scheme', 'target_authority', 'target_path')
    >>> json_lines("json:target=url,duration=took:ms").notations["duration"].parse(b"250")
    0.25
    """
    members: dict[str, tuple[Member, ...]] = {}
    notations: dict[str, Notation] = {}
    for item in text.removeprefix("json:").split(","):
        column, path = _column_and_path(item)
        notation = member_notation(column)
        if column_kind(column) is ValueKind.SECONDS and ":" in path:
            path, _, unit = path.rpartition(":")
            notation = _duration_notation(unit, item)
        if column in members:
            raise ValueError(f"{text!r} names the column {column} twice")
        members[column] = possible_members(path)
        if notation:
            notations[column] = notation
    uris = tuple(uri for uri in URI_PREFIXES if uri_column(uri) in members)
    format = JSONFormat(f"json:{text.removeprefix('json:')}", members, uris=uris, notations=notations)
    if duplicates := {name for name in format.columns if format.columns.count(name) > 1}:
        raise ValueError(f"{text!r} names a URI as a whole and in parts: {', '.join(sorted(duplicates))}")
    return format


def _column_and_path(item: str) -> tuple[str, str]:
    """Parse "column=member", or a member alone."""
    column, equals, path = map(str.strip, item.partition("="))
    if not equals:
        column, path = "target", column
    if not path:
        raise ValueError(f"{item!r} names no member; write json:url, or json:target=request.uri,time=ts,status=code")
    if not COLUMN_NAME.fullmatch(column) or column in RESERVED_NAMES:
        raise ValueError(f"{item!r}: invalid column name {column!r}; use a-z, 0-9 and _, beginning with a letter")
    return column, path


def member_notation(column: str) -> Notation | None:
    """Return the notation of the values of a column in JSON; None for text.

    >>> member_notation("status").parse(b"200"), member_notation("agent")
    (200, None)
    """
    return ANY_STATUS if column in STATUS_COLUMNS else NOTATIONS_BY_KIND.get(column_kind(column))


def _duration_notation(unit: str, item: str) -> Notation:
    """Return the notation of durations in a unit."""
    if unit not in DURATION_NOTATIONS:
        hint = did_you_mean(UNIT_NAMES.get(unit.lower(), unit), DURATION_NOTATIONS)
        raise ValueError(f"{item!r}: unknown unit {unit!r}; there are {', '.join(DURATION_NOTATIONS)}{hint}")
    return DURATION_NOTATIONS[unit]


def possible_members(path: str) -> tuple[Member, ...]:
    """Return the members that a text may mean: the member of that name, or the one to which its names lead.

    >>> [member.path for member in possible_members("http.url")]
    [('http.url',), ('http', 'url')]
    """
    return (Member((path,)), *(member_paths(path) if "." in path else ()))
