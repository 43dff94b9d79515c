"""Web addresses: the definition, the problems of other texts, and the sentences on docs/reference/web_inputs.md."""

import ipaddress
import itertools
import random
import re
import string
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.paths import DOCS
from urisect import iri, split, strict, web
from urisect.web import grammar
from urisect.web.draft import MAX_PROBLEMS, MAX_SUGGESTION_CHARACTERS
from urisect.web.grammar import STR_MATCHERS
from urisect.web.problems import CODES

MAX_EXAMPLES = sizes.choose(full=500, quick=50)
LETTERS_AND_DIGITS = {*string.ascii_letters, *string.digits}


# The definition, written naively


def is_web_address(text: str, schemes: tuple[str, ...] = ("http", "https")) -> bool:
    if not strict.is_valid(text, rule="URI"):
        return False
    parts = split(text)
    if parts.scheme is None or parts.scheme.lower() not in schemes or parts.authority is None or "@" in parts.authority:
        return False
    port_is_right = parts.port is None or (parts.port != "" and int(parts.port) <= 65535)
    return port_is_right and is_host(parts.host or "")


def is_host(host: str) -> bool:
    if host.startswith("["):
        return parses(ipaddress.IPv6Address, host[1:-1])
    labels = host.lower().removesuffix(".").split(".")
    last = labels[-1].lower()
    is_hexadecimal = last.startswith("0x") and {*last[2:]} <= {*string.hexdigits}
    if last.isdigit() or is_hexadecimal:
        return parses(ipaddress.IPv4Address, host)
    if labels in (["http"], ["https"]):
        return False
    return len(".".join(labels)) <= 253 and all(map(is_label, labels))


def is_label(label: str) -> bool:
    return (
        1 <= len(label) <= 63 and {label[0], label[-1]} <= LETTERS_AND_DIGITS and {*label} <= {*LETTERS_AND_DIGITS, "-"}
    )


def parses(address: Callable[[str], object], text: str) -> bool:
    try:
        address(text)
    except ValueError:
        return False
    return True


VALID = [
    "http://example.com", "https://example.com/", "HTTP://EXAMPLE.COM", "hTTps://example.com./", "http://localhost",
    "http://intranet/a", "http://a-b.example?q#f", "http://a/?#", "http://1a.example", "http://1.2.3.4", "http://a.1b",
    "http://xn--mnchen-3ya.de/", "http://[::1]:80/", "http://[2001:DB8::192.0.2.1]", "http://255.255.255.255:0",
    "http://h:65535/", "http://h:00080/", "http://h/a,", "http://h/a.", "http://h//a//", "http://h/%c3%9F?a=b&c[]".rstrip("[]"),
    "http://h/@:!$&'()*+,;=-._~", f"http://{'a' * 63}.example", "http://" + ".".join(["a" * 49] * 5) + ".abc",
    "http://" + ".".join(["a" * 49] * 5) + ".abc./", "http://a--b.example", "http://0x.example", "http://1.0xg",
    "http://http.example", "http://httpss/", "http://a/http", "http://x-http", "http://example.http", "http://http-x",
]  # fmt: skip

INVALID = [
    "", "http:", "http:///", "http:/h", "//h", "h", "ftp://h", "http://h:", "http://h:65536", "http://h:1e3", "http://u@h",
    "http://@h", "http://a_b.example", "http://-a", "http://a-", "http://a..b", "http://.a", "http://.", "http://a/ b",
    "http://a/%", "http://a/%4", "http://a/%zz", "http://a/[", "http://a#b#c", "http://[::1", "http://[v1.a]", "http://[]",
    "http://[fe80::1%25eth0]", "http://1.2.3", "http://1.2.3.4.", "http://256.1.1.1", "http://01.2.3.4", "http://0x7f.1",
    "http://2130706433", "http://0x7f000001", "http://a.1", "http://a.0X1f.", "http://é", "http://a/é", "http://a\n",
    "\nhttp://a", "http://a/\n", "httpſ://a", "http://\u212a", f"http://{'a' * 64}.example", "http://a%41", "http://[::1]a",
    "http://" + ".".join(["a" * 49] * 5) + ".abcd", "http://" + ".".join(["a" * 49] * 5) + ".abcd./", "http://a:８０",
    "http://a:80:80", "http://٣.example", "http://a!b", "http://a,", "http://a:-1", "http://a: 80",
    "http://http", "http://HTTPS//a", "http://http:80/", "http://hTtp.", "http://https?a", "http://http.#",
]  # fmt: skip


