"""`urisect get`: print fields of references by a template, one line per line."""

import os
import re
from collections.abc import Callable, Sequence
from functools import partial

import click

from urisect.cli.files import transform_lines
from urisect.cli.options import combine_options, form_option, limit_option, reference_input_options, unknown_name
from urisect.cli.texts import keep_line_ends
from urisect.reference import Reference, split

__all__ = ["FIELDS", "compile_template", "get"]

# Returns a field of a line and its components; None if it is undefined.
Field = Callable[[bytes, Reference[bytes]], bytes | None]


def _user(_: bytes, components: Reference[bytes]) -> bytes | None:
    userinfo = components.userinfo
    return None if userinfo is None else userinfo.partition(b":")[0]


def _password(_: bytes, components: Reference[bytes]) -> bytes | None:
    userinfo = components.userinfo
    return None if userinfo is None or b":" not in userinfo else userinfo.partition(b":")[2]


FIELDS: dict[str, Field] = {
    "scheme": lambda _, components: components.scheme,
    "authority": lambda _, components: components.authority,
    "userinfo": lambda _, components: components.userinfo,
    "user": _user,
    "password": _password,
    "host": lambda _, components: components.host,
    "port": lambda _, components: components.port,
    "path": lambda _, components: components.path,
    "query": lambda _, components: components.query,
    "fragment": lambda _, components: components.fragment,
    "reference": lambda line, _: line,
}
PARAMETER_FIELDS = ("query", "query-all")

TEMPLATE_PART = re.compile(r"\{\{|\}\}|\{([^{}]*+)\}|\\(.?)|[{}]|[^{}\\]++", re.DOTALL)
ESCAPES = {"t": b"\t", "n": b"\n", "r": b"\r", "\\": b"\\"}


@click.command(short_help="Print fields of references by a template.")
@combine_options(
    click.argument("template"),
    click.option("--null", default="", metavar="TEXT", help="Text for undefined fields."),
    form_option,
    limit_option,
    reference_input_options,
)
@click.pass_context
def get(
    context: click.Context,
    /,
    template: str,
    files: tuple[str, ...],
    *,
    null: str,
    form: bool,
    limit: int,
    quiet: bool,
) -> None:
    """Print fields of references by a template, one line per line.

    Each {FIELD} in TEMPLATE is replaced: {scheme}, {authority}, {userinfo}, {user}, {password}, {host}, {port}, {path},
    {query}, {fragment}, and {reference}, which is the whole line. They are printed as they are written.

    {query:NAME} is the first value of the parameter NAME, decoded; {query-all:NAME} is all its values, with a space
    between them. In values, the escapes of line ends, %0A and %0D, stay.

    Write {{ and }} for braces, \\t, \\n and \\r for a tab and line ends, and \\\\ for a backslash. Nothing is printed
    for an undefined field, unless --null says otherwise. A line over the limit gives an empty line.

    \b
    Examples:
      urisect get '{host}' 'http://example.com/a?page=2'
      urisect get '{host}\\t{query:page}' urls.txt
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    fields = compile_template(template, form=form)
    undefined = os.fsencode(null)

    def transform(line: bytes) -> bytes:
        components = split(line)
        values = (field(line, components) if callable(field) else field for field in fields)
        return b"".join(undefined if value is None else value for value in values)

    context.exit(transform_lines(files, transform, limit=limit, quiet=quiet))


def compile_template(template: str, *, form: bool) -> Sequence[bytes | Field]:
    r"""Compile a template to texts, and functions that return fields.

    Args:
        template: a template with at least one field.
        form: whether "+" is a space in parameters.

    Raises:
        UsageError: the template has no field, an unknown one, a single brace, or an unknown escape.

    >>> host, tab = compile_template(r"{host}\t", form=False)
    >>> tab
    b'\t'
    """
    parts: list[bytes | Field] = []
    for match in TEMPLATE_PART.finditer(template):
        name, escape = match.groups()
        if name is not None:
            parts.append(_find_field(name, form=form))
        elif escape is not None:
            if escape not in ESCAPES:
                raise _template_error(f"{match[0]!r} is no escape; there are \\t, \\n, \\r and \\\\.")
            parts.append(ESCAPES[escape])
        elif match[0] in ("{", "}"):
            raise _template_error(f"a single {match[0]!r} in {template!r}; write {match[0] * 2} for a brace.")
        else:
            parts.append(os.fsencode(match[0].replace("{{", "{").replace("}}", "}")))
    if not any(map(callable, parts)):
        raise _template_error(f"{template!r} has no field in braces, such as {{host}}.")
    return parts


def _template_error(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="'TEMPLATE'")


def _find_field(name: str, *, form: bool) -> Field:
    """Return the function for a field, as it is written in braces."""
    field, colon, parameter = name.partition(":")
    if not colon and field in FIELDS:
        return FIELDS[field]
    if not colon or field not in PARAMETER_FIELDS:
        known = [*FIELDS, *(f"{field}:NAME" for field in PARAMETER_FIELDS)]
        raise _template_error(unknown_name("field", name, known))
    find = _first_value if field == "query" else _all_values
    return partial(find, os.fsencode(parameter), form)


def _first_value(name: bytes, form: bool, line: bytes, _: Reference[bytes]) -> bytes | None:  # noqa: FBT001
    from urisect.query import get as get_value  # noqa: PLC0415  few templates need it

    return get_value(keep_line_ends(line)[0], name, form=form)


def _all_values(name: bytes, form: bool, line: bytes, _: Reference[bytes]) -> bytes | None:  # noqa: FBT001
    from urisect.query import parse  # noqa: PLC0415  few templates need it

    pairs = parse(split(keep_line_ends(line)[0]).query, form=form)
    values = [value for each, value in pairs if each == name and value is not None]
    return b" ".join(values) if values else None
