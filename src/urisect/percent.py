"""Percent-encoding (RFC 3986, 2).

Text is encoded by way of UTF-8. Octets that are no UTF-8 pass through str as PEP 383 has them, as lone surrogates
from U+DC80 to U+DCFF, so that all of this is written for str alone.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any, AnyStr, Final, overload

from urisect.address import is_ip_literal
from urisect.characters import ESCAPED, PCHAR, PORT, SCHEME, SUB_DELIMS, UNRESERVED
from urisect.reference import Reference, recompose, split, split_authority, text_of
from urisect.repetition import one_or_more, unrolled_loop
from urisect.text_types import Octets, to_plain_text

__all__ = ["decode", "encode", "repair"]

# userinfo = *( unreserved / pct-encoded / sub-delims / ":" )  (3.2.1)
# reg-name = *( unreserved / pct-encoded / sub-delims )  (3.2.2)
# segment  = *pchar  (3.3)
# query    = *( pchar / "/" / "?" )  (3.4)
# fragment = *( pchar / "/" / "?" )  (3.5)
# A path is segments and their "/". A name or a value in a query leaves out what delimits them: "&", "=", ";", and "+",
# which many read as a space.
_CHARACTERS: Final = {
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
def encode(text: Octets, component: str) -> bytes: ...
def encode(text: str | Octets, component: str) -> str | bytes:
    r"""Write data so that it may stand in a component (RFC 3986, 2.1, 2.4 and 2.5).

    Each octet of its UTF-8 that may not stand there becomes an escape in upper case, and so does each "%". A lone
    surrogate that stands for an octet (PEP 383) is encoded as that octet, any other as the three octets that UTF-8
    would have for it.

    Args:
        text: the data, str or bytes-like, not encoded yet.
        component: where it is to stand: "userinfo" (":" is kept, which by convention ends the user's name), "host" (a
            name, no address in brackets), "segment" (of a path), "path" ("/" is kept), "query", "query value" (a name
            or a value of a query like that of a form; "query-value" and "query_value" will do) or "fragment".

    Returns:
        The encoded data: str for str, bytes for anything bytes-like; what needs no escape is returned as it is.

    Raises:
        TypeError: the text is neither str nor bytes-like.
        ValueError: there is no such component; the message lists those there are.

    >>> encode("50% of café/bar", "segment"), encode("a/b?c=d&e", "query value"), encode(b"\xff", "path")
    ('50%25%20of%20caf%C3%A9%2Fbar', 'a/b?c%3Dd%26e', b'%FF')
    """
    return _changed(to_plain_text(text, "encode()"), _encoder(component))


def _changed(text: str | bytes, change: Callable[[str], str]) -> str | bytes:
    """Change a text of either type by what changes str; what does not change is returned as it is."""
    changed: str | bytes
    if isinstance(text, str):
        changed = change(text)
    else:
        changed = change(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    return text if changed == text else changed


@cache
def _encoder(component: str) -> Callable[[str], str]:
    """Compile, at the first use, what encodes each character that a component does not take."""
    name = "query value" if component in ("query-value", "query_value") else component
    if name not in _CHARACTERS:
        raise ValueError(f"there is no component {component!r}; there are {', '.join(_CHARACTERS)}")
    return partial(_escape, re.compile(f"[^{_CHARACTERS[name]}]++"))


def _escape(misplaced: re.Pattern[str], text: str) -> str:
    """Encode each run of characters that an expression finds."""
    try:
        return misplaced.sub(_escapes, text)
    except UnicodeEncodeError:
        return misplaced.sub(_escapes, re.sub(_OTHER_SURROGATES, _as_octets, text))


def _escapes(run: re.Match[str]) -> str:
    return f"%{run[0].encode('utf-8', 'surrogateescape').hex('%').upper()}"


# Lone surrogates that stand for no octet (PEP 383).
_OTHER_SURROGATES: Final = r"[\ud800-\udc7f\udd00-\udfff]++"


def _as_octets(run: re.Match[str]) -> str:
    """Put in the place of such surrogates those that stand for the octets which UTF-8 would have for them."""
    return run[0].encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")


@overload
def decode(text: AnyStr, *, errors: str = "strict") -> AnyStr: ...
@overload
def decode(text: Octets, *, errors: str = "strict") -> bytes: ...
def decode(text: str | Octets, *, errors: str = "strict") -> str | bytes:
    r"""Put the octets in the place of their escapes (RFC 3986, 2.1 and 2.4), once.

    The octets of adjacent escapes are read together, as UTF-8. A "%" that begins no escape stays as it is, and so does
    all that is not escaped. Split a reference before its components are decoded: what is decoded delimits nothing.

    Args:
        text: a component, or a part of one; str or bytes-like.
        errors: what to do with octets that are no UTF-8, as in `bytes.decode`: "strict" raises, "surrogateescape" keeps
            them as PEP 383 does, "replace" marks their place. Bytes need it never.

    Returns:
        The data: str for str, bytes for anything bytes-like; what has no escape is returned as it is.

    Raises:
        TypeError: the text is neither str nor bytes-like.
        UnicodeDecodeError: escapes of a str are no UTF-8, and `errors` is "strict"; a ValueError. Its `start` and `end`
            count the characters of the text.
        LookupError: there is no such way to treat errors, and there are some.

    >>> decode("caf%C3%A9 50%"), decode(b"%FF"), decode("%FF", errors="surrogateescape")
    ('café 50%', b'\xff', '\udcff')
    """
    given = to_plain_text(text, "decode()")
    decoded = partial(_decoded, errors=errors if isinstance(given, str) else "surrogateescape")
    return _changed(given, partial(re.sub, one_or_more(ESCAPED), decoded))


def _decoded(run: re.Match[str], errors: str) -> str:
    """Read the octets of a run of escapes."""
    try:
        return bytes.fromhex(run[0].replace("%", "")).decode("utf-8", errors)
    except UnicodeDecodeError as error:
        start, end = (run.start() + len("%XX") * octets for octets in (error.start, error.end))
        raise UnicodeDecodeError(
            "utf-8",
            run.string.encode("ascii", "replace"),  # an octet a character, so that offsets are those of the text
            start,
            end,
            f"{run.string[start:end]!r} is no UTF-8 ({error.reason}); "
            'errors="surrogateescape" keeps such octets, errors="replace" marks them, and bytes are decoded to bytes',
        ) from None


@overload
def repair(reference: AnyStr | Reference[AnyStr]) -> AnyStr: ...
@overload
def repair(reference: Octets) -> bytes: ...
def repair(reference: Any) -> str | bytes:
    """Make a valid reference of any text: encode what may not stand where it stands (RFC 3986, 2.1, 2.4, Appendix A).

    The text is cut as `split` cuts it, and nothing but a character that its component does not take is encoded, a "%"
    that begins no escape included. Where no scheme may stand, the ":" that would end it is encoded; so is the ":" of a
    port that is no number, and "@" before the last. Brackets stay around an IP literal only. Once repaired, a
    reference does not change again.

    Args:
        reference: the text, str or bytes-like, or a `Reference`.

    Returns:
        The reference: str for str, bytes for anything bytes-like; a valid one is returned as it is.

    Raises:
        TypeError: the argument is no text.

    >>> repair("http://h/50% of café|#a#b"), repair("1a:b"), repair(b"//h:8O/[x]")
    ('http://h/50%25%20of%20caf%C3%A9%7C#a%23b', '1a%3Ab', b'//h%3A8O/%5Bx%5D')
    """
    kind = type(reference)
    if (kind is str and _match_valid(reference)) or (kind is bytes and _match_valid_bytes(reference)):
        return reference  # type: ignore[no-any-return]
    return _changed(text_of(reference, "repair()"), _repaired)


def _valid() -> str:
    """Write the expression of a valid reference (RFC 3986, Appendix A) without an IP-literal.

    To see that nothing is to be repaired then takes one match: most references are valid, and few hosts are literals.
    """
    host = unrolled_loop(f"[{_CHARACTERS['host']}]", ESCAPED)
    userinfo = unrolled_loop(f"[{_CHARACTERS['userinfo']}]", ESCAPED)
    path_and_query = unrolled_loop(f"[{_CHARACTERS['query']}]", ESCAPED)
    fragment = unrolled_loop(f"[{_CHARACTERS['fragment']}]", ESCAPED)
    host_and_port = rf"{host}(?>:{PORT}|)(?![^/?#])"
    return (
        rf"(?:{SCHEME}:|(?![^:/?#]*+:))"
        rf"(?://(?:{host_and_port}|{userinfo}@{host_and_port})|(?!//))"
        rf"{path_and_query}(?>#{fragment}|)"
    )


def _first_match(text: str) -> re.Match[str] | None:
    """Compile the expression for str at the first use, as `urisect.split` does."""
    global _match_valid  # noqa: PLW0603
    _match_valid = re.compile(_valid()).fullmatch
    return _match_valid(text)


def _first_match_bytes(text: bytes) -> re.Match[bytes] | None:
    """Compile the expression for bytes at the first use."""
    global _match_valid_bytes  # noqa: PLW0603
    _match_valid_bytes = re.compile(_valid().encode()).fullmatch
    return _match_valid_bytes(text)


_match_valid: Callable[[str], re.Match[str] | None] = _first_match
_match_valid_bytes: Callable[[bytes], re.Match[bytes] | None] = _first_match_bytes


def _repaired(text: str) -> str:
    scheme, authority, path, query, fragment = split(text)
    if scheme is not None and not re.fullmatch(SCHEME, scheme):
        # No scheme may stand there: what was read as one begins a relative path.
        path = recompose(Reference(scheme, authority, path, None, None))
        scheme = authority = None
    if scheme is None:
        path = encode_first_segment_colons(path)
    return recompose(
        Reference(
            scheme,
            authority and _repaired_authority(authority),
            _mender("path")(path),
            query and _mender("query")(query),
            fragment and _mender("fragment")(fragment),
        )
    )


def encode_first_segment_colons(path: str) -> str:
    """Encode each ":" of the first segment, for without a scheme it would end one (RFC 3986, 3.3 and 4.2).

    >>> encode_first_segment_colons("a:b/c:d")
    'a%3Ab/c:d'
    """
    first, slash, others = path.partition("/")
    return first.replace(":", "%3A") + slash + others


def _repaired_authority(authority: str) -> str:
    userinfo, host, port = split_authority(authority)
    if port is not None and not re.fullmatch(PORT, port):
        host, port = f"{host}:{port}", None
    before = "" if userinfo is None else f"{_mender('userinfo')(userinfo)}@"
    after = "" if port is None else f":{port}"
    return f"{before}{host if is_ip_literal(host) else _mender('host')(host)}{after}"


@cache
def _mender(component: str) -> Callable[[str], str]:
    """Compile, at the first use, what encodes each character that a component does not take, and keeps its escapes."""
    return partial(_escape, re.compile(one_or_more(f"[^{_CHARACTERS[component]}%]++|(?!{ESCAPED})%")))
