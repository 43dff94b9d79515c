r"""RFC 3986, Uniform Resource Identifier (URI): Generic Syntax (January 2005): its collected ABNF, rule by rule.

A reader with Appendix A beside this can check it line by line; rules stand in the order in which one is made of the
other. What is not here is in `urisect.characters`, IPvFuture in `urisect.address`, the other addresses in
`urisect.specs.abnf`. A set, such as `PCHAR`, leaves the escape to `run` and `nonempty`.
"""

from functools import partial
from typing import Final

from urisect.address import IPVFUTURE
from urisect.characters import PCHAR, SUB_DELIMS, UNRESERVED
from urisect.normalization import RFC3986_NORMALIZATION
from urisect.reference import split
from urisect.resolution import resolve_components
from urisect.specs.abnf import (
    ANYTHING,
    IPV6ADDRESS,
    PORT,
    SCHEME,
    SCHEME_CHARACTER,
    nonempty,
    run,
)
from urisect.specs.diagnosis import Rule
from urisect.specs.specification import Specification, outlined

__all__ = ["RFC3986"]

# query    = *( pchar / "/" / "?" )  (3.4)
# fragment = *( pchar / "/" / "?" )  (3.5)
QUERY: Final = run(f"{PCHAR}/?")
FRAGMENT: Final = run(f"{PCHAR}/?")

# segment       = *pchar
# segment-nz    = 1*pchar
# segment-nz-nc = 1*( unreserved / pct-encoded / sub-delims / "@" )  (3.3)
SEGMENT: Final = run(PCHAR)
SEGMENT_NZ: Final = nonempty(PCHAR)
SEGMENT_NZ_NC: Final = nonempty(f"{UNRESERVED}{SUB_DELIMS}@")

# path-abempty  = *( "/" segment )
# path-absolute = "/" [ segment-nz *( "/" segment ) ]
# path-noscheme = segment-nz-nc *( "/" segment )
# path-rootless = segment-nz *( "/" segment )
# path-empty    = 0<pchar>
# path          = path-abempty / path-absolute / path-noscheme / path-rootless / path-empty  (3.3)
# A segment may be empty, so what follows the first "/" is any run of pchar and "/".
PATH: Final = run(f"{PCHAR}/")
PATH_ABEMPTY: Final = rf"(?>/{PATH}|)"
PATH_ABSOLUTE: Final = rf"/(?!/){PATH}"
PATH_NOSCHEME: Final = rf"{SEGMENT_NZ_NC}{PATH_ABEMPTY}"
PATH_ROOTLESS: Final = nonempty(PCHAR, "/")
PATH_EMPTY: Final = ""

# reg-name   = *( unreserved / pct-encoded / sub-delims )
# IP-literal = "[" ( IPv6address / IPvFuture ) "]"
# host       = IP-literal / IPv4address / reg-name  (3.2.2)
# Each IPv4address is a reg-name too; which of them it is, is a question of meaning.
REG_NAME: Final = run(f"{UNRESERVED}{SUB_DELIMS}")
IP_LITERAL: Final = rf"\[(?:{IPV6ADDRESS}|{IPVFUTURE})\]"
HOST: Final = rf"(?:{IP_LITERAL}|{REG_NAME})"

# userinfo = *( unreserved / pct-encoded / sub-delims / ":" )  (3.2.1)
USERINFO: Final = run(f"{UNRESERVED}{SUB_DELIMS}:")

# authority = [ userinfo "@" ] host [ ":" port ]  (3.2)
# The second alternative is the rule. The first takes what most authorities are, a name and perhaps a port up to a
# delimiter, without reading the name as a userinfo first: a match takes 235 ns, not 273 (real URLs, CPython 3.11).
AUTHORITY: Final = rf"(?:{REG_NAME}(?>:{PORT}|)(?![^/?#])|(?>{USERINFO}@|){HOST}(?>:{PORT}|))"

# hier-part     = "//" authority path-abempty / path-absolute / path-rootless / path-empty  (3)
# relative-part = "//" authority path-abempty / path-absolute / path-noscheme / path-empty  (4.2)
# URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]  (3)
# relative-ref  = relative-part [ "?" query ] [ "#" fragment ]  (4.2)
# Both in one: which path there may be, depends on whether there is an authority, and whether there is a scheme.
HIERARCHY: Final = (
    rf"(?>//(?P<authority>{AUTHORITY})|)"
    rf"(?P<path>(?(authority){PATH_ABEMPTY}|"
    rf"(?:{PATH_ABSOLUTE}|(?(scheme){PATH_ROOTLESS}|{PATH_NOSCHEME})|{PATH_EMPTY})))"
    rf"(?>\?(?P<query>{QUERY})|)"
)

RULES: Final = {
    "scheme": Rule("scheme", "3.1", SCHEME, rf"[{SCHEME_CHARACTER}]*+"),
    "authority": Rule("authority", "3.2", AUTHORITY),
    "userinfo": Rule("userinfo", "3.2.1", USERINFO),
    "host": Rule("host", "3.2.2", HOST),
    "port": Rule("port", "3.2.3", PORT),
    "path": Rule("path", "3.3", PATH),
    "segment": Rule("segment", "3.3", SEGMENT),
    "query": Rule("query", "3.4", QUERY),
    "fragment": Rule("fragment", "3.5", FRAGMENT),
}

REFERENCES: Final = {
    "URI": ("URI", "3"),
    "absolute-URI": ("absolute-URI", "4.3"),
    "relative-ref": ("relative-ref", "4.2"),
    "escaped": ("pct-encoded", "2.1"),
}

# What a diagnosis looks at: of an authority nothing is left beside its sub-components.
DIAGNOSED: Final = {component: rule for component, rule in RULES.items() if component != "authority"} | {
    "host": Rule("reg-name", "3.2.2", REG_NAME),
    "literal": Rule("IP-literal", "3.2.2", IP_LITERAL, ANYTHING),
    "colon": Rule("path-noscheme", "3.3", PATH_NOSCHEME, PATH),
}


RFC3986: Final = Specification(
    name="rfc3986",
    title="RFC 3986",
    rules=RULES,
    references=REFERENCES,
    hierarchy=HIERARCHY,
    fragment=rf"(?>#(?P<fragment>{FRAGMENT})|)",
    parts=partial(outlined, rules=DIAGNOSED),
    cut=split,
    resolution=resolve_components,
    normalization=RFC3986_NORMALIZATION,
)
