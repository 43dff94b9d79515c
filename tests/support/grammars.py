"""The grammars as printed in the five documents, run by an independent engine: the package `abnf`.

The engine tries every parse: every alternative of an alternation and every count of a repetition, each with all its
possible ends. So a grammar may be ambiguous, and alternatives may be in any order. The engine does not support left
recursion; these grammars have none. It knows the core rules (RFC 5234, B.1) by case-insensitive names: alpha and digit
of the older documents are ALPHA and DIGIT. Quoted letters match in both cases.
"""

import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from random import Random
from typing import Any, ClassVar, Self

from abnf import Rule
from abnf.parser import Alternation, Concatenation, Literal, Match, Option, ParseError, Repetition

__all__ = ["GRAMMARS", "Grammar", "accepts", "derive", "distinguished_characters"]

# A rule, or a part of one: the package chooses the classes on import.
Parser = Any

ASCII_CHARACTERS = "".join(map(chr, range(0x80)))

# The first and the last characters of the ranges of ucschar and iprivate (RFC 3987, 2.2), and their neighbours, which
# are in neither.
_RANGES = (
    *((0xA0, 0xD7FF), (0xE000, 0xF8FF), (0xF900, 0xFDCF), (0xFDF0, 0xFFEF)),
    *((plane << 16, (plane << 16) + 0xFFFD) for plane in range(0x1, 0xE)),
    *((0xE1000, 0xEFFFD), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)),
)
CHARACTERS_BEYOND_ASCII = "".join(
    map(chr, sorted({code for first, last in _RANGES for code in (first - 1, first, last, last + 1)} - {0x110000}))
)


class Grammar(Rule):
    """A grammar; its instances are its rules, by name.

    The possible ends of a rule depend only on the text that it can match, so they are cached by that text. Parse trees
    are dropped, because only acceptance is tested.
    """

    grammar: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.load_grammar(cls.grammar)

    @classmethod
    def rules(cls) -> list[Self]:
        """Return the rules that the grammar defines."""
        return list(super().rules())  # type: ignore[no-untyped-call]

    def lparse(self, source: str, start: int) -> Iterator[Match]:
        found = match_ends(self, source[start : start + max_length(self)])
        if not found:
            raise ParseError(self, start)
        for end in found:
            yield Match([], start + end)


def definition(parser: Parser) -> Parser:
    """Return the definition of a rule; any other parser is its own."""
    return definition(parser.definition) if isinstance(parser, Rule) else parser


@lru_cache(maxsize=1 << 17)
def match_ends(parser: Parser, text: str) -> frozenset[int]:
    """Return all offsets where a parser that starts at 0 can end."""
    try:
        return frozenset(match.start for match in definition(parser).lparse(text, 0))
    except ParseError:
        return frozenset()


@cache
def max_length(parser: Parser) -> int:
    """Return the largest number of characters that a parser can match; a huge number means unlimited."""
    match definition(parser):
        case Alternation(parsers=parsers):
            return max(map(max_length, parsers))
        case Concatenation(parsers=parsers):
            return sum(map(max_length, parsers))
        case Option(parser=part):
            return max_length(part)
        case Repetition(repeat=repeat, element=element):
            return max_length(element) * (sys.maxsize if repeat.max is None else repeat.max)
        case Literal(value=str(value)):
            return len(value)
        case Literal():
            return 1
    raise TypeError(parser)


def accepts(parser: Parser, text: str) -> bool:
    """Return whether a rule, or a part of one, matches a whole text."""
    return len(text) in match_ends(parser, text)


def derive(parser: Parser, random: Random) -> str:
    """Generate a text that a rule matches, with random choices."""
    match definition(parser):
        case Alternation(parsers=parsers):
            return derive(random.choice(parsers), random)
        case Concatenation(parsers=parsers):
            return "".join(derive(part, random) for part in parsers)
        case Option(parser=part):
            return derive(part, random)
        case Repetition(repeat=repeat, element=element):
            most = repeat.min + 3 if repeat.max is None else repeat.max
            count = random.choice((repeat.min, random.randint(repeat.min, most), most))
            return "".join(derive(element, random) for _ in range(count))
        case Literal(value=(first, last)):
            return chr(random.randint(ord(first), ord(last)))
        case Literal(value=str(value)):
            return random.choice((value.lower(), value.upper()))
    raise TypeError(parser)


