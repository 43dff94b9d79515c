"""`canonicalize_url` of w3lib, faster: the same results."""

from w3lib.url import canonicalize_url

__all__ = ["canonicalize_url"]
