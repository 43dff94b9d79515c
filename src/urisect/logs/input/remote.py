"""Read files in remote storage: S3, Google Cloud Storage, Azure and HDFS with pyarrow, HTTP with fsspec.

Credentials and configuration are what these libraries find: environment variables, profiles, roles of the machine.
Everything is read in ranges. A range that fails is requested again, from the byte where it broke.
"""

import atexit
import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from glob import has_magic
from http import HTTPStatus
from time import sleep
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from urisect.extras import MissingExtraError
from urisect.logs.input.locations import (
    InputStatus,
    Location,
    RemoteInput,
    parse_location,
    redact,
    shown_name,
)

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

__all__ = ["RemoteFile", "connect", "list_files", "open_remote", "retry"]

T = TypeVar("T")

# Pauses before something is tried again, in seconds. The libraries try again themselves, too.
RETRY_PAUSES = (0.5, 1, 2)

# Bytes of a request: each request that follows another one is twice as large.
MIN_REQUEST_BYTES = 1 << 16
MAX_REQUEST_BYTES = 1 << 22

# Seconds to wait for a connection and for bytes, over HTTP.
HTTP_TIMEOUT = 60

# Characters of a library's message that are shown.
MAX_REASON_CHARACTERS = 300

CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or the role of this machine",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, or the role of this machine",
    "gcs": "GOOGLE_APPLICATION_CREDENTIALS, or the role of this machine",
    "abfs": "AZURE_CLIENT_ID and its like, az login, or the role of this machine",
    "abfss": "AZURE_CLIENT_ID and its like, az login, or the role of this machine",
    "hdfs": "the ticket of kinit, HADOOP_USER_NAME",
    "http": "~/.netrc, or user and password in the URL",
    "https": "~/.netrc, or user and password in the URL",
}

DENIED_TEXT = "access denied; check the credentials"
NO_FILE = "no such file; check the bucket or the host, and the path"


class Reason(NamedTuple):
    """What an error of a library means.

    Attributes:
        number: the `errno`.
        text: the message for people.
        is_lasting: whether trying again is useless.
    """

    number: int
    text: str
    is_lasting: bool = True


DENIED = (
    r"ACCESS_DENIED|AccessDenied|PERMISSION_DENIED|PermissionMismatch|HTTP status 40[13]|INVALID_ACCESS_KEY|SIGNATURE"
    r"|EXPIRED_TOKEN|ExpiredToken|INVALID_CLIENT_TOKEN|UNAUTHENTICATED|credential"
)

# What the texts of pyarrow's errors contain. The first that matches wins.
REASONS: Sequence[tuple[re.Pattern[str], Reason]] = [
    (re.compile(pattern, re.IGNORECASE), reason)
    for pattern, reason in (
        (
            r"Unexpected query parameter",
            Reason(errno.EINVAL, "unknown option after '?'; in a pattern, write [?] or * before name=value"),
        ),
        (
            r"libjvm|libhdfs|JAVA_HOME",
            Reason(errno.ENOSYS, "HDFS needs Java and Hadoop: set JAVA_HOME and HADOOP_HOME"),
        ),
        (r"Not a regular file", Reason(errno.EISDIR, "there are no files in this directory")),
        (
            r"NO_SUCH_BUCKET|NoSuchBucket|ContainerNotFound|bucket does not exist",
            Reason(errno.ENOENT, "no such bucket; check its name"),
        ),
        (
            r"HTTP status 301|PermanentRedirect|AuthorizationHeaderMalformed|wrong region",
            Reason(errno.EINVAL, "the bucket is in another region; add ?region=NAME to the URI"),
        ),
        (
            DENIED,
            Reason(errno.EACCES, DENIED_TEXT),
        ),
        (r"curlCode: 6,", Reason(errno.EHOSTUNREACH, "unknown host; check its name and the network", is_lasting=False)),
        (
            r"curlCode: 7,|Cannot connect",
            Reason(errno.ECONNREFUSED, "cannot connect; check the host and the network", is_lasting=False),
        ),
    )
]

HTTP_REASONS: Mapping[int, Reason] = {
    HTTPStatus.UNAUTHORIZED: Reason(errno.EACCES, DENIED_TEXT),
    HTTPStatus.FORBIDDEN: Reason(errno.EACCES, DENIED_TEXT),
    HTTPStatus.NOT_FOUND: Reason(errno.ENOENT, NO_FILE),
    HTTPStatus.GONE: Reason(errno.ENOENT, NO_FILE),
}
RETRIED_STATUSES = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})


