"""Options and arguments that several commands share."""

import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.files import STDIN, TextInput
from urisect.reference import split

if TYPE_CHECKING:
    from datetime import date, datetime

    from click.shell_completion import CompletionItem

    from urisect.logs.formats import Format

    ChoiceBase = click.Choice[str]
else:
    ChoiceBase = click.Choice  # generic since click 8.4 only

__all__ = [
    "RULE_NAMES",
    "SPECIFICATION_NAMES",
    "Choice",
    "check_field",
    "combine_options",
    "form_option",
    "format_option",
    "input_options",
    "jobs_option",
    "limit_option",
    "line_options",
    "output_option",
    "quiet_option",
    "reference_input_options",
    "reject_options",
    "specification_option",
    "specification_options",
    "text_or_ndjson_option",
    "unknown_name",
    "valid_list",
    "where_option",
]

Command = TypeVar("Command", bound=Callable[..., Any])

# The keys of `urisect.specs.SPECIFICATIONS`, and its rules. Importing `urisect.specs` takes longer than most commands.
SPECIFICATION_NAMES = ("rfc3986", "rfc3987", "rfc2396bis", "rfc2396", "url1996")
RULE_NAMES = ("URI-reference", "URI", "absolute-URI", "relative-ref")


class Choice(ChoiceBase):
    """A choice that suggests the nearest name for a mistyped one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value if it is one of the choices."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            from urisect.suggestion import did_you_mean  # noqa: PLC0415  only a mistyped name needs it

            suggestion = did_you_mean(value, self.choices) or "."
            raise click.BadParameter(error.message.removesuffix(".") + suggestion, error.ctx, error.param) from None


def unknown_name(kind: str, name: str, known: Iterable[str]) -> str:
    """Write the message for an unknown name.

    >>> print(unknown_name("colour", "gren", ["red", "green"]))
    no colour is called 'gren'; there are red, green; did you mean "green"?
    """
    from urisect.suggestion import did_you_mean  # noqa: PLC0415  only a mistyped name needs it

    names = list(known)
    return f"no {kind} is called {name!r}; there are {', '.join(names)}{did_you_mean(name, names) or '.'}"


def check_field(format: "Format", name: str, parameter: str) -> None:
    """Raise a usage error if a format has no field of a name.

    Args:
        format: the log format.
        name: a field, as the user typed it.
        parameter: the option or argument.
    """
    try:
        format.needed((name,))
    except KeyError as error:
        raise click.BadParameter(f"{error}", param_hint=parameter) from None


def combine_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Combine several option decorators into one; the help lists them in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def specification_option(help: str) -> Callable[[Command], Command]:
    """Make the option `--spec`."""
    return click.option(
        "--spec", type=Choice(SPECIFICATION_NAMES), default=SPECIFICATION_NAMES[0], show_default=True, help=help
    )


def where_option(examples: str) -> Callable[[Command], Command]:
    """Make the option `--where`."""
    return click.option(
        "--where",
        metavar="EXPR",
        help=f"Keep only lines for which this SQL expression over the fields is true: {examples}.",
    )


def text_or_ndjson_option(help: str) -> Callable[[Command], Command]:
    """Make the option `--to` of a command that prints findings."""
    return click.option("--to", type=Choice(["text", "ndjson"]), default="text", show_default=True, help=help)


quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print no progress and no summary on standard error.")
input_options = combine_options(click.argument("files", nargs=-1, metavar="[FILE]..."), quiet_option)


def _parse_inputs(context: click.Context, _: click.Parameter, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Tell references from files: what is no file, and has a scheme, is a reference."""
    inputs = []
    missing = ""
    for number, argument in enumerate(arguments, 1):
        if argument == STDIN or os.path.exists(argument):
            inputs.append(argument)
        elif split(argument).scheme is None:
            inputs.append(argument)
            missing = missing or argument
        elif "\n" in argument:
            raise click.BadParameter(f"{argument!r} contains a line end; a reference is one line.")
        else:
            inputs.append(TextInput(f"<argument {number}>", os.fsencode(argument)))
    if missing:
        context.call_on_close(partial(_print_advice, context, missing))
    return tuple(inputs)


def _print_advice(context: click.Context, argument: str) -> None:
    """Say how to pass a reference without a scheme, which is taken for a file that is missing."""
    from shlex import quote  # noqa: PLC0415  only failures need these

    from urisect.cli.messages import print_error  # noqa: PLC0415
    from urisect.cli.unreadable import similar_file  # noqa: PLC0415
    from urisect.text import complete  # noqa: PLC0415

    if context.params.get("quiet") or similar_file(argument):  # which is suggested already
        return
    uri = complete(argument)
    advice = f"to pass a URI, write its scheme, as in {quote(uri)}; " if uri != argument else ""
    advice += f"to pass a relative reference, pipe it: printf '%s\\n' {quote(argument)} | {context.command_path}"
    print_error(advice)


