r"""Where a reference stops following the rules, and what could have stood there.

A reference is diagnosed component by component, after the fast expression of the whole has refused it. A component is
viable up to some character: with more characters after that prefix it could still be valid, with the next one it
cannot. `re` finds how far the component is valid; the `regex` package, whose matches may be partial, finds how far it
is viable, and which characters would have kept it so. It is imported by the first diagnosis. Where it cannot be, as in
an isolated subinterpreter or in a browser, `re` finds the same by trying endings, more slowly.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from urisect.repetition import zero_or_more
from urisect.specs.abnf import HEXDIG

__all__ = ["Fault", "Part", "Rule", "faults"]

# How far viability is looked for: all that a rule can depend on is shorter, but for what is made to be long.
WINDOW: Final = 10_000

# After so many faults in one part, the last one takes the rest of it.
MANY: Final = 1_000

# What some text that follows a rule ends with, behind each text that could go on to follow it: an escape, a run that
# may not be empty, a name, a scheme and its ":", an IP-literal. A text is viable if one of these makes it valid.
ENDINGS: Final = (
    *("", "0", "00", "a", ".a", "a.a", ":", "a:"),
    *("]", "0]", ":]", "::]", ".0]", "0.0]", ".0.0]", "0.0.0]"),
)

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
    # `bisect` with a key corrupts memory in an isolated subinterpreter of CPython 3.12.1.
    limit = min(end, start + WINDOW)
    longest, beyond = valid, limit + 1
    while beyond - longest > 1:
        middle = (longest + beyond) // 2
        if viable(source, text, start, middle):
            longest = middle
        else:
            beyond = middle
    is_certain = longest < limit or limit == end
    return (longest if is_certain else valid), is_certain


def viable(source: str, text: str, start: int = 0, end: int | None = None) -> bool:
    """Tell whether a text follows a rule, or could with more characters after it.

    >>> viable("%[0-9A-F][0-9A-F]", "%4"), viable("%[0-9A-F][0-9A-F]", "%g")
    (True, False)
    """
    return _engine()(source, text, start, len(text) if end is None else end)


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


@cache
def _engine() -> Callable[[str, str, int, int], bool]:
    """Choose what tells whether a text is viable: `regex`, or `re` where that cannot be imported."""
    try:
        import regex  # noqa: PLC0415  it takes 10 ms to load, and many a program never meets a fault
    except ImportError:
        return _viable_by_endings
    compiled = lru_cache(maxsize=64)(regex.compile)

    def viable_by_partial_match(source: str, text: str, start: int, end: int) -> bool:
        return compiled(source).fullmatch(text, start, end, partial=True) is not None

    return viable_by_partial_match


def _viable_by_endings(source: str, text: str, start: int, end: int) -> bool:
    prefix, fullmatch = text[start:end], _compiled(source).fullmatch
    return any(fullmatch(prefix + ending) for ending in ENDINGS)


@lru_cache(maxsize=64)
def _junk(rest: str) -> re.Pattern[str]:
    """Write the expression of what `rest` cannot begin with: other characters, and escapes that are none."""
    characters = "".join(map(re.escape, sorted(allowed(rest, ""))))
    return re.compile(zero_or_more(rf"[^{characters}]++|%[{HEXDIG}]?+(?![{HEXDIG}])"))
