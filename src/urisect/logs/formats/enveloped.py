r"""Parse lines in envelopes: what collectors of logs, such as syslog and Docker, write around each line.

An envelope is a format itself. Its column `line` holds a line of another format.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import cache, cached_property
from json.encoder import encode_basestring_ascii
from typing import NamedTuple

from urisect.bulk import list_lines
from urisect.logs.formats.format import Column, Format, ParsedBlock, Parser, PatternFormat
from urisect.logs.formats.json_lines import JSONFormat

__all__ = ["LINE", "LINE_GROUP", "PART", "PART_GROUP", "Envelope", "EnvelopedFormat", "enclose", "lines_inside"]

# The columns of an envelope that are not columns of the log: the line inside, and "P" if it is only a part of a line.
LINE, PART = "line", "part"

# Whether the line inside is a part (P) or a full line or its last part (F), in the expression of an envelope.
PART_GROUP = rf"(?P<{PART}>[PF])"

# What the expression of an envelope ends with.
LINE_GROUP = rf"(?P<{LINE}>[^\n]*+)"

# The column of an envelope that tells lines apart whose parts may alternate.
STREAM = "envelope_stream"

# The streams of a container: parts of a line are in one of them.
STREAMS = {b"stdout", b"stderr"}

# The most that is kept of a line in parts, in bytes of their envelopes; a longer line is rejected.
MAX_JOINED_BYTES = 1 << 20

# An object of Docker's whose line ends with a line feed. After an escaped backslash, "n" is data.
_WHOLE_LINE = re.compile(rb'\\n(?<!\\\\n)","stream":"[^\n]*+')


class Envelope(NamedTuple):
    r"""What stands around each line.

    Attributes:
        name: its name on the command line.
        title: its name in lists for readers.
        format: the format of the envelope. If its column `part` is "P", the line inside is a part of a line, which goes
            on in the next envelope of the same stream.
        ends_lines: whether a line inside ends with a line feed, so that one without it is a part, as Docker writes it.
        sample: an envelope, with %b in place of the line inside.

    >>> from urisect.logs.formats.envelopes import ENVELOPES
    >>> ENVELOPES["cri"].wrap(b"the line")
    b'1996-11-10T20:55:36.186641234Z stdout F the line\n'
    """

    name: str
    title: str
    format: Format
    ends_lines: bool = False
    sample: bytes = b""

    @property
    def has_parts(self) -> bool:
        """Whether a line may be in several envelopes."""
        return self.ends_lines or PART in self.format.columns

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that it adds to those of the line."""
        return tuple(name for name in self.format.columns if name not in {LINE, PART})

    def wrap(self, line: bytes) -> bytes:
        """Put a line into a sample of the envelope.

        Args:
            line: a line without its end, in UTF-8 if the envelope is JSON.
        """
        if isinstance(self.format, JSONFormat):
            line = encode_basestring_ascii(line.decode())[1:-1].encode()
        return self.sample % line


