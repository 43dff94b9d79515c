"""Render a report as one HTML page without external resources; it runs no script but its own."""

import shlex
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING

from urisect.extras import MissingExtraError
from urisect.logs.input.files import STDIN
from urisect.logs.input.locations import path_of
from urisect.logs.report.cells import UNDEFINED_TEXT
from urisect.logs.report.charts import draw_share_bar
from urisect.logs.report.content import PageContent
from urisect.logs.report.findings import Findings
from urisect.logs.report.formatting import escape_unprintable
from urisect.logs.report.model import Cell, ReportTable

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["render_page"]

MAX_NAMED_FILES = 3  # in a command

SECURITY_POLICY = "default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"


def render_page(findings: Findings, title: str | None = None) -> str:
    """Render the report page of findings.

    Args:
        findings: open findings, whose counts can be queried.
        title: the title of the page; the name of the file by default.

    Returns:
        An HTML document that needs no other file: charts are SVG, tables can be sorted, and text from the log is shown
        as text, whatever it contains.

    Raises:
        MissingExtraError: Jinja is not installed.

    >>> import tempfile
    >>> from urisect.logs import COMMON
    >>> from urisect.logs.scan.parallel import scan
    >>> with tempfile.NamedTemporaryFile(suffix=".log") as log, Findings(COMMON, [log.name]) as findings:
    ...     _ = log.write(COMMON.sample)
    ...     log.flush()
    ...     for result in scan(findings.files, findings.task()):
    ...         findings.add(result)
    ...     page = render_page(findings, "Two requests")
    >>> page[:15], "<h1>Two requests</h1>" in page
    ('<!doctype html>', True)
    """
    content = PageContent(findings)
    style, script = _read_resource("page.css"), _read_resource("page.js")
    return _template().render(
        title=content.name if title is None else escape_unprintable(title),
        name=content.name,
        format=escape_unprintable(findings.format.name),
        where=None if findings.where is None else escape_unprintable(findings.where),
        command=_report_command(findings),
        time_range=findings.time_range,
        without_bots=findings.without_bots and findings.summarizer.agent is not None,
        before=findings.before and findings.before.time_range,
        lines=findings.lines,
        tiles=content.tiles,
        sections=content.sections,
        style=style,
        script=script,
        policy=SECURITY_POLICY.format(style=_hash_source(style), script=_hash_source(script)),
        version=version("urisect"),
    )


def _report_command(findings: Findings) -> str:
    """Return a command that makes this report in the directory of the files, without its condition."""
    names = [path_of(file).rpartition("/")[2] for file in findings.files if file != STDIN]
    arguments = [escape_unprintable(name) for name in names] if 0 < len(names) <= MAX_NAMED_FILES else ["FILE"]
    for name, time in findings.time_range.limits() if findings.time_range else ():
        arguments += [f"--{name}", time]
    arguments += ["--without-bots"] if findings.without_bots else []
    return f"urisect report {shlex.join(arguments)}"


@cache
def _template() -> "Template":
    try:
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  part of an extra, needed once
    except ModuleNotFoundError:
        raise MissingExtraError("a report", "jinja2") from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    environment.globals.update(table_data=_table_data, draw_share_bar=draw_share_bar)
    return environment.from_string(_read_resource("page.html.j2"))


def _table_data(table: ReportTable) -> list[list[object]]:
    """Return the rows of a table for the script: a cell is a text, or a text with its number and its tooltip."""
    return [[_cell_data(cell) for cell in row] for row in table.rows]


def _cell_data(cell: Cell) -> object:
    text = None if cell.text == UNDEFINED_TEXT and cell.is_quiet else cell.text
    if cell.tooltip:
        return [text, cell.sort_key, cell.tooltip]
    return text if cell.sort_key is None and text is not None else [text, cell.sort_key]


def _read_resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash_source(text: str) -> str:
    """Return the source expression that allows a style or script (Content Security Policy Level 3, 2.3.1)."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
