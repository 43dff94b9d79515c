"""Read logs as Arrow record batches."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

from urisect.logs.formats import Format
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.format_selection import AUTO, select_format
from urisect.logs.input.reader import Rejected, Skipped
from urisect.logs.output.arrow import concatenate, record_batch
from urisect.logs.scan.run import ScanRun, input_files
from urisect.logs.scan.selection import select_lines
from urisect.logs.scan.task import Task

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["batches"]


def batches(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    format: Format | str = AUTO,
    columns: Iterable[str] | None = None,
    *,
    where: str | None = None,
    since: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
    jobs: int = 1,
    limit: int = MAX_LINE_BYTES,
    reject: Callable[[Rejected], object] | None = None,
    skip: Callable[[Skipped], object] | None = None,
    fault: Callable[[str, OSError], object] | None = None,
) -> "Iterator[pa.RecordBatch]":
    """Read logs as Arrow record batches, in line order, in constant memory.

    Args:
        path: a file, a directory, a pattern, or several of them, here or in remote storage ("s3://bucket/logs/*.gz");
            "-" is standard input. A file may be compressed with gzip, bzip2, xz or Zstandard.
        format: a `Format`, its name, or a format string, see `format_of`; "auto" detects it from the first lines.
        columns: the fields of a batch; all of `format.columns` by default. Only these are built.
        where: a predicate in SQL over the fields, such as "status >= 500"; other lines are left out.
        since: the first time to keep: a datetime, a date, or text such as "1996-11-10 13:55", "2h" (two hours ago) or
            "yesterday". A time without a zone is in UTC.
        until: the first time to leave out; a date includes the whole day.
        jobs: number of processes, with this one, if there is enough to parse; 1 parses everything here. As always with
            multiprocessing, the main module of the program has to be importable.
        limit: longest line, in bytes; a longer one is skipped.
        reject: called with each line that does not match the format; without it, such lines are dropped.
        skip: called with each line that is skipped: it is blank, too long, a directive, or cut off.
        fault: called with the path of a file that cannot be read to its end, and the error; reading goes on with the
            next file. Without it, the error is raised after everything before it has been yielded.

    Returns:
        An iterator that yields batches of some thousand rows, each of one `schema`.

    Raises:
        MissingExtraError: pyarrow, or the package that decompresses a file, is not installed.
        ValueError: the format is unknown, or none matches the first lines; or `since` or `until` is not a time, or the
            format has none.
        KeyError: the format has no such field.
        WhereError: the predicate is invalid.
        OSError: a file cannot be read.
        WorkerError: a worker was killed, or its result cannot be stored.

    >>> import tempfile
    >>> from urisect.logs import COMMON
    >>> with tempfile.NamedTemporaryFile() as log:
    ...     _ = log.write(COMMON.sample)
    ...     log.flush()
    ...     for batch in batches(log.name, "common", ["status", "target_path"]):
    ...         print(batch.to_pydict())
    {'status': [200, 304], 'target_path': ['/a/b', '/']}
    """
    files = input_files(path)
    selection = select_format(format, files)
    fields = selection.format.columns if columns is None else tuple(columns)
    selection.format.needed(fields)  # raise KeyError now, not with the first batch
    task = Task(selection.format, fields, partial(record_batch, fields=fields), limit, concatenate, is_columnar=True)
    task = select_lines(task, where=where, since=since, until=until)
    return _batches(
        ScanRun(
            files,
            task,
            jobs=jobs,
            head=selection.head,
            passed_over=selection.passed_over,
            reject=reject,
            skip=skip,
            fault=fault,
        )
    )


def _batches(run: "ScanRun[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
    for result in run:
        yield from (batch for batch in result.outputs if batch.num_rows)
    run.raise_fault()
