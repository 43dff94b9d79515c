"""Reports in tests: a log, the content and the page of its report, and the page in a browser."""

import io
from typing import TYPE_CHECKING, Any

from benchmarks.corpora import access_log
from urisect.logs import COMBINED, Format, tables
from urisect.logs.report.content import PageContent
from urisect.logs.report.findings import Findings
from urisect.logs.report.page import render_page
from urisect.logs.scan.task import PieceResult

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["HOSTILE_TEXTS", "LOG", "LoadedPage", "add_lines", "build_content", "log_line", "render_log", "table_rows"]

LOG = access_log(4000)

# Targets, referers and agents that must not act on the page.
HOSTILE_TEXTS = [
    b"/<script>alert(1)</script>",
    b"/'onmouseover='x",
    b"/%00\x1b[31m\x07",
    b"javascript:alert(1)//",
    b"/\xe2\x80\xaegpj",
    b"/\xff\xfe",
    b"/{{7*7}}{%raw%}",
    b"/</style></code><img/src=x>",
    b"/" + b"a" * 100_000,
    b"/-->",
    b"/&lt;&#60;",
    b"/\xcc\x81\xf3\xa0\x81\x81",
    b"/\xed\xa0\x80",
    b"/\\x22",
    b"http://a@[::1]:99999/\xc2\x85?<b>=<i>&%3Cu%3E=1#<s>",
]


def add_lines(data: bytes, format: Format, findings: Findings, file: str = "access.log") -> Findings:
    """Add the lines of a log to findings."""
    for table in tables(io.BytesIO(data), format, columns=findings.summarizer.fields):
        outputs = [findings.summarizer(table)]
        findings.add(PieceResult(file, outputs, table.parsed, table.rejected, table.skipped))
    return findings


def render_log(data: bytes, format: Format = COMBINED, **options: Any) -> str:
    """Return the HTML page about a log."""
    with Findings(format, ["access.log"]) as findings:
        return render_page(add_lines(data, format, findings), **options)


def build_content(data: bytes, format: Format = COMBINED) -> PageContent:
    """Return the content of the page about a log."""
    with Findings(format, ["access.log"]) as findings:
        return PageContent(add_lines(data, format, findings))


def table_rows(content: PageContent, title: str) -> list[list[str]]:
    """Return the texts in a table."""
    [table] = [table for section in content.sections for table in section.tables if table.title == title]
    return [[cell.text for cell in row] for row in table.rows]


def log_line(
    target: bytes = b"/",
    *,
    time: bytes = b"10/Nov/1996:00:00:00 +0000",
    status: bytes = b"200",
    sent: bytes = b"1",
    referer: bytes = b"-",
    agent: bytes = b"-",
) -> bytes:
    """Return a line in the combined format."""
    return b'192.0.2.7 - - [%b] "GET %b HTTP/1.0" %b %b "%b" "%b"\n' % (time, target, status, sent, referer, agent)


class LoadedPage:
    """A page in a browser, with its requests and console messages."""

    def __init__(self, browser: "Browser", page_url: str, *, width: int = 1280, scheme: Any = "light") -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.console_messages: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.console_messages.append(message.text))
        self.page.on("pageerror", lambda error: self.console_messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(page_url)

    def close(self) -> None:
        """Close the page."""
        self.page.close()
