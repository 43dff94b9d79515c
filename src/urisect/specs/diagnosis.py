r"""Find where a reference breaks its grammar, and which characters would have been valid there.

`Specification.violations` diagnoses a reference component by component, after the fast expression for the whole
reference has failed. A prefix of a component is *viable* if more characters could still make it valid. The fault is at
the first character that makes the prefix no longer viable.

`re` finds the longest valid prefix. The `regex` package supports partial matches, so it finds the longest viable prefix
and the characters that keep it viable. It is imported on the first diagnosis. Where it cannot be imported, as in an
isolated subinterpreter or in a browser, `re` tries a list of completions instead: the results are the same, but slower.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from urisect.repetition import zero_or_more
from urisect.specs.abnf import HEXDIG
from urisect.specs.beyond_ascii import CharactersBeyondASCII

__all__ = ["ComponentRule", "DiagnosedComponent", "Fault", "find_faults"]

# Viability is tested for prefixes up to this length. Everything that a rule can depend on is shorter, except in text
# made long on purpose.
MAX_VIABLE_CHARACTERS: Final = 10_000

# The last of this many faults in one component covers the rest of it.
MAX_FAULTS: Final = 1_000

# A prefix is viable if one of these completions makes it valid: they end an escape, a run that must not be empty, a
# name, a scheme and its ":", an IP-literal, and an expression of a URI template.
COMPLETIONS: Final = (
    *("", "0", "00", "a", ".a", "a.a", ":", "a:"),
    *("]", "0]", ":]", "::]", ".0]", "0.0]", ".0.0]", "0.0.0]"),
    *("}", "a}", "1}", "11}"),
)

ASCII_CHARACTERS: Final = "".join(map(chr, range(0x80)))


class ComponentRule(NamedTuple):
    """The rule for a component: what checks it, and what a violation cites.

    Attributes:
        name: the specification's name for the rule.
        section: the section that defines it.
        source: the source of its regular expression.
        rest: the expression for the text after a fault. None means `source`, which is right where every position
            follows the same rule.
    """

    name: str
    section: str
    source: str
    rest: str | None = None


class DiagnosedComponent(NamedTuple):
    """A component to be diagnosed: where it is in a reference, and the rule that it has to follow.

    Attributes:
        component: the name of the component.
        rule: its rule.
        start: the offset of its first character in the reference.
        end: the offset after its last character.
    """

    component: str
    rule: ComponentRule
    start: int
    end: int


class Fault(NamedTuple):
    """A place where a text stops being viable.

    Attributes:
        offset: the first invalid character; the end of the text where characters are missing.
        length: the number of invalid characters; 0 where characters are missing.
        expected: the characters that would be valid there; empty where none would. A set of characters beyond ASCII is
            represented by its example.
    """

    offset: int
    length: int
    expected: frozenset[str]


def find_faults(
    rule: ComponentRule, text: str, start: int, end: int, beyond_ascii: tuple[CharactersBeyondASCII, ...] = ()
) -> Iterator[Fault]:
    """Find the faults of a component, in linear time.

    After each fault, matching resumes with `rule.rest`. Adjacent invalid characters are one fault. The last of
    `MAX_FAULTS` faults covers the rest of the component.

    Args:
        rule: the rule that the component has to follow.
        text: the whole reference.
        start: the offset of the first character of the component.
        end: the offset after its last character.
        beyond_ascii: the sets of characters beyond ASCII that the rule distinguishes; every other one is a fault.

    >>> from urisect.specs.abnf import zero_or_more_characters
    >>> rule = ComponentRule("segment", "3.3", zero_or_more_characters("a-z"))
    >>> for fault in find_faults(rule, "a b%4", 0, 5):
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
        # In a run, every position follows the same rule. Elsewhere, what may follow depends on everything before.
        begin, source = (valid, rest) if source == rest or valid - start > MAX_VIABLE_CHARACTERS else (start, source)
        wrong, is_certain = _find_first_wrong(source, text, begin, valid, end)
        skipped = _skip_pattern(rest, beyond_ascii).match(text, valid, end).end()  # type: ignore[union-attr]  # it matches ""
        stop = max(skipped, min(wrong + 1, len(text)))
        if count == MAX_FAULTS or not is_certain:
            stop = end
        expected = allowed_characters(source, text[begin:wrong], beyond_ascii)
        yield Fault(wrong, stop - wrong, expected - {*text[wrong : wrong + 1]})
        if stop >= end:
            return
        start = max(skipped, wrong) if skipped > valid else wrong + 1
        source = rest


