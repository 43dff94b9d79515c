"""SURT, compared with the Internet Archive's package surt: any text, made-up URLs, a generated crawl, hostile texts."""

import os
import re
import socket
import warnings
from ast import literal_eval
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.corpora import crawl, references
from tests.support import naive, sizes
from tests.support.paths import DOCS
from urisect import split
from urisect.crawl import surt, surt_steps
from urisect.crawl.surts import _match_ordinary, _surt_of_ordinary

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # invalid escapes in the source of the package
    import surt as package
    from surt import GoogleURLCanonicalizer

EXAMPLES = sizes.choose(full=2000, quick=150)


def look_up(host: bytes) -> tuple[str, list[str], list[str]]:
    """Resolve a number as the resolver does, and nothing else, without asking the network."""
    try:
        return "", [], [socket.inet_ntoa(socket.inet_aton(host.decode("ascii").replace("\n", "?")))]
    except OSError:
        raise socket.gaierror from None


@pytest.fixture(autouse=True, scope="module")
def without_network() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        offline = SimpleNamespace(
            gethostbyname_ex=look_up, inet_ntoa=socket.inet_ntoa, gaierror=socket.gaierror, herror=socket.herror
        )
        patch.setattr(GoogleURLCanonicalizer, "socket", offline)
        yield


# Why the package raises an error: a blank text, a bad port, a lone surrogate, or a host of thousands of digits.
FAULTS = (
    (AttributeError, "'NoneType' object has no attribute 'startswith'"),
    (ValueError, "Port could not be cast to integer value|Port out of range"),
    (UnicodeEncodeError, "surrogates not allowed"),
    (ValueError, "Exceeds the limit"),
)


def assert_same(url: Any) -> None:
    for ours, theirs in (({}, {}), ({"keep_www": True}, {"host_massage": False})):
        result = surt(url, **ours)
        assert type(result) is type(url)
        try:
            expected = package.surt(url, **theirs)
        except Exception as error:  # noqa: BLE001  any
            assert any(  # noqa: PT017  only some texts raise
                type(error) is fault and re.search(message, str(error)) for fault, message in FAULTS
            )
            assert result == url if url[:8] == "filedesc" else result.isascii()
        else:
            assert result == expected


# Pieces of URLs, in an order that is seldom sensible.
SCHEMES = [
    "http://",
    "https://",
    "HTTP://",
    "http:",
    "ftp://",
    "dns:",
    "filedesc:",
    "warcinfo:",
    "mailto:",
    "httpx:",
    "",
]
HOSTS = [
    *("a.com", "www.a.com", "WWW2.A.com", "www.com", "www", "www.", ".", "..", "a..b", "u:p@", "[::1]", "[", "]", "@"),
    *("é.com", "ß.de", "日本。jp", "%C3%A9", "%e9", "\u0301", "xn--9ca", "%77ww.", "a_b", "%2E", "%25%32%45"),
    *(
        "127.0.0.1",
        "127.1",
        "0177.1",
        "08.1",
        "0.8",
        "1.2.3.256",
        "0x7f.1",
        "2130706433",
        "4294967296",
        "１",
        "1.2.3.4.5",
    ),
    *(":", ":80", ":443", ":0", ":080", ":8080", ":65536", ":x", "::", ":8²"),
]
CHARACTERS = [
    *(
        "/",
        "//",
        "/./",
        "/../",
        "..",
        ".",
        "?",
        "#",
        "&",
        "=",
        "+",
        " ",
        "\t",
        "\n",
        "\r",
        "\v",
        "\0",
        "~",
        "|",
        "\\",
        "é",
    ),
    *(
        "%",
        "%25",
        "%2541",
        "%252525",
        "25",
        "41",
        "%41",
        "%zz",
        "%2F",
        "%3F",
        "%26",
        "%3D",
        "%23",
        "%0A",
        "%c3%A9",
        "A",
        "b",
    ),
]
NUMBER, LETTERS = "0123456789abcdefghijABCDEFGHIJ01", "abcdefghijklmnopqrstuvwx"
SESSION_IDS = [
    *(f"jsessionid={NUMBER}", f"PHPSESSID={NUMBER}", f"sid={NUMBER}", f"ASPSESSIONIDabcdefgh={LETTERS}", "id="),
    *("cfid=", "CFID=1&CFTOKEN=2", "&cftoken=", "&cftoken=3", NUMBER, LETTERS, "&", "a", "sessionid=", "%3D"),
]
ASP = [
    *(
        f"/({LETTERS})/",
        f"/(S({LETTERS}))/",
        f"/(S({LETTERS})f({LETTERS}))/",
        f"({LETTERS})",
        "/(",
        ")/",
        ".aspx",
        "x",
        "/",
    ),
    *("a.aspx", "?", "%3F", "A.ASPX", "S(", ")"),
]


