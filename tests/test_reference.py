"""Splitting a reference, its components and sub-components, and recomposing it."""

import copy
import io
import pickle
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import Reference, percent, split, unsplit
from urisect.character_ranges import LAST_BYTE, LAST_CHARACTER, positive_classes
from urisect.reference import APPENDIX_B, split_authority
from urisect.spans import component_spans

APPENDIX_B_EXAMPLE = "http://www.ics.uci.edu/pub/ietf/uri/#Related"

# Examples of the specifications, each with its scheme, authority, path, query and fragment.
SPLITS = {
    # RFC 3986, Appendix B
    APPENDIX_B_EXAMPLE: ("http", "www.ics.uci.edu", "/pub/ietf/uri/", None, "Related"),
    # RFC 3986, 3
    "foo://example.com:8042/over/there?name=ferret#nose": (
        "foo",
        "example.com:8042",
        "/over/there",
        "name=ferret",
        "nose",
    ),
    "urn:example:animal:ferret:nose": ("urn", None, "example:animal:ferret:nose", None, None),
    # rfc2396bis-03, 1.1.2
    "ftp://ftp.is.co.za/rfc/rfc1808.txt": ("ftp", "ftp.is.co.za", "/rfc/rfc1808.txt", None, None),
    "gopher://gopher.tc.umn.edu:70/11/Mailing%20Lists/": (
        "gopher",
        "gopher.tc.umn.edu:70",
        "/11/Mailing%20Lists/",
        None,
        None,
    ),
    "mailto:John.Doe@example.com": ("mailto", None, "John.Doe@example.com", None, None),
    "news:comp.infosystems.www.servers.unix": ("news", None, "comp.infosystems.www.servers.unix", None, None),
    "telnet://melvyl.ucop.edu/": ("telnet", "melvyl.ucop.edu", "/", None, None),
    # draft-fielding-uri-url-00, 1.1
    "file:/home/fred/bio.txt": ("file", None, "/home/fred/bio.txt", None, None),
    # rfc2396bis-03, 5.4
    "http://a/b/c/d;p?q": ("http", "a", "/b/c/d;p", "q", None),
    "g?y/./x": (None, None, "g", "y/./x", None),
    "g#s/../x": (None, None, "g", None, "s/../x"),
    "//g": (None, "g", "", None, None),
    "http:": ("http", None, "", None, None),
    "": (None, None, "", None, None),
    # Empty is not undefined.
    "//": (None, "", "", None, None),
    "?": (None, None, "", "", None),
    "#": (None, None, "", None, ""),
    "x://?#": ("x", "", "", "", ""),
    # An invalid scheme stays in the path.
    ":a": (None, None, ":a", None, None),
    "/a:b": (None, None, "/a:b", None, None),
    # A newline is an ordinary character.
    "a\nb:c\n#d\ne": ("a\nb", None, "c\n", None, "d\ne"),
}

# Each authority with its userinfo, host and port (RFC 3986, 3.2).
AUTHORITIES = {
    "": (None, "", None),
    "12345": (None, "12345", None),
    "[::1]:80": (None, "[::1]", "80"),
    "[::1]": (None, "[::1]", None),
    "h:": (None, "h", ""),
    ":80": (None, "", "80"),
    "a:80:81": (None, "a", "80:81"),
    "user@": ("user", "", None),
    "@h": ("", "h", None),
    "a@b@c": ("a@b", "c", None),
    "user:pass:word@h:1": ("user:pass:word", "h", "1"),
    "u[@h": ("u[", "h", None),
    "[::1": (None, "[::1", None),
    "[::1]x:80": (None, "[::1]x", "80"),
    "[a]b]:1": (None, "[a]b]", "1"),
    "a[:b]": (None, "a[", "b]"),
    "[v1.x@y]:1": ("[v1.x", "y]", "1"),
    "h\n:8\n": (None, "h\n", "8\n"),
}

KINDS = {
    "a:": "uri",
    "a:#f": "uri",
    "//h/p": "network-path",
    "//": "network-path",
    "/p?q": "absolute-path",
    "p/q": "relative-path",
    "./a:b": "relative-path",
    "?q": "relative-path",
    "?": "relative-path",
    "#f": "same-document",
    "": "same-document",
}

