"""The path for robots.txt: the tables of RFC 9309, laws, and how Protego reads it."""

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from protego import Protego

from tests.support import naive, sizes
from tests.support.references import references
from urisect import normalize, split
from urisect.crawl import robots_path

# RFC 9309, 2.2.2, "Path" and "Path to Match", and 2.2.3, "URI" and "Path" of the pattern.
DOCUMENT = {
    "/foo/bar?baz=quz": "/foo/bar?baz=quz",
    "/foo/bar?baz=https://foo.bar": "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
    "/foo/bar/\u30c4": "/foo/bar/%E3%83%84",
    "/foo/bar/%E3%83%84": "/foo/bar/%E3%83%84",
    "/foo/bar/%62%61%7A": "/foo/bar/baz",
    "https://www.example.com/path/file-with-a-*.html": "/path/file-with-a-%2A.html",
    "https://www.example.com/path/foo-$": "/path/foo-%24",
}
OTHERS = {
    "": "/",
    "http://example.com": "/",
    "http://example.com#a": "/",
    "http://example.com?a#b?c": "/?a",
    "http://example.com/?": "/?",
    "?q": "/?q",
    "a:b": "/b",
    "b": "/b",
    "/%7efred/%7E": "/~fred/~",
    "/a;b=c:@!$&'()*+,": "/a%3Bb%3Dc%3A%40%21%24%26%27%28%29%2A%2B%2C",
    "/?a=b&c=d?e/f+g%2b": "/?a=b&c=d%3Fe%2Ff%2Bg%2B",
    "/a%2fb%2Fc/%3f": "/a%2Fb%2Fc/%3F",
    "/%3d?%3D%26": "/%3D?%3D%26",
    '/ "<>\\^`{|}\x7f\n': "/%20%22%3C%3E%5C%5E%60%7B%7C%7D%7F%0A",
    "/50%/%4%31/%%41": "/50%25/%2541/%25A",
    "/a/./b/../c": "/a/c",
    "/%2e%2E/a": "/a",
    "http://h//a": "//a",
    "/.//a": "//a",
    "http://h/a//b": "/a//b",
    "/\ud800\udce9": "/%ED%A0%80%E9",
}


@pytest.mark.parametrize(("reference", "path"), [*DOCUMENT.items(), *OTHERS.items()])
def test_the_path_of_a_reference(reference: str, path: str) -> None:
    assert robots_path(reference) == path


def test_bytes_and_references_are_texts() -> None:
    assert robots_path(b"/caf\xe9/\xc3\xa9") == b"/caf%E9/%C3%A9"
    assert robots_path(bytearray(b"http://h/%41")) == robots_path(memoryview(b"/A")) == b"/A"
    assert robots_path(split("http://h/%41")) == "/A"
    with pytest.raises(TypeError, match=r"^robots_path\(\) takes .* not int$"):
        robots_path(1)  # type: ignore[call-overload]


dirty = st.lists(
    st.sampled_from(
        ["http://h/", "/", "//", "?", "#", "a", "%41", "%2f", "%", "%4", "1", "é", "%c3%a9", "..", "%2e", "*", "=", "&"]
    )
).map("".join)


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(naive.texts | naive.octets | references | dirty)
@example("/%2%35")
def test_the_path_is_in_one_form(reference: Any) -> None:
    path = robots_path(reference)
    assert type(path) is type(reference)
    text = path if isinstance(path, str) else path.decode("ascii")
    assert robots_path(f"http://h{text}") == text
    assert re.fullmatch(r"/(?:[\w\-.~/]|%[0-9A-F]{2})*(?:\?(?:[\w\-.~=&]|%[0-9A-F]{2})*)?", text, re.ASCII)
    for escape in re.findall("%..", text):
        assert not re.fullmatch(r"[\w\-.~]", chr(int(escape[1:], 16)), re.ASCII)


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(references.map(lambda text: f"http://h/{text.rpartition(':')[2]}") | references.map("http://h/{}".format))
def test_equivalent_urls_have_equal_paths(reference: str) -> None:
    for level in ("syntax", "scheme"):
        assert robots_path(normalize(reference, level=level)) == robots_path(reference)


# Rules and URLs that Protego reads as RFC 9309 does: no "/" in the query, no "//" at the beginning, only UTF-8.
pieces = st.lists(
    st.sampled_from(
        ["/", "a", "%61", "%41", "B", "é", "%C3%A9", "%c3%a9", ":", "%3A", "%3a", "%2F", "*", "+", "~", "%7e", " "]
    )
).map("".join)
queries = st.lists(st.sampled_from(["a", "%61", "=", "&", ":", "%3A", "é", "%c3%a9", "+"])).map("".join)
paths = st.builds("/{}{}".format, pieces, queries.map("?{}".format) | st.just("")).filter(
    lambda path: not path.startswith("//")
)


@settings(max_examples=sizes.choose(full=500, quick=50))
@given(st.lists(paths.map(str.strip), min_size=1, max_size=4), paths)
def test_protego_takes_the_path_for_the_url(disallowed: list[str], path: str) -> None:
    rules = Protego.parse("\n".join(["User-agent: *", *(f"Disallow: {rule}" for rule in disallowed)]))
    url = f"http://example.com{path}"
    assert rules.can_fetch(robots_path(url), "bot") == rules.can_fetch(url, "bot")
