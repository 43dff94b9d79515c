"""Crawl a generated site with Scrapy's own parts and with those of urisect, on this machine.

`python -m benchmarks.scrapy_crawl` prints the pages found, the fetches, and the CPU time of the spider for each set of
parts; and below, the time of the link extractors and of the fingerprinters alone. The site is served by the parent
process; each spider runs in a process of its own.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tests.support.generated_site import HOST, Site
from tests.support.paths import ROOT

__all__ = ["PARTS", "Crawl", "crawl"]

_FINGERPRINTER: Final = {"REQUEST_FINGERPRINTER_CLASS": "urisect.integrations.scrapy.RequestFingerprinter"}

# The settings of each set of parts; all but Scrapy's own have the link extractor of urisect.
PARTS: Final[dict[str, dict[str, str]]] = {
    "Scrapy": {},
    "urisect": _FINGERPRINTER,
    "urisect, page-1": {**_FINGERPRINTER, "URISECT_PROFILE": "page-1"},
}
_TIMEOUT: Final = 600  # seconds per crawl


class Crawl(NamedTuple):
    """The result of a crawl.

    Attributes:
        pages: the numbers of the pages that were found.
        fetches: the count of requests that reached the server.
        seconds: the CPU time of the spider's process during the crawl.
    """

    pages: frozenset[int]
    fetches: int
    seconds: float


def crawl(site: Site, parts: str) -> Crawl:
    """Crawl a site in a process of its own.

    Args:
        site: the site.
        parts: the name of a set of parts in `PARTS`.
    """
    with site.serve() as visits:
        # The host of the site exists for the proxy only.
        environment = {**os.environ, "http_proxy": visits.proxy, "no_proxy": ""}
        command = [sys.executable, "-m", "benchmarks.scrapy_crawl", "--spider", parts]
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, timeout=_TIMEOUT, check=True)
        return Crawl(frozenset(visits.pages), visits.fetches, json.loads(done.stdout))


def run_spider(parts: str) -> float:
    """Crawl the site in this process, and return the CPU time."""
    from scrapy.crawler import CrawlerProcess  # noqa: PLC0415  spiders only, not the parent
    from scrapy.linkextractors import LinkExtractor as ScrapyLinkExtractor  # noqa: PLC0415
    from scrapy.spiders import CrawlSpider, Rule  # noqa: PLC0415

    from urisect.integrations.scrapy import LinkExtractor  # noqa: PLC0415

    class Pages(CrawlSpider):
        name = "pages"
        start_urls = [f"http://{HOST}/p/0.html"]  # noqa: RUF012  as Scrapy declares it
        allowed_domains = [HOST]  # noqa: RUF012
        rules = (Rule(LinkExtractor() if PARTS[parts] else ScrapyLinkExtractor(), follow=True),)

    process = CrawlerProcess({"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False, **PARTS[parts]})
    process.crawl(Pages)
    start = time.process_time()
    process.start()
    return time.process_time() - start


def time_parts(links: int, runs: int) -> list[tuple[str, float, float]]:
    """Return the microseconds of each part of Scrapy and of ours, a link of a page or a request."""
    from scrapy import Request  # noqa: PLC0415
    from scrapy.http import HtmlResponse  # noqa: PLC0415
    from scrapy.linkextractors import LinkExtractor as ScrapyLinkExtractor  # noqa: PLC0415
    from scrapy.utils.request import RequestFingerprinter as ScrapyRequestFingerprinter  # noqa: PLC0415

    from urisect.integrations.scrapy import LinkExtractor, RequestFingerprinter  # noqa: PLC0415

    items = (
        f'<li><p>Text <b>of</b> item</p><a class=x href="/s/{number % 7}/{number}?page={number}&amp;sort=price">'
        f"Item <i>{number}</i></a></li>"
        for number in range(links)
    )
    body = f"<html><body><ul>{''.join(items)}</ul></body></html>".encode()

    def response() -> HtmlResponse:
        return HtmlResponse(f"http://{HOST}/a/b", body=body, encoding="utf-8")

    parsed = response()
    urls = [link.url for link in ScrapyLinkExtractor().extract_links(parsed)]
    if [link.url for link in LinkExtractor().extract_links(parsed)] != urls or len(urls) != links:
        raise ValueError("the links differ")

    def best(prepare: Callable[[], Any], work: Callable[[Any], object]) -> float:
        times = []
        for _ in range(runs):
            prepared = prepare()
            start = time.process_time()
            work(prepared)
            times.append(time.process_time() - start)
        return min(times) / links * 1e6

    def fingerprints(fingerprinter: Any) -> float:
        return best(
            lambda: [Request(url) for url in urls],
            lambda requests: [fingerprinter.fingerprint(request) for request in requests],
        )

    own, ours = ScrapyLinkExtractor().extract_links, LinkExtractor().extract_links
    own_fingerprints = fingerprints(ScrapyRequestFingerprinter())
    return [
        ("a link, page parsed by the extractor", best(response, own), best(response, ours)),
        ("a link, page parsed before", best(lambda: parsed, own), best(lambda: parsed, ours)),
        ("a fingerprint", own_fingerprints, fingerprints(RequestFingerprinter())),
        ("a fingerprint, page-1", own_fingerprints, fingerprints(RequestFingerprinter("page-1"))),
    ]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=400, help="pages of the site")
    parser.add_argument("--links", type=int, default=2000, help="links of the page for the extractors alone")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--spider", choices=PARTS, help="only crawl, and print the CPU time")
    arguments = parser.parse_args()
    if arguments.spider:
        print(run_spider(arguments.spider))
        return
    import scrapy  # noqa: PLC0415

    site = Site(arguments.pages)
    print(f"CPython {platform.python_version()}, Scrapy {scrapy.__version__}, a site of {arguments.pages} pages\n")
    print("| parts | pages found | fetches | CPU ms a fetch | CPU ms a page |\n| --- | ---: | ---: | ---: | ---: |")
    for parts in PARTS:
        pages, fetches, seconds = crawl(site, parts)
        milliseconds = seconds * 1000
        found = len(pages)
        print(f"| {parts} | {found} | {fetches} | {milliseconds / fetches:.1f} | {milliseconds / found:.1f} |")
    print("\n| µs | Scrapy | urisect |\n| --- | ---: | ---: |")
    for part, own, ours in time_parts(arguments.links, arguments.runs):
        print(f"| {part} | {own:.1f} | {ours:.1f} |")


if __name__ == "__main__":
    main()
