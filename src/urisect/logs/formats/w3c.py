r"""The Extended Log File Format of the W3C, as IIS and others write it: "#Fields:" tells what the columns are.

The draft (W3C working draft WD-logfile) parts fields by white space, and has strings with spaces in quotes, in which a
quote is written `""`. Servers of Microsoft, which name themselves in "#Software:", have no such strings: one character
parts two fields, "+" stands for a space that is data, and a quote is data, too. So none that a client sends to them
makes one field of two.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from json.encoder import encode_basestring
from typing import ClassVar, NamedTuple

from urisect.bulk import extract_columns, list_lines, pattern
from urisect.character_ranges import LAST_BYTE, positive_classes
from urisect.logs.formats.format import EXTRA, Column, Columns, Cutter, Format
from urisect.logs.formats.notation import (
    DAY,
    DECIMAL,
    HOUR,
    ISO_TIME,
    MINUTE,
    MONTH_NUMBER,
    NUMBER,
    PORT,
    SECOND_OF_MINUTE,
    Notation,
    ValueKind,
)
from urisect.logs.formats.request import BOM, SIGNATURE
from urisect.reference import Reference
from urisect.repetition import unrolled_loop

__all__ = ["FIELDS", "MEANINGS", "TIME", "W3C", "Field", "W3CFormat"]


class Field(NamedTuple):
    """Where the values of a field go.

    Attributes:
        column: the name of the column, or what the names of a URI's columns begin with.
        meaning: what they tell, if the column is none of `COLUMNS`.

    >>> FIELDS["sc-substatus"].column
    'substatus'
    """

    column: str
    meaning: str = ""


# The fields of the draft, of IIS, of Microsoft's HTTP Server API and its error log, and of proxies, each with the
# column of its values; their case does not matter. Of two fields of a line with the same column the first is in it, and
# the second has none.
FIELDS: dict[str, Field] = {
    "date": Field("time"),
    "time": Field("time"),
    "s-sitename": Field("site", "the site, or the instance of the service, that responded"),
    "s-siteid": Field("site"),
    "s-computername": Field("server"),
    "s-dns": Field("server"),
    "s-ip": Field("server_address"),
    "cs-method": Field("method"),
    "cs-uri": Field("target_"),
    "cs-uri-scheme": Field("target_scheme"),
    "cs-uri-stem": Field("target_path"),
    "cs-uri-path": Field("target_path"),
    "cs-uri-query": Field("target_query"),
    "s-port": Field("server_port"),
    "cs-username": Field("user"),
    "c-ip": Field("client"),
    "c-dns": Field("client"),
    "c-port": Field("client_port"),
    "cs-version": Field("protocol"),
    "cs(User-Agent)": Field("agent"),
    "cs(Cookie)": Field("cookie"),
    "cs(Referer)": Field("referer_"),
    "cs-host": Field("host"),
    "cs(Host)": Field("host"),
    "sc-status": Field("status"),
    "sc-substatus": Field("substatus", "what IIS adds to the status code"),
    "sc-win32-status": Field("win32_status", "the error code of Windows, 0 for none"),
    "sc-bytes": Field("bytes_sent"),
    "bytes": Field("bytes_sent"),
    "cs-bytes": Field("bytes_received"),
    "time-taken": Field("duration"),
    "X-Forwarded-For": Field("forwarded_for"),
    "cs(X-Forwarded-For)": Field("forwarded_for"),
    "OriginalIP": Field("forwarded_for"),
    "sc(Content-Type)": Field("media_type"),
    "rs(Content-Type)": Field("media_type"),
    "cached": Field("cache"),
    "s-action": Field("cache"),
    "s-reason": Field("error"),
    "streamid": Field("stream", "the stream of the connection that the request came on"),
}

# What the columns mean that are none of `COLUMNS`.
MEANINGS: dict[str, str] = {
    **{known.column: known.meaning for known in FIELDS.values() if known.meaning},
}

# date = 4<digit> "-" 2<digit> "-" 2<digit>, time = 2<digit> ":" 2<digit> [":" 2<digit> ["." *<digit>]], in GMT
# (WD-logfile, Format, Date and Time). As columns for themselves they are called so until they are put together.
DATE, CLOCK = "date", "clock"
CALENDAR = {
    DATE: rf"[0-9]{{4}}-{MONTH_NUMBER}-{DAY}",
    CLOCK: rf"{HOUR}:{MINUTE}(?>:{SECOND_OF_MINUTE}(?>\.[0-9]{{0,12}}|)|)",
}
DATE_LENGTH = len("1996-11-10")
MINUTES_LENGTH = len("13:55")


def _time(text: bytes) -> int | float | None:
    clock = text[DATE_LENGTH:].strip().rstrip(b".")
    seconds = b":00" if len(clock) == MINUTES_LENGTH else b""
    return ISO_TIME.value(b"%b %b%b" % (text[:DATE_LENGTH], clock, seconds))


def _duration(text: bytes) -> float:
    return float(text) if b"." in text else float(text) / 1_000


TIME = Notation(ValueKind.TIME, rf"{CALENDAR[DATE]}[ \t]++{CALENDAR[CLOCK]}", _time)

# The draft says seconds, and with a fraction they are what Tomcat and WebLogic write; IIS writes whole milliseconds.
TIME_TAKEN = Notation(ValueKind.SECONDS, DECIMAL, _duration)

# Entries have no more fields than these: a line that names more is no header of a log, and to compile it takes long.
MOST_FIELDS = 256

# How many ways to cut are remembered, of which a file has one, or a few.
REMEMBERED = 64

# How many bytes for each field have to be cut in one way before an expression of whole lines is made of it. That takes
# 0.1 ms for each field, and field by field 1 KiB is cut in no more, so that a file in which the fields change with each
# line is read in time, too.
WORTH = 1 << 10

DIRECTIVE = re.compile(
    rb"#(?:(?<=\A#)|(?<=\n#)|(?<=\A\xef\xbb\xbf#)|(?<=\n\xef\xbb\xbf#))(?i:(software|fields|date)):([^\n]*+)"
)
IS_DIRECTIVE = re.compile(BOM.encode() + rb"#")
IS_DATE = re.compile(CALENDAR[DATE].encode())


class _Header(NamedTuple):
    """What the directives in force say.

    Attributes:
        software: the first word of what wrote the lines.
        fields: what the fields are called, as the line has it; empty where that is not known.
        date: the day of entries that have a time only; empty where that is not known.
    """

    software: bytes = b""
    fields: bytes = b""
    date: bytes = b""

    def told(self, directive: re.Match[bytes]) -> "_Header":
        """Give what is in force behind a directive."""
        value = directive[2].strip()
        match directive[1].lower():
            case b"software":
                return self._replace(software=b"".join(value.split(None, 1)[:1]))
            case b"fields":
                return self._replace(fields=value if len(value.split(None, MOST_FIELDS)) <= MOST_FIELDS else b"")
            case _:
                day = IS_DATE.match(value)
                return self._replace(date=day[0] if day else b"")

    def __bytes__(self) -> bytes:
        return b"#Software: %b\n#Fields: %b\n#Date: %b\n" % self


def _stretches(block: bytes, before: bytes) -> Iterator[tuple[_Header, bytes]]:
    """Cut lines where what is in force changes. The last one, which may be empty, has what is so behind them."""
    header = _Header()
    for directive in DIRECTIVE.finditer(before):
        header = header.told(directive)
    begin = 0
    if b"#" in block:  # to look for it takes a thirtieth of the time of the expression
        for directive in DIRECTIVE.finditer(block):
            after = header.told(directive)
            if after != header:
                end = block.rfind(b"\n", 0, directive.start()) + 1
                if begin < end:
                    yield header, block[begin:end]
                begin, header = end, after
    yield header, block[begin:]


# What stands in the quotes of a string, where a quote is written twice.
IN_QUOTES = unrolled_loop(r'[^"\n]', '""')


class _Syntax(NamedTuple):
    """How the fields of a line are written. The expressions of values never give back what they have taken.

    Attributes:
        spaces: the characters that part fields.
        is_draft: whether many of these part them as one does, and there are strings.
    """

    spaces: str
    is_draft: bool

    @property
    def space(self) -> str:
        """What stands between two fields (WD-logfile, Entries: "separated by whitespace")."""
        return rf"[{self.spaces}]" + ("++" if self.is_draft else "")

    @property
    def end(self) -> str:
        """What follows a value."""
        return rf"(?=[{self._stop}]|\Z)"

    @property
    def text(self) -> str:
        """A value that is any text."""
        return rf"{self._string}|[^{self._stop}]++" if self.is_draft else rf"[^{self._stop}]++"

    @property
    def _stop(self) -> str:
        return "".join(f"\\x{ord(space):02x}" for space in self.spaces) + r"\n"

    @property
    def _string(self) -> str:
        """A string = '"' *<schar> '"', in which schar = xchar | '"' '"' (WD-logfile, String)."""
        return f'"{IN_QUOTES}"{self.end}'

    def value(self, column: str, value: str) -> str:
        """Write a value of some form; "-" is none."""
        return rf"(?>-{self.end}|(?P<{column}>{value}))"

    def uri(self, prefix: str) -> str:
        """Write a URI, which is split later if it is a string."""
        string = rf"(?P<{prefix}text>{self._string})|" if self.is_draft else ""
        uri = pattern(prefix, stop=self.spaces + "\n")
        return rf"(?>-{self.end}|{string}(?=[^{self._stop}]){uri})"

    def time(self) -> str:
        """Write a date and the time behind it; if one is undefined, there is none."""
        date, clock = CALENDAR[DATE], CALENDAR[CLOCK]
        return (
            rf"(?>(?P<time>{date}{self.space}{clock})"
            rf"|(?:-|{date}){self.space}-{self.end}|-{self.space}{clock})"
        )


class _Layout(NamedTuple):
    """What decides how lines are cut.

    Attributes:
        fields: what the fields are called.
        is_draft: whether the lines are written as the draft says.
        is_dated: whether there is a date for entries that have a time only.
        has_connect: whether a method may be CONNECT, for which a target is no reference.
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

    def placed(self, known: Mapping[bytes, str]) -> list[str]:
        """Give the column of each field, empty for one that has none.

        Args:
            known: the column of each field that is known, by its name in lower case.
        """
        taken: set[str] = set()
        placed = []
        for name in self.fields.lower().split():
            column = known.get(name, "")
            if taken.intersection(_columns(column)):
                column = ""
            taken.update(_columns(column))
            placed.append(column)
        if CLOCK not in placed or not (self.is_dated or DATE in placed):
            placed = ["" if column in CALENDAR else column for column in placed]
        return placed


