r"""RFC 3987, Internationalized Resource Identifiers (IRIs) (January 2005): its ABNF (2.2), rule by rule.

An IRI is a URI that may also contain characters beyond ASCII: ucschar where RFC 3986 has unreserved, and iprivate in
the query. So the rules are those of `urisect.specs.rfc3986`, and every URI is an IRI. ucschar, iprivate and the rules
for ASCII are in `urisect.characters`.

Bytes are an IRI in UTF-8 (6.4), so the expression for bytes has the sequences of UTF-8 in place of the characters.
"""

from functools import partial
from typing import Final

from urisect.address import IPVFUTURE
from urisect.characters import IPRIVATE, PCHAR, SUB_DELIMS, UCSCHAR, UNRESERVED
from urisect.normalization import RFC3986_NORMALIZATION
from urisect.reference import split
from urisect.resolution import resolve_components
from urisect.specs.abnf import (
    ANY_TEXT,
    IPV6ADDRESS,
    PORT,
    SCHEME,
    SCHEME_CHARACTER,
    one_or_more_characters,
    zero_or_more_characters,
)
from urisect.specs.beyond_ascii import CharactersBeyondASCII
from urisect.specs.diagnosis import ComponentRule
from urisect.specs.specification import Specification, split_for_diagnosis

__all__ = ["RFC3987"]

# iunreserved = ALPHA / DIGIT / "-" / "." / "_" / "~" / ucschar
# ipchar      = iunreserved / pct-encoded / sub-delims / ":" / "@"
IUNRESERVED: Final = f"{UNRESERVED}{UCSCHAR}"
IPCHAR: Final = f"{PCHAR}{UCSCHAR}"

# iquery    = *( ipchar / iprivate / "/" / "?" )
# ifragment = *( ipchar / "/" / "?" )
IQUERY: Final = zero_or_more_characters(f"{IPCHAR}{IPRIVATE}/?")
IFRAGMENT: Final = zero_or_more_characters(f"{IPCHAR}/?")

# isegment       = *ipchar
# isegment-nz    = 1*ipchar
# isegment-nz-nc = 1*( iunreserved / pct-encoded / sub-delims / "@" )
ISEGMENT: Final = zero_or_more_characters(IPCHAR)
ISEGMENT_NZ: Final = one_or_more_characters(IPCHAR)
ISEGMENT_NZ_NC: Final = one_or_more_characters(f"{IUNRESERVED}{SUB_DELIMS}@")

# ipath-abempty  = *( "/" isegment )
# ipath-absolute = "/" [ isegment-nz *( "/" isegment ) ]
# ipath-noscheme = isegment-nz-nc *( "/" isegment )
# ipath-rootless = isegment-nz *( "/" isegment )
# ipath-empty    = 0<ipchar>
# ipath          = ipath-abempty / ipath-absolute / ipath-noscheme / ipath-rootless / ipath-empty
# A segment may be empty, so any run of ipchar and "/" may follow the first "/".
IPATH: Final = zero_or_more_characters(f"{IPCHAR}/")
IPATH_ABEMPTY: Final = rf"(?>/{IPATH}|)"
IPATH_ABSOLUTE: Final = rf"/(?!/){IPATH}"
IPATH_NOSCHEME: Final = rf"{ISEGMENT_NZ_NC}{IPATH_ABEMPTY}"
IPATH_ROOTLESS: Final = one_or_more_characters(IPCHAR, "/")
IPATH_EMPTY: Final = ""

# ireg-name  = *( iunreserved / pct-encoded / sub-delims )
# IP-literal = "[" ( IPv6address / IPvFuture  ) "]"
# ihost      = IP-literal / IPv4address / ireg-name
# Every IPv4address is also an ireg-name, so the expression leaves it out.
IREG_NAME: Final = zero_or_more_characters(f"{IUNRESERVED}{SUB_DELIMS}")
IP_LITERAL: Final = rf"\[(?:{IPV6ADDRESS}|{IPVFUTURE})\]"
IHOST: Final = rf"(?:{IP_LITERAL}|{IREG_NAME})"

# iuserinfo = *( iunreserved / pct-encoded / sub-delims / ":" )
IUSERINFO: Final = zero_or_more_characters(f"{IUNRESERVED}{SUB_DELIMS}:")

# iauthority = [ iuserinfo "@" ] ihost [ ":" port ]
# The first alternative is a shortcut, as in `urisect.specs.rfc3986`.
IAUTHORITY: Final = rf"(?:{IREG_NAME}(?>:{PORT}|)(?![^/?#])|(?>{IUSERINFO}@|){IHOST}(?>:{PORT}|))"

