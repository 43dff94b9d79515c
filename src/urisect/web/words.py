"""Find a web address among other words, and remove the spaces inside it that are at delimiters."""

from typing import Final

from urisect.characters import ALPHA
from urisect.web.draft import INNER_DOT, Draft, compiled
from urisect.web.scheme import find_meant_scheme, is_registered

__all__ = ["join_words"]

# A word before the address, as in "Website: example.com".
_LABEL: Final = r"([^\W_][\w-]*+):\s+(?=\S)"

_SPACES: Final = r"\s+"
_SPACES_AT_DELIMITERS: Final = r"(?<=[.:/\\])\s++|(?<!\s)\s++(?=[.:/\\])"

_BEGINS_WITH_SCHEME: Final = rf"[{ALPHA}]++[:;.,]*+[/\\]"
_BEGINS_AS_ADDRESS: Final = rf"(?i)[{ALPHA}]++://|www\."
_PUNCTUATION: Final = ".,;:!?"  # after the last word of a sentence


def join_words(draft: Draft) -> bool:
    """Remove spaces at the delimiters before the path, or find the address among other words.

    Args:
        draft: the text.

    Returns:
        Whether there are other words.
    """
    label = compiled(_LABEL).match(draft.text)
    if label and not find_meant_scheme(label[1], draft.schemes) and not is_registered(label[1]):
        draft.report("other-words", 0, label.end())
        draft.keep(label.end(), len(draft.text))
    _join_scheme(draft)
    head = draft.text[: draft.find_head()]
    first = compiled(_SPACES).search(head)
    if not first:
        return False
    at_delimiters = compiled(_SPACES_AT_DELIMITERS)
    if compiled(_SPACES).search(at_delimiters.sub("", head)):
        if _find_word(draft, has_scheme=compiled(_BEGINS_WITH_SCHEME).match(head) is not None):
            return True
    else:
        draft.report("space-in-name", *first.span())
    draft.remove(at_delimiters, len(head))
    return False


def _join_scheme(draft: Draft) -> None:
    """Remove spaces inside the scheme."""
    before = draft.text.partition(":")[0].rstrip()
    if (space := compiled(_SPACES).search(before)) and "".join(before.split()).lower() in draft.schemes:
        draft.report("space-in-name", *space.span())
        draft.remove(compiled(_SPACES), len(before))


def _find_word(draft: Draft, *, has_scheme: bool) -> bool:
    """Find the one word that is an address; report if no word is one, or several are."""
    words = draft.text.split()
    names = [word for word in words if compiled(INNER_DOT).search(word)]
    is_strong = len(names) == 1 and compiled(_BEGINS_AS_ADDRESS).match(names[0])
    if is_strong or (len(names) == 1 and len(words) > 2 and not has_scheme):  # noqa: PLR2004
        return draft.report_only("other-words", names[0].rstrip(_PUNCTUATION))
    if not has_scheme and len(names) != 1:
        return draft.report_only("several-addresses" if names else "not-an-address")
    return False
