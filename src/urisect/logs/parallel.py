"""Files of logs, read on all cores: what is made of their lines comes in the order of the lines, whoever made it.

A file is read in pieces of whole lines. A piece of a plain file is a range of its bytes, read by whoever works on it;
what a compressed file or a pipe holds is read here, and handed over.
"""

import atexit
import io
import os
import pickle
import shutil
import signal
import stat
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import ExitStack, contextmanager, nullcontext
from mmap import ACCESS_READ, mmap
from multiprocessing import Pipe, get_context, parent_process
from multiprocessing.connection import Connection, wait
from tempfile import mkstemp
from threading import Thread
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from urisect.logs.errors import WorkerError
from urisect.logs.files import LONGEST_MAGIC, STDIN, compression, decompressed, rejoined
from urisect.logs.formats import Format
from urisect.logs.reader import LIMIT, Block, Cut, Rejected, Skipped, Stream, Table, limited
from urisect.logs.temporary import TemporaryDirectory

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

__all__ = ["Done", "Task", "cores", "scan"]

T = TypeVar("T")

RANGE = 1 << 22  # bytes of a plain file in a piece
GATHERED = 1 << 21  # bytes of a stream in a piece
BLOCK = 1 << 18  # bytes of lines in a table: 1 MiB, no longer in the caches, takes a quarter more time

ALIGNMENT = 64  # of columns in memory, as Arrow wants it

# Bytes that are read before other processes take part: they take as long to start as this to be read.
HEAD_START = 1 << 25

# Bytes of files for which they start at once.
MUCH = 1 << 27


class Task(NamedTuple, Generic[T]):
    """What is to be done with lines.

    Attributes:
        format: what a line looks like.
        columns: the fields that are wanted.
        make: what is made of a table. Another process has to be able to import it.
        limit: how long a line may be, in bytes.
        join: makes one of what was made of the tables of a piece, so that there is less to be handed over; it has to be
            able to be imported, too. Without it, all stays as it is.
    """

    format: Format
    columns: Sequence[str]
    make: Callable[[Table], T]
    limit: int = LIMIT
    join: Callable[[Sequence[T]], T] | None = None


class Done(NamedTuple, Generic[T]):
    """What became of a piece of a file.

    Attributes:
        file: the path of the file.
        made: what was made of its tables, in order.
        parsed: how many lines matched.
        rejected: the lines that did not.
        skipped: the lines that were not read as entries.
        error: why the file cannot be read any further.
    """

    file: str
    made: list[T]
    parsed: int
    rejected: list[Rejected]
    skipped: list[Skipped]
    error: OSError | None = None


class Range(NamedTuple):
    """Whole lines of a plain file.

    Attributes:
        file: its path.
        identity: what tells it from a file that comes to have this path.
        begin: where they begin, in bytes.
        end: where they end.
    """

    file: str
    identity: tuple[int, int]
    begin: int
    end: int


class Piece(NamedTuple):
    """Whole lines that one process works on.

    Attributes:
        file: the path of the file that they are from.
        content: the lines, or where they are, or why there are no more.
        header: what is to be known of the lines before them; see `Format.header`.
        is_first: whether the file begins with it.
    """

    file: str
    content: Block | Range | OSError
    header: bytes
    is_first: bool

    @property
    def size(self) -> int:
        """How many bytes there are to be read."""
        match self.content:
            case Block(data=data):
                return len(data)
            case Range(begin=begin, end=end):
                return end - begin
        return 0


