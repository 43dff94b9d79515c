r"""What is wrong with a reference: where, why, and what was expected instead.

A reference is diagnosed component by component, after the fast expression of the whole has refused it. A component is
viable up to some character: with more characters after that prefix it could still be valid, with the next one it
cannot. `re` finds how far the component is valid; the `regex` package, whose matches may be partial, finds how far it
is viable, and which characters would have kept it so. It is imported by the first diagnosis.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from urisect.specs.abnf import ALPHA, DIGIT, HEXDIG

if TYPE_CHECKING:
    import regex

__all__ = ["Fault", "InvalidURI", "Part", "Rule", "Violation", "faults"]

ASCII: Final = "".join(map(chr, range(0x80)))
LETTERS, DIGITS, HEXDIGS = (frozenset(re.findall(f"[{rule}]", ASCII)) for rule in (ALPHA, DIGIT, HEXDIG))

# How far viability is looked for: all that a rule can depend on is shorter, but for what is made to be long.
WINDOW: Final = 10_000

# After so many faults in one part, the last one takes the rest of it.
MANY: Final = 1_000

# So many characters are quoted one by one.
FEW: Final = 4


class Rule(NamedTuple):
    """A rule of a specification, as it is needed to check a component and to explain what is wrong with it.

    Attributes:
        name: the specification's name for it.
        section: where the specification has it.
        source: its expression.
        rest: the expression of what may follow when a fault has been passed over; the rule itself by default, which
            is right for a run of characters.

    >>> Rule("port", "3.2.3", "[0-9]*+").section
    '3.2.3'
    """

    name: str
    section: str
    source: str
    rest: str | None = None


class Part(NamedTuple):
    """A part of a reference, and the rule that it should follow.

    Attributes:
        component: what the part is.
        rule: what it should follow.
        start: the offset of its first character in the reference.
        end: the offset after its last.

    >>> Part("port", Rule("port", "3.2.3", "[0-9]*+"), 9, 11).component
    'port'
    """

    component: str
    rule: Rule
    start: int
    end: int


class Fault(NamedTuple):
    """A place at which a text stops being viable.

    Attributes:
        offset: the first character that cannot be right; the end of the text where characters are missing.
        length: how many characters cannot be right; 0 where characters are missing.
        expected: the characters that could stand there; none where nothing could.

    >>> Fault(offset=1, length=0, expected=frozenset("0123456789ABCDEFabcdef")).length
    0
    """

    offset: int
    length: int
    expected: frozenset[str]


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
            code = self.reference[self.offset]
            return (quoted(chr(code)) if code < len(ASCII) else f"the byte 0x{code:02X}") + more
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
    kind = {"Cc": "control character", "Cs": "lone surrogate"}.get(unicodedata.category(character), "unassigned")
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
    before = _fitting(as_text(reference[max(offset - BEFORE, 0) : offset])[::-1], BEFORE)[::-1]
    after = _fitting(as_text(reference[offset : offset + AFTER]), AFTER)
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


def as_text(reference: str | bytes) -> str:
    r"""Read bytes as text of as many characters, so that offsets are the same.

    >>> as_text(b"/caf\xe9")
    '/café'
    """
    return reference if isinstance(reference, str) else reference.decode("latin-1")


def faults(rule: Rule, text: str, start: int, end: int) -> Iterator[Fault]:
    """Find the places between two offsets at which a text stops following a rule, in linear time.

    After each fault the text is taken up again behind it, by `rule.rest`. Characters that are wrong one after the
    other are one fault; so is all that comes after many faults.

    >>> from urisect.specs.abnf import run
    >>> for fault in faults(Rule("segment", "3.3", run("a-z")), "a b%4", 0, 5):
    ...     print(fault.offset, fault.length, "".join(sorted(fault.expected)))
    1 1 %abcdefghijklmnopqrstuvwxyz
    5 0 0123456789ABCDEFabcdef
    """
    rest = rule.source if rule.rest is None else rule.rest
    source = rule.source
    count = 0
    while not _compiled(source).fullmatch(text, start, end):
        count += 1
        found = _compiled(source).match(text, start, end)
        valid = found.end() if found else start
        # In a run each place is like its beginning. Elsewhere, what may follow depends on all that went before.
        begin, source = (valid, rest) if source == rest or valid - start > WINDOW else (start, source)
        wrong, is_certain = _wrong(source, text, begin, valid, end)
        junk = _junk(rest).match(text, valid, end).end()  # type: ignore[union-attr]  # the empty text will do
        stop = max(junk, min(wrong + 1, len(text)))
        if count == MANY or not is_certain:
            stop = end
        yield Fault(wrong, stop - wrong, allowed(source, text[begin:wrong]) - {*text[wrong : wrong + 1]})
        if stop >= end:
            return
        start = max(junk, wrong) if junk > valid else wrong + 1
        source = rest


def _wrong(source: str, text: str, start: int, valid: int, end: int) -> tuple[int, bool]:
    """Find the first character with which a text is not viable any more, or its end; tell whether it was found.

    What is viable for longer than anybody looks is said to be wrong where it stops being valid.
    """
    if valid < end and not viable(source, text, start, valid + 1):
        return valid, True  # most often the next character is wrong at once
    lengths = range(valid, min(end, start + WINDOW) + 1)
    count = bisect_left(lengths, x=True, key=lambda length: not viable(source, text, start, length))
    is_certain = count < len(lengths) or lengths[-1] == end
    return (lengths[count - 1] if is_certain else valid), is_certain


def viable(source: str, text: str, start: int = 0, end: int | None = None) -> bool:
    """Tell whether a text follows a rule, or could with more characters after it.

    >>> viable("%[0-9A-F][0-9A-F]", "%4"), viable("%[0-9A-F][0-9A-F]", "%g")
    (True, False)
    """
    return _partial(source).fullmatch(text, start, len(text) if end is None else end, partial=True) is not None


@lru_cache(maxsize=256)
def allowed(source: str, prefix: str) -> frozenset[str]:
    """Find which characters keep a viable text viable.

    >>> sorted(allowed("%[0-9A-F][0-9A-F]", "%4"))
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F']
    """
    return frozenset(character for character in ASCII if viable(source, prefix + character))


@lru_cache(maxsize=64)
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)


@lru_cache(maxsize=64)
def _partial(source: str) -> "regex.Pattern[str]":
    import regex  # noqa: PLC0415  it takes 10 ms to load, and many a program never meets a fault

    return regex.compile(source)


@lru_cache(maxsize=64)
def _junk(rest: str) -> re.Pattern[str]:
    """Write the expression of what `rest` cannot begin with: other characters, and escapes that are none."""
    characters = "".join(map(re.escape, sorted(allowed(rest, ""))))
    return re.compile(rf"(?:[^{characters}]++|%[{HEXDIG}]?+(?![{HEXDIG}]))*+")


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