class _Failure(Exception):  # noqa: N818  it becomes an OSError
    """A failure that needs no explanation."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason


def retry(location: Location, action: Callable[[], T]) -> T:
    """Do something in remote storage, and try again a few times if it fails.

    Args:
        location: the file, for the message.
        action: what to do.

    Raises:
        OSError: it failed for a reason that lasts, or each time.
        MissingExtraError: the package for this storage is not installed.

    >>> retry(parse_location("s3://bucket/a.log"), lambda: 1)
    1
    """
    pauses = iter(RETRY_PAUSES)
    while True:
        try:
            return action()
        except (MissingExtraError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  each library has its own errors
            reason = _explain(error, location.scheme)
        pause = None if reason.is_lasting else next(pauses, None)
        if pause is None:
            raise OSError(reason.number, reason.text, shown_name(location.uri))
        sleep(pause)


def _explain(error: Exception, scheme: str) -> Reason:
    """Say what an error means, without the secrets that the message of the library may contain."""
    if isinstance(error, _Failure):
        return error.reason
    cause = error.__cause__ or error  # fsspec raises FileNotFoundError from whatever went wrong
    text = redact(str(cause) or type(cause).__name__).splitlines()[0][:MAX_REASON_CHARACTERS]
    status = getattr(cause, "status", None)
    if isinstance(status, int):
        is_lasting = status < HTTPStatus.INTERNAL_SERVER_ERROR and status not in RETRIED_STATUSES
        reason = HTTP_REASONS.get(status) or Reason(errno.EIO, f"the server answers with status {status}", is_lasting)
    elif isinstance(cause, FileNotFoundError):
        reason = HTTP_REASONS[HTTPStatus.NOT_FOUND]
    elif isinstance(cause, PermissionError):
        reason = HTTP_REASONS[HTTPStatus.FORBIDDEN]
    else:
        is_lasting = isinstance(cause, ValueError | NotImplementedError)
        unknown = Reason(errno.EINVAL if is_lasting else errno.EIO, text, is_lasting)
        reason = next((reason for pattern, reason in REASONS if pattern.search(text)), unknown)
    if reason.number == errno.EACCES:
        return reason._replace(text=f"{reason.text}: {CREDENTIALS[scheme]}")
    return reason


@lru_cache(maxsize=8)
def _connect(scheme: str, authority: str, query: str) -> tuple["FileSystem", str]:
    """Return the file system of a bucket or a container, and what the paths of its files begin with."""
    try:
        from pyarrow.fs import FileSystem  # noqa: PLC0415  most files are local
    except ImportError:
        raise MissingExtraError(f"reading {scheme}://", "pyarrow") from None
    # At exit, before pyarrow shuts S3 down: a file system that outlives this may hang.
    atexit.register(_connect.cache_clear)
    filesystem, root = FileSystem.from_uri(Location(scheme, authority, "", query).uri)
    root = root.rstrip("/")
    return filesystem, f"{root}/" if root or scheme == "hdfs" else ""


def connect(location: Location) -> tuple["FileSystem", str]:
    """Return the file system of pyarrow for a file, and what precedes `location.path` in paths of this file system.

    Args:
        location: a file, not over HTTP.

    Raises:
        OSError: there is no such bucket, or no connection.
        MissingExtraError: pyarrow is not installed.
    """
    return retry(location, lambda: _connect(location.scheme, location.authority, location.query))


class _Source(Protocol):
    """An open file in remote storage."""

    status: InputStatus

    def read_at(self, position: int, length: int) -> bytes:
        """Read at most `length` bytes; return b"" at the end of the file."""
        ...  # pragma: no cover

    def close(self) -> None:
        """Close the file."""
        ...  # pragma: no cover


class _ArrowSource:
    """A file that pyarrow reads."""

    def __init__(self, location: Location) -> None:
        filesystem, root = _connect(location.scheme, location.authority, location.query)
        path = f"{root}{location.path}"
        self._file = filesystem.open_input_file(path)
        size = self._file.size()
        metadata: dict[str, bytes] = dict(self._file.metadata() or {})
        # What does not tag its files has times of modification.
        version = metadata.get("ETag") or filesystem.get_file_info(path).mtime_ns
        self.status = InputStatus(size, (size, version), size > 0)

    def read_at(self, position: int, length: int) -> bytes:
        data: bytes = self._file.read_at(length, position)
        return data

    def close(self) -> None:
        self._file.close()


class _HttpSource:
    """A file that fsspec reads over HTTP; from its beginning, if the server does not send ranges."""

    def __init__(self, location: Location) -> None:
        if location.path.endswith("/"):
            raise _Failure(Reason(errno.EISDIR, "a directory cannot be listed over HTTP; name its files"))
        self._url = location.uri
        self._http = _http_client(location.scheme, is_encoded=self._url.isascii() and " " not in self._url)
        info = self._http.info(self._url)
        size = info.get("size") or 0
        self._file: Any = self._http.open(self._url, size=size, cache_type="none") if size else None
        self._stream: Any = None
        self._position = 0  # in the stream
        has_ranges = size > 1 and self._probe_ranges()
        self.status = InputStatus(size, (size, info.get("ETag") or info.get("Last-Modified")), has_ranges)

    def _probe_ranges(self) -> bool:
        """Whether the server sends a part that does not begin at the beginning."""
        self._file.seek(1)
        try:
            return len(self._file.read(1)) == 1
        except ValueError:
            return False

    def read_at(self, position: int, length: int) -> bytes:
        data: bytes
        if self.status.has_ranges:
            self._file.seek(position)
            data = self._file.read(length)
            return data
        # Without ranges, what was read before is read again, and skipped.
        try:
            if self._stream is None or position < self._position:
                self.close()
                self._stream, self._position = self._http.open(self._url, block_size=0), 0
            while self._position < position:
                skipped = self._stream.read(min(position - self._position, MIN_REQUEST_BYTES))
                if not skipped:
                    return b""
                self._position += len(skipped)
            data = self._stream.read(length)
        except BaseException:
            self.close()  # the next time, read it from its beginning
            raise
        self._position += len(data)
        return data

    def close(self) -> None:
        if self._stream:
            self._stream.close()
            self._stream = None


def _http_client(scheme: str, *, is_encoded: bool) -> Any:
    try:
        import fsspec  # noqa: PLC0415  most files are local
        from aiohttp import ClientTimeout  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError(f"reading {scheme}://", "fsspec[http]", "remote") from None
    timeout = ClientTimeout(total=None, sock_connect=HTTP_TIMEOUT, sock_read=HTTP_TIMEOUT)
    # The bytes of the file, not those of a transfer encoding: sizes and positions count them.
    return fsspec.filesystem(
        "http",
        encoded=is_encoded,  # if not, aiohttp escapes what must not occur in a URL
        client_kwargs={"trust_env": True, "timeout": timeout},
        headers={"Accept-Encoding": "identity"},
    )


def open_remote(name: str, length: int = 0) -> "RemoteFile":
    """Open a remote file for reading.

    Args:
        name: a URI.
        length: how many bytes will be read at once, if that is known.

    Raises:
        OSError: it cannot be opened.
        MissingExtraError: the package for this storage is not installed.
    """
    location = parse_location(name)
    return RemoteFile(location, _open_source(location), length)


def _open_source(location: Location) -> _Source:
    open_source: Callable[[Location], _Source] = _HttpSource if location.is_http else _ArrowSource
    try:
        return retry(location, partial(open_source, location))
    except FileNotFoundError as error:
        if not has_magic(location.path):
            raise
        if not location.is_http:
            _list_matches(location)  # if this is not allowed, it says so
        text = "patterns do not work over HTTP" if location.is_http else "no file matches this pattern"
        raise FileNotFoundError(errno.ENOENT, text, error.filename) from None


class RemoteFile(RemoteInput):
    """A remote file, open for reading.

    At the end of the file, it is checked that the file was not replaced while it was read.
    """

    def __init__(self, location: Location, source: _Source, length: int) -> None:
        """Begin at the beginning.

        Args:
            location: where the file is.
            source: the open file.
            length: how many bytes will be read at once, if that is known.
        """
        self._location = location
        self._source = source
        self._position = 0
        self._window, self._window_begin = b"", 0  # what was read last
        self._first_request = min(max(length, MIN_REQUEST_BYTES), MAX_REQUEST_BYTES)
        self._request_bytes = self._first_request
        self._is_checked = False

    @property
    def status(self) -> InputStatus:
        """Size and identity of the file."""
        return self._source.status

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def close(self) -> None:
        """Close the file."""
        self._source.close()
        super().close()

    def tell(self) -> int:
        """Return the position of the next byte to read."""
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a position.

        Args:
            offset: the position, in bytes.
            whence: from where it counts: the beginning of the file, the current position, or the end of the file.
        """
        self._position = offset + (0, self._position, self.status.size)[whence]
        return self._position

    def readinto(self, buffer: Any, /) -> int:
        """Read up to as many bytes as fit into a buffer, and return how many.

        Raises:
            OSError: the file cannot be read, or it was replaced.
        """
        begin = self._position - self._window_begin
        if not 0 <= begin < len(self._window):
            self._fetch()
            begin = 0
        data = memoryview(self._window)[begin : begin + len(buffer)]
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _fetch(self) -> None:
        """Read the bytes at the position; more at once after each read that follows another one."""
        is_next = self._window and self._position == self._window_begin + len(self._window)
        self._request_bytes = min(2 * self._request_bytes, MAX_REQUEST_BYTES) if is_next else self._first_request
        position, size = self._position, self.status.size
        length = min(self._request_bytes, size - position) if size else self._request_bytes
        self._window, self._window_begin = b"", position
        if length > 0:
            self._window = retry(self._location, lambda: self._source.read_at(position, length))
        if not self._window and not self._is_checked:
            if position < size or not self._is_unchanged():
                raise OSError("the file was replaced while it was read")
            self._is_checked = True

    def _is_unchanged(self) -> bool:
        source = _open_source(self._location)
        source.close()
        return source.status.identity == self.status.identity


