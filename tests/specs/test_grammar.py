"""Compare what the expressions accept with the documents' ABNF, run by an independent engine."""

import ipaddress
import itertools
import re
import string
import sys
from collections.abc import Callable, Iterable, Iterator
from random import Random

import pytest
from abnf import Rule
from abnf.parser import Alternation
from hypothesis import given, settings
from hypothesis import strategies as st

import urisect
from tests.support import naive, sizes
from tests.support.grammars import (
    ASCII_CHARACTERS,
    CHARACTERS_BEYOND_ASCII,
    GRAMMARS,
    RFC2396,
    RFC2396BIS,
    RFC3986,
    RFC3987,
    URL1996,
    accepts,
    derive,
    distinguished_characters,
)
from urisect.specs import SPECIFICATIONS, Specification, abnf, rfc2396, rfc2396bis, rfc3986, rfc3987, url1996
from urisect.specs.beyond_ascii import expression_for_utf8
from urisect.specs.specification import RULE_NAMES

MODULES = {"rfc3986": rfc3986, "rfc3987": rfc3987, "rfc2396bis": rfc2396bis, "rfc2396": rfc2396, "url1996": url1996}

# Constants whose name differs from that of the rule.
CONSTANTS = {
    "rfc3986": {"pct-encoded": "ESCAPED"},
    "rfc3987": {"pct-encoded": "ESCAPED"},
    "rfc2396bis": {"h4": "H16"},
    "rfc2396": {"hex": "HEXDIG", "IPv4address": "HOSTNUMBER"},
    "url1996": {"hex": "HEXDIG"},
}

# Constants that are character sets, without brackets.
SETS = {"ALPHANUM", "HEXDIG", "MARK", "PCHAR", "RESERVED", "SUB_DELIMS", "UCHAR", "UNRESERVED", "URIC", "URLCHAR"}
SETS |= {"IPCHAR", "IPRIVATE", "IUNRESERVED", "UCSCHAR"}

# Rules without a constant: references and their parts, which are combined in one expression.
COMPOSED = {
    "rfc3986": {*RULE_NAMES, "hier-part", "relative-part"},
    "rfc3987": {*RULE_NAMES, "IRI-reference", "IRI", "absolute-IRI", "irelative-ref", "ihier-part", "irelative-part"},
    "rfc2396bis": {*RULE_NAMES, "relative-URI", "hier-part", "net-path"},
    "rfc2396": {*RULE_NAMES, "absoluteURI", "relativeURI", "hier-part", "net-path", "opaque-part", "uric-no-slash"},
    "url1996": {*RULE_NAMES, "URL-reference", "absoluteURL", "opaque-URL", "generic-URL", "relativeURL"}
    | {"net-path", "abs-path", "rel-path"},
}
# Rules without a constant: sets that no other rule uses.
UNUSED = {
    "rfc3986": {"reserved", "gen-delims"},
    "rfc3987": {"reserved", "gen-delims"},
    "rfc2396bis": {"reserved", "uric"},
    "rfc2396": set(),
    "url1996": set(),
}

# Components whose name differs from that of the rule.
COMPONENTS: dict[str, dict[str, str]] = {
    "rfc3986": {},
    "rfc3987": {name: f"i{name}" for name in ("authority", "userinfo", "host", "path", "segment", "query", "fragment")},
    "rfc2396bis": {"path": "path-segments"},
    "rfc2396": {"path": "path-segments"},
    "url1996": {"authority": "server"},
}

# Characters that a careless expression accepts as a digit, a letter, a hyphen or the end of the text.
CONFUSING_CHARACTERS = "\n\r\0\x7f\x85²８éſ\u212a\u2010\u2028\udcff\ud800"

# Characters that are tried more often, and the number of texts to try.
DELIMITERS = "a:/?#@[%1;"
ALPHABETS = (DELIMITERS, ASCII_CHARACTERS, CHARACTERS_BEYOND_ASCII, CONFUSING_CHARACTERS)
MAX_TEXTS = sizes.choose(full=4_000, quick=400)

