"""The page `docs/volume.md`."""

import platform
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from itertools import pairwise
from math import inf
from textwrap import fill
from typing import NamedTuple

from benchmarks.volume.cases import BEATEN, Case, Figure
from benchmarks.volume.growth import Growth
from benchmarks.volume.log_files import MB, Log
from benchmarks.volume.measurement import INTERVAL, read_proc
from benchmarks.volume.programs import CORES, Job, Program
from benchmarks.volume.readers import FIELDS
from urisect.logs import COMBINED

__all__ = ["Results", "Rival", "find_rivals", "judge", "markdown", "setting", "summarize"]

PAGE = """# Logs at volume

How fast urisect and other programs read large access logs, and how much memory they take. Higher is better for speed,
lower is better for memory.

{setting}, {date}. Written by `make volume`. {versions}.

{summary}

## What is measured

{logs}

- **Speed** is in MB of the plain log per second, also from gzip; 1 MB is 1,000,000 bytes. Each program runs in its own
  process, pinned to one core or to two, and is timed from its start to its end. Programs take turns, and the shortest
  of {runs} counts: a program that takes {beaten} × as long as urisect twice is not run again.
- **urisect is** says how many times as fast urisect is, from the same source, on as many cores. The figure is bold
  where the other program is faster.
- **Memory** is the highest sum of the proportional set sizes of the process and its children, measured every
  {interval:.0f} ms.
- **Refused** lines give no row. Before the measurement, answers were compared on a sample of each log
  ({samples} lines): a program that parses as many lines as urisect must return the same sum of bytes sent.

The programs do not do the same work:

- urisect returns {columns} columns: both URIs in their five components, typed times and numbers, undefined and empty
  values kept apart, bytes that are not UTF-8 as escapes. Lines that do not match are counted, and kept on demand. Rows
  keep the order of the lines. All counts in its report are exact. `urisect logs` writes files atomically.
- DuckDB, Polars and pyarrow read lines as text, and match one expression, without Appendix B, for {fields} columns:
  {names}.
  It splits the path and the query of the target. The referer stays whole, times stay text, lines that do not match are
  dropped without notice, and bytes that are not UTF-8 are an error. DuckDB and pyarrow return an empty text for an
  undefined value. DuckDB need not keep the order of the lines, which is faster. Polars runs its streaming engine.
- "DuckDB, with Appendix B, times read" is as much of urisect's job as SQL can express: the components of both URIs,
  unless one contains a backslash or a space, and typed times.
- Polars and DuckDB can also read a log as CSV, with a space as the delimiter. That is not measured here. It takes a
  quarter to half of the time of their expression, less than urisect takes, and suits regular lines: of 4,981 valid
  lines of a generated log, Polars returned 4,690.
- GoAccess counts and returns no rows; `gzip -dc` decompresses for it.

[Performance](performance.md) says which function to choose.
"""

COPIES = "It consists of copies of one part, so it compresses better than a real log, for every program."
GENERATED = (
    "It is generated: nearly every client, target, referer and agent occurs once, and three lines have the same time. "
    "[Different values](#different-values) counts them."
)