@dataclass(frozen=True, eq=False)
class EnvelopedFormat(Format):
    r"""A format of lines in envelopes.

    Parts of a line are joined: the last part counts as the line, the other ones are skipped.

    Attributes:
        envelope: what stands around each line.
        inner: the format of the lines inside.

    >>> import io
    >>> from urisect.logs import COMMON, records
    >>> log = io.BytesIO(b"".join(b"1996-11-10T20:55:36Z stdout F %b\n" % line for line in COMMON.sample.splitlines()))
    >>> [record["target_path"] for record in records(log, "cri+common")]
    [b'/a/b', b'/']
    """

    envelope: Envelope = attribute(kw_only=True)
    inner: Format = attribute(kw_only=True)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns: first those of the envelope, which take precedence."""
        return tuple(dict.fromkeys((*self.envelope.columns, *self.inner.columns)))

    @property
    def stateful(self) -> bool:
        """Whether some lines say how to parse later ones: parts of a line do."""
        return self.envelope.has_parts or self.inner.stateful

    @property
    def has_implausible(self) -> bool:
        """Whether there are implausible values, which parsers can count."""
        return self.inner.has_implausible

    @property
    def has_extra(self) -> bool:
        """Whether there is a field "extra"."""
        return self.inner.has_extra

    @cached_property
    def strict(self) -> Format:
        """The format that rejects implausible lines inside."""
        strict = self.inner.strict
        return self if strict is self.inner else enclose(self.envelope, strict)

    def header(self, block: bytes, before: bytes) -> bytes:
        """Return the header of the lines inside, and the envelopes with parts of a line that goes on."""
        inner, pending = _parse_header(before)
        if pending or _may_have_parts(self.envelope, block) or self.inner.stateful:
            opened = _open(self.envelope, pending, block)
            pending = opened.pending
            inner = self.inner.header(opened.block, inner)
        return _write_header(inner, pending)

    def parser(self, columns: frozenset[str]) -> Parser:
        """Return a function that parses the envelopes, then the lines inside.

        Args:
            columns: as for `Format.parser`.
        """
        outer = columns.intersection(self.envelope.columns)
        parse_lines = self.inner.parser(columns - outer)
        parse_envelopes = self.envelope.format.parser(_needed_to_open(self.envelope) | outer)
        parse_at_once = self._composed.parser(columns) if self._composed else None

        def parse(block: bytes, before: bytes) -> ParsedBlock:
            inner, pending = _parse_header(before)
            if parse_at_once and not pending:
                parsed = parse_at_once(block, inner)
                is_complete = parsed.rejected.count(None) == len(parsed.rejected)  # parts would be rejected
                if is_complete:
                    return parsed._replace(header=b"")
                if not _may_have_parts(self.envelope, block):
                    return parsed._replace(header=b"", blank=self._blank_rows(parsed.rejected))
            opened = _open(self.envelope, pending, block, parse_envelopes)
            parsed = opened.merge(parse_lines(opened.block, inner), outer, self.inner.is_blank)
            inner = self.inner.header(opened.block, inner) if self.inner.stateful else b""
            return parsed._replace(header=_write_header(inner, opened.pending))

        return parse

    def _blank_rows(self, rejected: Column) -> list[int]:
        """Return the rows of envelopes around blank lines."""
        rows = [(row, text) for row, text in enumerate(rejected) if text is not None]
        return [row for row, text in rows if any(map(self.inner.is_blank, lines_inside(self.envelope, text)))]

    @cached_property
    def _composed(self) -> PatternFormat | None:
        """One expression for the envelope and the line inside, which takes half the time of two; it joins no parts."""
        envelope, inner = self.envelope.format, self.inner
        if not (isinstance(envelope, PatternFormat) and isinstance(inner, PatternFormat)):
            return None
        if not set(envelope.columns).isdisjoint(inner.columns):
            return None
        line = envelope.line.replace(PART_GROUP, "F").replace(LINE_GROUP, f"(?:{inner.line})")
        return PatternFormat(self.name, line, uris=self.uris, notations=self.notations)


@cache
def enclose(envelope: Envelope, format: Format) -> Format:
    """Return the format of lines in envelopes.

    Args:
        envelope: what stands around each line.
        format: the format of the lines inside.
    """
    return EnvelopedFormat(
        f"{envelope.name}+{format.name}",
        envelope=envelope,
        inner=format,
        uris=format.uris,
        notations={**format.notations, **envelope.format.notations},
        title=f"{format.title}, in {envelope.title}",
        sample=b"".join(map(envelope.wrap, list_lines(format.sample))),
    )


def lines_inside(envelope: Envelope, block: bytes) -> list[bytes]:
    r"""Return the lines inside the envelopes of a block.

    Args:
        envelope: what stands around each line.
        block: whole lines; what is not in an envelope is left out.

    >>> from urisect.logs.formats.envelopes import ENVELOPES
    >>> lines_inside(ENVELOPES["compose"], b"nginx-1  | a\nelse\nnginx-1  | b\n")
    [b'a', b'b']
    """
    return [line for line in _open(envelope, b"", block).lines if line is not None]


def _write_header(inner: bytes, pending: bytes) -> bytes:
    """Write a header for `_parse_header`."""
    return b"%d:%b%b" % (len(inner), inner, pending) if inner or pending else b""


def _parse_header(header: bytes) -> tuple[bytes, bytes]:
    """Parse what `EnvelopedFormat.header` returns: the header of the lines inside, and envelopes with parts."""
    length, _, rest = header.partition(b":")
    size = int(length or 0)
    return rest[:size], rest[size:]


def _needed_to_open(envelope: Envelope) -> frozenset[str]:
    return frozenset({LINE, PART, STREAM}.intersection(envelope.format.columns))


def _may_have_parts(envelope: Envelope, block: bytes) -> bool:
    """Whether a block may contain parts of lines: a quick test that finds all of them."""
    if envelope.ends_lines:
        return len(_WHOLE_LINE.findall(block)) < block.count(b"\n") + (not block.endswith(b"\n"))
    return envelope.has_parts and (b" stdout P" in block or b" stderr P" in block)


class _Opened(NamedTuple):
    """Envelopes and the lines inside.

    Attributes:
        texts: the envelopes.
        columns: their columns.
        lines: the lines inside; None for a part of a line, and for anything that is not an envelope.
        parts: the rows of parts of a line that go on.
        pending: the envelopes with those that go on in a later block.
    """

    texts: list[bytes]
    columns: dict[str, Column]
    lines: Column
    parts: Collection[int]
    pending: bytes

    @property
    def block(self) -> bytes:
        """The lines inside, as a block."""
        return b"".join([line + b"\n" for line in self.lines if line is not None])

    def merge(self, inside: ParsedBlock, outer: frozenset[str], is_blank: Callable[[bytes], bool]) -> ParsedBlock:
        """Return the columns of the envelopes and of the lines inside, with one value per envelope.

        Args:
            inside: the lines of `block`, parsed.
            outer: the columns of the envelopes to keep.
            is_blank: whether a rejected line inside has nothing to parse.
        """
        empty = [row for row, line in enumerate(self.lines) if line is None] if None in self.lines else []
        if empty:
            inside = self._spread(inside)
        rejected, partial = self._envelopes(inside.rejected), self._envelopes(inside.partial)
        if self.parts:
            partial = partial or [None] * len(self.lines)
        for row in empty:
            (partial if row in self.parts else rejected)[row] = self.texts[row]
        columns = {**inside.columns, **{name: self.columns[name] for name in outer}}
        return inside._replace(
            columns=columns,
            rejected=rejected,
            directives=self._envelopes(inside.directives),
            partial=partial,
            blank={
                *inside.blank,
                *(row for row, line in enumerate(inside.rejected) if line is not None and is_blank(line)),
            },
        )

    def _spread(self, inside: ParsedBlock) -> ParsedBlock:
        """Move the values of the lines inside to the rows of their envelopes."""
        rows = [row for row, line in enumerate(self.lines) if line is not None]

        def spread(column: Sequence[bytes | None]) -> Column:
            values: Column = [None] * len(self.lines)
            for row, value in zip(rows, column, strict=True):
                values[row] = value
            return values

        return inside._replace(
            columns={name: spread(column) for name, column in inside.columns.items()},
            rejected=spread(inside.rejected),
            directives=inside.directives and spread(inside.directives),
            unsplit={uri: spread(column) for uri, column in inside.unsplit.items()},
            partial=inside.partial and spread(inside.partial),
            blank=[rows[row] for row in inside.blank],
        )

    def _envelopes(self, lines: Sequence[bytes | None]) -> Column:
        """Return the envelopes of some lines inside, and None for the others."""
        if lines.count(None) == len(lines):
            return [*lines]
        return [None if line is None else text for text, line in zip(self.texts, lines, strict=True)]


def _open(envelope: Envelope, pending: bytes, block: bytes, parse: Parser | None = None) -> _Opened:
    """Take the lines out of the envelopes of a block, and join parts.

    Args:
        envelope: what stands around each line.
        pending: envelopes of earlier blocks, whose parts go on in this one.
        block: whole lines.
        parse: a parser of the envelopes.
    """
    parse = parse or envelope.format.parser(_needed_to_open(envelope))
    columns = parse(pending + block, b"").columns
    texts, lines = list_lines(pending + block), columns[LINE]
    parts: set[int] = set()
    held: list[int] = []
    if envelope.ends_lines:  # faster than to search the block for parts
        has_parts = not all([line is None or line.endswith(b"\n") for line in lines])  # noqa: C419  so is a list
    else:
        has_parts = _may_have_parts(envelope, block)
    if pending or has_parts:
        parts = _part_rows(envelope, columns, texts)
        lines, held = _join_parts(lines, parts, columns[STREAM], texts)
    if isinstance(envelope.format, JSONFormat):
        lines = _single_lines(lines)
    kept = b"".join(texts[row] + b"\n" for row in held)
    if new := pending.count(b"\n"):
        texts, lines = texts[new:], lines[new:]
        columns = {name: column[new:] for name, column in columns.items()}
        parts = {row - new for row in parts}
    return _Opened(texts, columns, lines, parts, kept)


def _single_lines(lines: Column) -> Column:
    """Remove the line feeds at the ends of texts; a text of several lines, which is not a line, becomes None."""
    ends = [line and line.removesuffix(b"\n") for line in lines]
    if b"\n" not in b"".join(filter(None, ends)):
        return ends
    return [None if line is None or b"\n" in line else line for line in ends]


def _part_rows(envelope: Envelope, columns: dict[str, Column], texts: list[bytes]) -> set[int]:
    """Return the rows with a part of a line that goes on."""
    if not envelope.ends_lines:
        return {row for row, part in enumerate(columns[PART]) if part == b"P"}
    return {
        row
        for row, (line, stream) in enumerate(zip(columns[LINE], columns[STREAM], strict=True))
        if line is not None and stream in STREAMS and not line.endswith(b"\n") and not _WHOLE_LINE.search(texts[row])
    }


def _join_parts(lines: Column, parts: set[int], streams: Column, texts: list[bytes]) -> tuple[Column, list[int]]:
    """Join the parts of each line.

    Args:
        lines: the lines, and parts of lines.
        parts: the rows of parts that go on.
        streams: parts of one line have the same stream.
        texts: the envelopes.

    Returns:
        The lines, each in the row of its last part, None in the rows of the other parts; and the rows of parts that go
        on in a later block. A line that becomes too long is None.
    """
    joined: Column = []
    held: dict[bytes | None, list[int]] = {}
    lengths: dict[bytes | None, int] = {}
    for row, (line, stream, text) in enumerate(zip(lines, streams, texts, strict=True)):
        if row in parts:
            if lengths.get(stream, 0) <= MAX_JOINED_BYTES:  # keep no more than what shows that it is too long
                held.setdefault(stream, []).append(row)
                lengths[stream] = lengths.get(stream, 0) + len(text)
            joined.append(None)
        elif line is not None and stream in held:
            rows = held.pop(stream)
            is_too_long = lengths.pop(stream) + len(text) > MAX_JOINED_BYTES
            joined.append(None if is_too_long else b"".join([*(lines[part] or b"" for part in rows), line]))
        else:
            joined.append(line)
    return joined, sorted(row for rows in held.values() for row in rows)
