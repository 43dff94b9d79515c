"""Measure columns and logs in Spark, on data that is made at run time in a temporary directory.

`python -m benchmarks.spark --uris 10000000 --log-bytes 10000000000 --master spark://example.com:7077` prints the time
per URI of each function of columns, with the scan of the file alone subtracted, and the time per line of `read_logs`.
"""

import argparse
import itertools
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark

from benchmarks import corpora
from benchmarks.spark_columns import COMPONENTS, PARTS_OF_SPARK, materialize
from urisect.engines import spark as engine

FILE_URIS = 1_000_000  # in a file of Parquet
GROUP_URIS = 100_000  # in a row group


def write_uris(directory: Path, urls: list[str], count: int) -> None:
    """Write URLs to Parquet, the later ones with a number at their end.

    Args:
        directory: where to write.
        urls: the URLs that are repeated.
        count: how many to write.
    """
    numbered = (f"{url}{number or ''}" for number in itertools.count() for url in urls)
    for first in range(0, count, FILE_URIS):
        with pq.ParquetWriter(directory / f"{first:012}.parquet", pa.schema([("url", pa.string())])) as file:
            left = min(FILE_URIS, count - first)
            for rows in [GROUP_URIS] * (left // GROUP_URIS) + [left % GROUP_URIS] * bool(left % GROUP_URIS):
                file.write(pa.table({"url": pa.array([*itertools.islice(numbered, rows)])}))


def write_log(path: Path, lines: bytes, size: int) -> int:
    """Write lines again and again; return how many bytes were written, at least `size`."""
    block = lines * max(1, 10_000_000 // len(lines))
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(block)
        return file.tell()


def measure(frame: Any) -> float:
    """Return the seconds in which all rows of a table are made."""
    start = time.perf_counter()
    materialize(frame)
    return time.perf_counter() - start


def measure_columns(spark: Any, directory: Path, count: int, runs: int, only: list[str]) -> None:
    """Print the nanoseconds per URI of each function whose name begins as one of `only`; the best of several runs."""
    uris = spark.read.parquet(str(directory))
    jobs = {
        "scan": uris,
        "split, 8 fields": uris.select(engine.split("url")),
        "split, 6 fields": uris.select(engine.split("url", COMPONENTS)),
        "split, host": uris.select(engine.split("url", "host")),
        "try_parse_url, 6 parts": uris.selectExpr(*PARTS_OF_SPARK),
        "is_valid": uris.select(engine.is_valid("url")),
        "normalize": uris.select(engine.normalize("url")),
        "resolve": uris.select(engine.resolve("http://example.com/a/b", "url")),
        "hazards": uris.select(engine.hazards("url")),
    }
    jobs = {name: job for name, job in jobs.items() if name.startswith(("scan", *only))}
    measure(uris.limit(100_000).select(engine.split("url")))  # starts the workers
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(runs):
        for name, job in jobs.items():
            best[name] = min(best[name], measure(job))
    for name, seconds in best.items():
        net = seconds - best["scan"] if name != "scan" else seconds
        print(f"{count:>12,} URIs  {name:24} {net / count * 1e9:8,.0f} ns per URI", flush=True)


def measure_log(spark: Any, path: Path, size: int) -> None:
    """Print how fast `read_logs` makes rows of a log."""
    rows = engine.read_logs(spark, path, "combined", fields=["time", "status", "target_path", "bytes"])
    start = time.perf_counter()
    groups = rows.groupBy("status").count().collect()
    seconds = time.perf_counter() - start
    lines = sum(group["count"] for group in groups)
    speed = f"{seconds / lines * 1e9:,.0f} ns per line, {size / seconds / 1e6:,.0f} MB per second"
    print(f"{lines:>12,} lines  read_logs, 4 fields      {speed}", flush=True)


def main() -> None:
    """Measure what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--uris", type=int, default=1_000_000)
    parser.add_argument("--urls", type=Path, help="a file of URLs, one per line, that are repeated")
    parser.add_argument("--log-bytes", type=int, default=100_000_000)
    parser.add_argument("--log", type=Path, help="a log in format combined that is repeated")
    parser.add_argument("--master", default=f"local[{os.cpu_count()}]")
    parser.add_argument("--functions", nargs="+", default=[""], help="measure only functions with these names")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--directory", type=Path, help="where temporary files go")
    arguments = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    urls = arguments.urls.read_text("utf-8-sig").splitlines() if arguments.urls else corpora.crawl(24_000)
    lines = arguments.log.read_bytes() if arguments.log else corpora.access_log(4000)
    with TemporaryDirectory(dir=arguments.directory, prefix="urisect-spark-") as name:
        directory = Path(name)
        session = (
            pyspark.sql.SparkSession.builder.master(arguments.master)
            .config("spark.local.dir", str(directory / "local"))
            .config("spark.sql.warehouse.dir", str(directory / "warehouse"))
            .config("spark.executor.memory", "1g")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        print(f"Spark {pyspark.__version__}, {arguments.master}, load {os.getloadavg()[0]:.1f}", flush=True)
        if arguments.uris:
            (directory / "uris").mkdir()
            write_uris(directory / "uris", urls, arguments.uris)
            measure_columns(session, directory / "uris", arguments.uris, arguments.runs, arguments.functions)
        if arguments.log_bytes:
            size = write_log(directory / "access.log", lines, arguments.log_bytes)
            measure_log(session, directory / "access.log", size)
        print(f"load {os.getloadavg()[0]:.1f}")
        session.stop()


if __name__ == "__main__":
    main()
