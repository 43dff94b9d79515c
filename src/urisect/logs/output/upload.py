"""Upload files to remote storage, where they appear when they are complete."""

import ctypes
import errno
from typing import Any, BinaryIO

from urisect.logs.input.locations import parse_location, shown_name
from urisect.logs.input.remote import connect, retry

__all__ = ["check_target", "upload"]

# Bytes of a part; S3 takes up to 10,000 parts.
PART_BYTES = 1 << 24

# How many parts may wait in memory.
PARTS_IN_MEMORY = 4

# On Azure, flushing the stream would publish what was written so far: each part is uploaded before the next one.
IN_FOREGROUND = "background_writes=false"


def check_target(name: str) -> None:
    """Check that a file can be written under a name, as far as this can be known before it is written.

    Args:
        name: a URI.

    Raises:
        OSError: it is not the name of a file, or it cannot be reached.
        MissingExtraError: the package for this storage is not installed.
    """
    location = parse_location(name)
    if location.is_http:
        raise OSError(
            errno.EROFS, "HTTP is only for reading; write to a local file, or to s3://, gs://, abfss://, hdfs://"
        )
    if not location.path or location.path.endswith("/"):
        raise IsADirectoryError(errno.EISDIR, "this is a directory; add the name of a file")
    filesystem, root = connect(location)
    try:
        [bucket] = retry(location, lambda: filesystem.get_file_info([root.rstrip("/") or "/"]))
    except PermissionError:  # who may write need not be allowed to list
        return
    if bucket.type.name == "NotFound":
        raise FileNotFoundError(errno.ENOENT, "no such bucket; check its name", shown_name(name))


def upload(file: BinaryIO, name: str) -> None:
    """Upload a file.

    Args:
        file: a seekable file, which is read from its beginning.
        name: a URI.

    Raises:
        OSError: it cannot be written; an old file of this name stays.
    """
    location = parse_location(name)
    is_azure = location.scheme.startswith("abfs")
    if is_azure:
        location = location._replace(query="&".join(filter(None, (location.query, IN_FOREGROUND))))
    filesystem, root = connect(location)
    path = f"{root}{location.path}"
    if location.scheme != "hdfs":
        retry(location, lambda: _write(file, filesystem, path, flushes=not is_azure))
        return
    # In HDFS, a file appears when its first byte is written.
    directory, _, base = path.rpartition("/")
    part = f"{directory}/.{base}.part"
    retry(location, lambda: _write(file, filesystem, part, flushes=True))
    retry(location, lambda: filesystem.move(part, path))


def _write(file: BinaryIO, filesystem: Any, path: str, *, flushes: bool) -> None:
    file.seek(0)
    stream = filesystem.open_output_stream(path, compression=None)
    try:
        number = 0
        while part := file.read(PART_BYTES):
            stream.write(part)
            number += 1
            if flushes and number % PARTS_IN_MEMORY == 0:
                stream.flush()  # waits until they are uploaded
    except BaseException:
        # pyarrow cannot abort an upload, and completes it when the stream is closed or collected: so it never is.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(stream))
        raise
    stream.close()
