"""Parallel scans: the same results with any number of workers, in line order, in bounded memory; files that change."""

import errno
import gzip
import io
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain, pairwise
from multiprocessing import active_children
from operator import methodcaller
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Thread
from typing import Any, ClassVar

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.support import naive
from tests.support.command import LOG
from urisect.logs import COMBINED, LIST, Rejected, Skipped, WorkerError, tables
from urisect.logs.formats.format import Column, Format, ParsedBlock, Parser
from urisect.logs.input.decompression import detect_compression
from urisect.logs.scan import handover, parallel, pieces, workers
from urisect.logs.scan.files_in_range import FilesInRange
from urisect.logs.scan.parallel import count_cores, scan
from urisect.logs.scan.pieces import Piece
from urisect.logs.scan.task import PieceResult, Task, TaskRunner

TARGETS: Task[Any] = Task(COMBINED, ["target"], methodcaller("column", "target"), 1000)
REFERENCES: Task[Any] = Task(LIST, ["reference"], methodcaller("column", "reference"))

on_linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")


@dataclass
class Results:
    """The results of a scan, by file."""

    outputs: dict[str, list[Any]] = field(default_factory=dict)
    parsed: dict[str, int] = field(default_factory=dict)
    rejected: dict[str, list[Rejected]] = field(default_factory=dict)
    skipped: dict[str, list[Skipped]] = field(default_factory=dict)
    faults: list[tuple[str, str]] = field(default_factory=list)

    def add(self, result: PieceResult[Any]) -> None:
        self.outputs.setdefault(result.file, []).extend(chain.from_iterable(result.outputs))
        self.parsed[result.file] = self.parsed.get(result.file, 0) + result.parsed
        self.rejected.setdefault(result.file, []).extend(result.rejected)
        self.skipped.setdefault(result.file, []).extend(result.skipped)

    def fault(self, file: str, error: OSError) -> None:
        self.faults.append((file, str(error)))


def scan_all(files: Sequence[str], task: Task[Any], **options: Any) -> Results:
    results = Results()
    for result in scan(files, task, fault=results.fault, **options):
        results.add(result)
    return results


def scan_naively(contents: dict[str, bytes], task: Task[Any]) -> Results:
    """Parse the content of each file as one stream."""
    results = Results()
    for file, data in contents.items():
        for table in tables(io.BytesIO(data), task.format, columns=task.columns, limit=task.limit):
            results.add(PieceResult(file, [task.make(table)], table.parsed, table.rejected, table.skipped))
    return results


