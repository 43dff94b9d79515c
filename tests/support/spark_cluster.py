"""Run a job of Spark on a cluster of processes on this machine, and kill an executor in the midst of it.

`python -m tests.support.spark_cluster DIRECTORY` prints the result as JSON. All files are in the directory.
"""

import json
import os
import signal
import subprocess
import sys
import warnings
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

from urisect import normalize, split, strict
from urisect.engines.fields import FIELDS

__all__ = ["COUNT", "count_in_python", "uri"]

COUNT = 1_000_000  # URIs
PARTITIONS = 8
KILLED_PARTITION = 1

TEMPLATES = (
    "http://user:@host{0}.example.com:80/a/../%7e{0}?q={0}#f",
    "//[2001:db8::{0}]:/?",
    "mailto:fred.{0}@example.com",
    "/a b|{0}\n?#",
    "HTTP://H{0}.example.com/é\0#",
    "",
    "a:{0}:b//?[#]#",
    "urn:x:{0}%zz",
)


def uri(number: int) -> str:
    """Return one of the URIs, some of which are not valid."""
    return TEMPLATES[number % len(TEMPLATES)].format(number)


def count_in_python() -> dict[str, int]:
    """Return what the job counts: the values of each column that are not null, and the sums of their checksums."""
    counts: Counter[str] = Counter()
    for number in range(COUNT):
        text = uri(number)
        reference = split(text)
        values = {name: getattr(reference, name) for name in FIELDS} | {"normal": normalize(text)}
        for name, value in values.items():
            if value is not None:
                counts[f"{name} count"] += 1
                counts[f"{name} sum"] += zlib.crc32(value.encode())
        counts["valid"] += strict.is_valid(text)
    return dict(counts)


def count_in_spark(spark: Any, marks: Path) -> dict[str, int]:
    """Return the same, counted by Spark, while a task that has returned a batch kills its executor.

    Args:
        spark: the session.
        marks: a directory, in which each attempt of a task leaves a file with the process id of its executor.
    """
    from pyspark import TaskContext  # noqa: PLC0415  importing this module needs no Spark
    from pyspark.sql import functions  # noqa: PLC0415

    from urisect.engines import spark as engine  # noqa: PLC0415

    marks.mkdir()

    def make_uris(ids: pa.Array) -> pa.Array:
        task = TaskContext.get()
        attempt = task.partitionId(), task.attemptNumber()
        executor = executor_of_this_task()
        marks.joinpath("{}-{}".format(*attempt)).write_text(str(executor))
        numbers = ids.to_pylist()
        if attempt == (KILLED_PARTITION, 0) and numbers[0] % (COUNT // PARTITIONS):  # not the first batch
            os.kill(executor, signal.SIGKILL)
        return pa.array([uri(number) for number in numbers], pa.string())

    ids = spark.range(COUNT, numPartitions=PARTITIONS)
    made = functions.arrow_udf(make_uris, "string").asNondeterministic()("id")  # so that it runs once for each batch
    uris = ids.select(made.alias("url"))
    columns = uris.select(
        engine.split("url").alias("parts"),
        engine.normalize("url").alias("normal"),
        engine.is_valid("url").alias("valid"),
    ).select("parts.*", "normal", "valid")
    sums = [
        column
        for name in (*FIELDS, "normal")
        for column in (
            functions.count(name).alias(f"{name} count"),
            functions.sum(functions.crc32(functions.col(name).cast("binary"))).alias(f"{name} sum"),
        )
    ]
    [row] = columns.agg(*sums, functions.count_if("valid").alias("valid")).collect()
    counts: dict[str, int] = row.asDict()
    return counts


def executor_of_this_task() -> int:
    """Return the process id of the executor: the grandparent of a worker, which its daemon forked."""
    parent = ask_ps(os.getppid(), "ppid")
    assert "CoarseGrainedExecutorBackend" in ask_ps(int(parent), "args")
    return int(parent)


def ask_ps(process: int, column: str) -> str:
    """Return what ps says of a process."""
    command = ["ps", "-ww", "-o", f"{column}=", "-p", str(process)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def link_spark(home: Path) -> None:
    """Make a home of Spark of links to that of pyspark: a cluster on this machine writes into its home."""
    import pyspark  # noqa: PLC0415

    home.mkdir()
    for path in Path(pyspark.__file__).parent.iterdir():
        if path.name != "work":
            (home / path.name).symlink_to(path)


def main(directory: Path) -> None:
    """Run the job, and print what it counted, and the executor of each attempt of a task."""
    home = directory / "spark"
    link_spark(home)
    os.environ |= {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    from pyspark.sql import SparkSession  # noqa: PLC0415

    warnings.simplefilter("ignore")  # pyspark's own
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.executor.memory", "512m")
        .config("spark.local.dir", str(directory / "local"))
        .config("spark.sql.warehouse.dir", str(directory / "warehouse"))
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    marks = directory / "attempts"
    counts = count_in_spark(spark, marks)
    executors = {path.name: int(path.read_text()) for path in marks.iterdir()}
    print(json.dumps({"counts": counts, "executors": executors}))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
