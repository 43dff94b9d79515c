"""Describe why a reference is invalid: where, what was found, and what was expected instead."""

import string
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from urisect.excerpt import excerpt
from urisect.specs.beyond_ascii import CharactersBeyondASCII

__all__ = ["HEX_DIGITS", "InvalidURI", "Violation", "describe_character", "describe_characters"]


@dataclass(frozen=True, slots=True)
class Violation:
    r"""A place where a reference breaks a rule (RFC 3986, Appendix A). `str()` shows it with a caret below the text.

    Attributes:
        component: the component that contains the fault.
        rule: the specification's name for the broken rule.
        offset: the first invalid character, counted from 0 in the whole reference; in bytes if it is bytes.
        length: the number of invalid characters (or bytes); 0 where the reference ends too early.
        expected: what would be valid there, in words.
        section: the section that defines the rule.
        incomplete: whether the reference ends too early: more characters could still make this component valid.
        reference: the reference.
        title: the title of the specification.
        is_utf8: whether the reference is bytes that the specification reads as UTF-8.

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
    is_utf8: bool = field(repr=False, default=False)

    @property
    def message(self) -> str:
        """What was found, what was expected, and why, in one line of printable characters.

        >>> from urisect.specs import RFC3986
        >>> RFC3986.violations("//example.com:8O/")[0].message
        '"O" instead of a digit (RFC 3986, 3.2.3, port)'
        """
        return f"{self.found} instead of {self.expected} ({self.title}, {self.section}, {self.rule})"

    @property
    def found(self) -> str:
        """What is at the offset, in words; "the end" where the reference ends too early.

        >>> from urisect.specs import RFC3986
        >>> [violation.found for violation in RFC3986.violations("//a b:8O/%")]
        ['U+0020 (space)', '"O"', 'the end']
        """
        if self.incomplete:
            return "the end"
        found = self.reference[self.offset : self.offset + self.length]
        if isinstance(found, bytes):
            found = found.decode("utf-8" if self.is_utf8 else "ascii", "surrogateescape")
            is_byte = "\udc80" <= found[0] <= "\udcff"
            described = f"the byte 0x{ord(found[0]) - 0xDC00:02X}" if is_byte else describe_character(found[0])
        else:
            described = describe_character(found[0])
        return f"{described} and {len(found) - 1:,} more" if len(found) > 1 else described

    def __str__(self) -> str:
        """Return the message, the text around the offset, and a caret below it."""
        text, before, width = excerpt(self.reference, self.offset, self.length)
        return f"{self.component}: {self.message}\n  {text}\n  {' ' * before}^{'~' * (width - 1)}"


class InvalidURI(ValueError):  # noqa: N818  "InvalidURI" reads as an error
    r"""Raised for an invalid reference (RFC 3986, Appendix A). The message is one line: where, what, why, section.

    Attributes:
        reference: the reference, as it was given.
        violations: every place where it breaks a rule, by offset; at least one.

    >>> from urisect import strict
    >>> try:
    ...     strict.split("//example.com:8O/")
    ... except strict.InvalidURI as error:
    ...     print(error)
    port, offset 15: "O" instead of a digit (RFC 3986, 3.2.3, port) in '//example.com:8O/'
    """

    reference: str | bytes
    violations: tuple[Violation, ...]

    def __init__(self, reference: str | bytes, violations: Sequence[Violation]) -> None:
        super().__init__(reference, violations)
        self.reference = reference
        self.violations = tuple(violations)

    def __str__(self) -> str:
        """Return the first violation, and the number of others."""
        first = self.violations[0]
        text, _, _ = excerpt(self.reference, first.offset, first.length)
        more = f", and {len(self.violations) - 1:,} more" if len(self.violations) > 1 else ""
        return f"{first.component}, offset {first.offset}: {first.message} in '{text}'{more}"


# Categories whose characters have no name of their own.
UNNAMED_CATEGORIES: Final = {"Cc": "control character", "Cn": "unassigned", "Co": "private use", "Cs": "lone surrogate"}


def describe_character(character: str) -> str:
    r"""Describe a character: in quotes if it is visible, with its code point and name unless it is printable ASCII.

    The surrogates that stand for bytes that are not UTF-8 (PEP 383) are described as those bytes.

    >>> for character in ("%", " ", "＃", "\n", "\ud800", "\udce9"):
    ...     print(describe_character(character))
    "%"
    U+0020 (space)
    "＃" U+FF03 (fullwidth number sign)
    U+000A (control character)
    U+D800 (lone surrogate)
    U+DCE9 (the byte 0xE9, not UTF-8)
    """
    if " " < character <= "~":
        return f'"{character}"'
    kind = UNNAMED_CATEGORIES.get(unicodedata.category(character), "unnamed")
    if "\udc80" <= character <= "\udcff":
        kind = f"the byte 0x{ord(character) - 0xDC00:02X}, not UTF-8"
    seen = f'"{character}" ' if character.isprintable() and character != " " else ""
    return f"{seen}U+{ord(character):04X} ({unicodedata.name(character, '').lower() or kind})"


# Up to this many characters are described one by one.
MAX_LISTED_CHARACTERS: Final = 4

LETTERS, DIGITS, HEX_DIGITS = map(frozenset, (string.ascii_letters, string.digits, string.hexdigits))


def describe_characters(characters: frozenset[str], beyond_ascii: Collection[CharactersBeyondASCII] = ()) -> str:
    """Describe a set of characters in words; the empty set in no words.

    Args:
        characters: the characters.
        beyond_ascii: the sets of characters beyond ASCII that are represented by their examples.

    >>> print(describe_characters(frozenset("0123456789abcdefABCDEF:]")))
    a hexadecimal digit, ":" or "]"
    """
    rest = characters
    names: list[str] = []
    for name, group in (
        ("a letter", LETTERS),
        ("a hexadecimal digit", HEX_DIGITS),
        ("a digit", DIGITS),
        *((each.description, {each.example}) for each in beyond_ascii),
    ):
        if group <= rest:
            names.append(name)
            rest -= group
    if len(rest) > MAX_LISTED_CHARACTERS:
        names.append(f"one of {''.join(sorted(rest))}")
    else:
        names.extend(map(describe_character, sorted(rest)))
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
