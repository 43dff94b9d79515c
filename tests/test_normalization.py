"""Normal forms of references, and their comparison."""

from operator import attrgetter
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.references import bases, octets, references
from urisect import split
from urisect.normalization import equivalent, normalize
from urisect.resolution import Base, resolve
from urisect.schemes import DEFAULT_PORTS, WITHOUT_AUTHORITY
from urisect.specs import RFC2396, RFC2396BIS, RFC3986, SPECIFICATIONS, URL1996, Specification

# Equivalent pairs of the specifications: RFC 3986, 6.2.2, 6.2.2.1, 6.2.2.2; rfc2396bis-03, 6.2.2.
BY_SYNTAX = [
    ("example://a/b/c/%7Bfoo%7D", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d"),
    ("http://www.example.com/", "HTTP://www.EXAMPLE.com/"),
    ("http://example.com/%3A", "http://example.com/%3a"),
    ("http://example.com/~fred", "http://example.com/%7Efred"),
    ("example://a/b/c/z", "example://a/b/c/%7A"),
    ("example://a/b/c/z", "eXAMPLE://a/./b/../b/c/%7a"),
]
# RFC 3986, 6.2.3.
BY_SCHEME = [
    ("http://example.com/", "http://example.com"),
    ("http://example.com/", "http://example.com:/"),
    ("http://example.com/", "http://example.com:80/"),
]

# Reference, normal form by syntax, and normal form by scheme if it differs.
FORMS = [
    ("", ""),
    ("http://example.com/a?b#c", "http://example.com/a?b#c"),
    ("HTTP://A/B", "http://a/B"),
    ("http://A%2f%c3%a9%41/", "http://a%2F%C3%A9a/"),
    ("http://[2001:DB8::7]:8080/", "http://[2001:db8::7]:8080/"),
    ("http://[::1", "http://[::1", "http://[::1/"),
    ("http://EXAMPLE.com:8O/", "http://example.com:8O/"),
    ("//EXAMPLE.com/./A", "//example.com/./A"),
    ("%2e%2E/%7e", "../~"),
    ("/a/../%62", "/a/../b"),
    ("s:/a/%2e%2e/b", "s:/b"),
    ("s:./a", "s:a"),
    ("s:a/..//b", "s:/.//b"),
    ("foo:/.//a", "foo:/.//a"),
    ("a/./b:c", "a/./b:c"),
    ("http://a/?%41%2f%zz#%7e%", "http://a/?A%2F%zz#~%"),
    # An invalid escape does not become a valid one.
    ("/%%34%31", "/%%341"),
    ("/%4%31", "/%4%31"),
    ("/%4%31%31", "/%4%311"),
    ("/%G%31", "/%G1"),
    ("//%a%4a", "//%a%4A"),
    # Never changed: reserved characters, order, case of a path, empty components, case of a userinfo.
    ("http://a/%2F%3a/%26", "http://a/%2F%3A/%26"),
    ("http://a/Path?b=2&a=1&", "http://a/Path?b=2&a=1&"),
    ("http://a/?", "http://a/?"),
    ("http://a/#", "http://a/#"),
    ("http://A%7e:%7E@B@C/", "http://A~:~@B@c/"),
    ("http://%c3@h/", "http://%C3@h/"),
    ("//Us%65r:%3a%2f%40@H", "//User:%3A%2F%40@h"),
    ("//%4@%41@%@h", "//%4@A@%@h"),
    ("//%%341@h", "//%%341@h"),
    ("http://:@a/", "http://:@a/"),
    ("HTTP://a:b@C", "http://a:b@c", "http://a:b@c/"),
    # 6.2.3
    ("http://a:80", "http://a:80", "http://a/"),
    ("http://a:080/", "http://a:080/", "http://a/"),
    ("http://a:8080", "http://a:8080", "http://a:8080/"),
    ("http://[::1]:80/b", "http://[::1]:80/b", "http://[::1]/b"),
    ("https://u:80@a:443?q", "https://u:80@a:443?q", "https://u:80@a/?q"),
    ("https://a:80/", "https://a:80/"),
    ("s:/a:80", "s:/a:80"),
    ("unknown://a:80", "unknown://a:80"),
    ("unknown://a:", "unknown://a:", "unknown://a"),
    ("//a:80", "//a:80"),
    ("//a:", "//a:"),
    ("http:a", "http:a"),
    ("http:", "http:"),
    ("file://h", "file://h", "file://h/"),
    ("file:///etc", "file:///etc"),
    ("mailto:A@B", "mailto:A@B"),
    ("urn:a:%61", "urn:a:a"),
]


def test_examples_of_the_specifications() -> None:
    for normal, other in BY_SYNTAX:
        assert normalize(other) == normalize(normal) == normal.replace("%63", "c")
        assert equivalent(normal, other)
        assert equivalent(octets(normal), octets(other))
        assert not equivalent(normal, other, level="string")
    for normal, other in BY_SCHEME:
        assert normalize(other, level="scheme") == normal
        assert equivalent(normal, other, level="scheme")
        assert not equivalent(normal, other, level="syntax")


@pytest.mark.parametrize("forms", FORMS, ids=lambda forms: forms[0])
def test_normal_forms(forms: tuple[str, ...]) -> None:
    reference, by_syntax, by_scheme = forms[0], forms[1], forms[-1]
    assert normalize(reference, level="string") is reference
    assert normalize(reference) == normalize(split(reference)) == by_syntax
    assert normalize(reference, level="scheme") == by_scheme
    assert normalize(octets(reference)) == normalize(bytearray(octets(reference))) == octets(by_syntax)
    assert normalize(octets(reference), level="scheme") == octets(by_scheme)
    assert naive.normalize(reference) == by_syntax


@pytest.mark.parametrize("spec", SPECIFICATIONS.values(), ids=attrgetter("name"))
def test_escapes_in_a_userinfo_are_normalized(spec: Specification) -> None:
    for level in ("syntax", "scheme"):
        assert equivalent("http://%c3@h/", "http://%C3@h/", level=level, spec=spec)
        assert equivalent(b"http://%61:%70@h/", b"http://a:p@h/", level=level, spec=spec)
        assert not equivalent("http://A@h/", "http://a@h/", level=level, spec=spec)
        assert not equivalent("http://a%3A@h/", "http://a:@h/", level=level, spec=spec)


def test_a_base_is_accepted_as_its_text() -> None:
    assert normalize(Base("HTTP://A/")) == "http://a/"
    assert equivalent(Base("HTTP://A/"), split("http://a/"))


@given(naive.texts | references)
@example("/%%41")
def test_agreement_with_a_naive_implementation(reference: str) -> None:
    assert normalize(reference) == naive.normalize(reference)


@pytest.mark.slow
def test_agreement_on_all_short_texts() -> None:
    longest = sizes.choose(full=6, quick=5)
    for alphabet, length, before in (
        *(("a%41E", longest + 1, ""), ("A:/.@[?", longest, "")),
        *(("s:/.%2E", longest, ""), ("@%41a", longest - 1, "//")),
    ):
        for text in map(before.__add__, naive.strings(alphabet, length)):
            normal = normalize(text)
            assert normal == naive.normalize(text)
            assert normalize(normal) is normal


@given(naive.octets | references.map(octets))
def test_bytes_agree_with_str(reference: bytes) -> None:
    for level in ("syntax", "scheme"):
        as_text = normalize(reference.decode("latin-1"), level=level)
        assert normalize(reference, level=level) == as_text.encode("latin-1")


@given(naive.texts | references | references.map("http:{}".format), st.sampled_from(list(SPECIFICATIONS.values())))
def test_normalize_is_idempotent_and_returns_a_normal_text_as_the_same_object(
    reference: str, spec: Specification
) -> None:
    for level in ("string", "syntax", "scheme"):
        normal = normalize(reference, level=level, spec=spec)
        assert normalize(normal, level=level, spec=spec) is normal
        if normal == reference:
            assert normalize(reference, level=level, spec=spec) is reference


@given(naive.octets)
def test_normal_bytes_are_returned_as_the_same_object(reference: bytes) -> None:
    normal = normalize(reference)
    assert normalize(normal) is normal


@given(naive.texts | references)
def test_undefined_stays_undefined_and_empty_stays_empty(reference: str) -> None:
    for before, after in zip(split(reference), split(normalize(reference)), strict=True):
        assert (before is None) == (after is None)
    userinfo = split(reference).userinfo
    expected = userinfo and naive.normalize_escapes(userinfo)
    assert split(normalize(reference, level="scheme")).userinfo == expected


@given(bases, references)
def test_resolve_and_normalize_commute(base: str, reference: str) -> None:
    # Removing a dot segment at the end of a base changes its directory: 5.2.3 keeps "/a/" of "/a/..", but "/" of "/".
    assume(split(base).path.rpartition("/")[2] not in (".", ".."))
    # An escaped dot becomes a dot segment only when it is decoded.
    assume("%2E" not in base + reference)
    for level in ("syntax", "scheme"):
        after = normalize(resolve(base, reference), level=level)
        before = resolve(normalize(base, level=level), normalize(reference, level=level))
        assert normalize(before, level=level) == after


@pytest.mark.parametrize(
    ("spec", "reference", "normal"),
    [
        (RFC3986, "s:/%2D%2E%5F%7E%21%24", "s:/-._~%21%24"),
        # rfc2396bis-03, 2.3: hyphen, underscore and tilde, and no other mark.
        (RFC2396BIS, "s:/%2D%2E%5F%7E%21%24", "s:/-%2E_~%21%24"),
        (RFC2396BIS, "s:/a/%2e%2e/b", "s:/a/%2E%2E/b"),
        # RFC 2396, 2.3, and the draft of 1996, 2.2: every unreserved character.
        (RFC2396, "s:/%2D%2E%5F%7E%21%24", "s:/-._~!%24"),
        (URL1996, "s:/%2D%2E%5F%7E%21%24", "s:/-._~!$"),
        # Each removes dot segments in its own way.
        (RFC3986, "s://%2d%2E%21%24@h", "s://-.%21%24@h"),
        (RFC2396BIS, "s://%2d%2E%21%24@h", "s://-%2E%21%24@h"),
        (RFC2396, "s://%2d%2E%21%24@h", "s://-.!%24@h"),
        (URL1996, "s://%2d%2E%21%24@h", "s://-.!$@h"),
        (RFC3986, "s:/a//../b", "s:/a/b"),
        (RFC3986, "s:/../b", "s:/b"),
        (RFC2396, "s:/../b", "s:/../b"),
        (RFC2396BIS, "s:../b/./c", "s:/b/c"),
    ],
)
def test_the_rules_of_a_specification(spec: Specification, reference: str, normal: str) -> None:
    assert normalize(reference, spec=spec) == normal
    assert equivalent(reference, normal, spec=spec)


def test_only_escapes_of_unreserved_characters_are_decoded() -> None:
    everything = "".join(f"%{octet:02x}" for octet in range(256))
    decoded = "".join(chr(octet) if chr(octet) in naive.UNRESERVED else f"%{octet:02X}" for octet in range(256))
    assert normalize(everything) == decoded


@pytest.mark.parametrize("scheme", sorted(DEFAULT_PORTS))
def test_every_scheme_with_an_authority(scheme: str) -> None:
    port = DEFAULT_PORTS[scheme]
    assert normalize(f"{scheme}://h:{port}", level="scheme") == f"{scheme}://h{f':{port}' if port is None else ''}/"
    assert normalize(f"{scheme}://h:1/", level="scheme") == f"{scheme}://h:1/"


def test_the_table_of_schemes() -> None:
    assert not WITHOUT_AUTHORITY & DEFAULT_PORTS.keys()
    for scheme in (*DEFAULT_PORTS, *WITHOUT_AUTHORITY):
        assert RFC3986.components["scheme"].fullmatch(scheme)
        assert scheme == scheme.lower()


def test_relative_references_are_compared_with_a_base() -> None:
    assert equivalent("../b", "http://a/b", base="http://a/x/y")
    assert equivalent(b"/b", b"HTTP://A/b", base=Base(b"http://a/x/y"))
    assert not equivalent("?q", "?r", base=split("http://a/"))
    assert equivalent("", "http://a/", base="http://a/#top", level="string")
    for a, b in (("a", "http://a/a"), ("http://a/a", "a")):
        with pytest.raises(ValueError, match="'a' has no scheme: give base= to compare it"):
            equivalent(a, b)
    with pytest.raises(ValueError, match="a base URI has a scheme"):
        equivalent("a", "a", base="/b")


def test_redirects() -> None:
    redirects = {
        "http://example.com/data": "http://example.com/data/",
        "HTTP://example.com:80/old": "/data",
        "http://example.com/a": "b#landed",
        "http://example.com/one": "two",
        "http://example.com/two": "one",
        "http://example.com/into": "two",
    }

    def same(a: str, b: str) -> bool:
        return equivalent(a, b, level="protocol", redirects=redirects, base="http://example.com")

    assert same("http://example.com/data", "http://example.com/data/")
    assert same("old", "data/")
    assert same("old#top", "data/#top")
    assert not same("old#top", "data/#end")
    assert same("a#top", "b#landed")
    assert same("one", "two")
    assert same("into", "one")
    assert not same("one", "data")
    assert equivalent("http://a", "http://a:80/", level="protocol")
    assert equivalent(b"http://a/b", b"http://c/", level="protocol", redirects={b"http://a/b": b"//c"})


@given(
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["a", "b", "c", "d", "a#x", "#y"])),
    st.sampled_from("abcd"),
)
def test_following_redirects_ends_and_is_an_equivalence(redirects: dict[str, str], start: str) -> None:
    def same(a: str, b: str) -> bool:
        return equivalent(a, b, level="protocol", redirects=redirects, base="http://h/")

    assert same(start, start)
    if start in redirects:
        assert same(start, redirects[start]) or redirects[start] == "#y"
    for other in "abcd":
        assert same(start, other) == same(other, start)


