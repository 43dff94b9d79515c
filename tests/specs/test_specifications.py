"""What each specification accepts, how its methods behave, and the dialect of the draft of 1996."""

import itertools
import re
import subprocess
import sys
from operator import attrgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive
from urisect import Reference, split, strict
from urisect.specs import RFC2396, RFC2396BIS, RFC3986, RFC3987, SPECIFICATIONS, URL1996, Specification
from urisect.specs.specification import RULE_NAMES

ALL = tuple(SPECIFICATIONS.values())

# Text of delimiters, characters beyond ASCII, and characters that no IRI contains.
iris = st.text("a:/?#@[]%4é維\U0001f600\U000e1000\ue000\x85\ufffe\udcff")

# Examples of the documents, with the specifications in which they are valid.
EXAMPLES: dict[str, tuple[Specification, ...]] = {
    # draft-fielding-uri-url-00, 1.1
    "file:/home/fred/bio.txt": ALL,
    "ftp://ds.internic.net/rfc/rfc1808.txt": ALL,
    "gopher://spinaltap.micro.umn.edu/00/Weather/California/Los%20Angeles": ALL,
    "http://www.ics.uci.edu/pub/ietf/uri/": ALL,
    "mailto:masinter@parc.xerox.com": ALL,
    "news:comp.infosystems.www.servers.unix": ALL,
    "telnet://melvyl.ucop.edu/": ALL,
    # 4.3.1, 4.3.2, 5.1, Appendices B and D
    "ftp://@host.com/": ALL,
    "ftp://host.com/": ALL,
    "ftp://foo:@host.com/": ALL,
    "this:that": ALL,
    "./this:that": ALL,
    "http://www.ics.uci.edu/Test/a/b/c": ALL,
    "ftp://info.cern.ch/pub/www/doc;type=d": ALL,
    "ftp://ds.internic.net/rfc": ALL,
    "http://ds.internic.net/instructions/overview.html#WARNING": ALL,
    "../x": ALL,
    # RFC 2396, 1.3
    "ftp://ftp.is.co.za/rfc/rfc1808.txt": ALL,
    "http://www.math.uio.no/faq/compression-faq/part1.html": ALL,
    "mailto:mduerst@ifi.unizh.ch": ALL,
    # rfc2396bis-03, 1.1.1 to 1.1.2, 3, 3.3, 6.2 and 7.5, Appendix C
    "http://localhost/": ALL,
    "gopher://gopher.tc.umn.edu:70/11/Mailing%20Lists/": ALL,
    "http://www.ietf.org/rfc/rfc2396.txt": ALL,
    "mailto:John.Doe@example.com": ALL,
    "foo://example.com:8042/over/there?name=ferret#nose": ALL,
    "urn:example:animal:ferret:nose": ALL,
    "mailto:fred@example.com": ALL,
    "example://a/b/c/%7A": ALL,
    "eXAMPLE://a/./b/../b/c/%7a": ALL,
    "HTTP://www.EXAMPLE.com/": ALL,
    "http://example.com:80/": ALL,
    "http://www.example.com&story=breaking_news@10.0.0.1/top_story.htm": ALL,
    "http://www.w3.org/Addressing/": ALL,
    "http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING": ALL,
    # RFC 3986, 1.1.2
    "ldap://[2001:db8::7]/c=GB?objectClass?one": (RFC3986, RFC3987, RFC2396BIS),
    "tel:+1-816-555-1212": ALL,
    "telnet://192.0.2.16:80/": ALL,
    "urn:oasis:names:specification:docbook:dtd:xml:4.1.2": ALL,
}

# References on which the specifications differ, with those that accept them.
VERDICTS: dict[str, tuple[Specification, ...]] = {
    "http://[::1]/": (RFC3986, RFC3987, RFC2396BIS),
    "http://[v7.a:b]/": (RFC3986, RFC3987),
    "http://a_b/": (RFC3986, RFC3987, RFC2396, URL1996),
    "http://%41/": (RFC3986, RFC3987, RFC2396, URL1996),
    "//a_b/": (RFC3986, RFC3987, RFC2396),
    "//h?q": (RFC3986, RFC3987, RFC2396BIS, RFC2396),
    "//h.": (RFC3986, RFC3987, RFC2396BIS, RFC2396),
    "//1.2.3": (RFC3986, RFC3987, RFC2396BIS, RFC2396),
    "http://a@b@c/": (RFC2396, URL1996),
    "http://a:b:c/": (RFC2396, URL1996),
    "http:": (RFC3986, RFC3987, RFC2396BIS, URL1996),
    "1a:b": (URL1996,),
    "a_b:c": (URL1996,),
    ":a": (URL1996,),
    "////a": (RFC3986, RFC3987, RFC2396BIS, RFC2396),
    "a$b": ALL,
    "#a#b": (),
    "a b": (),
    "http://münchen.de/größe?q=維基#é": (RFC3987,),
    "?\ue000": (RFC3987,),
    "/\ue000": (),
    "/\x85": (),
    "é:a": (),
}

