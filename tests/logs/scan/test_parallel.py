import errno
import gzip
import io
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
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
from urisect.logs.scan.parallel import count_cores, scan
from urisect.logs.scan.pieces import Piece
from urisect.logs.scan.task import PieceResult, Task, TaskRunner

TARGETS: Task[Any] = Task(COMBINED, ["target"], methodcaller("column", "target"), 1000)
REFERENCES: Task[Any] = Task(LIST, ["reference"], methodcaller("column", "reference"))

on_linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="processes are looked at as Linux has it")


@dataclass
class Found:
    """What was made of files, as it came."""

    made: dict[str, list[Any]] = field(default_factory=dict)
    parsed: dict[str, int] = field(default_factory=dict)
    rejected: dict[str, list[Rejected]] = field(default_factory=dict)
    skipped: dict[str, list[Skipped]] = field(default_factory=dict)
    faults: list[tuple[str, str]] = field(default_factory=list)

    def add(self, done: PieceResult[Any]) -> None:
        self.made.setdefault(done.file, []).extend(chain.from_iterable(done.outputs))
        self.parsed[done.file] = self.parsed.get(done.file, 0) + done.parsed
        self.rejected.setdefault(done.file, []).extend(done.rejected)
        self.skipped.setdefault(done.file, []).extend(done.skipped)

    def fault(self, file: str, error: OSError) -> None:
        self.faults.append((file, str(error)))


def found(files: Sequence[str], task: Task[Any], **options: Any) -> Found:
    result = Found()
    for done in scan(files, task, fault=result.fault, **options):
        result.add(done)
    return result


