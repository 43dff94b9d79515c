r"""Find what is wrong with a text that is not a web address, and what was probably meant (RFC 3986, 3 and 7).

The text is cleaned and read from its beginning to its end, as a person reads it: what surrounds it, what it is if it is
no address at all, the scheme, the name of the website, the port, the rest. Each step reports problems, and notes how to
edit the text. The suggestion is the text after all edits, if each problem has one and the result is a web address.
"""

from collections.abc import Callable
from typing import Final

from urisect.reference import split
from urisect.web.authority import check_authority
from urisect.web.beginning import drop_earlier_beginnings, read_beginning
from urisect.web.characters import remove_unseen, replace_look_alikes
from urisect.web.draft import INNER_DOT, MAX_PROBLEMS, MAX_SUGGESTION_CHARACTERS, Draft, compiled
from urisect.web.grammar import matcher
from urisect.web.other_texts import recognize, recognize_several_addresses
from urisect.web.problems import Problem
from urisect.web.punycode import to_punycode
from urisect.web.surroundings import strip
from urisect.web.tail import check_tail
from urisect.web.words import join_words

__all__ = ["diagnose"]

# Each returns whether there is nothing more to say.
_STEPS: Final[tuple[Callable[[Draft], bool], ...]] = (
    *(strip, recognize_several_addresses, remove_unseen, recognize, join_words, replace_look_alikes),
    *(drop_earlier_beginnings, read_beginning, check_authority, check_tail),
)


def diagnose(text: str, schemes: tuple[str, ...]) -> list[Problem[str]]:
    """Find the problems of a text that is not a web address.

    Args:
        text: the text.
        schemes: the allowed schemes.

    Returns:
        At least one problem, and at most `MAX_PROBLEMS`, by offset. All have the same suggestion.

    >>> [problem.code for problem in diagnose("htp:/exa_mple.com/<", ("http",))]
    ['mistyped-scheme', 'slashes', 'name-character', 'character']
    """
    draft = Draft(text, schemes)
    for step in _STEPS:
        if step(draft):
            break
    suggestion = _suggest(draft, schemes)
    problems = [problem._replace(suggestion=suggestion) for problem in draft.problems]
    return sorted(problems, key=lambda problem: problem.offset)[:MAX_PROBLEMS]


def _suggest(draft: Draft, schemes: tuple[str, ...]) -> str | None:
    """Return the web address that was probably meant, if it is clear."""
    is_web_address = matcher(schemes, str)
    if len(draft.original) > MAX_SUGGESTION_CHARACTERS:
        return None
    if draft.word is not None:
        return draft.word if is_web_address(draft.word) else diagnose(draft.word, schemes)[0].suggestion
    if not draft.is_clear:
        return None
    text = draft.apply_edits()
    host = split(text).host or ""
    name = host if host.isascii() else to_punycode(host)
    if name is None or (draft.needs_dot and not compiled(INNER_DOT).search(name)):
        return None
    text = text.replace(host, name, 1)
    return text if is_web_address(text) else None