# Valid and invalid components (RFC 3986, 3).
COMPONENTS = {
    "scheme": (("http", "A+.-9"), ("", "9", "a_b", "http\n", "é")),
    "userinfo": (("", "u:p", "%41"), ("@", "[", "u\n")),
    "host": (("", "h", "[::1]", "1.2.3.4", "%41"), ("[::1", "[]", "a b", "h\n", ":")),
    "port": (("", "80"), ("8O", "８０", "80\n", "-1")),
    "authority": (("", "u@h:80", "[::1]:"), ("a@b@c", "h:80:81")),
    "path": (("", "/", "a:b", "//"), ("?", "a b", "%")),
    "query": (("", "?/"), ("#", "[")),
    "fragment": (("", "?/"), ("#", "[")),
    "segment": (("", "a:b;c"), ("/", "%")),
}


def specifications_that_accept(reference: str) -> tuple[Specification, ...]:
    return tuple(specification for specification in ALL if specification.is_valid(reference))


@pytest.mark.parametrize(("reference", "specifications"), [*EXAMPLES.items(), *VERDICTS.items()])
def test_each_specification_has_its_own_verdict(reference: str, specifications: tuple[Specification, ...]) -> None:
    assert specifications_that_accept(reference) == specifications
    assert tuple(specification for specification in ALL if specification.is_valid(reference.encode())) == specifications


def test_specifications_have_names_and_titles() -> None:
    assert [(specification.name, specification.title) for specification in ALL] == [
        ("rfc3986", "RFC 3986"),
        ("rfc3987", "RFC 3987"),
        ("rfc2396bis", "rfc2396bis-03"),
        ("rfc2396", "RFC 2396"),
        ("url1996", "draft-fielding-uri-url-00"),
    ]
    assert all(isinstance(specification, Specification) for specification in ALL)


