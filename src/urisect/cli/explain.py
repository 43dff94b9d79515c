"""`urisect explain`: show everything about references, each on a screen."""

import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

import click

from urisect.cli.annotations import MAX_KINDS
from urisect.cli.check import violation_members
from urisect.cli.files import serialize_json
from urisect.cli.findings import every_line
from urisect.cli.list_scan import ListScan, NumberedBlock
from urisect.cli.messages import visible
from urisect.cli.options import combine_options, limit_option, reference_input_options, text_or_ndjson_option
from urisect.cli.output import Output
from urisect.cli.styles import bold, dim, green, keep_styles, red, yellow
from urisect.cli.widths import display_width
from urisect.excerpt import excerpt
from urisect.explanation import Explanation
from urisect.explanation import explain as explain_reference

if TYPE_CHECKING:
    from urisect.specs.violation import Violation

__all__ = ["draw_explanation", "explain"]


# The width of the names at the left, with the space behind them.
NAME_WIDTH = 13

# How many parameters are drawn.
MAX_PARAMETERS = 20

# Messages are not wrapped to less than this on a narrow terminal.
MIN_WIDTH = 20
SUB_COMPONENTS = ("userinfo", "host", "port")
KINDS = {
    "uri": "URI",
    "network-path": "network-path reference",
    "absolute-path": "absolute-path reference",
    "relative-path": "relative-path reference",
    "same-document": "same-document reference",
}


