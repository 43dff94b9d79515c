"""Tests of the HTML page: escaping of hostile text, and behaviour in a browser."""

import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.reports import HOSTILE_TEXTS, LOG, LoadedPage, log_line, render_log
from urisect.cli import main
from urisect.logs import COMBINED, MissingExtraError
from urisect.logs.report import page
from urisect.logs.report.findings import Findings
from urisect.logs.report.page import render_page
from urisect.logs.scan.parallel import scan

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator


class ElementCounter(HTMLParser):
    """The elements of a page, and the attributes of each."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.attributes: Counter[str] = Counter()
        self.links: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes.update(name for name, _ in attrs)
        self.links.update(value or "" for name, value in attrs if name in {"href", "src"})

    def handle_data(self, data: str) -> None:
        self.text += data


# The elements and attributes of every page, whatever the log contains.
ALLOWED_ELEMENTS = set(re.findall(r"\S+", """
    html head meta title style body header h1 p strong main dl div dt dd small span nav a section h2 figure figcaption
    ul li b svg text line g rect h3 table thead tr th tbody td code mark footer script details summary
"""))  # fmt: skip
ALLOWED_ATTRIBUTES = set(re.findall(r"\S+", """
    lang charset http-equiv content name class id href rel aria-label aria-labelledby aria-sort aria-hidden role scope
    title data-order height width x y x1 x2 y1 y2 dy text-anchor open type data-distinct data-field data-command
    data-where
