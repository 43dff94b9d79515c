"""Find URIs in prose, unwrap and complete them: the examples of the documents, the rules, hostile text."""

import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import split
from urisect.text import ASCII_WHITE_SPACE, TRAILING_PUNCTUATION, UNICODE_WHITE_SPACE, Found, complete, find, unwrap

# Examples printed in the documents, with the URIs in them.
PRINTED = {
    # draft-fielding-uri-url-00, Appendix B
    """\
      Yes, Jim, I found it under <ftp://info.cern.ch/pub/www/doc;
      type=d> but you can probably pick it up from <ftp://ds.in
      ternic.net/rfc>.  Note the warning in <http://ds.internic.
      net/instructions/overview.html#WARNING>.
""": [
        "ftp://info.cern.ch/pub/www/doc;type=d",
        "ftp://ds.internic.net/rfc",
        "http://ds.internic.net/instructions/overview.html#WARNING",
    ],
    # RFC 2396, Appendix E, and rfc2396bis-03, Appendix C
    """\
      Yes, Jim, I found it under "http://www.w3.org/Addressing/",
      but you can probably pick it up from <ftp://ds.internic.net/rfc/>.
      Note the warning in <http://www.ics.uci.edu/pub/ietf/uri/
      historical.html#WARNING>.
""": [
        "http://www.w3.org/Addressing/",
        "ftp://ds.internic.net/rfc/",
        "http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING",
    ],
    # RFC 3986, Appendix C
    """\
      Yes, Jim, I found it under "http://www.w3.org/Addressing/",
      but you can probably pick it up from <ftp://foo.example.
      com/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/
      ietf/uri/historical.html#WARNING>.
""": [
        "http://www.w3.org/Addressing/",
        "ftp://foo.example.com/rfc/",
        "http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING",
    ],
}

