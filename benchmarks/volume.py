r"""Measure how logs are read at volume: `python -m benchmarks.volume [--log FILE] [--size BYTES] [--runs N]`, on Linux.

It writes `VOLUME.md` beside this file: speed and memory, on one core and on two, from a plain file and from gzip, of
urisect and of other programs that do the same job as nearly as they can. Each figure is that of a process of its own,
from its start to its end. The programs take turns; the shortest of their runs counts.
"""

import argparse
import gzip
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from glob import glob
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import repeat
from math import inf
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks.automata import automaton
from benchmarks.corpora import access_log

MB = 10**6
SIZE = 1000 * MB
RUNS = 3
CORES = (1, 2)
LINES = 100_000  # of a generated log
SAMPLE = 4 * MB  # of a log, at most, on which answers are compared; it is there twice
PART = 20  # a slow program gets one of so many parts of the log
INTERVAL = 0.2  # seconds from one look at the memory to the next
PAGE = os.sysconf("SC_PAGE_SIZE")

ROOT = Path(__file__).parent.parent
REPORT = Path(__file__).parent / "VOLUME.md"

# What the others get in the place of Appendix B: automata do not go back, and have neither possessive quantifiers nor
# lookarounds. It takes the lines that `COMBINED` takes, also those whose request has not the form of one.
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
UNUSED = "\x01"  # a delimiter that no log holds, for the servers escape it: so a line is one value of a CSV file


class Answer(NamedTuple):
    """What a program says of a log.

    Attributes:
        lines: how many it has read.
        total: a sum over them: of the bytes sent, or of the status codes where that is no column.
    """

    lines: int
    total: int


# What follows, up to the jobs, runs in the processes that are measured, and loads nothing that is not used there.


def narrowed(line: str, fields: Sequence[str]) -> str:
    """Let an expression capture some of its fields only.

    >>> narrowed("(?P<a>x)(?P<b>y)", ["b"])
    '(?:x)(?P<b>y)'
    """
    return re.sub(r"\(\?P<(\w+)>", lambda group: group[0] if group[1] in fields else "(?:", line)


def with_uris(line: str) -> str:
    """Put Appendix B into an expression, as far as an automaton can have it: without possessive quantifiers."""
    pattern = import_module("urisect").pattern
    target, referer = (automaton(pattern(prefix, stop)) for prefix, stop in (("target_", ' "\\'), ("referer_", '"\\')))
    return line.replace(TARGET, target).replace(REFERER, f"(?:{referer}|{QUOTED})")


def counted(batches: Iterable[Any]) -> Answer:
    """Count the rows of Arrow's batches and add up a column; the batches are dropped."""
    add = import_module("pyarrow.compute").sum
    lines = total = 0
    for batch in batches:
        lines += batch.num_rows
        total += add(batch[_summed(batch.schema.names)]).as_py() or 0
    return Answer(lines, total)


def _summed(names: Sequence[str]) -> str:
    return "bytes" if "bytes" in names else "status"


def urisect_batches(log: str, cores: int, columns: Sequence[str] | None = None) -> Answer:
    return counted(import_module("urisect.logs").batches(log, "combined", columns, jobs=cores))


def apachelogs_entries(log: str) -> Answer:
    module = import_module("apachelogs")
    lines = total = 0
    with open(log, encoding="latin-1") as entries:
        for entry in module.LogParser(module.COMBINED).parse_lines(entries, ignore_invalid=True):
            lines += 1
            total += entry.bytes_sent or 0
    return Answer(lines, total)


def duckdb_batches(log: str, cores: int, fields: Sequence[str] = FIELDS, *, uris: bool = False) -> Answer:
    connection, rows = _duckdb(log, cores, fields, uris=uris)
    return counted(connection.sql(rows).to_arrow_reader())


def duckdb_copy(log: str, cores: int, output: str, options: str, *, uris: bool = False) -> None:
    connection, rows = _duckdb(log, cores, FIELDS, uris=uris)
    connection.execute(f"COPY ({rows}) TO '{output}' ({options})")


