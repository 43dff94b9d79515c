"""Write results to standard output or to a file; on a terminal, nothing in the data acts."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from urisect.cli.messages import visible
from urisect.logs.input.locations import shown_name
from urisect.logs.output.atomic import OutputError, OutputFile, same_file

__all__ = ["Output", "choose_format", "findings_output", "open_output"]


class Output(OutputFile):
    """Standard output, or an output file, either of which may be a terminal.

    Attributes:
        is_terminal: whether it is a terminal.
    """

    def __init__(self, path: str | None = None) -> None:
        """Open it.

        Args:
            path: of a file; None for standard output.
        """
        if path is None:
            super().__init__("standard output", descriptor=1)
        else:
            super().__init__(path)
        self.is_terminal = self.isatty()

    def write(self, data: bytes, /, *, styled: bool = False) -> None:
        """Write bytes, made visible if this is a terminal.

        Args:
            data: what to write, bytes or a buffer.
            styled: whether it contains intended control characters, such as colours, and is visible already.
        """
        super().write(visible(bytes(data)).encode() if self.is_terminal and not styled else data)


@contextmanager
def findings_output() -> Iterator[Output]:
    """Open standard output for findings, which the exit status reports, too.

    A reader that closes the pipe early has seen a finding, and the other lines were not checked: the exit status is 1,
    without a summary.
    """
    try:
        with Output() as output:
            yield output
    except OutputError as error:
        if isinstance(error.reason, BrokenPipeError):
            raise click.exceptions.Exit(1) from None
        raise


def open_output(option: str, path: str | None, inputs: Sequence[str]) -> Output:
    """Open an output file that must not be one of the input files.

    Args:
        option: the option that names the file.
        path: the file; None for standard output.
        inputs: the paths of the input files.
    """
    if path is not None and same_file(path, inputs):
        raise click.BadParameter(f"{shown_name(path)!r} is one of the files to read.", param_hint=f"'{option}'")
    return Output(path)


def choose_format(to: str | None, path: str | None, *, by_day: bool = False) -> str:
    """Return the format of the rows; `--to` and the name of the output must agree.

    Args:
        to: the value of `--to`; None to choose by the name.
        path: the path of the output; None for standard output.
        by_day: whether the path is a directory with files per day.

    >>> choose_format(None, "rows.csv.gz")
    'csv'
    """
    from urisect.logs.conversion import file_format  # noqa: PLC0415  most commands write lines

    try:
        return file_format(path, to, by_day=by_day)
    except ValueError as error:
        message = str(error)
        raise click.UsageError(visible(message if message.endswith("?") else f"{message}.")) from None
