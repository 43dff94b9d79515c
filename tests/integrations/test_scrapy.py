"""Parts for Scrapy: the same links and fingerprints as Scrapy's own, and fewer fetches with a profile."""

import gc
import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import escape
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, TextResponse, XmlResponse
from scrapy.linkextractors import LinkExtractor as ScrapyLinkExtractor
from scrapy.settings import Settings
from scrapy.spiders import CrawlSpider, Rule, Spider
from scrapy.utils.request import fingerprint

from benchmarks import scrapy_crawl
from tests.support import sizes
from tests.support.generated_site import Site
from urisect import crawl
from urisect.extras import MissingExtraError
from urisect.integrations import scrapy as parts
from urisect.integrations.scrapy import LinkExtractor, RequestFingerprinter

ENCODINGS = ["utf-8", "windows-1252", "koi8-r", "shift_jis", "gb18030", "utf-16", "utf-7"]

# References of pages, and texts that are none.
LINES = r"""
    # #top ? ?q ?q#top . .. ./ ../ ../.. ../../../../a ./a .a ..a a/..b a a/ a/b / /a // //h //h/a ///a /a//b a//b
    ..//a ./../a /./a a/. a/./b a:b /a:b a/b:c ?a:b a; a;b a;b;c/d ; ?a;b a'b ?a'b a|b #a#b #' a?b?c ?é=日本 é
    http: http:a http:/a http:// http://h http://h/ http://h? http://h?q http://h#f HTTP://H/ http://h./a/../b
    http://h:80/ http://h:080/ http://h:/ http://h:99999/ http://h:8O/ http://u:p@h/ http://é.test/é?é#é http://-h_/a
    https://example.com/a? https://example.com/a# http://example.com/.. http://example.com//a \a http:\\h\a
    http://[::1]/ http://[/ http://xn--9ca.test/ http://a..b/ mailto:a@b javascript:void(0) data:,a ftp://h/a
    %7e%zz% file:///a tel:1 a.PDF a.tar.gz a.gz /a.pdf;b a.pdf?q ?a.pdf http://h.pdf
"""
REFERENCES = [
    *LINES.split(),
    *("", " a\t\n", "a\tb", "a b", "\0", "\ufffe", f"http://{'a' * 70}/"),
]
BASE_LINES = """
    http://example.com http://example.com/ http://example.com/a/b/c?q http://example.com/a;b/c;d?q'#top
    http://example.com/a//b/c http://example.com/a/../b/./c https://example.com:8080/a/b.html file:///a/b
    http://user@example.com/a http://example.com/a/.b http://example.com/a:b/c
"""
BASES = BASE_LINES.split()


@st.composite
def references(draw: st.DrawFn) -> str:
    """References of pages, parts of them one after the other, and any text."""
    some = st.sampled_from(REFERENCES)
    characters = st.text("ab.:/?#;%=&' @\\é[]1", max_size=12)
    return draw(some | st.lists(some, min_size=2, max_size=3).map("".join) | characters | st.text(max_size=8))


def page(hrefs: Iterable[str], base: str = "") -> str:
    anchors = "\n".join(f'<p><a href="{escape(href)}">Go <b>to</b> {number}</a>' for number, href in enumerate(hrefs))
    return f"<html><head>{base and f'<base href={base!r}>'}<title>T</title></head><body>{anchors}</body></html>"


def response_of(body: str | bytes, url: str = BASES[2], encoding: str = "utf-8") -> HtmlResponse:
    octets = body if isinstance(body, bytes) else body.encode(encoding, "xmlcharrefreplace")
    return HtmlResponse(url, body=octets, encoding=encoding)


def assert_same_links(response: TextResponse, **parameters: Any) -> None:
    """Compare with Scrapy's own links, or with the error that it raises."""
    expected: list[Any] | type[Exception]
    try:
        expected = ScrapyLinkExtractor(**parameters).extract_links(response)
    except Exception as error:  # noqa: BLE001  any
        expected = type(error)
    if isinstance(expected, type):
        with pytest.raises(expected):
            LinkExtractor(**parameters).extract_links(response)
    else:
        assert LinkExtractor(**parameters).extract_links(response) == expected


@settings(max_examples=sizes.choose(full=2000, quick=150), deadline=None)
@given(
    st.lists(references(), max_size=6), st.sampled_from(BASES), st.sampled_from(ENCODINGS), st.just("") | references()
)
@example(REFERENCES, BASES[0], "utf-8", "")
@example(REFERENCES, BASES[2], "windows-1252", "")
@example(REFERENCES, BASES[3], "koi8-r", "")
@example(REFERENCES, BASES[4], "utf-8", "")
@example(REFERENCES, BASES[5], "utf-8", "")
@example(REFERENCES, BASES[6], "shift_jis", "../d//")
@example(REFERENCES, BASES[7], "gb18030", "/d?q")
@example(REFERENCES, BASES[8], "utf-8", "//[")
def test_links_equal_those_of_scrapy(hrefs: list[str], url: str, encoding: str, base: str) -> None:
    response = response_of(page(hrefs, base), url, encoding)
    assert_same_links(response)
    assert_same_links(response, unique=False, deny_extensions=())


