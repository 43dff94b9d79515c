"""What stands on the page: each section, chart and table is there if the log tells of it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

from urisect.logs.formats.notation import SECOND
from urisect.logs.input.files import STDIN
from urisect.logs.report.charts import Series, bars, scale, share_bar, swatch
from urisect.logs.report.counts import Count
from urisect.logs.report.findings import FAULTS, Findings
from urisect.logs.report.model import Cell, Figure, Key, Passage, Section, Table, Tile, Unread, Warned
from urisect.logs.report.rejection import WINDOW, Rejection, explain_rejection
from urisect.logs.report.tally import FAILED, NAMES, PAIRS, Extreme
from urisect.logs.report.text import many, moment, number, seconds, share, shortened, shown, size, span
from urisect.logs.report.timeline import CLASSES, Timeline, Traffic, status_class

__all__ = ["Page"]

ROWS = 15  # of a table that takes the whole width
FEW = 10  # of one that has another beside it
LONG, SHORT = 110, 56  # characters of a value that are shown in these
LONGEST = 2000  # characters that the pointer tells of it
AROUND, FURTHER = 60, 200  # characters that are shown before what is marked, and after it

TALL, LOW = 200, 110  # pixels of a chart

NONE = "(none)"

HOSTS = {"host": "Hosts", "server": "Servers", "target_host": "Hosts in targets"}
URIS = {"target_": "in the target", "referer_": "in the referrer", "": "in the reference"}

# Where the sections of documents are to be read.
DOCUMENTS = {
    "RFC": "https://www.rfc-editor.org/rfc/rfc{number}.html#section-{section}",
    "CWE": "https://cwe.mitre.org/data/definitions/{number}.html",
    "UTS": "https://www.unicode.org/reports/tr{number}/",
    "WHATWG": "https://url.spec.whatwg.org/",
}


class Measure(NamedTuple):
    """A column of numbers: its title, and what stands there for a value."""

    title: str
    cell: Callable[[Count], Cell]


BYTES = Measure("Bytes", lambda count: Cell(size(count.bytes), f"{number(count.bytes)} bytes", count.bytes))
TOTAL = Measure("In all", lambda count: Cell(seconds(count.seconds), order=count.seconds))
MEAN = Measure("Mean", lambda count: Cell(seconds(count.seconds / count.lines), order=count.seconds / count.lines))
SLOWEST = Measure("Longest", lambda count: Cell(seconds(count.longest), order=count.longest))


class Page:
    """What stands on the page.

    Attributes:
        name: what the files are called.
        tiles: the numbers at its top.
        sections: its sections, but those in which nothing would stand.
    """

    def __init__(self, findings: Findings) -> None:
        """Ask for all that is to be shown.

        Args:
            findings: while its counts can be asked.
        """
        self._findings = findings
        self._tally = findings.tally
        self._traffic = Traffic(findings)
        self._noun = "requests" if findings.tally.uri == "target_" else "lines"
        self._lines = Measure(self._noun.capitalize(), lambda count: Cell(number(count.lines), order=count.lines))
        self._plain = (self._lines, _share(findings.lines))
        self._sized = (*self._plain, *((BYTES,) if self._tally.size else ()))
        self.name = _name(findings.files)
        self.tiles = list(self._tiles())
        self.sections = [section for section in self._sections() if any(section[2:])]

    def _tiles(self) -> Iterator[Tile]:
        findings, lines = self._findings, self._findings.lines
        skipped = findings.skipped.total()
        read = many(findings.parsed + findings.rejected + skipped, "lines")
        unread = (f"{read} read,", f"{number(findings.rejected)} rejected,", f"{number(skipped)} skipped")
        yield Tile(self._noun.capitalize(), number(lines), unread)
        if findings.first is not None and findings.last is not None:
            lasted = span((findings.last - findings.first) // SECOND)
            yield Tile("Time", lasted, (f"{_time(findings.first)} to", f"{_time(findings.last)} UTC"))
        if sent := sum(count.bytes for count in self._traffic.statuses):
            yield Tile("Sent", size(sent), (f"{size(sent / lines)} each",))
        if self._tally.client and (clients := findings.counts.distinct(self._tally.client)):
            yield Tile("Clients", number(clients), (f"{lines / clients:,.1f} {self._noun} each",))
        classes: Counter[str] = Counter()
        for count in self._traffic.statuses:
            classes[status_class(count.value)] += count.lines
        if known := lines - self._traffic.unknown:
            kinds = (f"4xx {share(classes['4'], known)},", f"5xx {share(classes['5'], known)}")
            yield Tile("Errors", share(classes["4"] + classes["5"], known), kinds)

    def _sections(self) -> Iterator[Section]:
        yield Section("traffic", "Traffic", figures=list(self._figures()), tables=list(self._kinds()))
        asked = "What was asked for" if self._tally.uri == "target_" else "What the lines refer to"
        yield Section("asked", asked, tables=list(self._asked()))
        yield Section("asking", "Who asked", tables=list(self._asking()))
        yield Section("failed", "What failed", tables=list(self._failed()))
        yield Section("hazards", "Hazards", warned=list(self._warned()))
        yield Section("unread", "What was not read", unread=list(self._unread()), notes=list(self._notes()))

    def _figures(self) -> Iterator[Figure]:
        times = self._traffic.times
        if times is None:
            return
        by_class = self._traffic.over_time(times, "lines", status_class)
        names = CLASSES if self._tally.status else {"": self._noun}
        parts = [Series(name, f"s{digit or 0}", by_class[digit]) for digit, name in names.items() if digit in by_class]
        keys = [Key(swatch(part.style), part.name, number(sum(part.values))) for part in parts if self._tally.status]
        yield _figure(times, f"{self._noun.capitalize()} per {times.length}", parts, TALL, number, keys)
        if self._tally.size:
            (sent,) = self._traffic.over_time(times, "bytes", lambda _: "").values()
            yield _figure(times, f"Bytes per {times.length}", [Series("sent", "sent", sent)], LOW, size)

    def _kinds(self) -> Iterator[Table]:
        if self._traffic.unknown < self._findings.lines:
            yield _table("Status codes", "Status", self._traffic.statuses[:FEW], self._sized, _status_cell)
        yield from self._most("method", "Methods", "Method")

    def _asked(self) -> Iterator[Table]:
        tally = self._tally
        timed = (MEAN, SLOWEST) if tally.duration else ()
        yield from self._most(tally.path, "Paths", "Path", (*self._sized, *timed), is_wide=True)
        if timed:
            yield from self._most(
                tally.path, "Where the time went", "Path", (TOTAL, *timed, self._lines), by="seconds", is_wide=True
            )
        for host in tally.hosts:
            yield from self._most(host, HOSTS.get(host, "Hosts"), "Host", self._sized)
        yield from self._most(tally.scheme, "Schemes", "Scheme")
        parameters = (Measure("Times", self._lines.cell), _share(self._findings.counts.total(NAMES).lines))
        yield from self._most(NAMES, "Parameters of queries", "Name", parameters)
        yield from self._most(PAIRS, "Parameters and their values", "Name and value", parameters)
        yield from self._extremes("Largest responses", "Bytes", self._findings.largest.extremes, size)
        yield from self._extremes("Slowest responses", "Time taken", self._findings.slowest.extremes, seconds)

    def _asking(self) -> Iterator[Table]:
        yield from self._most(self._tally.client, "Clients", "Client", self._sized)
        for name, title, what in (("referer_host", "Referring hosts", "Host"), ("agent", "User agents", "User agent")):
            if name in self._tally.others:
                yield from self._most(name, title, what, is_wide=name == "agent")

    def _most(
        self,
        name: str | None,
        title: str,
        what: str,
        measures: Sequence[Measure] | None = None,
        *,
        by: str = "lines",
        is_wide: bool = False,
    ) -> Iterator[Table]:
        """Make a table of the values of which there is most, if there are any."""
        counts = self._findings.counts
        if name is not None and (different := counts.distinct(name)):
            most, length = (ROWS, LONG) if is_wide else (FEW, SHORT)
            top = counts.top(name, most, by=by)
            table = _table(title, what, top, measures or self._plain, partial(_value_cell, length=length))
            yield table._replace(note=_different(different, most), is_wide=is_wide)

    def _extremes(
        self, title: str, column: str, extremes: Sequence[Extreme], written: Callable[[float], str]
    ) -> Iterator[Table]:
        """Make a table of the responses that stand out."""
        rows = [
            (
                _text_cell(extreme.path, SHORT),
                Cell(written(extreme.value), order=extreme.value),
                Cell("" if extreme.time is None else _time(extreme.time), is_quiet=True),
            )
            for extreme in extremes[:FEW]
        ]
        if rows:
            yield Table(title, ("Path", column, "UTC"), rows, note="one of each path")

    def _failed(self) -> Iterator[Table]:
        """Make a table of the paths at which the client was wrong, and of those at which the server was."""
        counts = self._findings.counts
        for title, name in zip(("Client errors", "Server errors"), FAILED.values(), strict=True):
            rows = [
                (
                    _text_cell(path or None, SHORT),
                    self._lines.cell(count),
                    Cell(shown(status), _phrase(status)),
                )
                for count in counts.top(name, FEW)
                for status, _, path in ((count.value or b"").partition(b" "),)
            ]
            if rows:
                columns = ("Path", self._lines.title, "Status")
                yield Table(title, columns, rows, note=_different(counts.distinct(name), FEW))

    def _warned(self) -> Iterator[Warned]:
        """Tell of each hazard, that which is in most lines first."""
        for (uri, code), seen in sorted(self._findings.hazards.items(), key=lambda item: (-item[1].lines, item[0])):
            yield Warned(
                code,
                URIS.get(uri, f"in {uri.removesuffix('_')}"),
                many(seen.lines, self._noun),
                _passage(seen.reference, seen.hazard.start, seen.hazard.end),
                seen.hazard.message,
                seen.hazard.section,
                _link(seen.hazard.section),
            )

    def _unread(self) -> Iterator[Unread]:
        """Show the first lines that were rejected."""
        format = self._findings.format
        for file, rejected in self._findings.samples:
            text = rejected.text
            found = explain_rejection(format, text)
            place = f"{'standard input' if file == STDIN else shown(file)}, line {number(rejected.line)}"
            fits = found.length if found else len(text)
            yield Unread(place, _passage(text, fits, len(text), FURTHER), _reason(text, found))

    def _notes(self) -> Iterator[str]:
        """Say what else was not read."""
        findings = self._findings
        if more := findings.rejected - len(findings.samples):
            yield f"{many(more, 'lines')} more {'was' if more == 1 else 'were'} rejected."
        for reason, times in findings.skipped.most_common():
            yield f"{many(times, 'lines')} {'was' if times == 1 else 'were'} skipped: {reason}."
        for file, reason in findings.faulty:
            yield f"{shown(file)} could not be read to its end: {shown(reason)}."
        if findings.faults > FAULTS:
            yield f"Nor could {many(findings.faults - FAULTS, 'other files')}."


def _name(files: Sequence[str]) -> str:
    """Name files.

    >>> _name(["/var/log/access.log"]), _name(["-"]), _name(["a", "b"])
    ('access.log', 'standard input', '2 files')
    """
    if len(files) != 1:
        return f"{number(len(files))} files"
    return "standard input" if files[0] == STDIN else shown(files[0].rstrip("/").rpartition("/")[2])


def _time(microseconds: int) -> str:
    return moment(microseconds).isoformat(" ", "seconds")[:19]


def _different(count: int, shown: int) -> str:
    return f"{number(count)} in all" if count > shown else ""


def _share(whole: int) -> Measure:
    return Measure(
        "Share", lambda count: Cell(share(count.lines, whole), order=count.lines, bar=share_bar(count.lines, whole))
    )


def _table(
    title: str, what: str, counts: Sequence[Count], measures: Sequence[Measure], cell: Callable[[Count], Cell]
) -> Table:
    rows = [(cell(count), *(measure.cell(count) for measure in measures)) for count in counts]
    return Table(title, (what, *(measure.title for measure in measures)), rows)


def _value_cell(count: Count, length: int) -> Cell:
    return _text_cell(count.value, length)


def _text_cell(value: bytes | None, length: int) -> Cell:
    if value is None:
        return Cell(NONE, is_quiet=True)
    text = shown(value)
    short = shortened(text, length)
    return Cell(short, "" if short == text else shortened(text, LONGEST), is_code=True)


def _status_cell(count: Count) -> Cell:
    """Show a status code, and what it means."""
    cell = _text_cell(count.value, SHORT)._replace(is_code=False)
    return cell._replace(text=f"{cell.text} {_phrase(count.value)}")


def _phrase(status: bytes | None) -> str:
    """Say what a status code means (RFC 9110, 15).

    >>> _phrase(b"404"), _phrase(b"999"), _phrase(None)
    ('Not Found', '', '')
    """
    try:
        return HTTPStatus(int(status or b"")).phrase
    except ValueError:  # there is no such code
        return ""


def _figure(
    times: Timeline,
    title: str,
    parts: Sequence[Series],
    height: int,
    written: Callable[[float], str],
    keys: Sequence[Key] = (),
) -> Figure:
    highest = max(map(sum, zip(*(part.values for part in parts), strict=True)))
    label = f"{title}, {times.name(0)} to {times.name(times.stretches - 1)} UTC"
    return Figure(title, scale(highest, height, written), bars(times, parts, height, label, written), keys)


def _reason(text: bytes, found: Rejection | None) -> str:
    """Say why a line was rejected, as far as that is known.

    >>> _reason(b"1.2.3.4 x", Rejection(8, "client")), _reason(b"1.2", Rejection(3, "")), _reason(b"", Rejection(0, ""))
    ('leaves the format at byte 9, behind client', 'ends too early', 'is empty')
    """
    if not text:
        return "is empty"
    if found is None:
        return ""
    behind = f", behind {found.column}" if found.column else ""
    is_short = found.length == min(len(text), WINDOW)
    return f"ends too early{behind}" if is_short else f"leaves the format at byte {number(found.length + 1)}{behind}"


def _passage(text: bytes, start: int, end: int, around: int = AROUND) -> Passage:
    r"""Show a text around the place between two offsets, in bytes.

    >>> _passage(b"/a%00.txt", 2, 5)
    Passage(before='/a', marked='%00', after='.txt')
    """
    before, marked, after = (shown(part) for part in (text[:start], text[start:end], text[end:]))
    if len(before) > around:
        before = f"…{before[-around:]}"
    if len(after) > around:
        after = f"{after[:around]}…"
    return Passage(before, shortened(marked, around), after)


def _link(section: str) -> str:
    """Tell where a section of a document is to be read.

    >>> _link("RFC 3986, 7.6"), _link("CWE-93")
    ('https://www.rfc-editor.org/rfc/rfc3986.html#section-7.6', 'https://cwe.mitre.org/data/definitions/93.html')
    """
    document, number, part = re.match(r"(\w+)(?:[- ]#?(\w+))?(?:, (.*))?", section).groups()  # type: ignore[union-attr]
    return DOCUMENTS[document].format(number=number, section=part)
