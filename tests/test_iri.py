"""IRIs to URIs and back (RFC 3987, 3): the document's examples, and laws over any text and any bytes."""

import re
import sys
import unicodedata
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.grammars import GRAMMARS, derive
from urisect import compose, normalize, split
from urisect.iri import _INVISIBLE, _MAX_CACHED, to_iri, to_uri
from urisect.specs import RFC3986, RFC3987

# RFC 3987, 3.1, 3.2.1 and 4.4, and what the sections say in words. Escapes stay as they are written, so those that the
# document writes in upper case anew are here as they were.
TO_URI = {
    "http://r\xe9sum\xe9.example.org": "http://r%C3%A9sum%C3%A9.example.org",
    "http://www.example.org/red%09ros\xe9#red": "http://www.example.org/red%09ros%C3%A9#red",
    "http://example.com/\U00010300\U00010301\U00010302": "http://example.com/%F0%90%8C%80%F0%90%8C%81%F0%90%8C%82",
    "http://www.example.org/Dürst%20|<>": "http://www.example.org/D%C3%BCrst%20|<>",
    "/e\u0301": "/e%CC%81",  # no normalization: 3.1, step 1c
    "/?\ue000": "/?%EE%80%80",
    "/\udce9": "/%E9",
    "/\u200f\u2028": "/%E2%80%8F%E2%80%A8",
    "/\x85\ufffe\ufdd0\ud800é": "/\x85\ufffe\ufdd0\ud800%C3%A9",  # in no IRI
}
TO_IRI = {
    "http://www.example.org/D%C3%BCrst": "http://www.example.org/Dürst",
    "http://www.example.org/D%FCrst": "http://www.example.org/D%FCrst",
    "http://xn--99zt52a.example.org/%e2%80%ae": "http://xn--99zt52a.example.org/%e2%80%ae",
    "http://www.example.org/%2F%41%7e%25%c3%a9%2f": "http://www.example.org/%2F%41%7e%25é%2f",
    "/%C3%C3%A9%A9%E2%82": "/%C3é%A9%E2%82",
    "/%C0%AF%ED%A0%80%F5%80%80%80": "/%C0%AF%ED%A0%80%F5%80%80%80",
    "/%F0%9F%98%80%EF%B8%8F%e2%80%8d": "/\U0001f600%EF%B8%8F%e2%80%8d",
    "/%C2%A0%C2%85%E3%80%80%EF%BB%BF%E2%80%8B": "/%C2%A0%C2%85%E3%80%80%EF%BB%BF%E2%80%8B",
    "//%C3%A9@%C3%A9:/%C3%A9?%C3%A9#%C3%A9": "//é@é:/é?é#é",
    "/%EE%80%80?%EE%80%80#?%EE%80%80": "/%EE%80%80?\ue000#?%EE%80%80",
    "#?%EE%80%80": "#?%EE%80%80",
    "/%CC%81%%C3%A9%4%C3%A9": "/\u0301%é%4é",
    "/é%C3%A9": "/éé",
    "/%": "/%",
}

randoms = st.randoms(use_true_random=True)
escaped = st.lists(
    st.sampled_from(
        ["/", "?", "#", "//", "a", "%41", "%2f", "%", "%C3%A9", "%c3", "%A9", "%e2%80%ae", "%EE%80%80", "%FF"]
    )
    | st.characters(exclude_categories=()).map(lambda character: quote(character, errors="surrogatepass"))
).map("".join)
any_text = naive.texts | naive.octets | escaped | escaped.map(lambda text: text.encode("utf-8", "surrogatepass"))


def to_str(text: Any) -> str:
    return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(("iri", "uri"), TO_URI.items())
def test_an_iri_becomes_a_uri(iri: str, uri: str) -> None:
    assert to_uri(iri) == uri


@pytest.mark.parametrize(("uri", "iri"), TO_IRI.items())
def test_a_uri_becomes_an_iri(uri: str, iri: str) -> None:
    assert to_iri(uri) == iri


