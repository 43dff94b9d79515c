"""The keys of the profiles: their laws, and keys that never change."""

import pickle
from typing import Any, get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support import naive, sizes
from tests.support.references import references
from urisect import crawl, equivalent, normalize, split
from urisect.crawl import PROFILES, Profile
from urisect.normalization import Level

# A reference, and its keys: syntax-1, request-1, page-1, loose-1. They never change: a stored frontier depends on them.
# A list that ends earlier repeats its last key.
GOLDEN: list[tuple[str, list[str]]] = [
    ("http://example.com/", ["http://example.com/"] * 3 + ["https://example.com/"]),
    ("https://example.com/a?a=1&b=2", ["https://example.com/a?a=1&b=2"]),
    (
        "HTTP://WWW.Example.COM:80/%7efred/./a/../?#top",
        [
            "http://www.example.com:80/~fred/?#top",
            *("http://www.example.com/~fred/?", "http://www.example.com/~fred/", "https://example.com/~fred"),
        ],
    ),
    ("https://h.example#a#b", ["https://h.example#a#b", "https://h.example/"]),
    # Another scheme, no hierarchy, no scheme, no URI
    (
        "ftp://www.H.example:21/index.html?b&a#f",
        ["ftp://www.h.example:21/index.html?b&a#f", "ftp://www.h.example/index.html?b&a"],
    ),
    (
        "MAILTO:a@www.b.example?utm_source=x#f",
        ["mailto:a@www.b.example?utm_source=x#f", "mailto:a@www.b.example?utm_source=x"],
    ),
    ("urn:Example:A/?+b#f", ["urn:Example:A/?+b#f", "urn:Example:A/?+b"]),
    ("http:a?b&a#f", ["http:a?b&a#f", "http:a?b&a"]),
    (
        "https:/www.a.b/index.html;jsessionid=1?b&a#f",
        ["https:/www.a.b/index.html;jsessionid=1?b&a#f", "https:/www.a.b/index.html;jsessionid=1?b&a"],
    ),
    ("//www.H.example/index.html?utm_source=x#f", ["//www.h.example/index.html?utm_source=x#f"]),
    ("../a%7e?utm_source=x#f", ["../a~?utm_source=x#f"]),
    ("", [""]),
    ("no URI, #1", ["no URI, #1"]),
    # The query
    ("https://h.example/?utm_source=x", ["https://h.example/?utm_source=x"] * 2 + ["https://h.example/"]),
    (
        "https://h.example/?utm%5Fsource=x&A&utm_=%20",
        ["https://h.example/?utm_source=x&A&utm_=%20"] * 2 + ["https://h.example/?A"],
    ),
    (
        "https://h.example/?b=2&a=2&a=1&&a",
        ["https://h.example/?b=2&a=2&a=1&&a"] * 2 + ["https://h.example/?a=2&a=1&a&b=2"],
    ),
    ("https://h.example/?a-b&a=1", ["https://h.example/?a-b&a=1"] * 2 + ["https://h.example/?a=1&a-b"]),
    (
        "https://h.example/?b=+&%61%5B=1&a[=0",
        ["https://h.example/?b=+&a%5B=1&a[=0"] * 2 + ["https://h.example/?a%5B=1&a[=0&b=+"],
    ),
    ("https://h.example/?&&", ["https://h.example/?&&"] * 2 + ["https://h.example/"]),
    ("https://h.example/?=utm_source&ref=x", ["https://h.example/?=utm_source&ref=x"]),
    (
        "https://h.example/?id=7?gclid=1&fbclid",
        ["https://h.example/?id=7?gclid=1&fbclid"] * 2 + ["https://h.example/?id=7?gclid=1"],
    ),
    (
        "https://h.example/?é=1&%C3%A9=0&z",
        ["https://h.example/?é=1&%C3%A9=0&z"] * 2 + ["https://h.example/?z&é=1&%C3%A9=0"],
    ),
    # Session ids
    (
        "https://h.example/?PHPSESSID=x&sid=7&CFID=1",
        ["https://h.example/?PHPSESSID=x&sid=7&CFID=1"] * 2
        + ["https://h.example/?CFID=1&PHPSESSID=x&sid=7", "https://h.example/?sid=7"],
    ),
    (f"https://h.example/?sid={'0aF1' * 8}", [f"https://h.example/?sid={'0aF1' * 8}"] * 3 + ["https://h.example/"]),
    (
        "https://h.example/a;jsessionid=1F.n!2;v=1/b",
        ["https://h.example/a;jsessionid=1F.n!2;v=1/b"] * 3 + ["https://h.example/a;v=1/b"],
    ),
    (
        f"https://h.example/(S({'a1' * 12}));jsessionid=1/b.aspx",
        [f"https://h.example/(S({'a1' * 12}));jsessionid=1/b.aspx"] * 3 + ["https://h.example/b.aspx"],
    ),
    ("https://h.example/a/..;jsessionid=1/b", ["https://h.example/a/..;jsessionid=1/b"]),
    # The host
    ("https://www.www.h.example:8080/", ["https://www.www.h.example:8080/"] * 3 + ["https://h.example:8080/"]),
    ("https://www.com/", ["https://www.com/"]),
    ("https://www.www.com/", ["https://www.www.com/"] * 3 + ["https://www.com/"]),
    ("https://u@www12.h.example/", ["https://u@www12.h.example/"] * 3 + ["https://u@h.example/"]),
    ("https://wwwx.h.example/", ["https://wwwx.h.example/"]),
    ("https://www./", ["https://www./"]),
    ("http://h.example:443/", ["http://h.example:443/"]),
    ("https:///www.a.b//", ["https:///www.a.b//"] * 3 + ["https:///www.a.b"]),
    # The path
    (
        "https://h.example/index.html/index.html/",
        ["https://h.example/index.html/index.html/"] * 3 + ["https://h.example/"],
    ),
    ("https://h.example/a/Default.ASPX?x", ["https://h.example/a/Default.ASPX?x"] * 3 + ["https://h.example/a?x"]),
    ("https://h.example/aindex.html", ["https://h.example/aindex.html"]),
    ("https://h.example/index.php/a", ["https://h.example/index.php/a"]),
    ("https://h.example//", ["https://h.example//"] * 3 + ["https://h.example/"]),
]

