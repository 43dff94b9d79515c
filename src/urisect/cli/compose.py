"""`urisect compose`: raw parts in, an object of JSON a line; a URI a line out."""

import sys
from contextlib import ExitStack
from functools import partial
from json import JSONDecodeError, JSONDecoder
from typing import Any

import click

from urisect.cli.lines import (
    Reading,
    Totals,
    input_options,
    numbered,
    option_group,
    output_beside,
    place,
    reject_options,
)
from urisect.cli.output import Output, visible
from urisect.cli.scanning import limit_option
from urisect.composition import compose as composed_of
from urisect.logs import Rejected
from urisect.logs.output.sinks import rejects

PARTS = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")

# Of how many rejected lines the reason is told, and how much of it.
TOLD = 5
LONGEST = 200


@click.command()
@option_group(limit_option, reject_options, input_options)
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
    """Compose URIs of raw parts, one object of JSON a line.

    The parts are scheme, userinfo, host, port, path, query and fragment. One that is null or left out is absent. The
    port is a number or a string; the path a string, or an array of segments, whose "/" are data; the query a string,
    an object of names and values, or an array of pairs; a value is a string or, to have the name alone, null; in an
    object also an array of these. Every other part is a string.

    The parts are data, in which nothing is taken to be encoded already: what `urisect split` writes is, and every "%"
    in it would be encoded again. A byte that is no UTF-8, and a lone surrogate that stands for one (PEP 383), is
    encoded as that byte.

    A line that is no such object, or that no URI can represent, is counted as rejected, and kept with --rejects; the
    first reasons are told on standard error. A line over the limit is skipped, and counted.
    """
    reading = Reading(files, partial(numbered, limit=limit), progress=not quiet)
    composed = rejected = skipped = 0
    with ExitStack() as stack:
        output = stack.enter_context(Output())
        kept = stack.enter_context(output_beside("--rejects", rejects_to, files)) if rejects_to else None
        for file, block in reading:
            uris: list[str] = []
            refused: list[Rejected] = []
            for line, offset, octets in block.lines:
                try:
                    uris.append(composed_of(**_parts(octets.decode("utf-8", "surrogateescape"))))
                except (ValueError, TypeError) as error:
                    refused.append(Rejected(line, offset, octets))
                    if not quiet and rejected + len(refused) <= TOLD:
                        print(_told(place(file, line), str(error)), file=sys.stderr)
            output.write("".join(f"{uri}\n" for uri in uris).encode("ascii"))
            if kept and refused:
                kept.write(rejects(file, refused))
            composed += len(uris)
            rejected += len(refused)
            skipped += block.skipped
    totals = Totals(composed, rejected, reading.complete, skipped)
    if not quiet:
        totals.report("composed")
    context.exit(totals.status(strict=strict_exit))


def _told(place: str, reason: str) -> str:
    """Say why a line was rejected, which may quote it, whatever it holds."""
    return visible(f"{place} {reason if len(reason) <= LONGEST else f'{reason[:LONGEST]}…'}")


def _parts(line: str) -> dict[str, Any]:
    """Read the parts that are there.

    Raises:
        ValueError: the line is no object of JSON, or has another part.

    >>> _parts('{"host":"example.com","query":null}')
    {'host': 'example.com'}
    """
    try:
        parts = _decode(line.removeprefix("\ufeff"))  # a byte order mark is no part of the text (RFC 8259, 8.1)
    except JSONDecodeError as error:
        raise ValueError(f"this is no JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("this is nested too deeply") from None
    if not isinstance(parts, dict):
        raise ValueError("this is no object")  # noqa: TRY004  no caller chose the type
    for name in parts:
        if name not in PARTS:
            raise ValueError(f"there is no part {name!r}; there are {', '.join(PARTS)}")
    return {name: part for name, part in parts.items() if part is not None}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs, unless one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object; a query may be an array of pairs")
    return found


_decode = JSONDecoder(object_pairs_hook=_object).decode