@pytest.mark.parametrize(("component", "examples"), COMPONENTS.items())
def test_every_component_has_an_expression(component: str, examples: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    good, bad = examples
    for specification in ALL:
        assert specification.components[component].groups == specification.components[component].flags - re.UNICODE == 0
    for text in good:
        assert RFC3986.components[component].fullmatch(text)
    for text in bad:
        assert not RFC3986.components[component].fullmatch(text)


def test_components_are_those_of_the_specification() -> None:
    for specification in ALL:
        assert set(COMPONENTS) <= set(specification.components)
    assert "param" in RFC2396.components
    assert {"user", "password", "server", "parameters", "param"} <= set(URL1996.components)
    with pytest.raises(TypeError):
        RFC3986.components["host"] = re.compile("")  # type: ignore[index]


@given(naive.texts | naive.octets)
def test_a_strict_split_equals_the_plain_split(reference: Any) -> None:
    for specification in (RFC3986, RFC3987, RFC2396BIS, RFC2396):
        if specification.is_valid(reference):
            assert specification.split(reference) == split(reference)
            assert type(specification.split(reference)) is Reference


@given(naive.texts | naive.octets, st.sampled_from(RULE_NAMES))
def test_every_uri_is_an_iri(reference: Any, rule: str) -> None:
    if RFC3986.is_valid(reference, rule):
        assert RFC3987.is_valid(reference, rule)
    elif RFC3987.is_valid(reference, rule):
        assert not reference.isascii()


@given(iris | naive.texts)
def test_an_iri_in_utf8_is_split_like_the_iri(iri: str) -> None:
    octets = iri.encode("utf-8", "surrogatepass")
    assert RFC3987.is_valid(octets) is RFC3987.is_valid(iri)
    if RFC3987.is_valid(iri):
        components = tuple(None if part is None else part.encode() for part in RFC3987.split(iri))
        assert RFC3987.split(octets) == split(octets) == components


@given(iris | naive.octets.map(lambda octets: octets.decode("utf-8", "surrogateescape")))
def test_the_violations_of_an_iri_in_utf8_count_bytes(iri: str) -> None:
    octets = iri.encode("utf-8", "surrogateescape")
    for by_bytes, by_characters in zip(RFC3987.violations(octets), RFC3987.violations(iri), strict=True):
        start, end = by_characters.offset, by_characters.offset + by_characters.length
        sizes_in_bytes = (len(iri[a:b].encode("utf-8", "surrogateescape")) for a, b in ((0, start), (start, end)))
        assert (by_bytes.offset, by_bytes.length) == tuple(sizes_in_bytes)
        names = ("component", "rule", "expected", "section", "incomplete", "title")
        assert attrgetter(*names)(by_bytes) == attrgetter(*names)(by_characters)


def test_a_strict_split_of_an_invalid_reference_raises_a_value_error() -> None:
    assert strict.split("http://h/?q") == RFC3986.split("http://h/?q") == split("http://h/?q")
    assert strict.split(b"//h") == split(b"//h")
    with pytest.raises(ValueError, match=r"^path, offset 1: "):
        strict.split("a b")
    with pytest.raises(strict.InvalidURI, match=r"^server, offset 7: "):
        strict.split("http://[::1]/", URL1996)


def test_bytes_like_objects_and_subclasses_are_accepted() -> None:
    class Text(str):
        __slots__ = ()

    for thing in (b"//h/", bytearray(b"//h/"), memoryview(b"//h/")):
        assert strict.split(thing) == split(b"//h/")
        assert strict.is_valid(thing)
        assert strict.violations(thing) == ()
    assert strict.split(Text("//h/")) == split("//h/")
    assert strict.is_valid(Text("//h/"))
    with pytest.raises(strict.InvalidURI) as caught:
        strict.split(bytearray(b"a b"))
    assert caught.value.reference == b"a b"


@pytest.mark.parametrize("thing", [None, 1, ["a"], split("a")])
def test_an_argument_of_another_type_is_rejected(thing: Any) -> None:
    for function, name in ((strict.split, "split"), (strict.is_valid, "is_valid"), (strict.violations, "violations")):
        with pytest.raises(TypeError, match=rf"^{name}\(\) takes .* not {type(thing).__name__}$"):
            function(thing)


RULES_KNOWN = "(known: URI-reference, URI, absolute-URI, relative-ref)"
SPECIFICATIONS_KNOWN = "(known: RFC3986, RFC3987, RFC2396BIS, RFC2396, URL1996)"


@pytest.mark.parametrize("function", [strict.split, strict.is_valid, strict.violations])
@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("url", f"unknown rule 'url' {RULES_KNOWN}; did you mean \"URI\"?"),
        ("absolute_uri", f"unknown rule 'absolute_uri' {RULES_KNOWN}; did you mean \"absolute-URI\"?"),
        ("", f"unknown rule '' {RULES_KNOWN}"),
        (None, f"unknown rule None {RULES_KNOWN}"),
    ],
)
def test_an_unknown_rule_is_named_and_the_nearest_is_suggested(function: Any, rule: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        function("a", rule=rule)


@pytest.mark.parametrize("function", [strict.split, strict.is_valid, strict.violations])
@pytest.mark.parametrize(
    ("spec", "given"),
    [
        ("rfc3896", "'rfc3896'; did you mean \"RFC3986\"?"),
        ("RFC2396", "'RFC2396'; did you mean \"RFC2396\"?"),
        ("?", "'?'"),
        (None, "NoneType"),
        (b"rfc3986", "bytes"),
    ],
)
def test_a_name_instead_of_a_specification_is_rejected_with_a_suggestion(function: Any, spec: Any, given: str) -> None:
    message = f"spec takes a urisect.specs.Specification {SPECIFICATIONS_KNOWN}, not {given}"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        function("a", spec)


def test_an_unknown_specification_is_named_and_the_nearest_is_suggested() -> None:
    with pytest.raises(KeyError, match=r"unknown specification rfc3896 \(known: .*\); did you mean .rfc3986.\?"):
        SPECIFICATIONS["rfc3896"]
    assert SPECIFICATIONS.get("rfc3896") is None


@pytest.mark.parametrize("specification", ALL, ids=lambda specification: specification.name)
def test_the_pattern_can_be_embedded_under_any_flag(specification: Specification) -> None:
    for rule, flags in itertools.product(
        RULE_NAMES, (0, re.VERBOSE, re.IGNORECASE, re.DOTALL | re.MULTILINE | re.ASCII)
    ):
        source = specification.pattern(rule)
        line = re.compile(rf'"(?P<method>[A-Z]+)[ ]{source}[ ]HTTP/1\.1"', flags)
        assert line.groupindex.keys() == {"method", *Reference._fields}
        for target in ("/a?b", "http://h/", "http://h/#f", "//h/p", "?q", "/\u017f", "\u212a:"):
            match = line.fullmatch(f'"GET {target} HTTP/1.1"')
            assert bool(match) is specification.is_valid(target, rule)
            if match:
                assert match.group(*Reference._fields) == specification.split(target, rule)
        assert bool(re.fullmatch(f"<{source}>", "<//h>")) is specification.is_valid("//h", rule)
        for_bytes = specification.pattern(rule, bytes)
        assert re.compile(for_bytes.encode()).groups == re.compile(source).groups == 5
        assert (source + for_bytes).isascii()
        assert (source == for_bytes) is (specification is not RFC3987)


def test_a_pattern_is_for_str_or_for_bytes() -> None:
    with pytest.raises(TypeError, match=r"^text_type is str or bytes, not <class 'bytearray'>$"):
        RFC3987.pattern("URI", bytearray)  # type: ignore[arg-type]


# draft-fielding-uri-url-00, 3, 4.1 and 4.3: from the outside in; an empty component is undefined.
SPLITS_1996 = {
    "http://h/p;a;b?q#f": ("http", "h", "/p;a;b", "q", "f"),
    "http://h?q/p": ("http", "h?q", "/p", None, None),
    "http://h?q": ("http", "h?q", "", None, None),
    "//u?x:p?y@h:80/": (None, "u?x:p?y@h:80", "/", None, None),
    "//h/?#": (None, "h", "/", None, None),
    "//": (None, None, "", None, None),
    "///a": (None, None, "/a", None, None),
    "1+.-:a": ("1+.-", None, "a", None, None),
    ":a": (None, None, ":a", None, None),
    "a_b:c": (None, None, "a_b:c", None, None),
    "a/b:c": (None, None, "a/b:c", None, None),
    "http:?q": ("http", None, "", "q", None),
    "?": (None, None, "", None, None),
    "#f?g": (None, None, "", None, "f?g"),
    ";x": (None, None, ";x", None, None),
}


@pytest.mark.parametrize(("reference", "components"), SPLITS_1996.items())
def test_the_draft_splits_from_the_outside_in(reference: str, components: tuple[str | None, ...]) -> None:
    assert URL1996.split(reference) == components
    assert URL1996.split(reference.encode()) == tuple(part if part is None else part.encode() for part in components)


@pytest.mark.parametrize(
    ("path", "parameters"), [("/a;b;c=d/e", "b;c=d/e"), (";x", "x"), ("/a;", None), ("/a", None), ("", None)]
)
def test_parameters_stay_in_the_path(path: str, parameters: str | None) -> None:
    reference = URL1996.split(f"ftp://h{path}" if path.startswith("/") else path)
    assert reference.path == path
    assert URL1996.parameters(reference) == parameters
    octets = URL1996.parameters(URL1996.split(bytes(reference)))
    assert octets == (None if parameters is None else parameters.encode())


def test_nothing_is_imported_or_compiled_before_it_is_used() -> None:
    program = """
import sys, re
compiled = []
original = re._compiler.compile
re._compiler.compile = lambda source, flags=0: compiled.append(source) or original(source, flags)
import urisect
assert not [name for name in sys.modules if name.startswith(("urisect.specs", "urisect.strict"))]
compiled.clear()
from urisect import strict
from urisect.specs import RFC2396
assert not [source for source in compiled if "(?-ix:" in str(source)], compiled
strict.is_valid("a")
assert len([source for source in compiled if "(?-ix:" in str(source)]) == 1
RFC2396.is_valid(b"a")
assert len([source for source in compiled if "(?-ix:" in str(source)]) == 2
assert "regex" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
