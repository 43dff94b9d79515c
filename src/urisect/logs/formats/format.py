"""Define what a format of lines is: its columns, and how a block of lines is parsed into them."""

import re
from abc import ABC, abstractmethod
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from dataclasses import field as attribute
from functools import cache, cached_property
from types import MappingProxyType
from typing import NamedTuple

from urisect.bulk import extract_columns
from urisect.character_ranges import LAST_BYTE, positive_classes
from urisect.logs.formats.fields import ALIASES, AUTHORITY_PARTS, UnknownFieldError
from urisect.logs.formats.layout import LineLayout
from urisect.logs.formats.notation import Notation, ValueKind
from urisect.reference import Reference

__all__ = ["EXTRA", "IMPLAUSIBLE", "Column", "Format", "ParsedBlock", "Parser", "PatternFormat", "uri_column"]

# One value per line; None where it is undefined.
Column = list[bytes | None]

# The name of the field for all that has no column.
EXTRA = "extra"

# The column that asks a parser to count entries with implausible values, see `ParsedBlock`; the names of the groups of
# implausible values begin with it, see `PatternFormat`. Without counting them, a line takes 4 % less time.
IMPLAUSIBLE = "implausible"


class ParsedBlock(NamedTuple):
    r"""The lines of a block, parsed. All columns have one value per line, including the lines that are not entries.

    Attributes:
        columns: the values, by the name of the column.
        rejected: the text of a line that the format does not match; None for any other.
        directives: the text of a line that is a directive, not an entry; None for any other. Empty if there are none.
        unsplit: URIs that could not be split during the match, by the prefix of their columns; None where there are
            none. Their components are split later.
        partial: the text of a line that is a part of a longer one, which a later line ends; None for any other. Empty
            if there are none.
        implausible: the number of entries with implausible values, see `Format.strict`, if the parser counts them.
        header: what the lines after the block need to know about it, if the parser found it, see `Format.header`.
        blank: the rows of rejected lines that have nothing to parse, besides those of `Format.is_blank`.
        is_utf8: whether all values are known to be UTF-8; False if nobody has looked.

    >>> from urisect.logs import COMMON
    >>> block = COMMON.parser(frozenset({"status"}))(b"nonsense\n", b"")
    >>> block.columns["status"], block.rejected
    ([None], [b'nonsense'])
    """

    columns: dict[str, Column]
    rejected: Column
    directives: Sequence[bytes | None] = ()
    unsplit: Mapping[str, Column] = MappingProxyType({})
    partial: Sequence[bytes | None] = ()
    implausible: int = 0
    header: bytes | None = None
    blank: Collection[int] = ()
    is_utf8: bool = False


# Parses whole lines, given the header: what earlier lines say about them, see `Format.header`.
Parser = Callable[[bytes, bytes], ParsedBlock]


def uri_column(uri: str) -> str:
    """Return the name of the column of a whole URI.

    Args:
        uri: the prefix of the names of its columns, one of `Format.uris`.

    >>> uri_column("referer_"), uri_column("")
    ('referer', 'reference')
    """
    return uri.removesuffix("_") or "reference"