# Texts in which steps meet: hosts, paths and queries of parts that a step drops, and of parts that it keeps.
schemes = st.sampled_from(["http", "https", "HTTPS", "ftp", "mailto"])
hosts = st.sampled_from(["", "u@"]).flatmap(
    lambda user: (
        st.lists(st.sampled_from(["www.", "www2.", "W", "com", ".", "a.b", ":80", ":443", ":", "%77", "é"]), max_size=4)
        .map("".join)
        .map(user.__add__)
    )
)
plain_segments = ["", ".", "..", "a", "index.html", "Default.asp", "inde%78.html", "a;v", "K", "\u212a"]
sessions = [";jsessionid=1", "..;jsessionid=1;a", "index.html;JSESSIONID=", f"(S({'0' * 24}))"]
segments = st.sampled_from([*plain_segments, *sessions, f"(S({'0' * 24}));jsessionid=2"])
paths = st.lists(segments, max_size=5).map("/".join)
kept = ["", "=", "a", "a=2", "a=1", "a-b=1", "%61=0", "gclidx=1", "b=+", "%2561", "sid=1", "a\0=1", "%00", "?"]
kept_beyond_ascii = ["\udcff", "é=1", "%C3%A9=0", "%FF"]
dropped = ["utm_x=1", "utm%5F", "gclid", f"sid={'0' * 32}", f"s={'%30' * 32}", "PHPSESSID=1"]
parameters = st.sampled_from([*kept, *kept_beyond_ascii, *dropped])
queries = st.none() | st.lists(parameters, max_size=5).map("&".join)
urls = st.builds(
    lambda scheme, host, path, query, fragment: (
        f"{scheme}://{host}{path and '/' + path}{'' if query is None else '?' + query}{fragment}"
    ),
    schemes,
    hosts,
    paths,
    queries,
    st.sampled_from(["", "#", "#a&b?c"]),
)
texts = urls | references | references.map("https:{}".format) | naive.texts

names = st.lists(st.sampled_from(["a", "*", "utm_*", "*a*", "s*d", "", "é", "b."]), max_size=3).map(tuple)
profiles = st.sampled_from([*PROFILES.values()]) | st.builds(
    Profile,
    name=st.just("any-1"),
    level=st.sampled_from(get_args(Level)),
    drops_fragment=st.booleans(),
    replaces_http=st.booleans(),
    drops_www=st.booleans(),
    drops_session_segments=st.booleans(),
    default_pages=st.sampled_from([(), ("index.html", "k"), ("a", "INDEX.HTML", "a;v")]),
    drops_trailing_slash=st.booleans(),
    dropped_parameters=names,
    session_parameters=names,
    sorts_parameters=st.booleans(),
    drops_empty_query=st.booleans(),
)


@pytest.mark.parametrize(("reference", "keys"), GOLDEN, ids=[reference for reference, _ in GOLDEN])
def test_keys_never_change(reference: str, keys: list[str]) -> None:
    expected = keys + keys[-1:] * (len(PROFILES) - len(keys))
    assert {name: crawl.key(reference, name) for name in PROFILES} == dict(zip(PROFILES, expected, strict=True))
    octets = reference.encode()
    for name, key in zip(PROFILES, expected, strict=True):
        assert crawl.key(bytearray(octets), name) == crawl.key(split(octets), name) == key.encode()
        assert crawl.key(split(reference), PROFILES[name]) == key