# Prose, and the URIs in it, each with its delimiter.
PROSE: dict[str, list[tuple[str, str]]] = {
    # In angle brackets
    "<http://a/b>": [("http://a/b", "<")],
    "<URL:http://a/b>": [("http://a/b", "<URL:")],
    "<url: http://a/b>": [("http://a/b", "<url:")],
    "< URL:\r\n\tfoo:b c >": [("foo:bc", "<URL:")],
    "<http://a/b\u3000c\xa0\n\n\vd>": [("http://a/bcd", "<")],
    "<http:\n//a/[b](c>": [("http://a/[b](c", "<")],
    "<http://a/long-\n  name>": [("http://a/long-name", "<")],
    "<http://a/b.>.": [("http://a/b.", "<")],
    "<http://a/“b”–c>": [("http://a/“b”–c", "<")],
    "<foo:bar><DAV:>": [("foo:bar", "<"), ("DAV:", "<")],
    "<urn: a:b><foo:\n//a>": [("urn:a:b", "<"), ("foo://a", "<")],
    "<Note: see below>": [],
    "<b> <fred@example.com> <a/b> <URL:a/b> <URL:> <> <:a> <1:a> <ht\ntp:a>": [],
    '<a href="http://a/b">c</a>': [("http://a/b", '"')],
    "<a href=http://a/b>c</a>": [("http://a/b", "")],
    "<http://a/b c": [("http://a/b", "")],
    '<http://a/b "c>': [("http://a/b", "")],
    "<http://a/b <http://c>": [("http://a/b", ""), ("http://c", "<")],
    # In quotation marks
    "\"http://a/b.\", 'http://c/d.'": [("http://a/b.", '"'), ("http://c/d.", "'")],
    "“http://a/b.” ‘http://c/d’ „http://e/f“ «http://g/h» »http://i/j«": [
        ("http://a/b.", "“"),
        ("http://c/d", "‘"),
        ("http://e/f", "„"),
        ("http://g/h", "«"),
        ("http://i/j", "»"),
    ],
    '"http://a/b \r\n\t c/(d"': [("http://a/bc/(d", '"')],
    '"http://a/b\nc\rd\n e"': [("http://a/bcde", '"')],
    '"http://a/b is nice"': [("http://a/b", "")],
    '"http://a/b\n\nc"': [("http://a/b", "")],
    '"http://a/b\n"': [("http://a/b", "")],
    '"http://a/b<c>"': [("http://a/b", "")],
    '"http://a/b': [("http://a/b", "")],
    "'http://a/b\"": [("http://a/b", "")],
    '"mailto:a@b"': [("mailto:a@b", '"')],
    '"Subject:" "key:value" "http://..."': [],
    "it's 'http://a's 'http://b'": [("http://a", "'"), ("http://b", "'")],
    # Bare
    "http://a": [("http://a", "")],
    "Ask http://a/b. Or http://c/d, or http://e/f!": [("http://a/b", ""), ("http://c/d", ""), ("http://e/f", "")],
    "http://a/b?c#d?!...": [("http://a/b?c#d", "")],
    "**http://a/b** _http://c/d_ ~~http://e/f~~ `http://g/h`": [
        ("http://a/b", ""),
        ("http://c/d", ""),
        ("http://e/f", ""),
        ("http://g/h", ""),
    ],
    "(see http://a/b_(c))": [("http://a/b_(c)", "")],
    "(http://a/b(c(d)).), (http://c),(http://d)": [("http://a/b(c(d))", ""), ("http://c", ""), ("http://d", "")],
    "http://a/b(c http://d/e(f(g(h)))": [("http://a/b", ""), ("http://d/e", "")],
    "[x](http://a/b)[y](http://c/d)s [http://e] http://f/?g[]=h": [
        ("http://a/b", ""),
        ("http://c/d", ""),
        ("http://e", ""),
        ("http://f/?g", ""),
    ],
    "http://[::1]:80/a[b http://u@[2001:db8::7]. sip:a@[::1] http://[v1.a:b]/": [
        ("http://[::1]:80/a", ""),
        ("http://u@[2001:db8::7]", ""),
        ("sip:a@[::1]", ""),
        ("http://[v1.a:b]/", ""),
    ],
    "http://[fe80::1%25en0]/ http://[x]/ http://[::1": [("http://[fe80::1%25en0]/", "")],
    "mailto:a@b.example, URN:isbn:0; tel:+1-2 data:,x": [
        ("mailto:a@b.example", ""),
        ("URN:isbn:0", ""),
        ("tel:+1-2", ""),
        ("data:,x", ""),
    ],
    "view-source:http://a javascript:(b)": [("view-source:http://a", ""), ("javascript:(b)", "")],
    "sms:?body=a mailto:?subject=b": [("sms:?body=a", ""), ("mailto:?subject=b", "")],
    "xhttp://a e.g.http://b see:http://c URL:http://d 1.http://e +-http://f": [
        ("xhttp://a", ""),
        ("e.g.http://b", ""),
        ("http://c", ""),
        ("http://d", ""),
        ("http://e", ""),
        ("http://f", ""),
    ],
    "—http://a—见http://b。=http://c": [("http://a", ""), ("http://b", ""), ("http://c", "")],
    "https://de.wikipedia.org/wiki/Größe “https://hi.wikipedia.org/wiki/हिन्दी”, http://a/col·la/❤️": [
        ("https://de.wikipedia.org/wiki/Größe", ""),
        ("https://hi.wikipedia.org/wiki/हिन्दी", "“"),
        ("http://a/col·la/❤️", ""),
    ],
    "（http://a/スター・ウォーズ）、http://b\u3000http://c｜http://d": [
        ("http://a/スター・ウォーズ", ""),
        ("http://b", ""),
        ("http://c", ""),
        ("http://d", ""),
    ],
    "http://a{b http://c|d http://e\\f http://g^h http://i\0j http://k\x7fl": [
        (f"http://{letter}", "") for letter in "acegik"
    ],
    "http:// http:/// https://... mailto: tel:. urn::: http://( http://.(": [],
    "foo:bar http:a 12:30 a: :// 1:// Xmailto:a@b newſ:a www.example.com fred@example.com //a": [],
    "": [],
}