def list_files(name: str) -> list[str]:
    """Return the files that the name of a remote directory or a pattern stands for, as for local ones; none otherwise.

    Args:
        name: a URI.

    Raises:
        MissingExtraError: the package for this storage is not installed.
    """
    location = parse_location(name)
    if not location.is_http:
        with suppress(OSError):  # opening the file raises it again
            return _list_matches(location)
    return []


def _list_matches(location: Location) -> list[str]:
    """Return the files of a directory, or those that match a pattern, sorted.

    Raises:
        OSError: the storage cannot be read.
    """
    filesystem, root = connect(location)
    from pyarrow.fs import FileSelector, FileType  # noqa: PLC0415  imported by then

    def list_directory(path: str, *, recursive: bool = False) -> "list[FileInfo]":
        selector = FileSelector(path, allow_not_found=True, recursive=recursive)
        infos: list[FileInfo] = retry(location, lambda: filesystem.get_file_info(selector))
        return infos

    def match(directory: str, segments: Sequence[str]) -> "Iterator[FileInfo]":
        """Yield the files that match; the rules are those of `glob`, see `urisect.logs.input.files`."""
        segment, rest = segments[0], segments[1:]
        if segment == "**" and not rest:
            yield from list_directory(directory, recursive=True)
        elif segment == "**":
            yield from match(directory, rest)
            for info in list_directory(directory):
                if info.type == FileType.Directory and not info.base_name.startswith("."):
                    yield from match(info.path, segments)
        elif rest and not has_magic(segment):
            yield from match(f"{directory}/{segment}", rest)
        else:
            for info in list_directory(directory):
                if not _matches(info.base_name, segment):
                    continue
                if info.type != FileType.Directory:
                    yield from () if rest else (info,)
                else:
                    yield from match(info.path, rest) if rest else list_directory(info.path, recursive=True)

    path = location.path.rstrip("/")
    top = root.rstrip("/")
    kind = retry(location, lambda: filesystem.get_file_info(f"{root}{path}".rstrip("/") or "/")).type
    found: Iterable[FileInfo] = ()
    if kind == FileType.Directory:
        found = list_directory(f"{root}{path}".rstrip("/") or "/", recursive=True)
    elif kind == FileType.NotFound and has_magic(path):
        found = match(top, [segment for segment in path.split("/") if segment])
    paths = {info.path for info in found if info.type != FileType.Directory}
    return sorted(location._replace(path=each.removeprefix(root)).uri for each in paths)


def _matches(name: str, pattern: str) -> bool:
    """Whether a name matches a segment of a pattern; hidden names only if the pattern begins with a dot, too."""
    return fnmatchcase(name, pattern) and (pattern.startswith(".") or not name.startswith("."))