"""))  # fmt: skip


def test_the_page_does_not_depend_on_the_number_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urisect.logs.scan.parallel.PARENT_ONLY_BYTES", 0)
    monkeypatch.setattr("urisect.logs.scan.pieces.FILE_PIECE_BYTES", 1 << 17)
    log = tmp_path / "access.log"
    log.write_bytes(LOG)
    pages: set[str] = set()
    for jobs in (1, 2):
        with Findings(COMBINED, [str(log)]) as findings:
            for result in scan(findings.files, findings.task(), jobs=jobs):
                findings.add(result)
            pages.add(render_page(findings))
    assert len(pages) == 1


def test_the_page_names_the_files_and_the_predicate() -> None:
    with Findings(COMBINED, ["/var/log/a.log", "b.log"], where="status > '<'") as findings:
        html = render_page(findings, "<i>\x1b")
    assert (
        "2 files, format: <strong>combined</strong>; only lines where <code>status &gt; &#39;&lt;&#39;</code>" in html
    )
    assert "<h1>&lt;i&gt;\\x1b</h1>" in html
    with Findings(COMBINED, ["-"]) as findings:
        assert "<h1>standard input</h1>" in render_page(findings)


def test_hostile_log_text_is_only_text_on_the_page() -> None:
    log = b"".join(
        b'%b - - [10/Nov/1996:00:00:00 +0000] "GET %b HTTP/1.0" 404 1 "%b" "%b"\n' % ((text,) * 4)
        for text in HOSTILE_TEXTS
    )
    html = render_log(log + b"\n".join(HOSTILE_TEXTS), title="<script>")
    parsed = ElementCounter(html)
    assert parsed.elements.keys() <= ALLOWED_ELEMENTS
    assert parsed.attributes.keys() <= ALLOWED_ATTRIBUTES
    assert parsed.elements["script"] - html.count('<script type="application/json">') == parsed.elements["style"] == 1
    assert all(re.fullmatch(r"#[a-z]+|https://(www\.rfc-editor|cwe\.mitre|url\.spec|www\.unicode)[^<>\"']+", link)
               for link in parsed.links)  # fmt: skip
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\ufffe\ufffd]", html)
    assert "/<script>alert(1)</script>" in parsed.text
    assert "/\\u202egpj" in parsed.text
    assert "/\\xff\\xfe" in parsed.text
    assert len(html) < 200_000


def test_every_bucket_has_a_bar() -> None:
    times = [b"31/Dec/1999:23:59:59 +0000", b"01/Jan/2000:00:02:00 +0000", b"01/Jan/2000:01:02:00 +0100"]
    html = render_log(b"".join(log_line(time=time, status=b"404") for time in times))
    assert re.findall(r"<title>(.*?)</title>", html, re.DOTALL)[1:5] == [
        "1999-12-31 23:59 UTC\n4xx client error: 1",
        "2000-01-01 00:00 UTC\nnone",
        "2000-01-01 00:01 UTC\nnone",
        "2000-01-01 00:02 UTC\n4xx client error: 2",
    ]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    page._template.cache_clear()
    with pytest.raises(MissingExtraError, match="a report needs jinja2"):
        render_log(LOG)


def test_the_page_makes_no_requests_and_logs_no_errors(loaded: LoadedPage, page_url: str) -> None:
    loaded.page.mouse.wheel(0, 10_000)
    assert loaded.requests == [page_url]
    assert loaded.console_messages == []


def test_the_content_security_policy_blocks_added_content(loaded: LoadedPage) -> None:
    loaded.page.evaluate("""
        document.body.insertAdjacentHTML("beforeend", "<img src='https://example.com/a.png'><p onclick='b()'>");
        document.body.append(Object.assign(document.createElement("script"), {textContent: "document.title = 'run'"}));
        document.body.lastElementChild.previousElementSibling.click();
    """)
    assert loaded.page.title() == "access.log"
    assert len(loaded.console_messages) == 3
    assert all("Content Security Policy" in message for message in loaded.console_messages)


def test_bars_lie_inside_the_charts(loaded: LoadedPage) -> None:
    charts = loaded.page.locator("svg.bars")
    assert charts.count() == 4
    box = charts.first.bounding_box()
    assert box
    assert box["width"] > 800
    assert box["height"] == 200
    bars = charts.first.locator("rect.s2, rect.s3, rect.s4, rect.s5, rect.s0")
    assert bars.count() > 100
    boxes = [bars.nth(number).bounding_box() for number in range(0, bars.count(), 20)]
    assert all(bar and bar["width"] > 3 and bar["height"] >= 1 for bar in boxes)
    assert all(bar and box["x"] <= bar["x"] <= bar["x"] + bar["width"] <= box["x"] + box["width"] + 1 for bar in boxes)
    colours = bars.evaluate_all("bars => [...new Set(bars.map(bar => getComputedStyle(bar).fill))]")
    assert len(colours) >= 4
    shares = loaded.page.locator("svg.share rect")
    widths = shares.evaluate_all("bars => bars.slice(0, 3).map(bar => bar.getBoundingClientRect().width)")
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 20


def test_axis_labels_do_not_overlap(browser: "Browser", page_url: str) -> None:
    for width in (1280, 390):
        loaded = LoadedPage(browser, page_url, width=width)
        boxes = (
            loaded.page.locator("svg.bars")
            .first.locator("text")
            .evaluate_all(
                "texts => texts.map(text => text.getBoundingClientRect()).filter(box => box.width)"
                ".map(box => [box.left, box.right])"
            )
        )
        assert len(boxes) >= 3
        assert all(end < begin for (_, end), (begin, _) in pairwise(boxes))
        assert boxes[-1][1] <= width
        loaded.close()


def column_texts(table: "Locator", column: int) -> list[str]:
    """Return the texts in a column of a table, counted from 1."""
    texts = table.locator(f"tbody td:nth-child({column})").all_inner_texts()
    return [text.strip() for text in texts]


def test_a_click_sorts_a_table(loaded: LoadedPage) -> None:
    table = loaded.page.locator("#requests table").first
    header = table.locator("th").nth(1)
    before = [int(text.replace(",", "")) for text in column_texts(table, 2)]
    assert before == sorted(before, reverse=True)
    assert header.get_attribute("aria-sort") == "descending"
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    after = [int(text.replace(",", "")) for text in column_texts(table, 2)]
    assert after == sorted(after)
    assert after[0] <= before[-1]
    table.locator("th").first.locator("button").press("Enter")
    assert header.get_attribute("aria-sort") is None
    assert table.locator("th").first.get_attribute("aria-sort") == "ascending"
    paths = column_texts(table, 1)
    sorted_paths = loaded.page.evaluate("paths => [...paths].sort((a, b) => a.localeCompare(b))", paths)
    assert paths == sorted_paths
    table.locator("th").nth(3).locator("button").click()
    sizes = table.locator("tbody td:nth-child(4)").evaluate_all(
        "cells => cells.map(cell => Number(cell.dataset.order))"
    )
    assert sizes == sorted(sizes, reverse=True)


def test_colours_follow_the_colour_scheme(browser: "Browser", page_url: str) -> None:
    colours: list[list[int]] = []
    for scheme in ("light", "dark"):
        loaded = LoadedPage(browser, page_url, scheme=scheme)
        for property in ("backgroundColor", "color"):
            colour = loaded.page.evaluate(f"getComputedStyle(document.body).{property}")
            colours.append([int(part) for part in re.findall(r"\d+", colour)])
        loaded.close()
    light_background, dark_text, dark_background, light_text = (sum(colour) for colour in colours)
    assert light_background > 700 > light_text > 600
    assert dark_text < 150
    assert dark_background < 100


@pytest.mark.parametrize(("width", "is_visible"), [(1280, True), (390, False)])
def test_times_of_responses_leave_small_screens_to_their_paths(
    browser: "Browser", page_url: str, *, width: int, is_visible: bool
) -> None:
    loaded = LoadedPage(browser, page_url, width=width)
    table = loaded.page.locator("section.report-table", has_text="Largest responses").locator("table")
    assert table.locator("th").nth(2).is_visible() == is_visible
    assert table.locator("tbody td:nth-child(3)").first.is_visible() == is_visible
    assert table.locator("tbody td:nth-child(1)").first.is_visible()
    loaded.close()


def test_highlighted_spaces_are_visible(browser: "Browser", page_url: str) -> None:
    loaded = LoadedPage(browser, page_url, width=320)
    marks = loaded.page.locator("mark").filter(has_text=re.compile(r"^ +$"))
    assert marks.count() > 0
    assert all(width > 3 for width in marks.evaluate_all("marks => marks.map(mark => mark.offsetWidth)"))
    loaded.close()


@pytest.mark.parametrize("width", [1280, 800, 390, 320])
def test_nothing_overflows_on_any_screen_width(browser: "Browser", page_url: str, width: int) -> None:
    loaded = LoadedPage(browser, page_url, width=width)
    assert loaded.page.evaluate("document.documentElement.scrollWidth") <= width
    overflowing = loaded.page.evaluate("""
        [...document.querySelectorAll("h1, h2, h3, p, dd, td, th, li, code, nav, figcaption")]
            .filter((element) => element.getClientRects().length && element.scrollWidth > element.clientWidth + 1
                && getComputedStyle(element).display !== "inline" && getComputedStyle(element).overflowX !== "auto")
            .map((element) => element.textContent.slice(0, 80))
    """)
    assert overflowing == []
    outside_window = loaded.page.evaluate("""
        [...document.querySelectorAll("body :not(nav *)")]
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
            .map((element) => element.outerHTML.slice(0, 80))
    """)
    assert outside_window == []
    loaded.close()


def test_the_page_works_without_javascript(browser: "Browser", page_url: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    plain_page = context.new_page()
    plain_page.goto(page_url)
    assert plain_page.locator("th").first.inner_text().startswith("Status")
    assert plain_page.locator("button").count() == 0
    assert plain_page.locator("svg.bars").count() == 4
    context.close()


@pytest.fixture(scope="module")
def many_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a report with more paths than it holds, and more clients than it shows."""
    directory = tmp_path_factory.mktemp("many")
    lines = (
        log_line(b"/%03d" % number, sent=b"%d" % number).replace(b"192.0.2.7", b"192.0.2.%d" % (number % 40))
        for number in range(600)
    )
    (directory / "access.log").write_bytes(b"".join(lines) + log_line(b"/=1+1,\\x22", sent=b"7") * 3)
    assert main(["report", str(directory / "access.log"), "-q", "-o", str(directory / "report.html")]) == 0
    return (directory / "report.html").as_uri()


