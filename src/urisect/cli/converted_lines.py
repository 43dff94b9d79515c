"""Convert lines that may be rejected, with reasons: what `compose` and `set` share."""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial

from urisect.cli.files import FileReader, read_lines
from urisect.cli.log_scan import exit_status, print_counts
from urisect.cli.messages import format_location, visible
from urisect.cli.output import Output, open_output
from urisect.logs import Rejected
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
    limit: int,
    rejects_to: str | None,
    strict_exit: bool,
    quiet: bool,
) -> int:
    """Convert each line of files, and write it to standard output; count what is rejected, and print why.

    Args:
        files: paths, or arguments as `TextInput`; "-" is standard input, and so is an empty list.
        convert: takes and returns one line, without its end; a ValueError or a TypeError rejects the line.
        outcome: the word for what happened to the other lines.
        keeps_lines: whether a line that is rejected or too long leaves an empty line, so that input and output
            correspond line by line. Counts are then printed only if there is such a line.
        limit: the longest line, in bytes; longer ones are skipped.
        rejects_to: the path of a file for rejected lines.
        strict_exit: whether a rejected line is a failure.
        quiet: whether to print no progress, no reasons and no summary.

    Returns:
        The exit status.
    """
    reader = FileReader(files, partial(read_lines, limit=limit), progress=not quiet)
    counts = LineCounts()
    with ExitStack() as stack:
        output = stack.enter_context(Output())
        rejects = stack.enter_context(open_output("--rejects", rejects_to, files)) if rejects_to else None
        for file, block in reader:
            converted: list[bytes] = []
            rejected: list[Rejected] = []
            for line, offset, data in block.lines:
                try:
                    converted.append(convert(data))
                except (ValueError, TypeError) as error:
                    rejected.append(Rejected(line, offset, data))
                    if keeps_lines:
                        converted.append(b"")
                    if not quiet and counts.rejected + len(rejected) <= MAX_REASONS:
                        print(_format_reason(format_location(file, line), str(error)), file=sys.stderr)
            if keeps_lines and block.is_too_long:
                converted.append(b"")
            output.write(b"".join(line + b"\n" for line in converted))
            if rejects and rejected:
                rejects.write(serialize_rejects(file, rejected))
            gaps = len(rejected) + block.is_too_long if keeps_lines else 0
            counts = LineCounts(
                counts.parsed + len(converted) - gaps, counts.rejected + len(rejected), counts.skipped + block.skipped
            )
    if not quiet and not (keeps_lines and counts.parsed == counts.lines):
        print_counts(counts, outcome)
    return exit_status(counts, complete=reader.complete, strict=strict_exit)


def _format_reason(location: str, reason: str) -> str:
    """Write why a line was rejected; the reason may quote the line, whatever it contains."""
    is_short = len(reason) <= MAX_REASON_CHARACTERS
    return visible(f"{location} {reason if is_short else f'{reason[:MAX_REASON_CHARACTERS]}…'}")
