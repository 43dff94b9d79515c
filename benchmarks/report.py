"""Turn the JSON of pytest-benchmark into tables and a chart: `python -m benchmarks.report FILE…`.

It writes `docs/results.md` with every table, the chart `docs/images/split.svg`, and into the README and
`docs/performance.md` the chart with its description, and a table of the most important results. Of several runs, the
shortest time of each benchmark counts: a machine may be slow for longer than a benchmark runs.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from os.path import relpath
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from benchmarks.chart import describe_chart, draw_chart
from benchmarks.results import Group, Line, read_groups, read_setting
from tests.support.pages import with_generated
from tests.support.paths import DOCS, ROOT

__all__ = [
    "CHART",
    "CHARTED",
    "CHART_PAGES",
    "RESULTS",
    "SUMMARY",
    "Task",
    "main",
    "markdown",
    "read_table",
    "redraw_chart",
    "summary",
    "with_chart",
]

RESULTS = DOCS / "results.md"
CHART = DOCS / "images" / "split.svg"
README = ROOT / "README.md"
CHART_PAGES = (README, DOCS / "performance.md")
CHARTED = "split a str"
PAGE_WIDTH = 120  # of lines on pages, in characters


class Task(NamedTuple):
    """A row of the table in the README: one task, and the other library that most programs use for it.

    Attributes:
        title: the task.
        group: the group of benchmarks.
        ours: the name of urisect's function in that group.
        usual: the name of the other library in that group, if one is measured.
        label: its short name.
    """

    title: str
    group: str
    ours: str
    usual: str = ""
    label: str = ""


SUMMARY = (
    Task("split a URL", "split a str", "urisect.split", "urllib.parse.urlsplit, cold", "urlsplit"),
    Task(
        "split a column of Arrow, per URL",
        "split a column",
        "urisect.engines.arrow.split",
        "pyarrow.compute.extract_regex",
        "pyarrow",
    ),
    Task("resolve a reference", "resolve a reference", "urisect.Base.resolve", "urllib.parse.urljoin", "urljoin"),
    Task(
        "normalize a URL in normal form", "normalize a URI", "urisect.normalize", "w3lib.url.canonicalize_url", "w3lib"
    ),
    Task("validate a URL", "validate a str", "urisect.strict.is_valid", "rfc3986.validators.Validator", "rfc3986"),
    Task("parse a log line, split its URIs", "combined log line", "urisect.logs.tables"),
)

INTRODUCTION = """# Results of the benchmarks

{}. Written by `make bench`. Lower is better.