def distinguished_characters(rule: Rule) -> str:
    """Return one character of each class that a rule distinguishes, and one that it does not accept.

    Two characters are in one class if the same parts of the rule match them. The literals of one alternation are
    interchangeable.
    """
    kinds: dict[tuple[bool, ...], str] = {}
    parts = dict.fromkeys(walk(rule))
    for character in ASCII_CHARACTERS + CHARACTERS_BEYOND_ASCII:
        kind = tuple(accepts(part, character) or character in getattr(part, "value", "") for part in parts)
        kinds.setdefault(kind, character)
    return "".join(kinds.values())


def walk(parser: Parser) -> Iterator[Parser]:
    """Yield a parser and all its parts, except the literals of an alternation."""
    yield parser
    match definition(parser):
        case Alternation(parsers=parsers):
            for part in parsers:
                if not isinstance(part, Literal):
                    yield from walk(part)
        case Concatenation(parsers=parsers):
            for part in parsers:
                yield from walk(part)
        case Option(parser=part) | Repetition(element=part):
            yield from walk(part)


class RFC3986(Grammar):
    """RFC 3986, Appendix A."""

    grammar = """
URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]
hier-part     = "//" authority path-abempty / path-absolute / path-rootless / path-empty
URI-reference = URI / relative-ref
absolute-URI  = scheme ":" hier-part [ "?" query ]
relative-ref  = relative-part [ "?" query ] [ "#" fragment ]
relative-part = "//" authority path-abempty / path-absolute / path-noscheme / path-empty
scheme        = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
authority     = [ userinfo "@" ] host [ ":" port ]
userinfo      = *( unreserved / pct-encoded / sub-delims / ":" )
host          = IP-literal / IPv4address / reg-name
port          = *DIGIT
IP-literal    = "[" ( IPv6address / IPvFuture  ) "]"
IPvFuture     = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
IPv6address   =                            6( h16 ":" ) ls32
              /                       "::" 5( h16 ":" ) ls32
              / [               h16 ] "::" 4( h16 ":" ) ls32
              / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32
              / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32
              / [ *3( h16 ":" ) h16 ] "::"    h16 ":"   ls32
              / [ *4( h16 ":" ) h16 ] "::"              ls32
              / [ *5( h16 ":" ) h16 ] "::"              h16
              / [ *6( h16 ":" ) h16 ] "::"
h16           = 1*4HEXDIG
ls32          = ( h16 ":" h16 ) / IPv4address
IPv4address   = dec-octet "." dec-octet "." dec-octet "." dec-octet
dec-octet     = DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35
reg-name      = *( unreserved / pct-encoded / sub-delims )
path          = path-abempty / path-absolute / path-noscheme / path-rootless / path-empty
path-abempty  = *( "/" segment )
path-absolute = "/" [ segment-nz *( "/" segment ) ]
path-noscheme = segment-nz-nc *( "/" segment )
path-rootless = segment-nz *( "/" segment )
path-empty    = 0<pchar>
segment       = *pchar
segment-nz    = 1*pchar
segment-nz-nc = 1*( unreserved / pct-encoded / sub-delims / "@" )
pchar         = unreserved / pct-encoded / sub-delims / ":" / "@"
query         = *( pchar / "/" / "?" )
fragment      = *( pchar / "/" / "?" )
pct-encoded   = "%" HEXDIG HEXDIG
unreserved    = ALPHA / DIGIT / "-" / "." / "_" / "~"
reserved      = gen-delims / sub-delims
gen-delims    = ":" / "/" / "?" / "#" / "[" / "]" / "@"
sub-delims    = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="
"""


