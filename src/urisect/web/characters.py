"""Remove and replace characters that nobody meant to type: line ends, invisible ones, backslashes, look-alikes."""

import re
from typing import Final

from urisect.security.characters import BIDIRECTIONAL, INVISIBLE
from urisect.web.draft import LOOK_ALIKES, Draft, compiled, sample
from urisect.web.problems import quote

__all__ = ["UNSEEN", "remove_unseen", "replace_look_alikes"]

# Control characters, except those that are white space; and the content of two classes, "[…]++".
_CONTROLS: Final = r"\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
UNSEEN: Final = _CONTROLS + BIDIRECTIONAL[1:-3] + INVISIBLE[1:-3]

_LINE_ENDS: Final = "[\n\v\f\r\x85\u2028\u2029]+"

# After a character beyond ASCII, such as an emoji, invisible ones may be a part of it.
_INVISIBLE_RUN: Final = rf"(?<![^\0-\x7f])[\t\x1c-\x1f{UNSEEN}]+"

_BEFORE_QUERY: Final = "[^?#]*+"
_BACKSLASHES: Final = r"\\+"
_LOOK_ALIKE_RUN: Final = f"[{''.join(map(re.escape, map(chr, LOOK_ALIKES)))}]+"


def remove_unseen(draft: Draft) -> bool:
    """Remove line ends and invisible characters inside the text.

    Args:
        draft: the text.

    Returns:
        False: there is more to read.
    """
    for code, expression in (("line-end", _LINE_ENDS), ("invisible-character", _INVISIBLE_RUN)):
        pattern = compiled(expression)
        if found := pattern.search(draft.text):
            if code == "line-end" and found.start() < draft.find_head():
                draft.is_clear = False
            draft.report(code, *found.span())
            draft.remove(pattern, len(draft.text))
    return False


def replace_look_alikes(draft: Draft) -> bool:
    """Replace backslashes up to the query, and characters up to the path that only look like those of an address.

    Args:
        draft: the text.

    Returns:
        False: there is more to read.
    """
    text = draft.text
    before_query = compiled(_BEFORE_QUERY).match(text).end()  # type: ignore[union-attr]  # it matches ""
    if found := compiled(_BACKSLASHES).search(text, 0, before_query):
        draft.report("backslash", *found.span())
        draft.text = text[:before_query].replace("\\", "/") + text[before_query:]
    if draft.text.isascii():
        return False
    head = draft.text[: draft.find_head()]
    if found := compiled(_LOOK_ALIKE_RUN).search(head):
        shown = sample(found[0])
        draft.report("look-alike", *found.span(), found=quote(shown), better=quote(shown.translate(LOOK_ALIKES)))
        draft.text = head.translate(LOOK_ALIKES) + draft.text[len(head) :]
    return False
