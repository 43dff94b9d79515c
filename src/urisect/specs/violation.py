"""What is said about a reference that is not valid: where, why, and what was expected instead."""

import string
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from urisect.text_types import to_str

__all__ = ["HEXDIGS", "InvalidURI", "Violation", "excerpt", "quoted", "words"]


@dataclass(frozen=True, slots=True)
class Violation:
    r"""A place at which a reference breaks a rule. `str()` shows it, with a caret below the text.

    Attributes:
        component: the component that the place belongs to.
        rule: the specification's name of the rule that is broken.
        offset: the first character that cannot be right, counted from 0 in the whole reference; octets in bytes.
        length: how many characters from there cannot be right; 0 where the reference ends too early.
        expected: what could stand there, in words.
        section: where the specification has the rule.
        incomplete: whether the reference ends too early: more characters could still make this component valid.
        reference: the reference.
        title: what the specification is called.

    >>> from urisect.specs import RFC3986
    >>> [violation] = RFC3986.violations("http://[fe80::1%eth0]/")
    >>> violation.component, violation.offset, violation.section
    ('host', 15, '3.2.2')
    >>> print(violation)
    host: "%" instead of a hexadecimal digit, ".", ":" or "]" (RFC 3986, 3.2.2, IP-literal)
      http://[fe80::1%eth0]/
                     ^
    """

    component: str
    rule: str
    offset: int
    length: int
    expected: str
    section: str
    incomplete: bool
    reference: str | bytes = field(repr=False)
    title: str = field(repr=False)

    @property
    def message(self) -> str:
        """What is wrong and why, in one line of printable characters.

        >>> from urisect.specs import RFC3986
        >>> RFC3986.violations("//example.com:8O/")[0].message
        '"O" instead of a digit (RFC 3986, 3.2.3, port)'
        """
        return f"{self._found()} instead of {self.expected} ({self.title}, {self.section}, {self.rule})"

    def _found(self) -> str:
        """Name what stands at the offset."""
        if self.incomplete:
            return "the end"
        more = f" and {self.length - 1:,} more" if self.length > 1 else ""
        if isinstance(self.reference, bytes):
            octet = chr(self.reference[self.offset])
            return (quoted(octet) if octet.isascii() else f"the byte 0x{ord(octet):02X}") + more
        return quoted(self.reference[self.offset]) + more

    def __str__(self) -> str:
        """The message, the text around the offset, and a caret below it."""
        text, before, width = excerpt(self.reference, self.offset, self.length)
        return f"{self.component}: {self.message}\n  {text}\n  {' ' * before}^{'~' * (width - 1)}"


class InvalidURI(ValueError):  # noqa: N818  it reads as what it says
    r"""A reference is not valid under a specification. The message is one line: what, where, why, section.

    Attributes:
        reference: the reference, as it was given.
        violations: all places at which it breaks a rule, in order of their offsets; there is one at least.

    >>> from urisect import strict
    >>> try:
    ...     strict.split("//example.com:8O/")
    ... except strict.InvalidURI as error:
    ...     print(error)
    port, offset 15: "O" instead of a digit (RFC 3986, 3.2.3, port) in '//example.com:8O/'
    """

    def __init__(self, reference: str | bytes, violations: Sequence[Violation]) -> None:
        super().__init__(reference, violations)
        self.reference = reference
        self.violations = tuple(violations)

    def __str__(self) -> str:
        """The first violation, and how many more there are."""
        first = self.violations[0]
        text, _, _ = excerpt(self.reference, first.offset, first.length)
        more = f", and {len(self.violations) - 1:,} more" if len(self.violations) > 1 else ""
        return f"{first.component}, offset {first.offset}: {first.message} in '{text}'{more}"


# The categories of characters that have no names of their own.
NAMELESS: Final = {"Cc": "control character", "Cn": "unassigned", "Co": "private use", "Cs": "lone surrogate"}


def quoted(character: str) -> str:
    r"""Name a character: itself, in quotes, where it can be seen, and its code point unless it is printable ASCII.

    What PEP 383 decodes bytes to that are no UTF-8 is named as such.

    >>> for character in ("%", " ", "＃", "\n", "\ud800", "\udce9"):
    ...     print(quoted(character))
    "%"
    U+0020 (space)
    "＃" U+FF03 (fullwidth number sign)
    U+000A (control character)
    U+D800 (lone surrogate)
    U+DCE9 (the byte 0xE9, no UTF-8)
    """
    if " " < character <= "~":
        return f'"{character}"'
    kind = NAMELESS.get(unicodedata.category(character), "unnamed")
    if "\udc80" <= character <= "\udcff":
        kind = f"the byte 0x{ord(character) - 0xDC00:02X}, no UTF-8"
    seen = f'"{character}" ' if character.isprintable() and character != " " else ""
    return f"{seen}U+{ord(character):04X} ({unicodedata.name(character, '').lower() or kind})"


# How many places on a screen the text before an offset takes at most, and that from it on.
BEFORE: Final = 48
AFTER: Final = 24


def excerpt(reference: str | bytes, offset: int, length: int) -> tuple[str, int, int]:
    r"""Cut out the text around an offset, in printable ASCII, of which each character takes one place on a screen.

    Returns:
        The text, how much of it stands before the offset, and how much of it belongs to the fault.

    >>> excerpt("http://e.com＃@b", 12, 1)
    ('http://e.com\\uff03@b', 12, 6)
    """
    before = _fitting(to_str(reference[max(offset - BEFORE, 0) : offset])[::-1], BEFORE)[::-1]
    after = _fitting(to_str(reference[offset : offset + AFTER]), AFTER)
    head = "".join(("…" if len(before) < offset else "", *before))
    tail = "…" if offset + len(after) < len(reference) else ""
    return "".join((head, *after, tail)), len(head), sum(map(len, after[:length]))


def _fitting(text: str, places: int) -> list[str]:
    """Write the characters of a text that fit into so many places, each in printable ASCII."""
    written = [
        character if " " <= character <= "~" else character.encode("unicode_escape").decode("ascii")
        for character in text
    ]
    return [character for character, end in zip(written, accumulate(map(len, written)), strict=True) if end <= places]


# So many characters are quoted one by one.
FEW: Final = 4

LETTERS, DIGITS, HEXDIGS = map(frozenset, (string.ascii_letters, string.digits, string.hexdigits))


def words(characters: frozenset[str]) -> str:
    """Put characters into words.

    >>> print(words(frozenset("0123456789abcdefABCDEF:]")))
    a hexadecimal digit, ":" or "]"
    """
    rest = characters
    said: list[str] = []
    for name, group in (("a letter", LETTERS), ("a hexadecimal digit", HEXDIGS), ("a digit", DIGITS)):
        if group <= rest:
            said.append(name)
            rest -= group
    if len(rest) > FEW:
        said.append(f"one of {''.join(sorted(rest))}")
    else:
        said.extend(map(quoted, sorted(rest)))
    return " or ".join(filter(None, (", ".join(said[:-1]), *said[-1:])))
