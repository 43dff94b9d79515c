"""Resolving references against a base, finding references to a target, and removing dot segments."""

import copy
import itertools
import pickle
from typing import Any

import pytest
import uritools
from hypothesis import example, given

from tests.support import naive, sizes
from tests.support.printed import BASE, EXAMPLES_2003
from tests.support.references import bases, octets, references
from urisect import split, strict
from urisect.resolution import Base, relativize, remove_dot_segments, resolve
from urisect.specs import RFC3986

# RFC 3986, 5.4: the example for which a parser that is not strict has another target.
EXAMPLES_NOT_STRICT = EXAMPLES_2003 | {"http:g": "http://a/b/c/g"}

# RFC 3986, 5.2.2 to 5.2.4 and 3.3: base, reference, target.
FURTHER = [
    ("http://a", "g", "http://a/g"),
    ("http://a", "?q", "http://a?q"),
    ("http://a?q", "", "http://a?q"),
    ("http://a#f", "", "http://a"),
    ("http://a/b?", "#", "http://a/b?#"),
    ("http://a/b/..", "g", "http://a/b/g"),
    ("http://a/b/../c", "?q", "http://a/b/../c?q"),
    ("http://a/b/../c/d", "g", "http://a/c/g"),
    ("http://a/b", "///c", "http:///c"),
    ("http://a//b//c", "d", "http://a//b//d"),
    ("http://a/b/c", "..//d", "http://a//d"),
    ("s3://bucket/a/b", "../c", "s3://bucket/c"),
    ("urn:example:a", "b", "urn:b"),
    ("mailto:fred@example.com", "?subject=x", "mailto:fred@example.com?subject=x"),
    ("http://a/b", "x:./y", "x:y"),
    ("http://a/b", "x:.", "x:"),
    ("http://a/b", ".x:y", ".x:y"),
    ("http://a/b/c", ":d", "http://a/b/:d"),
    ("http://a/b/c", ".well-known/d", "http://a/b/.well-known/d"),
    ("http://a/b/c", "/.well-known/d", "http://a/.well-known/d"),
    ("foo:/", ".//@@", "foo:/.//@@"),
    ("foo:/.//a/b", "c", "foo:/.//a/c"),
    ("foo:/.//a/b", "?q", "foo:/.//a/b?q"),
    ("http://a/b", "//c/.//d", "http://c//d"),
]


@pytest.mark.parametrize(
    ("base", "reference", "target"), [*((BASE, *pair) for pair in EXAMPLES_2003.items()), *FURTHER]
)
def test_examples_through_every_function(base: str, reference: str, target: str) -> None:
    assert resolve(base, reference) == target
    assert resolve(Base(base), reference) == target
    assert resolve(split(base), split(reference)) == target
    assert Base(base).resolve(reference) == target
    assert Base(split(base)).resolve(split(reference)) == target
    assert resolve(octets(base), octets(reference)) == octets(target)
    assert resolve(bytearray(octets(base)), memoryview(octets(reference))) == octets(target)
    assert Base(octets(base)).resolve(octets(reference)) == octets(target)
    assert naive.transform(base, reference) == target


@pytest.mark.parametrize(("reference", "target"), EXAMPLES_NOT_STRICT.items())
def test_the_same_scheme_loophole(reference: str, target: str) -> None:
    assert resolve(BASE, reference, strict=False) == target
    assert Base(octets(BASE)).resolve(octets(reference), strict=False) == octets(target)


def test_the_loophole_ignores_the_scheme_of_the_base_in_any_case_and_keeps_the_other_components() -> None:
    assert resolve("http://a/b", "HTTP://c/d", strict=False) == "http://c/d"
    assert resolve("http://a/b/", "http:g:h", strict=False) == "http://a/b/g:h"
    assert resolve("http://a/b", "https:g", strict=False) == "https:g"
    assert resolve("http://a/b?q", "http:", strict=False) == "http://a/b?q"


def test_a_reference_with_a_scheme_is_returned_as_the_same_object() -> None:
    reference = "https://example.com/a/b?c#d"
    assert Base(BASE).resolve(reference) is reference


def test_a_base_keeps_a_limited_number_of_targets() -> None:
    base = Base(f"s:/{'a/' * 40}")
    for ups in range(1, 41):
        for _ in range(2):
            assert base.resolve(f"{'../' * ups}g") == f"s:/{'a/' * (40 - ups)}g"
    for climb in map("".join, itertools.product(("./", "../"), repeat=6)):
        assert base.resolve(f"{climb}g") == naive.transform(base.text, f"{climb}g")
    base.resolve("../" * 100_000 + "g")
    assert 10 <= len(base._targets) < 40
    assert max(map(len, base._targets)) < 40


