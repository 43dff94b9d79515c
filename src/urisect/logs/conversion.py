"""Convert logs to files: TSV, CSV, NDJSON, Parquet or Arrow."""

import os
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from datetime import date, datetime
from functools import partial
from itertools import chain
from os import PathLike, fsdecode
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from urisect.logs.formats import Format
from urisect.logs.formats.notation import ValueKind
from urisect.logs.input.blocks import MAX_LINE_BYTES
from urisect.logs.input.locations import path_of, shown_name
from urisect.logs.input.reader import Rejected, Skipped, Table
from urisect.logs.output.atomic import OutputDirectory, OutputFile, output_errors, same_file
from urisect.logs.output.sinks import TEXT_FORMATS, Sink, make_sink
from urisect.logs.scan.run import ScanRun, input_files
from urisect.logs.scan.selection import choose_rows, select_lines
from urisect.logs.scan.task import PieceResult, Task

if TYPE_CHECKING:
    from urisect.logs.columnar.table import ColumnarTable

__all__ = ["FILE_FORMATS", "Conversion", "ConversionResult", "convert", "file_format"]

ARROW_FORMATS = ("parquet", "arrow")

FILE_FORMATS = (*TEXT_FORMATS, *ARROW_FORMATS)

FORMATS_BY_SUFFIX = {f".{name}": name for name in FILE_FORMATS} | {".jsonl": "ndjson"}
COMPRESSION_SUFFIXES = (".gz", ".zst")

# So much of a log becomes text without arrays: importing numpy and pyarrow takes as long.
LIST_BYTES = 1 << 22


class ConversionResult(NamedTuple):
    """How many lines a conversion parsed, rejected and skipped, and how many rows it wrote.

    Attributes:
        parsed: lines that match the format.
        rejected: lines that do not.
        skipped: lines that are blank, too long, cut off, or directives.
        written: rows; fewer than parsed lines if not all are selected.

    >>> result = ConversionResult(parsed=3987, rejected=13, skipped=0, written=21)
    >>> f"{result.written} of {result.parsed} lines selected, {result.rejected} rejected"
    '21 of 3987 lines selected, 13 rejected'
    """

    parsed: int
    rejected: int
    skipped: int
    written: int


def convert(
    path: str | PathLike[str] | Iterable[str | PathLike[str]],
    output: str | PathLike[str],
    format: Format | str = "auto",
    *,
    to: str | None = None,
    columns: Iterable[str] | None = None,
    where: str | None = None,
    since: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
    first: int | None = None,
    sample: int | None = None,
    by_day: bool = False,
    jobs: int = 1,
    limit: int = MAX_LINE_BYTES,
    null: str = "",
    header: bool = False,
    reject: Callable[[Rejected], object] | None = None,
    skip: Callable[[Skipped], object] | None = None,
    fault: Callable[[str, OSError], object] | None = None,
) -> ConversionResult:
    """Convert logs to one file, one row per line, in the order of the lines and in constant memory.

    The file appears only when it is complete: an error leaves an old file of that name as it was. If no file can be
    read, nothing is written.

    Args:
        path: a file, a directory, a pattern, or several of them, here or in remote storage ("s3://bucket/logs/*.gz");
            "-" is standard input. A file may be compressed with gzip, bzip2, xz or Zstandard.
        output: the file to write, here or in remote storage. Its name gives the file format (".tsv", ".csv", ".ndjson",
            ".jsonl", ".parquet" or ".arrow"), and ".gz" or ".zst" after it compresses text.
        format: the log format: a `Format`, its name, or a format string, as for `format_of`; "auto" detects it from
            the first lines.
        to: the file format, if the name does not give it: "tsv", the default, "csv", "ndjson", "parquet" or "arrow".
        columns: the fields to write; `format.columns` by default.
        where: a predicate in SQL over the fields, such as "status >= 500"; other lines are left out.
        since: the first time to keep: a datetime, a date, or text such as "1996-11-10 13:55", "2h" (two hours ago) or
            "yesterday". A time without a zone is in UTC.
        until: the first time to leave out; a date includes the whole day.
        first: write only so many rows, the first ones, and stop reading.
        sample: write only so many rows, chosen at random, in the order of the lines. The same files give the same
            sample, whatever `jobs` is.
        by_day: whether `output` is a new directory with Parquet files per day.
        jobs: the number of processes. The program's main module has to be importable if it is more than one.
        limit: the longest line, in bytes; longer ones are skipped.
        null: what TSV and CSV write for an undefined value.
        header: whether TSV and CSV begin with the names of the columns.
        reject: called with each line that does not match the format.
        skip: called with each line that is skipped.
        fault: called with the path and the error of each file that cannot be read to its end; the next file follows.
            Without it, the error is raised.

    Returns:
        How many lines were parsed, rejected and skipped, and how many rows were written.

    Raises:
        MissingExtraError: a package that the format or the predicate needs is not installed.
        ValueError: the log format is unknown or cannot be detected; `to` contradicts the name; `output` is one of the
            files to read; `by_day` lacks what it needs; `since` or `until` is not a time, or the format has none; or
            both `first` and `sample` are given.
        KeyError: the format has no such field.
        WhereError: the predicate is invalid.
        OSError: a file cannot be read or written.
        WorkerError: a worker process was killed.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from urisect.logs import COMMON
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     log, rows = Path(directory, "access.log"), Path(directory, "rows.csv")
    ...     size = log.write_bytes(COMMON.sample)
    ...     convert(log, rows, "common", columns=["status", "target"])
    ...     print(rows.read_text(), end="")
    ConversionResult(parsed=2, rejected=0, skipped=0, written=2)
    200,/a/b?c=d
    304,/
    """
    from urisect.logs.input.format_selection import select_format  # noqa: PLC0415  the command selects itself

    files = input_files(path)
    name = fsdecode(output)
    to = file_format(name, to, by_day=by_day)
    if same_file(name, files):
        raise ValueError(f"{shown_name(name)!r} is one of the files to read")
    selection = select_format(format, files)
    conversion = Conversion(
        selection.format,
        columns,
        to=to,
        by_day=by_day,
        where=where,
        since=since,
        until=until,
        first=first,
        sample=sample,
        limit=limit,
        null=null,
        header=header,
    )
    run = ScanRun(
        files,
        conversion.task,
        jobs=jobs,
        head=selection.head,
        passed_over=selection.passed_over,
        reject=reject,
        skip=skip,
        fault=fault,
    )
    with OutputDirectory(name) if by_day else OutputFile(name) as target:
        conversion.write(run, target, has_read=lambda: run.has_read)
        run.raise_fault()
    counts = run.counts
    return ConversionResult(counts.parsed, counts.rejected, counts.skipped, conversion.written)


