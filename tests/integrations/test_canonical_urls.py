"""`canonicalize_url` returns what w3lib returns, whether the URL takes the fast way or not."""

from itertools import product
from random import Random
from urllib.parse import urlparse

import pytest
import w3lib
import w3lib.url
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import sizes
from urisect.integrations import canonical_urls
from urisect.integrations.scrapy import canonicalize_url

# The original, also where a test replaces it in its module.
ORIGINAL = w3lib.url.canonicalize_url

# URLs that take the fast way, and their canonical forms; the first is from the documentation of w3lib.
ORDINARY = {
    "http://www.example.com/do?c=3&b=5&b=2&a=50": "http://www.example.com/do?a=50&b=2&b=5&c=3",
    "https://example.com": "https://example.com/",
    "https://example.com?": "https://example.com/",
    "https://example.com?b=&a=#c": "https://example.com/?a=&b=",
    "http://h:80/": "http://h:80/",
    "http://h/?a&&b=1=2&": "http://h/?a=&b=1%3D2",
    "http://h/?&#": "http://h/",
    "http://h/?a=2&a-b=1&a.b=1&a1=1": "http://h/?a=2&a-b=1&a.b=1&a1=1",
    "http://h/?b=%c3%a9&a=%7e%20%2f": "http://h/?a=~+%2F&b=%C3%A9",
    "http://h/?a=%C3%A9&a=z&a=%00&a=+&a=%21": "http://h/?a=%00&a=+&a=%21&a=z&a=%C3%A9",
    "http://h/?a%00=1&a=b": "http://h/?a=b&a%00=1",
    "http://h/?u=http://a/&t=1,2;3": "http://h/?t=1%2C2%3B3&u=http%3A%2F%2Fa%2F",
    "http://h/?50%": "http://h/?50%25=",
    "http://h/%7euser/%c3%a9%28%2f%3f%3b%2541%5B": "http://h/~user/%C3%A9(%2F%3F%3B%2541[",
}
OTHER = [
    *("", "/a?b=1&a", "HTTP://H/", "ftp://h/a?b=2&a=1", "mailto:a@b", "//h/?b&a", " http://h/ ", "http://h\n"),
    *("http://h/\x00", "http://u:p%41@h/", "http://h:080/", "http://h:/", "http://h:99999/", "http://h:x/"),
    *("http://[::0:1]:80/", "http://[::1", "http://é.test/é?é#é", "http://ﬁ.test", "http://h/a/./../b"),
    *("http://h/%2e%2E/a", "http://h/.a", "http://h/a;b;c", "http://h/a;", "http://h/50%", "http://h/?a b"),
    *("http://h/\t?\n", "http://h\\a", "http://h/#\ud800", "http://h/?\udcff", "http://h/a#b c", "x" * 300),
]
OTHER_TYPES = [
    *(b"http://h/?b=%e9&a=\xe9", b"http://h/?b&a", urlparse("http://h/a;b?d=1&c#e"), urlparse("http://h?b&a")),
    *(None, 1, bytearray(b"http://h"), ["http://h"]),
]

# Pieces of URLs that mean something to w3lib, to `urllib.parse` or to the URL Standard.
BEGINNINGS = ["http://h", "https://h.example", "HTTP://H", "http://u:p@h", "http://[::1]", "ftp://h", "//h", ""]
BEHIND_HOSTS = ["/", "/?", "/?a=", "?", "/#", ":80/", ":0", ":080", ":", ":65536", ".", "-", "_", "é", "%41", "@", "\\"]
PIECES = [
    *"abz09A-._~/?&=+#;:,!$'()*@[]|\\\"<{^`%",
    *("//", "/.", "/..", "..", "&&", "==", "#!", "%4", "%zz", "%25", "%2541", "%20", "%2B", "%2b", "%26", "%3D", "%3b"),
    *("%2F", "%2f", "%3F", "%23", "%2E", "%2e", "%7E", "%7e", "%41", "%00", "%0A", "%7F", "%80", "%C3%A9", "%c3%a9"),
    *("%FF", "%fF", "%5B", "%7C"),
    *" \t\n\r\x00\xa0é😀\ud800",
]
urls = st.builds(
    "{}{}{}".format,
    st.sampled_from(BEGINNINGS[:2]) | st.sampled_from(BEGINNINGS),
    st.sampled_from(BEHIND_HOSTS[:5]) | st.sampled_from(BEHIND_HOSTS),
    st.lists(st.sampled_from(PIECES) | st.characters(max_codepoint=0x2FF), max_size=16).map("".join),
)


def outcome(function: object, *arguments: object, **options: object) -> object:
    """Return the result, or the type of the exception."""
    assert callable(function)
    try:
        return function(*arguments, **options)
    except Exception as error:  # noqa: BLE001  any must be the same
        return type(error)


def assert_same(*arguments: object, **options: object) -> None:
    assert outcome(canonicalize_url, *arguments, **options) == outcome(ORIGINAL, *arguments, **options), arguments