PORT_NUMBERS = {
    "http://h:80/": 80,
    "http://h:0080/": 80,
    "http://h:99999/": 99999,
    "http://h:/": None,
    "http://h/": None,
    "http:h:80": None,
    "http://h:8O/": None,
    "http://h:-1/": None,
    "http://h:+1/": None,
    "http://h:1_0/": None,
    "http://h: 80/": None,
    "http://h:80\n/": None,
    "http://h:８０/": None,
    "http://h:²/": None,
    "http://h:80:81/": None,
    "http://h:" + "9" * 5000 + "/": None,
}

# The delimiters before a component, by which its place is recognized.
BEFORE = {"authority": "//", "query": "?", "fragment": "#", "port": ":"}

# Components that no text splits into, and a part of the message.
IMPOSSIBLE = [
    (("", None, "a", None, None), "scheme cannot be empty"),
    (("a:b", None, "", None, None), "scheme 'a:b' would end at its ':'"),
    (("a/b", None, "", None, None), "scheme 'a/b' would end at its '/'"),
    (("a", "h/i", "", None, None), "authority 'h/i' would end at its '/'"),
    (("a", "h?i", "", None, None), "authority 'h?i' would end at its '?'"),
    (("a", "h#i", "", None, None), "authority 'h#i' would end at its '#'"),
    (("a", None, "p?", None, None), "path 'p?' would end at its '?'"),
    (("a", None, "p#", "q", None), "path 'p#' would end at its '#'"),
    (("a", None, "", "q#", "f"), "query 'q#' would end at its '#'"),
    ((None, None, "//p", None, None), "read as an authority"),
    (("a", None, "//p", None, None), "read as an authority"),
    ((None, "h", "p", None, None), "read as a part of the authority"),
    ((None, None, "a:b", None, None), "read as a scheme"),
    ((None, None, "a:b/c", "q", None), "read as a scheme"),
]


@pytest.mark.parametrize(("text", "components"), SPLITS.items())
def test_split_of_the_examples_of_the_specifications(text: str, components: tuple[str | None, ...]) -> None:
    assert split(text) == components
    assert split(text.encode()) == tuple(None if part is None else part.encode() for part in components)


@pytest.mark.slow
def test_split_equals_appendix_b_exhaustively() -> None:
    for text in naive.strings("a:/?#@[", sizes.choose(full=7, quick=6)):
        reference = split(text)
        assert reference == naive.split(text)
        assert unsplit(reference) == text


@given(naive.texts | naive.octets)
def test_split_equals_appendix_b_and_loses_nothing(text: str | bytes) -> None:
    reference: Reference[Any] = split(text)
    assert reference == naive.split(text)
    assert unsplit(reference) == text
    assert type(reference) is Reference
    assert {type(component) for component in reference} <= {type(text), type(None)}


@given(naive.octets)
def test_split_accepts_every_bytes_like_type(text: bytes) -> None:
    assert split(bytearray(text)) == split(memoryview(text)) == split(text)
    assert split(memoryview(text)[::-1]) == split(text[::-1])


