"""`urisect check`: show what makes references invalid, one reference per line."""

from functools import cache, partial
from typing import TYPE_CHECKING

import click

from urisect.cli.annotations import Annotation, draw_annotations
from urisect.cli.files import Line
from urisect.cli.findings import (
    LINE_END,
    BlockFindings,
    FoundLine,
    other_lines,
    serialize_members,
    write_findings,
)
from urisect.cli.line_transforms import COMMON_URI, ESCAPED_TEXT, LineMatcher, in_one_line
from urisect.cli.list_scan import ListScan, NumberedBlock
from urisect.cli.options import (
    SPECIFICATION_NAMES,
    combine_options,
    jobs_option,
    limit_option,
    reference_input_options,
    specification_options,
    text_or_ndjson_option,
)
from urisect.cli.output import findings_output
from urisect.cli.summary import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from urisect.specs.violation import Violation

__all__ = ["check", "valid_lines", "violation_members"]

# The members of a violation in NDJSON.
VIOLATION_MEMBERS = ("component", "rule", "offset", "length", "expected", "section", "incomplete", "message")

# The rules that a common URI with a path and a query follows.
COMMON_RULES = ("URI-reference", "URI", "absolute-URI")


@click.command(short_help="Show what makes references invalid.")
@combine_options(
    specification_options,
    text_or_ndjson_option("Output format."),
    jobs_option,
    limit_option,
    reference_input_options,
)
@click.pass_context
def check(
    context: click.Context,
    /,
    files: tuple[str, ...],
    *,
    spec: str,
    rule: str,
    to: str,
    jobs: int | None,
    limit: int,
    quiet: bool,
) -> None:
    """Show what makes references invalid, one reference per line.

    Each invalid reference gives a line FILE:LINE:COLUMN: COMPONENT: MESSAGE, as compilers write it. COLUMN counts
    characters from 1. The message describes the first violation, and counts the others; on a terminal, up to five kinds
    of violations are marked in the text.

    With --to ndjson, each invalid reference gives an object: file, line, offset (of the line in the file, in bytes),
    reference, and violations, an array of all of them: component, rule, offset and length (in characters of the
    reference), expected, section, incomplete (whether the reference ends too early), message. A byte that is not UTF-8
    is written as a lone surrogate (PEP 383).

    The exit status is 0 if every line is valid, 1 if one is not, and 2 if a file could not be read. It is also 1 if a
    line was skipped because of --limit, or if the reader of a pipe closed it early, as head does.
    """
    with findings_output() as output:
        draw = _draw if to == "text" and output.is_terminal else None
        describe = None if draw else _as_ndjson if to == "ndjson" else _as_text
        find = partial(_find_violations, spec, rule, describe)
        scan = ListScan(files, find, limit=limit, jobs=1 if draw else jobs, quiet=quiet)
        invalid, components = write_findings(scan, output, to=to, draw=draw)
    scan.print_summary(Outcome(invalid, "invalid", components))
    context.exit(int(invalid + scan.skipped > 0) if scan.complete else 2)


def _find_violations(
    spec: str, rule: str, describe: "Callable[[FoundLine[Violation]], list[str]] | None", block: NumberedBlock
) -> BlockFindings:
    from urisect.specs import SPECIFICATIONS  # noqa: PLC0415  slow to import; `--help` does not need it

    specification = SPECIFICATIONS[spec]
    findings = BlockFindings()
    for row, offset, data in other_lines(block.data, valid_lines(spec, rule)):
        if specification.is_valid(data, rule):
            continue
        reference = data.decode("utf-8", "surrogateescape")
        violations = specification.violations(reference, rule)
        findings.codes[violations[0].component] += 1
        findings.add(FoundLine(block.first_line + row, block.offset + offset, reference, violations), describe)
    return findings


@cache
def valid_lines(spec: str, rule: str) -> LineMatcher:
    """Return what finds the lines that may be invalid."""
    from urisect.specs import SPECIFICATIONS  # noqa: PLC0415  as above

    usual = ""
    if spec == SPECIFICATION_NAMES[0] and rule in COMMON_RULES:
        usual = COMMON_URI + ESCAPED_TEXT
    return LineMatcher(usual, in_one_line(SPECIFICATIONS[spec].pattern(rule, bytes)), LINE_END)


def _as_text(line: "FoundLine[Violation]") -> list[str]:
    """Write the first violation in one line, and the number of the others."""
    first, *others = line.found
    more = f" (and {len(others):,} more)" if others else ""
    return [f":{first.offset + 1}: {first.component}: {first.message}{more}\n"]


def _as_ndjson(line: "FoundLine[Violation]") -> list[str]:
    found = [violation_members(violation) for violation in line.found]
    return [serialize_members({"offset": line.offset, "reference": line.reference, "violations": found})]


def violation_members(violation: "Violation") -> dict[str, object]:
    """Return the members of a violation in NDJSON."""
    return {name: getattr(violation, name) for name in VIOLATION_MEMBERS}


def _draw(line: Line, violations: "Sequence[Violation]") -> str:
    annotations = (Annotation(found.component, found.message, found.offset, found.length) for found in violations)
    return draw_annotations(line, annotations)
