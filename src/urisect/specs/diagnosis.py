r"""Where a reference stops following the rules, and what could have stood there.

A reference is diagnosed component by component, after the fast expression of the whole has refused it. A component is
viable up to some character: with more characters after that prefix it could still be valid, with the next one it
cannot. `re` finds how far the component is valid; the `regex` package, whose matches may be partial, finds how far it
is viable, and which characters would have kept it so. It is imported by the first diagnosis.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from urisect.repetition import zero_or_more
from urisect.specs.abnf import HEXDIG

if TYPE_CHECKING:
    import regex

__all__ = ["Fault", "Part", "Rule", "faults"]

# How far viability is looked for: all that a rule can depend on is shorter, but for what is made to be long.
WINDOW: Final = 10_000

# After so many faults in one part, the last one takes the rest of it.
MANY: Final = 1_000

ASCII: Final = "".join(map(chr, range(0x80)))


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
    return re.compile(zero_or_more(rf"[^{characters}]++|%[{HEXDIG}]?+(?![{HEXDIG}])"))
