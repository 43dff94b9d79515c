"""Fail when a ratio of speeds is not what it has to be: `python -m benchmarks.guard [--corpus FILE] [--log FILE]`.

Both sides of a ratio run in one process, in turns, again and again as long as the guard runs, and the shortest time of
each counts, so that a noisy machine does not decide. What noise is left is allowed for: a row fails when it exceeds its
limit by more than a tenth, and does so each time that it is measured again. Logs in files are read less often, for that
takes longer; where two processes work on one, each side is a process of its own.
"""

import argparse
import gc
import platform
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks import volume
from benchmarks.corpora import hostile, variants
from benchmarks.peers import (
    CAN_ADA,
    FLOOR,
    FLOOR_LINES,
    HTTPTOOLS,
    POLARS,
    PYARROW,
    PYDANTIC,
    SPLIT,
    URIS_AS_CLASSES,
    URLSPLIT,
    WITHOUT_APPENDIX_B,
    Bulk,
    Peer,
    accepted,
    apachelogs,
    import_time,
    matching,
    read_log,
    read_references,
    read_tables,
    read_urls,
)
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
from benchmarks.validators import IS_VALID, RFC3986_VALIDATOR, STRICT_FLOOR, STRICT_SPLIT, Validator, calling
from benchmarks.volume import MB, Log, duckdb_batches, polars_batches, repeated, urisect_batches
from urisect import normalize, split, split_lines, strict
from urisect.logs import COMBINED, tables
from urisect.logs.formats import PatternFormat
from urisect.specs import SPECIFICATIONS

PASSES = 10  # over all rows
ROUNDS = 8  # of a row in each
LOG_ROUNDS = 3  # of a row about logs in files, in all
LOG = 20 * MB  # bytes of such a log
LONG_LOG = 600 * MB  # bytes of one on which two processes work: much more than is read before they start
ATTEMPTS = 3  # at a row that fails
NOISE = 1.1
LONG = 300_000  # bytes of a hostile line; a validator gets less of it, so that one that is quadratic comes to an end
SLOW = 500  # references or lines are enough to measure a slow peer
UNKEPT = 4_000  # references are more than any peer keeps
EXCEEDED = "EXCEEDED"
IN_A_TENTH = "× as many bytes in lines of a tenth"

# Runs what is measured, and gives the time that it took.
Side = Callable[[], float]

# What takes one reference at a time, as it is declared.
Declared = Peer | Validator | Rewriter

# Gives two sides, whose ratio is the figure, or one, whose time is. ImportError says that a peer is not installed.
Prepare = Callable[[], Sequence[Side]]


class Row(NamedTuple):
    """What has to hold.

    Attributes:
        name: what is measured.
        prepare: gives the sides.
        limit: what the figure may be at most; None if it is only shown.
        unit: of the figure and of the limit.
    """

    name: str
    prepare: Prepare
    limit: float | None
    unit: str


class Result(NamedTuple):
    """A row and its figure, None where that could not be had."""

    row: Row
    figure: float | None

    @property
    def verdict(self) -> str:
        """What the figure says of the row."""
        if self.figure is None:
            return "not installed"
        if self.row.limit is None:
            return "shown"
        if self.figure <= self.row.limit:
            return "ok"
        return "over, within noise" if self.figure <= self.row.limit * NOISE else EXCEEDED


