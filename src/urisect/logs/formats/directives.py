r"""The directives in the format string of a server, such as Apache's `%h` and nginx's `$status`, and their columns."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from urisect.logs.formats.columns import COLUMNS
from urisect.logs.formats.field_patterns import FieldPattern
from urisect.logs.formats.fields import AUTHORITY_PARTS

__all__ = [
    "HIDDEN_NAMES",
    "Directive",
    "DirectiveField",
    "argument_columns",
    "merge_adjacent_fields",
    "reserved_names",
]


class Directive(NamedTuple):
    """A directive that a server knows.

    Attributes:
        columns: the names of its columns; "*" stands for the argument in its braces.
        meaning: what the values say.
        field_pattern: how the values look.

    >>> from urisect.logs.formats.apache import DIRECTIVES
    >>> DIRECTIVES["%{*}C"].columns, DIRECTIVES["%{*}C"].meaning
    (('cookie_*',), 'cookie of the request')
    """

    columns: tuple[str, ...]
    meaning: str
    field_pattern: FieldPattern


class DirectiveField(NamedTuple):
    """A directive in a format string.

    Attributes:
        text: the directive as it is in the format string.
        columns: the names of its columns.
        field_pattern: how its values look.
    """

    text: str
    columns: tuple[str, ...]
    field_pattern: FieldPattern


# Names that a column cannot have, because a format uses them otherwise.
HIDDEN_NAMES = {"rejected", "directive", "target", "referer", "reference"} | {
    f"{uri}{part}" for uri in ("target_", "referer_") for part in ("text", *AUTHORITY_PARTS)
}


def reserved_names(directives: Mapping[str, Directive]) -> frozenset[str]:
    """Return the names that the column of an argument cannot have.

    Args:
        directives: all directives of a server.

    >>> from urisect.logs.formats.field_patterns import TEXT_FIELD
    >>> names = reserved_names({"%b": Directive(("bytes", "size"), "response size", TEXT_FIELD)})
    >>> sorted(names & {"bytes", "size", "target", "foo"})
    ['bytes', 'size', 'target']
    """
    return frozenset(COLUMNS).union(HIDDEN_NAMES, *(directive.columns for directive in directives.values()))


def argument_columns(directive: Directive, argument: str, reserved: frozenset[str]) -> tuple[str, ...]:
    """Return the names of the columns of a directive with an argument.

    Args:
        directive: a directive whose columns contain "*".
        argument: the argument, which replaces the "*", in lower case.
        reserved: names that these columns cannot have; they are prefixed with "other_".

    >>> from urisect.logs.formats.field_patterns import TEXT_FIELD
    >>> argument_columns(Directive(("sent_*",), "response header", TEXT_FIELD), "X-Cache", frozenset())
    ('sent_x_cache',)
    """
    replacement = re.sub(r"[^0-9a-z]+", "_", argument.lower()).strip("_")
    names = (column.replace("*", replacement) for column in directive.columns)
    return tuple(name if name.isidentifier() and name not in reserved else f"other_{name}" for name in names)


def merge_adjacent_fields(
    parts: Iterable[str | DirectiveField], patterns: tuple[FieldPattern, ...], merged: FieldPattern
) -> Iterator[str | DirectiveField]:
    """Replace adjacent fields of these patterns by one field, with the columns of the first and the last one.

    Args:
        parts: the parts of a format string, none of them empty.
        patterns: the patterns of the adjacent fields, in order.
        merged: the pattern of the field that replaces them.

    >>> from urisect.logs.formats.field_patterns import PATH_FIELD, TEXT_FIELD, WORD_FIELD
    >>> path, query = DirectiveField("%U", ("path",), PATH_FIELD), DirectiveField("%q", ("query",), TEXT_FIELD)
    >>> [field] = merge_adjacent_fields([path, query], (PATH_FIELD, TEXT_FIELD), WORD_FIELD)
    >>> field.text, field.columns
    ('%U%q', ('path', 'query'))
    """
    parts = list(parts)
    index = 0
    while index < len(parts):
        fields = [part for part in parts[index : index + len(patterns)] if isinstance(part, DirectiveField)]
        if tuple(field.field_pattern for field in fields) == patterns:
            text = "".join(field.text for field in fields)
            yield DirectiveField(text, fields[0].columns + fields[-1].columns, merged)
            index += len(patterns)
        else:
            yield parts[index]
            index += 1
