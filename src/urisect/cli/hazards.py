"""`urisect hazards`: a list of references in, a line out for each thing to know before one is dereferenced."""

import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial

import click

from urisect.cli.lines import (
    Line,
    Reading,
    findings,
    input_options,
    json_line,
    numbered,
    option_group,
    report_option,
    summary,
    tally,
)
from urisect.cli.picture import Note, drawn
from urisect.cli.scanning import limit_option
from urisect.security import CODES, Hazard
from urisect.security import hazards as hazards_of


def _codes(_context: click.Context, _parameter: click.Parameter, text: str | None) -> frozenset[str] | None:
    """Read the options `--only` and `--ignore`."""
    if text is None:
        return None
    codes = [code.strip() for code in text.split(",")]
    for code in codes:
        if code not in CODES:
            raise click.BadParameter(f"{code!r} is none of {', '.join(CODES)}.")
    return frozenset(codes)


@click.command()
@option_group(
    click.option("--only", metavar="CODE,…", callback=_codes, help="Tell of these hazards, and of no other."),
    click.option("--ignore", metavar="CODE,…", callback=_codes, help="Do not tell of these hazards."),
    report_option("How what is found is written."),
    limit_option,
    input_options,
)
@click.pass_context
def hazards(
    context: click.Context,
    /,
    files: tuple[str, ...],
    *,
    only: frozenset[str] | None,
    ignore: frozenset[str] | None,
    to: str,
    limit: int,
    quiet: bool,
) -> None:
    """Tell the hazards of references, one a line.

    A hazard is something to know before a reference is dereferenced (RFC 3986, 7), and no verdict: many a good one has
    some. Each gives a line FILE:LINE:COLUMN: CODE: MESSAGE, as compilers write it. The column counts characters, from
    1. A wrong CODE is answered with a list of all. A terminal is shown where they stand in the text.

    With --to ndjson each reference that has hazards gives an object: file, line, offset (of the line in the file, in
    bytes), reference, and hazards: code, component, start and end (in characters of the reference), message, section.
    A byte that is no UTF-8 is written as a lone surrogate (PEP 383).

    The exit status is 0 if nothing is found, 1 if something is, 2 if a file could not be read. A line over the limit
    is not looked at, but counted as skipped: the status is 1. If the pipe is closed early, as by head, it is 1, too.
    """
    reading = Reading(files, partial(numbered, limit=limit), progress=not quiet)
    read = hazardous = skipped = 0
    codes: Counter[str] = Counter()
    with findings() as output:
        is_picture = to == "text" and output.is_terminal
        written = ndjson if to == "ndjson" else picture if is_picture else text
        for file, block in reading:
            lines: list[str] = []
            read += block.skipped
            skipped += block.skipped
            for line, offset, octets in block.lines:
                read += 1
                reference = octets.decode("utf-8", "surrogateescape")
                found = hazards_of(reference)
                if only is not None:
                    found = tuple(hazard for hazard in found if hazard.code in only)
                if ignore is not None:
                    found = tuple(hazard for hazard in found if hazard.code not in ignore)
                if found:
                    hazardous += 1
                    codes.update(hazard.code for hazard in found)
                    lines.append(written(Line(file, line, offset, reference), found))
            output.write("".join(lines).encode("utf-8", "surrogateescape"), styled=is_picture)
    if not quiet:
        print(tally(summary({"read": read, "with hazards": hazardous}, skipped), codes), file=sys.stderr)
    context.exit(int(hazardous + skipped > 0) if reading.complete else 2)


def text(line: Line, found: Sequence[Hazard]) -> str:
    """Write each hazard in one line."""
    return "".join(f"{line.place(hazard.start)} {hazard.code}: {hazard.message}\n" for hazard in found)


def picture(line: Line, found: Sequence[Hazard]) -> str:
    """Draw hazards for a terminal."""
    return drawn(line, [Note(hazard.code, hazard.message, hazard.start, hazard.end - hazard.start) for hazard in found])


def ndjson(line: Line, found: Sequence[Hazard]) -> str:
    """Write everything that is known about a line as one line of JSON."""
    return json_line({**line._asdict(), "hazards": [hazard._asdict() for hazard in found]})
