"""Check the name of a website: its characters, its labels, and numbers that browsers read as an IPv4 address."""

from itertools import islice
from typing import Final

from urisect.address import IPV4ADDRESS
from urisect.characters import ALPHA, DIGIT, HEXDIG
from urisect.web.draft import MAX_PROBLEMS, Draft, compiled, sample
from urisect.web.grammar import MAX_LABEL_LENGTH, MAX_NAME_LENGTH
from urisect.web.problems import quote

__all__ = ["check_name"]

_BEYOND_ASCII: Final = r"[^\0-\x7f]+"
_WRONG_CHARACTERS: Final = rf"\s+|[^{ALPHA}{DIGIT}.\-\s\x80-\U0010ffff]+"

# A name whose last label is a number is read as an IPv4 address (WHATWG URL, 3.5).
_NUMBER: Final = rf"0[Xx][{HEXDIG}]*|[{DIGIT}]+"
_PART: Final = rf"0*([{DIGIT}]{{1,3}})"
_FOUR_NUMBERS: Final = rf"{_PART}\.{_PART}\.{_PART}\.{_PART}\.?"

_EXTRA_DOTS: Final = r"(?<![^.])\.+|\.{2,}"
_OUTER_HYPHENS: Final = r"(?<![^.])-++|(?<!-)-++(?![^.])"
_LONG_LABEL: Final = rf"[^.]{{{MAX_LABEL_LENGTH + 1},}}+"


def check_name(draft: Draft, start: int, end: int) -> None:
    """Check a host that is not in brackets.

    Args:
        draft: the text.
        start: where the host begins.
        end: where it ends.
    """
    name = draft.text[start:end]
    has_wrong_characters = _check_characters(draft, start, end)
    last_label = name.rstrip(".").rpartition(".")[2]
    if not has_wrong_characters and compiled(_NUMBER).fullmatch(last_label):
        _check_ipv4address(draft, start, end)
        return
    for dots in islice(compiled(_EXTRA_DOTS).finditer(name), MAX_PROBLEMS):
        is_inside = dots.start() > 0 and dots.end() < len(name)
        draft.report("extra-dot", start + dots.start(), start + dots.end())
        draft.edit(start + dots.start(), start + dots.end(), "." if is_inside else "", needs_dot=True)
    for hyphens in islice(compiled(_OUTER_HYPHENS).finditer(name), MAX_PROBLEMS):
        draft.report_unclear("hyphen", start + hyphens.start(), start + hyphens.end())
    long_labels = [*islice(compiled(_LONG_LABEL).finditer(name), MAX_PROBLEMS)]
    for label in long_labels:
        length = label.end() - label.start()
        draft.report_unclear("long-label", start + label.start(), start + label.end(), found=f"{length:,}")
    length = len(name.removesuffix("."))
    if length > MAX_NAME_LENGTH and not long_labels:
        draft.report_unclear("long-name", start, end, found=f"{length:,}")


def _check_characters(draft: Draft, start: int, end: int) -> bool:
    """Report characters that no name of a website has."""
    name = draft.text[start:end]
    if beyond := compiled(_BEYOND_ASCII).search(name):
        draft.report_unclear("non-ascii-name", start, end, found=quote(sample(beyond[0])))
    found = [*islice(compiled(_WRONG_CHARACTERS).finditer(name), MAX_PROBLEMS)]
    for run in found:
        first, last = start + run.start(), start + run.end()
        if run[0].isspace():
            draft.report_unclear("space-in-name", first, last)
        elif run[0] == "," and run.start() > 0 and run.end() < len(name):
            if all(problem.code != "comma" for problem in draft.problems):
                draft.report("comma", first, last)
            draft.edit(first, last, ".", needs_dot=True)
        elif last == len(draft.text):  # punctuation after the address
            draft.report("name-character", first, last, found=quote(sample(run[0])))
            draft.edit(first, last, "")
        else:
            draft.report_unclear("name-character", first, last, found=quote(sample(run[0])))
    return bool(found)


def _check_ipv4address(draft: Draft, start: int, end: int) -> None:
    """Check a host that browsers read as an IPv4 address; zeros before its numbers can be removed."""
    address = draft.text[start:end]
    if compiled(IPV4ADDRESS).fullmatch(address):
        return
    draft.report("ipv4-address", start, end)
    if numbers := compiled(_FOUR_NUMBERS).fullmatch(address):
        draft.edit(start, end, ".".join(str(int(number)) for number in numbers.groups()))
    else:
        draft.is_clear = False
