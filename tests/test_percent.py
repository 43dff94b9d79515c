"""Encoding, decoding and repairing, and the IP literals that repair keeps."""

import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import percent, split, strict
from urisect.address import is_ip_literal, is_ipv6address
from urisect.percent import decode, encode, repair
from urisect.reference import split_authority
from urisect.specs.abnf import IPV6ADDRESS
from urisect.specs.rfc3986 import IP_LITERAL

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
SEGMENT = f"{ALNUM}-._~!$&'()*+,;=:@"

# RFC 3986, Appendix A: the characters that each component allows without an escape.
LEGAL = {
    "userinfo": f"{ALNUM}-._~!$&'()*+,;=:",
    "host": f"{ALNUM}-._~!$&'()*+,;=",
    "segment": SEGMENT,
    "path": f"{SEGMENT}/",
    "query": f"{SEGMENT}/?",
    "query value": f"{ALNUM}-._~!$'()*,:@/?",
    "fragment": f"{SEGMENT}/?",
}
components = st.sampled_from(list(LEGAL))

# Text with bytes that are not UTF-8, as `os.fsdecode` returns it.
decoded_octets = naive.octets.map(lambda octets: octets.decode("utf-8", "surrogateescape"))
no_surrogates = st.text()
# Valid and invalid escapes among other text.
escapes = st.lists(st.sampled_from(["%C3", "%A9", "%41", "%2f", "%", "%4", "%zz", "é", "a", "\udcc3", "\x00"])).map(
    "".join
)

HOSTILE = ["%", "@", "[", ":", "http://", "é", "\udcff", "\ud800", "%41", "%zz", " a"]


def long(unit: str) -> str:
    return unit * (sizes.LONG // len(unit))


@pytest.mark.parametrize("component", LEGAL)
def test_encode_keeps_exactly_the_characters_that_the_component_allows(component: str) -> None:
    for octet in range(128):
        character = chr(octet)
        expected = character if character in LEGAL[component] else f"%{octet:02X}"
        assert encode(character, component) == expected
        assert encode(character.encode(), component) == expected.encode()
    for octet in range(128, 256):
        assert encode(bytes([octet]), component) == f"%{octet:02X}".encode()


@pytest.mark.parametrize(
    ("text", "encoded"),
    [
        ("é€😀", "%C3%A9%E2%82%AC%F0%9F%98%80"),
        ("e\u0301", "e%CC%81"),
        ("\udcff", "%FF"),
        ("\udcc3\udca9", "%C3%A9"),
        ("\ud800", "%ED%A0%80"),
        ("\udc7f", "%ED%B1%BF"),
        ("\udd00", "%ED%B4%80"),
        ("\ud83d\ude00", "%ED%A0%BD%ED%B8%80"),
        ("a\ud800\udc80b\udcff é", "a%ED%A0%80%80b%FF%20%C3%A9"),
        ("\n\0", "%0A%00"),
    ],
)
def test_encode_uses_utf_8(text: str, encoded: str) -> None:
    assert encode(text, "segment") == encoded
    assert repair(text) == encoded


@given(st.characters(categories=["Cs"]))
def test_a_lone_surrogate_is_encoded_as_the_byte_it_represents_or_as_three(surrogate: str) -> None:
    try:
        octets = surrogate.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        octets = surrogate.encode("utf-8", "surrogatepass")
    assert encode(surrogate, "query") == encode(octets, "query").decode()


@pytest.mark.parametrize("component", ["query value", "query-value", "query_value"])
def test_a_query_value_excludes_its_delimiters(component: str) -> None:
    assert encode("a=b&c;d+e f/?", component) == "a%3Db%26c%3Bd%2Be%20f/?"


@pytest.mark.parametrize("component", ["", "scheme", "Path", "query  value", None])
def test_encode_lists_the_known_components(component: Any) -> None:
    names = "userinfo, host, segment, path, query, query value, fragment"
    with pytest.raises(ValueError, match=rf"^unknown component {component!r}: use one of {names}$"):
        encode("a", component)


@given(no_surrogates, components)
def test_decode_undoes_encode(text: str, component: str) -> None:
    assert decode(encode(text, component)) == text


@given(naive.octets, components)
def test_decode_undoes_encode_for_any_bytes(octets: bytes, component: str) -> None:
    assert decode(encode(octets, component)) == octets


@given(decoded_octets, components)
def test_decode_undoes_encode_for_bytes_in_text(text: str, component: str) -> None:
    assert decode(encode(text, component), errors="surrogateescape") == text


@given(st.text(st.characters(exclude_characters=[*map(chr, range(0xDC80, 0xDD00))], exclude_categories=())), components)
def test_decode_undoes_encode_for_other_surrogates(text: str, component: str) -> None:
    assert decode(encode(text, component), errors="surrogatepass") == text


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("", ""),
        ("é%C3%A9é", "ééé"),
        ("%c3%a9", "é"),
        ("%41%42", "AB"),
        ("%2541", "%41"),
        ("%%41", "%A"),
        ("%4%31", "%41"),
        ("%", "%"),
        ("%4", "%4"),
        ("%zz%4g%", "%zz%4g%"),
        ("%４1", "%４1"),
        ("%0A%00", "\n\0"),
        ("+", "+"),
    ],
)
def test_decode(text: str, decoded: str) -> None:
    assert decode(text) == decoded
    assert decode(text.encode()) == decoded.encode()