@settings(max_examples=sizes.choose(full=1000, quick=100), deadline=None)
@given(st.text("<>a/='\" hrefb!-&;px#", max_size=60) | st.binary(max_size=40))
@example("<a href=a>1<a href=b>2<table><a href=c>3</table></a><!-- <a href=d> --><textarea><a href=e></textarea>")
@example("<a href='?a=1&copy=2&amp;b&#150;'>x</a><area href=b><A HREF=c REL='x, NoFollow'>y<!-- z -->&nbsp;é</A>")
@example("")
def test_links_of_broken_pages_equal_those_of_scrapy(body: str | bytes) -> None:
    assert_same_links(response_of(body))
    assert_same_links(response_of(body), tags="*", attrs="*", deny_extensions=())


DIRTY = page(REFERENCES).replace("</body>", '<div id="d" rel="nofollow"><img src=" a b.png "><a href=a>Twice</a></div>')


@pytest.mark.parametrize(
    "parameters",
    [
        {"allow": "a"},
        {"allow": [re.compile("a/"), "q$"], "deny": r"\.\."},
        {"deny": ("a", "b")},
        {"allow_domains": "EXAMPLE.com"},
        {"allow_domains": ["h", "test"], "deny_domains": "é.test"},
        {"deny_domains": ["example.com", "h"]},
        {"deny_extensions": []},
        {"deny_extensions": ["gz", "", "b"]},
        {"restrict_css": "#d"},
        {"restrict_xpaths": ["//p[1]", "//div", "//p"], "unique": False},
        {"restrict_xpaths": ["//p[1]", "//div", "//p"]},
        {"restrict_xpaths": "//a/@href"},
        {"tags": ("a", "img"), "attrs": ["href", "src"], "deny_extensions": ()},
        {"tags": "div", "attrs": "rel"},
        {"tags": None},
        {"tags": "", "attrs": "", "unique": False},
        {"tags": "*", "attrs": "*", "deny_tags": "area", "deny_attrs": ("src",)},
        {"canonicalize": True},
        {"canonicalize": True, "unique": False},
        {"strip": False},
        {"restrict_text": "Twice"},
        {"restrict_text": [r"\b[12]$", "Twice"], "unique": False},
        {"process_value": lambda value: value.replace("a", "/x y/") if "b" not in value else None},
        {"process_value": lambda value: value.encode()},
        {"process_value": lambda value: int(value)},  # noqa: PLW0108  an error of its own
    ],
    ids=lambda parameters: re.sub(" at 0x[0-9a-f]+", "", str(parameters)),  # workers compare names of tests
)
def test_parameters_mean_what_they_mean_in_scrapy(parameters: dict[str, Any]) -> None:
    assert_same_links(response_of(DIRTY), **parameters)
    assert_same_links(response_of("<a href=1>1</a>"), **parameters)


@pytest.mark.parametrize("repeated", ["../", "a/", "a/.", "/", "?", "&", ".", "a:", "http://a", "%"])
@pytest.mark.parametrize("match", [parts._match_ordinary, parts._match_ordinary_base, parts._match_plain_url])
def test_patterns_take_linear_time(match: Callable[[str], object], repeated: str) -> None:
    for beginning in ("", "/", "http://h", "http://h/"):
        match(beginning + repeated * sizes.LONG_OF_MANY + "\n")


def test_matches_is_that_of_scrapy() -> None:
    extractor = LinkExtractor(allow="a", deny_domains="h.test")
    assert extractor.matches("http://a.test/")
    assert not extractor.matches("http://h.test/a")


def test_links_of_xhtml_and_of_responses_without_text() -> None:
    body = '<html xmlns="http://www.w3.org/1999/xhtml"><a href="b">B<!-- c --></a><x:a xmlns:x="x" href="c"/></html>'
    response = XmlResponse(BASES[2], body=body, encoding="utf-8")
    assert [link.url for link in LinkExtractor().extract_links(response)] == ["http://example.com/a/b/b"]
    assert_same_links(response)
    assert_same_links(TextResponse(BASES[2], body=b'{"a": 1}', headers={"Content-Type": "application/json"}))


def test_texts_of_links_do_not_keep_the_page() -> None:
    [link] = LinkExtractor().extract_links(response_of("<a href=b>A <b>b</b></a>"))
    assert type(link.text) is str


