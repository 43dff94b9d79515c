"""`urisect demo`: the main job, on a log that comes with the package."""

import io
from collections import Counter
from importlib.resources import files
from time import perf_counter

import click

from urisect.logs import COMBINED, tables
from urisect.logs.input.decompression import decompressed

SHOWN = {
    "Status codes": "status",
    "Paths": "target_path",
    "Referrers": "referer_host",
    "Hosts": "client",
}
TOP = 8


@click.command(short_help="Show what is in a sample log.")
def demo() -> None:
    """Read a sample log, and show its top hosts, paths, referrers and status codes.

    The sample is made up and part of the package: requests of every shape that real logs hold, and a few lines that
    are none.
    """
    from urisect.cli.screen import show_counts  # noqa: PLC0415  rich takes longer to load than the log to read

    sample = io.BytesIO(files("urisect.cli").joinpath("sample.log.gz").read_bytes())
    counts: dict[str, Counter[bytes]] = {title: Counter() for title in SHOWN}
    parsed = rejected = 0
    start = perf_counter()
    for table in tables(decompressed(sample), COMBINED):
        for title, field in SHOWN.items():
            counts[title].update(value for value in table.column(field) if value is not None)
        parsed += table.parsed
        rejected += len(table.rejected)
    seconds = perf_counter() - start
    show_counts(
        f"A log in the combined format: {parsed + rejected:,} lines, {parsed:,} parsed, {rejected} rejected\n"
        f"{(parsed + rejected) / seconds:,.0f} lines a second, both URIs of each line split",
        counts,
        top=TOP,
    )
