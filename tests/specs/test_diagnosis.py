"""Where violations are found, how they are explained, and that `regex` and `re` find the same."""

import itertools
import os
import pickle
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, sizes
from urisect import strict
from urisect.excerpt import excerpt
from urisect.specs import RFC2396, RFC2396BIS, RFC3986, RFC3987, SPECIFICATIONS, URL1996, Specification, diagnosis
from urisect.specs.diagnosis import MAX_FAULTS, MAX_VIABLE_CHARACTERS, ComponentRule, find_faults
from urisect.specs.violation import InvalidURI, describe_character, describe_characters

# Invalid references. A "‸" marks each invalid character, or the end where a character is missing; the component and the
# section of each follow.
INVALID = [
    # RFC 3986, 3.1: the scheme
    ("‸1a:b", "scheme 3.1"),
    ("‸1:", "scheme 3.1"),
    ("‸-a:b", "scheme 3.1"),
    ("‸+a:b", "scheme 3.1"),
    ("‸.a:b", "scheme 3.1"),
    ("‸_:", "scheme 3.1"),
    ("a‸_b:c", "scheme 3.1"),
    ("ht‸\ttp://h/", "scheme 3.1"),
    ("h‸\nttp://h/", "scheme 3.1"),
    ("‸ http://h/", "scheme 3.1"),
    ("http‸ ://h/", "scheme 3.1"),
    ("‸\ufeffhttp://h/", "scheme 3.1"),
    ("‸éa:b", "scheme 3.1"),
    ("a‸é:b", "scheme 3.1"),
    ("‸ＨＴＴＰ://h/", "scheme 3.1"),
    ("a‸%41:b", "scheme 3.1"),
    ("‸%41:b", "scheme 3.1"),
    ("a‸,b:c", "scheme 3.1"),
    ("a‸@b:c", "scheme 3.1"),
    ("‸(http://h/)", "scheme 3.1"),
    ("‸<http://h/‸>", "scheme 3.1, path 3.3"),
    ('‸"http://h/‸"', "scheme 3.1, path 3.3"),
    ("‸[::1‸]:80", "scheme 3.1, path 3.3"),
    ("‸127.0.0.1:80", "scheme 3.1"),
    ("‸1‸ a:b", "scheme 3.1, scheme 3.1"),
    # 3.3: a path without scheme and authority
    ("‸:a", "path 3.3"),
    ("‸:", "path 3.3"),
    ("‸::1", "path 3.3"),
    ("‸://h/", "path 3.3"),
    ("‸:/a:b", "path 3.3"),
    ("a‸ b", "path 3.3"),
    ("a‸\0b", "path 3.3"),
    ("‸ ", "path 3.3"),
    ("a‸\n", "path 3.3"),
    ("‸\n", "path 3.3"),
    ("a‸\r\n", "path 3.3"),
    ("‸\ud800", "path 3.3"),
    ("‸é", "path 3.3"),
    ("/caf‸é", "path 3.3"),
    ("‸本", "path 3.3"),
    ("‸²", "path 3.3"),
    ("‸８", "path 3.3"),
    ("‸\x7f", "path 3.3"),
    ("‸\x80", "path 3.3"),
    ("‸<a‸>", "path 3.3, path 3.3"),
    ("‸[", "path 3.3"),
    ("‸]", "path 3.3"),
    ("a‸[0‸]", "path 3.3, path 3.3"),
    ("‸{a‸}", "path 3.3, path 3.3"),
    ("a‸|b", "path 3.3"),
    ("a‸\\b", "path 3.3"),
    ("a‸^b", "path 3.3"),
    ("a‸`b", "path 3.3"),
    ('a‸"b', "path 3.3"),
    ("‸\\\\h‸\\p", "path 3.3, path 3.3"),
    # 3.3: a path
    ("http://h/a‸ b", "path 3.3"),
    ("http://h/‸ ", "path 3.3"),
    ("http://h/p‸\n", "path 3.3"),
    ("http://h/‸<b‸>", "path 3.3, path 3.3"),
    ("http://h/p‸\u200b", "path 3.3"),
    ("http://h/‸\u202ep", "path 3.3"),
    ("http://h/‸[1‸]/", "path 3.3, path 3.3"),
    ("http://h/~fred‸|wilma", "path 3.3"),
    ("mailto:fred‸ wilma@h", "path 3.3"),
    ("mailto:‸<fred@h‸>", "path 3.3, path 3.3"),
    ("urn:example:‸[1‸]", "path 3.3, path 3.3"),
    ("javascript:alert('a‸ b')", "path 3.3"),
    ("data:text/plain,a‸ b", "path 3.3"),
    ("c:‸\\a‸\\b", "path 3.3, path 3.3"),
    ("file:///c‸|/a", "path 3.3"),
    ("a:b/c‸ d", "path 3.3"),
    ("/a‸ /‸ b", "path 3.3, path 3.3"),
    ("./a:b‸ ", "path 3.3"),
    # 2.1: escapes
    ("%‸", "path 2.1"),
    ("%4‸", "path 2.1"),
    ("%‸zz", "path 2.1"),
    ("%4‸z", "path 2.1"),
    ("%‸%41", "path 2.1"),
    ("%4‸%41", "path 2.1"),
    ("%‸ 1", "path 2.1"),
    ("%‸u00e9", "path 2.1"),
    ("100%‸", "path 2.1"),
    ("100%‸/a", "path 2.1"),
    ("%‸é", "path 2.1"),
    ("%‸４１", "path 2.1"),
    ("%C3%A‸", "path 2.1"),
    ("%C3%‸G9", "path 2.1"),
    ("http://ex%‸zzample/", "host 2.1"),
    ("http://h%‸/", "host 2.1"),
    ("http://h%4‸:80/", "host 2.1"),
    ("http://%‸", "host 2.1"),
    ("http://%‸@h/", "userinfo 2.1"),
    ("http://u%2‸x@h/", "userinfo 2.1"),
    ("http://h/%‸?q", "path 2.1"),
    ("http://h/a%‸#f", "path 2.1"),
    ("http://h/?%‸", "query 2.1"),
    ("http://h/?%4‸&b", "query 2.1"),
    ("http://h/?a=%‸g1", "query 2.1"),
    ("http://h/?%‸#%‸", "query 2.1, fragment 2.1"),
    ("http://h/#%‸", "fragment 2.1"),
    ("http://h/#%a‸!", "fragment 2.1"),
    ("http://h/%‸zz/%‸yy", "path 2.1, path 2.1"),
    # 3.2.1: userinfo
    ("http://a‸@b@c/", "userinfo 3.2.1"),
    ("http://a‸@b‸@c@d/", "userinfo 3.2.1, userinfo 3.2.1"),
    ("http://‸@@h/", "userinfo 3.2.1"),
    ("http://e.com‸＃@b", "userinfo 3.2.1"),
    ("http://u‸ v@h/", "userinfo 3.2.1"),
    ("http://‸[u‸]@h/", "userinfo 3.2.1, userinfo 3.2.1"),
    ("http://u:p‸^@h/", "userinfo 3.2.1"),
    ("http://u:p‸\n@h/", "userinfo 3.2.1"),
    ("http://u:p‸ässword@h/", "userinfo 3.2.1"),
    ("//‸<u‸>@h", "userinfo 3.2.1, userinfo 3.2.1"),
    # 3.2.2: names
    ("http://h‸\n", "host 3.2.2"),
    ("http://‸ ", "host 3.2.2"),
    ("http://‸ h/", "host 3.2.2"),
    ("http://a‸ b/", "host 3.2.2"),
    ("http://‸\\h‸\\s", "host 3.2.2, host 3.2.2"),
    ("http://h‸\\p", "host 3.2.2"),
    ("http://b‸ücher.example/", "host 3.2.2"),
    ("http://‸例え.‸テスト/", "host 3.2.2, host 3.2.2"),
    ("http://h‸。example/", "host 3.2.2"),
    ("http://‸<h‸>/", "host 3.2.2, host 3.2.2"),
    ("http://h‸|/", "host 3.2.2"),
    ("http://h‸]/", "host 3.2.2"),
    ("http://h‸[/", "host 3.2.2"),
    ("http://a‸[b‸]:80/", "host 3.2.2, host 3.2.2"),
    ("http://h‸\0/", "host 3.2.2"),
    ("http://h‸\x7f/", "host 3.2.2"),
    ("http://h‸\u200d.example/", "host 3.2.2"),
    ("//‸{host‸}/p", "host 3.2.2, host 3.2.2"),
    ("//‸\udcff/", "host 3.2.2"),
    ("http://‸℀.example/", "host 3.2.2"),
    # 3.2.2: literals
    ("http://[‸", "host 3.2.2"),
    ("http://[‸]/", "host 3.2.2"),
    ("http://[::1‸", "host 3.2.2"),
    ("http://[::1‸/", "host 3.2.2"),
    ("http://[::1‸/p‸]", "host 3.2.2, path 3.3"),
    ("http://[::1]‸a/", "host 3.2.2"),
    ("http://[::1]‸]/", "host 3.2.2"),
    ("http://[‸[::1]]/", "host 3.2.2"),
    ("http://[fe80::1‸%eth0]/", "host 3.2.2"),
    ("http://[fe80::1‸%25eth0]/", "host 3.2.2"),
    ("http://[::ffff:999‸.1.1.1]/", "host 3.2.2"),
    ("http://[::256‸.0.0.1]/", "host 3.2.2"),
    ("http://[::1.2.3‸]/", "host 3.2.2"),
    ("http://[::1.2.3.4‸.5]/", "host 3.2.2"),
    ("http://[::1.2.3.4‸:5]/", "host 3.2.2"),
    ("http://[::01‸.2.3.4]/", "host 3.2.2"),
    ("http://[1‸]/", "host 3.2.2"),
    ("http://[1:2:3:4:5:6:7‸]/", "host 3.2.2"),
    ("http://[1:2:3:4:5:6:7:8‸:9]/", "host 3.2.2"),
    ("http://[1:2:3:4:5:6:7:‸]/", "host 3.2.2"),
    ("http://[1::2:‸:3]/", "host 3.2.2"),
    ("http://[::‸:1]/", "host 3.2.2"),
    ("http://[:‸1]/", "host 3.2.2"),
    ("http://[1234‸5::]/", "host 3.2.2"),
    ("http://[::1234‸5]/", "host 3.2.2"),
    ("http://[::‸g]/", "host 3.2.2"),
    ("http://[‸g::]/", "host 3.2.2"),
    ("http://[::1‸ ]/", "host 3.2.2"),
    ("http://[‸ ::1]/", "host 3.2.2"),
    ("http://[::1‸\n]/", "host 3.2.2"),
    ("http://[::‸１]/", "host 3.2.2"),
    ("http://[1‸.2.3.4]/", "host 3.2.2"),
    ("http://[e‸xample.com]/", "host 3.2.2"),
    ("http://[v‸]/", "host 3.2.2"),
    ("http://[v‸.x]/", "host 3.2.2"),
    ("http://[v1‸]/", "host 3.2.2"),
    ("http://[v1.‸]/", "host 3.2.2"),
    ("http://[v1.‸^]/", "host 3.2.2"),
    ("http://[v1.a‸%41]/", "host 3.2.2"),
    ("http://[v‸g.x]/", "host 3.2.2"),
    ("http://[v1.x‸/p", "host 3.2.2"),
    # 3.2.3: ports
    ("http://127.0.0.1:80‸:81/", "port 3.2.3"),
    ("http://h:‸a/", "port 3.2.3"),
    ("http://h:8‸O/", "port 3.2.3"),
    ("http://h:‸-1/", "port 3.2.3"),
    ("http://h:‸ 80/", "port 3.2.3"),
    ("http://h:80‸ /", "port 3.2.3"),
    ("http://h:80‸\n/", "port 3.2.3"),
    ("http://h:‸８０/", "port 3.2.3"),
    ("http://h:‸:80/", "port 3.2.3"),
    ("http://:‸:1/", "port 3.2.3"),
    ("http://fe80:‸:1/", "port 3.2.3"),
    ("http://[::1]:‸x/", "port 3.2.3"),
    ("http://h:‸%38/", "port 3.2.3"),
    ("http://u:‸p/", "port 3.2.3"),
    ("//:‸$", "port 3.2.3"),
    # 3.4: queries
    ("?a‸ b", "query 3.4"),
    ("?‸[", "query 3.4"),
    ("http://h/?a‸[0‸]=1", "query 3.4, query 3.4"),
    ('http://h/?q=‸"x‸"', "query 3.4, query 3.4"),
    ("http://h/?q=‸é", "query 3.4"),
    ("http://h/?a‸|b", "query 3.4"),
    ("http://h/?a‸\n", "query 3.4"),
    ("http://h?‸^", "query 3.4"),
    ("http://h/?q=‸{x‸}", "query 3.4, query 3.4"),
    ("http://h/?a‸\\b", "query 3.4"),
    # 3.5: fragments
    ("http://h/p#a‸#b", "fragment 3.5"),
    ("#‸#", "fragment 3.5"),
    ("#a‸#b‸#c", "fragment 3.5, fragment 3.5"),
    ("#a‸ b", "fragment 3.5"),
    ("#‸[a‸]", "fragment 3.5, fragment 3.5"),
    ("#a‸\nb", "fragment 3.5"),
    ("#‸é", "fragment 3.5"),
    ("#‸\ud800", "fragment 3.5"),
    # everywhere at once
    (
        "‸1‸ a://u‸ v@h‸ i:8‸ 0/p‸ q?r‸ s#t‸ u",
        "scheme 3.1, scheme 3.1, userinfo 3.2.1, host 3.2.2, port 3.2.3, path 3.3, query 3.4, fragment 3.5",
    ),
]

