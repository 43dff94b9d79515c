"""Read the beginning of a web address: the scheme, the colon and the slashes."""

import re
from typing import Final

from urisect.address import is_ipv6address
from urisect.characters import ALPHA, DIGIT, SCHEME
from urisect.repetition import zero_or_more
from urisect.web.draft import INNER_DOT, Draft, compiled
from urisect.web.problems import quote
from urisect.web.scheme import find_meant_scheme, is_registered

__all__ = ["drop_earlier_beginnings", "read_beginning"]

# What may follow an allowed scheme that is typed once more: a slash, or a colon that is not before a port.
_AFTER_SECOND_SCHEME: Final = rf"(?:[:;]?/|[:;](?![{DIGIT}]))"
_AFTER_LATER_SCHEME: Final = r"(?:[:;]?//|:/)"
_DELIMITER: Final = "[:;.,]*+/*+"
_BEFORE_LATER_SCHEME: Final = rf"((?>[{ALPHA}]{{2,7}}+[:;.,]*+/++|)[^/?#]*?)"

# The scheme and its delimiter, however they were typed; a colon after the slashes belongs to them, too, unless it
# begins a port or an IPv6 address.
_TYPED_SCHEME: Final = rf"([{ALPHA}][{ALPHA}{DIGIT}+\-]*+)([:;.,]*+/*+(?>:(?![{DIGIT}:])/*+|))"
_SCHEME: Final = f"({SCHEME}):"
_PORT: Final = rf"[{DIGIT}]++(?![^/?#])"
_COLON_AND_PORT: Final = f":{_PORT}"
_PORT_OR_USERINFO: Final = rf"{_PORT}|[^/?#]*@"
_SLASHES: Final = "[:;,.]*+//++|[:;,]*+"

_LOCAL_HOST: Final = rf"(?i:localhost)|[{DIGIT}.]+|\[[^\n]*"
_NUMBERS: Final = rf"[{DIGIT}.]+"
_NAME_WITH_DOT: Final = rf"(?i:^www,)|{INNER_DOT}"
_LABEL: Final = r"[\w-]+"


def drop_earlier_beginnings(draft: Draft) -> bool:
    """Find a second "http://" before the path, and remove what is before it if that is no address.

    Args:
        draft: the text.

    Returns:
        Whether there is an address before it.
    """
    scheme = f"(?ai:{'|'.join(map(re.escape, sorted(draft.schemes, reverse=True)))})"
    repetitions = zero_or_more(rf"{scheme}{_DELIMITER}(?={scheme}{_AFTER_SECOND_SCHEME})")
    repeated = compiled(repetitions).match(draft.text)
    if repeated and repeated.end():
        second = compiled(scheme).match(draft.text, repeated.end())
        draft.report("repeated-scheme", *repeated.span(), better=quote(f"{second[0]}://") if second else "")
        draft.keep(repeated.end(), len(draft.text))
    later = compiled(rf"{_BEFORE_LATER_SCHEME}{scheme}{_AFTER_LATER_SCHEME}").match(draft.text)
    before = later[1] if later else ""
    if compiled(INNER_DOT).search(before):
        return draft.report_only("several-addresses")
    word = before.partition(":")[0]
    if before and not before[-1].isalnum() and (find_meant_scheme(word, draft.schemes) or not is_registered(word)):
        draft.report("other-words", 0, len(before))
        draft.keep(len(before), len(draft.text))
    return False


def read_beginning(draft: Draft) -> bool:
    """Read the scheme and its delimiter, and find the authority.

    Args:
        draft: the text.

    Returns:
        Whether the text has another scheme, or is no web address at all.
    """
    text = draft.text
    typed = compiled(_TYPED_SCHEME).match(text)
    if typed and typed[2].strip(".,") and (meant := find_meant_scheme(typed[1], draft.schemes)):
        draft.authority = typed.end()
        _check_scheme(draft, typed, meant)
        return False
    if name := _find_other_scheme(text):
        slashes = "//" if text.startswith("//", len(name) + 1) else ""
        draft.report_unclear("other-scheme", 0, len(name) + 1, found=quote(f"{name}:{slashes}"))
        return True
    return _read_without_scheme(draft)


def _check_scheme(draft: Draft, typed: re.Match[str], meant: str) -> None:
    """Check a scheme and its delimiter."""
    word, delimiter = typed.groups()
    draft.scheme = meant
    if word.lower() != meant:
        code = "other-scheme" if is_registered(word) else "mistyped-scheme"
        draft.report(code, *typed.span(1), found=quote(word), better=quote(f"{meant}://"))
        draft.edit(*typed.span(1), meant)
    if delimiter != "://" and typed.end() < len(draft.text):
        draft.report("slashes", *typed.span(2), found=quote(meant), better=quote(f"{meant}://"))
        draft.edit(*typed.span(2), "://")


def _find_other_scheme(text: str) -> str | None:
    """Return the scheme of a text that begins with one, but not with the name of a website and a port."""
    typed = compiled(_SCHEME).match(text)
    if not typed:
        return None
    name = typed[1]
    if is_registered(name):
        return name
    is_host = compiled(_PORT_OR_USERINFO).match(text, typed.end()) or name.lower() == "localhost"
    return None if "." in name or is_host else name


def _read_without_scheme(draft: Draft) -> bool:
    """Report that there is no scheme, if the text is otherwise likely to be a web address."""
    text = draft.text
    draft.authority = compiled(_SLASHES).match(text).end()  # type: ignore[union-attr]  # it matches ""
    start, end, _ = draft.find_host()
    if not _is_site(text, start, end):
        return draft.report_only("not-an-address")
    is_local = compiled(_LOCAL_HOST).fullmatch(text, start, end)
    scheme = "http" if is_local and "http" in draft.schemes else draft.texts.scheme
    draft.report("no-scheme", 0, draft.authority)
    draft.edit(0, draft.authority, f"{scheme}://")
    if text.endswith(".") and end == len(text):  # a full stop after the last word of a sentence
        draft.edit(len(text) - 1, len(text), "")
    return False


def _is_site(text: str, start: int, end: int) -> bool:
    """Return whether a text without a scheme is likely to be the name or the address of a website."""
    host = text[start:end]
    if compiled(_NUMBERS).fullmatch(host):
        return host.count(".") == 3 and ".." not in host  # noqa: PLR2004  four numbers
    if host.startswith("[") and is_ipv6address(host[1:-1]):
        return True
    if compiled(_NAME_WITH_DOT).search(host) or host.lower() == "localhost":
        return True
    return compiled(_COLON_AND_PORT).match(text, end) is not None and compiled(_LABEL).fullmatch(host) is not None
