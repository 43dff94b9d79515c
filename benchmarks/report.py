"""Turn the JSON of pytest-benchmark into what the README shows: `python -m benchmarks.report FILE…`.

It writes `RESULTS.md`, with every table, and `results.svg` beside this file, and a part of the README. Of several runs
the shortest time of each benchmark counts: a machine may be slow for longer than a benchmark runs.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from pytest_benchmark.fixture import BenchmarkFixture

GROUPS = (
    "split a str",
    "split bytes",
    "split lines",
    "resolve a reference",
    "resolve bytes",
    "normalize a URI",
    "normalize a variant",
    "validate a str",
    "validate bytes",
    "validate by specification",
    "refuse a str",
    "combined log line",
    "import",
)
CHARTED = "split a str"
# The tables that the README shows, and the lines that it leaves out of them.
IN_README: dict[str, tuple[str, ...]] = {
    "split lines": (),
    "resolve a reference": ("yarl.URL.join", "uritools.urijoin"),
    "normalize a URI": ("urisect.normalize, bytes", "ada_url.normalize_url", "courlan.normalize_url"),
    "validate a str": (),
    "combined log line": (),
}


class Line(NamedTuple):
    """What one engine took.

    Attributes:
        name: of the engine.
        nanoseconds: for one item, in the shortest round.
        refused: how many items the engine refused; it was timed on the others.
    """

    name: str
    nanoseconds: float
    refused: int

    @property
    def ours(self) -> bool:
        return self.name.startswith("urisect")

    @property
    def bare(self) -> bool:
        """Whether this is a match and no more, from which nothing is built."""
        return self.name.startswith(("floor", "re,", "regex,"))


class Group(NamedTuple):
    """What the engines took for one operation, the fastest first.

    Attributes:
        name: of the operation.
        item: what is done once: a URL, a line, an import.
        items: how many there were.
        corpus: where they came from.
        lines: an engine each.
    """

    name: str
    item: str
    items: int
    corpus: str
    lines: list[Line]

    def without(self, names: Sequence[str]) -> "Group":
        return self._replace(lines=[line for line in self.lines if line.name not in names])


def record(benchmark: BenchmarkFixture, name: str, corpus: str, item: str, items: int, refused: int = 0) -> None:
    """Note with a benchmark what its table tells.

    Args:
        benchmark: it.
        name: of the engine.
        corpus: where what it gets comes from.
        item: what is done once.
        items: how many there are.
        refused: how many more it refused.
    """
    benchmark.extra_info |= {"name": name, "corpus": corpus, "item": item, "items": items, "refused": refused}


def groups(reports: Sequence[dict[str, Any]]) -> list[Group]:
    """Gather the benchmarks of each group that was run, each from the run in which it was shortest."""
    shortest: dict[str, dict[str, Any]] = {}
    for benchmark in (benchmark for report in reports for benchmark in report["benchmarks"]):
        name = benchmark["fullname"]
        shortest[name] = min(benchmark, shortest.get(name, benchmark), key=lambda known: known["stats"]["min"])
    benchmarks = shortest.values()
    gathered = {name: [benchmark for benchmark in benchmarks if benchmark["group"] == name] for name in GROUPS}
    return [_group(name, members) for name, members in gathered.items() if members]


def _group(name: str, benchmarks: list[dict[str, Any]]) -> Group:
    facts = [benchmark["extra_info"] for benchmark in benchmarks]
    lines = [
        Line(fact["name"], benchmark["stats"]["min"] / fact["items"] * 1e9, fact["refused"])
        for fact, benchmark in zip(facts, benchmarks, strict=True)
    ]
    lines.sort(key=lambda line: line.nanoseconds)
    return Group(name, facts[0]["item"], max(fact["items"] for fact in facts), facts[0]["corpus"], lines)


def setting(report: dict[str, Any]) -> str:
    """Say on what machine, by which Python and when: no name of a host, no path."""
    machine = report["machine_info"]
    processor = machine["cpu"].get("brand_raw") or machine["machine"]
    day = datetime.fromisoformat(report["datetime"]).date()
    return f"{processor}, {machine['python_implementation']} {machine['python_version']}, {day}"


INTRODUCTION = """# What it costs

{}. Written by `make bench`.

