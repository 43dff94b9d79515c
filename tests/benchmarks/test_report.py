"""Results become tables, a chart and its description; the pages agree with each other and with the code."""

import json
import re
from collections.abc import Iterable
from operator import attrgetter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from benchmarks import columns, limits, peers, report, rewriters, test_import, validators
from benchmarks.chart import LABELS, LEFT, MARGIN, STYLE, describe_chart, draw_chart
from benchmarks.limits import application_rows, crawling_rows, log_rows, rows
from benchmarks.report import (
    CHART,
    CHART_PAGES,
    CHARTED,
    NOTES,
    README,
    RESULTS,
    SUMMARY,
    Task,
    main,
    markdown,
    read_table,
    summary,
)
from benchmarks.results import GROUPS, Group, Line, read_groups, read_setting
from tests.support.paths import DOCS

SPLIT = Group(
    "split a str",
    "URL",
    1000,
    "a generated crawl",
    [
        Line("floor: match(u).groups()", 300.0, 0),
        Line("urisect.split", 400.0, 0),
        Line("can_ada.parse", 500.4, 3),
        Line("re, Appendix B as printed", 700.0, 0),
        Line("urllib.parse.urlsplit, cold", 1600.0, 0),
        Line("rfc3986.uri_reference", 5200.0, 0),
    ],
)
PHONE = 358  # the width of a picture on a phone, in pixels
BARE = "For comparison: bare regular expressions"
SVG = "{http://www.w3.org/2000/svg}"

# The engines of each group in the table of the README.
ENGINES: dict[str, Iterable[Any]] = {
    "split a str": peers.STR,
    "split lines": peers.LINES,
    "split a column": columns.COLUMNS,
    "resolve a reference": rewriters.RESOLVERS,
    "normalize a URI": rewriters.NORMALIZERS,
    "validate a str": validators.STR,
}


def run(seconds: float, **other: Any) -> dict[str, Any]:
    """Return what pytest-benchmark writes about two benchmarks."""
    facts = {"corpus": "a list", "item": "URL", "items": 1000, "refused": 0}
    engines = [("urisect.split", seconds), ("can_ada.parse", 6e-4)]
    return {
        "machine_info": {
            "cpu": {"brand_raw": "Example(R) Processor"},
            "machine": "x86_64",
            "python_implementation": "CPython",
            "python_version": "3.11.2",
        },
        "datetime": "2026-11-22T10:00:00.000000+00:00",
        "benchmarks": [
            {"fullname": name, "group": "split a str", "stats": {"min": time}, "extra_info": facts | {"name": name}}
            for name, time in engines
        ],
        **other,
    }


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314  our own


def test_the_shortest_of_several_runs_counts() -> None:
    [group] = read_groups([run(5e-4), run(4e-4), run(9e-4)])
    assert [(line.name, round(line.nanoseconds)) for line in group.lines] == [
        ("urisect.split", 400),
        ("can_ada.parse", 600),
    ]
    assert read_setting(run(5e-4)) == "Example Processor, CPython 3.11.2, 2026-11-22"


def test_table() -> None:
    page = markdown([SPLIT._replace(name="split bytes")], "A machine").splitlines()
    assert page[page.index("## Split bytes") :] == [
        "## Split bytes",
        "",
        "1,000 URLs: a generated crawl.",
        "",
        "| | ns per URL | ratio | refused |",
        "| --- | ---: | ---: | ---: |",
        "| floor: match(u).groups() | 300 | 0.75 |  |",
        "| **urisect.split** | 400 | 1.00 |  |",
        "| can_ada.parse | 500 | 1.25 | 3 |",
        "| re, Appendix B as printed | 700 | 1.75 |  |",
        "| urllib.parse.urlsplit, cold | 1,600 | 4.00 |  |",
        "| rfc3986.uri_reference | 5,200 | 13.00 |  |",
    ]
    assert "A machine. Written by `make bench`. Lower is better." in page


def test_summary_names_the_fastest_library_and_the_usual_one_also_if_they_are_faster() -> None:
    faster = SPLIT._replace(lines=[Line("can_ada.parse", 200.0, 0), *SPLIT.lines])
    for group, cell in ((SPLIT, "can_ada 500 (1.3 ×)"), (faster, "can_ada 200 (0.5 ×)")):
        table = summary([group], "A machine").splitlines()
        assert table[2] == f"| split a URL | **400** | {cell} | urlsplit 1,600 (4.0 ×) |"
        assert table[-1].startswith("Lower is better.")
        assert table[-1].endswith(" A machine.")