# Invalid by other specifications, or by another rule: specification, rule, and as above.
INVALID_BY_OTHERS = [
    # RFC 3986, 3, 4.3 and 4.2
    (RFC3986, "URI", "‸", "scheme 3"),
    (RFC3986, "URI", "a‸", "scheme 3"),
    (RFC3986, "URI", "‸//h/", "scheme 3"),
    (RFC3986, "URI", "a‸/b:c", "scheme 3"),
    (RFC3986, "URI", "‸1", "scheme 3"),
    (RFC3986, "URI", "a‸#b:", "scheme 3"),
    (RFC3986, "absolute-URI", "‸?q", "scheme 4.3"),
    (RFC3986, "absolute-URI", "a:‸#", "fragment 4.3"),
    (RFC3986, "absolute-URI", "a:‸ b‸#c", "path 3.3, fragment 4.3"),
    (RFC3986, "absolute-URI", "a‸‸#b", "scheme 4.3, fragment 4.3"),
    (RFC3986, "relative-ref", "‸a:b", "scheme 4.2"),
    (RFC3986, "relative-ref", "‸http://h/‸ ", "scheme 4.2, path 3.3"),
    # RFC 3987
    (RFC3987, "URI-reference", "‸1a:b", "scheme 2.2"),
    (RFC3987, "URI-reference", "‸é:b", "scheme 2.2"),
    (RFC3987, "URI-reference", "‸:é", "path 2.2"),
    (RFC3987, "URI-reference", "/é‸ é", "path 2.2"),
    (RFC3987, "URI-reference", "/é‸\ue000é", "path 2.2"),
    (RFC3987, "URI-reference", "/é‸\x85\x9f\ufdd0\ufff0\U0001ffff\U000e0fffé", "path 2.2"),
    (RFC3987, "URI-reference", "?é\ue000\U0010fffd‸\U0010ffff#é‸\U0010fffd", "query 2.2, fragment 2.2"),
    (RFC3987, "URI-reference", "//é‸[é‸]@é‸ é:‸é/é%‸é", "userinfo 2.2, userinfo 2.2, host 2.2, port 2.2, path 2.2"),
    (RFC3987, "URI-reference", "http://[‸é::1]/", "host 2.2"),
    (RFC3987, "URI-reference", "http://[::1]‸é/", "host 2.2"),
    (RFC3987, "URI-reference", "/‸\ud800\udcff", "path 2.2"),
    (RFC3987, "URI-reference", "/é%4‸", "path 2.2"),
    (RFC3987, "URI", "‸é", "scheme 2.2"),
    (RFC3987, "absolute-URI", "a:é‸#é", "fragment 2.2"),
    (RFC3987, "relative-ref", "‸a:é", "scheme 2.2"),
    # rfc2396bis-03
    (RFC2396BIS, "URI-reference", "‸1a:b", "scheme 3.1"),
    (RFC2396BIS, "URI-reference", "‸:a", "path 4.2"),
    (RFC2396BIS, "URI-reference", "//a‸_b/", "host 3.2.2"),
    (RFC2396BIS, "URI-reference", "//a.‸.b", "host 3.2.2"),
    (RFC2396BIS, "URI-reference", "//‸.a", "host 3.2.2"),
    (RFC2396BIS, "URI-reference", "//a-‸.b", "host 3.2.2"),
    (RFC2396BIS, "URI-reference", "//a-‸", "host 3.2.2"),
    (RFC2396BIS, "URI-reference", "//‸-a‸_b.‸.c", "host 3.2.2, host 3.2.2, host 3.2.2"),
    (RFC2396BIS, "URI-reference", f"//{'a' * 63}‸a", "host 3.2.2"),
    (RFC2396BIS, "URI-reference", "//‸%41", "host 3.2.2"),
    (RFC2396BIS, "URI-reference", "//[‸v1.x]", "host 3.2.2"),
    (RFC2396BIS, "URI-reference", "//[::1‸", "host 3.2.2"),
    (RFC2396BIS, "URI-reference", "//u‸ @h", "userinfo 3.2.1"),
    (RFC2396BIS, "URI-reference", "//h:‸x", "port 3.2.3"),
    (RFC2396BIS, "URI-reference", "/%‸zz", "path 2.4.1"),
    (RFC2396BIS, "URI-reference", "/‸^", "path 3.3"),
    (RFC2396BIS, "URI-reference", "?‸^", "query 3.4"),
    (RFC2396BIS, "URI-reference", "#‸^", "fragment 3.5"),
    (RFC2396BIS, "relative-ref", "‸a:b", "scheme 4.2"),
    (RFC2396BIS, "absolute-URI", "a‸", "scheme 4.3"),
    # RFC 2396
    (RFC2396, "URI-reference", "a:‸", "path 3"),
    (RFC2396, "URI-reference", "a:‸#b", "path 3"),
    (RFC2396, "URI-reference", "‸1a:b", "scheme 3.1"),
    (RFC2396, "URI-reference", "‸:a", "path 5"),
    (RFC2396, "URI-reference", "http://‸[::1‸]/", "authority 3.2, authority 3.2"),
    (RFC2396, "URI-reference", "http://h%‸/", "authority 2.4.1"),
    (RFC2396, "URI-reference", "a‸ b", "path 3.3"),
    (RFC2396, "URI-reference", "?‸[", "query 3.4"),
    (RFC2396, "URI-reference", "#‸#", "fragment 4.1"),
    (RFC2396, "URI", "a‸", "scheme 3"),
    (RFC2396, "absolute-URI", "a:b‸#c", "fragment 3"),
    (RFC2396, "relative-ref", "‸a:b", "scheme 5"),
    # draft-fielding-uri-url-00
    (URL1996, "URI-reference", "http://‸[::1‸]/", "server 4.2, server 4.2"),
    (URL1996, "URI-reference", "a:‸ b", "path 4.2"),
    (URL1996, "URI-reference", "a:b?‸[", "query 4.2"),
    (URL1996, "URI-reference", "a:b#c‸#", "fragment 3"),
    (URL1996, "URI-reference", "a:%‸", "path 2.3.1"),
    (URL1996, "URI-reference", "//a‸_b/", "host 4.3.1"),
    (URL1996, "URI-reference", "//h‸?q", "host 4.3.1"),
    (URL1996, "URI-reference", "//h.‸/", "host 4.3.1"),
    (URL1996, "URI-reference", "//1.2.3‸/", "host 4.3.1"),
    (URL1996, "URI-reference", "//h:‸x/", "port 4.3.1"),
    (URL1996, "URI-reference", "//u‸ :p‸:q@h/", "user 4.3.1, password 4.3.1"),
    (URL1996, "URI-reference", "//u@‸", "host 4.3.1"),
    (URL1996, "URI-reference", "//‸:", "host 4.3.1"),
    (URL1996, "URI-reference", "///‸/a", "path 4.3.2"),
    (URL1996, "URI-reference", "/a‸ b;c‸ d?e‸ f#g‸ h", "path 4.3.2, parameters 4.3.3, query 4.3.4, fragment 3"),
    (URL1996, "URI", "a‸", "scheme 4.2"),
    (URL1996, "absolute-URI", "a:b‸#", "fragment 4.2"),
    (URL1996, "relative-ref", "‸1:b", "scheme 4.2"),
]

