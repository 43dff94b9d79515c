"""`urisect compose`: compose URIs from raw parts, one JSON object per line."""

import sys
from contextlib import ExitStack
from functools import partial
from json import JSONDecodeError, JSONDecoder
from typing import Any

import click

from urisect.cli.files import FileReader, read_lines
from urisect.cli.log_scan import exit_status, print_counts
from urisect.cli.messages import format_location, visible
from urisect.cli.options import combine_options, input_options, limit_option, reject_options, unknown_name
from urisect.cli.output import Output, open_output
from urisect.composition import compose as compose_uri
from urisect.logs import Rejected
from urisect.logs.output.sinks import serialize_rejects
from urisect.logs.scan.run import LineCounts

__all__ = ["MAX_REASONS", "MAX_REASON_CHARACTERS", "PARTS", "compose"]

PARTS = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")

# For how many rejected lines the reason is printed, and how much of it.
MAX_REASONS = 5
MAX_REASON_CHARACTERS = 200


@click.command(short_help="Compose URIs from raw parts in JSON.")
@combine_options(limit_option, reject_options, input_options)
@click.pass_context
def compose(
    context: click.Context,
    /,
    files: tuple[str, ...],
    *,
    limit: int,
    rejects_to: str | None,
    strict_exit: bool,
    quiet: bool,
) -> None:
    """Compose URIs from raw parts, one JSON object per line.

    The parts are scheme, userinfo, host, port, path, query and fragment. A part that is null or missing is undefined.
    The port is a number or a string. The path is a string, or an array of segments, in which "/" is data. The query is
    a string, an object of names and values, or an array of pairs. A value is a string, null for a name without "=", or,
    in an object, an array of these. Every other part is a string.

    Parts are raw: they are encoded, so that "%" becomes "%25". Do not pass what `urisect split` writes, which is
    encoded already. A byte that is not UTF-8 is encoded as that byte, and so is a lone surrogate that stands for one
    (PEP 383).

    A line that is not such an object, or that no URI can represent, is rejected: it is counted, --rejects keeps it, and
    the first five reasons are printed on standard error. A line over the limit is skipped and counted.
    """
    reader = FileReader(files, partial(read_lines, limit=limit), progress=not quiet)
    composed = rejected = skipped = 0
    with ExitStack() as stack:
        output = stack.enter_context(Output())
        rejects = stack.enter_context(open_output("--rejects", rejects_to, files)) if rejects_to else None
        for file, block in reader:
            uris: list[str] = []
            failures: list[Rejected] = []
            for line, offset, data in block.lines:
                try:
                    uris.append(compose_uri(**_parse_parts(data.decode("utf-8", "surrogateescape"))))
                except (ValueError, TypeError) as error:
                    failures.append(Rejected(line, offset, data))
                    if not quiet and rejected + len(failures) <= MAX_REASONS:
                        print(_format_reason(format_location(file, line), str(error)), file=sys.stderr)
            output.write("".join(f"{uri}\n" for uri in uris).encode("ascii"))
            if rejects and failures:
                rejects.write(serialize_rejects(file, failures))
            composed += len(uris)
            rejected += len(failures)
            skipped += block.skipped
    counts = LineCounts(composed, rejected, skipped)
    if not quiet:
        print_counts(counts, "composed")
    context.exit(exit_status(counts, complete=reader.complete, strict=strict_exit))


def _format_reason(location: str, reason: str) -> str:
    """Write why a line was rejected; the reason may quote the line, whatever it contains."""
    is_short = len(reason) <= MAX_REASON_CHARACTERS
    return visible(f"{location} {reason if is_short else f'{reason[:MAX_REASON_CHARACTERS]}…'}")


def _parse_parts(line: str) -> dict[str, Any]:
    """Parse the parts that are defined.

    Raises:
        ValueError: the line is not a JSON object, or it has an unknown part.

    >>> _parse_parts('{"host":"example.com","query":null}')
    {'host': 'example.com'}
    """
    try:
        parts = _decode(line.removeprefix("\ufeff"))  # a parser may ignore a byte order mark (RFC 8259, 8.1)
    except JSONDecodeError as error:
        raise ValueError(f"invalid JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    if not isinstance(parts, dict):
        raise ValueError("this is not a JSON object")  # noqa: TRY004  the data is wrong, not the caller
    for name in parts:
        if name not in PARTS:
            raise ValueError(unknown_name("part", name, PARTS))
    return {name: part for name, part in parts.items() if part is not None}


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of the members of a JSON object; a repeated name would lose a value."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("an object repeats a name; write the query as an array of pairs")
    return members


_decode = JSONDecoder(object_pairs_hook=_unique_members).decode
