"""Base URIs of documents and messages, and links of HTML pages: every attribute, hostile pages."""

import copy
import email
import email.policy
import pickle
import sys
from collections import deque
from email.message import EmailMessage, Message
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import resolve, split
from urisect.document import Link, base_uri, links, parts
from urisect.document.attributes import LINK_ATTRIBUTES
from urisect.resolution import Base

PAGE = Path(__file__).with_name("page.html").read_bytes()
SITE = "http://h.example/site/page/"

# The links of the page: element, attribute, target, and the reference if it is not the end of the target.
PAGE_LINKS = [
    ("html", "manifest", "http://h.example/dir/offline.appcache"),
    ("head", "profile", "http://profile.example/a"),
    ("head", "profile", f"{SITE}b"),
    ("meta", "content", f"{SITE}next?a=1&b=2"),
    ("link", "href", f"{SITE}style.css"),
    ("link", "imagesrcset", f"{SITE}l1.png"),
    ("link", "imagesrcset", f"{SITE}l2.png"),
    ("script", "src", f"{SITE}app.js"),
    ("body", "background", f"{SITE}paper.gif"),
    ("a", "href", "http://h.example/site/up", "../up"),
    ("a", "ping", "http://h.example/p1"),
    ("a", "ping", "http://h.example/p2"),
    ("a", "href", SITE, ""),
    ("a", "href", f"{SITE}#top"),
    ("a", "href", "mailto:fred@example.com"),
    ("a", "href", "javascript:go()", "java\nscript:go()"),
    ("a", "href", "http://other.example"),
    ("area", "href", f"{SITE}area"),
    ("area", "ping", "http://h.example/p3"),
    ("img", "src", f"{SITE}i.png"),
    ("img", "srcset", f"{SITE}a,b.png"),
    ("img", "srcset", "data:,c"),
    ("img", "srcset", f"{SITE}d.png"),
    ("img", "srcset", f"{SITE}e.png"),
    ("img", "longdesc", f"{SITE}long"),
    ("img", "usemap", f"{SITE}#map"),
    ("source", "srcset", f"{SITE}s.webp"),
    ("video", "poster", f"{SITE}v.jpg"),
    ("video", "src", f"{SITE}v.webm"),
    ("source", "src", f"{SITE}s.mp4"),
    ("track", "src", f"{SITE}t.vtt"),
    ("audio", "src", f"{SITE}a.ogg"),
    ("iframe", "src", f"{SITE}frame"),
    ("iframe", "longdesc", f"{SITE}about-frame"),
    ("embed", "src", f"{SITE}e.swf"),
    ("form", "action", "http://h.example/act"),
    ("input", "src", f"{SITE}in.png"),
    ("input", "formaction", "http://h.example/in"),
    ("input", "usemap", f"{SITE}#in"),
    ("button", "formaction", f"{SITE}?b"),
    ("blockquote", "cite", f"{SITE}c1"),
    ("q", "cite", f"{SITE}c2"),
    ("ins", "cite", f"{SITE}c3"),
    ("del", "cite", f"{SITE}c4"),
    ("object", "data", f"{SITE}code/o.data"),
    ("object", "archive", f"{SITE}code/o1.zip"),
    ("object", "archive", f"{SITE}code/o2.zip"),
    ("object", "codebase", f"{SITE}code/"),
    ("object", "classid", "clsid:1"),
    ("object", "usemap", f"{SITE}#o"),
    ("object", "data", f"{SITE}o.plain"),
    ("applet", "archive", "http://h.example/java/x.jar"),
    ("applet", "archive", "http://h.example/java/y.jar"),
    ("applet", "codebase", "http://h.example/java/"),
    ("table", "background", f"{SITE}t.gif"),
    ("th", "background", f"{SITE}th.gif"),
    ("td", "background", f"{SITE}td.gif"),
    ("command", "icon", f"{SITE}command.png"),
    ("menuitem", "icon", f"{SITE}item.png"),
    ("script", "xlink:href", f"{SITE}svg.js"),
    ("a", "href", f"{SITE}sa"),
    ("a", "xlink:href", f"{SITE}sb"),
    ("use", "xlink:href", f"{SITE}#u"),
    ("image", "href", f"{SITE}pic.svg"),
    ("a", "href", f"{SITE}noscript"),
    ("a", "href", f"{SITE}unclosed"),
]

# A srcset, and its URLs by the algorithm of the HTML Standard.
SRCSETS = {
    "": [],
    " , ,, ": [],
    "a": ["a"],
    "a,": ["a"],
    "a,,,": ["a"],
    "a, b": ["a", "b"],
    "a,b": ["a,b"],
    "a 1x,b 2x": ["a", "b"],
    "a 1x,,b": ["a", "b"],
    "\fa\t1x\n,\rb": ["a", "b"],
    "a (1,2),b": ["a", "b"],
    "a x(1,2)y,b": ["a", "b"],
    "a (1,2 b, c": ["a"],
    "a ((1,2),b": ["a", "b"],
    "a 1x), b": ["a", "b"],
    "a(,b c": ["a(,b"],
    "a(1,2) 1x, b": ["a(1,2)", "b"],
    "data:text/plain,x 1x": ["data:text/plain,x"],
    "a\u00a0b": ["a\u00a0b"],
}