The shortest of many rounds. Before an engine was timed, its answers were compared with those of urisect where the two
should agree. It was timed on what it accepts; how much it refused is counted.
"""


def markdown(groups: Sequence[Group], setting: str) -> str:
    """Write a table a group."""
    return "\n".join((INTRODUCTION.format(setting), *(line for group in groups for line in _table(group))))


def in_readme(readme: str, groups: Sequence[Group], setting: str) -> str:
    """Write some of the tables between the marks in the README."""
    shown = (group.without(IN_README[group.name]) for group in groups if group.name in IN_README)
    tables = (line for group in shown for line in _table(group, "###"))
    begin, end = "<!-- written by make bench -->\n", "<!-- until here -->"
    before, _, rest = readme.partition(begin)
    return "\n".join((before + begin, *tables, f"{setting}.\n", end + rest.partition(end)[2]))


def _table(group: Group, heading: str = "##") -> Iterator[str]:
    ours = next(line for line in group.lines if line.ours)
    unit, scale, digits = ("ms", 1e6, 1) if group.item == "import" else ("ns", 1, 0)
    yield f"{heading} {group.name[0].upper()}{group.name[1:]}\n"
    if group.corpus:
        yield f"{group.items:,} {group.item}s: {group.corpus}.\n"
    yield f"| | {unit} per {group.item} | × {ours.name} | refused |"
    yield "| --- | ---: | ---: | ---: |"
    for line in group.lines:
        name = f"**{line.name}**" if line.ours else line.name
        time, ratio = line.nanoseconds / scale, line.nanoseconds / ours.nanoseconds
        yield f"| {name} | {time:,.{digits}f} | {ratio:.2f} | {line.refused or ''} |"
    yield ""


# A chart as wide as a README on GitHub, in its colours, light and dark.
WIDTH = 830
LEFT = 200  # where bars begin
SPAN = 540  # the longest bar
ROW = 26
BAR = 16
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.quiet { font-size: 12px; fill: #59636e; }
.name { text-anchor: end; }
rect.peer { fill: #8c959f; }
rect.bare { fill: #c4ccd4; }
.ours { fill: #0969da; font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .quiet { fill: #9198a1; }
  rect.peer { fill: #656c76; }
  rect.bare { fill: #474e57; }
  .ours { fill: #4493f8; }
}
"""


def chart(group: Group, setting: str) -> str:
    """Draw a bar a line: the libraries, and below them the bare expressions."""
    slowest = max(line.nanoseconds for line in group.lines)
    title = f"Nanoseconds to split a {group.item} into its five components"
    source = f"{group.items:,} {group.item}s: {group.corpus}. {setting}."
    drawn = [_text(title, 0, 18, "title")]
    y = 24
    for heading, bare in (
        ("Libraries, all five components read", False),
        ("Bare regular expressions: a match and its groups", True),
    ):
        y += ROW + 4
        drawn.append(_text(heading, LEFT, y - 9, "quiet"))
        for line in group.lines:
            if line.bare == bare:
                drawn += _bar(line, y, line.nanoseconds / slowest * SPAN)
                y += ROW
    drawn.append(_text(source, 0, y + ROW, "quiet"))
    height = y + ROW + 8
    description = "; ".join(f"{line.name}: {line.nanoseconds:,.0f}" for line in group.lines)
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"',
        'role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="description">{escape(description)}</desc>',
        f"<style>{STYLE}</style>",
        *drawn,
        "</svg>",
        "",
    ))  # fmt: skip


def _bar(line: Line, y: int, length: float) -> Iterator[str]:
    kind = "ours" if line.ours else "bare" if line.bare else "peer"
    baseline = y + BAR - 3.5  # of text in the middle of the bar
    yield _text(line.name, LEFT - 10, baseline, f"name {kind}")
    yield f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2"/>'
    yield _text(f"{line.nanoseconds:,.0f}", LEFT + length + 8, baseline, kind)


def _text(text: str, x: float, y: float, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y}">{escape(text)}</text>'


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("reports", metavar="FILE", nargs="+", type=Path, help="what --benchmark-json wrote")
    reports = [json.loads(path.read_bytes()) for path in parser.parse_args(arguments).reports]
    measured, where = groups(reports), setting(reports[0])
    beside = Path(__file__)
    readme = beside.parent.parent / "README.md"
    readme.write_text(in_readme(readme.read_text("utf-8"), measured, where), "utf-8")
    beside.with_name("RESULTS.md").write_text(markdown(measured, where), "utf-8")
    for group in measured:
        if group.name == CHARTED:
            beside.with_name("results.svg").write_text(chart(group, where), "utf-8")


if __name__ == "__main__":
    main()
