"""Logs: lines with URIs in them, cut by one match a line, none of them lost."""

from urisect.logs.formats import COMBINED, COMMON, FORMATS, LIST, Format
from urisect.logs.reader import Rejected, Table, records, tables

__all__ = ["COMBINED", "COMMON", "FORMATS", "LIST", "Format", "Rejected", "Table", "records", "tables"]