def _duckdb(log: str, cores: int, fields: Sequence[str], *, uris: bool) -> tuple[Any, str]:
    connection = import_module("duckdb").connect(config={"threads": cores})
    # A condition that is pushed down has its expression matched once more: that takes half as long again.
    connection.execute("SET disabled_optimizers = 'filter_pushdown'; SET enable_progress_bar = false")
    line = with_uris(LINE) if uris else LINE
    names = [name for name in re.compile(line).groupindex if uris or name in fields]
    typed = {name: f"TRY_CAST(cut.{name} AS BIGINT)" for name in NUMBERS}
    if uris:
        typed["time"] = "strptime(cut.time, '%d/%b/%Y:%H:%M:%S %z')"
    columns = ", ".join(f"{typed.get(name, f'cut.{name}')} AS {name}" for name in names)
    options = "auto_detect = false, header = false, quote = '', escape = '', columns = {'line': 'VARCHAR'}"
    lines = f"read_csv('{log}', delim = '{UNUSED}', {options})"
    cut = f"SELECT regexp_extract(line, '{_quoted(narrowed(line, names))}', {names}) AS cut FROM {lines}"  # noqa: S608
    return connection, f"SELECT {columns} FROM ({cut}) WHERE cut.time <> ''"  # noqa: S608


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def polars_batches(log: str, cores: int, fields: Sequence[str] = FIELDS) -> Answer:
    answers: list[Answer] = []

    def count(frame: Any) -> None:
        answers.append(Answer(frame.height, frame[_summed(fields)].sum()))

    _polars(log, cores, fields).sink_batches(count)
    return Answer(*map(sum, zip(*answers, strict=True)))


def polars_sink(log: str, cores: int, output: str, sink: str, **options: Any) -> None:
    getattr(_polars(log, cores, FIELDS), sink)(output, **options)


def _polars(log: str, cores: int, fields: Sequence[str]) -> Any:
    os.environ["POLARS_MAX_THREADS"] = str(cores)  # Polars reads it when it is imported
    polars = import_module("polars")
    lines = polars.scan_csv(log, has_header=False, separator=UNUSED, quote_char=None, schema={"line": polars.String})
    rows = lines.select(cut=polars.col("line").str.extract_groups(narrowed(LINE, fields))).unnest("cut")
    numbers = [polars.col(name).cast(polars.Int64) for name in NUMBERS if name in fields]
    return rows.filter(polars.col("time").is_not_null()).with_columns(numbers)


def pyarrow_batches(log: str, cores: int, fields: Sequence[str] = FIELDS) -> Answer:
    arrow, compute = import_module("pyarrow"), import_module("pyarrow.compute")
    csv, dataset = import_module("pyarrow.csv"), import_module("pyarrow.dataset")
    arrow.set_cpu_count(cores)
    schema = arrow.schema({"line": arrow.string()})
    format = dataset.CsvFileFormat(
        csv.ParseOptions(delimiter=UNUSED, quote_char=False, double_quote=False),
        read_options=csv.ReadOptions(column_names=schema.names),
    )
    line = narrowed(LINE, fields)
    names = re.compile(line).groupindex
    cut = compute.extract_regex(dataset.field("line"), pattern=line)
    scanner = dataset.dataset(log, schema, format=format).scanner({"cut": cut})

    def rows() -> Iterator[Any]:
        for batch in scanner.to_batches():
            columns = dict(zip(names, batch["cut"].drop_null().flatten(), strict=True))
            for name in set(NUMBERS).intersection(names):
                column = columns[name]
                defined = compute.if_else(compute.equal(column, ""), None, column)
                columns[name] = defined.cast(arrow.int64())
            yield arrow.record_batch(columns)

    return counted(rows())


# The jobs, and who does them.


class Program(NamedTuple):
    """What reads a log.

    Attributes:
        name: what it is called in tables.
        needs: the module that has to be installed.
        command: runs it, given the path of a log, how many cores there are, and the path of what it writes.
        cores: how many cores it can make use of.
        compressed: whether it reads gzip.
        is_slow: whether it gets a part of the log only.
        is_module: whether it is one; otherwise what it needs is a command.
    """

    name: str
    needs: str
    command: Callable[[str, int, str], Sequence[str]]
    cores: Sequence[int] = CORES
    compressed: bool = True
    is_slow: bool = False
    is_module: bool = True

    @property
    def is_there(self) -> bool:
        """Whether it can be run."""
        return bool(find_spec(self.needs) if self.is_module else shutil.which(self.needs))

    @property
    def is_ours(self) -> bool:
        """Whether it is urisect."""
        return self.name.startswith("urisect")

    @property
    def version(self) -> str:
        """What is installed."""
        if self.is_module:
            return f"{self.needs} {version(self.needs)}"
        said = subprocess.run([self.needs, "--version"], check=True, capture_output=True, text=True).stdout
        return said.partition("\n")[0].replace(" - ", " ").rstrip(".")


