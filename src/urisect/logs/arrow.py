"""Lines of logs as Arrow's record batches: typed columns, built only where they are wanted."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from os import PathLike, fsdecode

from urisect.logs.choice import AUTO, choose
from urisect.logs.errors import MissingExtraError
from urisect.logs.files import expanded
from urisect.logs.formats import Format
from urisect.logs.formats.format import Column
from urisect.logs.notation import Kind
from urisect.logs.parallel import Done, Task, scan
from urisect.logs.reader import LIMIT, Rejected, Skipped, Table
from urisect.logs.records import told

try:
    import pyarrow as pa
except ModuleNotFoundError:
    raise MissingExtraError("what is made of columns", "pyarrow") from None

__all__ = ["batches", "joined", "record_batch", "schema"]

TYPES = {
    Kind.TEXT: pa.string(),
    Kind.NUMBER: pa.int64(),
    Kind.SECONDS: pa.float64(),
    Kind.TIME: pa.timestamp("us", tz="UTC"),
}


def schema(format: Format, fields: Iterable[str]) -> pa.Schema:
    """Give the types of the columns that are made of a format's fields.

    Args:
        format: what a line looks like.
        fields: some of `format.fields`.

    >>> from urisect.logs import COMMON
    >>> print(schema(COMMON, ["time", "status", "target_host"]))
    time: timestamp[us, tz=UTC]
    status: int64
    target_host: string
    """
    return pa.schema([(name, TYPES[format.kind(name)]) for name in fields])


def record_batch(table: Table, fields: Sequence[str]) -> pa.RecordBatch:
    r"""Make a record batch of a table.

    Text in Arrow is UTF-8. A byte that is none is written as servers write it, as the four characters "\xff".

    Args:
        table: lines, cut.
        fields: some of the fields for which they were cut.

    >>> import io
    >>> from urisect.logs import LIST, tables
    >>> record_batch(next(tables(io.BytesIO(b"//h/\xff\n?\n"), LIST)), ["host", "path"]).to_pydict()
    {'host': ['h', None], 'path': ['/\\xff', '']}
    """
    columns = [_array(table, name) for name in fields]
    if not columns:  # there are as many rows, all the same
        return pa.record_batch([pa.nulls(table.parsed)], names=[""]).select([])
    return pa.record_batch(columns, schema=schema(table.format, fields))


def joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Make one record batch of several of one schema.

    Args:
        batches: one, or more.

    >>> joined([pa.record_batch({"status": [200]}), pa.record_batch({"status": [404]})])["status"].to_pylist()
    [200, 404]
    """
    return pa.concat_batches(batches)


def _array(table: Table, name: str) -> pa.Array:
    kind = table.format.kind(name)
    return _text(table.column(name)) if kind is Kind.TEXT else pa.array(table.values(name), TYPES[kind])


def _text(column: Column) -> pa.Array:
    if column[:1] in ([None], []) and column.count(None) == len(column):  # to count takes as long as half of the rest
        return pa.nulls(len(column), TYPES[Kind.TEXT])
    try:
        return pa.array(column, pa.binary()).cast(TYPES[Kind.TEXT])
    except pa.ArrowInvalid:
        texts = (None if value is None else value.decode("utf-8", "backslashreplace") for value in column)
        return pa.array(texts, TYPES[Kind.TEXT])


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
) -> Iterator[pa.RecordBatch]:
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
    files = expanded(map(fsdecode, paths))
    choice = choose(format, files)
    fields = choice.format.columns if columns is None else tuple(columns)
    choice.format.needed(fields)  # a KeyError comes now, not with the first batch
    task = Task(choice.format, fields, partial(record_batch, fields=fields), limit, joined)
    return _batches(scan(files, task, jobs=jobs, head=choice.head, fault=fault), reject, skip)


def _batches(
    scanned: Iterator[Done[pa.RecordBatch]],
    reject: Callable[[Rejected], object] | None,
    skip: Callable[[Skipped], object] | None,
) -> Iterator[pa.RecordBatch]:
    """Give the batches, and hand over the lines that are none of them."""
    for done in scanned:
        yield from (batch for batch in done.made if batch.num_rows)
        told(done, reject, skip)