def file_format(path: str | None, to: str | None = None, *, by_day: bool = False) -> str:
    """Return the format of an output file, from its name or as asked for; the two must agree.

    Args:
        path: the path of the file; None if it has no name.
        to: one of `FILE_FORMATS`, or None.
        by_day: whether the path is a directory, whose name says nothing.

    Raises:
        ValueError: the name means another format, seems mistyped, or means a compression that the format does not
            have.

    >>> file_format("rows.JSONL.gz"), file_format("rows.txt"), file_format("days", "parquet", by_day=True)
    ('ndjson', 'tsv', 'parquet')
    """
    stem, suffix = os.path.splitext(path_of(path or "").lower())
    compression = suffix if suffix in COMPRESSION_SUFFIXES else ""
    named = FORMATS_BY_SUFFIX.get(os.path.splitext(stem)[1] if compression else suffix)
    chosen = to or named or TEXT_FORMATS[0]
    if chosen not in FILE_FORMATS:
        from urisect.suggestion import did_you_mean  # noqa: PLC0415  only a mistyped name needs it

        known = ", ".join(FILE_FORMATS)
        raise ValueError(f"cannot write {chosen!r}; the formats are {known}{did_you_mean(chosen, FILE_FORMATS)}")
    if by_day:
        return chosen
    if named not in {None, chosen}:
        name = shown_name(path or "")
        raise ValueError(f"the name {name!r} means {named}, but {chosen} is asked for: change one of them")
    if named is None and to is None and path:
        from urisect.suggestion import did_you_mean  # noqa: PLC0415  few names are unknown

        if suggestion := did_you_mean(os.path.splitext(stem)[1] if compression else suffix, FORMATS_BY_SUFFIX):
            raise ValueError(f"the name {shown_name(path)!r} means no format; name the format, too{suggestion}")
    if compression and chosen in ARROW_FORMATS:
        raise ValueError(f"{chosen} is compressed already: choose a name that does not end in {compression}")
    return chosen


class Rows(NamedTuple):
    """The rows of one table or several.

    Attributes:
        number: how many rows there are.
        content: texts of whole lines, as bytes or buffers; or a record batch.
    """

    number: int
    content: Any


def _serialize(table: "Table | ColumnarTable", fields: Sequence[str], sink: Sink) -> Rows:
    """Serialize the rows of one table as text."""
    if isinstance(table, Table):
        return Rows(table.parsed, [sink.serialize([table.texts(field) for field in fields])])
    from urisect.logs.output.columnar_text import serialize_table  # noqa: PLC0415  pyarrow is an extra

    return Rows(table.parsed, [serialize_table(table, fields, sink)])


def _join_text(rows: Sequence[Rows]) -> Rows:
    """Join texts without copying them."""
    return Rows(sum(each.number for each in rows), [text for each in rows for text in each.content])


def _build_batch(table: "Table | ColumnarTable", fields: Sequence[str]) -> Rows:
    """Build the record batch of one table."""
    from urisect.logs.output.arrow import record_batch  # noqa: PLC0415  pyarrow is an extra

    return Rows(table.parsed, record_batch(table, fields))


def _join_batches(rows: Sequence[Rows]) -> Rows:
    from urisect.logs.output.arrow import concatenate  # noqa: PLC0415  pyarrow is an extra

    return Rows(sum(each.number for each in rows), concatenate([each.content for each in rows]))


