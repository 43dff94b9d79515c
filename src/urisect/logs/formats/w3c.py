r"""Parse the Extended Log File Format of the W3C, as IIS and others write it: "#Fields:" names the columns.

In the draft (W3C working draft WD-logfile), white space separates fields, and strings that contain spaces are quoted; a
quote in them is written `""`. Microsoft's servers, which name themselves in "#Software:", have no strings: exactly one
character separates two fields, "+" stands for a space in data, and a quote is data. So nothing that a client sends to
them splits a field in two.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import cached_property, lru_cache, partial
from json.encoder import encode_basestring
from typing import ClassVar, NamedTuple

from urisect.bulk import cut, lines, pattern
from urisect.character_ranges import LAST_BYTE, positive
from urisect.logs.formats.format import EXTRA, Column, Format, ParsedBlock, Parser
from urisect.logs.formats.notation import (
    DAY_PATTERN,
    DECIMAL_PATTERN,
    HOUR_PATTERN,
    ISO_TIME,
    MINUTE_PATTERN,
    MONTH_NUMBER_PATTERN,
    NUMBER,
    PORT,
    SECOND_PATTERN,
    Notation,
    ValueKind,
)
from urisect.logs.formats.request import OPTIONAL_BOM
from urisect.reference import Reference
from urisect.repetition import interrupted

__all__ = ["COLUMN_MEANINGS", "W3C", "W3C_FIELDS", "W3C_TIME", "W3CField", "W3CFormat"]


class W3CField(NamedTuple):
    """The column for the values of a field.

    Attributes:
        column: the name of the column, or the prefix of the names of a URI's columns.
        meaning: what the values say, if the column is not in `COLUMNS`.

    >>> W3C_FIELDS["cs(Referer)"].column
    'referer_'
    """

    column: str
    meaning: str = ""


# The fields of the draft, of IIS, of Microsoft's HTTP Server API and its error log, and of proxies, with the columns of
# their values. Names are case-insensitive. If two fields of a line have the same column, the first one is in it, and
# the second one has no column.
W3C_FIELDS: dict[str, W3CField] = {
    "date": W3CField("time"),
    "time": W3CField("time"),
    "s-sitename": W3CField("site", "site, or service instance"),
    "s-siteid": W3CField("site"),
    "s-computername": W3CField("server"),
    "s-dns": W3CField("server"),
    "s-ip": W3CField("server_address"),
    "cs-method": W3CField("method"),
    "cs-uri": W3CField("target_"),
    "cs-uri-scheme": W3CField("target_scheme"),
    "cs-uri-stem": W3CField("target_path"),
    "cs-uri-path": W3CField("target_path"),
    "cs-uri-query": W3CField("target_query"),
    "s-port": W3CField("server_port"),
    "cs-username": W3CField("user"),
    "c-ip": W3CField("client"),
    "c-dns": W3CField("client"),
    "c-port": W3CField("client_port"),
    "cs-version": W3CField("protocol"),
    "cs(User-Agent)": W3CField("agent"),
    "cs(Cookie)": W3CField("cookie"),
    "cs(Referer)": W3CField("referer_"),
    "cs-host": W3CField("host"),
    "cs(Host)": W3CField("host"),
    "sc-status": W3CField("status"),
    "sc-substatus": W3CField("substatus", "substatus code of IIS"),
    "sc-win32-status": W3CField("win32_status", "Windows error code; 0 means none"),
    "sc-bytes": W3CField("bytes_sent"),
    "bytes": W3CField("bytes_sent"),
    "cs-bytes": W3CField("bytes_received"),
    "time-taken": W3CField("duration"),
    "X-Forwarded-For": W3CField("forwarded_for"),
    "cs(X-Forwarded-For)": W3CField("forwarded_for"),
    "OriginalIP": W3CField("forwarded_for"),
    "sc(Content-Type)": W3CField("media_type"),
    "rs(Content-Type)": W3CField("media_type"),
    "cached": W3CField("cache"),
    "s-action": W3CField("cache"),
    "s-reason": W3CField("error"),
    "streamid": W3CField("stream", "HTTP stream ID of the request"),
}

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS: dict[str, str] = {field.column: field.meaning for field in W3C_FIELDS.values() if field.meaning}

# date = 4<digit> "-" 2<digit> "-" 2<digit>, time = 2<digit> ":" 2<digit> [":" 2<digit> ["." *<digit>]], in GMT
# (WD-logfile, Format, Date and Time). Each is a column of its own until the two are joined to the column "time".
DATE, CLOCK = "date", "clock"
DATE_CLOCK_PATTERNS = {
    DATE: rf"[0-9]{{4}}-{MONTH_NUMBER_PATTERN}-{DAY_PATTERN}",
    CLOCK: rf"{HOUR_PATTERN}:{MINUTE_PATTERN}(?>:{SECOND_PATTERN}(?>\.[0-9]{{0,12}}|)|)",
}
DATE_LENGTH = len("1996-11-10")
MINUTES_LENGTH = len("13:55")


def _parse_time(text: bytes) -> int | float | None:
    clock = text[DATE_LENGTH:].strip().rstrip(b".")
    seconds = b":00" if len(clock) == MINUTES_LENGTH else b""
    return ISO_TIME.parse(b"%b %b%b" % (text[:DATE_LENGTH], clock, seconds))


def _parse_time_taken(text: bytes) -> float:
    return float(text) if b"." in text else float(text) / 1_000


W3C_TIME = Notation(ValueKind.TIME, rf"{DATE_CLOCK_PATTERNS[DATE]}[ \t]++{DATE_CLOCK_PATTERNS[CLOCK]}", _parse_time)

# Seconds in the draft; Tomcat and WebLogic write them with a fraction. IIS writes whole milliseconds.
TIME_TAKEN = Notation(ValueKind.SECONDS, DECIMAL_PATTERN, _parse_time_taken)

# A "#Fields:" line with more fields is not the header of a log, and compiling it would take long.
MAX_FIELDS = 256

# The number of layouts whose parsers are cached. A file has one or a few layouts.
MAX_CACHED_LAYOUTS = 64

# Compile one expression for whole lines of a layout after this many bytes per field were parsed. Compiling takes
# 0.1 ms per field; parsing 1 KiB field by field takes no longer. So a file whose fields change with each line is still
# parsed in reasonable time.
COMPILE_AFTER_BYTES_PER_FIELD = 1 << 10

DIRECTIVE = re.compile(
    rb"#(?:(?<=\A#)|(?<=\n#)|(?<=\A\xef\xbb\xbf#)|(?<=\n\xef\xbb\xbf#))(?i:(software|fields|date)):([^\n]*+)"
)
IS_DIRECTIVE = re.compile(OPTIONAL_BOM.encode() + rb"#")
IS_DATE = re.compile(DATE_CLOCK_PATTERNS[DATE].encode())


class _Header(NamedTuple):
    """The state that directives set for later lines.

    Attributes:
        software: the first word of the name of the software that wrote the lines.
        fields: the names of the fields, as in the directive; empty if unknown.
        date: the day of entries that have only a time; empty if unknown.
    """

    software: bytes = b""
    fields: bytes = b""
    date: bytes = b""

    def after(self, directive: re.Match[bytes]) -> "_Header":
        """Return the header of the lines after a directive."""
        value = directive[2].strip()
        match directive[1].lower():
            case b"software":
                return self._replace(software=b"".join(value.split(None, 1)[:1]))
            case b"fields":
                return self._replace(fields=value if len(value.split(None, MAX_FIELDS)) <= MAX_FIELDS else b"")
            case _:
                day = IS_DATE.match(value)
                return self._replace(date=day[0] if day else b"")

    def __bytes__(self) -> bytes:
        return b"#Software: %b\n#Fields: %b\n#Date: %b\n" % self


def _split_by_header(block: bytes, before: bytes) -> Iterator[tuple[_Header, bytes]]:
    """Yield the lines of a block in groups with the same header; the last group may be empty."""
    header = _Header()
    for directive in DIRECTIVE.finditer(before):
        header = header.after(directive)
    begin = 0
    if b"#" in block:  # this test takes a thirtieth of the time of the expression
        for directive in DIRECTIVE.finditer(block):
            after = header.after(directive)
            if after != header:
                end = block.rfind(b"\n", 0, directive.start()) + 1
                if begin < end:
                    yield header, block[begin:end]
                begin, header = end, after
    yield header, block[begin:]


# The text between the quotes of a string, where a quote is doubled.
STRING_TEXT = interrupted(r'[^"\n]', '""')


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

    def uri(self, prefix: str) -> str:
        """Return the source of a URI; one in a string is split later."""
        string = rf"(?P<{prefix}text>{self._string})|" if self.is_draft else ""
        uri = pattern(prefix, stop=self.spaces + "\n")
        return rf"(?>-{self.end}|{string}(?=[^{self._stop}]){uri})"

    def time(self) -> str:
        """Return the source of a date followed by a time; if either is undefined, there is no value."""
        date, clock = DATE_CLOCK_PATTERNS[DATE], DATE_CLOCK_PATTERNS[CLOCK]
        return (
            rf"(?>(?P<time>{date}{self.separator}{clock})"
            rf"|(?:-|{date}){self.separator}-{self.end}|-{self.separator}{clock})"
        )


class _Layout(NamedTuple):
    """All that decides how lines are parsed.

    Attributes:
        fields: the names of the fields.
        is_draft: whether the lines follow the draft.
        is_dated: whether there is a date for entries that have only a time.
        has_connect: whether a method may be CONNECT, whose target is not a reference.
    """

    fields: bytes
    is_draft: bool
    is_dated: bool
    has_connect: bool

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
        taken: set[str] = set()
        columns = []
        for name in self.fields.lower().split():
            column = known.get(name, "")
            if taken.intersection(_component_columns(column)):
                column = ""
            taken.update(_component_columns(column))
            columns.append(column)
        if CLOCK not in columns or not (self.is_dated or DATE in columns):
            columns = ["" if column in DATE_CLOCK_PATTERNS else column for column in columns]
        return columns


def _component_columns(column: str) -> tuple[str, ...]:
    """Return the columns that a field fills: five if it is a URI."""
    if _is_uri(column):
        return tuple(column + name for name in Reference._fields)
    return (column,) if column else ()


GROUP = re.compile(r"\(\?P<(\w+)>")


class _LayoutParser:
    """Parses lines of one layout."""

    def __init__(self, format: "W3CFormat", captured: frozenset[str], layout: _Layout) -> None:
        """Build the expression of each field.

        Args:
            format: which fields are known.
            captured: the names of the groups that are captured.
            layout: which fields there are.
        """
        self._layout = layout
        self._syntax = layout.syntax
        self._parsed_bytes = 0
        columns = layout.columns(format.columns_by_field)
        names = layout.fields.split() if EXTRA in captured else []
        self._extras = {f"{EXTRA}{at}": name for at, name in enumerate(names) if not columns[at]}
        kept = {*captured, *self._extras, *(DATE_CLOCK_PATTERNS if "time" in captured else ())}
        self._parts = [
            GROUP.sub(lambda group: group[0] if group[1] in kept else "(?:", part)
            for part in self._sources(columns, format.notations)
        ]
        self._groups = GROUP.findall("".join(self._parts))
        self._strings = set(self._groups).difference(*map(_component_columns, filter(_is_uri, columns)))

    def _sources(self, columns: list[str], notations: Mapping[str, Notation]) -> Iterator[str]:
        """Yield the source of each field, or of a date followed by a time, the usual order."""
        fields = iter(enumerate(columns))
        for at, column in fields:
            if columns[at : at + 2] == [DATE, CLOCK]:
                next(fields)
                yield self._syntax.time()
            elif column in DATE_CLOCK_PATTERNS:
                yield self._syntax.value(column, DATE_CLOCK_PATTERNS[column])
            elif column in notations:
                yield self._syntax.value(column, notations[column].pattern)
            elif column == "target_" and self._layout.has_connect:
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
            found["time"] = list(map(_join_date_and_clock, dates, found[CLOCK]))
        if self._extras:
            found[EXTRA] = _json_objects(self._extras.values(), [found[name] for name in self._extras])
        return found

    def _match_lines(self, lines: bytes) -> dict[str, Column]:
        """Parse lines with one expression."""
        return dict(zip(self._expression.groupindex, cut(self._expression, lines), strict=True))

    def _match_fields(self, block: bytes) -> dict[str, Column]:
        """Parse a few lines with the expressions of their fields, which other layouts share."""
        rows = list(map(self._match_fields_of, lines(block)))
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
    return re.compile(positive(source, LAST_BYTE).encode())


_compile_field = lru_cache(maxsize=1 << 10)(_compile)


IS_STRING = re.compile('"({})"'.format(interrupted('[^"]', '""')).encode())


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


@dataclass(frozen=True, eq=False)
class W3CFormat(Format):
    r"""A format in which directives name the fields of a line.

    Lines that begin with "#" are skipped. A line is rejected if it comes before any "#Fields:", has another number of
    fields, or has a value that is not in its notation; so is every entry if there are more than 256 fields. The value
    "-" means undefined.

    An entry with a time but no date is dated by the last "#Date:"; without one, its time has no column. Fields without
    a column are in `extra`, if that is requested, even two fields of the same name.

    Attributes:
        known_fields: the fields that have a column, by name.
        required_prefix: the name of at least one field begins with it; otherwise all entries are rejected.

    >>> import io
    >>> from urisect.logs import tables
    >>> log = io.BytesIO(b"#Fields: time cs-uri x-a\n#Date: 2026-11-10\n13:55:36 /a?b 1\n")
    >>> [table] = tables(log, W3C, columns=["time", "target_query", "extra"])
    >>> table.column("time"), table.column("target_query"), table.column("extra")
    ([b'2026-11-10 13:55:36'], [b'b'], [b'{"x-a":"1"}'])
    """

    stateful: ClassVar[bool] = True
    has_extra: ClassVar[bool] = True

    known_fields: Mapping[str, W3CField] = attribute(kw_only=True)
    required_prefix: str = attribute(default="", kw_only=True)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of `known_fields`; the fields of a line may be in any order."""
        return tuple(
            dict.fromkeys(name for field in self.known_fields.values() for name in _component_columns(field.column))
        )

    @cached_property
    def columns_by_field(self) -> dict[bytes, str]:
        """The column of each field, by its name in lower case; date and time have one each."""
        columns = {name.lower().encode(): field.column for name, field in self.known_fields.items()}
        return columns | {b"date": DATE, b"time": CLOCK}

    def header(self, block: bytes, before: bytes) -> bytes:
        r"""Return the directives in force after a block: "#Software:", "#Fields:" and "#Date:", shortened.

        Args:
            block: whole lines.
            before: what this method returned for the lines before them; empty at the beginning of a file.

        >>> W3C.header(b"#Date: 2026-11-10 13:55:36\n", b"#Software: \n#Fields: time\n#Date: \n")
        b'#Software: \n#Fields: time\n#Date: 2026-11-10\n'
        """
        *_, (header, _) = _split_by_header(block, before)
        return bytes(header)

    def parser(self, columns: frozenset[str]) -> Parser:
        """Return a function that parses each group of lines with the same header by its layout."""
        names = columns.intersection((*self.columns, EXTRA))
        captured = names | self.needed_to_split(names) | {"rejected", "directive"}
        texts = {uri: f"{uri}text" for uri in self.uris if f"{uri}text" in captured}
        layout_parser = lru_cache(MAX_CACHED_LAYOUTS)(partial(_LayoutParser, self, captured))

        def parse(block: bytes, before: bytes) -> ParsedBlock:
            groups: dict[str, Column] = {name: [] for name in captured}
            for header, group in _split_by_header(block, before):
                found = layout_parser(self._layout(header, group)).groups(group, header.date)
                nothing: Column = [None] * len(found["rejected"])
                for name in groups:
                    groups[name] += found.get(name, nothing)
            rejected, directives = groups.pop("rejected"), groups.pop("directive")
            return ParsedBlock(groups, rejected, directives, {uri: groups.pop(text) for uri, text in texts.items()})

        return parse

    def _layout(self, header: _Header, lines: bytes) -> _Layout:
        names = header.fields.lower().split()
        has_required = any(name.startswith(self.required_prefix.encode()) for name in names)
        return _Layout(
            header.fields if has_required else b"",
            is_draft=not header.software.startswith(b"Microsoft"),
            is_dated=bool(header.date),
            has_connect=b"cs-uri" in names and b"CONNECT" in lines,
        )


W3C_NOTATIONS = {
    "time": W3C_TIME,
    "server_port": PORT,
    "client_port": PORT,
    "status": NUMBER,  # FTP and SMTP have codes of fewer digits
    "substatus": NUMBER,
    "win32_status": NUMBER,
    "bytes_sent": NUMBER,
    "bytes_received": NUMBER,
    "duration": TIME_TAKEN,
}

W3C_SAMPLE = b"""\
#Software: Microsoft Internet Information Services 10.0
#Version: 1.0
#Date: 1996-11-10 13:55:36
#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) \
sc-status sc-substatus sc-win32-status time-taken
1996-11-10 13:55:36 192.0.2.1 GET /a/b c=d 443 - 198.51.100.7 Lynx/2.6 https://www.example.com/ 200 0 0 15
1996-11-10 13:55:37 192.0.2.1 GET /a+b.htm - 443 frank 2001:db8::7 Mozilla/2.0+(compatible) - 404 0 2 250
"""

W3C = W3CFormat(
    "w3c",
    title="W3C Extended Log File Format, as IIS writes it",
    known_fields=W3C_FIELDS,
    uris=("target_", "referer_"),
    notations=W3C_NOTATIONS,
    sample=W3C_SAMPLE,
)
