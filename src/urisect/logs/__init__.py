"""Parse logs: one regular expression per line, the URIs in it split in the same match, and no line lost.

>>> import io
>>> from urisect.logs import records
>>> [record["path"] for record in records(io.BytesIO(b"http://example.com/a"), "list")]
[b'/a']
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from urisect.extras import MissingExtraError
    from urisect.logs.conversion import ConversionResult, convert
    from urisect.logs.errors import WhereError, WorkerError
    from urisect.logs.formats import (
        ALB,
        CADDY,
        CDXJ,
        CLOUDFRONT,
        COMBINED,
        COMMON,
        ELB,
        FORMATS,
        LIST,
        S3,
        SQUID,
        VHOST_COMBINED,
        W3C,
        Format,
        PatternFormat,
        format_of,
    )
    from urisect.logs.formats.apache import apache
    from urisect.logs.formats.format import ParsedBlock
    from urisect.logs.formats.json_lines import JoinedMembers, JSONFormat, Member, json_lines
    from urisect.logs.formats.nginx import nginx
    from urisect.logs.formats.notation import Notation, ValueKind
    from urisect.logs.formats.w3c import W3CField, W3CFormat
    from urisect.logs.input.decompression import decompressed
    from urisect.logs.input.preview import FormatPreview, preview
    from urisect.logs.input.reader import Rejected, Skipped, Table, tables
    from urisect.logs.input.records import records
    from urisect.logs.output.arrow import schema
    from urisect.logs.ranking import CombinationCount, CombinationRanking, Ranking, top
    from urisect.logs.report.counts import ValueCount
    from urisect.logs.report.report_file import ReportResult, write_report
    from urisect.logs.scan.batches import batches
    from urisect.logs.scan.run import PassedOverWarning
    from urisect.text_types import Stream
else:

    def __getattr__(name: str) -> Any:  # hidden from type checkers, which would accept any name
        return _load(name)


__all__ = [
    "ALB",
    "CADDY",
    "CDXJ",
    "CLOUDFRONT",
    "COMBINED",
    "COMMON",
    "ELB",
    "FORMATS",
    "LIST",
    "S3",
    "SQUID",
    "VHOST_COMBINED",
    "W3C",
    "CombinationCount",
    "CombinationRanking",
    "ConversionResult",
    "Format",
    "FormatPreview",
    "JSONFormat",
    "JoinedMembers",
    "Member",
    "MissingExtraError",
    "Notation",
    "ParsedBlock",
    "PassedOverWarning",
    "PatternFormat",
    "Ranking",
    "Rejected",
    "ReportResult",
    "Skipped",
    "Stream",
    "Table",
    "ValueCount",
    "ValueKind",
    "W3CField",
    "W3CFormat",
    "WhereError",
    "WorkerError",
    "apache",
    "batches",
    "convert",
    "decompressed",
    "format_of",
    "json_lines",
    "nginx",
    "preview",
    "records",
    "schema",
    "tables",
    "top",
    "write_report",
]

# The module of each name that does not come from `urisect.logs.formats`, relative to this package.
_DEFINED_IN = {
    "CombinationCount": "ranking",
    "CombinationRanking": "ranking",
    "ConversionResult": "conversion",
    "FormatPreview": "input.preview",
    "JSONFormat": "formats.json_lines",
    "JoinedMembers": "formats.json_lines",
    "Member": "formats.json_lines",
    "MissingExtraError": ".extras",
    "Notation": "formats.notation",
    "ParsedBlock": "formats.format",
    "PassedOverWarning": "scan.run",
    "Ranking": "ranking",
    "Rejected": "input.reader",
    "ReportResult": "report.report_file",
    "Skipped": "input.reader",
    "Stream": ".text_types",
    "Table": "input.reader",
    "ValueCount": "report.counts",
    "ValueKind": "formats.notation",
    "W3CField": "formats.w3c",
    "W3CFormat": "formats.w3c",
    "WhereError": "errors",
    "WorkerError": "errors",
    "apache": "formats.apache",
    "batches": "scan.batches",
    "convert": "conversion",
    "decompressed": "input.decompression",
    "json_lines": "formats.json_lines",
    "nginx": "formats.nginx",
    "preview": "input.preview",
    "records": "input.records",
    "schema": "output.arrow",
    "tables": "input.reader",
    "top": "ranking",
    "write_report": "report.report_file",
}


def _load(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    from importlib import import_module  # noqa: PLC0415  takes longer than the rest of this module

    if name not in __all__:
        from urisect.suggestion import did_you_mean  # noqa: PLC0415  only a mistyped name needs it

        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{did_you_mean(name, __all__)}")
    value = getattr(import_module(f".{_DEFINED_IN.get(name, 'formats')}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