def test_summary_without_other_libraries() -> None:
    alone = SPLIT._replace(lines=[line for line in SPLIT.lines if line.is_ours or line.is_bare])
    assert "| split a URL | **400** |  |  |" in summary([alone], "A machine").splitlines()


def test_summary_has_ten_lines_at_most() -> None:
    groups = [
        Group(task.group, "URL", 1, "a list", [Line(task.ours, 1.0, 0), Line(task.usual or "other", 2.0, 0)])
        for task in SUMMARY
    ]
    assert len(summary(groups, "A machine").splitlines()) == len(SUMMARY) + 4 <= 10


@pytest.mark.parametrize("task", SUMMARY, ids=attrgetter("title"))
def test_engines_of_the_summary_are_measured(task: Task) -> None:
    assert task.group in GROUPS
    names = {engine.name for engine in ENGINES.get(task.group, ())} or {"urisect.logs.tables"}
    assert {task.ours, task.usual or task.ours} <= names


def test_notes_are_about_groups() -> None:
    assert {*NOTES} <= {*GROUPS}
    assert "urisect.reference" in test_import.MODULES


def test_chart_shows_every_engine_and_keeps_bare_expressions_apart() -> None:
    shown = texts(draw_chart(SPLIT, "A machine, CPython 3.11.2, 2026-11-22"))
    assert shown[:3] == ["Nanoseconds to split a URL", "Lower is better.", "Libraries"]
    libraries = shown[3 : shown.index(BARE)]
    assert libraries[:-2] == ["urisect.split", "400", "can_ada.parse", "500", "urllib.parse.urlsplit", "1,600"]
    assert libraries[-2:] == ["rfc3986.uri_reference", "5,200, too long to draw"]  # thirteen times as long as urisect
    bare = shown[shown.index(BARE) + 1 :][:4]
    assert bare == ["re, as urisect uses it", "300", "re, RFC 3986, App. B", "700"]
    assert "urlsplit: without its cache." in shown
    assert shown[-1] == "A machine, CPython 3.11.2, 2026-11-22."


def test_chart_is_legible_on_a_phone_and_on_any_background() -> None:
    svg = draw_chart(SPLIT, "A machine")
    root = ET.fromstring(svg)  # noqa: S314  our own
    width = float(root.attrib["viewBox"].split()[2])
    sizes = {kind: int(size) for kind, size in re.findall(r"^(text|\.\w+) .*?([0-9]+)px", svg, re.MULTILINE)}
    assert sizes["text"] * PHONE / width >= 13
    assert min(sizes.values()) * PHONE / width >= 11.5
    assert root.find(f"{SVG}rect[@class='panel']") is not None
    lengths = [float(bar.attrib["width"]) for bar in root.iter(f"{SVG}rect") if bar.attrib["class"] != "panel"]
    assert lengths == pytest.approx([lengths[0] * ratio for ratio in (1, 1.251, 4, 0.75, 1.75)], rel=0.01)


