"""Check the authority of a web address: the userinfo, an address in brackets, the port."""

from typing import Final

from urisect.address import is_ipv6address
from urisect.characters import DIGIT
from urisect.reference import MAX_PORT
from urisect.web.draft import INNER_DOT, Draft, compiled
from urisect.web.name import check_name
from urisect.web.problems import quote

__all__ = ["check_authority"]

_PORT: Final = f"[{DIGIT}]++"


def check_authority(draft: Draft) -> bool:
    """Check the userinfo, the host and the port.

    Args:
        draft: the text.

    Returns:
        False: there is more to read.
    """
    text = draft.text
    start, end, draft.tail = draft.find_host()
    if start > draft.authority:
        _check_userinfo(draft, start, host=text[start:end])
    if is_ipv6address(text[start : draft.tail]):
        draft.report("no-brackets", start, draft.tail)
        draft.edit(start, start, "[")
        draft.edit(draft.tail, draft.tail, "]")
        return False
    if text.startswith("[", start):
        if not _check_brackets(draft, start, end):
            return False
    elif not text[start:end].strip("."):
        beginning = f"{draft.scheme}://"
        draft.report_unclear("no-host", start, end, found=quote(beginning), better=f"{beginning}example.com")
    elif text[start:end].removesuffix(".").lower() in ("http", "https"):
        beginning = f"{text[start:end].removesuffix('.')}://"
        draft.report_unclear("repeated-scheme", start, end, better=quote(beginning))
        draft.report("no-host", end, end, found=quote(beginning), better=f"{beginning}example.com")
    else:
        check_name(draft, start, end)
    if end < draft.tail:
        _check_port(draft, end, draft.tail)
    return False


def _check_userinfo(draft: Draft, end: int, *, host: str) -> None:
    """Report a userinfo, which may look like the name of a website."""
    name = draft.text[draft.authority : end - 1].partition(":")[0]
    if compiled(INNER_DOT).search(name):
        draft.report_unclear("misleading-userinfo", draft.authority, end, found=quote(name), better=quote(host))
    else:
        draft.report("userinfo", draft.authority, end)
        draft.edit(draft.authority, end, "")


def _check_brackets(draft: Draft, start: int, end: int) -> bool:
    """Check a host in brackets, which may be a name; return whether a port may follow."""
    text = draft.text
    inside = text[start + 1 : end - 1]
    is_closed = text[end - 1] == "]"
    if compiled(INNER_DOT).search(inside) and ":" not in inside and is_closed:
        draft.report("quotes", start, start + 1)
        draft.edit(start, start + 1, "")
        draft.edit(end - 1, end, "")
    elif not is_ipv6address(inside) or not is_closed or text[end : end + 1] not in ":/?#":
        draft.report_unclear("ipv6-address", start, end)
        return False
    return True


def _check_port(draft: Draft, start: int, end: int) -> None:
    """Check a port, with the colon before it."""
    port = draft.text[start + 1 : end]
    if not port:
        draft.report("port", start, end)
        draft.edit(start, end, "")
    elif not compiled(_PORT).fullmatch(port):
        draft.report_unclear("port", start, end)
    else:
        number = port.lstrip("0") or "0"
        if len(number) > len(str(MAX_PORT)) or int(number) > MAX_PORT:
            draft.report_unclear("port-out-of-range", start, end)