@given(naive.octets | escapes.map(lambda text: text.encode("utf-8", "surrogateescape")))
def test_decode_replaces_each_escape_by_its_byte(octets: bytes) -> None:
    naively = re.sub(rb"%([0-9A-Fa-f]{2})", lambda escape: bytes([int(escape[1], 16)]), octets)
    assert decode(octets) == naively
    assert decode(octets, errors="nonsense") == naively


@pytest.mark.parametrize(
    ("text", "start", "end", "reason"),
    [
        ("é%41%FF", 4, 7, "invalid start byte"),
        ("%C3é%A9", 0, 3, "unexpected end of data"),
        ("😀\udc80a%E2%82x", 3, 9, "unexpected end of data"),
        ("%C3%A9/%ED%A0%80", 7, 10, "invalid continuation byte"),
    ],
)
def test_decode_locates_bytes_that_are_not_utf_8(text: str, start: int, end: int, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{text[start:end]!r} is not UTF-8 ({reason})")) as caught:
        decode(text)
    assert isinstance(caught.value, UnicodeDecodeError)
    assert (caught.value.start, caught.value.end) == (start, end)
    assert caught.value.object[start:end] == text[start:end].encode()
    assert f"position {start}-{end - 1}: " in str(caught.value)
    assert 'errors="surrogateescape"' in str(caught.value)


def test_decode_handles_errors_as_requested() -> None:
    text = "a%FFé%C3%41"
    assert decode(text, errors="surrogateescape") == "a\udcffé\udcc3A"
    assert decode(text, errors="replace") == "a\ufffdé\ufffdA"
    assert decode(text, errors="ignore") == "aéA"
    with pytest.raises(LookupError, match="nonsense"):
        decode(text, errors="nonsense")


REPAIRS = {
    # Invalid schemes
    "1a:b": "1a%3Ab",
    "1a:b:c/d:e?f:g": "1a%3Ab%3Ac/d:e?f:g",
    "1a://x": "1a%3A//x",
    "1a://u@[::1]:80/?q#f": "1a%3A//u@%5B::1%5D:80/?q#f",
    ":x": "%3Ax",
    "::/:": "%3A%3A/:",
    "a b:c": "a%20b%3Ac",
    "é:": "%C3%A9%3A",
    "a:b:c": "a:b:c",
    # Userinfo, host and port
    "//a@b@c": "//a%40b@c",
    "//u[@h": "//u%5B@h",
    "//h:8O/": "//h%3A8O/",
    "//h:80:81/": "//h%3A80%3A81/",
    "//h:8 0": "//h%3A8%200",
    "//[::1": "//%5B%3A%3A1",
    "//[::1]x:80": "//%5B%3A%3A1%5Dx:80",
    "//[::1]:8O": "//%5B%3A%3A1%5D%3A8O",
    "//[fe80::1%eth0]": "//%5Bfe80%3A%3A1%25eth0%5D",
    "//[v1.a:b]:1": "//[v1.a:b]:1",
    "//[v1.é]": "//%5Bv1.%C3%A9%5D",
    "//exämple.com:": "//ex%C3%A4mple.com:",
    "//@:": "//@:",
    # Path, query and fragment
    "/a b|c": "/a%20b%7Cc",
    "50%": "50%25",
    "%zz%4%41%%41": "%25zz%254%41%25%41",
    "?a[]=b#": "?a%5B%5D=b#",
    "#a#b": "#a%23b",
    '\\\\x\n"': "%5C%5Cx%0A%22",
    "": "",
    "http://fred@[2001:db8::7]:8042/over/there?name=ferret#nose": (
        "http://fred@[2001:db8::7]:8042/over/there?name=ferret#nose"
    ),
}


@pytest.mark.parametrize(("text", "repaired"), REPAIRS.items())
def test_repair(text: str, repaired: str) -> None:
    assert repair(text) == repaired
    assert repair(text.encode()) == repaired.encode()


def check_the_laws_of_repair(text: Any) -> None:
    repaired = repair(text)
    assert strict.is_valid(repaired)
    assert (repaired is text) is strict.is_valid(text)
    assert repair(repaired) is repaired


@pytest.mark.slow
def test_repair_makes_a_valid_reference_exhaustively() -> None:
    for text in naive.strings("a1:/?#@[]% ", sizes.choose(full=5, quick=4)):
        check_the_laws_of_repair(text)
    for text in naive.strings("a:/@[]%", sizes.choose(full=6, quick=5)):
        check_the_laws_of_repair(text)


@given(naive.texts | naive.octets | escapes)
def test_repair_makes_a_valid_reference(text: str | bytes) -> None:
    check_the_laws_of_repair(text)


@given(st.text("a1:@[]%v. \udcff"))
@example("[::1]")
@example("a@[v1.a]:1")
def test_repair_makes_a_valid_authority(authority: str) -> None:
    check_the_laws_of_repair(f"//{authority}/")


@given(decoded_octets | escapes)
def test_repair_does_the_same_to_text_and_to_its_bytes(text: str) -> None:
    assert repair(text).encode() == repair(text.encode("utf-8", "surrogateescape"))


def escapes_by_repair(octets: bytes, repaired: bytes) -> Iterator[tuple[int, bytes]]:
    """Align bytes with their repaired form: each byte is there, or its escape; yield each escape's place and byte."""
    place = 0
    for index in range(len(octets)):
        octet = octets[index : index + 1]
        stray = octet == b"%" and not re.match(rb"%[0-9A-Fa-f]{2}", octets[index:])
        if not stray and repaired[place : place + 1] == octet:
            place += 1
        else:
            assert repaired[place : place + 3] == b"%%%02X" % octet[0]
            yield place, octet
            place += 3
    assert place == len(repaired)


def decoded_parts(octets: bytes) -> tuple[bytes | None, ...]:
    """Split into components and sub-components, and decode them."""
    scheme, authority, *others = split(octets)
    parts = (scheme, *(() if authority is None else split_authority(authority)), *others)
    return tuple(part if part is None else decode(part) for part in parts)


def check_that_repair_encodes_no_more_than_it_must(octets: bytes) -> None:
    """Undoing any one escape makes the reference invalid again, or changes its components."""
    repaired = repair(octets)
    assert decode(repaired) == decode(octets)
    for place, octet in escapes_by_repair(octets, repaired):
        less = repaired[:place] + octet + repaired[place + 3 :]
        assert not strict.is_valid(less) or decoded_parts(less) != decoded_parts(repaired)


@given(naive.octets)
def test_repair_encodes_no_more_than_it_must(octets: bytes) -> None:
    check_that_repair_encodes_no_more_than_it_must(octets)


@pytest.mark.slow
def test_repair_encodes_no_more_than_it_must_exhaustively() -> None:
    for text in naive.strings("a1:/?#@[% ", sizes.choose(full=4, quick=3)):
        check_that_repair_encodes_no_more_than_it_must(text.encode())
    for text in naive.strings("a1:@[] ", 4):
        check_that_repair_encodes_no_more_than_it_must(f"//{text}".encode())


@given(st.text(ALNUM))
def test_a_text_that_does_not_change_is_returned_as_the_same_object(text: str) -> None:
    octets = text.encode()
    assert encode(text, "path") is decode(text) is repair(text) is text
    assert encode(octets, "path") is decode(octets) is repair(octets) is octets


def test_a_valid_reference_is_not_processed_further(monkeypatch: pytest.MonkeyPatch) -> None:
    # That took fifteen times as long as checking that it is valid.
    monkeypatch.delattr(percent, "_repair")
    monkeypatch.delattr(percent, "apply_to_text")
    for text in naive.strings("a1:/?#@%", 5):
        if strict.is_valid(text):
            octets = text.encode()
            assert repair(text) is text
            assert repair(octets) is octets


@pytest.mark.parametrize("text", ["http://[::1]/", "//u@[v1.x]:80", "http://h/"])
def test_a_valid_reference_with_a_literal_or_of_another_type_stays_the_same(text: str) -> None:
    assert repair(text) is text
    assert repair(split(text)) == text
    assert repair(bytearray(text.encode())) == text.encode()


def test_bytes_like_types_return_bytes_and_subclasses_plain_text() -> None:
    class Text(str):
        __slots__ = ()

    for octets in (bytearray(b" a"), memoryview(b"a ")[::-1]):
        assert (encode(octets, "path"), decode(octets), repair(octets)) == (b"%20a", b" a", b"%20a")
        assert type(decode(octets)) is bytes
    for result in (encode(Text("a"), "path"), decode(Text("a")), repair(Text("a"))):
        assert (result, type(result)) == ("a", str)


@pytest.mark.parametrize("thing", [None, 1, ["a"], io.BytesIO()])
def test_other_types_are_named(thing: Any) -> None:
    message = rf" takes str, bytes, bytearray or memoryview, not {type(thing).__name__}$"
    with pytest.raises(TypeError, match=rf"^encode\(\){message}"):
        encode(thing, "path")
    with pytest.raises(TypeError, match=rf"^decode\(\){message}"):
        decode(thing)
    with pytest.raises(TypeError, match=rf"^repair\(\){message}"):
        repair(thing)
    with pytest.raises(TypeError, match=rf"^is_ip_literal\(\){message}"):
        is_ip_literal(thing)
    with pytest.raises(TypeError, match=rf"^is_ipv6address\(\){message}"):
        is_ipv6address(thing)


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE, ids=ascii)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    text = long(unit)
    encoded = encode(text, "userinfo")
    assert len(encoded) == len(text) // len(unit) * len(encode(unit, "userinfo"))
    assert len(decode(text, errors="surrogateescape")) == len(text) // len(unit) * len(decode(unit))
    assert strict.is_valid(repair(text))


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE, ids=ascii)
def test_hostile_authorities_are_repaired_in_linear_time(unit: str) -> None:
    octets = b"//" + long(unit).encode("utf-8", "surrogatepass")
    assert strict.is_valid(repair(octets))


