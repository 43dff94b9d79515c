"""`urisect demo`: explain a URL, and show statistics of a sample log, or write the log to a file."""

import gzip
import io
import shutil
from collections import Counter
from importlib.resources import as_file, files
from time import perf_counter

import click

from urisect.cli.explain import draw_explanation
from urisect.cli.output import Output
from urisect.cli.styles import bold, keep_styles
from urisect.explanation import explain
from urisect.logs import COMBINED, decompressed, tables, write_report
from urisect.logs.output.atomic import OutputFile

__all__ = ["demo"]

URL = "http://fred@EXAMPLE.com:8O/over/./there?name=ferret"
SAMPLE = files("urisect.cli").joinpath("sample.log.gz")
FIELDS = {
    "Status codes": "status",
    "Paths": "target_path",
    "Referrers": "referer_host",
    "Clients": "client",
}
MAX_VALUES = 8


@click.command(short_help="Explain a URL, and show statistics of a sample log.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the sample log to this file instead, compressed if its name ends in .gz.",
)
@click.option("--report", metavar="FILE", help="Write an HTML report about the sample log to this file, too.")
def demo(output: str | None, report: str | None) -> None:
    """Explain a URL, then parse a sample log, and show its most frequent clients, paths, referrers and status codes.

    The sample is part of the package and made up: requests of every shape that real logs hold, and a few lines that
    are not log lines. --report needs the extra logs.
    """
    if output is not None:
        with OutputFile(output) as file:
            file.write(gzip.decompress(SAMPLE.read_bytes()))  # OutputFile compresses for a name that ends in .gz
        return
    if report is not None:  # before anything is printed
        with as_file(SAMPLE) as path:
            write_report(path, report, COMBINED, title="Sample log")
    with Output() as terminal:
        for text in (_explain_url(), _draw_statistics()):
            terminal.write(keep_styles(text, is_terminal=terminal.is_terminal).encode(), styled=True)
    if report is not None:
        print(f"\nA report about this log, to open in a browser: {report}")


def _explain_url() -> str:
    """Return what `urisect explain` prints, and the command."""
    command = bold(f"$ urisect explain '{URL}'")
    return f"{command}\n{draw_explanation(explain(URL), shutil.get_terminal_size().columns)}\n"


def _draw_statistics() -> str:
    """Draw the most frequent values in the sample log."""
    from urisect.cli.count_tables import draw_tables  # noqa: PLC0415  rich is slow to import

    counts: dict[str, Counter[bytes]] = {title: Counter() for title in FIELDS}
    lines = parsed = rejected = 0
    list(tables(io.BytesIO(COMBINED.sample), COMBINED))  # compiles the expression, which is not timed
    start = perf_counter()
    for table in tables(decompressed(io.BytesIO(SAMPLE.read_bytes())), COMBINED):
        for title, field in FIELDS.items():
            counts[title].update(value for value in table.column(field) if value is not None)
        lines += table.lines
        parsed += table.parsed
        rejected += len(table.rejected)
    seconds = perf_counter() - start
    return draw_tables(
        f"A log in the combined format: {lines:,} lines, {parsed:,} parsed, {rejected} rejected\n"
        f"{lines / seconds:,.0f} lines per second, both URIs of each line split",
        counts,
        most=MAX_VALUES,
    )