@pytest.fixture
def no_w3lib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let w3lib fail, so that only URLs that take the fast way have a result."""

    def fail(url: object, *_: object, **_options: object) -> None:
        raise AssertionError(f"w3lib was called with {url!r}")

    monkeypatch.setattr(w3lib.url, "canonicalize_url", fail)


def test_the_installed_w3lib_is_one_that_the_fast_way_is_made_for() -> None:
    assert w3lib.__version__ in canonical_urls._COMPARED_VERSIONS, "compare with this version, then add it"


@pytest.mark.usefixtures("no_w3lib")
@pytest.mark.parametrize(("url", "canonical"), ORDINARY.items())
def test_an_ordinary_url_takes_the_fast_way(url: str, canonical: str) -> None:
    for encoding in (None, "utf-8", "cp1252"):
        assert canonicalize_url(url, encoding=encoding) == canonical == ORIGINAL(url, encoding=encoding)


@pytest.mark.usefixtures("no_w3lib")
@pytest.mark.parametrize("fragment", ["", "#", "#!a", "#%zz%e9", "#a'(;)/?:@"])
def test_a_fragment_is_dropped_or_kept(fragment: str) -> None:
    assert canonicalize_url(f"http://h{fragment}") == "http://h/"
    kept = fragment if len(fragment) > 1 else ""
    assert canonicalize_url(f"http://h?a{fragment}", keep_fragments=True) == f"http://h/?a={kept}"
    assert ORIGINAL(f"http://h?a{fragment}", keep_fragments=True) == f"http://h/?a={kept}"


@pytest.mark.parametrize("url", [*ORDINARY, *OTHER])
def test_arguments(url: str) -> None:
    for flags in product((True, False), repeat=2):
        for encoding in (None, "", "utf-8", "latin-1", "utf-16", "ascii", "unknown"):
            assert_same(url, *flags, encoding)
    assert_same(url, query_separator=";")
    assert_same(url, query_separator="")


@pytest.mark.parametrize("url", OTHER_TYPES, ids=repr)
def test_other_types(url: object) -> None:
    assert_same(url)
    assert_same(url, keep_fragments=True, encoding="latin-1")


def test_a_subclass_of_str_is_left_to_w3lib(monkeypatch: pytest.MonkeyPatch) -> None:
    class Text(str):
        __slots__ = ()

    monkeypatch.setattr(w3lib.url, "canonicalize_url", lambda url, *_: type(url).__name__)
    assert canonicalize_url(Text("http://h/")) == "Text"


def test_another_version_of_w3lib_gets_every_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical_urls, "_IS_COMPARED", False)
    monkeypatch.setattr(w3lib.url, "canonicalize_url", lambda url, *_: f"by w3lib: {url}")
    assert canonicalize_url("http://h/") == "by w3lib: http://h/"


@settings(max_examples=sizes.choose(full=5000, quick=200))
@given(urls)
def test_any_url(url: str) -> None:
    assert_same(url)
    assert_same(url, keep_fragments=True)


@given(st.binary(), st.sampled_from([None, "latin-1", "utf-16"]))
def test_any_bytes(url: bytes, encoding: str | None) -> None:
    assert_same(url, encoding=encoding)
    assert_same(b"http://h/?" + url, encoding=encoding)


@pytest.mark.parametrize("beginning", ["http://h", "http://h/", "http://h/?", "http://h/#", "http://h/?a=2&"])
def test_all_pairs_of_pieces(beginning: str) -> None:
    for byte in range(256):
        for piece in (chr(byte), f"%{byte:02X}", f"%{byte:02x}"):
            assert_same(f"{beginning}{piece}", keep_fragments=True)
    for first, second in product(PIECES[:: sizes.choose(full=1, quick=3)], PIECES):
        assert_same(f"{beginning}{first}{second}", keep_fragments=True)


def test_all_short_queries() -> None:
    """Parameters are sorted by decoded names, then values."""
    for length in range(sizes.choose(full=6, quick=4)):
        for parts in product(("a", "-", "=", "&", "+", "%61", "%C3", "%00", ":"), repeat=length):
            assert_same(f"http://h/?{''.join(parts)}")


def test_generated_urls() -> None:
    random = Random("canonical URLs")  # noqa: S311
    for _ in range(sizes.choose(full=100_000, quick=3000)):
        path, query = ("".join(random.choices(PIECES[:-9], k=random.randrange(12))) for _ in range(2))
        assert_same(f"http://h{random.choice(('', '/', '/a'))}{path}?b=1&{query}")


@pytest.mark.parametrize("unit", ["a", "/a", "%C3", "%7e", "a=&", "&", "a=", "%", "?", "/."])
def test_hostile_texts_take_linear_time(unit: str) -> None:
    for beginning in ("", "http://h", "http://h/", "http://h/?", "http://h/#"):
        text = f"{beginning}{unit * (sizes.LONG_OF_MANY // len(unit))}"
        assert canonical_urls._match_url(f"{text}é") is None
        canonical_urls._match_url(text)
        canonical_urls._canonicalize_query(text)