@pytest.fixture
def many(browser: "Browser", many_url: str) -> Iterator[LoadedPage]:
    loaded = LoadedPage(browser, many_url)
    yield loaded
    assert loaded.console_messages == []
    assert loaded.requests == [many_url]
    loaded.close()


def table_section(loaded: LoadedPage, title: str) -> "Locator":
    """Return the table with a title, and what belongs to it."""
    sections = loaded.page.locator("section.report-table")
    return sections.filter(has=loaded.page.locator("h3", has_text=re.compile(rf"^\s*{title}\s*$"))).first


def test_all_rows_of_a_table_are_found_on_its_pages(many: LoadedPage) -> None:
    section = table_section(many, "Clients")
    place, after, before = (section.locator(name) for name in (".place", "[aria-label^=Next]", "[aria-label^=Prev]"))
    clients = []
    for expected in ("1–10 of 40", "11–20 of 40", "21–30 of 40", "31–40 of 40"):
        assert place.inner_text() == expected
        clients += column_texts(section.locator("table"), 1)
        if expected != "31–40 of 40":
            after.press("Enter")
    assert sorted(clients) == sorted(f"192.0.2.{number}" for number in range(40))
    assert after.is_disabled()
    before.click()
    assert place.inner_text() == "21–30 of 40"