# URIs that are found unchanged in prose, in any wrapper.
uris = st.from_regex(
    r"(?:https?://[a-z0-9.]{0,3}[a-z]|foo\+x://(?:u@)?\[::1\]|mailto:[a-z]{1,3}@[a-z]|urn:[a-z]{2}:[a-z0-9]"
    r"|https://é[.]x)"
    r"(?::80)?(?:/[A-Za-z0-9._~!$&'*+,;=:@%é-]{0,5}|/x_\([a-z.]{0,3}\))*[A-Za-z0-9=&$%+#/-]",
    fullmatch=True,
)
words = st.sampled_from(
    ["Yes,", "Jim", "<b>", "(", ")", "1.5", "a:b", "it's", "fred@example.com", '"x"', "—", "“", "<"]
)
WRAPPERS = [
    ("<", ">", "<"),
    ("<URL:", ">", "<URL:"),
    ("<url: ", " >", "<url:"),
    ('"', '"', '"'),
    ("“", "”", "“"),
    ("(", ").", ""),
    ("", "", ""),
    ("*", "*!", ""),
    ("—", "…", ""),
]

# Tokens of URIs and wrappers: much of the text made of them is almost a URI.
FRAGMENTS = [
    *(
        "http://",
        "a",
        "mailto:",
        "urn:",
        "foo:",
        "URL:",
        "[::1]",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        '"',
        "'",
        "“",
        "”",
        ".",
    ),
    *(" ", "\n", "\r\n", "\t", "-", ":", "/", "//", "?", "#", "@", "%", "1", "é", "。", "\xa0", "\0", "\udcff", "·"),
    *("localhost", "ftp.", "a.b", ":80"),
]
fragments = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)
texts = naive.texts | fragments
octets = naive.octets | fragments.map(lambda text: text.encode("utf-8", "surrogatepass"))

# Units to repeat after "http://a ".
HOSTILE: list[str] = [
    *(
        "<",
        '"',
        "'http://",
        "(",
        "http://",
        "<http://",
        "<URL:",
        "@",
        "%",
        "a",
        "a:",
        "mailto:",
        "1",
        ".",
        "\n",
        "<a: ",
    ),
    *("“http://‘http://'http://<a:", '"http://a\n', "http://.(", "é"),
]
HOSTILE_AFTER_A_URI: list[str] = ["(", ")", "(.", ".)", ".", "()", "(()", "(a", "[", "@[", ":", "-\n", " "]
MANY_URIS: dict[str, str] = {
    "http://a(": "http://a",
    "http://a((x)": "http://a",
    "http://a。": "http://a",
    "http://u@[": "http://u@",
    "<http://a\n>": "http://a",
}


def remove_white_space(text: Any) -> Any:
    """Remove white space, one character at a time."""
    if isinstance(text, bytes):
        return bytes(octet for octet in text if octet not in b" \t\n\v\f\r")
    return "".join(character for character in text if not character.isspace() or "\x1c" <= character <= "\x1f")


def found(text: Any) -> list[Any]:
    return [(uri, delimiter) for uri, _, _, delimiter in find(text)]


@pytest.mark.parametrize(("prose", "uris"), PRINTED.items(), ids=["1996", "RFC 2396", "RFC 3986"])
def test_examples_of_the_documents(prose: str, uris: list[str]) -> None:
    assert [uri for uri, *_ in find(prose)] == uris
    assert [uri for uri, *_ in find(prose.replace("\n", "\r\n").encode())] == [uri.encode() for uri in uris]


@pytest.mark.parametrize(("prose", "uris"), PROSE.items())
def test_uris_are_found_in_prose(prose: str, uris: list[tuple[str, str]]) -> None:
    assert found(prose) == uris


def test_a_span_is_the_text_between_the_delimiters() -> None:
    prose = "<URL: http://a/\n b\t> “http://c.” (http://d.)"
    assert [prose[start:end] for _, start, end, _ in find(prose)] == ["http://a/\n b", "http://c.", "http://d"]
    assert next(find(prose)) == Found(text="http://a/b", start=6, end=18, delimiter="<URL:")


def test_bytes_beyond_ascii_belong_to_the_uri() -> None:
    assert found("«http://a/Größe»".encode("latin-1")) == [(b"http://a/Gr\xf6\xdfe\xbb", b"")]
    assert found("“http://a/b。c”".encode()) == [("http://a/b。c”".encode(), b"")]
    assert found(b"<http://a/\xa0\x85 \xff>") == [(b"http://a/\xa0\x85\xff", b"<")]