def test_bars_and_outlines_of_the_chart_stand_out_in_both_colour_schemes() -> None:
    for style in (STYLE.partition("@media")[0], STYLE.partition("@media")[2]):
        [panel] = re.findall(r"\.panel { fill: (#\w+)", style)
        bars = re.findall(r"rect\.(?:peer|ours) { fill: (#\w+)", style)
        outlines = re.findall(r"rect\.bare { .*stroke: (#\w+)", style)
        assert [len(bars), len(outlines)] == [2, 1]
        for colour in (*bars, *outlines):
            assert contrast(colour, panel) >= 3  # WCAG 2.2, 1.4.11


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours: WCAG 2.2, contrast ratio."""

    def luminance(colour: str) -> float:
        shares = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
        linear = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
        return sum(weight * light for weight, light in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_labels_of_the_chart_do_not_reach_its_bars() -> None:
    width = 10.4  # of a character in such names, in DejaVu Sans, which is wider than most fonts
    names = [line.name for line in read_table(RESULTS.read_text("utf-8"), CHARTED)[0].lines]
    labels = [LABELS.get(name, name) for name in names]
    assert [label for label in labels if MARGIN + width * len(label) > LEFT] == []


def test_the_chart_is_that_of_the_results() -> None:
    group, setting = read_table(RESULTS.read_text("utf-8"), CHARTED)
    assert CHART.read_text("utf-8") == draw_chart(group, setting), "run make pages"


def test_a_table_that_was_written_is_read() -> None:
    rounded = SPLIT._replace(lines=[line._replace(nanoseconds=round(line.nanoseconds)) for line in SPLIT.lines])
    assert read_table(markdown([SPLIT, SPLIT._replace(name="split bytes")], "A machine"), "split a str") == (
        rounded,
        "A machine",
    )


def test_description_of_the_chart() -> None:
    assert describe_chart(SPLIT) == (
        "Bar chart of nanoseconds to split a URL, lower is better: "
        "urisect.split 400, can_ada.parse 500, urllib.parse.urlsplit 1,600, rfc3986.uri_reference 5,200."
    )


def test_report_writes_the_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    readme, page = tmp_path / "README.md", tmp_path / "docs" / "performance.md"
    region = "<!-- {}: written by make bench -->\nold\n<!-- end -->\n"
    readme.write_text(f"Before.\n{region.format('chart')}Between.\n{region.format('benchmarks')}After.\n")
    page.write_text(region.format("chart"))
    monkeypatch.setattr(report, "README", readme)
    monkeypatch.setattr(report, "RESULTS", tmp_path / "docs" / "results.md")
    monkeypatch.setattr(report, "CHART", tmp_path / "docs" / "split.svg")
    monkeypatch.setattr(report, "CHART_PAGES", (readme, page))
    for number, seconds in enumerate((5e-4, 4e-4)):
        (tmp_path / f"run{number}.json").write_text(json.dumps(run(seconds)))
    main([str(tmp_path / f"run{number}.json") for number in range(2)])
    written = readme.read_text()
    assert re.search(r"Before\.\n.*\n\n!\[[^]]* urisect\.split 400, [^]]*\]\(docs/split\.svg\)\n\n.*\nBetween", written)
    assert "\n| split a URL | **400** | can_ada 600 (1.5 ×) |  |\n" in written
    assert written.endswith("\nAfter.\n")
    assert "old" not in written
    assert "](split.svg)\n" in page.read_text()
    assert "| can_ada.parse | 600 | 1.50 |  |" in (tmp_path / "docs" / "results.md").read_text()
    assert "400" in texts((tmp_path / "docs" / "split.svg").read_text())


def test_pages_show_figures_of_one_run() -> None:
    chart, results = CHART.read_text("utf-8"), RESULTS.read_text("utf-8")
    [description] = re.findall(r'<desc id="description">([^<]*)</desc>', chart)
    for page in CHART_PAGES:
        assert f"![{description}]" in page.read_text("utf-8")
    table = re.findall(r"^\| ([^|]+) \| \*\*([0-9,]+)\*\* \| ", README.read_text("utf-8"), re.MULTILINE)
    assert [title for title, _ in table] == [task.title for task in SUMMARY]
    for task, (_, nanoseconds) in zip(SUMMARY, table, strict=True):
        assert f"| **{task.ours}** | {nanoseconds} | " in results


def test_limits_of_the_guard_are_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LOG_BYTES", 1000)
    monkeypatch.setattr(limits, "LONG_LOG_BYTES", 1000)
    page = (DOCS / "performance.md").read_text("utf-8")
    declared = [
        *rows(["http://a/"], ["/b"], [b"a line"]),
        *application_rows([]),
        *crawling_rows([], []),
        *log_rows([b"a line"], tmp_path),
    ]
    expected: dict[str, list[str]] = {}
    for row in declared:
        if row.limit is not None:
            expected.setdefault(row.name, []).append(f"{row.limit:.2f} {row.unit}")
    shown = re.findall(r"^\| `?([^|`]+)`? \| ([0-9.]+ (?:×|ms)[^|]*) \|$", page, re.MULTILINE)
    assert dict(shown) == {name: "; ".join(figures) for name, figures in expected.items()}


def test_libraries_that_are_faster_are_on_the_page() -> None:
    page = (DOCS / "performance.md").read_text("utf-8")
    section = page[page.index("## Where other libraries are faster") : page.index("## How it is measured")]
    faster = set()
    for table in re.findall(r"(?:^\|.*\n)+", RESULTS.read_text("utf-8"), re.MULTILINE):
        names = re.findall(r"^\| ([^|]+) \| [0-9,.]+ \| ", table, re.MULTILINE)
        first = next(index for index, name in enumerate(names) if name.startswith("**"))
        lines = [Line(name, 0.0, 0) for name in names[:first]]
        faster |= {line.library for line in lines if not line.is_bare and not line.name.startswith("for ")}
    assert faster
    assert [name for name in sorted(faster) if f"`{name}" not in section] == []