@click.command(short_help="Show everything about a reference.")
@combine_options(text_or_ndjson_option("Output format."), limit_option, reference_input_options)
@click.pass_context
def explain(context: click.Context, /, files: tuple[str, ...], *, to: str, limit: int, quiet: bool) -> None:
    """Show everything about references, each on a screen.

    That is its components, one below the other where they stand in the text; what kind of reference it is; its
    parameters, decoded; what each specification says, with a caret below what it objects to; its normal forms; the IRI
    and the URI; its keys for crawlers and archives; and its hazards.

    With --to ndjson, each reference gives an object: file, line, offset (of the line in the file, in bytes), reference,
    kind, host_kind, parts (start and end of each, in characters), parameters, violations (by specification), forms,
    iri, uri, keys and hazards. A byte that is not UTF-8 is written as a lone surrogate (PEP 383).

    \b
    Examples:
      urisect explain 'http://user@EXAMPLE.com:80/a/./b?q=%zz#top'
      urisect explain urls.txt | less
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    scan = ListScan(files, _lines, limit=limit, jobs=1, quiet=quiet)
    with Output() as output, closing(scan.results()) as results:
        number = 0
        for file, lines_before, lines in results:
            for line, offset, data in lines:
                explanation = explain_reference(data.decode("utf-8", "surrogateescape"))
                if to == "ndjson":
                    place = {"file": file, "line": line + lines_before, "offset": offset}
                    text = serialize_json(place | _members(explanation))
                else:
                    text = "\n" * (number > 0) + draw_explanation(explanation, shutil.get_terminal_size().columns)
                    text = keep_styles(text, is_terminal=output.is_terminal)
                output.write(text.encode("utf-8", "surrogateescape"), styled=to == "text")
                number += 1
    scan.print_summary()
    context.exit(0 if scan.complete else 2)


def _lines(block: NumberedBlock) -> list[tuple[int, int, bytes]]:
    return [(block.first_line + row, block.offset + offset, data) for row, offset, data in every_line(block.data)]


def _members(explanation: Explanation) -> dict[str, object]:
    """Return the members of an object of NDJSON."""
    return explanation._asdict() | {
        "violations": {name: [*map(violation_members, found)] for name, found in explanation.violations.items()},
        "hazards": [hazard._asdict() for hazard in explanation.hazards],
    }


def draw_explanation(explanation: Explanation, width: int) -> str:
    """Draw an explanation, with styles.

    Args:
        explanation: what to draw.
        width: of the terminal, in characters.
    """
    written = {explanation.reference: "as it is"}
    uris = {"iri": explanation.iri, "uri": explanation.uri}
    sections = (
        [*_draw_parts(explanation, width), *_draw_kind(explanation)],
        [bold("Specifications"), *_draw_violations(explanation, width)],
        [bold("Normal forms"), *_draw_forms(explanation.forms | uris, written)],
        [bold("Keys"), *_draw_forms(explanation.keys, written)],
        [bold("Hazards"), *_draw_hazards(explanation, width)],
    )
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


def _draw_parts(explanation: Explanation, width: int) -> Iterator[str]:
    """Draw the reference, and each of its parts below where it stands, if there is space."""
    reference = explanation.reference
    fits = _fits(reference, width)
    yield _row("reference", _marked(explanation))
    for name, (start, end) in explanation.parts.items():
        indent = " " * display_width(visible(reference[:start])) if fits else ""
        part = visible(reference[start:end]) if end > start else dim("(empty)")
        yield _row(f"  {name}" if name in SUB_COMPONENTS else name, indent + part)


def _marked(explanation: Explanation) -> str:
    """Return the reference in bold, and in red what RFC 3986 objects to."""
    reference, texts, end = explanation.reference, [], 0
    for violation in explanation.violations["rfc3986"]:
        start, before = violation.offset, end
        end = start + violation.length
        texts += [bold(visible(reference[before:start])), red(visible(reference[start:end]))]
    return "".join((*texts, bold(visible(reference[end:]))))


def _draw_kind(explanation: Explanation) -> Iterator[str]:
    article = "a" if explanation.host_kind == "reg-name" else "an"
    host = f"; its host is {article} {explanation.host_kind}" if explanation.host_kind else ""
    yield _row("kind", KINDS[explanation.kind] + host)
    shown, others = explanation.parameters[:MAX_PARAMETERS], explanation.parameters[MAX_PARAMETERS:]
    for number, (name, value) in enumerate(shown):
        yield _row("" if number else "parameters", visible(name if value is None else f"{name} = {value}"))
    if others:
        yield _row("", f"and {len(others):,} more")


def _draw_violations(explanation: Explanation, width: int) -> Iterator[str]:
    """Draw what each specification objects to; of places that one before it objects to, only the components."""
    drawn: set[int] = set()
    for name, violations in explanation.violations.items():
        components = ", ".join(dict.fromkeys(violation.component for violation in violations))
        yield _row(f"  {name}", f"{red('invalid')}: {components}" if violations else green("valid"))
        messages: dict[str, list[Violation]] = {}
        for violation in violations:
            if violation.offset not in drawn:
                messages.setdefault(violation.message, []).append(violation)
                drawn.add(violation.offset)
        for message, (first, *others) in [*messages.items()][:MAX_KINDS]:
            times = f" ({len(others) + 1:,} times)" if others else ""
            yield from _message(red(first.component), message + times, width)
            yield from _caret(explanation.reference, first.offset, first.length, red, width)
        if len(messages) > MAX_KINDS:
            yield _row("", f"and {len(messages) - MAX_KINDS:,} more")


def _draw_forms(forms: Mapping[str, str], written: dict[str, str]) -> Iterator[str]:
    """Draw forms of the reference; of one that is written already, draw where.

    Args:
        forms: the forms by their names.
        written: what to draw for each form that is written; the new ones are added.
    """
    for name, form in forms.items():
        yield _row(f"  {name}", dim(written[form]) if form in written else visible(form))
        written.setdefault(form, f"as {name}")


def _draw_hazards(explanation: Explanation, width: int) -> Iterator[str]:
    for hazard in explanation.hazards:
        yield from _message(yellow(hazard.code), hazard.message, width)
        yield from _caret(explanation.reference, hazard.start, hazard.end - hazard.start, yellow, width)
    if not explanation.hazards:
        yield _row("", green("none"))


def _message(label: str, message: str, width: int) -> Iterator[str]:
    """Draw a message, wrapped between words, behind a label with a style."""
    head = f"{click.unstyle(label)}: "
    first, *others = textwrap.wrap(
        message,
        max(width - NAME_WIDTH, MIN_WIDTH),
        initial_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in (f"{label}: {first[len(head) :]}", *others):
        yield _row("", line)


def _caret(reference: str, offset: int, length: int, style: Callable[[str], str], width: int) -> Iterator[str]:
    """Draw the reference, or the text around a place if there is too little space, and a caret below the place."""
    if _fits(reference, width):
        text, start = visible(reference), display_width(visible(reference[:offset]))
        size = display_width(visible(reference[offset : offset + length]))
    else:
        text, start, size = _cut(*excerpt(reference, offset, length), max(width - NAME_WIDTH, MIN_WIDTH))
    yield _row("", text)
    yield _row("", f"{' ' * start}{style('^' + '~' * (size - 1))}")


def _cut(text: str, start: int, size: int, width: int) -> tuple[str, int, int]:
    """Cut an excerpt to a width, with the place that it is about in it.

    >>> _cut("/a/b/c/d", 3, 2, 5)
    ('…/b/…', 2, 2)
    """
    if len(text) <= width:
        return text, start, size
    first = min(max(start - width // 2, 0), len(text) - width)
    cut = text[first : first + width]
    head, tail = "…" if first else cut[0], "…" if first + width < len(text) else cut[-1]
    return head + cut[1:-1] + tail, start - first, min(size, width - (start - first))


def _fits(reference: str, width: int) -> bool:
    """Whether a line has space for a reference behind the names."""
    return display_width(visible(reference)) <= width - NAME_WIDTH


def _row(name: str, text: str) -> str:
    """Draw a name at the left, and what it stands for."""
    return f"{dim(name)}{' ' * (NAME_WIDTH - len(name))}{text}" if name else f"{' ' * NAME_WIDTH}{text}"
