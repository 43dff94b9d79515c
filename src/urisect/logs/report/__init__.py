"""Reports about logs: counted in workers, added up in a temporary database, and rendered as one HTML page."""

from urisect.logs.report.findings import Findings
from urisect.logs.report.page import render_page

__all__ = ["Findings", "render_page"]
