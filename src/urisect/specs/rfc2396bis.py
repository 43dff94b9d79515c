r"""draft-fielding-uri-rfc2396bis-03 (6 June 2003), on the way to RFC 3986: its collected ABNF, rule by rule.

scheme, port, alphanum and the addresses are in `urisect.specs.abnf`. A set, such as `PCHAR`, leaves the escape to
`run` and `nonempty`. Where the ABNF is ambiguous, and alone would accept more than the prose, the prose decides:

- A reference that begins with "//" is a net-path (3: "first-match-wins"), though abs-path matches "//", too. Or else
  no authority could ever be wrong.
- The first segment of a relative-path reference has no colon (4.2), though rel-path matches one: what stands before
  the colon is a scheme, and if it cannot be one, that is what is wrong.
"""

from functools import partial
from typing import Final

from urisect.normalization import Normalization
from urisect.paths import drop_last_segment
from urisect.reference import Reference, split
from urisect.repetition import zero_or_more
from urisect.resolution import transform
from urisect.specs.abnf import (
    ALPHA,
    ALPHANUM,
    ANYTHING,
    DIGIT,
    IPV6ADDRESS,
    PORT,
    SCHEME,
    SCHEME_CHARACTER,
    nonempty,
    run,
)
from urisect.specs.diagnosis import Rule
from urisect.specs.rfc2396 import collapse
from urisect.specs.specification import Specification, outlined

__all__ = ["RFC2396BIS"]

# mark       = "-" / "_" / "." / "!" / "~" / "*" / "'" / "(" / ")"
# unreserved = ALPHA / DIGIT / mark  (2.3)
MARK: Final = r"\-_.!~*'()"
UNRESERVED: Final = f"{ALPHA}{DIGIT}{MARK}"

# The unreserved octets that a normalizer may decode: ALPHA, DIGIT, hyphen, underscore and tilde  (2.3)
DECODED: Final = rf"{ALPHA}{DIGIT}\-_~"

# pchar = unreserved / escaped / ";" / ":" / "@" / "&" / "=" / "+" / "$" / ","  (3.3)
PCHAR: Final = f"{UNRESERVED};:@&=+$,"

# query    = *( pchar / "/" / "?" )  (3.4)
# fragment = *( pchar / "/" / "?" )  (3.5)
QUERY: Final = run(f"{PCHAR}/?")
FRAGMENT: Final = run(f"{PCHAR}/?")

# segment       = *pchar
# path-segments = segment *( "/" segment )  (3.3)
# abs-path      = "/" path-segments
# rel-path      = path-segments  (3)
SEGMENT: Final = run(PCHAR)
PATH_SEGMENTS: Final = run(f"{PCHAR}/")
ABS_PATH: Final = rf"/{PATH_SEGMENTS}"
REL_PATH: Final = PATH_SEGMENTS

# A rel-path, not empty, whose first segment has no colon (4.2).
NO_COLON: Final = rf"{nonempty(PCHAR.replace(':', ''))}(?>{ABS_PATH}|)"

# domainlabel = alphanum [ 0*61( alphanum / "-" ) alphanum ]
# qualified   = *( "." domainlabel ) [ "." ]
# hostname    = domainlabel qualified  (3.2.2)
DOMAINLABEL: Final = rf"[{ALPHANUM}](?:[{ALPHANUM}\-]{{0,61}}[{ALPHANUM}])?"
QUALIFIED: Final = zero_or_more(rf"\.{DOMAINLABEL}") + r"\.?"
HOSTNAME: Final = rf"{DOMAINLABEL}{QUALIFIED}"

# IPv6reference = "[" IPv6address "]"
# host          = [ IPv6reference / IPv4address / hostname ]  (3.2.2)
# Each IPv4address is a hostname too; which of them it is, is a question of meaning.
IPV6REFERENCE: Final = rf"\[{IPV6ADDRESS}\]"
HOST: Final = rf"(?:{IPV6REFERENCE}|{HOSTNAME})?"

# userinfo = *( unreserved / escaped / ";" / ":" / "&" / "=" / "+" / "$" / "," )  (3.2.1)
USERINFO: Final = run(f"{UNRESERVED};:&=+$,")

# authority = [ userinfo "@" ] host [ ":" port ]  (3.2)
AUTHORITY: Final = rf"(?>{USERINFO}@|){HOST}(?>:{PORT}|)"

