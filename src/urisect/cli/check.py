"""`urisect check`: show what makes references invalid, one reference per line."""

import sys
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import click

from urisect.cli.annotations import Annotation, draw_annotations
from urisect.cli.files import FileReader, Line, read_argument_blocks, serialize_json
from urisect.cli.messages import format_counts
from urisect.cli.options import (
    combine_options,
    limit_option,
    reference_input_options,
    specification_options,
    text_or_ndjson_option,
    valid_list,
)
from urisect.cli.output import findings_output
from urisect.logs.input.reader import BlockParser, Table
from urisect.text_types import Stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from urisect.specs.violation import Violation

__all__ = ["check"]

# The members of a violation in NDJSON, before its message.
VIOLATION_MEMBERS = ("component", "rule", "offset", "length", "expected", "section", "incomplete")


@click.command(short_help="Show what makes references invalid.")
@combine_options(
    specification_options,
    text_or_ndjson_option("Output format."),
    limit_option,
    reference_input_options,
)
@click.pass_context
def check(
    context: click.Context, /, files: tuple[str, ...], *, spec: str, rule: str, to: str, limit: int, quiet: bool
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
    from urisect.specs import SPECIFICATIONS  # noqa: PLC0415  slow to import; `--help` does not need it

    parser = BlockParser(valid_list(spec, rule), columns=())
    reader = FileReader(files, partial(_parse_tables, parser, limit), progress=not quiet)
    valid = skipped = 0
    invalid: Counter[str] = Counter()
    with findings_output() as output:
        is_drawn = to == "text" and output.is_terminal
        describe = _as_ndjson if to == "ndjson" else _as_drawing if is_drawn else _as_text
        for file, table in reader:
            descriptions: list[str] = []
            for line, offset, data in table.rejected:
                reference = data.decode("utf-8", "surrogateescape")
                violations = SPECIFICATIONS[spec].violations(reference, rule)
                invalid[violations[0].component] += 1
                descriptions.append(describe(Line(file, line, offset, reference), violations))
            output.write("".join(descriptions).encode("utf-8", "surrogateescape"), styled=is_drawn)
            valid += table.parsed
            skipped += len(table.skipped)
    if not quiet:
        counts = {"read": valid + invalid.total() + skipped, "bad": invalid.total()}
        print(format_counts(counts, skipped, invalid), file=sys.stderr)
    context.exit(int(invalid.total() + skipped > 0) if reader.complete else 2)


def _parse_tables(parser: BlockParser, limit: int, stream: Stream) -> "Iterator[Table]":
    return parser.tables(read_argument_blocks(stream, limit=limit), line=1)


def _as_text(line: Line, violations: "Sequence[Violation]") -> str:
    """Write the first violation in one line, and the number of the others."""
    first, *others = violations
    more = f" (and {len(others):,} more)" if others else ""
    return f"{line.location(first.offset)} {first.component}: {first.message}{more}\n"


def _as_drawing(line: Line, violations: "Sequence[Violation]") -> str:
    annotations = (Annotation(found.component, found.message, found.offset, found.length) for found in violations)
    return draw_annotations(line, annotations)


def _as_ndjson(line: Line, violations: "Sequence[Violation]") -> str:
    members = [{name: getattr(violation, name) for name in (*VIOLATION_MEMBERS, "message")} for violation in violations]
    return serialize_json({**line._asdict(), "violations": members})