def _columns(column: str) -> tuple[str, ...]:
    """Give the columns that a field fills: five if it is a URI."""
    if _is_uri(column):
        return tuple(column + name for name in Reference._fields)
    return (column,) if column else ()


GROUP = re.compile(r"\(\?P<(\w+)>")


class _Reading:
    """How lines of one layout are cut."""

    def __init__(self, format: "W3CFormat", wanted: frozenset[str], layout: _Layout) -> None:
        """Write the expression of each field.

        Args:
            format: which fields it knows.
            wanted: the columns that are captured.
            layout: which fields there are.
        """
        self._layout = layout
        self._syntax = layout.syntax
        self._read = 0
        placed = layout.placed(format.known_columns)
        names = layout.fields.split() if EXTRA in wanted else []
        self._extras = {f"{EXTRA}{at}": name for at, name in enumerate(names) if not placed[at]}
        kept = {*wanted, *self._extras, *(CALENDAR if "time" in wanted else ())}
        self._parts = [
            GROUP.sub(lambda group: group[0] if group[1] in kept else "(?:", part)
            for part in self._written(placed, format.notations)
        ]
        self._groups = GROUP.findall("".join(self._parts))
        self._texts = set(self._groups).difference(*map(_columns, filter(_is_uri, placed)))

    def _written(self, placed: list[str], notations: Mapping[str, Notation]) -> Iterator[str]:
        """Write the expression of each field, or of a date and the time behind it, which are mostly neighbours."""
        fields = iter(enumerate(placed))
        for at, column in fields:
            if placed[at : at + 2] == [DATE, CLOCK]:
                next(fields)
                yield self._syntax.time()
            elif column in CALENDAR:
                yield self._syntax.value(column, CALENDAR[column])
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
        entry = self._syntax.space.join(self._parts) or "(?!)"
        line = rf"{BOM}(?!#){entry}[{self._syntax.spaces}]*+(?=\n|\Z)"
        return _compiled(rf"(?:{line}|(?P<directive>{BOM}#[^\n]*+)|(?P<rejected>[^\n]*+))\n?+")

    @cached_property
    def _steps(self) -> list[re.Pattern[bytes]]:
        """The expressions of each field, with what stands behind it."""
        return [_step(rf"{part}(?:{self._syntax.space}|\Z)") for part in self._parts]

    def columns(self, lines: bytes, date: bytes) -> Columns:
        """Cut lines.

        Args:
            lines: whole lines.
            date: of entries that have a time only.

        Returns:
            The columns that the lines have, of those that are wanted.
        """
        self._read += len(lines)
        found = self._at_once(lines) if self._read >= WORTH * len(self._parts) else self._one_by_one(lines)
        if self._syntax.is_draft and b'"' in lines:
            found |= {name: list(map(_unquoted, found[name])) for name in self._texts}
        if CLOCK in found:
            dates = found.get(DATE) or [date] * len(found[CLOCK])
            found["time"] = list(map(_joined, dates, found[CLOCK]))
        if self._extras:
            found[EXTRA] = _objects(self._extras.values(), [found[name] for name in self._extras])
        return found

    def _at_once(self, lines: bytes) -> Columns:
        """Cut lines with one expression."""
        return dict(zip(self._expression.groupindex, extract_columns(self._expression, lines), strict=True))

    def _one_by_one(self, block: bytes) -> Columns:
        """Cut a few lines with the expressions of their fields, which need not be made for each layout."""
        rows = list(map(self._row, list_lines(block)))
        return {name: [row.get(name) for row in rows] for name in (*self._groups, "directive", "rejected")}

    def _row(self, line: bytes) -> dict[str, bytes | None]:
        if IS_DIRECTIVE.match(line):
            return {"directive": line}
        row: dict[str, bytes | None] = {}
        rest = line.removeprefix(SIGNATURE)
        at = 0
        for step in self._steps:
            found = step.match(rest, at)
            if found is None:
                return {"rejected": line}
            row |= found.groupdict()
            at = found.end()
        return {"rejected": line} if rest[at:].strip(self._syntax.spaces.encode()) else row