# The content of a refresh, and the reference in it by the HTML Standard, 4.2.5.3.
REFRESHES = {
    "": None,
    "5": None,
    "5;": None,
    "5; url=": None,
    "5; url=''": None,
    "url=a": None,
    ";url=a": None,
    "x;url=a": None,
    "-1;url=a": None,
    "٣;url=a": None,
    "5x;url=a": None,
    "5url=a": None,
    "5;a": "a",
    "5 a": "a",
    "5,a": "a",
    " 5 ; a ": "a",
    "5;;a": ";a",
    ".;a": "a",
    ".5;a": "a",
    "5.5.5;a": "a",
    "0;URL = a b": "a b",
    "0;url='a'b": "a",
    "0;url='a": "a",
    '0;url="a\'b"c': "a'b",
    "0;'a'": "a",
    "0;url=\n'a'": "a",
    "0;urla": "urla",
    "0;ur='a'": "ur='a'",
    "0;url 'a'": "url 'a'",
    "0;url=url=a": "url=a",
    "0;url=a\nb": "a\nb",
}

# Pages, and the base that each declares.
BASES = {
    "": None,
    "<base>": None,
    "<base target=_top><base href=/b>": "http://h.example/b",
    "<base href=/b><base href=/c>": "http://h.example/b",
    "<base href=/b#f>": "http://h.example/b",
    "<base href='\n /b\t/c '>": "http://h.example/b/c",
    "<base href=/b/%41/../c>": "http://h.example/b/c",
    "<BASE HREF=?q>": "http://h.example/dir/doc?q",
    "<base href=''>": "http://h.example/dir/doc?x",
    "<base href>": "http://h.example/dir/doc?x",
    "<base href=urn:x>": "urn:x",
    "<base href=data:,x><base href=/b>": None,
    "<base href=' JavaScript:x'>": None,
    "<base href=/a&amp;b>": "http://h.example/a&b",
    "<body><p><base href=/b>": "http://h.example/b",
    "<!-- <base href=/b> -->": None,
    "<script><base href=/b></script>": None,
    "<style><base href=/b></style>": None,
    "<title><base href=/b></title>": None,
    "<textarea><base href=/b></textarea>": None,
    "<iframe><base href=/b></iframe>": None,
    "<noscript><base href=/b></noscript>": "http://h.example/b",
    "<template><base href=/b></template><base href=/c>": "http://h.example/c",
    "<template><template></template><base href=/b></template>": None,
    "<template shadowrootmode=open><base href=/b></template>": None,
    "<svg><base href=/b></svg><base href=/c>": "http://h.example/c",
    "<a title='<base href=/b>'>": None,
    "<base href=/b": None,
}

MESSAGE = b"""\
Content-Type: multipart/mixed; boundary=1
Content-Location: http://outer.example/a/

--1
Content-Type: text/html
Content-Transfer-Encoding: base64

PGJhc2UgaHJlZj0ieC8iPg==
--1
Content-Type: multipart/related; boundary=2
Content-Base: http://in
 ner.example/b/
Content-Location: http://unused.example/

--2
Content-Type: text/plain
Content-Location: c/

<base href="http://text.example/">
--2
Content-Type: text/html; charset=utf-16le
Content-Base: not-absolute

%s
--2--

--1
Content-Type: message/rfc822

Content-Location: ../d/#e

one
--1
Content-Type: text/html

--1--
"""


def as_tuple(link: Link) -> tuple[str, str, str, str]:
    return link.element, link.attribute, str(link), link.reference


@pytest.mark.parametrize("html", [PAGE, PAGE.decode(), bytearray(PAGE), memoryview(PAGE)], ids=type)
@pytest.mark.parametrize(
    "base", ["http://h.example/dir/doc#f", split("http://h.example/dir/doc"), Base("http://h.example/dir/doc")]
)
def test_every_link_of_a_page(html: Any, base: Any) -> None:
    found = list(links(html, base))
    assert [as_tuple(link)[:3] for link in found] == [expected[:3] for expected in PAGE_LINKS]
    for link, (_, _, target, *reference) in zip(found, PAGE_LINKS, strict=True):
        assert [link.reference] == reference or (not reference and target.endswith(link.reference))


def test_the_page_contains_every_attribute_of_the_table() -> None:
    found = {(link.attribute, link.element) for link in links(PAGE, SITE)}
    listed = {
        (attribute, name.removeprefix("svg:")) for attribute, names, _ in LINK_ATTRIBUTES for name in names.split()
    }
    not_in_one_page = {
        ("href", "script"),
        ("href", "use"),
        ("xlink:href", "image"),
        ("src", "frame"),
        ("longdesc", "frame"),
    }
    assert found == listed - not_in_one_page


def test_links_that_do_not_fit_into_the_page() -> None:
    page = "<frameset><frame src=a longdesc=b></frameset>"
    assert list(links(page, SITE)) == [f"{SITE}a", f"{SITE}b"]
    page = "<svg><script href=a></script><use href=b /><image xlink:href=c />"
    assert list(links(page, SITE)) == [f"{SITE}a", f"{SITE}b", f"{SITE}c"]


@pytest.mark.parametrize(("value", "urls"), SRCSETS.items())
def test_srcset(value: str, urls: list[str]) -> None:
    for page in (f'<img srcset="{value}">', f'<link imagesrcset="{value}">'):
        assert [link.reference for link in links(page, SITE)] == urls