class Job(NamedTuple):
    """What is done with a log.

    Attributes:
        title: of its table.
        meaning: what is done.
        answer: reads from what a program prints, or from the file that it writes, what it says of the log.
        programs: which do it.
        summed: the column that the answer sums up.
    """

    title: str
    meaning: str
    answer: Callable[[str, str], Answer]
    programs: tuple[Program, ...]
    summed: str = "bytes"


def calling(function: Callable[..., Answer | None], *arguments: Any, **options: Any) -> list[str]:
    """Run a function of this module in a process of its own, which prints what is returned."""
    call = f"volume.{function.__name__}(*{arguments!r}, **{options!r})"
    return [sys.executable, "-c", f"from benchmarks import volume; print(*{call} or ())"]


def urisect(command: str, log: str, cores: int, output: str, *options: str) -> list[str]:
    """Run a command of urisect."""
    main = "import sys; from urisect.cli import main; sys.exit(main())"
    common = ("--format", "combined", "--jobs", str(cores), "--quiet", "--output", output)
    return [sys.executable, "-c", main, command, log, *common, *options]


def goaccess(log: str, _: int, output: str) -> list[str]:
    """Run GoAccess, behind what decompresses a log, for it cannot."""
    command = ["goaccess", "--log-format=COMBINED", "--no-global-config", "--no-progress", f"--output={output}"]
    if log.endswith(".gz"):
        return ["sh", "-c", f"gzip -dc {quote(log)} | {' '.join(map(quote, command))} -"]
    return [*command, log]


def printed(said: str, _: str) -> Answer:
    """Read what a function has returned."""
    return Answer(*map(int, said.split()))


def from_parquet(_: str, output: str) -> Answer:
    """Read a Parquet file."""
    table = import_module("pyarrow.parquet").read_table(output, columns=["bytes"])
    return counted(table.to_batches())


def from_ndjson(_: str, output: str) -> Answer:
    """Read lines of JSON; in a text there is no bare quote."""
    rows = Path(output).read_bytes()
    return Answer(rows.count(b"\n"), sum(map(int, re.findall(rb'"bytes":([0-9]+)', rows))))


def from_report(_: str, output: str) -> Answer:
    """Read the report of GoAccess, or that of urisect, whose first table is that of the status codes."""
    text = Path(output).read_text("utf-8", errors="replace")
    if text.startswith("{"):
        general = json.loads(text)["general"]
        return Answer(general["valid_requests"], general["bandwidth"])
    requests = re.findall(r"<dt>Requests</dt><dd>([0-9,]+)", text)
    sizes = re.findall(r'title="([0-9,]+) bytes"', text[: text.index("</tbody>")])
    return Answer(*(sum(int(number.replace(",", "")) for number in numbers) for numbers in (requests, sizes)))


ZSTD = "FORMAT parquet, COMPRESSION zstd"

JOBS = (
    Job(
        "To nothing",
        "All columns, built and dropped.",
        printed,
        (
            Program("urisect.logs.batches", "pyarrow", lambda log, cores, _: calling(urisect_batches, log, cores)),
            Program("DuckDB", "duckdb", lambda log, cores, _: calling(duckdb_batches, log, cores)),
            Program(
                "DuckDB, with Appendix B, times read",
                "duckdb",
                lambda log, cores, _: calling(duckdb_batches, log, cores, uris=True),
            ),
            Program("Polars", "polars", lambda log, cores, _: calling(polars_batches, log, cores)),
            Program("pyarrow.dataset", "pyarrow", lambda log, cores, _: calling(pyarrow_batches, log, cores)),
            Program(
                f"apachelogs, 1/{PART} of the log",
                "apachelogs",
                lambda log, _, __: calling(apachelogs_entries, log),
                cores=(1,),
                compressed=False,
                is_slow=True,
            ),
        ),
    ),
    Job(
        "Three columns to nothing",
        f"{', '.join(FEW)}: the others are matched, and not kept.",
        printed,
        (
            Program("urisect.logs.batches", "pyarrow", lambda log, cores, _: calling(urisect_batches, log, cores, FEW)),
            Program("DuckDB", "duckdb", lambda log, cores, _: calling(duckdb_batches, log, cores, FEW)),
            Program("Polars", "polars", lambda log, cores, _: calling(polars_batches, log, cores, FEW)),
        ),
        summed="status",
    ),
    Job(
        "To Parquet",
        "All columns, compressed with Zstandard.",
        from_parquet,
        (
            Program("urisect logs", "pyarrow", lambda *run: urisect("logs", *run, "--to", "parquet")),
            Program("DuckDB", "duckdb", lambda *run: calling(duckdb_copy, *run, ZSTD)),
            Program(
                "DuckDB, with Appendix B, times read",
                "duckdb",
                lambda *run: calling(duckdb_copy, *run, ZSTD, uris=True),
            ),
            Program("Polars", "polars", lambda *run: calling(polars_sink, *run, "sink_parquet", compression="zstd")),
        ),
    ),
    Job(
        "To NDJSON",
        "All columns, an object a line.",
        from_ndjson,
        (
            Program("urisect logs", "click", lambda *run: urisect("logs", *run, "--to", "ndjson")),
            Program("DuckDB", "duckdb", lambda *run: calling(duckdb_copy, *run, "FORMAT json")),
            Program("Polars", "polars", lambda *run: calling(polars_sink, *run, "sink_ndjson")),
        ),
    ),
    Job(
        "To a report",
        "No rows, but counts.",
        from_report,
        (
            Program("urisect report", "duckdb", lambda *run: urisect("report", *run)),
            Program("GoAccess, JSON", "goaccess", goaccess, cores=(1,), is_module=False),
        ),
    ),
)

