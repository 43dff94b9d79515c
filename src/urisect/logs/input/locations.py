"""Names of files: paths on this machine, and URIs of files in remote storage.

A name that begins with one of these schemes is remote: s3, gs (gcs), abfss (abfs), hdfs, https (http). What follows the
bucket, the container or the host is the path, as it is: nothing in it is decoded. Options for the storage may follow:
`s3://bucket/logs/*.gz?region=eu-west-1`. A "?" begins options if `name=value` follows, up to the end; any other "?" is
a part of the path, or of a pattern. Over HTTP, it always begins the query.
"""

import io
import re
from abc import ABC, abstractmethod
from typing import NamedTuple

__all__ = ["InputStatus", "Location", "RemoteInput", "is_remote", "parse_location", "path_of", "redact", "shown_name"]

SCHEME = r"(?:s3|gs|gcs|abfss?|hdfs|https?)"
REMOTE = re.compile(rf"{SCHEME}://", re.IGNORECASE)

OPTION = r"[A-Za-z][\w.-]*=[^&?]*"
OPTIONS = re.compile(rf"\?({OPTION}(?:&{OPTION})*)\Z")

# Options without secrets. The values of all others are hidden in what people read.
SHOWN_OPTIONS = frozenset({"endpoint_override", "region", "scheme"})

# A secret key with "/" in it, not escaped: "user:a/b@bucket". After a port, "@" is a part of the path.
USERINFO = re.compile(r"[^/?#]*@|[^/@]*:(?!\d*(?:/|\Z)).*@")
QUERY_VALUE = re.compile(r"([?&][^=&?]*)=([^&]*)")
REMOTE_IN_TEXT = re.compile(rf"\b{SCHEME}://[^\s'\"<>]+", re.IGNORECASE)
HIDDEN = "…"


class Location(NamedTuple):
    """The parts of the URI of a remote file.

    Attributes:
        scheme: the scheme, in lower case.
        authority: bucket, container and account, or host, with userinfo.
        path: what follows, without the first "/".
        query: the options, without "?".
    """

    scheme: str
    authority: str
    path: str
    query: str

    @property
    def is_http(self) -> bool:
        """Whether this is HTTP, where files cannot be listed or written."""
        return self.scheme.startswith("http")

    @property
    def uri(self) -> str:
        """The URI of these parts."""
        return f"{self.scheme}://{self.authority}/{self.path}{'?' if self.query else ''}{self.query}"


class InputStatus(NamedTuple):
    """What is known about an open input file.

    Attributes:
        size: number of bytes; 0 if it is unknown.
        identity: changes if the file is replaced.
        has_ranges: whether it is a regular file, any part of which can be read by others.
    """

    size: int
    identity: tuple[object, ...]
    has_ranges: bool


class RemoteInput(io.RawIOBase, ABC):
    """An open remote file."""

    @property
    @abstractmethod
    def status(self) -> InputStatus:
        """Size and identity of the file."""


def is_remote(name: str) -> bool:
    """Return whether a name is a URI of remote storage, and not a path.

    >>> is_remote("s3://bucket/access.log"), is_remote("access.log")
    (True, False)
    """
    return REMOTE.match(name) is not None


def parse_location(name: str) -> Location:
    """Split the name of a remote file into its parts.

    >>> parse_location("s3://bucket/logs/a?.gz?region=eu-west-1")
    Location(scheme='s3', authority='bucket', path='logs/a?.gz', query='region=eu-west-1')
    """
    scheme, _, rest = name.partition("://")
    scheme = scheme.lower()
    if scheme.startswith("http"):
        rest, _, query = rest.partition("?")
    else:
        found = OPTIONS.search(rest)
        query = found[1] if found else ""
        rest = rest[: found.start()] if found else rest
    authority, _, path = rest.partition("/")
    return Location(scheme, authority, path, query)


def path_of(name: str) -> str:
    """Return a name without the options of its storage, so that it ends with the suffix of the file.

    >>> path_of("s3://bucket/rows.parquet?region=eu-west-1"), path_of("rows.parquet")
    ('s3://bucket/rows.parquet', 'rows.parquet')
    """
    return parse_location(name)._replace(query="").uri if is_remote(name) else name


def shown_name(name: str) -> str:
    """Return the name of a file for messages, without secrets: userinfo, keys, signatures.

    Args:
        name: a path, which is returned as it is, or a URI.

    >>> shown_name("https://user:secret@example.com/a.log?X-Amz-Signature=1f2e3d")
    'https://example.com/a.log?X-Amz-Signature=…'
    >>> shown_name("abfss://logs@account.dfs.core.windows.net/a.log")
    'abfss://logs@account.dfs.core.windows.net/a.log'
    """
    if not is_remote(name):
        return name
    scheme, _, rest = name.partition("://")
    if userinfo := USERINFO.match(rest):
        container = userinfo[0].rstrip("@").partition(":")[0] if scheme.lower().startswith("abfs") else ""
        rest = f"{container}{'@' if container else ''}{rest[userinfo.end() :]}"
    if scheme.lower().startswith("http"):
        rest, mark, query = rest.partition("#")[0].partition("?")
        query = "&".join(part if "=" in part else HIDDEN for part in query.split("&")) if query else ""
        rest = f"{rest}{mark}{query}"
    return f"{scheme}://{QUERY_VALUE.sub(_hide_value, rest)}"


def _hide_value(option: re.Match[str]) -> str:
    return f"{option[1]}={option[2] if option[1][1:] in SHOWN_OPTIONS else HIDDEN}"


def redact(text: str) -> str:
    """Remove the secrets from the URIs in a text, such as the message of a library.

    >>> redact("cannot parse 's3://key:secret@bucket/a'")
    "cannot parse 's3://bucket/a'"
    """
    return REMOTE_IN_TEXT.sub(lambda uri: shown_name(uri[0]), text)