[Performance](performance.md) explains how this is measured, and which function to choose. The tables show the shortest
time of many rounds, and its *ratio* to the fastest function of urisect in the table. *Floor* is the least time that
Python needs: a match of urisect's own expression and its groups. *Refused* counts the items that an engine did not
accept; it was timed on the others. [Logs at volume](volume.md) has the results for large files.
"""

# What a reader has to know about a group.
NOTES = {
    "split a str": (
        "All five components are read from what a library returns. *Cold* is without the cache of `urlsplit`: every "
        "URL occurs once. `can_ada` and `pydantic_core` follow browsers: they refuse relative references and some "
        "hosts and ports, and normalize what they accept."
    ),
    "split lines": "One call for all lines, the components kept. Polars and pyarrow run on one thread.",
    "resolve a reference": (
        "One base, many references. `Base`, `can_ada`, `uritools.SplitResult` and `yarl` parse the base once; the "
        "other functions take it as text each time."
    ),
    "normalize a URI": (
        "The URLs are in normal form, so `normalize` returns each unchanged. `can_ada`, `ada_url` and `yarl` follow "
        "other rules than RFC 3986: answers are compared where the rules agree."
    ),
    "normalize a variant": "The same URLs in other forms: upper case, escapes, dot segments, default ports.",
    "validate a str": "`pydantic_core.Url` does not follow RFC 3986: it accepts what browsers accept.",
    "refuse a str": "`violations` also finds the positions and the violated rules.",
    "change a port": (
        "From text to text, as a program has it and sends it. `with_port` of a `URL` that `yarl` has parsed already "
        "takes 0.5 µs; it checks nothing else."
    ),
    "parse a query": '"+" is a space, as in what a form sends.',
    "set a parameter": "From text to text.",
    "check a web address": "Each follows rules of its own: answers are compared where the rules agree.",
    "convert an IRI": "All percent-encoded, also the host.",
    "validate in pydantic": "A list at once. `AnyUrl` also normalizes.",
    "check an IRI for JSON Schema": "`rfc3987_syntax` is what `jsonschema[format-nongpl]` installs.",
    "make a key": "`canonicalize_url` follows other rules: answers are compared where the rules agree.",
    "make keys of a profile": "Each URL is its own key, so `key` and `normalize` return it unchanged.",
    "canonicalize a URL": "The answers are the same for all URLs.",
    "find the links of a page": (
        "An HTML page as bytes. `links` returns the links with element, attribute, `rel` and text; Scrapy's extractor "
        "is set to keep duplicates and all file types."
    ),
    "find links and make their keys": "As a crawler does: the links of a page, resolved, and the number of keys.",
    "split a column": (
        "Five components of each URL, on one thread: Arrow to Arrow, Polars to Polars, a table of DuckDB to another. "
        "RE2, which pyarrow and DuckDB use, cannot tell an undefined component from an empty one."
    ),
    "split a column in Spark": (
        "Six parts of each URL of a Parquet file, on one core, with what Spark needs for a row. *Refused* are "
        "URLs that `try_parse_url` gives NULL for, or other parts than those of RFC 3986, Appendix B."
    ),
    "check a column": "From Arrow to Arrow; the loop takes and returns lists of Python objects.",
    "normalize a column": "URLs in normal form, from Arrow to Arrow; the loop takes and returns lists.",
    "combined log line": (
        "`logs.tables` returns columns of bytes, and the lines that do not match. The expressions are only matched."
    ),
    "import": (
        "In a program that has loaded `re` and `typing`. `import urisect` loads each module when one of its names is "
        "used: the first `split` loads `urisect.reference`."
    ),
}


def markdown(groups: Sequence[Group], setting: str) -> str:
    """Write the page with a table for each group."""
    return "\n".join((INTRODUCTION.format(setting), *(line for group in groups for line in _table(group))))


def _table(group: Group) -> Iterator[str]:
    ours = next(line for line in group.lines if line.is_ours)
    unit, scale, digits = ("ms", 1e6, 1) if group.item == "import" else ("ns", 1, 0)
    yield f"## {group.name[0].upper()}{group.name[1:]}\n"
    if group.corpus:
        yield f"{group.items:,} {group.item}s: {group.corpus}.\n"
    if group.name in NOTES:
        yield fill(NOTES[group.name], PAGE_WIDTH) + "\n"
    yield f"| | {unit} per {group.item} | ratio | refused |"
    yield "| --- | ---: | ---: | ---: |"
    for line in group.lines:
        name = f"**{line.name}**" if line.is_ours else line.name
        time, ratio = line.nanoseconds / scale, line.nanoseconds / ours.nanoseconds
        yield f"| {name} | {time:,.{digits}f} | {ratio:.2f} | {line.refused or ''} |"
    yield ""


def summary(groups: Sequence[Group], setting: str) -> str:
    """Write the table of the README: for each task the fastest other library, and the one that most programs use."""
    known = {group.name: group for group in groups}
    rows = (_row(task, known[task.group]) for task in SUMMARY if task.group in known)
    return "\n".join((
        "| nanoseconds to … | urisect | fastest other library | widely used |",
        "| --- | ---: | ---: | ---: |",
        *rows,
        "",
        f"Lower is better. `urlsplit` is measured without its cache. {setting}.",
        "",
    ))  # fmt: skip


def _row(task: Task, group: Group) -> str:
    lines = {line.name: line for line in group.lines}
    ours, fastest, usual = lines[task.ours], group.fastest_peer, lines.get(task.usual)
    cells = (
        _compared(fastest, fastest.library, ours) if fastest else "",
        _compared(usual, task.label, ours) if usual else "",
    )
    return f"| {task.title} | **{ours.nanoseconds:,.0f}** | {' | '.join(cells)} |"


def _compared(line: Line, name: str, ours: Line) -> str:
    return f"{name} {line.nanoseconds:,.0f} ({line.nanoseconds / ours.nanoseconds:.1f} ×)"


def with_chart(text: str, page: Path, description: str) -> str:
    """Replace the picture on a page, which has a description with the latest figures."""
    return with_generated(text, "chart", f"![{description}]({relpath(CHART, page.parent)})\n")


def redraw_chart() -> None:
    """Draw the chart of the table of results that was written last, so that a new drawing needs no new measurement."""
    CHART.write_text(draw_chart(*read_table(RESULTS.read_text("utf-8"), CHARTED)), "utf-8")


def read_table(page: str, name: str) -> tuple[Group, str]:
    """Read a group from the page with a table for each group, and the setting: what `markdown` wrote."""
    setting = page.splitlines()[2].partition(". Written by ")[0]
    _, _, section = page.partition(f"## {name[0].upper()}{name[1:]}\n")
    section, _, _ = section.partition("\n## ")
    [(items, item, corpus)] = re.findall(r"^([0-9,]+) (\w+)s: (.*)\.$", section, re.MULTILINE)
    rows = re.findall(r"^\| (?:\*\*)?(.+?)(?:\*\*)? \| ([0-9,]+) \| [0-9.]+ \| ([0-9]*) \|$", section, re.MULTILINE)
    lines = [Line(engine, float(_number(time)), _number(refused or "0")) for engine, time, refused in rows]
    return Group(name, item, _number(items), corpus, lines), setting


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pages and the chart."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("reports", metavar="FILE", nargs="+", type=Path, help="output of --benchmark-json")
    reports = [json.loads(path.read_bytes()) for path in parser.parse_args(arguments).reports]
    groups, setting = read_groups(reports), read_setting(reports[0])
    RESULTS.write_text(markdown(groups, setting), "utf-8")
    README.write_text(with_generated(README.read_text("utf-8"), "benchmarks", summary(groups, setting)), "utf-8")
    for group in groups:
        if group.name == CHARTED:
            CHART.write_text(draw_chart(group, setting), "utf-8")
            for page in CHART_PAGES:
                page.write_text(with_chart(page.read_text("utf-8"), page, describe_chart(group)), "utf-8")


if __name__ == "__main__":
    main()