@pytest.mark.parametrize("text", VALID)
def test_a_web_address_has_no_problem(text: str) -> None:
    assert web.is_valid(text)
    assert is_web_address(text)
    assert web.check(text) == ()
    assert web.check(text.encode()) == ()


@pytest.mark.parametrize("text", INVALID)
def test_another_text_has_a_problem(text: str) -> None:
    assert not is_web_address(text)
    check_laws(text)
    assert web.check(text)


# Laws


def check_laws(text: str, schemes: tuple[str, ...] = ("http", "https")) -> None:
    """Check what is true for every text, and for its bytes."""
    octets = text.encode("utf-8", "surrogatepass")
    is_valid, problems = web.is_valid(text, schemes=schemes), web.check(text, schemes=schemes)
    assert is_valid == (problems == ()) == is_web_address(text, schemes)
    assert is_valid == web.is_valid(octets, schemes=schemes) == (web.check(octets, schemes=schemes) == ())
    if is_valid:
        assert strict.is_valid(text, rule="URI")
        assert split(text).host
    assert len(problems) <= MAX_PROBLEMS
    check_problems(text, problems, schemes)
    check_problems(octets, web.check(octets, schemes=schemes), schemes)


def check_problems(text: Any, problems: tuple[web.Problem[Any], ...], schemes: tuple[str, ...]) -> None:
    assert [problem.offset for problem in problems] == sorted(problem.offset for problem in problems)
    assert len({problem.message for problem in problems}) == len(problems)
    assert len({problem.suggestion for problem in problems}) < 2
    for code, offset, length, message, suggestion in problems:
        assert code in CODES
        assert 0 <= offset <= offset + length <= len(text)
        assert re.fullmatch(r"[A-Z][^\n]*\.", message)
        assert message.isprintable()
        assert len(message) < 250
        assert suggestion is None or (
            type(suggestion) is type(text) and suggestion != text and web.check(suggestion, schemes=schemes) == ()
        )


PIECES = [
    *("http", "https", "htp", "HTTP", "ftp", "javascript", "mailto", "www", "example", "com", "localhost", "xn--a"),
    *(":", "://", "//", "/", "\\", "@", ".", "..", "-", ",", ";", "?", "#", "%", "%41", "[", "]", "[::1]", "::1", "_"),
    *("1", "80", "0x1", "256", "1.2.3.4", "1.2.3", "65536", "a", "é", "：", "。", "–", "\u200b", "\u200d", "😀", "ſ"),
    *(" ", "\t", "\n", "\x00", "\x85", "\xa0", "\u2028", '"', "<", ">", "“", "”", "(", ")", "'", "{", "a" * 64),
    *(
        "http://",
        "https://",
        "http://example.com",
        "www.example.com",
        "example.com",
        "a@b.example",
        "C:\\",
        "+49 30 123456",
    ),
]
pieces = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
texts = st.text() | pieces | pieces.map("http://".__add__)


@settings(max_examples=MAX_EXAMPLES)
@given(texts)
def test_laws(text: str) -> None:
    check_laws(text)


@settings(max_examples=MAX_EXAMPLES)
@given(texts, st.lists(st.sampled_from(["http", "https", "ftp", "ws", "WSS", "x+y.z", "mailto", "k", "s"]), min_size=1))
def test_laws_with_any_schemes(text: str, schemes: list[str]) -> None:
    allowed = tuple(schemes)
    assert web.is_valid(text, schemes=allowed) == is_web_address(text, tuple(map(str.lower, allowed)))
    check_problems(text, web.check(text, schemes=allowed), allowed)


@settings(max_examples=MAX_EXAMPLES)
@given(naive.octets | st.binary().map(b"http://a/".__add__))
def test_laws_of_bytes(octets: bytes) -> None:
    problems = web.check(octets)
    assert (problems == ()) == web.is_valid(octets)
    check_problems(octets, problems, ("http", "https"))


