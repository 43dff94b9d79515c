r"""Define where a field of a log line ends.

Servers write values without delimiters of their own, so the text after a directive ends its value: inside quotes, the
next bare quote; elsewhere, the first place where that text occurs. If that text is a single character that values may
contain, such as a space, what follows it must look like the next directive, if that has a form of its own.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from urisect.character_ranges import escape_code_point
from urisect.repetition import unrolled_loop

__all__ = ["END_OF_LINE", "Terminator"]

END_OF_LINE = r"(?=\n|\Z)"


class Terminator(NamedTuple):
    r"""The end of a field, and what the field cannot contain.

    Attributes:
        pattern: source of the text after the field; a match of the field includes this text.
        stop: the first character of that text; a newline at the end of the line.
        lookahead: source of what follows this character if it ends the field; empty if it always does.
        confirmed: `pattern`, with a lookahead that confirms that the field ends here.
        absent: the text for an undefined value.
        is_quoted: whether the field is in quotes, where a backslash comes before a quote and a backslash.
        is_first: whether the field begins the line. It cannot contain NUL, which a crash may leave in a file.
        marker: the name of the group of an implausible value.

    >>> Terminator(pattern="[ ]", stop=" ", confirmed="[ ]").text()
    '[^\\x20\\x0a]*+'
    """

    pattern: str
    stop: str
    lookahead: str = ""
    confirmed: str = ""
    absent: str = "-"
    is_quoted: bool = False
    is_first: bool = False
    marker: str = ""

    @property
    def excluded(self) -> str:
        """The characters that the field contains at most in escaped form."""
        return "".join(dict.fromkeys(self.stop + '"\\' * self.is_quoted + "\0" * self.is_first))

    @property
    def is_bare_quote(self) -> bool:
        """Whether a bare quote ends the field, so that it may contain any other character."""
        return self.is_quoted and self.stop == '"'

    def text(self, stops: Mapping[str, str] | None = None, *, non_empty: bool = False) -> str:
        """Return the source of any text up to the end of the field.

        Args:
            stops: more characters that end it, each with the source of what must follow it; empty for anything.
            non_empty: whether the text has at least one character.
        """
        stops = {self.stop: self.lookahead, **(stops or {})}
        plain = f"[^{_character_class([*stops, *self.excluded])}]"
        others = [r"\\[^\n]"] if self.is_quoted else []
        others += [
            f"{escape_code_point(ord(character))}(?!{follower})" for character, follower in stops.items() if follower
        ]
        if not others:
            return f"{plain}++" if non_empty else f"{plain}*+"
        lookahead = f"(?={'|'.join([plain, *others])})" if non_empty else ""
        return lookahead + unrolled_loop(plain, *others)

    def field(self, *alternatives: str) -> str:
        """Return the source of a field with its end: undefined, or the first of these alternatives that matches.

        A field never backtracks, so a line is matched in linear time.
        """
        return rf"(?>{self.absent}{self.confirmed}|{'|'.join(alternatives)})"


def _character_class(characters: Iterable[str]) -> str:
    """Return the inside of a character class of these characters and the newline."""
    return "".join(dict.fromkeys(escape_code_point(ord(character)) for character in (*characters, "\n")))
