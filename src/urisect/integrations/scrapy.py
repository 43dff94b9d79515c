"""Parts for Scrapy: a link extractor, a request fingerprinter, and a faster `canonicalize_url`.

They take the place of Scrapy's own, and give the same results. With the setting `URISECT_PROFILE`, the fingerprinter
makes fingerprints from the keys of `urisect.crawl.key` instead: disguised duplicates are fetched once.
"""

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from hashlib import sha1
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias
from urllib.parse import ParseResult, urljoin, urlparse
from weakref import WeakKeyDictionary

from urisect.crawl import PROFILES, Profile, key
from urisect.extras import MissingExtraError
from urisect.resolution import Base
from urisect.suggestion import did_you_mean

try:
    from lxml import etree  # type: ignore[import-untyped]
    from scrapy.link import Link
    from scrapy.linkextractors import LinkExtractor as ScrapyLinkExtractor
    from scrapy.utils.misc import arg_to_iter, rel_has_nofollow
    from scrapy.utils.python import unique
    from scrapy.utils.request import fingerprint as scrapy_fingerprint
    from scrapy.utils.response import get_base_url
    from scrapy.utils.url import url_has_any_extension, url_is_from_any_domain
    from w3lib.html import strip_html5_whitespace
    from w3lib.url import safe_url_string

    from urisect.integrations.canonical_urls import canonicalize_url
except ModuleNotFoundError:
    raise MissingExtraError("a part of Scrapy", "scrapy", "scrapy") from None

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import TextResponse

__all__ = ["LinkExtractor", "RequestFingerprinter", "canonicalize_url"]

# One text or several; and the same of patterns.
Texts: TypeAlias = str | Iterable[str]
Patterns: TypeAlias = str | re.Pattern[str] | Iterable[str | re.Pattern[str]]

_logger = logging.getLogger(__name__)

# The setting with the profile of the fingerprints.
_SETTING: Final = "URISECT_PROFILE"

# The schemes of the links that Scrapy follows.
_FOLLOWED_SCHEMES: Final = frozenset({"http", "https", "file", "ftp"})

# An ordinary reference: `safe_url_string` leaves it as it is, in every encoding of the page that keeps ASCII, and
# `urljoin` resolves it as RFC 3986, 5.2, does. Not in it: what is escaped, or escaped by some versions only ("'", "|");
# ";", because `urljoin` drops it before an empty parameter; empty queries and fragments, which it drops as well; empty
# segments of relative paths, which it removes; dot segments that are not at the beginning; ports that do not stay.
_SEGMENT: Final = r"A-Za-z0-9._~%!$&()*+,=@\-"
_QUERY: Final = rf"{_SEGMENT}:/?"
_HOST: Final = r"https?://[a-z0-9][a-z0-9.\-]*+(?::[1-9][0-9]{0,3})?"
_AFTER_PATH: Final = rf"(?:\?[{_QUERY}]++)?(?:\#[{_QUERY}]++)?"
_ORDINARY: Final = rf"""
    (?!\Z)
    (?: {_HOST}  (?: (?![^?\#]*/\.) /[{_SEGMENT}:/]*+ {_AFTER_PATH} )?
      | (?>(?:\.\.?/){{0,9}}(?!/)|) (?! \.  |  [^?\#]*/[./]  )
        (?: /[{_SEGMENT}:/]*+  |  [{_SEGMENT}]++ (?: /[{_SEGMENT}:/]*+ )? )? {_AFTER_PATH} )
"""
# A base URI against which `urljoin` resolves ordinary references as RFC 3986 does.
_ORDINARY_BASE: Final = rf"{_HOST}(?![^?\#]*/[./])/[{_SEGMENT}:/]*+{_AFTER_PATH}"
_match_ordinary_base = re.compile(_ORDINARY_BASE).fullmatch
_match_ordinary = re.compile(_ORDINARY, re.VERBOSE).fullmatch

# The authority and the path of a URL without parameters in its path.
_match_plain_url = re.compile(r"https?://([a-z0-9.:\-]++)((?:/[^?\#;]*+)?)(?:[?\#]|\Z)").match

