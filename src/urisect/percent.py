"""Encode and decode percent-encoded text, and repair references (RFC 3986, 2).

Text is encoded as UTF-8. Bytes that are not UTF-8 are represented in str as lone surrogates from U+DC80 to U+DCFF
("surrogateescape", PEP 383), so all functions here work on str internally.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from typing import AnyStr, Final, overload

from urisect.address import is_ip_literal
from urisect.characters import ESCAPED, PCHAR, PORT, SCHEME, SUB_DELIMS, UNRESERVED
from urisect.paths import encode_first_segment_colons
from urisect.reference import Reference, ReferenceLike, recompose, split, split_authority, text_of
from urisect.repetition import one_or_more, unrolled_loop
from urisect.text_types import BytesLike, compile_for, to_plain_text

__all__ = ["decode", "encode", "repair"]

# userinfo = *( unreserved / pct-encoded / sub-delims / ":" )  (3.2.1)
# reg-name = *( unreserved / pct-encoded / sub-delims )  (3.2.2)
# segment  = *pchar  (3.3)
# query    = *( pchar / "/" / "?" )  (3.4)
# fragment = *( pchar / "/" / "?" )  (3.5)
# A path consists of segments and their "/". A name or a value in a query excludes its delimiters "&", "=" and ";", and
# "+", which many programs decode as a space.
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
    return _apply(to_plain_text(text, "encode()"), _encoder(component))


def _apply(text: str | bytes, change: Callable[[str], str]) -> str | bytes:
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
    if name not in _CHARACTERS:
        raise ValueError(f"unknown component {component!r}: use one of {', '.join(_CHARACTERS)}")
    return partial(_escape_runs, re.compile(f"[^{_CHARACTERS[name]}]++"))


def _escape_runs(disallowed: re.Pattern[str], text: str) -> str:
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
    decode_run = partial(_decode_run, errors=errors if isinstance(encoded, str) else "surrogateescape")
    return _apply(encoded, partial(re.sub, one_or_more(ESCAPED), decode_run))


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


@overload
def repair(reference: AnyStr | Reference[AnyStr]) -> AnyStr: ...
@overload
def repair(reference: BytesLike | Reference[bytes]) -> bytes: ...
def repair(reference: ReferenceLike) -> str | bytes:  # type: ignore[misc]  # as in `urisect.split`
    """Make any text a valid reference: encode each character that is not allowed (RFC 3986, 2.1, 2.4, Appendix A).

    The text is split by `split`. Nothing is encoded but characters that their component does not allow, and each "%"
    that does not begin an escape. If the scheme is invalid, its ":" is encoded; so are the ":" of an invalid port, and
    every "@" of an authority but the last. Brackets stay around an IP literal only. Repairing twice changes nothing.

    Args:
        reference: the text, str or bytes-like, or a `Reference`.

    Returns:
        The reference, str for str, and bytes for anything bytes-like; the same object if it is valid.

    Raises:
        TypeError: the argument is not a text.

    >>> repair("http://h/50% of café|#a#b"), repair("1a:b"), repair(b"//h:8O/[x]")
    ('http://h/50%25%20of%20caf%C3%A9%7C#a%23b', '1a%3Ab', b'//h%3A8O/%5Bx%5D')
    """
    text_type = type(reference)
    # mypy does not narrow the type by `text_type`.
    if (text_type is str and _match_valid(reference)) or (  # type: ignore[arg-type]
        text_type is bytes and _match_valid_bytes(reference)  # type: ignore[arg-type]
    ):
        return reference  # type: ignore[return-value]
    return _apply(text_of(reference, "repair()"), _repair)


def _valid_reference() -> str:
    """Write the expression of a valid reference (RFC 3986, Appendix A) without an IP-literal.

    Most references are valid, and few hosts are literals: a single match shows that there is nothing to repair.
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
    """Compile the expression for str on first use, as `urisect.split` does."""
    global _match_valid  # noqa: PLW0603
    _match_valid = compile_for(str, _valid_reference()).fullmatch
    return _match_valid(text)


def _first_match_bytes(text: bytes) -> re.Match[bytes] | None:
    """Compile the expression for bytes on first use."""
    global _match_valid_bytes  # noqa: PLW0603
    _match_valid_bytes = compile_for(bytes, _valid_reference()).fullmatch
    return _match_valid_bytes(text)


_match_valid: Callable[[str], re.Match[str] | None] = _first_match
_match_valid_bytes: Callable[[bytes], re.Match[bytes] | None] = _first_match_bytes


def _repair(text: str) -> str:
    scheme, authority, path, query, fragment = split(text)
    if scheme is not None and not re.fullmatch(SCHEME, scheme):
        # Not a scheme, so this is a relative reference, and its path begins here.
        path = recompose(Reference(scheme, authority, path, None, None))
        scheme = authority = None
    if scheme is None:
        path = encode_first_segment_colons(path)
    return recompose(
        Reference(
            scheme,
            authority and _repair_authority(authority),
            _repairer("path")(path),
            query and _repairer("query")(query),
            fragment and _repairer("fragment")(fragment),
        )
    )


def _repair_authority(authority: str) -> str:
    userinfo, host, port = split_authority(authority)
    if port is not None and not re.fullmatch(PORT, port):
        host, port = f"{host}:{port}", None
    before = "" if userinfo is None else f"{_repairer('userinfo')(userinfo)}@"
    after = "" if port is None else f":{port}"
    return f"{before}{host if is_ip_literal(host) else _repairer('host')(host)}{after}"


@cache
def _repairer(component: str) -> Callable[[str], str]:
    """Return a function that encodes each character a component does not allow, and keeps escapes."""
    return partial(_escape_runs, re.compile(one_or_more(f"[^{_CHARACTERS[component]}%]++|(?!{ESCAPED})%")))
