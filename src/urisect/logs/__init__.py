"""Logs: lines with URIs in them, cut by one match a line, none of them lost."""

from typing import TYPE_CHECKING, Any

from urisect.logs.errors import MissingExtraError, WhereError, WorkerError
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
    apache,
    format_of,
    json_lines,
    nginx,
)
from urisect.logs.input.decompression import decompressed
from urisect.logs.input.reader import Rejected, Skipped, Table, tables
from urisect.logs.input.records import records

if TYPE_CHECKING:
    from urisect.logs.output.arrow import schema
    from urisect.logs.scan.batches import batches

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
    "Format",
    "MissingExtraError",
    "Rejected",
    "Skipped",
    "Table",
    "WhereError",
    "WorkerError",
    "apache",
    "batches",
    "decompressed",
    "format_of",
    "json_lines",
    "nginx",
    "records",
    "schema",
    "tables",
]


def __getattr__(name: str) -> Any:
    """Load what needs pyarrow when it is asked for."""
    if name == "batches":
        from urisect.logs.scan.batches import batches  # noqa: PLC0415

        return batches
    if name == "schema":
        from urisect.logs.output.arrow import schema  # noqa: PLC0415

        return schema
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