_match_tag = re.compile(r"[A-Za-z][A-Za-z0-9\-]*+").fullmatch
_XHTML: Final = "{http://www.w3.org/1999/xhtml}"

_text_of = etree.XPath("string()", smart_strings=False)  # a smart string would keep the page in memory


class LinkExtractor(ScrapyLinkExtractor):
    """Extract the links of a page as Scrapy's `LinkExtractor` does, several times as fast.

    It takes the same parameters (`deny_tags` and `deny_attrs` as of Scrapy 2.17), reads the same tree
    (`response.selector`), and returns the same links in the same order. Ordinary references are resolved as
    in RFC 3986, 5.2; all others by the functions that Scrapy calls, so that the URLs are equal, too.

    It is a subclass, so that a `Rule` takes it. A subclass that overrides private methods of Scrapy's class has to stay
    with that class.

    >>> from scrapy.http import HtmlResponse
    >>> page = '<a href="../b?q=é#top" rel="nofollow">B</a> <a href="/c.pdf">C</a> <a href="mailto:d@e">D</a>'
    >>> response = HtmlResponse("http://example.com/a/", body=page, encoding="latin-1")
    >>> LinkExtractor(allow_domains="example.com").extract_links(response)
    [Link(url='http://example.com/b?q=%E9#top', text='B', fragment='', nofollow=True)]
    """

    def __init__(
        self,
        allow: Patterns = (),
        deny: Patterns = (),
        allow_domains: Texts = (),
        deny_domains: Texts = (),
        restrict_xpaths: Texts = (),
        tags: Texts | None = ("a", "area"),
        attrs: Texts | None = ("href",),
        canonicalize: bool = False,  # noqa: FBT001, FBT002  as in Scrapy
        unique: bool = True,  # noqa: FBT001, FBT002
        process_value: Callable[[str], str | None] | None = None,
        deny_extensions: Texts | None = None,
        restrict_css: Texts = (),
        strip: bool = True,  # noqa: FBT001, FBT002
        restrict_text: Patterns | None = None,
        deny_tags: Texts = (),
        deny_attrs: Texts = (),
    ) -> None:
        tags = [*arg_to_iter(tags)]
        denied: dict[str, Any] = {"deny_tags": deny_tags, "deny_attrs": deny_attrs}
        super().__init__(
            *(allow, deny, allow_domains, deny_domains, restrict_xpaths, tags, attrs, canonicalize, unique),
            *(process_value, deny_extensions, restrict_css, strip, restrict_text),
            **{name: value for name, value in denied.items() if value},  # unknown before Scrapy 2.17
        )
        # lxml looks for names without a Python object for each element. It takes no "*" and no invalid name.
        names = [f"{namespace}{tag}" for namespace in ("", _XHTML) for tag in tags]
        self._candidates = names if tags and all(map(_match_tag, tags)) else [etree.Element]

    def extract_links(self, response: "TextResponse") -> list[Link]:
        """Extract the links of a page that the parameters allow (RFC 3986, 5.2).

        Args:
            response: the page.

        Returns:
            The links in document order; without duplicates, unless `unique` is False.

        Raises:
            AttributeError: the response is not a text, or a region of `restrict_xpaths` is not an element.

        >>> from scrapy.http import HtmlResponse
        >>> response = HtmlResponse("http://example.com/", body='<a href="a">A</a><a href="/a">A</a>', encoding="utf-8")
        >>> LinkExtractor().extract_links(response)
        [Link(url='http://example.com/a', text='A', fragment='', nofollow=False)]
        """
        restrictions = _Restrictions(self)
        links = []
        for url, element in self._find(response):
            if not restrictions.allow(url):
                continue
            # Most links contain a text and no other node.
            text = (_text_of(element) if len(element) else element.text) or ""
            if self.restrict_text and not _matches(self.restrict_text, text):
                continue
            final_url = canonicalize_url(url) if self.canonicalize else url
            links.append(Link(final_url, text, nofollow=rel_has_nofollow(element.get("rel"))))
        return unique(links, key=_url_of) if self.link_extractor.unique else links

    def _find(self, response: "TextResponse") -> Iterator[tuple[str, Any]]:
        """Yield the URL and the element of each link; in each region each URL once, if the links are unique."""
        settings = self.link_extractor
        resolve = _Resolver(response, settings.process_attr).resolve
        # Scrapy asks for every element; here, once for each name.
        is_scanned_tag = cache(lambda tag: settings.scan_tag(_local_name(tag)))
        is_scanned_attribute = cache(settings.scan_attr)
        for region in self._regions(response):
            seen = set()
            for element in region.root.iter(*self._candidates):
                if not is_scanned_tag(element.tag):
                    continue
                for name, value in element.items():
                    if not is_scanned_attribute(name):
                        continue
                    url = resolve(strip_html5_whitespace(value) if settings.strip else value)
                    if url is None or url in seen:
                        continue
                    if settings.unique:
                        seen.add(url)
                    yield url, element

    def _regions(self, response: "TextResponse") -> Iterable[Any]:
        """Return the selectors of the parts of a page that links are extracted from."""
        if not self.restrict_xpaths:
            return [response.selector]
        return (region for xpath in self.restrict_xpaths for region in response.xpath(xpath))


