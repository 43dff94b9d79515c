"""Parse one entry of a log."""

import io
from datetime import UTC, datetime, timedelta
from typing import Any

from urisect.logs import Format, tables
from urisect.logs.formats.format import EXTRA
from urisect.logs.formats.notation import EPOCH

__all__ = ["INSTANT", "TIME", "microseconds", "row"]

TIME = "10/Nov/1996:13:55:36 -0700"

INSTANT = datetime(1996, 11, 10, 20, 55, 36, tzinfo=UTC)


def microseconds(time: datetime) -> int:
    return (time - EPOCH) // timedelta(microseconds=1)


def row(format: Format, line: str | bytes) -> dict[str, Any] | None:
    """The defined values of a line, by column; None if it is rejected."""
    data = line.encode("utf-8", "surrogateescape") if isinstance(line, str) else line
    [table] = tables(io.BytesIO(data + b"\n"), format)
    if table.rejected:
        return None
    values = {field: table.values(field)[0] for field in format.fields if field != EXTRA}
    return {field: value for field, value in values.items() if value is not None and field in format.columns}