# ihier-part     = "//" iauthority ipath-abempty / ipath-absolute / ipath-rootless / ipath-empty
# irelative-part = "//" iauthority ipath-abempty / ipath-absolute / ipath-noscheme / ipath-empty
# IRI            = scheme ":" ihier-part [ "?" iquery ] [ "#" ifragment ]
# irelative-ref  = irelative-part [ "?" iquery ] [ "#" ifragment ]
# Both in one expression: which path is allowed depends on whether there is an authority, and a scheme.
AUTHORITY_TO_QUERY: Final = (
    rf"(?>//(?P<authority>{IAUTHORITY})|)"
    rf"(?P<path>(?(authority){IPATH_ABEMPTY}|"
    rf"(?:{IPATH_ABSOLUTE}|(?(scheme){IPATH_ROOTLESS}|{IPATH_NOSCHEME})|{IPATH_EMPTY})))"
    rf"(?>\?(?P<query>{IQUERY})|)"
)

COMPONENT_RULES: Final = {
    "scheme": ComponentRule("scheme", "2.2", SCHEME, rf"[{SCHEME_CHARACTER}]*+"),
    "authority": ComponentRule("iauthority", "2.2", IAUTHORITY),
    "userinfo": ComponentRule("iuserinfo", "2.2", IUSERINFO),
    "host": ComponentRule("ihost", "2.2", IHOST),
    "port": ComponentRule("port", "2.2", PORT),
    "path": ComponentRule("ipath", "2.2", IPATH),
    "segment": ComponentRule("isegment", "2.2", ISEGMENT),
    "query": ComponentRule("iquery", "2.2", IQUERY),
    "fragment": ComponentRule("ifragment", "2.2", IFRAGMENT),
}

RULE_CITATIONS: Final = {
    "URI": ("IRI", "2.2"),
    "absolute-URI": ("absolute-IRI", "2.2"),
    "relative-ref": ("irelative-ref", "2.2"),
    "escaped": ("pct-encoded", "2.2"),
}

# The rules for diagnosis: the sub-components cover the whole authority.
DIAGNOSED_RULES: Final = {
    component: rule for component, rule in COMPONENT_RULES.items() if component != "authority"
} | {
    "host": ComponentRule("ireg-name", "2.2", IREG_NAME),
    "IP-literal": ComponentRule("IP-literal", "2.2", IP_LITERAL, ANY_TEXT),
    "colon path": ComponentRule("ipath-noscheme", "2.2", IPATH_NOSCHEME, IPATH),
}

# UTF8-tail = %x80-BF  (RFC 3629, 4). The last two characters of each plane are noncharacters.
UTF8_TAIL: Final = r"[\x80-\xBF]"
NOT_A_NONCHARACTER: Final = r"(?![\xF0-\xF4][\x8F\x9F\xAF\xBF]\xBF[\xBE\xBF])"
UCSCHAR_IN_UTF8: Final = (
    rf"(?:\xC2[\xA0-\xBF]|[\xC3-\xDF]{UTF8_TAIL}"
    rf"|\xE0[\xA0-\xBF]{UTF8_TAIL}|[\xE1-\xEC]{UTF8_TAIL}{UTF8_TAIL}|\xED[\x80-\x9F]{UTF8_TAIL}"  # to U+D7FF
    rf"|\xEF(?:[\xA4-\xB6\xB8-\xBE]{UTF8_TAIL}|\xB7[\x80-\x8F\xB0-\xBF]|\xBF[\x80-\xAF])"  # U+F900 to U+FFEF
    rf"|{NOT_A_NONCHARACTER}(?:\xF0[\x90-\xBF]|[\xF1\xF2]{UTF8_TAIL}|\xF3[\x80-\x9F\xA1-\xAF]){UTF8_TAIL}{UTF8_TAIL})"
)
IPRIVATE_IN_UTF8: Final = (
    rf"(?:\xEE{UTF8_TAIL}{UTF8_TAIL}|\xEF[\x80-\xA3]{UTF8_TAIL}"  # U+E000 to U+F8FF
    rf"|{NOT_A_NONCHARACTER}(?:\xF3[\xB0-\xBF]|\xF4[\x80-\x8F]){UTF8_TAIL}{UTF8_TAIL})"
)


RFC3987: Final = Specification(
    name="rfc3987",
    title="RFC 3987",
    component_rules=COMPONENT_RULES,
    rule_citations=RULE_CITATIONS,
    authority_to_query=AUTHORITY_TO_QUERY,
    optional_fragment=rf"(?>#(?P<fragment>{IFRAGMENT})|)",
    split_for_diagnosis=partial(split_for_diagnosis, rules=DIAGNOSED_RULES),
    plain_split=split,
    resolve_components=resolve_components,
    normalization=RFC3986_NORMALIZATION,
    beyond_ascii=(
        CharactersBeyondASCII("a character beyond ASCII", UCSCHAR, UCSCHAR_IN_UTF8, "\xa0"),
        CharactersBeyondASCII("a private-use character", IPRIVATE, IPRIVATE_IN_UTF8, "\ue000"),
    ),
)