def test_unknown_levels_and_misplaced_redirects_are_rejected() -> None:
    deep: Any = "deep"
    for call in (lambda: normalize("a", level=deep), lambda: equivalent("s:", "s:", level=deep)):
        with pytest.raises(ValueError, match="unknown level 'deep': use string, syntax or scheme"):
            call()
    with pytest.raises(ValueError, match="redirects need the level 'protocol', not 'syntax'"):
        equivalent("s:", "s:", redirects={})


@pytest.mark.parametrize("wrong", [None, 1, ["a"]])
def test_other_types_are_named(wrong: Any) -> None:
    with pytest.raises(TypeError, match=rf"normalize\(\) takes str, .* not {type(wrong).__name__}"):
        normalize(wrong)
    with pytest.raises(TypeError, match=rf"equivalent\(\) takes str, .* not {type(wrong).__name__}"):
        equivalent("s:", wrong)


def test_str_and_bytes_do_not_mix() -> None:
    with pytest.raises(TypeError, match="a is str, b is bytes"):
        equivalent("s:", b"s:")  # type: ignore[type-var]
    with pytest.raises(TypeError, match="a is str, redirects is bytes"):
        equivalent("s:", "s:", level="protocol", redirects={b"s:": b"s:"})  # type: ignore[call-overload]


@pytest.mark.slow
@pytest.mark.parametrize("prefix", ["", "S:", "http://", "http://%", "HTTP://a/", "HTTP://a/?"])
@pytest.mark.parametrize(
    "unit", ["../", "/..", "%41", "%c3", "%", "%4", "<", "(", "http://", "@", "%C3@", "A", "[", ":"]
)
def test_hostile_references(unit: str, prefix: str) -> None:
    text = prefix + unit * (sizes.LONG // 5 // len(unit))
    assert len(normalize(text, level="scheme")) <= len(text) + 1