@dataclass(frozen=True, eq=False)
class Format(ABC):
    """A format of lines that contain URIs.

    Attributes:
        name: its name on the command line.
        uris: for each URI in a line, the prefix of the names of its columns.
        notations: how the values of the columns that are not text are written.
        title: its name in lists for readers.
        notes: what to know about its lines, in Markdown.
        sample: a few lines, as documentation and for tests.
        signature: source of an expression that is found in every entry. Detection does not try the format for a log
            in which it is not found; that saves the time to compile `line`.

    >>> from urisect.logs import SQUID
    >>> SQUID.name, SQUID.title, SQUID.columns[:3]
    ('squid', "Squid's native format", ('time', 'duration', 'client'))
    """

    name: str
    _: KW_ONLY
    uris: tuple[str, ...] = ()
    notations: Mapping[str, Notation] = attribute(default_factory=dict)
    title: str = ""
    notes: str = ""
    sample: bytes = b""
    signature: str = ""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of the line.

        >>> from urisect.logs import SQUID
        >>> SQUID.columns[:3]
        ('time', 'duration', 'client')
        """

    @abstractmethod
    def parser(self, columns: frozenset[str]) -> Parser:
        """Return a function that parses a block of lines into some columns.

        Args:
            columns: some of `columns`, names of whole URIs ("target", "referer", "reference"), and `IMPLAUSIBLE`, to
                count entries with implausible values.

        Returns:
            A function that takes whole lines and their header, which is what `header` returned for the lines before
            them. It returns a `ParsedBlock` with at least these columns.

        >>> from urisect.logs import COMMON
        >>> parse = COMMON.parser(COMMON.needed(["status", "target_host"]))
        >>> parse(COMMON.sample, b"").columns["status"]
        [b'200', b'304']
        """

    @property
    def stateful(self) -> bool:
        """Whether some lines say how to parse later ones.

        >>> from urisect.logs import COMMON, W3C
        >>> COMMON.stateful, W3C.stateful
        (False, True)
        """
        return False

    @property
    def has_extra(self) -> bool:
        """Whether there is a field "extra" for all that has no column, which is built only on request.

        >>> from urisect.logs import CADDY, COMMON
        >>> COMMON.has_extra, CADDY.has_extra
        (False, True)
        """
        return False

    @property
    def has_implausible(self) -> bool:
        """Whether there are implausible values, which parsers can count.

        >>> from urisect.logs import COMMON, W3C
        >>> COMMON.has_implausible, W3C.has_implausible
        (True, False)
        """
        return False

    def is_blank(self, line: bytes) -> bool:
        """Whether a line that the format does not match has nothing to parse; in a list, an empty line is a reference.

        Args:
            line: the line, without its end.

        >>> from urisect.logs import COMMON, LIST
        >>> COMMON.is_blank(b" "), LIST.is_blank(b" ")
        (True, False)
        """
        # A byte order mark may be anywhere, as files are joined with cat.
        return "" not in self.uris and not line.removeprefix(BOM_UTF8).strip()

    def for_file(self, file: str) -> "Format":  # noqa: ARG002  a mixed format uses it
        """Return the format of the lines of one file; see `urisect.logs.formats.mixed.MixedFormat`.

        Args:
            file: the path of the file.

        >>> from urisect.logs import COMMON
        >>> COMMON.for_file("access.log") is COMMON
        True
        """
        return self

    @property
    def strict(self) -> "Format":
        """The format that rejects lines with implausible values, which is used if the format was detected.

        >>> from urisect.logs import LIST
        >>> LIST.strict.name
        'list'
        """
        return self

    def header(self, block: bytes, before: bytes) -> bytes:  # noqa: ARG002  stateful formats use it
        """Return what the lines after a block need to know about it, in a format that is `stateful`.

        Args:
            block: whole lines.
            before: the header of these lines; empty at the beginning of a file.

        >>> from urisect.logs import COMMON
        >>> COMMON.header(COMMON.sample, b"")
        b''
        """
        return before

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of all fields, that is, the columns, each whole URI, the parts of its authority, and "extra".

        >>> from urisect.logs import LIST
        >>> LIST.fields
        ('scheme', 'authority', 'path', 'query', 'fragment', 'reference', 'userinfo', 'host', 'port')
        """
        derived = (
            name
            for uri in self.uris
            for name in (
                uri_column(uri),
                *(uri + part for part in AUTHORITY_PARTS if f"{uri}authority" in self.columns),
            )
        )
        extra = (EXTRA,) if self.has_extra else ()
        return (*self.columns, *(name for name in derived if name not in self.columns), *extra)

    def field(self, name: str) -> str:
        """Return the field that a name means: the field of that name, or the field of which it is an alias.

        Args:
            name: one of `fields`, or an alias, such as "ip" or "url"; docs/reference/formats.md lists the aliases.

        Raises:
            KeyError: the format has no such field.

        >>> from urisect.logs import COMBINED, LIST
        >>> COMBINED.field("path"), COMBINED.field("user_agent"), LIST.field("path")
        ('target_path', 'agent', 'path')
        """
        if name in self.fields:
            return name
        field = ALIASES.get(name)
        if field not in self.fields:
            raise UnknownFieldError(name, self.fields)
        return field

    def kind(self, name: str) -> ValueKind:
        """Return the kind of the values of a field.

        Args:
            name: a field or an alias.

        Raises:
            KeyError: the format has no such field.

        >>> from urisect.logs import COMMON
        >>> COMMON.kind("status")
        <ValueKind.NUMBER: 'a number'>
        """
        notation = self.notations.get(self.field(name))
        return notation.kind if notation else ValueKind.TEXT

    def needed(self, fields: Iterable[str]) -> frozenset[str]:
        """Return the columns that have to be parsed to provide some fields.

        Args:
            fields: fields or aliases.

        Raises:
            KeyError: the format has no such field.

        >>> from urisect.logs import LIST
        >>> sorted(LIST.needed(["path", "host"]))
        ['authority', 'path']
        """
        return frozenset(column for name in fields for column in self._sources(self.field(name)))

    def needed_to_split(self, columns: Collection[str]) -> frozenset[str]:
        """Return what also has to be captured to split a URI that cannot be split during the match.

        Args:
            columns: the columns that are parsed.

        Returns:
            `target_text` for the URI of `target_…`, and so on, and the method, since the target of CONNECT is an
            authority.

        >>> from urisect.logs import COMBINED
        >>> sorted(COMBINED.needed_to_split(["target_path"]))
        ['method', 'target_text']
        """
        texts = {f"{uri}text" for uri in self.uris if any(name.startswith(uri) for name in columns)}
        return frozenset(texts | {"method"} if "target_text" in texts else texts)

    def _sources(self, field: str) -> Iterable[str]:
        """Return the columns from which a field is built."""
        if field not in self.columns:
            for uri in self.uris:
                if field == uri_column(uri):
                    return (field, *(uri + component for component in Reference._fields))
                if field in {uri + part for part in AUTHORITY_PARTS}:
                    return (f"{uri}authority",)
        return (field,)