def joined(pieces: list[str], longest: int = 6) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=longest).map("".join)


urls = st.builds(
    "{}{}{}{}".format,
    joined(SCHEMES, 2),
    joined(HOSTS, 3),
    st.sampled_from(["", "/", "?", "#", ":"]),
    joined(CHARACTERS + SESSION_IDS + ASP),
)


@settings(max_examples=EXAMPLES)
@given(naive.texts | naive.octets | urls | urls.map(lambda url: url.encode("utf-8")) | joined(HOSTS + CHARACTERS))
@example("")
@example(b"")
@example("filedesc://\ud800")
@example("http://\u212a.com/")  # in lower case, the sign for kelvin is a "k"
@example("http://a%0a/")
@example("http://1.2.3.4%0a/")
def test_any_text_gives_what_the_package_gives(url: Any) -> None:
    assert_same(url)


@settings(max_examples=EXAMPLES)
@given(joined(SESSION_IDS), joined(ASP), joined([*"0123789.x"]))
@example("&cftoken=1cfid=2", "", "")
@example("cfid=cfid=&cftoken=1", "", "")
def test_session_ids_and_numbers_give_what_the_package_gives(query: str, path: str, host: str) -> None:
    assert_same(f"http://a.com/?{query}")
    assert_same(f"http://a.com/{path}")
    assert_same(f"http://{host}")


def test_a_crawl_gives_what_the_package_gives() -> None:
    for url in [*crawl(sizes.choose(full=20_000, quick=400)), *references(sizes.choose(full=20_000, quick=400))]:
        assert_same(url)


def test_most_urls_of_a_crawl_are_ordinary_ones() -> None:
    urls = crawl(1000)
    matches = filter(None, map(_match_ordinary, urls))
    assert sum(_surt_of_ordinary(match, keep_www=False) is not None for match in matches) > 0.6 * len(urls)


@settings(max_examples=EXAMPLES)
@given(urls)
@example("http://WWW2.A.com")
def test_ordinary_urls_give_what_all_steps_give(url: str) -> None:
    for keep_www in (False, True):
        match = _match_ordinary(url)
        result = match and _surt_of_ordinary(match, keep_www=keep_www)
        assert result is None or result == surt_steps.surt_of_octets(url, keep_www=keep_www)


@settings(max_examples=EXAMPLES)
@given(st.lists(st.sampled_from([*"%0245F", "%25"]), max_size=60).map("".join))
def test_escapes_of_any_depth_are_decoded_in_any_order(text: str) -> None:
    once = surt_steps._decode_repeatedly(text)
    assert once == surt_steps._decode_nested(text)
    assert not re.search("%[0-9A-Fa-f]{2}", once)


@pytest.mark.parametrize("thing", [bytearray(b"http://www.a.com/\xe9"), memoryview(b"http://www.a.com/\xe9")])
def test_bytes_like_texts_give_bytes(thing: Any) -> None:
    assert surt(thing) == b"com,a)/%e9"
    assert surt(split("http://www.a.com/A")) == surt("http://www.a.com/A") == "com,a)/a"
    assert surt(bytearray(b"http://a.com/B")) == b"com,a)/b"


def test_a_str_that_represents_bytes_gives_the_same_as_the_bytes() -> None:
    name = b"http://a.com/caf\xe9"
    assert surt(os.fsdecode(name)).encode() == surt(name)


def test_another_type_is_rejected() -> None:
    with pytest.raises(TypeError, match=r"^surt\(\) takes .* not NoneType$"):
        surt(None)  # type: ignore[call-overload]