class RFC3987(Grammar):
    """RFC 3987, 2.2, and the four names that the project uses."""

    grammar = """
IRI            = scheme ":" ihier-part [ "?" iquery ] [ "#" ifragment ]
ihier-part     = "//" iauthority ipath-abempty / ipath-absolute / ipath-rootless / ipath-empty
IRI-reference  = IRI / irelative-ref
absolute-IRI   = scheme ":" ihier-part [ "?" iquery ]
irelative-ref  = irelative-part [ "?" iquery ] [ "#" ifragment ]
irelative-part = "//" iauthority ipath-abempty / ipath-absolute / ipath-noscheme / ipath-empty
iauthority     = [ iuserinfo "@" ] ihost [ ":" port ]
iuserinfo      = *( iunreserved / pct-encoded / sub-delims / ":" )
ihost          = IP-literal / IPv4address / ireg-name
ireg-name      = *( iunreserved / pct-encoded / sub-delims )
ipath          = ipath-abempty / ipath-absolute / ipath-noscheme / ipath-rootless / ipath-empty
ipath-abempty  = *( "/" isegment )
ipath-absolute = "/" [ isegment-nz *( "/" isegment ) ]
ipath-noscheme = isegment-nz-nc *( "/" isegment )
ipath-rootless = isegment-nz *( "/" isegment )
ipath-empty    = 0<ipchar>
isegment       = *ipchar
isegment-nz    = 1*ipchar
isegment-nz-nc = 1*( iunreserved / pct-encoded / sub-delims / "@" )
ipchar         = iunreserved / pct-encoded / sub-delims / ":" / "@"
iquery         = *( ipchar / iprivate / "/" / "?" )
ifragment      = *( ipchar / "/" / "?" )
iunreserved    = ALPHA / DIGIT / "-" / "." / "_" / "~" / ucschar
ucschar        = %xA0-D7FF / %xF900-FDCF / %xFDF0-FFEF
               / %x10000-1FFFD / %x20000-2FFFD / %x30000-3FFFD
               / %x40000-4FFFD / %x50000-5FFFD / %x60000-6FFFD
               / %x70000-7FFFD / %x80000-8FFFD / %x90000-9FFFD
               / %xA0000-AFFFD / %xB0000-BFFFD / %xC0000-CFFFD
               / %xD0000-DFFFD / %xE1000-EFFFD
iprivate       = %xE000-F8FF / %xF0000-FFFFD / %x100000-10FFFD
scheme         = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
port           = *DIGIT
IP-literal     = "[" ( IPv6address / IPvFuture  ) "]"
IPvFuture      = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
IPv6address    =                            6( h16 ":" ) ls32
               /                       "::" 5( h16 ":" ) ls32
               / [               h16 ] "::" 4( h16 ":" ) ls32
               / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32
               / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32
               / [ *3( h16 ":" ) h16 ] "::"    h16 ":"   ls32
               / [ *4( h16 ":" ) h16 ] "::"              ls32
               / [ *5( h16 ":" ) h16 ] "::"              h16
               / [ *6( h16 ":" ) h16 ] "::"
h16            = 1*4HEXDIG
ls32           = ( h16 ":" h16 ) / IPv4address
IPv4address    = dec-octet "." dec-octet "." dec-octet "." dec-octet
dec-octet      = DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35
pct-encoded    = "%" HEXDIG HEXDIG
unreserved     = ALPHA / DIGIT / "-" / "." / "_" / "~"
reserved       = gen-delims / sub-delims
gen-delims     = ":" / "/" / "?" / "#" / "[" / "]" / "@"
sub-delims     = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="

URI-reference  = IRI-reference
URI            = IRI
absolute-URI   = absolute-IRI
relative-ref   = irelative-ref
"""


