"""Find input files that cannot be opened before anything is read, so that the message comes before the output."""

import os
import stat
from collections.abc import Iterable, Iterator

from urisect.logs.input.files import STDIN, TextInput
from urisect.logs.input.locations import is_remote

__all__ = ["find_unreadable", "similar_file"]

# How many names of a directory are compared with a missing one.
MAX_NAMES = 5000

# How similar a name of a file has to be; suffixes alone make names rather similar.
MIN_SIMILARITY = 0.75


def find_unreadable(files: Iterable[str]) -> Iterator[tuple[str, OSError]]:
    """Yield the files that cannot be opened, each with the error.

    Pipes and devices are not opened: this might wait for somebody who writes. Neither are remote files.

    Args:
        files: paths, or arguments as `TextInput`; "-" is standard input.

    >>> [str(error) for _, error in find_unreadable(["/dev/null", "/no/such/file"])]
    ["[Errno 2] No such file or directory: '/no/such/file'"]
    """
    for file in files:
        if file == STDIN or isinstance(file, TextInput) or (is_remote(file) and not os.path.exists(file)):
            continue
        try:
            mode = os.stat(file).st_mode
            if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
                open(file, "rb").close()
        except OSError as error:
            yield file, error


def similar_file(path: str) -> str | None:
    """Return the path of the file with the most similar name in the same directory; None if there is none.

    Args:
        path: of a file that is missing.

    >>> similar_file("/dev/nul")
    '/dev/null'
    """
    from itertools import islice  # noqa: PLC0415  only a missing file needs these

    from urisect.suggestion import most_similar  # noqa: PLC0415

    directory, name = os.path.split(path)
    try:
        with os.scandir(directory or os.curdir) as entries:
            names = [entry.name for entry in islice(entries, MAX_NAMES)]
    except (OSError, ValueError):  # a NUL in the path is a ValueError
        return None
    similar = most_similar(name, names, cutoff=MIN_SIMILARITY)
    return None if similar is None else os.path.join(directory, similar)