@pytest.fixture
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make pieces small, and let workers take part from the first one."""
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", 20_000)
    monkeypatch.setattr(pieces, "TABLE_BYTES", 7_000)
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", 0)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The parent of temporary directories."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


def write_file(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


LONG = b"x" * 50_000  # a line longer than two pieces

# Files, each with its decompressed content.
CONTENTS = {
    "plain": (LOG, LOG),
    "empty": (b"", b""),
    "long": (LOG[:30_000] + LONG + b"\n" + LOG[:30_000] + LONG,) * 2,
    "gzip": (gzip.compress(LOG + LONG + LOG), LOG + LONG + LOG),
    "half": (LOG[:-10],) * 2,
    "crlf": (LOG.replace(b"\n", b"\r\n"),) * 2,
}


@pytest.mark.unmeasured
@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_do_not_depend_on_the_number_of_workers(tmp_path: Path, temporary: Path, jobs: int) -> None:
    files = [write_file(tmp_path / name, data) for name, (data, _) in CONTENTS.items()]
    expected = scan_naively({str(tmp_path / name): content for name, (_, content) in CONTENTS.items()}, TARGETS)
    assert scan_all(files, TARGETS, jobs=jobs) == expected
    assert [skip.length > len(LONG) for skip in expected.skipped[files[2]]] == [True, True]
    assert list(temporary.iterdir()) == []
    assert active_children() == []


@pytest.mark.usefixtures("_small_pieces")
def test_few_lines_are_parsed_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", len(LOG))
    monkeypatch.setattr(workers, "start_workers", None)
    assert scan_all([write_file(tmp_path / "log", LOG)], TARGETS, jobs=2).parsed


@given(
    st.lists(st.sampled_from([b"\n", b"/a\n", b"/a?b#c\n", b"x" * 30 + b"\n", b"\r\n"]), max_size=40).map(b"".join)
    | naive.octets,
    st.integers(1, 50),
    st.integers(1, 20),
)
@example(b"/\n" * 5, 2, 3)
@example(b"/" * 100, 3, 101)
def test_ranges_of_a_plain_file_are_adjacent_whole_lines(data: bytes, length: int, block: int) -> None:
    assume(detect_compression(data) is None)
    with pytest.MonkeyPatch.context() as patch, NamedTemporaryFile() as file:
        patch.setattr(pieces, "FILE_PIECE_BYTES", length)
        patch.setattr(pieces, "TABLE_BYTES", block)
        file.write(data)
        file.flush()
        with open(file.name, "rb") as opened:
            ranges = list(pieces._cut_plain_file(file.name, opened, length))
        assert all(before.end == after.begin for before, after in pairwise(ranges))
        assert [(part.begin, part.end) for part in (*ranges[:1], *ranges[-1:])] == (
            [(0, ranges[0].end), (ranges[-1].begin, len(data))] if data else []
        )
        for part in ranges:
            assert part.end == len(data) or (data[part.end - 1 : part.end] == b"\n" and part.end - part.begin >= length)
        assert scan_all([file.name], REFERENCES) == scan_naively({file.name: data}, REFERENCES)


@dataclass(frozen=True, eq=False)
class StatefulFormat(Format):
    """Lines; those that begin with "=" are headers, and change the column "about" of the lines after them."""

    stateful: ClassVar[bool] = True

    @property
    def columns(self) -> tuple[str, ...]:
        return ("about", "text")

    def parser(self, columns: frozenset[str]) -> Parser:
        def parse(block: bytes, about: bytes) -> ParsedBlock:
            found: dict[str, Column] = {name: [] for name in ("about", "text", "rejected", "directive")}
            for line in block.splitlines():
                is_directive = line.startswith(b"=")
                about = line if is_directive else about
                found["about"].append(about)
                found["text"].append(line)
                found["rejected"].append(line if not about else None)
                found["directive"].append(line if is_directive else None)
            kept = {name: found[name] for name in columns}
            return ParsedBlock(kept, found["rejected"], found["directive"])

        return parse

    def header(self, block: bytes, before: bytes) -> bytes:
        return [before, *(line for line in block.splitlines() if line.startswith(b"="))][-1]


def about(table: Any) -> list[tuple[bytes, bytes]]:
    return list(zip(table.column("about"), table.column("text"), strict=True))


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("jobs", [1, 2])
def test_headers_reach_the_process_that_parses_the_lines_after_them(tmp_path: Path, jobs: int) -> None:
    data = b"".join(b"=%d\n" % line if line % 5000 == 10 else b"%d\n" % line for line in range(20_000))
    files = [write_file(tmp_path / "plain", data), write_file(tmp_path / "gzip", gzip.compress(data))]
    task: Task[Any] = Task(StatefulFormat("stateful"), ["about", "text"], about)
    expected = scan_naively(dict.fromkeys(files, data), task)
    assert [len(expected.rejected[file]) for file in files] == [10, 10]
    assert expected.outputs[files[0]][-1] == (b"=15010", b"19999")
    assert scan_all(files, task, jobs=jobs) == expected


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("jobs", [1, 2])
def test_files_that_cannot_be_read_are_reported_and_the_others_parsed(tmp_path: Path, jobs: int) -> None:
    good, cut = write_file(tmp_path / "good", LOG), write_file(tmp_path / "cut", gzip.compress(LOG)[:-100])
    missing = str(tmp_path / "missing")
    bad = write_file(tmp_path / "bad", b"\x1f\x8bnot gzip")
    results = scan_all([missing, cut, str(tmp_path), bad, good, missing], TARGETS, jobs=jobs)
    assert [file for file, _ in results.faults] == [missing, cut, str(tmp_path), bad, missing]
    expected = scan_naively({good: LOG}, TARGETS).outputs[good]
    assert results.outputs[good] == expected
    assert results.outputs[cut] == expected[: len(results.outputs[cut])]
    assert len(results.outputs[cut]) > 1000
    assert [skip.reason for skip in results.skipped[cut] if skip.reason != "blank"] == ["cut off"]
    before_failure: list[PieceResult[Any]] = []
    with pytest.raises(OSError, match="ended before the end-of-stream marker"):
        before_failure.extend(scan([cut, good], TARGETS, jobs=jobs))
    outputs = chain.from_iterable(result.outputs for result in before_failure)
    assert list(chain.from_iterable(outputs)) == results.outputs[cut]
    assert active_children() == []


def test_a_stream_that_failed_fails_again() -> None:
    class Once:
        def __init__(self) -> None:
            self._parts = [b"a", b"b", b"", b"c"]

        def read1(self, _: int, /) -> bytes:
            if part := self._parts.pop(0):
                return part
            raise OSError("once")

    stream = pieces._FullReadStream(Once())
    assert stream.read1(9) == b"ab"
    for _ in range(2):
        with pytest.raises(OSError, match="once"):
            stream.read1(9)


@pytest.mark.usefixtures("_small_pieces")
def test_a_growing_file_is_parsed_at_least_to_its_first_size(tmp_path: Path) -> None:
    file = write_file(tmp_path / "log", LOG[:-1] + b"half a")
    results = Results()
    scan_results = scan([file], REFERENCES)
    results.add(next(scan_results))
    with open(file, "ab") as log:
        log.write(b" line\n" + b"/more\n" * 10)
    for result in scan_results:
        results.add(result)
    lines = (LOG[:-1] + b"half a line\n" + b"/more\n" * 10).splitlines()
    assert results.outputs[file] == lines[: len(results.outputs[file])]
    assert len(results.outputs[file]) >= LOG.count(b"\n")


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_becomes_shorter_is_a_fault(tmp_path: Path, jobs: int) -> None:
    data = LOG * 2  # more than the workers parse at once
    file, after = write_file(tmp_path / "log", data), write_file(tmp_path / "after", b"/\n")
    results = Results()
    scan_results = scan([file, after], REFERENCES, fault=results.fault, jobs=jobs)
    results.add(next(scan_results))
    length = 600_005
    os.truncate(file, length)
    for result in scan_results:
        results.add(result)
    assert results.faults == [(file, "the file became shorter while it was read")]  # once
    end = data.rfind(b"\n", 0, length) + 1
    assert results.outputs == {file: data[:end].splitlines(), after: [b"/"]}
    assert results.skipped[file] == [Skipped(data.count(b"\n", 0, end) + 1, end, length - end, "cut off")]


@pytest.mark.usefixtures("_small_pieces")
def test_a_file_that_is_replaced_is_a_fault(tmp_path: Path) -> None:
    file, after = write_file(tmp_path / "log", LOG), write_file(tmp_path / "after", b"/\n")
    results = Results()
    scan_results = scan([file, after], REFERENCES, fault=results.fault)
    results.add(next(scan_results))
    os.replace(write_file(tmp_path / "new", LOG[::-1]), file)
    for result in scan_results:
        results.add(result)
    assert results.faults == [(file, "the file was replaced while it was read")]
    assert 0 < len(results.outputs[file]) < 200
    assert results.outputs[file] == LOG.splitlines()[: len(results.outputs[file])]
    assert results.outputs[after] == [b"/"]


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("jobs", [1, 2])
def test_pipes_go_to_workers_and_standard_input_is_parsed_here(tmp_path: Path, jobs: int) -> None:
    file, pipe = write_file(tmp_path / "log", LOG), tmp_path / "pipe"
    os.mkfifo(pipe)
    reading, writing = os.pipe()
    before = os.dup(0)
    os.dup2(reading, 0)

    def write() -> None:
        pipe.write_bytes(gzip.compress(LOG[:50_000]))
        with open(writing, "wb") as standard_input:
            standard_input.write(LOG[100:60_000])

    writer = Thread(target=write)
    writer.start()
    try:
        reported: list[tuple[str, int]] = []
        result = scan_all(
            [file, str(pipe), "-", "-", file],
            TARGETS,
            jobs=jobs,
            head=LOG[:100],
            progress=lambda *at: reported.append(at),
        )
    finally:
        writer.join()
        os.dup2(before, 0)
        for descriptor in (before, reading):
            os.close(descriptor)
    expected = scan_naively({file: LOG, str(pipe): LOG[:50_000], "-": LOG[:60_000]}, TARGETS)
    expected.outputs[file] *= 2
    expected.parsed[file] *= 2
    expected.rejected[file] *= 2
    expected.skipped[file] *= 2
    assert result == expected
    assert [at for name, at in reported if name == file][-1] == len(LOG)
    assert all(at >= 0 for name, at in reported if name in {"-", str(pipe)})


def test_progress_in_a_compressed_file_counts_compressed_bytes(tmp_path: Path) -> None:
    packed = gzip.compress(LOG * 20)
    file = write_file(tmp_path / "log", packed)
    reported: list[tuple[str, int]] = []
    scan_all([file], TARGETS, progress=lambda *at: reported.append(at))
    assert len(reported) > 2
    assert [at for _, at in reported] == sorted(at for _, at in reported)
    assert reported[-1] == (file, len(packed))


class LazyPool:
    """Stands for workers; runs a piece when its result is awaited, and records how many it has not run."""

    def __init__(self, task: Task[Any], directory: str) -> None:
        self.runner = TaskRunner(task)
        self.directory = directory
        self.pending = 0
        self.history: list[int] = []

    def submit(self, _: object, piece: Piece) -> "LazyResult":
        self.pending += 1
        self.history.append(self.pending)
        return LazyResult(self, piece)


@dataclass
class LazyResult:
    pool: LazyPool
    piece: Piece

    def done(self) -> bool:
        return False

    def result(self) -> str:
        self.pool.pending -= 1
        return handover.write_result(self.pool.runner.run(self.piece), self.pool.directory)


class CountedPieces(FilesInRange):
    """Cuts files, and counts the pieces."""

    number = 0

    def cut(self, *arguments: Any, **options: Any) -> Iterator[Piece]:
        for piece in super().cut(*arguments, **options):
            self.number += 1
            yield piece


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("jobs", [2, 3])
def test_the_number_of_pending_pieces_is_bounded(tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pools: list[LazyPool] = []

    def start(task: Task[Any], directory: str, _: int) -> nullcontext[LazyPool]:
        pools.append(LazyPool(task, directory))
        return nullcontext(pools[-1])

    monkeypatch.setattr(workers, "start_workers", start)
    counted = CountedPieces(None)
    file = write_file(tmp_path / "log", LOG)
    ahead = [counted.number - number for number, _ in enumerate(scan([file], TARGETS, jobs=jobs, in_range=counted))]
    [pool] = pools
    assert max(ahead) == 4 * jobs
    assert max(pool.history) == 2 * (jobs - 1)
    assert counted.number - 5 > len(pool.history) > 5  # the parent takes part, and the workers do


@pytest.mark.usefixtures("_small_pieces")
def test_an_error_in_the_parent_is_raised_after_the_results_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(task: Task[Any], directory: str, _: int) -> nullcontext[LazyPool]:
        return nullcontext(LazyPool(task, directory))

    def run(runner: TaskRunner[Any], piece: Piece) -> PieceResult[Any]:
        if isinstance(piece.content, pieces.FileRange) and piece.content.begin > 40_000:
            raise ZeroDivisionError
        return run_before(runner, piece)

    run_before = TaskRunner.run
    monkeypatch.setattr(workers, "start_workers", start)
    monkeypatch.setattr(TaskRunner, "run", run)
    results = scan([write_file(tmp_path / "log", LOG)], TARGETS, jobs=2)
    assert [next(results).parsed > 0 for _ in range(2)] == [True, True]
    with pytest.raises(ZeroDivisionError):
        list(results)


def test_workers_start_at_once_for_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", len(LOG) // 10)
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", len(LOG) // 2)
    monkeypatch.setattr(parallel, "EARLY_START_BYTES", len(LOG) - 1)
    file = write_file(tmp_path / "log", LOG)
    results = scan([file], TARGETS, jobs=2)
    parsed = next(results).parsed
    assert len(active_children()) == 1  # and this process
    assert parsed + sum(result.parsed for result in results) == sum(result.parsed for result in scan([file], TARGETS))


@pytest.mark.usefixtures("_small_pieces")
def test_closing_a_scan_ends_workers_and_removes_files(tmp_path: Path, temporary: Path) -> None:
    results = scan([write_file(tmp_path / "log", LOG)], TARGETS, jobs=2)
    assert next(results).parsed
    assert len(list(temporary.iterdir())) == 1
    assert active_children()
    results.close()  # type: ignore[attr-defined]
    assert (list(temporary.iterdir()), active_children()) == ([], [])


@pytest.mark.usefixtures("_small_pieces")
def test_a_killed_worker_is_an_error(tmp_path: Path, temporary: Path) -> None:
    results = scan([write_file(tmp_path / "log", LOG)], TARGETS, jobs=2)
    next(results)
    for process in active_children():
        process.kill()
        process.join()
    with pytest.raises(WorkerError, match="a worker process was killed"):
        list(results)
    assert (list(temporary.iterdir()), active_children()) == ([], [])


@pytest.mark.usefixtures("_small_pieces")
def test_a_result_that_cannot_be_stored_is_an_error(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_file(tmp_path / "log", LOG)
    results = scan([file], TARGETS, jobs=2)
    next(results)
    [directory] = temporary.iterdir()
    directory.rename(tmp_path / "gone")
    with pytest.raises(WorkerError, match="temporary directory: No such file or directory; set TMPDIR"):
        list(results)
    assert active_children() == []

    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(handover, "TemporaryDirectory", full)
    with pytest.raises(WorkerError, match="temporary directory: No space left on device"):
        list(scan([file], TARGETS, jobs=2))


def test_a_worker_error_can_be_pickled() -> None:
    assert str(pickle.loads(pickle.dumps(WorkerError("reason")))) == "reason"  # noqa: S301


def test_at_least_one_core_is_available() -> None:
    assert 0 < count_cores() <= (os.cpu_count() or 1)


PEAK = (
    "import sys\n"
    "from urisect.cli import main\n"
    "status = main(sys.argv[1:])\n"
    "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM:')).split()[1])\n"
    "sys.exit(status)"
)


def peak(*arguments: str, stdin: Any = subprocess.DEVNULL) -> tuple[int, str]:
    """Run the command, and return its peak memory, in bytes, and its messages."""
    command = [sys.executable, "-c", PEAK, "logs", "--format", "combined", "-o", os.devnull, *arguments]
    done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=True)
    return int(done.stdout) << 10, done.stderr


@pytest.mark.unmeasured
@on_linux
def test_memory_does_not_grow_with_a_line_or_a_file(tmp_path: Path) -> None:
    line, size = tmp_path / "line", 64 << 20
    with line.open("wb") as file:
        file.write(LOG)
        file.seek(size, os.SEEK_CUR)
        file.write(b"\n" + LOG)
    packed = tmp_path / "packed"
    with gzip.open(packed, "wb", compresslevel=1) as stream:
        stream.write(line.read_bytes())
    some, many = tmp_path / "some", tmp_path / "many"
    some.write_bytes(LOG * (size // len(LOG) // 4))
    many.write_bytes(LOG * (size * 3 // len(LOG) // 4))
    baseline, _ = peak("--jobs", "1", str(write_file(tmp_path / "log", LOG * 20)))
    skipped = 1 + 2 * sum(map(naive.is_blank, naive.lines(LOG)))
    for name in (line, packed):
        memory, messages = peak("--jobs", "1", str(name))
        assert f", {skipped} skipped" in messages
        assert memory < baseline + (16 << 20)
    with line.open("rb") as standard_input:
        memory, messages = peak(stdin=standard_input)
    assert f", {skipped} skipped" in messages
    assert memory < baseline + (16 << 20)
    baseline, _ = peak("--jobs", "1", str(some))  # lines are parsed into arrays, whose packages take 60 MB
    for jobs in ("1", "2"):
        assert peak("--jobs", jobs, str(many))[0] < baseline + (32 << 20)
