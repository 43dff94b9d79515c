"""`urisect set`: change components and parameters of references, one line per line."""

import os
from typing import Any

import click

from urisect.cli.converted_lines import convert_lines
from urisect.cli.options import (
    combine_options,
    form_option,
    jobs_option,
    limit_option,
    reference_input_options,
    reject_options,
    unknown_name,
)
from urisect.reference import split

__all__ = ["UNDEFINABLE", "set"]

# The components that `--drop` makes undefined.
UNDEFINABLE = ("scheme", "authority", "userinfo", "port", "query", "fragment")


def _check_value(_context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """Check the value of a component: a line end in it would break lines, and a port consists of digits."""
    if text and ("\n" in text or "\r" in text):
        raise click.BadParameter(f"{text!r} contains a line end, which must be encoded as %0A or %0D.")
    if text and parameter.name == "port" and not (text.isascii() and text.isdigit()):
        raise click.BadParameter(f"{text!r} is not a number.")
    return text


def _parse_names(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    """Parse the value of `--drop`."""
    names = () if text is None else tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in UNDEFINABLE:
            raise click.BadParameter(unknown_name("component", name, UNDEFINABLE))
    return names


def _parse_parameters(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> list[tuple[bytes, bytes | None]]:
    """Parse the values of `--query`."""
    pairs = (os.fsencode(text).partition(b"=") for text in texts)
    return [(name, value if equals else None) for name, equals, value in pairs]


@click.command(short_help="Change components and parameters of references.")
@combine_options(
    *(
        click.option(f"--{name}", name.replace("-", "_"), metavar=metavar, callback=_check_value, help=help)
        for name, metavar, help in (
            ("scheme", "TEXT", "New scheme."),
            ("userinfo", "TEXT", "New userinfo."),
            ("host", "TEXT", "New host; an IPv6 address has its brackets."),
            ("port", "TEXT", "New port."),
            ("path", "TEXT", "New path."),
            ("query-string", "TEXT", "New query, as a whole."),
            ("fragment", "TEXT", "New fragment."),
        )
    ),
    click.option(
        "--drop", metavar="NAME,...", callback=_parse_names, help=f"Make undefined: {', '.join(UNDEFINABLE)}."
    ),
    click.option("--remove", "patterns", multiple=True, metavar="PATTERN", help="Remove parameters; * is any text."),
    click.option(
        "--query",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_parse_parameters,
        help="Give a parameter this value, or add it.",
    ),
    click.option("--sort-query", is_flag=True, help="Sort the parameters by name."),
    form_option,
    jobs_option,
    limit_option,
    reject_options,
    reference_input_options,
)
@click.pass_context
def set(
    context: click.Context,
    /,
    files: tuple[str, ...],
    *,
    drop: tuple[str, ...],
    patterns: tuple[str, ...],
    parameters: list[tuple[bytes, bytes | None]],
    sort_query: bool,
    form: bool,
    jobs: int | None,
    limit: int,
    rejects_to: str | None,
    strict_exit: bool,
    quiet: bool,
    **components: str | None,
) -> None:
    """Change components and parameters of references, one line per line; every other byte stays.

    Components are given as they are written in a reference, encoded already: `urisect encode` encodes. Names and values
    after --query are not encoded yet: --query 'q=a&b' adds q=a%26b. A parameter that exists keeps its place; without
    "=", it gets no value. A repeated --query repeats the name.

    The order is fixed: components, --remove, --query, --sort-query.

    \b
    Examples:
      urisect set --scheme https --drop fragment urls.txt
      urisect set --query page=2 --remove 'utm_*' 'http://a.example/?utm_a=x'

    Every line gives a line, in order. A line that cannot be changed so, such as a mailto: URI that gets a port, is
    rejected, and gives an empty line: it is counted, --rejects keeps it, and the first five reasons are printed on
    standard error. So does a line over the limit, which is skipped and counted.
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    changes: dict[str, Any] = {name: value for name, value in components.items() if value is not None}
    if "query_string" in changes:
        changes["query"] = changes.pop("query_string")
    if both := [name for name in drop if name in changes]:
        raise click.UsageError(f"--drop and another option name the {both[0]}: give only one of them.")
    changes |= dict.fromkeys(drop)
    removed = [os.fsencode(pattern) for pattern in patterns]
    if not (changes or removed or parameters or sort_query):
        raise click.UsageError("There is nothing to change: name a change, such as --host or --query.")
    values: dict[bytes, list[bytes | None]] = {}
    for name, value in parameters:
        values.setdefault(name, []).append(value)
    status = convert_lines(
        files,
        _Changes(changes, removed, values, is_sorted=sort_query, form=form),
        outcome="changed",
        keeps_lines=True,
        jobs=jobs,
        limit=limit,
        rejects_to=rejects_to,
        strict_exit=strict_exit,
        quiet=quiet,
    )
    context.exit(status)


class _Changes:
    """Changes a line; an object, since workers cannot import a function inside of another."""

    def __init__(
        self,
        components: dict[str, Any],
        removed: list[bytes],
        values: dict[bytes, list[bytes | None]],
        *,
        is_sorted: bool,
        form: bool,
    ) -> None:
        self._components = components
        self._removed = removed
        self._values = values
        self._is_sorted = is_sorted
        self._form = form

    def __call__(self, line: bytes) -> bytes:
        from urisect import query  # noqa: PLC0415  slow to import; `--help` does not need it

        if self._components:
            line = _replace(line, self._components)
        if self._removed:
            line = query.remove(line, *self._removed, form=self._form)
        if self._values:
            line = query.set(line, self._values, form=self._form)
        return query.sort(line, form=self._form) if self._is_sorted else line


def _replace(line: bytes, changes: dict[str, Any]) -> bytes:
    """Replace components of a reference; messages about them are easier to read with str than with bytes."""
    reference = split(line.decode("utf-8", "surrogateescape"))
    try:
        return bytes(reference.replace(**changes))
    except ValueError as error:
        raise ValueError(str(error).replace("authority=None", "--drop authority")) from None