@pytest.mark.parametrize(("content", "reference"), REFRESHES.items())
def test_refresh(content: str, reference: str | None) -> None:
    value = content.replace('"', "&quot;")
    found = [link.reference for link in links(f'<meta http-equiv=REFRESH content="{value}">', SITE)]
    assert found == ([] if reference is None else [reference])


def test_a_codebase_may_follow_and_may_be_relative() -> None:
    page = "<base href=/b/><object archive='a /b' codebase='\n../c/' data=d usemap=m>"
    assert list(links(page, "http://h.example/")) == [
        "http://h.example/c/a",
        "http://h.example/b",
        "http://h.example/c/",
        "http://h.example/c/d",
        "http://h.example/b/m",
    ]


def test_an_anchor_that_is_twice_in_the_tree_is_one_link() -> None:
    page = "<a href=x><p>1</a>2<p>3<table><a href=x>4<tr><td><a href=y>5</table>6"
    assert sorted(links(page, "http://h.example/")) == [
        "http://h.example/x",
        "http://h.example/x",
        "http://h.example/y",
    ]


# Elements, and the text of their link.
TEXTS = {
    "<a href=x></a>": "",
    "<a href=x>A</a> b": "A",
    "<a href=x>\n A\t\f B\r\n</a>": "A B",
    "<a href=x>A  B</a>": "A B",
    "<a href=x>\u00a0A\u00a0\u2003B\x0b</a>": "\u00a0A\u00a0\u2003B\x0b",
    "<a href=x>A<b>B<i>C</i></b><br>D<!--e--><img alt=F></a>": "ABCD",
    "<a href=x>&eacute;&lt;\ud800</a>": "é<\ud800",
    "<a href=x><h2>A</h2><p>B</p></a>": "AB",
    "<a href=x>A<template>B</template></a>": "A",
    "<a href=x ping=y>A</a>": "A A",
    "<a href=x>A": "A",
    "<a href=x>A<p>B</a>C": "AB",
    "<a href=x><div>A</a></div>B": "A",
    "<a href=x>A<a href=y>B</a>C": "A B",
    "<a href=x>A<object><a href=y>B</a>C</object>D</a>": "ACD B",
    "<a href=x>A<table><a href=y>B</table>C": "A BC",
    "<table><tr><td><a href=x>A</a></td></tr><a href=y>B</a></table>": "B A",
    "<a>A<object><a href=y>B": "B",
    "<svg><a xlink:href=x href=y>A<title>B</title><![CDATA[C]]></a></svg>": "ABC ABC",
    "<svg><a href=x>A<a href=y>B</a>C</a></svg>": "AC B",
    "<svg><img><a href=x>A</a></svg>": "A",
    "<math><a href=x>A</a></math><a href=y>B</a>": "B",
    "<map><area href=x alt=' A \n B '>C</map>": "A B",
    "<img src=x alt=A title=B>": "A",
    "<input type=image src=x alt=A>": "A",
    "<img src=x>": "",
    "<q cite=x>A</q><iframe src=x>A</iframe><body background=x>": "  ",
}


@pytest.mark.parametrize(("page", "expected"), TEXTS.items())
def test_the_text_of_a_link(page: str, expected: str) -> None:
    assert " ".join(link.text for link in links(page, SITE)) == expected


# Pages with one link, its link types, and whether it is nofollow.
RELS: dict[str, tuple[tuple[str, ...], bool]] = {
    "<a href=x>": ((), False),
    "<a href=x rel>": ((), False),
    "<a href=x rel=''>": ((), False),
    "<a href=x rel='\n Next\tNOFOLLOW\fnext '>": (("next", "nofollow", "next"), True),
    "<a href=x rel='nofollow\u00a0a'>": (("nofollow\u00a0a",), False),
    "<a href=x rel='ugc,nofollow,a'>": (("ugc,nofollow,a",), True),
    "<a href=x rel='nofollowed no-follow none'>": (("nofollowed", "no-follow", "none"), False),
    "<area href=x rel=nofollow>": (("nofollow",), True),
    "<link href=x rel=StyleSheet>": (("stylesheet",), False),
    "<form action=x rel=nofollow>": (("nofollow",), True),
    "<svg><a href=x rel=nofollow>": (("nofollow",), True),
    "<img src=x rel=nofollow>": ((), False),
    "<meta name=robots content=nofollow><img src=x>": ((), True),
    "<meta name=robots content=nofollow><a href=x rel=next>": (("next",), True),
    "<META NAME=' Robots ' CONTENT='NoIndex , NoFollow'><a href=x>": ((), True),
    "<meta name=robots content='noindex nofollow'><a href=x>": ((), True),
    "<meta name=robots content=' none '><a href=x>": ((), True),
    "<meta name=robots content=index><a href=x><meta name=robots content=none>": ((), True),
    "<meta name=robots content='noindex, follow, max-image-preview: none'><a href=x>": ((), False),
    "<meta name=robots><a href=x>": ((), False),
    "<meta name=googlebot content=nofollow><a href=x>": ((), False),
    "<meta name=description content=nofollow><a href=x>": ((), False),
    "<template><meta name=robots content=nofollow></template><a href=x>": ((), False),
}


