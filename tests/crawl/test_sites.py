"""Sites: registered domains by the Public Suffix List, by any list, and without one."""

import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from publicsuffixlist import PublicSuffixList

from tests.support import naive, sizes
from urisect import normalize, split
from urisect.crawl import site
from urisect.crawl.sites import _MAX_CACHED, SuffixList, _default_suffixes, _find_site_cached
from urisect.extras import MissingExtraError

SITES = {
    "http://example.com/": "example.com",
    "HTTP://User:Pass@WWW.Example.COM:8080/a?b#c": "example.com",
    "http://a.b.example.co.uk": "example.co.uk",
    "//www.example.com.": "example.com",
    "http://fred.github.io/": "fred.github.io",  # a private rule
    "http://a.fred.github.io/": "fred.github.io",
    "http://a.b.unknown": "b.unknown",
    "http://www.ck/": "www.ck",  # an exception from *.ck
    "http://a.b.city.kobe.jp/": "city.kobe.jp",
    "http://%65x%61mple.com/": "example.com",
    "http://www.bücher.de/": "bücher.de",
    "http://www.BÜCHER.de/": "bücher.de",
    "http://www.xn--bcher-kva.de/": "xn--bcher-kva.de",
    "http://www.b%C3%BCcher.de/": "b%c3%bccher.de",
    "http://食狮.公司.cn/": "食狮.公司.cn",
    "http://a.xn--85x722f.xn--55qx5d.cn/": "xn--85x722f.xn--55qx5d.cn",
    "http://a_b.example.com/": "example.com",
    "ftp://ftp.example.com/": "example.com",
    "http://a\udce9.example.com/": "example.com",
    "http://\udce9.com/": "\udce9.com",
}
NO_SITES = [
    *("", "/a", "a.com", "mailto:a@b.com", "http:", "http://", "http:///a", "http://@/", "http://:80/", "file:///a"),
    *("http://localhost/", "http://com/", "http://co.uk/", "http://github.io/", "http://ck/", "http://a.ck/"),
    *(
        "http://192.0.2.7/",
        "http://192.0.2.7.:80/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1",
        "http://1.0x",
    ),
    *("http://[::1]/", "http://[2001:db8::7]:80/", "http://[v1.a.b]/", "http://[fe80::1%25eth0]/", "http://a.com.1/"),
    *("http://./", "http://../", "http://.com/", "http://a..com/", "http://.example.com/", "http://a.com../"),
]


@pytest.mark.parametrize(("reference", "domain"), SITES.items())
def test_the_site_of_a_reference(reference: str, domain: str) -> None:
    assert site(reference) == domain
    octets = site(reference.encode("utf-8", "surrogateescape"))
    assert octets == domain.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("reference", NO_SITES)
def test_a_reference_without_a_site(reference: str) -> None:
    assert site(reference) is None
    assert site(reference.encode()) is None


def test_bytes_and_references_are_texts() -> None:
    assert site(bytearray(b"//a.example.com")) == site(memoryview(b"//a.example.com")) == b"example.com"
    assert site(split("//a.example.com")) == "example.com"
    with pytest.raises(TypeError, match=r"^site\(\) takes .* not int$"):
        site(1)  # type: ignore[call-overload]


labels = st.sampled_from(
    [*("a", "B", "%41", "%2E", "www", "com", "co", "uk", "github", "io", "", "1", "0x1", "é", "É", "%C3%A9", "ck")]
)
hosts = st.lists(labels, max_size=5).map(".".join)
authorities = st.builds(
    "{}{}{}".format, st.sampled_from(["", "u@", "a.com:b@", "@"]), hosts, st.sampled_from(["", ":", ":8.0"])
)


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(authorities, authorities)
@example("a.com", "A.%63om.")
def test_equal_hosts_have_equal_sites(first: str, second: str) -> None:
    one, other = (split(normalize(f"//{authority}")).host for authority in (first, second))
    if one == other:
        assert site(f"//{first}") == site(f"//{second}")
    assert site(f"http://{first}/a") == site(normalize(f"http://{first}/a")) == site(f"//{one}")


@settings(max_examples=sizes.choose(full=500, quick=100))
@given(naive.texts | naive.octets | authorities.map("//{}".format))
def test_any_text_has_a_site_in_its_host_or_none(reference: Any) -> None:
    found = site(reference)
    assert found is None or type(found) is type(reference)
    if isinstance(found, str):
        assert f".{split(normalize(reference)).host}".lower().removesuffix(".").endswith(f".{found}")
        assert site(f"//{found}") == found


class Suffixes:
    """A list with one rule."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def privatesuffix(self, domain: str) -> str | None:
        self.asked.append(domain)
        name, dot, suffix = domain.rpartition(".example.com")
        return f"{name.rpartition('.')[2]}{dot}{suffix}" if name else None


def test_another_list_is_asked_at_each_call() -> None:
    suffixes = Suffixes()
    for _ in range(2):
        assert site(b"http://A.B.example.com.:80/", suffixes=suffixes) == b"b.example.com"
    assert site("//example.com", suffixes=suffixes) is None
    assert site("//192.0.2.7", suffixes=suffixes) is site("//localhost", suffixes=suffixes) is None
    assert suffixes.asked == ["a.b.example.com"] * 2 + ["example.com"]
    only_icann: SuffixList = PublicSuffixList(only_icann=True)
    assert site("//a.fred.github.io", suffixes=only_icann) == "github.io"


def test_the_default_list_is_loaded_once_and_its_results_are_cached() -> None:
    assert _default_suffixes() is _default_suffixes()
    site("//cached.example")
    hits = _find_site_cached.cache_info().hits
    assert site("http://cached.example/a") == "cached.example"
    assert _find_site_cached.cache_info().hits == hits + 1
    long, size = "a." * _MAX_CACHED, _find_site_cached.cache_info().currsize
    assert site(f"//{long}com") == "a.com"
    assert _find_site_cached.cache_info().currsize == size


def test_the_error_without_the_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "publicsuffixlist", None)
    _default_suffixes.cache_clear()
    _find_site_cached.cache_clear()
    with pytest.raises(MissingExtraError, match=r"urisect\[psl\]"):
        site("//a.example")
    assert site("//a.b.example.com", suffixes=Suffixes()) == "b.example.com"