# The logs.


class Log(NamedTuple):
    """A log, as it is and compressed.

    Attributes:
        plain: the path of it.
        compressed: the path of the same with gzip.
        size: of the plain one, in bytes.
        lines: how many there are.
    """

    plain: str
    compressed: str
    size: int
    lines: int


def whole_lines(content: bytes, size: int) -> bytes:
    r"""Cut a log after the last line that ends within so many bytes, or after the first, if that is longer.

    >>> whole_lines(b"a\nb\nc\n", 5), whole_lines(b"a", 9), whole_lines(b"ab\nc\n", 1)
    (b'a\nb\n', b'a\n', b'ab\n')
    """
    content = content.removesuffix(b"\n") + b"\n"
    return content[: content.rfind(b"\n", 0, size) + 1 or content.index(b"\n") + 1]


def written(path: Path, content: bytes, copies: int) -> Log:
    """Write a log several times into one file, and into another, compressed.

    One copy is compressed, and written as often: members of a gzip file may stand one behind the other (RFC 1952, 2.2).
    """
    log = Log(f"{path}.log", f"{path}.log.gz", len(content) * copies, content.count(b"\n") * copies)
    for name, part in ((log.plain, content), (log.compressed, gzip.compress(content, 6))):
        with open(name, "wb") as file:
            file.writelines(repeat(part, copies))
    return log


def repeated(path: Path, content: bytes, size: int) -> Log:
    """Write a log, as often or as far as it takes to have about so many bytes."""
    piece = whole_lines(content, size)
    return written(path, piece, max(1, round(size / len(piece))))


# One run.


class Run(NamedTuple):
    """What became of a process.

    Attributes:
        seconds: how long it took.
        memory: of it and of the processes that it started, at most, in bytes; 0 if nobody looked.
        said: what it printed.
    """

    seconds: float
    memory: int
    said: str


def measure(command: Sequence[str], cores: int, *, watched: bool = False) -> Run:
    """Run a command on so many cores.

    Args:
        command: it.
        cores: how many.
        watched: whether to look at its memory.

    Raises:
        CalledProcessError: it failed; `stderr` tells why.
    """
    with kept_to(cores):
        start = perf_counter()
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    watch = Watch(process.pid)
    if watched:
        watch.start()
    said, complaint = process.communicate()
    seconds = perf_counter() - start
    watch.end()
    if process.returncode:
        error = subprocess.CalledProcessError(process.returncode, command, said, complaint)
        error.add_note(complaint)
        raise error
    return Run(seconds, watch.memory, said)