class Conversion:
    """The conversion of log lines to rows: a task for the scan, and a writer for its results.

    Attributes:
        task: what to do with each table of lines.
        written: how many rows were written so far.

    >>> import io
    >>> from urisect.logs import LIST
    >>> conversion = Conversion(LIST, ["host"], to="csv", header=True)
    >>> run = ScanRun(["/dev/null"], conversion.task)
    >>> with OutputFile("/dev/null") as output:
    ...     conversion.write(run, output, has_read=lambda: run.has_read)
    >>> conversion.written
    0
    """

    def __init__(
        self,
        format: Format,
        columns: Iterable[str] | None = None,
        *,
        to: str = TEXT_FORMATS[0],
        by_day: bool = False,
        where: str | None = None,
        since: datetime | date | str | None = None,
        until: datetime | date | str | None = None,
        first: int | None = None,
        sample: int | None = None,
        limit: int = MAX_LINE_BYTES,
        null: str = "",
        header: bool = False,
    ) -> None:
        """Prepare the conversion.

        Args:
            format: the log format.
            columns: the fields to write; `format.columns` by default.
            to: one of `FILE_FORMATS`.
            by_day: whether to write Parquet files per day; this needs the field "time".
            where: a predicate in SQL over the fields; other lines are left out.
            since: the first time to keep, see `select_lines`.
            until: the first time to leave out; a date includes the whole day.
            first: how many rows to write, the first ones; None for all.
            sample: how many rows to write, chosen at random; None for all.
            limit: the longest line, in bytes.
            null: what TSV and CSV write for an undefined value.
            header: whether TSV and CSV begin with the names of the columns.

        Raises:
            KeyError: the format has no such field.
            ValueError: `by_day` lacks what it needs, or both `first` and `sample` are given.
            TimeRangeError: `since` or `until` is not a time, or the format has none.
            WhereError: the predicate is invalid.
            MissingExtraError: a package is not installed.
        """
        self._format = format
        self._fields = format.columns if columns is None else tuple(columns)
        format.needed(self._fields)  # raises KeyError before anything is written
        self._to = to
        self.written = 0
        if by_day and (to != "parquet" or "time" not in self._fields):
            raise ValueError("files per day need the format parquet and the field time")
        self._header = b""
        if to in TEXT_FORMATS:
            sink = make_sink(to, self._fields, null=null, numbers=_number_fields(format) if to == "ndjson" else ())
            self._header = sink.header if header else b""
            task: Task[Rows] = Task(
                format,
                self._fields,
                partial(_serialize, fields=self._fields, sink=sink),
                limit,
                _join_text,
                is_columnar=True,
                list_bytes=LIST_BYTES,
            )
        else:
            task = Task(
                format, self._fields, partial(_build_batch, fields=self._fields), limit, _join_batches, is_columnar=True
            )
        choice = choose_rows(task, first=first, sample=sample)
        self.task = select_lines(choice.task, where=where, since=since, until=until)
        self._outputs = choice.outputs

    def write(
        self,
        results: Iterable[PieceResult[Rows]],
        output: OutputFile | OutputDirectory,
        *,
        has_read: Callable[[], bool],
    ) -> None:
        """Write the results of a scan.

        Args:
            results: what the scan of `task` yields; it raises no OSError.
            output: a directory for files per day, else a file.
            has_read: asked when there are no results: whether a file could be read at all. If not, the output is
                discarded, and not even a header is written.

        Raises:
            OutputError: the output cannot be written.
        """
        with closing(self._count_rows(results)) as rest:
            first = next(rest, None)
            if first is None and not has_read():
                output.discard()
                return
            contents = rest if first is None else chain((first,), rest)
            if self._to in ARROW_FORMATS:
                self._write_batches(contents, output)
            else:
                for text in chain((self._header,), chain.from_iterable(contents)):
                    cast("OutputFile", output).write(text)  # files per day are Parquet

    def _count_rows(self, results: Iterable[PieceResult[Rows]]) -> Generator[Any, None, None]:
        for rows in self._outputs(results):
            self.written += rows.number
            yield rows.content

    def _write_batches(self, batches: Iterable[Any], output: OutputFile | OutputDirectory) -> None:
        from urisect.logs.output.arrow import schema  # noqa: PLC0415  pyarrow is an extra
        from urisect.logs.output.arrow_files import write_arrow, write_days, write_parquet  # noqa: PLC0415

        types = schema(self._format, self._fields)
        with output_errors(output.name):
            if isinstance(output, OutputDirectory):
                write_days(output.path, types, batches)
            elif self._to == "parquet":
                write_parquet(output, types, batches)
            else:
                write_arrow(output, types, batches, is_stream=not output.is_atomic)


def _number_fields(format: Format) -> frozenset[str]:
    """Return the fields that NDJSON writes as numbers."""
    return frozenset(name for name in format.fields if format.kind(name) in {ValueKind.NUMBER, ValueKind.SECONDS})
