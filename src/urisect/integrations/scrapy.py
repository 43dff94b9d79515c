"""Parts for Scrapy: a link extractor, a request fingerprinter, and a faster `canonicalize_url`."""

from urisect.extras import MissingExtraError

try:
    from urisect.integrations.canonical_urls import canonicalize_url
except ModuleNotFoundError:
    raise MissingExtraError("a part of Scrapy", "scrapy", "scrapy") from None

__all__ = ["canonicalize_url"]
