"""The page `docs/volume.md`."""

import platform
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from math import inf

from benchmarks.volume.cases import Case, Figure
from benchmarks.volume.log_files import MB, Log
from benchmarks.volume.measurement import INTERVAL, read_proc
from benchmarks.volume.programs import CORES, PART, Job, Program
from benchmarks.volume.readers import FIELDS
from urisect.logs import COMBINED

__all__ = ["introduction", "markdown"]

INTRODUCTION = """# Logs at volume

{setting}. Written by `make volume`. Higher is better for speed, lower is better for memory.

{name}, {size:,} MB, {lines:,} lines in the Combined Log Format. Speeds are in MB of the plain log per second, also for
gzip; 1 MB is 1,000,000 bytes. Each program runs in its own process, pinned to one core or to two, and is timed from its
start to its end. Programs take turns, and the shortest of their runs ({runs}) counts. Memory is the highest sum of the
proportional set sizes of the process and its children, measured every {interval:.0f} ms.

Before the measurement, answers were compared on {sample:,} lines of the log: a program that parses as many lines as
urisect must return the same sum of bytes sent. *Refused* lines give no row. The log consists of copies of one part, so
it compresses better than a real log, in gzip and in Parquet, for every program.

The programs do not do the same work:

- urisect {urisect} returns {columns} columns: both URIs in their five components, typed times and numbers, undefined
  and empty values kept apart, bytes that are not UTF-8 as escapes. Lines that do not match are counted, and kept on
  demand. All counts in its report are exact. `urisect logs` writes files atomically.
- DuckDB, Polars and pyarrow read lines as text, and match one expression, without Appendix B, for {fields} columns:
  {names}.
  It splits the path and the query of the target. The referer stays whole, times stay text, lines that do not match are
  dropped without notice, and bytes that are not UTF-8 are an error. DuckDB and pyarrow return an empty text for an
  undefined value. "With Appendix B, times read" is as much of urisect's job as SQL can express: the components of both
  URIs, unless one contains a backslash or a space, and typed times.
- apachelogs parses times, does not split URIs, and decodes escapes; it reads 1/{part} of the log.
- GoAccess counts and returns no rows; `gzip -dc` decompresses for it.

[Performance](performance.md) says which function to choose.

{versions}.
"""


def markdown(figures: dict[Case, Figure], refused: dict[Case, int | None], introduction: str) -> str:
    """Write the page: an introduction, and a table for each job."""
    jobs = dict.fromkeys(case.job for case in refused)
    return "\n".join((introduction, *(line for job in jobs for line in _table(job, figures, refused))))


def _table(job: Job, figures: dict[Case, Figure], refused: dict[Case, int | None]) -> Iterator[str]:
    yield f"## {job.title}\n"
    yield f"{job.meaning}\n"
    yield "| | from | one core, MB/s | memory, MB | two cores, MB/s | memory, MB | refused |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    rows = [case for case in refused if case.job == job and case.cores == CORES[0]]
    rows.sort(key=lambda case: (case.compressed, -figures[case].speed if case in figures else inf))
    for case in rows:
        name = f"**{case.program.name}**" if case.program.is_ours else case.program.name
        cells = (_cells(figures.get(case._replace(cores=cores))) for cores in CORES)
        lines = "cannot read it" if refused[case] is None else f"{refused[case]:,}"
        yield f"| {name} | {case.source} | {' | '.join(cells)} | {lines} |"
    yield ""


def _cells(figure: Figure | None) -> str:
    return f"{figure.speed / MB:,.0f} | {figure.memory / MB:,.0f}" if figure else " | "


def setting() -> str:
    """Return the processor, the version of Python and the date."""
    found = re.search(r"^model name\s*: (.+)", read_proc("/proc/cpuinfo"), re.MULTILINE)
    processor = found[1] if found else platform.machine()
    return f"{processor}, {platform.python_implementation()} {platform.python_version()}, {datetime.now(UTC).date()}"


def introduction(name: str, log: Log, sample: Log, runs: int, programs: Iterable[Program]) -> str:
    """Write the introduction: what was measured, and how."""
    return INTRODUCTION.format(
        setting=setting(),
        name=name,
        size=log.size // MB,
        lines=log.lines,
        runs=runs,
        interval=INTERVAL * 1000,
        sample=sample.lines,
        urisect=version("urisect"),
        columns=len(COMBINED.columns),
        fields=len(FIELDS),
        names=", ".join(FIELDS),
        part=PART,
        versions=", ".join(dict.fromkeys(program.version for program in programs if not program.is_ours)),
    )
