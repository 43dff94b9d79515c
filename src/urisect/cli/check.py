"""`urisect check`: a list of references in, a line out for each that is not valid."""

import sys
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import click

from urisect.cli.lines import (
    Line,
    Reading,
    findings,
    input_options,
    json_line,
    option_group,
    report_option,
    specification_options,
    summary,
    tally,
    valid_list,
)
from urisect.cli.picture import Note, drawn
from urisect.cli.scanning import limit_option
from urisect.logs.input.blocks import Stream, read_blocks
from urisect.logs.input.reader import BlockParser, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from urisect.specs.violation import Violation

# What JSON says of a violation, besides its message.
DESCRIBED = ("component", "rule", "offset", "length", "expected", "section", "incomplete")


@click.command()
@option_group(
    specification_options,
    report_option("How what is wrong is written."),
    limit_option,
    input_options,
)
@click.pass_context
def check(
    context: click.Context, /, files: tuple[str, ...], *, spec: str, rule: str, to: str, limit: int, quiet: bool
) -> None:
    """Find what is wrong with references, one a line.

    Each that is not valid gives a line FILE:LINE:COLUMN: COMPONENT: MESSAGE, as compilers write it. The column counts
    characters, from 1. Only the first fault is told, and how many more there are; a terminal is shown more of them,
    and where they stand in the text.

    With --to ndjson each gives an object: file, line, offset (of the line in the file, in bytes), reference, and
    violations, all of them: component, rule, offset and length (in characters of the reference), expected, section,
    incomplete (whether the reference ends too early), message. A byte that is no UTF-8 is written as a lone surrogate
    (PEP 383).

    The exit status is 0 if every line is valid, 1 if one is not, 2 if a file could not be read. A line over the limit
    is not checked, but counted as skipped: the status is 1. If the pipe is closed early, as by head, it is 1, too.
    """
    from urisect.specs import SPECIFICATIONS  # noqa: PLC0415  `urisect split` would wait for it too

    cut = BlockParser(valid_list(spec, rule), columns=())
    reading = Reading(files, partial(_tables, cut, limit), progress=not quiet)
    good = skipped = 0
    bad: Counter[str] = Counter()
    with findings() as output:
        is_picture = to == "text" and output.is_terminal
        written = ndjson if to == "ndjson" else picture if is_picture else text
        for file, table in reading:
            block: list[str] = []
            for line, offset, octets in table.rejected:
                reference = octets.decode("utf-8", "surrogateescape")
                violations = SPECIFICATIONS[spec].violations(reference, rule)
                bad[violations[0].component] += 1
                block.append(written(Line(file, line, offset, reference), violations))
            output.write("".join(block).encode("utf-8", "surrogateescape"), styled=is_picture)
            good += table.parsed
            skipped += len(table.skipped)
    if not quiet:
        counts = {"read": good + bad.total() + skipped, "bad": bad.total()}
        print(tally(summary(counts, skipped), bad), file=sys.stderr)
    context.exit(int(bad.total() + skipped > 0) if reading.complete else 2)


def _tables(cut: BlockParser, limit: int, stream: Stream) -> "Iterator[Table]":
    return cut.tables(read_blocks(stream, limit, is_file=True), line=1)


def text(line: Line, violations: "Sequence[Violation]") -> str:
    """Write the first violation in one line, and how many more there are."""
    first, *others = violations
    more = f" (and {len(others):,} more)" if others else ""
    return f"{line.place(first.offset)} {first.component}: {first.message}{more}\n"


def picture(line: Line, violations: "Sequence[Violation]") -> str:
    """Draw violations for a terminal."""
    return drawn(line, [Note(found.component, found.message, found.offset, found.length) for found in violations])


def ndjson(line: Line, violations: "Sequence[Violation]") -> str:
    """Write everything that is known about a line as one line of JSON."""
    described = [{name: getattr(violation, name) for name in (*DESCRIBED, "message")} for violation in violations]
    return json_line({**line._asdict(), "violations": described})