randoms = st.randoms(use_true_random=True)


def encode(text: str) -> bytes:
    """Encode a text so that no character beyond ASCII becomes an ASCII byte."""
    return text.encode("utf-8", "surrogatepass")


def edits(text: str, random: Random, *characters: str) -> Iterator[str]:
    """Yield texts with one character inserted, replaced or deleted at random."""
    for _ in range(6):
        at = random.randint(0, len(text))
        character = random.choice(random.choice(characters or ALPHABETS))
        yield text[:at] + random.choice(("", character, character + text[at : at + 1])) + text[at + 1 :]


def edit_with_every_character(text: str, random: Random) -> Iterator[str]:
    """Yield texts with every character inserted, or in place of another, at one random offset."""
    at = random.randint(0, len(text))
    after = text[at + random.randint(0, 1) :]
    return (text[:at] + character + after for character in ("", *itertools.chain.from_iterable(ALPHABETS)))


def all_short_texts(characters: str) -> Iterator[str]:
    """Yield all texts of some characters, up to the length that gives at most `MAX_TEXTS`."""
    max_length = max(length for length in range(12) if len(characters) ** length <= MAX_TEXTS)
    return naive.strings(characters, max_length)


def find_constant(document: str, rule: str) -> tuple[str, str | None]:
    """Return the name and the value of a rule's constant, from the document's module or from `abnf`."""
    name = CONSTANTS[document].get(rule, rule.upper().replace("-", "_"))
    return name, getattr(MODULES[document], name, getattr(abnf, name, None))


def find_expression(document: str, rule: Rule) -> str | None:
    """Return the expression of a rule, if it has a constant."""
    name, source = find_constant(document, rule.name)
    if name not in SETS or source is None:
        return source
    return rf"[{source}]|{abnf.ESCAPED}" if accepts(rule, "%AF") else f"[{source}]"


EXPRESSIONS = [
    pytest.param(rule, source, id=f"{document}-{rule.name}")
    for document, grammar in GRAMMARS.items()
    for rule in grammar.rules()
    if (source := find_expression(document, rule)) is not None
]
CORE = [
    pytest.param(Rule("ALPHA"), f"[{abnf.ALPHA}]", id="ALPHA"),
    pytest.param(Rule("DIGIT"), f"[{abnf.DIGIT}]", id="DIGIT"),
    pytest.param(Rule("HEXDIG"), f"[{abnf.HEXDIG}]", id="HEXDIG"),
]
for_every_rule = pytest.mark.parametrize(("rule", "source"), CORE + EXPRESSIONS)


def match_utf8(source: str) -> Callable[[bytes], re.Match[bytes] | None]:
    """Compile an expression for bytes."""
    return re.compile(expression_for_utf8(source, SPECIFICATIONS["rfc3987"].beyond_ascii).encode()).fullmatch


def disagreements(rule: Rule, source: str, texts: Iterable[str]) -> list[str]:
    """Return the texts on which a rule, its expression, and its expression for bytes disagree."""
    match_str, match_bytes = re.compile(source).fullmatch, match_utf8(source)
    return [
        text
        for text in texts
        if len({accepts(rule, text), match_str(text) is not None, match_bytes(encode(text)) is not None}) > 1
    ]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (RFC3986("host"), "1.2.3.4x"),
        (RFC3986("host"), "256.1.1.1"),
        (RFC3986("authority"), "a:1"),
        (RFC3986("authority"), "a:1@b:2"),
        (RFC3986("IPv6address"), "1::2:3.4.5.6"),
        (RFC3987("iauthority"), "ä:1@ö:2"),
        (RFC2396BIS("domainlabel"), "a--b"),
        (RFC2396("hostname"), "a.b.c."),
        (URL1996("toplabel"), "a-a-a"),
    ],
)
def test_the_engine_backtracks(rule: Rule, text: str) -> None:
    assert accepts(rule, text)
    assert not accepts(rule, f"{text}/")


