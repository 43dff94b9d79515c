"""What a format of lines is: which columns it has, and how a block of lines is cut into them."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cache, cached_property
from typing import ClassVar

from urisect.bulk import extract_columns
from urisect.character_ranges import LAST_BYTE, positive_classes
from urisect.logs.formats.notation import Notation, ValueKind
from urisect.reference import Reference

__all__ = ["EXTRA", "Column", "Columns", "Cutter", "Format", "PatternFormat", "uri_column"]

Column = list[bytes | None]
Columns = dict[str, Column]

# Cuts whole lines, given what a line before them said of those that follow; see `Format.cutter`.
Cutter = Callable[[bytes, bytes], Columns]

# What has no column, where a format keeps that.
EXTRA = "extra"

# The sub-components of an authority.
PARTS = ("userinfo", "host", "port")


def uri_column(uri: str) -> str:
    """Name the column of a URI as a whole.

    >>> uri_column("referer_"), uri_column("")
    ('referer', 'reference')
    """
    return uri.removesuffix("_") or "reference"


@dataclass(frozen=True, eq=False)
class Format(ABC):
    """A format of lines with URIs in them.

    Attributes:
        name: what the command calls it.
        uris: what the names of the columns of each URI begin with.
        notations: how the values of the columns that are no text are written.
        title: what people call it.
        sample: a few lines, to be read and to be tried.
        stateful: whether some lines tell how to read those that follow.
        has_extra: whether there is a field `EXTRA`, which is cut only if it is asked for.

    >>> from urisect.logs import SQUID
    >>> SQUID.name, SQUID.title, SQUID.columns[:3]
    ('squid', "Squid's native format", ('time', 'duration', 'client'))
    """

    stateful: ClassVar[bool] = False
    has_extra: ClassVar[bool] = False

    name: str
    _: KW_ONLY
    uris: tuple[str, ...] = ()
    notations: Mapping[str, Notation] = field(default_factory=dict)
    title: str = ""
    sample: bytes = b""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of the line."""

    @abstractmethod
    def cutter(self, columns: frozenset[str]) -> Cutter:
        """Make what cuts a block of lines into the columns that are wanted.

        Args:
            columns: some of `columns`, and of what `uri_column` calls a URI.

        Returns:
            A function that takes whole lines, and what `header` gave for those before them. It gives lists of one
            length, an entry a line: one for each of `columns`, and three of its own. "rejected" holds the text of a
            line that the format does not match, "directive" that of a line that is no entry; this may be left out.
            "…text", "…" being one of `uris`, holds a URI that could not be cut in passing, and may be left out, too.
        """

    def header(self, block: bytes, before: bytes) -> bytes:  # noqa: ARG002  for the formats that have one
        """Give what the lines after a block have to know of it, in a format that is `stateful`.

        Args:
            block: whole lines.
            before: what there was to know of the lines before it; empty at the beginning of a file.
        """
        return before

    def kind(self, name: str) -> ValueKind:
        """Tell what the values of a field are.

        >>> from urisect.logs import COMMON
        >>> COMMON.kind("status")
        <ValueKind.NUMBER: 'a number'>
        """
        return self.notations[name].kind if name in self.notations else ValueKind.TEXT

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of all that can be asked for: the columns, each URI as a whole, and its sub-components.

        >>> from urisect.logs import LIST
        >>> LIST.fields
        ('scheme', 'authority', 'path', 'query', 'fragment', 'reference', 'userinfo', 'host', 'port')
        """
        derived = (
            name
            for uri in self.uris
            for name in (uri_column(uri), *(uri + part for part in PARTS if f"{uri}authority" in self.columns))
        )
        extra = (EXTRA,) if self.has_extra else ()
        return (*self.columns, *(name for name in derived if name not in self.columns), *extra)

    def needed(self, fields: Iterable[str]) -> frozenset[str]:
        """Tell which columns have to be cut so that these fields can be given.

        Args:
            fields: some of `fields`.

        Raises:
            KeyError: the format has no such field.

        >>> from urisect.logs import LIST
        >>> sorted(LIST.needed(["path", "host"]))
        ['authority', 'path']
        """
        return frozenset(column for name in fields for column in self._sources(name))

    def helping(self, columns: Collection[str]) -> frozenset[str]:
        """Tell what has to be cut, too, so that a URI can be split that could not be cut in passing.

        Args:
            columns: those that are wanted.

        >>> from urisect.logs import COMBINED
        >>> sorted(COMBINED.helping(["target_path"])), COMBINED.helping(["status"])
        (['method', 'target_text'], frozenset())
        """
        texts = {f"{uri}text" for uri in self.uris if any(name.startswith(uri) for name in columns)}
        return frozenset(texts | {"method"} if "target_text" in texts else texts)  # it tells how a target is split

    def _sources(self, name: str) -> Iterable[str]:
        if name in self.columns or (name == EXTRA and self.has_extra):
            return (name,)
        for uri in self.uris:
            if name == uri_column(uri):
                return (name, *(uri + part for part in Reference._fields))
            if name.removeprefix(uri) in PARTS and name in self.fields:
                return (f"{uri}authority",)
        raise KeyError(f"no field is called {name!r}; there are {', '.join(self.fields)}")


@dataclass(frozen=True, eq=False)
class PatternFormat(Format):
    """A format whose line is one regular expression.

    Attributes:
        line: source of the expression of one line, without the end of the line. Its named groups are the columns,
            but for these that may be there: `directive`, a line that is no entry, and for each of `uris` `…text`, a
            URI that could not be cut in passing, and one called as `uri_column` calls it, the URI uncut, for a `line`
            that drops some of its delimiters.

    >>> from urisect.logs import COMMON
    >>> COMMON.columns[:5]
    ('client', 'identity', 'user', 'time', 'method')
    """

    line: str = field(kw_only=False)

    @property
    def expression(self) -> re.Pattern[bytes]:
        """The expression of any line with its end: what the format does not match is in the group `rejected`."""
        return _compiled(self.line)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of the line."""
        hidden = {"rejected", "directive", *(f"{uri}text" for uri in self.uris), *map(uri_column, self.uris)}
        return tuple(name for name in self.expression.groupindex if name not in hidden)

    def cutter(self, columns: frozenset[str]) -> Cutter:
        """Make what cuts a block of lines: the expression, in which only what is wanted is captured."""
        expression = _compiled(_capturing(self.line, columns | self.helping(columns) | {"directive"}))
        names = tuple(expression.groupindex)

        def cutter(block: bytes, _: bytes) -> Columns:
            return dict(zip(names, extract_columns(expression, block), strict=True))

        return cutter


def _capturing(source: str, names: frozenset[str]) -> str:
    """Make of every named group that is not wanted one that does not capture: what is not kept need not be made."""
    if "(?(" in source or "(?P=" in source:  # a group may be asked about, and has to stay
        return source
    return re.sub(r"\(\?P<(\w+)>", lambda group: group[0] if group[1] in names else "(?:", source)


@cache
def _compiled(line: str) -> re.Pattern[bytes]:
    source = rf"(?:(?:{line})(?=\n|\Z)|(?P<rejected>[^\n]*+))\n?+"
    return re.compile(positive_classes(source, LAST_BYTE).encode())