# The page: | URL | theirs | ours | why |, and | URL | SURT | what it shows |

PAGE = (DOCS / "reference" / "surt.md").read_text(encoding="utf-8")
DIFFERENT = re.findall(r"^\| `([^`]+)` \| ([A-Z]\w+Error) \| `([^`]+)` \| .+ \|$", PAGE, re.MULTILINE)
SAME = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| .+ \|$", PAGE, re.MULTILINE)


def evaluate(cell: str) -> Any:
    """Evaluate a literal, or "a" * 3 and "b" joined by "+"."""
    parts = [part.partition(" * ") for part in cell.split(" + ")]
    first, *others = (literal_eval(text) * int(times or 1) for text, _, times in parts)
    for other in others:
        first += other
    return first


def test_the_page_has_tables() -> None:
    assert len(DIFFERENT) >= len(FAULTS)
    assert len(SAME) > 15


@pytest.mark.parametrize(("url", "error", "ours"), DIFFERENT)
def test_a_difference_on_the_page(url: str, error: str, ours: str) -> None:
    with pytest.raises((AttributeError, ValueError)) as caught:
        package.surt(evaluate(url))
    assert caught.type.__name__ == error
    assert surt(evaluate(url)) == literal_eval(ours)


@pytest.mark.parametrize(("url", "expected"), SAME)
def test_a_row_of_the_page_that_equals_the_package(url: str, expected: str) -> None:
    assert surt(evaluate(url)) == package.surt(evaluate(url)) == literal_eval(expected)


def test_a_host_too_long_for_a_name_is_not_converted() -> None:
    long = "é." * (surt_steps._MAX_CHARACTERS // 2)
    assert surt(f"http://{long}") == package.surt(f"http://{long}")
    assert surt(f"http://{long}com") == f"com{',%c3%a9' * (len(long) // 2)})/"


# Texts that take time in patterns or loops, and in the package

HOSTILE: dict[str, Callable[[int], str]] = {
    "nested escapes": lambda length: "http://a/%" + "25" * (length // 2),
    "percent signs": lambda length: "http://a/" + "%" * (length // 3) + "25" * (length // 3),
    "dot segments": lambda length: "http://a/" + "a/" * (length // 5) + "../" * (length // 5),
    "slashes": lambda length: "http:" + "/" * length,
    "schemes": lambda length: "http://" * (length // 7),
    "no scheme": lambda length: "a" * length,
    "cfid": lambda length: "http://a/?" + "cfid=" * (length // 5),
    "cfid and cftoken": lambda length: "http://a/?" + "cfid=&cftoken=1&" * (length // 16),
    "sid": lambda length: "http://a/?" + f"sid={NUMBER}" * (length // 36),
    "ids before no .aspx": lambda length: "http://a" + f"/({LETTERS})" * (length // 27) + "/.asp",
    "ids in one segment": lambda length: "http://a/(" + f"S({LETTERS})" * (length // 27) + "/x.aspx",
    "ids before question marks": lambda length: "http://a/" + f"({LETTERS})/.aspx%3f" * (length // 35),
    "digits": lambda length: "http://" + "9" * length,
    "octal digits": lambda length: "http://0.0." + "0" * length + "1",
    "decimal digits": lambda length: "http://1." + "9" * length,
    "port": lambda length: "http://a:" + "9" * length,
    "IDN": lambda length: "http://" + "".join(map(chr, range(0x4E00, 0x9FFF)))[:length],
    "combining characters": lambda length: "http://a" + "\u0315\u0300" * (length // 4),
    "labels": lambda length: "http://" + "www." * (length // 4),
    "brackets": lambda length: "http://" + "[" * length,
    "white space": lambda length: " " * length + "\t\n" * length,
    "parameters": lambda length: "http://a/?" + "b&a=&" * (length // 5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear(name: str) -> None:
    """Quadratic time would take minutes."""
    assert surt(HOSTILE[name](sizes.LONG_OF_MANY)).isascii()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_give_what_the_package_gives(name: str) -> None:
    assert_same(HOSTILE[name](300))
