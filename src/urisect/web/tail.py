"""Check what follows the authority of a web address: the path, the query and the fragment."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from urisect.characters import ESCAPED, PCHAR
from urisect.percent import encode, repair
from urisect.web.draft import MAX_PROBLEMS, MAX_SUGGESTION_CHARACTERS, Draft, compiled, sample
from urisect.web.problems import quote

__all__ = ["check_tail"]

_SPACE: Final = r"\s"
_WRONG_CHARACTERS: Final = rf"\s+|[^\0-\x7f]+|[^{PCHAR}/?%\s\x80-\U0010ffff]+|%(?!{ESCAPED[1:]})"


def check_tail(draft: Draft) -> bool:
    """Check the path, the query and the fragment; each kind of mistake is a problem.

    Args:
        draft: the text.

    Returns:
        False: nothing else was found.
    """
    text, start = draft.text, draft.tail
    for run in islice(_wrong_runs(text, start), MAX_PROBLEMS):
        shown = sample(run[0])
        if run[0].isspace():
            draft.report("space", *run.span())
        elif run[0] == "%":
            draft.report("escape", *run.span())
        else:
            code = "character" if run[0].isascii() else "non-ascii"
            draft.report(code, *run.span(), found=quote(shown), better=encode(shown, "path"))
    if len(text) <= MAX_SUGGESTION_CHARACTERS:
        tail = compiled(_SPACE).sub(" ", text[start:])
        draft.edit(start, len(text), repair(f"//h{tail}").removeprefix("//h"))
    return False


def _wrong_runs(text: str, start: int) -> Iterator[re.Match[str]]:
    """Find characters that are not allowed after the authority; "#" is allowed once."""
    wrong = compiled(_WRONG_CHARACTERS)
    fragment = text.find("#", start)
    fragment = len(text) if fragment < 0 else fragment
    yield from wrong.finditer(text, start, fragment)
    yield from wrong.finditer(text, fragment + 1)
