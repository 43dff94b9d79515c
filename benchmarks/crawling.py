"""What crawlers and archives do with links: find, resolve, key; and other libraries."""

from collections.abc import Callable, Iterable
from html import escape
from importlib import import_module
from itertools import cycle, islice
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.corpora import PAGE, WORDS
from benchmarks.engines import EVERYWHERE, Engine, function_engine
from benchmarks.tasks import SLOW, Candidate, Task, one_by_one
from urisect import crawl, normalize, resolve, web

__all__ = ["KEYS", "NORMALIZE_BY_SCHEME", "PAGE_TASKS", "TASKS", "Inputs", "hostile_pages"]

LINKS = 1_000  # of a page

# Make a key. `canonicalize_url` also sorts the parameters, and keeps a default port and escapes.

WITHOUT_QUERY = r"https?://(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]+/(?!.*//|.*/\.)[\w\-./]*"


def _key_by(profile: str) -> Candidate:
    return Candidate(
        f'urisect.crawl.key, "{profile}"',
        "urisect.crawl",
        lambda module: one_by_one(module.key, profile),
        f"crawl.key, {profile}",
    )


KEYS = tuple(map(_key_by, crawl.PROFILES))
KEY = _key_by("request-1")._replace(name="urisect.crawl.key", label="crawl.key")
NORMALIZE_BY_SCHEME = Candidate(
    'urisect.normalize, level="scheme"', "urisect", lambda module: one_by_one(module.normalize, level="scheme"), ""
)
W3LIB = Candidate(
    "w3lib.url.canonicalize_url",
    "w3lib.url",
    lambda module: function_engine(module.canonicalize_url),
    "canonicalize_url",
    WITHOUT_QUERY,
    SLOW,
)
CANONICALIZE_URL = Candidate(
    "urisect.integrations.scrapy.canonicalize_url",
    "urisect.integrations.scrapy",
    lambda module: function_engine(module.canonicalize_url),
    "scrapy.canonicalize_url",
)

# Make a SURT.

SURT = Candidate("urisect.crawl.surt", "urisect.crawl", lambda module: function_engine(module.surt), "crawl.surt")
SURT_OF_ARCHIVE = Candidate(
    "surt.surt", "surt", lambda module: function_engine(module.surt), "surt", r"https?://[^%\\]*", SLOW
)

# Find the site.


def _suffix_list(module: ModuleType) -> Engine:
    find, urlsplit = module.PublicSuffixList().privatesuffix, import_module("urllib.parse").urlsplit
    return function_engine(lambda url: find(urlsplit(url).hostname))


SITE = Candidate("urisect.crawl.site", "urisect.crawl", lambda module: function_engine(module.site), "crawl.site")
SUFFIX_LIST = Candidate(
    "publicsuffixlist, urlsplit", "publicsuffixlist", _suffix_list, "publicsuffixlist", rf"{WITHOUT_QUERY}.*"
)

# Find the links of a page, and make their keys. Scrapy's extractor is set to keep duplicates and every file.


def _links(module: ModuleType) -> Engine:
    def run(page: str) -> list[str]:
        return list(map(str, module.links(page.encode(), PAGE)))

    return function_engine(run)


def _link_extractor(module: ModuleType) -> Callable[[str], list[Any]]:
    extract = module.LinkExtractor(unique=False, deny_extensions=()).extract_links
    response = import_module("scrapy.http").HtmlResponse
    return lambda page: extract(response(PAGE, body=page.encode(), encoding="utf-8"))


def _extract_links(module: ModuleType) -> Engine:
    extract = _link_extractor(module)
    return function_engine(lambda page: [link.url for link in extract(page)])


def _links_and_keys(module: ModuleType) -> Engine:
    key = import_module("urisect.crawl").key
    return function_engine(lambda page: len({key(link) for link in module.links(page.encode(), PAGE)}))


def _links_and_fingerprints(module: ModuleType) -> Engine:
    extract, scrapy = _link_extractor(module), import_module("scrapy")
    fingerprint = import_module("scrapy.utils.request").fingerprint
    return function_engine(lambda page: len({fingerprint(scrapy.Request(link.url)) for link in extract(page)}))


