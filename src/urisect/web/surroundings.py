"""Remove what surrounds a text: the marks of a link, spaces, invisible characters, quotation marks, brackets."""

import re
from typing import Final

from urisect.characters import HEXDIG
from urisect.web.characters import UNSEEN
from urisect.web.draft import Draft, compiled

__all__ = ["strip"]

_QUOTATION_MARKS: Final = '"`“”„‘’‚«»‹›'
_PAIRS: Final = {"<": ">", "(": ")", "[": "]", "{": "}", "'": "'"}
_OPENING: Final = f"{_QUOTATION_MARKS}<({{'"
_SPACES: Final = rf"\s{UNSEEN}"

# Spaces, quotation marks and brackets before the text; not the bracket of an IPv6 address.
_BEFORE: Final = rf"(?>(?:[{_SPACES}{_OPENING}]++|\[(?![{HEXDIG}:.]*+\]))*)"
_OPENING_MARK: Final = f"[{_OPENING}[]"
_VISIBLE: Final = f"[^{_SPACES}]"

# A bracket or a quotation mark that may belong to the text, so that the one at its end belongs to it, too.
_INNER_MARK: Final = f"[<>{_QUOTATION_MARKS}]"

# Links of Markdown, of forums and of HTML: "[Shop](http://example.com)", "[url]http://example.com[/url]",
# "<a href='http://example.com'>Shop</a>".
_LINKS: Final = (
    r"\s*+!?+\[[^\]]*+\]\((\S+)\)\s*+",
    r"(?i)\s*+\[url[^\]]*+\]([^\s[]++)\[/url\]\s*+",
    r"(?i)\s*+<a\s[^>]*?\bhref=[\"']?+([^\"'\s>]++)[\s\S]*+",
)


def strip(draft: Draft) -> bool:
    """Remove the marks of a link, and spaces, quotation marks and brackets around the text.

    Args:
        draft: the text.

    Returns:
        Whether there is nothing else.
    """
    _unwrap_link(draft)
    text = draft.text
    start = compiled(_BEFORE).match(text).end()  # type: ignore[union-attr]  # it matches ""
    if start == len(text):
        return draft.report_only("not-an-address" if compiled(_OPENING_MARK).search(text) else "empty")
    end = _find_end(text, start)
    for code, characters in (("outer-space", r"\s"), ("invisible-character", UNSEEN)):
        search = compiled(f"[{characters}]+").search
        before, after = search(text[:start]), search(text[end:])
        where = "before and after" if before and after else "before" if before else "after"
        if before:
            draft.report(code, *before.span(), found=where)
        elif after:
            draft.report(code, end + after.start(), end + after.end(), found=where)
    visible = compiled(_VISIBLE).search
    if found := visible(text[:start]) or visible(text, end):
        draft.report("quotes", *found.span())
    draft.keep(start, end)
    return False


def _unwrap_link(draft: Draft) -> None:
    """Keep only the address of a link."""
    matches = (compiled(link).fullmatch(draft.text) for link in _LINKS)
    if found := next(filter(None, matches), None):
        draft.report("other-words", 0, found.start(1))
        draft.keep(*found.span(1))


def _find_end(text: str, start: int) -> int:
    """Return where the text inside spaces, quotation marks and brackets ends, given where it starts."""
    has_opening = compiled(_OPENING_MARK).search(text[:start])
    if has_opening:
        closing = "".join(closed for opening, closed in _PAIRS.items() if opening in text[:start]) + _QUOTATION_MARKS
    else:
        closing = f">{_QUOTATION_MARKS}"  # what is left over at the end
    end = _strip_end(text, start, re.escape(closing))
    if not has_opening and compiled(_INNER_MARK).search(text[start:end]):
        return _strip_end(text, start, "")
    return end


def _strip_end(text: str, start: int, closing: str) -> int:
    """Return where the text ends without spaces and closing marks."""
    reverse = text[: -len(text) + start - 1 : -1]
    return len(text) - compiled(f"[{_SPACES}{closing}]*+").match(reverse).end()  # type: ignore[union-attr]  # as above
