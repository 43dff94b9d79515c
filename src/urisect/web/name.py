"""Check the name of a website: its characters, its labels, and numbers that browsers read as an IPv4 address."""

import re
from itertools import islice
from typing import Final

from urisect.address import IPV4ADDRESS
from urisect.characters import ALPHA, DIGIT, HEXDIG
from urisect.web.draft import MAX_PROBLEMS, Draft, compiled, sample
from urisect.web.grammar import MAX_LABEL_LENGTH, MAX_NAME_LENGTH
from urisect.web.problems import quote
from urisect.web.punycode import to_latin

__all__ = ["check_name"]

_BEYOND_ASCII: Final = r"[^\0-\x7f]+"
_WRITTEN_DOT: Final = "[.]"  # typed so that programs make no link of the name
_WRONG_CHARACTERS: Final = rf"\s+|{re.escape(_WRITTEN_DOT)}|[^{ALPHA}{DIGIT}.\-\s\x80-\U0010ffff]+"

# A name whose last label is a number is read as an IPv4 address (WHATWG URL, 3.5).
_NUMBER: Final = rf"0[Xx][{HEXDIG}]*|[{DIGIT}]+"
_PART: Final = rf"0*([{DIGIT}]{{1,3}})"
_FOUR_NUMBERS: Final = rf"{_PART}\.{_PART}\.{_PART}\.{_PART}\.?"
_MAX_NUMBER: Final = 255
_EXAMPLE_OF_IPV4ADDRESS: Final = "192.0.2.1"

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
    if not name.isascii():
        _check_beyond_ascii(draft, start, end)
    found = [*islice(compiled(_WRONG_CHARACTERS).finditer(name), MAX_PROBLEMS)]
    for run in found:
        first, last = start + run.start(), start + run.end()
        if run[0].isspace():
            draft.report_unclear("space-in-name", first, last)
        elif run[0] == "," and run.start() > 0 and run.end() < len(name):
            draft.report("comma", first, last)
            draft.edit(first, last, ".", needs_dot=True)
        elif run[0] == _WRITTEN_DOT:
            draft.report("name-character", first, last, found=quote(run[0]))
            draft.edit(first, last, ".", needs_dot=True)
        elif last == len(draft.text):  # punctuation after the address
            draft.report("name-character", first, last, found=quote(sample(run[0])))
            draft.edit(first, last, "")
        else:
            draft.report_unclear("name-character", first, last, found=quote(sample(run[0])))
    return bool(found)


def _check_beyond_ascii(draft: Draft, start: int, end: int) -> None:
    """Report characters beyond ASCII. Letters of another script among Latin ones are a mistake of the keyboard."""
    latin = to_latin(draft.text[start:end])
    for run in islice(compiled(_BEYOND_ASCII).finditer(draft.text, start, end), MAX_PROBLEMS):
        found = quote(sample(run[0]))
        if latin is None:
            draft.report("non-ascii-name", start, end, found=found)  # the suggestion has the name in Punycode
            return
        better = latin[run.start() - start : run.end() - start]
        draft.report("look-alike", *run.span(), found=found, better=quote(sample(better)))
        draft.edit(*run.span(), better)


def _check_ipv4address(draft: Draft, start: int, end: int) -> None:
    """Check a host that browsers read as an IPv4 address; zeros before its numbers can be removed."""
    address = draft.text[start:end]
    if compiled(IPV4ADDRESS).fullmatch(address):
        return
    numbers = compiled(_FOUR_NUMBERS).fullmatch(address)
    decimal = [int(number) for number in numbers.groups()] if numbers else []
    if decimal and max(decimal) <= _MAX_NUMBER:
        better = ".".join(map(str, decimal))
        draft.report("ipv4-address", start, end, better=better)
        draft.edit(start, end, better)
    else:
        draft.report_unclear("ipv4-address", start, end, better=_EXAMPLE_OF_IPV4ADDRESS)