# net-path     = "//" authority [ abs-path ]
# hier-part    = net-path / abs-path / rel-path
# URI          = scheme ":" hier-part [ "?" query ] [ "#" fragment ]  (3)
# relative-URI = hier-part [ "?" query ] [ "#" fragment ]  (4.2)
# Both in one: which path there may be, depends on whether there is an authority, and whether there is a scheme. As an
# authority may be empty, a net-path takes every "//".
HIERARCHY: Final = (
    rf"(?>//(?P<authority>{AUTHORITY})|)"
    rf"(?P<path>(?(authority)(?:{ABS_PATH})?|"
    rf"(?:{ABS_PATH}|(?(scheme){REL_PATH}|(?:{NO_COLON})?))))"
    rf"(?>\?(?P<query>{QUERY})|)"
)

# What a hostname can go on with: each stretch of hyphens stands before an alphanum, each dot before one or at the end.
_HOSTNAME_REST: Final = zero_or_more(rf"[{ALPHANUM}]++|-++(?=[{ALPHANUM}])|\.(?=[{ALPHANUM}]|\Z)")

RULES: Final = {
    "scheme": Rule("scheme", "3.1", SCHEME, rf"[{SCHEME_CHARACTER}]*+"),
    "authority": Rule("authority", "3.2", AUTHORITY),
    "userinfo": Rule("userinfo", "3.2.1", USERINFO),
    "host": Rule("host", "3.2.2", HOST),
    "port": Rule("port", "3.2.3", PORT),
    "path": Rule("path-segments", "3.3", PATH_SEGMENTS),
    "segment": Rule("segment", "3.3", SEGMENT),
    "query": Rule("query", "3.4", QUERY),
    "fragment": Rule("fragment", "3.5", FRAGMENT),
}

REFERENCES: Final = {
    "URI": ("URI", "3"),
    "absolute-URI": ("absolute-URI", "4.3"),
    "relative-ref": ("relative-URI", "4.2"),
    "escaped": ("escaped", "2.4.1"),
}

# What a diagnosis looks at: of an authority nothing is left beside its sub-components.
DIAGNOSED: Final = {component: rule for component, rule in RULES.items() if component != "authority"} | {
    "host": Rule("hostname", "3.2.2", rf"(?:{HOSTNAME})?", _HOSTNAME_REST),
    "literal": Rule("IPv6reference", "3.2.2", IPV6REFERENCE, ANYTHING),
    "colon": Rule("rel-path", "4.2", NO_COLON, PATH_SEGMENTS),
}


def merge(base: Reference[str], path: str) -> str:
    """Join a relative path to the base's path (5.2): one that is not hierarchical gives nothing to it.

    >>> merge(Reference("mailto", None, "a@b/c", None, None), "g"), merge(Reference("http", "a", "", None, None), "g")
    ('g', '/g')
    """
    if not base.path:
        return f"/{path}"
    if not base.path.startswith("/"):
        return path
    return drop_last_segment(base.path) + path


def remove_dot_segments(path: str) -> str:
    """Take the segments "." and ".." out of a path (5.2, steps 2 to 6).

    Of "./" and "../" at the beginning only the segment goes, as step 2 has it, and the "/" stays.

    >>> [remove_dot_segments(path) for path in ("/a//../b", "/../g", "/a/..", "./g", "g/../h")]
    ['/a/b', '/g', '/', '/g', 'g/../h']
    """
    first, *segments = path.split("/")
    if not segments:
        return path
    if first in (".", ".."):  # step 2
        first = ""
    output = collapse(segments)  # steps 3 to 5
    if not first:  # step 6
        climbing = next((index for index, segment in enumerate(output) if segment != ".."), len(output))
        output = output[climbing:] or [""]
    return "/".join((first, *output))


RFC2396BIS: Final = Specification(
    name="rfc2396bis",
    title="rfc2396bis-03",
    rules=RULES,
    references=REFERENCES,
    hierarchy=HIERARCHY,
    fragment=rf"(?>#(?P<fragment>{FRAGMENT})|)",
    parts=partial(outlined, rules=DIAGNOSED),
    cut=split,
    resolution=partial(transform, merge=merge, remove_dot_segments=remove_dot_segments),
    normalization=Normalization(DECODED, remove_dot_segments),
)
