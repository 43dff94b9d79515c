"""The documents' own words, as slow and as plain as they are printed, to hold the project against."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

# RFC 3986, Appendix B, as printed, but that "." matches every character.
APPENDIX_B = r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?"
_STR = re.compile(APPENDIX_B, re.DOTALL)
_BYTES = re.compile(APPENDIX_B.encode(), re.DOTALL)

DELIMITERS = "a:/?#@[]%.\n\r\0 \udcff\ud800é"

# Any text, lone surrogates included, and text made of what matters to a splitter.
texts = st.text(st.characters(exclude_categories=())) | st.text(DELIMITERS)
octets = st.binary() | st.text(DELIMITERS).map(lambda text: text.encode("utf-8", "surrogatepass"))


def split(text: str | bytes) -> tuple[str | bytes | None, ...]:
    """Scheme = $2, authority = $4, path = $5, query = $7, fragment = $9."""
    match = _STR.match(text) if isinstance(text, str) else _BYTES.match(text)
    assert match
    return match.group(2, 4, 5, 7, 9)


def lines(data: Any) -> list[Any]:
    r"""Lines end in "\n" or "\r\n", the last end optional; "" has no line."""
    pieces: list[Any] = re.split("\r?\n" if isinstance(data, str) else b"\r?\n", data)
    return pieces if pieces[-1] else pieces[:-1]


def strings(alphabet: str, longest: int) -> Iterator[str]:
    """All strings over an alphabet up to a length."""
    for length in range(longest + 1):
        yield from map("".join, itertools.product(alphabet, repeat=length))
