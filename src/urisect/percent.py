"""Encode and decode percent-encoded text, and repair references (RFC 3986, 2).

Text is encoded as UTF-8. Bytes that are not UTF-8 are represented in str as lone surrogates from U+DC80 to U+DCFF
("surrogateescape", PEP 383).
"""

import re
from collections.abc import Callable
from functools import cache, partial
from typing import AnyStr, overload

from urisect.address import is_ip_literal
from urisect.characters import ESCAPED, PORT, SCHEME
from urisect.escapes import CHARACTERS, apply_to_text, decode, encode, escape_runs
from urisect.paths import encode_first_segment_colons
from urisect.reference import Reference, ReferenceLike, recompose, split, split_authority, text_of
from urisect.repetition import one_or_more, unrolled_loop
from urisect.text_types import BytesLike, compile_for

__all__ = ["decode", "encode", "repair"]


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
    return apply_to_text(text_of(reference, "repair()"), _repair)


def _valid_reference() -> str:
    """Write the expression of a valid reference (RFC 3986, Appendix A) without an IP-literal.

    Most references are valid, and few hosts are literals: a single match shows that there is nothing to repair.
    """
    host = unrolled_loop(f"[{CHARACTERS['host']}]", ESCAPED)
    userinfo = unrolled_loop(f"[{CHARACTERS['userinfo']}]", ESCAPED)
    path_and_query = unrolled_loop(f"[{CHARACTERS['query']}]", ESCAPED)
    fragment = unrolled_loop(f"[{CHARACTERS['fragment']}]", ESCAPED)
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
    return partial(escape_runs, re.compile(one_or_more(f"[^{CHARACTERS[component]}%]++|(?!{ESCAPED})%")))