def test_white_space_agrees_with_python_except_information_separators() -> None:
    in_python = {character for character in map(chr, range(0x110000)) if character.isspace()}
    assert set(re.findall(f"[{ASCII_WHITE_SPACE}{UNICODE_WHITE_SPACE}]", "".join(in_python))) == in_python - set(
        "\x1c\x1d\x1e\x1f"
    )
    assert not re.findall(
        f"[{ASCII_WHITE_SPACE}{UNICODE_WHITE_SPACE}]", "".join(set(map(chr, range(0x110000))) - in_python)
    )


@pytest.mark.parametrize("plane", range(2))
def test_beyond_ascii_letters_and_marks_belong_to_a_bare_uri_and_spaces_and_brackets_end_it(plane: int) -> None:
    taken, ending = [], []
    for character in map(chr, range(max(plane << 16, 0x80), (plane + 1) << 16)):
        category = unicodedata.category(character)
        if category[0] in "LMN" or category == "Cs":
            taken.append(character)
        if category in ("Cc", "Zs", "Zl", "Zp", "Ps", "Pe", "Pi", "Pf"):
            ending.append(character)
    assert found("".join(f"http://a{character}b " for character in taken)) == [(f"http://a{x}b", "") for x in taken]
    assert found("".join(f"http://a{character}b " for character in ending)) == [("http://a", "")] * len(ending)


@pytest.mark.slow
def test_a_bare_uri_is_the_longest_prefix_with_balanced_parentheses() -> None:
    for rest in naive.strings("a(.)", sizes.choose(full=8, quick=6)):
        longest = max(filter(is_balanced, (rest[:length] for length in range(len(rest) + 1))), key=len).rstrip(
            TRAILING_PUNCTUATION
        )
        assert found(f"http://{rest}") == ([(f"http://{longest}", "")] if longest else [])


def is_balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth not in (0, 1, 2):
            return False
    return depth == 0


@given(st.lists(st.tuples(words, uris, st.sampled_from(WRAPPERS), words), max_size=4))
def test_exactly_the_uris_in_generated_prose_are_found(pieces: list[Any]) -> None:
    prose = " ".join(f"{word} {opening}{uri}{closing} {end}" for word, uri, (opening, closing, _), end in pieces)
    assert found(prose) == [(uri, delimiter) for _, uri, (_, _, delimiter), _ in pieces]


@given(uris, st.lists(st.text(" \t\r\n\v\f\xa0\u2028", max_size=2), min_size=1, max_size=5))
def test_white_space_in_angle_brackets_is_ignored(uri: str, spaces: list[str]) -> None:
    scheme, rest = uri.split(":", 1)
    broken = "".join(map("".join, zip(cycle(spaces), rest, strict=False))) + spaces[0]
    assert found(f"x <{spaces[0]}{scheme}:{broken}> y") == [(uri, "<")]
    assert unwrap(f"{scheme}:{broken}") == uri


@given(texts | octets)
def test_results_are_in_order_with_a_scheme_and_a_span(prose: Any) -> None:
    results: list[Found[Any]] = list(find(prose))
    for before, after in pairwise(results):
        assert before.end <= after.start
    for uri, start, end, delimiter in results:
        assert type(uri) is type(delimiter) is type(prose)
        assert uri == remove_white_space(prose[start:end])
        assert remove_white_space(prose[:start]).endswith(delimiter)
        scheme: Any = split(uri).scheme
        assert re.fullmatch("[A-Za-z][A-Za-z0-9+.-]*", scheme if isinstance(scheme, str) else scheme.decode())


@given(st.text(st.characters(max_codepoint=127)) | fragments.filter(str.isascii))
def test_str_and_bytes_agree_on_ascii(text: str) -> None:
    assert [(uri.encode(), start, end, opening.encode()) for uri, start, end, opening in find(text)] == list(
        find(text.encode())
    )
    assert unwrap(text).encode() == unwrap(text.encode())
    assert complete(text).encode() == complete(text.encode())