# Unusual references that are valid (RFC 3986).
VALID = ("http://[v1.x]", "//", "http://087.10.0.1/", "http://256.256.256.256/", "http://a..b/", "http://:/", "/a//b")

# What was found, and what was expected instead.
MESSAGES = {
    "1a:b": '"1" instead of a letter',
    "a b": "U+0020 (space) instead of a letter, a digit or one of !$%&'()*+,-./:;=@_~",
    "a_b:c": '"_" instead of a letter, a digit, "+", "-" or "."',
    "%": "the end instead of a hexadecimal digit",
    "%zz": '"z" instead of a hexadecimal digit',
    "//h:8O/": '"O" instead of a digit',
    "//[::1": 'the end instead of a hexadecimal digit, ".", ":" or "]"',
    "//[::1/": '"/" instead of a hexadecimal digit, ".", ":" or "]"',
    "//[::1]x": '"x" instead of the end of the host',
    "//[::25.256.1.1]": '"6" instead of one of .012345',
    "//e.com＃@b": '"＃" U+FF03 (fullwidth number sign) instead of ',
    "/\n": "U+000A (control character) instead of ",
    "/\ud800": "U+D800 (lone surrogate) instead of ",
    "/\u202e": "U+202E (right-to-left override) instead of ",
    "/\u0378": "U+0378 (unassigned) instead of ",
    "/\ue000": "U+E000 (private use) instead of ",
    "/  ": "U+0020 (space) and 1 more instead of ",
    "/本本本本": '"本" U+672C (cjk unified ideograph-672c) and 3 more instead of ',
}