@pytest.mark.parametrize(("page", "expected"), RELS.items())
def test_link_types_and_nofollow(page: str, expected: tuple[tuple[str, ...], bool]) -> None:
    (link,) = links(page, SITE)
    assert (link.rel, link.nofollow) == expected


def test_many_values_of_rel() -> None:
    page = "".join(f"<a href=x rel='{number} nofollow'>" for number in range(200))
    assert [link.rel[0] for link in links(page * 2, SITE)] == [*map(str, range(200))] * 2


def test_an_attribute_counts_once() -> None:
    assert list(links("<a href=a HREF=b>", SITE)) == [f"{SITE}a"]


@pytest.mark.parametrize(
    "html",
    [
        "<a href='é'>".encode(),
        "\ufeff<a href='é'>".encode(),
        "\ufeff<a href='é'>".encode("utf-16-le"),
        "\ufeff<a href='é'>".encode("utf-16-be"),
        "<meta charset=iso-8859-1><a href='é'>".encode("latin-1"),
        "<meta http-equiv=content-type content='text/html; charset=windows-1252'><a href='é'>".encode("latin-1"),
        b"<a href='&eacute;'>",
    ],
)
def test_bytes_are_decoded_in_their_declared_or_detected_encoding(html: bytes) -> None:
    assert list(links(html, SITE)) == [f"{SITE}é"]


# What is known about the encoding of "é": the bytes of the page, the given encoding, and what it is decoded to.
ENCODINGS: list[tuple[bytes, str | None, str]] = [
    (b"<a href='\xc3\xa9'>", None, "é"),
    (b"<a href='\xc3\xa9'>", "utf-8", "é"),
    (b"<a href='\xc3\xa9'>", " UTF8\n", "é"),
    (b"<a href='\xe9'>", "iso-8859-1", "é"),
    (b"<a href='\x80'>", "ISO_8859-1:1987", "€"),  # windows-1252, as browsers read it
    (b"<a href='\xe9'>", "koi8-r", "И"),
    (b"<a href='\xe9'>", "utf-8", "\ufffd"),
    (b"<a href='\xe9", "utf-8", ""),
    # A byte order mark, the given encoding, the declared one
    (b"\xef\xbb\xbf<meta charset=koi8-r><a href='\xc3\xa9'>", "windows-1251", "é"),
    ("\ufeff<meta charset=koi8-r><a href='é'>".encode("utf-16-le"), "utf-8", "é"),
    ("\ufeff<a href='é'>".encode("utf-16-be"), "utf-16le", "é"),
    (b"<meta charset=koi8-r><a href='\xe9'>", "windows-1251", "й"),
    (b"<meta charset=koi8-r><a href='\xe9'>", None, "И"),
    ("<a href='é'>".encode("utf-16-le"), "utf-16", "é"),
    # What is no encoding is ignored
    *((b"<meta charset=koi8-r><a href='\xe9'>", label, "И") for label in ("", "x", "rot13", "idna", "utf-7", "é")),
    *((b"<meta charset=koi8-r><a href='\xe9'>", label, "И") for label in ("\ud800", "x\0", "utf-8; x", "8" * 999)),
    # Declarations
    (b"<meta http-equiv=Content-Type content='text/html;charset=koi8-r'><a href='\xe9'>", None, "И"),
    (b"<meta content='text/html; charset=koi8-r'><a href='\xe9'>", None, "é"),
    (b"<meta charset=utf-16><a href='\xc3\xa9'>", None, "é"),
    (b"<meta charset=x-user-defined><a href='\xe9'>", None, "é"),
    (b"<a href='\xe9'>", "x-user-defined", "\uf7e9"),
    (b"<!--<meta charset=koi8-r>--><a href='\xe9'>", None, "é"),
    (b"<meta charset=x><META CHARSET='KOI8-R'><a href='\xe9'>", None, "И"),
    (b" " * 2_000 + b"<meta charset=koi8-r><a href='\xe9'>", None, "И"),
    (b"<?xml version='1.0' encoding='koi8-r'?><a href='\xe9'>", None, "И"),
    (b'<?xml version="1.0" encoding = "KOI8-R" ?><a href=\xe9>', None, "И"),
    (b"<?xml encoding='koi8-r'?><meta charset=windows-1251><a href='\xe9'>", None, "й"),
    (b"<?xml encoding='utf-16'?><a href='\xc3\xa9'>", None, "é"),
    (b"<?xml encoding='none'?><a href='\xe9'>", None, "é"),
    (b"<?xml ?>encoding='koi8-r'<a href='\xe9'>", None, "é"),
    ("<?xml version='1.0'?><a href='é'>".encode("utf-16-le"), None, "é"),
    ("<?xml version='1.0'?><a href='é'>".encode("utf-16-be"), None, "é"),
]


@pytest.mark.parametrize(("html", "encoding", "reference"), ENCODINGS)
def test_the_encoding_of_a_page(html: bytes, encoding: str | None, reference: str) -> None:
    assert [link.reference for link in links(html, SITE, encoding=encoding)] == [reference] * bool(reference)
    if b"<a " in html:
        page = html.replace(b"<a ", b"<base ")
        assert base_uri(html=page, default=SITE, encoding=encoding) == SITE + reference


