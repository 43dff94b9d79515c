"""Percent-encode and decode text (RFC 3986, 2); `urisect.percent` is the public module.

Text is encoded as UTF-8. Bytes that are not UTF-8 are represented in str as lone surrogates from U+DC80 to U+DCFF
("surrogateescape", PEP 383), so all functions here work on str internally.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from typing import AnyStr, Final, overload

from urisect.characters import ESCAPED, PCHAR, SUB_DELIMS, UNRESERVED
from urisect.repetition import one_or_more
from urisect.text_types import BytesLike, to_plain_text

__all__ = ["CHARACTERS", "apply_to_text", "decode", "decode_any", "encode", "escape_runs"]

# userinfo = *( unreserved / pct-encoded / sub-delims / ":" )  (3.2.1)
# reg-name = *( unreserved / pct-encoded / sub-delims )  (3.2.2)
# segment  = *pchar  (3.3)
# query    = *( pchar / "/" / "?" )  (3.4)
# fragment = *( pchar / "/" / "?" )  (3.5)
# A path consists of segments and their "/". A name or a value in a query excludes its delimiters "&", "=" and ";", and
# "+", which many programs decode as a space.
CHARACTERS: Final = {
    "userinfo": f"{UNRESERVED}{SUB_DELIMS}:",
    "host": f"{UNRESERVED}{SUB_DELIMS}",
    "segment": PCHAR,
    "path": f"{PCHAR}/",
    "query": f"{PCHAR}/?",
    "query value": f"{UNRESERVED}!$'()*,:@/?",
    "fragment": f"{PCHAR}/?",
}


@overload
def encode(text: AnyStr, component: str) -> AnyStr: ...
@overload
def encode(text: BytesLike, component: str) -> bytes: ...
def encode(text: str | BytesLike, component: str) -> str | bytes:
    r"""Percent-encode data for a component (RFC 3986, 2.1, 2.4 and 2.5).

    Each byte of its UTF-8 form that the component does not allow becomes an escape in upper case; so does each "%". A
    lone surrogate that represents a byte (PEP 383) is encoded as that byte, any other surrogate as the three bytes
    that UTF-8 would have for it.

    Args:
        text: the data, str or bytes-like, not encoded yet.
        component: "userinfo" (keeps ":", which by convention ends the user name), "host" (a name, not an address in
            brackets), "segment" (of a path), "path" (keeps "/"), "query", "query value" (a name or a value in a query
            like that of a form; also accepted: "query-value", "query_value") or "fragment".

    Returns:
        The encoded data, str for str, and bytes for anything bytes-like; the same object if nothing needs an escape.

    Raises:
        TypeError: the text is neither str nor bytes-like.
        ValueError: the component is unknown; the message lists the known ones.

    >>> encode("50% of café/bar", "segment")
    '50%25%20of%20caf%C3%A9%2Fbar'
    >>> encode("a/b?c=d&e", "query value"), encode(b"\xff", "path")
    ('a/b?c%3Dd%26e', b'%FF')
    """
    return apply_to_text(to_plain_text(text, "encode()"), _encoder(component))


def apply_to_text(text: str | bytes, change: Callable[[str], str]) -> str | bytes:
    """Apply a function of str to str or bytes; return the same object if the text does not change."""
    changed: str | bytes
    if isinstance(text, str):
        changed = change(text)
    else:
        changed = change(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    return text if changed == text else changed


@cache
def _encoder(component: str) -> Callable[[str], str]:
    """Return a function that encodes each character a component does not allow; compiled on first use."""
    name = "query value" if component in ("query-value", "query_value") else component
    if name not in CHARACTERS:
        raise ValueError(f"unknown component {component!r}: use one of {', '.join(CHARACTERS)}")
    return partial(escape_runs, re.compile(f"[^{CHARACTERS[name]}]++"))


def escape_runs(disallowed: re.Pattern[str], text: str) -> str:
    """Encode each run of characters that an expression finds."""
    try:
        return disallowed.sub(_escape_run, text)
    except UnicodeEncodeError:
        return disallowed.sub(_escape_run, re.sub(_OTHER_SURROGATES, _surrogates_to_bytes, text))


def _escape_run(run: re.Match[str]) -> str:
    return f"%{run[0].encode('utf-8', 'surrogateescape').hex('%').upper()}"


# Lone surrogates that do not represent a byte (PEP 383).
_OTHER_SURROGATES: Final = r"[\ud800-\udc7f\udd00-\udfff]++"


def _surrogates_to_bytes(run: re.Match[str]) -> str:
    """Replace such surrogates by those that represent the bytes that UTF-8 would have for them."""
    return run[0].encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")


@overload
def decode(text: AnyStr, *, errors: str = "strict") -> AnyStr: ...
@overload
def decode(text: BytesLike, *, errors: str = "strict") -> bytes: ...
def decode(text: str | BytesLike, *, errors: str = "strict") -> str | bytes:
    r"""Decode percent-encoded text, once (RFC 3986, 2.1 and 2.4).

    The bytes of adjacent escapes are decoded together, as UTF-8. Everything else stays, and so does a "%" that does not
    begin an escape. Split a reference before you decode its components: a decoded "/" is not a delimiter.

    Args:
        text: a component, or a part of one; str or bytes-like.
        errors: how to handle bytes that are not UTF-8, as in `bytes.decode`: "strict" raises, "surrogateescape" keeps
            them as in PEP 383, "replace" puts U+FFFD in their place. Ignored for bytes.

    Returns:
        The data, str for str, and bytes for anything bytes-like; the same object if there is no escape.

    Raises:
        TypeError: the text is neither str nor bytes-like.
        UnicodeDecodeError: escapes in a str are not UTF-8, and `errors` is "strict"; a ValueError. Its `start` and
            `end` count characters of the text.
        LookupError: `errors` is unknown, and there is an error.

    >>> decode("caf%C3%A9 50%"), decode(b"%FF"), decode("%FF", errors="surrogateescape")
    ('café 50%', b'\xff', '\udcff')
    """
    encoded = to_plain_text(text, "decode()")
    return apply_to_text(encoded, _decoder(errors if isinstance(encoded, str) else "surrogateescape"))


def decode_any(text: AnyStr) -> AnyStr:
    r"""Decode escapes, whatever bytes they are: those that are not UTF-8 become lone surrogates in a str (PEP 383).

    `decode(text, errors="surrogateescape")` without its checks, which would add 300 ns.

    Args:
        text: plain str or plain bytes.

    >>> decode_any("caf%C3%A9%FF"), decode_any(b"caf%E9")
    ('café\udcff', b'caf\xe9')
    """
    return _decoder("surrogateescape")(text) if isinstance(text, str) else decode(text)


@cache
def _decoder(errors: str) -> Callable[[str], str]:
    """Return a function that decodes each run of escapes; compiled on first use."""
    return partial(re.compile(one_or_more(ESCAPED)).sub, partial(_decode_run, errors=errors))


def _decode_run(run: re.Match[str], errors: str) -> str:
    """Decode a run of escapes."""
    try:
        return bytes.fromhex(run[0].replace("%", "")).decode("utf-8", errors)
    except UnicodeDecodeError as error:
        start, end = (run.start() + len("%XX") * count for count in (error.start, error.end))
        raise UnicodeDecodeError(
            "utf-8",
            run.string.encode("ascii", "replace"),  # one byte per character, so that offsets fit the text
            start,
            end,
            f"{run.string[start:end]!r} is not UTF-8 ({error.reason}); "
            'errors="surrogateescape" keeps such bytes, errors="replace" marks them, and bytes are decoded to bytes',
        ) from None