@contextmanager
def kept_to(cores: int) -> Iterator[None]:
    """Let what is started meanwhile run on so many cores, the last ones: the first is busier with the machine."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[-cores:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Watch(Thread):
    """Looks at the memory of a process, again and again.

    Attributes:
        memory: the most that was seen, in bytes.
    """

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.memory = 0
        self._process = process
        self._has_ended = Event()

    def run(self) -> None:
        """Look until the process has ended."""
        while not self._has_ended.wait(INTERVAL):
            self.memory = max(self.memory, memory(self._process))

    def end(self) -> None:
        """Look no more."""
        self._has_ended.set()
        if self.ident:
            self.join()


def memory(process: int) -> int:
    """Add up the memory of a process and of those that it started, in bytes: what they share counts once."""
    lists = (_read(children) for children in glob(f"/proc/{process}/task/*/children"))
    return _own_memory(process) + sum(memory(int(child)) for children in lists for child in children.split())


def _own_memory(process: int) -> int:
    """Give the proportional set size of a process, or, where that cannot be read, the resident one."""
    if found := re.search(r"^Pss: +([0-9]+) kB", _read(f"/proc/{process}/smaps_rollup"), re.MULTILINE):
        return int(found[1]) << 10
    pages = _read(f"/proc/{process}/statm").split()
    return int(pages[1]) * PAGE if pages else 0


def _read(path: str) -> str:
    """Read a file about a process, which may be gone."""
    try:
        return Path(path).read_text("ascii")
    except OSError:
        return ""


# All of them.


class Case(NamedTuple):
    """A program, and how it is run.

    Attributes:
        job: what it does.
        program: it.
        compressed: whether the log is.
        cores: how many there are.
    """

    job: Job
    program: Program
    compressed: bool
    cores: int

    def run(self, log: Log, output: str, *, watched: bool = False) -> Run:
        """Run it on a log, and leave what it writes."""
        path = log.compressed if self.compressed else log.plain
        return measure(self.program.command(path, self.cores, output), self.cores, watched=watched)


def cases(jobs: Iterable[Job]) -> list[Case]:
    """List what can be run here."""
    return [
        Case(job, program, compressed, cores)
        for job in jobs
        for program in job.programs
        if program.is_there
        for compressed in (False, True)[: 1 + program.compressed]
        for cores in program.cores
    ]


def expected(log: Log, summed: str) -> Answer:
    """Read a log as urisect does, as simply as can be."""
    logs = import_module("urisect.logs")
    with open(log.plain, "rb") as file:
        read = list(logs.tables(file, logs.COMBINED))
    numbers = (number for table in read for number in table.values(summed))
    return Answer(sum(table.parsed for table in read), sum(filter(None, numbers)))


def refused(case: Case, sample: Log, output: str) -> int | None:
    """Compare what a program says of a log with what urisect says, and tell how many lines it does not take.

    Returns:
        None if it cannot read the log: those that take text only cannot read what is no UTF-8.
    """
    try:
        answer = case.job.answer(case.run(sample, output).said, output)
    except subprocess.CalledProcessError as error:
        print(f"{case.program.name}: {error.stderr}", file=sys.stderr)
        return None
    right = expected(sample, case.job.summed)
    is_right = answer == right if case.program.is_ours else answer.lines != right.lines or answer == right
    assert is_right, f"{case.program.name} gives {answer}, not {right}"
    return sample.lines - answer.lines


class Figure(NamedTuple):
    """What a program took.

    Attributes:
        speed: in bytes of the log as it is, a second.
        memory: in bytes.
    """

    speed: float
    memory: int


def figures(cases: Sequence[Case], log: Log, part: Log, output: str, runs: int = RUNS) -> dict[Case, Figure]:
    """Let programs take turns."""
    best = dict.fromkeys(cases, Figure(0, 0))
    for turn in range(runs):
        for case in cases:
            given = part if case.program.is_slow else log
            seconds, memory, _ = case.run(given, output, watched=True)
            best[case] = Figure(max(best[case].speed, given.size / seconds), max(best[case].memory, memory))
            Path(output).unlink(missing_ok=True)
            print(f"{turn} {case.job.title}: {case.program.name}, {_source(case)}, {case.cores}: {seconds:.2f} s")
    return best


def _source(case: Case) -> str:
    return "gzip" if case.compressed else "plain"


INTRODUCTION = """# Logs at volume

{setting}. Written by `python -m benchmarks.volume`.

{name}, {size:,} MB, {lines:,} lines in the Combined Log Format. A MB is a million bytes, of the log as it is, also
where it is read from gzip. Each program is a process of its own, kept to one core or to two, and timed from its start
to its end. Programs take turns; the shortest of their runs ({runs}) counts. Memory is the most that was seen, every
{interval:.0f} ms: the proportional set sizes of the process and of those that it starts.

Before, answers were compared on {sample:,} lines of the log: who takes as many of them as urisect has to give the same
sum of bytes sent; *refused* are those that give no row. The log was written several times to have its size, and what
repeats itself is compressed better: that goes for Parquet and for gzip, whoever writes or reads it.

