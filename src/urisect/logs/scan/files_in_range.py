"""Read of each file only what may lie in a range of times: files usually have their lines in the order of time.

A file is taken to be in this order if no line is more than `MAX_DISORDER` earlier than one before it. As far as it is
seen that this is not so, the file is read to its end.
"""

import os
from collections.abc import Iterator, Sequence
from typing import cast

from urisect.logs.formats import Format
from urisect.logs.input.blocks import Block
from urisect.logs.input.decompression import detect_compression
from urisect.logs.input.files import STDIN
from urisect.logs.input.reader import BlockParser
from urisect.logs.scan.pieces import Piece, cut_files
from urisect.logs.scan.time_range import MAX_DISORDER, TIME_FIELD, TimeRange, TimeSpan

__all__ = ["FilesInRange"]

# Bytes at the beginning and at the end of a file in which its first and last times are looked for.
EDGE_BYTES = 1 << 15

# Bytes of lines after the range that show that the file is past it.
LATE_BYTES = 1 << 22

NANOSECONDS_PER_MICROSECOND = 1_000


class FilesInRange:
    """Cuts files into pieces, without files that end before a range of times, and without what lies after it.

    Attributes:
        ended_before: how many files were not read, since they end before the range.

    >>> import tempfile
    >>> from urisect.logs import COMMON
    >>> with tempfile.NamedTemporaryFile() as log:
    ...     _ = log.write(COMMON.sample)
    ...     log.flush()
    ...     os.utime(log.name, (0, 0))
    ...     files = FilesInRange(TimeRange(since=847670000000000))
    ...     list(files.cut([log.name], COMMON, limit=1000)), files.messages
    ([], ['1 file ends before the range since 1996-11-10T23:53:20Z: not read'])
    """

    def __init__(self, range: TimeRange | None) -> None:
        """Prepare to cut files.

        Args:
            range: the times that are wanted; None for all lines.
        """
        self.ended_before = 0
        self._cut_short: set[int] = set()  # the numbers of files whose rest was not read
        self._range = range
        self._past = -1  # the number of the last file that was found to be past the range
        self._file = -1  # the number of the file whose pieces were parsed last
        self._span: TimeSpan | None = None  # of its lines so far
        self._late_bytes = 0  # of its pieces whose lines all lie after the range

    def cut(
        self,
        files: Sequence[str],
        format: Format,
        limit: int,
        *,
        head: bytes = b"",
    ) -> Iterator[Piece]:
        """Cut files into pieces, as `cut_files` does; the number of its file is in each piece.

        What is cut depends on the results of earlier pieces, which `add` takes.
        """
        for number, name in enumerate(files):
            if self._ends_before(name, format.for_file(name)):
                self.ended_before += 1
                continue
            for piece in cut_files([name], format, limit, head=head):
                numbered = piece._replace(file_number=number)
                if self.passes_over(numbered):
                    break
                yield numbered
            if name == STDIN:
                head = b""

    def passes_over(self, piece: Piece) -> bool:
        """Return whether earlier pieces showed that the file is past the range, so that this one is of no use.

        Workers may have parsed it before that was known.
        """
        if piece.file_number != self._past:
            return False
        self._cut_short.add(piece.file_number)
        return True

    def add(self, piece: Piece, span: TimeSpan | None) -> None:
        """Take the times of the lines of a piece, in the order of the pieces.

        Args:
            piece: the piece; it is not passed over.
            span: the times of its lines; None if no line has a time.
        """
        if self._range is None or self._range.until is None:
            return
        if piece.file_number != self._file:
            self._file, self._span, self._late_bytes = piece.file_number, None, 0
        if span is None:
            return
        self._span = self._span.followed_by(span) if self._span else span
        if span.earliest > self._range.until + MAX_DISORDER:
            self._late_bytes += piece.size
        if self._span.grows and self._late_bytes >= LATE_BYTES:
            self._past = piece.file_number

    @property
    def messages(self) -> list[str]:
        """Sentences about the files that were not read, or not to their end."""
        sentences = (
            (self.ended_before, "1 file ends", "files end", "before the range", "not read"),
            (len(self._cut_short), "1 file goes on", "files go on", "after the range", "not read to the end"),
        )
        return [
            f"{one if number == 1 else f'{number} {many}'} {where} {self._range}: {what}"
            for number, one, many, where, what in sentences
            if number
        ]

    def _ends_before(self, name: str, format: Format) -> bool:
        """Return whether a plain file ends before the range, by its modification time and its first and last times."""
        if self._range is None or self._range.since is None or format.stateful:
            return False
        if name == STDIN or not os.path.isfile(name):
            return False
        end = self._range.since - MAX_DISORDER
        try:
            status = os.stat(name)
            if status.st_mtime_ns // NANOSECONDS_PER_MICROSECOND >= end:
                return False
            with open(name, "rb") as file:
                head = file.read(EDGE_BYTES)
                file.seek(max(len(head), status.st_size - EDGE_BYTES))
                tail = file.read()
        except OSError:  # reported when the file is parsed
            return False
        if detect_compression(head):
            return False
        if not tail:
            times = _times(head, format)
        else:
            first = _times(head[: head.rfind(b"\n") + 1], format)
            last = _times(tail[tail.find(b"\n") + 1 :], format)
            times = first + last if first and last else []
        span = TimeSpan.of(times)
        return span is not None and times[0] <= times[-1] and span.grows and span.latest < end


def _times(lines: bytes, format: Format) -> list[int]:
    """Return the times of lines."""
    tables = BlockParser(format, [TIME_FIELD]).tables([Block(0, lines)], line=1)
    return [cast("int", time) for table in tables for time in table.values(TIME_FIELD) if time is not None]
