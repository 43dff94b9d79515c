"""What runs in the measured processes: functions that read a log and return the number of its lines and a sum.

Each loads only what it uses: peers and urisect are imported in the functions.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import chain
from typing import Any, NamedTuple

from benchmarks.automata import automaton

__all__ = [
    "FEW",
    "FIELDS",
    "LINE",
    "Answer",
    "count_rows",
    "duckdb_batches",
    "duckdb_copy",
    "polars_batches",
    "polars_sink",
    "pyarrow_batches",
    "pyarrow_parquet",
    "select_groups",
    "urisect_batches",
    "with_uris",
]

# The expression for peers: their engines are automata, without possessive quantifiers and lookarounds. It matches the
# same lines as `COMBINED`, also those with an invalid request line.
QUOTED = r'(?:[^"\\]|\\.)*'
TARGET = r'(?P<target_path>[^ "?\\]*)(?:\?(?P<target_query>[^ "\\]*))?'
REFERER = rf"(?P<referer>{QUOTED})"
LINE = (
    r"^(?P<client>[^ ]+) [^ ]+ (?:-|[^ ]+(?: [^ \[][^ ]*)*) \[(?P<time>[^\]]+)\]"
    rf' "(?:(?P<method>[A-Z]+) {TARGET}(?: [A-Z]+/[0-9.]+)?|{QUOTED})"'
    rf' (?:-|(?P<status>[0-9]{{3}})) (?:-|(?P<bytes>[0-9]{{1,18}})) "(?:-|{REFERER})" "(?:-|(?P<agent>{QUOTED}))"$'
)
FIELDS = tuple(re.compile(LINE).groupindex)
FEW = ("time", "status", "target_path")
NUMBERS = ("status", "bytes")
UNUSED = "\x01"  # a delimiter that does not occur in logs, since servers escape it: each line is one CSV value


class Answer(NamedTuple):
    """The answer of a program for a log.

    Attributes:
        lines: the number of parsed lines.
        total: the sum of a column: of the bytes sent, or of the status codes if that column is not selected.
    """

    lines: int
    total: int


def select_groups(line: str, fields: Sequence[str]) -> str:
    """Turn the groups of other fields into groups that do not capture.

    >>> select_groups("(?P<a>x)(?P<b>y)", ["b"])
    '(?:x)(?P<b>y)'
    """
    return re.sub(r"\(\?P<(\w+)>", lambda group: group[0] if group[1] in fields else "(?:", line)


def with_uris(line: str) -> str:
    """Put Appendix B into an expression, without possessive quantifiers."""
    pattern = import_module("urisect").pattern
    target, referer = (automaton(pattern(prefix, stop)) for prefix, stop in (("target_", ' "\\'), ("referer_", '"\\')))
    return line.replace(TARGET, target).replace(REFERER, f"(?:{referer}|{QUOTED})")


def count_rows(batches: Iterable[Any]) -> Answer:
    """Count the rows of record batches and add up a column."""
    add = import_module("pyarrow.compute").sum
    lines = total = 0
    for batch in batches:
        lines += batch.num_rows
        total += add(batch[_summed_column(batch.schema.names)]).as_py() or 0
    return Answer(lines, total)


def _summed_column(names: Sequence[str]) -> str:
    return "bytes" if "bytes" in names else "status"


def urisect_batches(log: str, cores: int, columns: Sequence[str] | None = None) -> Answer:
    return count_rows(import_module("urisect.logs").batches(log, "combined", columns, jobs=cores))


def duckdb_batches(log: str, cores: int, fields: Sequence[str] = FIELDS, *, uris: bool = False) -> Answer:
    connection, rows = _duckdb(log, cores, fields, uris=uris)
    return count_rows(connection.sql(rows).to_arrow_reader())


def duckdb_copy(log: str, cores: int, output: str, options: str) -> None:
    connection, rows = _duckdb(log, cores, FIELDS)
    connection.execute(f"COPY ({rows}) TO '{output}' ({options})")


def _duckdb(log: str, cores: int, fields: Sequence[str], *, uris: bool = False) -> tuple[Any, str]:
    connection = import_module("duckdb").connect(config={"threads": cores})
    # With filter pushdown, DuckDB matches the expression twice, which takes 1.5 times as long.
    connection.execute("SET disabled_optimizers = 'filter_pushdown'; SET enable_progress_bar = false")
    connection.execute("SET preserve_insertion_order = false")
    line = with_uris(LINE) if uris else LINE
    names = [name for name in re.compile(line).groupindex if uris or name in fields]
    typed = {name: f"TRY_CAST(cut.{name} AS BIGINT)" for name in NUMBERS}
    if uris:
        typed["time"] = "strptime(cut.time, '%d/%b/%Y:%H:%M:%S %z')"
    columns = ", ".join(f"{typed.get(name, f'cut.{name}')} AS {name}" for name in names)
    options = "auto_detect = false, header = false, quote = '', escape = '', columns = {'line': 'VARCHAR'}"
    lines = f"read_csv('{log}', delim = '{UNUSED}', {options})"
    cut = f"SELECT regexp_extract(line, '{_sql_text(select_groups(line, names))}', {names}) AS cut FROM {lines}"  # noqa: S608
    return connection, f"SELECT {columns} FROM ({cut}) WHERE cut.time <> ''"  # noqa: S608


def _sql_text(text: str) -> str:
    return text.replace("'", "''")


def polars_batches(log: str, cores: int, fields: Sequence[str] = FIELDS) -> Answer:
    answers: list[Answer] = []

    def count(frame: Any) -> None:
        answers.append(Answer(frame.height, frame[_summed_column(fields)].sum()))

    _polars(log, cores, fields).sink_batches(count)
    return Answer(*map(sum, zip(*answers, strict=True)))


def polars_sink(log: str, cores: int, output: str, sink: str, **options: Any) -> None:
    getattr(_polars(log, cores, FIELDS), sink)(output, **options)


def _polars(log: str, cores: int, fields: Sequence[str]) -> Any:
    os.environ["POLARS_MAX_THREADS"] = str(cores)  # Polars reads it when it is imported
    polars = import_module("polars")
    lines = polars.scan_csv(log, has_header=False, separator=UNUSED, quote_char=None, schema={"line": polars.String})
    rows = lines.select(cut=polars.col("line").str.extract_groups(select_groups(LINE, fields))).unnest("cut")
    numbers = [polars.col(name).cast(polars.Int64) for name in NUMBERS if name in fields]
    return rows.filter(polars.col("time").is_not_null()).with_columns(numbers)


def pyarrow_batches(log: str, cores: int, fields: Sequence[str] = FIELDS) -> Answer:
    return count_rows(_pyarrow(log, cores, fields))


def pyarrow_parquet(log: str, cores: int, output: str) -> None:
    rows = _pyarrow(log, cores, FIELDS)
    first = next(rows)
    with import_module("pyarrow.parquet").ParquetWriter(output, first.schema, compression="zstd") as writer:
        for batch in chain([first], rows):
            writer.write_batch(batch)


def _pyarrow(log: str, cores: int, fields: Sequence[str]) -> Iterator[Any]:
    arrow, compute = import_module("pyarrow"), import_module("pyarrow.compute")
    csv, dataset = import_module("pyarrow.csv"), import_module("pyarrow.dataset")
    arrow.set_cpu_count(cores)
    schema = arrow.schema({"line": arrow.string()})
    format = dataset.CsvFileFormat(
        csv.ParseOptions(delimiter=UNUSED, quote_char=False, double_quote=False),
        read_options=csv.ReadOptions(column_names=schema.names),
    )
    line = select_groups(LINE, fields)
    names = re.compile(line).groupindex
    cut = compute.extract_regex(dataset.field("line"), pattern=line)
    for batch in dataset.dataset(log, schema, format=format).scanner({"cut": cut}).to_batches():
        columns = dict(zip(names, batch["cut"].drop_null().flatten(), strict=True))
        for name in set(NUMBERS).intersection(names):
            column = columns[name]
            defined = compute.if_else(compute.equal(column, ""), None, column)
            columns[name] = defined.cast(arrow.int64())
        yield arrow.record_batch(columns)
