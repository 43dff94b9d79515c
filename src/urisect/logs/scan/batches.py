"""Read logs as Arrow's record batches."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from os import PathLike, fsdecode
from typing import TYPE_CHECKING

from urisect.logs.formats import Format
from urisect.logs.input.blocks import LIMIT
from urisect.logs.input.files import expand_paths
from urisect.logs.input.format_selection import AUTO, select_format
from urisect.logs.input.reader import Rejected, Skipped
from urisect.logs.input.records import dispatch_unparsed
from urisect.logs.output.arrow import concatenate, record_batch
from urisect.logs.scan.parallel import scan
from urisect.logs.scan.task import PieceResult, Task

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["batches"]


def batches(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    format: Format | str = AUTO,
    columns: Iterable[str] | None = None,
    *,
    jobs: int = 1,
    limit: int = LIMIT,
    reject: Callable[[Rejected], object] | None = None,
    skip: Callable[[Skipped], object] | None = None,
    fault: Callable[[str, OSError], object] | None = None,
) -> "Iterator[pa.RecordBatch]":
    """Read logs as Arrow's record batches, in the order of their lines, in constant memory.

    Args:
        path: a file, a folder, a pattern, or several of them; "-" is standard input. A file may be compressed with
            gzip, bzip2, xz or Zstandard.
        format: what a line looks like: a `Format`, or what `format_of` takes for one; "auto" looks at the first lines.
        columns: the fields that are wanted, for only these are built; all of `format.columns` by default.
        jobs: how many processes work on it, if there is enough to do. As with everything that starts processes, the
            program's main module has to be one that can be imported.
        limit: how long a line may be, in bytes; a longer one is skipped.
        reject: called with each line that does not match; without it such lines are left out.
        skip: called with each line that is not read as an entry.
        fault: called with the path of a file that cannot be read to its end, and why; the next file is read then.
            Without it that is raised, after all that could be read of the file has been given.

    Raises:
        MissingExtraError: pyarrow, or what decompresses a file, is not installed.
        ValueError: there is no such format, or none fits the first lines.
        KeyError: the format has no such field.
        OSError: a file cannot be read.
        WorkerError: a process was killed.

    >>> import tempfile
    >>> from urisect.logs import COMMON
    >>> with tempfile.NamedTemporaryFile() as log:
    ...     _ = log.write(COMMON.sample)
    ...     log.flush()
    ...     for batch in batches(log.name, "common", ["status", "target_path"]):
    ...         print(batch.to_pydict())
    {'status': [200, 304], 'target_path': ['/a/b', '/']}
    """
    paths = [path] if isinstance(path, str | PathLike) else path
    files = expand_paths(map(fsdecode, paths))
    choice = select_format(format, files)
    fields = choice.format.columns if columns is None else tuple(columns)
    choice.format.needed(fields)  # a KeyError comes now, not with the first batch
    task = Task(choice.format, fields, partial(record_batch, fields=fields), limit, concatenate)
    return _batches(scan(files, task, jobs=jobs, head=choice.head, fault=fault), reject, skip)


def _batches(
    scanned: "Iterator[PieceResult[pa.RecordBatch]]",
    reject: Callable[[Rejected], object] | None,
    skip: Callable[[Skipped], object] | None,
) -> "Iterator[pa.RecordBatch]":
    """Give the batches, and hand over the lines that are none of them."""
    for done in scanned:
        yield from (batch for batch in done.made if batch.num_rows)
        dispatch_unparsed(done.rejected, done.skipped, reject, skip)