def test_the_engine_distinguishes_characters_by_rule() -> None:
    assert distinguished_characters(RFC3986("port")) == "\x000"
    assert distinguished_characters(RFC3986("dec-octet")) == "\x00012356"
    assert distinguished_characters(RFC3986("pct-encoded")) == "\x00%0A"
    assert distinguished_characters(RFC3986("path-noscheme")) == "\x00!%-/0:@AG"


@pytest.mark.parametrize("document", GRAMMARS)
def test_every_rule_has_a_constant_or_a_listed_reason(document: str) -> None:
    without = {rule.name for rule in GRAMMARS[document].rules() if find_constant(document, rule.name)[1] is None}
    assert without == COMPOSED[document] | UNUSED[document]


@for_every_rule
@settings(max_examples=sizes.choose(full=30, quick=5))
@given(random=randoms)
def test_every_rule_accepts_what_its_abnf_derives(rule: Rule, source: str, random: Random) -> None:
    text = derive(rule, random)
    assert accepts(rule, text)
    assert re.fullmatch(source, text)
    assert match_utf8(source)(text.encode())


@pytest.mark.slow
@for_every_rule
@settings(max_examples=sizes.choose(full=8, quick=1))
@given(random=randoms)
def test_every_rule_agrees_with_its_abnf_when_a_character_is_edited(rule: Rule, source: str, random: Random) -> None:
    assert disagreements(rule, source, edit_with_every_character(derive(rule, random), random)) == []


@pytest.mark.slow
@for_every_rule
def test_every_rule_agrees_with_its_abnf_on_all_short_texts(rule: Rule, source: str) -> None:
    assert disagreements(rule, source, all_short_texts(distinguished_characters(rule))) == []


@for_every_rule
def test_every_rule_accepts_the_same_bytes_as_its_abnf(rule: Rule, source: str) -> None:
    accepted = [code for code in range(0x100) if accepts(rule, chr(code))]
    assert [code for code in range(0x100) if re.fullmatch(source, chr(code))] == accepted
    in_ascii = [code for code in accepted if code < 0x80]  # no other byte is a character of its own in UTF-8
    assert [code for code in range(0x100) if match_utf8(source)(bytes([code]))] == in_ascii
    assert disagreements(rule, source, CONFUSING_CHARACTERS + CHARACTERS_BEYOND_ASCII) == []


@pytest.mark.slow
@pytest.mark.parametrize(("number", "name"), [(0, "ucschar"), (1, "iprivate")])
def test_the_sets_beyond_ascii_are_those_of_the_abnf(number: int, name: str) -> None:
    characters, rule = SPECIFICATIONS["rfc3987"].beyond_ascii[number], RFC3987(name)
    in_set = re.compile(f"[{characters.characters}]").fullmatch
    in_utf8 = re.compile(characters.utf8.encode()).fullmatch
    assert isinstance(rule.definition, Alternation)
    ranges = [literal.value for literal in rule.definition.parsers]
    assert accepts(rule, characters.example)
    for character in map(chr, range(0, sys.maxunicode + 1, sizes.choose(full=1, quick=29))):
        expected = any(first <= character <= last for first, last in ranges)
        assert (in_set(character) is not None, in_utf8(encode(character)) is not None) == (expected, expected)


@pytest.mark.parametrize(
    ("rule", "pattern"),
    [
        pytest.param(
            GRAMMARS[document](COMPONENTS[document].get(component, component)), pattern, id=f"{document}-{component}"
        )
        for document, specification in SPECIFICATIONS.items()
        for component, pattern in specification.components.items()
    ],
)
@settings(max_examples=sizes.choose(full=30, quick=5))
@given(random=randoms)
def test_every_component_agrees_with_its_abnf(rule: Rule, pattern: re.Pattern[str], random: Random) -> None:
    text = derive(rule, random)
    assert disagreements(rule, pattern.pattern, [text, *edits(text, random)]) == []
    assert pattern == re.compile(pattern.pattern)