class _Resolver:
    """Resolve the references of a page to the URLs that Scrapy's own extractor finds."""

    def __init__(self, response: "TextResponse", process_value: Callable[[Any], Any]) -> None:
        self._page_url = response.url
        self._encoding = response.encoding
        self._base_url = get_base_url(response)
        self._process_value = process_value
        self._base: Base[str] | None = None
        if _match_ordinary_base(self._base_url) and _keeps_ascii(self._encoding):
            self._base = Base(self._base_url)

    def resolve(self, reference: str) -> str | None:
        """Return the URL of a reference, or None where Scrapy finds no link."""
        base = self._base if _match_ordinary(reference) else None
        try:
            target = urljoin(self._base_url, reference) if base is None else base.resolve(reference)
        except ValueError:
            return None
        url = self._process_value(target)
        if url is None or (base is not None and url is target):
            return url
        try:
            safe = safe_url_string(url, encoding=self._encoding)
        except ValueError:
            _logger.debug("Skipping extraction of link with bad URL %r", url)
            return None
        return urljoin(self._page_url, safe)  # the value may be relative after `process_value`


class _Restrictions:
    """The parameters of a link extractor that restrict URLs, with what they say of authorities."""

    def __init__(self, extractor: ScrapyLinkExtractor) -> None:
        self._extractor = extractor
        self._is_allowed_authority = cache(self._find_whether_allowed)
        # Of an extension such as ".tar.gz", the last label: few paths end in one, and are compared in full.
        self._last_labels = {extension.rpartition(".")[2] for extension in extractor.deny_extensions}

    def allow(self, url: str) -> bool:
        """Return whether a link with this URL is wanted, whatever its text is."""
        extractor = self._extractor
        if url.partition("://")[0] not in _FOLLOWED_SCHEMES:
            return False
        if extractor.allow_res and not _matches(extractor.allow_res, url):
            return False
        if extractor.deny_res and _matches(extractor.deny_res, url):
            return False
        match = _match_plain_url(url)
        authority, path = match.groups() if match else _authority_and_path(url)
        if not self._is_allowed_authority(authority):
            return False
        return path.rpartition(".")[2].lower() not in self._last_labels or not url_has_any_extension(
            ParseResult("", "", path, "", "", ""), extractor.deny_extensions
        )

    def _find_whether_allowed(self, authority: str) -> bool:
        extractor, url = self._extractor, ParseResult("", authority, "", "", "", "")
        if extractor.allow_domains and not url_is_from_any_domain(url, extractor.allow_domains):
            return False
        return not (extractor.deny_domains and url_is_from_any_domain(url, extractor.deny_domains))


@lru_cache(maxsize=64)
def _keeps_ascii(encoding: str) -> bool:
    """Return whether an encoding keeps ASCII as it is; UTF-16 and UTF-7 do not.

    >>> _keeps_ascii("shift_jis"), _keeps_ascii("utf-16")
    (True, False)
    """
    characters = bytes(range(0x21, 0x7F))
    return characters.decode("ascii").encode(encoding, "replace") == characters


