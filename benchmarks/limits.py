"""The ratios of times that have to hold, and their limits."""

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.applications import CHECK_FORM, TASKS, Inputs
from benchmarks.columns import (
    ARROW,
    CHECK,
    DUCKDB,
    DUCKDB_MACRO,
    NORMALIZE_COLUMN,
    ROWS,
    arrow_split,
    dictionary_split,
    repeat_to,
)
from benchmarks.corpora import PAGE, hostile, variants
from benchmarks.crawling import KEYS, NORMALIZE_BY_SCHEME, PAGE_TASKS, hostile_pages
from benchmarks.crawling import TASKS as CRAWLING_TASKS
from benchmarks.crawling import Inputs as CrawlingInputs
from benchmarks.engines import function_engine, match_engine, select_accepted
from benchmarks.import_time import import_time, start_time
from benchmarks.log_lines import URIS_AS_CLASSES, WITHOUT_APPENDIX_B, apachelogs, drop_tables
from benchmarks.peers import (
    CAN_ADA,
    FLOOR,
    FLOOR_LINES,
    HTTPTOOLS,
    POLARS,
    PYARROW,
    PYDANTIC,
    SPLIT,
    URLSPLIT,
    Bulk,
    Peer,
)
from benchmarks.ratios import Prepare, Row, Side, timed
from benchmarks.rewriters import (
    BASE_RESOLVE,
    BASE_RESOLVE_BYTES,
    CAN_ADA_JOIN,
    CANONICALIZE,
    NORMALIZE,
    REPAIR,
    URL_NORMALIZE,
    URLJOIN,
    URLJOIN_BYTES,
    YARL_JOIN,
    Rewriter,
)
from benchmarks.spark_columns import SPARK_ROWS, SPLITTERS, load, materialize
from benchmarks.tasks import Candidate, Task
from benchmarks.validators import IS_VALID, RFC3986_VALIDATOR, STRICT_FLOOR, STRICT_SPLIT, Validator
from benchmarks.volume.log_files import MB, Log, repeated, write_log
from benchmarks.volume.measurement import measure
from benchmarks.volume.programs import call, goaccess
from benchmarks.volume.readers import duckdb_batches, polars_batches, polars_sink, urisect_batches
from urisect import document, normalize, split, split_lines, strict
from urisect.logs import COMBINED, convert, records, tables, write_report
from urisect.logs.formats import PatternFormat
from urisect.specs import SPECIFICATIONS

__all__ = [
    "LONGER",
    "application_rows",
    "column_rows",
    "compare_lengths",
    "crawling_rows",
    "log_rows",
    "rows",
    "spark_rows",
]

LOG_BYTES = 100 * MB  # of a log that one process reads: starting it is a small part
LONG_LOG_BYTES = 2000 * MB  # of a log that two processes read: starting them takes 0.4 s of 7
LONG_LINE_BYTES = 300_000  # of a hostile line; validators get a tenth, so that a quadratic one ends
PAGE_BYTES = 300_000  # of a hostile page
SLOW = 500  # references or lines: enough to measure a slow peer
UNCACHED = 4_000  # references: more than any peer caches
LONGER = "× as many bytes in lines of a tenth"

# An engine that takes one reference at a time.
Declared = Peer | Validator | Rewriter | Candidate