@dataclass(frozen=True, eq=False)
class PatternFormat(Format):
    """A format whose line is one regular expression.

    Attributes:
        line: source of the expression of one line, without its line end. Its named groups are the columns, except
            these optional ones: `directive`, a line that is not an entry; for each of `uris`, `…text`, a URI that could
            not be split during the match; and `target`, `referer` or `reference`, the whole URI, for a `line` that
            drops some of its delimiters.
            A group whose name begins with `implausible` matches a value that is allowed, but hardly what its column is
            for, see `urisect.logs.formats.plausibility`.
        strict_line: the source for `strict`; by default, `line` with groups that never match in place of these.
        layout: the fields of regular lines; None if no line is regular.
        strict_layout: as `layout`, for `strict_line`.

    >>> from urisect.logs import COMMON
    >>> COMMON.columns[:5]
    ('client', 'identity', 'user', 'time', 'method')
    """

    line: str = attribute(kw_only=False)
    strict_line: str = ""
    layout: LineLayout | None = None
    strict_layout: LineLayout | None = None

    def __post_init__(self) -> None:
        """Drop the layout of another expression, as `dataclasses.replace` keeps it."""
        if self.layout and self.layout.line != self.line:
            object.__setattr__(self, "layout", None)

    @property
    def expression(self) -> re.Pattern[bytes]:
        r"""The expression of any line with its end; a line that the format does not match is in the group `rejected`.

        >>> from urisect.logs import LIST
        >>> LIST.expression.match(b"http://example.com/a\n")["authority"]
        b'example.com'
        """
        return _compile_line(self.line)

    @property
    def has_implausible(self) -> bool:
        """Whether there are implausible values, which parsers can count.

        >>> from urisect.logs import COMMON, LIST
        >>> COMMON.has_implausible, LIST.has_implausible
        (True, False)
        """
        return f"(?P<{IMPLAUSIBLE}" in self.line

    @cached_property
    def strict(self) -> "PatternFormat":
        r"""The format that rejects lines with implausible values, which is used if the format was detected.

        >>> from urisect.logs import COMMON
        >>> line = b'Nov 10 13:55:36 web: 192.0.2.7 - - [10/Nov/1996:13:55:36 -0700] "GET / HTTP/1.0" 200 -\n'
        >>> COMMON.expression.match(line)["client"], COMMON.strict.expression.match(line)["client"]
        (b'Nov', None)
        """
        line = self.strict_line or _IMPLAUSIBLE_GROUP.sub("(?:(?!)", self.line)
        if line == self.line:
            return self
        layout = self.strict_layout if self.strict_line else self.layout
        return replace(self, line=line, strict_line=line, layout=layout and layout._replace(line=line))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of the line.

        >>> from urisect.logs import LIST
        >>> LIST.columns
        ('scheme', 'authority', 'path', 'query', 'fragment')
        """
        hidden = {"rejected", "directive", *(f"{uri}text" for uri in self.uris), *map(uri_column, self.uris)}
        return tuple(
            name for name in self.expression.groupindex if name not in hidden and not name.startswith(IMPLAUSIBLE)
        )

    def parser(self, columns: frozenset[str]) -> Parser:
        r"""Return a function that matches each line with the expression, capturing only these columns.

        Args:
            columns: as for `Format.parser`.

        >>> from urisect.logs import LIST
        >>> LIST.parser(frozenset({"path"}))(b"/a\n//h/b\n", b"").columns
        {'path': [b'/a', b'/b']}
        """
        captured = columns | self.needed_to_split(columns) | {"directive"}
        if IMPLAUSIBLE in columns:
            captured |= {name for name in self.expression.groupindex if name.startswith(IMPLAUSIBLE)}
        expression = _compile_line(_capture_only(self.line, captured))
        names = tuple(expression.groupindex)
        texts = {uri: f"{uri}text" for uri in self.uris if f"{uri}text" in names}
        markers = [name for name in names if name.startswith(IMPLAUSIBLE)]

        def parse(block: bytes, _: bytes) -> ParsedBlock:
            groups: dict[str, Column] = dict(zip(names, extract_columns(expression, block), strict=True))
            rejected, directives = groups.pop("rejected"), groups.pop("directive", [])
            unsplit = {uri: groups.pop(text) for uri, text in texts.items()}
            implausible = _count_rows([groups.pop(name) for name in markers])
            is_utf8 = block.isascii()
            return ParsedBlock(groups, rejected, directives, unsplit, implausible=implausible, is_utf8=is_utf8)

        return parse


_IMPLAUSIBLE_GROUP = re.compile(rf"\(\?P<{IMPLAUSIBLE}\w*>")


def _count_rows(columns: list[Column]) -> int:
    """Count the rows in which one of some columns has a value; usually there is none."""
    if all(column.count(None) == len(column) for column in columns):
        return 0
    return sum(any(value is not None for value in row) for row in zip(*columns, strict=True))


def _capture_only(source: str, names: frozenset[str]) -> str:
    """Make every other named group one that does not capture: it is faster not to build unwanted values."""
    if "(?(" in source or "(?P=" in source:  # the source may refer to any group
        return source
    return re.sub(r"\(\?P<(\w+)>", lambda group: group[0] if group[1] in names else "(?:", source)


@cache
def _compile_line(line: str) -> re.Pattern[bytes]:
    source = rf"(?:(?:{line})(?=\n|\Z)|(?P<rejected>[^\n]*+))\n?+"
    return re.compile(positive_classes(source, LAST_BYTE).encode())
