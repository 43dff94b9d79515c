"""Files of logs: found by names, patterns and folders, known by their first bytes, and read decompressed."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from glob import escape, glob, has_magic

__all__ = ["LOCK", "STDIN", "expand_paths"]

STDIN = "-"

# A file in a folder in which something is being written. Nothing but urisect makes one of this name.
LOCK = ".urisect-lock"


def expand_paths(names: Iterable[str], passed_over: Callable[[str, str], object] | None = None) -> list[str]:
    """Find the files that names stand for: a pattern for those it matches, a folder for all in it, sorted.

    Of a folder or a pattern each file is given once, by whatever links it is found, and no link is followed in a loop.

    Args:
        names: paths, of files, of folders, or with "*", "?", "[…]" and "**"; "-" is standard input. A name to which
            there is nothing stands for itself, so that to open it says what is wrong.
        passed_over: called with the path of what is in a folder, or matches a pattern, and is no file, and with what
            it is: to read a pipe might take forever.

    >>> expand_paths(["-", "no/such/*.log"])
    ['-', 'no/such/*.log']
    """
    return [file for name in names for file in (_matched(name, passed_over) or [name])]


def _matched(name: str, passed_over: Callable[[str, str], object] | None) -> list[str]:
    if name != STDIN and os.path.isdir(name):
        found = _inside(name)
    elif name != STDIN and has_magic(name) and not os.path.exists(name):
        found = (file for path in _matches(name) for file in (_inside(path) if os.path.isdir(path) else [path]))
    else:
        return [name]
    files: dict[object, str] = {}
    for path in sorted(found, key=_links_last):
        identity, kind = _looked_at(path)
        if kind is None:
            files.setdefault(identity, path)
        elif passed_over:
            passed_over(path, kind)
    return sorted(files.values())


def _inside(folder: str) -> Iterator[str]:
    """Find all files in a folder, and in the folders in it."""
    return (os.path.join(path, file) for path, files in _walk(folder, links=False, hidden=True) for file in files)


def _matches(pattern: str) -> Iterator[str]:
    """Find what a pattern matches; "**" stands for any number of folders, or for none."""
    found = DOUBLE_STAR.search(pattern)
    if not found:
        yield from glob(pattern)
        return
    before, after = pattern[: found.start()], pattern[found.end() :]
    for top in glob(before) if has_magic(before) else [before]:
        for folder, files in _walk(top, links=True, hidden=not after):
            if after:
                yield from _matches(os.path.join(escape(folder), after))
            else:
                yield from (os.path.join(folder, file) for file in files)


SEPARATOR = f"[{re.escape(os.sep + (os.altsep or ''))}]"
DOUBLE_STAR = re.compile(rf"(?:^|(?<={SEPARATOR}))\*\*(?:{SEPARATOR}+|$)")


def _walk(top: str, *, links: bool, hidden: bool) -> Iterator[tuple[str, list[str]]]:
    """Give a folder and those in it, each once, with the names of what is no folder.

    Args:
        top: the path of the folder; "" is the one in which this process works.
        links: whether links to folders are followed.
        hidden: whether folders whose names begin with "." are, too.
    """
    here = os.path.join(os.curdir, "")
    seen = {_looked_at(top or here)}
    for path, folders, files in os.walk(top or here, followlinks=links):
        below = sorted((os.path.join(path, name) for name in folders), key=_links_last)
        folders.clear()
        if LOCK in files:  # what is in it is being written
            continue
        for folder in below:
            name = os.path.basename(folder)
            if (links or not os.path.islink(folder)) and (hidden or not name.startswith(".")):
                identity = _looked_at(folder)
                if identity not in seen:
                    folders.append(name)
                seen.add(identity)
        yield path if top else path.removeprefix(here), files


def _links_last(path: str) -> tuple[bool, str]:
    """Give by what paths are sorted, so that of what has several the first is no link."""
    return os.path.islink(path), path


def _looked_at(path: str) -> tuple[object, str | None]:
    """Tell what a file is known by, whatever leads to it, and what it is if it is none."""
    try:
        status = os.stat(path)
    except OSError:  # to open it says what is wrong
        return path, None
    kind = None if stat.S_ISREG(status.st_mode) else KINDS.get(stat.S_IFMT(status.st_mode), "a device")
    return (status.st_dev, status.st_ino), kind


KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