specifications = st.sampled_from(list(SPECIFICATIONS.values()))
rules = st.sampled_from(["URI-reference", "URI", "absolute-URI", "relative-ref"])
# Text made of the tokens of a specification, so that much of it is almost valid.
almost_valid = st.text("a1:/?#@[]%.-_;f ") | st.lists(
    st.sampled_from(["a:", "//", "h", ":", "8", "@", "[::1]", "[", "/", "..", "%4", "%41", "?", "#", " ", "-", ";"])
).map("".join)


def remove_marks(marked: str, places: str) -> tuple[str, list[tuple[str, int, str]]]:
    """Remove the marks from a reference, and return the component, the offset and the section of each."""
    pieces = marked.split("‸")
    offsets = [sum(map(len, pieces[: number + 1])) for number in range(len(pieces) - 1)]
    components_and_sections = [place.split() for place in places.split(", ")]
    return "".join(pieces), [
        (component, offset, section)
        for (component, section), offset in zip(components_and_sections, offsets, strict=True)
    ]


@pytest.mark.parametrize(
    ("specification", "rule", "marked", "places"),
    [*((RFC3986, "URI-reference", *case) for case in INVALID), *INVALID_BY_OTHERS],
)
def test_every_violation_is_found_at_its_place(
    specification: Specification, rule: str, marked: str, places: str
) -> None:
    reference, expected = remove_marks(marked, places)
    found = strict.violations(reference, specification, rule)
    assert [(violation.component, violation.offset, violation.section) for violation in found] == expected
    for violation in found:
        assert violation.incomplete is (violation.offset == len(reference))
        assert violation.length == 0 if violation.incomplete else violation.length > 0
    octets = reference.encode("utf-8", "surrogatepass")
    if len(octets) == len(reference):
        again = strict.violations(octets, specification, rule)
        assert [(violation.component, violation.offset, violation.section) for violation in again] == expected