def test_a_search_finds_rows_that_are_not_shown(many: LoadedPage) -> None:
    section = table_section(many, "Clients")
    section.locator("input").fill("192.0.2.39")
    assert column_texts(section.locator("table"), 1) == ["192.0.2.39"]
    assert section.locator("tbody td").nth(1).inner_text() == "15"
    assert section.locator(".place").inner_text() == "1–1 of 1"
    section.locator("input").fill("nobody")
    assert section.locator("tbody tr").count() == 0
    assert section.locator(".place").inner_text() == "nothing found"
    section.locator("input").fill("")
    assert section.locator("tbody tr").count() == 10


def test_a_table_is_sorted_by_what_all_its_rows_have(many: LoadedPage) -> None:
    section = table_section(many, "Clients")
    section.locator("th", has_text="Bytes").locator("button").click()
    sizes = section.locator("tbody td:last-child").evaluate_all(
        "cells => cells.map(cell => Number(cell.dataset.order))"
    )
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == sum(range(39, 600, 40))
    section.locator("th").first.locator("button").click()
    assert column_texts(section.locator("table"), 1)[:2] == ["192.0.2.0", "192.0.2.1"]


def test_a_table_that_does_not_hold_all_values_cannot_be_sorted(many: LoadedPage) -> None:
    section = table_section(many, "Pages")
    assert section.locator("th button").count() == 0
    assert section.locator(".place").inner_text() == "1–15 of 500 of 601"


def test_rows_without_a_value_are_sorted_with_the_others(browser: "Browser", tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        render_log(b"".join(log_line(agent=b"%d" % row) for row in range(30)) + log_line())
    )
    loaded = LoadedPage(browser, (tmp_path / "page.html").as_uri())
    table = table_section(loaded, "User agents").locator("table")
    table.locator("th").first.locator("button").click()
    assert column_texts(table, 1)[:3] == ["(none)", "0", "1"]
    assert "quiet" in (table.locator("tbody td").first.get_attribute("class") or "")
    loaded.close()


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = (int(colour[first : first + 2], 16) / 255 for first in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_colours_of_charts_stand_out_from_the_page() -> None:
    style = page._read_resource("page.css")
    for scheme in re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]:
        colours = {name: luminance(colour) for name, colour in re.findall(r"--(\w+): (#\w{6})", scheme)}
        for name in ("s0", "s2", "s3", "s4", "s5"):
            lighter, darker = sorted((colours[name] + 0.05, colours["page"] + 0.05), reverse=True)
            assert lighter / darker >= 3, (name, lighter / darker)


def test_rows_are_copied_as_csv(browser: "Browser", many_url: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(many_url)
    loaded = page.locator("section.report-table", has_text="Pages").first
    loaded.get_by_text("Copy as CSV").click()
    page.wait_for_function("document.querySelector('#requests .place').textContent === '500 rows copied'")
    header, first, *rows = page.evaluate("navigator.clipboard.readText()").split("\r\n")
    assert header == "Path,Requests,Share,People,Errors,Bytes"
    assert first == '"/=1+1,\\x22",3,0.5 %,3,0,21'
    assert len(rows) == 500
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    loaded.get_by_text("Copy as CSV").click()
    page.wait_for_function("document.querySelector('#requests .place').textContent.includes('does not allow')")
    context.close()


def test_a_value_shows_the_command_for_its_lines(
    browser: "Browser", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "my access.log"
    log.write_bytes(
        b"".join(log_line(b"/%d" % number) for number in range(30))
        + log_line(b"/it's") * 3
        + log_line(b"/$HOME", status=b"404")
        + log_line(b"/\\x22")
        + log_line(b"/" + b"a" * 3000, agent=b"x")
    )
    arguments = ["report", str(log), "-q", "--since", "1996-11-10", "--where", "bytes < 10", "--without-bots"]
    assert main([*arguments, "-o", f"{tmp_path}/report.html"]) == 0
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    section = page.locator("section.report-table", has_text="Pages").first
    text = page.locator(".command code")

    def command(path: str) -> str:
        section.locator("input").fill(path)
        section.locator("button.value").first.press("Enter")
        found = text.inner_text()
        page.keyboard.press("Escape")
        assert not text.is_visible()
        return found

    prefix = "urisect report 'my access.log' --since 1996-11-10T00:00:00Z --without-bots"
    assert command("/it") == f"""{prefix} --where "(bytes < 10) AND target_path = '/it''s'" -o report.html"""
    (tmp_path / "report.html").unlink()
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command("/it"))[1:]) == 0
    assert "<b>3</b>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    home = shlex.split(command("/$HOME"))
    assert home[home.index("--where") + 1] == "(bytes < 10) AND target_path = '/$HOME'"
    for path in ("/\\x22", "/aaa"):
        assert (
            command(path)
            == f"urisect top target_path{prefix.removeprefix('urisect report').removesuffix(' --without-bots')}"
        )
    section.locator("input").fill("/2")
    section.locator("button.value").first.click()
    page.locator("dialog").get_by_text("Copy", exact=True).click()
    page.wait_for_function("document.querySelector('.command button').textContent === 'Copied'")
    assert "target_path = '/2" in page.evaluate("navigator.clipboard.readText()")
    page.keyboard.press("Escape")
    page.locator("section.report-table", has_text="Status codes").first.locator("button.value").last.click()
    assert text.inner_text() == f"""{prefix} --where "(bytes < 10) AND status = '404'" -o report.html"""
    page.locator("dialog").get_by_text("Close").click()
    page.locator("section.report-table", has_text="User agents").locator("button.value").first.click()
    assert "AND agent IS NULL" in text.inner_text()
    page.mouse.click(5, 5)
    assert not text.is_visible()
    context.close()


