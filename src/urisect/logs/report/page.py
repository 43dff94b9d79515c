"""The page as one HTML file, which asks the network for nothing, and runs nothing but its own few lines of script."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING

from urisect.logs.errors import MissingExtraError
from urisect.logs.report.findings import Findings
from urisect.logs.report.sections import Page
from urisect.logs.report.text import shown

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["report"]

POLICY = "default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"


def report(findings: Findings, title: str | None = None) -> str:
    """Write the report of a log.

    Args:
        findings: what was found, while its counts can be asked.
        title: of the page; the name of the file by default.

    Returns:
        An HTML document that needs nothing beside it: charts are SVG, tables can be sorted, and what stands in the log
        is text, wherever it is shown.

    Raises:
        MissingExtraError: Jinja is not installed.

    >>> import tempfile
    >>> from urisect.logs import COMMON
    >>> from urisect.logs.scan.parallel import scan
    >>> with tempfile.NamedTemporaryFile(suffix=".log") as log, Findings(COMMON, [log.name]) as findings:
    ...     _ = log.write(COMMON.sample)
    ...     log.flush()
    ...     for done in scan(findings.files, findings.task()):
    ...         findings.add(done)
    ...     page = report(findings, "Two requests")
    >>> page[:15], "<h1>Two requests</h1>" in page
    ('<!doctype html>', True)
    """
    page = Page(findings)
    style, script = _text("page.css"), _text("page.js")
    return _template().render(
        title=page.name if title is None else shown(title),
        name=page.name,
        format=shown(findings.format.name),
        where=None if findings.where is None else shown(findings.where),
        lines=findings.lines,
        tiles=page.tiles,
        sections=page.sections,
        style=style,
        script=script,
        policy=POLICY.format(style=_hash(style), script=_hash(script)),
        version=version("urisect"),
    )


@cache
def _template() -> "Template":
    try:
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  it comes with an extra, and is needed once
    except ModuleNotFoundError:
        raise MissingExtraError("a report", "jinja2") from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(_text("page.html.j2"))


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Name a style or a script in the policy of the page (Content Security Policy Level 3, 2.3.1)."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