@pytest.mark.parametrize("reference", VALID)
def test_unusual_references_may_be_valid(reference: str) -> None:
    assert strict.violations(reference) == ()
    assert str(strict.split(reference)) == reference


def test_the_tables_are_long_enough() -> None:
    assert len({marked for marked, _ in INVALID}) == len(INVALID) >= 150


@pytest.mark.parametrize(("reference", "message"), MESSAGES.items())
def test_a_message_says_what_was_found_and_expected(reference: str, message: str) -> None:
    first = strict.violations(reference)[0]
    text, _, citation = first.message.partition(" (RFC 3986, ")
    assert text == message or (message.endswith(" ") and text.startswith(message))
    assert citation == f"{first.section}, {first.rule})"


def test_bytes_are_described_as_bytes() -> None:
    assert strict.violations(b"/caf\xc3\xa9")[0].message.startswith("the byte 0xC3 and 1 more instead of a letter")
    assert strict.violations(b"/\x00")[0].message.startswith("U+0000 (control character) instead of")
    assert strict.violations(b"/ ")[0].message.startswith("U+0020 (space) instead of")


def test_bytes_of_an_iri_are_described_as_characters_in_utf_8() -> None:
    path = "a letter, a digit, a character beyond ASCII or one of !$%&'()*+,-./:;=@_~ (RFC 3987, 2.2, ipath)"
    messages = {
        "/é\ue000\x85".encode(): f"U+E000 (private use) and 1 more instead of {path}",
        "/é＃ ".encode(): f"U+0020 (space) instead of {path}",
        b"/\xc3\xa9\xc3": f"the byte 0xC3 instead of {path}",
        b"/\xed\xa0\x80": f"the byte 0xED and 2 more instead of {path}",
        b"/\xc3\xa9%4": "the end instead of a hexadecimal digit (RFC 3987, 2.2, pct-encoded)",
        b"?[": '"[" instead of a letter, a digit, a character beyond ASCII, a private-use character or one of '
        "!$%&'()*+,-./:;=?@_~ (RFC 3987, 2.2, iquery)",
    }
    assert {octets: RFC3987.violations(octets)[0].message for octets in messages} == messages


