"""The generations of the URI specification, each a `Specification`.

>>> from urisect.specs import RFC2396, RFC3986
>>> RFC3986.is_valid("http://[::1]/"), RFC2396.is_valid("http://[::1]/")
(True, False)
"""

from urisect.specs.rfc2396 import RFC2396
from urisect.specs.rfc2396bis import RFC2396BIS
from urisect.specs.rfc3986 import RFC3986
from urisect.specs.specification import Specification
from urisect.specs.url1996 import URL1996

__all__ = ["RFC2396", "RFC2396BIS", "RFC3986", "SPECIFICATIONS", "URL1996", "Specification"]

# By the names that the command calls them, the newest first.
SPECIFICATIONS = {specification.name: specification for specification in (RFC3986, RFC2396BIS, RFC2396, URL1996)}
