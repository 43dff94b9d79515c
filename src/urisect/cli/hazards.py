"""`urisect hazards`: show what makes references hazardous, one reference per line."""

from collections.abc import Callable, Sequence
from functools import partial

import click

from urisect.cli.annotations import Annotation, draw_annotations
from urisect.cli.files import Line
from urisect.cli.findings import (
    LINE_END,
    BlockFindings,
    FoundLine,
    every_line,
    has_long_line,
    other_lines,
    serialize_members,
    write_findings,
)
from urisect.cli.line_transforms import LineMatcher
from urisect.cli.list_scan import ListScan, NumberedBlock
from urisect.cli.options import (
    combine_options,
    jobs_option,
    limit_option,
    reference_input_options,
    text_or_ndjson_option,
    unknown_name,
)
from urisect.cli.output import findings_output
from urisect.cli.summary import Outcome
from urisect.security import CODES, Hazard
from urisect.security import hazards as find_hazards
from urisect.security.codes import MAX_BYTES
from urisect.security.ordinary import ORDINARY

__all__ = ["hazards"]

# Lines that have no hazards, unless they are too long.
ORDINARY_LINES = LineMatcher(ORDINARY, line_end=LINE_END)


def _parse_codes(_context: click.Context, _parameter: click.Parameter, text: str | None) -> frozenset[str] | None:
    """Parse the value of `--only` or `--ignore`."""
    if text is None:
        return None
    codes = [code.strip() for code in text.split(",")]
    for code in codes:
        if code not in CODES:
            raise click.BadParameter(unknown_name("hazard", code, CODES))
    return frozenset(codes)


@click.command(short_help="Show what makes references hazardous.")
@combine_options(
    click.option("--only", metavar="CODE,...", callback=_parse_codes, help="Show only these hazards."),
    click.option("--ignore", metavar="CODE,...", callback=_parse_codes, help="Do not show these hazards."),
    text_or_ndjson_option("Output format."),
    jobs_option,
    limit_option,
    reference_input_options,
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
    jobs: int | None,
    limit: int,
    quiet: bool,
) -> None:
    """Show what makes references hazardous, one reference per line.

    A hazard is something to know before a reference is dereferenced (RFC 3986, 7). It is not a verdict: many harmless
    references have some. Each gives a line FILE:LINE:COLUMN: CODE: MESSAGE, as compilers write it. COLUMN counts
    characters from 1. On a terminal, hazards are marked in the text. A wrong CODE lists all codes.

    With --to ndjson, each reference with hazards gives an object: file, line, offset (of the line in the file, in
    bytes), reference, and hazards, an array: code, component, start and end (in characters of the reference), message,
    section. A byte that is not UTF-8 is written as a lone surrogate (PEP 383).

    The exit status is 0 if no hazard is found, 1 if one is, and 2 if a file could not be read. It is also 1 if a line
    was skipped because of --limit, or if the reader of a pipe closed it early, as head does.
    """
    with findings_output() as output:
        draw = _draw if to == "text" and output.is_terminal else None
        describe = None if draw else _as_ndjson if to == "ndjson" else _as_text
        find = partial(_find_hazards, only, ignore, describe)
        scan = ListScan(files, find, limit=limit, jobs=1 if draw else jobs, quiet=quiet)
        hazardous, codes = write_findings(scan, output, to=to, draw=draw)
    scan.print_summary(Outcome(hazardous, "with hazards", codes))
    context.exit(int(hazardous + scan.skipped > 0) if scan.complete else 2)


def _find_hazards(
    only: frozenset[str] | None,
    ignore: frozenset[str] | None,
    describe: Callable[[FoundLine[Hazard]], list[str]] | None,
    block: NumberedBlock,
) -> BlockFindings:
    findings = BlockFindings()
    lines = every_line(block.data) if has_long_line(block.data, MAX_BYTES) else other_lines(block.data, ORDINARY_LINES)
    for row, offset, data in lines:
        reference = data.decode("utf-8", "surrogateescape")
        found = find_hazards(reference)
        if only is not None:
            found = tuple(hazard for hazard in found if hazard.code in only)
        if ignore is not None:
            found = tuple(hazard for hazard in found if hazard.code not in ignore)
        if found:
            findings.codes.update(hazard.code for hazard in found)
            findings.add(FoundLine(block.first_line + row, block.offset + offset, reference, found), describe)
    return findings


def _as_text(line: FoundLine[Hazard]) -> list[str]:
    """Write each hazard in one line."""
    return [f":{hazard.start + 1}: {hazard.code}: {hazard.message}\n" for hazard in line.found]


def _as_ndjson(line: FoundLine[Hazard]) -> list[str]:
    found = [hazard._asdict() for hazard in line.found]
    return [serialize_members({"offset": line.offset, "reference": line.reference, "hazards": found})]


def _draw(line: Line, found: Sequence[Hazard]) -> str:
    annotations = (Annotation(hazard.code, hazard.message, hazard.start, hazard.end - hazard.start) for hazard in found)
    return draw_annotations(line, annotations)
