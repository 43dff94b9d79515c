"""Hold the text that is being corrected: what is left of it, the problems found so far, and the edits to be made."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from urisect.characters import ALPHA
from urisect.web.problems import Problem, Texts, make_message

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["INNER_DOT", "LOOK_ALIKES", "MAX_PROBLEMS", "MAX_SUGGESTION_CHARACTERS", "Draft", "compiled", "sample"]

# More than these are of no use to a person.
MAX_PROBLEMS: Final = 20

# Longer texts were not typed. They get no suggestion, so that the result is small.
MAX_SUGGESTION_CHARACTERS: Final = 10_000

# Longer runs of characters are represented by their first one in messages.
_MAX_SHOWN_RUN: Final = 8

# Characters that are typed, or put in by a keyboard, for others: full-width forms, full stops, dashes.
LOOK_ALIKES: Final = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, "。｡․"), ord("."))
    | dict.fromkeys(map(ord, "‐‑‒–—―−"), ord("-"))
    | {ord("⁄"): ord("/"), ord("∕"): ord("/"), ord("∶"): ord(":")}
)

# A dot between letters or digits of any script, as in every public name.
INNER_DOT: Final = r"[^\W_]\.[^\W_]"

# A scheme with its delimiter, however it was typed, and everything up to the path.
_HEAD: Final = rf"(?>[{ALPHA}]{{0,7}}+[\s:;.,]*+[/\\][\s/\\]*+|)[^/\\?#]*+"

_AUTHORITY: Final = "[^/?#]*+"


@lru_cache(maxsize=128)
def compiled(source: str) -> re.Pattern[str]:
    """Compile an expression on first use: `re` needs milliseconds for classes beyond Latin-1.

    Args:
        source: the expression.
    """
    return re.compile(source)


def sample(run: str) -> str:
    """Return a run of characters to show in a message, or its first one if it is long.

    >>> sample("<<"), sample("<" * 100)
    ('<<', '<')
    """
    return run if len(run) <= _MAX_SHOWN_RUN else run[0]


class Draft:
    """A text in correction.

    Attributes:
        original: the text as it was typed.
        schemes: the allowed schemes, in lower case.
        text: what is left of the text.
        offsets: the offset in the original of each character of the text, and of its end.
        problems: the problems found, without a suggestion.
        is_clear: whether each problem has an edit.
        scheme: the scheme that was typed or meant.
        authority: where the authority begins.
        tail: where the authority ends.
        needs_dot: whether an edit is right only if the name then has a dot.
        word: the web address among other words, if that is the suggestion.
    """

    def __init__(self, original: str, schemes: tuple[str, ...]) -> None:
        self.original = original
        self.schemes = {scheme.lower(): scheme.lower() for scheme in schemes}
        self.texts = Texts.of(schemes)
        self.text = original
        self.offsets: Sequence[int] = range(len(original) + 1)
        self.problems: list[Problem[str]] = []
        self.is_clear = True
        self.scheme = self.texts.scheme
        self.authority = 0
        self.tail = 0
        self.needs_dot = False
        self.word: str | None = None
        self._edits: list[tuple[int, int, str]] = []

    def report(self, code: str, start: int, end: int, found: str = "", better: str = "") -> None:
        """Report a problem of `text[start:end]`, unless the same sentence was reported for another place."""
        first = self.offsets[start]
        length = self.offsets[end - 1] + 1 - first if end > start else 0
        message = make_message(code, self.texts, found=found, better=better)
        if all(problem.message != message for problem in self.problems):
            self.problems.append(Problem(code, first, length, message, None))

    def report_unclear(self, code: str, start: int, end: int, found: str = "", better: str = "") -> None:
        """Report a problem for which no edit is known."""
        self.is_clear = False
        self.report(code, start, end, found, better)

    def report_only(self, code: str, word: str | None = None) -> bool:
        """Report that the whole text is something else, or has other words; nothing more is to be said."""
        self.problems.clear()
        self.is_clear = False
        self.word = word
        self.report(code, 0, len(self.text))
        return True

    def edit(self, start: int, end: int, replacement: str, *, needs_dot: bool = False) -> None:
        """Note an edit of `text[start:end]`; it may be required that the name then has a dot."""
        self._edits.append((start, end, replacement))
        self.needs_dot |= needs_dot

    def keep(self, start: int, end: int) -> None:
        """Remove everything but `text[start:end]`."""
        self.text, self.offsets = self.text[start:end], self.offsets[start : end + 1]

    def remove(self, pattern: re.Pattern[str], end: int) -> None:
        """Remove all that an expression finds in `text[:end]`."""
        removed = {offset for found in pattern.finditer(self.text, 0, end) for offset in range(*found.span())}
        self.text = pattern.sub("", self.text[:end]) + self.text[end:]
        self.offsets = [offset for index, offset in enumerate(self.offsets) if index not in removed]

    def find_head(self) -> int:
        """Return where the authority ends, roughly: the text may still have spaces, backslashes and look-alikes."""
        return compiled(_HEAD).match(self.text.translate(LOOK_ALIKES)).end()  # type: ignore[union-attr]  # it matches ""

    def find_host(self) -> tuple[int, int, int]:
        """Return where the host begins, where it ends, and where the authority ends."""
        text = self.text
        tail = compiled(_AUTHORITY).match(text, self.authority).end()  # type: ignore[union-attr]  # it matches ""
        start = max(self.authority, text.rfind("@", self.authority, tail) + 1)
        if text.startswith("[", start):
            bracket = text.find("]", start, tail)
            return start, bracket + 1 if bracket >= 0 else tail, tail
        colon = text.find(":", start, tail)
        return start, tail if colon < 0 else colon, tail

    def apply_edits(self) -> str:
        """Return the text after all edits."""
        pieces: list[str] = []
        position = 0
        for start, end, replacement in sorted(self._edits):
            pieces += self.text[position:start], replacement
            position = end
        return "".join((*pieces, self.text[position:]))