# Packages that urisect uses for large logs; isal decompresses gzip.
USED = ("pyarrow", "numpy", "isal")
HEAD = (
    "| | from | one core, MB/s | urisect is | memory, MB | two cores, MB/s | urisect is | memory, MB | refused |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)
WORDS = {1: "one core", 2: "two cores"}


class Results(NamedTuple):
    """What was measured.

    Attributes:
        figures: the figure of each case that could be measured.
        refused: the number of lines that a case refused in the sample; None if it cannot read the log.
        samples: the sample of each log.
        values: the number of different values in each column of each log.
        growth: the figures for logs of growing size.
    """

    figures: Mapping[Case, Figure]
    refused: Mapping[Case, int | None]
    samples: Mapping[Log, Log]
    values: Mapping[Log, Mapping[str, int]]
    growth: Sequence[Growth]


def markdown(results: Results) -> str:
    """Write the page: an introduction, a table for each job and log, the growth, and the values of the logs."""
    jobs = dict.fromkeys(case.job for case in results.refused)
    sections = (_introduction(results), *(_section(job, results) for job in jobs), _growth(results), _values(results))
    return "\n".join(filter(None, sections))


def _section(job: Job, results: Results) -> str:
    tables = (line for log in results.samples for line in _table(job, log, results))
    return "\n".join((f"## {job.title}\n", f"{job.meaning}\n", *tables))


def _table(job: Job, log: Log, results: Results) -> Iterator[str]:
    figures = {case: figure for case, figure in results.figures.items() if (case.job, case.log) == (job, log)}
    rows = [case for case in results.refused if (case.job, case.log, case.cores) == (job, log, CORES[0])]
    rows.sort(key=lambda case: (case.compressed, -figures[case].speed if case in figures else inf))
    yield f"### {job.title}: {log.name}\n"
    yield HEAD
    for case in rows:
        name = f"**{case.program.name}**" if case.program.is_ours else case.program.name
        cells = (_cells(case._replace(cores=cores), figures) for cores in CORES)
        refused = results.refused[case]
        lines = "cannot read it" if refused is None else f"{refused:,}"
        yield f"| {name} | {case.source} | {' | '.join(cells)} | {lines} |"
    yield ""
    yield f"{judge(figures, job.margin)}\n"


def _cells(case: Case, figures: Mapping[Case, Figure]) -> str:
    if case not in figures:
        return " |  | "
    figure, ratio = figures[case], ""
    if not case.program.is_ours:
        ours = figures[case.of_urisect]
        ratio = f"{ours.speed / figure.speed:.2f} ×"
        ratio = f"**{ratio}**" if ours.speed < figure.speed else ratio
    return f"{figure.speed / MB:,.0f} | {ratio} | {figure.memory / MB:,.0f}"


class Rival(NamedTuple):
    """The fastest other program for a source and a number of cores.

    Attributes:
        case: the case of that program.
        ratio: how many times as fast urisect is.
    """

    case: Case
    ratio: float

    @property
    def place(self) -> str:
        """The source and the cores, in words."""
        return f"from {self.case.source} on {WORDS[self.case.cores]}"


def find_rivals(figures: Mapping[Case, Figure]) -> list[Rival]:
    """Find the fastest other program for each source and number of cores."""
    rivals: dict[Case, Rival] = {}
    for case, figure in figures.items():
        ours = case.of_urisect
        if case != ours and (ours not in rivals or figures[ours].speed / figure.speed < rivals[ours].ratio):
            rivals[ours] = Rival(case, figures[ours].speed / figure.speed)
    return list(rivals.values())


def judge(figures: Mapping[Case, Figure], margin: float = 1) -> str:
    """Say in words how urisect compares with the fastest other program.

    Args:
        figures: the figures of one job for one log.
        margin: how many times as fast urisect is meant to be.
    """
    rivals = find_rivals(figures)
    ahead = [rival for rival in rivals if rival.ratio >= 1]
    sentences = []
    if ahead and len(ahead) == len(rivals):
        least = min(rival.ratio for rival in ahead)
        sentences.append(f"urisect is ahead of every other program, {least:.2f} × or more.")
    elif ahead:
        places = ", ".join(f"{rival.place} ({rival.ratio:.2f} ×)" for rival in ahead)
        sentences.append(f"urisect is ahead of every other program {places}.")
    sentences += [
        f"**{rival.case.program.name} is {1 / rival.ratio:.2f} × as fast as urisect {rival.place}.**"
        for rival in rivals
        if rival.ratio < 1
    ]
    near = [f"{rival.ratio:.2f} × {rival.place}" for rival in ahead if rival.ratio < margin]
    if near:
        sentences.append(f"It is not {margin} × ahead: {', '.join(near)}.")
    return " ".join(sentences)


def _growth(results: Results) -> str:
    if not results.growth:
        return ""
    lines = [
        "## Growing logs\n",
        f"urisect on {WORDS[CORES[-1]]}; the logs are repetitions of the first log, plain.\n",
        "| | log, MB | seconds | MB/s | memory, MB |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    sentences = []
    for job in dict.fromkeys(growth.job for growth in results.growth):
        rows = [growth for growth in results.growth if growth.job == job]
        lines += [f"| {job.title} | {row.size / MB:,.0f} | {_growth_cells(row)} |" for row in rows]
        measured = [(row.size, row.figure) for row in rows if row.figure]
        for (small, before), (large, after) in list(pairwise(measured))[-1:]:
            size, memory = large / small, after.memory / before.memory
            sentences.append(
                f"{job.title}: a log {size:.1f} × as large takes {size * before.speed / after.speed:.1f} × the time "
                f"and {memory:.2f} × the memory."
            )
    return "\n".join((*lines, "", *sentences, ""))


def _growth_cells(growth: Growth) -> str:
    if growth.figure is None:
        return "no room on the disk |  | "
    speed, memory, _ = growth.figure
    return f"{growth.size / speed:,.1f} | {speed / MB:,.0f} | {memory / MB:,.0f}"


def _values(results: Results) -> str:
    """Show how the logs differ."""
    logs = list(results.values)
    lines = [
        "## Different values\n",
        "How many different values each column has. A program that remembers values gains where they are few.\n",
        f"| | {' | '.join(log.name for log in logs)} |",
        f"| --- |{' ---: |' * len(logs)}",
    ]
    columns = dict.fromkeys(name for counts in results.values.values() for name in counts)
    rows = ([column, *(f"{results.values[log][column]:,}" for log in logs)] for column in columns)
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join((*lines, ""))


def _introduction(results: Results) -> str:
    runs = sorted({figure.runs for figure in results.figures.values()})
    first, *others = results.samples
    logs = [(first, COPIES), *((log, GENERATED) for log in others)]
    return PAGE.format(
        setting=setting(),
        date=datetime.now(UTC).date(),
        versions=_versions(case.program for case in results.refused),
        summary=summarize(results.figures),
        logs="\n".join(_fill(f"- **{log.name}**: {_size(log)}. {about}") for log, about in logs),
        runs=f"{' to '.join(str(number) for number in dict.fromkeys((runs[0], runs[-1])))} runs",
        beaten=BEATEN,
        interval=INTERVAL * 1000,
        samples=" and ".join(f"{sample.lines:,}" for sample in results.samples.values()),
        columns=len(COMBINED.columns),
        fields=len(FIELDS),
        names=", ".join(FIELDS),
    )


def summarize(figures: Mapping[Case, Figure]) -> str:
    """Say in how many rows urisect is ahead, and which program is faster in the others."""
    rivals = find_rivals(figures)
    behind = [rival for rival in rivals if rival.ratio < 1]
    if not behind:
        return f"urisect is ahead of every other program in all {len(rivals)} measurements."
    lines = [
        f"- {rival.case.job.title}, {rival.case.log.name}, {rival.place}: {rival.case.program.name},"
        f" {1 / rival.ratio:.2f} ×"
        for rival in behind
    ]
    ahead = len(rivals) - len(behind)
    return "\n".join(
        (
            f"urisect is ahead of every other program in {ahead} of {len(rivals)} measurements. In the others, another",
            "program is faster:",
            "",
            *lines,
        )
    )


def setting() -> str:
    """Return the processor and the version of Python."""
    found = re.search(r"^model name\s*: (.+)", read_proc("/proc/cpuinfo"), re.MULTILINE)
    processor = found[1] if found else platform.machine()
    return f"{processor}, {platform.python_implementation()} {platform.python_version()}"


def _versions(programs: Iterable[Program]) -> str:
    used = ", ".join(f"{name} {version(name)}" for name in USED if find_spec(name))
    others = dict.fromkeys(program.version for program in programs if not program.is_ours)
    return f"urisect {version('urisect')} with {used}; {', '.join(others)}"


def _size(log: Log) -> str:
    return f"{log.size / MB:,.0f} MB, {log.lines:,} lines in the Combined Log Format"


def _fill(item: str) -> str:
    return fill(item, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
