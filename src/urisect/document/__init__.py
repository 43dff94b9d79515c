"""Establish the base URI of a document (RFC 3986, 5.1), and find its links.

`turbohtml` parses HTML as the HTML Standard specifies: `pip install 'urisect[html]'`.
"""

from urisect.document.bases import base_uri, parts
from urisect.document.extraction import Link, links

__all__ = ["Link", "base_uri", "links", "parts"]