class RFC2396BIS(Grammar):
    """draft-fielding-uri-rfc2396bis-03, Appendix A, and the name that the project uses for relative-URI."""

    grammar = """
abs-path      = "/" path-segments
absolute-URI  = scheme ":" hier-part [ "?" query ]
alphanum      = ALPHA / DIGIT
authority     = [ userinfo "@" ] host [ ":" port ]
dec-octet     = DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35
domainlabel   = alphanum [ 0*61( alphanum / "-" ) alphanum ]
escaped       = "%" HEXDIG HEXDIG
fragment      = *( pchar / "/" / "?" )
h4            = 1*4HEXDIG
hier-part     = net-path / abs-path / rel-path
host          = [ IPv6reference / IPv4address / hostname ]
hostname      = domainlabel qualified
IPv4address   = dec-octet "." dec-octet "." dec-octet "." dec-octet
IPv6address   =                           6( h4 ":" ) ls32
              /                      "::" 5( h4 ":" ) ls32
              / [              h4 ] "::" 4( h4 ":" ) ls32
              / [ *1( h4 ":" ) h4 ] "::" 3( h4 ":" ) ls32
              / [ *2( h4 ":" ) h4 ] "::" 2( h4 ":" ) ls32
              / [ *3( h4 ":" ) h4 ] "::"    h4 ":"   ls32
              / [ *4( h4 ":" ) h4 ] "::"             ls32
              / [ *5( h4 ":" ) h4 ] "::"             h4
              / [ *6( h4 ":" ) h4 ] "::"
IPv6reference = "[" IPv6address "]"
ls32          = ( h4 ":" h4 ) / IPv4address
mark          = "-" / "_" / "." / "!" / "~" / "*" / "'" / "(" / ")"
net-path      = "//" authority [ abs-path ]
path-segments = segment *( "/" segment )
pchar         = unreserved / escaped / ";" / ":" / "@" / "&" / "=" / "+" / "$" / ","
port          = *DIGIT
qualified     = *( "." domainlabel ) [ "." ]
query         = *( pchar / "/" / "?" )
rel-path      = path-segments
relative-URI  = hier-part [ "?" query ] [ "#" fragment ]
reserved      = "/" / "?" / "#" / "[" / "]" / ";" / ":" / "@" / "&" / "=" / "+" / "$" / ","
scheme        = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
segment       = *pchar
unreserved    = ALPHA / DIGIT / mark
URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]
URI-reference = URI / relative-URI
uric          = reserved / unreserved / escaped
userinfo      = *( unreserved / escaped / ";" / ":" / "&" / "=" / "+" / "$" / "," )

relative-ref  = relative-URI
"""


class RFC2396(Grammar):
    """RFC 2396, Appendix A, with "-" for "_" in names, and the three names that the project uses."""

    grammar = """
URI-reference = [ absoluteURI / relativeURI ] [ "#" fragment ]
absoluteURI   = scheme ":" ( hier-part / opaque-part )
relativeURI   = ( net-path / abs-path / rel-path ) [ "?" query ]
hier-part     = ( net-path / abs-path ) [ "?" query ]
opaque-part   = uric-no-slash *uric
uric-no-slash = unreserved / escaped / ";" / "?" / ":" / "@" / "&" / "=" / "+" / "$" / ","
net-path      = "//" authority [ abs-path ]
abs-path      = "/" path-segments
rel-path      = rel-segment [ abs-path ]
rel-segment   = 1*( unreserved / escaped / ";" / "@" / "&" / "=" / "+" / "$" / "," )
scheme        = alpha *( alpha / digit / "+" / "-" / "." )
authority     = server / reg-name
reg-name      = 1*( unreserved / escaped / "$" / "," / ";" / ":" / "@" / "&" / "=" / "+" )
server        = [ [ userinfo "@" ] hostport ]
userinfo      = *( unreserved / escaped / ";" / ":" / "&" / "=" / "+" / "$" / "," )
hostport      = host [ ":" port ]
host          = hostname / IPv4address
hostname      = *( domainlabel "." ) toplabel [ "." ]
domainlabel   = alphanum / alphanum *( alphanum / "-" ) alphanum
toplabel      = alpha / alpha *( alphanum / "-" ) alphanum
IPv4address   = 1*digit "." 1*digit "." 1*digit "." 1*digit
port          = *digit
path-segments = segment *( "/" segment )
segment       = *pchar *( ";" param )
param         = *pchar
pchar         = unreserved / escaped / ":" / "@" / "&" / "=" / "+" / "$" / ","
query         = *uric
fragment      = *uric
uric          = reserved / unreserved / escaped
reserved      = ";" / "/" / "?" / ":" / "@" / "&" / "=" / "+" / "$" / ","
unreserved    = alphanum / mark
mark          = "-" / "_" / "." / "!" / "~" / "*" / "'" / "(" / ")"
escaped       = "%" hex hex
hex           = digit / "A" / "B" / "C" / "D" / "E" / "F"
alphanum      = alpha / digit

URI           = absoluteURI [ "#" fragment ]
absolute-URI  = absoluteURI
relative-ref  = [ relativeURI ] [ "#" fragment ]
"""