@pytest.mark.parametrize(
    ("before", "alphabet", "length"),
    [
        ("http:", "a/.-:1@", 5),
        ("http://", "a.-1:x[", 5),
        ("http://a", "%4f#?/ ", 5),
        ("http://a.", "0x1.-:/", 5),
        ("", "a.:/@ w", 5),
    ],
)
def test_all_short_texts(before: str, alphabet: str, length: int) -> None:
    for letters in itertools.product(alphabet, repeat=sizes.choose(full=length, quick=length - 1)):
        text = before + "".join(letters)
        assert web.is_valid(text) == is_web_address(text), text
    for letters in itertools.product(alphabet, repeat=3):
        check_laws(before + "".join(letters))


def test_mutations_of_addresses() -> None:
    generator = random.Random(3986)  # noqa: S311  not a secret
    for address in VALID:
        for _ in range(sizes.choose(full=200, quick=15)):
            at, piece = generator.randrange(len(address) + 1), generator.choice(PIECES)
            check_laws(address[:at] + piece + address[at + generator.randrange(2) :])


# Arguments


def test_any_text_and_nothing_else() -> None:
    for text in (bytearray(b"http://a"), memoryview(b"http://a"), split("http://a"), split(b"http://a")):
        assert web.is_valid(text)
        assert web.check(text) == ()
    assert web.check(bytearray(b"a.b"))[0].suggestion == web.check(split(b"a.b"))[0].suggestion == b"https://a.b"
    for function in (web.check, web.is_valid):
        with pytest.raises(
            TypeError, match=rf"^{function.__name__}\(\) takes str, bytes, bytearray or memoryview, not NoneType$"
        ):
            function(None)  # type: ignore[call-overload,arg-type]


@pytest.mark.parametrize(
    ("schemes", "error", "message"),
    [
        ("http", TypeError, r"""schemes takes a tuple of str, such as \("https",\), not 'http'"""),
        ((b"http",), TypeError, "schemes takes a tuple of str"),
        ((), ValueError, "no scheme: schemes takes at least one"),
        (["http"], TypeError, "schemes takes a tuple of str"),
        (("http:",), ValueError, "invalid scheme 'http:': schemes takes names"),
    ],
)
def test_schemes_are_checked(schemes: Any, error: type[Exception], message: str) -> None:
    for function in (web.check, web.is_valid):
        with pytest.raises(error, match=f"^{message}"):
            function("http://a", schemes=schemes)


def test_schemes_of_other_programs() -> None:
    assert web.is_valid("WSS://a", schemes=("ws", "wss"))
    assert web.check("ws://a", schemes=("wss",))[0][::4] == ("other-scheme", "wss://a")
    assert web.check("http://a.b", schemes=("https",))[0][::4] == ("other-scheme", "https://a.b")
    assert web.check("a.b", schemes=("ftp",))[0][::4] == ("no-scheme", "ftp://a.b")


def test_long_texts_have_no_suggestion() -> None:
    longest = "example.com/".ljust(MAX_SUGGESTION_CHARACTERS, "a")
    assert web.check(longest)[0].suggestion == f"https://{longest}"
    assert web.check(f"{longest}a")[0].suggestion is None
    words = "http://example.com is my site"
    assert [problem[::4] for problem in web.check(words)] == [("other-words", "http://example.com")]
    assert [problem[::4] for problem in web.check(words + " x" * MAX_SUGGESTION_CHARACTERS)] == [("other-words", None)]


def test_a_name_beyond_ascii_has_no_suggestion_without_idna(monkeypatch: pytest.MonkeyPatch) -> None:
    names = "http://münchen.de", "http://ex\u0430mple.com", "http://例え.jp/a b"
    with_idna = [web.check(name) for name in names]
    monkeypatch.setitem(sys.modules, "idna", None)
    without = [web.check(name) for name in names]
    assert [problems[0].suggestion for problems in without] == [None, "http://example.com", None]
    assert all(problems[0].suggestion for problems in with_idna)
    assert [[problem[:4] for problem in problems] for problems in without] == [
        [problem[:4] for problem in problems] for problems in with_idna
    ]