@given(specifications, rules, almost_valid | naive.texts | naive.octets)
def test_an_invalid_reference_has_violations(specification: Specification, rule: str, reference: Any) -> None:
    found = specification.violations(reference, rule)
    assert bool(found) is not specification.is_valid(reference, rule)
    offsets = [violation.offset for violation in found]
    assert offsets == sorted(offsets)
    for violation in found:
        assert 0 <= violation.offset <= violation.offset + violation.length <= len(reference)
        assert violation.incomplete is (violation.offset == len(reference))
        assert violation.expected
        assert str(violation).isprintable() or str(violation).count("\n") == 2
        assert str(violation).splitlines()[1].isascii() or "…" in str(violation)


@given(almost_valid)
def test_an_offset_is_the_first_invalid_character(reference: str) -> None:
    """Up to the offset, the component could still become valid; with the next character, it could not."""
    for violation in strict.violations(reference)[:1]:
        if violation.component in {"port", "path", "query", "fragment"} and not violation.incomplete:
            before, wrong = reference[: violation.offset], reference[violation.offset]
            tails = ("", "0", "00")
            assert any(strict.is_valid(before + tail) for tail in tails)
            assert not any(strict.is_valid(before + wrong + tail) for tail in tails)


@given(almost_valid)
def test_an_incomplete_reference_can_be_completed(reference: str) -> None:
    """A reference that is incomplete in its last component, and valid otherwise, can be completed."""
    found = strict.violations(reference)
    if len(found) == 1 and found[0].incomplete:
        endings = ("0", "00", "]", ":]", "::]", "0]", ".0]", ".0.0]", ".0.0.0]", ":0]", "1.0]")
        assert any(strict.is_valid(reference + ending) for ending in endings)


def test_a_caret_is_below_the_character() -> None:
    violations = strict.violations("http://e.com＃@b/%4\n")
    assert [str(violation).splitlines()[1:] for violation in violations] == [
        [r"  http://e.com\uff03@b/%4\n", r"              ^~~~~~"],
        [r"  http://e.com\uff03@b/%4\n", r"                         ^~"],
    ]
    [missing] = strict.violations("//[::1")
    assert str(missing).splitlines()[1:] == ["  //[::1", "        ^"]