class URL1996(Grammar):
    """draft-fielding-uri-url-00, 1.3 and 2 to 4, because its Appendix A is empty, and the project's five names.

    With "-" for "_" in names, and "*( x )" for "*[ x ]".
    """

    grammar = """
alphanum      = alpha / digit

urlchar       = reserved / unreserved / escaped
uchar         = unreserved / escaped
pchar         = uchar / ":" / "@" / "&" / "=" / "+"
reserved      = ";" / "/" / "?" / ":" / "@" / "&" / "=" / "+"
unreserved    = alpha / digit / mark
mark          = "$" / "-" / "_" / "." / "!" / "~" / "*" / "'" / "(" / ")" / ","
escaped       = "%" hex hex
hex           = digit / "A" / "B" / "C" / "D" / "E" / "F"

URL-reference = [ absoluteURL / relativeURL ] [ "#" fragment ]
fragment      = *urlchar

scheme        = 1*( alpha / digit / "+" / "-" / "." )
absoluteURL   = generic-URL / opaque-URL
opaque-URL    = scheme ":" *urlchar
generic-URL   = scheme ":" relativeURL
relativeURL   = net-path / abs-path / rel-path
net-path      = "//" server [ abs-path ]
abs-path      = "/" rel-path
rel-path      = [ path ] [ ";" parameters ] [ "?" query ]
server        = [ [ user [ ":" password ] "@" ] hostport ]
user          = *( uchar / ";" / "?" / "&" / "=" / "+" )
password      = *( uchar / ";" / "?" / "&" / "=" / "+" )
hostport      = host [ ":" port ]
host          = hostname / hostnumber
hostname      = *( domainlabel "." ) toplabel
domainlabel   = alphanum / alphanum *( alphanum / "-" ) alphanum
toplabel      = alpha / alpha *( alphanum / "-" ) alphanum
hostnumber    = 1*digit "." 1*digit "." 1*digit "." 1*digit
port          = *digit
path          = fsegment *( "/" segment )
fsegment      = 1*pchar
segment       = *pchar
parameters    = param *( ";" param )
param         = *( pchar / "/" )
query         = *urlchar

URI-reference = URL-reference
URI           = absoluteURL [ "#" fragment ]
absolute-URI  = absoluteURL
relative-ref  = [ relativeURL ] [ "#" fragment ]
userinfo      = user [ ":" password ]
"""


class RFC6570(Grammar):
    """RFC 6570, 1.5 and 2, with literals as corrected by erratum 6937, which is verified."""

    grammar = """
pct-encoded     = "%" HEXDIG HEXDIG
ucschar         = %xA0-D7FF / %xF900-FDCF / %xFDF0-FFEF
                / %x10000-1FFFD / %x20000-2FFFD / %x30000-3FFFD / %x40000-4FFFD
                / %x50000-5FFFD / %x60000-6FFFD / %x70000-7FFFD / %x80000-8FFFD
                / %x90000-9FFFD / %xA0000-AFFFD / %xB0000-BFFFD / %xC0000-CFFFD
                / %xD0000-DFFFD / %xE1000-EFFFD
iprivate        = %xE000-F8FF / %xF0000-FFFFD / %x100000-10FFFD
URI-Template    = *( literals / expression )
literals        = %x21 / %x23-24 / %x26-3B / %x3D / %x3F-5B / %x5D / %x5F / %x61-7A / %x7E
                / ucschar / iprivate / pct-encoded
expression      = "{" [ operator ] variable-list "}"
operator        = op-level2 / op-level3 / op-reserve
op-level2       = "+" / "#"
op-level3       = "." / "/" / ";" / "?" / "&"
op-reserve      = "=" / "," / "!" / "@" / "|"
variable-list   = varspec *( "," varspec )
varspec         = varname [ modifier-level4 ]
varname         = varchar *( ["."] varchar )
varchar         = ALPHA / DIGIT / "_" / pct-encoded
modifier-level4 = prefix / explode
prefix          = ":" max-length
max-length      = %x31-39 0*3DIGIT
explode         = "*"
"""


# By the names of the specifications.
GRAMMARS: dict[str, type[Grammar]] = {
    "rfc3986": RFC3986,
    "rfc3987": RFC3987,
    "rfc2396bis": RFC2396BIS,
    "rfc2396": RFC2396,
    "url1996": URL1996,
}
