"""Read files of different formats as one log, whose columns are those of all formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import cached_property

from urisect.logs.formats.format import EXTRA, IMPLAUSIBLE, Column, Format, ParsedBlock, Parser, uri_column
from urisect.logs.formats.notation import Notation, ValueKind

__all__ = ["MixedFormat", "mix_formats"]


@dataclass(frozen=True, eq=False)
class WidenedFormat(Format):
    """A format with the columns of other formats, too, which are undefined in each line.

    Attributes:
        inner: the format of the lines.
        all_columns: the names of the columns.
    """

    inner: Format = attribute(kw_only=True)
    all_columns: tuple[str, ...] = attribute(kw_only=True)

    @property
    def stateful(self) -> bool:
        """Whether some lines say how to parse later ones."""
        return self.inner.stateful

    @property
    def has_implausible(self) -> bool:
        """Whether there are implausible values, which parsers can count."""
        return self.inner.has_implausible

    def is_blank(self, line: bytes) -> bool:
        """Whether a line that the format does not match has nothing to parse."""
        return self.inner.is_blank(line)

    @property
    def has_extra(self) -> bool:
        """Whether there is a field "extra"."""
        return True

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.all_columns

    def header(self, block: bytes, before: bytes) -> bytes:
        """Return what the lines after a block need to know about it."""
        return self.inner.header(block, before)

    def parser(self, columns: frozenset[str]) -> Parser:
        """Return a function that parses the columns that the format has, and fills the others with None."""
        known = {*self.inner.columns, *map(uri_column, self.inner.uris), IMPLAUSIBLE}
        parse = self.inner.parser(columns & (known | {EXTRA} if self.inner.has_extra else known))

        def parse_widened(block: bytes, header: bytes) -> ParsedBlock:
            parsed = parse(block, header)
            nothing: Column = [None] * len(parsed.rejected)
            missing = columns - {*parsed.columns, IMPLAUSIBLE, *map(uri_column, self.uris)}
            return parsed._replace(columns={**parsed.columns, **dict.fromkeys(missing, nothing)})

        return parse_widened


@dataclass(frozen=True, eq=False)
class MixedFormat(Format):
    r"""The format of a log whose files have different formats; `for_file` returns that of a file.

    Attributes:
        formats: the format of each file, by its path.

    >>> from urisect.logs import COMBINED, VHOST_COMBINED
    >>> mixed = mix_formats({"access.log": COMBINED, "other_vhosts_access.log": VHOST_COMBINED})
    >>> mixed.name, mixed.columns[:2], mixed.columns[-2:]
    ('combined, vhost-combined', ('client', 'identity'), ('server_port', 'bytes_sent'))
    >>> parse = mixed.for_file("access.log").parser(frozenset({"status", "server"}))
    >>> parse(COMBINED.sample, b"").columns == {"status": [b"200", b"304"], "server": [None, None]}
    True
    """

    formats: Mapping[str, Format] = attribute(kw_only=True)

    @property
    def has_extra(self) -> bool:
        """Whether there is a field "extra"."""
        return True

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns: those of the first format, then what others add."""
        return tuple(dict.fromkeys(name for format in self.formats.values() for name in format.columns))

    def for_file(self, file: str) -> Format:
        """Return the format of a file, with all columns; the first format for a file without lines."""
        return self._widened[self.formats.get(file) or next(iter(self.formats.values()))]

    def parser(self, columns: frozenset[str]) -> Parser:
        """Return the parser of the first format: each file has its own."""
        return self.for_file("").parser(columns)

    @cached_property
    def _widened(self) -> dict[Format, Format]:
        formats = dict.fromkeys(self.formats.values())
        return {
            format: WidenedFormat(
                format.name,
                inner=format,
                uris=self.uris,
                notations={name: format.notations.get(name, shared) for name, shared in self.notations.items()},
                all_columns=self.columns,
            )
            for format in formats
        }


def mix_formats(formats: Mapping[str, Format]) -> Format:
    """Return one format for files of several formats; if they all have the same one, that format.

    Args:
        formats: the format of each file, by its path; at least one.
    """
    different = list(dict.fromkeys(formats.values()))
    if len(different) == 1:
        return different[0]
    return MixedFormat(
        ", ".join(format.name for format in different),
        formats=formats,
        uris=tuple(dict.fromkeys(uri for format in different for uri in format.uris)),
        notations=_shared_notations(different),
    )


def _shared_notations(formats: Sequence[Format]) -> dict[str, Notation]:
    """Return a notation of each column that has the same kind of values in all formats that have it."""
    kinds: dict[str, set[ValueKind]] = {}
    for format in formats:
        for name in format.columns:
            kinds.setdefault(name, set()).add(format.kind(name))
    return {
        name: notation
        for format in formats
        for name, notation in format.notations.items()
        if len(kinds.get(name, ())) == 1
    }