def test_split_reads_subclasses_as_plain_text() -> None:
    class Text(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "something else"

    class Octets(bytes):
        pass

    assert split(Text("a:b")) == split("a:b")
    assert split(Octets(b"a:b")) == split(b"a:b")
    assert type(split(Text("p")).path) is str
    assert type(split(Octets(b"p")).path) is bytes


@pytest.mark.parametrize("thing", [None, 1, ["a"], io.BytesIO(), split("a")])
def test_split_names_a_type_that_it_does_not_accept(thing: Any) -> None:
    with pytest.raises(TypeError, match=rf"^split\(\) takes .* not {type(thing).__name__}$"):
        split(thing)


@pytest.mark.parametrize(("authority", "parts"), AUTHORITIES.items())
def test_subcomponents(authority: str, parts: tuple[str | None, ...]) -> None:
    reference = split(f"//{authority}/")
    octets = split(f"//{authority}/".encode())
    assert (reference.userinfo, reference.host, reference.port) == parts
    assert (octets.userinfo, octets.host, octets.port) == tuple(
        None if part is None else part.encode() for part in parts
    )


def test_subcomponents_without_an_authority_are_undefined() -> None:
    reference = split("mailto:a@b:1")
    assert (reference.userinfo, reference.host, reference.port, reference.port_number) == (None,) * 4


@given(naive.texts | naive.octets)
def test_subcomponents_lose_nothing(authority: Any) -> None:
    at, colon = ("@", ":") if isinstance(authority, str) else (b"@", b":")
    userinfo, host, port = split_authority(authority)
    before = authority[:0] if userinfo is None else userinfo + at
    after = authority[:0] if port is None else colon + port
    assert before + host + after == authority


@given(naive.texts | naive.texts.map("//{}".format))
def test_spans_locate_the_components_and_subcomponents(text: str) -> None:
    reference = split(text)
    parts = reference._asdict()
    if reference.authority is not None:
        parts |= split_authority(reference.authority)._asdict()
    spans = component_spans(text)
    assert {name: text[slice(*span)] for name, span in spans.items()} == {
        name: part for name, part in parts.items() if part is not None
    }
    assert all(text[: spans[name][0]].endswith(mark) for name, mark in BEFORE.items() if name in spans)


@pytest.mark.parametrize(("text", "number"), PORT_NUMBERS.items())
def test_port_number(text: str, number: int | None) -> None:
    assert split(text).port_number == number
    assert split(text.encode()).port_number == number


@pytest.mark.parametrize(("text", "kind"), KINDS.items())
def test_kind(text: str, kind: str) -> None:
    assert split(text).kind == kind
    assert split(text.encode()).kind == kind


@pytest.mark.parametrize(("text", "is_absolute"), [("a:b?c", True), ("a:b#", False), ("//a", False), ("", False)])
def test_is_absolute(text: str, *, is_absolute: bool) -> None:
    assert split(text).is_absolute is is_absolute


@given(naive.texts)
def test_str_returns_the_text(text: str) -> None:
    assert str(split(text)) == f"{split(text)}" == text


@given(naive.octets)
def test_bytes_returns_the_bytes(text: bytes) -> None:
    assert bytes(split(text)) == text
    assert bytes(split(str(split(text)))) == text


def test_a_lone_surrogate_that_represents_no_byte_cannot_be_encoded() -> None:
    with pytest.raises(UnicodeEncodeError):
        bytes(split("\ud800"))


@pytest.mark.parametrize(("components", "reason"), IMPOSSIBLE)
def test_unsplit_rejects_components_that_no_text_splits_into(components: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=r"^no reference has these components: ") as caught:
        unsplit(components)
    assert reason in str(caught.value)
    with pytest.raises(ValueError, match=r"^no reference has these components: "):
        unsplit(None if part is None else part.encode() for part in components)
    with pytest.raises(ValueError, match=r"^no reference has these components: "):
        str(Reference(*components))


@given(st.tuples(*(st.none() | st.text("a:/?#", max_size=4) for _ in range(5))))
def test_unsplit_accepts_exactly_what_split_can_return(components: tuple[str | None, ...]) -> None:
    """If the result of section 5.3 splits into other components, unsplit raises; otherwise it returns that."""
    scheme, authority, path, query, fragment = components
    path = path or ""
    components = (scheme, authority, path, query, fragment)
    text = "".join(
        (
            "" if scheme is None else f"{scheme}:",
            "" if authority is None else f"//{authority}",
            path,
            "" if query is None else f"?{query}",
            "" if fragment is None else f"#{fragment}",
        )
    )
    if naive.split(text) == components:
        assert unsplit(components) == text
    else:
        with pytest.raises(ValueError, match=r"^no reference has these components: "):
            unsplit(components)


@pytest.mark.parametrize(
    ("components", "error", "message"),
    [
        (("a", "b"), ValueError, "got 2"),
        (("a", None, None, None, None), TypeError, "the path NoneType"),
        (("a", b"h", "", None, None), TypeError, "the authority is bytes, the path str"),
        (("a", None, b"", None, None), TypeError, "the scheme is str, the path bytes"),
        ((None, None, "", 1, None), TypeError, "the query is int"),
        ("ab/de", TypeError, r"unsplit\(\) takes five components, not one str"),
        (b"ab/de", TypeError, "not one bytes"),
        (memoryview(b"ab/de"), TypeError, "not one memoryview"),
    ],
)
def test_unsplit_explains_what_is_wrong_with_its_argument(
    components: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        unsplit(components)


def test_a_reference_can_be_matched_hashed_compared_pickled_and_copied() -> None:
    reference = split(APPENDIX_B_EXAMPLE)
    match reference:
        case Reference("http", host, path=path):
            assert (host, path) == ("www.ics.uci.edu", "/pub/ietf/uri/")
        case _:
            pytest.fail("no match")
    assert len({reference, split(APPENDIX_B_EXAMPLE)}) == 1
    assert reference != split(APPENDIX_B_EXAMPLE.lower())
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(reference, protocol))  # noqa: S301  made here
        assert (again, type(again)) == (reference, Reference)
    assert copy.copy(reference) == copy.deepcopy(reference) == reference
    assert reference._replace(fragment=None) == split(APPENDIX_B_EXAMPLE.partition("#")[0])


def test_the_repr_evaluates_to_the_reference() -> None:
    reference = split(APPENDIX_B_EXAMPLE)
    assert repr(reference) == "Reference('http', 'www.ics.uci.edu', '/pub/ietf/uri/', None, 'Related')"
    assert eval(repr(reference)) == reference  # noqa: S307  made here


@pytest.mark.parametrize("complement", [r"[^a-z]", r"[^\]x]", r"[^\d]", r"[^ \w]", r"[^\\\b]"])
def test_classes_that_cannot_be_rewritten_are_refused(complement: str) -> None:
    with pytest.raises(ValueError, match="is not a class of single characters"):
        positive_classes(complement, LAST_BYTE)


@pytest.mark.parametrize("complement", [r"[^\t\r\n]", r"[^\x5d\x5b]", r"[^a\-b]", r"[^\\\n]", r"[^-]", r"[^\.x]"])
def test_escapes_in_classes_are_rewritten(complement: str) -> None:
    ranges = positive_classes(complement, LAST_BYTE)
    characters = "".join(map(chr, range(LAST_BYTE + 1)))
    assert re.findall(ranges, characters) == re.findall(complement, characters)


@pytest.mark.parametrize("last", [LAST_BYTE, LAST_CHARACTER])
def test_positive_classes_match_what_the_printed_classes_match(last: int) -> None:
    """Compare each class with the printed one, over all bytes and around the ends of the alphabet."""
    for complement in re.findall(r"\[\^[^]]+\]", APPENDIX_B):
        ranges = positive_classes(complement, last)
        assert "^" not in ranges
        for code in (*range(256), 0x100, 0xD800, 0xFFFF, 0x10000, LAST_CHARACTER):
            if code <= last:
                assert bool(re.fullmatch(ranges, chr(code))) == bool(re.fullmatch(complement, chr(code)))


# Defaults, and replacing components


def test_a_reference_has_defaults() -> None:
    assert Reference() == split("") == (None, None, "", None, None)
    assert str(Reference(scheme="mailto", path="fred@example.com")) == "mailto:fred@example.com"
    assert bytes(Reference(path=b"/", query=b"q")) == b"/?q"


COMPONENTS = ("scheme", "authority", "path", "query", "fragment")
SUB_COMPONENTS = ("userinfo", "host", "port")


@given(naive.texts | naive.octets)
def test_replacing_nothing_or_a_component_by_itself_changes_nothing(text: Any) -> None:
    reference: Any = split(text)
    assert reference.replace() == reference
    for name in (*COMPONENTS, *(SUB_COMPONENTS if reference.authority is not None else ())):
        assert reference.replace(**{name: getattr(reference, name)}) == reference
    parsed = reference.replace(parameters=reference.parameters)
    if reference.query is not None:
        assert [bytes_of(part) for pair in parsed.parameters.pairs for part in pair] == [
            bytes_of(part) for pair in reference.parameters.pairs for part in pair
        ]


def bytes_of(text: str | bytes | None) -> bytes | None:
    """Return the bytes that a name or a value is written as; a lone surrogate in a str may stand for a byte."""
    return percent.decode(percent.encode(text, "segment").encode("ascii")) if isinstance(text, str) else text


@given(
    st.text("a:/?#@[]", max_size=8),
    st.dictionaries(st.sampled_from(COMPONENTS), st.none() | st.text("a:/?#", max_size=3)),
)
def test_replace_checks_as_unsplit_checks(text: str, changes: Any) -> None:
    reference = split(text)
    if changes.get("path", "") is None:
        changes["path"] = ""
    replaced = reference._replace(**changes)
    cases: list[tuple[Any, Any, Any]] = [
        (reference, replaced, changes),
        (
            split(text.encode()),
            split(b"")._replace(**{name: encoded(part) for name, part in replaced._asdict().items()}),
            {name: encoded(part) for name, part in changes.items()},
        ),
    ]
    for ours, theirs, values in cases:
        try:
            expected = unsplit(theirs)
        except ValueError:
            with pytest.raises(ValueError, match=r"^no reference has these components: "):
                ours.replace(**values)
        else:
            assert unsplit(ours.replace(**values)) == expected


def encoded(part: str | None) -> Any:
    return None if part is None else part.encode()


@given(
    st.text("a:@[]", max_size=6),
    st.dictionaries(st.sampled_from(SUB_COMPONENTS), st.none() | st.text("a:@[]", max_size=3)),
)
def test_replacing_sub_components_keeps_the_others(authority: str, changes: Any) -> None:
    reference = split(f"//{authority}/")
    parts = {name: getattr(reference, name) for name in SUB_COMPONENTS} | changes
    before = "" if parts["userinfo"] is None else f"{parts['userinfo']}@"
    after = "" if parts["port"] is None else f":{parts['port']}"
    expected = split(f"//{before}{parts['host'] or ''}{after}/")
    if {name: getattr(expected, name) for name in SUB_COMPONENTS} == parts:
        assert reference.replace(**changes) == expected
    elif (parts["host"], parts["userinfo"], parts["port"]) == (None, None, None):
        assert reference.replace(**changes) == split("/")
    else:
        with pytest.raises(ValueError, match=r"^no authority has these parts: | needs a host, "):
            reference.replace(**changes)


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("http://example.com/a?b#c", {"host": "example.org"}, "http://example.org/a?b#c"),
        ("http://fred@h:80/", {"userinfo": None, "port": None}, "http://h/"),
        ("http://h/", {"userinfo": "fred", "port": 65535}, "http://fred@h:65535/"),
        ("http://h/", {"port": "0080"}, "http://h:0080/"),
        ("http://h:80/", {"port": ""}, "http://h:/"),
        ("http://h/", {"host": "[::1]", "scheme": None}, "//[::1]/"),
        ("/a", {"host": "h"}, "//h/a"),
        ("//h/a", {"host": None}, "/a"),
        ("//h:1/a", {"authority": None}, "/a"),
        ("mailto:a@b", {"path": "c@d", "parameters": {"subject": "50%"}}, "mailto:c@d?subject=50%25"),
        ("/?a=1", {"parameters": {}}, "/?"),
        ("/?a=1", {"parameters": None}, "/"),
        ("/?a=1", {"query": None, "fragment": ""}, "/#"),
    ],
)
def test_replace(text: str, changes: Any, expected: str) -> None:
    assert str(split(text).replace(**changes)) == expected
    of_bytes: Any = {name: value.encode() if isinstance(value, str) else value for name, value in changes.items()}
    if of_bytes.get("parameters"):
        of_bytes["parameters"] = {b"subject": b"50%"}
    assert bytes(split(text.encode()).replace(**of_bytes)) == expected.encode()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"host": "::1"}, ValueError, "an IPv6 address needs brackets"),
        ({"host": "a@b"}, ValueError, "the userinfo would be 'u@a', the host 'b' and the port '8'"),
        ({"port": "8@0"}, ValueError, "the userinfo would be 'u@h:8', the host '0' and the port None"),
        ({"host": "a/b"}, ValueError, "the authority 'u@a/b:8' would end at its '/'"),
        ({"host": None}, ValueError, "the userinfo needs a host, which may be empty; authority=None drops all three"),
        ({"host": None, "userinfo": None}, ValueError, "the port needs a host"),
        ({"port": 65536}, ValueError, "the port is a number from 0 to 65535, not 65536"),
        ({"port": -1}, ValueError, "not -1"),
        ({"port": True}, ValueError, "not True"),
        ({"host": b"h"}, TypeError, "userinfo, host and port are str, bytes, str; each must be str, or None"),
        ({"query": b"q"}, TypeError, "the query is bytes, the path str"),
        ({"path": None}, TypeError, "the path NoneType"),
        ({"query": "a", "parameters": {}}, TypeError, "takes query= or parameters=, not both"),
        ({"authority": "a", "port": 1}, TypeError, "takes authority=, or userinfo=, host= and port=, not both"),
        ({"parameters": {"a": True}}, TypeError, "the query must be pairs whose values are text, numbers or None"),
        ({"parameters": {b"a": b"b"}}, TypeError, "the query is bytes, the path str"),
        ({"fragmet": "a"}, TypeError, "fragmet"),
    ],
)
def test_replace_says_what_is_wrong(changes: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        split("http://u@h:8/").replace(**changes)


def test_a_port_or_userinfo_needs_a_host() -> None:
    changes: list[dict[str, Any]] = [{"port": 80}, {"userinfo": "a"}]
    for each in changes:
        with pytest.raises(ValueError, match="needs a host, which may be empty"):
            split("mailto:a@b").replace(**each)
