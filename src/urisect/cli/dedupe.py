"""`urisect dedupe`: drop references whose key was seen before."""

from functools import partial
from time import monotonic

import click

from urisect.bulk import list_lines
from urisect.cli.files import FileReader, read_argument_blocks
from urisect.cli.key import make_keys
from urisect.cli.options import combine_options, limit_option, reference_input_options
from urisect.cli.output import Output
from urisect.cli.profiles import profile_option
from urisect.cli.summary import Outcome, print_summary

__all__ = ["dedupe"]


@click.command(short_help="Drop references that were seen before.")
@combine_options(
    profile_option("Which references have the same key; `urisect key --help` explains the profiles."),
    limit_option,
    reference_input_options,
)
@click.pass_context
def dedupe(context: click.Context, /, files: tuple[str, ...], *, profile: str, limit: int, quiet: bool) -> None:
    """Drop references whose key was seen before, in any of the files. The first one of each key is printed as it is.

    Lines stay in order, and appear as they arrive, so that this can stand in a pipe. A line over the limit is dropped,
    and counted as skipped.

    Any number of lines takes about 60 MB of memory. More than a million keys are stored in a temporary file, in the
    directory that TMPDIR names or in /var/tmp: 25 MB for each million keys. What is stored of a key is a digest of 128
    bits. Among a billion different keys, the probability that one is taken for another is below 1 in 10^20.

    \b
    Examples:
      urisect dedupe urls.txt > unique.txt
      urisect dedupe --profile page-1 old.txt.gz new.txt
    """  # noqa: D301  click prints a paragraph that begins with a backspace as it is
    try:
        from urisect.cli.seen_keys import SeenKeys  # noqa: PLC0415  slow to import; `--help` does not need it
    except ModuleNotFoundError as error:
        raise click.ClickException(f"dedupe needs {error.name}, which this Python was built without.") from None

    keys = make_keys(profile)
    began = monotonic()
    reader = FileReader(files, partial(read_argument_blocks, limit=limit), progress=not quiet)
    read = kept = skipped = size = 0
    with Output() as output, SeenKeys() as seen:
        for _, block in reader:
            lines = list_lines(block.data)
            keys_of_lines = keys(block.data).split(b"\n")
            new = [line for line, key in zip(lines, keys_of_lines, strict=False) if seen.add(key)]
            output.write(b"\n".join((*new, b"")) if new else b"")
            too_long = int(block.reason == "too long")
            read += len(lines) + too_long
            kept += len(new)
            skipped += too_long
            size += len(block.data) + block.length
    if not quiet and (reader.complete or read):
        outcomes = (Outcome(kept, "kept"), Outcome(read - kept - skipped, "dropped"))
        print_summary(read, outcomes, skipped=skipped, size=size, began=began)
    context.exit(int(0 < read == skipped) if reader.complete else 2)