def test_a_skipped_reference_is_logged_as_in_scrapy(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"):
        assert_same_links(response_of("<a href='http://h:8O/'>A</a>"))
    assert len({record.getMessage() for record in caplog.records}) == 1
    assert len(caplog.records) == 2


def test_a_rule_of_a_crawl_spider_takes_the_extractor() -> None:
    class Pages(CrawlSpider):
        name = "pages"
        rules = (Rule(LinkExtractor(allow="/b"), callback="parse_page"),)

    spider = Pages.from_crawler(Crawler(Pages))
    [request] = spider._requests_to_follow(response_of("<a href=/b>B</a><a href=/c>C</a>"))
    assert request is not None
    assert (request.url, request.meta["link_text"]) == ("http://example.com/b", "B")


# Fingerprints


@settings(max_examples=sizes.choose(full=1000, quick=100), deadline=None)
@given(st.sampled_from(BASES), references(), st.sampled_from(["GET", "post", 'a"é']), st.binary(max_size=4))
def test_fingerprints_equal_those_of_scrapy(url: str, reference: str, method: str, body: bytes) -> None:
    try:
        request = Request(f"{url}{reference}", method=method, body=body)
    except ValueError:
        return
    assert RequestFingerprinter().fingerprint(request) == fingerprint(request)


def requests() -> list[Request]:
    return [
        Request("http://example.com/a"),
        Request("http://example.com:80/b/../a#top"),
        Request("http://example.com/%61?", meta={"verbatim_url": True}),
        Request("http://example.com/a", method="POST"),
        Request("http://example.com/a", method="POST", body=b"a"),
        Request("http://example.com/a", headers={"A": "b"}),
    ]


def test_what_counts_in_a_fingerprint() -> None:
    own = [fingerprint(request) for request in requests()]
    assert [RequestFingerprinter().fingerprint(request) for request in requests()] == own
    with_keys = [RequestFingerprinter("request-1").fingerprint(request) for request in requests()]
    assert with_keys == [own[0], own[0], *own[2:]]


@pytest.mark.parametrize("profile", [*crawl.PROFILES, *crawl.PROFILES.values()], ids=str)
def test_fingerprints_are_made_from_keys(profile: str | crawl.Profile) -> None:
    url = "http://www.EXAMPLE.com:80/%7ea/./b/index.html?b=1&utm_source=x&a=2#top"
    fingerprinter = RequestFingerprinter(profile)
    as_key = Request(crawl.key(url, profile))
    assert fingerprinter.fingerprint(Request(url)) == fingerprinter.fingerprint(as_key)


def test_a_fingerprint_is_made_once_and_kept_as_long_as_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def key(url: str, profile: str) -> str:
        calls.append(profile)
        return url

    monkeypatch.setattr(parts, "key", key)
    fingerprinter, request = RequestFingerprinter("page-1"), Request("http://example.com/")
    assert fingerprinter.fingerprint(request) == fingerprinter.fingerprint(request)
    assert calls == ["page-1"]
    del request
    gc.collect()
    assert len(fingerprinter._fingerprints) == 0


def crawler_with(**settings_of_project: object) -> Crawler:
    path = "urisect.integrations.scrapy.RequestFingerprinter"
    return Crawler(Spider, Settings({"REQUEST_FINGERPRINTER_CLASS": path, **settings_of_project}))


@pytest.mark.parametrize("profile", [None, "page-1", crawl.PROFILES["page-1"]], ids=str)
def test_the_setting_gives_the_profile(profile: object) -> None:
    fingerprinter = RequestFingerprinter.from_crawler(crawler_with(URISECT_PROFILE=profile))
    assert fingerprinter._profile == profile


@pytest.mark.parametrize(
    ("profile", "hint"), [("page-2", 'did you mean "page-1"'), ("", "the profiles are syntax-1, request-1,")]
)
def test_an_unknown_profile_is_an_error_that_names_the_setting(profile: str, hint: str) -> None:
    with pytest.raises(ValueError, match=rf"^URISECT_PROFILE: no profile has the name '{profile}'; {hint}"):
        RequestFingerprinter.from_crawler(crawler_with(URISECT_PROFILE=profile))


# Crawls, and what an import does


@pytest.mark.unmeasured
def test_a_crawl_finds_the_same_pages_with_fewer_fetches() -> None:
    site = Site(12)
    with ThreadPoolExecutor() as threads:  # each starts a process
        own, ours = threads.map(partial(scrapy_crawl.crawl, site), ("Scrapy", "urisect, page-1"))
    assert own.pages == ours.pages == site.pages
    assert len(site.pages) <= ours.fetches < own.fetches


def test_an_import_installs_no_reactor() -> None:
    program = "import sys, urisect.integrations.scrapy; print('twisted.internet.reactor' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("package", ["lxml", "scrapy.linkextractors", "w3lib.url"])
def test_without_scrapy_the_extra_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "urisect.integrations.scrapy")
    with pytest.raises(MissingExtraError, match=r"needs scrapy, .*; pip install 'urisect\[scrapy\]' brings it"):
        importlib.import_module("urisect.integrations.scrapy")