def naively(contents: dict[str, bytes], task: Task[Any]) -> Found:
    """What there is in files, each read as a stream."""
    result = Found()
    for file, data in contents.items():
        for table in tables(io.BytesIO(data), task.format, columns=task.columns, limit=task.limit):
            result.add(PieceResult(file, [task.make(table)], table.parsed, table.rejected, table.skipped))
    return result


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces are small, and other processes work from the beginning."""
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", 20_000)
    monkeypatch.setattr(pieces, "TABLE_BYTES", 7_000)
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", 0)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


def written(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


LONG = b"x" * 50_000  # a line that is longer than two pieces

# Files, each with what it holds.
CONTENTS = {
    "plain": (LOG, LOG),
    "empty": (b"", b""),
    "long": (LOG[:30_000] + LONG + b"\n" + LOG[:30_000] + LONG,) * 2,
    "gzip": (gzip.compress(LOG + LONG + LOG), LOG + LONG + LOG),
    "half": (LOG[:-10],) * 2,
    "crlf": (LOG.replace(b"\n", b"\r\n"),) * 2,
}


@pytest.mark.unmeasured
@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_whoever_works_gives_the_same(tmp_path: Path, place: Path, jobs: int) -> None:
    files = [written(tmp_path / name, data) for name, (data, _) in CONTENTS.items()]
    expected = naively({str(tmp_path / name): held for name, (_, held) in CONTENTS.items()}, TARGETS)
    assert found(files, TARGETS, jobs=jobs) == expected
    assert [skip.length > len(LONG) for skip in expected.skipped[files[2]]] == [True, True]
    assert list(place.iterdir()) == []
    assert active_children() == []


@pytest.mark.usefixtures("_small")
def test_few_lines_are_read_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", len(LOG))
    monkeypatch.setattr(workers, "start_workers", None)
    assert found([written(tmp_path / "log", LOG)], TARGETS, jobs=2).parsed


@given(
    st.lists(st.sampled_from([b"\n", b"/a\n", b"/a?b#c\n", b"x" * 30 + b"\n", b"\r\n"]), max_size=40).map(b"".join)
    | naive.octets,
    st.integers(1, 50),
    st.integers(1, 20),
)
@example(b"/\n" * 5, 2, 3)
@example(b"/" * 100, 3, 101)
def test_ranges_are_whole_lines_side_by_side(data: bytes, length: int, block: int) -> None:
    assume(detect_compression(data) is None)
    with pytest.MonkeyPatch.context() as patch, NamedTemporaryFile() as file:
        patch.setattr(pieces, "FILE_PIECE_BYTES", length)
        patch.setattr(pieces, "TABLE_BYTES", block)
        file.write(data)
        file.flush()
        with open(file.name, "rb") as opened:
            ranges = list(pieces._cut_plain_file(file.name, opened))
        assert all(before.end == after.begin for before, after in pairwise(ranges))
        assert [(part.begin, part.end) for part in (*ranges[:1], *ranges[-1:])] == (
            [(0, ranges[0].end), (ranges[-1].begin, len(data))] if data else []
        )
        for part in ranges:
            assert part.end == len(data) or (data[part.end - 1 : part.end] == b"\n" and part.end - part.begin >= length)
        assert found([file.name], REFERENCES) == naively({file.name: data}, REFERENCES)


@dataclass(frozen=True, eq=False)
class Headed(Format):
    """Lines of which some, that begin with "=", say what those after them are about."""

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


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_lines_say_of_others_is_known_to_whoever_reads_those(tmp_path: Path, jobs: int) -> None:
    data = b"".join(b"=%d\n" % line if line % 5000 == 10 else b"%d\n" % line for line in range(20_000))
    files = [written(tmp_path / "plain", data), written(tmp_path / "gzip", gzip.compress(data))]
    task: Task[Any] = Task(Headed("stateful"), ["about", "text"], about)
    expected = naively(dict.fromkeys(files, data), task)
    assert [len(expected.rejected[file]) for file in files] == [10, 10]
    assert expected.made[files[0]][-1] == (b"=15010", b"19999")
    assert found(files, task, jobs=jobs) == expected


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_cannot_be_read_is_told_and_the_rest_is_read(tmp_path: Path, jobs: int) -> None:
    good, cut = written(tmp_path / "good", LOG), written(tmp_path / "cut", gzip.compress(LOG)[:-100])
    missing = str(tmp_path / "missing")
    bad = written(tmp_path / "bad", b"\x1f\x8bnothing of the kind")
    result = found([missing, cut, str(tmp_path), bad, good, missing], TARGETS, jobs=jobs)
    assert [file for file, _ in result.faults] == [missing, cut, str(tmp_path), bad, missing]
    whole = naively({good: LOG}, TARGETS)
    assert result.made[good] == whole.made[good]
    assert result.made[cut] == whole.made[good][: len(result.made[cut])]
    assert len(result.made[cut]) > 1000
    assert [skip.reason for skip in result.skipped[cut]] == ["cut off"]
    begun: list[PieceResult[Any]] = []
    with pytest.raises(OSError, match="ended before the end-of-stream marker"):
        begun.extend(scan([cut, good], TARGETS, jobs=jobs))
    assert list(chain.from_iterable(chain.from_iterable(done.outputs for done in begun))) == result.made[cut]
    assert active_children() == []


def test_a_stream_that_failed_once_has_failed() -> None:
    class Once:
        def __init__(self) -> None:
            self._parts = [b"a", b"b", b"", b"c"]

        def read1(self, _: int, /) -> bytes:
            if part := self._parts.pop(0):
                return part
            raise OSError("once")

    gathered = pieces._FullReadStream(Once())
    assert gathered.read1(9) == b"ab"
    for _ in range(2):
        with pytest.raises(OSError, match="once"):
            gathered.read1(9)


@pytest.mark.usefixtures("_small")
def test_a_file_that_grows_is_read_as_far_as_it_was(tmp_path: Path) -> None:
    file = written(tmp_path / "log", LOG[:-1] + b"half a")
    result = Found()
    scanned = scan([file], REFERENCES)
    result.add(next(scanned))
    with open(file, "ab") as log:
        log.write(b" line\n" + b"/more\n" * 10)
    for done in scanned:
        result.add(done)
    lines = (LOG[:-1] + b"half a line\n" + b"/more\n" * 10).splitlines()
    assert result.made[file] == lines[: len(result.made[file])]
    assert len(result.made[file]) >= LOG.count(b"\n")


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_is_cut_while_it_is_read_is_a_fault(tmp_path: Path, jobs: int) -> None:
    data = LOG * 2  # more than is worked on at once
    file, after = written(tmp_path / "log", data), written(tmp_path / "after", b"/\n")
    result = Found()
    scanned = scan([file, after], REFERENCES, fault=result.fault, jobs=jobs)
    result.add(next(scanned))
    length = 600_005
    os.truncate(file, length)
    for done in scanned:
        result.add(done)
    assert result.faults == [(file, "the file became shorter while it was read")]  # once
    whole = data.rfind(b"\n", 0, length) + 1
    assert result.made == {file: data[:whole].splitlines(), after: [b"/"]}
    assert result.skipped[file] == [Skipped(data.count(b"\n", 0, whole) + 1, whole, length - whole, "cut off")]


@pytest.mark.usefixtures("_small")
def test_a_file_that_is_replaced_while_it_is_read_is_a_fault(tmp_path: Path) -> None:
    file, after = written(tmp_path / "log", LOG), written(tmp_path / "after", b"/\n")
    result = Found()
    scanned = scan([file, after], REFERENCES, fault=result.fault)
    result.add(next(scanned))
    os.replace(written(tmp_path / "new", LOG[::-1]), file)
    for done in scanned:
        result.add(done)
    assert result.faults == [(file, "the file was replaced while it was read")]
    assert 0 < len(result.made[file]) < 200
    assert result.made[file] == LOG.splitlines()[: len(result.made[file])]
    assert result.made[after] == [b"/"]


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("jobs", [1, 2])
def test_pipes_are_read_as_they_come_and_standard_input_here(tmp_path: Path, jobs: int) -> None:
    file, pipe = written(tmp_path / "log", LOG), tmp_path / "pipe"
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
        told: list[tuple[str, int, int]] = []
        result = found(
            [file, str(pipe), "-", "-", file], TARGETS, jobs=jobs, head=LOG[:100], progress=lambda *at: told.append(at)
        )
    finally:
        writer.join()
        os.dup2(before, 0)
        for descriptor in (before, reading):
            os.close(descriptor)
    expected = naively({file: LOG, str(pipe): LOG[:50_000], "-": LOG[:60_000]}, TARGETS)
    expected.made[file] *= 2
    expected.parsed[file] *= 2
    expected.rejected[file] *= 2
    expected.skipped[file] *= 2
    assert result == expected
    assert [at for name, at, size in told if name == file and size == len(LOG)][-1] == len(LOG)
    assert all(at >= 0 and size == 0 for name, at, size in told if name in {"-", str(pipe)})


def test_progress_in_a_compressed_file_is_that_of_the_file(tmp_path: Path) -> None:
    packed = gzip.compress(LOG * 20)
    file = written(tmp_path / "log", packed)
    told: list[tuple[str, int, int]] = []
    found([file], TARGETS, progress=lambda *at: told.append(at))
    assert len(told) > 2
    assert [at for _, at, _ in told] == sorted(at for _, at, _ in told)
    assert told[-1] == (file, len(packed), len(packed))


class Lazy:
    """Stands for other processes: works when somebody waits for what is made, and knows how many pieces wait."""

    def __init__(self, task: Task[Any], folder: str, _: int) -> None:
        self._runner = TaskRunner(task)
        self._folder = folder
        self.waiting = 0

    def submit(self, _: object, piece: Piece) -> "Lazy.Future":
        self.waiting += 1
        MOST.append(self.waiting)
        return Lazy.Future(self, piece)

    @dataclass
    class Future:
        pool: "Lazy"
        piece: Piece

        def result(self) -> str:
            self.pool.waiting -= 1
            return handover.write_result(self.pool._runner.run(self.piece), self.pool._folder)


MOST: list[int] = []


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("jobs", [2, 3])
def test_not_many_pieces_wait_at_once(tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    MOST.clear()
    monkeypatch.setattr(workers, "start_workers", lambda *of: nullcontext(Lazy(*of)))
    file = written(tmp_path / "log", LOG)
    for _ in scan([file], TARGETS, jobs=jobs):
        assert MOST[-1] <= 2 * jobs + 1
    assert max(MOST) == 2 * jobs + 1
    assert len(MOST) > 15


def test_where_there_is_much_others_start_before_they_take_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "FILE_PIECE_BYTES", len(LOG) // 10)
    monkeypatch.setattr(parallel, "PARENT_ONLY_BYTES", len(LOG) // 2)
    monkeypatch.setattr(parallel, "EARLY_START_BYTES", len(LOG) - 1)
    scanned = scan([written(tmp_path / "log", LOG)], TARGETS, jobs=2)
    parsed = next(scanned).parsed
    assert len(active_children()) == 2
    assert parsed + sum(done.parsed for done in scanned) == sum(
        done.parsed for done in scan([str(tmp_path / "log")], TARGETS)
    )


@pytest.mark.usefixtures("_small")
def test_whoever_has_enough_leaves_nothing_behind(tmp_path: Path, place: Path) -> None:
    scanned = scan([written(tmp_path / "log", LOG)], TARGETS, jobs=2)
    assert next(scanned).parsed
    assert len(list(place.iterdir())) == 1
    assert active_children()
    scanned.close()  # type: ignore[attr-defined]
    assert (list(place.iterdir()), active_children()) == ([], [])


@pytest.mark.usefixtures("_small")
def test_a_process_that_is_killed_is_missed(tmp_path: Path, place: Path) -> None:
    scanned = scan([written(tmp_path / "log", LOG)], TARGETS, jobs=2)
    next(scanned)
    for process in active_children():
        process.kill()
        process.join()
    with pytest.raises(WorkerError, match="a worker process was killed"):
        list(scanned)
    assert (list(place.iterdir()), active_children()) == ([], [])


@pytest.mark.usefixtures("_small")
def test_no_room_for_what_is_made_is_told(tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "log", LOG)
    scanned = scan([file], TARGETS, jobs=2)
    next(scanned)
    [folder] = place.iterdir()
    folder.rename(tmp_path / "gone")
    with pytest.raises(WorkerError, match="temporary directory: No such file or directory; set TMPDIR"):
        list(scanned)
    assert active_children() == []

    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(handover, "TemporaryDirectory", full)
    with pytest.raises(WorkerError, match="temporary directory: No space left on device"):
        list(scan([file], TARGETS, jobs=2))


def test_a_worker_error_goes_from_process_to_process() -> None:
    assert str(pickle.loads(pickle.dumps(WorkerError("as told")))) == "as told"  # noqa: S301


def test_there_is_a_core() -> None:
    assert 0 < count_cores() <= (os.cpu_count() or 1)


PEAK = (
    "import sys\n"
    "from urisect.cli import main\n"
    "status = main(sys.argv[1:])\n"
    "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM:')).split()[1])\n"
    "sys.exit(status)"
)


def peak(*arguments: str, stdin: Any = subprocess.DEVNULL) -> tuple[int, str]:
    """How much memory a command takes at most, in bytes, and what it says."""
    command = [sys.executable, "-c", PEAK, "logs", "--format", "combined", "-o", os.devnull, *arguments]
    done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=True)
    return int(done.stdout) << 10, done.stderr


@pytest.mark.unmeasured
@on_linux
def test_memory_is_that_of_pieces_and_not_of_a_line_or_a_file(tmp_path: Path) -> None:
    line, size = tmp_path / "line", 64 << 20
    with line.open("wb") as file:
        file.write(LOG)
        file.seek(size, os.SEEK_CUR)
        file.write(b"\n" + LOG)
    packed = tmp_path / "packed"
    with gzip.open(packed, "wb", compresslevel=1) as stream:
        stream.write(line.read_bytes())
    many = tmp_path / "many"
    many.write_bytes(LOG * (size // len(LOG) // 2))
    least, _ = peak("--jobs", "1", str(written(tmp_path / "log", LOG * 20)))
    summary = "skipped 1\n"
    for name in (line, packed):
        most, said = peak("--jobs", "1", str(name))
        assert said.endswith(summary)
        assert most < least + (16 << 20)
    with line.open("rb") as standard_input:
        most, said = peak(stdin=standard_input)
    assert said.endswith(summary)
    assert most < least + (16 << 20)
    for jobs in ("1", "2"):
        assert peak("--jobs", jobs, str(many))[0] < least + (32 << 20)
