"""`urisect demo`: parse a sample log and show statistics, or write it to a file."""

import gzip
import io
from collections import Counter
from importlib.resources import files
from time import perf_counter

import click

from urisect.logs import COMBINED, decompressed, tables
from urisect.logs.output.atomic import OutputFile

__all__ = ["demo"]

FIELDS = {
    "Status codes": "status",
    "Paths": "target_path",
    "Referrers": "referer_host",
    "Hosts": "client",
}
MAX_VALUES = 8


@click.command(short_help="Show statistics of a sample log.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the sample log to this file instead, compressed if its name ends in .gz.",
)
def demo(output: str | None) -> None:
    """Parse a sample log, and show its most frequent hosts, paths, referrers and status codes.

    The sample is part of the package and made up: requests of every shape that real logs hold, and a few lines that
    are not log lines.
    """
    compressed = files("urisect.cli").joinpath("sample.log.gz").read_bytes()
    if output is not None:
        with OutputFile(output) as file:
            file.write(gzip.decompress(compressed))  # OutputFile compresses for a name that ends in .gz
        return
    from urisect.cli.count_tables import print_tables  # noqa: PLC0415  rich is slow to import

    counts: dict[str, Counter[bytes]] = {title: Counter() for title in FIELDS}
    lines = parsed = rejected = 0
    list(tables(io.BytesIO(COMBINED.sample), COMBINED))  # compiles the expression, which is not timed
    start = perf_counter()
    for table in tables(decompressed(io.BytesIO(compressed)), COMBINED):
        for title, field in FIELDS.items():
            counts[title].update(value for value in table.column(field) if value is not None)
        lines += table.lines
        parsed += table.parsed
        rejected += len(table.rejected)
    seconds = perf_counter() - start
    print_tables(
        f"A log in the combined format: {lines:,} lines, {parsed:,} parsed, {rejected} rejected\n"
        f"{lines / seconds:,.0f} lines per second, both URIs of each line split",
        counts,
        most=MAX_VALUES,
    )
