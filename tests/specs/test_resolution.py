from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.printed import BASE, EXAMPLES_2003
from urisect import Reference
from urisect.resolution import remove_dot_segments
from urisect.specs import RFC2396, RFC2396BIS, RFC3986, SPECIFICATIONS, URL1996, Specification, rfc2396, rfc2396bis

# RFC 2396, Appendix C, where it differs from them; the current document is the base.
EXAMPLES_1998 = EXAMPLES_2003 | {
    "?y": "http://a/b/c/?y",
    "../../../g": "http://a/../g",
    "../../../../g": "http://a/../../g",
    "/./g": "http://a/./g",
    "/../g": "http://a/../g",
}

# draft-fielding-uri-url-00, Appendix C, where it differs from that; its parameters are no part of the path.
EXAMPLES_1996 = EXAMPLES_1998 | {
    "?y": "http://a/b/c/d;p?y",
    ";x": "http://a/b/c/d;x",
    "http:": "http:",
    "g;x=1/./y": "http://a/b/c/g;x=1/./y",
    "g;x=1/../y": "http://a/b/c/g;x=1/../y",
}

EXAMPLES = [
    (specification, reference, target)
    for specification, examples in (
        (RFC3986, EXAMPLES_2003),
        (RFC2396BIS, EXAMPLES_2003),
        (RFC2396, EXAMPLES_1998),
        (URL1996, EXAMPLES_1996),
    )
    for reference, target in examples.items()
]

# What the documents' examples leave open: specification, base, reference, target.
FURTHER = [
    # RFC 3986, 5.2.3: "/" only where there is an authority and no path.
    (RFC3986, "http://a", "g", "http://a/g"),
    (RFC3986, "mailto:a@b", "g", "mailto:g"),
    (RFC3986, "urn:a/b", "g", "urn:a/g"),
    (RFC3986, "urn:", "g", "urn:g"),
    # RFC 3986, 5.2.4: from the front.
    (RFC3986, "http://h/", "/a/b/../../../c", "http://h/c"),
    (RFC3986, "http://h/", "/a//../b", "http://h/a/b"),
    (RFC3986, "foo:a", "./b", "foo:b"),
    (RFC3986, "foo:a", "../b", "foo:b"),
    (RFC3986, "foo:a", ".", "foo:"),
    # 3.3: no authority out of a path.
    (RFC3986, "foo:/", ".//@@", "foo:/.//@@"),
    (RFC3986, "foo:/a", "/..//b", "foo:/.//b"),
    # rfc2396bis-03, 5.2: "/" for every base without a path, nothing of a path that is not hierarchical.
    (RFC2396BIS, "http://a", "g", "http://a/g"),
    (RFC2396BIS, "urn:", "g", "urn:/g"),
    (RFC2396BIS, "urn:a/b", "g", "urn:g"),
    # Step 2 leaves the "/".
    (RFC2396BIS, "foo:a", "./b", "foo:/b"),
    (RFC2396BIS, "foo:a", "../../b", "foo:/b"),
    (RFC2396BIS, "foo:a", ".", "foo:."),
    # Step 5: a segment may be empty.
    (RFC2396BIS, "http://h/", "/a//../b", "http://h/a/b"),
    (RFC2396BIS, "http://h/", "/a/b/../../../c", "http://h/c"),
    # RFC 2396, 5.2: an absolute path is left as it is; so is what has a scheme.
    (RFC2396, "http://h/", "/a/b/../../../c", "http://h/a/b/../../../c"),
    (RFC2396, "http://h/", "a/b/../../../c", "http://h/../c"),
    (RFC2396, "http://h/", "x:a/../b?c#d", "x:a/../b?c#d"),
    (RFC2396, "http://h/a//", "../b", "http://h/a/b"),
    (RFC2396, "http://h/a#b", "", "http://h/a"),
    (RFC2396, "http://h/a?b", "#c", "http://h/a?b#c"),
    (RFC2396, "http://h/a?b", "?", "http://h/?"),
    (RFC2396, "http://h?b", "g", "http://h/g"),
    (RFC2396, "foo:a", "g", "foo:g"),
    # The draft of 1996, 6: empty is absent, and only a "/" ends a server.
    (URL1996, "http://h/a?b", "?", "http://h/a?b"),
    (URL1996, "http://h/a?b#c", "#", "http://h/a?b"),
    (URL1996, "http://h/a;b?c", ";x", "http://h/a;x"),
    (URL1996, "http://h/a;b?c", ";?x", "http://h/a;b?x"),
    (URL1996, "http://h/a", "g?", "http://h/g"),
    (URL1996, "http://h?a/b", "g", "http://h?a/g"),
    (URL1996, "http://h", "g", "http://h/g"),
    (URL1996, "http://h", "?y", "http://h/?y"),
    (URL1996, "http://h", "", "http://h"),
    (URL1996, "http://h/", "/", "http://h/"),
    (URL1996, "mailto:a", "g", "mailto:g"),
    (URL1996, "http://h/a/b", "c;d/../e", "http://h/a/c;d/../e"),
    # Step 2b: what is absolute is left as it is. Step 1: so is everything, where no base is known.
    (URL1996, "http://h/", "9x://?#", "9x://?#"),
    (URL1996, "", "a/../b?#", "a/../b?#"),
]