@pytest.mark.slow
@pytest.mark.parametrize("unit", [":", "::1", "1", "v", "v1.", "]", "%"])
def test_a_hostile_literal_is_rejected_in_linear_time(unit: str) -> None:
    assert not is_ip_literal(f"[{long(unit)}{unit}]" if unit != "v1." else f"[{long(unit)}[]")
    assert not is_ipv6address(long(unit))


LITERALS = {
    "[::]": True,
    "[::1]": True,
    "[1:2:3:4:5:6:7:8]": True,
    "[1:2:3:4:5:6:7::]": True,
    "[::2:3:4:5:6:7:8]": True,
    "[2001:DB8::ffff:192.0.2.7]": True,
    "[ABCD:ABCD:ABCD:ABCD:ABCD:ABCD:192.168.158.190]": True,
    "[v1.a]": True,
    "[VF0.a:b!]": True,
    "[1:2:3:4:5:6:7:8::]": False,
    "[1::2::3]": False,
    "[:::]": False,
    "[12345::]": False,
    "[::192.0.2.007]": False,
    "[::192.0.2]": False,
    "[192.0.2.7]": False,
    "[fe80::1%eth0]": False,
    "[fe80::1%25eth0]": False,
    "[fe80::1%1]": False,
    "[fe80::1%]": False,
    "[::１]": False,
    "[::²]": False,
    "[::1]\n": False,
    "[::1\n]": False,
    "[ ::1]": False,
    "[::1/64]": False,
    "[v.a]": False,
    "[v1.]": False,
    "[vg.a]": False,
    "[v1.a%41]": False,
    "[]": False,
    "[": False,
    "]": False,
    "": False,
    "::1": False,
    "[[::1]]": False,
}


