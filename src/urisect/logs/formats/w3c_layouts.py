"""Parse the lines between two headers of a W3C log: the fields that they have, and how these are written."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from json.encoder import encode_basestring
from typing import NamedTuple

from urisect.bulk import extract_columns, list_lines, pattern
from urisect.character_ranges import LAST_BYTE, positive_classes
from urisect.logs.formats.format import EXTRA, Column
from urisect.logs.formats.notation import (
    DAY_PATTERN,
    HOUR_PATTERN,
    MINUTE_PATTERN,
    MONTH_NUMBER_PATTERN,
    SECOND_PATTERN,
    Notation,
)
from urisect.logs.formats.request import OPTIONAL_BOM
from urisect.reference import Reference
from urisect.repetition import unrolled_loop

__all__ = ["CLOCK", "DATE", "DATE_CLOCK_PATTERNS", "TIME_FIELDS", "Layout", "LayoutParser", "component_columns"]

# date = 4<digit> "-" 2<digit> "-" 2<digit>, time = 2<digit> ":" 2<digit> [":" 2<digit> ["." *<digit>]], in GMT
# (WD-logfile, Format, Date and Time). Each is a column of its own until the two are joined to the column "time".
DATE, CLOCK = "date", "clock"
DATE_CLOCK_PATTERNS = {
    DATE: rf"[0-9]{{4}}-{MONTH_NUMBER_PATTERN}-{DAY_PATTERN}",
    CLOCK: rf"{HOUR_PATTERN}:{MINUTE_PATTERN}(?>:{SECOND_PATTERN}(?>\.[0-9]{{0,12}}|)|)",
}
# The fields of dates and times. IIS Advanced Logging also writes local ones.
LOCAL_FIELDS = {b"date-local": DATE, b"time-local": CLOCK}
UTC_FIELDS = {b"date": DATE, b"time": CLOCK, b"date-utc": DATE, b"time-utc": CLOCK}
TIME_FIELDS = UTC_FIELDS | LOCAL_FIELDS

# Compile one expression for whole lines of a layout after this many bytes per field were parsed. Compiling takes
# 0.1 ms per field; parsing 1 KiB field by field takes no longer. So a file whose fields change with each line is still
# parsed in reasonable time.
COMPILE_AFTER_BYTES_PER_FIELD = 1 << 10

IS_DIRECTIVE = re.compile(OPTIONAL_BOM.encode() + rb"#")

# The text between the quotes of a string, where a quote is doubled.
STRING_TEXT = unrolled_loop(r'[^"\n]', '""')


class _Syntax(NamedTuple):
    """How the fields of a line are written. The expressions of values never backtrack.

    Attributes:
        spaces: the characters that separate fields.
        is_draft: whether several of these characters separate fields as one does, and there are strings.
    """

    spaces: str
    is_draft: bool

    @property
    def separator(self) -> str:
        """The source of what separates two fields (WD-logfile, Entries: "separated by whitespace")."""
        return rf"[{self.spaces}]" + ("++" if self.is_draft else "")

    @property
    def end(self) -> str:
        """The source of a lookahead for the end of a value."""
        return rf"(?=[{self._stop}]|\Z)"

    @property
    def text(self) -> str:
        """The source of any text."""
        return rf"{self._string}|[^{self._stop}]++" if self.is_draft else rf"[^{self._stop}]++"

    @property
    def _stop(self) -> str:
        return "".join(f"\\x{ord(space):02x}" for space in self.spaces) + r"\n"

    @property
    def _string(self) -> str:
        """A string = '"' *<schar> '"', where schar = xchar | '"' '"' (WD-logfile, String)."""
        return f'"{STRING_TEXT}"{self.end}'

    def value(self, column: str, value: str) -> str:
        """Return the source of a value; "-" means none."""
        return rf"(?>-{self.end}|(?P<{column}>{value}))"

    def date_or_clock(self, column: str) -> str:
        """Return the source of a date or of a time, which some servers write as a string; "-" means none."""
        value = rf"(?P<{column}>{DATE_CLOCK_PATTERNS[column]})"
        quote = '"?+' if self.is_draft else ""
        return rf"(?>-{self.end}|{quote}{value}{quote})"

    def uri(self, prefix: str) -> str:
        """Return the source of a URI; one in a string is split later."""
        string = rf"(?P<{prefix}text>{self._string})|" if self.is_draft else ""
        uri = pattern(prefix, stop=self.spaces + "\n")
        return rf"(?>-{self.end}|{string}(?=[^{self._stop}]){uri})"

    def time(self) -> str:
        """Return the source of a date followed by a time; if either is undefined, there is no value."""
        date, clock = DATE_CLOCK_PATTERNS[DATE], DATE_CLOCK_PATTERNS[CLOCK]
        quote = '"?+' if self.is_draft else ""
        strings = rf'|"(?P<{DATE}>{date})"{self.separator}"(?P<{CLOCK}>{clock})"' if self.is_draft else ""
        return (
            rf"(?>(?P<time>{date}{self.separator}{clock}){strings}"
            rf"|(?:-|{quote}{date}{quote}){self.separator}-{self.end}|-{self.separator}{quote}{clock}{quote})"
        )


class Layout(NamedTuple):
    """All that decides how lines are parsed.

    Attributes:
        fields: the names of the fields.
        is_draft: whether the lines follow the draft.
        is_dated: whether there is a date for entries that have only a time.
        splits_target_later: whether some targets may not be references, so that the method decides how to split them.
    """

    fields: bytes
    is_draft: bool
    is_dated: bool
    splits_target_later: bool

    @property
    def syntax(self) -> _Syntax:
        """How the fields are written."""
        if self.is_draft:
            return _Syntax(" \t", is_draft=True)
        return _Syntax("\t" if b"\t" in self.fields else " ", is_draft=False)

    def columns(self, known: Mapping[bytes, str]) -> list[str]:
        """Return the column of each field; empty for a field without one.

        Args:
            known: the columns of the known fields, by their names in lower case.
        """
        placed: set[str] = set()
        columns = []
        names = self.fields.lower().split()
        has_utc = not UTC_FIELDS.keys().isdisjoint(names)
        for name in names:
            column = "" if has_utc and name in LOCAL_FIELDS else known.get(name, "")
            if placed.intersection(component_columns(column)):
                column = ""
            placed.update(component_columns(column))
            columns.append(column)
        if CLOCK not in columns or not (self.is_dated or DATE in columns):
            columns = ["" if column in DATE_CLOCK_PATTERNS else column for column in columns]
        return columns


def component_columns(column: str) -> tuple[str, ...]:
    """Return the columns that a field fills: five if it is a URI.

    Args:
        column: the name of a column, or the prefix of the names of a URI's columns.

    >>> component_columns("status"), len(component_columns("target_"))
    (('status',), 5)
    """
    if _is_uri(column):
        return tuple(column + name for name in Reference._fields)
    return (column,) if column else ()


GROUP = re.compile(r"\(\?P<(\w+)>")


class LayoutParser:
    """Parses lines of one layout."""

    def __init__(
        self,
        columns_by_field: Mapping[bytes, str],
        notations: Mapping[str, Notation],
        captured: frozenset[str],
        layout: Layout,
    ) -> None:
        """Build the expression of each field.

        Args:
            columns_by_field: the columns of the known fields, by their names in lower case.
            notations: how the values of the columns that are not text are written.
            captured: the names of the groups that are captured.
            layout: the fields of the lines.
        """
        self._layout = layout
        self._syntax = layout.syntax
        self._parsed_bytes = 0
        columns = layout.columns(columns_by_field)
        names = layout.fields.split() if EXTRA in captured else []
        self._extras = {f"{EXTRA}{at}": name for at, name in enumerate(names) if not columns[at]}
        kept = {*captured, *self._extras, *(DATE_CLOCK_PATTERNS if "time" in captured else ())}
        self._parts = [
            GROUP.sub(lambda group: group[0] if group[1] in kept else "(?:", part)
            for part in self._sources(columns, notations)
        ]
        self._groups = GROUP.findall("".join(self._parts))
        self._strings = set(self._groups).difference(*map(component_columns, filter(_is_uri, columns)))

    def _sources(self, columns: list[str], notations: Mapping[str, Notation]) -> Iterator[str]:
        """Yield the source of each field, or of a date followed by a time, the usual order."""
        fields = iter(enumerate(columns))
        for at, column in fields:
            if columns[at : at + 2] == [DATE, CLOCK]:
                next(fields)
                yield self._syntax.time()
            elif column in DATE_CLOCK_PATTERNS:
                yield self._syntax.date_or_clock(column)
            elif column in notations:
                yield self._syntax.value(column, notations[column].pattern)
            elif column == "target_" and self._layout.splits_target_later:
                yield self._syntax.value("target_text", self._syntax.text)
            elif _is_uri(column):
                yield self._syntax.uri(column)
            else:
                yield self._syntax.value(column or f"{EXTRA}{at}", self._syntax.text)

    @cached_property
    def _expression(self) -> re.Pattern[bytes]:
        """The expression of any line with its end."""
        entry = self._syntax.separator.join(self._parts) or "(?!)"
        line = rf"{OPTIONAL_BOM}(?!#){entry}[{self._syntax.spaces}]*+(?=\n|\Z)"
        return _compile(rf"(?:{line}|(?P<directive>{OPTIONAL_BOM}#[^\n]*+)|(?P<rejected>[^\n]*+))\n?+")

    @cached_property
    def _field_expressions(self) -> list[re.Pattern[bytes]]:
        """The expression of each field, with the separator after it."""
        return [_compile_field(rf"{part}(?:{self._syntax.separator}|\Z)") for part in self._parts]

    def groups(self, lines: bytes, date: bytes) -> dict[str, Column]:
        """Parse lines.

        Args:
            lines: whole lines.
            date: the day of entries that have only a time.

        Returns:
            The captured groups, one value per line, among them "directive" and "rejected".
        """
        self._parsed_bytes += len(lines)
        is_compiled = self._parsed_bytes >= COMPILE_AFTER_BYTES_PER_FIELD * len(self._parts)
        found = self._match_lines(lines) if is_compiled else self._match_fields(lines)
        if self._syntax.is_draft and b'"' in lines:
            found |= {name: list(map(_unquote, found[name])) for name in self._strings}
        if CLOCK in found:
            dates = found.get(DATE) or [date] * len(found[CLOCK])
            times = found.get("time", [])
            joined = list(map(_join_date_and_clock, dates, found[CLOCK]))
            found["time"] = [time or other for time, other in zip(times, joined, strict=True)] if times else joined
        if self._extras:
            found[EXTRA] = _json_objects(self._extras.values(), [found[name] for name in self._extras])
        return found

    def _match_lines(self, lines: bytes) -> dict[str, Column]:
        """Parse lines with one expression."""
        return dict(zip(self._expression.groupindex, extract_columns(self._expression, lines), strict=True))

    def _match_fields(self, block: bytes) -> dict[str, Column]:
        """Parse a few lines with the expressions of their fields, which other layouts share."""
        rows = list(map(self._match_fields_of, list_lines(block)))
        return {name: [row.get(name) for row in rows] for name in (*self._groups, "directive", "rejected")}

    def _match_fields_of(self, line: bytes) -> dict[str, bytes | None]:
        if IS_DIRECTIVE.match(line):
            return {"directive": line}
        row: dict[str, bytes | None] = {}
        rest = line.removeprefix(BOM_UTF8)
        at = 0
        for expression in self._field_expressions:
            found = expression.match(rest, at)
            if found is None:
                return {"rejected": line}
            row |= found.groupdict()
            at = found.end()
        return {"rejected": line} if rest[at:].strip(self._syntax.spaces.encode()) else row


def _is_uri(column: str) -> bool:
    return column.endswith("_")


def _compile(source: str) -> re.Pattern[bytes]:
    return re.compile(positive_classes(source, LAST_BYTE).encode())


_compile_field = lru_cache(maxsize=1 << 10)(_compile)


IS_STRING = re.compile('"({})"'.format(unrolled_loop('[^"]', '""')).encode())


def _unquote(value: bytes | None) -> bytes | None:
    """Return the text of a string; any other value stays."""
    if value is None or value[:1] != b'"':
        return value
    string = IS_STRING.fullmatch(value)
    return string[1].replace(b'""', b'"') if string else value


def _join_date_and_clock(date: bytes | None, clock: bytes | None) -> bytes | None:
    return None if date is None or clock is None else b"%b %b" % (date, clock)


def _json_objects(names: Iterable[bytes], columns: list[Column]) -> Column:
    """Write rows as JSON objects without undefined members; None for a row without any."""
    keys = list(map(_json_string, names))

    def json_object(*values: bytes | None) -> bytes | None:
        members = [f"{key}:{_json_string(value)}" for key, value in zip(keys, values, strict=True) if value is not None]
        return f"{{{','.join(members)}}}".encode("utf-8", "backslashreplace") if members else None

    return list(map(json_object, *columns))


def _json_string(text: bytes) -> str:
    r"""Write a JSON string. A byte that is not UTF-8 becomes a surrogate (PEP 383), which JSON writes as "\udcxx"."""
    return encode_basestring(text.decode("utf-8", "surrogateescape"))