LINKS_OF_PAGE = Candidate("urisect.document.links", "urisect.document", _links, "document.links")
OUR_EXTRACTOR = Candidate(
    "urisect.integrations.scrapy.LinkExtractor", "urisect.integrations.scrapy", _extract_links, "scrapy.LinkExtractor"
)
LINK_EXTRACTOR = Candidate(
    "scrapy.linkextractors.LinkExtractor", "scrapy.linkextractors", _extract_links, "LinkExtractor"
)
WAY = Candidate("urisect.document.links, urisect.crawl.key", "urisect.document", _links_and_keys, "links and keys")
SCRAPYS_WAY = Candidate(
    "scrapy.linkextractors.LinkExtractor, fingerprint",
    "scrapy.linkextractors",
    _links_and_fingerprints,
    "LinkExtractor and fingerprint",
)


def page(references: Iterable[str], links: int = LINKS) -> str:
    """Write an HTML page with a paragraph for each reference to another web page.

    All libraries find the same links in it: there are no targets that some encode, or take for no pages.
    """
    plain = (reference for reference in references if _is_plain(reference))
    paragraphs = (
        f'<p>{word} <a href="{escape(reference)}" rel="{"next nofollow" if number % 10 == 0 else "next"}">'
        f"{word} <b>{number}</b></a> and more.</p>\n"
        for number, (word, reference) in enumerate(zip(cycle(WORDS), islice(plain, links), strict=False))
    )
    return f"<!DOCTYPE html>\n<title>A page</title>\n{''.join(paragraphs)}"


def _is_plain(reference: str) -> bool:
    target = resolve(PAGE, reference)
    is_plain = "/../" not in reference and "#" not in target and not target.endswith("?")
    return is_plain and web.is_valid(target) and normalize(target) == target


HOSTILE_TAGS = (
    *("<a href=x>", "<a href=x><object>", "<a href=x>y<p>", "<a href=x><b>", "<svg><a href=x>z", "<table><a href=x>"),
    *("<p x", " href=x", "<base href=/a/>", "<html a=b>", "<template>", "<img srcset='a,", ", ,", "<meta charset="),
)


def hostile_pages(size: int) -> list[bytes]:
    """Generate pages whose elements are nested, or never end.

    Args:
        size: the length of each page, in bytes.

    >>> hostile_pages(12)[0]
    b'<a href=x><a'
    """
    return [(tag * (size // len(tag) + 1))[:size].encode() for tag in HOSTILE_TAGS]


class Inputs(NamedTuple):
    """What the tasks are measured on, derived from URLs, and from references in pages.

    Attributes:
        urls: the web addresses among the URLs.
        keys: those that are their keys by every profile.
        pages: one page.
    """

    urls: list[str]
    keys: list[str]
    pages: list[str]

    @classmethod
    def of(cls, urls: Iterable[str], references: Iterable[str]) -> "Inputs":
        """Select URLs, and write a page."""
        addresses = [url for url in urls if web.is_valid(url)]
        keys = [url for url in addresses if all(crawl.key(url, profile) == url for profile in crawl.PROFILES)]
        return cls(addresses, keys, [page(references)])


TASKS = (
    Task("make a key", KEY, (W3LIB,), limit=1 / 6),
    Task("canonicalize a URL", CANONICALIZE_URL, (W3LIB._replace(agrees_on=EVERYWHERE),), limit=1 / 4),
    Task("make a SURT", SURT, (SURT_OF_ARCHIVE,), limit=1 / 3),
    Task("find the site", SITE, (SUFFIX_LIST,), limit=1 / 3),
)
PAGE_TASKS = (
    Task("find the links of a page", LINKS_OF_PAGE, (LINK_EXTRACTOR,), "pages", "link", 1 / 9),
    Task("find the links of a page for Scrapy", OUR_EXTRACTOR, (LINK_EXTRACTOR,), "pages", "link", 1 / 3),
    Task("find links and make their keys", WAY, (SCRAPYS_WAY,), "pages", "link", 1 / 10),
)
