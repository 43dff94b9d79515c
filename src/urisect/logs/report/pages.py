"""Tell pages from what they consist of, their assets, by the suffix of the path."""

import re

__all__ = ["ASSET_PATTERN", "is_page"]

# An expression of RE2.
ASSET_PATTERN = (
    r"(?i)[.](?:css|js|mjs|map|wasm|png|jpe?g|gif|svg|webp|avif|ico|bmp|cur|woff2?|ttf|otf|eot|mp[34]|m4[av]|webm|og[gv]"
    r"|mov|avi|wav|flac)\z"
)
_match_asset = re.compile(ASSET_PATTERN.replace(r"\z", r"\Z").encode()).search


def is_page(path: bytes | None) -> bool:
    """Return whether a path is that of a page.

    >>> is_page(b"/blog/"), is_page(b"/site.CSS"), is_page(None)
    (True, False, False)
    """
    return path is not None and _match_asset(path) is None
