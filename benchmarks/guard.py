"""Fail if a ratio of times exceeds its limit: `python -m benchmarks.guard [--corpus FILE] [--log FILE]`.

The limits are in `limits.py`; `ratios.py` says how they are measured. Logs in files are read less often, since that
takes longer. Where two processes read one log, each side is a process of its own.
"""

import argparse
import platform
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.inputs import read_log, read_references, read_urls
from benchmarks.limits import application_rows, column_rows, crawling_rows, log_rows, rows, spark_rows
from benchmarks.ratios import EXCEEDED, NOISE, Result, judge

__all__ = ["main", "table"]

LOG_ROUNDS = 3  # of a row about logs in files, in all
SPARK_ROUNDS = 3  # of the row about Spark, the first of which starts its workers
RIGHT_ALIGNED = (1, 2, 3)  # the columns of numbers


def table(results: Iterable[Result]) -> str:
    """Format results, one line each: the figure, its limit, and the limit with the allowance for noise."""
    lines: list[tuple[str, ...]] = [("", "figure", "at most", "fails over", "", "")]
    for result in results:
        name, _, limit, unit = result.row
        figures = (result.figure, limit, limit and limit * NOISE)
        lines.append((name, *("" if figure is None else f"{figure:.2f}" for figure in figures), unit, result.verdict))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in RIGHT_ALIGNED else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return 1 if a row failed, otherwise 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guard", description=__doc__)
    parser.add_argument("--corpus", metavar="FILE", help="measure on these URLs, one per line, not on generated ones")
    parser.add_argument("--log", metavar="FILE", help="measure on this Combined Log, not on a generated one")
    options = parser.parse_args(arguments)
    urls, references, log = (read_urls(options.corpus), read_references(options.corpus), read_log(options.log))
    results = judge(rows(urls.content, references.content, log.content))
    results += judge(application_rows(urls.content))
    results += judge(crawling_rows(urls.content, references.content))
    results += judge(column_rows(urls.content))
    with TemporaryDirectory(prefix="urisect-") as directory:
        results += judge(spark_rows(urls.content, Path(directory)), SPARK_ROUNDS, 1)
        results += judge(log_rows(log.content, Path(directory)), LOG_ROUNDS, 1)
    print(f"{urls.name} and {log.name}, Python {platform.python_version()}")
    print(table(results))
    return int(any(result.verdict == EXCEEDED for result in results))


if __name__ == "__main__":
    sys.exit(main())
