"""The command `urisect`: subcommands, loaded when they run, and exit statuses for their failures."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import click

__all__ = ["COMMANDS", "EXIT_STATUS", "run", "urisect"]

# The subcommands in sections, as the help lists them. Each is the function of its name in the module of its name.
COMMANDS = {
    "References, one per line": {
        "explain": "Show everything about a reference.",
        "split": "Split references into components.",
        "get": "Print fields of references by a template.",
        "set": "Change components and parameters of references.",
        "check": "Show what makes references invalid.",
        "repair": "Escape what is invalid in references.",
        "normalize": "Normalize references.",
        "resolve": "Resolve references against a base URI.",
        "compose": "Compose URIs from raw parts in JSON.",
        "hazards": "Show what makes references hazardous.",
    },
    "Keys for crawlers and archives": {
        "key": "Print the keys of references, to compare them.",
        "surt": "Print references as archives sort them.",
        "site": "Print the registered domains of references.",
        "dedupe": "Drop references that were seen before.",
    },
    "Text and pages": {
        "encode": "Percent-encode texts.",
        "decode": "Decode percent-encoded texts.",
        "find": "Find the URIs in text.",
        "links": "List the links of HTML pages.",
    },
    "Columns of databases": {
        "sql": "Print SQL that splits a column of a database.",
    },
    "Logs": {
        "logs": "Convert logs to TSV, CSV, NDJSON, Parquet or Arrow.",
        "top": "Show the most frequent values of a field.",
        "report": "Write an HTML report about logs.",
        "formats": "List log formats, or the columns of one.",
        "demo": "Explain a URL, and show statistics of a sample log.",
    },
}


class LazyGroup(click.Group):
    """A group that imports a command only to run it, not to list it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names of the commands."""
        return [name for section in COMMANDS.values() for name in section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; return None for an unknown name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        from importlib import import_module  # noqa: PLC0415

        command: click.Command = getattr(import_module(f"urisect.cli.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and suggest one for a mistyped name."""
        name, names = args[0], self.list_commands(ctx)
        if name not in names and not name.startswith("-") and not ctx.resilient_parsing:
            from urisect.suggestion import did_you_mean  # noqa: PLC0415  only a mistyped name needs it

            ctx.fail(f"No such command {name!r}{did_you_mean(name, names) or '.'}")
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands before the options."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands in their sections, without importing one."""
        for title, commands in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()), col_max=12)


# click prints a paragraph that begins with a backspace as it is.
EXIT_STATUS = """
\b
Exit status:
  0    success
  1    check or hazards found something; a line was rejected and
       --strict-exit is given; or no line at all could be parsed
  2    usage error, or a file could not be read or written
  130  interrupted (Ctrl-C)
  143  terminated (SIGTERM)
"""
EPILOG = f"""{EXIT_STATUS}
The package brings completion for bash, zsh and fish. If a shell does not find it, add this line to ~/.bashrc; for zsh
and fish, replace the word bash in it:

\b
  eval "$(_URISECT_COMPLETE=bash_source urisect)"
"""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.version_option(package_name="urisect")
def urisect() -> None:
    """Split, check, change, resolve, normalize, compose and find URIs, and parse logs.

    Without FILE, or with "-", a command reads standard input. In place of FILE, commands that take a REFERENCE take a
    URI, which is not fetched; a relative reference has to be piped. Files compressed with gzip, bzip2, xz or Zstandard
    are decompressed. An unreadable file is reported, and the next one is read. Files named by -o and --rejects appear
    only when they are complete.
    """


def run(arguments: Sequence[str] | None) -> int:
    """Run the command and return its exit status."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # writing Parquet takes 140 MB with it, 250 without
    try:
        with _sigterm_as_exit():
            status = urisect.main(arguments, prog_name="urisect", standalone_mode=False)
    except click.ClickException as error:
        print_usage_error(error)
        return 2
    except (click.Abort, KeyboardInterrupt):
        return 130
    except MemoryError:  # without memory for an import
        print("urisect: out of memory: try a smaller --limit, or --jobs 1", file=sys.stderr)
        return 2
    except Exception as error:  # noqa: BLE001  every unknown one is raised again
        return _exit_status(error)
    return status if isinstance(status, int) else 0


def _exit_status(error: Exception) -> int:
    """Print an expected error, and return the exit status; raise any other error."""
    from urisect.cli.messages import print_error  # noqa: PLC0415  only failures need these
    from urisect.extras import MissingExtraError  # noqa: PLC0415
    from urisect.logs.errors import TimeRangeError, WhereError, WorkerError  # noqa: PLC0415
    from urisect.logs.output.atomic import OutputError  # noqa: PLC0415

    match error:
        case OutputError(reason=BrokenPipeError()):  # the reader has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes standard output at exit
            return 0
        case WorkerError():
            print_error(str(error).replace("jobs=1", "--jobs 1"))  # the parameter, as the option is written
        case OSError() | MissingExtraError() | TimeRangeError() | WhereError():
            print_error(str(error))
        case _:
            raise error
    return 2


def print_usage_error(error: click.ClickException) -> None:
    """Print what is wrong with the arguments on standard error; they may hold control characters."""
    from io import StringIO  # noqa: PLC0415  only failures need these

    from urisect.cli.messages import visible  # noqa: PLC0415

    message = StringIO()
    error.show(message)
    print(visible(message.getvalue()), end="", file=sys.stderr)


@contextmanager
def _sigterm_as_exit() -> Iterator[None]:
    """Raise SystemExit on SIGTERM, so that temporary files are removed.

    Python ignores an exception that is raised while a finalizer or a callback of the import system runs. SIGALRM then
    raises it again, a little later.
    """
    from threading import current_thread, main_thread  # noqa: PLC0415  click has imported it

    if current_thread() is not main_thread():  # only the main thread can handle signals
        yield
        return
    received: list[int] = []

    def terminate(number: int, _: object) -> NoReturn:
        received.append(number)
        raise SystemExit(128 + signal.SIGTERM)

    def try_again(ignored: "sys.UnraisableHookArgs") -> None:
        if received and isinstance(ignored.exc_value, SystemExit):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
        else:
            hook(ignored)

    hook, sys.unraisablehook = sys.unraisablehook, try_again
    signals = {signal.SIGTERM, getattr(signal, "SIGALRM", signal.SIGTERM)}  # Windows lacks SIGALRM
    handlers = {number: signal.signal(number, terminate) for number in signals}
    try:
        yield
    finally:
        if received:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook
        if received:  # some libraries replace the exception, or swallow it
            raise SystemExit(128 + signal.SIGTERM) from None
