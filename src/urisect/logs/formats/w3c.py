r"""Parse the Extended Log File Format of the W3C, as IIS and others write it: "#Fields:" names the columns.

In the draft (W3C working draft WD-logfile), white space separates fields, and strings that contain spaces are quoted; a
quote in them is written `""`. Microsoft's servers, which name themselves in "#Software:", have no strings: exactly one
character separates two fields, "+" stands for a space in data, and a quote is data. So nothing that a client sends to
them splits a field in two.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import cached_property, lru_cache, partial
from itertools import groupby
from typing import NamedTuple

from urisect.logs.formats.format import EXTRA, Column, Format, ParsedBlock, Parser
from urisect.logs.formats.notation import DECIMAL_PATTERN, ISO_TIME, NUMBER, PORT, STATUS_OR_NONE, Notation, ValueKind
from urisect.logs.formats.w3c_layouts import (
    CLOCK,
    DATE,
    DATE_CLOCK_PATTERNS,
    TIME_FIELDS,
    Layout,
    LayoutParser,
    component_columns,
)

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


# The fields of the draft, of IIS and its Advanced Logging, of Microsoft's HTTP Server API and its error log, of ISA
# Server and Forefront TMG, of ProxySG and of other proxies, with the columns of their values. Names are
# case-insensitive. If two fields of a line have the same column, the first one is in it, and the second one has no
# column.
W3C_FIELDS: dict[str, W3CField] = {
    "date": W3CField("time"),
    "time": W3CField("time"),
    "date-utc": W3CField("time"),
    "time-utc": W3CField("time"),
    "date-local": W3CField("time"),
    "time-local": W3CField("time"),
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
    "c-agent": W3CField("agent"),
    "cs-referred": W3CField("referer_"),
    "cs-host": W3CField("host"),
    "cs(Host)": W3CField("host"),
    "sc-status": W3CField("status"),
    "c-status": W3CField("status"),
    "rs-status": W3CField("upstream_status"),
    "sc-substatus": W3CField("substatus", "substatus code of IIS"),
    "sc-win32-status": W3CField("win32_status", "Windows error code; 0 means none"),
    "sc-bytes": W3CField("bytes_sent"),
    "bytes": W3CField("bytes_sent"),
    "cs-bytes": W3CField("bytes_received"),
    "sr-bytes": W3CField("upstream_size_sent"),
    "rs-bytes": W3CField("upstream_size_received"),
    "time-taken": W3CField("duration"),
    "TimeTakenMS": W3CField("duration"),
    "X-Forwarded-For": W3CField("forwarded_for"),
    "cs(X-Forwarded-For)": W3CField("forwarded_for"),
    "OriginalIP": W3CField("forwarded_for"),
    "sc(Content-Type)": W3CField("media_type"),
    "rs(Content-Type)": W3CField("media_type"),
    "cs-mime-type": W3CField("media_type"),
    "r-ip": W3CField("upstream"),
    "s-supplier-ip": W3CField("upstream"),
    "s-supplier-name": W3CField("upstream"),
    "s-contentpath": W3CField("file"),
    "s-operation": W3CField("method"),
    "cs-protocol": W3CField("scheme"),
    "x-cs-connection-negotiated-ssl-version": W3CField("tls_protocol"),
    "x-cs-connection-negotiated-cipher": W3CField("tls_cipher"),
    "cached": W3CField("cache"),
    "s-action": W3CField("cache"),
    "s-object-source": W3CField("cache"),
    "s-reason": W3CField("error"),
    "streamid": W3CField("stream", "HTTP stream ID of the request"),
}

# The meanings of the columns that are not in `COLUMNS`.
COLUMN_MEANINGS: dict[str, str] = {field.column: field.meaning for field in W3C_FIELDS.values() if field.meaning}

DATE_LENGTH = len("1996-11-10")
MINUTES_LENGTH = len("13:55")


def _parse_time(text: bytes) -> int | float | None:
    clock = text[DATE_LENGTH:].strip().rstrip(b".")
    seconds = b":00" if len(clock) == MINUTES_LENGTH else b""
    return ISO_TIME.parse(b"%b %b%b" % (text[:DATE_LENGTH], clock, seconds))


def _parse_time_taken(text: bytes) -> float:
    return float(text) if b"." in text else float(text) / 1_000


W3C_TIME = ISO_TIME._replace(
    pattern=rf"{DATE_CLOCK_PATTERNS[DATE]}[ \t]++{DATE_CLOCK_PATTERNS[CLOCK]}", parse=_parse_time
)

# Seconds in the draft; Tomcat and WebLogic write them with a fraction. IIS writes whole milliseconds.
TIME_TAKEN = Notation(ValueKind.SECONDS, DECIMAL_PATTERN, _parse_time_taken)

# FTP and SMTP have codes of fewer digits, a proxy has error codes of more.
STATUS_NUMBER = Notation(ValueKind.NUMBER, NUMBER.pattern, STATUS_OR_NONE.parse)

# A "#Fields:" line with more fields is not the header of a log, and compiling it would take long.
MAX_FIELDS = 256

# The number of layouts whose parsers are cached. A file has one or a few layouts.
MAX_CACHED_LAYOUTS = 64

DIRECTIVE = re.compile(
    rb"#(?:(?<=\A#)|(?<=\n#)|(?<=\A\xef\xbb\xbf#)|(?<=\n\xef\xbb\xbf#))(?i:(software|fields|date)):([^\n]*+)"
)
# What only a request target can be: the authority of CONNECT, or an origin-form that begins with "//".
SPLIT_LATER = re.compile(rb'CONNECT|[ \t"]//')
LINE = re.compile(rb"[^\n]*+\n|[^\n]++")
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


@dataclass(frozen=True, eq=False)
class W3CFormat(Format):
    r"""A format in which directives name the fields of a line.

    Lines that begin with "#" are skipped. A line is rejected if it comes before any "#Fields:" and there are no
    `standard_fields`, has another number of fields, or has a value that is not in its notation; so is every entry if
    there are more than 256 fields. The value "-" means undefined.

    An entry with a time but no date is dated by the last "#Date:"; without one, its time has no column. Fields without
    a column are in `extra`, if that is requested, even two fields of the same name.

    Attributes:
        known_fields: the fields that have a column, by name.
        required_prefix: the name of at least one field begins with it; otherwise all entries are rejected.
        standard_fields: the fields of entries before any "#Fields:", in order; the last ones may be missing.

    >>> import io
    >>> from urisect.logs import tables
    >>> log = io.BytesIO(b"#Fields: time cs-uri x-a\n#Date: 2026-11-10\n13:55:36 /a?b 1\n")
    >>> [table] = tables(log, W3C, columns=["time", "target_query", "extra"])
    >>> table.column("time"), table.column("target_query"), table.column("extra")
    ([b'2026-11-10 13:55:36'], [b'b'], [b'{"x-a":"1"}'])
    """

    known_fields: Mapping[str, W3CField] = attribute(kw_only=True)
    required_prefix: str = attribute(default="", kw_only=True)
    standard_fields: tuple[str, ...] = attribute(default=(), kw_only=True)

    @property
    def stateful(self) -> bool:
        """Whether some lines say how to parse later ones, as directives do.

        >>> W3C.stateful
        True
        """
        return True

    @property
    def has_extra(self) -> bool:
        """Whether there is a field "extra".

        >>> W3C.has_extra
        True
        """
        return True

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order of `known_fields`; the fields of a line may be in any order.

        >>> W3C.columns[:4]
        ('time', 'site', 'server', 'server_address')
        """
        return tuple(
            dict.fromkeys(name for field in self.known_fields.values() for name in component_columns(field.column))
        )

    @cached_property
    def columns_by_field(self) -> dict[bytes, str]:
        """The column of each field, by its name in lower case; date and time have one each.

        >>> W3C.columns_by_field[b"c-ip"]
        'client'
        """
        columns = {name.lower().encode(): field.column for name, field in self.known_fields.items()}
        return columns | {name: part for name, part in TIME_FIELDS.items() if name in columns}

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
        r"""Return a function that parses each group of lines with the same header by its layout.

        Args:
            columns: as for `Format.parser`.

        >>> W3C.parser(frozenset({"status"}))(b"#Fields: sc-status\n200\n", b"").columns
        {'status': [None, b'200']}
        """
        names = columns.intersection((*self.columns, EXTRA))
        captured = names | self.needed_to_split(names) | {"rejected", "directive"}
        texts = {uri: f"{uri}text" for uri in self.uris if f"{uri}text" in captured}
        layout_parser = lru_cache(MAX_CACHED_LAYOUTS)(
            partial(LayoutParser, self.columns_by_field, self.notations, captured)
        )

        def parse(block: bytes, before: bytes) -> ParsedBlock:
            groups: dict[str, Column] = {name: [] for name in captured}
            for header, group in self._groups(block, before):
                found = layout_parser(self._layout(header, group)).groups(group, header.date)
                nothing: Column = [None] * len(found["rejected"])
                for name in groups:
                    groups[name] += found.get(name, nothing)
            rejected, directives = groups.pop("rejected"), groups.pop("directive")
            unsplit = {uri: groups.pop(text) for uri, text in texts.items()}
            return ParsedBlock(groups, rejected, directives, unsplit, is_utf8=block.isascii() and before.isascii())

        return parse

    def _layout(self, header: _Header, lines: bytes) -> Layout:
        names = header.fields.lower().split()
        has_required = any(name.startswith(self.required_prefix.encode()) for name in names)
        return Layout(
            header.fields if has_required else b"",
            is_draft=not header.software.startswith(b"Microsoft"),
            is_dated=bool(header.date),
            splits_target_later={b"cs-uri", b"cs-method"} <= {*names} and SPLIT_LATER.search(lines) is not None,
        )

    def _groups(self, block: bytes, before: bytes) -> Iterator[tuple[_Header, bytes]]:
        """Yield the lines of a block in groups with the same fields."""
        for header, lines in _split_by_header(block, before):
            if header.fields or not self.standard_fields:
                yield header, lines
                continue
            for count, group in groupby(LINE.findall(lines), self._count_fields):
                yield header._replace(fields=" ".join(self.standard_fields[:count]).encode()), b"".join(group)

    def _count_fields(self, line: bytes) -> int:
        """Return the number of fields of a line without a header; 0 if it has too many."""
        count = len(line.split())
        return count if count <= len(self.standard_fields) else 0


W3C_NOTATIONS = {
    "time": W3C_TIME,
    "server_port": PORT,
    "client_port": PORT,
    "status": STATUS_NUMBER,
    "upstream_status": STATUS_NUMBER,
    "substatus": NUMBER,
    "win32_status": NUMBER,
    "bytes_sent": NUMBER,
    "bytes_received": NUMBER,
    "upstream_size_sent": NUMBER,
    "upstream_size_received": NUMBER,
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
    notes=(
        "`#Fields` names the columns, and may change in the middle of a file; `#Date` is the date of entries "
        "without one. Lines that begin with `#` are skipped. Fields without a column are in `extra`, a JSON "
        "object, on request. `time-taken` is in milliseconds if it is a whole number, as in IIS; otherwise in "
        "seconds. `date-local` and `time-local`, the local time of the server, count as UTC, and only if there is no "
        "time in UTC. A status of 0 is undefined."
    ),
    known_fields=W3C_FIELDS,
    uris=("target_", "referer_"),
    notations=W3C_NOTATIONS,
    sample=W3C_SAMPLE,
)
