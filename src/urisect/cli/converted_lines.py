"""Convert lines that may be rejected, with reasons: what `compose` and `set` share."""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import NamedTuple

from urisect.bulk import list_lines
from urisect.cli.list_scan import ListScan, NumberedBlock
from urisect.cli.log_scan import exit_status
from urisect.cli.messages import format_location, visible
from urisect.cli.output import Output, open_output
from urisect.cli.summary import Outcome
from urisect.logs import Rejected
from urisect.logs.input.blocks import line_offsets
from urisect.logs.output.sinks import serialize_rejects
from urisect.logs.scan.run import LineCounts

__all__ = ["MAX_REASONS", "MAX_REASON_CHARACTERS", "convert_lines"]

# For how many rejected lines the reason is printed, and how much of it.
MAX_REASONS = 5
MAX_REASON_CHARACTERS = 200


def convert_lines(
    files: Sequence[str],
    convert: Callable[[bytes], bytes],
    *,
    outcome: str,
    keeps_lines: bool = False,
    jobs: int | None,
    limit: int,
    rejects_to: str | None,
    strict_exit: bool,
    quiet: bool,
) -> int:
    """Convert each line of files, and write it to standard output; count what is rejected, and print why.

    Args:
        files: paths, or arguments as `TextInput`; "-" is standard input, and so is an empty list.
        convert: takes and returns one line, without its end; a ValueError or a TypeError rejects the line. Workers
            have to be able to import it.
        outcome: the word for what happened to the other lines.
        keeps_lines: whether a line that is rejected or too long leaves an empty line, so that input and output
            correspond line by line. Counts are then printed only if there is such a line.
        jobs: the number of processes; by default one per core.
        limit: the longest line, in bytes; longer ones are skipped.
        rejects_to: the path of a file for rejected lines.
        strict_exit: whether a rejected line is a failure.
        quiet: whether to print no progress, no reasons and no summary.

    Returns:
        The exit status.
    """
    make = partial(_convert_block, convert, keeps_lines)
    scan = ListScan(files, make, limit=limit, jobs=jobs, quiet=quiet)
    counts = LineCounts()
    with ExitStack() as stack:
        output = stack.enter_context(Output())
        rejects = stack.enter_context(open_output("--rejects", rejects_to, files)) if rejects_to else None
        for file, lines_before, block in stack.enter_context(closing(scan.results())):
            rejected = [reject._replace(line=reject.line + lines_before) for reject in block.rejected]
            if not quiet:
                for reject, reason in zip(
                    rejected[: max(0, MAX_REASONS - counts.rejected)], block.reasons, strict=False
                ):
                    print(_format_reason(format_location(file, reject.line), reason), file=sys.stderr)
            output.write(block.text)
            if rejects and rejected:
                rejects.write(serialize_rejects(file, rejected))
            counts = LineCounts(
                counts.parsed + block.converted, counts.rejected + len(rejected), counts.skipped + block.skipped
            )
    if keeps_lines and counts.parsed == counts.lines:
        scan.print_summary()
    else:
        scan.print_summary(Outcome(counts.parsed, outcome), Outcome(counts.rejected, "rejected"))
    return exit_status(counts, complete=scan.complete, strict=strict_exit)


class _Converted(NamedTuple):
    """The lines of a block, converted.

    Attributes:
        text: the lines.
        converted: the number of lines that were not rejected.
        rejected: the rejected lines.
        reasons: why the first of them were rejected.
        skipped: the number of lines that were skipped.
    """

    text: bytes
    converted: int
    rejected: list[Rejected]
    reasons: list[str]
    skipped: int


def _convert_block(convert: Callable[[bytes], bytes], keeps_lines: bool, block: NumberedBlock) -> _Converted:  # noqa: FBT001
    converted: list[bytes] = []
    errors: list[tuple[int, bytes, str]] = []
    for row, line in enumerate(list_lines(block.data)):
        try:
            converted.append(convert(line))
        except (ValueError, TypeError) as error:
            errors.append((row, line, str(error)))
            if keeps_lines:
                converted.append(b"")
    if keeps_lines and block.is_too_long:
        converted.append(b"")
    offsets = list(line_offsets(block.data, block.offset)) if errors else []
    return _Converted(
        b"".join([line + b"\n" for line in converted]),
        block.parsed - len(errors),
        [Rejected(block.first_line + row, offsets[row], line) for row, line, _ in errors],
        [reason for _, _, reason in errors[:MAX_REASONS]],
        len(block.skipped),
    )


def _format_reason(location: str, reason: str) -> str:
    """Write why a line was rejected; the reason may quote the line, whatever it contains."""
    is_short = len(reason) <= MAX_REASON_CHARACTERS
    return visible(f"{location} {reason if is_short else f'{reason[:MAX_REASON_CHARACTERS]}…'}")
