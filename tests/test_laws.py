"""The laws of the package, for every Python: these tests need nothing but the standard library.

pytest runs them with all others; `python -m tests.test_laws` runs them alone, as tests/support/pyodide.mjs does in
Pyodide.
"""

import itertools
import re
import sys
from collections.abc import Iterator

from tests.support import sizes
from tests.support.printed import BASE, EXAMPLES_2003
from urisect import (
    Base,
    Reference,
    compose,
    hazards,
    normalize,
    pattern,
    percent,
    relativize,
    resolve,
    split,
    split_lines,
    strict,
    unsplit,
)

# RFC 3986, Appendix B, as printed, except that "." matches every character.
APPENDIX_B = re.compile(r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?", re.DOTALL)

STRANGE = ["", "\n", "a\nb", "\0", "é:/", "\udcff://\ud800", "//h\r\n", "a\u2028#\u0085", "?" * 1000, "http://h/%"]


def references() -> Iterator[str]:
    for length in range(sizes.choose(full=6, quick=5) + 1):
        yield from map("".join, itertools.product("a:/?#@[", repeat=length))
    yield from STRANGE
    yield from EXAMPLES_2003


def octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def test_split_is_appendix_b_and_loses_nothing() -> None:
    for text in references():
        match = APPENDIX_B.match(text)
        assert match
        reference = split(text)
        assert reference == match.group(2, 4, 5, 7, 9)
        assert unsplit(reference) == text
        assert unsplit(split(octets(text))) == octets(text)


def test_the_pattern_splits_as_split_does() -> None:
    match = re.compile(pattern()).match
    for text in references():
        found = match(text)
        assert found
        assert found.groups() == split(text)


def test_split_lines_splits_each_line_as_split_does() -> None:
    lines = [text for text in references() if "\n" not in text and not text.endswith("\r")]
    for end in ("\n", "\r\n"):
        assert list(map(Reference, *split_lines(end.join(lines) + end))) == list(map(split, lines))
    assert list(map(Reference, *split_lines(b"a:b\n\n//h"))) == [split(b"a:b"), split(b""), split(b"//h")]


def test_references_resolve_to_the_printed_targets_and_relativize_is_the_inverse() -> None:
    base = Base(BASE)
    for reference, target in EXAMPLES_2003.items():
        assert resolve(BASE, reference) == base.resolve(reference) == target
        assert resolve(octets(BASE), octets(reference)) == octets(target)
    assert resolve(BASE, "http:g", strict=False) == "http://a/b/c/g"
    for text in references():
        target = base.resolve(text)
        assert base.resolve(relativize(base, target)) == target


def test_a_normal_form_is_returned_as_the_same_object() -> None:
    for text in references():
        for level in ("string", "syntax", "scheme"):
            normal = normalize(f"HTTP:{text}%7e%2f/./..", level=level)
            assert normalize(normal, level=level) is normal
    assert normalize("HTTP://a%7eB:80/./%7Ec/../d", level="scheme") == "http://a~b/d"


def test_a_strict_split_equals_the_plain_split() -> None:
    for text in references():
        if strict.is_valid(text):
            assert strict.split(text) == split(text)


def explanation(text: str) -> strict.InvalidURI | None:
    try:
        strict.split(text)
    except strict.InvalidURI as error:
        return error
    return None


def test_an_invalid_reference_is_explained() -> None:
    for text in references():
        explained = explanation(text)
        assert (explained is None) is strict.is_valid(text)
        assert explained is None or (explained.violations and str(explained))
    [violation] = strict.violations("http://example.com:8O/")
    assert (violation.component, violation.offset) == ("port", 20)


def test_a_repaired_reference_is_valid() -> None:
    for text in references():
        repaired = percent.repair(text)
        assert strict.is_valid(repaired)
        assert (repaired is text) is strict.is_valid(text)
    for text in STRANGE:
        assert percent.decode(percent.encode(octets(text), "segment")) == octets(text)


def test_a_composed_reference_is_valid_and_decodes_to_its_parts() -> None:
    for part in map(octets, STRANGE):
        composed = compose(userinfo=part, host=b"h", port=80, path=[b"", part], query={b"q": part}, fragment=part)
        assert strict.is_valid(composed)
        reference = split(composed)
        for found, given in ((reference.userinfo, part), (reference.query, b"q=" + part), (reference.fragment, part)):
            assert found is not None
            assert percent.decode(found) == given


def test_hazards_are_found() -> None:
    codes = {hazard.code for hazard in hazards("http://user@127.1/a/..%2f")}
    assert {"loopback-address", "rare-ipv4", "escaped-dot-segments"} <= codes
    assert hazards("http://example.com/a?b#c") == ()
    for text in references():
        for hazard in hazards(text):
            assert 0 <= hazard.start <= hazard.end <= len(text)


def main() -> None:
    print(f"Python {sys.version}")
    for name, law in list(globals().items()):
        if name.startswith("test_"):
            law()
            print(f"{name}: passed", flush=True)


if __name__ == "__main__":
    main()
