"""Write files and directories that appear under their name only when they are complete."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from urisect.logs.input.files import STDIN
from urisect.logs.input.locations import is_remote, path_of, shown_name

if TYPE_CHECKING:
    from urisect.logs.temporary import TemporaryDirectory

__all__ = ["OutputDirectory", "OutputError", "OutputFile", "descriptor_of", "is_special", "output_errors", "same_file"]

# The name of the incomplete file or directory inside its temporary directory.
CONTENT = "content"

# How many characters of the final name begin the name of the temporary directory: names are limited to 255 bytes.
MAX_PREFIX_CHARACTERS = 30

# How many symbolic links are followed: as many as Linux follows.
MAX_LINKS = 40


class OutputError(OSError):
    """An output file cannot be written.

    Attributes:
        reason: the error of the operating system.

    >>> print(OutputError("rows.tsv", OSError(28, "No space left on device")))
    rows.tsv: No space left on device
    """

    def __init__(self, name: str, reason: OSError) -> None:
        """Name the output.

        Args:
            name: the path as it was given; the secrets of a URI are left out.
            reason: the error of the operating system.
        """
        super().__init__(f"{shown_name(name)}: {reason.strerror or reason}")
        self.reason = reason


@contextmanager
def output_errors(name: str) -> Iterator[None]:
    """Raise every `OSError` as an `OutputError`.

    Args:
        name: the path of the output, for the message.

    >>> with output_errors("rows.tsv"):
    ...     raise OSError("the disk is gone")
    Traceback (most recent call last):
    urisect.logs.output.atomic.OutputError: rows.tsv: the disk is gone
    """
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(name, error) from error


class OutputFile:
    """A binary file that replaces an old file of its name when it is complete.

    It is a context manager. It is written in a temporary directory next to its final place, synced to the disk, and
    renamed at the end; an exception leaves the old file as it was. A device, a named pipe, and an open descriptor such
    as /dev/stdout are written in place. A URI of remote storage is written in a temporary file, and uploaded at the
    end. A name that ends in ".gz" or ".zst" compresses.

    Attributes:
        name: the path as it was given.
        is_atomic: whether it is renamed or uploaded at the end; False if it is written in place.
        closed: always False; pyarrow asks for it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with OutputFile(f"{directory}/rows.tsv") as output:
    ...         output.write(b"a row")
    ...         print(os.path.exists(f"{directory}/rows.tsv"))
    ...     print(os.path.exists(f"{directory}/rows.tsv"))
    False
    True
    """

    closed = False

    def __init__(self, path: str, *, descriptor: int | None = None) -> None:
        """Open the file.

        Args:
            path: where it is written.
            descriptor: an open file descriptor to write to; then the path is only a name for messages.

        Raises:
            OutputError: it cannot be opened.
            MissingExtraError: the package for ".zst" or for remote storage is not installed.
        """
        self.name = path
        self._place: str | None = None
        self._directory: TemporaryDirectory | None = None
        self._is_discarded = False
        compress = _compressor(path_of(path))
        self._is_remote = descriptor is None and is_remote(path)
        with output_errors(path):
            if self._is_remote:
                self._file = self._open_temporary()
            else:
                self._file = self._open(descriptor_of(path) if descriptor is None else descriptor)
        self._stream: Any = compress(self._file) if compress else self._file
        self.is_atomic = self._is_remote or self._place is not None

    def _open(self, descriptor: int | None) -> BinaryIO:
        if descriptor is not None:
            return open(os.dup(descriptor), "wb")
        if is_special(self.name):
            # Not truncated: a regular file may have replaced the device since the check.
            return open(os.open(self.name, os.O_WRONLY), "wb")
        self._place = _replaceable(self.name)
        self._directory = _temporary_beside(self._place)
        return open(os.path.join(self._directory.name, CONTENT), "xb")

    def _open_temporary(self) -> BinaryIO:
        from urisect.logs.output.upload import check_target  # noqa: PLC0415  most files are local
        from urisect.logs.temporary import TemporaryDirectory  # noqa: PLC0415  most commands write no file

        check_target(self.name)
        self._directory = TemporaryDirectory()
        return open(os.path.join(self._directory.name, CONTENT), "x+b")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            with suppress(OSError) if kind else output_errors(self.name):
                self._close(is_complete=kind is None and not self._is_discarded)
        finally:
            if self._directory:
                self._directory.cleanup()

    def _close(self, *, is_complete: bool) -> None:
        """Close the file, and rename or upload it if it is complete."""
        with self._file:
            if self._stream is not self._file:
                with nullcontext() if is_complete else suppress(OSError):
                    self._stream.close()  # an open compressor would write to a closed file when it is collected
            if is_complete and self._is_remote:
                from urisect.logs.output.upload import upload  # noqa: PLC0415  most files are local

                upload(self._file, self.name)
            elif is_complete and self.is_atomic:
                self._file.flush()
                os.fsync(self._file.fileno())
        if is_complete and self._place:
            with suppress(FileNotFoundError):
                os.chmod(self._file.name, os.stat(self._place).st_mode & 0o777)
            os.replace(self._file.name, self._place)

    def discard(self) -> None:
        """Keep the old file, and drop what was written."""
        self._is_discarded = True

    def isatty(self) -> bool:
        """Return whether the file is a terminal."""
        return self._file.isatty()

    def write(self, data: bytes, /) -> None:
        """Write bytes or a buffer; flush them at once if the file is written in place.

        Raises:
            OutputError: they cannot be written.
        """
        with output_errors(self.name):
            self._stream.write(data)
            if not self.is_atomic:
                self._stream.flush()


class OutputDirectory:
    """A new directory of files that gets its name when all of them are complete.

    It is a context manager.

    Attributes:
        name: the path as it was given.
        path: the directory to write into, until then.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     with OutputDirectory(f"{parent}/days") as output:
    ...         os.mkdir(f"{output.path}/day=1996-11-10")
    ...     os.listdir(f"{parent}/days")
    ['day=1996-11-10']
    """

    def __init__(self, path: str) -> None:
        """Make a temporary directory beside the final one.

        Args:
            path: the final directory: it does not exist, or it is empty.

        Raises:
            OutputError: something is there, or the directory cannot be made, or it is in remote storage.
        """
        self.name = path
        self._is_discarded = False
        with output_errors(path):
            if is_remote(path):
                raise OSError(errno.EINVAL, "files per day need a local directory; write there, and upload it")
            if os.path.exists(path) and not (os.path.isdir(path) and not os.listdir(path)):
                raise FileExistsError(errno.EEXIST, "this exists and is not empty; name a new directory")
            self._place = os.path.realpath(path)
            self._directory = _temporary_beside(self._place)
            self.path = os.path.join(self._directory.name, CONTENT)
            os.mkdir(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and not self._is_discarded:
                with output_errors(self.name):
                    self._rename()
        finally:
            self._directory.cleanup()

    def _rename(self) -> None:
        """Rename the directory to its final name; an empty one that is replaced leaves its mode."""
        replaces = os.path.isdir(self._place)
        mode = stat.S_IMODE(os.stat(self._place if replaces else self.path).st_mode)
        os.chmod(self.path, mode | stat.S_IRWXU)  # renaming a directory needs permission to write to it
        os.rename(self.path, self._place)
        os.chmod(self._place, mode)

    def discard(self) -> None:
        """Drop what was written; nothing appears under the name."""
        self._is_discarded = True


def _temporary_beside(path: str) -> "TemporaryDirectory":
    """Make a temporary directory on the same file system as a path, so that renaming suffices."""
    from urisect.logs.temporary import SUFFIX, TemporaryDirectory  # noqa: PLC0415  most commands write no file

    parent, name = os.path.split(path)
    return TemporaryDirectory(prefix=f".{name[:MAX_PREFIX_CHARACTERS]}.", suffix=SUFFIX, dir=parent)


def _replaceable(path: str) -> str:
    """Follow symbolic links to the file that is replaced.

    Raises:
        OSError: it is a directory, or standard output or standard error is redirected to it.
    """
    place = os.path.realpath(path)
    if os.path.isdir(place):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    for descriptor, stream in ((1, "stdout"), (2, "stderr")):
        if os.path.exists(place) and os.path.samestat(os.stat(place), os.fstat(descriptor)):
            raise OSError(errno.EEXIST, f"{stream} is redirected to this file; write to /dev/{stream} instead")
    return place


def _compressor(path: str) -> Callable[[Any], Any] | None:
    """Return the compressor for a name, or None for a file that is not compressed."""
    match os.path.splitext(path)[1].lower():
        case ".gz":
            from gzip import GzipFile  # noqa: PLC0415  few files are compressed

            # Without name and time, the same rows always give the same bytes.
            return lambda file: GzipFile("", "wb", 6, file, 0)
        case ".zst":
            from urisect.logs.input.decoders import load_zstd  # noqa: PLC0415  few files are compressed

            zstd = load_zstd()
            return lambda file: zstd.ZstdFile(file, mode="wb")
    return None


def descriptor_of(path: str) -> int | None:
    """Return the open descriptor that a path such as /dev/stdout or /dev/fd/3 stands for; None for any other path.

    Opening the path again would write from its beginning, and lose the append mode.

    >>> descriptor_of("/dev/fd/3"), descriptor_of("/dev/null")
    (3, None)
    """
    own = {os.path.realpath(directory) for directory in ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")}
    for _ in range(MAX_LINKS):
        directory, name = os.path.split(path)
        directory = os.path.realpath(directory)
        if directory in own and name.isdecimal():
            return int(name)
        try:
            path = os.path.join(directory, os.readlink(os.path.join(directory, name)))
        except OSError:
            break
    return None


def is_special(path: str) -> bool:
    """Return whether a path is a device, a pipe or a socket, which is written in place.

    >>> is_special("/dev/null"), is_special("/no/such/file")
    (True, False)
    """
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def same_file(path: str, files: Sequence[str]) -> bool:
    """Return whether a path or a URI leads to one of some files; "-" is standard input, not a file.

    >>> same_file("/no/such/file", ["-", "/dev/null"]), same_file("/dev/null", ["-", "/dev/null"])
    (False, True)
    """
    if is_remote(path):
        return path in files
    return os.path.exists(path) and any(
        name != STDIN and os.path.exists(name) and os.path.samefile(name, path) for name in files
    )