def test_a_long_reference_is_shown_as_an_excerpt() -> None:
    text = "/" + "a" * 1000 + " " + "b" * 1000
    shown, before, width = excerpt(text, 1001, 1)
    assert shown == "…" + "a" * 48 + " " + "b" * 23 + "…"
    assert (before, width) == (49, 1)
    shown, before, width = excerpt("😀a" * 60, 30, 1)
    assert len(shown) <= 2 + 48 + 24
    assert shown[before : before + width] == r"\U0001f600"
    with pytest.raises(InvalidURI) as caught:
        strict.split(text)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_an_exception_is_one_line_and_counts_the_others() -> None:
    with pytest.raises(InvalidURI) as caught:
        strict.split("http://h:8O/#a#b")
    assert str(caught.value) == (
        "port, offset 10: \"O\" instead of a digit (RFC 3986, 3.2.3, port) in 'http://h:8O/#a#b', and 1 more"
    )
    assert isinstance(caught.value, ValueError)
    assert caught.value.reference == "http://h:8O/#a#b"
    assert [violation.offset for violation in caught.value.violations] == [10, 14]


def test_an_exception_can_be_pickled() -> None:
    with pytest.raises(InvalidURI) as caught:
        strict.split(b"a b")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301  made here
    assert (type(again), str(again)) == (InvalidURI, str(caught.value))
    assert again.violations == caught.value.violations


def test_offsets_in_bytes_count_bytes() -> None:
    assert strict.violations("/é/ b")[-1].offset == 3
    assert strict.violations("/é/ b".encode())[-1].offset == 4


def test_the_last_of_many_faults_covers_the_rest() -> None:
    found = list(find_faults(ComponentRule("segment", "3.3", "[a-z]*+"), " a" * 2 * MAX_FAULTS, 0, 4 * MAX_FAULTS))
    assert len(found) == MAX_FAULTS
    assert found[-1].offset + found[-1].length == 4 * MAX_FAULTS


def test_a_prefix_that_is_viable_for_too_long_is_wrong_where_it_stops_being_valid() -> None:
    host = "a" + "-" * 2 * MAX_VIABLE_CHARACTERS + ".b"
    [violation] = URL1996.violations(f"//{host}")
    assert (violation.offset, violation.length) == (3, len(host) - 1)
    assert violation.expected == 'a letter, a digit or "."'


def test_sets_of_characters_are_described_in_words() -> None:
    assert describe_characters(frozenset()) == ""
    assert describe_characters(frozenset("0123456789")) == "a digit"
    assert describe_characters(frozenset("0123456789abcdefABCDEF")) == "a hexadecimal digit"
    assert describe_characters(frozenset("012345")) == "one of 012345"
    assert describe_characters(frozenset("01")) == '"0" or "1"'
    assert describe_character('"') == '"""'


@pytest.mark.slow
def test_every_character_is_described_in_printable_characters() -> None:
    for code in (*range(0x3000), *range(0x3000, sys.maxunicode + 1, sizes.choose(full=1, quick=11))):
        name = describe_character(chr(code))
        assert name.isprintable()
        assert code < 0x7F or f"U+{code:04X} (" in name
        assert "()" not in name


MEGABYTES = sizes.choose(full=10_000_000, quick=1_000_000)
HEADS = ("", "//", "http://[", "x://h:", "x:", "?", "#")


