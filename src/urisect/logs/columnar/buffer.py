"""A block of lines: the next delimiter behind a place, and the characters from a place on, for many places at once."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TypeAlias

from urisect.arrow_packages import np
from urisect.bitmaps import Bitmap, find_characters, positions

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["WINDOW", "Flags", "LineBuffer", "Places", "Windows"]

Flags: TypeAlias = "npt.NDArray[np.bool_]"
Places: TypeAlias = "npt.NDArray[np.int64]"
Windows: TypeAlias = "npt.NDArray[np.uint64]"

# Bytes in a window.
WINDOW: Final = 8

# The most windows that are read at once.
_MAX_WINDOWS: Final = 4

_NEWLINE: Final = ord("\n")


class LineBuffer:
    r"""A block of lines, to be read at many places at once.

    Attributes:
        data: the lines; each ends with a newline.
        text: its bytes.
        ends: where each line ends, before its newline.
        begins: where each line begins.

    >>> lines = LineBuffer(b"a b\n\nc\n")
    >>> lines.begins, lines.ends
    (array([0, 4, 5]), array([3, 4, 6]))
    """

    def __init__(self, data: bytes, delimiters: Iterable[str] = " ") -> None:
        """Find the lines of a block.

        Args:
            data: the lines.
            delimiters: the characters that `find` will find.
        """
        self.data = data
        self.text = np.frombuffer(data, np.uint8)
        characters = bytes(map(ord, delimiters))
        newlines, *others = find_characters(self.text, bytes([_NEWLINE]) + characters)
        self._bitmaps = {
            chr(character): Bitmap.of_bits(bits | newlines) for character, bits in zip(characters, others, strict=True)
        }
        self.ends = positions(newlines)
        self.begins = np.zeros(len(self.ends), np.int64)
        np.add(self.ends[:-1], 1, out=self.begins[1:])

    def find(self, character: str, places: Places) -> Places:
        r"""Return where the first of a character, or the end of the line, is at or behind each place.

        >>> LineBuffer(b"a b\nc\n").find(" ", np.array([0, 2, 4]))
        array([1, 3, 5])
        """
        return self._bitmaps[character].find(places)

    def has(self, text: str, places: Places) -> Flags:
        r"""Return whether a text is at each place.

        >>> LineBuffer(b"a b\nc\n").has(" b", np.array([0, 1, 2]))
        array([False,  True, False])
        """
        if not text:
            return np.ones(len(places), np.bool_)
        found: Flags = self.text.take(places, mode="clip") == ord(text[0])
        for index, character in enumerate(text[1:], 1):
            found &= self.text.take(places + index, mode="clip") == ord(character)
        return found

    def lines_with(self, character: str) -> Places:
        r"""Return the numbers of the lines that contain a character.

        >>> LineBuffer(b"a b\nc\nb\n").lines_with("b")
        array([0, 2])
        """
        octet = bytes([ord(character)])
        if octet not in self.data:
            return np.empty(0, np.int64)
        [bits] = find_characters(self.text, octet)
        found: Places = np.unique(np.searchsorted(self.ends, positions(bits)))
        return found

    def windows(self, places: Places, count: int = 1) -> list[Windows]:
        r"""Return the characters from each place on as integers, eight in each, the first one in the lowest byte.

        Args:
            places: places in the block, in order. The characters behind the block are 0.
            count: the number of integers; at most 4.

        >>> [[hex(each) for each in window] for window in LineBuffer(b"12345678\n").windows(np.array([0, 6]), 2)]
        [['0x3837363534333231', '0xa3837'], ['0xa', '0x0']]
        """
        size = count * WINDOW
        last = len(self.data) - size
        if not len(places) or places[-1] <= last:
            return _read(self.data, places, count)
        inside = int(np.searchsorted(places, last, "right"))
        tail = max(last, 0)
        head = _read(self.data, places[:inside], count)
        rest = _read(self.data[tail:] + bytes(size), places[inside:] - tail, count)
        return [np.concatenate(parts) for parts in zip(head, rest, strict=True)]


def _read(data: bytes, places: Places, count: int) -> list[Windows]:
    """Read windows that lie in the data: one call for all of them, since it takes 4 ns a place, whatever it copies."""
    size = count * WINDOW
    every = np.ndarray((max(len(data) - size + 1, 0),), f"V{size}", data, 0, (1,))
    found = every[places].view("<u8").reshape(-1, count)
    return [found[:, number] for number in range(count)]
