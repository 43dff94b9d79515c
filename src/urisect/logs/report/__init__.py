"""The report of a log: counted wherever its lines are cut, added up in a temporary file, and written as one page."""

from urisect.logs.report.findings import Findings
from urisect.logs.report.page import report

__all__ = ["Findings", "report"]