def rows(urls: list[str], references: list[str], lines: list[bytes]) -> list[Row]:
    """Declare the rows for URLs, for references in pages, and for lines of a combined log."""
    uncached = references[:UNCACHED]
    normal = [url for url in urls if normalize(url) == url]
    valid = [url for url in urls if strict.is_valid(url)]
    invalid = [url for url in urls if not strict.is_valid(url)]
    return [
        Row("split", _compare(SPLIT, FLOOR, urls), 1.40, "× the floor"),
        Row("split", _compare(SPLIT, URLSPLIT, urls), 0.25, "× urlsplit, cold"),
        Row("split", _compare(SPLIT, PYDANTIC, urls), 1.00, "× pydantic_core.Url"),
        Row("split", _compare(SPLIT, CAN_ADA, urls), 1.00, "× can_ada"),
        Row("split, bytes", _compare(SPLIT, HTTPTOOLS, _encode(urls)), None, "× httptools"),
        Row("split_lines", _compare_lines(FLOOR_LINES, urls), 0.75, "× the floor, tuples kept"),
        Row("split_lines", _compare_lines(PYARROW, urls), 1.00, "× pyarrow extract_regex"),
        Row("split_lines", _compare_lines(POLARS, urls), 1.00, "× Polars extract_groups"),
        Row("log line", _compare_log_line(WITHOUT_APPENDIX_B, lines), 1.15, "× without Appendix B"),
        Row("log line", _compare_log_line(URIS_AS_CLASSES, lines), None, "× with a class for a URI"),
        Row("logs.tables", _compare_tables_with_apachelogs(lines[:SLOW]), 0.10, "× apachelogs"),
        Row("Base.resolve", _compare(BASE_RESOLVE, URLJOIN, uncached), 1 / 6, "× urljoin"),
        Row("Base.resolve, bytes", _compare(BASE_RESOLVE_BYTES, URLJOIN_BYTES, _encode(uncached)), 1 / 6, "× urljoin"),
        Row("Base.resolve", _compare(BASE_RESOLVE, CAN_ADA_JOIN, references), 1.00, "× can_ada"),
        Row("Base.resolve", _compare(BASE_RESOLVE, YARL_JOIN, uncached), 1.00, "× yarl"),
        Row("normalize", _compare(NORMALIZE, SPLIT, normal), 1.30, "× split"),
        Row("normalize, bytes", _compare(NORMALIZE, SPLIT, _encode(normal)), 1.30, "× split"),
        Row("normalize", _compare(NORMALIZE, CANONICALIZE, normal[:SLOW]), 1 / 8, "× canonicalize_url"),
        Row("normalize", _compare(NORMALIZE, URL_NORMALIZE, normal[:SLOW]), 1 / 20, "× url_normalize"),
        Row(
            "normalize, if not normal",
            _compare(NORMALIZE, CANONICALIZE, list(variants(normal[:SLOW]))),
            None,
            "× canonicalize_url",
        ),
        Row("strict.is_valid", _compare(IS_VALID, SPLIT, valid), 0.90, "× split"),
        Row("strict.is_valid, bytes", _compare(IS_VALID, SPLIT, _encode(valid)), 0.90, "× split"),
        Row("strict.is_valid", _compare(IS_VALID, STRICT_FLOOR, valid), None, "× the floor"),
        Row("strict.is_valid", _compare(IS_VALID, RFC3986_VALIDATOR, valid[:SLOW]), 0.10, "× rfc3986"),
        Row("strict.split", _compare(STRICT_SPLIT, SPLIT, valid), 1.35, "× split"),
        Row("strict.split, bytes", _compare(STRICT_SPLIT, SPLIT, _encode(valid)), 1.35, "× split"),
        Row("percent.repair", _compare(REPAIR, IS_VALID, valid), 1.50, "× is_valid"),
        Row("percent.repair, bytes", _compare(REPAIR, IS_VALID, _encode(valid)), 1.50, "× is_valid"),
        Row("strict.violations", _compare_violations_with_validity(invalid), None, "× is_valid, invalid URLs"),
        Row("hostile lines", compare_lengths(split, LONG_LINE_BYTES), 1.5, LONGER),
        *(
            Row(
                f"hostile lines, {name}",
                compare_lengths(specification.is_valid, LONG_LINE_BYTES // 10, " "),
                1.5,
                LONGER,
            )
            for name, specification in SPECIFICATIONS.items()
        ),
        Row("urisect split of nothing", _compare_command_with_python(), 5.0, "× python -c pass"),
        Row("import urisect", lambda: [lambda: import_time("urisect") * 1e3], 2.0, "ms"),
        Row("import urisect.reference", lambda: [lambda: import_time("urisect.reference") * 1e3], 2.0, "ms"),
    ]


def application_rows(urls: list[str]) -> list[Row]:
    """Declare the rows for what programs do with single references."""
    inputs = Inputs.of(urls)
    return [
        *_task_rows(TASKS, inputs),
        Row("web.is_valid", _compare(CHECK_FORM, IS_VALID, inputs.urls), 2.00, "× strict.is_valid"),
    ]


def crawling_rows(urls: list[str], references: list[str]) -> list[Row]:
    """Declare the rows for what crawlers do with URLs, and with the references in a page."""
    inputs = CrawlingInputs.of(urls, references)
    return [
        *(
            Row(key.label, _compare(key, NORMALIZE_BY_SCHEME, inputs.keys), 2.00, "× normalize by scheme")
            for key in KEYS
        ),
        *_task_rows((*CRAWLING_TASKS, *PAGE_TASKS), inputs),
        Row("hostile pages", _compare_pages(), 1.5, LONGER),
    ]


def column_rows(urls: list[str]) -> list[Row]:
    """Declare the rows for columns of Arrow and DuckDB, all on one thread."""
    column = repeat_to(urls, ROWS)
    normal = repeat_to([url for url in urls if normalize(url) == url], ROWS)
    return [
        Row("arrow.split", _compare_columns(ARROW, PYARROW, column), 0.50, "× pyarrow extract_regex"),
        Row("arrow.split", _compare_columns(ARROW, POLARS, column), 0.50, "× Polars extract_groups"),
        Row("arrow.split", _compare_batches_of_rows(column, 2_048), 1.20, "× 65,536 rows, batches of 2,048"),
        Row("arrow.split", _compare_batches_of_rows(column, 10_000), 1.20, "× 65,536 rows, batches of 10,000"),
        Row("arrow.split", _compare_batches_of_rows(column, 10_000, 1), 1.20, "× 65,536 rows, slices of 10,000"),
        Row("arrow.split", _compare_dictionary(column), 0.40, "× plain, a dictionary, 6 repeats"),
        Row("arrow.is_valid", _compare_columns(*CHECK, column), 1.00, "× is_valid in a loop"),
        Row("arrow.normalize", _compare_columns(*NORMALIZE_COLUMN, normal), 1.00, "× normalize in a loop"),
        Row("DuckDB, uri_split", _compare_columns(DUCKDB_MACRO, DUCKDB, column), 1.00, "× regexp_extract with names"),
    ]


def spark_rows(urls: list[str], directory: Path) -> list[Row]:
    """Declare the rows for a column of Spark, on one core; it is written into a directory."""
    column = repeat_to(urls, SPARK_ROWS)
    arrow, sql, built_in = SPLITTERS
    return [
        Row("Spark, split", _compare_spark((arrow, built_in), column, directory), 1.00, "× try_parse_url, six parts"),
        Row("Spark, sql.split", _compare_spark((sql, built_in), column, directory), None, "× try_parse_url, six parts"),
    ]


def log_rows(lines: list[bytes], directory: Path) -> list[Row]:
    """Declare the rows for files, which contain copies of these lines and are written into a directory."""
    content = b"".join(line + b"\n" for line in lines)
    log = write_log(directory / "log", repeated(content, LOG_BYTES))
    long = write_log(directory / "long", repeated(content, LONG_LOG_BYTES), compressed=False)
    return [
        Row("logs.batches", _compare_batches_with_apachelogs(log, lines[:SLOW]), 1 / 6, "× apachelogs, per line"),
        Row("logs.batches", _compare_batches(log, _tables), 1.60, "× logs.tables"),
        Row("logs.batches", _compare_batches(log, polars_batches), 1 / 1.3, "× Polars, without Appendix B"),
        Row("logs.batches", _compare_batches(log, duckdb_batches), 1 / 1.3, "× DuckDB, without Appendix B"),
        Row(
            "logs.batches", _compare_batches(log, partial(duckdb_batches, uris=True)), None, "× DuckDB, with Appendix B"
        ),
        Row("logs.records", _compare_records_with_tables(log), 2.05, "× logs.tables"),
        Row("logs.batches, gzip", _compare_gzip_with_plain(log, 1), 1.15, "× plain"),
        Row("logs.convert, NDJSON", _compare_ndjson(log), 0.95, "× Polars"),
        Row("logs.write_report", _compare_report_with_goaccess(log, directory), 1 / 3, "× GoAccess"),
        Row("logs.batches, two jobs", _compare_two_jobs_with_one(long), None, "× one job"),
        Row(
            "logs.batches, two jobs", _compare_two_jobs_with_two_programs(long), 1.12, "× half of two programs at once"
        ),
    ]


def _task_rows(tasks: Iterable[Task], inputs: object) -> Iterator[Row]:
    """Declare a row for each task and each other library."""
    for task in tasks:
        for peer in task.peers:
            compare = _compare(task.ours, peer, task.texts(inputs, peer))
            yield Row(task.ours.label, compare, task.limit, f"× {peer.label}")


def _encode(texts: Iterable[str]) -> list[bytes]:
    return [text.encode() for text in texts]


def _compare(ours: Declared, theirs: Declared, references: Sequence[Any]) -> Prepare:
    def prepare() -> Sequence[Side]:
        engine = theirs.load()
        accepted = select_accepted(engine, references)
        return timed(ours.load().run_all, accepted), timed(engine.run_all, accepted)

    return prepare


def _compare_violations_with_validity(invalid: Sequence[str]) -> Prepare:
    functions = (strict.violations, strict.is_valid)
    return lambda: tuple(timed(function_engine(function).run_all, invalid) for function in functions)


def _compare_lines(bulk: Bulk, urls: list[str]) -> Prepare:
    return lambda: (timed(split_lines, "\n".join(urls).encode()), timed(bulk.load(urls)))


def _compare_columns(ours: Bulk, theirs: Bulk, column: list[str]) -> Prepare:
    return lambda: (timed(ours.load(column)), timed(theirs.load(column)))


def _compare_spark(names: Iterable[str], column: list[str], directory: Path) -> Prepare:
    return lambda: [timed(materialize, load(name, column, directory)) for name in names]


def _compare_batches_of_rows(column: list[str], batch: int, before: int = 0) -> Prepare:
    return lambda: (timed(arrow_split(column, batch, before)), timed(arrow_split(column)))


def _compare_dictionary(column: list[str]) -> Prepare:
    """Compare a row of each: the dictionary has a few rows less."""

    def prepare() -> Sequence[Side]:
        ours, theirs = dictionary_split(column), arrow_split(column)
        rows = [sum(map(len, split_all())) for split_all in (ours, theirs)]
        sides = timed(ours), timed(theirs)
        return lambda: sides[0]() / rows[0], lambda: sides[1]() / rows[1]

    return prepare


def _compare_log_line(format: PatternFormat, lines: list[bytes]) -> Prepare:
    ours, theirs = match_engine(COMBINED.expression.match), match_engine(format.expression.match)
    return lambda: (timed(ours.run_all, lines), timed(theirs.run_all, lines))


def _compare_tables_with_apachelogs(lines: list[bytes]) -> Prepare:
    def prepare() -> Sequence[Side]:
        engine = apachelogs()
        accepted = select_accepted(engine, [line.decode("latin-1") for line in lines])
        return timed(drop_tables, "\n".join(accepted).encode("latin-1")), timed(engine.run_all, accepted)

    return prepare


def _compare_batches_with_apachelogs(log: Log, lines: list[bytes]) -> Prepare:
    def prepare() -> Sequence[Side]:
        engine = apachelogs()
        accepted = select_accepted(engine, [line.decode("latin-1") for line in lines])
        ours, theirs = timed(urisect_batches, log.plain, 1), timed(engine.run_all, accepted)
        return lambda: ours() / log.lines, lambda: theirs() / len(accepted)

    return prepare


def _compare_batches(log: Log, theirs: Callable[[str, int], object]) -> Prepare:
    def prepare() -> Sequence[Side]:
        theirs(log.plain, 1)  # raises ImportError if it is not installed
        return timed(urisect_batches, log.plain, 1), timed(theirs, log.plain, 1)

    return prepare


def _tables(log: str, _: int) -> None:
    with open(log, "rb") as file:
        deque(tables(file, COMBINED), maxlen=0)


def _compare_records_with_tables(log: Log) -> Prepare:
    def read() -> None:
        with open(log.plain, "rb") as file:
            deque(records(file, COMBINED), maxlen=0)

    return lambda: (timed(read), timed(_tables, log.plain, 1))


def _compare_gzip_with_plain(log: Log, jobs: int) -> Prepare:
    return lambda: tuple(timed(urisect_batches, path, jobs) for path in (log.compressed, log.plain))


def _compare_ndjson(log: Log) -> Prepare:
    """Compare without a disk: urisect waits until its output is stored, and Polars does not."""

    def prepare() -> Sequence[Side]:
        ours = partial(convert, log.plain, os.devnull, COMBINED, to="ndjson")
        theirs = partial(polars_sink, log.plain, 1, os.devnull, "sink_ndjson")
        theirs()  # raises ImportError if it is not installed
        return timed(ours), timed(theirs)

    return prepare


def _compare_report_with_goaccess(log: Log, directory: Path) -> Prepare:
    """Compare with a process of GoAccess, which starts in a hundredth of the time that it takes here.

    Neither waits for the disk: GoAccess never does.
    """

    def prepare() -> Sequence[Side]:
        if not shutil.which("goaccess"):
            raise ImportError("GoAccess is not installed")
        return (
            timed(write_report, log.plain, os.devnull, COMBINED),
            timed(measure, goaccess(log.plain, 1, str(directory / "output.json")), 1),
        )

    return prepare


def _compare_two_jobs_with_one(log: Log) -> Prepare:
    return lambda: tuple(timed(_run_program, log, jobs) for jobs in (2, 1))


def _compare_two_jobs_with_two_programs(log: Log) -> Prepare:
    """Compare two sides that both need two cores, so that the number of cores and other load do not matter."""

    def run_both() -> None:
        with ThreadPoolExecutor(2) as pool:
            deque(pool.map(partial(_run_program, log), (1, 1)), maxlen=0)

    at_once = timed(run_both)
    return lambda: (timed(_run_program, log, 2), lambda: at_once() / 2)


def _run_program(log: Log, jobs: int) -> None:
    """Read a log in a new process."""
    measure(call(urisect_batches, log.plain, jobs), 2)


def compare_lengths(function: Callable[[Any], object], size: int, end: str = "") -> Prepare:
    """Compare long lines with as many bytes in lines of a tenth: a quadratic function takes ten times as long."""
    return _compare_texts(function, *(list(hostile(length, end).values()) for length in (size, size // 10)))


def _compare_pages() -> Prepare:
    """Compare long pages with as many bytes in pages of a tenth, likewise."""
    return _compare_texts(_drop_links, *map(hostile_pages, (PAGE_BYTES, PAGE_BYTES // 10)))


def _drop_links(html: bytes) -> None:
    deque(document.links(html, PAGE), maxlen=0)


def _compare_command_with_python() -> Prepare:
    command = "import sys; from urisect.cli import main; sys.exit(main())"
    return lambda: (partial(start_time, command, "split"), partial(start_time, "pass"))


def _compare_texts(function: Callable[[Any], object], long: list[bytes], short: list[bytes]) -> Prepare:
    def prepare() -> Sequence[Side]:
        loop = function_engine(function).run_all
        return timed(loop, long), timed(loop, short * 10)

    return prepare
