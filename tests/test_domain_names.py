"""Hosts by IDNA 2008 and UTS #46: whole names, single labels, and what must not be touched."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import sizes
from urisect.domain_names import to_ascii, to_unicode
from urisect.extras import MissingExtraError

# RFC 3987, 3.2.1 and 7.1; UTS #46, 4.3 and 7; RFC 3492, 7.1.
CONVERTED = {
    "bücher.example": "xn--bcher-kva.example",
    "Bücher.Example": "xn--bcher-kva.Example",
    "BÜCHER.EXAMPLE.": "xn--bcher-kva.EXAMPLE.",
    "faß.de": "xn--fa-hia.de",  # nontransitional: "ß" is a letter of its own
    "βόλος.com": "xn--nxasmm1c.com",
    "ශ්‍රී.com": "xn--10cl1a0b660p.com",
    "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com": "xn--mgba3gch31f060k.com",
    "納豆.example.org": "xn--99zt52a.example.org",
    "日本語。ｊｐ": "xn--wgv71a119e.jp",
    "日本語．jp｡": "xn--wgv71a119e.jp.",
    "ｅｘａｍｐｌｅ.com": "example.com",
    "a_b.bücher.example": "a_b.xn--bcher-kva.example",
    "%41.bücher..example": "%41.xn--bcher-kva..example",
    "bu\u0308cher.example": "xn--bcher-kva.example",
    "bü\u00adcher.example": "xn--bcher-kva.example",
}

UNTOUCHED = [
    *("", ".", "localhost", "EXAMPLE.com", "a_b.example", "a..b", "-a-.b", "192.0.2.7", "0x7f.1", "%C3%BC.example"),
    *("[::1]", "[v1.a:b]", "[fe80::1%25ü]", "[", "a b", "xn--bcher-kva.example", "a" * 300, "a\n"),
]

REJECTED = {
    "ex ämple.org": "Codepoint U+0020",
    "a／ü.example": "U+FF0F",
    "ａ％41.example": "U+FF05",
    "-ü.example": "hyphen",
    "\u202eü.example": "U+202E",
    "ü\ud800.example": "U+D800",
    "\ue000.example": "U+E000",
    "\u0300.example": "combining",
    "\u00ad.example": "Empty",
    "☃.example": "U+2603",
    "ü" * 63 + ".example": "Label too long",
    "ｘｎ--a.example": "U+0080",
    "١٢٧.example": "directionality",
}


@pytest.mark.parametrize(("host", "name"), CONVERTED.items())
def test_a_name_becomes_ascii(host: str, name: str) -> None:
    assert to_ascii(host) == name
    assert to_ascii(to_unicode(name)) == name


@pytest.mark.parametrize("host", UNTOUCHED)
def test_ascii_and_literals_stay(host: str) -> None:
    assert to_ascii(host) is host


@pytest.mark.parametrize(("host", "reason"), REJECTED.items())
def test_a_wrong_label_is_named(host: str, reason: str) -> None:
    label = host.split(".", maxsplit=1)[0]
    with pytest.raises(ValueError, match=r"^the label '") as caught:
        to_ascii(host)
    message = str(caught.value)
    assert message.startswith(f"the label {label!r}" if len(label) < 63 else "the label 'üüü")
    assert reason in message
    assert message.endswith("; write the name as it is registered, or do without IDNA")
    assert type(caught.value) is ValueError


def test_a_host_of_one_label_is_named_once() -> None:
    with pytest.raises(ValueError, match=r"^the label '☃' is not valid in a domain name: "):
        to_ascii("☃")


def test_a_long_name_is_rejected() -> None:
    assert len(to_ascii("ü." + "a" * 245 + ".")) == 254
    with pytest.raises(ValueError, match=r"… has 254 characters in ASCII; a domain name has at most 253 in ASCII$"):
        to_ascii("ü." + "a" * 246)
    with pytest.raises(ValueError, match=r"… has 10,000,000 characters; a domain name has at most 253 in ASCII$"):
        to_ascii("ü" * 10_000_000)


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("XN--BCHER-KVA.Example", "bücher.Example"),
        ("xn--a.example", "xn--a.example"),
        ("xn--.xn--bcher-kva", "xn--.bücher"),
        ("xn--Bcher-Kva.", "bücher."),
        ("xn--fuball-cta", "fußball"),
        ("xn--bcher-kva8445foa", "xn--bcher-kva8445foa"),  # fullwidth letters, which UTS #46 maps to others
        ("xn--n3h.example", "xn--n3h.example"),  # a snowman, which IDNA 2008 has no label for
        ("xn--" + "a" * 100, "xn--" + "a" * 100),
        ("xn--ü", "xn--ü"),
        ("[xn--bcher-kva]", "[xn--bcher-kva]"),
        ("axn--bcher-kva", "axn--bcher-kva"),
        ("a_b.xn--bcher-kva", "a_b.bücher"),
    ],
)
def test_a_label_becomes_unicode_if_it_converts_back(name: str, host: str) -> None:
    assert to_unicode(name) == host
    assert to_unicode(host) is host


labels = st.text("aü-.ß日.。\u200d\u00ad_١") | st.text(st.characters(exclude_categories=()), max_size=8)


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(labels)
def test_what_converts_converts_back(host: str) -> None:
    try:
        name = to_ascii(host)
    except ValueError:
        return
    assert to_ascii(name) is name
    if not host.startswith("["):
        assert name.isascii()
        assert to_ascii(to_unicode(name)).lower() == name.lower()


@given(st.text("xn-abc123.X", min_size=1).map("xn--{}".format))
def test_every_name_survives_the_way_to_unicode_and_back(name: str) -> None:
    assert to_ascii(to_unicode(name)).lower() == name.lower()


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "idna", None)
    for convert, host in ((to_ascii, "ü"), (to_unicode, "xn--tda")):
        assert convert("example.com") == "example.com"
        with pytest.raises(MissingExtraError, match=r"^a host by IDNA needs idna, .* 'urisect\[idna\]' brings it$"):
            convert(host)


def test_idna_is_imported_for_the_first_host_beyond_ascii() -> None:
    program = (
        "import sys; from urisect.iri import to_iri, to_uri; to_uri('http://h/é', idna=True); "
        "to_iri('http://h/%C3%A9', idna=True); assert 'idna' not in sys.modules; "
        "to_uri('http://é/', idna=True); assert 'idna' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
