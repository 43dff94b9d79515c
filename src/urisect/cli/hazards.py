"""`urisect hazards`: show what makes references hazardous, one reference per line."""

import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial

import click

from urisect.cli.annotations import Annotation, draw_annotations
from urisect.cli.files import FileReader, Line, read_lines, serialize_json
from urisect.cli.messages import format_counts
from urisect.cli.options import (
    combine_options,
    limit_option,
    reference_input_options,
    text_or_ndjson_option,
    unknown_name,
)
from urisect.cli.output import findings_output
from urisect.security import CODES, Hazard
from urisect.security import hazards as find_hazards

__all__ = ["hazards"]


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
    reader = FileReader(files, partial(read_lines, limit=limit), progress=not quiet)
    read = hazardous = skipped = 0
    codes: Counter[str] = Counter()
    with findings_output() as output:
        is_drawn = to == "text" and output.is_terminal
        describe = _as_ndjson if to == "ndjson" else _as_drawing if is_drawn else _as_text
        for file, block in reader:
            descriptions: list[str] = []
            read += block.skipped
            skipped += block.skipped
            for line, offset, data in block.lines:
                read += 1
                reference = data.decode("utf-8", "surrogateescape")
                found = find_hazards(reference)
                if only is not None:
                    found = tuple(hazard for hazard in found if hazard.code in only)
                if ignore is not None:
                    found = tuple(hazard for hazard in found if hazard.code not in ignore)
                if found:
                    hazardous += 1
                    codes.update(hazard.code for hazard in found)
                    descriptions.append(describe(Line(file, line, offset, reference), found))
            output.write("".join(descriptions).encode("utf-8", "surrogateescape"), styled=is_drawn)
    if not quiet:
        print(format_counts({"read": read, "with hazards": hazardous}, skipped, codes), file=sys.stderr)
    context.exit(int(hazardous + skipped > 0) if reader.complete else 2)


def _as_text(line: Line, found: Sequence[Hazard]) -> str:
    """Write each hazard in one line."""
    return "".join(f"{line.location(hazard.start)} {hazard.code}: {hazard.message}\n" for hazard in found)


def _as_drawing(line: Line, found: Sequence[Hazard]) -> str:
    annotations = (Annotation(hazard.code, hazard.message, hazard.start, hazard.end - hazard.start) for hazard in found)
    return draw_annotations(line, annotations)


def _as_ndjson(line: Line, found: Sequence[Hazard]) -> str:
    return serialize_json({**line._asdict(), "hazards": [hazard._asdict() for hazard in found]})
