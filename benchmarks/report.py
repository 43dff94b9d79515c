"""Turn the JSON of pytest-benchmark into tables and a chart: `python -m benchmarks.report FILE…`.

It writes `RESULTS.md` with every table and `results.svg` beside this file, and some of the tables into the README. Of
several runs, the shortest time of each benchmark counts: a machine may be slow for longer than a benchmark runs.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.chart import draw_chart
from benchmarks.results import Group, read_groups, read_setting
from tests.support.paths import ROOT

__all__ = ["LEFT_OUT", "main"]

CHARTED = "split a str"
# The groups that the README shows, and the engines that it leaves out.
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "split lines": (),
    "resolve a reference": ("yarl.URL.join", "uritools.urijoin"),
    "normalize a URI": ("urisect.normalize, bytes", "ada_url.normalize_url", "courlan.normalize_url"),
    "validate a str": (),
    "combined log line": (),
}


INTRODUCTION = """# What it costs

{}. Written by `make bench`.

Times are the shortest of many rounds. Before an engine was timed, its answers were compared with those of urisect where
the two should agree. It was timed on the references that it accepts; refused ones are counted.
"""


def markdown(groups: Sequence[Group], setting: str) -> str:
    """Write the page: a table for each group."""
    return "\n".join((INTRODUCTION.format(setting), *(line for group in groups for line in _table(group))))


def with_tables(readme: str, groups: Sequence[Group], setting: str) -> str:
    """Replace the tables between the marks in the README."""
    shown = (group.without(LEFT_OUT[group.name]) for group in groups if group.name in LEFT_OUT)
    tables = (line for group in shown for line in _table(group, "###"))
    begin, end = "<!-- written by make bench -->\n", "<!-- until here -->"
    before, _, rest = readme.partition(begin)
    return "\n".join((before + begin, *tables, f"{setting}.\n", end + rest.partition(end)[2]))


def _table(group: Group, heading: str = "##") -> Iterator[str]:
    ours = next(line for line in group.lines if line.is_ours)
    unit, scale, digits = ("ms", 1e6, 1) if group.item == "import" else ("ns", 1, 0)
    yield f"{heading} {group.name[0].upper()}{group.name[1:]}\n"
    if group.corpus:
        yield f"{group.items:,} {group.item}s: {group.corpus}.\n"
    yield f"| | {unit} per {group.item} | × {ours.name} | refused |"
    yield "| --- | ---: | ---: | ---: |"
    for line in group.lines:
        name = f"**{line.name}**" if line.is_ours else line.name
        time, ratio = line.nanoseconds / scale, line.nanoseconds / ours.nanoseconds
        yield f"| {name} | {time:,.{digits}f} | {ratio:.2f} | {line.refused or ''} |"
    yield ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pages and the chart."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("reports", metavar="FILE", nargs="+", type=Path, help="output of --benchmark-json")
    reports = [json.loads(path.read_bytes()) for path in parser.parse_args(arguments).reports]
    groups, setting = read_groups(reports), read_setting(reports[0])
    directory, readme = ROOT / "benchmarks", ROOT / "README.md"
    readme.write_text(with_tables(readme.read_text("utf-8"), groups, setting), "utf-8")
    (directory / "RESULTS.md").write_text(markdown(groups, setting), "utf-8")
    for group in groups:
        if group.name == CHARTED:
            (directory / "results.svg").write_text(draw_chart(group, setting), "utf-8")


if __name__ == "__main__":
    main()