def test_results_are_yielded_one_by_one() -> None:
    results = find(b"http://a " * (sizes.LONG // 9))
    assert isinstance(results, Iterator)
    assert next(results) == (b"http://a", 0, 8, b"")
    assert next(results) == (b"http://a", 9, 17, b"")


UNWRAPPED = {
    "http://a/": "http://a/",
    " http://a/\n": "http://a/",
    "<http://a/>": "http://a/",
    "<URL:http://a/>": "http://a/",
    " < url: http://a/ > ": "http://a/",
    "URL:http://a/": "http://a/",
    '"http://a/"': "http://a/",
    "'http://a/'": "http://a/",
    "“http://a/”": "http://a/",
    "„http://a/“": "http://a/",
    "»http://a/«": "http://a/",
    "‹http://a/›": "http://a/",
    "\"<'URL:URL:http://a/'>\"": "http://a/",
    "www.example\u3000.com/\r\n  a b": "www.example.com/ab",
    "http://a/\x1c": "http://a/\x1c",
    "<http://a/": "<http://a/",
    ">http://a/<": ">http://a/<",
    "'http://a/\"": "'http://a/\"",
    "http://a/'b'": "http://a/'b'",
    "<>": "",
    "URL:": "",
    "<url:>": "",
    "<ur": "<ur",
    '"': '"',
    "'": "'",
    "": "",
}


@pytest.mark.parametrize(("typed", "text"), UNWRAPPED.items())
def test_unwrap(typed: str, text: str) -> None:
    assert unwrap(typed) == text


def test_in_bytes_only_ascii_wrappers_are_removed() -> None:
    assert unwrap(b'" <\xa0 a\v> "') == b"\xa0a"
    assert unwrap("«a»".encode("latin-1")) == b"\xaba\xbb"


@given(texts | octets)
def test_unwrap_is_idempotent(typed: Any) -> None:
    text = unwrap(typed)
    assert type(text) is type(typed)
    assert unwrap(text) == text == remove_white_space(text)
    assert text in remove_white_space(typed)


def test_text_without_a_wrapper_is_returned_itself() -> None:
    text = "http://a/b?c#d"
    assert unwrap(text) is text
    relative = "a/b"
    assert complete(relative) is relative


COMPLETED = {
    # RFC 3986, 4.5
    "www.w3.org/Addressing/": "http://www.w3.org/Addressing/",
    "www.w3.org": "http://www.w3.org",
    # Relative references
    **{text: text for text in ("", "/", "/a.b", "?a.b", "#a.b", "./a.b", "../a.b", ".", "..", ".a.b", "?a@b")},
    # An authority
    "//a/b": "http://a/b",
    "//ftp.a": "http://ftp.a",
    **{text: text for text in ("//", "///a", "//?a", "//#a")},
    # A scheme
    **{text: text for text in ("foo://a.b", "http:80", "HTTP:a.b", "mailto:a@b.c", "urn:1", "tel:80", "file:/a.b")},
    **{text: text for text in ("foo:bar", "a.b:c", "fred:x@a.b", "C:/a.b", "localhost:", "localhost:80x", "a::80")},
    # A mailbox
    "fred@example.com": "mailto:fred@example.com",
    "fred@a?subject=a:b@c/d": "mailto:fred@a?subject=a:b@c/d",
    **{text: text for text in ("@a.b", "fred@", "a@b@c.d", "fred @a.b", "fred@a b")},
    # A host
    "ftp.example.com/a": "ftp://ftp.example.com/a",
    "FTP.example.com:21": "ftp://FTP.example.com:21",
    "ftpx.example.com": "http://ftpx.example.com",
    "192.0.2.1": "http://192.0.2.1",
    "192.0.2.1:80?a": "http://192.0.2.1:80?a",
    "[2001:db8::1]:80/a": "http://[2001:db8::1]:80/a",
    "[::1]": "http://[::1]",
    "localhost": "http://localhost",
    "LOCALHOST/a": "http://LOCALHOST/a",
    "localhost:8080": "http://localhost:8080",
    "foo:80#a": "http://foo:80#a",
    "foo_bar:80/a": "http://foo_bar:80/a",
    "größe.example/a b": "http://größe.example/a b",
    "fred@example.com:8042/a": "http://fred@example.com:8042/a",
    "fred@example.com/a": "http://fred@example.com/a",
    "a.b?c://d": "http://a.b?c://d",
    "a.b\n/": "a.b\n/",
    # A word
    **{text: text for text in ("foo", "foo/a.b", "foo?a.b", "foo#a.b", "[x]", "[::1", "[::1]x", "2001:db8::1", "e g.")},
}


@pytest.mark.parametrize(("text", "uri"), COMPLETED.items())
def test_complete(text: str, uri: str) -> None:
    assert complete(text) == uri
    assert complete(text.encode()) == uri.encode()


def test_complete_with_another_scheme() -> None:
    assert complete("a.b", scheme="https") == "https://a.b"
    assert complete(b"//a.b", scheme="https") == b"https://a.b"
    assert complete("ftp.b", scheme="https") == "ftp://ftp.b"


@pytest.mark.parametrize("scheme", ["", "1a", "a:", "http://", "a\n", "é"])
def test_complete_rejects_an_invalid_scheme(scheme: str) -> None:
    with pytest.raises(ValueError, match=f"not {re.escape(repr(scheme))}$"):
        complete("a.b", scheme=scheme)


@given(texts | octets, st.sampled_from(["http", "x-y"]))
def test_complete_is_idempotent(text: Any, scheme: str) -> None:
    uri = complete(text, scheme=scheme)
    assert complete(uri) == uri
    missing = uri.removesuffix(text)
    prefixes = "", f"{scheme}:", f"{scheme}://", "ftp://", "mailto:"
    assert missing in (prefixes if isinstance(text, str) else [prefix.encode() for prefix in prefixes])
    if missing:
        assert uri == missing + text
        assert missing.startswith(split(uri).scheme)


@pytest.mark.parametrize("function", [find, unwrap, complete])
def test_bytes_like_objects_are_accepted_and_other_types_rejected(function: Any) -> None:
    answers = [function(kind(b"http://a")) for kind in (bytes, bytearray, memoryview)]
    assert len({tuple(answer) for answer in answers}) == 1
    for thing in (None, 1, ["a"], io.BytesIO()):
        with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) takes .* not {type(thing).__name__}$"):
            function(thing)


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_prose_is_read_in_linear_time(unit: str) -> None:
    prose = f"http://a {unit * (sizes.LONG // len(unit))}"
    assert next(find(prose)) == ("http://a", 0, 8, "")
    assert sum(len(uri) for uri, *_ in find(prose.encode())) <= 2 * sizes.LONG


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE_AFTER_A_URI)
def test_a_hostile_end_of_a_uri_is_read_in_linear_time(unit: str) -> None:
    prose = f"http://a/b{unit * (sizes.LONG // len(unit))}"
    uri = {"()": prose, "-\n": "http://a/b-", "@[": "http://a/b@"}.get(unit, "http://a/b")
    assert list(find(prose)) == [(uri, 0, len(uri), "")]


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "uri"), MANY_URIS.items())
def test_many_uris_are_found_in_linear_time(unit: str, uri: str) -> None:
    times = sizes.LONG // len(unit)
    assert Counter(result.text for result in find(unit * times)) == {uri: times}


@pytest.mark.slow
@pytest.mark.parametrize(("opening", "closing"), [("<", ">"), ("'", "'"), ("URL:", ""), ("<URL: ", '"'), ("\n", " ")])
def test_hostile_wrappers_are_removed_in_linear_time(opening: str, closing: str) -> None:
    layers = sizes.LONG // len(opening + closing)
    typed = f"{opening * layers}a{closing * layers}"
    assert unwrap(typed) == (remove_white_space(typed) if closing == '"' else "a")


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a", "a.", "a@", "@", "[", "[:", "a:", ":", "1", "/", "//", ":1", "?"])
def test_hostile_references_are_completed_in_linear_time(unit: str) -> None:
    text = unit * (sizes.LONG // len(unit))
    assert complete(text) == ("http://" if unit == "a." else "") + text
