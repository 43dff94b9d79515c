"""What the commands share that read lines: options, and the way from files to what is written."""

import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from json import JSONEncoder
from typing import Any, Generic, NamedTuple, TypeVar

import click

from urisect.bulk import list_lines
from urisect.cli.output import Output, OutputError, complain
from urisect.logs.formats import Format, PatternFormat
from urisect.logs.input.blocks import Stream, line_offsets, read_blocks
from urisect.logs.input.decompression import decompressed
from urisect.logs.input.files import STDIN

Command = TypeVar("Command", bound=Callable[..., Any])
Item = TypeVar("Item")

# The names in `urisect.specs`, which takes longer to load than most commands need.
SPECIFICATIONS = ("rfc3986", "rfc2396bis", "rfc2396", "url1996")
RULES = ("URI-reference", "URI", "absolute-URI", "relative-ref")


def option_group(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Make one decorator of several, which the help shows in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def specification_option(help: str) -> Callable[[Command], Command]:
    """Make the option `--spec`."""
    return click.option(
        "--spec", type=click.Choice(SPECIFICATIONS), default=SPECIFICATIONS[0], show_default=True, help=help
    )


def report_option(help: str) -> Callable[[Command], Command]:
    """Make the option `--to` of a command that writes no rows."""
    return click.option("--to", type=click.Choice(["text", "ndjson"]), default="text", show_default=True, help=help)


input_options = option_group(
    click.argument("files", nargs=-1, metavar="[FILE]…"),
    click.option("-q", "--quiet", is_flag=True, help="No progress and no summary on standard error."),
)
output_option = click.option(
    "-o",
    "--output",
    "output_to",
    metavar="FILE",
    callback=lambda _, __, path: None if path == STDIN else path,
    help="Write to this file, atomically.",
)
reject_options = option_group(
    click.option("--rejects", "rejects_to", metavar="FILE", help="Keep rejected lines: file, line, offset, line."),
    click.option("--strict-exit", is_flag=True, help="Exit with 1 if a line was rejected."),
)
specification_options = option_group(
    specification_option("The specification that says what is valid."),
    click.option(
        "--rule",
        type=click.Choice(RULES),
        default=RULES[0],
        show_default=True,
        help="What each line has to be: any reference, one with a scheme, one with a scheme and no fragment, or one "
        "without a scheme.",
    ),
)


def valid_list(spec: str, rule: str) -> Format:
    """Give the format of a list of valid references, one a line; every other line is rejected.

    Args:
        spec: one of `SPECIFICATIONS`.
        rule: one of `RULES`.

    >>> valid_list("rfc3986", "URI").columns
    ('scheme', 'authority', 'path', 'query', 'fragment')
    """
    from urisect.specs import SPECIFICATIONS  # noqa: PLC0415  see above

    # A specification captures what it says is a component. That need not be enough to put the line together again.
    return PatternFormat("list", rf"(?P<reference>{SPECIFICATIONS[spec].pattern(rule)})", uris=("",))


class Reading(Generic[Item]):
    """Files, each read piece by piece: what cannot be read is complained about, and the others are read.

    Attributes:
        complete: whether every file could be read to its end; known at the end.
    """

    def __init__(self, files: Sequence[str], read: Callable[[Stream], Iterator[Item]], *, progress: bool) -> None:
        """Read nothing yet.

        Args:
            files: paths; "-" is standard input, and so is no path at all.
            read: makes of a stream what is to be had of it, such as tables.
            progress: whether a bar may be shown.
        """
        self.complete = True
        self._files = files or (STDIN,)
        self._read = read
        self._progress = progress

    def __iter__(self) -> Iterator[tuple[str, Item]]:
        """Give each piece, and the path of the file that it is from."""
        for name in self._files:
            try:
                with _opened(name, progress=self._progress) as stream:
                    for item in self._read(stream):
                        yield name, item
            except OSError as error:
                complain_of(name, error)
                self.complete = False


class Line(NamedTuple):
    """A line about which there is something to say.

    Attributes:
        file: the path, as it was given.
        line: its number, from 1.
        offset: where it begins in the file, in octets.
        reference: the line as text; an octet that is no UTF-8 is a lone surrogate (PEP 383).

    >>> Line("list", 1, 0, "http://a/").place(7)
    'list:1:8:'
    """

    file: str
    line: int
    offset: int
    reference: str

    def place(self, start: int) -> str:
        """Tell a place in the line, given by the characters before it."""
        return place(self.file, self.line, start + 1)


class Numbered(NamedTuple):
    """Some lines of a stream, or one that was skipped.

    Attributes:
        lines: of each its number, from 1, its offset in bytes, and its text.
        skipped: how many lines were skipped: one, if there are no lines.
    """

    lines: Iterator[tuple[int, int, bytes]]
    skipped: int


def numbered(stream: Stream, *, limit: int) -> Iterator[Numbered]:
    r"""Read a stream in blocks of numbered lines.

    Args:
        stream: read to its end.
        limit: how long a line may be, in bytes; a longer one is skipped.

    >>> [(list(block.lines), block.skipped) for block in numbered(io.BytesIO(b"a\r\nlong\nb\n"), limit=2)]
    [([(1, 0, b'a')], 0), ([], 1), ([(3, 8, b'b')], 0)]
    """
    number = 1
    for block in read_blocks(stream, limit, is_file=True):
        texts = list_lines(block.data)
        skipped = int(block.reason != "")
        offsets = line_offsets(block.data, block.offset)
        yield Numbered(zip(count(number), offsets, texts, strict=False), skipped)  # the others go on
        number += len(texts) + skipped


def change(files: Sequence[str], changed: Callable[[bytes], bytes], *, limit: int, quiet: bool) -> int:
    """Write, for each line of files, what becomes of it.

    A line that is too long leaves an empty line, so that the lines of input and output correspond. How many there were
    is said on standard error.

    Args:
        files: paths; "-" is standard input, and so is no path at all.
        changed: makes one line of another.
        limit: how long a line may be, in bytes; a longer one is skipped.
        quiet: whether no progress is shown, and no number.

    Returns:
        The exit status: 1 if there are lines, and all were skipped.
    """
    reading = Reading(files, partial(read_blocks, limit=limit, is_file=True), progress=not quiet)
    read = skipped = 0
    with Output() as output:
        for _, block in reading:
            too_long = int(block.reason == "too long")
            written = [changed(line) for line in list_lines(block.data)] + [b""] * too_long
            output.write(b"\n".join((*written, b"")) if written else b"")
            read += len(written)
            skipped += too_long
    if skipped and not quiet:
        print(summary({"read": read}, skipped), file=sys.stderr)
    return int(0 < read == skipped) if reading.complete else 2


@contextmanager
def findings() -> Iterator[Output]:
    """Open standard output for what a command finds, which its exit status tells, too.

    A reader that closes the pipe early has seen a finding, and the rest was not checked: the exit status is 1, and no
    summary is printed.
    """
    try:
        with Output() as output:
            yield output
    except OutputError as error:
        if isinstance(error.reason, BrokenPipeError):
            raise click.exceptions.Exit(1) from None
        raise


def place(file: str, *numbers: int) -> str:
    """Tell a place as compilers do: the file, the line and, if need be, the column.

    >>> place("list", 3, 14), place("-", 3)
    ('list:3:14:', '<stdin>:3:')
    """
    return f"{'<stdin>' if file == STDIN else file}:{':'.join(map(str, numbers))}:"


_encode = JSONEncoder(separators=(",", ":")).encode


def json_line(thing: object) -> str:
    r"""Write a line of JSON in ASCII, which may stand for octets that are no UTF-8 (PEP 383).

    >>> json_line({"path": "/\udcff"})
    '{"path":"/\\udcff"}\n'
    """
    return f"{_encode(thing)}\n"


def summary(counts: Mapping[str, int], skipped: int) -> str:
    """Say how many lines were read, what became of them, and how many were skipped, if any.

    >>> summary({"read": 10, "bad": 3}, 0), summary({"read": 10}, 1)
    ('read 10, bad 3', 'read 10, skipped 1')
    """
    counts = {**counts, "skipped": skipped} if skipped else counts
    return ", ".join(f"{name} {number}" for name, number in counts.items())


def tally(headline: str, kinds: Counter[str]) -> str:
    """Say after a headline what there is of which kind, the most frequent first.

    >>> tally("read 10, bad 3", Counter(path=1, host=2))
    'read 10, bad 3: host 2, path 1'
    """
    if not kinds:
        return headline
    return f"{headline}: {', '.join(f'{kind} {times}' for kind, times in kinds.most_common())}"


class Totals(NamedTuple):
    """How many lines went where, and whether every file could be read to its end.

    Those that are too long are among the skipped ones.
    """

    parsed: int = 0
    rejected: int = 0
    complete: bool = True
    skipped: int = 0
    directives: int = 0  # of these, lines that tell how to read others
    too_long: int = 0  # of these, lines over the limit

    @property
    def lines(self) -> int:
        """How many were read."""
        return self.parsed + self.rejected + self.skipped

    def report(self, parsed: str = "parsed", selected: int | None = None) -> None:
        """Say on standard error how many lines went where.

        Args:
            parsed: what became of those that are as they should be.
            selected: how many of these were wanted, if not all.
        """
        counts = {"read": self.lines, parsed: self.parsed, "rejected": self.rejected}
        wanted = "" if selected is None else f"; selected {selected}"
        print(f"{summary(counts, self.skipped)}{wanted}", file=sys.stderr)

    def status(self, *, strict: bool) -> int:
        """Give the exit status of a command, which may be strict about lines that were rejected."""
        if not self.complete:
            return 2
        return int((strict and self.rejected > 0) or (not self.parsed and self.lines > self.directives))


def output_beside(option: str, path: str, files: Sequence[str]) -> Output:
    """Open a file to be written, unless it is one that is to be read.

    Args:
        option: what names the path.
        path: of the file to be written.
        files: the paths of those to be read.
    """
    for name in files:
        if name != STDIN and os.path.exists(name) and os.path.exists(path) and os.path.samefile(name, path):
            raise click.BadParameter(f"{path!r} is one of the files to be read.", param_hint=f"'{option}'")
    return Output(path)


def complain_of(file: str, error: OSError) -> None:
    """Say that a file cannot be read, or not to its end."""
    complain(f"{'standard input' if file == STDIN else file}: {error.strerror or error}")


@contextmanager
def _opened(name: str, *, progress: bool) -> Iterator[Stream]:
    """Open a file or standard input, with a bar where somebody watches and no rows run over the same screen."""
    with ExitStack() as stack:
        is_file = name != STDIN
        file: Any = stack.enter_context(open(name if is_file else 0, "rb", buffering=0, closefd=is_file))
        if progress and is_file and sys.stderr.isatty() and not os.isatty(1):
            from urisect.cli.screen import watched  # noqa: PLC0415  rich takes longer to load than most files

            file = stack.enter_context(watched(file, name))
        yield decompressed(io.BufferedReader(file))