@pytest.mark.parametrize("base", ["", "//a/b", "/a", "a", "?q", ":a", b"//a", split("a/b"), split(b"")])
def test_a_base_needs_a_scheme(base: Any) -> None:
    with pytest.raises(ValueError, match=r"a base URI has a scheme, and b?'.*' has none"):
        Base(base)
    with pytest.raises(ValueError, match="has a scheme"):
        resolve(base, base[:0] if isinstance(base, str | bytes) else base)
    with pytest.raises(ValueError, match="has a scheme"):
        relativize(base, base)


@pytest.mark.parametrize(("base", "reference"), [("http://a/", b"g"), (b"http://a/", "g"), ("http://a/", split(b"g"))])
def test_str_and_bytes_do_not_mix(base: Any, reference: Any) -> None:
    for function in (resolve, relativize, RFC3986.resolve):
        with pytest.raises(TypeError, match="cannot mix str and bytes: base is"):
            function(base, reference)


@pytest.mark.parametrize("wrong", [None, 1, ["http://a/"]])
def test_other_types_are_named(wrong: Any) -> None:
    for call in (lambda: Base(wrong), lambda: resolve(BASE, wrong), lambda: relativize(BASE, wrong)):
        with pytest.raises(TypeError, match=rf"takes str, bytes.* not {type(wrong).__name__}"):
            call()
    with pytest.raises(TypeError, match="remove_dot_segments"):
        remove_dot_segments(wrong)


def test_a_base_as_repr_str_and_bytes() -> None:
    assert repr(Base("http://a/")) == "Base('http://a/')"
    assert (str(Base(b"http://a/\xff")), bytes(Base("http://a/é"))) == ("http://a/\udcff", octets("http://a/é"))
    assert Base(bytearray(b"http://a/")).text == b"http://a/"


def test_a_base_can_be_copied_and_pickled() -> None:
    for again in (copy.deepcopy(Base(BASE)), pickle.loads(pickle.dumps(Base(BASE)))):  # noqa: S301  made here
        assert again.resolve("../g") == "http://a/b/g"


@given(bases, references | naive.texts)
@example("foo:/a/.", "//b/.//@@")
def test_agreement_with_the_pseudocode(base: str, reference: str) -> None:
    target = naive.transform(base, reference)
    assert resolve(base, reference) == target
    assert Base(base).resolve(reference) == target


@given(bases.map(octets), references.map(octets) | naive.octets)
def test_agreement_of_bytes_with_the_pseudocode(base: bytes, reference: bytes) -> None:
    target = naive.transform(base.decode("latin-1"), reference.decode("latin-1")).encode("latin-1")
    assert resolve(base, reference) == Base(base).resolve(reference) == target


@pytest.mark.slow
def test_agreement_with_the_pseudocode_on_all_short_references() -> None:
    prepared = [Base(f"s:{rest}") for rest in ("", "a", "a/b", "/", "/a/b/", "//", "//a", "//a/b/..", "/.//a/b")]
    for reference in naive.strings("a/.:?#", sizes.choose(full=5, quick=4)):
        for base in prepared:
            assert base.resolve(reference) == naive.transform(base.text, reference)


def is_hierarchical(reference: str) -> bool:
    scheme, authority, path = split(reference)[:3]
    return scheme is None or authority is not None or path.startswith("/")


@given(bases, references)
@example("foo:/", ".//@@")
def test_agreement_with_uritools_on_every_valid_pair(base: str, reference: str) -> None:
    # uritools departs from 5.2.4 if a path does not begin with "/", as in ("s:a", "../b"), and does not guard "//".
    if strict.is_valid(base) and strict.is_valid(reference) and is_hierarchical(base) and is_hierarchical(reference):
        target = resolve(base, reference)
        unguarded = target.replace(":/.//", "://", 1) if split(target).authority is None else target
        assert uritools.urijoin(base, reference, strict=True) in (target, unguarded)


def test_where_uritools_departs_from_the_algorithm() -> None:
    for base, reference, target in (("s:a", "../b", "s:b"), ("s:a", "x:.", "x:"), ("foo:/", ".//@@", "foo:/.//@@")):
        assert resolve(base, reference) == naive.transform(base, reference) == target
        assert uritools.urijoin(base, reference, strict=True) != target


