"""Turn a `log_format` of nginx that writes JSON objects into a format of JSON lines."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from urisect.logs.formats.compilation import UniqueNames
from urisect.logs.formats.format import uri_column
from urisect.logs.formats.json_lines import (
    NOT_EMPTY_PART,
    REQUEST_PARTS,
    URI_PREFIXES,
    JSONFormat,
    Member,
    member_notation,
)
from urisect.logs.formats.nginx import VARIABLE, variable_field
from urisect.logs.formats.notation import Notation
from urisect.logs.formats.request import METHOD_PATTERN
from urisect.repetition import unrolled_loop

__all__ = ["nginx_json"]

# A string of JSON, or a variable outside a string. A string that is not closed reaches to the end.
STRING = '"' + unrolled_loop(r'[^"\\]', r"\\[\s\S]") + '"?+'
STRING_OR_VARIABLE = re.compile(f"{STRING}|{VARIABLE.pattern}")

# A variable in a string, between two private characters (U+E000, U+E001).
MARK = re.compile("\ue000([0-9A-Za-z_]++)\ue001")

# A malformed request line: with escape=json, nginx writes an undefined one as an empty text.
_METHOD = METHOD_PATTERN.replace("?P<method>", "?:")
MALFORMED_PART = rf"(?!{_METHOD}[ ])([\s\S]+)"

# One value, or a list of the values of several servers; see `nginx`.
SINGLE_PART = r"(?![\s\S]*?(?:,[ ]|[ ]:[ ]))([\s\S]+)"
LIST_PART = r"([\s\S]*?(?:,[ ]|[ ]:[ ])[\s\S]*)"

# The columns of a request line and of whole URIs. If several variables give such a column, the first value counts.
WHOLE_PARTS = {
    "$request": {**REQUEST_PARTS, "request": MALFORMED_PART},
    "$request_uri": {"target": NOT_EMPTY_PART},
    "$http_referer": {"referer": NOT_EMPTY_PART},
    "$request_method": {"method": NOT_EMPTY_PART},
    "$server_protocol": {"protocol": NOT_EMPTY_PART},
}


class _Value(NamedTuple):
    """A value in an object.

    Attributes:
        path: the names of the members that lead to it.
        variable: the name of the variable; empty if the value is made of several, or of a variable and other text.
    """

    path: tuple[str, ...]
    variable: str


def nginx_json(text: str, name: str = "nginx") -> JSONFormat:
    r"""Return the format of a log of nginx whose `log_format` has `escape=json` and writes an object.

    Args:
        text: the format string.
        name: the name of the format.

    Returns:
        A format with the columns of the variables, as for `nginx`. Members with constant values have no column.

    Raises:
        ValueError: the format string is not one object, or a value is not one variable.

    >>> format = nginx_json('{"at": "$time_iso8601", "took": $request_time, "uri": "$request_uri"}')
    >>> format.members["duration"][0].path, format.columns[:3]
    (('took',), ('time', 'duration', 'target_scheme'))
    """
    values = list(_values(_parse(text)))
    if mixed := [".".join(value.path) for value in values if not value.variable]:
        raise ValueError(
            f"the value of the member {mixed[0]} is not one variable; name the members instead: {_suggestion(values)}"
        )
    if not values:
        raise ValueError("no member has a variable, so there is nothing to parse")
    members, notations = _members(values)
    uris = tuple(uri for uri in URI_PREFIXES if uri_column(uri) in members)
    return JSONFormat(name, members, uris=uris, notations=notations)


def _parse(text: str) -> dict[str, Any]:
    """Parse the object, with a mark in place of each variable."""
    try:
        value = json.loads(STRING_OR_VARIABLE.sub(_mark, text))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ValueError("its lines are not JSON objects; if they contain one, name the members: json:url")  # noqa: TRY004
    return value


def _mark(found: re.Match[str]) -> str:
    if found.lastgroup:  # a variable outside a string
        return f'"\ue000{found[found.lastgroup]}\ue001"'
    return VARIABLE.sub(lambda each: f"\ue000{each[each.lastgroup]}\ue001" if each.lastgroup else each[0], found[0])


def _values(entry: dict[str, Any]) -> Iterator[_Value]:
    """Yield the values that have variables. An array with a variable is made of several, since its length may vary."""
    pending: list[tuple[tuple[str, ...], Any, bool]] = [((), entry, False)]
    while pending:
        path, value, is_in_array = pending.pop()
        if isinstance(value, dict):
            if any(map(MARK.search, value)):
                yield _Value(path, "")
            pending += [((*path, name), member, is_in_array) for name, member in reversed(value.items())]
        elif isinstance(value, list):
            pending += [(path, item, True) for item in reversed(value)]
        elif isinstance(value, str) and MARK.search(value):
            whole = MARK.fullmatch(value)
            yield _Value(path, whole[1] if whole and not is_in_array else "")


def _members(values: list[_Value]) -> tuple[dict[str, tuple[Member, ...]], dict[str, Notation]]:
    """Return the places of each column, and the notations of those that are not text."""
    whole = {column for value in values for column in WHOLE_PARTS.get(f"${value.variable}", ())}
    components = {column for value in values for column in _component_columns(value.variable)}
    names = UniqueNames(whole | components)
    members: dict[str, tuple[Member, ...]] = {}
    notations: dict[str, Notation] = {}
    for path, variable in values:
        if parts := WHOLE_PARTS.get(f"${variable}"):
            for column, part in parts.items():
                members[column] = (*members.get(column, ()), Member(path, part))
            continue
        column, *lists = variable_field(variable).columns
        unique = names.add_unique(column)
        if notation := member_notation(column):
            notations[unique] = notation
        members[unique] = (Member(path, SINGLE_PART if lists else "" if notation else NOT_EMPTY_PART),)
        for each in lists:
            members[names.add_unique(each)] = (Member(path, LIST_PART),)
    return members, notations


def _component_columns(variable: str) -> tuple[str, ...]:
    """Return the columns of the components of the URIs in the value of a variable."""
    return variable_field(variable).columns if f"${variable}" in WHOLE_PARTS else ()


def _suggestion(values: list[_Value]) -> str:
    """Return a text for `json_lines`, of the members whose value is one variable."""
    columns = {
        (*WHOLE_PARTS.get(f"${variable}", ()), *variable_field(variable).columns)[0]: ".".join(path)
        for path, variable in values
        if variable and variable != "request"
    }
    return f"json:{','.join(f'{column}={path}' for column, path in columns.items()) or 'url'}"