def _is_uri(column: str) -> bool:
    return column.endswith("_")


def _compiled(source: str) -> re.Pattern[bytes]:
    return re.compile(positive_classes(source, LAST_BYTE).encode())


_step = lru_cache(maxsize=1 << 10)(_compiled)


IS_STRING = re.compile('"({})"'.format(unrolled_loop('[^"]', '""')).encode())


def _unquoted(value: bytes | None) -> bytes | None:
    """Give what a string stands for; anything else stands for itself."""
    if value is None or value[:1] != b'"':
        return value
    string = IS_STRING.fullmatch(value)
    return string[1].replace(b'""', b'"') if string else value


def _joined(date: bytes | None, clock: bytes | None) -> bytes | None:
    return None if date is None or clock is None else b"%b %b" % (date, clock)


def _objects(names: Iterable[bytes], columns: list[Column]) -> Column:
    """Write rows as JSON objects, without what is undefined; None where nothing is left."""
    keys = list(map(_string, names))

    def row(*values: bytes | None) -> bytes | None:
        members = [f"{key}:{_string(value)}" for key, value in zip(keys, values, strict=True) if value is not None]
        return f"{{{','.join(members)}}}".encode("utf-8", "backslashreplace") if members else None

    return list(map(row, *columns))


def _string(text: bytes) -> str:
    r"""Write a string of JSON. A byte that is no UTF-8 is a surrogate of PEP 383, of which JSON makes "\udcxx"."""
    return encode_basestring(text.decode("utf-8", "surrogateescape"))