def _find_first_wrong(source: str, text: str, start: int, valid: int, end: int) -> tuple[int, bool]:
    """Return the offset of the first character that is not viable, or `end`, and whether the search was complete.

    Where the prefix is still viable after `MAX_VIABLE_CHARACTERS`, the offset is the end of the valid prefix.
    """
    if valid < end and not is_viable(source, text, start, valid + 1):
        return valid, True  # the usual case: the very next character is wrong
    # `bisect` with a key corrupts memory in an isolated subinterpreter of CPython 3.12.1.
    limit = min(end, start + MAX_VIABLE_CHARACTERS)
    longest, beyond = valid, limit + 1
    while beyond - longest > 1:
        middle = (longest + beyond) // 2
        if is_viable(source, text, start, middle):
            longest = middle
        else:
            beyond = middle
    is_certain = longest < limit or limit == end
    return (longest if is_certain else valid), is_certain


def is_viable(source: str, text: str, start: int = 0, end: int | None = None) -> bool:
    """Return whether a text matches an expression, or could with more characters after it.

    >>> is_viable("%[0-9A-F][0-9A-F]", "%4"), is_viable("%[0-9A-F][0-9A-F]", "%g")
    (True, False)
    """
    return _viability_test()(source, text, start, len(text) if end is None else end)


@lru_cache(maxsize=256)
def allowed_characters(
    source: str, prefix: str, beyond_ascii: tuple[CharactersBeyondASCII, ...] = ()
) -> frozenset[str]:
    """Return the ASCII characters that keep a viable prefix viable, and the examples of characters beyond ASCII.

    >>> sorted(allowed_characters("%[0-9A-F][0-9A-F]", "%4"))
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F']
    """
    candidates = (*ASCII_CHARACTERS, *(each.example for each in beyond_ascii))
    return frozenset(character for character in candidates if is_viable(source, prefix + character))


@lru_cache(maxsize=64)
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)


@cache
def _viability_test() -> Callable[[str, str, int, int], bool]:
    """Return the function that tests viability: by `regex`, or by `re` where `regex` cannot be imported."""
    try:
        import regex  # noqa: PLC0415  it takes 10 ms to load, and many programs never meet a fault
    except ImportError:
        return _is_viable_by_completions
    compiled = lru_cache(maxsize=64)(regex.compile)

    def is_viable_by_partial_match(source: str, text: str, start: int, end: int) -> bool:
        return compiled(source).fullmatch(text, start, end, partial=True) is not None

    return is_viable_by_partial_match


def _is_viable_by_completions(source: str, text: str, start: int, end: int) -> bool:
    prefix, fullmatch = text[start:end], _compiled(source).fullmatch
    return any(fullmatch(prefix + completion) for completion in COMPLETIONS)


@lru_cache(maxsize=64)
def _skip_pattern(rest: str, beyond_ascii: tuple[CharactersBeyondASCII, ...]) -> re.Pattern[str]:
    """Compile the expression for text that `rest` cannot begin with: other characters, and invalid escapes."""
    sets = {each.example: each.characters for each in beyond_ascii}
    allowed = sorted(allowed_characters(rest, "", beyond_ascii))
    characters = "".join(sets.get(character) or re.escape(character) for character in allowed)
    return re.compile(zero_or_more(rf"[^{characters}]++|%[{HEXDIG}]?+(?![{HEXDIG}])"))
