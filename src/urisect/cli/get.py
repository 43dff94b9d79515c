"""`urisect get`: print fields of references by a template, one line per line."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import chain, repeat
from operator import attrgetter

import click

from urisect.bulk import Columns, list_lines, split_lines
from urisect.cli.line_transforms import transform_lines
from urisect.cli.options import (
    combine_options,
    form_option,
    jobs_option,
    limit_option,
    reference_input_options,
    unknown_name,
)
from urisect.cli.texts import keep_line_ends
from urisect.reference import split, split_authority

__all__ = ["FIELDS", "compile_template", "get"]

Column = Sequence[bytes | None]


class Lines:
    r"""Lines, and the columns of their components, which are built on demand.

    >>> Lines(b"http://fred@example.com/\n").userinfos
    [b'fred']
    """

    def __init__(self, block: bytes) -> None:
        """Take the lines.

        Args:
            block: whole lines.
        """
        self._block = block

    @cached_property
    def texts(self) -> list[bytes]:
        """The lines without their ends."""
        return list_lines(self._block)

    @cached_property
    def components(self) -> Columns[bytes]:
        """The components of the lines."""
        return split_lines(self._block)

    @cached_property
    def userinfos(self) -> Column:
        """The userinfos of the authorities."""
        return [parts[0] for parts in self._authority_parts]

    @cached_property
    def hosts(self) -> Column:
        """The hosts of the authorities."""
        return [parts[1] for parts in self._authority_parts]

    @cached_property
    def ports(self) -> Column:
        """The ports of the authorities."""
        return [parts[2] for parts in self._authority_parts]

    @cached_property
    def _authority_parts(self) -> list[tuple[bytes | None, bytes | None, bytes | None]]:
        """The sub-components of each authority."""
        authorities = self.components.authority
        parts = {each: _split_authority(each) for each in set(authorities)}
        return [parts[each] for each in authorities]


def _split_authority(authority: bytes | None) -> tuple[bytes | None, bytes | None, bytes | None]:
    if authority is None:
        return None, None, None
    if b"@" in authority or b"[" in authority:
        return split_authority(authority)
    host, colon, port = authority.partition(b":")  # a third of the time
    return None, host, port if colon else None


# Returns a field of lines, with None where it is undefined. Workers have to be able to import it.
Field = Callable[[Lines], Column]


def _users(lines: Lines) -> Column:
    return [None if userinfo is None else userinfo.partition(b":")[0] for userinfo in lines.userinfos]


def _passwords(lines: Lines) -> Column:
    return [
        None if userinfo is None or b":" not in userinfo else userinfo.partition(b":")[2]
        for userinfo in lines.userinfos
    ]


FIELDS: dict[str, Field] = {
    "scheme": attrgetter("components.scheme"),
    "authority": attrgetter("components.authority"),
    "userinfo": attrgetter("userinfos"),
    "user": _users,
    "password": _passwords,
    "host": attrgetter("hosts"),
    "port": attrgetter("ports"),
    "path": attrgetter("components.path"),
    "query": attrgetter("components.query"),
    "fragment": attrgetter("components.fragment"),
    "reference": attrgetter("texts"),
}
PARAMETER_FIELDS = ("query", "query-all")

TEMPLATE_PART = re.compile(r"\{\{|\}\}|\{([^{}]*+)\}|\\(.?)|[{}]|[^{}\\]++", re.DOTALL)
ESCAPES = {"t": b"\t", "n": b"\n", "r": b"\r", "\\": b"\\"}


@click.command(short_help="Print fields of references by a template.")
@combine_options(
    click.argument("template"),
    click.option("--null", default="", metavar="TEXT", help="Text for undefined fields."),
    form_option,
    jobs_option,
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
    jobs: int | None,
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
    transform = partial(_fill_template, compile_template(template, form=form), os.fsencode(null))
    context.exit(transform_lines(files, transform, limit=limit, jobs=jobs, quiet=quiet))


def _fill_template(parts: Sequence[bytes | Field], undefined: bytes, block: bytes) -> bytes:
    """Fill in a template for each line of a block."""
    lines = Lines(block)
    columns: list[Iterable[bytes]] = []
    for part in parts:
        if callable(part):
            column = part(lines)
            columns.append([undefined if value is None else value for value in column])
        else:
            columns.append(repeat(part))
    columns.append(repeat(b"\n"))
    return b"".join(chain.from_iterable(zip(*columns, strict=False)))  # at least one is no repetition


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


def _first_value(name: bytes, form: bool, lines: Lines) -> Column:  # noqa: FBT001
    from urisect.query import get as get_value  # noqa: PLC0415  few templates need it

    # A line without the name cannot have the parameter, unless the name is escaped.
    return [
        get_value(keep_line_ends(line)[0], name, form=form) if name in line or b"%" in line or b"+" in line else None
        for line in lines.texts
    ]


def _all_values(name: bytes, form: bool, lines: Lines) -> Column:  # noqa: FBT001
    from urisect.query import parse  # noqa: PLC0415  few templates need it

    return [_join_values(parse(split(keep_line_ends(line)[0]).query, form=form), name) for line in lines.texts]


def _join_values(pairs: Iterable[tuple[bytes, bytes | None]], name: bytes) -> bytes | None:
    values = [value for each, value in pairs if each == name and value is not None]
    return b" ".join(values) if values else None
