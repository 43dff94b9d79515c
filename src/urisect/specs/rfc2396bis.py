r"""draft-fielding-uri-rfc2396bis-03 (6 June 2003), on the way to RFC 3986: its collected ABNF, rule by rule.

scheme, port, alphanum and the addresses are in `urisect.specs.abnf`. A set, such as `PCHAR`, does not include escapes:
`zero_or_more_characters` and `one_or_more_characters` add them. Where the ABNF is ambiguous and accepts more than the
prose, the prose decides:

- A reference that begins with "//" is a net-path (3: "first-match-wins"), although abs-path also matches "//".
  Otherwise no authority could be invalid.
- The first segment of a relative-path reference has no colon (4.2), although rel-path matches one. The text before the
  colon is a scheme, and is reported as a scheme if it is invalid.
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
    ANY_TEXT,
    DIGIT,
    IPV6ADDRESS,
    PORT,
    SCHEME,
    SCHEME_CHARACTER,
    one_or_more_characters,
    zero_or_more_characters,
)
from urisect.specs.diagnosis import ComponentRule
from urisect.specs.rfc2396 import collapse_dot_segments
from urisect.specs.specification import Specification, split_for_diagnosis

__all__ = ["RFC2396BIS"]

# mark       = "-" / "_" / "." / "!" / "~" / "*" / "'" / "(" / ")"
# unreserved = ALPHA / DIGIT / mark  (2.3)
MARK: Final = r"\-_.!~*'()"
UNRESERVED: Final = f"{ALPHA}{DIGIT}{MARK}"

# The unreserved octets that a normalizer may decode: ALPHA, DIGIT, hyphen, underscore and tilde  (2.3)
DECODABLE: Final = rf"{ALPHA}{DIGIT}\-_~"

# pchar = unreserved / escaped / ";" / ":" / "@" / "&" / "=" / "+" / "$" / ","  (3.3)
PCHAR: Final = f"{UNRESERVED};:@&=+$,"

# query    = *( pchar / "/" / "?" )  (3.4)
# fragment = *( pchar / "/" / "?" )  (3.5)
QUERY: Final = zero_or_more_characters(f"{PCHAR}/?")
FRAGMENT: Final = zero_or_more_characters(f"{PCHAR}/?")

# segment       = *pchar
# path-segments = segment *( "/" segment )  (3.3)
# abs-path      = "/" path-segments
# rel-path      = path-segments  (3)
SEGMENT: Final = zero_or_more_characters(PCHAR)
PATH_SEGMENTS: Final = zero_or_more_characters(f"{PCHAR}/")
ABS_PATH: Final = rf"/{PATH_SEGMENTS}"
REL_PATH: Final = PATH_SEGMENTS

# A non-empty rel-path whose first segment has no colon (4.2).
PATH_WITHOUT_COLON: Final = rf"{one_or_more_characters(PCHAR.replace(':', ''))}(?>{ABS_PATH}|)"

# domainlabel = alphanum [ 0*61( alphanum / "-" ) alphanum ]
# qualified   = *( "." domainlabel ) [ "." ]
# hostname    = domainlabel qualified  (3.2.2)
DOMAINLABEL: Final = rf"[{ALPHANUM}](?:[{ALPHANUM}\-]{{0,61}}[{ALPHANUM}])?"
QUALIFIED: Final = zero_or_more(rf"\.{DOMAINLABEL}") + r"\.?"
HOSTNAME: Final = rf"{DOMAINLABEL}{QUALIFIED}"

# IPv6reference = "[" IPv6address "]"
# host          = [ IPv6reference / IPv4address / hostname ]  (3.2.2)
# Every IPv4address is also a hostname, so the expression leaves it out.
IPV6REFERENCE: Final = rf"\[{IPV6ADDRESS}\]"
HOST: Final = rf"(?:{IPV6REFERENCE}|{HOSTNAME})?"

# userinfo = *( unreserved / escaped / ";" / ":" / "&" / "=" / "+" / "$" / "," )  (3.2.1)
USERINFO: Final = zero_or_more_characters(f"{UNRESERVED};:&=+$,")

# authority = [ userinfo "@" ] host [ ":" port ]  (3.2)
AUTHORITY: Final = rf"(?>{USERINFO}@|){HOST}(?>:{PORT}|)"

# net-path     = "//" authority [ abs-path ]
# hier-part    = net-path / abs-path / rel-path
# URI          = scheme ":" hier-part [ "?" query ] [ "#" fragment ]  (3)
# relative-URI = hier-part [ "?" query ] [ "#" fragment ]  (4.2)
# Both in one expression: which path is allowed depends on whether there is an authority, and a scheme. As an authority
# may be empty, a net-path takes every "//".
AUTHORITY_TO_QUERY: Final = (
    rf"(?>//(?P<authority>{AUTHORITY})|)"
    rf"(?P<path>(?(authority)(?:{ABS_PATH})?|"
    rf"(?:{ABS_PATH}|(?(scheme){REL_PATH}|(?:{PATH_WITHOUT_COLON})?))))"
    rf"(?>\?(?P<query>{QUERY})|)"
)

# The rest of a hostname: an alphanum follows each run of hyphens; an alphanum or the end follows each dot.
_HOSTNAME_REST: Final = zero_or_more(rf"[{ALPHANUM}]++|-++(?=[{ALPHANUM}])|\.(?=[{ALPHANUM}]|\Z)")

COMPONENT_RULES: Final = {
    "scheme": ComponentRule("scheme", "3.1", SCHEME, rf"[{SCHEME_CHARACTER}]*+"),
    "authority": ComponentRule("authority", "3.2", AUTHORITY),
    "userinfo": ComponentRule("userinfo", "3.2.1", USERINFO),
    "host": ComponentRule("host", "3.2.2", HOST),
    "port": ComponentRule("port", "3.2.3", PORT),
    "path": ComponentRule("path-segments", "3.3", PATH_SEGMENTS),
    "segment": ComponentRule("segment", "3.3", SEGMENT),
    "query": ComponentRule("query", "3.4", QUERY),
    "fragment": ComponentRule("fragment", "3.5", FRAGMENT),
}

RULE_CITATIONS: Final = {
    "URI": ("URI", "3"),
    "absolute-URI": ("absolute-URI", "4.3"),
    "relative-ref": ("relative-URI", "4.2"),
    "escaped": ("escaped", "2.4.1"),
}

# The rules for diagnosis: the sub-components cover the whole authority.
DIAGNOSED_RULES: Final = {
    component: rule for component, rule in COMPONENT_RULES.items() if component != "authority"
} | {
    "host": ComponentRule("hostname", "3.2.2", rf"(?:{HOSTNAME})?", _HOSTNAME_REST),
    "IP-literal": ComponentRule("IPv6reference", "3.2.2", IPV6REFERENCE, ANY_TEXT),
    "colon path": ComponentRule("rel-path", "4.2", PATH_WITHOUT_COLON, PATH_SEGMENTS),
}


def merge(base: Reference[str], path: str) -> str:
    """Merge a relative path with the base's path (5.2); a base path that does not begin with "/" is dropped.

    >>> merge(Reference("mailto", None, "a@b/c", None, None), "g"), merge(Reference("http", "a", "", None, None), "g")
    ('g', '/g')
    """
    if not base.path:
        return f"/{path}"
    if not base.path.startswith("/"):
        return path
    return drop_last_segment(base.path) + path


def remove_dot_segments(path: str) -> str:
    """Remove the segments "." and ".." from a path (5.2, steps 2 to 6).

    Of a leading "./" or "../" only the segment is removed, and the "/" is kept, as step 2 says.

    >>> [remove_dot_segments(path) for path in ("/a//../b", "/../g", "/a/..", "./g", "g/../h")]
    ['/a/b', '/g', '/', '/g', 'g/../h']
    """
    first, *segments = path.split("/")
    if not segments:
        return path
    if first in (".", ".."):  # step 2
        first = ""
    output = collapse_dot_segments(segments)  # steps 3 to 5
    if not first:  # step 6
        climbing = next((index for index, segment in enumerate(output) if segment != ".."), len(output))
        output = output[climbing:] or [""]
    return "/".join((first, *output))


RFC2396BIS: Final = Specification(
    name="rfc2396bis",
    title="rfc2396bis-03",
    component_rules=COMPONENT_RULES,
    rule_citations=RULE_CITATIONS,
    authority_to_query=AUTHORITY_TO_QUERY,
    optional_fragment=rf"(?>#(?P<fragment>{FRAGMENT})|)",
    split_for_diagnosis=partial(split_for_diagnosis, rules=DIAGNOSED_RULES),
    plain_split=split,
    resolve_components=partial(transform, merge=merge, remove_dot_segments=remove_dot_segments),
    normalization=Normalization(DECODABLE, remove_dot_segments),
)
