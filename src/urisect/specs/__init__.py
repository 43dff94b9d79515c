"""The generations of the URI specification (RFC 3986 and its predecessors) and IRIs, each a `Specification`.

>>> from urisect.specs import RFC2396, RFC3986
>>> RFC3986.is_valid("http://[::1]/"), RFC2396.is_valid("http://[::1]/")
(True, False)
"""

from urisect.specs.rfc2396 import RFC2396
from urisect.specs.rfc2396bis import RFC2396BIS
from urisect.specs.rfc3986 import RFC3986
from urisect.specs.rfc3987 import RFC3987
from urisect.specs.specification import Specification
from urisect.specs.url1996 import URL1996
from urisect.suggestion import did_you_mean

__all__ = ["RFC2396", "RFC2396BIS", "RFC3986", "RFC3987", "SPECIFICATIONS", "URL1996", "Specification"]


class _SpecificationsByName(dict[str, Specification]):
    def __missing__(self, name: str) -> Specification:
        known = ", ".join(self)
        raise KeyError(f"unknown specification {name} (known: {known}){did_you_mean(str(name), self)}")


# The default, its extension to IRIs, and the older ones, newest first.
SPECIFICATIONS = _SpecificationsByName(
    (specification.name, specification) for specification in (RFC3986, RFC3987, RFC2396BIS, RFC2396, URL1996)
)
