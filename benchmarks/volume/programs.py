"""The jobs that are measured, and the programs that do them."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from benchmarks.volume.readers import (
    FEW,
    Answer,
    count_rows,
    duckdb_batches,
    duckdb_copy,
    polars_batches,
    polars_sink,
    pyarrow_batches,
    pyarrow_parquet,
    urisect_batches,
)

__all__ = ["CORES", "GROWING", "JOBS", "Job", "Program", "call", "parse_answer"]

CORES = (1, 2)


class Program(NamedTuple):
    """A program that reads logs.

    Attributes:
        name: its name in the tables.
        needs: the module or command that must be installed.
        command: returns its command line for the path of a log, a number of cores and the path of its output.
        cores: the numbers of cores that it is measured on.
        compressed: whether it reads gzip.
        is_module: whether it needs a module, not a command.
    """

    name: str
    needs: str
    command: Callable[[str, int, str], Sequence[str]]
    cores: Sequence[int] = CORES
    compressed: bool = True
    is_module: bool = True

    @property
    def is_installed(self) -> bool:
        """Whether it can be run."""
        return bool(find_spec(self.needs) if self.is_module else shutil.which(self.needs))

    @property
    def is_ours(self) -> bool:
        """Whether it is urisect."""
        return self.name.startswith("urisect")

    @property
    def version(self) -> str:
        """The installed version, with the name."""
        if self.is_module:
            return f"{self.needs} {version(self.needs)}"
        output = subprocess.run([self.needs, "--version"], check=True, capture_output=True, text=True).stdout
        return output.partition("\n")[0].replace(" - ", " ").rstrip(".")


class Job(NamedTuple):
    """A job that several programs do.

    Attributes:
        title: the heading of its table.
        meaning: a sentence about it.
        answer: returns a program's answer, given what the program printed and the path of its output.
        programs: the programs that do the job.
        summed: the column that is added up in the answer.
        tolerance: the part of the sum by which answers may differ.
        margin: how many times as fast as the others urisect is meant to be.
    """

    title: str
    meaning: str
    answer: Callable[[str, str], Answer]
    programs: tuple[Program, ...]
    summed: str = "bytes"
    tolerance: float = 0
    margin: float = 1

    @property
    def ours(self) -> Program:
        """The program that is urisect."""
        return next(program for program in self.programs if program.is_ours)


def call(reader: Callable[..., Answer | None], *arguments: Any, **options: Any) -> list[str]:
    """Return the command that calls a function of `benchmarks.volume.readers` and prints its answer."""
    expression = f"readers.{reader.__name__}(*{arguments!r}, **{options!r})"
    return [sys.executable, "-c", f"from benchmarks.volume import readers; print(*{expression} or ())"]


def urisect(command: str, log: str, cores: int, output: str, *options: str) -> list[str]:
    """Return the command line of a command of urisect."""
    main = "import sys; from urisect.cli import main; sys.exit(main())"
    common = ("--format", "combined", "--jobs", str(cores), "--quiet", "--output", output)
    return [sys.executable, "-c", main, command, log, *common, *options]


def goaccess(log: str, _: int, output: str) -> list[str]:
    """Return the command line of GoAccess, which cannot decompress."""
    command = ["goaccess", "--log-format=COMBINED", "--no-global-config", "--no-progress", f"--output={output}"]
    if log.endswith(".gz"):
        return ["sh", "-c", f"gzip -dc {quote(log)} | {' '.join(map(quote, command))} -"]
    return [*command, log]


def parse_answer(printed: str, _: str) -> Answer:
    """Parse the answer that a function printed."""
    return Answer(*map(int, printed.split()))


def read_parquet(_: str, output: str) -> Answer:
    """Count the rows of a Parquet file."""
    table = import_module("pyarrow.parquet").read_table(output, columns=["bytes"])
    return count_rows(table.to_batches())


def read_ndjson(_: str, output: str) -> Answer:
    """Count lines of JSON. A quote in a string is escaped, so the expression finds only members."""
    rows = Path(output).read_bytes()
    return Answer(rows.count(b"\n"), sum(map(int, re.findall(rb'"bytes":([0-9]+)', rows))))


def read_report(_: str, output: str) -> Answer:
    """Read the totals from the report of GoAccess or of urisect, whose first table shows frequent status codes."""
    text = Path(output).read_text("utf-8", errors="replace")
    if text.startswith("{"):
        general = json.loads(text)["general"]
        return Answer(general["valid_requests"], general["bandwidth"])
    requests = re.findall(r"<dt>Requests</dt><dd><b>([0-9,]+)", text)
    sizes = re.findall(r'title="([0-9,]+) bytes"', text[: text.index("</tbody>")])
    return Answer(*(sum(int(number.replace(",", "")) for number in numbers) for numbers in (requests, sizes)))


ZSTD = "FORMAT parquet, COMPRESSION zstd"

JOBS = (
    Job(
        "Read all columns",
        "All columns are built, and dropped.",
        parse_answer,
        (
            Program("urisect.logs.batches", "pyarrow", lambda log, cores, _: call(urisect_batches, log, cores)),
            Program("DuckDB", "duckdb", lambda log, cores, _: call(duckdb_batches, log, cores)),
            Program(
                "DuckDB, with Appendix B, times read",
                "duckdb",
                lambda log, cores, _: call(duckdb_batches, log, cores, uris=True),
                compressed=False,
            ),
            Program("Polars", "polars", lambda log, cores, _: call(polars_batches, log, cores)),
            Program("pyarrow.dataset", "pyarrow", lambda log, cores, _: call(pyarrow_batches, log, cores)),
        ),
        margin=1.3,
    ),
    Job(
        "Read three columns",
        f"{', '.join(FEW)}. The other columns are matched, but not built.",
        parse_answer,
        (
            Program("urisect.logs.batches", "pyarrow", lambda log, cores, _: call(urisect_batches, log, cores, FEW)),
            Program("DuckDB", "duckdb", lambda log, cores, _: call(duckdb_batches, log, cores, FEW)),
            Program("Polars", "polars", lambda log, cores, _: call(polars_batches, log, cores, FEW)),
            Program("pyarrow.dataset", "pyarrow", lambda log, cores, _: call(pyarrow_batches, log, cores, FEW)),
        ),
        summed="status",
    ),
    Job(
        "Write Parquet",
        "All columns, compressed with Zstandard.",
        read_parquet,
        (
            Program("urisect logs", "pyarrow", lambda *run: urisect("logs", *run, "--to", "parquet")),
            Program("DuckDB", "duckdb", lambda *run: call(duckdb_copy, *run, ZSTD)),
            Program("Polars", "polars", lambda *run: call(polars_sink, *run, "sink_parquet", compression="zstd")),
            Program("pyarrow.dataset", "pyarrow", lambda *run: call(pyarrow_parquet, *run)),
        ),
    ),
    Job(
        "Write NDJSON",
        "All columns, one object per line.",
        read_ndjson,
        (
            Program("urisect logs", "click", lambda *run: urisect("logs", *run, "--to", "ndjson")),
            Program("DuckDB", "duckdb", lambda *run: call(duckdb_copy, *run, "FORMAT json")),
            Program("Polars", "polars", lambda *run: call(polars_sink, *run, "sink_ndjson")),
        ),
    ),
    Job(
        "Write a report",
        "Counts, no rows.",
        read_report,
        (
            Program("urisect report", "duckdb", lambda *run: urisect("report", *run)),
            Program("GoAccess, JSON", "goaccess", goaccess, cores=(1,), is_module=False),
        ),
        tolerance=0.001,  # rare status codes are not in the report
    ),
)

GROWING = ("Write Parquet", "Write a report")  # the jobs that are also measured on logs of growing size