@pytest.mark.parametrize(("host", "is_literal"), LITERALS.items())
def test_ip_literals(host: str, *, is_literal: bool) -> None:
    assert is_ip_literal(host) is is_ip_literal(host.encode()) is is_literal
    assert is_ip_literal(bytearray(host.encode())) is is_literal


@given(
    st.lists(st.sampled_from([":", "::", ".", "0", "1", "ffff", "255", "192.0.2.7", "1:", "v1.", "%", "é", "\n", "g"]))
    .map("".join)
    .flatmap(lambda text: st.sampled_from([text, f"[{text}]"]))
)
def test_addresses_are_those_of_the_grammar(text: str) -> None:
    assert is_ip_literal(text) is (re.fullmatch(IP_LITERAL, text) is not None)
    assert is_ipv6address(text) is (re.fullmatch(IPV6ADDRESS, text) is not None)


@pytest.mark.slow
def test_addresses_are_those_of_the_grammar_exhaustively() -> None:
    for text in naive.strings("1:.v", sizes.choose(full=6, quick=5)):
        assert is_ip_literal(f"[{text}]") is (re.fullmatch(IP_LITERAL, f"[{text}]") is not None)
    for words in naive.strings("1:", sizes.choose(full=15, quick=11)):
        assert is_ipv6address(words) is (re.fullmatch(IPV6ADDRESS, words) is not None)