def peak_of_diagnosis(specification: Specification, text: str) -> int:
    """Check and diagnose a text, and return how many bytes were allocated at once."""
    tracemalloc.start()
    try:
        verdict = specification.is_valid(text)
        found = specification.violations(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert verdict is not bool(found)
    return peak


@pytest.mark.slow
@pytest.mark.parametrize("specification", SPECIFICATIONS.values(), ids=lambda specification: specification.name)
@pytest.mark.parametrize(
    ("unit", "size"),
    sizes.some(
        [
            *((unit, MEGABYTES) for unit in ("[", ":", "%4", "1.", "a.", "::1")),
            *((unit, MEGABYTES // 10) for unit in ("%", "[x", "a-", "-", "/", "@", "%41", "é", "\0", "?#")),
        ]
    ),
)
def test_megabytes_are_diagnosed_in_little_memory(specification: Specification, unit: str, size: int) -> None:
    for head in HEADS:
        text = head + unit * (size // len(unit))
        # What is allocated once does not count: imports, compilations, and what other threads of the tests need.
        assert any(peak_of_diagnosis(specification, text) < 4 * len(text.encode()) for _ in range(3))


@contextmanager
def diagnose_by(engine: Callable[[str, str, int, int], bool]) -> Iterator[None]:
    """Diagnose by one engine only, without the cached results of the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagnosis, "_viability_test", lambda: engine)
        diagnosis.allowed_characters.cache_clear()
        diagnosis._skip_pattern.cache_clear()
        yield
    diagnosis.allowed_characters.cache_clear()
    diagnosis._skip_pattern.cache_clear()


def assert_engines_agree(questions: Sequence[tuple[Specification, str, Any]]) -> None:
    engines = diagnosis._viability_test(), diagnosis._is_viable_by_completions
    assert engines[0] is not engines[1]
    answers: list[list[Any]] = [[], []]
    for engine, found_by_engine in zip(engines, answers, strict=True):
        with diagnose_by(engine):
            for specification, rule, reference in questions:
                found = specification.violations(reference, rule)
                found_by_engine.append((specification, rule, reference, [(repr(each), str(each)) for each in found]))
    for by_regex, by_re in zip(*answers, strict=True):
        assert by_re == by_regex


by_specification = pytest.mark.parametrize(
    "specification", SPECIFICATIONS.values(), ids=lambda specification: specification.name
)


@by_specification
@pytest.mark.parametrize("rule", ["URI-reference", "URI", "absolute-URI", "relative-ref"])
def test_re_alone_finds_the_violations_of_the_tables(specification: Specification, rule: str) -> None:
    marked = [*(case[0] for case in INVALID), *(case[2] for case in INVALID_BY_OTHERS)]
    assert_engines_agree([(specification, rule, text.replace("‸", "")) for text in marked])


@by_specification
@pytest.mark.parametrize(
    ("before", "symbols"), [("", "a1:/?#@% "), ("//", "a1:/@.-%"), ("//[", "1:.]v%"), ("a:", "%4:[/")]
)
def test_re_alone_finds_the_violations_of_all_short_texts(
    specification: Specification, before: str, symbols: str
) -> None:
    assert_engines_agree([(specification, "URI-reference", before + text) for text in naive.strings(symbols, 3)])


@given(specifications, rules, almost_valid | naive.texts | naive.octets)
def test_re_alone_finds_the_violations_of_any_text(specification: Specification, rule: str, reference: Any) -> None:
    assert_engines_agree([(specification, rule, reference)])


def addresses() -> Iterator[str]:
    """Yield IP-literals of each form, with groups and octets of each length."""
    for before, after, last in itertools.product(range(9), range(9), ([], ["1.2.3.4"], ["25.255.0.249"])):
        groups = list(itertools.islice(itertools.cycle(["1", "ab", "255", "2550"]), before + after))
        yield f"[{':'.join(groups[:before])}::{':'.join([*groups[before:], *last])}]"
        yield f"[{':'.join([*groups, *last])}]"
    yield "[v1F.a:1]"


@pytest.mark.parametrize("specification", [RFC3986, RFC2396BIS], ids=lambda specification: specification.name)
def test_re_alone_knows_every_prefix_of_an_address(specification: Specification) -> None:
    by_regex, by_re = diagnosis._viability_test(), diagnosis._is_viable_by_completions
    host = specification.components["host"]
    valid = [address for address in addresses() if host.fullmatch(address)]
    assert len(valid) > 100
    for text in {address[:length] for address in valid for length in range(len(address) + 1)}:
        assert by_re(host.pattern, text, 0, len(text))
        for wrong in "1:.]g":
            other = text + wrong
            assert by_re(host.pattern, other, 0, len(other)) is by_regex(host.pattern, other, 0, len(other))


def test_without_regex_the_diagnosis_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    reference = "1a://[::1%25e]:8O/%zz"
    expected = [*map(str, strict.violations(reference))]
    diagnosis._viability_test.cache_clear()
    monkeypatch.setitem(sys.modules, "regex", None)
    engine = diagnosis._viability_test()
    diagnosis._viability_test.cache_clear()
    assert engine is diagnosis._is_viable_by_completions
    with diagnose_by(engine):
        assert [*map(str, strict.violations(reference))] == expected


IN_A_SUBINTERPRETER = """
import sys
script = '''
from urisect import strict
try:
    strict.split("http://[::1%eth0]/a b")
except strict.InvalidURI as error:
    print(error, flush=True)
'''
if sys.version_info >= (3, 13):
    import _interpreters
    failure = _interpreters.exec(_interpreters.create("isolated"), script)
    assert failure is None, failure.formatted
else:
    import _xxsubinterpreters
    _xxsubinterpreters.run_string(_xxsubinterpreters.create(isolated=True), script)
"""


def test_violations_are_explained_in_an_isolated_subinterpreter() -> None:
    # `regex` cannot be imported there: it raises ImportError.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    child = [sys.executable, "-W", "ignore", "-c", IN_A_SUBINTERPRETER]
    result = subprocess.run(child, check=False, capture_output=True, text=True, env=environment)
    with pytest.raises(InvalidURI) as caught:
        strict.split("http://[::1%eth0]/a b")
    assert (result.stdout, result.stderr) == (f"{caught.value}\n", "")


def test_regex_is_imported_by_the_first_diagnosis() -> None:
    program = (
        "import sys; from urisect import strict; strict.split('http://h/'); strict.is_valid('a b'); "
        "assert 'regex' not in sys.modules; strict.violations('a b'); assert 'regex' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
