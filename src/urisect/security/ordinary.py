"""Recognize ordinary references, which have no hazards, by one expression."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from urisect.characters import DIGIT, PCHAR
from urisect.repetition import one_or_more, unrolled_loop, zero_or_more
from urisect.special_purpose import INTERNAL_NAMES, WILDCARD_DNS_DOMAINS

__all__ = ["ORDINARY", "ordinary_matcher"]


def _last_labels(names: Iterable[str]) -> str:
    r"""Return the expression for the last label of some names, which matches only after the rest of the name.

    >>> _last_labels(["nip.io", ".svc", "xip.io", "localhost"])
    'io(?:(?<=nip\\.io)|(?<=xip\\.io))|svc(?:(?<=\\.svc))'
    """
    by_last: dict[str, list[str]] = {}
    for name in names:
        if "." in name:
            by_last.setdefault(name.rpartition(".")[2], []).append(f"(?<={re.escape(name)})")
    return "|".join(f"{last}(?:{'|'.join(lookbehinds)})" for last, lookbehinds in by_last.items())


# The escapes without a hazard: some printable characters, and bytes that form neither a control character in UTF-8, nor
# a line end if characters are truncated to eight bits.
_HARMLESS_ESCAPE: Final = (
    rf"%(?:2[0-46-9A-D]|[346][{DIGIT}A-F]|[89AB][{DIGIT}A-F]|C[35-9A-F]|C4(?!%8[AD]%C4%8[AD])|D[{DIGIT}A-F]"
    "|E[1-46-9A-F]|E5(?!%98%8A))"
)
_SPECIAL_DOMAINS: Final = _last_labels((*WILDCARD_DNS_DOMAINS, *INTERNAL_NAMES))
_LABELS: Final = one_or_more(r"(?!xn--)[a-z0-9-]++\.")
_SEGMENTS: Final = zero_or_more("/(?![./])" + unrolled_loop(f"[{PCHAR}]", _HARMLESS_ESCAPE))
_QUERY: Final = unrolled_loop(f"[{PCHAR.replace(':', '')}?]", f"(?!%3A){_HARMLESS_ESCAPE}", "/(?!/)")
_FRAGMENT: Final = unrolled_loop(f"[{PCHAR}/?]", _HARMLESS_ESCAPE)

# Most references: the host is a name in lower case, no segment begins with a dot, every escape is harmless, and the
# query contains no reference.
ORDINARY: Final = (
    rf"(?>(?:https?|wss?|ftp)://{_LABELS}(?!xn--|local|{_SPECIAL_DOMAINS})[a-z][a-z0-9-]*+|){_SEGMENTS}/?+"
    rf"(?>\?{_QUERY}|)(?>#{_FRAGMENT}|)"
)


@cache
def ordinary_matcher() -> Callable[[str], re.Match[str] | None]:
    """Compile the expression on first use. Without an argument, the cache answers in half the time."""
    return re.compile(ORDINARY).fullmatch