def rows(urls: list[str], references: list[str], lines: list[bytes]) -> list[Row]:
    """Declare what has to hold on some URLs, on what some pages refer to, and on some lines of a combined log."""
    unkept = references[:UNKEPT]
    normal = [url for url in urls if normalize(url) == url]
    valid = [url for url in urls if strict.is_valid(url)]
    invalid = [url for url in urls if not strict.is_valid(url)]
    return [
        Row("split", _beside(SPLIT, FLOOR, urls), 1.40, "× the floor"),
        Row("split", _beside(SPLIT, URLSPLIT, urls), 0.25, "× urlsplit, cold"),
        Row("split", _beside(SPLIT, PYDANTIC, urls), 1.00, "× pydantic_core.Url"),
        Row("split", _beside(SPLIT, CAN_ADA, urls), 1.00, "× can_ada"),
        Row("split, bytes", _beside(SPLIT, HTTPTOOLS, _octets(urls)), None, "× httptools"),
        Row("split_lines", _lines_beside(FLOOR_LINES, urls), 0.75, "× the floor, kept"),
        Row("split_lines", _lines_beside(PYARROW, urls), 1.00, "× pyarrow extract_regex"),
        Row("split_lines", _lines_beside(POLARS, urls), 1.00, "× Polars extract_groups"),
        Row("log line", _line_beside(WITHOUT_APPENDIX_B, lines), 1.15, "× without Appendix B"),
        Row("log line", _line_beside(URIS_AS_CLASSES, lines), None, "× with a class for a URI"),
        Row("logs.tables", _tables_beside_apachelogs(lines[:SLOW]), 0.10, "× apachelogs"),
        Row("Base.resolve", _beside(BASE_RESOLVE, URLJOIN, unkept), 1 / 6, "× urljoin"),
        Row("Base.resolve, bytes", _beside(BASE_RESOLVE_BYTES, URLJOIN_BYTES, _octets(unkept)), 1 / 6, "× urljoin"),
        Row("Base.resolve", _beside(BASE_RESOLVE, CAN_ADA_JOIN, references), 1.00, "× can_ada"),
        Row("Base.resolve", _beside(BASE_RESOLVE, YARL_JOIN, unkept), 1.00, "× yarl"),
        Row("normalize", _beside(NORMALIZE, SPLIT, normal), 1.50, "× split"),
        Row("normalize, bytes", _beside(NORMALIZE, SPLIT, _octets(normal)), 1.50, "× split"),
        Row("normalize", _beside(NORMALIZE, CANONICALIZE, normal[:SLOW]), 1 / 8, "× canonicalize_url"),
        Row("normalize", _beside(NORMALIZE, URL_NORMALIZE, normal[:SLOW]), 1 / 20, "× url_normalize"),
        Row(
            "normalize, if not normal",
            _beside(NORMALIZE, CANONICALIZE, list(variants(normal[:SLOW]))),
            None,
            "× canonicalize_url",
        ),
        Row("strict.is_valid", _beside(IS_VALID, SPLIT, valid), 1.60, "× split"),
        Row("strict.is_valid, bytes", _beside(IS_VALID, SPLIT, _octets(valid)), 1.60, "× split"),
        Row("strict.is_valid", _beside(IS_VALID, STRICT_FLOOR, valid), None, "× the floor"),
        Row("strict.is_valid", _beside(IS_VALID, RFC3986_VALIDATOR, valid[:SLOW]), 0.10, "× rfc3986"),
        Row("strict.split", _beside(STRICT_SPLIT, SPLIT, valid), 1.60, "× split"),
        Row("strict.split, bytes", _beside(STRICT_SPLIT, SPLIT, _octets(valid)), 1.60, "× split"),
        Row("percent.repair", _beside(REPAIR, IS_VALID, valid), 1.50, "× is_valid"),
        Row("percent.repair, bytes", _beside(REPAIR, IS_VALID, _octets(valid)), 1.50, "× is_valid"),
        Row("strict.violations", _explained_beside_refused(invalid), None, "× is_valid, on what is invalid"),
        Row("hostile lines", long_beside_short(split, LONG), 1.5, IN_A_TENTH),
        *(
            Row(f"the same, {name}", long_beside_short(specification.is_valid, LONG // 10, " "), 1.5, IN_A_TENTH)
            for name, specification in SPECIFICATIONS.items()
        ),
        Row("import urisect", lambda: [lambda: import_time("urisect") * 1e3], 5.0, "ms"),
    ]


def log_rows(lines: list[bytes], folder: Path) -> list[Row]:
    """Declare what has to hold when files are read that consist of these lines, again and again."""
    content = b"".join(line + b"\n" for line in lines)
    log, long = (repeated(folder / str(size), content, size) for size in (LOG, LONG_LOG))
    return [
        Row("logs.batches", _batches_beside_apachelogs(log, lines[:SLOW]), 1 / 6, "× apachelogs, per line"),
        Row("logs.batches", _batches_beside(log, _tables), None, "× logs.tables"),
        Row("logs.batches", _batches_beside(log, polars_batches), None, "× Polars, without Appendix B"),
        Row("logs.batches", _batches_beside(log, duckdb_batches), None, "× DuckDB, without Appendix B"),
        Row(
            "logs.batches", _batches_beside(log, partial(duckdb_batches, uris=True)), None, "× DuckDB, with Appendix B"
        ),
        Row("logs.batches, two jobs", _two_jobs_beside_one(long), None, "× one job"),
        Row("logs.batches, two jobs", _two_jobs_beside_two_programs(long), 1.24, "× half of two programs at once"),
    ]


def _octets(texts: Iterable[str]) -> list[bytes]:
    return [text.encode() for text in texts]


def _beside(ours: Declared, theirs: Declared, references: Sequence[Any]) -> Prepare:
    def prepare() -> Sequence[Side]:
        engine = theirs.load()
        taken = accepted(engine, references)
        return timed(ours.load().loop, taken), timed(engine.loop, taken)

    return prepare


def _explained_beside_refused(invalid: Sequence[str]) -> Prepare:
    return lambda: tuple(timed(calling(function).loop, invalid) for function in (strict.violations, strict.is_valid))


def _lines_beside(bulk: Bulk, urls: list[str]) -> Prepare:
    return lambda: (timed(split_lines, "\n".join(urls).encode()), timed(bulk.load(urls)))


def _line_beside(format: PatternFormat, lines: list[bytes]) -> Prepare:
    cut, uncut = matching(COMBINED.expression.match), matching(format.expression.match)
    return lambda: (timed(cut.loop, lines), timed(uncut.loop, lines))


def _tables_beside_apachelogs(lines: list[bytes]) -> Prepare:
    def prepare() -> Sequence[Side]:
        engine = apachelogs()
        taken = accepted(engine, [line.decode("latin-1") for line in lines])
        return timed(read_tables, "\n".join(taken).encode("latin-1")), timed(engine.loop, taken)

    return prepare


def _batches_beside_apachelogs(log: Log, lines: list[bytes]) -> Prepare:
    def prepare() -> Sequence[Side]:
        engine = apachelogs()
        taken = accepted(engine, [line.decode("latin-1") for line in lines])
        ours, theirs = timed(urisect_batches, log.plain, 1), timed(engine.loop, taken)
        return lambda: ours() / log.lines, lambda: theirs() / len(taken)

    return prepare


def _batches_beside(log: Log, theirs: Callable[[str, int], object]) -> Prepare:
    def prepare() -> Sequence[Side]:
        theirs(log.plain, 1)  # to see whether it is there
        return timed(urisect_batches, log.plain, 1), timed(theirs, log.plain, 1)

    return prepare


def _tables(log: str, _: int) -> None:
    with open(log, "rb") as file:
        deque(tables(file, COMBINED), maxlen=0)


def _two_jobs_beside_one(log: Log) -> Prepare:
    return lambda: tuple(timed(_program, log, jobs) for jobs in (2, 1))


def _two_jobs_beside_two_programs(log: Log) -> Prepare:
    """Both sides need two cores: so it does not matter whether there are two, nor what else runs there."""

    def programs() -> None:
        with ThreadPoolExecutor(2) as pool:
            deque(pool.map(partial(_program, log), (1, 1)), maxlen=0)

    at_once = timed(programs)
    return lambda: (timed(_program, log, 2), lambda: at_once() / 2)


def _program(log: Log, jobs: int) -> None:
    """Read a log in a process of its own."""
    volume.measure(volume.calling(urisect_batches, log.plain, jobs), 2)


def long_beside_short(function: Callable[[Any], object], size: int, end: str = "") -> Prepare:
    """Time that grows faster than the input shows here: what is quadratic takes ten times as long."""

    def prepare() -> Sequence[Side]:
        long, short = (list(hostile(length, end).values()) for length in (size, size // 10))
        loop = calling(function).loop
        return timed(loop, long), timed(loop, short * 10)

    return prepare


def timed(function: Callable[..., object], *arguments: Any) -> Side:
    """Time a call; what it returns is freed outside of its time."""

    def side() -> float:
        start = perf_counter()
        returned = function(*arguments)
        taken = perf_counter() - start
        del returned
        return taken

    return side


def judge(rows: Sequence[Row], passes: int = PASSES, rounds: int = ROUNDS) -> list[Result]:
    """Measure all rows, and those that fail again; the best figure of each counts."""
    results = measure(rows, passes, rounds)
    for _ in range(ATTEMPTS - 1):
        failed = [index for index, result in enumerate(results) if result.verdict == EXCEEDED]
        for index, again in zip(failed, measure([rows[index] for index in failed], passes, rounds), strict=True):
            results[index] = min(results[index], again, key=attrgetter("figure"))
    return results


def measure(rows: Sequence[Row], passes: int, rounds: int) -> list[Result]:
    """Measure all rows.

    The garbage collector runs as in any program, for to keep objects costs what it costs; but it leaves alone what
    the peers have loaded, which no program has that uses one of them.
    """
    prepared = [_sides(row) for row in rows]
    shortest = [[inf] * len(sides) for sides in prepared]
    gc.freeze()
    gc.collect()
    for _ in range(passes):
        for sides, times in zip(prepared, shortest, strict=True):
            for _ in range(rounds):
                times[:] = [min(time, side()) for time, side in zip(times, sides, strict=True)]
    gc.unfreeze()
    return [Result(row, _figure(times)) for row, times in zip(rows, shortest, strict=True)]


def _sides(row: Row) -> Sequence[Side]:
    try:
        return row.prepare()
    except ImportError:
        return ()


def _figure(times: list[float]) -> float | None:
    match times:
        case [ours, theirs]:
            return ours / theirs
        case [ours]:
            return ours
        case _:
            return None


RIGHT = (1, 2, 3)  # columns of numbers


def table(results: Iterable[Result]) -> str:
    """Show results, a line a row: the figure, its limit, and the limit with the allowance for noise."""
    lines: list[tuple[str, ...]] = [("", "figure", "at most", "fails over", "", "")]
    for result in results:
        name, _, limit, unit = result.row
        figures = (result.figure, limit, limit and limit * NOISE)
        lines.append((name, *("" if figure is None else f"{figure:.2f}" for figure in figures), unit, result.verdict))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in RIGHT else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and judge: 1 if a row has failed, 0 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guard", description=__doc__)
    parser.add_argument("--corpus", metavar="FILE", help="URLs to measure on, one a line, instead of generated ones")
    parser.add_argument("--log", metavar="FILE", help="Combined Log to measure on, instead of a generated one")
    options = parser.parse_args(arguments)
    urls, references, log = (read_urls(options.corpus), read_references(options.corpus), read_log(options.log))
    results = judge(rows(urls.content, references.content, log.content))
    with TemporaryDirectory(prefix="urisect-") as folder:
        results += judge(log_rows(log.content, Path(folder)), LOG_ROUNDS, 1)
    print(f"{urls.name} and {log.name}, Python {platform.python_version()}")
    print(table(results))
    return int(any(result.verdict == EXCEEDED for result in results))


if __name__ == "__main__":
    sys.exit(main())
