"""`urisect compose`: compose URIs from raw parts, one JSON object per line."""

from json import JSONDecodeError, JSONDecoder
from typing import Any

import click

from urisect.cli.converted_lines import convert_lines
from urisect.cli.options import (
    combine_options,
    input_options,
    jobs_option,
    limit_option,
    reject_options,
    unknown_name,
)
from urisect.composition import compose as compose_uri
from urisect.reference import Reference, unsplit

__all__ = ["PARTS", "compose"]

PARTS = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")


@click.command(short_help="Compose URIs from raw parts in JSON.")
@combine_options(jobs_option, limit_option, reject_options, input_options)
@click.pass_context
def compose(
    context: click.Context,
    /,
    files: tuple[str, ...],
    *,
    jobs: int | None,
    limit: int,
    rejects_to: str | None,
    strict_exit: bool,
    quiet: bool,
) -> None:
    """Compose URIs from raw parts, one JSON object per line.

    The parts are scheme, userinfo, host, port, path, query and fragment. A part that is null or missing is undefined.
    The port is a number or a string. The path is a string, or an array of segments, in which "/" is data. The query is
    a string, an object of names and values, or an array of pairs. A value is a string, a number, null for a name
    without "=", or, in an object, an array of these. Every other part is a string.

    Parts are raw: they are encoded, so that "%" becomes "%25". A byte that is not UTF-8 is encoded as that byte, and so
    is a lone surrogate that stands for one (PEP 383).

    An object with the member authority, even if it is null, has components as `urisect split --to ndjson` writes them:
    scheme, authority, path, query and fragment, which are encoded already. They are joined as they are, so that
    `urisect split --to ndjson | urisect compose` writes the same lines.

    A line that is not such an object, or that no URI can represent, is rejected: it is counted, --rejects keeps it, and
    the first five reasons are printed on standard error. A line over the limit is skipped and counted.
    """
    status = convert_lines(
        files,
        _compose_line,
        outcome="composed",
        jobs=jobs,
        limit=limit,
        rejects_to=rejects_to,
        strict_exit=strict_exit,
        quiet=quiet,
    )
    context.exit(status)


def _compose_line(line: bytes) -> bytes:
    """Compose a URI from a line of JSON: from raw parts, or from the components of a reference.

    Raises:
        ValueError: the line is not a JSON object of these, or no URI can represent them.
        TypeError: a part has a type that it cannot have.

    >>> _compose_line(b'{"path":"a%20b"}'), _compose_line(b'{"authority":null,"path":"a%20b"}')
    (b'a%2520b', b'a%20b')
    """
    members = _parse_object(line.decode("utf-8", "surrogateescape"))
    if "authority" in members:
        return _join_components(members)
    _check_names("part", members, PARTS)
    defined: dict[str, Any] = {name: part for name, part in members.items() if part is not None}
    uri: str = compose_uri(**defined)
    return uri.encode("ascii")


def _join_components(members: dict[str, Any]) -> bytes:
    """Join the components of a reference, which are encoded already (RFC 3986, 5.3)."""
    _check_names("component", members, Reference._fields)
    for name, component in members.items():
        if not isinstance(component, str | None):
            raise TypeError(f"the {name} must be a string or null, not {type(component).__name__}")
    defined = {name: component for name, component in members.items() if component is not None}
    text: str = unsplit(Reference(**defined))
    if "\n" in text:
        raise ValueError("a component contains a line end, which must be encoded as %0A")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ValueError(f"a component contains the lone surrogate {text[error.start]!r}, which is no text") from None


def _check_names(kind: str, members: dict[str, Any], known: tuple[str, ...]) -> None:
    for name in members:
        if name not in known:
            raise ValueError(unknown_name(kind, name, known))


def _parse_object(line: str) -> dict[str, Any]:
    """Parse a JSON object.

    Raises:
        ValueError: the line is not a JSON object.

    >>> _parse_object('{"host":"example.com","query":null}')
    {'host': 'example.com', 'query': None}
    """
    try:
        members = _decode(line.removeprefix("\ufeff"))  # a parser may ignore a byte order mark (RFC 8259, 8.1)
    except JSONDecodeError as error:
        raise ValueError(f"invalid JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    if not isinstance(members, dict):
        raise ValueError("this is not a JSON object")  # noqa: TRY004  the data is wrong, not the caller
    return members


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of the members of a JSON object; a repeated name would lose a value."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("an object repeats a name; write the query as an array of pairs")
    return members


_decode = JSONDecoder(object_pairs_hook=_unique_members).decode
