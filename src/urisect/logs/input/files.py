"""Name the inputs of a command: find log files by name, pattern or directory."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from glob import escape, glob, has_magic
from typing import Self

from urisect.logs.input.locations import is_remote

__all__ = ["STDIN", "TextInput", "expand_paths"]

STDIN = "-"

SPECIAL_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}

SEPARATOR = f"[{re.escape(os.sep + (os.altsep or ''))}]"
DOUBLE_STAR = re.compile(rf"(?:^|(?<={SEPARATOR}))\*\*(?:{SEPARATOR}+|$)")


class TextInput(str):
    """The name of an input whose content is given, and not read from a file: a str, with the content.

    Attributes:
        content: the content, in bytes; a byte order mark at its beginning is data.

    >>> TextInput("<argument 1>", b"http://example.com/").content
    b'http://example.com/'
    """

    __slots__ = ("content",)

    content: bytes

    def __new__(cls, name: str, content: bytes) -> Self:
        """Name an input with this content."""
        self = super().__new__(cls, name)
        self.content = content
        return self

    def __getnewargs__(self) -> tuple[str, bytes]:  # type: ignore[override]  # what __new__ takes, not str's
        """Return the arguments of `__new__`, for copies and pickles."""
        return str(self), self.content


def expand_paths(names: Iterable[str], skip_special: Callable[[str, str], object] | None = None) -> list[str]:
    """Return the files that names refer to: a pattern's matches, a directory's files, sorted.

    A directory or a pattern yields each file once, even if several links lead to it; link loops are not followed.

    Args:
        names: paths of files or directories, or patterns with "*", "?", "[…]" and "**"; "-" is standard input. Any of
            them may be in remote storage, see `urisect.logs.input.locations`. A name without a match is returned as it
            is, so that opening it raises the error.
        skip_special: called with the path and the kind ("a pipe") of each pipe, socket or device that a directory or a
            pattern yields; they are left out, since reading one may take forever.

    Raises:
        MissingExtraError: the package for remote storage is not installed.

    >>> expand_paths(["-", "no/such/*.log"])
    ['-', 'no/such/*.log']
    """
    return [file for name in names for file in (_expand_path(name, skip_special) or [name])]


def _expand_path(name: str, skip_special: Callable[[str, str], object] | None) -> list[str]:
    if is_remote(name):
        from urisect.logs.input.remote import list_files  # noqa: PLC0415  most files are local

        return list_files(name)
    if name != STDIN and os.path.isdir(name):
        found = _list_directory(name)
    elif name != STDIN and has_magic(name) and not os.path.exists(name):
        found = (file for path in _glob(name) for file in (_list_directory(path) if os.path.isdir(path) else [path]))
    else:
        return [name]
    files: dict[object, str] = {}
    for path in sorted(found, key=_links_last):
        identity, special_kind = _identify(path)
        if special_kind is None:
            files.setdefault(identity, path)
        elif skip_special:
            skip_special(path, special_kind)
    return sorted(files.values())


def _list_directory(directory: str) -> Iterator[str]:
    """Yield all files in a directory and its subdirectories."""
    walked = _walk(directory, follow_links=False, enter_hidden=True)
    return (os.path.join(path, file) for path, files in walked for file in files)


def _glob(pattern: str) -> Iterator[str]:
    """Yield the paths that match a pattern; "**" stands for any number of directories, or for none."""
    found = DOUBLE_STAR.search(pattern)
    if not found:
        yield from glob(pattern)
        return
    before, after = pattern[: found.start()], pattern[found.end() :]
    for top in glob(before) if has_magic(before) else [before]:
        for directory, files in _walk(top, follow_links=True, enter_hidden=not after):
            if after:
                yield from _glob(os.path.join(escape(directory), after))
            else:
                yield from (os.path.join(directory, file) for file in files)


def _walk(top: str, *, follow_links: bool, enter_hidden: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield a directory and its subdirectories, each once, with the names of the files in it.

    Args:
        top: path of the directory; "" is the current one.
        follow_links: whether to enter links to directories.
        enter_hidden: whether to enter directories whose names begin with ".".
    """
    from urisect.logs.temporary import LOCK_NAME  # noqa: PLC0415  its tempfile takes 4 ms to import

    here = os.path.join(os.curdir, "")
    seen = {_identify(top or here)}
    for path, directories, files in os.walk(top or here, followlinks=follow_links):
        below = sorted((os.path.join(path, name) for name in directories), key=_links_last)
        directories.clear()
        if LOCK_NAME in files:  # urisect is writing here
            continue
        for directory in below:
            name = os.path.basename(directory)
            if (follow_links or not os.path.islink(directory)) and (enter_hidden or not name.startswith(".")):
                identity = _identify(directory)
                if identity not in seen:
                    directories.append(name)
                seen.add(identity)
        yield path if top else path.removeprefix(here), files


def _links_last(path: str) -> tuple[bool, str]:
    """Sort key that puts links last, so that a file with several names keeps one that is not a link."""
    return os.path.islink(path), path


def _identify(path: str) -> tuple[object, str | None]:
    """Return an identity that all links to a file share, and its kind if it is not a regular file."""
    try:
        status = os.stat(path)
    except OSError:  # opening the file later raises the error
        return path, None
    is_regular = stat.S_ISREG(status.st_mode)
    kind = None if is_regular else SPECIAL_KINDS.get(stat.S_IFMT(status.st_mode), "a device")
    return (status.st_dev, status.st_ino), kind