@pytest.mark.parametrize("thing", [b"/\xc3\xa9\xff", bytearray(b"/\xc3\xa9\xff"), memoryview(b"/\xc3\xa9\xff")])
def test_bytes_are_utf_8(thing: Any) -> None:
    assert to_uri(thing) == b"/%C3%A9%FF"
    assert to_iri(bytearray(b"/%C3%A9\xff%41")) == b"/\xc3\xa9\xff%41"
    assert to_uri(split("/é")) == "/%C3%A9"
    assert to_iri(split(b"/%C3%A9")) == "/é".encode()


def test_another_type_is_rejected() -> None:
    for convert in (to_uri, to_iri):
        with pytest.raises(TypeError, match=rf"^{convert.__name__}\(\) takes .* not int$"):
            convert(1)  # type: ignore[call-overload]


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(randoms)
def test_a_valid_iri_becomes_a_valid_uri(random: Random) -> None:
    iri = derive(GRAMMARS["rfc3987"]("IRI-reference"), random)
    uri = to_uri(iri)
    assert RFC3986.is_valid(uri)
    assert to_uri(iri.encode()) == uri.encode()
    assert (uri is iri) is iri.isascii()
    assert RFC3987.is_valid(to_iri(uri))


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(any_text)
@example("//%C3%A9?%F3%B0%80%80%EE%80#%EE%80%80")
def test_the_way_to_an_iri_and_back(text: Any) -> None:
    """Only the case of the escapes that were decoded changes, and nothing at all if it is upper case."""
    uri, iri = to_uri(text), to_iri(text)
    assert to_uri(uri) is uri
    assert to_iri(iri) is iri
    assert type(uri) is type(iri) is type(text)
    assert to_iri(uri) == to_iri(to_uri(iri))
    upper = re.sub("%[89A-Fa-f][0-9A-Fa-f]", lambda escape: escape[0].upper(), to_str(uri))
    assert re.sub("%[89A-Fa-f][0-9A-Fa-f]", lambda escape: escape[0].upper(), to_str(to_uri(iri))) == upper
    assert normalize(to_uri(iri)) == normalize(uri)
    if to_str(uri) == upper:
        assert to_uri(iri) == uri


def ascii_part(text: Any) -> str:
    """Return the characters of ASCII in a text, without the escapes of others."""
    return "".join(filter(str.isascii, re.sub("%[89A-Fa-f][0-9A-Fa-f]", "", to_str(text))))


@given(any_text)
def test_what_is_ascii_stays(text: Any) -> None:
    assert ascii_part(to_uri(text)) == ascii_part(to_iri(text)) == ascii_part(text)


@given(any_text)
def test_an_iri_is_escaped_like_its_bytes(text: Any) -> None:
    if isinstance(text, bytes):
        assert to_uri(text) == to_uri(to_str(text)).encode("utf-8", "surrogateescape")
        assert to_iri(text) == to_iri(to_str(text)).encode("utf-8", "surrogateescape")


def test_long_runs_are_converted_like_short_ones() -> None:
    for length in (_MAX_CACHED, _MAX_CACHED + 1, 100 * _MAX_CACHED):
        assert to_uri("é\x85" * length) == "%C3%A9\x85" * length
        assert to_iri("%C3%A9%c2%85" * length) == "é%c2%85" * length


@pytest.mark.slow
def test_characters_without_a_shape_stay_escaped() -> None:
    invisible = re.compile(f"[{_INVISIBLE}]").fullmatch
    for code in range(0x80, sys.maxunicode + 1, sizes.choose(full=3, quick=37)):
        character = chr(code)
        uri = f"/{quote(character, errors='surrogatepass')}"
        stays = not RFC3987.is_valid(f"/{character}") or invisible(character)
        assert to_iri(uri) == (uri if stays else f"/{character}")
        assert stays or unicodedata.category(character) not in {"Zs", "Zl", "Zp", "Cf", "Cc", "Cs", "Co"}
        assert to_uri(f"/{character}") == (uri if RFC3987.is_valid(f"/?{character}") else f"/{character}") or (
            "\udc80" <= character <= "\udcff"
        )