def _local_name(tag: str) -> str:
    """Return the name of an element without the namespace of XHTML, in which links are looked for, too."""
    return tag.removeprefix(_XHTML)


def _authority_and_path(url: str) -> tuple[str, str]:
    parsed = urlparse(url)
    return parsed.netloc, parsed.path


def _matches(patterns: Iterable[re.Pattern[str]], text: str) -> bool:
    return any(pattern.search(text) for pattern in patterns)


def _url_of(link: Link) -> str:
    return link.url


class RequestFingerprinter:
    """Make the fingerprints of requests, by which Scrapy finds duplicates and keeps pages in its HTTP cache.

    Without a profile, they are Scrapy's own, byte for byte. With a profile, the key of the URL (RFC 3986, 6.2) takes
    the place of the canonical URL: `urisect.crawl.key(url, profile)`. Where both are equal, so are the fingerprints.
    As in Scrapy, the method and the body count, header fields do not, and of a request with `verbatim_url` in its
    `meta` the URL counts as it is.

    Args:
        profile: a profile of `urisect.crawl` or its name, from the setting `URISECT_PROFILE`; none by default.

    Raises:
        ValueError: there is no profile of this name.

    >>> from scrapy import Request
    >>> plain, disguised = Request("http://example.com/a"), Request("http://example.com:80/a#top")
    >>> fingerprinter = RequestFingerprinter()
    >>> fingerprinter.fingerprint(plain) == fingerprinter.fingerprint(disguised)
    False
    >>> with_keys = RequestFingerprinter("request-1")
    >>> with_keys.fingerprint(plain) == with_keys.fingerprint(disguised) == fingerprinter.fingerprint(plain)
    True
    """

    def __init__(self, profile: str | Profile | None = None) -> None:
        if isinstance(profile, str) and profile not in PROFILES:
            known = did_you_mean(profile, PROFILES) or f"; the profiles are {', '.join(PROFILES)}"
            raise ValueError(f"no profile has the name {profile!r}{known}")
        self._profile = profile
        self._fingerprints: WeakKeyDictionary[Request, bytes] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        """Make a fingerprinter with the profile of the setting `URISECT_PROFILE`.

        Args:
            crawler: the crawler, with its settings.

        Raises:
            ValueError: there is no profile of this name.

        >>> from scrapy import Spider
        >>> from scrapy.crawler import Crawler
        >>> crawler = Crawler(Spider, {"URISECT_PROFILE": "page-2"})
        >>> RequestFingerprinter.from_crawler(crawler)
        Traceback (most recent call last):
        ValueError: URISECT_PROFILE: no profile has the name 'page-2'; did you mean "page-1"?
        """
        try:
            return cls(crawler.settings.get(_SETTING))
        except ValueError as error:
            raise ValueError(f"{_SETTING}: {error}") from None

    def fingerprint(self, request: "Request") -> bytes:
        """Return the fingerprint of a request: 20 bytes, kept as long as the request.

        Args:
            request: the request.

        Raises:
            AttributeError: it is not a request.

        >>> from scrapy import Request
        >>> from scrapy.utils.request import fingerprint
        >>> request = Request("http://example.com/?b&a")
        >>> RequestFingerprinter().fingerprint(request) == fingerprint(request)
        True
        """
        found = self._fingerprints.get(request)
        if found is None:
            found = self._fingerprints[request] = self._make(request)
        return found

    def _make(self, request: "Request") -> bytes:
        if request.meta.get("verbatim_url"):
            return scrapy_fingerprint(request)
        profile = self._profile
        url = canonicalize_url(request.url) if profile is None else key(request.url, profile)
        # The JSON that Scrapy hashes, with sorted keys. `json.dumps` of a dict takes 5 times as long as of a str.
        text = (
            f'{{"body": "{request.body.hex()}", "headers": {{}}, '
            f'"method": {json.dumps(request.method)}, "url": {json.dumps(url)}}}'
        )
        return sha1(text.encode(), usedforsecurity=False).digest()