def cores() -> int:
    """Tell how many processes can run at once.

    >>> cores() > 0
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def scan(
    files: Sequence[str],
    task: Task[T],
    *,
    jobs: int = 1,
    head: bytes = b"",
    fault: Callable[[str, OSError], object] | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> Iterator[Done[T]]:
    """Read files, and give what is made of their lines, in their order.

    Args:
        files: paths; "-" is standard input.
        task: what is to be done.
        jobs: how many processes work on it, beside this one, if there is enough to do. What comes on standard input is
            worked on here, as it comes.
        head: what was read of standard input before.
        fault: called with the path of a file that cannot be read to its end, and why; the next file is read then.
            Without it that is raised.
        progress: called, again and again, with the path of a file, the position in it, and its size, all in bytes.

    Raises:
        OSError: a file cannot be read, and there is no `fault`. All that could be read of it has been given.
        WorkerError: a process was killed, or there is no room for what it made.

    >>> from urisect.logs import LIST
    >>> task = Task(LIST, ["host"], lambda table: table.column("host"))
    >>> [done.made for done in scan(["/dev/null"], task)]
    []
    """
    line, failed = 1, False
    for piece, done in _in_order(_pieces(files, task, head, progress), task, jobs, is_much=_is_much(files)):
        if piece.is_first:
            line, failed = 1, False
        if failed:  # a file is read up to its first fault
            continue
        rejected = [reject._replace(line=line + reject.line) for reject in done.rejected]
        skipped = [skip._replace(line=line + skip.line) for skip in done.skipped]
        line += done.parsed + len(rejected) + len(skipped)
        yield done._replace(rejected=rejected, skipped=skipped)
        if done.error:
            failed = True
            if fault is None:
                raise done.error
            fault(done.file, done.error)


def _is_much(files: Sequence[str]) -> bool:
    """Tell whether there is so much to read that others may as well start at once, while the first pieces are read."""
    return sum(os.path.getsize(name) for name in files if os.path.isfile(name)) > MUCH


def _in_order(pieces: Iterator[Piece], task: Task[T], jobs: int, *, is_much: bool) -> Iterator[tuple[Piece, Done[T]]]:
    """Work on pieces, here or in other processes, and give what became of each, in order."""
    work = _Work(task)
    read = 0
    waiting: deque[tuple[Piece, Future[str]]] = deque()
    try:
        with ExitStack() as stack:
            pool: ProcessPoolExecutor | None = None
            for piece in pieces:
                read += piece.size
                is_shared = jobs > 1 and piece.file != STDIN
                if is_shared and pool is None and (is_much or read > HEAD_START):
                    pool = stack.enter_context(_pool(task, stack.enter_context(_folder()), jobs))
                if is_shared and pool and read > HEAD_START:
                    waiting.append((piece, pool.submit(_work_there, piece)))
                    yield from _finished(waiting, 2 * jobs)
                else:
                    yield from _finished(waiting, 0)
                    yield piece, work(piece)
            yield from _finished(waiting, 0)
    except BrokenExecutor:
        raise WorkerError from None


def _finished(waiting: deque[tuple[Piece, Future[str]]], left: int) -> Iterator[tuple[Piece, Done[Any]]]:
    """Wait for the first pieces until so many are left; more are not held at once."""
    while len(waiting) > left:
        piece, future = waiting.popleft()
        yield piece, _taken(future.result())


def _left(done: Done[Any], folder: str) -> str:
    """Leave what became of a piece in a file, for a pipe takes half as long again.

    The columns of record batches are written as they are, and mapped into memory by whoever takes them.
    """
    columns: list[pickle.PickleBuffer] = []
    data = pickle.dumps(done, pickle.HIGHEST_PROTOCOL, buffer_callback=columns.append)
    parts = [memoryview(data), *(column.raw() for column in columns)]
    descriptor, path = mkstemp(dir=folder)
    with open(descriptor, "wb") as file:
        file.write(array("Q", [len(parts), *map(len, parts)]))
        for part in parts:
            file.write(bytes(-file.tell() % ALIGNMENT))
            file.write(part)
    return path


def _taken(path: str) -> Done[Any]:
    """Take what another process has left."""
    with _temporary(), open(path, "rb") as file:
        os.unlink(path)
        content = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    numbers = content[: len(content) // 8 * 8].cast("Q")
    count = numbers[0]
    position = 8 * (1 + count)
    parts: list[memoryview] = []
    for length in numbers[1 : 1 + count]:
        position += -position % ALIGNMENT
        parts.append(content[position : position + length])
        position += length
    done: Done[Any] = pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301  written above
    return done


def _folder() -> TemporaryDirectory:
    """Make a folder for what others leave here."""
    with _temporary():
        return TemporaryDirectory()


@contextmanager
def _temporary() -> Iterator[None]:
    """Do something in that folder. Whoever reads only logs need not know that there is one."""
    try:
        yield
    except OSError as error:
        raise WorkerError(
            f"what a worker process made cannot be kept in a temporary folder: {error.strerror}; "
            "TMPDIR names another place for it, and --jobs 1 needs none"
        ) from None


@contextmanager
def _shielded() -> Iterator[None]:
    """Start processes that no interrupt reaches, not even before they are ready: to end them is up to this one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Work(Generic[T]):
    """What one process does with pieces."""

    def __init__(self, task: Task[T]) -> None:
        self._task = task
        self._cut = Cut(task.format, task.columns)

    def __call__(self, piece: Piece) -> Done[T]:
        """Work on one piece; its lines are numbered from 0."""
        made: list[T] = []
        rejected: list[Rejected] = []
        skipped: list[Skipped] = []
        parsed = 0
        error: OSError | None = None
        try:
            for table in self._cut.tables(self._blocks(piece.content), line=0, header=piece.header):
                made.append(self._task.make(table))
                parsed += table.parsed
                rejected += table.rejected
                skipped += table.skipped
        except OSError as failure:
            error = failure
        if self._task.join and len(made) > 1:
            made = [self._task.join(made)]
        return Done(piece.file, made, parsed, rejected, skipped, error)

    def _blocks(self, content: Block | Range | OSError) -> Iterator[Block]:
        match content:
            case Block(offset=offset, data=data) if data:
                yield from limited(io.BytesIO(data), self._task.limit, BLOCK, offset)
            case Block():
                yield content
            case Range(file=name, begin=begin, end=end):
                with open(name, "rb", buffering=0) as file:
                    if _identity(file) != content.identity:
                        raise OSError("another file has come in its place")
                    file.seek(begin)
                    yield from limited(_Span(file, end - begin), self._task.limit, BLOCK, begin, is_file=True)
            case _:
                raise content


