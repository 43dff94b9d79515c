"""Lines of logs as plain records, for which nothing has to be installed."""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import repeat
from typing import Any, cast

from urisect.logs.formats import Format
from urisect.logs.formats.notation import EPOCH, MICROSECOND, ValueKind
from urisect.logs.input.blocks import LIMIT, Stream
from urisect.logs.input.format_selection import AUTO, select_stream_format
from urisect.logs.input.reader import Rejected, Skipped, Table, tables

__all__ = ["dispatch_unparsed", "records"]


def records(
    stream: Stream,
    format: Format | str = AUTO,
    *,
    columns: Collection[str] | None = None,
    reject: Callable[[Rejected], object] | None = None,
    skip: Callable[[Skipped], object] | None = None,
    limit: int = LIMIT,
) -> Iterator[dict[str, Any]]:
    r"""Read a stream line by line as plain records.

    Args:
        stream: a binary file, or anything with its `read1`.
        format: what a line looks like: a `Format`, or what `format_of` takes for one, such as its name;
            "auto" looks at the first lines.
        columns: the fields that are wanted; all of `format.columns` by default.
        reject: called with each line that does not match; without it such lines are left out.
        skip: called with each line that is not read as an entry.
        limit: how long a line may be, in bytes; a longer one is skipped.

    Returns:
        An iterator over a dict for each line that matches. A number is an int, seconds are a float, a time is a
        datetime in UTC, anything else is bytes, as written, and what is undefined is None.

    Raises:
        ValueError: there is no such format, or none fits the first lines.
        KeyError: the format has no such field.
        TypeError: the stream is none of bytes.

    >>> import io
    >>> log = io.BytesIO(b'192.0.2.7 - - [10/Nov/1996:00:00:00 +0100] "GET /a?b HTTP/1.0" 404 -\n')
    >>> for record in records(log, "common"):
    ...     print(record["target_path"], record["status"], record["bytes"], record["time"])
    b'/a' 404 None 1996-11-09 23:00:00+00:00
    """
    format, stream = select_stream_format(format, stream)
    names = format.columns if columns is None else tuple(columns)
    format.needed(names)  # a KeyError comes now, not with the first record
    return _records(tables(stream, format, columns=names, limit=limit), names, reject, skip)


def _records(
    found: Iterator[Table],
    names: tuple[str, ...],
    reject: Callable[[Rejected], object] | None,
    skip: Callable[[Skipped], object] | None,
) -> Iterator[dict[str, Any]]:
    """Turn columns into records, and hand over what is none."""
    for table in found:
        values = [_python_values(table, name) for name in names]
        for row in zip(*values, strict=True) if names else repeat((), table.parsed):
            yield dict(zip(names, row, strict=True))
        dispatch_unparsed(table.rejected, table.skipped, reject, skip)


def dispatch_unparsed(
    rejected: Iterable[Rejected],
    skipped: Iterable[Skipped],
    reject: Callable[[Rejected], object] | None,
    skip: Callable[[Skipped], object] | None,
) -> None:
    """Call `reject` with each rejected line, and `skip` with each skipped one, where there is such a callback."""
    if reject:
        for rejected_line in rejected:
            reject(rejected_line)
    if skip:
        for skipped_line in skipped:
            skip(skipped_line)


def _python_values(table: Table, name: str) -> list[Any]:
    """Give a column as what Python has for its values: a time is a datetime."""
    values = table.values(name)
    if table.format.kind(name) is not ValueKind.TIME:
        return values
    return [None if time is None else EPOCH + time * MICROSECOND for time in cast("list[int | None]", values)]