# Whole references: the ABNF, except where the prose differs.


def by_rfc3986(rule: str, text: str) -> bool:
    return accepts(RFC3986(rule), text)


def by_rfc2396bis(rule: str, text: str) -> bool:
    if rule == "URI-reference":
        return by_rfc2396bis("URI", text) or by_rfc2396bis("relative-ref", text)
    if not accepts(RFC2396BIS(rule), text):
        return False
    hierarchy = re.split("[?#]", text)[0]
    if rule == "relative-ref":  # 4.2: a relative-path reference has no colon in its first segment
        if ":" in hierarchy.split("/")[0]:
            return False
    else:
        hierarchy = hierarchy.partition(":")[2]
    # 3: if it begins with two slashes, it is a net-path
    return not hierarchy.startswith("//") or accepts(RFC2396BIS("net-path"), hierarchy)


def by_rfc2396(rule: str, text: str) -> bool:
    if rule in ("URI-reference", "relative-ref") and text.startswith("?"):  # Appendix C: a query alone is a reference
        query, _, fragment = text[1:].partition("#")
        return accepts(RFC2396("query"), query) and accepts(RFC2396("fragment"), fragment)
    return accepts(RFC2396(rule), text)


def by_url1996(rule: str, text: str) -> bool:
    scheme, colon, _ = text.partition(":")
    if rule == "relative-ref" and colon and accepts(URL1996("scheme"), scheme):  # 4.1: a possible scheme is a scheme
        return False
    return accepts(URL1996(rule), text)


def by_rfc3987(rule: str, text: str) -> bool:
    return accepts(RFC3987(rule), text)


VALIDATORS: dict[str, Callable[[str, str], bool]] = {
    "rfc3986": by_rfc3986,
    "rfc3987": by_rfc3987,
    "rfc2396bis": by_rfc2396bis,
    "rfc2396": by_rfc2396,
    "url1996": by_url1996,
}
for_every_specification = pytest.mark.parametrize("specification", SPECIFICATIONS.values(), ids=SPECIFICATIONS)