@given(bases, references | naive.texts)
def test_relativize_is_the_inverse_of_resolve(base: str, reference: str) -> None:
    target = resolve(base, reference)
    assert resolve(base, relativize(base, target)) == target
    assert len(relativize(base, target)) <= len(target)
    assert relativize(octets(base), octets(target)) == octets(relativize(base, target))


@given(bases, references | naive.texts)
def test_relativize_returns_a_target_that_no_reference_leads_to(base: str, target: str) -> None:
    reference = relativize(base, target)
    assert reference == target or resolve(base, reference) == target


@given(bases, bases)
def test_relativize_keeps_a_valid_target_valid(base: str, target: str) -> None:
    if strict.is_valid(target):
        assert strict.is_valid(relativize(base, target))


@pytest.mark.slow
def test_relativize_finds_the_shortest_of_all_references() -> None:
    ends = (
        "",
        "a",
        "/",
        "/a",
        "/a/b",
        "a/b",
        "//",
        "//a",
        "///",
        "//a?",
        "//a/b/c?b",
        "//a/b//",
        "/.//a/b",
        "//a/b/..",
    )
    for end, last in itertools.product(ends, ("", "#")):
        base = Base(f"s:{end}{last}")
        shortest: dict[str, str] = {}
        for reference in naive.strings("ab/.:?#", sizes.choose(full=4, quick=3)):
            # A reference cannot begin with ":" (4.2), though `split` accepts it.
            if not reference.startswith(":"):
                shortest.setdefault(base.resolve(reference), reference)
        for target, reference in shortest.items():
            assert len(base.relativize(target)) == min(len(reference), len(target)), (base, target)


@pytest.mark.parametrize(
    ("base", "target", "reference"),
    [
        ("http://a/b/c/d?q", "http://a/b/c/d?q", ""),
        ("http://a/b/c/d?q", "http://a/b/c/d?q#", "#"),
        ("http://a/b/c/d?q", "http://a/b/c/d?", "?"),
        ("http://a/b/c/d?q", "http://a/b/c/d", "d"),
        ("http://a/b/c/?q", "http://a/b/c/", "."),
        ("http://a/b/c/d", "http://a/b/", ".."),
        ("http://a/b/c/d/e", "http://a/b/", "/b/"),
        ("http://a/bbbbb/c/d/e", "http://a/bbbbb/", "../.."),
        ("http://a/b/c", "http://a/b/x:y", "./x:y"),
        ("http://a/b/c", "http://a/b//x", ".//x"),
        ("http://a/b/c", "http://a//x", "..//x"),
        ("http://a/b/c/d/e", "http://a//x", "/.//x"),
        ("http://a/b/c", "http://a", "//a"),
        ("http://a/b/c", "http://h/b/c", "//h/b/c"),
        ("http://a/b/c", "https://a/b/c", "https://a/b/c"),
        ("http://a/b/c", "HTTP://a/b/c", "HTTP://a/b/c"),
        ("http://a/b/c", "http://a/b/../c", "http://a/b/../c"),
        ("http://a/b/../c", "http://a/b/../c?d", "?d"),
        ("http://a/b/c", "d", "d"),
        ("urn:a:b", "urn:c:d", "./c:d"),
        ("foo:/", "foo:/.//@@", ".//@@"),
        ("foo:/.//a/b", "foo:/.//a/c", "c"),
        ("s:x", "s:", "."),
        ("s:x", "s:a:b", "s:a:b"),
    ],
)
def test_examples_of_relativize(base: str, target: str, reference: str) -> None:
    assert relativize(base, target) == relativize(Base(base), split(target)) == reference
    assert relativize(octets(base), octets(target)) == octets(reference)


HOSTILE = (
    {"../": "http://a/", "/..": "http://a/", "./": "http://a/b/c/"}
    | dict.fromkeys(("%41", "%", "<", "(", "@", ":", "a/", "a/../"), "http://a/b/c/{}")
    | {
        "http://": "{}",
        "/": "http:{}",
        "?": "http://a/b/c/d;p{}",
        "#": "http://a/b/c/d;p?q{}",
        "a/../": "http://a/b/c/",
    }
)


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_references_and_bases(unit: str) -> None:
    text = unit * (sizes.LONG // len(unit))
    target = resolve(BASE, text)
    assert target == HOSTILE[unit].format(text)
    assert resolve(BASE, relativize(BASE, target)) == target
    assert resolve(f"s:{text}", "?q").endswith("?q")