@settings(max_examples=sizes.choose(full=500, quick=60))
@given(texts, profiles)
@example("http://www.[A.b", PROFILES["loose-1"])
def test_a_key_is_its_own_key_and_the_same_object(text: str, profile: Profile) -> None:
    key = crawl.key(text, profile)
    assert crawl.key(key, profile) is key
    assert type(key) is str
    if key == text:
        assert crawl.key(text, profile) is text
    octets = text.encode("utf-8", "surrogatepass")
    assert type(crawl.key(octets, profile)) is bytes
    assert crawl.key(crawl.key(octets, profile), profile) == crawl.key(octets, profile)


@settings(max_examples=sizes.choose(full=500, quick=60))
@given(naive.octets | urls.map(lambda text: text.encode("utf-8", "surrogateescape")), profiles)
def test_the_key_of_bytes_is_that_of_their_text(octets: bytes, profile: Profile) -> None:
    key = crawl.key(octets, profile)
    assert key.decode("utf-8", "surrogateescape") == crawl.key(octets.decode("utf-8", "surrogateescape"), profile)
    if key == octets:
        assert crawl.key(octets, profile) is octets


@settings(max_examples=sizes.choose(full=500, quick=60))
@given(texts, profiles)
def test_equivalent_references_have_one_key(text: str, profile: Profile) -> None:
    normal = normalize(text, level=profile.level)
    assert crawl.key(normal, profile) == crawl.key(text, profile)
    if split(text).scheme is not None:
        assert equivalent(text, normal, level=profile.level)


@settings(max_examples=sizes.choose(full=500, quick=60))
@given(texts)
def test_each_profile_joins_all_that_a_more_conservative_one_joins(text: str) -> None:
    for number, name in enumerate(PROFILES):
        for stronger in [*PROFILES][number:]:
            assert crawl.key(crawl.key(text, name), stronger) == crawl.key(text, stronger)


@settings(max_examples=sizes.choose(full=500, quick=60))
@given(texts, profiles)
def test_other_references_are_only_normalized(text: str, profile: Profile) -> None:
    normal = normalize(text, level=profile.level)
    scheme, authority, *_ = split(normal)
    if scheme is None:
        assert crawl.key(text, profile) == normal
    elif scheme not in ("http", "https") or authority is None:
        assert crawl.key(text, profile) == (normal.partition("#")[0] if profile.drops_fragment else normal)


@settings(max_examples=sizes.choose(full=500, quick=60))
@given(texts)
def test_a_key_of_requests_is_the_normal_form_without_a_fragment(text: str) -> None:
    assert crawl.key(text, "syntax-1") == normalize(text)
    if split(text).scheme is not None:
        assert crawl.key(text) == normalize(text, level="scheme").partition("#")[0]


@settings(max_examples=sizes.choose(full=500, quick=60))
@given(urls)
def test_values_of_one_name_keep_their_order(url: str) -> None:
    for name in ("page-1", "loose-1"):
        before, after = (split(each).parameters for each in (normalize(url), crawl.key(url, name)))
        if split(url).scheme in ("http", "https"):
            assert [*after] == sorted(after)
            assert all(after.get_all(each) == before.get_all(each) for each in after if each not in ("sid", "s"))


def test_the_profile_is_a_name_or_a_profile() -> None:
    for wrong in ("page", "page-2", "Request-1"):
        with pytest.raises(
            ValueError, match=rf"unknown profile '{wrong}': use syntax-1, .*did you mean \"(page|request)-1"
        ):
            crawl.key("http://a/", wrong)
    with pytest.raises(
        ValueError, match=r"unknown profile '': use syntax-1, request-1, page-1, loose-1, or a Profile$"
    ):
        crawl.key("http://a/", "")
    other: Any
    for other in (None, 1, ["page-1"], {"name": "page-1"}):
        with pytest.raises(TypeError, match=rf"key\(\) takes a Profile or its name, not {type(other).__name__}"):
            crawl.key("http://a/", other)
    with pytest.raises(TypeError, match=r"key\(\) takes str, bytes, bytearray or memoryview, not NoneType"):
        crawl.key(None)  # type: ignore[call-overload]


def test_a_profile_that_comes_back_from_another_process_is_the_same() -> None:
    for profile in PROFILES.values():
        copy = pickle.loads(pickle.dumps(profile))  # noqa: S301  its own
        assert copy == profile
        assert hash(copy) == hash(profile)
        assert crawl.key("http://www.a.example/?b&a#f", copy) == crawl.key("http://www.a.example/?b&a#f", profile.name)


@pytest.mark.slow
@pytest.mark.parametrize("prefix", ["https://h.example/", "https://h.example/a?", "HTTP://"])
@pytest.mark.parametrize(
    "unit",
    ["index.html/", "/", ";jsessionid=1", f"(S({'0' * 24}))/", "www.", "a=1&", "utm_a&", "&", "utm_", "%41", "#", "*"],
)
def test_hostile_references(unit: str, prefix: str) -> None:
    text = prefix + unit * (sizes.LONG_OF_MANY // len(unit))
    patterns = Profile("any-1", dropped_parameters=("*a*b*c*", "*x"), sorts_parameters=True)
    for profile in ("request-1", "loose-1", patterns):
        assert len(crawl.key(text, profile)) <= len(text) + len("s/")