reference_input_options = combine_options(
    click.argument("files", nargs=-1, metavar="[FILE|REFERENCE]...", callback=_parse_inputs), quiet_option
)
form_option = click.option("--form", is_flag=True, help='Read and write "+" in parameters as a space, as forms do.')
output_option = click.option(
    "-o",
    "--output",
    "output_to",
    metavar="FILE",
    callback=lambda _, __, path: None if path == STDIN else path,
    help="Write to this file, atomically.",
)
reject_options = combine_options(
    click.option(
        "--rejects", "rejects_to", metavar="FILE", help="Write rejected lines to this file: file, line, offset, text."
    ),
    click.option("--strict-exit", is_flag=True, help="Exit with status 1 if a line was rejected."),
)
specification_options = combine_options(
    specification_option("The specification to check against."),
    click.option(
        "--rule",
        type=Choice(RULE_NAMES),
        default=RULE_NAMES[0],
        show_default=True,
        help="What each line must be: any reference; a URI, which has a scheme; an absolute URI, which has no fragment "
        "either; or a relative reference, which has no scheme.",
    ),
)
limit_option = click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=MAX_LINE_BYTES,
    show_default=True,
    metavar="BYTES",
    help="Skip longer lines.",
)


def _parse_time_option(_: click.Context, __: click.Parameter, text: str | None) -> "datetime | date | None":
    if text is None:
        return None
    from urisect.logs.errors import TimeRangeError  # noqa: PLC0415  few runs have a time
    from urisect.logs.scan.time_expressions import parse_time  # noqa: PLC0415

    try:
        return parse_time(text)
    except TimeRangeError as error:
        raise click.BadParameter(f"{error}.") from None


line_options = combine_options(
    click.option(
        "--since",
        callback=_parse_time_option,
        metavar="TIME",
        help="Keep only lines from this time on: a date (1996-11-10), a date and a time (1996-11-10T13:55, also with "
        "a zone, or as in a log: 10/Nov/1996:13:55:36 -0700), a time of today (13:55), an amount of time ago (2h, 30m, "
        "7d, 1h30m), now, today or yesterday. Times without a zone, and days, are in UTC.",
    ),
    click.option(
        "--until",
        callback=_parse_time_option,
        metavar="TIME",
        help="Keep only lines before this time, in the same forms. Of a date, the whole day is kept.",
    ),
    where_option("""status >= 500, or "path LIKE '/api/%' AND method = 'POST'", or "agent ~ '.*(bot|crawler).*'\""""),
)
jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="one per core",
    help="Number of processes.",
)


def _complete_format(_: click.Context, __: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem  # noqa: PLC0415  only completion needs these

    from urisect.logs.formats import FORMATS  # noqa: PLC0415

    return [CompletionItem(name) for name in ("auto", *FORMATS) if name.startswith(incomplete)]


def _complete_envelope(_: click.Context, __: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem  # noqa: PLC0415  only completion needs these

    from urisect.logs.formats.envelopes import ENVELOPES  # noqa: PLC0415

    return [CompletionItem(name) for name in ("auto", *ENVELOPES) if name.startswith(incomplete)]


format_option = combine_options(
    click.option(
        "--format",
        "format_name",
        default="auto",
        show_default=True,
        metavar="FORMAT",
        shell_complete=_complete_format,
        help="Log format: a name, an Apache or nginx format string, json:target=url,status=code with your members, or "
        "CONFIGURATION[:NAME].",
    ),
    click.option(
        "--envelope",
        default="auto",
        show_default=True,
        metavar="NAME",
        shell_complete=_complete_envelope,
        help="What stands around each line: syslog, cri, docker, …, or json:FIELD; `urisect formats --envelopes` "
        "lists them.",
    ),
)


def valid_list(spec: str, rule: str) -> "Format":
    """Return the format of a list of valid references, one per line; every other line is rejected.

    Args:
        spec: one of `SPECIFICATION_NAMES`.
        rule: one of `RULE_NAMES`.

    >>> valid_list("rfc3986", "URI").columns
    ('scheme', 'authority', 'path', 'query', 'fragment')
    """
    from urisect.logs.formats import PatternFormat  # noqa: PLC0415  as above
    from urisect.specs import SPECIFICATIONS  # noqa: PLC0415

    # The components alone may not suffice to recompose a line: some specifications drop delimiters.
    return PatternFormat("list", rf"(?P<reference>{SPECIFICATIONS[spec].pattern(rule, bytes)})", uris=("",))
