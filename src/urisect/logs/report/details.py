"""Make the parts of a report about single lines: suspicious URLs, and lines that were not parsed."""

import re
from collections.abc import Iterator

from urisect.logs.input.files import STDIN
from urisect.logs.report.findings import MAX_FAULTY_FILES, Findings
from urisect.logs.report.formatting import escape_unprintable, format_number, pluralize, shorten_middle
from urisect.logs.report.model import HazardCard, HighlightedText, RejectedLine
from urisect.logs.report.rejection import MAX_EXPLAINED_BYTES, PartialMatch, explain_rejection

__all__ = ["hazard_cards", "parsing_notes", "rejected_lines"]

CONTEXT_CHARACTERS = 60  # before and after the highlighted part of a reference
LINE_CONTEXT_CHARACTERS = 200  # of a rejected line

URI_PLACES = {"target_": "in the request target", "referer_": "in the referrer", "": "in the reference"}

DOCUMENT_LINKS = {
    "RFC": "https://www.rfc-editor.org/rfc/rfc{number}.html#section-{section}",
    "CWE": "https://cwe.mitre.org/data/definitions/{number}.html",
    "UTS": "https://www.unicode.org/reports/tr{number}/",
    "WHATWG": "https://url.spec.whatwg.org/",
}


def hazard_cards(findings: Findings, noun: str) -> Iterator[HazardCard]:
    """Yield the hazards, the most frequent first."""
    for (uri, code), count in sorted(findings.hazards.items(), key=lambda item: (-item[1].lines, item[0])):
        yield HazardCard(
            code,
            URI_PLACES.get(uri, f"in {uri.removesuffix('_')}"),
            pluralize(count.lines, noun),
            _highlight(count.reference, count.hazard.start, count.hazard.end),
            count.hazard.message,
            count.hazard.section,
            _link(count.hazard.section),
        )


def rejected_lines(findings: Findings) -> Iterator[RejectedLine]:
    """Yield the first rejected lines."""
    is_one_file = len(findings.files) == 1
    for file, rejected in findings.samples:
        text = rejected.text
        match = explain_rejection(findings.format, text)
        name = "standard input" if file == STDIN else escape_unprintable(file)
        place = f"Line {rejected.line}" if is_one_file else f"{name}, line {rejected.line}"
        length = match.length if match else len(text)
        yield RejectedLine(
            place,
            _highlight(text, length, len(text), LINE_CONTEXT_CHARACTERS),
            _rejection_reason(text, match),
        )


def parsing_notes(findings: Findings) -> Iterator[str]:
    """Yield sentences about the other lines and files that were not parsed."""
    if more := findings.rejected - len(findings.samples):
        yield f"{pluralize(more, 'more lines')} {'was' if more == 1 else 'were'} rejected."
    for reason, lines in findings.skipped.most_common():
        yield f"{pluralize(lines, 'lines')} {'was' if lines == 1 else 'were'} skipped: {reason}."
    for file, reason in findings.faults:
        yield f"{escape_unprintable(file)} could not be read completely: {escape_unprintable(reason)}."
    if findings.fault_count > MAX_FAULTY_FILES:
        yield f"{pluralize(findings.fault_count - MAX_FAULTY_FILES, 'other files')} could not be read completely."


def _rejection_reason(text: bytes, match: PartialMatch | None) -> str:
    """Return why a line was rejected, or "" if that is unknown.

    >>> _rejection_reason(b"1.2.3.4 x", PartialMatch(8, "client")), _rejection_reason(b"1.2", PartialMatch(3, ""))
    ('unexpected text at byte 9, after client', 'ends too early')
    """
    if match is None:
        return ""
    after = f", after {match.column}" if match.column else ""
    if match.length == min(len(text), MAX_EXPLAINED_BYTES):
        return f"ends too early{after}"
    return f"unexpected text at byte {format_number(match.length + 1)}{after}"


def _highlight(text: bytes, start: int, end: int, context: int = CONTEXT_CHARACTERS) -> HighlightedText:
    r"""Highlight the part of a text between two offsets, in bytes, and shorten what is around it.

    >>> _highlight(b"/a%00.txt", 2, 5)
    HighlightedText(before='/a', highlighted='%00', after='.txt')
    """
    before, highlighted, after = (escape_unprintable(part) for part in (text[:start], text[start:end], text[end:]))
    if len(before) > context:
        before = f"…{before[-context:]}"
    if len(after) > context:
        after = f"{after[:context]}…"
    return HighlightedText(before, shorten_middle(highlighted, context), after)


def _link(section: str) -> str:
    """Return the address of a section of a document.

    >>> _link("RFC 3986, 7.6"), _link("CWE-93")
    ('https://www.rfc-editor.org/rfc/rfc3986.html#section-7.6', 'https://cwe.mitre.org/data/definitions/93.html')
    """
    document, number, part = re.match(r"(\w+)(?:[- ]#?(\w+))?(?:, (.*))?", section).groups()  # type: ignore[union-attr]
    return DOCUMENT_LINKS[document].format(number=number, section=part)