def test_fields_that_begin_like_formulas_are_quoted(many: LoadedPage) -> None:
    quoted = many.page.evaluate("""['=1', '+1', '-1', '@a', 'a"b', 'a,b', 'a\\nb', 'a'].map(quoteField)""")
    assert quoted == ["'=1", "'+1", "'-1", "'@a", '"a""b"', '"a,b"', '"a\nb"', "a"]


@pytest.mark.parametrize("width", [1280, 390])
def test_sections_fold_and_links_open_them(browser: "Browser", many_url: str, width: int) -> None:
    loaded = LoadedPage(browser, many_url, width=width)
    table = table_section(loaded, "Clients")
    loaded.page.locator("#visitors summary").press("Enter")
    assert not table.is_visible()
    loaded.page.locator("nav a", has_text="Visitors").click()
    assert table.is_visible()
    box = loaded.page.locator("nav").bounding_box()
    assert box
    assert (box["y"] >= 0) == (width == 390)  # on a small screen, the links stay
    loaded.close()


def test_paper_shows_all_sections_and_no_controls(many: LoadedPage) -> None:
    many.page.locator("#visitors summary").click()
    many.page.emulate_media(media="print")
    many.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert table_section(many, "Clients").is_visible()
    assert not many.page.locator(".controls").first.is_visible()
    assert not many.page.locator("nav").is_visible()


def test_the_values_of_a_bar_are_read_by_keyboard(loaded: LoadedPage) -> None:
    chart, readout = loaded.page.locator(".chart").first, loaded.page.locator(".readout").first
    texts = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "Escape", "ArrowLeft"):
        chart.press(key)
        texts.append(readout.inner_text())
    first, second, first_again, last, last_again, first_at_last, nothing, last_of_all = texts
    assert first == first_again == first_at_last != second
    assert last == last_again == last_of_all != first
    assert nothing == ""
    assert re.fullmatch(r"[0-9-]+ [0-9:]+ UTC: .+", last)
    assert loaded.page.locator("g.current").count() == 1


def test_the_values_of_a_bar_are_read_by_touch_and_mouse(browser: "Browser", page_url: str) -> None:
    context = browser.new_context(has_touch=True, viewport={"width": 390, "height": 900})
    page = context.new_page()
    page.goto(page_url)
    chart, readout = page.locator("svg.bars").first, page.locator(".readout").first
    chart.tap(position={"x": 100, "y": 50})
    touched = readout.inner_text()
    assert " UTC: " in touched
    chart.hover(position={"x": 200, "y": 50})
    assert readout.inner_text() not in {"", touched}
    page.mouse.move(5, 5)
    assert readout.inner_text() == ""
    context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(browser: "Browser", page_url: str, width: int, scheme: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415  only this test needs it

    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(page_url)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    context.close()


def test_axe_finds_no_violation_in_a_comparison_and_a_command(browser: "Browser", log: Path, tmp_path: Path) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415  only these tests need it

    assert main(["report", str(log), "-q", "--since", "2024-03-17", "--compare", "-o", f"{tmp_path}/report.html"]) == 0
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    page.locator("button.value").first.click()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    context.close()


def test_the_page_of_a_hostile_log_is_small() -> None:
    for unit in (b"a", b"<", "\U0001f600".encode()):
        long = unit * 2000
        log = b"".join(log_line(b"/%d" % number + long, agent=long + b"%d" % number) for number in range(500))
        assert len(render_log(log).encode()) < 1_000_000