- urisect {urisect} gives {columns} columns: both URIs in their five components, times and numbers typed, undefined and
  empty kept apart, bytes that are no UTF-8 written as escapes; lines that do not match are counted, and kept if asked
  for. Its report counts all that it shows exactly. A file that `urisect logs` writes is there when the disk has all
  of it.
- DuckDB, Polars and pyarrow read lines as text, and get one expression, without Appendix B, for {fields} columns:
  {names}.
  Of the target it cuts the path and the query; the referer stays whole, times stay text, lines that do not match are
  gone without a word, and what is no UTF-8 is an error. DuckDB and pyarrow give an empty text for what is undefined.
  "With Appendix B, times read" is what of urisect's job can be written in SQL: the components of both URIs, unless
  there is a backslash or a space in one, and typed times.
- apachelogs reads times, does not split URIs, and decodes what is escaped; it reads a {part}th of the log.
- GoAccess counts, and gives no rows; `gzip -dc` decompresses for it.

{versions}.
"""


def markdown(figures: dict[Case, Figure], refused: dict[Case, int | None], introduction: str) -> str:
    """Write a table a job."""
    jobs = dict.fromkeys(case.job for case in refused)
    return "\n".join((introduction, *(line for job in jobs for line in _table(job, figures, refused))))


def _table(job: Job, figures: dict[Case, Figure], refused: dict[Case, int | None]) -> Iterator[str]:
    yield f"## {job.title}\n"
    yield f"{job.meaning}\n"
    yield "| | from | one core, MB/s | memory, MB | two cores, MB/s | memory, MB | refused |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    first = [case for case in refused if case.job == job and case.cores == CORES[0]]
    first.sort(key=lambda case: (case.compressed, -figures[case].speed if case in figures else inf))
    for case in first:
        name = f"**{case.program.name}**" if case.program.is_ours else case.program.name
        cells = (_cells(figures.get(case._replace(cores=cores))) for cores in CORES)
        gone = "cannot read it" if refused[case] is None else f"{refused[case]:,}"
        yield f"| {name} | {_source(case)} | {' | '.join(cells)} | {gone} |"
    yield ""


def _cells(figure: Figure | None) -> str:
    return f"{figure.speed / MB:,.0f} | {figure.memory / MB:,.0f}" if figure else " | "


def setting() -> str:
    """Say on what machine, by which Python and when: no name of a host, no path."""
    found = re.search(r"^model name\s*: (.+)", _read("/proc/cpuinfo"), re.MULTILINE)
    processor = found[1] if found else platform.machine()
    return f"{processor}, {platform.python_implementation()} {platform.python_version()}, {datetime.now(UTC).date()}"


def introduction(name: str, log: Log, sample: Log, runs: int, programs: Iterable[Program]) -> str:
    """Say what was measured, and on what."""
    return INTRODUCTION.format(
        setting=setting(),
        name=name,
        size=log.size // MB,
        lines=log.lines,
        runs=runs,
        interval=INTERVAL * 1000,
        sample=sample.lines,
        urisect=version("urisect"),
        columns=len(import_module("urisect.logs").COMBINED.columns),
        fields=len(FIELDS),
        names=", ".join(FIELDS),
        part=PART,
        versions=", ".join(dict.fromkeys(program.version for program in programs if not program.is_ours)),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.volume", description=__doc__)
    parser.add_argument("--log", metavar="FILE", help="Combined Log to measure on, instead of a generated one")
    parser.add_argument("--size", type=int, default=SIZE, metavar="BYTES", help="how much of it; it is repeated")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help="of which the best counts")
    options = parser.parse_args(arguments)
    name, content = _read_log(options.log, options.size)
    runnable = cases(JOBS)
    with TemporaryDirectory(prefix="urisect-") as temporary:
        folder, output = (Path(temporary), str(Path(temporary, "output.json")))  # GoAccess writes what the name says
        sample = written(folder / "sample", whole_lines(content, SAMPLE), 2)
        log = repeated(folder / "log", content, options.size)
        part = repeated(folder / "part", content, options.size // PART)
        gone = {case: refused(case, sample, output) for case in runnable}
        best = figures([case for case in runnable if gone[case] is not None], log, part, output, options.runs)
    about = introduction(name, log, sample, options.runs, [case.program for case in runnable])
    REPORT.write_text(markdown(best, gone, about), "utf-8")


def _read_log(path: str | None, size: int) -> tuple[str, bytes]:
    if path is None:
        return "A generated log", access_log(LINES)
    with open(path, "rb") as file:
        return Path(path).name, file.read(size)


if __name__ == "__main__":
    main()