def _identity(file: io.FileIO | io.BufferedReader) -> tuple[int, int]:
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino


class _Span:
    """So many bytes of a file, from where it stands."""

    def __init__(self, file: io.FileIO, length: int) -> None:
        self._file = file
        self._left = length

    def read1(self, size: int, /) -> bytes:
        data = self._file.read(min(size, self._left))
        if self._left and not data:
            raise OSError("it has become shorter while it was read")
        self._left -= len(data)
        return data


def _pool(task: Task[T], folder: str, jobs: int) -> "ProcessPoolExecutor":
    """Start processes anew: one that is forked from a process with threads may wait for a lock forever."""
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415  it takes longer to load than most files

    context = get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin_there, initargs=(task, folder))
    with _shielded() if hasattr(signal, "pthread_sigmask") else nullcontext():  # Windows has none
        for _ in range(jobs):
            pool.submit(os.getpid)  # each starts a process
    return pool


_there: Callable[[Piece], str]


def _begin_there(task: Task[Any], folder: str) -> None:
    """Begin to be a process that works for another, which alone is interrupted, and may be killed."""
    global _there  # noqa: PLW0603  such a process has one task
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reader, writer = Pipe(duplex=False)
    watcher = Thread(target=_end_with_parent, args=(reader, folder), daemon=True)
    watcher.start()
    atexit.register(watcher.join)  # or it would keep alive to the very end what has to go before
    atexit.register(writer.close)
    work = _Work(task)

    def there(piece: Piece) -> str:
        done = work(piece)
        with _temporary():
            return _left(done, folder)

    _there = there


def _end_with_parent(end: Connection, folder: str) -> None:
    """Wait for the end of this process, or of the one that it works for, which may have left the folder behind."""
    parent = parent_process()
    if parent and parent.sentinel in wait([parent.sentinel, end]):  # pragma: no cover  it is not counted by then
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)


def _work_there(piece: Piece) -> str:
    return _there(piece)


def _pieces(
    files: Sequence[str], task: Task[Any], head: bytes, progress: Callable[[str, int, int], object] | None
) -> Iterator[Piece]:
    """Cut files into pieces."""
    for name in files:
        is_first = True
        header = b""
        try:
            with open(0 if name == STDIN else name, "rb", closefd=name != STDIN) as file:
                size = os.fstat(file.fileno()).st_size
                for content in _contents(name, file, task, head):
                    yield Piece(name, content, header, is_first)
                    is_first = False
                    if task.format.headed and isinstance(content, Block):
                        header = task.format.header(content.data, header)
                    if progress:
                        progress(name, _position(content, file), size)
        except OSError as error:
            yield Piece(name, error, header, is_first)
        if name == STDIN:
            head = b""


def _position(content: Block | Range, file: io.BufferedReader) -> int:
    """Tell how far a file has been read, or a pipe, which itself cannot tell."""
    if isinstance(content, Range):
        return content.end
    return file.tell() if file.seekable() else content.offset


def _contents(name: str, file: io.BufferedReader, task: Task[Any], head: bytes) -> Iterator[Block | Range]:
    """Cut one file: by bytes if it has lines as they are, none of which tells how to read others."""
    if name == STDIN:
        return limited(decompressed(rejoined(head, file)), task.limit, is_file=True)
    status = os.fstat(file.fileno())
    has_size = stat.S_ISREG(status.st_mode) and status.st_size > 0  # that of what is in /proc is said to be 0
    if has_size and not task.format.headed and compression(file.peek(LONGEST_MAGIC)) is None:
        return _ranges(name, file)
    return limited(_Gathered(decompressed(file)), task.limit, GATHERED, is_file=True)


def _ranges(name: str, file: io.BufferedReader) -> Iterator[Range]:
    """Cut a plain file where lines end, into pieces of `RANGE` bytes and the rest of a line."""
    begin, size, identity = 0, os.fstat(file.fileno()).st_size, _identity(file)
    while begin < size:
        file.seek(begin + RANGE - 1)
        end = begin + RANGE - 1
        while chunk := file.read(io.DEFAULT_BUFFER_SIZE):
            found = chunk.find(b"\n") + 1
            end += found or len(chunk)
            if found:
                break
        yield Range(name, identity, begin, min(end, max(size, os.fstat(file.fileno()).st_size)))  # it may have grown
        begin = end


class _Gathered:
    """A stream of which each reading gives as much as is asked for, up to its end."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._failure: Exception | None = None

    def read1(self, size: int, /) -> bytes:
        if self._failure:
            raise self._failure
        parts: list[bytes] = []
        missing = size
        try:
            while missing > 0 and (part := self._stream.read1(missing)):
                parts.append(part)
                missing -= len(part)
        except OSError as error:  # what was read before it comes first
            if not parts:
                raise
            self._failure = error
        return b"".join(parts)
