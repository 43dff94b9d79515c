"""Ways to parse a line of a combined log: urisect, the same expression without Appendix B, and apachelogs."""

import re
from collections import deque
from importlib import import_module
from io import BytesIO
from typing import Any

from benchmarks.engines import Engine, Parts, parser_engine
from urisect.logs import COMBINED, tables
from urisect.logs.formats import PatternFormat
from urisect.logs.formats.format import uri_column

__all__ = ["URIS_AS_CLASSES", "WITHOUT_APPENDIX_B", "apachelogs", "drop_tables"]


def replace_appendix_b(format: PatternFormat, by: str) -> PatternFormat:
    r"""Replace Appendix B in the expression of a format.

    Args:
        format: the format.
        by: the replacement. `{uri}` becomes the name of the URI's column, `\1` the class of its characters, `\2` the
            alternative for escaped targets.
    """
    line = format.line
    for uri in format.uris:
        # Only a stop character ends a fragment, so its class is that of the whole URI.
        before = r"(?:\(\?<!CONNECT \))?"
        embedded = rf"{before}\(\?>\(\?P<{uri}scheme>.*\(\?P<{uri}fragment>(\[\^[^]]*\])\*\+\)\|\)((?:\\x..)*)\|"
        line, count = re.subn(embedded, by.format(uri=uri_column(uri)), line)
        assert count == 1, f"Appendix B does not occur exactly once in {format.name} for {uri!r}"
    return PatternFormat(f"{format.name}, otherwise", line, uris=())


# The expression without Appendix B. It matches the same lines, with one group for each URI.
WITHOUT_APPENDIX_B = replace_appendix_b(COMBINED, "")

# With a character class for each URI: the fastest way to match the lines.
URIS_AS_CLASSES = replace_appendix_b(COMBINED, r"(?P<{uri}>\1*+)\2|")


def drop_tables(log: bytes) -> None:
    """Parse a log, and drop each table."""
    deque(tables(BytesIO(log), COMBINED), maxlen=0)


def apachelogs() -> Engine:
    """Make an engine of apachelogs for lines as text; ImportError means that it is not installed."""
    module = import_module("apachelogs")

    def fields(entry: Any) -> Parts:
        headers = entry.headers_in
        return (entry.remote_host, entry.final_status, entry.bytes_sent, headers["Referer"], headers["User-Agent"])

    return parser_engine(module.LogParser(module.COMBINED).parse, fields)