@dataclass(frozen=True, eq=False)
class W3CFormat(Format):
    r"""A format in which directives tell which fields a line has.

    Lines that begin with "#" are skipped. A line is rejected that comes before any "#Fields:", has not as many fields
    as that says, or a value that is not in its notation; so are all entries of more than 256 fields. A value "-" is
    undefined.

    An entry with a time but no date is of the day of the last "#Date:"; if there is none, its time has no column. What
    has no column is in `extra`, if that is asked for, even two fields of the same name.

    Attributes:
        known: the fields that have a column, by their names.
        mark: what the name of some field begins with, or else the entries are rejected.

    >>> import io
    >>> from urisect.logs import tables
    >>> log = io.BytesIO(b"#Fields: time cs-uri x-a\n#Date: 2026-11-10\n13:55:36 /a?b 1\n")
    >>> [table] = tables(log, W3C, columns=["time", "target_query", "extra"])
    >>> table.column("time"), table.column("target_query"), table.column("extra")
    ([b'2026-11-10 13:55:36'], [b'b'], [b'{"x-a":"1"}'])
    """

    stateful: ClassVar[bool] = True
    has_extra: ClassVar[bool] = True

    known: Mapping[str, Field] = field(kw_only=True)
    mark: str = field(default="", kw_only=True)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of `known`; a field may be where it will."""
        return tuple(dict.fromkeys(name for known in self.known.values() for name in _columns(known.column)))

    @cached_property
    def known_columns(self) -> dict[bytes, str]:
        """The column of each field by its name in lower case; a date and a time have one for each."""
        columns = {name.lower().encode(): known.column for name, known in self.known.items()}
        return columns | {b"date": DATE, b"time": CLOCK}

    def header(self, block: bytes, before: bytes) -> bytes:
        r"""Give the directives in force behind a block: "#Software:", "#Fields:" and "#Date:", shortened.

        Args:
            block: whole lines.
            before: what this gave for the lines before it; empty at the beginning of a file.

        >>> W3C.header(b"#Date: 2026-11-10 13:55:36\n", b"#Software: \n#Fields: time\n#Date: \n")
        b'#Software: \n#Fields: time\n#Date: 2026-11-10\n'
        """
        *_, (header, _) = _stretches(block, before)
        return bytes(header)

    def cutter(self, columns: frozenset[str]) -> Cutter:
        """Make what cuts a block of lines, each stretch between directives as these say."""
        names = columns.intersection((*self.columns, EXTRA))
        wanted = names | self.helping(names) | {"rejected", "directive"}
        reading = lru_cache(REMEMBERED)(partial(_Reading, self, wanted))

        def cutter(block: bytes, before: bytes) -> Columns:
            found: Columns = {name: [] for name in wanted}
            for header, stretch in _stretches(block, before):
                columns = reading(self._layout(header, stretch)).columns(stretch, header.date)
                nothing: Column = [None] * len(columns["rejected"])
                for name in found:
                    found[name] += columns.get(name, nothing)
            return found

        return cutter

    def _layout(self, header: _Header, lines: bytes) -> _Layout:
        names = header.fields.lower().split()
        is_marked = any(name.startswith(self.mark.encode()) for name in names)
        return _Layout(
            header.fields if is_marked else b"",
            is_draft=not header.software.startswith(b"Microsoft"),
            is_dated=bool(header.date),
            has_connect=b"cs-uri" in names and b"CONNECT" in lines,
        )


NOTATIONS = {
    "time": TIME,
    "server_port": PORT,
    "client_port": PORT,
    "status": NUMBER,  # FTP and SMTP have some of fewer digits
    "substatus": NUMBER,
    "win32_status": NUMBER,
    "bytes_sent": NUMBER,
    "bytes_received": NUMBER,
    "duration": TIME_TAKEN,
}

SAMPLE = b"""\
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
    known=FIELDS,
    uris=("target_", "referer_"),
    notations=NOTATIONS,
    sample=SAMPLE,
)