def test_the_encoding_of_text_does_not_matter() -> None:
    assert list(links("<meta charset=koi8-r><a href=é>", SITE, encoding="koi8-r")) == [f"{SITE}é"]


@pytest.mark.parametrize("encoding", [b"utf-8", 1])
def test_an_encoding_of_another_type_is_rejected(encoding: Any) -> None:
    message = f"takes an encoding as str, not {type(encoding).__name__}$"
    with pytest.raises(TypeError, match=rf"^links\(\) {message}"):
        links(b"", SITE, encoding=encoding)
    with pytest.raises(TypeError, match=rf"^base_uri\(\) {message}"):
        base_uri(encoding=encoding)


def test_no_bytes_are_an_empty_page() -> None:
    assert list(links(b"", SITE)) == []


def test_a_link_is_its_target_and_can_be_copied_and_pickled() -> None:
    (link,) = links("<a href=x rel=nofollow>y</a>", "http://h.example/")
    assert link == "http://h.example/x"
    assert f"<{link}>" == "<http://h.example/x>"
    assert {"http://h.example/x": 1}[link] == 1
    assert not hasattr(link, "__dict__")
    again = [pickle.loads(pickle.dumps(link, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]  # noqa: S301  made here
    for other in (*again, copy.copy(link), copy.deepcopy(link)):
        assert type(other) is Link
        assert as_tuple(other) == ("a", "href", "http://h.example/x", "x")
        assert (other.rel, other.text, other.nofollow) == (("nofollow",), "y", True)


@pytest.mark.parametrize(
    ("html", "base", "error", "message"),
    [
        ("", "relative", ValueError, "has a scheme"),
        ("", "", ValueError, "has a scheme"),
        ("", None, TypeError, "NoneType"),
        ("", b"http://h.example/", TypeError, "bytes"),
        (None, SITE, TypeError, r"^links\(\) takes .* not NoneType$"),
    ],
)
def test_links_checks_its_arguments_at_once(html: Any, base: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        links(html, base)


def test_a_lone_surrogate_in_an_attribute_name_does_not_hide_a_link() -> None:
    page = '<a ping="1 2" x\ud800=no \udcff href=3><svg><a \ud800 xlink:href=4 href=5 hr\ud800ef=no>'
    assert [(link.attribute, link.reference) for link in links(page, SITE)] == [
        ("ping", "1"),
        ("ping", "2"),
        ("href", "3"),
        ("xlink:href", "4"),
        ("href", "5"),
    ]
    assert base_uri(html="<base \ud800 href=/x>", default="http://h/") == "http://h/x"


@pytest.mark.parametrize("known", [{"html": ""}, {"html": b"<base href=/x>", "retrieval": SITE}])
def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch, known: Any) -> None:
    monkeypatch.setitem(sys.modules, "turbohtml", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'urisect\[html\]'"):
        base_uri(**known)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'urisect\[html\]'"):
        links("", SITE)
    assert base_uri(retrieval=SITE) == SITE


@pytest.mark.parametrize(("html", "expected"), BASES.items())
def test_the_base_of_a_page(html: str, expected: str | None) -> None:
    retrieval = "http://h.example/dir/doc?x"
    for page in (html, html.encode()):
        assert base_uri(html=page, retrieval=f"{retrieval}#f") == (expected or retrieval)
        assert base_uri(html=page) == (expected if "urn:" in html else None)
    assert next(links(f"<img src=g>{html}", retrieval)) == Base(expected or retrieval).resolve("g")


def test_the_innermost_known_base_is_used() -> None:
    layers: list[tuple[str, Any, str]] = [
        ("default", "http://default.example/", "http://default.example/"),
        ("retrieval", "http://retrieval.example/r", "http://retrieval.example/r"),
        ("encapsulating", "http://entity.example/e?q", "http://entity.example/e?q"),
        ("headers", {"content-LOCATION": "l/m"}, "http://entity.example/l/m"),
        ("html", "<base href=n>", "http://entity.example/l/n"),
    ]
    known: dict[str, Any] = {}
    assert base_uri(historical=True) is None
    for name, value, expected in layers:
        known[name] = value
        assert base_uri(**known, historical=True) == expected
    assert base_uri(**known) == "http://entity.example/n"


@pytest.mark.parametrize("name", ["default", "retrieval", "encapsulating"])
def test_a_base_from_the_caller(name: str) -> None:
    def given_as(base: Any) -> str | None:
        known: dict[str, Any] = {name: base}
        return base_uri(**known)

    assert given_as("http://h.example/a/../b?q#f") == "http://h.example/a/../b?q"
    assert given_as("") is given_as(None) is None
    for relative in ("a", "//h/", "/a", "#f", ":a"):
        with pytest.raises(ValueError, match=rf"^a base URI has a scheme, but {name}, '{relative}', has none$"):
            given_as(relative)
    with pytest.raises(TypeError, match=rf"^a base URI is a str, but {name} is bytes$"):
        given_as(b"http://h.example/")


def test_html_of_another_type_is_rejected() -> None:
    with pytest.raises(TypeError, match=r"^base_uri\(\) takes .* not int$"):
        base_uri(html=1)  # type: ignore[arg-type]


# Header fields, and the resulting base URI for an outer base http://o.example/p/.
HEADERS: list[tuple[list[tuple[str, str]], str]] = [
    ([], "http://o.example/p/"),
    ([("Content-Base", "http://a.example/b#c")], "http://a.example/b"),
    ([("content-base", " http://a.ex\r\n ample/\tb c ")], "http://a.example/bc"),
    ([("Content-Base", "b/"), ("Content-Location", "c/")], "http://o.example/p/c/"),
    ([("Content-Base", "")], "http://o.example/p/"),
    ([("Content-Location", "")], "http://o.example/p/"),
    ([("Content-Location", "http://a.example/"), ("Content-Base", "urn:b")], "urn:b"),
    ([("Content-Location", "../../x")], "http://o.example/x"),
    ([("Content-Base", "b/"), ("Content-Base", "http://a.example/")], "http://a.example/"),
    ([("Location", "http://a.example/"), ("Base", "http://b.example/")], "http://o.example/p/"),
]


@pytest.mark.parametrize(("headers", "expected"), HEADERS)
def test_the_base_from_header_fields(headers: list[tuple[str, str]], expected: str) -> None:
    message = Message()
    for name, value in headers:
        message[name] = value
    for fields in (headers, iter(headers), message):
        assert base_uri(headers=fields, retrieval="http://o.example/p/", historical=True) == expected
    assert base_uri(headers=headers, retrieval="http://o.example/p/") == "http://o.example/p/"
    assert base_uri(encapsulating=message, retrieval="http://o.example/p/", historical=True) == expected
    assert base_uri(encapsulating=message, retrieval="http://o.example/p/") == "http://o.example/p/"


def test_a_relative_location_without_a_base_is_ignored() -> None:
    assert base_uri(headers={"Content-Location": "a"}, historical=True) is None
    assert base_uri(headers={"Content-Location": "urn:a"}, historical=True) == "urn:a"


def test_encapsulating_entities_are_ordered_from_the_outermost() -> None:
    outer, inner = EmailMessage(), Message()
    outer["Content-Base"] = "http://outer.example/a/"
    inner["Content-Location"] = "b/c"
    assert base_uri(encapsulating=[outer, inner], historical=True) == "http://outer.example/a/b/c"
    assert base_uri(encapsulating=[outer, "urn:x", ""], historical=True) == "urn:x"
    assert base_uri(encapsulating=["urn:x", outer], historical=True) == "http://outer.example/a/"
    assert base_uri(encapsulating=[], default="urn:y") == "urn:y"
    with pytest.raises(TypeError, match="a base URI is a str, but encapsulating is int"):
        base_uri(encapsulating=[1])  # type: ignore[list-item]


@pytest.mark.parametrize("policy", [email.policy.compat32, email.policy.default])
def test_each_part_of_a_message_has_its_base(policy: Any) -> None:
    page = "<base href='\ud83d/../é'>".encode("utf-16-le", "surrogatepass").replace(b"\n", b"")
    message = email.message_from_bytes(MESSAGE.replace(b"%s", page), policy=policy)
    assert [(part.get_content_type(), base) for part, base in parts(message, historical=True)] == [
        ("text/html", "http://outer.example/a/x/"),
        ("text/plain", "http://inner.example/b/c/"),
        ("text/html", "http://inner.example/b/é"),
        ("text/plain", "http://outer.example/d/"),
        ("text/html", "http://outer.example/a/"),
    ]
    assert [base for _, base in parts(message, retrieval="http://r.example/#f", default="urn:x")] == [
        "http://r.example/x/",
        "http://r.example/",
        "http://r.example/é",
        "http://r.example/",
        "http://r.example/",
    ]
    assert [base for _, base in parts(message)] == [None] * 5


@pytest.mark.parametrize("charset", ["nonesuch", "rot13", "idna", "undefined"])
def test_a_part_in_an_unknown_encoding(charset: str) -> None:
    message = email.message_from_string(f"Content-Type: text/html; charset={charset}\n\n<base href=x:y>")
    assert [base for _, base in parts(message)] == ["x:y"]


def test_parts_checks_its_arguments_at_once() -> None:
    with pytest.raises(ValueError, match="but retrieval, 'a', has none"):
        parts(Message(), retrieval="a")


@pytest.mark.parametrize("wrong", [b"Subject: a\n\n", "", None, []])
def test_parts_rejects_other_types(wrong: Any) -> None:
    with pytest.raises(TypeError, match=rf"^parts\(\) takes an email\.message\.Message, not {type(wrong).__name__}$"):
        parts(wrong)


def test_parts_supports_deep_messages() -> None:
    message = Message()
    message.set_payload("x")
    for _ in range(2_000):
        outer = Message()
        outer["Content-Type"] = "multipart/mixed"
        outer["Content-Location"] = "a/"
        outer.attach(message)
        message = outer
    ((_, base),) = parts(message, retrieval="http://h.example/", historical=True)
    assert base == "http://h.example/" + "a/" * 2_000


# Markup, made of tokens with a meaning.
PIECES = """< > / = ' " <! --> <![CDATA[ & ; , ( ) <a <img <base <meta <object <svg <script <template <table href srcset
data codebase archive content http-equiv=refresh 0;url= http: // .. # ? é"""
markup = st.lists(st.sampled_from([*PIECES.split(), " ", "\n", "\0", "\ud800"]) | st.text(max_size=3)).map(" ".join)


@given(naive.texts | naive.octets | markup | markup.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_page_is_parsed_and_every_link_is_absolute(html: str | bytes) -> None:
    base = base_uri(html=html, default="http://h.example/a/b")
    assert base is not None
    for link in links(html, "http://h.example/a/b"):
        assert split(str(link)).scheme is not None


@given(naive.texts)
def test_links_agrees_with_resolve(reference: str) -> None:
    reference = "".join(character for character in reference if character not in "\0\t\n\f\r ")
    written = reference.replace("&", "&amp;").replace('"', "&quot;")
    assert list(links(f'<a href="{written}">', SITE)) == [Base(SITE).resolve(reference)]


words = st.text("abcé?=&/.#", max_size=5)


@st.composite
def parts_of_pages(draw: st.DrawFn) -> tuple[str, list[tuple[str, str, str, tuple[str, ...], str]]]:
    """Return a part of a page, and its links: element, attribute, reference, link types and text."""
    first, second, text = draw(words), draw(words), draw(words)
    one, two, escaped = (word.replace("&", "&amp;") for word in (first, second, text))
    space = draw(st.sampled_from(["", " ", "\n\t "]))
    rel = tuple(draw(st.lists(st.sampled_from(["next", "nofollow"]), max_size=2)))
    types = f'rel="{space}{" ".join(rel).upper()}{space}"' if rel else ""
    href, image = f'href="{space}{one}{space}"', f"{first.strip('/.?#=&')}u"
    parts: list[tuple[str, list[tuple[str, str, str, tuple[str, ...], str]]]] = [
        (f"<a {types} {href}>{space}{escaped}</a>", [("a", "href", first, rel, text)]),
        (f"<a {href} {types}>{escaped} <b>{two}</b></a>", [("a", "href", first, rel, f"{text} {second}".strip())]),
        (
            f"<A HREF='{one}' PING='p q'>",
            [("a", "href", first, (), ""), ("a", "ping", "p", (), ""), ("a", "ping", "q", (), "")],
        ),
        (f"<a {href}><div>{escaped}</a></div>", [("a", "href", first, (), text)]),
        (
            f"<svg><a {href}>{escaped}<a href='{two}' {types}></a></a></svg>",
            [("a", "href", first, (), text), ("a", "href", second, rel, "")],
        ),
        (
            f"<object><a {href}>{escaped}<object><a href='{two}'></object></object>",
            [("a", "href", first, (), text), ("a", "href", second, (), "")],
        ),
        (
            f"<img alt='{escaped}' src='{one}' srcset='{image} 2x'>",
            [("img", "src", first, (), text), ("img", "srcset", image, (), text)],
        ),
        (f"<area {types} {href} alt='{escaped}'>", [("area", "href", first, rel, text)]),
        (
            f"<video src='{one}' poster='{two}'>{escaped}</video>",
            [("video", "src", first, (), ""), ("video", "poster", second, (), "")],
        ),
        (f"<link {types} {href}>", [("link", "href", first, rel, "")]),
        (f"<q cite='{one}'>{escaped}</q>", [("q", "cite", first, (), "")]),
        (f"<p>{escaped}<table><tr><td background='{one}'>", [("td", "background", first, (), "")]),
        (f"{escaped}<!-- <a {href}> --><template><a {href}></template><a name='{two}'>{escaped}</a>", []),
    ]
    return draw(st.sampled_from(parts))


@given(st.lists(parts_of_pages(), max_size=6), st.booleans())
def test_the_links_of_generated_pages(drawn: list[Any], nofollow: bool) -> None:  # noqa: FBT001  by hypothesis
    pieces = [f"<div>{page}</a></table></div>" for page, _ in drawn]
    page = "<meta name=robots content=nofollow>" * nofollow + "".join(pieces)
    expected = [
        (element, attribute, reference, resolve(SITE, reference), rel, text, nofollow or "nofollow" in rel)
        for _, found in drawn
        for element, attribute, reference, rel, text in found
    ]
    for html in (page, page.encode()):
        assert [
            (link.element, link.attribute, link.reference, str(link), link.rel, link.text, link.nofollow)
            for link in links(html, SITE)
        ] == expected


paths = st.lists(st.text("ab1-_~", min_size=1, max_size=3), min_size=1, max_size=3).map("/".join)
ends = st.sampled_from(["", "?q=1", "#f"])
references = st.builds("{}{}{}".format, st.sampled_from(["", "/", "../", "http://o.example/"]), paths, ends)


@given(st.lists(st.tuples(references, st.sampled_from(["", "next", "nofollow"]), st.sampled_from(["", "A", "A b"]))))
def test_links_agrees_with_scrapy(drawn: list[tuple[str, str, str]]) -> None:
    page = "".join(f"<p><a href='{reference}' rel='{rel}'>{text}</a>\n" for reference, rel, text in drawn)
    http = pytest.importorskip("scrapy.http", reason="Scrapy is not installed")
    extractors = pytest.importorskip("scrapy.linkextractors")
    extractor = extractors.LinkExtractor(unique=False, deny_extensions=())
    theirs = extractor.extract_links(http.HtmlResponse(SITE, body=page.encode(), encoding="utf-8"))
    assert [(link.url, link.text, link.nofollow) for link in theirs] == [
        (str(link), link.text, link.nofollow) for link in links(page, SITE)
    ]


@given(st.binary() | st.lists(st.sampled_from(MESSAGE.splitlines(keepends=True))).map(b"".join), st.booleans())
def test_any_message_is_parsed(octets: bytes, historical: bool) -> None:  # noqa: FBT001  by hypothesis
    for policy in (email.policy.compat32, email.policy.default):
        message: Any = email.message_from_bytes(octets, policy=policy)
        leaves = [part for part in message.walk() if not part.is_multipart()]
        assert [part for part, _ in parts(message, historical=historical)] == leaves


LONG_NAME = "a" * (sizes.LONG // 2)
LONG_PATH = f"/{'a' * 98} "

# Units of pages of 10 MB, and the number of links in each page.
HOSTILE = {
    "anchors": (f"<a href='../'>{'x' * 86}", sizes.LONG // 100),
    "unclosed anchors": ("<a href='", 0),
    "open anchors": (f"<a><p>{'x' * 64}", 0),
    "angles": ("<", 0),
    "unclosed bases": ("<base href=", 0),
    "bases": ("<base href='x'>", 0),
    "nested": ("<div>", 0),
    "lists": ("<ul><li>", 0),
    "formatting": ("<b><p></b>", 0),
    "templates": ("<template>", 0),
    "comments": ("<!--", 0),
    "ampersands": ("&", 0),
    "bodies": ("<body a>", 0),
    "zeros": ("\0", 0),
    "nested anchors": ("<a href=x><object>text", sizes.LONG // 22),
    "nested anchors in SVG": ("<svg><a href=x>text", sizes.LONG // 19),
    "misnested anchors": ("<a href=x><div>a</a>b", sizes.LONG // 21),
    "anchors in tables": ("<table><a href=x>text<td>", sizes.LONG // 25),
    "alternative texts": ("<img src=x alt='  '>", sizes.LONG // 20),
    "metas": ("<meta name=robots content=','>", 0),
}


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "number"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_page_takes_linear_time(unit: str, number: int) -> None:
    page = unit * (sizes.LONG // len(unit))
    found = list(links(page, SITE))
    assert len(found) == number
    assert sum(len(link.text) for link in found) < len(page)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", [b"\x80", b"\xe9a", b"<meta charset=", b"<?xml ", b"<?xml encoding='", b"\x1b$B", b"\xff\xfe<"]
)
@pytest.mark.parametrize("encoding", [None, "shift_jis"])
def test_hostile_bytes_take_linear_time(unit: bytes, encoding: str | None) -> None:
    assert list(links(unit * (sizes.LONG // len(unit)), SITE, encoding=encoding)) == []


@pytest.mark.slow
def test_merged_attributes_take_linear_memory() -> None:
    page = "".join(f"<html a{number}><body a{number}>" for number in range(sizes.LONG // 25))
    page = f"{page}<base href=/b/><body background=x><a href=c>"
    for html in (page, page.encode(), page.encode("utf-16")):
        assert list(links(html, SITE)) == ["http://h.example/b/c"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "last"),
    [
        (f"<a href='{'../' * (sizes.LONG // 3)}g'>", "http://h.example/g"),
        (f"<a href=x title='{'<a href=' * (sizes.LONG // 8)}'>", f"{SITE}x"),
        (f"<a {''.join(f'a{number} ' for number in range(sizes.LONG // 10))} href=x>", f"{SITE}x"),
        (f"<p><a href='/{LONG_NAME}'>{'<p>b' * (sizes.LONG // 8)}", f"http://h.example/{LONG_NAME}"),
        (f"<img srcset='a{',' * sizes.LONG}'>", f"{SITE}a"),
        (f"<img srcset='a {'(' * sizes.LONG}'>", f"{SITE}a"),
        (f"<img srcset='{'a( ' * (sizes.LONG // 3)}'>", f"{SITE}a("),
        (f"<meta http-equiv=refresh content='0{' ' * sizes.LONG};url=x'>", f"{SITE}x"),
        (f"<a ping='{LONG_PATH * (sizes.LONG // 100)}'>", f"http://h.example{LONG_PATH.rstrip()}"),
        (f"<applet archive='{', ' * (sizes.LONG // 2)}x'>", f"{SITE}x"),
        (f"<a href=x rel='{'a, ' * (sizes.LONG // 3)}'>{' a' * (sizes.LONG // 2)}", f"{SITE}x"),
        (f"<p><a rel='{LONG_NAME}' href=x>{'<p>b' * (sizes.LONG // 8)}", f"{SITE}x"),
    ],
    ids=[
        *("dots", "title", "attributes", "anchor", "commas", "parentheses", "candidates", "spaces", "ping", "archive"),
        *("rel and text", "misnested"),
    ],
)
def test_a_hostile_attribute_takes_linear_time(page: str, last: str) -> None:
    assert deque(links(page, SITE), maxlen=1).pop() == last


@pytest.mark.slow
def test_hostile_header_fields_take_linear_time() -> None:
    folded = "\r\n ".join("x" * (sizes.LONG // 4))
    assert base_uri(headers={"Content-Base": f"urn:{folded}"}, historical=True) == f"urn:{'x' * (sizes.LONG // 4)}"