SCRIPTS = ("apcomüß日かカ한", "\u0430\u0440\u0441\u043e\u043c", "λοα")  # the first: Latin, and what is written with it
LETTERS = "".join(SCRIPTS)


@settings(max_examples=MAX_EXAMPLES)
@given(st.lists(st.text(LETTERS + "-1", min_size=1, max_size=5), min_size=1, max_size=3))
def test_a_suggested_name_never_mixes_scripts(labels: list[str]) -> None:
    text = "http://" + ".".join(labels)
    problems = web.check(text)
    if problems and (suggestion := problems[0].suggestion):
        for label in iri.to_iri(suggestion, idna=True).removeprefix("http://").split("."):
            assert sum(not {*label}.isdisjoint(letters) for letters in SCRIPTS) <= 1


def test_few_expressions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "MAX_MATCHERS", 3)
    for number in range(7):
        assert web.is_valid(f"s{number}://a", schemes=(f"s{number}",))
    assert len(STR_MATCHERS) <= 3
    assert web.is_valid("http://a")


# The sentences

PAGE = (DOCS / "reference" / "web_inputs.md").read_text("utf-8")
ROW = re.compile(r"^\| `(.*)` \| (.+) \| (?:`(.*)`)? *\|$", re.MULTILINE)
ROWS = ROW.findall(PAGE)
SECTIONS = dict(section.split("\n", 1) for section in PAGE.split("\n## ")[1:])


def typed(cell: str) -> str:
    """Return the text of a cell, in which `⟨200B⟩` is a character that cannot be seen."""
    return re.sub("⟨([0-9A-F]+)⟩", lambda code: chr(int(code[1], 16)), cell).translate(
        {ord("␣"): " ", ord("¦"): "|", ord("∅"): None}
    )


def answer(cell: str) -> tuple[str, str, str]:
    """Return the row that a text should have."""
    problems = web.check(typed(cell))
    sentences = " ".join(problem.message for problem in problems) or "valid"
    return cell, sentences.replace("|", "¦"), problems[0].suggestion or "" if problems else ""


@pytest.mark.parametrize("section", SECTIONS)
def test_what_people_type(section: str) -> None:
    rows = ROW.findall(SECTIONS[section])
    assert rows
    assert [answer(cell) for cell, _, _ in rows] == rows


def test_the_page_has_many_texts_and_every_code() -> None:
    assert len(ROWS) >= 360
    assert len({cell for cell, _, _ in ROWS}) == len(ROWS)
    found = {problem.code for cell, _, _ in ROWS for problem in web.check(typed(cell))}
    assert found == {*CODES}


def test_every_code_is_in_the_reference() -> None:
    page = (DOCS / "reference" / "web.md").read_text("utf-8")
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.MULTILINE) == [*CODES]


# Hostile text

UNITS = [
    *(
        ".",
        "-",
        "a.",
        "-.",
        "a-",
        " ",
        "\t",
        "\n",
        "%",
        "%a",
        "[",
        "]",
        ":",
        "@",
        "/",
        "\\",
        "http:",
        "http://",
        "é",
        "<",
        ">",
    ),
    *(
        "#",
        "?",
        "_",
        ",",
        "0",
        "1.",
        "a ",
        "a.b ",
        "www.",
        '"',
        "(",
        "\u200b",
        "：",
        "\ud800",
        "x",
        ";/",
        " :",
        "é\u200b",
        "a: ",
        "[](",
        "[url]",
        "<a href=",
        "h ",
        "\u0430a.",
    ),
]


@pytest.mark.parametrize("unit", UNITS)
def test_hostile_text_takes_linear_time_and_has_a_short_result(unit: str) -> None:
    for before in ("", "http://", "http://a/"):
        text = before + unit * (sizes.LONG_OF_MANY // 4 // len(unit)) + "\0"
        problems = web.check(text)
        assert 0 < len(problems) <= MAX_PROBLEMS
        assert not web.is_valid(text)
        assert len(repr(problems)) < MAX_PROBLEMS * (12 * MAX_SUGGESTION_CHARACTERS)