DOTTED = "/.a"
paths = st.text(DOTTED + "b") | st.lists(st.sampled_from(["", ".", "..", "a", "b", "..."])).map("/".join)
references = st.text("a:/?#.@;b") | paths
bases = st.tuples(st.sampled_from(["s:", "s://h", "s://h/", "s:/", "s://"]), references).map("".join)


@pytest.mark.parametrize(("specification", "reference", "target"), EXAMPLES)
def test_each_document_resolves_its_own_examples(specification: Specification, reference: str, target: str) -> None:
    assert specification.resolve(BASE, reference) == target
    assert specification.resolve(BASE.encode(), reference.encode()) == target.encode()
    assert specification.resolve(specification.split(BASE), specification.split(reference)) == target


@pytest.mark.parametrize(("specification", "base", "reference", "target"), FURTHER)
def test_what_the_examples_leave_open(specification: Specification, base: str, reference: str, target: str) -> None:
    assert specification.resolve(base, reference) == target
    assert specification.resolve(specification.cut(base), reference) == target


@pytest.mark.slow
@pytest.mark.parametrize(
    ("remove", "slowly"),
    [
        (remove_dot_segments, naive.remove_dot_segments),
        (rfc2396bis.remove_dot_segments, naive.remove_dot_segments_2003),
        (rfc2396.remove_dot_segments, naive.remove_dot_segments_1998),
    ],
)
def test_dot_segments_go_as_each_document_says(remove: Callable[[str], str], slowly: Callable[[str], str]) -> None:
    for path in naive.strings(DOTTED, sizes.choose(full=9, quick=7)):
        assert remove(path) == slowly(path), path

    @given(paths)
    def on_longer_paths(path: str) -> None:
        assert remove(path) == slowly(path)

    on_longer_paths()


@given(bases, references)
def test_rfc3986_resolves_as_its_pseudocode(base: str, reference: str) -> None:
    assert RFC3986.resolve(base, reference) == naive.transform(base, reference)


@pytest.mark.parametrize("specification", SPECIFICATIONS.values(), ids=lambda specification: specification.name)
@given(base=bases, reference=naive.texts | naive.octets)
def test_every_specification_resolves_anything(specification: Specification, base: Any, reference: Any) -> None:
    if isinstance(reference, bytes):
        base = base.encode()
    assert type(specification.resolve(base, reference)) is type(reference)


@pytest.mark.parametrize("specification", SPECIFICATIONS.values(), ids=lambda specification: specification.name)
def test_a_base_has_a_scheme(specification: Specification) -> None:
    with pytest.raises(ValueError, match="a base URI has a scheme, and '//a/b' has none"):
        specification.resolve("//a/b", "c")


@pytest.mark.parametrize(
    ("base", "reference"), [("a:b", b"c"), (b"a:b", "c"), ("a:b", Reference(None, None, b"c", None, None))]
)
def test_base_and_reference_are_of_one_type(base: Any, reference: Any) -> None:
    with pytest.raises(TypeError, match="cannot mix str and bytes"):
        RFC3986.resolve(base, reference)
    with pytest.raises(TypeError, match="not int"):
        RFC3986.resolve(base, 1)