# Hosts by IDNA.


@pytest.mark.parametrize(
    ("iri", "uri"),
    [
        ("http://bücher.example/ü?ü#ü", "http://xn--bcher-kva.example/%C3%BC?%C3%BC#%C3%BC"),
        ("//ü@bücher.example:80", "//%C3%BC@xn--bcher-kva.example:80"),
        ("//a@b@bücher.example:80:81", "//a@b@xn--bcher-kva.example:80:81"),
        ("http://b%C3%BCcher.example/%C3%BC", "http://xn--bcher-kva.example/%C3%BC"),
        ("http://b%c3%bccher.%41/", "http://xn--bcher-kva.%41/"),
        ("http://納豆.example.org/%E2%80%AE", "http://xn--99zt52a.example.org/%E2%80%AE"),
        ("http://h%FF/é", "http://h%FF/%C3%A9"),
        ("http://h%41/", "http://h%41/"),
        ("http://[fe80::1%25é]/", "http://[fe80::1%25%C3%A9]/"),
        ("http://192.0.2.7/é", "http://192.0.2.7/%C3%A9"),
        ("mailto:é@bücher.example", "mailto:%C3%A9@b%C3%BCcher.example"),
        ("é%C3%A9", "%C3%A9%C3%A9"),
        ("http://a_b.example/%", "http://a_b.example/%"),
    ],
)
def test_a_host_becomes_ascii_by_idna(iri: str, uri: str) -> None:
    assert to_uri(iri, idna=True) == uri
    assert to_uri(iri.encode(), idna=True) == uri.encode()
    assert to_uri(uri, idna=True) is uri
    assert to_uri(to_iri(uri, idna=True), idna=True) == uri


@pytest.mark.parametrize(
    ("uri", "iri"),
    [
        ("http://xn--99zt52a.example.org/%e2%80%ae", "http://納豆.example.org/%e2%80%ae"),
        ("//%C3%A9@XN--BCHER-KVA:80/", "//é@bücher:80/"),
        ("http://xn--n3h.example/", "http://xn--n3h.example/"),
        ("http://xn--a/xn--bcher-kva", "http://xn--a/xn--bcher-kva"),
    ],
)
def test_a_host_becomes_unicode_by_idna(uri: str, iri: str) -> None:
    assert to_iri(uri, idna=True) == iri
    assert to_iri(uri.encode(), idna=True) == iri.encode()


def test_a_host_that_is_no_domain_name_is_rejected() -> None:
    for iri in ("http://ü b/", "http://\u202eü/", "http://a%20ü/", "http://ü%FF/", "http://ü\udcff/"):
        with pytest.raises(ValueError, match="is not valid in a domain name"):
            to_uri(iri, idna=True)


@given(any_text)
def test_with_idna_only_the_host_differs(text: Any) -> None:
    try:
        uri = to_uri(text, idna=True)
    except ValueError:
        return
    assert [*split(uri)][2:] == [*split(to_uri(text))][2:]
    assert to_uri(to_iri(uri, idna=True), idna=True).lower() == uri.lower()


def test_compose_converts_a_host_by_idna() -> None:
    assert compose(host="münchen.de", idna=True) == "//xn--mnchen-3ya.de"
    assert compose(host="münchen.de") == "//m%C3%BCnchen.de"
    assert compose(host="münchen.de".encode(), port=80, idna=True) == b"//xn--mnchen-3ya.de:80"
    assert compose(host="::1", idna=True) == "//[::1]"
    assert compose(host="a b", idna=True) == "//a%20b"
    with pytest.raises(ValueError, match="is not valid in a domain name"):
        compose(host="ü b", idna=True)