def wrong_verdicts(specification: Specification, texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the texts on which the specification, for str or for bytes, disagrees with its document."""
    reading = VALIDATORS[specification.name]
    return [
        (rule, text)
        for text in texts
        for rule in RULE_NAMES
        if len({reading(rule, text), *(specification.is_valid(form, rule) for form in (text, encode(text)))}) > 1
    ]


@for_every_specification
@pytest.mark.parametrize("rule", RULE_NAMES)
@given(random=randoms)
def test_references_agree_with_the_abnf(specification: Specification, rule: str, random: Random) -> None:
    text = derive(GRAMMARS[specification.name](rule), random)
    assert wrong_verdicts(specification, [text, *edits(text, random)]) == []


@pytest.mark.slow
@for_every_specification
def test_references_agree_with_the_abnf_on_all_short_texts(specification: Specification) -> None:
    reference = GRAMMARS[specification.name]("URI-reference")
    assert (
        wrong_verdicts(specification, naive.strings(distinguished_characters(reference), sizes.choose(full=3, quick=2)))
        == []
    )
    assert wrong_verdicts(specification, naive.strings("a1:/?#@;", sizes.choose(full=4, quick=3))) == []
    assert wrong_verdicts(specification, naive.strings("a:/?#", sizes.choose(full=5, quick=4))) == []
    assert wrong_verdicts(specification, naive.strings("a:/", sizes.choose(full=7, quick=5))) == []


# Texts on which the prose and the ABNF differ, and similar texts on which they agree.


def verdicts(specification: Specification, rule: str, text: str) -> tuple[bool, bool]:
    """Return the verdicts of the ABNF and of the specification."""
    return accepts(GRAMMARS[specification.name](rule), text), specification.is_valid(text, rule)


@pytest.mark.parametrize("text", ["//h:x", "//a_b/c", "//-", "a://h:x", "a://a_b?q", "//a.-#f"])
def test_rfc2396bis_reads_two_slashes_as_a_net_path(text: str) -> None:
    assert verdicts(SPECIFICATIONS["rfc2396bis"], "URI-reference", text) == (True, False)
    assert verdicts(SPECIFICATIONS["rfc2396bis"], "URI-reference", text.replace("//", "/", 1)) == (True, True)


@pytest.mark.parametrize("text", ["1:b", "a_b:c", ":", ":a", "%41:b/c", "a@b:c?d:e"])
def test_rfc2396bis_has_no_colon_in_the_first_segment_of_a_relative_path(text: str) -> None:
    assert verdicts(SPECIFICATIONS["rfc2396bis"], "relative-ref", text) == (True, False)
    assert verdicts(SPECIFICATIONS["rfc2396bis"], "URI-reference", text) == (True, False)
    assert verdicts(SPECIFICATIONS["rfc2396bis"], "relative-ref", f"./{text}") == (True, True)


@pytest.mark.parametrize("text", ["?y", "?", "?y#f", "?#", "?/?:@"])
def test_rfc2396_accepts_a_query_alone(text: str) -> None:
    assert verdicts(SPECIFICATIONS["rfc2396"], "URI-reference", text) == (False, True)
    assert verdicts(SPECIFICATIONS["rfc2396"], "relative-ref", text) == (False, True)
    assert verdicts(SPECIFICATIONS["rfc2396"], "relative-ref", f"a{text}") == (True, True)
    assert verdicts(SPECIFICATIONS["rfc2396"], "relative-ref", f"{text}[") == (False, False)
    assert verdicts(SPECIFICATIONS["rfc2396"], "URI", text) == (False, False)


@pytest.mark.parametrize("text", ["a:b", "1:b", "-:", ".:/", "a:b/c;d?e"])
def test_url1996_reads_a_possible_scheme_as_a_scheme(text: str) -> None:
    assert verdicts(SPECIFICATIONS["url1996"], "relative-ref", text) == (True, False)
    assert verdicts(SPECIFICATIONS["url1996"], "URI", text) == (True, True)
    assert verdicts(SPECIFICATIONS["url1996"], "relative-ref", f"_{text}") == (True, True)
    assert verdicts(SPECIFICATIONS["url1996"], "relative-ref", f"./{text}") == (True, True)


# The components of valid references.


def split_from_the_outside_in(text: str) -> tuple[str | None, ...]:
    """Split as draft-fielding-uri-url-00 says in 3 and 4.3; an empty component is None, except the path."""
    text, _, fragment = text.partition("#")
    scheme, colon, rest = text.partition(":")
    if colon and scheme and set(scheme) <= {*string.ascii_letters, *string.digits, *"+-."}:
        text = rest
    else:
        scheme = ""
    server = ""
    if text.startswith("//"):
        server, slash, rest = text[2:].partition("/")
        text = slash + rest
    path, _, query = text.partition("?")
    return scheme or None, server or None, path, query or None, fragment or None


SPLITS: dict[str, Callable[[str], tuple[str | None, ...]]] = dict.fromkeys(SPECIFICATIONS, urisect.split)
SPLITS["url1996"] = split_from_the_outside_in


def assert_split(specification: Specification, rule: str, text: str) -> None:
    """Compare the components of a valid text, as str and as bytes."""
    if specification.is_valid(text, rule):
        components = SPLITS[specification.name](text)
        assert specification.split(text, rule) == components
        assert specification.split(text.encode(), rule) == tuple(
            None if part is None else part.encode() for part in components
        )


@for_every_specification
@pytest.mark.parametrize("rule", RULE_NAMES)
@given(random=randoms)
def test_a_valid_reference_is_split_like_any_text(specification: Specification, rule: str, random: Random) -> None:
    text = derive(GRAMMARS[specification.name](rule), random)
    for candidate in (text, *edits(text, random)):
        assert_split(specification, rule, candidate)


@pytest.mark.slow
@for_every_specification
def test_every_short_valid_reference_is_split_like_any_text(specification: Specification) -> None:
    for text in naive.strings("a:/?#@;", sizes.choose(full=5, quick=4)):
        for rule in RULE_NAMES:
            assert_split(specification, rule, text)


# Addresses, compared with the standard library.

IPV4ADDRESS, IPV6ADDRESS = re.compile(abnf.IPV4ADDRESS), re.compile(abnf.IPV6ADDRESS)
HOSTS = [SPECIFICATIONS[name].components["host"] for name in ("rfc3986", "rfc2396bis")]

# Many of these have runs of zeros.
ipv6_addresses = st.ip_addresses(v=6) | st.lists(st.sampled_from([0, 0, 1, 0xA0B, 0xFFFF]), min_size=8, max_size=8).map(
    lambda words: ipaddress.IPv6Address(b"".join(word.to_bytes(2, "big") for word in words))
)


def spell(address: ipaddress.IPv6Address, random: Random) -> str:
    """Spell an address in one of its possible forms, at random."""
    words = [random.choice((word, word.upper(), word.lstrip("0") or "0")) for word in address.exploded.split(":")]
    if random.random() < 1 / 2:
        words[6:] = [str(ipaddress.IPv4Address(address.packed[12:]))]
    spans = itertools.combinations(range(len(words) + 1), 2)
    zeros = [(start, end) for start, end in spans if set("".join(words[start:end])) == {"0"}]
    if not zeros or random.random() < 1 / 4:
        return ":".join(words)
    start, end = random.choice(zeros)
    return f"{':'.join(words[:start])}::{':'.join(words[end:])}"


def parses(address: Callable[[str], object], text: str) -> bool:
    """Return whether the standard library accepts an address; zones, which it accepts, are in none of the grammars."""
    try:
        address(text)
    except ValueError:
        return False
    return "%" not in text


def assert_ipv6address(text: str) -> None:
    parsed = parses(ipaddress.IPv6Address, text)
    assert (IPV6ADDRESS.fullmatch(text) is not None) is parsed, text
    for host in HOSTS:
        assert (host.fullmatch(f"[{text}]") is not None) is parsed, text


def assert_ipv4address(text: str) -> None:
    assert (IPV4ADDRESS.fullmatch(text) is not None) is parses(ipaddress.IPv4Address, text), text


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(ipv6_addresses, randoms)
def test_every_spelling_of_an_ipv6_address_is_an_ipv6address(address: ipaddress.IPv6Address, random: Random) -> None:
    text = spell(address, random)
    assert ipaddress.IPv6Address(text) == address
    assert IPV6ADDRESS.fullmatch(text)
    for edit in (text, *edits(text, random), *edits(text, random, "0aF:.")):
        assert_ipv6address(edit)


@given(st.text("0123456789abcdefABCDEF:."))
def test_ipv6address_agrees_with_the_standard_library(text: str) -> None:
    assert_ipv6address(text)


@pytest.mark.slow
def test_ipv6address_agrees_with_the_standard_library_on_short_texts() -> None:
    for text in naive.strings("1:", sizes.choose(full=13, quick=10)):
        assert_ipv6address(text)
        assert_ipv6address(f"{text}1.1.1.1")
        assert_ipv6address(f"1:1::{text}")


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(st.ip_addresses(v=4).map(str) | st.text("0123456789."), randoms)
def test_ipv4address_agrees_with_the_standard_library(text: str, random: Random) -> None:
    for edit in (text, *edits(text, random)):
        assert_ipv4address(edit)


@pytest.mark.slow
def test_dec_octet_agrees_with_the_standard_library() -> None:
    for text in naive.strings(string.digits, sizes.choose(full=4, quick=3)):
        assert_ipv4address(f"1.{text}.1.1")
